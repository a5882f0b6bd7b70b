"""Refinement by factors of any precision: up to which condition GMRES-IR converges, and what it says beyond.

Every row of the table in docs/how-it-works.md, on random matrices with geometric singular values and x = 1. n is 100, or
GMRES_IR_ORDER: 500 takes some minutes.
"""
import os
import unittest
from fractions import Fraction

from support import DONE, NOT_CONVERGED, TestCase, program

ORDER = int(os.environ.get("GMRES_IR_ORDER", 100))
LIMIT_SECONDS = 3600

# factors, precision, and twice the powers of ten of a condition and a tolerance: within three of the limit, and far beyond
ROWS = [
    ("single", 53, (12, 28), (28, 45)),
    ("double", 53, (18, 32), (28, 45)),
    ("double", 106, (28, 58), (44, 70)),
    ("double", 212, (44, 100), (60, 120)),
    ("dd", 212, (60, 110), (80, 140)),
]


class GmresIr(TestCase):
    def matrix(self, decades):
        a = self.folder / f"{decades}.mtx"
        if not a.exists():
            self.exits(DONE, "generate", "randsvd", "--n", ORDER, "--cond", f"1e{decades}", "-o", a)
        return a

    def solve(self, factors, precision, decades, rtol, code):
        report = self.report(code, "solve", self.matrix(decades), "-m", "gmres-ir", "-p", precision, "--factors", factors,
                             "--rtol", f"1e-{rtol}", timeout=LIMIT_SECONDS)
        self.assertEqual([report["factor_bits"], report["precision_bits"]],
                         [{"single": 24, "double": 53, "dd": 106}[factors], precision])
        self.assertEqual(report["escalations"], [])  # factors that are asked for are kept to
        self.assertEqual(report["matrix"]["entries"], "decimal")
        error = Fraction(report["known_error"])
        if report["status"] == "converged":
            self.assertLessEqual(Fraction(report["relative_residual"]), Fraction(1, 10**rtol))
            self.assertLessEqual(error, Fraction(10**(decades + 1), 10**rtol))
        if report["forward_error"]["digits"] > 0:
            self.assertLessEqual(error, Fraction(1, 10**report["forward_error"]["digits"]))
        return report

    def test_converges_within_three_powers_of_ten_of_its_limit(self):
        for factors, precision, (decades, rtol), _ in ROWS:
            with self.subTest(factors=factors, precision=precision):
                report = self.solve(factors, precision, decades, rtol, DONE)
                self.assertEqual(report["status"], "converged")
                self.assertLess(report["iterations"], 4 * ORDER)  # not by as many steps as unknowns, again and again

    def test_says_far_beyond_what_the_limit_is(self):
        for factors, precision, _, (decades, rtol) in ROWS[:3]:
            with self.subTest(factors=factors, precision=precision):
                report = self.solve(factors, precision, decades, rtol, NOT_CONVERGED)
                self.assertIn(report["status"], ["stagnated", "not_converged"])
                self.assertIn("the factors are the limit", report["message"])
                self.assertIn("--precision", report["message"])

    def test_longer_factors_take_over_unasked(self):
        a = self.matrix(44)
        report = self.report(DONE, "solve", a, "-m", "refine", "-p", 212, "--rtol", "1e-100")
        self.assertEqual([[step["method"], step["factor_bits"]] for step in report["escalations"]],
                         [["refine", 53], ["refine", 106]])
        self.assertEqual(report["factor_bits"], 212)
        out = " ".join(program("solve", a, "-m", "refine", "-p", 212, "--rtol", "1e-100").stdout.split())
        self.assertIn("left refine, 212 bits, factors in 53 bits after", out)
        self.assertIn("preconditioner lu, factors in 212 bits", out)


if __name__ == "__main__":
    unittest.main()
