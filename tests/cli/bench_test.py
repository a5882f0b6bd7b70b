"""residua bench measures what it says, checks what it measured, and tells it in full."""
import re
import shutil
import subprocess
import unittest

from support import CUDA, DONE, PROGRAM, RESOURCES, USAGE, TestCase, program

FORMATS = {op: {"native", "expansion", "multidigit", "rns"}
           for op in ["dot", "dot_exact", "asum", "norm_inf", "axpy", "axpy_dot", "add", "mul", "rot", "gemv", "gemv_exact",
                      "exact_matrix", "symv", "trmv", "geadd", "ge_acc", "ge_diag_scale_cols", "ge_lrscale", "ge_norm", "syr", "syrk", "trsm",
                      "gemm", "gemm_exact", "spmv", "spmv_csr", "spmv_exact"]}
FORMATS |= {"ger": {"rns"}}
FORMATS |= {op: {"native"} for op in ["dot2", "gemv2", "gemm2", "gemm_ozaki", "spmv2", "spmv_ozaki", "spmm_ozaki"]}
FORMATS |= {"gemv_binary64": {"expansion"}}
ON_CUDA_ONLY = ["dot_split", "axpy_split", "axpy_basic", "gemv_split", "gemv_basic", "ger_split", "geadd_split",
                "geadd_basic"]
ROWS = {"native": 1, "expansion": 2, "multidigit": 2, "rns": 3}  # of 53, 106 and 424 bits


def small(*arguments):
    return ["bench", *arguments, "--sizes", "7,20", "--repeat", "2"]


