"""A line through points of a line, by steps down the gradient."""

import srcgrad.eager as torch

x = torch.linspace(0.0, 1.0, 11)
y = 3.0 * x + 0.5
parameters = w, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
for _ in range(400):
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for parameter in parameters:
            parameter -= 0.5 * parameter.grad
            parameter.grad.zero_()
print(f"{w.item():.3f} {b.item():.3f} {loss.item():.1e}")
