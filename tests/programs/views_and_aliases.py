"""Several names of one array: aliases, slices, transposes, reshapes, rows, overlapping views."""

import numpy as np

from tests.programs import case

X = np.array([1.5, 0.7, 2.5])
Y = np.array([0.4, -0.7, 1.2, 0.3, 0.9, 0.6])
M = np.array([[0.5, 1.2, -0.3], [0.8, -0.6, 0.9]])


@case(X)
def store_through_alias_of_argument(x):
    y = x
    y[0] = 2.0
    return np.sum(x * x)


@case(X)
def store_through_view(x):
    y = x * 1.0
    v = y[1:]
    v[0] = 5.0
    return np.sum(y * y)


@case(X)
def list_item_changed_afterwards(x):
    y = x * 1.0
    kept = [y]
    y *= 0.0
    return np.sum(kept[0] * kept[0])


@case(X)
def buffers_swapped_in_loop(x):
    u = x * 1.0
    new = np.zeros(3)
    for k in range(4):
        new[0] = u[1] * u[2]
        new[1] = u[0] * u[0]
        new[2] = u[2]
        u, new = new, u
    return np.sum(u * u)


@case(X)
def alias_and_view_live_in_loop(x):
    u = x * 1.0
    v = u
    for k in range(3):
        v[0] = v[0] * u[1]
        w = u[1:]
        w[0] = w[0] + u[0] * u[2]
    return np.sum(u * v)


@case(X)
def allocated_in_loop_and_carried(x):
    u = x * 1.0
    for k in range(3):
        b = np.zeros(3)
        c = b[1:]
        c[0] = u[0] * u[1]
        b[0] = u[2]
        c[1] = b[1] * b[0]
        u = b
    return np.sum(u * x)


@case(X)
@case(np.array([0.5, 0.7, 2.5]))
def alias_of_one_of_two(x):
    y = x * 1.0
    z = x * 2.0
    if x[0] > 1.0:
        w = y
    else:
        w = z
    w[1] = w[0] * w[2]
    return np.sum(y * y) + np.sum(z * z)


@case(X)
def alias_changes_every_iteration(x):
    """Undoing a store needs the array that was meant in that iteration."""
    y = x * 1.0
    z = x * 2.0
    for k in range(4):
        if k % 2 == 0:
            w = y
        else:
            w = z
        w[1] = w[0] * w[2] + y[1] * z[1] * 0.1
    return np.sum(y * y) + np.sum(z * z)


@case(X)
def row_view_stored_into(x):
    y = np.zeros((3, 3))
    for i in range(3):
        r = y[i]
        r[:] = x * x[i]
        r[1] *= r[0]
    return np.sum(y * y)


@case(X)
def rows_swapped_by_name(x):
    y = np.zeros((2, 3))
    y[0] = x
    y[1] = x * x
    a = y[0]
    b = y[1]
    for k in range(3):
        a[:] = a * b
        a, b = b, a
    return np.sum(y)


@case(X)
def view_of_rebound_parameter(x):
    v = x[1:]
    x = x * 2.0
    x[0] = v[0] * v[1]
    return np.sum(x * x)


@case(M)
def reshape_that_copies(m):
    """A reshape of a transpose is a copy: the store does not reach `a`."""
    a = m * 1.0
    r = np.reshape(a.T, (6,))
    r[1] = r[0] * 2.0
    return np.sum(a * a) + np.sum(r * r)


@case(M)
def reshape_that_views(m):
    a = m * 1.0
    r = a.reshape(-1)
    r[1] = r[0] * 2.0
    s = np.reshape(r, (3, 2))
    s[2] = s[0] * s[1]
    return np.sum(a * a) + np.sum(r)


@case(M)
def ravel_of_both_kinds(m):
    a = m * 1.0
    p = a.ravel()
    q = a.T.ravel()
    p[0] = q[1] * q[2]
    q[3] = p[3] * p[0]
    return np.sum(a * p.reshape(2, 3)) + np.sum(q * q)


@case(M)
def flatten_always_copies(m):
    a = m * 1.0
    f = a.flatten()
    f[2] = f[1] * f[0]
    a[0] *= 2.0
    return np.sum(f * f) + np.sum(a)


@case(Y)
def reshape_of_strided_slice(y):
    """With a step a reshape copies where it must, and views where it can."""
    a = y * 1.0
    column = a[::2].reshape(3, 1)
    column[0, 0] = a[1] * 3.0
    square = a[1:5].reshape(2, 2)
    square[1] = square[0] * column[0]
    return np.sum(a * a) + np.sum(column * column)


@case(M)
def transposed_store(m):
    a = m * 1.0
    t = a.T
    t[0] = t[1] * t[2]
    t[2, 1] = a[0, 0]
    return np.sum(a * a) + t[0, 1]


@case(M)
def transposed_twice(m):
    a = m * 1.0
    b = a.T.T
    b[1, 1] = a[0, 0] * a[0, 1]
    c = np.swapaxes(a, 0, 1)
    c[2] *= b[0, 2]
    return np.sum(a * m)


