"""A vector is summed before the sweep."""

import srcgrad.eager as torch

x = torch.arange(-8.0, 8.0, 0.1, requires_grad=True)
y = x.sigmoid()
print(y.shape, y.requires_grad)
torch.sum(y).backward()
slope = x.grad
print(slope[0:5])
print(slope[80], torch.max(slope))
