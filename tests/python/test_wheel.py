"""A wheel in a fresh environment outside the tree solves the system of the README. RESIDUA_WHEEL names the wheel."""

import os
import pathlib
import re
import subprocess
import sys
import venv

import pytest

WHEEL = os.environ.get("RESIDUA_WHEEL")
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not WHEEL, reason="RESIDUA_WHEEL names no wheel")
def test_the_wheel_solves_the_readmes_system(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([python, "-m", "pip", "install", "-q", WHEEL], check=True, cwd=tmp_path, env=clean)
    readme = (ROOT / "README.md").read_text()
    program = re.search(r"## From Python.*?```python\n(.*?)```", readme, re.S)
    assert program, "README.md has a section From Python with a program"
    run = subprocess.run([python, "-c", program[1]], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    status, digits, value = run.stdout.split()
    assert status == "converged" and int(digits) >= 30 and value == "1." + 29 * "0" + "e+00"