@case(Y)
def overlapping_views_both_ways(y):
    a = y * 1.0
    u = a[:-1]
    v = a[1:]
    u[2] = v[0] * v[3]
    v[:] = v * u
    u[0] = v[0] + v[1]
    return np.sum(a * a)


@case(Y)
def view_of_view_of_view(y):
    a = y * 1.0
    b = a[1:]
    c = b[::2]
    d = c[::-1]
    d[0] = a[0] * b[0]
    c[1] = d[2] * d[0]
    b[3] = a[5] + c[0]
    return np.sum(a * a)


@case(Y)
def view_taken_before_rebinding(y):
    a = y * 1.0
    v = a[:3]
    a = a * y
    v[0] = a[1]
    a[2] = v[0] * v[1]
    return np.sum(a) + np.sum(v * v)


@case(Y)
def view_moves_along(y):
    """A window that is another part of the array in each iteration."""
    a = y * 1.0
    for i in range(4):
        w = a[i : i + 3]
        w[1] = w[0] * w[2]
        w *= 1.1
    return np.sum(a * a)


@case(M)
def columns_as_views(m):
    a = m * 1.0
    first, last = a[:, 0], a[:, -1]
    last[:] = last + first * first
    first += last[::-1]
    return np.sum(a * a)


@case(M)
def rows_unpacked(m):
    """Unpacking a matrix gives views of its rows."""
    a = m * 1.0
    p, q = a
    p[0] = q[1] * q[2]
    q[:] = p * q
    return np.sum(a * a)


@case(M)
def rows_by_iteration(m):
    a = m * 1.0
    for row in a:
        row[1] = row[0] * row[2]
        row /= 2.0
    return np.sum(a * a)


@case(Y)
def none_axis_is_a_view(y):
    a = y * 1.0
    row, column = a[None, :], a[:, None]
    row[0, 1] = column[0, 0] * column[2, 0]
    column[3:] *= row[0, 1]
    return np.sum(a * a) + np.sum(row * column) * 0.1


@case(Y)
def gathered_is_a_copy(y):
    a = y * 1.0
    g = a[[0, 1, 2]]
    g[0] = a[3] * a[4]
    a[1] = g[0] * g[1]
    return np.sum(a * a) + np.sum(g * g)


@case(Y)
def copy_is_not_a_view(y):
    a = y.copy()
    b = np.array(a)
    c = a + 0.0
    a[0] = b[1] * c[2]
    b[1] = a[0] * 2.0
    return np.sum(a * b * c)


@case(Y)
def asarray_is_a_view(y):
    a = y * 1.0
    b = np.asarray(a)
    b[0] = a[1] * a[2]
    return np.sum(a * a) + b[0]


@case(M)
def squeezed_and_expanded(m):
    a = m * 1.0
    e = np.expand_dims(a, 0)
    s = np.squeeze(e, axis=0)
    s[0, 0] = a[1, 1] * a[1, 2]
    e[0, 1] = e[0, 0] * s[0, 1]
    return np.sum(a * a)


@case(X)
def chained_names(x):
    a = b = x * 1.0
    c = a
    b[0] = a[1] * a[2]
    c[1] = b[0] * a[0]
    a = a * 2.0
    return np.sum(a * b * c)


@case(X, X * 0.5)
def two_arguments_stored_into(x, y):
    x[0] = y[1] * y[2]
    y[:] = y * x
    z = x
    z[2] = y[0]
    return np.sum(x * y)


@case(Y)
def alias_kept_over_the_loop(y):
    """The alias names the array of the iteration before."""
    a = y * 1.0
    old = a
    for k in range(3):
        a = a * 0.9
        a[k] = old[k + 1] * old[k]
        old[k + 2] = a[k] * 0.5
        old = a
    return np.sum(a * a) + np.sum(old)


@case(Y)
def same_view_under_two_names(y):
    a = y * 1.0
    u = a[2:4]
    v = a[2:4]
    u[0] = v[1] * 2.0
    v[1] = u[0] * a[0]
    return u[0] * v[0] + np.sum(a)


@case(M)
def diagonal_by_stride(m):
    a = np.zeros((2, 2))
    flat = a.reshape(4)
    flat[::3] = m[:, 0] * m[:, 1]
    flat[1:3] = m[0, :2]
    return np.sum(a @ a)


@case(X)
@case(np.array([-1.5, 0.7, 2.5]))
def view_or_copy_by_branch(x):
    y = x * 1.0
    if x[0] > 0.0:
        v = y[:2]
    else:
        v = y[:2] * 1.0
    v[0] = v[1] * 3.0
    return np.sum(y * y) + np.sum(v)


@case(np.array([[1.0, 0.4], [0.3, 0.8]]), np.array([0.2, 0.9]))
def matrix_row_as_scratch(a, b):
    work = np.zeros((3, 2))
    u, v, w = work[0], work[1], work[2]
    u[:] = a @ b
    v[:] = a @ u
    w[:] = u * v
    u += w
    return np.sum(work * work)
