"""residua solve: every option, every exit code, every file it reads and writes."""
import gzip
import os
import signal
import subprocess
import time
import unittest
from fractions import Fraction

from support import (BAD_INPUT, BREAKDOWN, DATA, DONE, INTERRUPTED, NOT_CONVERGED, PROGRAM, RESOURCES, SANITIZED, USAGE,
                     TestCase, array, coordinate, program, read_array)

HILBERT = DATA / "hilbert20.mtx"


class Converges(TestCase):
    def test_with_defaults_and_says_so(self):
        result = self.exits(DONE, "solve", self.laplacian())
        self.assertIn("Converged: the true residual passes the stopping test.", result.stdout)
        for word in ["norm(b - A x) <= max(rtol norm(b), atol)", "true residual", "recursive residual",
                     "backward error", "forward error", "correct digits"]:
            self.assertIn(word, result.stdout)
        self.assertEqual(result.stderr, "")

    def test_by_every_method_and_preconditioner(self):
        x = self.folder / "x.mtx"
        symmetric = ["none", "jacobi", "block-jacobi", "ssor", "ic0", "chebyshev", "cholesky"]
        general = ["none", "jacobi", "block-jacobi", "ssor", "ilu0", "iluk", "ilut", "lu", "cholesky"]
        for method, preconds in {"cg": symmetric, "minres": symmetric, "gmres": general, "bicgstab": general,
                                 "bicgstabl": general, "idr": general, "tfqmr": general, "bicg": general, "lsqr": ["none"],
                                 "refine": ["lu", "cholesky"], "gmres-ir": ["lu", "cholesky"], "direct": ["none"]}.items():
            for precond in preconds:
                for precision in ["dd", "qd"]:
                    with self.subTest(method=method, precond=precond, precision=precision):
                        report = self.report(DONE, "solve", self.laplacian(), "-m", method, "-P", precond,
                                             "-p", precision, "-o", x)
                        self.assertEqual(report["method"], method)
                        self.assertEqual(report["preconditioner"], precond)
                        self.assert_ones(x, 25)

    def test_with_as_much_fill_as_asked_for(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 20, "-o", a)
        for precond, fills in [("iluk", [0, 1, 4]), ("ilut", [0, 2, 30])]:
            counts = [self.report(DONE, "solve", a, "-m", "gmres", "-P", precond, "--fill", fill, "-p", "dd",
                                  "-b", "random:1")["iterations"] for fill in fills]
            self.assertEqual(counts, sorted(set(counts), reverse=True), precond)

    def test_least_squares_by_the_normal_residual_and_in_plain_words(self):
        a = self.write("a.mtx", coordinate(3, [(1, 1, 1), (2, 2, 1), (3, 1, 1), (3, 2, 1)], cols=2))
        b, x = self.write("b.mtx", array([1, 1, 5])), self.folder / "x.mtx"
        for options in [[], ["-m", "lsqr"], ["-m", "lsqr", "-f", "multidigit"], ["-m", "lsqr", "-f", "rns"]]:
            with self.subTest(options):
                report = self.report(DONE, "solve", a, "-b", b, "-p", "qd", "-o", x, *options)
                self.assertEqual([report["method"], report["least_squares"]], ["lsqr", True])
                self.assertLess(float(report["normal_residual"]), 1e-57)
                self.assertGreater(float(report["relative_residual"]), 0.1)
                for got in read_array(x):
                    self.assertLess(abs(got - 2), Fraction(1, 10**50))
        out = self.exits(DONE, "solve", a, "-b", b).stdout
        for words in ["Converged to a least-squares solution", "norm(A'(b - A x)) <= rtol norm(A) norm(b - A x)",
                      "normal residual"]:
            self.assertIn(words, out)
        consistent = self.report(DONE, "solve", a, "-o", x)
        self.assertEqual([consistent["least_squares"], consistent["known_error"]], [False, None])
        self.assert_ones(x, 25)
        runs = self.report(DONE, "compare", a, "-b", b, "--precisions", "dd,qd", "--methods", "auto,lsqr")["runs"]
        self.assertEqual([run["least_squares"] for run in runs], [True] * 4)
        self.assertIsNone(self.report(DONE, "solve", self.laplacian())["normal_residual"])

    def test_the_shortest_solution_where_there_are_more_unknowns_than_equations(self):
        a, x = self.write("a.mtx", coordinate(1, [(1, 1, 3), (1, 3, 4)], cols=3)), self.folder / "x.mtx"
        report = self.report(DONE, "solve", a, "-b", self.write("b.mtx", array([50])), "-o", x)
        self.assertEqual(report["least_squares"], False)
        for got, wanted in zip(read_array(x), [6, 0, 8], strict=True):
            self.assertLess(abs(got - wanted), Fraction(1, 10**25))

    def test_other_methods_refuse_a_rectangular_matrix_in_one_line(self):
        a = self.write("a.mtx", coordinate(2, [(1, 3, 1), (2, 1, 1)], cols=3))
        for method in ["cg", "gmres", "bicg", "tfqmr", "direct"]:
            self.exits(BAD_INPUT, "solve", a, "-m", method,
                       says=f"the method {method} needs a square matrix, and this one is 2 x 3: use lsqr or auto")
        self.exits(USAGE, "solve", a, "-m", "lsqr", "-P", "jacobi", says="--precond")

    def test_gmres_ir_goes_on_where_refinement_by_binary64_factors_does_not(self):
        a, x = self.folder / "a.mtx", self.folder / "x.mtx"
        for cond, precision, digits in [("1e18", "dd", 8), ("1e28", "qd", 25), ("1e40", "qd", 12)]:
            with self.subTest(cond=cond):
                self.exits(DONE, "generate", "randsvd", "--n", 60, "--cond", cond, "--digits", 140, "-o", a)
                options = ["--entries", "decimal", "-p", precision, "-o", x]
                report = self.report(DONE, "solve", a, "-m", "gmres-ir", *options)
                self.assertEqual(report["method"], "gmres-ir")
                self.assertEqual(report["escalations"], [])
                self.assert_ones(x, digits)
                self.exits(NOT_CONVERGED, "solve", a, "-m", "refine", "--factors", "double", *options)
        for form in ["expansion", "rns"]:
            self.exits(USAGE, "solve", a, "-m", "gmres-ir", "-f", form, says="--format: gmres-ir takes")
        self.exits(USAGE, "compare", a, "--methods", "cg,gmres-ir", "--formats", "rns", says="--format: gmres-ir takes")

    def test_in_every_precision(self):
        for bits, served in [("double", 53), ("dd", 106), ("td", 159), ("qd", 212), ("1", 53), ("53", 53), ("54", 106),
                             ("212", 212), ("213", 213), ("300", 300), ("424", 424), ("848", 848), ("849", 849),
                             ("4096", 4096)]:
            with self.subTest(bits):
                report = self.report(DONE, "solve", self.laplacian(), "-m", "cg", "-p", bits)
                self.assertEqual(report["precision_bits"], served)
                self.assertEqual(report["format"],
                                 "native" if served == 53 else "expansion" if served <= 212 else "multidigit")
        self.exits(USAGE, "solve", self.laplacian(), "-p", "4097", says="--precision")

    def test_refinement_has_formats_of_its_own(self):
        for method, bits, served in [("refine", "td", ["expansion", 159]), ("refine", "160", ["multidigit", 212]),
                                     ("refine", "qd", ["multidigit", 212]), ("cg", "qd", ["expansion", 212])]:
            with self.subTest(f"{method} {bits}"):
                x = self.folder / "x"
                report = self.report(DONE, "solve", self.laplacian(), "-m", method, "-p", bits, "-o", x)
                self.assertEqual([report["format"], report["precision_bits"]], served)
                self.assert_ones(x, 40)

    def test_in_long_expansions_where_they_are_asked_for(self):
        for bits, served in [("300", 318), ("424", 424), ("500", 636), ("848", 848), ("849", 1272), ("1696", 1696)]:
            x = self.folder / "x"
            report = self.report(DONE, "solve", self.laplacian(), "-m", "cg", "-f", "expansion", "-p", bits, "-o", x)
            self.assertEqual([report["format"], report["precision_bits"]], ["expansion", served])
            self.assert_ones(x, 370 if served > 848 else 80)

    def test_where_binary64_cannot(self):
        """A passing residual is not sold as a solution."""
        result = self.exits(DONE, "solve", HILBERT, "-p", "double")
        self.assertIn("no digit of x is known to be right", result.stdout)
        self.assertIn("try --precision 159", " ".join(result.stdout.split()))
        report = self.report(DONE, "solve", HILBERT, "-p", "double")
        self.assertEqual(report["forward_error"]["digits"], 0)
        self.assertGreater(Fraction(report["known_error"]), Fraction(1, 100))

        x = self.folder / "x.mtx"
        result = self.exits(DONE, "solve", HILBERT, "-p", "qd", "-o", x)
        self.assertNotIn("no digit", result.stdout)
        self.assert_ones(x, 30)

    def test_digits_that_a_precision_cannot_give_raise_it(self):
        report = self.report(DONE, "solve", HILBERT, "-p", "double", "-d", 20)
        self.assertGreater(report["precision_bits"], 53)
        self.assertEqual(report["escalations"][0]["precision_bits"], 53)

    def test_digits_that_the_format_cannot_give_are_not_claimed(self):
        report = self.report(NOT_CONVERGED, "solve", HILBERT, "-f", "native", "-d", 20)
        self.assertLess(report["forward_error"]["digits"], 20)

    def test_with_the_digits_asked_for(self):
        for digits in [20, 100]:
            x = self.folder / "x.mtx"
            report = self.report(DONE, "solve", HILBERT, "-d", digits, "-o", x)
            self.assertGreaterEqual(report["forward_error"]["digits"], digits)
            self.assert_ones(x, digits)

    def test_few_digits_take_longer_factors_where_many_do(self):
        a, x = self.folder / "a.mtx", self.folder / "x.mtx"
        self.exits(DONE, "generate", "frank", "--n", 40, "-o", a)
        for digits in [1, 10, 16]:
            report = self.report(DONE, "solve", a, "-m", "refine", "-d", digits, "-o", x)
            self.assertGreaterEqual(report["forward_error"]["digits"], digits)
            self.assert_ones(x, digits)

    def test_a_tolerance_that_zero_passes_does_not_keep_digits_from_being_found(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, 2), (2, 1, 1), (1, 2, 1), (2, 2, 3)]))
        for method in ["auto", "cg", "gmres", "direct"]:
            report = self.report(DONE, "solve", a, "-d", 8, "--rtol", 2, "-m", method)
            self.assertGreaterEqual(report["forward_error"]["digits"], 8)

    def test_digits_of_zero_are_known_where_the_matrix_is_not_singular(self):
        b = self.write("b.mtx", array([0, 0]))
        a = self.write("a.mtx", coordinate(2, [(1, 1, 2), (2, 1, 1), (1, 2, 1), (2, 2, 3)]))
        for options in [[], ["-m", "cg"], ["-p", 500]]:
            report = self.report(DONE, "solve", a, "-b", b, "-d", 20, *options)
            self.assertGreaterEqual(report["forward_error"]["digits"], 20)
        for entries in [[(1, 1, 1), (2, 1, 2), (1, 2, 2), (2, 2, 4)], [(1, 1, 0)]]:
            a = self.write("a.mtx", coordinate(2, entries))
            report = self.report(NOT_CONVERGED, "solve", a, "-b", b, "-d", 20)
            self.assertIn("singular", report["message"])
            self.assertEqual(report["forward_error"]["digits"], 0)
            self.report(DONE, "solve", a, "-b", b)

    def test_digits_that_were_reached_are_no_failure(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "randsvd", "--n", 30, "--cond", "1e40", "--definite", "--seed", 4, "-o", a)
        report = self.report(DONE, "solve", a, "-m", "minres", "-d", 30)
        self.assertGreaterEqual(report["forward_error"]["digits"], 30)
        self.assertLessEqual(Fraction(report["relative_residual"]),
                             Fraction(report["rtol"]) * Fraction(10001, 10000))  # both are rounded to some digits

    def test_no_more_digits_are_claimed_than_there_are(self):
        for arguments in [["-p", "dd"], ["-p", "qd"], ["-p", "424"], []]:
            report = self.report(DONE, "solve", DATA / "pascal20.mtx", *arguments)
            self.assertEqual(report["forward_error"]["kind"], "estimated")
            self.assertLessEqual(Fraction(report["known_error"]), Fraction(report["forward_error"]["bound"]))

    def test_decimals_are_read_in_full_whatever_the_precision(self):
        tiny = Fraction(5, 10**60)
        a = self.write("a.mtx", coordinate(2, [(1, 1, 1), (1, 2, 1), (2, 1, 1), (2, 2, "1." + "0" * 59 + "5")]))
        b, x = self.write("b.mtx", array([3, 7])), self.folder / "x.mtx"
        for options in [["-p", "dd", "-m", "gmres-ir"], ["-p", "qd"], []]:
            report = self.report(DONE, "solve", a, "-b", b, "-o", x, *options)
            exact = [3 - 4 / tiny, 4 / tiny]
            error = max(abs(u - v) for u, v in zip(read_array(x), exact, strict=True)) / exact[1]
            self.assertLessEqual(error, Fraction(1, 10 ** report["forward_error"]["digits"]))

    def test_x_as_written_passes_the_test_that_x_passed(self):
        a, x = self.folder / "a.mtx", self.folder / "x.mtx"
        self.exits(DONE, "generate", "pascal", "--n", 25, "-o", a)
        b = "random:1"
        for options in [["-p", "dd"], ["-p", "dd", "--entries", "decimal"], ["-p", "qd", "-m", "refine"], []]:
            with self.subTest(options):
                first = self.report(DONE, "solve", a, "-b", b, "-o", x, *options)
                again = self.report(DONE, "solve", a, "-b", b, "--x0", x, *options)
                self.assertEqual(again["iterations"], 0)
                self.assertEqual(first["status"], "converged")
                self.assertLessEqual(Fraction(again["relative_residual"]),
                                     max(Fraction(first["rtol"]), Fraction(first["relative_residual"])))

    def test_a_least_squares_x_as_written_passes_too(self):
        a = self.write("a.mtx", coordinate(6, [(i + 1, j + 1, (i + 1)**j) for i in range(6) for j in range(4)], cols=4))
        b, x = self.write("b.mtx", array([1, -1, 2, -2, 3, -5])), self.folder / "x.mtx"
        self.report(DONE, "solve", a, "-b", b, "-m", "lsqr", "-p", "qd", "-o", x)
        again = self.report(DONE, "solve", a, "-b", b, "-m", "lsqr", "-p", "qd", "--x0", x)
        self.assertEqual([again["iterations"], again["least_squares"]], [0, True])

    def test_to_tolerances_beyond_binary64(self):
        for option in [["--rtol", "1e-400"], ["--rtol", "0", "--atol", "1E-400"], ["--rtol", "1d-400"]]:
            for name in ["expansion", "auto"]:
                report = self.report(DONE, "solve", self.laplacian(), "-f", name, "-p", "848", *option)
                self.assertLess(Fraction(report["relative_residual"]), Fraction(1, 10**399))

    def test_beyond_binary64s_range(self):
        x = self.folder / "x.mtx"
        for name in ["expansion", "auto"]:
            self.exits(DONE, "solve", DATA / "graded24.mtx", "-f", name, "-p", "848", "--rtol", "1e-450", "-o", x)
            self.assert_ones(x, 40)


