"""Systems whose matrix is singular, nearly singular or rectangular."""
import random
from fractions import Fraction

from system_files import System, word


def of_rows(a, symmetric=False, b="rowsum", **more):
    """The system of a matrix of Fractions."""
    entries = [(i, j, word(x)) for i, row in enumerate(a) for j, x in enumerate(row)
               if x and (not symmetric or j <= i)]
    return System(len(a), len(a[0]), entries, b, symmetric, **more)


def product(a, b):
    return [[sum((x * b[k][j] for k, x in enumerate(row) if x), Fraction(0)) for j in range(len(b[0]))] for row in a]


def integers(r, rows, cols, most=5, zeros=0.3):
    return [[Fraction(0 if r.random() < zeros else r.randint(-most, most)) for _ in range(cols)] for _ in range(rows)]


def of_rank(r, rows, cols, rank, **more):
    if rank == 0:
        return [[Fraction(0)] * cols for _ in range(rows)]
    return product(integers(r, rows, rank, **more), integers(r, rank, cols, **more))


def symmetric_of_rank(r, n, rank, definite):
    if rank == 0:
        return [[Fraction(0)] * n for _ in range(n)]
    half = integers(r, n, rank)
    signs = [1 if definite else r.choice([-1, 1]) for _ in range(rank)]
    return product([[x * s for x, s in zip(row, signs)] for row in half], [list(c) for c in zip(*half)])


def product_with_integers(r, a, off=None):
    """A x for integers x, with something added where `off` says so."""
    b = [row[0] for row in product(a, [[Fraction(r.randint(-9, 9))] for _ in a[0]])]
    if off is not None:
        b[r.randrange(len(b))] += off
    return b


def some_right_sides(r, rows, column):
    """A name of b, or columns that column(off) makes: of b in the range of A in half of the cases; several now and then."""
    how = r.random()
    if how < 0.15:
        return "rowsum"
    if how < 0.25:
        return r.choice(["ones", f"unit:{r.randint(1, rows)}"])
    columns = 1 if how < 0.85 else r.randint(2, 4)
    return [column(r.choice([None, None, Fraction(1), Fraction(1, 1000)])) for _ in range(columns)]


def some_right_side(r, a, off=None):
    return [word(t) for t in product_with_integers(r, a, off)]


def right_sides(r, a):
    return some_right_sides(r, len(a), lambda off: some_right_side(r, a, off))


def dense_square(r):
    n = r.randint(2, 12)
    rank = r.randint(max(n - 3, 0), n - 1) if r.random() < 0.8 else r.randint(0, n)
    if r.random() < 0.5:
        a = symmetric_of_rank(r, n, rank, r.random() < 0.5)
        return of_rows(a, True, right_sides(r, a))
    a = of_rank(r, n, n, rank)
    return of_rows(a, False, right_sides(r, a))


def rectangular(r):
    rows, cols = r.randint(1, 12), r.randint(1, 12)
    least = min(rows, cols)
    a = of_rank(r, rows, cols, least if r.random() < 0.4 else r.randint(0, least), zeros=r.choice([0.1, 0.7]))
    return of_rows(a, False, right_sides(r, a))


