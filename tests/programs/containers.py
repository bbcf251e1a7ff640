"""Tuples, lists, dicts, dataclasses and named tuples, in the function and as arguments."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])
W1 = np.array([[0.5, -0.2], [0.1, 0.8], [-0.4, 0.3]])
W2 = np.array([[0.7, -0.6], [0.2, 0.9]])
W3 = np.array([[0.3], [-1.1]])


class Oscillator(NamedTuple):
    mass: float
    stiffness: float
    damping: float


@dataclass
class Layer:
    weights: np.ndarray
    bias: np.ndarray
    slope: float = 0.1


@dataclass(frozen=True)
class Model:
    first: Layer
    second: Layer
    name: str
    steps: int


@case(2.0)
def tuple_swapped(a):
    p = a
    q = a * a
    p, q = q, p
    return p * q


@case(X)
def list_comprehension(x):
    return sum([v * v for v in x])


@case(X)
def generator_expression(x):
    return sum(v * v for v in x)


@case(0.7, 0.4)
def rotation_of_three(a, b):
    p, q, r = a, b, a * b
    for _ in range(4):
        p, q, r = q, r, p + q * r
    return p * q - r


@case(0.7, 0.4)
def nested_unpacking(a, b):
    (p, (q, r)), s = (a * b, (a, b)), a + b
    [u, v] = p, q
    return p * q + r * s + u * v


@case(X)
def array_unpacked(x):
    a, b, c = x
    (d, e) = x[1:] * 2.0
    return a * b + c * d - e


@case(0.3, 0.9)
def tuple_by_constant_key(a, b):
    t = (a, a * b, b)
    u = (t, t[1] + t[-1])
    return u[0][1] * u[1] + u[0][0]


@case(0.3, 0.9)
def tuple_by_counter(a, b):
    t = (a, a * b, b)
    r = 1.0
    for k in range(6):
        r = r + t[k % 3] * r * t[-1]
    return r


@case(X)
def dict_literal(x):
    d = {"low": x[0] * x[1], "high": x[2], "all": x}
    e = {"inner": d, "k": 2.0}
    return d["low"] * d["high"] + np.sum(e["inner"]["all"]) * e["k"]


@case(0.3, 0.9)
def dict_by_loop_key(a, b):
    d = {"p": a, "q": b, "r": a * b}
    s = 1.0
    for key in ("p", "r", "q", "p"):
        s = s * d[key] + d[key]
    return s


@case(X)
def list_grows_and_is_read(x):
    trace = []
    v = x[0]
    for k in range(4):
        v = np.sin(v) * x[k % 3]
        trace.append(v)
    return trace[0] * trace[-1] + trace[2]


@case(X)
def list_as_stack(x):
    stack = [x[0], x[1]]
    while len(stack) > 1 and len(stack) < 6:
        a = stack.pop()
        b = stack.pop()
        stack.append(a * b)
        if len(stack) == 1 and a < 2.0:
            stack.append(x[2])
            stack.append(a)
            stack.append(b + a)
        if a * b > 3.0:
            break
    return stack[0] * stack[-1]


@case(X)
def stack_emptied(x):
    stack = []
    for v in x:
        stack.append(v * v)
    r = 1.0
    while stack:
        r = r * 0.5 + stack.pop() * r
    return r


@case(X)
def list_of_arrays(x):
    history = [x]
    for k in range(3):
        history.append(np.tanh(history[-1] * history[0]))
    return np.sum(history[1] * history[3])


@case(X)
def list_holds_views(x):
    y = x * 1.0
    parts = [y[:2], y[1:]]
    parts[0][1] = y[0] * y[2]
    for part in parts:
        part *= y[1]
    return np.sum(y * y)


@case(X)
def same_array_in_two_places(x):
    y = x * 1.0
    pair = (y, y)
    pair[0][0] = pair[1][1] * pair[1][2]
    return np.sum(pair[0] * pair[1])


@case(X)
def lists_added_and_measured(x):
    a = [x[0], x[1]]
    r = 0.0
    for k in range(len(a)):
        r = r + a[k] * (k + 1)
    return r * len(a) + sum(a) + max(a) * min(a)


@case([W1, W2, W3], np.array([0.6, -0.3, 0.9]))
def network_as_list_of_matrices(weights, x):
    h = x
    for w in weights[:-1]:
        h = np.tanh(h @ w)
    return (h @ weights[-1])[0]


@case([W1, W2, W3], np.array([0.6, -0.3, 0.9]))
def network_by_layer_number(weights, x):
    h = x
    for k in range(len(weights)):
        z = h @ weights[k]
        h = np.tanh(z) if k < len(weights) - 1 else z
    return np.sum(h * h)


@case({"w": W1, "b": np.array([0.1, -0.2]), "scale": 0.8}, np.array([0.6, -0.3, 0.9]))
def parameters_in_dict(p, x):
    h = np.tanh(x @ p["w"] + p["b"]) * p["scale"]
    return np.sum(h * h) + p["scale"] * np.sum(p["b"])


@case(({"w": W1}, [W2, (W3, 0.4)]), X)
def nested_arguments(p, x):
    h = np.tanh(x @ p[0]["w"]) @ p[1][0]
    w, scale = p[1][1]
    return np.sum(np.sin(h @ w)) * scale


@case(((0.3, 0.5), (0.2, 0.8), (0.7, 0.4)))
def tuple_of_pairs(points):
    area = 0.0
    for k in range(len(points)):
        (x0, y0), (x1, y1) = points[k - 1], points[k]
        area = area + 0.5 * (x0 * y1 - x1 * y0)
    return area * area


@case(Oscillator(1.2, 3.4, 0.2), 0.9)
def fields_of_named_tuple(o, x):
    v = 0.0
    for _ in range(5):
        force = -o.stiffness * x - o.damping * v
        v = v + 0.1 * force / o.mass
        x = x + 0.1 * v
    return 0.5 * o.mass * v * v + 0.5 * o.stiffness * x * x


@case(Oscillator(1.2, 3.4, 0.2))
def named_tuple_unpacked(o):
    m, k, c = o
    return (k / m - (c / m) ** 2) * o[1]


@case(Layer(W1, np.array([0.1, -0.2])), np.array([0.6, -0.3, 0.9]))
def fields_of_dataclass(layer, x):
    z = x @ layer.weights + layer.bias
    return np.sum(np.where(z > 0.0, z, layer.slope * z) ** 2)


@case(
    Model(Layer(W1, np.array([0.1, -0.2])), Layer(W2, np.array([0.3, 0.4]), 0.2), "small", 2),
    np.array([0.6, -0.3, 0.9]),
)
def dataclass_in_dataclass(model, x):
    h = np.tanh(x @ model.first.weights + model.first.bias)
    for _ in range(model.steps):
        h = h @ model.second.weights + model.second.bias * model.second.slope
    return np.sum(h * h) * model.first.slope if model.name == "small" else 0.0


@case([Layer(W1, np.array([0.1, -0.2])), Layer(W2, np.array([0.3, 0.4]))], X)
def list_of_dataclasses(layers, x):
    h = x
    for layer in layers:
        h = np.tanh(h @ layer.weights + layer.bias) + layer.slope
    return np.sum(h)


@case([0.4, 0.9, 0.3])
def list_of_floats_as_argument(c):
    r = 0.0
    for k, v in enumerate(c):
        r = r + v ** (k + 1) * c[-1]
    return r


@case((0.4, np.array([0.9, 0.3]), 3, "text", None))
def mixed_static_and_active(t):
    """Static leaves of an argument get None."""
    a, x, n, kind, nothing = t
    r = a
    for _ in range(n):
        r = r * a + np.sum(x * x)
    return r if kind == "text" and nothing is None else 0.0


@case([np.array([0.4, 0.2]), np.array([0.9, 0.3])])
def array_of_an_argument_stored_into(buffers):
    """The caller's arrays stay as they were, those in containers too."""
    first = buffers[0]
    first[0] = buffers[1][1] * 2.0
    buffers[1][:] *= first
    return np.sum(buffers[0] * buffers[1])


