"""--format multidigit: exactly the precision asked for, from 64 to 4096 bits, and every method."""
import unittest
from fractions import Fraction

from support import DONE, USAGE, TestCase, coordinate, read_array

METHODS = ["auto", "cg", "minres", "gmres", "bicgstab", "bicgstabl", "idr", "tfqmr", "bicg", "cocg", "cocr", "lsqr",
           "refine", "gmres-ir", "direct"]


class Multidigit(TestCase):
    def test_every_method_solves_in_the_precision_asked_for(self):
        a = self.laplacian()
        for method in METHODS:
            with self.subTest(method):
                report = self.report(DONE, "solve", a, "-f", "multidigit", "-m", method, "-p", 300, "--rtol", "1e-80",
                                     "-o", self.folder / "x")
                self.assertEqual([report["format"], report["precision_bits"]], ["multidigit", 300])
                self.assertEqual(report["status"], "converged")
                self.assert_ones(self.folder / "x", 75)

    def test_from_64_to_4096_bits(self):
        a = self.laplacian()
        for bits, tolerance, digits in [(64, "1e-15", 12), ("dd", "1e-28", 25), (1735, "1e-500", 495),
                                        (4096, "1e-1200", 1195)]:
            with self.subTest(bits):
                report = self.report(DONE, "solve", a, "-f", "multidigit", "-m", "cg", "-p", bits, "--rtol", tolerance,
                                     "-o", self.folder / "x")
                self.assertEqual(report["precision_bits"], 106 if bits == "dd" else bits)
                self.assert_ones(self.folder / "x", digits)

    def test_other_bits_are_refused_in_one_line(self):
        a = self.laplacian()
        for bits in ["double", 63]:
            self.exits(USAGE, "solve", a, "-f", "multidigit", "-p", bits,
                       says="--format: multidigit holds 64 to 4096 bits")
        for bits in [4097, 5000]:
            self.exits(USAGE, "solve", a, "-f", "multidigit", "-p", bits, says="--precision")
        self.exits(USAGE, "solve", a, "-f", "multidigit", "-d", 1234, says="--digits")

    def test_formats_with_fewer_bits_name_one_that_has_them(self):
        a = self.laplacian()
        for name, bits, other in [("native", 106, "expansion"), ("native", 1697, "multidigit"),
                                  ("rns", 1735, "multidigit"), ("multidigit", 53, "native"),
                                  ("multidigit", 63, "expansion")]:
            with self.subTest(name=name, bits=bits):
                self.exits(USAGE, "solve", a, "-f", name, "-p", bits, says=f"not {bits}; {other} does")
        self.exits(USAGE, "solve", a, "-d", 1234, says="--digits: \"1234\" is not an integer from 1 to 1233")

    def test_serves_more_than_212_bits_of_a_request_without_a_format(self):
        a = self.laplacian()
        for bits, tolerance, digits in [(213, "1e-55", 52), (1696, "1e-480", 475), (4096, "1e-1200", 1195)]:
            with self.subTest(bits):
                report = self.report(DONE, "solve", a, "-p", bits, "--rtol", tolerance, "-o", self.folder / "x")
                self.assertEqual([report["format"], report["precision_bits"]], ["multidigit", bits])
                self.assert_ones(self.folder / "x", digits)

    def test_decimals_are_read_to_its_precision(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "0." + "3" * 1300)]))
        for options in [["-f", "multidigit", "-p", 4096], ["-f", "multidigit"], []]:
            self.exits(DONE, "solve", a, *options, "-b", "ones", "--rtol", "1e-1200", "-o",
                       self.folder / "x", "--output-digits", 1250)
            self.assertLess(abs(read_array(self.folder / "x")[0] - 3), Fraction(10) ** -1200)

    def test_digits_raise_its_precision(self):
        for name in ["multidigit", "auto"]:
            report = self.report(DONE, "solve", self.laplacian(), "-f", name, "-d", 900, "-o", self.folder / "x")
            self.assertGreaterEqual(report["forward_error"]["digits"], 900)
            self.assertEqual(report["format"], "multidigit")
            self.assert_ones(self.folder / "x", 900)

    def test_without_a_precision_one_is_chosen(self):
        report = self.report(DONE, "solve", self.laplacian(), "-f", "multidigit")
        self.assertEqual([report["format"], report["precision_bits"]], ["multidigit", 128])

    def test_holds_numbers_far_beyond_binary64(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, "1e-4000"), (2, 2, "1e+3000")]))
        report = self.report(DONE, "solve", a, "-f", "multidigit", "-m", "direct", "-b", "ones", "-p", 106)
        self.assertEqual(report["status"], "converged")

    def test_is_compared_with_the_others(self):
        path = self.folder / "table.csv"
        result = self.exits(DONE, "compare", self.laplacian(), "--formats", "expansion,multidigit,rns", "--precisions",
                            "53,212,2000", "--methods", "cg", "--csv", path)
        rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
        self.assertEqual([r[2] for r in rows], ["expansion", "multidigit", "multidigit", "rns", "rns"])
        self.assertEqual([r[3] for r in rows][:3], ["212", "212", "2000"])
        self.assertEqual({r[4] for r in rows}, {"converged"})
        for left_out in ["expansion does not have 53", "expansion does not have 2000", "multidigit does not have 53",
                         "rns does not have 2000"]:
            self.assertIn(f"left out: {left_out} bits", result.stderr)

    def test_gives_the_same_bytes_for_any_number_of_threads(self):
        written = []
        for threads in [1, 2]:
            self.exits(DONE, "solve", self.laplacian(60), "-f", "multidigit", "-p", 500, "-m", "direct", "-b",
                       "random:1", "-t", threads, "-o", self.folder / "x")
            written.append((self.folder / "x").read_text())
        self.assertEqual(*written)


if __name__ == "__main__":
    unittest.main()
