"""end_to_end_test.py PROGRAM: bench/solvers/end_to_end.py prints a row for each command, with seconds that fit together."""
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench/solvers/end_to_end.py"


def table(*arguments):
    result = subprocess.run([sys.executable, SCRIPT, "--program", PROGRAM, *map(str, arguments)], capture_output=True,
                            text=True, check=True)
    head, rule, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in result.stdout.splitlines()]
    assert set(rule) == {"---"} and len(rule) == len(head), rule
    return [dict(zip(head, row)) for row in rows], result.stderr


class EndToEnd(unittest.TestCase):
    def test_has_a_row_for_each_command(self):
        rows, _ = table("--grid", 20, "--runs", 2, "unknowns", "Poisson")
        self.assertEqual([row["command"] for row in rows],
                         ["Poisson 20, cg", "Poisson 20, cg with ic0", "Poisson 20, -d 30", "20 unknowns", "2 unknowns"])
        for row in rows:
            self.assertEqual(row["ended"], "converged")
            whole = float(row["seconds"])
            named = sum(float(row[key]) for key in ("reading", "setup", "solving", "writing", "beyond"))
            self.assertAlmostEqual(named, whole, delta=0.02 * whole + 1e-4)
            self.assertGreater(row["largest parts"].count(","), 1)

    def test_says_what_ended_early(self):
        rows, _ = table("--grid", 60, "--seconds", 0.01, "cg with ic0")
        self.assertEqual([row["ended"] for row in rows], ["not done in 0.01 s"])
        rows, _ = table("1e7")
        self.assertIn("singular", rows[0]["ended"])

    def test_names_what_it_leaves_out(self):
        rows, told = table("--matrices", "/nonexistent", "bcsstk14, -d 30")
        self.assertEqual(rows, [])
        self.assertIn("RESIDUA_MATRIX_DIR", told)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
