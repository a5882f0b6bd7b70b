"""The JSON reports have the fields that the contract names."""
import json
import unittest
from fractions import Fraction

from support import BREAKDOWN, DATA, DONE, TestCase, coordinate, program

TEXT, WHOLE, FLAG, SECONDS, DECIMAL = str, int, bool, (int, float), "decimal"
FIELDS = {
    "schema": WHOLE, "version": TEXT, "command": TEXT,
    "matrix": {"file": TEXT, "rows": WHOLE, "cols": WHOLE, "nonzeros": WHOLE, "symmetric": FLAG, "transposed": FLAG,
               "entries": TEXT, "inexact_entries": WHOLE},
    "complex": FLAG, "method": TEXT, "preconditioner": TEXT, "format": TEXT, "precision_bits": WHOLE, "executor": TEXT,
    "device": TEXT, "threads": WHOLE, "status": TEXT, "iterations": WHOLE, "restarts": WHOLE, "matvecs": WHOLE,
    "relative_residual": DECIMAL, "backward_error": DECIMAL, "componentwise_backward_error": DECIMAL,
    "forward_error": {"bound": DECIMAL, "kind": TEXT, "digits": WHOLE},
    "condition_estimate": DECIMAL, "condition_source": TEXT, "memory": {"predicted_bytes": SECONDS},
    "seconds": {"read": SECONDS, "setup": SECONDS, "solve": SECONDS, "write": SECONDS, "total": SECONDS},
    "asked_digits": WHOLE, "required_digits": WHOLE, "escalations": list, "message": TEXT,
}


