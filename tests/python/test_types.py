"""Types: the stub of the module is that of the module, and the package passes mypy."""

import pathlib
import subprocess
import sys

import pytest

import residua

PACKAGE = pathlib.Path(residua.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_stub_is_that_of_the_module(tmp_path):
    pytest.importorskip("nanobind")
    made = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "residua._core", "-o", str(made)], check=True)
    here = made.read_text().replace("built_with_cuda: bool = True", "built_with_cuda: bool = False")
    assert here == (PACKAGE / "_core.pyi").read_text()  # python -m nanobind.stubgen writes it anew


def test_the_package_has_its_types(tmp_path):
    pytest.importorskip("mypy")
    if not (ROOT / "pyproject.toml").is_file():
        pytest.skip("not in the repository")
    run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir",
                          str(tmp_path), str(ROOT / "python" / "residua")], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert (PACKAGE / "py.typed").is_file()


def test_everything_public_is_described():
    for name in residua.__all__:
        thing = getattr(residua, name)
        if isinstance(thing, list):
            continue
        assert thing.__doc__ and "Dict" not in thing.__doc__[:4], name
        if isinstance(thing, type) and issubclass(thing, (residua.Numbers, residua.Number, residua.Factor)):
            for each in vars(thing):
                if not each.startswith("_"):
                    assert getattr(thing, each).__doc__, f"{name}.{each}"
