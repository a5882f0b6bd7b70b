"""What the system sets limits to: memory of a control group, the stack, threads, the disk; and signals at any time."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from support import (BAD_INPUT, BREAKDOWN, DONE, INTERRUPTED, NOT_CONVERGED, PROGRAM, RESOURCES, SANITIZED, TestCase,
                     coordinate, program, read_array)

MIB = 1 << 20


def memory_group():
    """A new control group below that of this process, and the file of its limit; None where none can be made."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for top, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            if "memory" not in controllers.split(",") and controllers:
                continue
            group = pathlib.Path(top + path) / f"residua-test-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            if (group / limit).exists():
                return group, group / limit
            group.rmdir()
    return None


@unittest.skipIf(SANITIZED, "AddressSanitizer takes the memory")
class ControlGroup(TestCase):
    def setUp(self):
        super().setUp()
        found = memory_group()
        if found is None:
            self.skipTest("no control group with a limit of memory can be made")
        self.group, self.limit = found
        self.addCleanup(self.group.rmdir)

    def within(self, mib, *args):
        """Runs residua in the group; what the kernel ends has the return code -9."""
        self.limit.write_text(str(mib * MIB))
        join = f'echo $$ > {self.group}/cgroup.procs && exec "$0" "$@"'
        return subprocess.run(["sh", "-c", join, PROGRAM, *map(str, args)], capture_output=True, text=True, check=False,
                              timeout=300)

    def test_a_solve_ends_by_itself_where_memory_does_not_suffice(self):
        sparse, dense, large = (self.folder / f"{name}.mtx" for name in ("sparse", "dense", "large"))
        self.assertEqual(program("generate", "poisson3d", "--n", 30, "-o", sparse).returncode, DONE)
        self.assertEqual(program("generate", "hilbert", "--n", 300, "--binary64", "-o", dense).returncode, DONE)
        self.assertEqual(program("generate", "poisson2d", "--n", 900, "-o", large).returncode, DONE)
        refused = 0
        for args in (["solve", sparse, "-m", "direct", "-p", 848], ["solve", sparse, "-m", "direct", "-p", "qd"],
                     ["solve", sparse, "-m", "gmres", "-P", "none", "--restart", 200, "-p", 848],
                     ["solve", sparse, "-m", "gmres", "-P", "iluk", "--fill", 20, "-p", "dd"],
                     ["solve", sparse, "-d", 30], ["solve", dense, "-m", "direct", "-p", 4096], ["solve", large],
                     ["info", sparse]):
            for mib in (50, 100):
                with self.subTest(args, mib=mib):
                    result = self.within(mib, *args, *(["-q", "--time-limit", 2] if args[0] == "solve" else []))
                    self.assertIn(result.returncode, (DONE, NOT_CONVERGED, RESOURCES), result.stderr)
                    if result.returncode == RESOURCES:
                        self.assertRegex(result.stderr, "^residua: .*(memory|bytes).*\n$")
                        refused += 1
        self.assertGreater(refused, 3)


class Stack(TestCase):
    @unittest.skipIf(SANITIZED, "AddressSanitizer takes the stack")
    def test_a_small_one_suffices(self):
        a = self.laplacian(200)
        for args in (["solve", a, "-q"], ["solve", a, "-q", "-t", 1, "-m", "direct", "-p", 848], ["info", a]):
            for kib in (64, 128):
                result = subprocess.run(["bash", "-c", f'ulimit -s {kib} && exec "$0" "$@"', PROGRAM, *map(str, args)],
                                        capture_output=True, text=True, check=False, timeout=100)
                self.assertEqual(result.returncode, DONE, (args, kib, result.stderr))


class Threads(TestCase):
    def test_many_that_are_asked_for_bring_no_warnings(self):
        a = self.folder / "a.mtx"
        self.assertEqual(program("generate", "poisson3d", "--n", 10, "-o", a).returncode, DONE)
        for threads in (128, 1000):
            self.assertEqual(self.exits(DONE, "solve", a, "-q", "-t", threads).stderr, "")

    @unittest.skipIf(SANITIZED, "AddressSanitizer needs the address space")
    def test_those_for_which_there_is_no_room_are_not_needed(self):
        a = self.laplacian(25)
        self.exits(DONE, "solve", a, "-q", "-t", 1000, address_space_kib=1_000_000)
        many = {**os.environ, "OMP_NUM_THREADS": "100000"}
        self.exits(DONE, "bench", "axpy", "--sizes", 1000, "--repeat", 1, env=many)


