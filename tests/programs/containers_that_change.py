"""Lists and dicts that are filled, rebuilt, nested, and known by several names."""

from dataclasses import dataclass

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])


@case(X)
def list_filled_by_a_recursion(x):
    def fill(v, n, items):
        if n == 0:
            return
        items.append(v * n)
        fill(v * v, n - 1, items)

    out = []
    fill(x[0], 2, out)
    return out[0] * out[1]


@case(X)
def captured_list_filled_by_a_recursion(x):
    out = []

    def fill(v, n):
        if n == 0:
            return
        out.append(v * n)
        fill(v * v, n - 1)

    fill(x[0], 2)
    return out[0] * out[1]


@case(X)
def list_handed_along_a_recursion(x):
    def fill(v, n, items):
        if n == 0:
            return items
        return fill(v * v, n - 1, items + [v])

    out = fill(x[0], 2, [])
    return out[0] * out[1]


@case({"a": 0.5, "x": X})
def dict_item_rebound_and_stored_into(d):
    d["x"] = d["x"] * d["a"]
    d["x"][0] = d["a"]
    return np.sum(d["x"] ** 2)


@case(X)
def dict_item_rebound_in_a_loop(x):
    w = {"v": x}
    for i in range(2):
        w["v"] = w["v"] * x[i]
        w["v"][i] = x[0] * x[1]
    d = {"w": x * 1.0, "b": x[0]}
    for _ in range(2):
        d["w"] = d["w"] * d["b"]
    return np.sum(w["v"]) + np.sum(d["w"])


@case(X)
def array_of_rank_0_with_an_alias(x):
    s = np.zeros(())
    t = s
    s += x[0]
    t[()] = t * x[1]
    return s + t


@case(X)
def items_changed_by_operators(x):
    d = {"b": x[1:] * 1.0, "a": x[0]}
    d["b"] *= x[0]
    d["a"] *= 2
    e = [x[1:] * 1.0, x[2]]
    e[0] /= x[0]
    e[1] **= 2
    return np.sum(d["b"]) * d["a"] + np.sum(e[0]) * e[1]


@case(X)
def recursion_that_adds_into_an_array(x):
    def visit(total, i, s):
        if i == 1:
            total[0] += s * s
            return
        visit(total, i + 1, s * 2)

    total = np.zeros(1)
    visit(total, 0, x[0])
    return total[0]


@case(X)
def repeated_integers_filled_with_floats(x):
    w = [0] * 3
    for i in range(3):
        w[i] = x[i] * (w[i - 1] + 1)
    u = [1] * 4
    for i in range(1, 4):
        u[i] = u[i - 1] * x[i - 1]
    return w[0] * w[1] * w[2] + u[-1]


def _three():
    return [0, 0, 0]


@case(X)
def integers_of_any_origin_filled_with_floats(x):
    s = 0.0
    for w in ([0] + [1] + [2], [0, 1, 2][:], _three(), 3 * [1], [0.0] * len(x)):
        for i in range(3):
            w[i] = x[i] + w[i - 1] * x[i]
        s = s + sum(w) * w[1]
    return s


