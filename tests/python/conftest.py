import random
from fractions import Fraction

import pytest


def exact_solution(a, b):
    """By Gaussian elimination in fractions."""
    n = len(a)
    rows = [[Fraction(x) for x in row] + [Fraction(y)] for row, y in zip(a, b)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    x = [Fraction(0)] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def hilbert(n):
    return [[Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]


def relative_error(x, exact):
    """Of x in the infinity norm, with x of any numbers that fractions take."""
    largest = max(abs(e) for e in exact)
    return max(abs(mine.to_fraction() - e) for mine, e in zip(x, exact)) / largest


@pytest.fixture
def rng():
    return random.Random(12345)
