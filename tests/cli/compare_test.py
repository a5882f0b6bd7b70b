"""residua compare: its table, CSV and picture; the pictures of solve."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction

from support import BAD_INPUT, DATA, DONE, SANITIZED, USAGE, TestCase, array, coordinate, program, read_coordinate

CSV_HEAD = ["method", "preconditioner", "format", "precision_bits", "status", "iterations",
            "true_relative_residual", "forward_error", "error_kind", "digits", "seconds", "seconds_per_iteration"]
MAGIC = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


def read_sums(path):
    """The sums of the rows of a matrix, as decimals."""
    n, entries = read_coordinate(path)
    sums = [sum(v for (row, _), v in entries.items() if row == i) for i in range(n)]
    with localcontext() as context:
        context.prec = 400
        return [Decimal(s.numerator) / Decimal(s.denominator) for s in sums]


class Compare(TestCase):
    def rows(self, *arguments):
        path = self.folder / "table.csv"
        self.exits(DONE, "compare", *arguments, "--csv", path)
        with path.open() as file:
            reader = csv.DictReader(file)
            self.assertEqual(reader.fieldnames, CSV_HEAD)
            return list(reader)

    def test_a_device_that_is_not_there_ends_it(self):
        a = self.laplacian()
        alone = program("solve", a, "-e", "cuda")
        if alone.returncode == DONE:
            self.skipTest("there is a CUDA device")
        self.exits(alone.returncode, "compare", a, "-e", "cuda")

    def test_the_default_precisions(self):
        rows = self.rows(self.laplacian())
        self.assertEqual([r["precision_bits"] for r in rows], ["53", "106", "212", "424"])

    def test_every_combination(self):
        rows = self.rows(self.laplacian(), "--precisions", "double,dd,300", "--methods", "cg,gmres,direct")
        self.assertEqual([(r["method"], r["precision_bits"]) for r in rows],
                         [(m, p) for m in ["cg", "gmres", "direct"] for p in ["53", "106", "300"]])
        self.assertEqual([r["format"] for r in rows], 3 * ["native", "expansion", "multidigit"])
        self.assertTrue(all(r["status"] == "converged" for r in rows))

    def test_formats_that_do_not_have_a_precision_are_left_out(self):
        rows = self.rows(self.laplacian(), "--precisions", "53,106", "--formats", "native,expansion")
        self.assertEqual([(r["format"], r["precision_bits"]) for r in rows], [("native", "53"), ("expansion", "106")])

    def test_no_combination_at_all_is_an_error(self):
        for formats, precisions in [("native", "106,212"), ("expansion", "53"), ("expansion", "double,24"),
                                    ("multidigit", "53,63"), ("native,rns", "2000"), ("expansion,rns", "1735,4096")]:
            self.exits(USAGE, "compare", self.laplacian(), "--formats", formats, "--precisions", precisions,
                       says="none has one of --precisions")

    def test_every_precision_takes_the_factors(self):
        rows = self.rows(self.laplacian(), "--methods", "refine", "--precisions", "53,106,300", "--factors", "qd")
        self.assertEqual([(r["format"], r["precision_bits"], r["status"]) for r in rows],
                         [("native", "53", "converged"), ("expansion", "106", "converged"),
                          ("multidigit", "300", "converged")])

    def test_digits_are_those_of_x_where_it_is_known_and_estimated_where_not(self):
        a, report = DATA / "hilbert20.mtx", self.folder / "report.json"
        options = ["--methods", "direct,refine", "--precisions", "106,212,424"]
        known = self.rows(a, *options, "-b", "rowsum", "--report", report)
        runs = json.loads(report.read_text())["runs"]
        for row, run in zip(known, runs, strict=True):
            self.assertEqual(row["error_kind"], "known")
            self.assertEqual(row["forward_error"], run["known_error"])
            self.assertEqual(int(row["digits"]), run["correct_digits"])
            error = Fraction(row["forward_error"])
            self.assertLessEqual(error, Fraction(1, 10)**(int(row["digits"]) if row["digits"] != "0" else -99))
            self.assertGreater(error, Fraction(1, 10)**(int(row["digits"]) + 1))
        ones = self.write("b.mtx", array(read_sums(a)))  # the same b, whose x nobody told
        estimated = self.rows(a, *options, "-b", ones, "--report", report)
        for row, true, run in zip(estimated, known, json.loads(report.read_text())["runs"], strict=True):
            self.assertIn(row["error_kind"], ["estimated", "compared"])
            self.assertEqual(row["forward_error"], run["forward_error"]["bound"])
            self.assertEqual(int(row["digits"]), run["correct_digits"])
            self.assertLessEqual(int(row["digits"]), int(true["digits"]))
            self.assertGreaterEqual(int(row["digits"]), int(true["digits"]) - 6)
        self.assertGreater(int(estimated[-1]["digits"]), 80)
        for arguments, head in [(["-b", "rowsum"], "error of x"), (["-b", ones], "forward error")]:
            out = self.exits(DONE, "compare", a, *arguments).stdout
            self.assertRegex(out, rf"true residual +{head}  digits +seconds")

    def test_the_table_on_standard_output(self):
        result = self.exits(DONE, "compare", self.laplacian(), "--csv", "-")
        self.assertEqual(result.stdout.splitlines()[0], ",".join(CSV_HEAD))
        self.assertEqual(len(result.stdout.splitlines()), 5)
        self.assertIn("right-hand side", result.stderr)

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_what_does_not_fit_in_memory_has_a_row_and_the_others_are_solved(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 30, "-o", a)
        limits = {"address_space_kib": 700_000}
        table, report, picture = (self.folder / name for name in ["table.csv", "report.json", "a.svg"])
        result = self.exits(DONE, "compare", a, "--methods", "direct,cg", "--precisions", "768,800", "--rtol", "1e-20",
                            "-t", 2, "--csv", table, "--report", report, "--plot", picture, **limits)
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["method"], r["precision_bits"], r["status"]) for r in rows],
                         [("direct", "768", "no_memory"), ("direct", "800", "no_memory"),
                          ("cg", "768", "converged"), ("cg", "800", "converged")])
        self.assertEqual(rows[0]["true_relative_residual"], "")
        self.assertIn("does not fit in memory", " ".join(result.stdout.split()))
        runs = json.loads(report.read_text())["runs"]
        self.assertEqual([r["status"] for r in runs], ["no_memory", "no_memory", "converged", "converged"])
        self.assertIsNone(runs[0]["relative_residual"])
        self.assertIn("bytes", runs[0]["message"])

        picture.unlink(missing_ok=True)
        result = self.exits(DONE, "compare", a, "--methods", "direct", "--precisions", "848", "-t", 2, "--plot",
                            picture, says="nothing was solved", **limits)
        self.assertFalse(picture.exists())

    def test_higher_precision_gives_smaller_errors(self):
        rows = self.rows(DATA / "hilbert20.mtx", "--methods", "direct")
        errors = [Fraction(r["forward_error"]) for r in rows]
        self.assertGreater(errors[0], Fraction(1, 100))
        self.assertTrue(all(a > 1000 * b for a, b in zip(errors, errors[1:])), [float(e) for e in errors])

    def test_a_reference_gives_the_forward_error(self):
        a = self.laplacian(3)
        reference = self.write("x.mtx", array(["1.5", 2, "1.5"]))
        for row in self.rows(a, "-b", "ones", "--reference", reference, "--precisions", "qd"):
            self.assertLess(Fraction(row["forward_error"]), Fraction(1, 10**50))
        self.assertEqual(self.rows(a, "-b", "ones", "--precisions", "qd")[0]["error_kind"], "estimated")
        wrong = self.write("wrong.mtx", array([1, 2]))
        self.exits(BAD_INPUT, "compare", a, "--reference", wrong, says="2 x 1")

    def test_eigen_gives_the_reference(self):
        a = DATA / "hilbert20.mtx"
        for options in [["--methods", "direct,cg"], ["--precisions", "auto,53", "--rtol", "1e-300"]]:
            known = self.rows(a, *options)
            for row, own in zip(self.rows(a, *options, "--reference", "eigen"), known):
                error = Fraction(own["forward_error"])
                self.assertLess(abs(Fraction(row["forward_error"]) - error), error / 10**4 + Fraction(1, 10**250), row)

        a = self.laplacian(3)
        for row in self.rows(a, "-b", "ones", "--reference", "eigen"):
            self.assertLess(Fraction(row["forward_error"]), Fraction(1, 2**(int(row["precision_bits"]) * 4 // 5)))
        (self.folder / "eigen").write_text(array([1, 2]))
        self.exits(BAD_INPUT, "compare", a, "--reference", "./eigen", says="2 x 1", cwd=self.folder)

    def test_eigen_gives_no_reference_where_it_cannot(self):
        rows = [[1, 1, 1], [1, 2, 3], [3, 4, 5]]
        singular = self.write("a.mtx", coordinate(3, [(i + 1, j + 1, rows[i][j]) for i in range(3) for j in range(3)]))
        first_column = self.write("b.mtx", array([1, 1, 3]))  # LU finds x = (1, 0, 0) in any precision
        self.exits(BAD_INPUT, "compare", singular, "-b", first_column, "--reference", "eigen", says="looks singular")
        self.exits(BAD_INPUT, "compare", self.laplacian(257), "--reference", "eigen", says="257 unknowns")
        wide = self.write("wide.mtx", coordinate(1, [(1, 1, 1)], cols=2))
        self.exits(BAD_INPUT, "compare", wide, "--reference", "eigen", says="1 x 2")

    def test_the_table_is_aligned(self):
        out = program("compare", self.laplacian(), "--methods", "cg,gmres").stdout
        lines = out.splitlines()
        head = next(i for i, line in enumerate(lines) if line.startswith("method"))
        for word in ["precond", "format", "status"]:
            column = lines[head].index(word)
            for line in lines[head + 1:head + 9]:
                self.assertEqual(line[column - 1], " ", line)
                self.assertNotEqual(line[column], " ", line)

    def test_fewer_iterations_in_higher_precision(self):
        rows = self.rows(self.laplacian(200), "--methods", "cg", "-P", "none", "-b", "random:3", "--rtol", "1e-13",
                         "--precisions", "53,212")
        self.assertGreaterEqual(int(rows[0]["iterations"]), int(rows[1]["iterations"]))


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Plots(TestCase):
    def test_in_every_format(self):
        for ending, magic in MAGIC.items():
            for command in ["solve", "compare"]:
                picture = self.folder / f"{command} 1{ending}"
                result = self.exits(DONE, command, self.laplacian(), "--plot", picture)
                self.assertTrue(picture.read_bytes().startswith(magic), picture)
                self.assertEqual(result.stderr, "")
        self.assertEqual([p for p in self.folder.iterdir() if p.suffix in (".gp", ".dat")], [])

    def test_touches_no_file_beside_it(self):
        for command in ["solve", "compare"]:
            a = self.laplacian().rename(self.folder / "a.svg.dat")
            old, report = a.read_text(), self.folder / "a.svg.gp"
            self.exits(DONE, command, a, "--plot", self.folder / "a.svg", "--report", report, "-q")
            self.assertEqual(a.read_text(), old)
            self.assertEqual(json.loads(report.read_text())["command"], command)

    def test_leaves_nothing_in_the_folder_for_temporary_files(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        self.exits(DONE, "solve", self.laplacian(), "--plot", self.folder / "a.svg",
                   env={**os.environ, "TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])

    def test_has_one_labelled_line_for_each_run(self):
        picture = self.folder / "a.svg"
        self.exits(DONE, "compare", self.laplacian(), "--methods", "cg,gmres", "--precisions", "53,106", "--plot",
                   picture)
        text = picture.read_text()
        self.assertIn("correct digits of x", text)
        self.assertIn("relative residual", text)
        for label in ["cg native 53 bits", "cg expansion 106 bits", "gmres native 53 bits", "gmres expansion 106 bits"]:
            self.assertIn(label, text)


class NoGnuplot(TestCase):
    def test_data_and_script_are_written_and_the_user_is_told(self):
        picture = self.folder / "a.svg"
        result = program("compare", self.laplacian(), "--plot", picture, env={**os.environ, "PATH": "/nonexistent"})
        self.assertEqual(result.returncode, DONE)
        self.assertIn("gnuplot is not installed", result.stderr)
        self.assertFalse(picture.exists())
        self.assertIn("plot", (self.folder / "a.svg.gp").read_text())
        if gnuplot := shutil.which("gnuplot"):
            subprocess.run([gnuplot, str(picture) + ".gp"], check=True)
            self.assertTrue(picture.read_bytes().startswith(MAGIC[".svg"]))

    def test_the_summary_lists_what_was_written_only(self):
        picture = self.folder / "a.svg"
        result = program("solve", self.laplacian(), "--plot", picture, env={**os.environ, "PATH": "/nonexistent"})
        written = " ".join(result.stdout[result.stdout.index("\nwritten"):].split())
        self.assertEqual(written, f"written {picture}.dat, {picture}.gp")

    def test_names_that_are_taken_are_left_alone(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        a = self.laplacian().rename(self.folder / "a.svg.dat")
        old, picture = a.read_text(), self.folder / "a.svg"
        result = program("solve", a, "--plot", picture,
                         env={**os.environ, "PATH": "/nonexistent", "TMPDIR": str(temporary)})
        self.assertEqual(result.returncode, DONE)
        self.assertEqual(a.read_text(), old)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.svg.dat", "temporary"])
        script = pathlib.Path(result.stderr.split()[-1])
        self.assertEqual(script.parent.parent, temporary)
        self.assertEqual(sorted(p.name for p in script.parent.iterdir()), ["a.svg.dat", "a.svg.gp"])
        if gnuplot := shutil.which("gnuplot"):
            subprocess.run([gnuplot, script], check=True)
            self.assertTrue(picture.read_bytes().startswith(MAGIC[".svg"]))


if __name__ == "__main__":
    unittest.main()
