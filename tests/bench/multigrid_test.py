"""multigrid_test.py PROGRAM: bench/solvers/multigrid.py makes the systems that it says, and measures them where the plug-in is."""
import itertools
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
    def test_motions_of_a_stiff_body_take_no_force(self):
        stiffness, corners = multigrid.element(0.3), list(itertools.product((0, 1), repeat=3))
        motions = [[float(i == k) for _ in corners for i in range(3)] for k in range(3)]
        for p, q in ((0, 1), (1, 2), (2, 0)):  # small rotations
            motions.append([{p: -c[q], q: c[p]}.get(i, 0) for c in corners for i in range(3)])
        for motion in motions:
            for row in stiffness:
                self.assertLess(abs(sum(a * u for a, u in zip(row, motion))), 1e-15)
        self.assertTrue(all(abs(stiffness[i][j] - stiffness[j][i]) < 1e-15 for i in range(24) for j in range(24)))
        # a stretch by 1 along x has the energy (lame + 2 shear) / 2 of a cube of side 1
        stretch = [float(c[0]) if i == 0 else 0.0 for c in corners for i in range(3)]
        energy = sum(u * a * v for row, u in zip(stiffness, stretch) for a, v in zip(row, stretch)) / 2
        lame, shear = 0.3 / (1.3 * 0.4), 1 / 2.6
        self.assertAlmostEqual(energy, (lame + 2 * shear) / 2, places=14)

    def test_the_weak_direction_is_the_slowest_one(self):
        n, row = multigrid.anisotropic(3, 0.5)
        self.assertEqual(n, 27)
        self.assertEqual(row(13), {13: 5.0, 12: -1.0, 14: -1.0, 10: -1.0, 16: -1.0, 4: -0.5, 22: -0.5})
        self.assertEqual(row(0), {0: 5.0, 1: -1.0, 3: -1.0, 9: -0.5})

    @unittest.skipUnless(os.environ.get("RESIDUA_PETSC"), "this build has no plug-in for PETSc")
    def test_all_are_solved_to_30_digits_in_few_iterations(self):
        run = subprocess.run([sys.executable, SCRIPT, PROGRAM, "--poisson", "10", "--anisotropic", "10", "--elasticity", "5"],
                             capture_output=True, text=True, check=True)
        rows = [tuple(map(int, found)) for found in re.findall(r"(\d+) iterations, (\d+) digits", run.stdout)]
        self.assertEqual(len(rows), 5, run.stdout)
        for iterations, digits in rows:
            self.assertLessEqual(iterations, 40)
            self.assertGreaterEqual(digits, 30)


if __name__ == "__main__":
    unittest.main()
