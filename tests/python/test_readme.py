"""The README's program prints what its section shows, every word and every number of it."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def section():
    return re.search(r"^## From Python\n(.*?)^## ", (ROOT / "README.md").read_text(), re.S | re.M)[1]


def block(kind):
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", section(), re.S | re.M)
    return found


def program():
    return block("python")


def require_what_is_shown(printed):
    assert printed.split() == block("text").split()


def test_the_readmes_program_prints_what_is_shown():
    run = subprocess.run([sys.executable, "-c", program()], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    require_what_is_shown(run.stdout)
