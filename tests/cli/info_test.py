"""residua info tells what a matrix is like, and what auto would do."""
import re
import unittest
from fractions import Fraction

from support import BREAKDOWN, DATA, DONE, MATRICES, NOT_CONVERGED, USAGE, TestCase, coordinate, program


def words(text):
    return " ".join(text.split())


class Info(TestCase):
    def info(self, path, *arguments):
        return words(self.exits(DONE, "info", path, *arguments).stdout)


    def test_tells_what_candidates_would_take(self):
        a = self.folder / "grid.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 20, "-o", a)
        for digits in [16, 1000]:
            report = self.report(DONE, "info", a, "-d", digits)
            candidates = report["candidates"]
            for field in ["method", "preconditioner", "factor_bits", "precision_bits"]:
                self.assertEqual(candidates[0][field], report["analysis"][field], field)
            solved = self.report(DONE, "solve", a, "-d", digits, "-b", "ones", "-e", "host")
            for field in ["method", "preconditioner", "factor_bits", "precision_bits"]:
                self.assertEqual(candidates[0][field], solved[field], field)
            for each in candidates:
                self.assertGreater(each["bytes"], 0)
                self.assertGreater(each["seconds_each"], 0)
                self.assertEqual(each["seconds"] is None, each["iterations"] is None)
            # the bound for 1000 digits is beyond the limit of iterations
            self.assertEqual([each["method"] for each in candidates if each["are_bounds"]], ["cg"] if digits == 16 else [])
        self.assertGreater(candidates[0]["factor_bits"], 53)
        self.assertIn("--factors", self.info(a, "-d", 1000))
        self.assertRegex(self.info(a), r"would take refine cholesky in 53 bits: \S+ s, \S+ \S+, iterations about \d")
        self.assertEqual(self.report(DONE, "info", self.write("a.mtx", coordinate(2, [(1, 1, 1)])))["candidates"], [])

    def test_of_a_definite_matrix(self):
        out = self.info(self.laplacian(10))
        for expected in ["10 x 10, 28 nonzeros, symmetric", "symmetry symmetric",
                         "diagonal no zeros, all positive, dominant by rows",
                         "bandwidth 1 below and 1 above the diagonal", "positive definite yes",
                         "coordinate real symmetric, 19 stored", "1.00e+00 to 2.00e+00 in size, 1 significant bits",
                         "memory to solve 53 bits: ", "848 bits: ", "4096 bits: ", "auto picks --method ", "because ",
                         "by the tuning table"]:
            self.assertIn(expected, out)

    def test_of_a_condition_beyond_binary64(self):
        self.assertRegex(self.info(DATA / "hilbert20.mtx"), r"condition [1-9]\.\de\+28 ")

    def test_of_a_triangular_matrix_with_a_missing_diagonal_entry(self):
        out = self.info(self.write("a.mtx", coordinate(3, [(1, 1, 1), (1, 3, "0.1"), (3, 3, 1), (2, 3, 1)])))
        for expected in ["not symmetric", "zeros or missing entries", "0 below and 2 above", "positive definite no",
                         "binary64 does not hold 1 of 4 entries"]:
            self.assertIn(expected, out)

    def test_of_a_skew_symmetric_matrix(self):
        self.assertIn("skew-symmetric", self.info(self.write("a.mtx", coordinate(2, [(2, 1, 3)], "skew-symmetric"))))

    def test_of_a_rectangular_matrix(self):
        out = self.info(self.write("a.mtx", coordinate(2, [(1, 3, 1), (2, 1, 1)], cols=3)))
        self.assertIn("2 x 3", out)
        self.assertIn("auto picks --method direct --precond none --precision 106", out)
        self.assertIn("not square and dense, so least squares by QR", out)

    def test_of_a_matrix_with_an_empty_row(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, 1), (1, 2, 1)]))
        out = self.info(a)
        self.assertIn("auto picks nothing because singular: row 2 has no nonzero entry", out)
        self.assertNotIn("--method auto", out)
        analysis = self.report(DONE, "info", a)["analysis"]
        for field in ["method", "preconditioner", "precision_bits"]:
            self.assertIsNone(analysis[field], field)
        self.assertIn("singular", analysis["reason"])

    def test_of_an_empty_matrix(self):
        a = self.write("a.mtx", coordinate(0, []))
        out = self.info(a)
        self.assertIn("the matrix is empty", out)
        self.assertNotIn("square", out)
        self.assertIn("empty", self.report(DONE, "info", a)["analysis"]["reason"])

    def test_of_a_determinant(self):
        a = DATA / "pascal20.mtx"
        self.assertRegex(self.info(a, "--determinant", 51),
                         r"determinant 1(\.0+)?e\+00 eigenvalues 20 positive, 0 negative")
        found = self.report(DONE, "info", a, "--determinant", 30)["factors"]
        self.assertEqual(Fraction(found["determinant"]), 1)
        self.assertLess(Fraction(found["relative_error"]), Fraction(1, 10**30))
        self.assertEqual(found["eigenvalues"], {"positive": 20, "negative": 0, "zero": 0})

        b = self.write("b.mtx", coordinate(3, [(1, 2, 2), (2, 1, 3), (3, 3, "1e200"), (1, 3, 5)]))
        self.assertRegex(self.info(b, "--determinant", 5), r"determinant -6(\.0+)?e\+200")
        self.assertNotIn("eigenvalues", self.info(b, "--determinant", 5))
        singular = self.write("c.mtx", coordinate(2, [(1, 1, 1), (2, 1, 2), (2, 2, 4)], "symmetric"))
        self.assertRegex(self.info(singular, "--determinant", 5), "determinant 0.*eigenvalues 1 positive, 0 negative, 1 zero")
        found = self.report(DONE, "info", singular, "--determinant", 5)
        self.assertEqual([found["factors"]["determinant"], found["analysis"]["rank"]], ["0.0000e+00", 1])
        self.assertEqual(found["factors"]["eigenvalues"], {"positive": 1, "negative": 0, "zero": 1})
        self.assertNotIn("determinant", self.info(self.laplacian()))
        wide = self.write("d.mtx", coordinate(2, [(1, 3, 1), (2, 1, 1)], cols=3))
        self.assertNotIn("determinant", self.info(wide, "--determinant", 5))
        for count in ["0", "x", "1e9", "-3"]:
            self.exits(USAGE, "info", a, "--determinant", count, says="--determinant")

    def test_of_a_rank(self):
        def rank(a):
            found = self.report(DONE, "info", a, "--rank")["rank"]
            return [found["rank"], found["nullity"], found["source"]]
        a = self.write("a.mtx", coordinate(3, [(1, 1, 1), (1, 2, 2), (2, 1, "0.1"), (2, 2, "0.2"), (3, 3, 5)]))
        self.assertEqual(rank(a), [2, 1, "two-primes"])
        self.assertIn("rank 2, nullity 1, by exact elimination modulo two primes", self.info(a, "--rank"))
        self.assertEqual(rank(self.write("w.mtx", coordinate(2, [(1, 3, 1), (2, 1, 1)], cols=3))), [2, 1, "one-prime"])
        path = self.write("p.mtx", coordinate(3, [(1, 1, 1), (2, 2, 2), (3, 3, 1), (2, 1, -1), (3, 2, -1)], "symmetric"))
        self.assertEqual(rank(path), [2, 1, "structure"])
        self.assertEqual(rank(DATA / "hilbert20.mtx"), [20, 0, "one-prime"])
        # the sum 0.1 is rounded to 8256 bits, by which the second row would be no multiple of the first
        summed = self.write("s.mtx", coordinate(2, [(1, 1, "0.04"), (1, 1, "0.06"), (1, 2, "0.7"), (2, 1, 1), (2, 2, 7)]))
        found = self.report(DONE, "info", summed, "--entries", "decimal", "--rank")["rank"]
        self.assertIsNone(found["rank"])
        self.assertNotIn("rank", self.info(self.laplacian()))
        self.assertNotIn("rank", self.report(DONE, "info", self.laplacian()))

    def test_does_not_overwrite_its_matrix(self):
        a = self.laplacian()
        old = a.read_text()
        self.exits(USAGE, "info", a, "--report", a, says="--report")
        self.exits(USAGE, "info", a, "--report", f"{self.folder}/./{a.name}", says="--report")
        self.assertEqual(a.read_text(), old)

    def test_of_a_pattern_and_of_integers(self):
        self.assertIn("pattern", self.info(self.write("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n")))
        self.assertIn("integer", self.info(self.write("i.mtx", coordinate(1, [(1, 1, 3)], field="integer"))))

    def matrices(self):
        """Of every kind that auto decides by: condition, symmetry, definiteness, units of rows, size."""
        yield from (DATA / name for name in ["hilbert20.mtx", "poisson10.mtx", "convection10.mtx", "toeplitz200.mtx",
                                             "pascal20.mtx", "randsvd20.mtx", "graded24.mtx"])
        generated = [["randsvd", "--n", 40, "--cond", cond, *options] for cond in ["1e3", "1e14", "1e17", "1e25", "1e60"]
                     for options in ([], ["--definite"])]
        generated += [["poisson2d", "--n", 40], ["convection-diffusion", "--n", 33], ["frank", "--n", 30],
                      ["wilkinson", "--n", 21], ["lotkin", "--n", 12], ["kahan", "--n", 60], ["vandermonde", "--n", 25]]
        for arguments in generated:
            path = self.folder / ("-".join(map(str, arguments)) + ".mtx")
            self.exits(DONE, "generate", *arguments, "-o", path)
            yield path
        yield self.write("one.mtx", coordinate(1, [(1, 1, 3)]))
        yield self.write("indefinite.mtx", coordinate(2, [(1, 1, 1), (2, 1, 2), (2, 2, 1)], "symmetric"))
        yield self.write("zeros.mtx", coordinate(3, [(1, 2, 1), (2, 3, 1), (3, 1, 1)]))
        yield self.write("rows.mtx", coordinate(3, [(1, 1, "1e-30"), (1, 2, "1e-30"), (2, 2, "1e30"), (3, 3, 1), (3, 1, 1)]))

    def test_what_auto_picks_is_what_solve_does(self):
        for path in self.matrices():
            with self.subTest(path.name):
                analysis = self.report(DONE, "info", path)["analysis"]
                solved = self.report(DONE, "solve", path)
                self.assertEqual(solved["escalations"], [])
                for field in ["method", "preconditioner", "precision_bits", "format", "executor", "condition_estimate"]:
                    self.assertEqual(analysis[field], solved[field], field)

    def more_matrices(self):
        """Those that are not part of the project, as far as they are small and can be read."""
        for path in sorted([*MATRICES.glob("public/*.mtx"), *MATRICES.glob("reports/*.mtx")]):
            if path.stat().st_size < 30_000 and program("info", path).returncode == DONE:
                yield path

    def test_flags_run_as_printed(self):
        pasted = 0
        for path in [*self.matrices(), *self.more_matrices()]:
            for digits in [[], ["-d", 40]]:
                with self.subTest(path.name, digits=digits):
                    flags = re.search(r"auto picks (--.*?) because", self.info(path, *digits))
                    if not flags:
                        continue
                    alone = program("solve", path, *digits, "-b", "ones")
                    result = program("solve", path, *flags[1].split(), "-b", "ones")
                    self.assertIn(result.returncode, [DONE, NOT_CONVERGED, BREAKDOWN], f"{flags[1]}\n{result.stderr}")
                    if alone.returncode == DONE and "\nleft " not in alone.stdout:  # nothing else took over
                        self.assertEqual(result.returncode, DONE, f"{flags[1]}\n{result.stdout}")
                    pasted += 1
        self.assertGreater(pasted, 40)

    def test_leaves_out_what_cannot_work(self):
        out = self.info(DATA / "hilbert20.mtx")
        self.assertIn("--factors 212 --precision 159", out)
        self.assertNotIn("refine cholesky in 53 bits", out)
        self.assertRegex(out, r"refine cholesky in 106 bits: .* iterations about \d+ ")
        self.assertRegex(out, r"cg jacobi: \S+ s and \S+ s for each iteration, \S+ \S+, iterations unknown")
        for path in self.matrices():
            for each in self.report(DONE, "info", path)["candidates"]:
                self.assertLessEqual(each["iterations"] or 0, 16000, (path.name, each))  # what solve stops at

    def test_the_error_of_a_determinant_is_that_of_what_is_written(self):
        a = self.write("a.mtx", coordinate(3, [(1, 1, 12345), (2, 2, 6789), (3, 3, "8.007")]))
        exact = Fraction(12345) * 6789 * Fraction(8.007)
        for digits in [1, 2, 3, 8, 20]:
            found = self.report(DONE, "info", a, "--determinant", digits)["factors"]
            error = abs(Fraction(found["determinant"]) / exact - 1)
            self.assertLessEqual(error, Fraction(found["relative_error"]), digits)
            self.assertLess(Fraction(found["relative_error"]), 5 * Fraction(10) ** -digits)

    def test_gives_its_reasons_with_numbers(self):
        analysis = self.report(DONE, "info", DATA / "hilbert20.mtx")["analysis"]
        self.assertEqual(analysis["density"], 1.0)
        reasons = analysis["reasons"]
        self.assertEqual(list(reasons), ["method", "preconditioner", "precision", "format", "executor"])
        self.assertRegex(reasons["method"], r"condition about [1-9]\.\de\+28")
        self.assertRegex(reasons["precision"], r"16 digits at a condition of [1-9]\.\de\+28 take 1\d\d bits, served by 1")
        self.assertRegex(reasons["format"], r"tuning table, up to \d+ bits")
        out = self.info(self.laplacian(10))
        for expected in ["density 28 % of the places, 2.8 nonzeros a row", "--format expansion", "--executor host",
                         "because method ", "preconditioner the binary64 factors, with "]:
            self.assertIn(expected, out)
        self.assertRegex(out, r"with \d+ entries in L, by Cholesky precision 16 digits at a condition of 6\.0e\+01 take 68 bits")

    def test_takes_a_reading(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "0.3")]))
        self.assertIn("53 significant bits", self.info(a))
        self.assertIn("in size, not all of them binary fractions", self.info(a, "--entries", "decimal"))
        longer = "1.00000000000000011102230246251565404236316680908203125"  # 1 + 2^-53
        b = self.write("b.mtx", coordinate(2, [(1, 1, "0.5"), (2, 2, longer)]))
        self.assertIn("54 significant bits", self.info(b, "--entries", "decimal"))


if __name__ == "__main__":
    unittest.main()
