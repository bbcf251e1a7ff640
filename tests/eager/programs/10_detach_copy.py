"""The same values outside the graph."""

import srcgrad.eager as torch

a = torch.tensor([[2.0, 3.0], [4.0, 5.0]], requires_grad=True)
print(a.requires_grad, a.detach().requires_grad)
print(a.pow(2).requires_grad)


@torch.no_grad()
def squared():
    return a.pow(2)


print(squared().requires_grad)