def laplacian(r, weight, ground=0.0):
    """A graph of islands, each a random tree with a few edges more; some are grounded."""
    n = r.randint(1, 30)
    a = [[Fraction(0)] * n for _ in range(n)]
    order = list(range(n))
    r.shuffle(order)
    islands, at = [], 0
    while at < n:
        size = r.randint(1, n - at)
        islands.append(order[at:at + size])
        at += size
    for island in islands:
        edges = [(island[k], island[r.randrange(k)]) for k in range(1, len(island))]
        edges += [tuple(r.sample(island, 2)) for _ in range(len(island) // 3) if len(island) > 1]
        for i, j in edges:
            w = weight(r)
            a[i][i], a[j][j], a[i][j], a[j][i] = a[i][i] + w, a[j][j] + w, a[i][j] - w, a[j][i] - w
        if r.random() < ground:
            a[island[0]][island[0]] += 1
    return a


def integer_laplacian(r):
    a = laplacian(r, lambda r: Fraction(r.randint(1, 9)), r.choice([0, 0, 0.5]))
    return of_rows(a, True, right_sides(r, a))


def decimal_laplacian(r):
    a = laplacian(r, lambda r: Fraction(r.randint(1, 99), 10**r.randint(1, 3)))
    return of_rows(a, True, right_sides(r, a), options=["--entries", r.choice(["decimal", "decimal", "binary64"])])


def directed_laplacian(r):
    """Rows sum to zero, columns do not."""
    n = r.randint(2, 15)
    a = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in r.sample(range(n), min(n, r.randint(1, 3))):
            if i != j:
                w = Fraction(r.randint(1, 9))
                a[i][j] -= w
                a[i][i] += w
    return of_rows(a, False, right_sides(r, a))


def decimals(r):
    rows = r.randint(1, 10)
    cols = rows if r.random() < 0.7 else r.randint(1, 10)
    least = min(rows, cols)
    a = of_rank(r, rows, cols, r.randint(max(least - 2, 0), least))
    scale = Fraction(1, 10**r.randint(1, 3))
    a = [[x * scale for x in row] for row in a]
    b = right_sides(r, a)
    return of_rows(a, False, b, options=["--entries", r.choice(["decimal", "decimal", "binary64"])])


def nearly_singular(r):
    """A singular matrix of integers, and decimals of 10^-10 to 10^-80 added to it."""
    n = r.randint(1, 8)
    gap = Fraction(1, 10**r.randint(10, 80))
    symmetric = r.random() < 0.5
    a = symmetric_of_rank(r, n, max(n - r.randint(1, 2), 0), True) if symmetric else of_rank(r, n, n, n - 1)
    for _ in range(r.randint(1, 3)):
        i, j = r.randrange(n), r.randrange(n)
        a[i][j] += gap
        if symmetric and i != j:
            a[j][i] += gap
    return of_rows(a, symmetric, right_sides(r, a), options=[] if r.random() < 0.7 else ["--entries", "decimal"])


def nearly_dependent_columns(r):
    """A tall or wide matrix one column of which is another one but for 10^-5 to 10^-40."""
    rows, cols = r.randint(3, 10), r.randint(2, 5)
    a = integers(r, rows, cols, zeros=0.1)
    gap = Fraction(1, 10**r.randint(5, 40))
    for row in a:
        row[-1] = row[0] + r.randint(-3, 3) * gap
    if r.random() < 0.4:
        a = [list(column) for column in zip(*a)]
    return of_rows(a, False, right_sides(r, a))


def sparse(r):
    """Duplicates, empty rows and columns; square or not."""
    rows = r.randint(1, 30)
    cols = rows if r.random() < 0.6 else r.randint(1, 30)
    entries = []
    for _ in range(r.randint(0, 3 * max(rows, cols))):
        entries.append((r.randrange(rows), r.randrange(cols), word(Fraction(r.randint(-8, 8), 4))))
    for _ in range(r.randint(0, 4)):
        if entries:
            i, j, text = r.choice(entries)
            entries.append((i, j, word(-Fraction(text) * r.choice([1, 1, 2]))))
    system = System(rows, cols, entries)
    system.b = right_sides(r, system.matrix(Fraction))
    return system


def zero(r):
    rows = r.randint(1, 6)
    cols = rows if r.random() < 0.5 else r.randint(1, 6)
    entries = [(r.randrange(rows), r.randrange(cols), "0")] if r.random() < 0.5 else []
    b = r.choice(["rowsum", "ones", [["0"] * rows], [[str(i) for i in range(rows)]]])
    return System(rows, cols, entries, b)


def lone(r):
    """One row or one column."""
    rows, cols = r.choice([(1, 1), (1, r.randint(2, 6)), (r.randint(2, 6), 1)])
    a = [[Fraction(r.randint(-3, 3), r.choice([1, 4, 10])) for _ in range(cols)] for _ in range(rows)]
    return of_rows(a, False, right_sides(r, a))


def kkt(r):
    """[H B'; B 0] with a definite or semidefinite H, and constraints some of which repeat others."""
    n, m = r.randint(2, 10), r.randint(1, 6)
    h = symmetric_of_rank(r, n, n if r.random() < 0.6 else r.randint(1, n), True)
    if r.random() < 0.6:
        for i in range(n):
            h[i][i] += r.randint(1, 5)
    b = of_rank(r, m, n, max(m - r.randint(0, 3), 1))
    a = [h[i] + [b[k][i] for k in range(m)] for i in range(n)] + [b[k] + [Fraction(0)] * m for k in range(m)]
    return of_rows(a, True, right_sides(r, a))


def graded(r):
    """A singular matrix whose rows and columns have sizes from 10^-20 to 10^20."""
    n = r.randint(2, 8)
    a = of_rank(r, n, n, n - r.randint(0, 2))
    size = r.randint(1, 20)
    lines = [Fraction(10)**r.randint(-size, size) for _ in range(n)]
    columns = [Fraction(10)**r.randint(-size, size) for _ in range(n)]
    a = [[x * s * t for x, t in zip(row, columns)] for row, s in zip(a, lines)]
    return of_rows(a, False, right_sides(r, a), options=["--entries", "decimal"] if r.random() < 0.7 else [])


def ill_conditioned(r):
    """A matrix of integers that is singular, and whose part that is not has a condition of up to 1e30."""
    n = r.randint(4, 14)
    chain = [[Fraction(1 if i == j else -r.randint(2, 9) if j == i + 1 else 0) for j in range(n)] for i in range(n)]
    a = product(of_rank(r, n, n, n - r.randint(1, 2), zeros=0.1), chain)
    if r.random() < 0.5:
        a = product([list(column) for column in zip(*chain)], a)
    return of_rows(a, False, right_sides(r, a))


def skew(r):
    """Of odd order, so singular."""
    n = 2 * r.randint(1, 5) + 1
    half = integers(r, n, n)
    a = [[half[i][j] if i < j else -half[j][i] if j < i else Fraction(0) for j in range(n)] for i in range(n)]
    return of_rows(a, False, right_sides(r, a))


def barely_outside(r):
    """b is outside of the range by 10^-3 to 10^-60."""
    n = r.randint(2, 10)
    a = of_rank(r, n, n, n - 1, zeros=0.1)
    return of_rows(a, False, [some_right_side(r, a, Fraction(1, 10**r.randint(3, 60)))])


def large(r):
    """Sparse, of 40 to 300 unknowns. Some rows are sums of others, and some columns, so that the rank is
    known; x = A'y is the shortest solution."""
    n = r.randint(40, 300)
    extra = r.randint(1, 4)
    core = n - extra
    rows = []
    for i in range(core):
        row = {j: Fraction(r.randint(-3, 3)) for j in r.sample(range(core), 2)}
        row[i] = Fraction(r.randint(8, 12))  # dominant, so that the rank is core
        rows.append({j: x for j, x in row.items() if x})
    for k in range(extra):  # a column that is a sum of two others
        p, q = r.sample(range(core), 2)
        for row in rows:
            x = row.get(p, Fraction(0)) + row.get(q, Fraction(0))
            if x:
                row[core + k] = x
    for k in range(extra):
        p, q = r.sample(range(core), 2)
        total = dict(rows[p])
        for j, x in rows[q].items():
            total[j] = total.get(j, Fraction(0)) - x
        rows.append({j: x for j, x in total.items() if x})
    place_of_row, place = list(range(n)), list(range(n))
    r.shuffle(place_of_row)
    r.shuffle(place)
    rows = [{place[j]: x for j, x in rows[i].items()} for i in place_of_row]
    x = [Fraction(0)] * n
    for row in rows:
        y = r.randint(-3, 3)
        for j, value in row.items():
            x[j] += y * value
    b = [[word(sum((value * x[j] for j, value in row.items()), Fraction(0))) for row in rows]]
    system = System(n, n, [(i, j, word(value)) for i, row in enumerate(rows) for j, value in row.items()], b, x=[x])
    system.rank = core
    return system


def large_laplacian(r):
    """Paths, trees and grids of up to 400 vertices in all. x = A'y is the shortest solution."""
    edges, n, islands = [], 0, 0
    while n < 200:
        kind, size = r.choice(["path", "tree", "grid"]), r.randint(2, 200)
        if kind == "path":
            edges += [(n + k, n + k + 1) for k in range(size - 1)]
        elif kind == "tree":
            edges += [(n + k, n + r.randrange(k)) for k in range(1, size)]
        else:
            side = int(size**0.5)
            size = side * side
            edges += [(n + k, n + k + 1) for k in range(size) if (k + 1) % side]
            edges += [(n + k, n + k + side) for k in range(size - side)]
        n, islands = n + size, islands + 1
    lower, diagonal = {}, [Fraction(0)] * n
    for i, j in edges:
        w = Fraction(r.randint(1, 4))
        lower[max(i, j), min(i, j)] = -w
        diagonal[i] += w
        diagonal[j] += w
    entries = [(i, i, word(x)) for i, x in enumerate(diagonal)] + [(i, j, word(x)) for (i, j), x in lower.items()]

    def times(v):
        result = [x * t for x, t in zip(diagonal, v)]
        for (i, j), x in lower.items():
            result[i] += x * v[j]
            result[j] += x * v[i]
        return result

    x = times([Fraction(r.randint(-3, 3)) for _ in range(n)])
    system = System(n, n, entries, [[word(t) for t in times(x)]], True, x=[x])
    system.rank = n - islands
    return system


def tall_and_sparse(r):
    """So sparse that least squares go by the augmented system; of full rank or not."""
    cols = r.randint(5, 15)
    rows = cols + r.randint(10, 40)
    a = [[Fraction(0)] * cols for _ in range(rows)]
    for row in a:
        for j in r.sample(range(cols), 2):
            row[j] = Fraction(r.randint(-5, 5))
    if r.random() < 0.5:
        for row in a:
            row[-1] = row[0] + row[1]
    return of_rows(a, False, right_sides(r, a))


def free_pressure(r):
    """[H B'; B 0] with a diagonal H from 2^-50 to 1, and differences of pressures in B; some rows repeat others."""
    n, m = r.randint(1, 10), r.randint(1, 6)
    h = [[Fraction(2 * r.randint(0, 19) + 1, 2**r.randint(0, 50)) if i == j else Fraction(0) for j in range(n)]
         for i in range(n)]
    b = [[Fraction(0)] * n for _ in range(m)]
    for j in range(n):
        p, q, weight = r.randrange(m), r.randrange(m), r.randint(1, 5)
        b[p][j] += weight
        b[q][j] -= weight
    if r.random() < 0.3:
        b.append([2 * x for x in r.choice(b)])
        m += 1
    a = [h[i] + [b[k][i] for k in range(m)] for i in range(n)] + [b[k] + [Fraction(0)] * m for k in range(m)]
    return of_rows(a, True, right_sides(r, a), options=[] if r.random() < 0.7 else ["--entries", "decimal"])


KINDS = [dense_square, rectangular, integer_laplacian, decimal_laplacian, directed_laplacian, decimals, nearly_singular,
         nearly_dependent_columns, sparse, zero, lone, kkt, graded, ill_conditioned, skew, barely_outside, large,
         large_laplacian, tall_and_sparse, free_pressure]


def made_by(kinds, k, seed):
    """The system of number k, its kind, and the source of randomness that made it."""
    r = random.Random(seed)
    kind = kinds[k % len(kinds)]
    return kind(r), kind.__name__, r


def system_number(k):
    return made_by(KINDS, k, k)
