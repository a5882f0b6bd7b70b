"""residua solve: limits of iterations, time and memory, and interrupts."""
import os
import signal
import subprocess
import time
import unittest

from support import (BREAKDOWN, DONE, INTERRUPTED, NOT_CONVERGED, PROGRAM, RESOURCES, SANITIZED, TestCase, coordinate,
                     program, read_array)

NOT_LOADED = (127, -signal.SIGSEGV)  # by the loader, for which the libraries are too large, and by the kernel


class Limits(TestCase):
    def test_the_iteration_limit(self):
        x = self.folder / "x.mtx"
        report = self.report(NOT_CONVERGED, "solve", self.laplacian(200), "-m", "minres", "-P", "none", "-n", 5, "-b",
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
        return ["solve", a, "-m", "cg", "-P", "none", "-p", "3392", "-b", "random:1", "--rtol", "1e-900", *arguments]

    def test_the_time_limit(self):
        x = self.folder / "x.mtx"
        report = self.report(NOT_CONVERGED, *self.long_run("--time-limit", "3", "-o", x))
        self.assertEqual(report["status"], "time_limit")
        self.assertLess(report["seconds"]["solve"], 30)
        self.assertTrue(any(read_array(x)))

    def test_the_time_limit_holds_for_reading(self):
        process = subprocess.Popen([PROGRAM, "solve", "-", "--time-limit", "1"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertEqual(process.wait(timeout=60), NOT_CONVERGED)  # nothing comes, and the pipe stays open
        self.assertEqual(process.stderr.read(), "residua: <stdin>: stopped while it was read, by the time limit of 1 s\n")

    def test_nearly_empty_matrices_are_refused_when_they_are_read(self):
        for sizes, code, words in [("10000000 10000000", BREAKDOWN, "row 1 has no entry (10000000 rows, entries: 1)"),
                                   ("2000000000 1", RESOURCES, "bytes")]:
            a = self.folder / "empty.mtx"
            a.write_text(f"%%MatrixMarket matrix coordinate real general\n{sizes} 1\n5 1 1.5\n")
            begin = time.monotonic()
            result = program("solve", a)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)
            self.assertLess(time.monotonic() - begin, 2 if not SANITIZED else 60)

    def begin(self, history, *arguments, **options):
        """A long run that has made its first iterations."""
        command = [PROGRAM, *map(str, self.long_run("--history", history, *arguments))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 120
        while not (history.exists() and history.read_text().count("\n") > 5):
            self.assertLess(time.monotonic(), deadline, "the solve did not begin")
            self.assertIsNone(process.poll(), "the solve ended by itself")
            time.sleep(0.05)
        return process

    def test_an_interrupt_writes_everything_first(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.subTest(number):
                x, history, report = (self.folder / f"{name}-{number}" for name in ["x.mtx", "history.csv", "r.json"])
                process = self.begin(history, "-o", x, "--report", report)
                process.send_signal(number)
                out, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, INTERRUPTED)
                self.assertIn("Interrupted", out)
                self.assertEqual(len(read_array(x)), 150 * 150)
                self.assertTrue(any(read_array(x)))
                self.assertIn('"status": "interrupted"', report.read_text())

    def test_a_hang_up_that_nohup_ignores_is_ignored(self):
        history = self.folder / "h.csv"
        ignored = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
        process = self.begin(history, **ignored)
        process.send_signal(signal.SIGHUP)
        lines = history.read_text().count("\n")
        deadline = time.monotonic() + 60
        while history.read_text().count("\n") < lines + 5:
            self.assertIsNone(process.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_an_x_that_did_not_come_out_of_work_is_not_written(self):
        a, x = self.folder / "a.mtx", self.write("x.mtx", "old")
        self.exits(DONE, "generate", "poisson3d", "--n", 24, "-o", a)
        result = self.exits(NOT_CONVERGED, "solve", a, "-m", "direct", "-p", 848, "--time-limit", 0.4, "-o", x)
        self.assertIn(f"{x}: not written: the solve ended before it had an x", result.stderr)
        self.assertEqual(x.read_text(), "old")

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

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_factors_too_large_are_refused(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 30, "-o", a)
        self.exits(RESOURCES, "solve", a, "-m", "direct", "-p", "848", "-t", 2, says="bytes", address_space_kib=450_000)

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_ends_under_every_limit(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 30, "-o", a)
        commands = [["--help"], ["solve", a, "-m", "direct", "-t", 2, "-q"], ["solve", a, "-m", "cg", "-t", 1000, "-q"]]
        ends = {DONE, RESOURCES, *NOT_LOADED}
        for kib in range(50_000, 2_000_001, 50_000):
            for command in commands[: 1 if kib % 150_000 else 3]:
                found = program(*command, address_space_kib=kib, timeout=60)
                self.assertIn(found.returncode, ends, (kib, command, found.stderr))
                self.assertTrue(found.returncode in (DONE, -signal.SIGSEGV) or found.stderr, (kib, command))
                if found.returncode in (DONE, RESOURCES):
                    ends = {DONE, RESOURCES}  # what was loaded once is loaded under each greater limit

    def test_ends_with_any_number_of_threads(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 10, "-o", a)
        for threads in (1000, 100_000):
            self.exits(DONE, "solve", a, "-q", env={**os.environ, "OMP_NUM_THREADS": str(threads)})

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
        # The program, its libraries and two threads take some 200 MB of this, the solve at least 52, the factors 224.
        cholesky = ["solve", a, "-m", "cg", "-P", "cholesky", "-p", "dd", "-t", 2]
        self.exits(RESOURCES, *cholesky, says="the sparse factorisation needs", address_space_kib=380_000)
        self.exits(RESOURCES, *cholesky, says="use a method without complete factors, as cg with the preconditioner ic0",
                   address_space_kib=380_000)
        self.exits(DONE, "solve", a, "-m", "cg", "-p", "dd", "--rtol", "1e-8", address_space_kib=2_000_000)

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_factors_of_an_estimate_leave_the_method_its_memory(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 400, "-o", a)
        estimated = set()
        for kib in [550_000, 700_000, 2_000_000]:
            report = self.report(DONE, "solve", a, "-m", "cg", "-p", "dd", "--rtol", "1e-1", "-t", 2,
                                 address_space_kib=kib)
            unknown = "there is no room for an estimate of the error, so no digits are known: factors in 53 bits "
            self.assertEqual(report["forward_error"]["kind"] == "unknown", report["message"].startswith(unknown),
                             report["message"])
            estimated.add(report["forward_error"]["kind"])
        self.assertEqual(estimated, {"unknown", "estimated"})

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_cg_where_factors_do_not_fit(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 40, "-o", a)
        report = self.report(DONE, "solve", a, "-t", 2, address_space_kib=500_000)
        self.assertEqual([report["method"], report["preconditioner"]], ["cg", "jacobi"])
        left = report["escalations"][0]
        self.assertEqual([left["method"], left["factor_bits"], left["iterations"]], ["refine", 53, 0])
        self.assertRegex(left["reason"], r"factors in 53 bits need .* MiB, half of the memory that is free is .* MiB: "
                         "a Krylov method$")


if __name__ == "__main__":
    unittest.main()
