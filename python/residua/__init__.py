"""residua solves linear systems A x = b that double precision cannot solve, real and complex, and says how well it did.

>>> import residua
>>> result = residua.solve([["1.0", "0.1"], ["0.1", "1.0"]], ["1.1", "1.1"], digits=30)
>>> result.status
'converged'
>>> print(result.x[0].to_string(30))
1.00000000000000000000000000000e+00
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._openblas import kernels_of_this_processor

with kernels_of_this_processor():
    from . import _core

from ._answers import LU, Determinant, Inertia, InverseEntry, LogDeterminant, NullSpace, Plan, Rank
from ._batch import BatchResult, solve_batch
from ._compare import Comparison, compare
from ._complex_number import ComplexNumber
from ._complex_numbers import ComplexNumbers
from ._errors import (BusyError, DimensionError, Error, InputError, InputTypeError, ResourceError, UnsupportedError)
from ._factor import Factor, factor
from ._files import Matrix, read, write
from ._krylov import bicgstab, cg, gmres, idr, lsqr, minres
from ._number import Number
from ._numbers import Numbers, array
from ._result import Report, Result, Step
from ._scipy_names import way_to
from ._solve import solve

__version__: str = _core.version

methods: list[str] = _core.methods
"""The names of methods."""
preconditioners: list[str] = _core.preconditioners
"""The names of preconditioners."""
formats: list[str] = _core.formats
"""The names of formats of numbers."""

blas: dict[str, str] = _core.blas()
"""The library of BLAS and LAPACK: its name, version, the processor whose kernels run (core), and a newer one that suits this
processor (suggested_core). What is unknown is empty."""

__all__ = [
    "LU", "BatchResult", "BusyError", "Comparison", "ComplexNumber", "ComplexNumbers", "Determinant", "DimensionError", "Error", "Factor", "Inertia",
    "InputError", "InputTypeError", "InverseEntry", "LogDeterminant", "Matrix", "NullSpace", "Number", "Numbers", "Plan", "Rank",
    "Report", "ResourceError", "Result", "Step", "UnsupportedError", "array", "bicgstab", "blas", "cg", "compare", "factor", "formats", "gmres",
    "idr", "lsqr", "methods", "minres", "preconditioners", "read", "solve", "solve_batch", "write",
]

if not TYPE_CHECKING:  # names that are not there stay errors for type checkers

    def __getattr__(name: str) -> Any:
        raise AttributeError(way_to(name), name=name)
