"""A wheel in a fresh environment outside the tree solves the system of the README. RESIDUA_WHEEL names the wheel."""

import os
import re
import subprocess
import venv
import zipfile

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


@pytest.mark.skipif(not WHEEL, reason="RESIDUA_WHEEL names no wheel")
def test_the_wheel_has_the_licences_of_what_it_bundles():
    names = zipfile.ZipFile(WHEEL).namelist()
    libraries = {re.match(r"lib[a-z]+", name.split("/")[1])[0] for name in names if re.match(r"residua\.libs/.", name)}
    licences = {name.split("/")[-1] for name in names if ".dist-info/licenses/bundled/" in name}
    assert libraries
    assert [each for each in libraries - {"libopenblasp"} if not any(name.startswith(each) for name in licences)] == []
    assert any(name.startswith("libopenblas") for name in licences)
    assert {"LGPL-3.txt", "GPL-3.txt", "Apache-2.0.txt", "MPL-2.0.txt", "nanobind.txt", "robin_map.txt",
            "nlohmann-json3-dev.txt"} <= licences
