"""The graph: leaves, hooks, modes, higher derivatives, own operations."""


def leaves(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y.detach()
    return x.is_leaf, y.is_leaf, z.is_leaf, z.requires_grad, x.grad_fn is None, x.grad is None


def next_functions(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * 3).exp().sum()
    names, node = [], y.grad_fn
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return tuple(names)


def shared_input(torch):
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x + x * x * x
    y.backward()
    return y, x.grad


def diamond(torch):
    x = torch.tensor(2.0, requires_grad=True)
    a = x * 3
    b, c = a.sin(), a.cos()
    (b * c + a).backward()
    return x.grad


def accumulation(torch):
    x = torch.ones(3, requires_grad=True)
    for _ in range(3):
        (2 * x).sum().backward()
    return x.grad


def seed(torch):
    x = torch.ones(3, requires_grad=True)
    (x * x).backward(torch.tensor([1.0, 0.1, 0.01]))
    return x.grad


def kept_graph(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x**3).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def sums_twice(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x.grad


def chosen_inputs(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (x * y * 2).sum().backward(inputs=[x])
    return x.grad, y.grad is None


def gradient_function(torch):
    x, y = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
    return (*torch.autograd.grad((x * y).sum(), (x, y)), x.grad is None)


def gradient_of_inner(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    return torch.autograd.grad((y**2).sum(), y)


def unused(torch):
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (gx, gy) = torch.autograd.grad((x * 2).sum(), (x, y), allow_unused=True)
    return gx, gy is None


def second_derivative(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h


def third_derivative(torch):
    x = torch.tensor(0.7, requires_grad=True)
    y, found = torch.sin(x) * x, []
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(y.detach())
    return tuple(found)


def second_of_many(torch):
    found = []
    for function in (
        lambda x: torch.sigmoid(x),
        lambda x: torch.tanh(x),
        lambda x: x.softmax(0),
        lambda x: x.exp() / x,
        lambda x: x.log(),
        lambda x: x.std(),
        lambda x: torch.nn.functional.softplus(x),
        lambda x: x.norm(),
        lambda x: x.prod(),
        lambda x: x.max() * x,
        lambda x: (x @ x) * x,
        lambda x: x[1:] * x[:-1],
        lambda x: torch.cat([x * x, x]).cumsum(0),
        lambda x: torch.outer(x, x).t() @ x,
        lambda x: torch.where(x > 1, x**3, x**2),
        lambda x: x.reshape(3, 1).expand(3, 2) ** 2,
        lambda x: x.mean() * x.var(),
    ):
        x = torch.tensor([0.5, 1.5, 2.0], requires_grad=True)
        (g,) = torch.autograd.grad((function(x) ** 2).sum(), x, create_graph=True)
        (h,) = torch.autograd.grad((g * torch.tensor([1.0, 2.0, 3.0])).sum(), x)
        found += [g.detach(), h]
    return tuple(found)


def penalty(torch):
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    x = torch.tensor([0.5, 0.25], requires_grad=True)
    out = torch.tanh(w * x).sum()
    (g,) = torch.autograd.grad(out, x, create_graph=True)
    ((g.norm() - 1) ** 2).backward()
    return w.grad


def loss_twice(torch):
    z = torch.tensor([0.5, -1.0, 0.0], requires_grad=True)
    y = torch.tensor([1.0, 0.0, 1.0])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
    (g,) = torch.autograd.grad(loss, z, create_graph=True)
    (h,) = torch.autograd.grad((g * g).sum(), z)
    return g.detach(), h


def jacobians(torch):
    x, f = torch.tensor([1.0, 2.0]), torch.autograd.functional
    two = f.jacobian(lambda a, b: a * b.sum(), (x, x))
    return (f.jacobian(lambda t: t**2 + t.sum(), x), *two)


def hessians(torch):
    x, f = torch.tensor([1.0, 2.0, 3.0]), torch.autograd.functional
    blocks = f.hessian(lambda a, b: (a * b).sum() * a.sum(), (x, x))
    return (f.hessian(lambda t: (t**3).sum() + t.prod(), x), *blocks)


def directional(torch):
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0])
    f, fun = torch.autograd.functional, lambda t: (t**3).sum() * t.sin().sum()
    return (
        *f.jvp(lambda t: t.exp() * t.sum(), x, v),
        *f.vjp(lambda t: t.exp() * t.sum(), x, v),
        *f.hvp(fun, x, v),
        *f.vhp(fun, x, v),
    )


def no_grad(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        with torch.enable_grad():
            z = x * 2

    @torch.no_grad()
    def decorated():
        return x * 3

    return y, z, decorated(), torch.is_grad_enabled()


def set_grad_enabled(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.set_grad_enabled(False):
        a = (x * 2).requires_grad
    torch.set_grad_enabled(False)
    b = (x * 2).requires_grad
    torch.set_grad_enabled(True)
    return a, b, (x * 2).requires_grad


def inference(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        y = x * 2
    return y.requires_grad, y.is_inference()


def hook(torch):
    x = torch.ones(2, requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g * 10)
    handle = x.register_hook(lambda g: g + 1)
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    return (x.grad, str(seen))


def kept_gradient(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    y.retain_grad()
    (y**2).sum().backward()
    return y.grad, x.grad, y.retains_grad


def own_operation(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return y, g.detach(), h


def own_operation_of_two(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            ctx.factor = factor
            return x * factor, y + 1

        @staticmethod
        def backward(ctx, gx, gy):
            return gx * ctx.factor, None, gy

    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a, b = Scale.apply(x, 5.0, y)
    (a.sum() + (b * b).sum()).backward()
    return a, b, x.grad, y.grad


def checked(torch):
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    f = torch.autograd
    return f.gradcheck(lambda t: t.sin() * t.sum(), (x,)), f.gradgradcheck(lambda t: t**3, (x,))


def detached_part(torch):
    x = torch.tensor(3.0, requires_grad=True)
    (x * x.detach()).backward()
    return x.grad


def leaf_changed_under_no_grad(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        x += 1
        x[0] = 5.0
    return x, x.is_leaf


def clone_and_detach(torch):
    x = torch.ones(2, requires_grad=True)
    y, z = x.clone(), x.detach()
    z[0] = 9.0
    y.sum().backward()
    return x, y, z, x.grad


def backward_of_several(torch):
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward([(x * 2).sum(), (x * 3).sum()], [torch.tensor(1.0), torch.tensor(10.0)])
    return x.grad


def requires_grad_later(torch):
    x = torch.ones(2)
    y = x * 2
    x.requires_grad_()
    z = x * 2
    return y.requires_grad, z.requires_grad, z.grad_fn is not None


def gradient_of_zero_and_none(torch):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    x.grad.zero_()
    (x * 3).sum().backward()
    first = x.grad.clone()
    x.grad = None
    (x * 4).sum().backward()
    return first, x.grad


def numbers(torch):
    x = torch.tensor([2.5], requires_grad=True)
    return (
        x.item(),
        float(x),
        x.tolist(),
        bool(x > 1),
        len(x),
        int(torch.tensor(3)),
        x.numel(),
        x.dim(),
    )
