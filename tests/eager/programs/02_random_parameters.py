"""The layer with random parameters: shapes and flags."""

import srcgrad.eager as torch

torch.manual_seed(7)
weights, bias = torch.randn(5, 3, requires_grad=True), torch.randn(3, requires_grad=True)
logits = torch.matmul(torch.ones(5), weights) + bias
loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.zeros(3))
flags = [loss.requires_grad, weights.is_leaf, logits.is_leaf]
print(logits.shape, loss.shape, logits.requires_grad, *flags)
loss.backward()
print(weights.grad.shape, bias.grad.shape)
print(torch.allclose(weights.grad, bias.grad.expand(5, 3)))