class RightHandSides(TestCase):
    def solution(self, *arguments):
        x = self.folder / "x.mtx"
        self.exits(DONE, "solve", self.laplacian(3), "-p", "qd", "-o", x, *arguments)
        return read_array(x)

    def assert_close(self, got, wanted):
        for a, b in zip(got, wanted, strict=True):
            self.assertLess(abs(a - b), Fraction(1, 10**50))

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


class Entries(TestCase):
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

    def test_a_long_decimal_in_b_decides_too(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "0.1")]))
        b = self.write("b.mtx", array(["0.123456789012345678"]))
        self.assertEqual(self.report(DONE, "solve", a, "-b", b)["matrix"]["entries"], "decimal")

    def test_the_summary_says_which(self):
        a, b = self.system()
        self.assertIn("rounded to binary64; binary64 does not hold 1 of 2 entries exactly",
                      " ".join(program("solve", a, "-b", b).stdout.split()))
        self.assertIn("decimals as written; binary64 does not hold 1 of 2 entries exactly",
                      " ".join(program("solve", a, "-b", b, "--entries", "decimal").stdout.split()))

    def test_binary64_refuses_what_overflows(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "1e400")]))
        self.exits(BAD_INPUT, "solve", a, "--entries", "binary64", says="--entries decimal")


