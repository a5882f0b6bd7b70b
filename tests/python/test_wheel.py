"""A wheel in a fresh environment outside the tree solves the system of the README. RESIDUA_WHEEL names the wheel."""

import os
import subprocess
import venv

import pytest

from test_readme import program, require_what_is_shown

WHEEL = os.environ.get("RESIDUA_WHEEL")


@pytest.mark.skipif(not WHEEL, reason="RESIDUA_WHEEL names no wheel")
def test_the_wheel_solves_the_readmes_system(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([python, "-m", "pip", "install", "-q", WHEEL], check=True, cwd=tmp_path, env=clean)
    run = subprocess.run([python, "-c", program()], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    require_what_is_shown(run.stdout)
