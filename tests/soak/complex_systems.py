"""Complex systems of many kinds."""
from fractions import Fraction

import singular_systems as of_reals
from singular_systems import integers, product
from system_files import (CONJUGATED, NEGATED, PLAIN, ComplexSystem, adjoint, form, of_form, plain_transpose, times_i,
                          word)


def gaussian(r, rows, cols, most=5, zeros=0.3):
    return form(integers(r, rows, cols, most, zeros), integers(r, rows, cols, most, zeros))


def of_rank(r, rows, cols, rank, **more):
    if rank == 0:
        return [[Fraction(0)] * (2 * cols) for _ in range(2 * rows)]
    return product(gaussian(r, rows, rank, **more), gaussian(r, rank, cols, **more))


def hermitian_of_rank(r, n, rank, definite):
    if rank == 0:
        return [[Fraction(0)] * (2 * n) for _ in range(2 * n)]
    half = gaussian(r, n, rank)
    signs = [1 if definite else r.choice([-1, 1]) for _ in range(rank)]
    return product([[x * signs[j // 2] for j, x in enumerate(row)] for row in half], adjoint(half))


def shape(r):
    """Coordinates or an array."""
    return {"dense": r.random() < 0.4}


def random_vector(r, n, most=9):
    return [Fraction(r.randint(-most, most)) for _ in range(2 * n)]


def pairs_of_words(v):
    return [(word(v[k]), word(v[k + 1])) for k in range(0, len(v), 2)]


def some_right_side(r, k, off=None, real=False):
    b = of_reals.product_with_integers(r, k, off)
    if real:
        b = [t if p % 2 == 0 else Fraction(0) for p, t in enumerate(b)]
    return pairs_of_words(b)


def right_sides(r, k):
    return of_reals.some_right_sides(r, len(k) // 2, lambda off: some_right_side(r, k, off, r.random() < 0.1))


def general(r):
    n = r.randint(1, 12)
    k = gaussian(r, n, n)
    return of_form(k, b=right_sides(r, k), **shape(r))


def rank_deficient(r):
    n = r.randint(2, 10)
    k = of_rank(r, n, n, r.randint(max(n - 3, 0), n - 1))
    return of_form(k, b=right_sides(r, k), **shape(r))


def hermitian(r):
    n = r.randint(1, 10)
    k = hermitian_of_rank(r, n, n if r.random() < 0.5 else r.randint(0, n), r.random() < 0.5)
    if r.random() < 0.3:
        for p in range(2 * n):
            k[p][p] += 1
    return of_form(k, r.choice([CONJUGATED, CONJUGATED, "general"]), right_sides(r, k), **shape(r))


def complex_symmetric(r):
    n = r.randint(1, 10)
    half = gaussian(r, n, n if r.random() < 0.6 else max(n - 1, 1))
    k = product(half, plain_transpose(half))
    return of_form(k, r.choice([PLAIN, PLAIN, "general"]), right_sides(r, k), **shape(r))


def skew_hermitian(r):
    n = r.randint(1, 9)
    k = times_i(hermitian_of_rank(r, n, n if r.random() < 0.6 else r.randint(0, n), r.random() < 0.3))
    return of_form(k, b=right_sides(r, k), **shape(r))


def skew_symmetric(r):
    n = r.randint(1, 9)
    half = gaussian(r, n, n)
    turned = plain_transpose(half)
    k = [[x - y for x, y in zip(p, q)] for p, q in zip(half, turned)]
    return of_form(k, r.choice([NEGATED, "general"]), right_sides(r, k), **shape(r))


def imaginary_diagonal(r):
    n = r.randint(1, 30)
    re = [[Fraction(0)] * n for _ in range(n)]
    im = [[Fraction(r.choice([0] * 1 + [1, 2, -3] * 9)) if i == j else Fraction(0) for j in range(n)] for i in range(n)]
    for _ in range(r.choice([0, 0, n])):
        re[r.randrange(n)][r.randrange(n)] += r.randint(-2, 2)
    k = form(re, im)
    return of_form(k, b=right_sides(r, k))


def rectangular(r):
    rows, cols = r.randint(1, 9), r.randint(1, 9)
    least = min(rows, cols)
    k = of_rank(r, rows, cols, least if r.random() < 0.5 else r.randint(0, least), zeros=r.choice([0.1, 0.6]))
    return of_form(k, b=right_sides(r, k), **shape(r))


def tall_and_sparse(r):
    cols = r.randint(3, 9)
    rows = cols + r.randint(6, 25)
    re, im = ([[Fraction(0)] * cols for _ in range(rows)] for _ in range(2))
    for i in range(rows):
        for j in r.sample(range(cols), 2):
            re[i][j], im[i][j] = Fraction(r.randint(-4, 4)), Fraction(r.randint(-4, 4))
    if r.random() < 0.4:  # the last column is i times the first one
        for x, y in zip(re, im):
            x[-1], y[-1] = -y[0], x[0]
    k = form(re, im)
    return of_form(k, b=right_sides(r, k))


def real_matrix(r):
    """A real A with a complex b; its file may say that it is complex."""
    n = r.randint(1, 12)
    how = r.random()
    re = (of_reals.symmetric_of_rank(r, n, r.randint(max(n - 2, 0), n), r.random() < 0.5) if how < 0.5 else
          of_reals.of_rank(r, n, n, r.randint(max(n - 1, 0), n)))
    k = form(re, [[Fraction(0)] * n for _ in range(n)])
    columns = [some_right_side(r, k, r.choice([None, None, Fraction(1)])) for _ in range(r.choice([1, 1, 3]))]
    return of_form(k, b=columns, **shape(r))


def real_right_side(r):
    n = r.randint(1, 12)
    k = gaussian(r, n, n) if r.random() < 0.6 else hermitian_of_rank(r, n, n, False)
    b = [[(str(r.randint(-9, 9)), "0") for _ in range(n)] for _ in range(r.choice([1, 1, 2]))]
    return of_form(k, b=b, **shape(r))


def only_real(r):
    """All imaginary parts are zero."""
    n = r.randint(1, 8)
    k = form(integers(r, n, n), [[Fraction(0)] * n for _ in range(n)])
    b = [[(word(Fraction(r.randint(-9, 9))), "0") for _ in range(n)]]
    return of_form(k, b=r.choice([b, "rowsum"]), **shape(r))


def chain(r, n, most):
    """Upper triangular with a unit diagonal, so that its inverse grows like a power."""
    re = [[Fraction(1 if i == j else -r.randint(0, most) if j == i + 1 else 0) for j in range(n)] for i in range(n)]
    im = [[Fraction(r.randint(1, most) if j == i + 1 else 0) for j in range(n)] for i in range(n)]
    return form(re, im)


def ill_conditioned(r):
    """Gaussian integers with a condition of 1 to 1e60; hermitian in some cases."""
    n, most = r.randint(2, 20), r.randint(1, 9)
    half = chain(r, n, most)
    k = product(adjoint(half), half) if r.random() < 0.4 else product(gaussian(r, n, n, 2), half)
    if r.random() < 0.3:
        k = product(adjoint(chain(r, n, most)), k)
    return of_form(k, b=right_sides(r, k), **shape(r))


def long_decimals(r):
    """Numbers of 18 to 60 digits, taken as decimals or as binary64."""
    rows = r.randint(1, 8)
    cols = rows if r.random() < 0.8 else r.randint(1, 8)
    places = r.randint(18, 60)

    def some():
        return [[Fraction(r.randint(-10**places, 10**places), 10**places) for _ in range(cols)] for _ in range(rows)]
    k = form(some(), some())
    if rows == cols and r.random() < 0.4:
        k = [[(x + y) / 2 for x, y in zip(p, q)] for p, q in zip(k, adjoint(k))]
    b = [[tuple(word(Fraction(r.randint(-10**places, 10**places), 10**places)) for _ in range(2)) for _ in range(rows)]]
    reading = r.choice(["auto", "decimal", "binary64"])
    return of_form(k, b=r.choice([b, "rowsum", "ones"]), options=["--entries", reading], **shape(r))


def short_decimals(r):
    n = r.randint(1, 8)
    scale = Fraction(1, 10**r.randint(1, 3))
    k = [[x * scale for x in row] for row in (of_rank(r, n, n, r.randint(max(n - 2, 0), n)))]
    b = right_sides(r, k)
    return of_form(k, b=b, options=["--entries", r.choice(["decimal", "decimal", "binary64"])], **shape(r))


def sparse(r):
    """Duplicates, parts that cancel, empty rows and columns; square or not."""
    rows = r.randint(1, 20)
    cols = rows if r.random() < 0.6 else r.randint(1, 20)
    quarter = Fraction(1, 4)
    entries = []
    for _ in range(r.randint(0, 3 * max(rows, cols))):
        x, y = r.choice([(1, 0), (0, 1), (1, 1), (1, 1)])
        entries.append((r.randrange(rows), r.randrange(cols), word(x * r.randint(-8, 8) * quarter),
                        word(y * r.randint(-8, 8) * quarter)))
    for _ in range(r.randint(0, 4)):
        if entries:
            i, j, x, y = r.choice(entries)
            p, q = r.choice([(1, 1), (1, 0), (0, 1)])
            entries.append((i, j, word(-p * Fraction(x)), word(-q * Fraction(y))))
    system = ComplexSystem(rows, cols, entries)
    k = form(*system.given(Fraction))
    return ComplexSystem(rows, cols, entries, right_sides(r, k))


def nearly_singular(r):
    """Singular Gaussian integers, and decimals of 10^-10 to 10^-80 added."""
    n = r.randint(1, 6)
    gap = Fraction(1, 10**r.randint(10, 80))
    is_hermitian = r.random() < 0.5
    k = hermitian_of_rank(r, n, max(n - r.randint(1, 2), 0), True) if is_hermitian else of_rank(r, n, n, n - 1)
    for _ in range(r.randint(1, 3)):
        i, j = r.randrange(n), r.randrange(n)
        more = ([[Fraction(0)] * n for _ in range(n)] for _ in range(2))
        re, im = more
        re[i][j], im[i][j] = gap, r.choice([0, 1, -1]) * gap
        by = form(re, im)
        if is_hermitian:
            by = [[x + y for x, y in zip(p, q)] for p, q in zip(by, adjoint(by))]
        k = [[x + y for x, y in zip(p, q)] for p, q in zip(k, by)]
    return of_form(k, CONJUGATED if is_hermitian else "general", right_sides(r, k),
                   options=[] if r.random() < 0.7 else ["--entries", "decimal"], **shape(r))


def graded(r):
    """Rows and columns have sizes from 10^-20 to 10^20, and phases."""
    n = r.randint(2, 7)
    k = of_rank(r, n, n, n - r.randint(0, 1))
    size = r.randint(1, 20)
    lines = [Fraction(10)**r.randint(-size, size) for _ in range(n)]
    columns = [Fraction(10)**r.randint(-size, size) for _ in range(n)]
    k = [[x * lines[p // 2] * columns[q // 2] for q, x in enumerate(row)] for p, row in enumerate(k)]
    return of_form(k, b=right_sides(r, k), options=["--entries", "decimal"] if r.random() < 0.7 else [], **shape(r))


def barely_outside(r):
    n = r.randint(2, 8)
    k = of_rank(r, n, n, n - 1, zeros=0.1)
    return of_form(k, b=[some_right_side(r, k, Fraction(1, 10**r.randint(3, 60)))])


def lone(r):
    rows, cols = r.choice([(1, 1), (1, 1), (1, r.randint(2, 5)), (r.randint(2, 5), 1)])

    def some():
        return [[Fraction(r.randint(-3, 3), r.choice([1, 4, 10])) for _ in range(cols)] for _ in range(rows)]
    k = form(some(), some())
    return of_form(k, b=right_sides(r, k), **shape(r))


def kkt(r):
    """[H B^H; B 0] with a hermitian definite or semidefinite H, and constraints some of which repeat others."""
    n, m = r.randint(2, 6), r.randint(1, 4)
    h = hermitian_of_rank(r, n, n if r.random() < 0.6 else r.randint(1, n), True)
    b = of_rank(r, m, n, max(m - r.randint(0, 2), 1))
    k = [x + y for x, y in zip(h, adjoint(b))] + [x + [Fraction(0)] * (2 * m) for x in b]
    return of_form(k, CONJUGATED, right_sides(r, k))


TURNS = [(1, 0), (0, 1), (-1, 0), (0, -1)]


def turned_laplacian(r):
    """D^H L D with the Laplacian L of islands and phases 1, i, -1, -i in D: singular unless all are grounded."""
    a = of_reals.laplacian(r, lambda r: Fraction(r.randint(1, 9)), r.choice([0, 0, 0.5, 1]))
    n = len(a)
    phase = [r.randrange(4) for _ in range(n)]
    turn = [[TURNS[(phase[j] - phase[i]) % 4] for j in range(n)] for i in range(n)]
    k = form([[x * t[0] for x, t in zip(row, turns)] for row, turns in zip(a, turn)],
             [[x * t[1] for x, t in zip(row, turns)] for row, turns in zip(a, turn)])
    return of_form(k, CONJUGATED, right_sides(r, k))


def large(r):
    """Sparse, of 20 to 60 unknowns, dominant, so that A is not singular; x is known."""
    n = r.randint(20, 60)
    re, im = ([[Fraction(0)] * n for _ in range(n)] for _ in range(2))
    is_hermitian = r.random() < 0.4
    for i in range(n):
        for j in r.sample(range(n), 2):
            if j < i or not is_hermitian:
                re[i][j], im[i][j] = Fraction(r.randint(-3, 3)), Fraction(r.randint(-3, 3))
                if is_hermitian:
                    re[j][i], im[j][i] = re[i][j], -im[i][j]
    for i in range(n):
        off = sum(abs(x) + abs(y) for j, (x, y) in enumerate(zip(re[i], im[i])) if j != i) + 1
        size = off + r.randint(0, 4)
        re[i][i], im[i][i] = ((r.choice([-1, 1, 1, 1]) * size, Fraction(0)) if is_hermitian else
                              r.choice([(size, Fraction(0)), (Fraction(0), size), (size, -size)]))
    return of_known_x(r, form(re, im), CONJUGATED if is_hermitian else "general")


def helmholtz(r):
    """A chain of 2 to 60 with a shift that makes it indefinite, and losses at its ends: complex symmetric."""
    n = r.randint(2, 60)
    re = [[Fraction(2 - Fraction(r.randint(1, 3), 4)) if i == j else Fraction(-1 if abs(i - j) == 1 else 0)
           for j in range(n)] for i in range(n)]
    im = [[Fraction(-1 if i == j and (i in (0, n - 1) or r.random() < 0.1) else 0) for j in range(n)] for i in range(n)]
    return of_known_x(r, form(re, im), PLAIN)  # losses somewhere: imag(x^H A x) < 0 on a chain


def of_known_x(r, k, kind):
    n = len(k) // 2
    x = random_vector(r, n)
    b = [row[0] for row in product(k, [[t] for t in x])]
    system = of_form(k, kind, [pairs_of_words(b)])
    if system.complex and any(x):
        system.x, system.rank = [x], 2 * n
    return system


KINDS = [general, rank_deficient, hermitian, complex_symmetric, skew_hermitian, skew_symmetric, imaginary_diagonal,
         rectangular, tall_and_sparse, real_matrix, real_right_side, only_real, ill_conditioned, long_decimals,
         short_decimals, sparse, nearly_singular, graded, barely_outside, lone, kkt, turned_laplacian, large, helmholtz]


def system_number(k):
    system, kind, r = of_reals.made_by(KINDS, k, 1_000_000 + k)
    if system.x is None and system.header_rows == system.header_cols and r.random() < 0.1:
        system.transpose()
    return system, kind, r
