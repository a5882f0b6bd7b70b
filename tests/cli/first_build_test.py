"""The program of a first build: what it leaves out is not in its help, and says how to have it."""
import unittest

from support import DATA, DONE, USAGE, TestCase, program


class FirstBuild(TestCase):
    def test_names_nothing_in_its_help_that_it_does_not_have(self):
        self.assertNotIn("bench", self.exits(DONE, "--help").stdout)
        self.assertNotRegex(self.exits(DONE, "compare", "--help").stdout, r"\beigen\b|--kernels")

    def test_says_how_to_have_the_rest(self):
        for what, arguments in [("bench", ["bench", "dot"]),
                                ("--kernels", ["compare", "--kernels", "dot"]),
                                ("--reference eigen", ["compare", DATA / "hilbert20.mtx", "--reference", "eigen"])]:
            result = self.exits(USAGE, *arguments)
            self.assertIn(f"residua: {what}: not in this build; cmake -DRESIDUA_BUILD_YARDSTICKS=ON", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_compares_with_a_reference_in_a_file(self):
        matrix, x = self.laplacian(), self.folder / "x.mtx"
        self.exits(DONE, "solve", matrix, "-q", "-p", "qd", "-o", x)
        table = self.exits(DONE, "compare", matrix, "--reference", x, "--precisions", "106").stdout
        self.assertIn("converged", table)


if __name__ == "__main__":
    unittest.main()
