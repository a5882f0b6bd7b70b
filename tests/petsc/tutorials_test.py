"""PETSc's own tutorials ex2, ex10 and ex50, which options alone bring to 30 digits. Their sources are Debian's
(package libpetsc3.18-dev-examples), unchanged."""
import decimal
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal

FOLDER = os.environ.get("PETSC_TUTORIALS")
MPIRUN = os.environ.get("RESIDUA_MPIRUN") or ""
MATRICES = pathlib.Path(os.environ.get("RESIDUA_MATRIX_DIR") or "/nonexistent")
if not FOLDER:
    print("skipped: there are no tutorials of PETSc's (package libpetsc3.18-dev-examples)")
    sys.exit(77)

OPTIONS = ["-skip_petscrc", "-dll_append", os.environ["RESIDUA_PETSC"], "-ksp_type", "residua", "-ksp_residua_digits", "30",
           "-ksp_converged_reason", "-ksp_error_if_not_converged"]
# As root too, several processes on a processor, which yield while they wait.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMP_NUM_THREADS="1")
DIGITS = Decimal("1e-30")
decimal.getcontext().prec = 90


def read_matrix(path):
    """n and {(row, col): double} of a file of real numbers."""
    banner, *lines = pathlib.Path(path).read_text().splitlines()
    lines = [s.split() for s in lines if s and not s.startswith("%")]
    mirrored = {"general": 0, "symmetric": 1, "skew-symmetric": -1}[banner.split()[4]]
    entries = {}
    for i, j, value in lines[1:]:
        entries[int(i) - 1, int(j) - 1] = float(value)
        if mirrored and i != j:
            entries[int(j) - 1, int(i) - 1] = mirrored * float(value)
    return int(lines[0][0]), entries


def read_vector(path):
    lines = [s for s in pathlib.Path(path).read_text().splitlines() if s and not s.startswith("%")]
    return [Decimal(s) for s in lines[1:]]


def petsc_binary(n, entries, b):
    """A matrix and a vector as PETSc's MatLoad() and VecLoad() read them: big-endian."""
    rows = [[] for _ in range(n)]
    for (i, j), value in sorted(entries.items()):
        rows[i].append((j, value))
    pairs = [pair for row in rows for pair in row]
    return b"".join([struct.pack(">4i", 1211216, n, n, len(pairs)),
                     struct.pack(f">{n}i", *map(len, rows)),
                     struct.pack(f">{len(pairs)}i", *(j for j, _ in pairs)),
                     struct.pack(f">{len(pairs)}d", *(value for _, value in pairs)),
                     struct.pack(f">2i{n}d", 1211214, n, *b)])


def shortest_solution(side, b):
    """Of the Laplacian of a square of side^2 points without a flow through its border, of which the constants are the
    null space: elimination in 90 digits with the last number as 0, then the mean is taken out."""
    n = side * side
    mean = sum(b) / n
    a = [{} for _ in range(n)]
    for i in range(n):
        near = [i - side if i >= side else None, i - 1 if i % side else None,
                i + 1 if i % side < side - 1 else None, i + side if i < n - side else None]
        a[i] = {j: Decimal(-1) for j in near if j is not None}
        a[i][i] = Decimal(len(a[i]))
    x = [value - mean for value in b[:-1]] + [Decimal(0)]
    for k in range(n - 1):
        later = [(j, value) for j, value in a[k].items() if k < j < n - 1]
        for i, below in later:  # symmetric: what stands below the pivot stands beside it
            factor = below / a[k][k]
            for j, value in later:
                a[i][j] = a[i].get(j, 0) - factor * value
            x[i] -= factor * x[k]
    for k in reversed(range(n - 1)):
        x[k] = (x[k] - sum(value * x[j] for j, value in a[k].items() if k < j < n - 1)) / a[k][k]
    mean = sum(x) / n
    return [value - mean for value in x]


