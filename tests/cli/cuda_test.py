"""--executor cuda: what it takes, and the same bytes as the host. Skipped without a GPU, after the messages."""
import math
import random
import sys
import unittest

from support import CUDA, DONE, RESOURCES, USAGE, TestCase, coordinate, has_gpu, program, tuned, where_products_are

SKIPPED = 77  # what CTest takes for "skipped"
gpu_found = False


class Executor(TestCase):
    def test_what_does_not_run_there_is_refused(self):
        a = self.laplacian()
        for options in [["-m", "gmres"], ["-m", "cg", "-P", "ic0"], ["-m", "bicgstab", "-P", "none"], ["-m", "direct"]]:
            with self.subTest(options):
                self.exits(USAGE, "solve", a, "-e", "cuda", "-f", "rns", *options,
                           says="--executor: cuda takes rns with the methods auto and refine")
        self.exits(USAGE, "compare", a, "-e", "cuda", "--formats", "rns", "--methods", "cg,gmres", says="--executor")
        self.exits(USAGE, "solve", a, "-e", "cuda:x", says="--executor")

    def test_refinement_and_auto_need_no_more_than_a_device(self):
        a = self.laplacian()
        for options in [[], ["-m", "refine"], ["-m", "gmres-ir"], ["-f", "rns"], ["-m", "refine", "-f", "rns"],
                        ["-m", "refine", "-f", "multidigit"], ["-m", "gmres-ir", "-f", "native"]]:
            with self.subTest(options):
                if gpu_found:
                    self.assertEqual(self.report(DONE, "solve", a, "-e", "cuda", *options)["executor"], "cuda")
                else:
                    self.exits(RESOURCES, "solve", a, "-e", "cuda", *options, says="CUDA")
                self.assertEqual(self.report(DONE, "solve", a, *options)["executor"], "host")

    def test_a_device_that_is_not_there_is_a_lack_of_resources(self):
        result = self.exits(RESOURCES, "solve", self.laplacian(), "-e", "cuda:1000", "-f", "rns", "-m", "cg", says="CUDA")
        self.assertEqual(result.stdout, "")

    def test_auto_says_where_it_computed(self):
        a = self.laplacian()
        report = self.report(DONE, "solve", a, "-f", "rns", "-m", "cg")
        self.assertEqual(report["executor"], "cuda" if gpu_found else "host")
        for options in [["-m", "cg"], ["-f", "rns", "-m", "gmres"], ["-f", "rns", "-m", "cg", "-e", "host"],
                        ["-f", "multidigit", "-m", "cg"], ["-f", "multidigit", "-m", "direct"]]:
            self.assertEqual(self.report(DONE, "solve", a, *options)["executor"], "host")
        large = self.folder / "large.mtx"
        enough = int(tuned("devices", 106)[0])
        self.exits(DONE, "generate", "poisson2d", "--n", math.isqrt(enough - 1) + 1, "-o", large)
        for options, where in [([], "cuda" if gpu_found else "host"), (["-e", "host"], "host"), (["-P", "ic0"], "host")]:
            report = self.report(DONE, "solve", large, "-m", "cg", "-p", 106, "--rtol", "1e-6", *options)
            self.assertEqual(report["executor"], where)

    def test_a_chain_takes_at_most_half_a_second_longer_than_on_the_host(self):
        if not gpu_found:
            self.skipTest("no GPU")
        a = self.folder / "chain.mtx"
        self.exits(DONE, "generate", "poisson1d", "--n", 20000, "-o", a)
        for options in [[], ["-p", 212], ["-p", 848, "--rtol", "1e-60"]]:
            with self.subTest(options):
                written, seconds = {}, {}
                for where in ["host", "cuda"]:
                    path = self.folder / where
                    runs = [self.report(DONE, "solve", a, "-m", "cg", "-P", "ic0", *options, "-e", where, "-o", path)
                            for _ in range(2)]
                    seconds[where] = min(run["seconds"]["total"] for run in runs)
                    written[where] = path.read_text()
                self.assertIn("row levels" if runs[0]["executor"] == "cuda" else "the method", runs[0]["kept_on_host"])
                self.assertEqual(written["host"], written["cuda"])
                self.assertLess(seconds["cuda"], seconds["host"] + 0.5)
        told = self.exits(DONE, "solve", a, "-m", "cg", "-P", "ic0", "-e", "cuda").stdout
        self.assertIn("kept on the host", told)

    def test_computes_the_same_bytes_as_the_host(self):
        if not gpu_found:
            self.skipTest("no GPU")
        a = self.folder / "poisson.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 20, "-o", a)
        runs = [("rns", bits, "cg", p) for p in ["none", "jacobi", "block-jacobi", "chebyshev"] for bits in [106, 424, 1696]]
        runs += [(form, bits, m, p) for form, bits in
                 [("expansion", 106), ("expansion", 212), ("expansion", 424), ("multidigit", 64), ("multidigit", 300),
                  ("multidigit", 600)] for m, p in
                 [("cg", "none"), ("cg", "jacobi"), ("cg", "ic0"), ("bicgstab", "none"), ("bicgstab", "ilu0"),
                  ("bicgstabl", "none"), ("bicgstabl", "ilu0"), ("idr", "none"), ("idr", "jacobi"), ("idr", "ilu0"),
                  ("gmres", "jacobi"), ("gmres", "ilu0"), ("gmres", "lu"), ("cg", "chebyshev"), ("cg", "ssor"),
                  ("cg", "block-jacobi"), ("gmres", "iluk"), ("gmres", "ilut")]]
        runs += [(form, bits, "refine", "lu") for form, bits in
                 [("native", 53), ("expansion", 106), ("expansion", 424), ("multidigit", 300), ("multidigit", 1696),
                  ("multidigit", 2000), ("rns", 106), ("rns", 424), ("auto", 0)]]
        runs += [(form, bits, "gmres-ir", "lu") for form, bits in
                 [("native", 53), ("auto", 106), ("auto", 159), ("auto", 212), ("multidigit", 100), ("multidigit", 1000),
                  ("multidigit", 3000), ("auto", 0)]]
        runs += [("auto", 0, "gmres", "ilu0"), ("auto", 212, "cg", "ic0"), ("auto", 848, "gmres", "lu"),
                 ("auto", 1000, "cg", "jacobi"), ("native", 53, "cg", "jacobi"), ("multidigit", 2100, "cg", "jacobi")]
        for form, bits, method, precond in runs:
            with self.subTest(form=form, bits=bits, method=method, precond=precond):
                written = {}
                for where in ["host", "cuda"]:
                    path = self.folder / where
                    precision = ["-p", bits] if bits > 0 else []
                    report = self.report(DONE, "solve", a, "-b", "random:1", "-f", form, "-m", method, "-P", precond,
                                         *precision, "-e", where, "-o", path)
                    self.assertEqual(report["executor"], where)
                    written[where] = (path.read_text(), report["iterations"], report["relative_residual"],
                                      report["format"])
                self.assertEqual(written["host"], written["cuda"])

    def test_auto_writes_the_same_bytes_as_the_host(self):
        if not gpu_found:
            self.skipTest("no GPU")
        matrices = [self.folder / "poisson.mtx", self.folder / "hilbert.mtx", self.dense(60, False)]
        self.exits(DONE, "generate", "poisson2d", "--n", 20, "-o", matrices[0])
        self.exits(DONE, "generate", "hilbert", "--n", 12, "-o", matrices[1])
        for a in matrices:
            for options in [[], ["--digits", 30], ["--digits", 30, "--entries", "decimal"], ["-f", "expansion"],
                            ["-f", "multidigit", "--digits", 60], ["-f", "rns", "--digits", 30]]:
                with self.subTest(a=a.name, options=options):
                    written = {}
                    for where in ["host", "cuda"]:
                        path = self.folder / where
                        report = self.report(DONE, "solve", a, "-b", "random:1", *options, "-e", where, "-o", path)
                        refines = report["method"] == "refine"
                        on_device = refines or (where == "cuda" and report["executor"] == "cuda")
                        self.assertEqual(report["executor"], where if on_device else "host")
                        written[where] = (path.read_text(), report["method"], report["iterations"],
                                          report["relative_residual"], report["format"], report["forward_error"])
                    self.assertEqual(written["host"], written["cuda"])

    def test_auto_says_what_rns_floats_have_on_the_host_only(self):
        if not gpu_found:
            self.skipTest("no GPU")
        a = self.folder / "tall.mtx"  # a least-squares problem, which takes direct
        a.write_text("%%MatrixMarket matrix array real general\n4 2\n1\n2\n3\n5\n7\n1\n2\n9\n")
        told = self.exits(DONE, "solve", a, "-b", "ones", "-f", "rns", "-e", "cuda", "-v").stdout
        self.assertIn("host: cuda takes rns with refine and cg, not direct", told)

    def dense(self, n, symmetric):
        """Random integers, the diagonal of a symmetric matrix above the sums of the others."""
        random.seed(20261122)
        rows = [[random.randint(-1000, 1000) for _ in range(n)] for _ in range(n)]
        for i in range(n if symmetric else 0):
            rows[i] = [rows[j][i] for j in range(i)] + [1000 * n] + rows[i][i + 1:]
        entries = [(i + 1, j + 1, rows[i][j]) for j in range(n) for i in range(j if symmetric else 0, n)]
        return self.write("dense.mtx", coordinate(n, entries, "symmetric" if symmetric else "general"))

    def test_direct_writes_the_same_bytes_as_the_host_with_large_products_on_the_device(self):
        if not gpu_found:
            self.skipTest("no GPU")
        for n, symmetric, form, bits in [
                (200, False, "multidigit", 2000), (320, True, "multidigit", 1500), (400, False, "auto", 212),
                (200, False, "multidigit", 128), (40, False, "multidigit", 128), (200, True, "auto", 53),
                (200, False, "expansion", 106)]:
            computed = where_products_are(n, symmetric, form, bits)
            with self.subTest(n=n, symmetric=symmetric, form=form, bits=bits, computed=computed):
                a = self.dense(n, symmetric)
                written = {}
                for where in ["host", "cuda"]:
                    path = self.folder / where
                    report = self.report(DONE, "solve", a, "-b", "random:1", "-f", form, "-m", "direct", "-p", bits,
                                         "-e", where, "-o", path)
                    self.assertEqual(report["executor"], computed if where == "cuda" else "host")
                    written[where] = (path.read_text(), report["iterations"], report["relative_residual"],
                                      report["format"], report["condition_estimate"])
                self.assertEqual(written["host"], written["cuda"])

    def test_direct_says_where_nothing_was_large_enough_for_the_device(self):
        if not gpu_found:
            self.skipTest("no GPU")
        told = self.exits(DONE, "solve", self.laplacian(), "-m", "direct", "-e", "cuda").stdout
        self.assertIn("computed on", told)
        self.assertIn("host: these factors have no product that is large enough for cuda", told)


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
