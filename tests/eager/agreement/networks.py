"""Activations, losses, and small fits."""


def _x(torch):
    return torch.tensor([-2.0, -0.5, 0.0, 0.5, 3.0], requires_grad=True)


def _run(y, *leaves):
    (y * y).sum().backward()
    return (y, *[leaf.grad for leaf in leaves])


def relu(torch):
    x = _x(torch)
    return _run(torch.relu(x), x) + _run(torch.nn.functional.relu(x), x)


def sigmoid(torch):
    x = _x(torch)
    return _run(torch.sigmoid(x), x)


def sigmoid_of_large(torch):
    x = torch.tensor([-200.0, -30.0, 30.0, 200.0], requires_grad=True)
    return _run(torch.sigmoid(x), x)


def softplus(torch):
    x = _x(torch)
    f = torch.nn.functional.softplus
    return _run(f(x), x) + _run(f(x * 20), x) + _run(f(x, beta=2.0), x)


def gelu(torch):
    x = _x(torch)
    f = torch.nn.functional.gelu
    return _run(f(x), x) + _run(f(x, approximate="tanh"), x)


def units(torch):
    x = _x(torch)
    f = torch.nn.functional
    return (
        _run(f.elu(x), x)
        + _run(f.leaky_relu(x), x)
        + _run(f.silu(x), x)
        + _run(f.logsigmoid(x), x)
        + _run(f.selu(x), x)
        + _run(f.hardtanh(x, -1.0, 1.0), x)
        + _run(f.mish(x), x)
        + _run(f.celu(x, 0.5), x)
        + _run(f.relu6(x * 3), x)
    )


def units_of_many(torch):
    x = _x(torch)
    f = torch.nn.functional
    return _run(f.softsign(x), x) + _run(f.tanhshrink(x), x)


def softmax(torch):
    x = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 4.0]], requires_grad=True)
    return _run(x.softmax(1), x) + _run(torch.softmax(x, 0), x)


def log_softmax(torch):
    x = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 4.0]], requires_grad=True)
    return _run(torch.log_softmax(x, dim=-1), x)


def logits_loss(torch):
    z, y = _x(torch), torch.tensor([0.0, 1.0, 1.0, 0.0, 0.5])
    f = torch.nn.functional.binary_cross_entropy_with_logits
    return _run(f(z, y), z) + _run(f(z, y, reduction="sum"), z) + _run(f(z, y, reduction="none"), z)


def logits_loss_weighted(torch):
    z, y = _x(torch), torch.tensor([0.0, 1.0, 1.0, 0.0, 0.5])
    w = torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0])
    f = torch.nn.functional.binary_cross_entropy_with_logits
    return _run(f(z, y, weight=w), z) + _run(f(z, y, pos_weight=w), z)


def probabilities_loss(torch):
    p = torch.tensor([0.2, 0.9, 0.5], requires_grad=True)
    y = torch.tensor([0.0, 1.0, 1.0])
    return _run(torch.nn.functional.binary_cross_entropy(p, y), p)


def squares(torch):
    x, y = _x(torch), torch.ones(5, requires_grad=True)
    f = torch.nn.functional.mse_loss
    return (
        _run(f(x, y), x, y) + _run(f(x, y, reduction="sum"), x) + _run(f(x, y, reduction="none"), x)
    )


def absolutes(torch):
    x, y = _x(torch), torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0])
    f = torch.nn.functional
    return (
        _run(f.l1_loss(x, y), x)
        + _run(f.smooth_l1_loss(x, y), x)
        + _run(f.huber_loss(x, y, delta=0.5), x)
    )


def classes_loss(torch):
    x = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 4.0]], requires_grad=True)
    y = torch.tensor([2, 0])
    f = torch.nn.functional.cross_entropy
    return _run(f(x, y), x) + _run(f(x, y, reduction="sum"), x) + _run(f(x, y, reduction="none"), x)


def classes_loss_weighted(torch):
    x = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 4.0]], requires_grad=True)
    y, w = torch.tensor([2, 0]), torch.tensor([0.5, 1.0, 2.0])
    f = torch.nn.functional.cross_entropy
    return _run(f(x, y, weight=w), x) + _run(f(x, torch.tensor([2, -100])), x)


def classes_loss_of_probabilities(torch):
    x = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 4.0]], requires_grad=True)
    y = torch.tensor([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
    return _run(torch.nn.functional.cross_entropy(x, y), x)


def negative_likelihood(torch):
    x = torch.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 4.0]], requires_grad=True)
    y = torch.tensor([2, 0])
    return _run(torch.nn.functional.nll_loss(torch.log_softmax(x, 1), y), x)


def divergence(torch):
    x = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
    y = torch.tensor([0.1, 0.0, 0.9])
    return _run(torch.nn.functional.kl_div(x.log(), y, reduction="sum"), x)


def linear_layer(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    w, b = torch.ones(2, 3, requires_grad=True), torch.zeros(2, requires_grad=True)
    y = torch.nn.functional.linear(x, w, b)
    (y * y).sum().backward()
    return y.detach(), x.grad, w.grad, b.grad


def unit_length(torch):
    x = torch.tensor([[3.0, 4.0], [1.0, 0.0]], requires_grad=True)
    return _run(torch.nn.functional.normalize(x, dim=1) * torch.tensor([1.0, 2.0]), x)


def rows_of_table(torch):
    w = torch.arange(6.0).reshape(3, 2).requires_grad_()
    return _run(torch.nn.functional.embedding(torch.tensor([2, 0, 2]), w), w)


def two_layers(torch):
    x = torch.linspace(-1, 1, 8).reshape(4, 2)
    w1 = torch.linspace(-0.5, 0.5, 6).reshape(2, 3).requires_grad_()
    w2 = torch.linspace(0.1, 0.3, 3).requires_grad_()
    for _ in range(5):
        loss = ((torch.tanh(x @ w1) @ w2 - x.sum(1)) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                w -= 0.1 * w.grad
                w.grad = None
    return loss, w1.detach(), w2.detach()


def logistic_regression(torch):
    x = torch.tensor([[0.5, 1.0], [-1.0, 0.2], [2.0, -0.3]])
    y = torch.tensor([1.0, 0.0, 1.0])
    w, b = torch.zeros(2, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(10):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w + b, y)
        dw, db = torch.autograd.grad(loss, [w, b])
        with torch.no_grad():
            w.sub_(dw)
            b.sub_(db)
    return loss.detach(), w, b
