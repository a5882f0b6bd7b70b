"""residua solve: what converges by which options, and what breaks down."""
import unittest
from fractions import Fraction

from support import (BAD_INPUT, BREAKDOWN, DATA, DONE, NOT_CONVERGED, TOO_FEW_DIGITS, USAGE, TestCase, array, coordinate,
                     read_array)

HILBERT = DATA / "hilbert20.mtx"


class RequiredDigits(TestCase):
    def test_fewer_have_an_exit_code_of_their_own_and_all_is_written(self):
        x, history = self.folder / "x.mtx", self.folder / "history.csv"
        options = ["solve", HILBERT, "-p", "double"]
        self.exits(DONE, *options)
        report = self.report(TOO_FEW_DIGITS, *options, "--require-digits", 1, "-o", x, "--history", history)
        self.assertEqual([report["status"], report["required_digits"], report["asked_digits"]], ["converged", 1, 0])
        self.assertEqual(report["forward_error"]["digits"], 0)
        self.assertEqual(len(read_array(x)), 20)
        self.assertTrue(history.exists())
        self.assertIn("Converged, but only 0 of the 1 digits asked for are backed.",
                      self.exits(TOO_FEW_DIGITS, *options, "--require-digits", 1).stdout)

    def test_so_many_are_done(self):
        self.exits(DONE, "solve", HILBERT, "-d", 20, "--require-digits", 20)
        digits = self.report(DONE, "solve", HILBERT, "-d", 20)["forward_error"]["digits"]
        self.exits(DONE, "solve", HILBERT, "-d", 20, "--require-digits", digits)
        self.exits(TOO_FEW_DIGITS, "solve", HILBERT, "-d", 20, "--require-digits", digits + 1)

    def test_that_are_not_known_are_none(self):
        singular = self.write("a.mtx", coordinate(2, [(1, 1, 1), (2, 1, 2), (2, 2, 4)], "symmetric"))
        report = self.report(TOO_FEW_DIGITS, "solve", singular, "-m", "minres", "-P", "none", "--require-digits", 1)
        self.assertEqual([report["status"], report["forward_error"]["kind"]], ["converged", "unknown"])
        zero = self.write("b.mtx", array([0, 0, 0]))
        self.exits(DONE, "solve", self.laplacian(3), "-b", zero, "--require-digits", 1000)

    def test_come_before_what_else_was_not_reached(self):
        a = self.laplacian(200)
        self.exits(NOT_CONVERGED, "solve", a, "-m", "cg", "-n", 3)
        self.exits(TOO_FEW_DIGITS, "solve", a, "-m", "cg", "-n", 3, "--require-digits", 5)
        singular = self.write("s.mtx", coordinate(2, [(1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 4)]))
        self.exits(BREAKDOWN, "solve", singular, "-b", "random:1", "-m", "direct")
        self.exits(TOO_FEW_DIGITS, "solve", singular, "-b", "random:1", "-m", "direct", "--require-digits", 5)

    def test_hold_for_each_column(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, 3), (2, 2, 1)]))
        b = self.write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n0\n1\n1\n")
        self.exits(DONE, "solve", a, "-b", b, "-p", "dd", "--require-digits", 20)
        result = self.exits(TOO_FEW_DIGITS, "solve", a, "-b", b, "-p", "dd", "--require-digits", 100)
        self.assertIn("NOT solved: 1 of 2 columns.", result.stdout)


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
        general = ["none", "jacobi", "block-jacobi", "ssor", "ilu0", "iluk", "ilut", "lu", "cholesky", "ldl"]
        for method, preconds in {"cg": symmetric, "minres": symmetric, "gmres": general, "bicgstab": general,
                                 "bicgstabl": general, "idr": general, "tfqmr": general, "bicg": general, "lsqr": ["none"],
                                 **dict.fromkeys(["cocg", "cocr"], [p for p in general if p != "ilut"]),
                                 "refine": ["lu", "cholesky", "ldl"], "gmres-ir": ["lu", "cholesky", "ldl"], "direct": ["none"]}.items():
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
                self.assertEqual([report["method"], report["least_squares"]], ["lsqr" if options else "direct", True])
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
        for method in ["cg", "gmres", "bicg", "tfqmr", "refine"]:
            self.exits(BAD_INPUT, "solve", a, "-m", method,
                       says=f"the method {method} needs a square matrix, and this one is 2 x 3: use lsqr, direct or auto")
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

    def test_in_expansions_where_they_are_asked_for_and_beyond_them_in_multidigit_floats(self):
        for bits, served in [("300", ["expansion", 318]), ("424", ["expansion", 424]), ("500", ["multidigit", 500]),
                             ("1696", ["multidigit", 1696]), ("4096", ["multidigit", 4096])]:
            x = self.folder / "x"
            report = self.report(DONE, "solve", self.laplacian(), "-m", "cg", "-f", "expansion", "-p", bits, "-o", x)
            self.assertEqual([report["format"], report["precision_bits"]], served)
            self.assert_ones(x, 370 if served[1] > 848 else 80)

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
        for entries, rank in [[(1, 1, 1), (2, 1, 2), (1, 2, 2), (2, 2, 4)], 1], [[(1, 1, 0)], 0]:
            a = self.write("a.mtx", coordinate(2, entries))
            report = self.report(DONE, "solve", a, "-b", b, "-d", 20)  # no other solution is shorter
            self.assertEqual([report["rank"], report["nullity"], report["part_outside"]], [rank, 2 - rank, "0.00000e+00"])
            self.assertGreaterEqual(report["forward_error"]["digits"], 20)
            self.report(DONE, "solve", a, "-b", b)
            if rank == 0:  # a Laplacian, of which minres is told the null space
                self.report(DONE, "solve", a, "-b", b, "-d", 20, "-m", "minres", "-P", "none")
                continue
            report = self.report(NOT_CONVERGED, "solve", a, "-b", b, "-d", 20, "-m", "minres", "-P", "none")
            self.assertIn("singular", report["message"])
            self.assertEqual(report["forward_error"]["digits"], 0)

    def test_weights_and_damping(self):
        x = self.folder / "x.mtx"
        rows, b, w, damp = [[1, "0.1"], [1, 2], [1, 3], [1, 5]], [1, 2, 4, -1], ["0.3", 1, 0, "1e-6"], "0.25"
        a = self.write("a.mtx", coordinate(4, [(i + 1, j + 1, rows[i][j]) for i in range(4) for j in range(2)], cols=2))
        options = ["-b", self.write("b.mtx", array(b)), "--weights", self.write("w.mtx", array(w)), "-o", x, "-d", 30,
                   "--entries", "decimal"]
        for more in [[], ["--damp", damp]]:
            report = self.report(DONE, "solve", a, *options, *more)
            self.assertGreaterEqual(report["forward_error"]["digits"], 30)
            self.assertTrue(report["least_squares"])
            self.assertLess(Fraction(report["normal_residual"]), Fraction(1, 10**25))
            square = Fraction(damp)**2 if more else 0
            exact = [[Fraction(each) for each in row] for row in rows]
            weights = [Fraction(each) for each in w]
            n = [[sum(weights[k] * exact[k][i] * exact[k][j] for k in range(4)) + (square if i == j else 0)
                  for j in range(2)] for i in range(2)]
            r = [sum(weights[k] * exact[k][i] * b[k] for k in range(4)) for i in range(2)]
            det = n[0][0] * n[1][1] - n[0][1] * n[1][0]
            truth = [(r[0] * n[1][1] - r[1] * n[0][1]) / det, (n[0][0] * r[1] - n[1][0] * r[0]) / det]
            for found, true in zip(read_array(x), truth):
                self.assertLess(abs(found - true), max(map(abs, truth)) / 10**30)
        self.assertIn("with weights or damping", self.exits(DONE, "solve", a, *options).stdout)
        short = self.write("short.mtx", array([1, 2]))
        self.exits(BAD_INPUT, "solve", a, "--weights", short, says="2 x 1")
        self.exits(USAGE, "solve", a, "--damp", "-1", says="--damp")
        self.exits(DONE, "solve", a, *options, "--damp", damp, "-m", "lsqr")
        for found, true in zip(read_array(x), truth):
            self.assertLess(abs(found - true), max(map(abs, truth)) / 10**30)
        guess = self.write("guess.mtx", array([1, 1]))
        self.exits(BAD_INPUT, "solve", a, "--damp", "1", "-m", "lsqr", "--x0", guess, says="initial guess")

    def test_a_null_space_that_is_given(self):
        n = 40
        cycle = [(i, i, 2) for i in range(1, n + 1)] + [(i + 1, i, -1) for i in range(1, n)] + [(n, 1, -1)]
        a = self.write("cycle.mtx", coordinate(n, cycle, "symmetric"))
        b = self.write("b.mtx", array([1, 0, -1] + [0] * (n - 3)))
        x = self.folder / "x.mtx"
        ones = self.write("ones.mtx", array([3] * n))
        for given, method in [("ones", "auto"), (ones, "minres"), ("ones", "cg")]:
            report = self.report(DONE, "solve", a, "-b", b, "-d", 20, "-m", method, "--given-null-space", given, "-o", x)
            self.assertEqual([report["nullity"], report["part_outside"]], [1, "0.00000e+00"])
            self.assertGreaterEqual(report["forward_error"]["digits"], 20)
            self.assertEqual(report["forward_error"]["kind"], "compared")
            numbers = read_array(x)
            self.assertLess(abs(sum(numbers)), Fraction(n, 10**20))
            for i in range(n):
                at = 2 * numbers[i] - numbers[i - 1] - numbers[(i + 1) % n]
                self.assertLess(abs(at - {0: 1, 2: -1}.get(i, 0)), Fraction(10, 10**20))
        self.report(BREAKDOWN, "solve", a, "-b", "ones", "--given-null-space", "ones")
        self.assertIsNone(self.report(DONE, "solve", a, "--given-null-space", "ones")["known_error"])
        short = self.write("short.mtx", array([1] * (n - 1)))
        self.exits(BAD_INPUT, "solve", a, "--given-null-space", short, says="39 x 1")
        refused = self.exits(BAD_INPUT, "solve", self.laplacian(), "--given-null-space", "ones", says="does not take it to zero")
        self.assertEqual(refused.stderr.count("\n"), 1)
        self.exits(BAD_INPUT, "solve", a, "-m", "refine", "--given-null-space", "ones", says="no factors")

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


if __name__ == "__main__":
    unittest.main()
