"""Solves that several processes share, started by mpirun: the x, the figures and the exit code of one process."""
import gzip
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from mpi_support import ENVIRONMENT, MPIRUN, SharedCase, command
from support import BAD_INPUT, BREAKDOWN, DONE, INTERRUPTED, NOT_CONVERGED, PROGRAM, RESOURCES, USAGE, program


def ranks_with(path):
    """The numbers of the processes that mpirun has started with this path on their command line, by their place."""
    ranks = {}
    for each in os.listdir("/proc"):
        try:
            with open(f"/proc/{each}/environ", "rb") as file:
                variables = dict(v.split(b"=", 1) for v in file.read().split(b"\0") if b"=" in v)
            with open(f"/proc/{each}/cmdline", "rb") as file:
                is_ours = os.fsencode(path) in file.read()
        except OSError:
            continue
        if is_ours and b"OMPI_COMM_WORLD_RANK" in variables:
            ranks[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(each)
    return ranks


class Processes(SharedCase):
    def assert_ended(self, path):
        """All processes with this path end; some may be on their way out when mpirun has ended."""
        deadline = time.monotonic() + 10
        while ranks_with(path) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(ranks_with(path), {})

    def test_x_and_the_figures_are_those_of_one_process(self):
        a = self.poisson(50)
        self.expect_equal(a, "-m", "cg", "-p", 212, "-P", "jacobi")
        self.expect_equal(a, "-m", "cg", "-p", 424, "-P", "chebyshev", "--rtol", "1e-60", counts=(3,))
        self.expect_equal(a, "-m", "cg", "-b", "ones", "-d", 40, counts=(2,))
        self.expect_equal(a, "-m", "gmres", "-p", 106, "-P", "block-jacobi", "--maxiter", 60, counts=(4,), code=NOT_CONVERGED)

    def test_systems_smaller_than_the_processes_are_many(self):
        self.expect_equal(self.poisson(2), "-m", "cg", "-p", 424, counts=(3,))
        one = self.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 3\n")
        self.expect_equal(one, "-m", "cg", "-p", 212, counts=(2,), shares=False)  # full: process 0 alone
        self.expect_equal(one, "-m", "cg", "-p", 424, counts=(2,))

    def test_rows_stay_with_the_processes_that_read_them_where_nothing_is_estimated(self):
        a = self.poisson(100)
        none = "--no-estimates"
        self.expect_equal(a, "-m", "cg", "-p", 212, "-P", "jacobi", none)
        self.expect_equal(a, "-m", "minres", "-p", 424, "-P", "block-jacobi", "--maxiter", 20, none, counts=(3,), code=NOT_CONVERGED)
        self.expect_equal(a, "-m", "cg", "-b", "ones", "-p", 106, "-P", "chebyshev", "--rtol", "1e-20", none, counts=(2,))
        general = self.poisson(60, "convection-diffusion")
        b = self.folder / "b.mtx"
        b.write_text("%%MatrixMarket matrix array real general\n3600 1\n" + "".join(f"{k % 7}.{k}\n" for k in range(3600)))
        self.expect_equal(general, "-b", b, "-m", "gmres", "-p", 159, "-P", "block-jacobi", "--maxiter", 40, none, "--transpose",
                          counts=(2, 4), code=NOT_CONVERGED)
        packed = self.folder / "packed.mtx.gz"
        packed.write_bytes(gzip.compress(a.read_bytes()))
        self.expect_equal(packed, "-m", "cg", "-p", 106, "-P", "jacobi", none, counts=(3,))

    def test_complex_systems_are_shared(self):
        n = 700
        rows = "".join(f"{k} {k} 3 0\n" + (f"{k} {k - 1} 0.5 1\n" if k > 1 else "") for k in range(1, n + 1))
        a = self.write("a.mtx", f"%%MatrixMarket matrix coordinate complex hermitian\n{n} {n} {2 * n - 1}\n{rows}")
        for none in [[], ["--no-estimates"]]:
            self.expect_equal(a, "-m", "cg", "-p", 212, "-P", "jacobi", *none, counts=(2, 4))
            self.expect_equal(a, "-m", "bicgstab", "-p", 212, "-P", "jacobi", *none, counts=(2, 3))
        b = self.write("b.mtx", f"%%MatrixMarket matrix array complex general\n{n} 1\n" +
                       "".join(f"{k % 7}.{k} {k % 5}\n" for k in range(n)))
        waves = self.folder / "waves.mtx"
        self.exits(DONE, "generate", "shifted-laplacian2d", "--n", 36, "-o", waves)
        none = "--no-estimates"
        self.expect_equal(a, "-b", b, "-m", "gmres", "-p", 424, "-P", "block-jacobi", none, counts=(3,))
        self.expect_equal(waves, "-m", "idr", "-p", 106, "-P", "none", none, counts=(2, 7))
        self.expect_equal(waves, "-m", "tfqmr", "-p", 159, "-P", "jacobi", "-d", 20, counts=(2,))
        self.expect_equal(waves, "-m", "bicgstabl", "-p", 318, "-P", "jacobi", "--maxiter", 4, none, counts=(3,), code=NOT_CONVERGED)

    def test_right_hand_sides_and_x_stay_in_pieces(self):
        a, none = self.poisson(100), "--no-estimates"
        head = "%%MatrixMarket matrix array real general\n10000 1\n"
        short, long = self.folder / "short.mtx", self.folder / "long.mtx"
        short.write_text(head + "".join(f"{k % 7 - 3}.{k % 8 * 125:03d}\n" for k in range(10000)))
        long.write_text(head + "".join(f"{k % 7}.{k}\n" for k in range(10000)))  # what multi-digit floats do not hold
        for b in ("ones", "random:7", "unit:4711", short, long):
            self.expect_equal(a, "-m", "cg", "-p", 106, "-P", "jacobi", "-b", b, none, counts=(3,))
        for b in ("rowsum", "random:7", short):  # the text of x is tested
            self.expect_equal(a, "-m", "cg", "-p", 106, "-P", "jacobi", "-b", b, "--rtol", "1e-31", none, counts=(2,))
        self.expect_equal(a, "-m", "cg", "-p", 53, none, counts=(2,))
        for x0 in (short, long):
            self.expect_equal(a, "-m", "cg", "-p", 212, "--x0", x0, none, counts=(2,))
        self.expect_equal(a, "-m", "cg", "-p", 106, "-b", "ones", "--x0", short, "--maxiter", 3, none, counts=(3,), code=NOT_CONVERGED)
        wrong = self.write("wrong.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n")
        self.run_shared(BAD_INPUT, 2, "solve", a, "-m", "cg", "--x0", wrong, none, says="holds 2 x 1 numbers, but the system needs 10000 x 1")
        self.run_shared(BAD_INPUT, 2, "solve", a, "-m", "cg", "--x0", self.folder / "missing", none, says="missing")
        self.expect_equal(a, "-m", "cg", "-p", 212, "--maxiter", 3, "--output-digits", 8, none, counts=(2,), code=NOT_CONVERGED)
        self.run_shared(RESOURCES, 3, "solve", a, "-m", "cg", "-p", 212, none, "-o", "/dev/full", says="/dev/full")

    def columns(self, name, rows, columns, text):
        """A file of columns whose number in row i of column j is text(i, j)."""
        file = self.folder / name
        file.write_text(f"%%MatrixMarket matrix array real general\n{rows} {columns}\n" +
                        "".join(f"{text(i, j)}\n" for j in range(columns) for i in range(rows)))
        return file

    def test_several_right_hand_sides_and_guesses_stay_in_pieces(self):
        n, a, none = 2500, self.poisson(50), "--no-estimates"
        short = self.columns("short.mtx", n, 3, lambda i, j: f"{(i + j) % 7 - 3}.{i % 8 * 125:03d}")
        zero = self.columns("zero.mtx", n, 3, lambda i, j: j * (i % 5))  # the first column is 0
        long = self.columns("long.mtx", n, 2, lambda i, j: f"{i % 7}.{i}1")  # decimals, which process 0 reads
        far = self.columns("far.mtx", n, 2, lambda i, j: f"{i + 1}e{(i + j) % 2 * 2000000}")  # no multi-digit floats hold them
        two = self.columns("two.mtx", n, 2, lambda i, j: i % 3 - j)
        packed = self.folder / "packed.mtx.gz"
        packed.write_bytes(gzip.compress(short.read_bytes()))
        cg = ("-m", "cg", "-P", "jacobi", none)
        self.expect_equal(a, *cg, "-p", 106, "-b", short, counts=(1, 2, 3, 4, 7))
        self.expect_equal(a, *cg, "-p", 212, "-b", short, "--x0", short, counts=(1, 2, 3, 4, 7))
        self.expect_equal(a, *cg, "-p", 106, "-b", packed, "--x0", packed, counts=(3,))
        self.expect_equal(a, *cg, "-p", 106, "-b", long, "--x0", long, counts=(2,))
        self.expect_equal(a, *cg, "-p", 106, "-b", two, "--x0", far, "--maxiter", 4, counts=(2,), code=NOT_CONVERGED)
        self.expect_equal(a, *cg, "-p", 106, "-b", far, "--maxiter", 4, counts=(2,), code=NOT_CONVERGED)
        self.expect_equal(a, *cg, "-p", 53, "-b", two, "--maxiter", 3, "--output-digits", 8, counts=(7,), code=NOT_CONVERGED)
        self.expect_equal(a, "-m", "cg", "-d", 20, "-b", short, counts=(2,))  # for which process 0 takes the whole
        self.expect_equal(self.poisson(9), *cg, "-p", 424, "-b", "identity", counts=(2,))
        one = self.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 3\n")
        of_one = self.columns("of_one.mtx", 1, 3, lambda i, j: j + 1)
        self.expect_equal(one, "-m", "cg", "-p", 424, none, "-b", of_one, "--x0", of_one, counts=(2, 7))
        x = self.folder / "x"
        for count in (1, 3):  # x = 0 is found by process 0 alone, and is in pieces like the others
            self.run_shared(DONE, count, "solve", a, *cg, "-p", 106, "-b", zero, "-o", x)
            expected = x.read_bytes() if count == 1 else expected
            self.assertEqual(x.read_bytes(), expected)
        self.exits(DONE, "solve", a, *cg, "-p", 106, "-b", short, "--x0", short, "-o", x)
        expected = x.read_bytes()
        self.run_shared(DONE, 2, "solve", a, *cg, "-p", 106, "-b", short, "--x0", short, "--checkpoint", self.folder / "state", "-o", x)
        self.assertEqual(x.read_bytes(), expected)

    def test_what_is_wrong_in_one_of_several_columns_is_told_as_by_one_process(self):
        n, a, none = 2500, self.poisson(50), "--no-estimates"
        good = self.columns("good.mtx", n, 3, lambda i, j: i % 7 - j)
        lines = good.read_text().splitlines()
        for at in (5, n + n // 2, 3 * n):
            wrong = self.write("wrong.mtx", "\n".join(lines[:at] + ["1.5x"] + lines[at + 1:]) + "\n")
            for option, more in (("-b", []), ("--x0", ["-b", good])):
                said = self.exits(BAD_INPUT, "solve", a, "-m", "cg", none, option, wrong, *more).stderr.strip()
                self.assertIn(f"wrong.mtx:{at + 1}: ", said)
                self.run_shared(BAD_INPUT, 3, "solve", a, "-m", "cg", none, option, wrong, *more, says=said)
        two = self.columns("two.mtx", n, 2, lambda i, j: i)
        self.run_shared(BAD_INPUT, 2, "solve", a, "-m", "cg", none, "-b", good, "--x0", two,
                        says="holds 2500 x 2 numbers, but the system needs 2500 x 3")
        self.run_shared(BAD_INPUT, 2, "solve", a, "-m", "cg", none, "--x0", two,
                        says="holds 2500 x 2 numbers, but the system needs 2500 x 1")
        short = self.write("short.mtx", "\n".join(lines[:-1]) + "\n")
        said = self.exits(BAD_INPUT, "solve", a, "-m", "cg", none, "-b", short).stderr.strip()
        self.run_shared(BAD_INPUT, 3, "solve", a, "-m", "cg", none, "-b", short, says=said)
        self.run_shared(RESOURCES, 3, "solve", a, "-m", "cg", "-p", 106, none, "-b", good, "-o", "/dev/full", says="/dev/full")

    def test_a_guess_that_no_step_changes_is_not_written(self):
        n, x = 6000, self.folder / "x"
        rows = "".join(f"{k} {k} {3 if k % 2 else -3}\n" + (f"{k} {k - 1} 1\n" if k > 1 else "") for k in range(1, n + 1))
        a = self.write("a.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {2 * n - 1}\n{rows}")
        guess = self.folder / "guess.mtx"
        guess.write_text(f"%%MatrixMarket matrix array real general\n{n} 1\n" + "".join(f"{7 * k % 13}.5\n" for k in range(n)))
        for count in (1, 3):
            self.run_shared(BREAKDOWN, count, "solve", a, "-m", "cg", "-P", "none", "-p", 106, "-b", "ones", "--x0", guess,
                            "--no-estimates", "-o", x, says="not written: the solve ended before it had an x")
            self.assertFalse(x.exists())

    def test_a_wrong_line_is_told_as_by_one_process(self):
        lines = self.poisson(100).read_text().splitlines()
        for at, wrong in ((20, "1 1 x"), (len(lines) // 2, "10001 1 2"), (len(lines) - 2, "9000 8999 1 1")):
            a = self.write("wrong.mtx", "\n".join(lines[:at] + [wrong] + lines[at + 1:]) + "\n")
            said = self.exits(BAD_INPUT, "solve", a, "-m", "cg").stderr.strip()
            self.assertIn(f"wrong.mtx:{at + 1}: ", said)
            for count in (2, 3):
                self.run_shared(BAD_INPUT, count, "solve", a, "-m", "cg", says=said)
        short = self.write("short.mtx", "\n".join(lines[:-5]) + "\n")
        said = self.exits(BAD_INPUT, "solve", short, "-m", "cg").stderr.strip()
        self.run_shared(BAD_INPUT, 3, "solve", short, "-m", "cg", says=said)

    def test_an_error_is_said_once_and_is_the_exit_code_of_all(self):
        a = self.poisson(10)
        self.run_shared(BAD_INPUT, 3, "solve", self.folder / "missing.mtx", "-m", "cg", says="missing.mtx")
        self.run_shared(USAGE, 2, "solve", a, "-m", "nonsense", says="nonsense")
        self.run_shared(BAD_INPUT, 2, "solve", a, says="2 processes do not share the method auto: they take cg, minres")
        self.run_shared(BAD_INPUT, 2, "solve", a, "-m", "cg", "-P", "ic0", says="do not share the preconditioner ic0")
        self.run_shared(RESOURCES, 2, "solve", a, "-m", "cg", says="RESIDUA_MPI=off", RESIDUA_MPI="./no.so")
        self.assertEqual(self.run_shared(DONE, 2, "--version").stdout, program("--version").stdout)

    def test_off_leaves_each_process_alone(self):
        run = self.run_shared(DONE, 2, "--version", RESIDUA_MPI="off")
        # lines of two that write at once may lie between each other
        self.assertEqual(sorted(run.stdout.splitlines()), sorted(2 * program("--version").stdout.splitlines()))

    def test_a_time_limit_ends_all_with_x(self):
        x = self.folder / "x"
        begin = time.monotonic()
        run = self.run_shared(NOT_CONVERGED, 3, "solve", self.poisson(150), "-m", "cg", "-P", "none", "-p", 848,
                              "--time-limit", 2, "-o", x)
        self.assertIn("time limit", run.stdout)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertTrue(x.exists())

    def running(self, count, *args):
        """A solve that takes long, at work, and the numbers of its processes in their order."""
        history = self.folder / "history"
        solve = subprocess.Popen(command(count, "solve", self.poisson(150), "-m", "cg", "-P", "none", "-p", 848,
                                         "--history", history, *args),
                                 env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(solve.kill)
        deadline = time.monotonic() + 60
        while not (history.exists() and history.read_text().count("\n") > 5):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(solve.poll())
            time.sleep(0.05)
        ranks = ranks_with(history)
        self.assertEqual(sorted(ranks), list(range(count)))
        return solve, ranks

    def test_a_signal_to_any_process_ends_all_with_x(self):
        for rank in (0, 2):
            with self.subTest(rank=rank):
                x = self.folder / f"x{rank}"
                solve, ranks = self.running(3, "-o", x)
                os.kill(ranks[rank], signal.SIGINT)
                out, err = solve.communicate(timeout=60)
                self.assertEqual(solve.returncode, INTERRUPTED, out + err)
                self.assertTrue(out.startswith("Interrupted."), out)
                self.assertTrue(x.exists())
                (self.folder / "history").unlink()

    def test_a_run_goes_on_from_a_checkpoint_on_another_number_with_the_same_bits(self):
        a, state, x = self.poisson(100), self.folder / "state", self.folder / "x"
        arguments = ["solve", a, "-m", "cg", "-P", "jacobi", "-p", 424, "-o", x]
        self.exits(DONE, *arguments)
        expected = x.read_bytes()
        x.unlink()
        solve = subprocess.Popen(command(3, *arguments, "--checkpoint", state, "--every", "0.01"), env=ENVIRONMENT,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(solve.kill)
        while not (state.exists() and state.stat().st_size > 10000):  # the first one has x = 0
            self.assertIsNone(solve.poll())
            time.sleep(0.001)
        os.kill(ranks_with(x)[0], signal.SIGINT)
        out, err = solve.communicate(timeout=60)
        self.assertEqual(solve.returncode, INTERRUPTED, out + err)
        for count in (2, 4):
            copy = self.folder / "copy"
            shutil.copy(state, copy)
            run = self.run_shared(DONE, count, *arguments, "--resume", copy, "--every", "0.05")
            self.assertEqual(x.read_bytes(), expected, run.stdout)

    def test_one_that_is_killed_at_any_moment_ends_all_and_leaves_a_good_checkpoint(self):
        """RESIDUA_KILLS moments, 3 without it: when there is a checkpoint, then from the start to shortly before x is there."""
        a, state, x = self.poisson(100), self.folder / "state", self.folder / "x"
        arguments = ["solve", a, "-m", "cg", "-P", "jacobi", "-p", 424, "-o", x]
        self.exits(DONE, *arguments)
        expected = x.read_bytes()
        wanted = int(os.environ.get("RESIDUA_KILLS") or 3)
        resumed, duration, chance = [], {}, random.Random(20)
        while len(resumed) < wanted:
            count = chance.randint(2, 4)
            for each in (state, x):
                each.unlink(missing_ok=True)
            begin = time.monotonic()
            solve = subprocess.Popen(command(count, *arguments, "--checkpoint", state, "--every", "0.01"), env=ENVIRONMENT,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(solve.kill)
            if count not in duration:  # of a run that nobody kills
                out, err = solve.communicate(timeout=120)
                self.assertEqual(solve.returncode, DONE, out + err)
                self.assertEqual(x.read_bytes(), expected)
                duration[count] = time.monotonic() - begin
                continue
            ranks = {}
            while len(ranks) < count:
                self.assertLess(time.monotonic(), begin + 60)
                ranks = ranks_with(x)
            victim, moment = chance.randrange(count), chance.uniform(0, 0.9 * duration[count]) if resumed else 0
            time.sleep(max(0, begin + moment - time.monotonic()))
            while not (resumed or state.exists() or x.exists()):
                time.sleep(0.001)
            is_at_work = not x.exists()
            if is_at_work:
                os.kill(ranks[victim], signal.SIGKILL)
            out, err = solve.communicate(timeout=10)
            if not is_at_work or solve.returncode == DONE:
                continue  # this one was faster than the one before
            with self.subTest(count=count, victim=victim, moment=moment):
                self.assertIn("signal 9 (Killed)", err)
                self.assert_ended(x)
                x.unlink(missing_ok=True)
                resumed.append(state.exists())
                another = chance.choice([n for n in (1, 2, 3, 4) if n != count])
                self.run_shared(DONE, another, *arguments, *(["--resume", state] if state.exists() else []))
                self.assertEqual(x.read_bytes(), expected)
        self.assertIn(True, resumed)

    def test_a_full_disk_ends_all_or_costs_no_solve(self):
        a, x = self.poisson(50), self.folder / "x"
        begin = time.monotonic()
        self.run_shared(RESOURCES, 3, "solve", a, "-m", "cg", "-p", 212, "-o", "/dev/full", says="/dev/full")
        small = dict(os.environ | ENVIRONMENT, OMPI_MCA_btl="self,tcp", OMPI_MCA_mpi_show_help_warnings="0")
        run = subprocess.run([MPIRUN, "-n", "3", "bash", "-c", 'ulimit -f 64 && exec "$0" "$@"', PROGRAM, "solve", a, "-m", "cg",
                              "-p", "424", "-o", x, "--output-digits", "10", "--checkpoint", self.folder / "state", "--every", "0.001"],
                             env=small, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn("cannot be written: File too large; the run goes on", run.stderr)
        self.assertTrue(x.exists())
        self.assertLess(time.monotonic() - begin, 60)

    def test_one_without_memory_ends_all_with_its_message(self):
        solve, ranks = self.running(3)
        with open(f"/proc/{ranks[2]}/status") as file:
            peak = int(next(line for line in file if line.startswith("VmPeak")).split()[1])
        solve.terminate()
        solve.communicate(timeout=60)
        begin = time.monotonic()  # vectors of a restart of 1500 are 500 MB and more on each process
        run = subprocess.run([MPIRUN, "-n", "3", "bash", "-c",
                              f'[ "$OMPI_COMM_WORLD_RANK" != 2 ] || ulimit -v {peak + 100_000}; exec "$0" "$@"', PROGRAM, "solve",
                              self.poisson(150), "-m", "gmres", "--restart", "1500", "-P", "none", "-p", "424"],
                             env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
        self.assertNotEqual(run.returncode, DONE)
        self.assertRegex(run.stderr, "residua: process 3 of 3: no memory for [0-9]+ bytes")
        self.assertLess(time.monotonic() - begin, 30)

    def test_ctrl_c_at_mpirun_ends_all(self):
        solve, _ = self.running(3)
        solve.send_signal(signal.SIGINT)
        solve.communicate(timeout=10)
        self.assertNotEqual(solve.returncode, DONE)
        self.assert_ended(self.folder / "history")


if __name__ == "__main__":
    unittest.main()
