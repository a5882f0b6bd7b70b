"""Complex systems by the command line."""
import json
import os
import subprocess
import unittest
from fractions import Fraction

from support import (BAD_INPUT, BREAKDOWN, DONE, PROGRAM, RESOURCES, SANITIZED, USAGE, TestCase, array, coordinate,
                     read_array)


def complex_array(columns):
    """A file of complex columns, each a list of (real, imaginary)."""
    lines = ["%%MatrixMarket matrix array complex general", f"{len(columns[0])} {len(columns)}"]
    return "\n".join(lines + [f"{x} {y}" for column in columns for x, y in column]) + "\n"


def read_complex(path):
    """The columns of a file of complex numbers, as pairs of Fractions."""
    lines = path.read_text().splitlines()
    assert lines[0] == "%%MatrixMarket matrix array complex general", lines[0]
    rows = int(next(s for s in lines if not s.startswith("%")).split()[0])
    parts = read_array(path)
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    return [pairs[k:k + rows] for k in range(0, len(pairs), rows)]


class Complex(TestCase):
    def setUp(self):
        super().setUp()
        self.x = self.folder / "x.mtx"

    def general(self):
        """[1 + 2i, -3; 0, 4i]"""
        return self.write("a.mtx", coordinate(2, [(1, 1, "1 2"), (1, 2, "-3 0"), (2, 2, "0 4")], field="complex"))

    def hermitian(self):
        """[2, i; -i, 3], definite, with the determinant 5"""
        return self.write("h.mtx", coordinate(2, [(1, 1, "2 0"), (2, 1, "0 -1"), (2, 2, "3 0")], "hermitian", "complex"))

    def singular(self):
        """[1, -i, 0; i, 1, 0; 0, 0, 2], which takes (1, -i, 0) to zero"""
        return self.write("s.mtx", coordinate(3, [(1, 1, "1 0"), (2, 1, "0 1"), (2, 2, "1 0"), (3, 3, "2 0")],
                                              "hermitian", "complex"))

    def solved(self, *arguments, digits=30, code=DONE):
        """The columns of x, and the report."""
        report = self.report(code, "solve", *arguments, "-d", digits, "-o", self.x)
        return read_complex(self.x), report

    def assert_near(self, column, wanted, digits=30):
        self.assertEqual(len(column), len(wanted))
        for number, exact in zip(column, wanted):
            for part, value in zip(number, exact):
                self.assertLess(abs(part - value), Fraction(1, 10**digits))

    def test_x_is_complex(self):
        b = self.write("b.mtx", complex_array([[(1, 0), (0, 8)]]))
        (x,), report = self.solved(self.general(), "-b", b)  # x_2 = 2, (1 + 2i) x_1 = 7
        self.assert_near(x, [(Fraction(7, 5), Fraction(-14, 5)), (2, 0)])
        self.assertEqual((report["matrix"]["rows"], report["matrix"]["cols"], report["matrix"]["nonzeros"]), (2, 2, 3))
        self.assertEqual((report["matrix"]["complex"], report["matrix"]["hermitian"]), (True, False))
        self.assertGreaterEqual(report["forward_error"]["digits"], 30)
        for method in ["direct", "refine", "gmres", "bicgstab", "lsqr", "idr", "tfqmr"]:
            self.assert_near(self.solved(self.general(), "-b", b, "-m", method)[0][0],
                             [(Fraction(7, 5), Fraction(-14, 5)), (2, 0)])

    def test_cocg_takes_complex_symmetric_matrices(self):
        a = self.write("imaginary.mtx", coordinate(3, [(1, 1, "0 2"), (2, 1, "1 1"), (2, 2, "0 -3"), (3, 3, "0 4")],
                                                   "symmetric", "complex"))
        for method in ["cocg", "cocr"]:
            for precond in ["none", "jacobi", "block-jacobi", "lu"]:
                (x,), report = self.solved(a, "-b", "rowsum", "-m", method, "-P", precond, "-p", "qd")
                self.assert_near(x, [(1, 0), (1, 0), (1, 0)])
                self.assertEqual((report["method"], report["preconditioner"]), (method, precond))
            for refused in [self.general(), self.hermitian()]:
                self.exits(BAD_INPUT, "solve", refused, "-m", method, says=f"{method} needs a complex symmetric matrix, and this one is not: use gmres")
        self.exits(BAD_INPUT, "solve", self.general(), "-m", "minres", says="minres needs a hermitian matrix, and this one is not: use gmres")
        for method in ["cg", "minres"]:
            self.exits(BAD_INPUT, "solve", a, "-m", method, says=f"{method} needs a hermitian matrix, and this one is complex symmetric: use cocg, ")
        self.exits(USAGE, "solve", a, "-m", "cocg", "-P", "ilut", says="ilut does not fit the method cocg")

    def test_standard_output_has_complex_numbers(self):
        result = self.exits(DONE, "solve", self.hermitian(), "-b", "unit:1", "-d", "5", "--output-digits", "5", "-o", "-")
        lines = result.stdout.splitlines()
        self.assertEqual((lines[0], lines[2]), ("%%MatrixMarket matrix array complex general", "2 1"))
        self.assertEqual(lines[3:], ["0.6 0", "0 0.2"])

    def test_named_right_hand_sides(self):
        a = self.hermitian()
        (x,), report = self.solved(a)  # rowsum
        self.assert_near(x, [(1, 0), (1, 0)])
        self.assertLessEqual(float(report["known_error"]), 1e-30)
        self.assert_near(self.solved(a, "-b", "ones")[0][0], [(Fraction(3, 5), Fraction(-1, 5)),
                                                             (Fraction(2, 5), Fraction(1, 5))])
        self.assert_near(self.solved(a, "-b", "unit:2")[0][0], [(0, Fraction(-1, 5)), (Fraction(2, 5), 0)])
        self.exits(BAD_INPUT, "solve", a, "-b", "unit:3", says="2 x 2, which has no unit:3 as right-hand side")
        inverse, report = self.solved(a, "-b", "identity")
        self.assertEqual(report["right_hand_sides"], 2)
        self.assert_near(inverse[0], [(Fraction(3, 5), 0), (0, Fraction(1, 5))])
        self.assert_near(inverse[1], [(0, Fraction(-1, 5)), (Fraction(2, 5), 0)])
        first, again = (self.solved(a, "-b", "random:7")[0] for _ in range(2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, self.solved(a, "-b", "random:8")[0])
        self.assertTrue(all(y for _, y in first[0]))

    def test_one_of_a_and_b_may_be_real(self):
        real_b = self.write("b.mtx", array([5, 5]))
        self.assert_near(self.solved(self.hermitian(), "-b", real_b)[0][0], [(3, -1), (2, 1)])
        real_a = self.write("r.mtx", coordinate(2, [(1, 1, 2), (2, 1, 1), (2, 2, 1)]))
        b = self.write("c.mtx", complex_array([[(2, 4), (0, 0)]]))
        (x,), report = self.solved(real_a, "-b", b)
        self.assert_near(x, [(1, 2), (-1, -2)])
        self.assertFalse(report["matrix"]["complex"])

    def test_long_decimals_are_taken_as_written(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "0 0.3")], field="complex"))
        b = self.write("b.mtx", complex_array([[("0.9", "0.12345678901234567890123456789")]]))
        (x,), _ = self.solved(a, "-b", b, "--entries", "decimal", digits=50)
        self.assert_near(x, [(Fraction("0.12345678901234567890123456789") / Fraction("0.3"), -3)], 49)

    def test_sizes_are_those_of_the_files(self):
        a = self.hermitian()
        three = self.write("b.mtx", complex_array([[(1, 2)] * 3]))
        four = self.write("four.mtx", array([1] * 4))  # as many numbers as the real form has
        for path, shape in [(three, "3 x 1"), (four, "4 x 1")]:
            said = f"holds {shape} numbers, but the system needs 2 x 1"
            self.exits(BAD_INPUT, "solve", a, "-b", path, says=said)
            self.exits(BAD_INPUT, "solve", a, "--x0", path, says=said)
        self.exits(BAD_INPUT, "solve", a, "--weights", four, says="holds 4 x 1 numbers, but the system needs 2 x 1")
        real = self.write("r.mtx", coordinate(2, [(1, 1, 1), (2, 2, 1)]))
        self.exits(BAD_INPUT, "solve", real, "-b", "ones", "--x0", self.write("two.mtx", complex_array([[(1, 2)] * 2])),
                   says="holds complex numbers, but real ones are needed")

    def test_sizes_beyond_memory_are_those_of_the_file(self):
        a = self.write("a.mtx", coordinate(2**62, [(1, 1, "1 2")], field="complex"))
        self.exits(RESOURCES, "solve", a, says=f"memory holds no {2**62} x {2**62} complex matrix")
        a = self.write("a.mtx", coordinate(10**9, [(1, 1, "1 2")], field="complex"))
        self.exits(RESOURCES, "info", a, says="a system of 1000000000 rows needs")
        a = self.write("a.mtx", coordinate(2, [(1, 1, "1 2")], field="complex", cols=2**30))
        self.exits(BAD_INPUT, "solve", a, "-b", "ones", says=f"{2**30} columns; at most 2^30 - 1 complex ones")

    def test_initial_guess(self):
        x0 = self.write("x0.mtx", complex_array([[(3, -1), (2, 1)]]))
        b = self.write("b.mtx", array([5, 5]))
        (x,), report = self.solved(self.hermitian(), "-b", b, "--x0", x0, "-m", "cg")
        self.assert_near(x, [(3, -1), (2, 1)])
        self.assertEqual(report["iterations"], 0)

    def test_transpose_is_not_conjugated(self):
        b = self.write("b.mtx", complex_array([[(1, 2), (-3, 8)]]))  # A^T (1, 2) with A = [1 + 2i, -3; 0, 4i]
        (x,), report = self.solved(self.general(), "--transpose", "-b", b)
        self.assert_near(x, [(1, 0), (2, 0)])
        self.assertTrue(report["matrix"]["transposed"])
        b = self.write("c.mtx", complex_array([[(2, -1), (3, 1)]]))  # [2, -i; i, 3] (1, 1)
        self.assert_near(self.solved(self.hermitian(), "--transpose", "-b", b)[0][0], [(1, 0), (1, 0)])

    def test_least_squares_with_weights_and_damping(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, "0 1"), (2, 1, "1 0")], field="complex", cols=1))
        b = self.write("b.mtx", complex_array([[(1, 0), (0, 1)]]))
        (x,), report = self.solved(a, "-b", b)  # -i from the first row, i from the second
        self.assertTrue(report["least_squares"])
        self.assert_near(x, [(0, 0)])
        weights = self.write("w.mtx", array([3, 1]))
        self.assert_near(self.solved(a, "-b", b, "--weights", weights)[0][0], [(0, Fraction(-1, 2))])
        self.assert_near(self.solved(a, "-b", b, "--weights", weights, "--damp", "2")[0][0], [(0, Fraction(-1, 4))])

    def test_singular_systems(self):
        a, space = self.singular(), self.folder / "n.mtx"
        (x,), report = self.solved(a, "--null-space", space)
        self.assert_near(x, [(Fraction(1, 2), Fraction(-1, 2)), (Fraction(1, 2), Fraction(1, 2)), (1, 0)])
        self.assertEqual((report["rank"], report["nullity"]), (2, 1))
        self.assertEqual((report["null_space"]["rank"], report["null_space"]["nullity"]), (2, 1))
        self.assertIn("of rank 2 of 3", report["message"])
        (v,) = read_complex(space)  # (1, -i, 0) / sqrt(2), times a number of modulus 1
        self.assertLess(abs(sum(p * p + q * q for p, q in v) - 1), Fraction(1, 10**28))
        self.assert_near([v[1], v[2]], [(v[0][1], -v[0][0]), (0, 0)], 28)
        report = self.report(BREAKDOWN, "solve", a, "-b", "ones", "-d", "20")
        self.assertAlmostEqual(float(report["part_outside"]), (1 / 3)**0.5, 5)
        given = self.write("given.mtx", complex_array([[(1, 0), (0, -1), (0, 0)]]))
        (x,), report = self.solved(a, "--given-null-space", given, "-m", "cg")
        self.assert_near(x, [(Fraction(1, 2), Fraction(-1, 2)), (Fraction(1, 2), Fraction(1, 2)), (1, 0)])
        self.assertEqual((report["rank"], report["nullity"]), (2, 1))
        twice = self.write("twice.mtx", complex_array([[(1, 0), (0, -1), (0, 0)], [(0, 1), (1, 0), (0, 0)]]))
        self.exits(BAD_INPUT, "solve", a, "--given-null-space", twice, "-m", "cg", says="linearly dependent")

    def test_info(self):
        for a, words, is_hermitian in [(self.general(), "not hermitian", False), (self.hermitian(), "hermitian", True)]:
            text = self.exits(DONE, "info", a).stdout
            self.assertIn(f"symmetry            {words}\n", text)
            self.assertIn("2 x 2, 3 nonzeros, complex" if a.name == "a.mtx" else "2 x 2, 4 nonzeros, complex", text)
            self.assertEqual(self.report(DONE, "info", a)["matrix"]["hermitian"], is_hermitian)
        report = self.report(DONE, "info", self.hermitian(), "--determinant", "20", "--rank")
        self.assertEqual(report["rank"]["rank"], 2)
        self.assertEqual(Fraction(report["factors"]["determinant"]), 5)
        self.assertEqual(report["factors"]["eigenvalues"], {"positive": 2, "negative": 0, "zero": 0})
        self.assertEqual(report["analysis"]["positive_definite"], True)
        report = self.report(DONE, "info", self.general(), "--determinant", "20")  # |(1 + 2i) 4i| = 4 sqrt(5)
        self.assertIsNone(report["factors"]["determinant"])
        told = Fraction(report["factors"]["determinant_modulus"])
        self.assertLess(abs(told**2 - 80), Fraction(1, 10**17))
        self.assertEqual([round(float(report["factors"][f"determinant_{part}"])) for part in ("real", "imaginary")], [-8, 4])
        n = 12  # 2 + i in the diagonal, and i beside it in a ring: det = (2 + i)^n - i^n for an even n
        ring = [(k + 1, k + 1, "2 1") for k in range(n)] + [(k + 1, (k + 1) % n + 1, "0 1") for k in range(n)]
        report = self.report(DONE, "info", self.write("a.mtx", coordinate(n, ring, "general", "complex")), "--determinant", "20")
        exact = (2 + 1j)**n - 1j**n
        self.assertEqual([round(float(report["factors"][f"determinant_{part}"])) for part in ("real", "imaginary")],
                         [round(exact.real), round(exact.imag)])
        report = self.report(DONE, "info", self.singular(), "--determinant", "5", "--rank")
        self.assertEqual((report["rank"]["rank"], report["rank"]["nullity"]), (2, 1))
        self.assertEqual(Fraction(report["factors"]["determinant"]), 0)
        self.assertEqual(report["factors"]["eigenvalues"], {"positive": 2, "negative": 0, "zero": 1})

    def test_symmetries_in_words(self):
        for symmetry, entries, words in [
                ("symmetric", [(1, 1, "1 1"), (2, 1, "2 3"), (2, 2, "1 0")], "complex symmetric"),
                ("general", [(1, 1, "0 1"), (1, 2, "2 3"), (2, 1, "-2 3"), (2, 2, "0 2")], "skew-hermitian"),
                ("general", [(1, 1, "1 0"), (1, 2, "2 3"), (2, 1, "2 -3"), (2, 2, "5 0")], "hermitian")]:
            a = self.write("a.mtx", coordinate(2, entries, symmetry, "complex"))
            self.assertIn(f"symmetry            {words}\n", self.exits(DONE, "info", a).stdout)

    def test_compare(self):
        reference = self.write("x.mtx", complex_array([[(1, 0), (1, 0)]]))
        report = self.report(DONE, "compare", self.hermitian(), "--precisions", "106,212", "--methods", "cg,gmres",
                             "--reference", reference)
        self.assertEqual([run["status"] for run in report["runs"]], ["converged"] * 4)
        for run in report["runs"]:
            self.assertLess(float(run["known_error"]), 1e-20)

    def test_nodes_are_of_real_systems(self):
        self.exits(USAGE, "solve", self.hermitian(), "--block-size", "2", "-m", "cg", "-P", "amg",
                   says="are of real systems, and this one is complex")

    def test_zero_imaginary_parts_are_left_out(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, "1 0"), (2, 2, "2 -0")], "hermitian", "complex"))
        result = self.exits(DONE, "solve", a, "-b", "ones", "-o", self.x)
        self.assertIn("all imaginary parts are 0: read as a real matrix", result.stderr)
        self.assertTrue(self.x.read_text().startswith("%%MatrixMarket matrix array real general"))

    def test_reports_are_the_same_on_any_number_of_threads(self):
        texts = set()
        for threads in [1, 2]:
            self.exits(DONE, "solve", self.general(), "-b", "random:1", "-d", "40", "-t", threads, "-o", self.x, "-q")
            texts.add(self.x.read_text())
        self.assertEqual(len(texts), 1)


    def beyond_predicted(self, *arguments):
        """Bytes at the peak of a solve, less those that it predicts."""
        report = self.folder / "report.json"
        command = [PROGRAM, "solve", *arguments, "-b", "ones", "-p", 424, "-P", "ilu0", "-n", 4, "-t", 1, "--no-estimates",
                   "--report", report]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, process.returncode, usage = os.wait4(process.pid, 0)
        return 1024 * usage.ru_maxrss - json.loads(report.read_text())["memory"]["predicted_bytes"]

    @unittest.skipIf(SANITIZED, "a sanitizer takes memory of its own")
    def test_complex_scalars_take_no_more_than_is_predicted(self):
        complex_matrix, real_matrix = self.folder / "complex.mtx", self.folder / "real.mtx"
        self.exits(DONE, "generate", "helmholtz2d", "--n", 220, "-o", complex_matrix)  # 96,800 rows of the real form
        self.exits(DONE, "generate", "convection-diffusion", "--n", 311, "-o", real_matrix)  # 96,721
        vector = 96_800 * 60
        for method in ["bicg", "idr"]:
            self.assertLess(self.beyond_predicted(complex_matrix, "-m", method),
                            self.beyond_predicted(real_matrix, "-m", method) + 2 * vector, method)


if __name__ == "__main__":
    unittest.main()
