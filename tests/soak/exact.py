"""Small linear systems in exact rational arithmetic: rank, null space, range, shortest solutions, determinant, inertia.

Matrices are lists of rows of Fractions.
"""
from fractions import Fraction
from math import gcd, lcm


def transposed(a):
    return [list(column) for column in zip(*a)]


def product(a, b):
    columns = transposed(b)
    return [[sum((x * y for x, y in zip(row, column) if x and y), Fraction(0)) for column in columns] for row in a]


def times(a, v):
    return [sum((x * y for x, y in zip(row, v) if x and y), Fraction(0)) for row in a]


def primitive(row):
    """The row times what makes its numbers integers without a common divisor."""
    scale = lcm(*(Fraction(x).denominator for x in row)) if row else 1
    whole = [int(x * scale) for x in row]
    divisor = gcd(*whole)
    return [x // divisor for x in whole] if divisor > 1 else whole


def echelon(a, columns=None):
    """The rows of the reduced row echelon form that are not zero, and the columns of their pivots, by integers. Pivots
    are sought in the first `columns` columns."""
    rows = [primitive(row) for row in a]
    width = len(rows[0]) if rows else 0
    pivots = []
    for j in range(width if columns is None else columns):
        k = len(pivots)
        at = min((i for i in range(k, len(rows)) if rows[i][j]), key=lambda i: abs(rows[i][j]), default=None)
        if at is None:
            continue
        rows[k], rows[at] = rows[at], rows[k]
        pivot_row, pivot = rows[k], rows[k][j]
        for i, row in enumerate(rows):
            if i != k and row[j]:
                common = gcd(pivot, row[j])
                p, f = pivot // common, row[j] // common
                new = [p * x - f * y for x, y in zip(row, pivot_row)]
                divisor = gcd(*new)
                rows[i] = [x // divisor for x in new] if divisor > 1 else new
        pivots.append(j)
    reduced = [[Fraction(x, rows[k][j]) for x in rows[k]] for k, j in enumerate(pivots)]
    return reduced, pivots


def rank(a):
    return len(echelon(a)[1])


def null_space(a, width):
    """A basis of the vectors of `width` numbers that A takes to zero, as rows."""
    reduced, pivots = echelon(a)
    basis = []
    for j in range(width):
        if j in pivots:
            continue
        v = [Fraction(0)] * width
        v[j] = Fraction(1)
        for row, pivot in zip(reduced, pivots):
            v[pivot] = -row[j]
        basis.append(v)
    return basis


def solved(a, right):
    """X of A X = B, A not singular."""
    n = len(a)
    reduced, pivots = echelon([list(row) + list(more) for row, more in zip(a, right)], n)
    assert pivots == list(range(n))
    return [row[n:] for row in reduced]


class Pseudoinverse:
    """The pseudo-inverse of A by its factors A = C F of full rank."""

    def __init__(self, a, width):
        self.width = width
        self.f, pivots = echelon(a)
        self.c = [[row[j] for j in pivots] for row in a]
        self.rank = len(pivots)

    def times(self, b):
        """The shortest x that makes norm(b - A x) least."""
        if self.rank == 0:
            return [Fraction(0)] * self.width
        c_t, f_t = transposed(self.c), transposed(self.f)
        y = solved(product(c_t, self.c), [[t] for t in times(c_t, b)])
        z = solved(product(self.f, f_t), y)
        return times(f_t, [row[0] for row in z])


def part_in(basis, v):
    """The orthogonal projection of v to the span of some rows that are linearly independent."""
    if not basis:
        return [Fraction(0)] * len(v)
    gram = product(basis, transposed(basis))
    c = solved(gram, [[t] for t in times(basis, v)])
    return times(transposed(basis), [row[0] for row in c])


def determinant(a):
    """By elimination with rows that stay integers."""
    scale = Fraction(1)
    rows = []
    for row in a:
        common = lcm(*(x.denominator for x in row))
        scale /= common
        rows.append([int(x * common) for x in row])
    n, previous = len(rows), 1
    for k in range(n):
        at = next((i for i in range(k, n) if rows[i][k]), None)
        if at is None:
            return Fraction(0)
        if at != k:
            rows[k], rows[at], scale = rows[at], rows[k], -scale
        for i in range(k + 1, n):
            rows[i] = [(rows[k][k] * x - rows[i][k] * y) // previous for x, y in zip(rows[i], rows[k])]
        previous = rows[k][k]
    return scale * previous


def complex_determinant(form):
    """The parts of the determinant of the complex matrix of a real form, by elimination."""
    rows = [[(form[2 * i][2 * j], form[2 * i + 1][2 * j]) for j in range(len(form) // 2)] for i in range(len(form) // 2)]
    re, im = Fraction(1), Fraction(0)
    for k in range(len(rows)):
        at = next((i for i in range(k, len(rows)) if any(rows[i][k])), None)
        if at is None:
            return Fraction(0), Fraction(0)
        if at != k:
            rows[k], rows[at], re, im = rows[at], rows[k], -re, -im
        p, q = rows[k][k]
        re, im = re * p - im * q, re * q + im * p
        for i in range(k + 1, len(rows)):
            x, y = rows[i][k]
            f, g = (x * p + y * q) / (p * p + q * q), (y * p - x * q) / (p * p + q * q)
            rows[i] = [(s - f * u + g * v, t - f * v - g * u) for (s, t), (u, v) in zip(rows[i], rows[k])]
    return re, im


def inertia(a):
    """How many eigenvalues of a symmetric matrix are positive, negative and zero, by pivots of one and two rows."""
    a = [list(row) for row in a]
    left = list(range(len(a)))
    positive = negative = 0
    while left:
        k = next((i for i in left if a[i][i]), None)
        if k is not None:
            positive, negative = positive + (a[k][k] > 0), negative + (a[k][k] < 0)
            left.remove(k)
            for i in left:
                if a[i][k]:
                    factor = a[i][k] / a[k][k]
                    for j in left:
                        a[i][j] -= factor * a[k][j]
            continue
        pair = next(((i, j) for i in left for j in left if a[i][j]), None)
        if pair is None:
            break
        p, q = pair  # [0 c; c 0] has an eigenvalue of each sign
        positive, negative = positive + 1, negative + 1
        left.remove(p)
        left.remove(q)
        c = a[p][q]
        lines = {i: (a[i][p] / c, a[i][q] / c) for i in left}
        for i in left:
            by_p, by_q = lines[i]
            for j in left:
                a[i][j] -= by_q * a[p][j] + by_p * a[q][j]
    return positive, negative, len(left)


def square_norm(v):
    return sum((x * x for x in v), Fraction(0))


def largest(v):
    return max(map(abs, v), default=Fraction(0))
