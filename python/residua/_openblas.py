"""The kernels of OpenBLAS, which it chooses when it is loaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLE = "OPENBLAS_CORETYPE"
_AVX2 = {"avx2", "fma"}
_AVX512 = {"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"}


def core_of(flags: set[str]) -> str | None:
    """The newest kernels for a processor with these instructions; None: OpenBLAS knows best."""
    if not _AVX2 <= flags:
        return None
    return "SkylakeX" if _AVX512 <= flags else "Haswell"


def _flags() -> set[str]:
    """The processor's instructions by Linux's names, on x86-64."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
            return next((set(line.split()) for line in lines if line.startswith("flags")), set())
    except OSError:
        return set()


@contextmanager
def kernels_of_this_processor() -> Iterator[None]:
    """A processor that OpenBLAS does not know gets the kernels for an old one, which take three times as long. So the variable
    that chooses them is set while the library is loaded, unless the user has set it. Afterwards it is gone: other
    libraries and child processes do not see it.
    """
    core = None if _VARIABLE in os.environ else core_of(_flags())
    if core is not None:
        os.environ[_VARIABLE] = core
    try:
        yield
    finally:
        if core is not None:
            del os.environ[_VARIABLE]
