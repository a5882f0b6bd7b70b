"""multigrid_test.py PROGRAM: bench/solvers/multigrid.py makes the systems that it says, and measures them where the plug-in is."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/solvers/multigrid.py"
PROGRAM = sys.argv.pop(1)
sys.path.insert(0, str(SCRIPT.parent))
import multigrid  # noqa: E402


class Multigrid(unittest.TestCase):
    def test_the_weak_direction_is_the_slowest_one(self):
        n, row = multigrid.anisotropic(3, 0.5)
        self.assertEqual(n, 27)
        self.assertEqual(row(13), {13: 5.0, 12: -1.0, 14: -1.0, 10: -1.0, 16: -1.0, 4: -0.5, 22: -0.5})
        self.assertEqual(row(0), {0: 5.0, 1: -1.0, 3: -1.0, 9: -0.5})

    @unittest.skipUnless(os.environ.get("RESIDUA_PETSC"), "this build has no plug-in for PETSc")
    def test_all_are_solved_to_30_digits_in_few_iterations(self):
        run = subprocess.run([sys.executable, SCRIPT, PROGRAM, "--poisson", "10", "--anisotropic", "10", "--elasticity", "4"],
                             capture_output=True, text=True, check=True)
        rows = [tuple(map(int, found)) for found in re.findall(r"(\d+) iterations, (\d+) digits", run.stdout)]
        self.assertEqual(len(rows), 9, run.stdout)
        for iterations, digits in rows:
            self.assertLessEqual(iterations, 80)
            self.assertGreaterEqual(digits, 30)


if __name__ == "__main__":
    unittest.main()
