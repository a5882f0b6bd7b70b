"""Generated matrices are what their names say, and data/ is what its README says."""
import itertools
import math
import re
import shlex
import unittest
from fractions import Fraction

from support import BAD_INPUT, DATA, DONE, RESOURCES, USAGE, TestCase, program, read_coordinate


def solve_exactly(n, entries, b):
    """Gauss on fractions."""
    rows = [[entries.get((i, j), Fraction(0)) for j in range(n)] + [b[i]] for i in range(n)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * c for a, c in zip(rows[i], rows[k])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def free_nodes(n):
    """The nodes of elasticity3d that are not held, with their numbers: x is fastest."""
    return {(x, y, z): k for k, (z, y, x) in enumerate(itertools.product(range(n + 1), range(n + 1), range(1, n + 1)))}


MOTIONS = [lambda p, k=k: [int(i == k) for i in range(3)] for k in range(3)]
MOTIONS += [lambda p: (-p[1], p[0], 0), lambda p: (0, -p[2], p[1]), lambda p: (p[2], 0, -p[0])]  # small rotations


def assembled(n, nu, free):
    """720 (1 + nu)(1 - 2 nu) times the stiffness of cubes of side 1, from the strains of each element by Simpson's rule, which is
    exact for polynomials of degree 3 in each direction."""
    lame, shear = 720 * nu, 360 * (1 - 2 * nu)
    simpson = {Fraction(0): Fraction(1, 6), Fraction(1, 2): Fraction(2, 3), Fraction(1): Fraction(1, 6)}
    corners = list(itertools.product((0, 1), repeat=3))
    element = {}
    for point in itertools.product(simpson, repeat=3):
        strains = {}  # of corner p moved along i: a symmetric 3 x 3 tensor
        for p, c in enumerate(corners):
            ends = [x if up else 1 - x for x, up in zip(point, c)]
            slope = [math.prod((1 if c[k] else -1) if k == axis else ends[k] for k in range(3)) for axis in range(3)]
            for i in range(3):
                strains[p, i] = [[Fraction((slope[k] * (m == i) + slope[m] * (k == i))) / 2 for m in range(3)] for k in range(3)]
        weight = math.prod(simpson[x] for x in point)
        for u, v in itertools.product(strains, repeat=2):
            e, f = strains[u], strains[v]
            both = sum(e[k][m] * f[k][m] for k in range(3) for m in range(3))
            traces = sum(e[k][k] for k in range(3)) * sum(f[k][k] for k in range(3))
            element[u, v] = element.get((u, v), 0) + weight * (2 * shear * both + lame * traces)
    matrix = {}
    for cell in itertools.product(range(n), repeat=3):
        at = [free.get(tuple(a + b for a, b in zip(cell, c))) for c in corners]
        for ((p, i), (q, j)), value in element.items():
            if at[p] is not None and at[q] is not None:
                place = 3 * at[p] + i, 3 * at[q] + j
                matrix[place] = matrix.get(place, 0) + value
    return matrix


class Generate(TestCase):
    def make(self, kind, n, *options):
        path = self.folder / "a.mtx"
        self.exits(DONE, "generate", kind, "--n", n, "-o", path, *options)
        return read_coordinate(path)

    def assert_entries(self, got, n, entry, tolerance=Fraction(0)):
        order, entries = got
        self.assertEqual(order, n)
        for i in range(n):
            for j in range(n):
                wanted = entry(i + 1, j + 1)
                self.assertLessEqual(abs(entries.get((i, j), 0) - wanted), tolerance * abs(wanted), (i, j))

    def test_hilbert_is_rounded_to_the_digits_asked_for(self):
        half_unit = Fraction(5, 10**40)
        self.assert_entries(self.make("hilbert", 7), 7, lambda i, j: Fraction(1, i + j - 1), half_unit)
        half_unit = Fraction(5, 10**60)
        self.assert_entries(self.make("hilbert", 7, "--digits", 60), 7, lambda i, j: Fraction(1, i + j - 1), half_unit)

    def test_binary64_entries_are_written_exactly(self):
        self.assert_entries(self.make("hilbert", 9, "--binary64"), 9, lambda i, j: Fraction(1 / (i + j - 1)))

    def test_invhilbert_is_the_inverse_of_hilbert(self):
        n, entries = self.make("invhilbert", 12)
        for i in range(n):
            for j in range(n):
                product = sum(Fraction(1, i + k + 1) * entries[k, j] for k in range(n))
                self.assertEqual(product, 1 if i == j else 0)

    def test_lotkin(self):
        self.assert_entries(self.make("lotkin", 5), 5, lambda i, j: Fraction(1, 1 if i == 1 else i + j - 1), Fraction(5, 10**40))

    def test_vandermonde(self):
        self.assert_entries(self.make("vandermonde", 9), 9, lambda i, j: Fraction(j - 1, 8) ** (i - 1), Fraction(5, 10**40))
        self.assert_entries(self.make("vandermonde", 1), 1, lambda i, j: Fraction(1))

    def test_pascal_and_frank_are_integers(self):
        self.assert_entries(self.make("pascal", 40), 40, lambda i, j: Fraction(math.comb(i + j - 2, i - 1)))
        self.assert_entries(self.make("frank", 6), 6, lambda i, j: Fraction(7 - max(i, j) if i <= j + 1 else 0))

    def test_kahan(self):
        n, entries = self.make("kahan", 6, "--theta", "0.7")
        s, c = math.sin(0.7), math.cos(0.7)
        for i in range(n):
            for j in range(n):
                wanted = s**i if i == j else -c * s**i if i < j else 0.0
                self.assertAlmostEqual(float(entries[i, j]), wanted, 14)
        # beyond binary64: sin^2 + cos^2 = 1 to 40 digits
        self.assertLess(abs(entries[1, 1] ** 2 + entries[0, 1] ** 2 - 1), Fraction(1, 10**39))

    def test_wilkinson(self):
        self.assert_entries(self.make("wilkinson", 5), 5, lambda i, j: abs(i - 3) if i == j else int(abs(i - j) == 1))
        self.assert_entries(self.make("wilkinson", 4), 4, lambda i, j: abs(i - Fraction(5, 2)) if i == j else int(abs(i - j) == 1))

    def test_toeplitz(self):
        self.assert_entries(self.make("toeplitz", 6), 6, lambda i, j: {0: 2, 1: 1, -2: 2}.get(j - i, 0))
        self.assert_entries(self.make("toeplitz", 1), 1, lambda i, j: 2)

    def test_stencils(self):
        def neighbours(n, dimensions, weights):
            def entry(i, j):
                p = [((i - 1) // n**d % n, (j - 1) // n**d % n) for d in range(dimensions)]
                different = [b - a for a, b in p if a != b]
                if not different:
                    return weights["centre"]
                return weights.get(different[0], 0) if len(different) == 1 else 0
            return entry
        poisson = {-1: -1, 1: -1}
        for d in (1, 2, 3):
            self.assert_entries(self.make(f"poisson{d}d", 4), 4**d, neighbours(4, d, {**poisson, "centre": 2 * d}))
        wind = {"centre": 4, -1: Fraction(-19, 10), 1: Fraction(-1, 10)}
        self.assert_entries(self.make("convection-diffusion", 4, "--peclet", "0.9"), 16, neighbours(4, 2, wind))

    def test_elasticity3d_is_assembled_from_elements(self):
        for n, ratio in ((1, "0.3"), (2, "0.3"), (2, "0.25"), (2, "-0.5")):
            nu, free = Fraction(ratio), free_nodes(n)
            wanted = assembled(n, nu, free)
            order, entries = self.make("elasticity3d", n, "--ratio", ratio)
            self.assertEqual(order, 3 * n * (n + 1) ** 2)
            self.assertEqual(entries, {place: value for place, value in wanted.items() if value != 0})

    def test_elasticity3d_is_positive_definite_and_a_free_body_moves_without_force(self):
        n, free = 2, free_nodes(2)
        order, entries = self.make("elasticity3d", n)
        rows = [[entries.get((i, j), Fraction(0)) for j in range(order)] for i in range(order)]
        for k in range(order):  # pivots of L D L'
            self.assertGreater(rows[k][k], 0)
            for i in range(k + 1, order):
                factor = rows[i][k] / rows[k][k]
                if factor:
                    rows[i] = [a - factor * c for a, c in zip(rows[i], rows[k])]
        for x, y, z in free:  # rows of nodes that no held node touches
            i = 3 * free[x, y, z]
            for d in range(3) if x > 1 else ():
                for motion in MOTIONS:
                    force = sum(entries.get((i + d, 3 * k + e), 0) * motion(node)[e] for node, k in free.items() for e in range(3))
                    self.assertEqual(force, 0)

    def test_elasticity3d_says_where_its_nodes_are(self):
        places = self.folder / "places.mtx"
        self.make("elasticity3d", 2, "--coordinates", places)
        head, *numbers = [line for line in places.read_text().splitlines() if not line.startswith("%")]
        self.assertEqual(head, "18 3")
        columns = [list(map(int, numbers[18 * k:18 * k + 18])) for k in range(3)]
        self.assertEqual(list(zip(*columns)), list(free_nodes(2)))

    def test_elasticity3d_refuses_what_no_body_has(self):
        a = self.folder / "a.mtx"
        for ratio in ("0.5", "-1", "7"):
            self.exits(BAD_INPUT, "generate", "elasticity3d", "--n", 2, "--ratio", ratio, "-o", a, says="Poisson's ratio")
        self.exits(USAGE, "generate", "elasticity3d", "--n", 2, "-o", a, "--coordinates", a, says="is the file of --output")
        self.exits(USAGE, "generate", "poisson3d", "--n", 2, "-o", a, "--coordinates", "c.mtx", says="has no use for it")
        self.exits(USAGE, "generate", "elasticity3d", "--n", 900, "-o", a, says="2^31 - 1")

    def test_graded_leaves_binary64(self):
        n, entries = self.make("graded", 5, "--cond", "1e400")
        self.assertEqual([entries[i, i] for i in range(n)], [Fraction(4) / 10 ** (100 * i) for i in range(n)])
        self.assertEqual(entries[1, 0], Fraction(-1, 10**50))

    def test_randsvd_has_the_condition_asked_for(self):
        for extra in ([], ["--definite"]):
            n, entries = self.make("randsvd", 6, "--cond", "1e30", "--seed", 5, *extra)
            columns = [solve_exactly(n, entries, [Fraction(i == j) for i in range(n)]) for j in range(n)]
            frobenius = lambda values: math.sqrt(sum(float(v) ** 2 for v in values))
            condition = frobenius(entries.values()) * frobenius(v for c in columns for v in c)
            # In the Frobenius norm it is sum(sigma^2)^(1/2) sum(sigma^-2)^(1/2), here within 1e-12 of 1e30
            self.assertAlmostEqual(condition / 1e30, 1.0, 11)
            if extra:
                self.assertTrue(all(entries[i, j] == entries[j, i] for i in range(n) for j in range(n)))

    def test_seeds_differ(self):
        self.assertNotEqual(self.make("randsvd", 3, "--seed", 1), self.make("randsvd", 3, "--seed", 2))

    def test_order_1_of_every_kind(self):
        kinds = re.findall(r"^  ([a-z0-9-]+)  ", program("generate", "--help").stdout.partition("Kinds:")[2], re.M)
        self.assertEqual(len(kinds), 20)
        for kind in kinds:
            path = self.folder / "a.mtx"
            self.exits(DONE, "generate", kind, "--n", 1, "-o", path)
            sizes = next(s for s in path.read_text().splitlines() if not s.startswith("%"))
            self.assertEqual(sizes.split()[0], "12" if kind == "elasticity3d" else "1")

    def make_complex(self, kind, n, *options):
        """The banner's words, and {(row, col): (real, imaginary)} of what is stored."""
        path = self.folder / "c.mtx"
        self.exits(DONE, "generate", kind, "--n", n, "-o", path, *options)
        banner, *lines = path.read_text().splitlines()
        lines = [s.split() for s in lines if not s.startswith("%")]
        _, _, form, field, symmetry = banner.split()
        self.assertEqual(field, "complex")
        order = int(lines[0][0])
        places = [(i, j) for j in range(order) for i in range(0 if symmetry == "general" else j, order)]
        if form == "coordinate":
            places = [(int(s[0]) - 1, int(s[1]) - 1) for s in lines[1:]]
            self.assertEqual(int(lines[0][2]), len(places))
        return symmetry, order, {at: (Fraction(s[-2]), Fraction(s[-1])) for at, s in zip(places, lines[1:], strict=True)}

    def test_waves_on_grids_are_complex_symmetric(self):
        n, k = 4, Fraction("0.7")
        diagonals = {"helmholtz2d": lambda missing: (4 - missing - k * k, -missing * k),
                     "shifted-laplacian2d": lambda missing: (4 - k * k, k * k / 2)}
        for kind, diagonal in diagonals.items():
            symmetry, order, entries = self.make_complex(kind, n, "--wavenumber", "0.7")
            wanted = {}
            for p, q in itertools.product(range(n), repeat=2):
                wanted[p + n * q, p + n * q] = diagonal(sum(x in (0, n - 1) for x in (p, q)))
                wanted.update({(p + 1 + n * q, p + n * q): (-1, 0)} if p < n - 1 else {})
                wanted.update({(p + n * (q + 1), p + n * q): (-1, 0)} if q < n - 1 else {})
            self.assertEqual((symmetry, order, entries), ("symmetric", n * n, wanted))
        self.assertEqual(self.make_complex("helmholtz2d", 1)[2], {(0, 0): (-Fraction(1, 4), -2)})

    def test_scattering_has_a_barrier_in_rotated_coordinates(self):
        n = 6
        symmetry, _, entries = self.make_complex("scattering1d", n)
        self.assertEqual(symmetry, "symmetric")

        def product(x, y):
            return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]

        def inverse(x):
            size = x[0] ** 2 + x[1] ** 2
            return x[0] / size, -x[1] / size

        turn, h = (Fraction(4, 5), Fraction(3, 5)), Fraction(20, n + 1)
        kinetic = inverse(product(turn, turn))
        wanted = {(j + 1, j): (-kinetic[0], -kinetic[1]) for j in range(n - 1)}
        for j in range(n):
            x = [t * (h * (j + 1) - 10) for t in turn]
            square = product(x, x)
            barrier = inverse((1 + square[0], square[1]))
            wanted[j, j] = tuple(2 * a + h * h * (4 * b - c) for a, b, c in zip(kinetic, barrier, (1, 0)))
        self.assertEqual(entries.keys(), wanted.keys())
        for at, z in wanted.items():
            for got, part in zip(entries[at], z):
                self.assertLessEqual(abs(got - part), Fraction(1, 10**38), at)

    def test_hermitian_toeplitz_has_powers_of_its_pole(self):
        symmetry, n, entries = self.make_complex("hermitian-toeplitz", 5, "--theta", "0.3")
        self.assertEqual((symmetry, n, len(entries)), ("hermitian", 5, 15))
        for (i, j), (re, im) in entries.items():
            size, angle = 0.9 ** (i - j), 0.3 * (i - j)
            self.assertLess(abs(float(re) - size * math.cos(angle)) + abs(float(im) - size * math.sin(angle)), 1e-15)
            self.assertLess(abs(re * re + im * im - Fraction(9, 10) ** (2 * (i - j))), Fraction(1, 10**38))

    def test_complex_randsvd_has_the_sizes_of_the_real_one(self):
        for more, symmetry in [((), "general"), (("--definite",), "hermitian")]:
            options = ("--cond", "1e30", "--digits", "60", *more)
            real = self.make("randsvd", 6, *options)[1]
            found, n, entries = self.make_complex("randsvd", 6, "--complex", *options)
            self.assertEqual((found, n), (symmetry, 6))
            self.assertTrue(any(im != 0 for _, im in entries.values()))
            for at, (re, im) in entries.items():
                self.assertLess(abs(re * re + im * im - real[at] ** 2), Fraction(1, 10**55), at)
                self.assertTrue(symmetry == "general" or at[0] != at[1] or im == 0)

    def test_writes_to_standard_output(self):
        text = self.exits(DONE, "generate", "pascal", "--n", 2, "-o", "-").stdout
        self.assertEqual(text.splitlines()[3:], ["2 2", "1", "1", "2"])

    def test_refuses_what_does_not_fit_before_taking_it(self):
        path = self.folder / "a.mtx"
        self.exits(RESOURCES, "generate", "hilbert", "--n", 100_000_000, "-o", path, says="bytes", timeout=10)
        self.exits(RESOURCES, "generate", "randsvd", "--n", 1_000_000, "-o", path, says="bytes", timeout=10)
        self.assertFalse(path.exists())


class Data(TestCase):
    def test_every_file_is_what_its_command_writes(self):
        commands = re.findall(r"\| `(\S+)` \| `residua (generate [^`]+)` \|", (DATA / "README.md").read_text())
        self.assertGreaterEqual(len(commands), 5)
        self.assertEqual({name for name, _ in commands}, {p.name for p in DATA.glob("*.mtx")})
        for name, command in commands:
            with self.subTest(name):
                self.exits(DONE, *shlex.split(command), cwd=self.folder)
                self.assertEqual((self.folder / name).read_bytes(), (DATA / name).read_bytes())


if __name__ == "__main__":
    unittest.main()
