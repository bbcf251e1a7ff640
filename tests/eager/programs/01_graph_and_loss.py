"""One layer of a network, its loss, and the gradients of its parameters."""

import srcgrad.eager as torch

inputs, labels = torch.ones(5), torch.zeros(3)
weights = torch.tensor(
    [
        [0.5, -1.0, 0.25],
        [1.5, 0.75, -0.5],
        [-0.25, 0.1, 0.9],
        [0.3, -0.6, 0.2],
        [-1.1, 0.4, 0.7],
    ],
    requires_grad=True,
)
bias = torch.tensor([0.1, -0.2, 0.3], requires_grad=True)
for name, value in {"x": inputs, "y": labels, "w": weights, "b": bias}.items():
    print(f"{name}: {value}")

logits = torch.matmul(inputs, weights) + bias
loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)
print(logits)
print(loss)
print(*[type(value.grad_fn).__name__ for value in (logits, loss)])

loss.backward()
print(weights.grad)
print(bias.grad)