class Tutorials(unittest.TestCase):
    def run_tutorial(self, name, *options, processes=None):
        """What it prints, b, and x with all that is known of it. Without a number of processes mpirun does not start it."""
        start = [MPIRUN, "-n", str(processes)] if processes else []
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "kept"
            keep = ["env", f"LD_PRELOAD={os.environ['KEEP_SOLVES_LIBRARY']}", f"KEEP_SOLVES={kept}"]
            run = subprocess.run([*start, *keep, os.path.join(FOLDER, f"petsc_tutorial_{name}"), *OPTIONS, *map(str, options)],
                                 env=ENVIRONMENT, capture_output=True, text=True, timeout=200)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("CONVERGED_RTOL", run.stdout)
            found = {}
            for process in range(processes or 1):
                for line in pathlib.Path(f"{kept}.{process}").read_text().splitlines():
                    name, *numbers = line.split()
                    found.setdefault(name, []).extend(Decimal(float.fromhex(number)) for number in numbers)
        self.assertGreaterEqual(min(found["residua_digits"]), 30)
        x = [high + low for high, low in zip(found["x"], found["residua_x_low"], strict=True)]
        return run.stdout, found["b"], x

    def assert_digits(self, x, exact):
        self.assertEqual(len(x), len(exact))
        error = max(abs(u - v) for u, v in zip(x, exact, strict=True))
        self.assertLessEqual(error, DIGITS * max(map(abs, exact)))

    def test_ex2_poissons_equation_with_ones_as_the_solution(self):
        for options in ([], ["-m", 40, "-n", 40, "-pc_type", "gamg"], ["-m", 30, "-n", 20, "-pc_type", "none"],
                        ["-m", 30, "-n", 30, "-pc_type", "hypre", "-ksp_residua_method", "gmres"]):
            with self.subTest(options=options):
                out, _, x = self.run_tutorial("ex2", *options)
                self.assertIn("Norm of error 0.", out)
                self.assert_digits(x, len(x) * [Decimal(1)])

    def run_on_public_matrix(self, name, *options, transposed=False, **more):
        """ex10 with a matrix whose solution is known: its digits are checked, and x returned."""
        public = MATRICES / "public"
        n, entries = read_matrix(public / f"{name}.mtx")
        if transposed:
            entries = {(j, i): value for (i, j), value in entries.items()}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "system"
            file.write_bytes(petsc_binary(n, entries, map(float, read_vector(public / "ref" / f"{name}_b.mtx"))))
            _, _, x = self.run_tutorial("ex10", "-f", file, *options, **more)
        self.assert_digits(x, read_vector(public / "ref" / f"{name}_x_f64.mtx"))
        return x

    @unittest.skipUnless(MATRICES.is_dir(), "RESIDUA_MATRIX_DIR is not set")
    def test_ex10_public_matrices_in_petscs_binary_files(self):
        for name, preconditioner in (("nos1", "icc"), ("bcsstk01", "cholesky"), ("gr_30_30", "gamg"), ("orsirr_1", "ilu"),
                                     ("bcsstk14", "none"), ("662_bus", "none"), ("west0479", "none"), ("sherman5", "none"),
                                     ("lns_131", "none"), ("fidapm05", "none"), ("plskz362", "none")):
            with self.subTest(name=name):
                self.run_on_public_matrix(name, "-pc_type", preconditioner)
        self.run_on_public_matrix("fs_183_1", "-pc_type", "none", "-trans", transposed=True)

    def test_ex50_a_singular_system_up_to_a_constant(self):
        for side, *options in ((11,), (33, "-pc_type", "jacobi"), (33, "-pc_type", "gamg")):
            with self.subTest(side=side, options=options):
                out, b, x = self.run_tutorial("ex50", "-da_grid_x", side, "-da_grid_y", side, "-ksp_view", *options)
                self.assertIn(f"A is singular, of rank {side * side - 1} of {side * side}: by the null space that was given", out)
                self.assertIn("x is the shortest solution", out)
                self.assert_digits(x, shortest_solution(side, b))

    @unittest.skipUnless(shutil.which(MPIRUN), "there is no mpirun")
    def test_several_processes_have_the_digits(self):
        for processes in (2, 3):
            with self.subTest(processes=processes):
                _, _, x = self.run_tutorial("ex2", "-m", 40, "-n", 30, "-pc_type", "hypre", processes=processes)
                self.assert_digits(x, len(x) * [Decimal(1)])
                out, _, _ = self.run_tutorial("ex50", "-da_grid_x", 33, "-da_grid_y", 33, "-ksp_view", "-ksp_monitor", processes=processes)
                self.assertIn("A is singular, of rank 1088 of 1089", out)

    @unittest.skipUnless(MATRICES.is_dir() and shutil.which(MPIRUN), "RESIDUA_MATRIX_DIR is not set, or there is no mpirun")
    def test_several_processes_have_the_bits_of_one(self):
        for name, preconditioner in (("662_bus", "jacobi"), ("west0479", "none")):
            expected = self.run_on_public_matrix(name, "-pc_type", preconditioner)
            for processes in (2, 3):
                with self.subTest(name=name, processes=processes):
                    self.assertEqual(self.run_on_public_matrix(name, "-pc_type", preconditioner, processes=processes), expected)


if __name__ == "__main__":
    unittest.main()