class Signals(TestCase):
    def test_end_the_reading_of_files_with_a_line(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for command in (["solve", "-"], ["solve", "-", "-q"], ["compare", "-"], ["info", "-"]):
                with self.subTest(command, number=number):
                    process = subprocess.Popen([PROGRAM, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                               stderr=subprocess.PIPE, text=True,
                                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
                    self.addCleanup(process.communicate)
                    self.addCleanup(process.kill)
                    status = pathlib.Path(f"/proc/{process.pid}/status")
                    deadline = time.monotonic() + 60
                    caught = 0
                    while not caught >> (number - 1) & 1 and time.monotonic() < deadline:
                        caught = int(status.read_text().split("SigCgt:")[1].split()[0], 16)
                        time.sleep(0.01)
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=60), INTERRUPTED)
                    self.assertEqual(process.stderr.read(),
                                     "residua: <stdin>: stopped while it was read, by a signal\n")

    def test_leave_no_half_matrix_behind(self):
        process = subprocess.Popen([PROGRAM, "generate", "poisson3d", "--n", "300", "-o", self.folder / "a.mtx"],
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not list(self.folder.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), INTERRUPTED)
        self.assertIn("stopped, by a signal", process.stderr.read())
        self.assertEqual(list(self.folder.iterdir()), [])


class OlderFiles(TestCase):
    def test_stay_where_a_solve_has_no_x(self):
        x = self.write("x.mtx", "old")
        singular = self.write("a.mtx", coordinate(2, [(1, 1, 1)]))
        self.exits(BREAKDOWN, "solve", singular, "-q", "-m", "gmres", "-b", "ones", "-o", x,
                   says=f"{x}: not written: the solve ended before it had an x")
        self.assertEqual(x.read_text(), "old")
        a = self.folder / "large.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 300, "-o", a)
        for limit in (0.001, 0.2, 0.4):
            self.exits(NOT_CONVERGED, "solve", a, "-q", "-m", "direct", "-p", 4096, "-b", "random:1", "--time-limit",
                       limit, "-o", x)
            self.assertEqual(x.read_text(), "old")

    def test_are_replaced_by_an_x_that_is_zero_if_it_solves(self):
        x = self.write("x.mtx", "old")
        b = self.write("b.mtx", "%%MatrixMarket matrix array real general\n12 1\n" + "0\n" * 12)
        self.exits(DONE, "solve", self.laplacian(), "-q", "-b", b, "-o", x)
        self.assertEqual(read_array(x), [0] * 12)


class Large(TestCase):
    def used(self, *args):
        """The exit code, standard error, seconds of the processors and of the clock, whichever are fewer, and bytes."""
        with open(self.folder / "stderr", "w", encoding="utf-8") as err:
            start = time.monotonic()
            child = subprocess.Popen([PROGRAM, *map(str, args)], stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        seconds = min(time.monotonic() - start, usage.ru_utime + usage.ru_stime)
        return child.returncode, (self.folder / "stderr").read_text(), seconds, 1024 * usage.ru_maxrss

    @unittest.skipIf(SANITIZED, "AddressSanitizer takes time and memory")
    def test_a_matrix_with_empty_rows_is_told_about_quickly(self):
        a = self.write("a.mtx", coordinate(10_000_000, [(5, 1, "1.5")]))
        code, err, seconds, used = self.used("info", a, "-t", 1)
        self.assertEqual((code, err), (DONE, ""))
        self.assertLess(seconds, 3)
        self.assertLess(used, 600 * MIB)
        self.assertNotIn("memory to solve", self.exits(DONE, "info", a).stdout)

    def test_info_has_a_time_limit(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 60, "-o", a)
        for limit, words in ((0.001, "stopped while it was read"), (0.7, "stopped")):
            self.exits(NOT_CONVERGED, "info", a, "--time-limit", limit,
                       says=f"{a}: {words}, by the time limit of {limit} s")

    @unittest.skipIf(SANITIZED, "AddressSanitizer takes time")
    def test_a_time_limit_holds_with_a_million_unknowns(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 1000, "-o", a)
        for limit in (1, 2):
            for args in ([], ["-m", "direct", "-p", "double"], ["-m", "cg", "-P", "none", "-p", "dd"]):
                code, err, seconds, _ = self.used("solve", a, "-t", 1, "-q", "--time-limit", limit, *args)
                self.assertIn(code, (DONE, NOT_CONVERGED), err)
                self.assertLess(seconds, limit + 0.3, args)
        self.exits(DONE, "generate", "poisson2d", "--n", 400, "-o", a)
        x = self.folder / "x.mtx"
        for limit in (3, 6, 12):  # a slow machine has an x later
            code, err, seconds, _ = self.used("solve", a, "-t", 1, "-q", "--time-limit", limit, "-m", "cg", "-P", "none",
                                              "-p", "dd", "--rtol", "1e-60", "-o", x)
            self.assertEqual(code, NOT_CONVERGED)
            self.assertLess(seconds, limit + 0.3)
            if not err:
                break
        self.assertEqual(err, "")
        self.assertEqual(len(read_array(x)), 160_000)


class FullDisk(TestCase):
    def solve(self, kib, *args):
        command = f'ulimit -f {kib} && exec "$0" "$@"'
        a = self.write("a.mtx", coordinate(400, [(i, i, 2) for i in range(1, 401)] +
                                           [(i + 1, i, -1) for i in range(1, 400)], "symmetric"))
        return subprocess.run(["bash", "-c", command, PROGRAM, "solve", str(a), "-m", "cg", "-P", "none", "-p", "212",
                               "--rtol", "1e-50", *map(str, args)], capture_output=True, text=True, check=False,
                              timeout=100)

    def test_does_not_end_a_solve_with_a_checkpoint(self):
        state = self.folder / "state"
        result = self.solve(0, "--checkpoint", state, "--every", 0.001, "-q", "--report", "-")
        self.assertEqual(result.returncode, DONE, result.stderr)
        self.assertEqual(result.stderr, f"residua: the checkpoint {state} cannot be written: File too large; the run "
                                        "goes on, and tries again later\n")
        self.assertIn("File too large", json.loads(result.stdout)["checkpoint_failure"])
        self.assertFalse(state.exists())
        self.assertEqual([f.name for f in self.folder.iterdir()], ["a.mtx"])

    def test_is_not_a_folder_that_is_not_there(self):
        for state, words in ((self.folder / "none/state", "No such file"), (self.folder / "a.mtx/state", "Not a dir")):
            result = self.solve("unlimited", "--checkpoint", state, "-q")
            self.assertEqual(result.returncode, RESOURCES)
            self.assertIn(f"{state}: the checkpoint cannot be made: {words}", result.stderr)
        self.assertEqual(self.solve("unlimited", "--checkpoint", self.folder / "a.mtx", "-q").returncode, 2)
        there = self.write("there", "")
        self.assertEqual(self.solve("unlimited", "--checkpoint", there, "-q").returncode, BAD_INPUT)


if __name__ == "__main__":
    unittest.main()
