"""Dense systems with the Hilbert matrix, exactly, at the precision that its condition asks for.

Its entries are integers here, lcm(1, ..., 2n - 1) / (i + j - 1), so that nothing is rounded before residua reads it,
and b is formed in integers from a known x. n is 150, or HILBERT_ORDER: 500 takes minutes and 110 MB of
file. HILBERT_EXECUTOR is where to compute: with cuda the products that the tuning table has there.
"""
import math
import os
import unittest

from support import DONE, TestCase, array, coordinate, read_array, where_products_are

ORDER = int(os.environ.get("HILBERT_ORDER", 150))
EXECUTOR = os.environ.get("HILBERT_EXECUTOR", "auto")


def bits_for(n):
    """2^(3.5 n / ln 2) is beyond the condition exp(3.5 n); 128 bits are left."""
    return math.ceil(3.5 * n / math.log(2)) + 128


class Hilbert(TestCase):
    def solve(self, symmetry):
        n = ORDER
        scale = math.lcm(*range(1, 2 * n))
        a = [[scale // (i + j + 1) for j in range(n)] for i in range(n)]
        if symmetry == "general":
            a[0] = [scale] * n  # lotkin: as ill conditioned, and not symmetric
        x = [(-1) ** j * (3 * j + 1) for j in range(n)]
        b = [sum(row[j] * x[j] for j in range(n)) for row in a]
        stored = [(i + 1, j + 1, a[i][j]) for j in range(n) for i in range(j if symmetry == "symmetric" else 0, n)]
        matrix = self.write("a.mtx", coordinate(n, stored, symmetry))
        report = self.report(DONE, "solve", matrix, "-b", self.write("b.mtx", array(b)), "-m", "direct", "-p",
                             bits_for(n), "--entries", "decimal", "-e", EXECUTOR, "-o", self.folder / "x", timeout=900)
        self.assertEqual(report["precision_bits"], bits_for(n))
        there = EXECUTOR.startswith("cuda") and where_products_are(n, symmetry == "symmetric", "auto", bits_for(n))
        self.assertEqual(report["executor"], there or "host")
        largest = max(map(abs, x))
        for got, wanted in zip(read_array(self.folder / "x"), x, strict=True):
            self.assertLessEqual(abs(got - wanted), largest * 10**-16)

    def test_is_solved_to_16_digits_by_cholesky(self):
        self.solve("symmetric")

    def test_is_solved_to_16_digits_by_lu_with_a_first_row_of_ones(self):
        self.solve("general")


if __name__ == "__main__":
    unittest.main()