class Report(TestCase):
    def check(self, fields, got, where=""):
        for name, kind in fields.items():
            self.assertIn(name, got, where)
            value = got[name]
            if isinstance(kind, dict):
                self.check(kind, value, f"{where}{name}.")
            elif kind == DECIMAL:
                if value is not None:
                    self.assertIsInstance(value, str)
                    Fraction(value)
            else:
                self.assertIsInstance(value, kind, f"{where}{name}")
                self.assertEqual(isinstance(value, bool), kind is FLAG, f"{where}{name}")

    def test_has_every_field(self):
        report = self.report(DONE, "solve", DATA / "hilbert20.mtx")
        self.check(FIELDS, report)
        self.assertEqual(report["schema"], 1)
        self.assertEqual(report["command"], "solve")
        self.assertEqual(report["status"], "converged")
        self.assertEqual(report["matrix"]["rows"], 20)
        self.assertEqual(report["matrix"]["nonzeros"], 400)
        self.assertTrue(report["matrix"]["symmetric"])
        self.assertEqual(report["matrix"]["entries"], "decimal")
        self.assertEqual(report["executor"], "host")
        self.assertIn(report["forward_error"]["kind"], ["estimated", "compared", "unknown"])
        self.assertGreater(Fraction(report["condition_estimate"]), 10**27)
        self.assertLess(Fraction(report["condition_estimate"]), 10**30)

    def test_has_every_field_without_a_solution(self):
        a = self.write("a.mtx", coordinate(2, [(1, 1, 1)]))
        self.check(FIELDS, self.report(BREAKDOWN, "solve", a, "-b", "ones"))

    PARTS = ["analysis", "scaling", "factors", "methods", "products", "preconditioner", "vectors", "transfers", "updates",
             "true_residuals", "estimates", "rest"]

    def test_says_where_the_time_went(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 40, "-o", a)
        for method, spent in [("cg", ["products", "preconditioner", "vectors"]), ("direct", ["methods"]),
                              ("gmres-ir", ["products", "preconditioner", "vectors"]),
                              ("refine", ["products", "preconditioner"])]:
            seconds = self.report(DONE, "solve", a, "-m", method, "-p", "qd", "-b", "ones", "-e", "host")["seconds"]
            self.assertEqual(sorted(seconds["parts"]), sorted(self.PARTS))
            for part, value in seconds["parts"].items():
                self.assertGreaterEqual(value, 0.0, part)
            for part in ["analysis", "scaling", *spent, "transfers", "updates", "true_residuals"]:
                self.assertGreater(seconds["parts"][part], 0.0, f"{method} {part}")
            self.assertAlmostEqual(sum(seconds["parts"].values()), seconds["setup"] + seconds["solve"], delta=1e-3)
        out = self.exits(DONE, "solve", a, "-m", "cg", "-v").stdout
        self.assertIn("products with A, ", " ".join(out.split()))
        self.assertIn("predicted", out)
        for digits in [16, 200]:
            seconds = self.report(DONE, "solve", a, "-d", digits, "-b", "ones", "-e", "host")["seconds"]
            self.assertGreater(seconds["predicted"], 0.0)
        self.assertIsNone(self.report(DONE, "solve", a, "-m", "cg", "-p", "qd")["seconds"]["predicted"])  # a bound at best
        self.assertNotIn("predicted", self.exits(DONE, "solve", a, "-m", "cg").stdout)
        run, = self.report(DONE, "compare", a, "--precisions", "106")["runs"]
        self.assertIsNone(run["seconds"]["parts"])  # what is not measured is not there
        self.assertIsNone(run["memory"]["used_bytes"])

    def test_every_second_has_a_name(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 110, "-o", a)
        for arguments in [["-m", "cg", "-p", "qd"], ["-d", 100], ["-m", "cg", "-p", "qd", "-o", self.folder / "x"]]:
            for _ in range(5):  # a busy machine may stop the program anywhere, but not each time
                seconds = self.report(DONE, "solve", a, *arguments, "-e", "host", "--threads", 1)["seconds"]
                named = seconds["read"] + seconds["write"] + sum(seconds["parts"].values())
                few = 0.03 * seconds["total"] + 0.005
                if abs(named - seconds["total"]) <= few and seconds["parts"]["rest"] <= few:
                    break
            self.assertAlmostEqual(named, seconds["total"], delta=few, msg=arguments)
            self.assertLessEqual(seconds["parts"]["rest"], few, arguments)

    def test_says_what_memory_was_predicted_and_used(self):
        a = self.folder / "a.mtx"
        self.exits(DONE, "generate", "poisson2d", "--n", 120, "-o", a)
        for arguments in [["-m", "cg", "-p", "qd"], ["-m", "gmres", "-P", "none", "--restart", 200, "-p", "qd", "-n", 250],
                          ["-m", "refine", "-p", "dd"]]:
            memory = json.loads(program("solve", a, *arguments, "--report", "-", "-q").stdout)["memory"]
            self.assertGreater(memory["used_bytes"], 0.1 * memory["predicted_bytes"], arguments)
            self.assertLess(memory["used_bytes"], 2.0 * memory["predicted_bytes"], arguments)

    def test_has_the_condition_that_a_method_saw(self):
        diagonal = self.write("a.mtx", coordinate(4, [(1, 1, 1), (2, 2, 3), (3, 3, "1e4"), (4, 4, "1e10")], "symmetric"))
        for arguments, of in [(["-P", "none"], "A"), (["-P", "jacobi"], "preconditioned A")]:
            report = self.report(DONE, "solve", diagonal, "-m", "cg", "-p", "qd", "-b", "ones", *arguments)
            self.assertEqual(report["condition_source"], "factors")
            self.assertEqual(report["spectrum"]["of"], of)
            condition = Fraction(report["spectrum"]["condition"])
            self.assertLess(abs(condition / (10**10 if of == "A" else 1) - 1), Fraction(1, 100))
        self.assertIsNone(self.report(DONE, "solve", diagonal, "-m", "direct", "-p", "qd")["spectrum"])

    def test_one_of_several_solutions_is_not_called_the_solution(self):
        entries = [(1, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 4), (3, 3, 5)]
        singular = self.write("singular.mtx", coordinate(3, entries))
        for options in [["-m", "lsqr"], ["-m", "lsqr", "-d", "16"], ["-m", "direct", "-d", "16"]]:
            report = self.report(DONE, "solve", singular, *options)
            self.assertEqual((report["rank"], report["nullity"], report["known_error"]), (2, 1, None), options)
        self.exits(DONE, "compare", singular, "--precisions", "106", "--report", self.folder / "compare.json")
        run, = json.loads((self.folder / "compare.json").read_text())["runs"]
        self.assertEqual((run["rank"], run["known_error"]), (2, None))
        no_sums = self.write("no_sums.mtx", coordinate(2, [(1, 1, 1), (1, 2, -1), (2, 1, 3), (2, 2, -3)]))
        self.assertIsNone(self.report(DONE, "solve", no_sums)["known_error"])

    def test_escalations_name_what_was_left(self):
        report = self.report(DONE, "solve", DATA / "hilbert20.mtx", "-d", 200)
        for step in report["escalations"]:
            self.assertEqual(step["factor_bits"] is None, step["method"] == "direct")
            self.check({"precision_bits": WHOLE, "method": TEXT, "iterations": WHOLE, "relative_residual": DECIMAL, "reason": TEXT}, step)

    def test_counts_entries_that_binary64_does_not_hold(self):
        # of 1/(i+j-1), 2i+1 <= 39: exact where the denominator is 1, 2, 4, 8, 16, 32
        exact = sum((i + j - 1) & (i + j - 2) == 0 for i in range(1, 21) for j in range(1, i + 1))
        report = self.report(DONE, "solve", DATA / "hilbert20.mtx")
        self.assertEqual(report["matrix"]["inexact_entries"], 210 - exact)
        self.assertEqual(self.report(DONE, "solve", DATA / "pascal20.mtx")["matrix"]["inexact_entries"], 0)

    def test_goes_to_standard_output_alone(self):
        result = self.exits(DONE, "solve", self.laplacian(), "--report", "-")
        self.assertEqual(json.loads(result.stdout)["status"], "converged")
        self.assertIn("Converged", result.stderr)

    def test_of_compare(self):
        report = self.report(DONE, "compare", self.laplacian(), "--precisions", "53,106")
        self.assertEqual(report["command"], "compare")
        self.assertEqual([r["precision_bits"] for r in report["runs"]], [53, 106])
        run_fields = {k: v for k, v in FIELDS.items() if k not in ("schema", "version", "command", "matrix")}
        for run in report["runs"]:
            self.check(run_fields, run)

    def test_of_info(self):
        report = self.report(DONE, "info", DATA / "pascal20.mtx")
        self.assertEqual(report["command"], "info")
        self.assertIs(report["analysis"]["positive_definite"], True)
        self.assertGreater(Fraction(report["analysis"]["condition_estimate"]), 10**21)
        self.assertEqual([m["precision_bits"] for m in report["memory"]],
                         [53, 106, 159, 212, 318, 424, 636, 848, 1272, 1696, 2544, 3392, 4096])
        self.assertEqual([m["format"] for m in report["memory"]],
                         ["native"] + 3 * ["expansion"] + 9 * ["multidigit"])


if __name__ == "__main__":
    unittest.main()
