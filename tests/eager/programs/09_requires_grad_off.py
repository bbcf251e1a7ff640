"""A leaf can stop to require a gradient."""

import srcgrad.eager as torch

a = torch.tensor([[2.0, 3.0], [4.0, 5.0]], requires_grad=True)


def ratio():
    return (a * 3) / (a - 1)


print(ratio().grad_fn.name())
a.requires_grad = False
print(ratio().grad_fn)
print(ratio())
