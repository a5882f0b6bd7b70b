"""residua solve: every file that it reads, and how decimals in it are taken."""
import gzip
import os
import re
import subprocess
import time
import unittest
from fractions import Fraction

from support import BAD_INPUT, DONE, PROGRAM, SANITIZED, TestCase, array, coordinate, program, read_array


class InputTestCase(TestCase):
    def assert_close(self, got, wanted):
        for a, b in zip(got, wanted, strict=True):
            self.assertLess(abs(a - b), Fraction(1, 10**50))


class RightHandSides(InputTestCase):
    def solution(self, *arguments):
        x = self.folder / "x.mtx"
        self.exits(DONE, "solve", self.laplacian(3), "-p", "qd", "-o", x, *arguments)
        return read_array(x)

    def test_rowsum_is_the_default(self):
        self.assert_close(self.solution(), [1, 1, 1])
        self.assert_close(self.solution("-b", "rowsum"), [1, 1, 1])

    def test_ones(self):
        self.assert_close(self.solution("-b", "ones"), [Fraction(3, 2), 2, Fraction(3, 2)])

    def test_a_file_dense_or_sparse(self):
        b = self.write("b.mtx", array([0, 4, 0]))
        self.assert_close(self.solution("-b", b), [2, 4, 2])
        b = self.write("s.mtx", coordinate(3, [(2, 1, 4)], cols=1))
        self.assert_close(self.solution("-b", b), [2, 4, 2])

    def test_random_ones_depend_on_the_seed_alone(self):
        self.assertEqual(self.solution("-b", "random:5"), self.solution("-b", "random:5"))
        self.assertNotEqual(self.solution("-b", "random:5"), self.solution("-b", "random:6"))

    def test_zero_gives_zero(self):
        b = self.write("b.mtx", array([0, 0, 0]))
        self.assertEqual(self.solution("-b", b), [0, 0, 0])

    def test_an_exact_initial_guess_needs_no_iteration(self):
        guess = self.write("x0.mtx", array([1, 1, 1]))
        report = self.report(DONE, "solve", self.laplacian(3), "--x0", guess, "-m", "cg")
        self.assertEqual(report["iterations"], 0)