@case(X)
def table_of_lists(x):
    w = [[0.0] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            w[i][j] = x[i] * x[j + 1]
    m = [[0, 0], [0, 0]]
    for i in range(2):
        for j in range(2):
            m[i][j] = x[i] * x[j] + m[i - 1][j] + m[i][j - 1]
    return w[0][0] * w[1][1] + w[0][1] + m[1][1] * m[0][1]


@case(X)
def tuple_rebuilt_in_a_loop(x):
    t = (0.0, 0.0)
    for v in x:
        t = (t[0] + v, t[1] + v * v)
    return t[0] * t[1]


@case(X)
def mixed_list_added_to(x):
    z = [0, 0.0, 1]
    for i in range(3):
        z[i] += x[i]
    return z[0] * z[1] * z[2]


@case(X)
def lists_in_a_list_that_grow(x):
    w = [[], []]
    for i in range(3):
        w[i % 2].append(x[i])
    u = [[]]
    u[0].append(x[0])
    p = ([], [])
    p[0].append(x[0])
    p[1].append(x[1])
    return w[0][1] * w[1][0] * w[0][0] + u[0][0] * x[1] + p[1][0] * p[0][0]


@case(X)
def lists_in_a_dict_that_grow(x):
    w = {"a": [], "b": []}
    w["a"].append(x[0])
    w["b"].append(x[1])
    d = {"v": []}
    for v in x:
        d["v"] = d["v"] + [v]
    return w["a"][0] * w["b"][0] + sum(d["v"]) * d["v"][0]


@case(X)
def lists_that_grow_by_several_names(x):
    a, b = [], []
    w = (a, b)
    for v in x:
        w[0].append(v)
        b.append(v * 2)
    u = [[], []]
    c, d = u
    c.append(x[0])
    d.append(x[1])
    for e in u:
        e.append(x[2])
    f = []
    g = f if x[0] > 1 else [x[2]]
    g.append(x[0])
    return a[0] * w[1][1] + u[0][0] * u[1][1] * u[1][0] + f[0] * x[1]


@case(X)
def lists_of_integers_that_grow(x):
    w = [[1], [2]]
    for i in range(2):
        w[i].append(x[1])
    u = [[0] * 2 for _ in range(2)]
    u[0][0] = x[0]
    u[1][0] = x[1]
    v = [[x[0]], []]
    v[1].append(x[1])
    return w[0][0] * w[1][1] * w[0][1] + u[0][0] * u[1][0] + v[0][0] * v[1][0]


@case(X)
def list_rebuilt_from_an_alias(x):
    a = [x[0], 0.0]
    for _ in range(2):
        b = a
        b[1] = x[1] * a[0]
        a = [a[1], b[0]]
    return a[1] * b[0]


def _put(d, v):
    d["s"] = d["s"] * v


@case(X)
def integer_of_a_dict_that_becomes_a_float(x):
    w = {"s": 0, "a": np.zeros(3)}
    for i in range(3):
        w["s"] = w["s"] * x[i] + x[i]
        w["a"] = w["a"] * w["s"] + x
    u = {"s": 1}
    for v in x:
        _put(u, v)
    d = {"y": np.arange(1, 4)}
    for _ in range(2):
        d["y"] = d["y"] * x
    return np.sum(w["a"]) * w["s"] + u["s"] + np.sum(d["y"])


def _two():
    return [0.0, 0.0]


@case(X)
def constant_lists_that_a_function_returns(x):
    w = [_two(), _two()]
    w[0][0] = x[0]
    w[1][0] = x[1]
    u = [_two() for _ in range(2)]
    u[1][1] = x[2]
    u[0][1] = x[0]
    return w[0][0] * w[1][0] + u[0][1] * u[1][1]


@case([[1, 2], [3, 4]], X, argnums=(1,))
def table_of_integers_as_an_argument(p, x):
    for i in range(2):
        p[i][0] = p[i][1] * x[i]
        p[i][1] = p[i - 1][0] + p[i][0]
    return p[0][0] * p[1][1] * p[1][0]


@case({"s": 1, "a": 0.5}, X)
def dict_with_an_integer_as_an_argument(w, x):
    for v in x:
        w["s"] = w["s"] * v
    return w["s"] * w["a"]


@case([{"w": X * 1.1, "b": 0.5}, {"w": X * 0.7, "b": 0.3}], X)
def dicts_in_a_list_changed_by_name(p, x):
    for layer in p:
        layer["b"] = layer["b"] * x[0]
        layer["w"] = layer["w"] * 2
    return np.sum(x) * p[0]["w"][0] * p[1]["b"]


@case([[0.2, 0.3], [0.4, 0.5]])
def lists_in_an_argument_stored_into(p):
    p[0][0] = p[1][0] * p[0][0]
    a, b = p
    b[0] = a[1] * b[0]
    return p[0][0] * p[1][0] * b[0]


def _step(s, v):
    p, q = s
    return (p + v * q, q * 0.9 - p)


def _step_of_dicts(s, v):
    return {"p": s["p"] + v * s["q"], "q": s["q"] * 0.9 - s["p"]}


def _step_of_arrays(s, v):
    return [s[0] + v, s[1] * v]


@case(X)
def states_carried_round_a_loop(x):
    cur = [x[0], x[1], x[2]]
    for _ in range(2):
        cur = [cur[i] * cur[i - 1] for i in range(3)]
    prev = [1.0, 0.0]
    for v in x:
        cur2 = [prev[0] * v, prev[1] + v * prev[0]]
        prev = cur2
    s = (0.0, 1.0)
    for v in x:
        s = _step(s, v)
    return sum(cur) + prev[0] + prev[1] + s[0] * s[1]


@case(X)
def states_of_dicts_and_arrays(x):
    s = {"p": 0.0, "q": 1.0}
    for v in x:
        s = _step_of_dicts(s, v)
    t = [np.zeros(3), np.ones(3)]
    for v in x:
        t = _step_of_arrays(t, v * x)
    return s["p"] * s["q"] + np.sum(t[0] * t[1])


@case(X)
def lists_that_change_places(x):
    a, b = [], []
    for v in x:
        a.append(v)
        b.append(v * len(a))
        a, b = b, a
    return a[0] * b[0] * a[-1]


@case(X)
def one_of_two_lists_grows(x):
    lo, hi = [], []
    for v in x:
        w = lo if v < 1 else hi
        w.append(v * 2)
    for v in x:
        (lo if v < 1 else hi).append(v)
    s = (1, [0, 0])
    s[1][0] = x[0]
    s[1][1] = s[1][0] * x[1]
    return lo[0] * hi[0] * hi[1] + sum(lo) * sum(hi) + s[1][1] * s[0]


@case(X)
def tuples_of_integers_in_a_list(x):
    w = [(0, 1)]
    for v in x:
        w.append((w[-1][1] * v, w[-1][0] + v))
    s = 0.0
    q = [(0, 1)]
    while q:
        i, weight = q.pop(0)
        s += weight * x[i]
        if i < 2:
            q.append((i + 1, weight * x[i]))
    return w[-1][0] * w[-1][1] + s


@case(X)
def array_of_a_concatenation_with_a_view(x):
    y = np.concatenate([x[:1], x])
    z = y[2:]
    y[1] = 2 * x[1]
    return np.sum(y * y) + np.prod(z)


@case(X)
def table_by_nested_comprehensions(x):
    b = [[sum(x[i] * x[k] for k in range(2)) for j in range(2)] for i in range(2)]
    return b[0][0] * b[1][1] + np.sum(np.array([[a * c for c in x] for a in x]))


@case(X)
def views_of_other_lengths_and_a_break(x):
    for k in range(2):
        y = x[k:]
        y *= x[k]
        x[k + 1 :] += y[:-1]
        if y[-1] > 20:
            break
    return np.sum(x) * y[1]


@case(X)
def arrays_and_lists_by_operators(x):
    y = x * [1, 2, 3] + (0.5, 0.2, 0.1)
    y += [x[0], x[1], 0]
    w = (1.0, 2.0, x[0])
    return np.sum(y * w)


@dataclass
class Spring:
    k: float

    def __call__(self, y):
        return y * self.k

    def energy(self, y):
        return self.k * y * y


@case(Spring(0.7), X)
def object_that_can_be_called(o, y):
    return np.sum(o.k * y) * np.sum(o(y))


@case([Spring(0.7), Spring(1.3)], X)
def methods_of_objects_in_a_list(springs, y):
    s = 0.0
    for spring in springs:
        s = s + np.sum(spring.energy(y))
    a, b = springs
    return s * springs[0].energy(y[0]) + b.energy(y[1])
