"""Preconditioners of the caller's beside a stored matrix: functions of float64 arrays for the core."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from . import _core
from ._errors import DimensionError, InputTypeError

Doubles = np.ndarray[Any, np.dtype[np.float64]]


class Functions(NamedTuple):
    """r -> M r, and r -> M' r where it is known."""

    m: Callable[[Doubles], Doubles]
    m_t: Callable[[Doubles], Doubles] | None


def functions_of(M: Any, size: int) -> Functions | None:
    """The functions of an M that is neither a name nor None."""
    if M is None or isinstance(M, str):
        return None
    shape = getattr(M, "shape", None)
    if shape is not None and tuple(shape) != (size, size):
        raise DimensionError(f"M: an operator of shape {tuple(shape)} does not fit A of {size} x {size}")
    by, transposed, how = _products(M, size)
    return Functions(_checked(by, size, f"M{how}(r)"), transposed and _checked(transposed, size, f"M'{how}(r)"))


def _products(M: Any, size: int) -> tuple[Callable[[Any], Any], Callable[[Any], Any] | None, str]:
    if callable(getattr(M, "matvec", None)):
        return M.matvec, M.rmatvec if _has_rmatvec(M, size) else None, ".matvec"
    if callable(getattr(M, "solve", None)):  # scipy's SuperLU says by a letter which system it solves
        return M.solve, (lambda r: M.solve(r, "T")) if type(M).__name__ == "SuperLU" else None, ".solve"
    if callable(M):
        return M, None, ""
    if hasattr(M, "__matmul__"):
        return lambda r: M @ r, (lambda r: M.T @ r) if hasattr(M, "T") else None, " @ "
    raise InputTypeError(
        f"M: {type(M).__name__} is neither the name of a preconditioner, which are {', '.join(_core.preconditioners)}, nor "
        "an object with matvec, solve or @, nor a function"
    )


def _has_rmatvec(M: Any, size: int) -> bool:
    """Whether there are products with M'. A LinearOperator has a method in any case, which may not be implemented."""
    try:
        M.rmatvec(np.zeros(size))
    except (AttributeError, NotImplementedError):
        return False
    return True


def _checked(by: Callable[[Any], Any], size: int, where: str) -> Callable[[Doubles], Doubles]:
    def call(r: Doubles) -> Doubles:
        made = np.asarray(by(r))
        if made.dtype.kind not in "fiu":
            raise InputTypeError(f"{where} gave numbers of {made.dtype}; beside a matrix M computes in float64")
        if made.size != size:
            raise DimensionError(f"{where} has the shape {made.shape}, and not ({size},)")
        return np.ascontiguousarray(made.reshape(size), dtype=np.float64)

    return call
