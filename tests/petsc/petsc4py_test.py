"""residua inside a program of petsc4py's: options alone change it."""
import os
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

try:
    import petsc4py
except ImportError:
    debians = "/usr/bin/python3"
    if sys.executable == debians or subprocess.run([debians, "-c", "import petsc4py"], capture_output=True).returncode != 0:
        print("skipped: there is no petsc4py (package python3-petsc4py)")
        sys.exit(77)
    os.execv(debians, [debians, __file__])

petsc4py.init(["test", "-skip_petscrc", "-dll_append", os.environ["RESIDUA_PETSC"]])
from petsc4py import PETSc  # noqa: E402


def hilbert(n, scale):
    a = PETSc.Mat().createAIJ([n, n], nnz=n)
    for i in range(n):
        for j in range(n):
            a[i, j] = scale / (i + j + 1)
    a.assemble()
    return a


def exact_solution(n, scale, b):
    """Rows of the system in fractions, by elimination."""
    rows = [[Fraction(scale, i + j + 1) for j in range(n)] + [Fraction(b[i])] for i in range(n)]
    for k in range(n):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in set(range(n)) - {k}:
            rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[n] for row in rows]


class Petsc4py(unittest.TestCase):
    n, scale = 10, 232792560  # lcm(1, ..., 19): all entries are whole

    def setUp(self):
        self.options = PETSc.Options()
        self.a = hilbert(self.n, self.scale)
        self.b = self.a.createVecLeft()
        self.b.setValues(range(self.n), [(7 * i) % 5 - 2 for i in range(self.n)])
        self.b.assemble()
        self.exact = exact_solution(self.n, self.scale, [int(v) for v in self.b.array])

    def solve(self, **options):
        for name, value in options.items():
            self.options[name] = value
        ksp = PETSc.KSP().create()
        ksp.setOperators(self.a)
        ksp.setFromOptions()
        for name in options:
            self.options.delValue(name)
        x = self.a.createVecRight()
        ksp.solve(self.b, x)
        return ksp, x

    def test_x_has_the_digits_that_were_asked_for_in_composed_vectors(self):
        for digits, vectors in ((30, 1), (60, 3)):
            ksp, x = self.solve(ksp_type="residua", ksp_residua_digits=digits, pc_type="none")
            self.assertEqual(ksp.getConvergedReason(), PETSc.KSP.ConvergedReason.CONVERGED_RTOL)
            parts = [x] + [ksp.query("residua_x_low" + end) for end in ("", "_2", "_3")[:vectors]]
            error = max(abs(sum(Fraction(float(part[i])) for part in parts) - self.exact[i]) for i in range(self.n))
            self.assertLess(error / max(map(abs, self.exact)), Fraction(10) ** -digits)
            self.assertGreater(max(abs(Fraction(float(x[i])) - self.exact[i]) for i in range(self.n)), 0)
            self.assertGreaterEqual(ksp.query("residua_digits")[0], digits)

    def test_factors_round_each_entry(self):
        for kind in ("lu", "cholesky"):
            ksp, x = self.solve(ksp_type="preonly", pc_type=kind, pc_factor_mat_solver_type="residua")
            self.assertEqual(list(x.array), [float(value) for value in self.exact])
            self.assertEqual(ksp.getPC().getFactorSolverType(), "residua")

    def test_a_monitor_sees_the_residuals_fall(self):
        seen = []
        ksp = PETSc.KSP().create()
        ksp.setOperators(self.a)
        ksp.setType("residua")
        ksp.getPC().setType("jacobi")
        ksp.setMonitor(lambda ksp, step, norm: seen.append(norm))
        ksp.solve(self.b, self.a.createVecRight())
        self.assertGreater(ksp.getConvergedReason(), 0)
        self.assertLess(seen[-1], 1e-15 * seen[0])
        self.assertGreater(ksp.getIterationNumber(), 0)

    def test_the_view_has_the_digits(self):
        ksp, _ = self.solve(ksp_type="residua", ksp_residua_digits=20, pc_type="none")
        with tempfile.NamedTemporaryFile("r") as file:
            viewer = PETSc.Viewer().createASCII(file.name)
            ksp.view(viewer)
            viewer.destroy()
            text = file.read()
        self.assertIn("digits asked for: 20, method: auto, precision: auto", text)
        self.assertRegex(text, r"the last solve: converged by [a-z-]+ in [0-9]+ bits, [0-9]{2} digits of x by its error estimate")



if __name__ == "__main__":
    unittest.main()