class Bench(TestCase):
    def test_of_every_operation_and_format(self):
        for op, formats in FORMATS.items():
            with self.subTest(op):
                path = self.folder / f"{op}.json"
                result = self.exits(DONE, *small(op, "--precisions", "double,106,424"), "--report", path)
                rows = self.report(DONE, *small(op, "--precisions", "double,106,424"))["rows"]
                self.assertEqual({r["format"] for r in rows}, formats)
                self.assertEqual(len(rows), 2 * sum(ROWS[f] for f in formats))
                self.assertEqual([r["size"] for r in rows], [7, 20] * (len(rows) // 2))
                self.assertEqual(result.stdout.count(" right "), len(rows))
                self.assertNotIn("WRONG", result.stdout)
                for r in rows:
                    self.assertIn(r["hash"], result.stdout)  # the same in a second run

    def test_help_has_every_operation(self):
        text = program("bench", "--help").stdout
        for op in FORMATS:
            self.assertRegex(text, rf"(?m)^  {op} ")
        self.assertRegex(text, r"dot2 .*; native only")
        for op in ON_CUDA_ONLY:
            self.assertEqual(re.search(rf"(?m)^  {op} .*; rns on cuda only$", text) is not None, CUDA)

    def test_ways_of_one_operation_have_the_same_results_where_each_is_rounded_once(self):
        def hashes(op, *arguments):
            return [r["hash"] for r in self.report(DONE, *small(op, *arguments))["rows"]]

        for ways in [["gemv_exact", "exact_matrix"], ["spmv", "spmv_csr"]]:
            self.assertEqual(hashes(ways[0]), hashes(ways[1]))
        for ways in [["gemm_exact", "gemm_ozaki"], ["spmv_exact", "spmv_ozaki"]]:
            self.assertEqual(*(hashes(op, "--formats", "native", "--precisions", "53") for op in ways))

    def test_operations_of_binary64_alone_need_no_precision(self):
        rows = self.report(DONE, *small("dot2"))["rows"]
        self.assertEqual([(r["format"], r["precision_bits"]) for r in rows], [("native", 53)] * 2)

    def test_report(self):
        report = self.report(DONE, *small("dot", "--precisions", "212", "--seed", "5", "-t", "2"))
        self.assertEqual([report[k] for k in ["schema", "command", "operation", "seed", "executor", "threads"]],
                         [1, "bench", "dot", 5, "host", 2])
        for field in ["date", "processor", "instruction_set", "compiler"]:
            self.assertTrue(report["machine"][field], field)
        self.assertGreater(report["ceiling"]["copy_bytes_per_second"], 1e6)
        expansion, _, multidigit, _, rns, longer = report["rows"]
        self.assertEqual([expansion["format"], expansion["precision_bits"]], ["expansion", 212])
        self.assertEqual([multidigit["format"], multidigit["precision_bits"]], ["multidigit", 212])
        self.assertEqual(multidigit["bytes"], 2 * 7 * (7 * 4 + 4))  # 7 digits and an exponent
        self.assertEqual(rns["format"], "rns")
        self.assertGreaterEqual(rns["precision_bits"], 212)
        for r in report["rows"]:
            self.assertEqual(r["operations"], r["size"])
            self.assertEqual(r["repeats"], 2)
            self.assertGreaterEqual(r["runs_each"], 1)
            self.assertLessEqual(0, r["min_ms"])
            self.assertLessEqual(r["min_ms"], r["median_ms"])
            self.assertAlmostEqual(r["operations_per_second"], r["operations"] / r["median_ms"] * 1e3, delta=1)
            self.assertIs(r["right"], True)
            self.assertLessEqual(float(r["relative_error"]), float(r["error_bound"]))
            self.assertLess(float(r["error_bound"]), 1e-55)
            self.assertRegex(r["hash"], "^[0-9a-f]{16}$")
        self.assertEqual(expansion["bytes"], 2 * 7 * 4 * 8)
        self.assertEqual(longer["bytes"], 2 * 20 * (14 * 4 + 16))  # 14 moduli for 215 bits
        self.assertAlmostEqual(rns["share_of_copy"],
                               rns["bytes_per_second"] / report["ceiling"]["copy_bytes_per_second"], places=9)

    def test_results_depend_on_the_seed_but_not_on_threads(self):
        for op, size in [("dot", "5000"), ("gemv", "150"), ("spmv", "40"), ("gemm", "30"), ("gemm_exact", "40"), ("axpy", "30000")]:
            with self.subTest(op):
                one, two, other = (
                    [r["hash"] for r in self.report(DONE, "bench", op, "--sizes", size, "--repeat", "1",
                                                    "--precisions", "106", *arguments)["rows"]]
                    for arguments in (["-t", "1"], ["-t", "2"], ["-t", "2", "--seed", "2"]))
                self.assertEqual(one, two)
                self.assertFalse(set(one) & set(other))

    def test_hashes_alone_are_the_same_whatever_computes(self):
        for op in ["dot", "gemm_exact", "add"]:
            with self.subTest(op):
                arguments = ["bench", op, "--hash", "--sizes", "60,300", "--precisions", "double,212"]
                one, two = (self.exits(DONE, *arguments, "-t", threads).stdout for threads in ("1", "2"))
                self.assertEqual(one, two)
                head, *rows = [line.split() for line in one.splitlines()]
                self.assertEqual(head, ["operation", "size", "format", "bits", "check", "hash"])
                self.assertGreater(len(rows), 4)
                hashes = {(r["format"], r["precision_bits"], r["size"]): r["hash"]
                          for r in self.report(DONE, *arguments)["rows"]}
                self.assertEqual({(r[2], int(r[3]), int(r[1])): r[5] for r in rows}, hashes)
                self.assertEqual({(r[0], r[4]) for r in rows}, {(op, "right")})

    def test_report_on_standard_output_leaves_the_table_to_standard_error(self):
        result = self.exits(DONE, *small("add", "--formats", "expansion", "--precisions", "dd"), "--report", "-")
        self.assertTrue(result.stdout.startswith("{"))
        self.assertIn("median ms", result.stderr)

    def test_tells_what_it_leaves_out(self):
        result = self.exits(DONE, *small("axpy", "--formats", "native,rns", "--precisions", "53,1500"))
        self.assertIn("left out: native of 1500 bits on host", result.stderr)
        self.assertEqual(result.stdout.count(" native "), 2)
        self.assertEqual(result.stdout.count(" rns "), 4)

    def test_refuses_what_it_cannot_measure(self):
        for arguments, word in [
            ([], "OPERATION"),
            (["solve"], "OPERATION"),
            (["dot", "--sizes", "0"], "--sizes"),
            (["dot", "--sizes", "10,,20"], "--sizes"),
            (["spmv", "--sizes", "50000"], "--sizes"),
            (["dot", "--precisions", "4097"], "--precisions"),
            (["dot", "--formats", "rns", "--precisions", "1735"], "--precisions"),
            (["dot", "--formats", "multidigit", "--precisions", "53"], "--precisions"),
            (["dot", "--precisions", "auto"], "--precisions"),
            (["dot", "--formats", "expansion", "--precisions", "53"], "--precisions"),
            (["dot2", "--formats", "expansion"], "expansion has no dot2 on host\n"),
            (["dot2", "--precisions", "106"], "--precisions"),
            *(([op], f"OPERATION: {op} is there on cuda only\n") for op in ON_CUDA_ONLY),
            (["ger", "--formats", "expansion"], "expansion has no ger on host\n"),
            (["ger", "--formats", "native"], "native has no ger on host\n"),
            (["ger", "--formats", "multidigit"], "multidigit has no ger on host\n"),
            (["dot", "--formats", "mpfr"], "--formats"),
            (["ger", "--formats", "native", "--executor", "cuda"], "--formats" if CUDA else "--executor"),
            (["dot", "--executor", "gpu"], "--executor"),
            (["dot", "-e", "auto"], "--executor"),
            (["dot", "--repeat", "0"], "--repeat"),
            (["dot", "--threads", "0"], "--threads"),
            (["dot", "--seed", "-1"], "--seed"),
            (["dot", "--variant", "x"], "--variant"),
            (["dot", "--report", ""], "--report"),
        ]:
            with self.subTest(arguments):
                self.exits(USAGE, "bench", *arguments, says=word)

    def test_operands_that_do_not_fit_are_refused_with_their_bytes(self):
        self.exits(RESOURCES, "bench", "dot", "--sizes", "1000000000000", says="bytes")


class Cuda(TestCase):
    def need_gpu(self):
        if program(*small("dot", "--executor", "cuda")).returncode != DONE:
            self.skipTest("no GPU, or a build without CUDA")

    def hashes(self, *arguments):
        rows = self.report(DONE, *arguments)["rows"]
        return {(r["format"], r["precision_bits"], r["size"]): r["hash"] for r in rows}

    def test_without_a_device_is_a_matter_of_resources(self):
        for op in ["dot", "gemm_exact"]:
            if not CUDA:
                self.exits(USAGE, *small(op, "-e", "cuda"), says="not available in this build")
                continue
            if program(*small("dot", "-e", "cuda")).returncode == DONE:
                self.skipTest("there is a GPU")
            self.exits(RESOURCES, *small(op, "-e", "cuda"), says="no CUDA device can be used")

    def test_the_program_starts_without_cublas(self):
        if shutil.which("ldd") is None:
            self.skipTest("no ldd")
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, check=True, text=True).stdout
        self.assertIn("libc.so", libraries)
        self.assertNotIn("cublas", libraries)

    def test_gives_the_bits_of_the_host(self):
        self.need_gpu()
        for op, formats in FORMATS.items():
            with self.subTest(op):
                arguments = small(op, "--formats", ",".join(sorted(formats)), "--precisions", "53,106,159,212")
                self.assertEqual(self.hashes(*arguments, "-e", "host"), self.hashes(*arguments, "-e", "cuda"))

    def test_kernels_of_a_device_alone_have_the_bits_of_those_that_are_fused(self):
        self.need_gpu()
        for op in ON_CUDA_ONLY:
            with self.subTest(op):
                fused, split = (self.hashes(*small(each, "--formats", "rns", "-e", "cuda"))
                                for each in (op.rpartition("_")[0], op))
                self.assertEqual(fused, split)

    def test_gives_the_bits_of_the_host_in_exact_products_of_every_length(self):
        self.need_gpu()
        for formats, precisions in [("native", "double"), ("expansion", "dd,212,318,424"),
                                    ("multidigit", "64,212,848,1696,4096"), ("rns", "60,212,848,1734")]:
            arguments = ["bench", "gemm_exact", "--formats", formats, "--precisions", precisions, "--sizes",
                         "1,33,150", "--repeat", "1"]
            expected = self.hashes(*arguments, "-e", "host", "-t", "1")
            self.assertEqual(len(expected), 3 * len(precisions.split(",")))
            for where in [("-e", "host", "-t", "2"), ("-e", "cuda", "-t", "1"), ("-e", "cuda", "-t", "2")]:
                with self.subTest(formats=formats, where=where):
                    self.assertEqual(self.hashes(*arguments, *where), expected)


if __name__ == "__main__":
    unittest.main()
