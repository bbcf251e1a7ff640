"""What is computed under no_grad, or detached, has no graph."""

import srcgrad.eager as torch

x = torch.ones(5)
w, b = torch.ones(5, 3, requires_grad=True), torch.zeros(3, requires_grad=True)


def layer():
    return torch.matmul(x, w) + b


print(layer().requires_grad)
with torch.no_grad():
    print(layer().requires_grad)
cut = layer().detach()
print(cut.requires_grad)
print(cut)
