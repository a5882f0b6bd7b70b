"""Generated matrices are what their names say, and data/ is what its README says."""
import math
import re
import shlex
import unittest
from fractions import Fraction

from support import DATA, DONE, RESOURCES, TestCase, program, read_coordinate


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
        self.assertEqual(len(kinds), 15)
        for kind in kinds:
            self.assertEqual(self.make(kind, 1)[0], 1)

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
