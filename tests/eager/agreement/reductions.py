"""Reductions, products, and choices along an axis."""


def _m(torch):
    return torch.tensor([[1.0, 4.0, 2.0], [3.0, -1.0, 0.5]], requires_grad=True)


def _run(y, *leaves):
    (y * y).sum().backward()
    return (y, *[leaf.grad for leaf in leaves])


def sums(torch):
    x = _m(torch)
    return _run(x.sum(), x) + _run(x.sum(0), x) + _run(x.sum(dim=1, keepdim=True), x)


def sum_of_two_axes(torch):
    x = _m(torch)
    return _run(torch.sum(x, (0, 1)), x)


def means(torch):
    x = _m(torch)
    return _run(x.mean(), x) + _run(x.mean(0), x) + _run(x.mean(-1, keepdim=True), x)


def variances(torch):
    x = _m(torch)
    return _run(x.var(), x) + _run(x.var(0), x) + _run(x.var(1, unbiased=False), x)


def deviations(torch):
    x = _m(torch)
    return _run(x.std(), x) + _run(x.std(1), x)


def norms(torch):
    x = _m(torch)
    return _run(x.norm(), x) + _run(x.norm(dim=1), x) + _run(x.norm(1), x) + _run(x.norm(p=3), x)


def norm_at_zero(torch):
    x = torch.zeros(3, requires_grad=True)
    x.norm().backward()
    return x.grad


def extreme(torch):
    x = _m(torch)
    return _run(x.max(), x) + _run(x.min(), x)


def extreme_with_ties(torch):
    x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
    return _run(x.max(), x) + _run(x.amax(0), x)


def extreme_along_axis(torch):
    x = _m(torch)
    values, places = x.max(dim=1)
    found = _run(values, x)
    lowest = x.min(0)
    return (*found, places, lowest.values, lowest.indices)


def extreme_kept(torch):
    x = _m(torch)
    return _run(x.max(1, keepdim=True).values, x)


def ties_along_axis(torch):
    x = torch.tensor([[3.0, 3.0], [1.0, 3.0]], requires_grad=True)
    return _run(x.max(1)[0], x)


def products_of_elements(torch):
    x = _m(torch)
    return _run(x.prod(), x) + _run(x.prod(1), x)


def product_with_zero(torch):
    x = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
    return _run(x.prod() + 1, x)


def running(torch):
    x = _m(torch)
    return _run(x.cumsum(1), x) + _run(x.cumprod(0), x)


def logarithm_of_sum(torch):
    x = _m(torch)
    return _run(x.logsumexp(1), x) + _run(torch.logsumexp(x, 0, keepdim=True), x)


def matrix_product(torch):
    x = _m(torch)
    w = torch.arange(6.0).reshape(3, 2).requires_grad_()
    return _run(x @ w, x, w)


def matrix_vector(torch):
    x, v = _m(torch), torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return _run(x @ v, x, v) + _run(torch.mv(x, v), x, v)


def vector_matrix(torch):
    x, v = _m(torch), torch.tensor([1.0, 2.0], requires_grad=True)
    return _run(v @ x, x, v)


def vector_vector(torch):
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    return _run(v @ w, v, w) + _run(torch.dot(v, w), v, w) + _run(torch.outer(v, w), v, w)


def stacks(torch):
    a = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
    b = torch.arange(12.0).reshape(2, 3, 2).requires_grad_()
    return _run(torch.bmm(a, b) / 10, a, b)


def sums_by_letters(torch):
    a = torch.arange(6.0).reshape(2, 3).requires_grad_()
    b = torch.arange(12.0).reshape(3, 4).requires_grad_()
    y = torch.einsum("ij,jk->ik", a, b) / 10
    return _run(y, a, b)


def sums_by_letters_of_all_kinds(torch):
    a = torch.arange(6.0).reshape(2, 3).requires_grad_()
    b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.einsum("ij,j->", a, b) + torch.einsum("ij->j", a).sum() + torch.einsum("i,i", b, b)
    y.backward()
    return y.detach(), a.grad, b.grad


def solutions(torch):
    a = torch.tensor([[3.0, 1.0], [1.0, 2.0]], requires_grad=True)
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    return _run(torch.linalg.solve(a, b), a, b) + _run(torch.linalg.inv(a), a)


def determinant(torch):
    a = torch.tensor([[0.0, 1.0, 2.0], [1.0, 2.0, 0.5], [3.0, 0.1, 1.0]], requires_grad=True)
    return _run(torch.linalg.det(a), a)


def order(torch):
    x = _m(torch)
    values, places = x.sort(dim=1, descending=True)
    top = x.topk(2, dim=1)
    return (*_run(values * torch.tensor([1.0, 2.0, 3.0]), x), places, top.values, top.indices)


def middle(torch):
    x = torch.tensor([3.0, 1.0, 2.0, 5.0], requires_grad=True)
    return _run(x.median(), x)


def tests(torch):
    x = _m(torch)
    return (x > 0).all(), (x > 3).any(), x.argmax(), x.argmax(1), x.argmin(dim=0), (x > 1).sum()


def integer_sums(torch):
    n = torch.arange(6).reshape(2, 3)
    return n.sum(), n.sum(0), n.prod(), n.max(), n.float().mean()


def difference(torch):
    x = torch.tensor([1.0, 4.0, 9.0], requires_grad=True)
    return _run(x.diff(), x)
