"""Stores into arrays: elements, slices, masks, gathered places, augmented and overlapping."""

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])
Y = np.array([0.4, -0.7, 1.2, 0.3, 0.9])
M = np.array([[0.5, 1.2, -0.3], [0.8, -0.6, 0.9]])


@case(np.array([0.8, 0.5, -0.6, 1.3]))
def compound_stores_that_overlap(x):
    """The operand is a view of what is stored into, in each compound operator."""
    y = np.sin(x) + 1.4
    y *= y[::-1]
    z = np.exp(y * 0.5)
    z[1:] *= z[:-1]
    z[:2] /= z[2:] + 1.0
    z /= z[::-1].copy()[::-1] + z[::-1]
    w = z + 0.3
    w[:-1] /= w[1:]
    w **= w[::-1]
    w[1:] -= w[:-1]
    w[...] += w[::-1] * w
    return np.sum(w * z) + np.sum(w[1:] * y[:-1])


@case(np.array([0.8, 0.5, -0.6, 1.3]), 0.7)
def updates_that_overlap(x, a):
    """Whether `v op= w` stores is seen only at run time, and w is a view of v."""
    s = 0.0
    for v in (np.sin(x) + 2.0, a, x * 1.5 + 2.0):
        w = v[::-1] if np.ndim(v) else v
        v *= w
        v /= w + 1.0
        v **= 1.3
        v -= 0.4 * w
        s = s + np.sum(v * w)
    return s


@case(X)
def element_augmented(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] += x[i] * x[i]
    return np.sum(y)


@case(X)
def shift_of_a_copy(x):
    y = np.zeros(4)
    y[:3] = x
    y[1:] = y[:-1].copy()
    return np.sum(y[1:] * y[1:])


@case(X)
def shift_in_place(x):
    y = x * 1.0
    y[1:] = y[:-1]
    return np.sum(y * y)


@case(X)
def overwriting_ends_a_path(x):
    y = x * 1.0
    y[2] = 4.0
    return np.sum(y)


@case(X)
def elements_swapped(x):
    y = x * 1.0
    y[0], y[1] = y[1], y[0]
    return y[0] * y[1] + y[0]


@case(X)
def last_of_repeated_places_counts(x):
    y = np.zeros(2)
    y[[0, 0, 1]] = x
    return y[0] + 2 * y[1]


@case(X)
def augmented_at_repeated_places(x):
    """`y[i] += v` with repeats adds once a place."""
    y = np.zeros(2)
    y[[0, 0, 1]] += x
    return np.sum(y)


@case(X)
def added_at_repeated_places(x):
    y = np.zeros(2)
    np.add.at(y, [0, 0, 1], x)
    return np.sum(y)


@case(X, refusable=True)
def out_argument_replaces_active(x):
    y = x * 2.0
    np.multiply(np.array([1.0, 2.0, 3.0]), 3.0, out=y)
    return np.sum(y)


@case(X, refusable=True)
def out_argument_fills_empty(x):
    y = np.empty(3)
    np.multiply(np.array([1.0, 2.0, 3.0]), 2 * x, out=y)
    return np.sum(y)


@case(X)
def recurrence_in_place(x):
    y = x * 1.0
    for k in range(3):
        for i in range(1, 3):
            y[i] = y[i - 1] * y[i]
    return np.sum(y)


@case(X)
def whole_array_in_place(x):
    y = x * 1.0
    for k in range(3):
        y *= x
        y += 1.0
    return np.sum(y * y)


@case(X)
def buffer_filled_in_parts(x):
    u = x * 1.0
    new = np.zeros(3)
    for k in range(3):
        new[1:-1] = u[1:-1] * u[:-2]
        new[0] = u[0]
        new[-1] = u[-1] * u[0]
        u[:] = new
    return np.sum(u)


@case(X)
def reference_kept_then_store(x):
    y = x * 1.0
    s = 0.0
    for k in range(3):
        z = y
        s = s + np.sum(z * z)
        y = x * s * 0.1
        y[0] = 2.0 * s
    return s + np.sum(y)


@case(X)
def recorded_value_then_store(x):
    """The product is needed as it was before the store into it."""
    y = x * 1.0
    s = 0.0
    for k in range(3):
        z = y * x
        s = s + np.sum(z * z)
        z[0] = 5.0 * s
        y = z
    return s * 1e-3 + np.sum(y * x) * 1e-3


@case(X)
def store_just_before_the_end(x):
    y = x * 1.0
    y[0] = y[0] * y[1]
    return np.sum(y)


