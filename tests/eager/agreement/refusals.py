"""Programs that end with an error."""


def _used(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return x, (x * x).sum()


def second_backward(torch):
    _, y = _used(torch)
    y.backward()
    y.backward()


def second_grad(torch):
    x, y = _used(torch)
    torch.autograd.grad(y, x)
    torch.autograd.grad(y, x)


def not_a_number(torch):
    x, _ = _used(torch)
    (x * 2).backward()


def no_graph(torch):
    torch.ones(1).backward()


def wrong_seed(torch):
    x, _ = _used(torch)
    (x * 2).backward(torch.ones(3))


def unused_input(torch):
    _, y = _used(torch)
    torch.autograd.grad(y, torch.ones(1, requires_grad=True))


def input_without_gradient(torch):
    _, y = _used(torch)
    torch.autograd.grad(y, torch.ones(1))


def leaf_in_place(torch):
    x, _ = _used(torch)
    x += 1


def leaf_stored_into(torch):
    x, _ = _used(torch)
    x[0] = 1.0


def view_of_leaf(torch):
    x, _ = _used(torch)
    x.view(2).mul_(2)


def leaf_zeroed(torch):
    x, _ = _used(torch)
    x.zero_()


def saved_value_changed(torch):
    x, _ = _used(torch)
    y = x * 2
    z = y * y
    y += 1
    z.sum().backward()


def saved_result_changed(torch):
    x, _ = _used(torch)
    y = x.exp()
    y.mul_(2)
    y.sum().backward()


def saved_result_of_loss_changed(torch):
    x, _ = _used(torch)
    y = torch.sigmoid(x)
    y.mul_(2)
    y.sum().backward()


def saved_view_changed(torch):
    x, _ = _used(torch)
    y = x * 2
    z = y.exp() * y[0]
    y[1] = 0.0
    z.sum().backward()


def saved_leaf_changed(torch):
    x, y = _used(torch)
    with torch.no_grad():
        x += 1
    y.backward()


def integers_need_no_gradient(torch):
    torch.tensor([1, 2], requires_grad=True)


def integers_need_no_gradient_later(torch):
    torch.tensor([1, 2]).requires_grad_()


def flag_of_result(torch):
    x, _ = _used(torch)
    (x * 2).requires_grad_(False)


def array_of_active(torch):
    x, _ = _used(torch)
    x.numpy()


def number_of_many(torch):
    torch.ones(2).item()


def truth_of_many(torch):
    bool(torch.ones(2))


def length_of_number(torch):
    len(torch.tensor(1.0))


def iteration_over_number(torch):
    list(torch.tensor(1.0))


def hook_without_gradient(torch):
    torch.ones(2).register_hook(print)


def kept_without_gradient(torch):
    torch.ones(2).retain_grad()


def shapes_that_do_not_fit(torch):
    torch.ones(3) + torch.ones(4)


def matrices_that_do_not_fit(torch):
    torch.ones(2, 3) @ torch.ones(2, 3)


def wrong_view(torch):
    torch.ones(6).view(4, 2)


def view_of_transpose(torch):
    torch.ones(2, 3).t().view(6)


def wrong_axis(torch):
    torch.ones(2).sum(1)


def wrong_index(torch):
    torch.ones(3)[5]


def wrong_expansion(torch):
    torch.ones(3).expand(2, 4)


def store_into_expanded(torch):
    torch.ones(1).expand(3).add_(1)


def mean_of_integers(torch):
    torch.arange(3).mean()


def dtypes_of_matrices(torch):
    torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)


def sizes_of_loss(torch):
    torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3))


def class_out_of_bounds(torch):
    torch.nn.functional.cross_entropy(torch.ones(1, 3), torch.tensor([3]))


def float_into_integers(torch):
    n = torch.arange(3)
    n += 0.5


def power_of_integers(torch):
    torch.arange(3) ** -1


def gradient_of_wrong_type(torch):
    x, _ = _used(torch)
    x.grad = 3


def gradient_of_wrong_shape(torch):
    x, _ = _used(torch)
    x.grad = torch.ones(3)


def own_operation_with_wrong_shape(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad[0:1].expand(3)

    x, _ = _used(torch)
    Wrong.apply(x).sum().backward()


def own_operation_with_too_few(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad

    x, _ = _used(torch)
    Wrong.apply(x, x).sum().backward()


def inference_tensor_saved(torch):
    x, _ = _used(torch)
    with torch.inference_mode():
        y = torch.ones(2)
    (x * y).sum().backward()


def no_inputs(torch):
    _, y = _used(torch)
    y.backward(inputs=[])


def wrong_check(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(Wrong.apply, (x,))


def wrong_step(torch):
    torch.arange(4)[::-1]


def negation_of_mask(torch):
    -torch.tensor([True])
