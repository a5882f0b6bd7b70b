"""A solve that is killed goes on from its checkpoint, and ends with the bits of one that was not."""
import json
import random
import subprocess
import time
import unittest

from support import BAD_INPUT, DONE, INTERRUPTED, NOT_CONVERGED, PROGRAM, RESOURCES, USAGE, TestCase, array, coordinate, program

EVERY = 0.05  # seconds between two states
KILLS = 50


def tridiagonal(n):
    entries = [(i, i, 2) for i in range(1, n + 1)] + [(i + 1, i, -1) for i in range(1, n)]
    return coordinate(n, entries, "symmetric")


class Killed(TestCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(20261126)

    def reference(self, *args):
        """Runs without a checkpoint; the bytes of x, and the seconds that it took."""
        start = time.monotonic()
        result = program("solve", *args, "-q", "-o", self.folder / "reference.mtx")
        self.assertIn(result.returncode, (DONE, NOT_CONVERGED), result.stderr)
        return (self.folder / "reference.mtx").read_bytes(), time.monotonic() - start

    def run_for(self, seconds, *args):
        """Runs for so long at most; the exit code, None if it was killed."""
        with subprocess.Popen([PROGRAM, "solve", *map(str, args)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            try:
                code = process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
            self.assertIn(code, (DONE, NOT_CONVERGED), process.stderr.read())
            return code

    def survives(self, *args):
        """Kills runs at random moments, KILLS times in all; each that comes to its end has the x of the reference."""
        x, whole = self.reference(*args)
        state, out = self.folder / "state", self.folder / "x.mtx"
        kills = finished = 0
        threads = 0
        longest = max(0.15, min(0.8, whole / 4))
        while kills < KILLS or finished == 0:
            state.unlink(missing_ok=True)
            out.unlink(missing_ok=True)
            spent, killed_before = 0.0, kills
            while True:
                threads = threads % 3 + 1
                begin = ["--resume", state] if state.exists() else ["--checkpoint", state]
                start = time.monotonic()
                ends = self.run_for(self.random.uniform(0.03, longest) if kills < KILLS else None, *args, "-q", "-t",
                                    threads, "-o", out, "--every", EVERY, *begin)
                spent += time.monotonic() - start
                if ends is not None:
                    break
                kills += 1
            finished += 1
            self.assertEqual(out.read_bytes(), x)
            # each kill costs what was done since the last state, and the beginning of the next run
            beginning = 0.4
            self.assertLess(spent, 3 * whole + (kills - killed_before) * (EVERY + beginning) + 3)

    def test_cg_of_2000_iterations(self):
        a = self.write("a.mtx", tridiagonal(2000))
        self.survives(a, "-m", "cg", "-P", "none", "-p", "1696", "--rtol", "1e-400")

    def test_refinement_of_several_columns(self):
        a = self.folder / "a.mtx"
        self.assertEqual(program("generate", "randsvd", "--n", 150, "--cond", "1e13", "--binary64", "-o", a).returncode, DONE)
        columns = "\n".join(str(self.random.randint(-99, 99)) for _ in range(150 * 6))
        b = self.write("b.mtx", f"%%MatrixMarket matrix array integer general\n150 6\n{columns}\n")
        self.survives(a, "-b", b, "-m", "refine", "-p", "2544", "--factors", "double")

    def test_sparse_factorisation(self):
        a = self.folder / "a.mtx"
        self.assertEqual(program("generate", "poisson3d", "--n", 15, "-o", a).returncode, DONE)
        self.survives(a, "-m", "direct", "-p", "848")


class Refused(TestCase):
    def test_what_does_not_fit(self):
        a = self.write("a.mtx", tridiagonal(50))
        state = self.folder / "state"
        begin = ("solve", a, "-q", "-d", 30)
        self.assertEqual(program(*begin, "--checkpoint", state).returncode, DONE)
        for args, code, words in (
                ((*begin, "--checkpoint", state), BAD_INPUT, "is there already"),
                (("solve", a, "-q", "-d", 31, "--resume", state), BAD_INPUT, "another run: digits is 31, and was 30"),
                (("solve", self.write("b.mtx", tridiagonal(51)), "-q", "-d", 30, "--resume", state), BAD_INPUT,
                 "the matrix is 51 x 51"),
                ((*begin, "-b", self.write("b", array(range(50))), "--resume", state), BAD_INPUT,
                 "other right-hand sides"),
                ((*begin, "--resume", self.folder / "absent"), BAD_INPUT, "No such file"),
                ((*begin, "--resume", self.write("foreign", "foreign")), BAD_INPUT, "is no checkpoint of residua"),
                ((*begin, "--resume", a), USAGE, "is the file of MATRIX"),
                ((*begin, "-o", state, "--resume", state), USAGE, "is the file of --output"),
                ((*begin, "--resume", state, "--checkpoint", state), USAGE, "excludes"),
                ((*begin, "--checkpoint", self.folder / "none/state"), RESOURCES, "No such file"),
                ((*begin, "--checkpoint", "-"), USAGE, "not a file"),
                ((*begin, "--every", 5), USAGE, "--every needs --checkpoint or --resume"),
                ((*begin, "--resume", state, "--every", 0), USAGE, "--every")):
            with self.subTest(args):
                result = program(*args)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertEqual(program(*begin, "--resume", state).returncode, DONE)

    def test_a_file_that_is_cut_off(self):
        a = self.write("a.mtx", tridiagonal(50))
        state = self.folder / "state"
        self.assertEqual(program("solve", a, "-q", "-d", 30, "--checkpoint", state).returncode, DONE)
        whole = state.read_bytes()
        state.write_bytes(whole[:-100])
        result = program("solve", a, "-q", "-d", 30, "--resume", state)
        self.assertEqual(result.returncode, BAD_INPUT)
        self.assertIn("cut off", result.stderr)


class GoesOn(TestCase):
    def test_with_a_full_disk(self):
        a = self.write("a.mtx", tridiagonal(400))
        command = (f'ulimit -f 64 && exec "{PROGRAM}" solve {a} -m cg -P none -p 212 --rtol 1e-50 '
                   f'--checkpoint {self.folder}/state --every 0.001 --report {self.folder}/r.json')
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(result.returncode, DONE, result.stderr)
        self.assertIn("cannot be written: File too large; the run goes on", result.stderr)
        self.assertIn("File too large", json.loads((self.folder / "r.json").read_text())["checkpoint_failure"])

    def test_after_it_was_asked_to_stop(self):
        """With SIGTERM the last state is that of the end."""
        a = self.write("a.mtx", tridiagonal(2000))
        args = (a, "-q", "-m", "cg", "-P", "none", "-p", "1696", "--rtol", "1e-400")
        state, history = self.folder / "state", self.folder / "h.csv"
        with subprocess.Popen([PROGRAM, "solve", *map(str, args), "--checkpoint", state, "--every", "1000", "--history",
                               history]) as process:
            time.sleep(0.6)
            process.terminate()
            self.assertEqual(process.wait(timeout=60), INTERRUPTED)
        self.assertGreater(state.stat().st_size, 100_000)
        x = self.folder / "x.mtx"
        self.assertEqual(program("solve", *args, "--resume", state, "-o", x).returncode, DONE)
        self.assertEqual(program("solve", *args, "-o", self.folder / "y.mtx").returncode, DONE)
        self.assertEqual(x.read_bytes(), (self.folder / "y.mtx").read_bytes())


if __name__ == "__main__":
    unittest.main()
