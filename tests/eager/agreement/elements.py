"""Operators and functions of elements."""


def _x(torch, *values):
    return torch.tensor(values or (0.5, 1.5, 2.5), requires_grad=True)


def _run(y, *leaves):
    y.sum().backward()
    return (y, *[leaf.grad for leaf in leaves])


def add_number(torch):
    x = _x(torch)
    return _run(x + 2, x)


def reflected_subtraction(torch):
    x = _x(torch)
    return _run(1 - x, x)


def subtraction(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, 1.0)
    return _run(x - y, x, y)


def alpha(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, 1.0)
    return _run(torch.add(x, y, alpha=3), x, y)


def product(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, 1.0)
    return _run(x * y, x, y)


def quotient(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, 1.0)
    return _run(x / y, x, y)


def reflected_quotient(torch):
    x = _x(torch)
    return _run(2 / x, x)


def whole_power(torch):
    x = _x(torch, -2.0, 0.0, 3.0)
    return _run(x**3, x)


def root_power(torch):
    x = _x(torch)
    return _run(x**0.5, x)


def negative_power(torch):
    x = _x(torch)
    return _run(x**-2, x)


def power_of_tensors(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, -1.0)
    return _run(x**y, x, y)


def power_of_number(torch):
    x = _x(torch)
    return _run(2**x, x)


def power_zero(torch):
    x = _x(torch, 0.0, 1.0, 2.0)
    return _run(x**0, x)


def negation(torch):
    x = _x(torch)
    return _run(-x, x)


def absolute(torch):
    x = _x(torch, -1.0, 0.0, 2.0)
    return _run(abs(x), x)


def remainder(torch):
    x, y = _x(torch, 5.5, -5.5, 7.0), _x(torch, 2.0, 2.0, -3.0)
    return _run(x % y, x, y)


def broadcast_row(torch):
    x, b = torch.ones(2, 3, requires_grad=True), _x(torch)
    return _run(x * b + b, x, b)


def broadcast_column(torch):
    x, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 1, requires_grad=True)
    return _run(x * b * 3, x, b)


def broadcast_number(torch):
    x, b = torch.ones(2, 3, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    return _run(x / b, x, b)


def exponentials(torch):
    x = _x(torch)
    return _run(torch.exp(x), x) + _run(torch.exp2(x), x) + _run(torch.expm1(x), x)


def logarithms(torch):
    x = _x(torch)
    return _run(x.log(), x) + _run(x.log2(), x) + _run(x.log10(), x) + _run(torch.log1p(x), x)


def roots(torch):
    x = _x(torch)
    return _run(x.sqrt(), x) + _run(x.rsqrt(), x)


def root_at_zero(torch):
    x = _x(torch, 0.0, 4.0)
    return _run(x.sqrt(), x)


def logarithm_at_zero(torch):
    x = _x(torch, 0.0, 4.0)
    return _run(x.log(), x)


def circular(torch):
    x = _x(torch)
    return _run(x.sin(), x) + _run(x.cos(), x) + _run(x.tan(), x)


def arcs(torch):
    x = _x(torch, -0.5, 0.0, 0.25)
    return _run(x.asin(), x) + _run(x.acos(), x) + _run(x.atan(), x)


def hyperbolic(torch):
    x = _x(torch)
    return _run(x.sinh(), x) + _run(x.cosh(), x) + _run(x.tanh(), x)


def inverse_hyperbolic(torch):
    x = _x(torch, 0.25, 0.5)
    return _run(x.asinh(), x) + _run(x.atanh(), x) + _run((x + 2).acosh(), x)


def angle_of_point(torch):
    y, x = _x(torch), _x(torch, -1.0, 2.0, 0.5)
    return _run(torch.atan2(y, x), y, x)


def larger(torch):
    x, y = _x(torch, 1.0, 2.0, 3.0), _x(torch, 2.0, 2.0, 2.0)
    return _run(torch.maximum(x, y), x, y) + _run(torch.minimum(x, y), x, y)


def clamp_both(torch):
    x = _x(torch, -1.0, 0.0, 0.5, 1.0, 2.0)
    return _run(x.clamp(0, 1), x)


def clamp_one(torch):
    x = _x(torch, -1.0, 0.0, 0.5)
    return _run(x.clamp(min=0), x) + _run(torch.clamp(x, max=0.0), x)


def choice(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, 1.0)
    return _run(torch.where(x > y, x, y * 2), x, y)


def choice_of_number(torch):
    x = _x(torch, -1.0, 0.0, 2.0)
    return _run(torch.where(x > 0, x, 0.0), x)


def rounding(torch):
    x = _x(torch, -1.5, 0.4, 2.6)
    return _run(x.floor(), x) + _run(x.ceil(), x) + _run(x.round(), x) + _run(x.sign(), x)


def reciprocal_and_square(torch):
    x = _x(torch)
    return _run(x.reciprocal(), x) + _run(x.square(), x)


def sum_of_exponentials(torch):
    x, y = _x(torch), _x(torch, 3.0, 2.0, 1.0)
    return _run(torch.logaddexp(x, y), x, y)


def error_function(torch):
    x = _x(torch, -2.0, 0.0, 0.5, 3.0)
    return _run(torch.erf(x), x)


def comparisons(torch):
    x, y = _x(torch), torch.tensor([0.5, 2.0, 1.0])
    return x > y, x >= y, x == y, x != 1.5, (x < 1) | (y < 1), ~(x < 1)


def integers(torch):
    n = torch.arange(4)
    return n, n + 1, n * 2, n / 2, n // 2, n % 2, n**2, n + 0.5, n.float(), -n


def promotion_of_ranks(torch):
    x, s = torch.ones(2), torch.tensor(2.0, dtype=torch.float64)
    return x * s, x + torch.tensor(1), torch.arange(2) * 1.5, torch.ones(2, dtype=torch.float64) + x


def promotion_of_gradients(torch):
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    return _run(x * y, x, y)


def double_precision(torch):
    x = torch.tensor([0.1, 0.2], dtype=torch.float64, requires_grad=True)
    return _run(torch.sin(x) / x, x)


def conversion(torch):
    x = _x(torch)
    return (*_run(x.double() * 2, x), x.long(), x.to(torch.float64).dtype == torch.float64)


def baydin_example(torch):
    x1, x2 = torch.tensor(2.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)
    return _run(torch.log(x1) + x1 * x2 - torch.sin(x2), x1, x2)


def logistic_map(torch):
    x = torch.tensor(0.3, requires_grad=True)
    value = x
    for _ in range(3):
        value = 4 * value * (1 - value)
    return _run(value, x)
