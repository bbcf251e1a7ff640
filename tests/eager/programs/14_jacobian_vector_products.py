"""Products of a Jacobian with a vector, from either side."""

import srcgrad.eager as torch


def squares(t):
    return t**2 + t.sum()


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([1.0, 0.0, 2.0])
(row,) = torch.autograd.grad(squares(x), x, grad_outputs=v)
print(row)
print(x.grad)
point, functional = x.detach(), torch.autograd.functional
print(functional.jacobian(squares, point))
print(functional.jvp(squares, point, v)[1])
print(functional.vjp(squares, point, v)[1])
