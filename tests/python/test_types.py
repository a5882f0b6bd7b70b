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


WRONG = """
import residua
import numpy as np

a, b = np.eye(2), np.ones(2)
residua.solve(a, b, method="nosuch")
residua.solve(a, b, format="nosuch")
residua.solve(a, b, precision="nosuch")
residua.solve(a, b, executor="nosuch")
residua.solve(a, b, digit=30)
residua.factor(a, M="nosuch")
residua.factor(a, factors="nosuch")
residua.factor(a, digit=30)
residua.cg(a, b, precision="nosuch")
residua.gmres(a, b, digit=30)
residua.solve_batch(a, b, precision="nosuch")
residua.spsolve(a, b)
"""
RIGHT = """
import residua
import numpy as np

a, b = np.eye(2), np.ones(2)
residua.solve(a, b, 30, method="gmres_ir", M=None, precision="quad", threads=2)
residua.factor(a, 30, method="refine", M="jacobi", factors="single", rtol="1e-400").solve(b).x
x, info = residua.gmres(a, b, restart=20, precision=113, digits=20)
residua.factor(a).lu("dd").L[0, 0]
residua.solve(a, b).plot()
"""


def test_wrong_words_are_found_by_type_checkers(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "right.py").write_text(RIGHT)
    run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "wrong.py", "right.py"],
                         capture_output=True, text=True, cwd=tmp_path)
    lines = [line.split(":") for line in run.stdout.splitlines()]
    found = {int(line[1]) for line in lines if line[0] == "wrong.py" and line[2] == " error"}
    assert found == set(range(6, 18)) and "right.py" not in run.stdout, run.stdout


def test_literal_types_are_the_words_of_the_library():
    import typing

    from residua import _core, _solve

    def words(of):
        return {name.replace("_", "-") for name in typing.get_args(of) if isinstance(name, str)}

    assert words(_solve.Method) == set(_core.methods) and words(_solve.Format) == set(_core.formats)
    assert words(_solve.Preconditioner) == set(_core.preconditioners)
    assert words(_solve.Executor) == set(_core.executors)
    precisions = [name for each in typing.get_args(_solve.Precision) for name in typing.get_args(each)]
    factors = [name for each in typing.get_args(_solve.Factors) for name in typing.get_args(each)]
    ours = {"auto", "quad"}  # None, and a name of Python's
    assert set(precisions) ^ set(_core.precisions) == ours and set(factors) ^ set(_core.factors) == ours


def test_signatures_have_all_options():
    import inspect
    import typing

    from residua import _solve

    solve, factor = (inspect.signature(each).parameters for each in (residua.solve, residua.Factor))
    assert list(solve)[:3] == ["A", "b", "digits"] and list(solve)[2:] == list(_solve._OPTIONS)
    assert list(factor)[1:] == [name for name in _solve._OPTIONS if name != "callback"]
    for name, each in list(solve.items())[3:]:
        assert each.kind is each.KEYWORD_ONLY and each.default == _solve._OPTIONS[name].default
        assert f"\n    {name}" in residua.solve.__doc__ or f", {name}\n" in residua.solve.__doc__, name
    assert solve["method"].annotation == "Method" and solve["method"].default == "auto"
    assert set(typing.get_type_hints(_solve.SolveOptions)) | {"digits"} == set(_solve._OPTIONS)


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
