"""A gradient for a matrix, again and again: gradients add up until they are set to zero."""

import srcgrad.eager as torch

start = torch.eye(5, requires_grad=True)
result = (start + 1).pow(2)
seed = torch.ones_like(start)
print(result)
for title in ("First call", "\nSecond call", "\nCall after zeroing gradients"):
    if "zeroing" in title:
        start.grad.zero_()
    result.backward(seed, retain_graph=True)
    print(f"{title}\n{start.grad}")
