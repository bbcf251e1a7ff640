"""An equation has a grad_fn if one of its tensors requires a gradient."""

import srcgrad.eager as torch

x = torch.tensor([0.5], requires_grad=True)
y, z = torch.tensor([1.5]), torch.tensor([2.5])
with_graph, without = 2 * x + y, y + z
print(with_graph.grad_fn.name(), without.grad_fn)
with_graph.backward()
print(x.grad)
try:
    without.backward()
except RuntimeError as error:
    print(error)
