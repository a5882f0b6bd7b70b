"""chain_bench, where benchmarks are built, and the tables of its reports. Kernels are measured only with a GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77  # what CTest takes for "skipped"
TABLES = pathlib.Path(__file__).parents[3] / "bench" / "arith" / "chain_tables.py"
PROGRAM = os.environ.get("RESIDUA_CHAIN_BENCH", "")
CUDA = os.environ.get("RESIDUA_CUDA") == "1"
KERNELS = {"add": ["sequential", "lanes safe", "lanes fast", "lanes sum"], "mul": ["sequential", "lanes"]}


def run(*arguments):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, check=False, timeout=800)


def tables(*paths):
    return run(sys.executable, TABLES, *paths)


class TestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "report.json"


@unittest.skipUnless(PROGRAM, "benchmarks are not built")
class Chains(TestCase):
    def report(self, *arguments):
        result = run(PROGRAM, self.path, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(self.path.read_text())

    def test_are_right_in_every_way_and_length(self):
        for chains in [7, 5000]:
            report = self.report(chains, 1)
            on_device = "ceiling" in report
            expected = [(op, t, m, k) for op, kernels in KERNELS.items() for t in [2, 4, 8, 16, 32]
                        for m in (["registers", "shared"] if on_device else ["registers"])
                        for k in (kernels if on_device else ["sequential"])]
            rows = report["rows"]
            self.assertEqual([(r["operation"], r["terms"], r["memory"], r["kernel"]) for r in rows], expected)
            in_registers = {(r["operation"], r["terms"], r["kernel"]): r for r in rows if r["memory"] == "registers"}
            for r in rows:
                self.check(r, chains, on_device)
                self.assertEqual(r["hash"], in_registers[r["operation"], r["terms"], r["kernel"]]["hash"])
            for op in KERNELS:
                self.assertIn(f"| {op}, ", tables(self.path).stdout)

    def check(self, r, chains, on_device):
        self.assertIs(r["same_bits"], True)
        self.assertIs(r["right"], True)
        self.assertEqual(r["size"], chains)
        self.assertGreater(r["flops"], 0)
        self.assertEqual(r["error_bound"] is None, r["kernel"] == "lanes fast")
        if on_device:
            self.assertEqual(r["block_threads"], r["block_chains"] * (1 if r["kernel"] == "sequential" else r["terms"]))
            self.assertGreaterEqual(r["blocks"], 1)
            self.assertGreater(r["registers"], 0)
            shared = 256 * r["terms"] * r["block_chains"] if r["memory"] == "shared" else 0
            self.assertEqual(r["block_shared_bytes"], shared)

    def test_take_an_operation_and_a_length(self):
        rows = self.report(3, 1, "mul", 4)["rows"]
        self.assertEqual({(r["operation"], r["terms"]) for r in rows}, {("mul", 4)})
        for words in [["div"], ["add", 3]]:
            self.assertEqual(run(PROGRAM, "", 3, 1, *words).returncode, 2)


class Tables(TestCase):
    def report_of(self, **changes):
        row = {"operation": "add", "kernel": "sequential", "memory": "registers", "terms": 2, "size": 10,
               "operations_per_second": 7.5e11, "flops": 20.0, "share_of_fma": 0.974, "blocks": 16,
               "block_threads": 128, "right": True}
        rows = [row | {"size": 5, "operations_per_second": 1e9}, row, row | {"kernel": "lanes sum", "terms": 4} | changes]
        self.path.write_text(json.dumps({"device": "GPU", "ceiling": {"fma_per_second": 1.54e13}, "rows": rows}))
        return self.path

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
    return bool(PROGRAM) and CUDA and '"ceiling"' in device_report()


def device_report():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        run(PROGRAM, path, 1, 1, "add", 2)
        return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    gpu_found = has_gpu()
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if not gpu_found:
        print("skipped in part: there is no GPU, or no chain_bench, whose kernels could be compared with the host")
        sys.exit(SKIPPED)