@case(X)
def table_of_tuples(x):
    table = ((1.0, x[0]), (2.0, x[1]), (3.0, x[0] * x[2]))
    s = 0.0
    for weight, value in table:
        s = s + weight * value * value
    return s


@case(X)
def list_of_pairs_grows(x):
    pairs = []
    v, w = x[0], x[1]
    for k in range(3):
        v, w = w, v * w * 0.5 + x[2]
        pairs.append((v, w))
    total = 0.0
    for p, q in pairs:
        total = total + p * q
    return total + pairs[1][0]


@case(0.7)
def tuple_returned_by_branch(a):
    t = (a, a * a) if a > 0.5 else (1.0, a)
    return t[0] + t[1] * 3.0


def _ends_of(values):
    return values[0] * values[-1] * len(values)


@case(X)
def list_read_whole_before_it_grows(x):
    """What a callee or a sum reads of a list is what was in it then."""
    w = [x[0], x[1]]
    s = sum(w) * _ends_of(w)
    w.append(x[2] * s)
    s = s * max(w) + sum(w) + _ends_of(w)
    w.pop()
    w.pop()
    w[0] = s * w[0]
    return s * sum(w) * _ends_of(w) * len(w)


@case(X, 1)
@case(X, 0)
def integers_where_floats_may_be(x, c):
    """On one path the active names are integers."""
    y = np.arange(3)
    z = 1
    if c:
        y = x * 2.0
        z = x[0]
    w = [y, z]
    w[0] = w[0] * x
    r = np.sum(y * x) + np.sum(y) * z + np.sum(w[0]) * w[1]
    y[1:] *= 2
    return r + np.sum(y * x)


