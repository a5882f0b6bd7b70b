"""residua solve -b FILE with several columns: one solve for all of them."""
import json
import unittest
from fractions import Fraction

from support import (BAD_INPUT, BREAKDOWN, DATA, DONE, NOT_CONVERGED, RESOURCES, SANITIZED, TestCase, array, coordinate,
                     program, read_array)


def columns(values):
    """An array file with so many columns, each a list."""
    head = f"%%MatrixMarket matrix array real general\n{len(values[0])} {len(values)}\n"
    return head + "".join(f"{x}\n" for column in values for x in column)


def read_columns(path):
    """The columns of an array file, exactly."""
    size = next(s for s in path.read_text().splitlines() if not s.startswith("%"))
    rows, cols = map(int, size.split())
    numbers = read_array(path)
    assert len(numbers) == rows * cols
    return [numbers[j * rows:(j + 1) * rows] for j in range(cols)]


class SeveralColumns(TestCase):
    def systems(self):
        """tridiag(-1, 2, -1) with 3 rows, right-hand sides and solutions"""
        rhs = [[1, 1, 1], [0, 4, 0], [0, 0, 0], ["1e-300", 0, 0], ["1e300", 0, 0]]
        x = [[Fraction(3, 2), 2, Fraction(3, 2)], [2, 4, 2], [0, 0, 0]]
        x += [[Fraction(s) * Fraction(k, 4) for k in (3, 2, 1)] for s in ("1e-300", "1e300")]
        return self.laplacian(3), self.write("b.mtx", columns(rhs)), x

    def assert_close(self, got, wanted, digits=50):
        self.assertEqual(len(got), len(wanted))
        for a, b in zip(got, wanted, strict=True):
            self.assertLessEqual(max(abs(p - q) for p, q in zip(a, b, strict=True)),
                                 max(abs(q) for q in b) * Fraction(10) ** -digits)

    def test_known_solutions_by_every_method(self):
        a, b, wanted = self.systems()
        x = self.folder / "x.mtx"
        for method in ["auto", "refine", "cg", "gmres", "bicgstab", "bicgstabl", "idr", "direct"]:
            with self.subTest(method):
                report = self.report(DONE, "solve", a, "-b", b, "-m", method, "-p", "qd", "--entries", "decimal",
                                     "-o", x)
                self.assert_close(read_columns(x), wanted)
                self.assertEqual([c["status"] for c in report["columns"]], ["converged"] * 5)

    def test_a_dense_system_of_many_columns_has_the_bits_of_each_alone(self):
        n = 30
        a = self.write("a.mtx", columns([[f"{1 / (i + 2 * j + 1)!r}" if i != j else "9" for i in range(n)]
                                         for j in range(n)]))
        rhs = [[(i * i + 7 * j) % 11 - 5 for i in range(n)] for j in range(9)]
        b, x, one = self.write("b.mtx", columns(rhs)), self.folder / "x.mtx", self.folder / "one.mtx"
        for threads in [1, 2]:
            report = self.report(DONE, "solve", a, "-b", b, "-m", "refine", "-p", "qd", "-o", x, "-t", threads)
            for j, column in enumerate(read_columns(x)):
                alone = self.report(DONE, "solve", a, "-b", self.write("c.mtx", array(rhs[j])), "-m", "refine", "-p",
                                    "qd", "-o", one)
                self.assertEqual(read_array(one), column)
                for field in alone:
                    if field in report["columns"][j] and field not in ("seconds", "threads", "memory"):
                        self.assertEqual(alone[field], report["columns"][j][field], field)

    def test_a_coordinate_file(self):
        b = self.write("b.mtx", coordinate(3, [(2, 1, 4), (1, 3, 4), (2, 3, 0)], cols=3))
        x = self.folder / "x.mtx"
        self.exits(DONE, "solve", self.laplacian(3), "-b", b, "-p", "qd", "-o", x)
        self.assert_close(read_columns(x), [[2, 4, 2], [0, 0, 0], [3, 2, 1]])

    def test_long_decimals_are_taken_as_written(self):
        third = "0." + 60 * "3"
        b = self.write("b.mtx", columns([[third, 0], [0, 1]]))
        x = self.folder / "x.mtx"
        a = self.write("a.mtx", coordinate(2, [(1, 1, 1), (2, 2, 1)]))
        report = self.report(DONE, "solve", a, "-b", b, "-d", 55, "-o", x)
        self.assertEqual([report["matrix"]["entries"], report["rhs_reading"]["entries"]], ["binary64", "decimal"])
        self.assert_close(read_columns(x), [[Fraction(third), 0], [0, 1]], 55)

    def test_the_report(self):
        a, b, _ = self.systems()
        report = self.report(DONE, "solve", a, "-b", b, "-m", "refine", "-p", "dd")
        self.assertEqual([report["status"], report["right_hand_sides"], report["rhs"]], ["converged", 5, str(b)])
        self.assertEqual([c["column"] for c in report["columns"]], [1, 2, 3, 4, 5])
        for column in report["columns"]:
            self.assertLessEqual(Fraction(column["relative_residual"]), Fraction(column["rtol"]))
            self.assertIn("digits", column["forward_error"])
        single = self.report(DONE, "solve", a)
        self.assertNotIn("columns", single)
        self.assertNotIn("right_hand_sides", single)
        self.assertEqual(set(report["columns"][0]) - {"column"},
                         set(single) - {"schema", "version", "command", "matrix", "rhs", "rhs_reading"})

    def test_the_summary_has_a_line_for_each_column(self):
        a, b, _ = self.systems()
        out = self.exits(DONE, "solve", a, "-b", b).stdout
        self.assertIn("Converged: the true residuals of all 5 columns pass the stopping test.", out)
        lines = out.replace(str(self.folder), "").splitlines()  # a long path is in one line
        table = lines[next(i for i, s in enumerate(lines) if s.split()[:2] == ["column", "method"]):]
        self.assertEqual([s.split()[0] for s in table[:6]], ["column", "1", "2", "3", "4", "5"])
        self.assertTrue(all(len(s) <= 120 for s in lines))

    def test_what_is_said_of_several_columns_is_said_once(self):
        n = 6
        a = self.write("a.mtx", coordinate(n, [(i, i, "0.1") for i in range(1, n + 1)]))
        unit = [[0 if k == 1 else int(i == k) for i in range(n)] for k in (0, 1, 2, 3, 4, 5)]
        out = self.exits(DONE, "solve", a, "-b", self.write("b.mtx", columns(unit)), "-d", 30).stdout
        self.assertEqual(out.count("two systems"), 1, out)
        self.assertIn("\ncolumns 1, 3 to 6: as written and rounded", out)

    def test_the_worst_column_is_the_exit_code(self):
        """Hilbert's matrix beside a good one: refinement stagnates for columns that reach into it."""
        n = 16
        entries = [(1, 1, 2), (1, 2, 1), (2, 1, 1), (2, 2, 3)]
        entries += [(i + 2, j + 2, repr(1 / (i + j - 1))) for i in range(1, n + 1) for j in range(1, n + 1)]
        a = self.write("a.mtx", coordinate(n + 2, entries))
        unit = [[int(i == k) for i in range(n + 2)] for k in (0, 9, 1)]
        b, x = self.write("b.mtx", columns(unit)), self.folder / "x.mtx"
        report = self.report(NOT_CONVERGED, "solve", a, "-b", b, "-m", "refine", "--factors", "double", "-p", "qd", "-o",
                             x)
        self.assertEqual([c["status"] for c in report["columns"]], ["converged", "stagnated", "converged"])
        self.assertEqual(report["status"], "stagnated")
        good = read_columns(x)
        self.assert_close([good[0], good[2]], [[Fraction(3, 5), Fraction(-1, 5)] + n * [0],
                                               [Fraction(-1, 5), Fraction(2, 5)] + n * [0]])
        out = self.exits(NOT_CONVERGED, "solve", a, "-b", b, "-m", "refine", "--factors", "double", "-p",
                         "qd").stdout
        self.assertIn("NOT solved: 1 of 3 columns.", out)
        self.assertIn("column 2: ", out)

        singular = self.write("s.mtx", coordinate(2, [(1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 4)]))
        b = self.write("b.mtx", columns([[0, 0], [1, 1]]))
        report = self.report(BREAKDOWN, "solve", singular, "-b", b)
        self.assertEqual([c["status"] for c in report["columns"]], ["converged", "breakdown"])

    def test_digits_asked_for_count_in_every_column(self):
        b = self.write("b.mtx", columns([[i % 3 + 1 for i in range(20)], [1] + 19 * [0]]))
        report = self.report(DONE, "solve", DATA / "hilbert20.mtx", "-b", b, "-d", 40)
        for column in report["columns"]:
            self.assertGreaterEqual(column["forward_error"]["digits"], 40)
        self.report(NOT_CONVERGED, "solve", DATA / "hilbert20.mtx", "-b", b, "-d", 40, "-f", "native")
        for zero in [array(20 * [0]), columns([20 * [0], [1] + 19 * [0]])]:  # x = 0 has all digits
            self.exits(DONE, "solve", DATA / "hilbert20.mtx", "-b", self.write("z.mtx", zero), "-d", 40)

    def test_an_initial_guess_has_the_same_shape(self):
        b = self.write("b.mtx", columns([[1, 0, 1], [0, 4, 0]]))
        x0 = self.write("x0.mtx", columns([[1, 1, 1], [0, 0, 0]]))
        report = self.report(DONE, "solve", self.laplacian(3), "-b", b, "--x0", x0, "-m", "cg")
        self.assertEqual(report["columns"][0]["iterations"], 0)
        self.assertGreater(report["columns"][1]["iterations"], 0)
        one = self.write("one.mtx", array([1, 1, 1]))
        self.exits(BAD_INPUT, "solve", self.laplacian(3), "-b", b, "--x0", one,
                   says="holds 3 x 1 numbers, but the system needs 3 x 2")

    def test_the_history_names_the_column(self):
        a, b, _ = self.systems()
        path = self.folder / "h.csv"
        self.exits(DONE, "solve", a, "-b", b, "-m", "cg", "--history", path)
        head, *lines = path.read_text().splitlines()
        self.assertTrue(head.startswith("column,iteration,"), head)
        self.assertEqual({line.split(",")[0] for line in lines}, {"1", "2", "4", "5"})  # b = 0 takes no work
        self.assertEqual({len(line.split(",")) for line in lines}, {6})

    def test_the_plot_and_progress(self):
        a, b, _ = self.systems()
        picture = self.folder / "p.svg"
        result = self.exits(DONE, "solve", a, "-b", b, "-m", "cg", "--plot", picture, "-v")
        self.assertIn("column 2: iteration", result.stderr)
        self.assertTrue(picture.exists() or (self.folder / "p.svg.gp").exists())

    def test_files_that_do_not_fit_are_one_line(self):
        a = self.laplacian(3)
        for text, says in [(columns([[1, 2], [3, 4]]), "holds 2 x 2 numbers, but the system needs 3 x 1"),
                           ("%%MatrixMarket matrix array real general\n3 0\n", "3 x 0"),
                           ("%%MatrixMarket matrix coordinate real general\n3 0 0\n", "3 x 0"),
                           (columns([[1, 2, "nan"], [1, 2, 3]]), "b.mtx:5")]:
            with self.subTest(says):
                self.exits(BAD_INPUT, "solve", a, "-b", self.write("b.mtx", text), says=says)

    def test_no_size_is_trusted(self):
        b = self.write("b.mtx", coordinate(3, [(1, 1, 1)], cols=2_000_000_000_000))
        self.exits(RESOURCES, "solve", self.laplacian(3), "-b", b, says="bytes")

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_more_columns_than_memory_holds_are_refused_with_their_bytes(self):
        n = 3000
        a = self.laplacian(n)
        b = self.write("b.mtx", coordinate(n, [(1, j, 1) for j in range(1, 901)], cols=900))
        self.exits(RESOURCES, "solve", a, "-b", b, "-m", "refine", "-p", "848", says="bytes", address_space_kib=900_000)

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_many_short_columns_are_refused_with_their_bytes(self):
        b = self.write("b.mtx", coordinate(3, [(1, 1, 1)], cols=400_000))
        self.exits(RESOURCES, "solve", self.laplacian(3), "-b", b, "-t", 1, says="bytes", address_space_kib=900_000)

    def test_compare_takes_one_column(self):
        b = self.write("b.mtx", columns([[1, 2, 3], [4, 5, 6]]))
        self.exits(BAD_INPUT, "compare", self.laplacian(3), "-b", b,
                   says="holds 3 x 2 numbers, but the system needs 3 x 1")

    def test_the_report_goes_to_standard_output_alone(self):
        a, b, _ = self.systems()
        result = self.exits(DONE, "solve", a, "-b", b, "--report", "-")
        self.assertEqual(json.loads(result.stdout)["right_hand_sides"], 5)
        self.assertIn("Converged", result.stderr)
        self.assertEqual(program("solve", a, "-b", b, "-q").stdout, "")


if __name__ == "__main__":
    unittest.main()
