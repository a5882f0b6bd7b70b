"""The tricky files through the command line, in 4 GiB of address space: malformed ones are refused
with exit code 3, file, and a reason; no crash, no hang; valid ones have their meaning."""
import json
import unittest
from fractions import Fraction

from support import (BAD_INPUT, BREAKDOWN, DONE, MATRICES, RESOURCES, TestCase, array, needs_matrices, program,
                     read_array)

# Its x spans 4400 decades, far more than binary64's exponents.
BEYOND_BINARY64 = "v32_tiny_huge.mtx"
FOUR_GIB = 4 * 1024 * 1024


@needs_matrices
class Tricky(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = json.loads((MATRICES / "tricky" / "expected.json").read_text())["cases"]

    def run_on(self, case, *arguments):
        path = MATRICES / "tricky" / case["file"]
        return program(arguments[0], path, *arguments[1:], address_space_kib=FOUR_GIB, timeout=60)

    def test_all_105_are_here(self):
        self.assertEqual(len(self.cases), 105)

    def test_malformed_files_are_refused_with_a_reason(self):
        for case in self.cases:
            if case["expect"] != "reject":
                continue
            for command in ["info", "solve"]:
                with self.subTest(file=case["file"], command=command):
                    result = self.run_on(case, command)
                    self.assertEqual(result.returncode, BAD_INPUT, result.stdout + result.stderr)
                    self.assertIn(case["file"], result.stderr)
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                    self.assertEqual(result.stdout, "")

    def test_valid_files_are_read(self):
        for case in self.cases:
            if case["expect"] == "reject":
                continue
            with self.subTest(file=case["file"]):
                result = self.run_on(case, "info")
                if "complex" in str(case.get("field", "")):
                    self.assertRegex(result.stdout, r"nonzeros,\s+complex\b")  # a long path breaks the line before it
                if case["expect"] == "accept":
                    self.assertIn(result.returncode, [DONE, RESOURCES], result.stderr)
                    if result.returncode == RESOURCES:
                        self.assertGreater(case["rows"], 10**6, result.stderr)
                else:
                    self.assertIn(result.returncode, [DONE, BAD_INPUT, RESOURCES], result.stderr)

    def test_solutions_are_right(self):
        solved = complex_ones = 0
        for case in self.cases:
            if case["expect"] != "accept" or not case.get("x_for_b_ones"):
                continue
            with self.subTest(file=case["file"]):
                is_complex = isinstance(case["x_for_b_ones"][0], list)
                wanted = [Fraction(part) for v in case["x_for_b_ones"] for part in (v if is_complex else [v])]
                x = self.folder / "x.mtx"
                b = self.write("b.mtx", array([1] * len(case["x_for_b_ones"])))
                for format_name in ["multidigit", "rns"] if case["file"] == BEYOND_BINARY64 else ["multidigit", "auto"]:
                    result = self.run_on(case, "solve", "-b", b, "-p", "qd", "--entries", "decimal", "-m", "direct",
                                         "-o", x, "-f", format_name)
                    self.assertEqual(result.returncode, DONE, result.stdout + result.stderr)
                    scale = max(map(abs, wanted))
                    for got, value in zip(read_array(x), wanted, strict=True):
                        self.assertLess(abs(got - value), scale / 10**35)
                solved += 1
                complex_ones += is_complex
        self.assertGreater(solved, 20)
        self.assertGreater(complex_ones, 4)

    def test_singular_ones_break_down(self):
        for case in self.cases:
            if case["file"] in ("v42_singular.mtx", "v43_empty_row.mtx"):
                self.assertEqual(self.run_on(case, "solve", "-b", "ones").returncode, BREAKDOWN, case["file"])


if __name__ == "__main__":
    unittest.main()