@case(0.7)
def tuples_that_grow(x):
    t = (x, 2.0)
    t += (x * x,)
    t = t + (np.sin(x), t[1])
    return t[0] * t[2] * t[3] + t[4] * len(t)


@case(0.7)
def slices_of_lists_and_tuples(x):
    w = [x, x * x, 2.0 * x, x - 0.3]
    v = w[1:]
    p = (v[0], v[1] * x, x)
    q = p[::-1]
    first, _, last = q
    u = w[:2] + w[-1:]
    return v[0] * v[1] + sum(w[:2]) * sum(w[::2]) + max(q[1:]) * first * last + u[-1] * len(u)


@case(np.array([0.7, 0.3]))
def slices_of_lists_of_arrays(x):
    w = [x * 1.0, x * x, 2.0 * x]
    v = w[1:]
    v[0][0] = x[1]
    u = w[::-1]
    u[1][1] *= x[0]
    y = [np.sin(x), x * 1.5, x[::-1] * x]
    z = y[1:]
    return np.sum(v[0] * v[1] + sum(w[:2])) + np.sum(z[0] * z[1]) + np.sum(y[:2][0])


@case(np.array([0.7, 0.3]))
def arrays_that_change_places_in_a_list(x):
    """The list holds other arrays from then on, and they are stored into."""
    y = np.sin(x)
    w = [x * 1.0, y]
    w[0], w[1] = w[1], w[0]
    w[0][0] = x[1] * w[1][0]
    for k in range(3):
        old = w[k % 2]
        w[k % 2] = w[1 - k % 2] * 0.7
        old[1] *= 1.3
        w[k % 2][0] *= y[1]
    return np.sum(w[0] * w[1]) + np.sum(y * y)


@case(np.array([0.7, 0.3]))
def slice_of_a_mixed_list(x):
    values = [x, x[0], (x[1],)]
    whole = values[:]
    turned = values[::-1]
    return np.sum(whole[0]) * whole[1] + turned[0][0] * turned[1]


@case(1.3, np.array([1.3, -0.4]))
def tuple_of_a_tuple_and_an_array(a, x):
    t = ((a,), x)
    x[0] = 0.0
    u = t[:]
    return u[0][0] * x[1] + u[1][1]


@case(np.array([1.3, -0.4, 0.8]))
def list_of_a_number_that_is_stored_back(x):
    c = x[2] * 1.5
    w = [(0.7, 0.2, c), x]
    x[0] = 0.4
    x[1] = w[0][2] * x[2]
    return np.sum(x * x)