@case(X)
def into_an_argument(x):
    x[0] = x[1] * x[2]
    x[1:] *= 2.0
    return np.sum(x * x)


@case(Y)
def self_assignment(y):
    y[:] = y
    y[...] = y[:]
    return np.sum(y * y)


@case(Y)
def reversed_in_place(y):
    z = y * 1.0
    z[:] = z[::-1]
    z[::-1] = z * y
    return z[0] * 2.0 + z[1] * z[2]


@case(Y)
def steps_and_negative_steps(x):
    y = np.zeros(5)
    y[::2] = x[:3]
    y[1::2] = x[3:] * x[0]
    y[-1:0:-2] = y[0:3:2] * 2.0
    return np.sum(y * x)


@case(Y)
def scalar_over_a_slice(x):
    y = x * x
    y[1:4] = x[0]
    y[3:] += x[1]
    return np.sum(y * x)


@case(M)
def row_over_a_matrix(m):
    """A row is broadcast over the rows of the target."""
    a = np.zeros((3, 3))
    a[:] = m[0]
    a[1:] += m[1]
    a[:, 0] = m[0, 0]
    return np.sum(a * a)


@case(M)
def rows_and_columns(m):
    a = m * 1.0
    a[0] = m[1]
    a[:, 2] = m[:, 0]
    a[1, ::2] *= m[0, 1:]
    a[-1][-1] = a[0][0]
    return np.sum(a * m)


@case(M)
def ellipsis_and_none(m):
    a = np.zeros((2, 3))
    a[...] = m
    a[..., 1] = m[..., 0]
    a[None, 0] = m[1] * 2.0
    a[None] += m[None]
    return np.sum(a * a)


@case(Y)
def masked_scalar(x):
    y = x * 1.0
    y[y < 0.0] = x[0]
    return np.sum(y * y)


@case(Y)
def masked_values(x):
    y = np.zeros(5)
    keep = x > 0.35
    y[keep] = x[keep] * x[keep]
    y[~keep] = -x[~keep]
    return np.sum(y * x)


@case(Y)
def masked_augmented(x):
    y = x * 1.0
    y[x > 0.0] *= x[1]
    y[(x > 0.5) & (x < 1.0)] += 2.0 * x[4]
    return np.sum(y)


@case(M)
def masked_matrix(m):
    a = m * m
    a[m < 0.0] = 0.0
    return np.sum(a * m)


@case(M)
def mask_of_rows(m):
    a = m * 1.0
    a[np.array([True, False])] = m[1] * 2.0
    return np.sum(a * a)


@case(Y)
def gathered_and_scattered(x):
    places = np.array([3, 0, 3, 1])
    y = np.zeros(5)
    y[places] = x[places] * x[:4]
    y[places] += x[1:]
    return np.sum(y * y)


@case(Y)
def scatter_of_a_scalar(x):
    y = x * 1.0
    y[[1, 3, 1]] = x[0] * 2.0
    return np.sum(y * y)


@case(M)
def pairs_of_index_arrays(m):
    a = m * 1.0
    a[[0, 1, 0], [2, 0, 2]] = m[0] * 3.0
    return np.sum(a * a) + a[[1, 1], [0, 1]].sum()


@case(M)
def gathered_rows(m):
    a = np.zeros((3, 3))
    a[[2, 0]] = m
    a[[1, 1]] += m * m
    return np.sum(a * a)


@case(Y)
def element_by_counter_and_negative(x):
    y = np.zeros(5)
    for i in range(5):
        y[-i] = x[i] * x[i - 1]
        y[i - 2] += x[-1]
    return np.sum(y * y)


@case(Y)
def divided_and_raised_in_place(x):
    y = x * x + 1.0
    y[0] /= x[1]
    y[1:3] /= y[0]
    y[2] -= x[0] * y[2]
    y[3] **= 2
    y **= 2
    return np.sum(y)


@case(Y)
def old_value_needed_after_store(x):
    y = x * 1.0
    s = y[0] * y[1]
    y[0] = s * s
    t = y[0] * y[1]
    y[1] = t
    return s * t * y[1]


@case(Y)
def stored_value_overwritten(x):
    """Only the second of two stores counts."""
    y = np.zeros(5)
    y[1] = x[0] * x[1]
    y[1] = x[2]
    return y[1] * y[1]