class Input(TestCase):
    def test_standard_input(self):
        text = self.laplacian().read_text()
        report = self.report(DONE, "solve", "-", input=text)
        self.assertEqual(report["matrix"]["file"], "<stdin>")

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

    def test_complex_systems_are_not_supported_yet(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, "1 2")], field="complex"))
        self.exits(BAD_INPUT, "solve", a, says="not supported yet")
        a = self.write("h.mtx", coordinate(1, [(1, 1, "1 0")], "hermitian", "complex"))
        self.exits(BAD_INPUT, "solve", a, says="hermitian")

    def test_repeated_entries_are_summed_with_a_warning(self):
        a = self.write("a.mtx", coordinate(1, [(1, 1, 1), (1, 1, 2)]))
        self.exits(DONE, "solve", a, says="warning")
        self.assertEqual(program("solve", a, "-q").stderr, "")


class Breakdown(TestCase):
    def test_singular_matrices(self):
        for entries in [[(1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 4)], [(1, 1, 1)], [(1, 2, 1)]]:
            a = self.write("a.mtx", coordinate(2, entries))
            for method in ["auto", "direct", "refine"]:
                with self.subTest(entries=entries, method=method):
                    report = self.report(BREAKDOWN, "solve", a, "-b", "ones", "-m", method)
                    self.assertEqual(report["status"], "breakdown")
                    self.assertNotEqual(report["message"], "")

    def test_cg_on_an_indefinite_matrix(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, 1), (2, 2, -3)], "symmetric"))
        report = self.report(BREAKDOWN, "solve", a, "-m", "cg", "-P", "none", "-b", "ones")
        self.assertIn("definite", report["message"])

    def test_says_so_and_does_not_say_converged(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, 1), (2, 2, -3)], "symmetric"))
        result = self.exits(BREAKDOWN, "solve", a, "-m", "cg", "-P", "none", "-b", "ones")
        self.assertNotIn("Converged", result.stdout)
        self.assertIn("broke down", result.stdout)


