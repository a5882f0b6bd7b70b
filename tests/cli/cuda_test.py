"""--executor cuda: what it takes, and the same bytes as the host. Skipped without a GPU, after the messages."""
import sys
import unittest

from support import CUDA, DONE, RESOURCES, USAGE, TestCase, program

SKIPPED = 77  # what CTest takes for "skipped"
gpu_found = False


class Executor(TestCase):
    def test_what_does_not_run_there_is_refused(self):
        a = self.laplacian()
        for options in [[], ["-m", "gmres"], ["-m", "direct"], ["-m", "cg", "-P", "ic0"],
                        ["-m", "cg", "-f", "expansion"], ["-m", "cg", "-f", "native"]]:
            with self.subTest(options):
                self.exits(USAGE, "solve", a, "-e", "cuda", *options, says="--executor: cuda takes the method cg")
        self.exits(USAGE, "compare", a, "-e", "cuda", "--methods", "cg,gmres", says="--executor")
        self.exits(USAGE, "solve", a, "-e", "cuda:x", says="--executor")

    def test_a_device_that_is_not_there_is_a_lack_of_resources(self):
        result = self.exits(RESOURCES, "solve", self.laplacian(), "-e", "cuda:1000", "-f", "rns", "-m", "cg", says="CUDA")
        self.assertEqual(result.stdout, "")

    def test_auto_says_where_it_computed(self):
        a = self.laplacian()
        report = self.report(DONE, "solve", a, "-f", "rns", "-m", "cg")
        self.assertEqual(report["executor"], "cuda" if gpu_found else "host")
        for options in [["-m", "cg"], ["-f", "rns", "-m", "gmres"], ["-f", "rns", "-m", "cg", "-e", "host"]]:
            self.assertEqual(self.report(DONE, "solve", a, *options)["executor"], "host")

    def test_computes_the_same_bytes_as_the_host(self):
        if not gpu_found:
            self.skipTest("no GPU")
        a = self.folder / "poisson.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 20, "-o", a)
        for precond in ["none", "jacobi"]:
            for bits in [106, 424, 1696]:
                with self.subTest(precond=precond, bits=bits):
                    written = {}
                    for where in ["host", "cuda"]:
                        path = self.folder / where
                        report = self.report(DONE, "solve", a, "-b", "random:1", "-f", "rns", "-m", "cg", "-P", precond,
                                             "-p", bits, "-e", where, "-o", path)
                        self.assertEqual(report["executor"], where)
                        written[where] = (path.read_text(), report["iterations"], report["relative_residual"])
                    self.assertEqual(written["host"], written["cuda"])


def has_gpu():
    probe = TestCase()
    probe.setUp()
    result = program("solve", probe.laplacian(), "-e", "cuda", "-f", "rns", "-m", "cg", "-q")
    probe.doCleanups()
    # a GPU that cannot be used is a failure below, and no reason to skip
    return "no CUDA device can be used" not in result.stderr


if __name__ == "__main__":
    if not CUDA:
        print("skipped: this build has no CUDA side")
        sys.exit(SKIPPED)
    gpu_found = has_gpu()
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if not gpu_found:
        print("skipped in part: there is no GPU to compare with the host")
        sys.exit(SKIPPED)
