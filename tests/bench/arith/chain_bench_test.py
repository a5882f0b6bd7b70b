"""residua bench add and mul of expansions on CUDA, and the tables of its reports. Measures only with a GPU."""
import json
import pathlib
import subprocess
import sys
import unittest

from support import CUDA, DONE, RESOURCES, USAGE, TestCase, program

SKIPPED = 77  # what CTest takes for "skipped"
TABLES = pathlib.Path(__file__).parents[2] / "bench" / "blas" / "throughput_tables.py"
KERNELS = {"add": ["sequential", "lanes safe", "lanes fast", "lanes sum"], "mul": ["sequential", "lanes"]}
gpu_found = False


def small(op, *arguments):
    return ["bench", op, "--formats", "expansion", "--executor", "cuda", "--sizes", "7,5000", "--repeat", "1", *arguments]


def tables(*paths):
    return subprocess.run([sys.executable, TABLES, *paths], capture_output=True, text=True, check=False)


class Kernels(TestCase):
    def test_are_told_to_need_a_device(self):
        for op in KERNELS:
            if not CUDA:
                self.exits(USAGE, *small(op), says="not available in this build")
            elif not gpu_found:
                self.exits(RESOURCES, *small(op), says="no CUDA device can be used")
        self.assertEqual("kernels of expansions" in program("bench", "--help").stdout, CUDA)

    def test_take_precisions_up_to_32_terms(self):
        if CUDA:
            self.exits(USAGE, *small("add", "--precisions", "1697"), says="--precisions")

    def test_have_the_bits_of_the_host(self):
        if not gpu_found:
            self.skipTest("no GPU")
        for op, kernels in KERNELS.items():
            with self.subTest(op):
                report = self.report(DONE, *small(op, "--precisions", "106,212,424,848,1696"))
                self.assertGreater(report["ceiling"]["fma_per_second"], 1e9)
                rows = report["rows"]
                self.assertEqual([(r["terms"], r["size"], r["memory"], r["kernel"]) for r in rows],
                                 [(t, n, m, k) for t in [2, 4, 8, 16, 32] for n in [7, 5000]
                                  for m in ["registers", "shared"] for k in kernels])
                in_registers = {(r["terms"], r["size"], r["kernel"]): r for r in rows if r["memory"] == "registers"}
                for r in rows:
                    self.check(r)
                    self.assertEqual(r["hash"], in_registers[r["terms"], r["size"], r["kernel"]]["hash"])
                path = self.folder / "kernels.json"
                path.write_text(json.dumps(report))
                self.assertEqual(tables(path).stdout.count(f"| {op}, "), 2)

    def check(self, r):
        self.assertIs(r["same_bits"], True)
        self.assertIs(r["right"], True)
        self.assertEqual(r["operations"], r["size"] * r["links"])
        self.assertEqual(r["precision_bits"], 53 * r["terms"])
        self.assertEqual(r["block_threads"], r["block_chains"] * (1 if r["kernel"] == "sequential" else r["terms"]))
        self.assertGreaterEqual(r["blocks"], 1)
        self.assertGreater(r["registers"], 0)
        self.assertGreater(r["flops"], 0)
        self.assertEqual(r["error_bound"] is None, r["kernel"] == "lanes fast")
        shared = 256 * r["terms"] * r["block_chains"] if r["memory"] == "shared" else 0
        self.assertEqual(r["block_shared_bytes"], shared)


class Tables(TestCase):
    def report_of(self, **changes):
        row = {"operation": "add", "kernel": "sequential", "memory": "registers", "terms": 2, "size": 10,
               "operations_per_second": 7.5e11, "flops": 20.0, "share_of_fma": 0.974, "blocks": 16,
               "block_threads": 128, "right": True}
        rows = [row | {"size": 5, "operations_per_second": 1e9}, row, {"operation": "add", "format": "rns"},
                row | {"kernel": "lanes sum", "terms": 4} | changes]
        return self.write("tables.json", json.dumps({"device": "GPU", "ceiling": {"fma_per_second": 1.54e13},
                                                     "rows": rows}))

    def test_take_the_largest_size_of_each_kernel(self):
        result = tables(self.report_of())
        self.assertEqual(result.stdout, """\
GPU, 15.4e12 FMA/s

| add, in registers: Mop/s | 2 | 4 |
|---|---|---|
| sequential | 750000 | - |
| lanes sum | - | 750000 |

| flops, share of FMA, threads | 2 | 4 |
|---|---|---|
| sequential | 20, 97 %, 2048 | - |
| lanes sum | - | 20, 97 %, 2048 |
""")

    def test_refuse_wrong_results(self):
        self.assertNotEqual(tables(self.report_of(right=False)).returncode, 0)


def has_gpu():
    # a GPU that cannot be used is a failure below, and no reason to skip
    return "no CUDA device can be used" not in program(*small("add", "--precisions", "106")).stderr


if __name__ == "__main__":
    gpu_found = CUDA and has_gpu()
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if not gpu_found:
        print("skipped in part: there is no GPU whose kernels could be compared with the host")
        sys.exit(SKIPPED)
