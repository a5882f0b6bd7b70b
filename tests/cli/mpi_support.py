"""What tests of solves on several processes share; a test that imports it is skipped where there is no mpirun."""
import json
import os
import shutil
import subprocess
import sys

from support import DONE, PROGRAM, TestCase

MPIRUN = os.environ.get("RESIDUA_MPIRUN") or ""
if not os.environ.get("RESIDUA_MPI"):
    print("skipped: this build has no processes of MPI")
    sys.exit(77)
if not shutil.which(MPIRUN):
    print("skipped: there is no mpirun")
    sys.exit(77)

# As root too, several processes on a processor, which yield while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMP_NUM_THREADS="1")
# What depends on where a solve ran, and how fast that is.
PLACES = ("seconds", "threads", "device", "executor", "memory", "processes", "predicted_seconds", "predicted_bytes")


def command(count, *args):
    return [MPIRUN, "-n", str(count), PROGRAM, *map(str, args)]


def shared(count, *args, **changes):
    return subprocess.run(command(count, *args), env=ENVIRONMENT | changes, capture_output=True, text=True, timeout=120)


def figures(report):
    return {key: [figures(column) for column in value] if key == "columns" else value
            for key, value in report.items() if key not in PLACES}


class SharedCase(TestCase):
    """Solves that mpirun starts."""

    def poisson(self, side, kind="poisson2d"):
        a = self.folder / f"{kind}{side}.mtx"
        if not a.exists():
            self.exits(DONE, "generate", kind, "--n", side, "-o", a)
        return a

    def run_shared(self, code, count, *args, says=None, **changes):
        run = shared(count, *args, **changes)
        self.assertEqual(run.returncode, code, f"{args}\n{run.stdout}\n{run.stderr}")
        said = [line for line in run.stderr.splitlines() if line.startswith("residua: ")]
        if says is not None:
            self.assertEqual(len(said), 1, run.stderr)
            self.assertIn(says, said[0])
        return run

    def expect_equal(self, *args, counts=(1, 2, 3, 4), shares=True, code=DONE, executor="host"):
        """x, its file and the figures on so many processes are those of one on the host that mpirun has not started."""
        x, report = self.folder / "x", self.folder / "report"
        self.exits(code, "solve", *args, "-e", "host", "-o", x, "--report", report)
        one, figures_of_one = x.read_bytes(), figures(json.loads(report.read_text()))
        for count in counts:
            with self.subTest(args=args, count=count):
                for each in (x, report):
                    each.unlink()
                run = self.run_shared(code, count, "solve", *args, "-e", executor, "-o", x, "--report", report)
                found = json.loads(report.read_text())
                self.assertEqual(x.read_bytes(), one)
                self.assertEqual(figures(found), figures_of_one)
                first = found.get("columns", [found])[0]
                self.assertEqual(first["executor"], executor)
                self.assertEqual(first.get("processes", 1), count if shares else 1)
                if code == DONE:  # the summary is whole
                    self.assertEqual("in each of" in " ".join(run.stdout.split()), shares and count > 1)
