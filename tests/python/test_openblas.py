"""The kernels of OpenBLAS that importing residua chooses."""

import os
import subprocess
import sys

import pytest

import residua
from residua._openblas import core_of

OLD = {"Prescott", "Nehalem", "Sandybridge", "Barcelona", "Core2", "Penryn"}
AVX2 = {"avx2", "fma"}
AVX512 = {"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"}


def after_import(core):
    """OPENBLAS_CORETYPE and the kernels at work in a program of its own, which began with that in its environment."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    if core is not None:
        environment["OPENBLAS_CORETYPE"] = core
    program = "import os, residua; print(os.environ.get('OPENBLAS_CORETYPE'), residua.blas['core'])"
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_the_newest_kernels_are_those_that_the_processor_has_the_instructions_of():
    assert core_of({"sse2", "avx"}) is None
    assert core_of({"avx2"}) is None
    assert core_of(AVX2) == "Haswell"
    assert core_of(AVX2 | {"avx512f"}) == "Haswell"
    assert core_of(AVX2 | AVX512) == "SkylakeX"


def test_the_environment_is_as_it_was_and_the_kernels_are_no_old_ones():
    if residua.blas["name"] != "OpenBLAS" or core_of(flags()) is None:
        pytest.skip("no OpenBLAS, or no AVX2")
    variable, core = after_import(None)
    assert variable == "None"
    assert core not in OLD


def test_the_users_choice_stays():
    if residua.blas["name"] != "OpenBLAS" or "sse2" not in flags():
        pytest.skip("no OpenBLAS, or no x86-64")
    assert after_import("Prescott") == ["Prescott", "Prescott"]


def flags():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        return next((set(line.split()) for line in lines if line.startswith("flags")), set())
