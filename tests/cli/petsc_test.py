"""Preconditioners that PETSc makes, from the command line: digits, iterations, wrong options."""
import json
import os
import sys
import unittest

from support import BAD_INPUT, BREAKDOWN, DONE, NOT_CONVERGED, USAGE, TestCase, coordinate, program

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

    def test_elasticity_takes_fewer_iterations_where_its_nodes_are_known(self):
        a, places = self.folder / "body.mtx", self.folder / "places.mtx"
        self.exits(DONE, "generate", "elasticity3d", "--n", 7, "-o", a, "--coordinates", places)
        found = []
        for nodes in ([], ["--block-size", 3], ["--block-size", 3, "--coordinates", places]):
            report = self.report(DONE, "solve", a, "-b", "ones", "-P", "petsc:-pc_type gamg", "-d", 30, "--rtol", "1e-34", *nodes)
            self.assertGreaterEqual(report["forward_error"]["digits"], 30)
            found.append(report["iterations"])
        self.assertGreater(found[0], found[1])
        self.assertGreater(found[1], found[2])
        motions = self.folder / "motions.mtx"
        rows = [line.split() for line in places.read_text().splitlines() if not line.startswith("%")]
        count, numbers = int(rows[0][0]), [int(row[0]) for row in rows[1:]]
        nodes = list(zip(*(numbers[count * k:count * (k + 1)] for k in range(3))))
        moves = [lambda p, k=k: [int(i == k) for i in range(3)] for k in range(3)]
        moves += [lambda p: (-p[1], p[0], 0), lambda p: (0, -p[2], p[1]), lambda p: (p[2], 0, -p[0])]
        columns = [str(v) for move in moves for p in nodes for v in move(p)]
        motions.write_text("\n".join(["%%MatrixMarket matrix array real general", f"{3 * count} 6", *columns, ""]))
        report = self.report(DONE, "solve", a, "-b", "ones", "-P", "petsc:-pc_type gamg", "-d", 30, "--rtol", "1e-34",
                             "--block-size", 3, "--near-null-space", motions)
        self.assertLessEqual(abs(report["iterations"] - found[2]), 1)

    def test_nodes_that_do_not_fit_are_refused_in_one_line(self):
        a = self.laplacian()  # 12 rows
        three = self.write("three.mtx", "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n1\n2\n3\n")
        for code, options, words in (
                (USAGE, ["-P", "amg", "--block-size", 0], "--block-size"),
                (BAD_INPUT, ["-P", "amg", "--block-size", 7], "12 rows, which make no groups of 7"),
                (BAD_INPUT, ["--block-size", 2], "for the preconditioners amg and petsc, not for auto"),
                (BAD_INPUT, ["-m", "cg", "-P", "ic0", "--near-null-space", a], "for the preconditioners amg and petsc, not for ic0"),
                (BAD_INPUT, ["-P", "amg", "--near-null-space", three], "three.mtx"),
                (BAD_INPUT, ["-P", "amg", "--block-size", 2, "--damp", 1], "does not go with what is known of nodes"),
                (USAGE, ["-P", "amg", "--coordinates", three], "--coordinates needs --block-size 2 or 3"),
                (BAD_INPUT, ["-P", "amg", "--block-size", 2, "--coordinates", three], "three.mtx")):
            run = self.exits(code, "solve", a, *options)
            self.assertIn(words, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_auto_takes_multigrid_where_factors_do_not_fit_in_memory(self):
        a = self.folder / "cube.mtx"
        self.exits(DONE, "generate", "poisson3d", "--n", 40, "-o", a)
        for env, name in (({}, "amg"), ({"RESIDUA_PETSC": "none"}, "jacobi")):
            report = self.folder / "r.json"
            run = program("solve", a, "-b", "ones", "-d", 30, "-t", 1, "--report", report, address_space_kib=600_000,
                          env={**os.environ, **env})
            self.assertEqual(run.returncode, DONE, run.stderr)
            found = json.loads(report.read_text())
            self.assertEqual((found["method"], found["preconditioner"]), ("cg", name), run.stdout)
            self.assertGreaterEqual(found["forward_error"]["digits"], 30)
            told = program("info", a, "-d", 30, address_space_kib=600_000, env={**os.environ, **env}).stdout
            self.assertIn("with multigrid" if name == "amg" else "residua-petsc", " ".join(told.split()))
        late = program("solve", a, "-b", "ones", "-d", 30, "-t", 1, "-n", 20, address_space_kib=600_000,
                       env={**os.environ, "RESIDUA_PETSC": "none"})
        self.assertEqual(late.returncode, NOT_CONVERGED)
        self.assertIn("package residua-petsc", " ".join((late.stdout + late.stderr).split()))

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
