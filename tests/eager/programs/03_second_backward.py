"""A graph is freed when it has been run backwards."""

import srcgrad.eager as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
total = (x * x).sum()
total.backward()
try:
    total.backward()
except RuntimeError as error:
    print(str(error).partition("or")[0])
print(x.grad)
