"""Preconditioners of the caller's beside a stored matrix: functions of float64 arrays for the core.

Beside a complex matrix they get and give complex128 arrays, whose parts lie in memory as the core has them.
"""

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


def functions_of(M: Any, size: int, as_complex: bool) -> Functions | None:
    """The functions of an M that is neither a name nor None."""
    if M is None or isinstance(M, str):
        return None
    shape = getattr(M, "shape", None)
    if shape is not None and tuple(shape) != (size, size):
        raise DimensionError(f"M: an operator of shape {tuple(shape)} does not fit A of {size} x {size}")
    by, transposed, how = _products(M, size, as_complex)
    if as_complex and how != " @ " and _is_real(M):
        by, transposed = _by_parts(by), transposed and _by_parts(transposed)
    return Functions(_checked(by, size, f"M{how}(r)", as_complex),
                     transposed and _checked(transposed, size, f"M'{how}(r)", as_complex))


def _products(M: Any, size: int, as_complex: bool) -> tuple[Callable[[Any], Any], Callable[[Any], Any] | None, str]:
    if callable(getattr(M, "matvec", None)):
        return M.matvec, M.rmatvec if _has_rmatvec(M, size) else None, ".matvec"
    if callable(getattr(M, "solve", None)):  # scipy's SuperLU says by a letter which system it solves
        return M.solve, (lambda r: M.solve(r, "H" if as_complex else "T")) if type(M).__name__ == "SuperLU" else None, ".solve"
    if callable(M):
        return M, None, ""
    if hasattr(M, "__matmul__"):
        return lambda r: M @ r, (lambda r: _adjoint(M, r)) if hasattr(M, "T") else None, " @ "
    raise InputTypeError(
        f"M: {type(M).__name__} is neither the name of a preconditioner, which are {', '.join(_core.preconditioners)}, nor "
        "an object with matvec, solve or @, nor a function"
    )


def _is_real(M: Any) -> bool:
    """Whether M says that it computes with real numbers."""
    dtype = M.L.dtype if type(M).__name__ == "SuperLU" else getattr(M, "dtype", None)
    return dtype is not None and np.dtype(dtype).kind in "fiu"


def _by_parts(by: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda r: np.asarray(by(r.real.copy())) + 1j * np.asarray(by(r.imag.copy()))


def _adjoint(M: Any, r: Any) -> Any:
    return M.T @ r if np.isrealobj(r) else (M.T @ r.conj()).conj()


def _has_rmatvec(M: Any, size: int) -> bool:
    """Whether there are products with M'. A LinearOperator has a method in any case, which may not be implemented."""
    try:
        M.rmatvec(np.zeros(size))
    except (AttributeError, NotImplementedError):
        return False
    return True


def _checked(by: Callable[[Any], Any], size: int, where: str, as_complex: bool) -> Callable[[Doubles], Doubles]:
    kinds, taken = ("fiuc", np.complex128) if as_complex else ("fiu", np.float64)

    def call(r: Doubles) -> Doubles:
        made = np.asarray(by(r.view(taken)))
        if made.dtype.kind not in kinds:
            raise InputTypeError(f"{where} gave numbers of {made.dtype}; beside a matrix M computes in {np.dtype(taken)}")
        if made.size != size:
            raise DimensionError(f"{where} has the shape {made.shape}, and not ({size},)")
        return np.ascontiguousarray(made.reshape(size), dtype=taken).view(np.float64)

    return call
