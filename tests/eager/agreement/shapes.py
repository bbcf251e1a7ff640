"""Shapes, reads by index, stores, and views."""


def _m(torch):
    return torch.arange(6.0).reshape(2, 3).requires_grad_()


def _run(y, *leaves):
    (y * y).sum().backward()
    return (y, *[leaf.grad for leaf in leaves])


def reshapes(torch):
    x = _m(torch)
    return _run(x.reshape(3, 2), x) + _run(x.view(-1), x) + _run(x.flatten(), x)


def reshape_of_transpose(torch):
    x = _m(torch)
    return _run(x.t().reshape(6) * torch.arange(6.0), x)


def transposes(torch):
    x = _m(torch)
    w = torch.arange(6.0).reshape(3, 2)
    return (
        _run(x.t() * w, x)
        + _run(x.T * w, x)
        + _run(x.transpose(0, 1), x)
        + _run(x.permute(1, 0), x)
    )


def squeezes(torch):
    x = _m(torch)
    return _run(x.unsqueeze(1), x) + _run(x[:1].squeeze(0), x) + _run(x.unsqueeze(0).squeeze(), x)


def expansions(torch):
    b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return _run(b.expand(2, 3), b) + _run(b.repeat(2), b) + _run(b.unsqueeze(1).expand(-1, 2), b)


def joins(torch):
    x, y = _m(torch), torch.ones(1, 3, requires_grad=True)
    return _run(torch.cat([x, y]), x, y) + _run(torch.stack([x, x], dim=1), x)


def joined_columns(torch):
    x, y = _m(torch), torch.ones(2, 1, requires_grad=True)
    return _run(torch.cat((x, y), dim=1), x, y) + _run(torch.hstack([x, y]), x, y)


def cuts(torch):
    x = _m(torch)
    a, b = x.split([1, 2], dim=1)
    first, second = x.unbind()
    y = a.sum() * b.sum() + (first * second).sum() + x.chunk(2)[1].sum()
    y.backward()
    return a, b, first, x.grad


def element(torch):
    x = _m(torch)
    return _run(x[0, 1], x) + _run(x[1], x)


def slices(torch):
    x = _m(torch)
    return _run(x[:, 1:], x) + _run(x[0], x) + _run(x[:, 0], x) + _run(x[..., -1], x)


def strides(torch):
    x = torch.arange(6.0, requires_grad=True)
    return _run(x[::2], x) + _run(x[1:5:2], x)


def new_axis(torch):
    x = torch.arange(3.0, requires_grad=True)
    return _run(x[None], x) + _run(x[:, None] * x[None, :], x)


def by_integers(torch):
    x = _m(torch)
    places = torch.tensor([1, 0, 1])
    return _run(x[places], x) + _run(x[:, places], x) + _run(x[places, places], x)


def by_mask(torch):
    x = _m(torch)
    return _run(x[x > 2], x) + _run(x.masked_select(x < 3), x)


def picked(torch):
    x = _m(torch)
    places = torch.tensor([[0, 2], [1, 1]])
    return _run(x.gather(1, places), x) + _run(x.index_select(0, torch.tensor([1, 1])), x)


def masked_fill(torch):
    x = _m(torch)
    return _run(x.masked_fill(x > 3, -1.0), x)


def diagonals(torch):
    x = torch.arange(9.0).reshape(3, 3).requires_grad_()
    v = torch.ones(2, requires_grad=True)
    return _run(x.diagonal(), x) + _run(torch.diag(v), v) + _run(x.trace(), x)


def triangles(torch):
    x = torch.arange(9.0).reshape(3, 3).requires_grad_()
    return _run(x.tril(), x) + _run(x.triu(1), x)


def turned(torch):
    x = torch.arange(4.0, requires_grad=True)
    w = torch.tensor([1.0, 2.0, 3.0, 4.0])
    return _run(x.flip(0) * w, x) + _run(torch.roll(x, 1) * w, x)


def store_of_element(torch):
    x = torch.arange(3.0, requires_grad=True)
    y = x * 2
    y[1] = 5.0
    return _run(y, x)


def store_of_active(torch):
    x = torch.arange(3.0, requires_grad=True)
    v = torch.tensor(7.0, requires_grad=True)
    y = x * 2
    y[0] = v * 3
    return _run(y, x, v)


def store_into_slice(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = torch.zeros(4)
    y[1:3] = x[2:] * 2
    return _run(y, x)


def store_by_integers(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = x.clone()
    y[torch.tensor([0, 2])] = x[1:3] * 10
    return _run(y, x)


def store_by_mask(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = x * 3
    y[y > 5] = 0.0
    return _run(y, x)


def store_through_view(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = x * 2
    row = y.view(2, 2)[0]
    row.mul_(3)
    return (*_run(y, x), row)


def base_changed_below_view(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = x * 2
    part = y[1:3]
    y.mul_(5)
    return _run(part, x)


def in_place(torch):
    x = torch.arange(3.0, requires_grad=True)
    y = x * 2
    y += 1
    y *= x.detach() + 1
    y.sub_(0.5).div_(2)
    return _run(y, x)


def in_place_functions(torch):
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    y = x * 1
    y.exp_()
    z = x * 1
    z.clamp_(max=0.75)
    return _run(y + z, x)


def filled(torch):
    x = torch.arange(3.0, requires_grad=True)
    y = x * 2
    y.zero_()
    z = y + x
    return _run(z, x)


def factories(torch):
    return (
        torch.zeros(2, 2),
        torch.ones((2,)),
        torch.full((2,), 3.5),
        torch.full((2,), 3),
        torch.eye(2),
        torch.arange(3),
        torch.arange(0, 1, 0.25),
        torch.arange(1.0, 3.0),
        torch.linspace(0, 1, 5),
        torch.zeros_like(torch.arange(3)),
        torch.ones_like(torch.ones(2), dtype=torch.float64),
        torch.tensor([1, 2]),
        torch.tensor([True, False]),
        torch.tensor(1.5),
        torch.tensor([[1, 2.5]]),
        torch.empty(0),
    )


def text(torch):
    x = torch.tensor([[1.0, 2.5], [1e-6, 3.0]])
    y = torch.tensor([1.5, -2.0], requires_grad=True)
    return (
        repr(x),
        repr(y * 2),
        repr(torch.arange(3)),
        repr(torch.tensor([True, False])),
        repr(torch.tensor(3.0)),
        repr(torch.tensor([1.0, float("nan"), float("inf")])),
        repr(torch.ones(2, dtype=torch.float64)),
        repr(torch.zeros(0)),
        repr(torch.zeros(2, 0)),
        repr(torch.arange(2000.0)),
        repr(torch.ones(2, 2, 2)),
        repr(torch.tensor([100000.0, 0.5])),
        repr(torch.arange(30.0)),
        str(x.shape),
        f"{torch.tensor(0.5):.3f}",
        repr(torch.tensor([1, -200])),
        repr(torch.full((50, 50), 0.25)),
        repr(torch.tensor([1e10, 1.0])),
        repr(torch.tensor([-0.0, 1.0])),
        str(torch.float32),
    )
