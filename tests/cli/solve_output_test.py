"""residua solve: every file and stream that it writes, and the same bits by any threads."""
import json
import os
import pathlib
import resource
import subprocess
import unittest
from fractions import Fraction

from support import (BAD_INPUT, DONE, PROGRAM, RESOURCES, SANITIZED, USAGE, TestCase, array, coordinate, program,
                     read_array)


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

    def test_a_basis_of_the_null_space(self):
        out = self.folder / "n.mtx"
        entries = [(1, 1, 1), (1, 2, 2), (2, 1, "0.1"), (2, 2, "0.2"), (3, 3, 5), (3, 4, 5)]
        a = self.write("a.mtx", coordinate(4, entries))
        result = self.exits(DONE, "solve", a, "-d", 30, "--null-space", out, "--report", self.folder / "r.json")
        self.assertIn("2 vectors to", result.stdout)
        numbers = read_array(out)
        self.assertEqual(out.read_text().splitlines()[2], "4 2")
        first, second = numbers[:4], numbers[4:]
        for v, w, product in [(first, first, 1), (second, second, 1), (first, second, 0)]:
            self.assertLess(abs(sum(x * y for x, y in zip(v, w)) - product), Fraction(1, 10**30))
        for v in [first, second]:
            for i in range(1, 4):
                self.assertLess(abs(sum(Fraction(value) * v[j - 1] for k, j, value in entries if k == i)), Fraction(20, 10**30))
        found = json.loads((self.folder / "r.json").read_text())["null_space"]
        self.assertEqual([found["rank"], found["nullity"], found["source"]], [2, 2, "two-primes"])
        self.assertGreaterEqual(found["digits"], 30)
        result = self.exits(DONE, "solve", self.laplacian(), "--null-space", out)
        self.assertIn("only 0", result.stdout)
        self.assertEqual(out.read_text().splitlines()[2].split()[1], "0")
        columns = self.write("w.mtx", coordinate(1, [(1, 1, 3), (1, 2, 4)], cols=2))
        self.exits(DONE, "solve", columns, "--transpose", "-b", "ones", "--null-space", out)
        self.exits(DONE, "solve", columns, "-b", "ones", "--null-space", out)
        self.assertEqual([abs(x) for x in read_array(out)], [Fraction(4, 5), Fraction(3, 5)])

    def test_x_on_standard_output(self):
        x = self.folder / "x.mtx"
        self.exits(DONE, "solve", self.laplacian(), "-o", x)
        result = self.exits(DONE, "solve", self.laplacian(), "-o", "-")
        self.assertEqual(result.stdout, x.read_text())
        self.assertIn("Converged", result.stderr)
        self.assertEqual(self.exits(DONE, "solve", self.laplacian(), "-o", "-", "-q").stderr, "")

    def test_files_that_cannot_be_written_are_refused_before_the_solve(self):
        for option in ["--output", "--null-space", "--history", "--report", "--plot"]:
            path = "/nonexistent/x.svg"
            self.exits(RESOURCES, "solve", self.folder / "not-read.mtx", option, path, says=path)

    def test_a_full_disk_is_an_error(self):
        self.exits(RESOURCES, "solve", self.laplacian(), "-o", "/dev/full", says="/dev/full")
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                self.assertEqual(subprocess.run([PROGRAM, "solve", self.laplacian()], stdout=full,
                                                stderr=subprocess.DEVNULL).returncode, RESOURCES)

    @staticmethod
    def small_files():
        """For a child: no file of more than 20000 bytes, as on a full disk."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    def test_what_a_full_disk_does_not_take_leaves_all_else_as_it_was(self):
        x, report, history = self.write("x.mtx", "old"), self.folder / "r.json", self.folder / "h.csv"
        result = self.exits(RESOURCES, "solve", self.laplacian(2000), "-m", "direct", "-p", "dd", "-o", x, "--report",
                            report, "--history", history, preexec_fn=self.small_files)
        self.assertEqual(result.stderr, f"residua: {x}: cannot write: File too large; the file there is as it was; "
                                        f"saved: {report}, {history}\n")
        self.assertEqual(x.read_text(), "old")
        self.assertEqual(json.loads(report.read_text())["status"], "converged")
        self.assertIn("Converged", result.stdout)
        self.assertEqual(len(list(self.folder.iterdir())), 4)  # with the matrix

    def test_a_history_that_a_full_disk_does_not_take_costs_no_solve(self):
        x, history = self.folder / "x.mtx", self.folder / "h.csv"
        result = self.exits(RESOURCES, "solve", self.laplacian(2000), "-m", "cg", "-P", "none", "-p", "dd", "-o", x,
                            "--output-digits", 12, "--history", history, preexec_fn=self.small_files)
        self.assertIn(f"{history}: cannot write: File too large; saved: {x}\n", result.stderr)
        self.assert_ones(x, 10)

    def test_of_two_runs_at_one_path_each_x_is_whole(self):
        a, b, x = self.laplacian(3000), self.write("b.mtx", array([0] * 3000)), self.folder / "x.mtx"
        for _ in range(5):
            runs = [subprocess.Popen([PROGRAM, "solve", a, "-q", "-t", "1", "-o", x, *more], stderr=subprocess.PIPE)
                    for more in [[], ["-b", b]]]
            self.assertEqual([(run.communicate()[1], run.returncode) for run in runs], [(b"", DONE)] * 2)
            self.assertIn({round(v) for v in read_array(x)}, [{0}, {1}])

    def test_a_plot_that_cannot_be_drawn_loses_nothing(self):
        report, plot = self.folder / "r.json", self.folder / "p.svg"
        hangs = self.write("gnuplot", "#!/bin/sh\nexec sleep 60\n")
        hangs.chmod(0o755)
        for name, more, why in [("no folder", {"TMPDIR": "/proc"}, "cannot create a temporary folder"),
                                ("it hangs", {"PATH": f"{self.folder}:/usr/bin:/bin"}, "gnuplot was ended after 10 s")]:
            with self.subTest(name):
                result = self.exits(DONE, "solve", self.laplacian(), "--report", report, "--plot", plot,
                                    env={**os.environ, **more})
                self.assertIn(why, result.stderr)
                for ending in [".dat", ".gp"]:
                    pathlib.Path(str(plot) + ending).unlink()
                quiet = self.exits(DONE, "solve", self.laplacian(), "-q", "--report", report, "--plot", plot,
                                   env={**os.environ, **more})
                self.assertEqual(quiet.stdout + quiet.stderr, "")
                self.assertEqual(json.loads(report.read_text())["status"], "converged")
                for ending in [".dat", ".gp"]:
                    pathlib.Path(str(plot) + ending).unlink()  # it is there
                report.unlink()

    def test_a_failed_run_leaves_no_empty_files_and_no_lost_ones(self):
        old = self.write("old.mtx", "old")
        self.exits(BAD_INPUT, "solve", self.folder / "none", "-o", old, "--report", self.folder / "new.json",
                   says="none")
        self.assertEqual(old.read_text(), "old")
        self.assertFalse((self.folder / "new.json").exists())

    def test_an_old_history_stays_where_nothing_was_solved(self):
        old = self.write("h.csv", "old")
        new = self.folder / "new.csv"
        huge = self.folder / "huge.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 30, "-o", huge)
        cases = [(BAD_INPUT, [self.folder / "none"], {})]
        if not SANITIZED:  # AddressSanitizer needs the address space
            cases.append((RESOURCES, [huge, "-m", "direct", "-p", "848", "-t", 2], {"address_space_kib": 450_000}))
        for code, arguments, limits in cases:
            for path in [old, new]:
                self.exits(code, "solve", *arguments, "--history", path, says="residua: ", **limits)
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
