"""A matrix gets a gradient of ones; without one the sweep is refused."""

import srcgrad.eager as torch

x = torch.tensor([[-2.0, -1.0, 0.5], [1.0, 2.0, 3.0]], requires_grad=True)
ramp = x * x.relu()
try:
    ramp.backward()
except RuntimeError as error:
    print(error)
ramp.backward(gradient=torch.ones_like(ramp))
print(x.grad)
x.grad = None
x.tanh().sum().backward()
print(x.grad)