class Limits(TestCase):
    def test_the_iteration_limit(self):
        x = self.folder / "x.mtx"
        report = self.report(NOT_CONVERGED, "solve", self.laplacian(200), "-m", "cg", "-P", "none", "-n", 5, "-b",
                             "ones", "-o", x)
        self.assertEqual(report["status"], "not_converged")
        self.assertLessEqual(report["iterations"], 5)
        self.assertEqual(len(read_array(x)), 200)

    def test_restarts_are_counted(self):
        report = self.report(DONE, "solve", self.laplacian(30), "-m", "gmres", "-P", "none", "--restart", 20, "-n",
                             100000, "-p", "dd", "--rtol", "1e-20")
        self.assertGreater(report["restarts"], 0)

    def long_run(self, *arguments):
        """Something that takes minutes: CG on a badly conditioned matrix with no preconditioner."""
        a = self.folder / "long.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 150, "-o", a)
        return ["solve", a, "-m", "cg", "-P", "none", "-f", "expansion", "-p", "848", "-b", "random:1", "--rtol",
                "1e-230", *arguments]

    def test_the_time_limit(self):
        x = self.folder / "x.mtx"
        report = self.report(NOT_CONVERGED, *self.long_run("--time-limit", "3", "-o", x))
        self.assertEqual(report["status"], "time_limit")
        self.assertLess(report["seconds"]["solve"], 30)
        self.assertTrue(any(read_array(x)))

    def begin(self, history, *arguments):
        """A long run that has made its first iterations."""
        command = [PROGRAM, *map(str, self.long_run("--history", history, *arguments))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 120
        while not (history.exists() and history.read_text().count("\n") > 5):
            self.assertLess(time.monotonic(), deadline, "the solve did not begin")
            self.assertIsNone(process.poll(), "the solve ended by itself")
            time.sleep(0.05)
        return process

    def test_an_interrupt_writes_everything_first(self):
        x, history, report = (self.folder / name for name in ["x.mtx", "history.csv", "report.json"])
        process = self.begin(history, "-o", x, "--report", report)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn("Interrupted", out)
        self.assertEqual(len(read_array(x)), 150 * 150)
        self.assertTrue(any(read_array(x)))
        self.assertIn('"status": "interrupted"', report.read_text())

    def test_a_second_interrupt_kills(self):
        process = self.begin(self.folder / "history.csv")
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            process.send_signal(signal.SIGINT)
            time.sleep(0.001)
        self.assertIn(process.returncode, [-signal.SIGINT, INTERRUPTED])


class Memory(TestCase):
    def test_a_system_too_large_is_refused_with_its_bytes(self):
        a = self.write("a.mtx", coordinate(2_000_000_000, [(1, 1, 1)]))
        started = time.monotonic()
        result = self.exits(RESOURCES, "solve", a, says="bytes")
        self.assertRegex(result.stderr, r"\d{11,} bytes")
        self.assertLess(time.monotonic() - started, 10)

    def test_dense_factors_too_large_are_refused(self):
        n = 60_000
        a = self.write("a.mtx", coordinate(n, [(i, i, 2) for i in range(1, n + 1)]))
        self.exits(RESOURCES, "solve", a, "-m", "direct", "-p", "848", says="bytes")

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_within_an_address_space_limit(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 400, "-o", a)
        self.exits(RESOURCES, "solve", a, "-m", "gmres", "-P", "none", "--restart", 100, "-p", "424", says="bytes",
                   address_space_kib=500_000)
        self.exits(RESOURCES, "solve", a, "-m", "gmres", "-P", "iluk", "--fill", 10_000, "-p", "dd",
                   says="the ILU(k) factorisation needs", address_space_kib=700_000)
        self.exits(RESOURCES, "solve", a, "-m", "gmres", "-P", "ilut", "--fill", 10_000, "-p", "dd",
                   says="the ILUT factorisation needs", address_space_kib=700_000)
        self.exits(DONE, "generate", "poisson3d", "--n", 40, "-o", a)
        self.exits(RESOURCES, "solve", a, "-m", "cg", "-P", "cholesky", "-p", "dd",
                   says="the sparse Cholesky factorisation needs", address_space_kib=2_000_000)
        self.exits(DONE, "solve", a, "-m", "cg", "-p", "dd", "--rtol", "1e-8", address_space_kib=2_000_000)


class Output(TestCase):
    def test_x_round_trips_the_precision(self):
        x = self.folder / "x.mtx"
        a = self.write("a.mtx", coordinate(1, [(1, 1, 3)]))
        for bits, digits in [("double", 17), ("dd", 33), ("qd", 65)]:
            self.exits(DONE, "solve", a, "-m", "refine", "-p", bits, "-b", "ones", "-o", x)
            self.assertRegex(x.read_text().splitlines()[-1], rf"^0\.3{{{digits - 2}}}\d\d?$")

    def test_x_with_the_digits_asked_for(self):
        x = self.folder / "x.mtx"
        b = self.write("b.mtx", array([1, 0, 0]))
        a = self.write("a.mtx", coordinate(3, [(1, 1, 3), (2, 2, 1), (3, 3, 1)]))
        self.exits(DONE, "solve", a, "-b", b, "-o", x, "--output-digits", 12)
        self.assertEqual(x.read_text().splitlines()[-3:], ["0.333333333333", "0", "0"])

    def test_files_that_cannot_be_written_are_refused_before_the_solve(self):
        for option in ["--output", "--history", "--report", "--plot"]:
            path = "/nonexistent/x.svg"
            self.exits(RESOURCES, "solve", self.folder / "not-read.mtx", option, path, says=path)

    def test_a_full_disk_is_an_error(self):
        self.exits(RESOURCES, "solve", self.laplacian(), "-o", "/dev/full", says="/dev/full")
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                self.assertEqual(subprocess.run([PROGRAM, "solve", self.laplacian()], stdout=full,
                                                stderr=subprocess.DEVNULL).returncode, RESOURCES)

    def test_a_failed_run_leaves_no_empty_files_and_no_lost_ones(self):
        old = self.write("old.mtx", "old")
        self.exits(BAD_INPUT, "solve", self.folder / "none", "-o", old, "--report", self.folder / "new.json",
                   says="none")
        self.assertEqual(old.read_text(), "old")
        self.assertFalse((self.folder / "new.json").exists())

    def test_an_old_history_stays_where_nothing_was_solved(self):
        old = self.write("h.csv", "old")
        new = self.folder / "new.csv"
        huge = self.write("huge.mtx", coordinate(60_000, [(i, i, 2) for i in range(1, 60_001)]))
        for code, arguments in [(BAD_INPUT, [self.folder / "none"]),
                                (RESOURCES, [huge, "-m", "direct", "-p", "848"])]:
            for path in [old, new]:
                self.exits(code, "solve", *arguments, "--history", path, says="residua: ")
            self.assertEqual(old.read_text(), "old")
            self.assertFalse(new.exists())

    def test_a_history_without_iterations_has_its_heading(self):
        path = self.write("h.csv", "something old that is longer than the heading of a history " * 9)
        zero = self.write("b.mtx", array([0, 0, 0]))
        self.exits(DONE, "solve", self.laplacian(3), "-b", zero, "--history", path)
        self.assertTrue(path.read_text().startswith("iteration,recursive_relative_residual,"))
        self.assertNotIn("old", path.read_text())

    def test_a_dangling_link_is_written_through(self):
        link = self.folder / "link"
        link.symlink_to("target")
        self.exits(DONE, "solve", self.laplacian(3), "-o", link, "-q")
        self.assertTrue(link.is_symlink())
        self.assert_ones(self.folder / "target", 10)

    def test_the_history(self):
        path = self.folder / "h.csv"
        report = self.report(DONE, "solve", self.laplacian(40), "-m", "cg", "-p", "qd", "--history", path)
        head, *lines = path.read_text().splitlines()
        self.assertEqual(head, "iteration,recursive_relative_residual,true_relative_residual,seconds,precision_bits")
        rows = [line.split(",") for line in lines]
        self.assertEqual(int(rows[-1][0]), report["iterations"])
        self.assertLess(Fraction(rows[-1][2]), Fraction(report["rtol"]))
        self.assertTrue(any(r[2] == "" for r in rows), "the true residual is not formed every time")
        self.assertTrue(all(r[4] == "212" for r in rows))
        seconds = [float(r[3]) for r in rows]
        self.assertEqual(seconds, sorted(seconds))

    def test_quiet_and_verbose(self):
        result = self.exits(DONE, "solve", self.laplacian(), "-q")
        self.assertEqual(result.stdout + result.stderr, "")
        result = self.exits(DONE, "solve", self.laplacian(), "-v")
        self.assertIn("true residual", result.stderr)

    def test_progress_always_shows_a_line_and_never_none(self):
        self.assertIn("iteration", program("solve", self.laplacian(), "--progress", "always").stderr)
        self.assertEqual(program("solve", self.laplacian(), "--progress", "never").stderr, "")
        for command in ["solve", "compare"]:
            self.assertEqual(program(command, self.laplacian(), "-q", "--progress", "always").stderr, "")

    def shell(self, command, *arguments):
        """Exit code and standard error of a shell's command, with the program as $0."""
        result = subprocess.run(["bash", "-c", command, PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                                timeout=300, check=False)
        return result.returncode, result.stderr

    def test_standard_error_that_cannot_be_written_is_no_error(self):
        a = self.laplacian()
        for redirection in ["2>&-", "2>/dev/full"]:
            for code, command in [(BAD_INPUT, "solve nofile"), (USAGE, "foo"), (DONE, 'solve "$1" -v'),
                                  (DONE, 'solve "$1" --report - --progress always'),
                                  (DONE, 'compare "$1" --formats native,auto')]:
                with self.subTest(command + redirection):
                    self.assertEqual(self.shell(f'"$0" {command} {redirection}', a)[0], code)

    def test_results_do_not_receive_what_standard_error_would(self):
        x = self.folder / "x.mtx"
        self.shell('"$0" solve "$1" -v --progress always -o "$2" 2>&-', self.laplacian(3), x)
        self.assert_ones(x, 10)

    def test_standard_output_that_cannot_be_written_is_an_error_in_one_line(self):
        a = self.laplacian()
        for redirection in [">&-", ">/dev/full"]:
            for command in ['solve "$1"', 'compare "$1"', 'info "$1"', "--help",
                            "generate hilbert --n 30 -o -"]:
                with self.subTest(command + redirection):
                    code, told = self.shell(f'"$0" {command} {redirection}', a)
                    self.assertEqual(code, RESOURCES)
                    self.assertIn("standard output", told)
                    self.assertEqual(told.count("\n"), 1, told)

    def test_threads_do_not_change_a_bit(self):
        texts = []
        for threads in [1, 2, 3]:
            x = self.folder / "x.mtx"
            report = self.report(DONE, "solve", self.laplacian(500), "-m", "cg", "-b", "random:2", "-p", "dd", "-t",
                                 threads, "-o", x)
            self.assertEqual(report["threads"], threads)
            texts.append(x.read_text())
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])


if __name__ == "__main__":
    unittest.main()
