"""Solves that several processes share, started by mpirun: the x, the figures and the exit code of one process."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from mpi_support import ENVIRONMENT, SharedCase, command
from support import BAD_INPUT, DONE, INTERRUPTED, NOT_CONVERGED, RESOURCES, USAGE, program


class Processes(SharedCase):
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
        self.assertEqual(run.stdout, 2 * program("--version").stdout)

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
        ranks = {}
        for each in os.listdir("/proc"):
            try:
                with open(f"/proc/{each}/environ", "rb") as file:
                    variables = dict(v.split(b"=", 1) for v in file.read().split(b"\0") if b"=" in v)
                with open(f"/proc/{each}/cmdline", "rb") as file:
                    is_ours = os.fsencode(history) in file.read()
            except OSError:
                continue
            if is_ours and b"OMPI_COMM_WORLD_RANK" in variables:
                ranks[int(variables[b"OMPI_COMM_WORLD_RANK"])] = int(each)
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

    def test_one_that_is_killed_ends_all_and_another_number_goes_on_with_the_same_bits(self):
        a, state, x = self.poisson(60), self.folder / "state", self.folder / "x"
        arguments = ["solve", a, "-m", "cg", "-P", "jacobi", "-p", 424, "-o", x]
        self.exits(DONE, *arguments)
        expected = x.read_bytes()
        x.unlink()
        self.run_shared(NOT_CONVERGED, 3, *arguments, "--checkpoint", state, "--every", "0.05", "--time-limit", 0.5)
        saved = state.stat().st_size
        self.assertGreater(saved, 10000)
        solve, ranks = self.running(2, "--checkpoint", self.folder / "other", "--every", "0.05")
        os.kill(ranks[1], signal.SIGKILL)
        solve.communicate(timeout=60)
        self.assertNotEqual(solve.returncode, DONE)
        for count in (2, 4):
            copy = self.folder / "copy"
            shutil.copy(state, copy)
            run = self.run_shared(DONE, count, *arguments, "--resume", copy, "--every", "0.05")
            self.assertEqual(x.read_bytes(), expected, run.stdout)


if __name__ == "__main__":
    unittest.main()
