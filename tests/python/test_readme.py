"""The README's program prints what its section says: a system solved to 30 digits."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    found = re.search(r"## From Python\n+```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert found, "README.md has a section From Python with a program"
    return found[1]


def require_thirty_digits(text):
    status, digits, value = text.split()
    assert status == "converged" and int(digits) >= 30 and value == "1." + 29 * "0" + "e+00"


def test_the_readmes_program_solves_its_system():
    run = subprocess.run([sys.executable, "-c", program()], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    require_thirty_digits(run.stdout)
