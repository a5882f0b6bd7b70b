"""Values of arguments: each is looked at, and what is of another type is an exception."""

from __future__ import annotations

import math
import numbers
import os
from typing import Any, Callable

import numpy as np

from . import _core
from ._complex_input import form_of, to_any_numbers
from ._convert import refuse_operator, to_numbers
from ._errors import DimensionError, InputError, InputTypeError
from ._numbers import Numbers
from ._result import Step
from ._take import to_real


def integer(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """An int in a range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(f"{name}: {value!r} is not an int")
    if (least is not None and value < least) or (most is not None and value > most):
        upper = f"at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name}: {value} is not {upper}")
    return int(value)


def integer_text(name: str, value: Any) -> str:
    """An int."""
    return str(integer(name, value))


def word_text(name: str, value: Any) -> str:
    """A word, whose hyphens may be underscores."""
    if not isinstance(value, str):
        raise InputTypeError(f"{name}: {value!r} is not a str")
    return value.replace("_", "-")


def bits_text(name: str, value: Any) -> str:
    """Bits, as a number or by a name."""
    if isinstance(value, str):
        return "113" if value == "quad" else word_text(name, value)
    return integer_text(name, value)


def number_text(name: str, value: Any) -> str:
    """A number of any type and size, to 256 bits."""
    digits = 80  # as many as give 256 bits back
    return value.strip() if isinstance(value, str) else to_real(value, 256, name).to_text(digits)


def long_number_text(name: str, value: Any) -> str:
    """A number of any type and size, to as many bits as decimals have."""
    digits = math.ceil(_core.decimal_bits * math.log10(2)) + 2
    return value.strip() if isinstance(value, str) else to_real(value, _core.decimal_bits, name).to_text(digits)


def seconds_text(name: str, value: Any) -> str:
    """A number of seconds."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.floating)):
        raise InputTypeError(f"{name}: {value!r} is not a number of seconds")
    return repr(float(value))


def file_text(name: str, value: Any) -> str:
    """The name of a file."""
    if not isinstance(value, (str, os.PathLike)) or isinstance(os.fspath(value), bytes):
        raise InputTypeError(f"{name}: {value!r} is not the name of a file")
    return os.fspath(value)


def preconditioner_text(name: str, value: Any) -> str:
    """The name of a preconditioner; None stands for none."""
    refuse_operator(value, name)
    if value is not None and not isinstance(value, str):
        raise InputTypeError(
            f"{name}: {type(value).__name__} is not the name of a preconditioner; "
            f"these are {', '.join(_core.preconditioners)}, and residua makes them itself"
        )
    if value is not None and value.startswith("petsc:"):  # whose options have underscores
        return value
    return "none" if value is None else word_text(name, value)


def watched(callback: Any) -> Callable[[tuple[Any, ...]], None] | None:
    """What the core calls after each step; None: nothing."""
    if callback is None:
        return None
    if not callable(callback):
        raise InputTypeError(f"callback: {type(callback).__name__} cannot be called")

    def tell(entry: tuple[Any, ...]) -> None:
        callback(Step(entry))

    return tell


def right_hand_sides(b: Any, rows: int, name: str = "b", as_complex: bool = False) -> tuple[list[_core.Reals], bool]:
    """The columns of b, in real form for a complex A, and whether b has columns."""
    given = to_any_numbers(b, name) if as_complex else to_numbers(b, name)
    if len(given) != rows:
        raise DimensionError(f"{name} has {len(given)} rows, and A needs {rows}")
    taken = given if isinstance(given, Numbers) and not as_complex else form_of(given)
    if taken.ndim == 1:
        return [taken._reals], False
    if taken.shape[1] == 0:
        raise DimensionError(f"{name} has no columns")
    return [taken[:, j]._reals for j in range(taken.shape[1])], True


def null_space_of(given: Any, size: int, as_complex: bool) -> list[_core.Reals]:
    """The vectors that A takes to zero; none for None."""
    if given is None:
        return []
    return right_hand_sides(np.ones(size) if isinstance(given, str) and given == "ones" else given, size, "null_space",
                            as_complex)[0]


def near_null_space_of(given: Any, size: int) -> list[_core.Reals]:
    """The vectors that A takes almost to zero; none for None."""
    return [] if given is None else right_hand_sides(given, size, "near_null_space")[0]


def coordinates_of(given: Any, block_size: Any, size: int) -> list[_core.Reals]:
    """The coordinates of nodes, a vector for each direction; none for None."""
    if given is None:
        return []
    if block_size is None:
        raise InputError("coordinates: block_size says how many unknowns a node has, 2 or 3, and is not given")
    directions = integer("block_size", block_size, 1)
    columns, _ = right_hand_sides(given, size // directions, "coordinates")
    if len(columns) != directions:
        raise DimensionError(f"coordinates has {len(columns)} columns, and block_size is {directions}")
    return columns


def weights_of(given: Any, rows: int, as_complex: bool) -> _core.Reals | None:
    """A weight for each row, of a complex A for each part of it; None for none."""
    if given is None:
        return None
    columns, several = right_hand_sides(given, rows, "weights")
    if several:
        raise DimensionError("weights has columns; one vector is needed")
    return columns[0].gathered(np.repeat(np.arange(rows, dtype=np.int64), 2)) if as_complex else columns[0]


def guess_of(x0: Any, size: int, as_complex: bool) -> _core.Reals | None:
    """The initial guess; None for none."""
    if x0 is None:
        return None
    columns, _ = right_hand_sides(x0, size, "x0", as_complex)
    if len(columns) > 1:
        raise DimensionError("x0 has several columns; one vector is needed")
    return columns[0]
