"""Options of a solve: each is looked at, and what makes no sense is an exception."""

from __future__ import annotations

import numbers
import os
from typing import Any, Callable, Literal, TypedDict

import numpy as np

from . import _core
from ._convert import refuse_operator, to_numbers, to_real
from ._errors import DimensionError, InputError, InputTypeError
from ._result import Step

Callback = Callable[[Step], Any]
Path = str | os.PathLike[str]
Method = Literal["auto", "refine", "direct", "gmres-ir", "gmres_ir", "cg", "minres", "bicg", "bicgstab", "bicgstabl",
                 "tfqmr", "idr", "gmres", "lsqr"]
"""Names of methods."""
Preconditioner = Literal["auto", "none", "jacobi", "block-jacobi", "block_jacobi", "ssor", "ilu0", "iluk", "ilut",
                         "ic0", "chebyshev", "lu", "cholesky", "ldl"]
"""Names of preconditioners."""
Format = Literal["auto", "native", "expansion", "multidigit", "rns"]
"""Names of formats of numbers."""
Executor = Literal["auto", "host", "cuda"]
"""Where to compute."""
Precision = int | Literal["double", "dd", "quad", "td", "qd"]
"""Bits, or a name for them."""
Factors = Precision | Literal["half", "single"]
"""Bits of factors, or a name for them."""

_PRECISIONS = {"double": 53, "dd": 106, "quad": 113, "td": 159, "qd": 212}
_FACTORS = {"half": 11, "single": 24, **_PRECISIONS}
_MOST_THREADS = 4096


class CommonOptions(TypedDict, total=False):
    """Options of `residua.solve` that neither `residua.factor` nor the Krylov methods name."""

    precision: Precision | None
    format: Format
    factors: Factors | None
    fill: int | None
    time_limit: float | None
    estimate: bool
    executor: Executor
    threads: int | None
    input_bits: int | None
    checkpoint: Path | None
    resume: Path | None
    every: float | None


class KrylovOptions(CommonOptions, total=False):
    """Further options of `residua.cg` and the like, as of `residua.solve`."""

    digits: int | None


class FactorOptions(CommonOptions, total=False):
    """Further options of `residua.factor`, as of `residua.solve`."""

    method: Method
    M: Preconditioner | None
    rtol: Any
    atol: Any
    maxiter: int | None
    restart: int | None
    x0: Any


def integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """An int in a range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(f"{name}: {value!r} is not an int")
    if value < least or (most is not None and value > most):
        upper = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name}: {value} is not {upper}")
    return int(value)


def word(name: str, value: Any, words: list[str]) -> str:
    """One of these words, whose hyphens may be underscores."""
    if not isinstance(value, str):
        raise InputTypeError(f"{name}: {value!r} is not a str; it is one of {', '.join(words)}")
    found = value.replace("_", "-")
    if found not in words:
        raise InputError(f"{name}: {value!r} is none of {', '.join(words)}")
    return found


def bits_of(name: str, value: Any, names: dict[str, int]) -> int:
    """Bits, as a number or by a name; 0 for None."""
    if value is None:
        return 0
    if isinstance(value, str):
        return names[word(name, value, list(names))]
    return integer(name, value, 1, _core.longest_precision)


def precision_bits(value: Any) -> int:
    """Bits of the arithmetic of a method; 0 for None."""
    return bits_of("precision", value, _PRECISIONS)


def thread_count(value: Any) -> int:
    """How many threads; 0 for None."""
    return 0 if value is None else integer("threads", value, 1, _MOST_THREADS)


def tolerance(name: str, value: Any) -> _core.Real | None:
    """A number of at least 0, of any size."""
    if value is None:
        return None
    taken = to_real(value, 256, name)
    if not taken.is_finite() or taken.sign() < 0:
        raise InputError(f"{name}: {value} is not a number of at least 0")
    return taken


def seconds(name: str, value: Any) -> float:
    """A time above zero; 0 for None."""
    if value is None:
        return 0.0
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.floating)):
        raise InputTypeError(f"{name}: {value!r} is not a number of seconds")
    if not 0.0 < float(value) < np.inf:
        raise InputError(f"{name}: {value} is not a time above zero")
    return float(value)


def file_name(name: str, value: Any) -> str:
    """The name of a file; "" for None."""
    if value is None:
        return ""
    if not isinstance(value, (str, os.PathLike)) or isinstance(os.fspath(value), bytes):
        raise InputTypeError(f"{name}: {value!r} is not the name of a file")
    if not os.fspath(value):
        raise InputError(f"{name}: the name of a file is empty")
    return os.fspath(value)


def checkpoint_options(checkpoint: Any, resume: Any, every: Any) -> dict[str, Any]:
    """Where a solve leaves its state, whether it goes on from the state that is there, and the seconds between two of them."""
    if checkpoint is not None and resume is not None:
        raise InputError("resume: later states go into the same file, so no checkpoint is given beside it")
    if checkpoint is None and resume is None and every is not None:
        raise InputError("every: there is neither a checkpoint nor a resume")
    return {
        "checkpoint": file_name("checkpoint", checkpoint) or file_name("resume", resume),
        "resume": resume is not None,
        "every": 60.0 if every is None else seconds("every", every),
    }


def preconditioner(value: Any) -> str:
    """The name of a preconditioner."""
    refuse_operator(value, "M")
    if not isinstance(value, str) and value is not None:
        raise InputTypeError(
            f"M: {type(value).__name__} is not the name of a preconditioner; "
            f"these are {', '.join(_core.preconditioners)}, and residua makes them itself"
        )
    return "none" if value is None else word("M", value, _core.preconditioners)


def watched(callback: Any) -> Callable[[tuple[Any, ...]], None] | None:
    """What the core calls after each step; None: nothing."""
    if callback is None:
        return None
    if not callable(callback):
        raise InputTypeError(f"callback: {type(callback).__name__} cannot be called")

    def tell(entry: tuple[Any, ...]) -> None:
        callback(Step(entry))

    return tell


def right_hand_sides(b: Any, rows: int, name: str = "b") -> tuple[list[_core.Reals], bool]:
    """The columns of b, and whether b has columns."""
    taken = to_numbers(b, name)
    if taken.shape[0] != rows:
        raise DimensionError(f"{name} has {taken.shape[0]} rows, and A needs {rows}")
    if taken.ndim == 1:
        return [taken._reals], False
    if taken.shape[1] == 0:
        raise DimensionError(f"{name} has no columns")
    return [taken[:, j]._reals for j in range(taken.shape[1])], True


def looked_at(digits: Any, *, method: Any, M: Any, precision: Any, format: Any, factors: Any, rtol: Any, atol: Any,
              maxiter: Any, restart: Any, fill: Any, time_limit: Any, estimate: Any, executor: Any,
              threads: Any) -> dict[str, Any]:
    """The options of `_core.make_solver`."""
    if not isinstance(estimate, (bool, np.bool_)):
        raise InputTypeError(f"estimate: {estimate!r} is not a bool")
    return {
        "method": word("method", method, _core.methods),
        "preconditioner": preconditioner(M),
        "format": word("format", format, _core.formats),
        "precision": precision_bits(precision),
        "factors": bits_of("factors", factors, _FACTORS),
        "digits": 0 if digits is None else integer("digits", digits, 1, _core.most_digits),
        "rtol": tolerance("rtol", rtol),
        "atol": tolerance("atol", atol),
        "maxiter": 0 if maxiter is None else integer("maxiter", maxiter, 1),
        "restart": _core.default_restart if restart is None else integer("restart", restart, 1),
        "fill": None if fill is None else integer("fill", fill, 0),
        "time_limit": seconds("time_limit", time_limit),
        "estimate": bool(estimate),
        "executor": word("executor", executor, _core.executors),
        "threads": thread_count(threads),
    }