@case(Y)
def store_in_one_branch(x):
    y = x * 1.0
    for i in range(4):
        if x[i] > 0.35:
            y[i] = y[i] * y[i + 1]
        else:
            y[i + 1] = y[i]
    return np.sum(y * y)


@case(Y)
def integer_array_beside(x):
    """Integers are stored and read along the way; they carry no derivative."""
    count = np.zeros(3, dtype=int)
    y = np.zeros(3)
    for i, v in enumerate(x):
        k = i % 3
        count[k] += 1
        y[k] += v
    return np.sum(y / count)


@case(Y)
def slice_by_counter(x):
    y = x * 1.0
    for i in range(1, 4):
        y[i:] = y[i:] * y[i - 1]
        y[:i] += x[i]
    return np.sum(y)


@case(Y)
def fresh_array_each_time(x):
    s = 0.0
    for i in range(4):
        z = np.zeros(2)
        z[0] = x[i]
        z[1] = z[0] * x[i + 1]
        s = s + np.sum(z * z)
    return s


@case(X)
def empty_filled_whole(x):
    y = np.empty(3)
    y[0] = x[2]
    y[1:] = x[:2] * x[1]
    z = np.empty_like(y)
    z[:] = y * y
    return np.sum(z)


@case(0.7)
def scalar_spread_over_array(a):
    y = np.full(4, a)
    y[1] = a * a
    y[2:] *= 3.0
    return np.sum(y * y)


@case(Y)
def integers_stored(x):
    k = np.zeros(5, dtype=int)
    k[0] = 2
    y = x * (k + 1)
    return np.sum(y * y)


@case(np.array([0.8, 0.5, -0.6, 1.3, 0.4]))
def reads_that_no_later_store_reaches(x):
    """Counting up and down, in two dimensions, with steps; beside reads that are overwritten."""
    n = len(x)
    c = np.sin(x)
    for i in range(1, n):
        c[i] = c[i] * c[i - 1] + x[i] * c[i - 1] ** 2
    d = np.cos(x)
    for i in range(n - 2, -1, -1):
        d[i] = d[i] * d[i + 1] + c[i] * d[i + 1] ** 2
    r = np.ones((n + 1, n + 1))
    for i in range(n):
        for j in range(n):
            r[i + 1, j + 1] = r[i, j] * x[j] + r[i, j + 1] * r[i + 1, j] * 0.3
    e = np.exp(x * 0.3)
    for i in range(2, n, 2):
        e[i] = e[i - 2] * e[i - 1] ** 2
        e[i - 1] = e[i] * e[i - 1]
    return np.sum(c * d) + r[n, n] + np.sum(e * e)


@case(np.array([0.8, 0.5, -0.6, 1.3, 0.4]))
def reads_that_later_stores_reach(x):
    """Negative indices go round; the outer loop comes again; the counter runs the other way."""
    n = len(x)
    c = np.sin(x)
    for i in range(n):
        c[i] = c[i] * c[i - 1] + c[i - 1] ** 2
    for _ in range(2):
        for i in range(1, n):
            c[i] = c[i] * c[i - 1] + 0.3 * c[i - 1] ** 2
    for i in reversed(range(1, n)):
        c[i] = c[i - 1] ** 2 * c[i]
    for i in range(1, n - 1):
        t = c[i + 1] * c[i - 1]
        c[i + 1] = t * c[i + 1]
        c[i - 1] = t * t * x[i]
    for k in range(0, n - 1, 3):
        c[k + 1] *= c[k] ** 2
        c[k] = c[k + 1] * x[k]
    return np.sum(c * x)


@case(np.array([0.8, 0.5, -0.6, 1.3, 0.4]))
def reads_through_views_of_what_is_stored(x):
    c = np.sin(x)
    v = c[::-1]
    for i in range(1, len(x)):
        v[i] = c[i - 1] * v[i] + c[i - 1] ** 2
    m = np.outer(c, x)
    for i in range(1, 5):
        row = m[i - 1]
        m[i] = m[i] * row[0] + row[i - 1] ** 2
        row[0] = m[i, 1]
    return np.sum(c * x) + np.sum(m)


@case(np.array([0.77, 1.37, 0.75, 0.51]))
def reads_before_the_caller_stores(x):
    """The recursion stores after the inner call has returned, into what that has read."""

    def sweep(z, n):
        if n == 0:
            return
        sweep(z, n - 1)
        for k in range(2, 0, -1):
            z[k] = z[k] * z[k + 1]

    sweep(x, 2)
    return np.sum(x)
