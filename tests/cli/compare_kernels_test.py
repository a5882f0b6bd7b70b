"""residua compare --kernels: every way of an operation, with its error, its bound and its time, in one table."""
import unittest

from support import CUDA, DONE, RESOURCES, USAGE, TestCase, program

WAYS = {"dot": {"plain", "fused", "twofold", "exact"}, "gemv": {"plain", "fused", "twofold", "exact"},
        "gemm": {"plain", "fused", "twofold", "slices", "exact"},
        "spmv": {"plain", "fused", "twofold", "slices", "exact"}}
HEAD = ["kernel", "way", "size", "format", "bits", "condition", "error", "bound", "median", "ms", "check"]
FIELDS = ["kernel", "way", "size", "format", "precision_bits", "condition", "error", "error_bound", "right", "median_ms",
          "min_ms", "repeats"]


def small(op, *arguments):
    return ["compare", "--kernels", op, "--sizes", "24", "--repeat", "1", *map(str, arguments)]


class CompareKernels(TestCase):
    def rows(self, op, *arguments):
        return self.report(DONE, *small(op, *arguments))["rows"]

    def test_has_every_way_in_one_table(self):
        for op, ways in WAYS.items():
            with self.subTest(op):
                report = self.report(DONE, *small(op, "--seed", 3, "-t", 2))
                self.assertEqual([report[k] for k in ["schema", "command", "kernels", "asked_condition", "seed",
                                                      "executor", "threads"]],
                                 [1, "compare", op, 1e20, 3, "host", 2])
                rows = report["rows"]
                self.assertEqual({r["way"] for r in rows}, ways)
                self.assertEqual({r["format"] for r in rows}, {"native", "expansion", "multidigit", "rns"})
                for r in rows:
                    self.assertEqual(list(r), FIELDS)
                    self.assertIs(r["right"], True)
                    self.assertEqual([r["size"], r["repeats"]], [24, 1])
                    self.assertLessEqual(float(r["error"]), float(r["error_bound"]))
                    self.assertGreaterEqual(float(r["condition"]), 0.5e20)
                    self.assertLessEqual(float(r["condition"]), 16e20)
                    self.assertGreaterEqual(r["median_ms"], r["min_ms"])
                lines = self.exits(DONE, *small(op, "--seed", 3)).stdout.splitlines()
                head = next(k for k, line in enumerate(lines) if line.startswith("kernel"))
                self.assertEqual(lines[head].split(), HEAD)
                self.assertEqual([line.split()[:2] for line in lines[head + 1:]], [[r["kernel"], r["way"]] for r in rows])

    def test_errors_are_in_the_order_of_theory(self):
        u = 2.0**-53
        for op in WAYS:
            for cond in ["1e4", "1e20", "1e28"]:
                with self.subTest(op=op, cond=cond):
                    rows = self.rows(op, "--cond", cond, "--precisions", "53,106,212")
                    error = {(r["way"], r["precision_bits"]): float(r["error"]) for r in rows
                             if r["format"] in ["native", "expansion"]}
                    plain, twofold, exact = (error[way, 53] for way in ["plain", "twofold", "exact"])
                    self.assertGreater(plain, float(cond) * u / 1000)
                    self.assertLess(plain, float(cond) * u * 1000)
                    self.assertLess(twofold, u + float(cond) * u**2 * 1000)
                    self.assertGreater(plain, 10 * twofold)
                    self.assertLessEqual(exact, u)
                    self.assertGreaterEqual(twofold * 1.001, exact)
                    self.assertGreater(plain, 1e10 * error["fused", 106])
                    self.assertGreater(error["fused", 106] + u**2, 1e10 * error["fused", 212])
                    self.assertLessEqual(error["exact", 106], u**2)
                    if "slices" in WAYS[op]:
                        self.assertEqual(error["slices", 53], exact)

    def test_takes_sizes_formats_and_precisions(self):
        rows = self.report(DONE, "compare", "--kernels", "dot", "--sizes", "10,30", "--precisions", "double,qd",
                           "--formats", "native,rns", "--repeat", "2")["rows"]
        self.assertEqual({(r["size"], r["format"]) for r in rows},
                         {(n, f) for n in [10, 30] for f in ["native", "rns"]})
        self.assertEqual({r["precision_bits"] for r in rows if r["format"] == "native"}, {53})
        self.assertEqual({r["repeats"] for r in rows}, {2})

    def test_without_sizes_takes_one_of_its_own(self):
        for op in WAYS:
            rows = self.report(DONE, "compare", "--kernels", op, "--precisions", "53", "--repeat", "1")["rows"]
            self.assertEqual(len({r["size"] for r in rows}), 1)

    def test_the_seed_decides_the_data(self):
        def errors(*arguments):
            return [r["error"] for r in self.rows("gemv", "--precisions", "53", "--formats", "native", *arguments)]

        self.assertEqual(errors("-t", 1), errors("-t", 2))
        self.assertNotEqual(errors(), errors("--seed", 2))

    def test_report_on_standard_output_leaves_the_table_to_standard_error(self):
        result = self.exits(DONE, *small("dot", "--precisions", "53", "--report", "-"))
        self.assertTrue(result.stdout.startswith("{"))
        self.assertIn("median ms", result.stderr)
        quiet = self.exits(DONE, *small("dot", "--precisions", "53", "-q"))
        self.assertEqual([quiet.stdout, quiet.stderr], ["", ""])

    def test_refuses_what_does_not_fit(self):
        a = self.laplacian()
        for arguments, word in [
            (["--kernels", "axpy"], "--kernels: \"axpy\" is none of dot, gemv, gemm, spmv"),
            (["--kernels", "dot", a], "MATRIX: compare --kernels does not take it"),
            (["--kernels", "dot", "-b", "ones"], "--rhs: compare --kernels does not take it"),
            (["--kernels", "dot", "--csv", "x.csv"], "--csv: compare --kernels does not take it"),
            (["--kernels", "dot", "--methods", "cg"], "--methods: compare --kernels does not take it"),
            (["--kernels", "dot", "-v"], "--verbose: compare --kernels does not take it"),
            (["--kernels", "dot", "--sizes", "1"], "--sizes"),
            (["--kernels", "spmv", "--sizes", "50000"], "--sizes: spmv takes sizes up to"),
            (["--kernels", "dot", "--cond", "0.5"], "--cond: dot of size 10000 has conditions from 1 to"),
            (["--kernels", "dot", "--cond", "1e400"], "--cond"),
            (["--kernels", "dot", "--cond", "-3"], "--cond"),
            (["--kernels", "dot", "--sizes", "3", "--cond", "1e40"], "--cond: dot of size 3 has conditions from 1 to"),
            (["--kernels", "spmv", "--cond", "1e40"], "--cond: spmv of size 32 has conditions from 1 to"),
            (["--kernels", "dot", "--precisions", "auto"], "--precisions: auto"),
            (["--kernels", "dot", "--formats", "multidigit", "--precisions", "53"], "--precisions: none of these"),
            (["--kernels", "dot", "--repeat", "0"], "--repeat"),
            ([a, "--sizes", "10"], "--sizes needs --kernels"),
            ([a, "--cond", "10"], "--cond needs --kernels"),
            ([a, "--repeat", "1"], "--repeat needs --kernels"),
            ([a, "--seed", "1"], "--seed needs --kernels"),
            ([], "MATRIX is required"),
        ]:
            with self.subTest(arguments):
                self.exits(USAGE, "compare", *arguments, says=word)

    def test_on_a_device(self):
        if not CUDA:
            self.exits(USAGE, *small("dot", "-e", "cuda"), says="--executor")
            return
        if program(*small("dot", "-e", "cuda")).returncode == RESOURCES:
            self.exits(RESOURCES, *small("dot", "-e", "cuda"), says="no CUDA device can be used")
            self.skipTest("no GPU")
        for op, ways in WAYS.items():
            rows = self.rows(op, "-e", "cuda")
            on_device = {"dot": {"split"}, "gemv": {"split", "basic"}}.get(op, set())
            self.assertEqual({r["way"] for r in rows}, ways | on_device)
            host = {(r["kernel"], r["precision_bits"], r["format"]): r["error"] for r in self.rows(op)}
            for r in rows:
                if r["way"] not in ["split", "basic"]:
                    self.assertEqual(r["error"], host[r["kernel"], r["precision_bits"], r["format"]])


if __name__ == "__main__":
    unittest.main()
