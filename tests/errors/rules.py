"""Uses of functions that their rules do not cover."""

import numpy as np

from srcgrad import elementwise, general, linear
from tests.errors.catalogue import refused, tangent

X = np.array([0.5, 1.2, -0.3])
MATRIX = np.array([[2.0, 0.5], [0.3, 1.5]])


@refused(MATRIX)
def reshape_in_memory_order(a):
    return np.sum(np.reshape(a, (4,), order="A"))


@refused(MATRIX)
def reshape_method_in_memory_order(a):
    return np.sum(a.reshape((4,), order="A"))


@refused(MATRIX)
def ravel_in_memory_order(a):
    return np.sum(np.ravel(a, order="K"))


@refused(MATRIX)
def flatten_in_memory_order(a):
    return np.sum(a.flatten(order="K"))


@refused(X)
def clip_without_bounds(x):
    return np.sum(np.clip(x, None, None))


@refused(X)
def clip_method_without_bounds(x):
    return np.sum(x.clip(None, None))


@refused(X)
def item_by_index(x):
    return x.item(1)


@refused(MATRIX)
def ends_that_are_matrices(a):
    return np.sum(np.linspace(a, 2.0 * a, 3))


@refused(MATRIX)
def nuclear_norm(a):
    return np.linalg.norm(a, "nuc")


@refused(MATRIX, ask=tangent)
def nuclear_norm_in_forward_mode(a):
    return np.linalg.norm(a, "nuc")


def scaled(x, factor):
    return x * factor


@linear(scaled, refused={"factor": "only the first argument has a rule"})
def scaled_rule(g, ans, x, factor):
    return g * factor, None


@refused(X)
def active_argument_without_a_rule(x):
    return np.sum(scaled(x, x[0]))


@refused(X, ask=tangent)
def active_keyword_in_forward_mode(x):
    return np.sum(scaled(x, factor=x[0]))


@refused(X)
def more_arguments_than_the_rule_knows(x):
    return np.sum(x, 0, None)


def turned(x, a):
    return a @ x


@general(turned)
def turned_rule(g, ans, x, a):
    return a.T @ g, np.outer(g, x)


@refused(X, ask=tangent)
def rule_for_reverse_mode_only(x):
    return np.sum(turned(x, np.eye(3)))


def weighed(x, y):
    return x * x * y


@elementwise(weighed)
def weighed_rule(g, ans, x, y):
    return g * 2.0 * x * y


@refused(X)
def rule_with_too_few_contributions(x):
    return np.sum(weighed(x, x))


@refused(X, ask=tangent)
def rule_with_too_few_contributions_in_forward_mode(x):
    return np.sum(weighed(x, x))
