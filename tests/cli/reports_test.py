"""Small systems that users of other solvers reported, from RESIDUA_MATRIX_DIR/reports: x against exact answers, and what is said
of files that are no matrix."""
import json
import unittest
from fractions import Fraction

from support import BAD_INPUT, BREAKDOWN, DONE, MATRICES, TestCase, needs_matrices, program, read_array

REPORTS = MATRICES / "reports"
DIGITS_OF_EXPECTED = 39  # of the 40 that are written

# (case of expected.json, A, b, options, digits that are claimed at least)
KERNEL = "kernel16 (the doubles)"
SOLVED = [
    *((KERNEL, f"kernel16_{a}.mtx", f"kernel16_b_{b}.mtx", ["-d", "30"], 30)
      for a in ["repr", "17e", "20e"] for b in ["repr", "17e"]),
    *((case, f"{case}.mtx", "ones", ["-d", "16"], 16) for case in ["fib600", "fib650", "near300", "neumann_shift300"]),
    *((case, f"{case}.mtx", f"{case}_b.mtx", ["-d", digits], int(digits))
      for case in ["path5", "island2", "one_to_nine"] for digits in ["16", "30"]),
    ("rank5_18x13", "rank5_18x13.mtx", "rank5_18x13_b.mtx", ["-d", "16"], 16),
    ("cyclic60", "cyclic60.mtx", "cyclic60_b.mtx", ["-d", "30"], 30),
    ("stokes12", "stokes12.mtx", "stokes12_b.mtx", ["-d", "30"], 30),
]

# (command, file, -b, exit code, words on standard error or in the summary)
SAID = [
    ("solve", "islanded_bus.mtx", "ones", BREAKDOWN,
     "of rank 8 of 9: row 5 and column 5 have no nonzero entry; no x solves A x = b"),
    ("solve", "islanded_bus.mtx", "rowsum", DONE,
     "of rank 8 of 9: row 5 and column 5 have no nonzero entry; b is in its range"),
    ("solve", "one_to_nine.mtx", "one_to_nine_b_inconsistent.mtx", BREAKDOWN,
     "of rank 2 of 3: rows 1, 2 and 3 are linearly dependent; no x solves A x = b"),
    ("info", "islanded_bus.mtx", None, DONE, "row 5 and column 5 have no nonzero entry"),
    ("solve", "skew_array_with_diagonal.mtx", "ones", BAD_INPUT, "an array skew-symmetric file has no diagonal"),
    ("solve", "rhs_in_file.mtx", "ones", BAD_INPUT, "Lis's format, with b or x behind the entries"),
    ("solve", "complex_zero_imaginary.mtx", "ones", DONE, "all imaginary parts are 0: read as a real matrix"),
]


@needs_matrices
class Reports(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = json.loads((REPORTS / "expected.json").read_text())

    def path(self, name):
        return REPORTS / name if name.endswith(".mtx") or name.endswith(".rua") else name

    def test_claimed_digits_are_right(self):
        x = self.folder / "x.mtx"
        for case, a, b, options, least in SOLVED:
            with self.subTest(a=a, b=b):
                report = self.report(DONE, "solve", self.path(a), "-b", self.path(b), *options, "-o", x)
                claimed = report["forward_error"]["digits"]
                self.assertGreaterEqual(claimed, least)
                wanted = [Fraction(v) for v in self.expected[case]["x"]]
                error = max(abs(got - value) for got, value in zip(read_array(x), wanted, strict=True))
                self.assertLessEqual(error, max(map(abs, wanted)) / Fraction(10)**min(claimed, DIGITS_OF_EXPECTED))

    def test_what_is_said(self):
        for command, a, b, code, words in SAID:
            with self.subTest(a=a, command=command):
                result = program(command, self.path(a), *(["-b", self.path(b)] if b else []))
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)
                self.assertIn(words, " ".join((result.stdout + result.stderr).split()))

    def test_both_readings_are_named_where_they_differ_in_claimed_digits(self):
        for a, digits, printed in [("repr", 0, None), ("17e", 0, 18), ("20e", 1, 21)]:
            with self.subTest(a=a):
                arguments = ["solve", REPORTS / f"kernel16_{a}.mtx", "-b", REPORTS / "kernel16_b_17e.mtx", "-d", "30"]
                report = self.report(DONE, *arguments)
                self.assertEqual(report["matrix"]["entries"], "binary64")
                self.assertEqual(report["matrix"]["printed_digits"], printed)
                self.assertEqual(report["rhs_reading"]["printed_digits"], 18)
                self.assertLessEqual(report["reading_digits"], digits)
                self.assertIn("two systems", report["message"])
                self.assertNotIn("two systems", self.report(DONE, *arguments, "--entries", "binary64")["message"])


if __name__ == "__main__":
    unittest.main()
