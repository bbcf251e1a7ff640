"""Tables filled by recurrences."""

import math

import numpy as np

from tests.programs import case

A = np.array([0.3, 0.9, 0.4, 1.2])
B = np.array([0.5, 0.7, 1.1])
COST = np.array([[0.4, 0.95, 0.3], [0.7, 0.2, 0.8], [0.5, 0.6, 0.1]])


def softmin(a, b, c, gamma):
    m = min(a, b, c)
    s = math.exp((m - a) / gamma) + math.exp((m - b) / gamma) + math.exp((m - c) / gamma)
    return m - gamma * math.log(s)


@case(A, B, 0.3)
def soft_time_warping(x, y, gamma):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (x[i - 1] - y[j - 1]) ** 2
            r[i, j] = d + softmin(r[i - 1, j], r[i, j - 1], r[i - 1, j - 1], gamma)
    return r[n, m]


@case(A, B)
def hard_time_warping(x, y):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e3)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            r[i + 1, j + 1] = abs(x[i] - y[j]) + min(r[i, j + 1], r[i + 1, j], r[i, j])
    return r[-1, -1]


@case(COST)
def cheapest_path_in_place(c):
    for i in range(3):
        for j in range(3):
            if i > 0 and j > 0:
                c[i, j] += min(c[i - 1, j], c[i, j - 1])
            elif i > 0:
                c[i, j] += c[i - 1, j]
            elif j > 0:
                c[i, j] += c[i, j - 1]
    return c[2, 2]


@case(COST)
def shortest_paths_between_all(c):
    d = c.copy()
    for k in range(3):
        for i in range(3):
            for j in range(3):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d[0, 1] + 2.0 * d[1, 2] + 3.0 * d[2, 0]


@case(A)
def prefix_sums_by_hand(x):
    total = np.zeros(len(x) + 1)
    for i in range(len(x)):
        total[i + 1] = total[i] + x[i]
    return np.sum((total[2:] - total[:-2]) ** 2)


@case(A)
def running_maximum(x):
    best = np.zeros(len(x))
    best[0] = x[0]
    for i in range(1, len(x)):
        best[i] = best[i - 1] if best[i - 1] > x[i] else x[i]
    return np.sum(best * x)


@case(np.array([0.4, -0.9, 0.7, 0.3, -1.2, 0.5]))
def largest_sum_of_a_run(x):
    best, here = x[0], x[0]
    for v in x[1:]:
        here = max(v, here + v)
        best = max(best, here)
    return best * best


@case(0.3, 0.8)
def pascal_triangle(p, q):
    row = np.zeros(6)
    row[0] = 1.0
    for n in range(1, 6):
        for k in range(n, 0, -1):
            row[k] = p * row[k] + q * row[k - 1]
        row[0] = p * row[0]
    return row[2] + row[3] * row[3]


@case(0.6)
def legendre_by_recurrence(x):
    table = [1.0, x]
    for n in range(1, 6):
        table.append(((2 * n + 1) * x * table[n] - n * table[n - 1]) / (n + 1))
    return table[4] * table[6] + table[-2]


@case(1.4)
def bessel_by_backward_recurrence(x):
    high, now, total = 0.0, 1e-3, 0.0
    for n in range(12, 0, -1):
        low = 2.0 * n / x * now - high
        high, now = now, low
        if n % 2 == 1 and n > 1:
            total += 2.0 * low
    return now / (total + now)


@case(A)
def values_discounted_backwards(reward):
    value = np.zeros(len(reward) + 1)
    for t in range(len(reward) - 1, -1, -1):
        stay = reward[t] + 0.9 * value[t + 1]
        leave = 0.8 * reward[t] * reward[0] + 0.35
        if stay > leave:
            value[t] = stay
        else:
            value[t] = leave
    return value[0]


@case(COST, np.array([0.2, 0.5, 0.1]))
def viterbi_score(transition, start):
    score = start.copy()
    for t in range(3):
        new = np.zeros(3)
        for j in range(3):
            new[j] = max(score + transition[:, j]) + 0.1 * t * start[j]
        score = new
    return np.max(score)


@case(A)
def edit_distance_with_soft_costs(x):
    y = x[::-1]
    n = len(x)
    previous = 0.5 * np.arange(n + 1.0)
    for i in range(1, n + 1):
        current = np.zeros(n + 1)
        current[0] = 0.5 * i
        for j in range(1, n + 1):
            match = previous[j - 1] + (x[i - 1] - y[j - 1] + 0.07) ** 2
            current[j] = min(match, previous[j] + 0.31, current[j - 1] + 0.47)
        previous = current
    return previous[-1] * x[0]


@case(np.array([0.4, 1.1, 0.3, 0.8, 0.6]))
def sliding_window_means(x):
    out = np.zeros(3)
    window = x[:3].sum()
    for i in range(3):
        out[i] = window / 3.0
        if i + 3 < len(x):
            window += x[i + 3] - x[i]
    return out @ out


@case(np.array([0.4, 1.1, 0.3, 0.8]))
def cumulative_table_by_rows(x):
    table = np.zeros((4, 4))
    table[0] = x
    for i in range(1, 4):
        table[i, : 4 - i] = table[i - 1, 1 : 5 - i] - 0.3 * table[i - 1, : 4 - i] ** 2
    return table[3, 0] + np.sum(table[1])


@case(np.array([0.4, 1.1, 0.3, 0.8]), np.array([0.1, 0.5, 0.9, 1.4]))
def divided_differences(y, x):
    """Newton's interpolation table in one array, in place, then its value at 0.7."""
    n = len(x)
    for k in range(1, n):
        for i in range(n - 1, k - 1, -1):
            y[i] = (y[i] - y[i - 1]) / (x[i] - x[i - k])
    r = y[n - 1]
    for i in range(n - 2, -1, -1):
        r = r * (0.7 - x[i]) + y[i]
    return r


@case(np.array([0.9, 0.5, 0.7, 0.4]))
def matrix_chain_cost(d):
    n = len(d) - 1
    best = np.zeros((n, n))
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            lowest = 1e3
            for k in range(i, j):
                c = best[i, k] + best[k + 1, j] + d[i] * d[k + 1] * d[j + 1]
                if c < lowest:
                    lowest = c
            best[i, j] = lowest
    return best[0, n - 1]


@case(0.7, 0.2)
def romberg_table(a, b):
    """The rows of the table are lists in a list."""
    rows = []
    for k in range(4):
        n = 2**k
        h = (a + 1.0) / n
        s = 0.5 * (math.exp(-b) + math.exp(-b * (a + 1.0) ** 2))
        for i in range(1, n):
            s += math.exp(-b * (i * h) ** 2)
        rows.append([s * h])
        for j in range(1, k + 1):
            f = 4.0**j
            rows[k].append((f * rows[k][j - 1] - rows[k - 1][j - 1]) / (f - 1.0))
    return rows[3][3]
