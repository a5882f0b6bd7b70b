"""Preconditioners of PETSc's where its plug-in is not there, or of another release: before any work, and with what to install."""
import json
import os
import unittest

from support import DONE, RESOURCES, USAGE, TestCase, program


def without_plug_in(file):
    return {**os.environ, "RESIDUA_PETSC": str(file)}


class MissingPetsc(TestCase):
    def test_the_message_names_the_package_and_the_file(self):
        for name in ("amg", "petsc:-pc_type icc", "petsc"):
            run = program("solve", self.laplacian(), "-P", name, env=without_plug_in("/nonexistent/x.so"))
            self.assertEqual(run.returncode, RESOURCES, run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1)
            for words in ("residua-petsc", "/nonexistent/x.so", "RESIDUA_PETSC"):
                self.assertIn(words, run.stderr)

    def test_without_the_variable_the_folder_of_the_program_is_looked_at(self):
        run = program("solve", self.laplacian(), "-P", "amg", env={**os.environ, "RESIDUA_PETSC": "", "LD_LIBRARY_PATH": ""})
        if run.returncode == 0:
            self.skipTest("the plug-in is installed where the loader finds it")
        self.assertEqual(run.returncode, RESOURCES, run.stderr)
        folder = os.path.dirname(os.path.realpath(os.environ["RESIDUA_PROGRAM"]))
        self.assertIn(f"{folder}/libresidua_petsc.so", run.stderr)
        self.assertIn("RESIDUA_PETSC may name the file", run.stderr)

    def test_one_of_another_release_is_refused_by_its_version(self):
        run = program("solve", self.laplacian(), "-P", "amg", env=without_plug_in(os.environ["RESIDUA_OTHER_PETSC"]))
        self.assertEqual(run.returncode, RESOURCES, run.stderr)
        self.assertIn("version 3 of its interface, and this library 2", run.stderr)

    def test_where_multigrid_fails_auto_goes_on_as_without(self):
        a, report = self.folder / "cube.mtx", self.folder / "r.json"
        self.exits(DONE, "generate", "poisson3d", "--n", 40, "-o", a)
        for how in ("option", "memory", "failure", "product", "nan", "stagnation"):
            with self.subTest(how):
                env = {**without_plug_in(os.environ["RESIDUA_OTHER_PETSC"]), "RESIDUA_OTHER_FAILS": how}
                run = program("solve", a, "-b", "ones", "-p", 159, "--rtol", "1e-30", "-t", 1, "-v", "--report", report,
                              address_space_kib=500_000, env=env)
                self.assertEqual(run.returncode, DONE, run.stderr)
                found = json.loads(report.read_text())
                self.assertEqual((found["status"], found["method"], found["preconditioner"]), ("converged", "cg", "jacobi"))
                self.assertIn("left cg, 159 bits", " ".join(run.stdout.split()))
                asked = program("solve", a, "-b", "ones", "-m", "cg", "-P", "amg", "-p", 159, "--no-estimates", env=env)
                self.assertNotEqual(asked.returncode, DONE)

    def test_what_is_no_plug_in_is_refused(self):
        run = program("solve", self.laplacian(), "-P", "amg", env=without_plug_in(self.write("x.so", "no library")))
        self.assertEqual(run.returncode, RESOURCES, run.stderr)

    def test_a_name_is_looked_at_first(self):
        run = program("solve", self.laplacian(), "-P", "petc:-pc_type icc", env=without_plug_in("/nonexistent/x.so"))
        self.assertEqual(run.returncode, USAGE, run.stderr)
        run = program("solve", self.laplacian(), "-P", "given")
        self.assertEqual(run.returncode, USAGE, run.stderr)


if __name__ == "__main__":
    unittest.main()
