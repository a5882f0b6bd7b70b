"""limits_test.py PROGRAM: bench/solvers/limits.py measures each kind of system, and docs/limits.md shows the figures of its file."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/solvers/limits.py"
sys.path.insert(0, str(SCRIPT.parent))

import limits  # noqa: E402


class Limits(unittest.TestCase):
    def test_each_kind_has_the_digits_that_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            rows_at, plot_at = (pathlib.Path(folder) / name for name in ["rows.json", "plot.svg"])
            plot = ["--plot", plot_at] if shutil.which("gnuplot") else []
            subprocess.run([sys.executable, SCRIPT, PROGRAM, "--smallest", "--output", rows_at, *plot], check=True,
                           capture_output=True)
            rows = json.loads(rows_at.read_text())["rows"]
            self.assertTrue(not plot or "unknowns" in plot_at.read_text())
        self.assertEqual([(row["kind"], row["digits"]) for row in rows],
                         [(kind, digits) for kind in limits.KINDS for digits in limits.DIGITS])
        for row in rows:
            self.assertGreaterEqual(row["claimed"], row["digits"])
            self.assertGreater(row["peak_bytes"], 2**20)

    def test_the_page_shows_the_file(self):
        page = (ROOT / "docs/limits.md").read_text()
        found = json.loads((ROOT / "docs" / re.search(r"\]\((\S+-limits\.json)\)", page)[1]).read_text())
        self.assertEqual(re.findall(r"^\| (?:dense|grid)[^|]*\| \d+ \| \d+ \| .*\|$", page, re.M), list(map(limits.table_row, found["rows"])))
        for word in [found["date"], found["commit"], found["machine"]]:
            self.assertIn(word, page)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
