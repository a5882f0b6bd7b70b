"""Iteration counts of CG through the whole command line, against counts that were measured
independently: MPFR, every operation rounded to p bits, left-to-right sums, binary64 entries, b = ones,
until the recursive residual is below 1e-12.

Another rounding or order of sums moves a count by some percent: within 5 % or 2 iterations they
must agree, at 53 bits, where every rounding shows, within 10 %.
"""
import csv
import unittest
from fractions import Fraction

from support import DONE, MATRICES, TestCase, needs_matrices

PRECISIONS = [53, 106, 159, 212, 424]
COUNTS = {
    ("LFAT5", "none"): [31, 19, 14, 14, 12],
    ("LFAT5", "jacobi"): [10, 10, 10, 10, 10],
    ("bcsstk01", "none"): [160, 91, 74, 70, 48],
    ("bcsstk01", "jacobi"): [50, 48, 48, 48, 48],
    ("bcsstk02", "none"): [60, 65, 51, 51, 51],
    ("bcsstk02", "jacobi"): [49, 47, 47, 47, 47],
}


@needs_matrices
class Anchors(TestCase):
    def first_below(self, matrix, precond, bits):
        """The iteration at which the recursive residual was first below 1e-12, and the reported count."""
        history = self.folder / "history.csv"
        report = self.report(DONE, "solve", matrix, "-b", "ones", "-m", "cg", "-P", precond, "-p", bits, "--rtol",
                             "1e-12", "--history", history)
        with history.open() as file:
            first = next(int(row["iteration"]) for row in csv.DictReader(file)
                         if Fraction(row["recursive_relative_residual"]) <= Fraction(1, 10**12))
        return first, report["iterations"]

    def test_iteration_counts_of_cg(self):
        for (name, precond), wanted in COUNTS.items():
            for bits, count in zip(PRECISIONS, wanted, strict=True):
                with self.subTest(matrix=name, precond=precond, bits=bits):
                    first, reported = self.first_below(MATRICES / "public" / f"{name}.mtx", precond, bits)
                    band = max(2, (0.10 if bits == 53 else 0.05) * count)
                    self.assertLessEqual(abs(first - count), band)
                    # In binary64 the true residual may not pass yet, and more iterations follow.
                    if bits > 53:
                        self.assertLessEqual(abs(reported - count), band)


if __name__ == "__main__":
    unittest.main()
