"""Operators of which only products with vectors are known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from . import _core
from ._complex_input import form_of, to_any_numbers
from ._complex_numbers import ComplexNumbers
from ._convert import is_sparse
from ._errors import DimensionError, InputError, InputTypeError, UnsupportedError
from ._numbers import Numbers
from ._options import guess_of, number_text, right_hand_sides
from ._result import Result
from ._solve import as_texts, changed
from ._take import to_real

_CAVEAT = ("This is the residual by A's own products, {noise}. How many digits of x are right is not known: that takes the "
           "entries of A.")
_BINARY64 = "which are in binary64, so that no residual below 1e-16 norm(A) norm(x) is known"
_LONG = "with vectors of {bits} bits"
_TAKEN = frozenset("method M precision rtol atol maxiter restart x0 time_limit estimate threads".split())
_ALSO_TAKEN = {"format": "multidigit", "executor": "host"}  # what a solve with an operator does anyway


def _missing(x: Any) -> Any:
    raise NotImplementedError


def is_operator(a: Any) -> bool:
    """Whether it has products and no entries: a LinearOperator of scipy's, or anything else with a matvec and a shape."""
    return hasattr(a, "matvec") and not is_sparse(a) and not isinstance(a, np.ndarray)


class Operator:
    """An operator of the caller's that takes and gives Reals.

    It gets arrays of `Number`, or arrays of float64 where its dtype is one of numpy's floats or integers; in a complex system
    arrays of `ComplexNumber` or of complex128, but one whose dtype is real the real and the imaginary parts one after the other.
    """

    def __init__(self, given: Any, name: str, as_complex: bool) -> None:
        self._given = given
        self._complex = as_complex
        self.name = name
        shape: Any = getattr(given, "shape", None)
        try:
            rows, cols = shape
            self.shape = (int(rows), int(cols))
        except (TypeError, ValueError):
            raise DimensionError(f"{name}: an operator of the shape {shape!r}, which is not that of a matrix") from None
        if min(self.shape) < 1:
            raise DimensionError(f"{name}: an operator of {self.shape[0]} x {self.shape[1]} has nothing to solve")
        if not callable(given.matvec):
            raise InputTypeError(f"{name}: its matvec cannot be called")
        self._kind = _kind_of(given)
        if self._kind not in "Ofiuc":
            raise InputTypeError(f"{name}: an operator of {given.dtype} numbers, which are neither real nor complex ones")
        self.in_binary64 = self._kind != "O"

    def product(self, x: _core.Reals) -> _core.Reals:
        """A x, of a complex system in real form."""
        return self._by("matvec", x, self.shape[0])

    def transposed_product(self, x: _core.Reals) -> _core.Reals:
        """A' x, conjugated in a complex system."""
        return self._by("rmatvec", x, self.shape[1])

    def _by(self, how: str, x: _core.Reals, size: int) -> _core.Reals:
        numbers = Numbers._of(x)
        if not self._complex:
            made = self._numbers(how, numbers.to_float() if self.in_binary64 else numbers.astype(object), numbers, size)
            if isinstance(made, ComplexNumbers):
                raise InputTypeError(f"{self.name}.{how}(x): complex numbers came back for real ones; a complex operator has a "
                                     "complex dtype, or dtype=object and a complex b")
            return made._reals
        z = ComplexNumbers._of_form(numbers)
        if self._kind in "fiu":  # a real one, that need not know complex numbers
            first, second = (self._numbers(how, part.to_float(), part, size) for part in (z.real, z.imag))
            return form_of(ComplexNumbers._of(first, second))._reals  # type: ignore[arg-type]
        return form_of(self._numbers(how, z.to_complex() if self.in_binary64 else z.astype(object), numbers, size))._reals

    def _numbers(self, how: str, given: Any, x: Numbers, size: int) -> Numbers | ComplexNumbers:
        where = f"{self.name}.{how}(x)"
        try:
            made = getattr(self._given, how, _missing)(given)
        except NotImplementedError as e:
            raise UnsupportedError(f"{self.name}: the method needs its {how}, and it has none") from e
        except (TypeError, ValueError) as e:
            if self.in_binary64 or "no supported conversion for types" not in str(e):
                raise
            raise InputTypeError(f"{where}: scipy.sparse has no products with numbers of {x.precision} bits; "
                                 "residua.Matrix(K) @ x has, where K is its matrix") from e
        floats = "fc" if self._complex else "f"
        if not self.in_binary64 and not isinstance(made, (Numbers, ComplexNumbers)) and np.asarray(made).dtype.kind in floats:
            raise InputTypeError(
                f"{where}: floats came back for numbers of {x.precision} bits; compute with the elements of x, or "
                f"give the operator dtype={'complex' if self._complex else 'float'}, which has the digits of binary64"
            )
        taken = to_any_numbers(made, where)
        if taken.shape not in ((size,), (size, 1)):
            raise DimensionError(f"{where} has the shape {taken.shape}, and not ({size},)")
        return taken.ravel()