class Entries(InputTestCase):
    def system(self):
        """0.1 x = b and 3 x = b"""
        return self.write("a.mtx", coordinate(2, [(1, 1, "0.1"), (2, 2, "3")])), self.write("b.mtx", array(["0.1", "0.3"]))

    def solution(self, reading):
        a, b = self.system()
        x = self.folder / "x.mtx"
        report = self.report(DONE, "solve", a, "-b", b, "--entries", reading, "-p", "qd", "-o", x)
        return report, read_array(x)

    def test_as_binary64(self):
        for reading in ["binary64", "auto"]:
            report, x = self.solution(reading)
            self.assertEqual(report["matrix"]["entries"], "binary64")
            self.assertEqual(report["matrix"]["inexact_entries"], 1)
            self.assertLess(abs(x[1] - Fraction(0.3) / 3), Fraction(1, 10**50))

    def test_as_decimals(self):
        report, x = self.solution("decimal")
        self.assertEqual(report["matrix"]["entries"], "decimal")
        self.assertLess(abs(x[1] - Fraction(1, 10)), Fraction(1, 10**50))
        self.assertLess(abs(x[0] - 1), Fraction(1, 10**50))

    def test_auto_takes_decimals_that_binary64_would_spoil(self):
        for value, reading in [("0.12345678901234567", "binary64"), ("0.123456789012345678", "decimal"),
                               ("1e308", "binary64"), ("1e309", "decimal"), ("1e-400", "decimal"),
                               ("0.1000000000000000000000", "binary64")]:
            a = self.write("a.mtx", coordinate(1, [(1, 1, value)]))
            self.assertEqual(self.report(DONE, "solve", a)["matrix"]["entries"], reading, value)

    def test_auto_decides_for_a_and_b_apart(self):
        short, long, printed = "0.1", "0.123456789012345678", "0.10000000000000000555"
        for of_a, of_b, readings in [(short, long, "binary64 decimal"), (long, short, "decimal binary64"),
                                     (printed, long, "binary64 decimal"), (long, printed, "decimal binary64")]:
            with self.subTest(a=of_a, b=of_b):
                a = self.write("a.mtx", coordinate(1, [(1, 1, of_a)]))
                b = self.write("b.mtx", array([of_b]))
                x = self.folder / "x.mtx"
                report = self.report(DONE, "solve", a, "-b", b, "-p", "qd", "-o", x)
                names = [report["matrix"]["entries"], report["rhs_reading"]["entries"]]
                self.assertEqual(names, readings.split())
                read = {"binary64": lambda text: Fraction(float(text)), "decimal": Fraction}
                self.assert_close(read_array(x), [read[names[1]](of_b) / read[names[0]](of_a)])

    def test_printed_binary64_numbers_are_those(self):
        for values, reading in [(["0.10000000000000000555", "3"], "binary64"), (["0.1000000000000000056", "0.1"], "binary64"),
                                (["1.00000000000000005551e-01", "4.9406564584124654e-324"], "binary64"),
                                (["0.10000000000000000555", "0.10000000000000004"], "decimal"),
                                (["0.10000000000000000555", "1e-320"], "decimal"),
                                (["0.10000000000000000556", "3"], "decimal")]:
            with self.subTest(values=values):
                a = self.write("a.mtx", coordinate(2, [(1, 1, values[0]), (2, 2, values[1])]))
                matrix = self.report(DONE, "solve", a, "-d", "20")["matrix"]
                self.assertEqual(matrix["entries"], reading)
                self.assertEqual(matrix["printed_digits"] is not None, reading == "binary64")

    def test_the_readings_are_compared_where_digits_are_claimed_that_they_do_not_share(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, "0.1"), (2, 2, "1e10")]))
        b = self.write("b.mtx", array(["0.3", "1"]))
        few, many = (self.report(DONE, "solve", a, "-b", b, "-p", p, "-d", d) for p, d in [("double", "3"), ("dd", "20")])
        for report in [few, many]:
            self.assertLess(report["reading_digits"], 16)
            self.assertEqual("two systems" in report["message"],
                             report["forward_error"]["digits"] > report["reading_digits"])
        self.assertIn(f"about {many['reading_digits']} digits in common", many["message"])
        for same in [["-b", b, "--entries", "decimal"], ["-b", b, "--entries", "binary64"], ["-b", "rowsum"]]:
            self.assertIsNone(self.report(DONE, "solve", a, *same, "-d", "20")["reading_digits"], same)

    def test_the_summary_says_which(self):
        a, b = self.system()
        self.assertIn("rounded to binary64; binary64 does not hold 1 of 2 entries exactly",
                      " ".join(program("solve", a, "-b", b).stdout.split()))
        self.assertIn("decimals as written; binary64 does not hold 1 of 2 entries exactly",
                      " ".join(program("solve", a, "-b", b, "--entries", "decimal").stdout.split()))
        b = self.write("b.mtx", array(["0.10000000000000000555", "1"]))
        self.assertIn("the right-hand side is rounded to the binary64 numbers that they print, with up to 20 digits",
                      " ".join(program("solve", a, "-b", b).stdout.split()))

    def test_binary64_refuses_what_overflows(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "1e400")]))
        self.exits(BAD_INPUT, "solve", a, "--entries", "binary64", says="--entries decimal")


