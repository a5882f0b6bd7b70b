"""Preconditioners that PETSc makes, from the command line: digits, iterations, wrong options."""
import os
import sys
import unittest

from support import BREAKDOWN, DONE, USAGE, TestCase, coordinate

if not os.environ.get("RESIDUA_PETSC"):
    print("skipped: this build has no plug-in for PETSc")
    sys.exit(77)


class Petsc(TestCase):
    def test_multigrid_takes_24_iterations_at_most_to_30_digits_of_poisson_on_a_cube(self):
        a = self.folder / "cube.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 40, "-o", a)
        report = self.report(DONE, "solve", a, "-P", "amg", "-m", "cg", "-b", "ones", "-d", 30, "--rtol", "1e-34")
        self.assertEqual((report["status"], report["preconditioner"]), ("converged", "amg"))
        self.assertGreaterEqual(report["forward_error"]["digits"], 30)
        self.assertLessEqual(report["iterations"], 24)

    def test_options_are_petscs(self):
        a = self.laplacian()
        for name in ("petsc:-pc_type icc", "petsc:-pc_type gamg", "petsc", "amg"):
            with self.subTest(name):
                report = self.report(DONE, "solve", a, "-P", name, "-d", 40, "-o", self.folder / "x")
                self.assertEqual(report["method"], "cg")
                self.assertEqual(report["preconditioner"], name.split(":")[0])
                self.assert_ones(self.folder / "x", 40)

    def test_wrong_options_are_usage_in_one_line(self):
        for name, words in (("petsc:-pc_type nonsense", "Unable to find requested PC type nonsense"),
                            ("petsc:-pc_typ icc", "PETSc makes no use of -pc_typ"),
                            ("petsc:icc", '"icc" is no option of PETSc\'s')):
            run = self.exits(USAGE, "solve", self.laplacian(), "-P", name)
            self.assertIn(words, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1)
            self.assertEqual(run.stdout, "")

    def test_what_it_cannot_make_is_a_breakdown(self):
        a = self.write("a.mtx", coordinate(2, [(1, 2, 1), (2, 1, 1), (2, 2, 1)]))
        run = self.exits(BREAKDOWN, "solve", a, "-m", "gmres", "-P", "petsc:-pc_type ilu")
        self.assertIn("Matrix is missing diagonal entry 0", run.stderr + run.stdout)

    def test_a_run_goes_on_from_its_checkpoint_with_the_same_options_only(self):
        a, state = self.laplacian(), self.folder / "state"
        self.exits(1, "solve", a, "-m", "cg", "-P", "petsc:-pc_type jacobi", "-p", 212, "--maxiter", 5, "--checkpoint", state)
        run = self.exits(3, "solve", a, "-m", "cg", "-P", "petsc:-pc_type icc", "-p", 212, "--maxiter", 5, "--resume", state)
        self.assertIn("precond", run.stderr)


if __name__ == "__main__":
    unittest.main()
