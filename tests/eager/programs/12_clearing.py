"""Gradients add up unless they are set to zero in between."""

import srcgrad.eager as torch

x = torch.ones(4, requires_grad=True)
sums = {"First:": (2 * x + 1).sum(), "Second:": (2 * x).sum()}
for name, value in sums.items():
    value.backward()
    print(name, x.grad)
    x.grad.zero_()