class Input(InputTestCase):
    def test_standard_input(self):
        text = self.laplacian().read_text()
        report = self.report(DONE, "solve", "-", input=text)
        self.assertEqual(report["matrix"]["file"], "<stdin>")

    def test_gzip_that_unpacks_to_gigabytes_is_refused_at_once(self):
        path = self.folder / "a.mtx.gz"
        zeros = gzip.compress(bytes(1 << 24)) * 640  # 10 GiB
        for name, begin, says in [("zeros", b"", "not a MatrixMarket file"),
                                  ("a banner", b"%%MatrixMarket matrix array real general\n", "line 2 has more than")]:
            with self.subTest(name):
                path.write_bytes(gzip.compress(begin) + zeros)
                started = time.monotonic()
                process = subprocess.Popen([PROGRAM, "solve", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                           text=True)
                with process.stderr:
                    message = process.stderr.read()
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, BAD_INPUT)
                self.assertIn(says, message)
                if not SANITIZED:
                    self.assertLess(time.monotonic() - started, 2)
                    self.assertLess(used.ru_maxrss, 200_000)  # KiB

    def test_gzip(self):
        path = self.folder / "a.mtx.gz"
        path.write_bytes(gzip.compress(self.laplacian().read_bytes()))
        self.exits(DONE, "solve", path)
        path.write_bytes(path.read_bytes()[:-9])
        self.exits(BAD_INPUT, "solve", path, says="a.mtx.gz")

    def test_bad_lines_are_named(self):
        for text, line in [(coordinate(2, [(1, 1, 1), (2, 3, 1)]), 4), (coordinate(2, [(1, 1, "x"), (2, 2, 1)]), 3),
                           ("%%MatrixMarket matrix\n", 1), (coordinate(2, [(1, 1, "nan"), (2, 2, 1)]), 3)]:
            path = self.write("bad.mtx", text)
            self.exits(BAD_INPUT, "solve", path, says=f"{path}:{line}: ")

    def test_files_that_are_not_there(self):
        self.exits(BAD_INPUT, "solve", self.folder / "none.mtx", says="none.mtx")
        self.exits(BAD_INPUT, "solve", self.laplacian(), "-b", self.folder / "none.mtx", says="none.mtx")
        self.exits(BAD_INPUT, "solve", self.folder, says=str(self.folder))

    def test_sizes_must_fit(self):
        b = self.write("b.mtx", array([1, 2, 3]))
        self.exits(BAD_INPUT, "solve", self.laplacian(4), "-b", b, says="3 x 1")
        self.exits(BAD_INPUT, "solve", self.laplacian(4), "--x0", b, says="3 x 1")
        a = self.write("a.mtx", coordinate(3, [(1, 1, 1)], cols=2))
        self.exits(BAD_INPUT, "solve", a, "-m", "gmres", says="3 x 2")
        self.exits(BAD_INPUT, "solve", a, "--x0", b, says="needs 2 x 1")

    def test_a_complex_part_beyond_binary64_is_no_zero(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "0 1e-400")], field="complex"))
        out = self.folder / "x.mtx"
        self.exits(DONE, "solve", a, "-b", "ones", "-d", "60", "-o", out)
        real_part, imaginary_part = read_array(out)
        self.assertEqual(real_part, 0)
        self.assertLess(abs(imaginary_part + 10**400), 10**340)

    def test_complex_files_without_imaginary_parts_are_real(self):
        for symmetry, x in [("general", [3, 0]), ("hermitian", [Fraction(7, 3), Fraction(-2, 3)])]:
            entries = [(1, 1, "1 0"), (2, 1, "2 -0.0"), (2, 2, "1 0e5")]
            a = self.write("a.mtx", coordinate(2, entries, symmetry, "complex"))
            b = self.write("b.mtx", array([3, 6]).replace("real", "complex").replace("\n3\n6", "\n3 0\n6 0")
                           if symmetry == "general" else array([1, 4]))
            out = self.folder / "x.mtx"
            self.exits(DONE, "solve", a, "-b", b, "-p", "qd", "-o", out)
            self.assert_close(read_array(out), x)
            for reading in ["decimal", "binary64"]:
                result = self.exits(DONE, "info", a, "--entries", reading)
                self.assertIn("all imaginary parts are 0: read as a real matrix", result.stderr)
                self.assertEqual(bool(re.search(r"nonzeros,\s+symmetric\b", result.stdout)), symmetry == "hermitian")

    def test_repeated_entries_are_summed_with_a_warning(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, 1), (1, 1, 2)]))
        self.exits(DONE, "solve", a, says="warning")
        self.assertEqual(program("solve", a, "-q").stderr, "")


if __name__ == "__main__":
    unittest.main()