def _kind_of(given: Any) -> str:
    return "O" if getattr(given, "dtype", None) is None else np.dtype(given.dtype).kind


def _refuse(options: dict[str, Any]) -> None:
    """What needs entries."""
    if "checkpoint" in options or "resume" in options:
        raise UnsupportedError("checkpoint: a solve with an operator leaves no state")
    for name, value in options.items():
        if name not in _TAKEN and _ALSO_TAKEN.get(name) != value:
            raise UnsupportedError(f"{name}={value!r} needs the entries of A, and an operator has none")


def _bits(a: Operator, asked: int) -> int:
    if a.in_binary64:
        if asked not in (0, 53):
            raise UnsupportedError(
                f"precision: A computes in binary64, as its dtype says, and not in {asked} bits; give it dtype=object, and "
                f"its matvec gets arrays of residua.Number"
            )
        return 53
    return max(asked, 64) if asked else 106


def solve_by_products(A: Any, b: Any, options: dict[str, Any], callback: Any) -> Result:
    """Solves with an operator A, by a method that is named."""
    M = options.get("M")
    asked = changed({**options, "M": "auto"} if is_operator(M) else options)
    texts = dict(as_texts(asked))
    _refuse(asked)
    b, x0 = to_any_numbers(b, "b"), options.get("x0")
    x0 = None if x0 is None else to_any_numbers(x0, "x0")
    as_complex = (_kind_of(A) == "c" or (is_operator(M) and _kind_of(M) == "c") or isinstance(b, ComplexNumbers) or
                  isinstance(x0, ComplexNumbers))
    a = Operator(A, "A", as_complex)
    m = _preconditioner(M, a, as_complex)
    bits = _bits(a, _core.precision_bits(texts.get("precision", "auto")))
    texts["precision"] = str(bits)
    if "rtol" not in texts:
        texts["rtol"] = number_text("rtol", 1e-10 if a.in_binary64 else Fraction(1, 2 ** (9 * bits // 10)))
    elif a.in_binary64 and to_real(texts["rtol"], 256, "rtol").to_float() < 2.0**-52:
        raise InputError(f"rtol: {options['rtol']} is below 2^-52, and products in binary64 cannot show that")
    columns, several = right_hand_sides(b, a.shape[0], "b", as_complex)
    guess = guess_of(x0, a.shape[1], as_complex)
    parts = 2 if as_complex else 1
    caveat = _CAVEAT.format(noise=_BINARY64 if a.in_binary64 else _LONG.format(bits=2 * bits + 8))
    outcomes = [
        _core.solve_operator(
            a.product, a.transposed_product, None if m is None else m.product,
            None if m is None else m.transposed_product, parts * a.shape[0], parts * a.shape[1], as_complex, list(texts.items()), a.in_binary64,
            m is not None and m.in_binary64, column, guess, caveat, callback,
        )
        for column in columns
    ]
    return Result(outcomes, several, as_complex)


def _preconditioner(M: Any, a: Operator, as_complex: bool) -> Operator | None:
    if not is_operator(M):
        return None
    m = Operator(M, "M", as_complex)
    if m.shape != a.shape:
        raise DimensionError(f"M: an operator of {m.shape[0]} x {m.shape[1]} does not fit A of {a.shape[0]} x {a.shape[1]}")
    return m
