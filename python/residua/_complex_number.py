"""One complex number of any precision: a pair of real ones."""

from __future__ import annotations

import numbers
from typing import Any, Callable

import numpy as np

from . import _core
from ._errors import InputError, InputTypeError
from ._number import Number, joint_bits, operand

_GUARD_BITS = 64  # of what is rounded twice
Pair = tuple[_core.Reals, _core.Reals]


def _exact_products(x: _core.Reals, y: _core.Reals) -> _core.Reals:
    return _core.combine_all("multiply", x, y, x.most_precision() + y.most_precision())


def _multiplied(x: Pair, y: Pair, bits: int) -> Pair:
    """Products, each part the exact one, rounded once."""
    (a, b), (c, d) = x, y
    return (_core.combine_all("subtract", _exact_products(a, c), _exact_products(b, d), bits),
            _core.combine_all("add", _exact_products(a, d), _exact_products(b, c), bits))


def _divided(x: Pair, y: Pair, bits: int) -> Pair:
    """Quotients, each part with an error of less than one unit of its last bit."""
    c, d = y
    size = _core.combine_all("add", _exact_products(c, c), _exact_products(d, d), bits + _GUARD_BITS)
    if any(size.at(i).sign() == 0 for i in range(len(size))):
        raise ZeroDivisionError("divide: division by zero")
    above = _multiplied(x, (c, _core.evaluate_all("negative", d, d.most_precision())), bits + _GUARD_BITS)
    first, second = (_core.combine_all("divide", part, size, bits) for part in above)
    return first, second


def _by_parts(name: str) -> Callable[[Pair, Pair, int], Pair]:
    return lambda x, y, bits: (_core.combine_all(name, x[0], y[0], bits), _core.combine_all(name, x[1], y[1], bits))


_OPERATIONS: dict[str, Callable[[Pair, Pair, int], Pair]] = {
    "add": _by_parts("add"), "subtract": _by_parts("subtract"), "multiply": _multiplied, "divide": _divided}


def operated(name: str, x: Pair, y: Pair, bits: int) -> Pair:
    made = _OPERATIONS[name](x, y, bits)
    if not all(part.are_finite() for part in made):
        raise InputError(f"{name}: a result is no number, or one beyond 2^(+-2^30)")
    return made


def _pair_of(x: Any) -> tuple[_core.Real, _core.Real] | None:
    """The parts of a single number; None if it is of a type that does not mix with complex numbers."""
    if isinstance(x, ComplexNumber):
        return x._real._real, x._imag._real
    if is_complex_number(x):
        first, second = operand(x.real), operand(x.imag)
        return None if first is None or second is None else (first, second)
    real = operand(x)
    return None if real is None else (real, _core.Real.of_float(0.0))


def is_complex_number(x: Any) -> bool:
    """Whether it is a number with two parts: of Python's, numpy's, mpmath's, gmpy2's, python-flint's, or a ComplexNumber."""
    return isinstance(x, (complex, np.complexfloating, ComplexNumber)) or type(x).__name__ in ("mpc", "acb")


def _operation(name: str, swapped: bool = False) -> Callable[[ComplexNumber, object], Any]:
    def operation(self: ComplexNumber, other: object) -> Any:
        pair = _pair_of(other)
        if pair is None:
            return NotImplemented
        single = _core.Reals.of_list
        x = (single([self._real._real]), single([self._imag._real]))
        y = (single([pair[0]]), single([pair[1]]))
        bits = joint_bits(self.precision, max(part.precision for part in pair))
        first, second = operated(name, *((y, x) if swapped else (x, y)), bits)
        return ComplexNumber._of(Number._of(first.at(0)), Number._of(second.at(0)))

    return operation


class ComplexNumber:
    """A complex number of any precision, which does not change: two `Number`, `real` and `imag`.

    Each part of a sum, a difference or a product is the exact one, rounded once to the greater precision of the operands; parts
    of a quotient have an error of less than one unit of their last bit. ``complex(z)`` has the nearest floats.

    Parameters
    ----------
    real, imag
        The parts: any numbers that `Number` takes. A complex number of any type is given alone.
    bits
        The precision of both, as `Number` has it.

    Examples
    --------
    >>> from residua import ComplexNumber
    >>> z = ComplexNumber("0.1", 2, bits=106)
    >>> complex(z * z)
    (-3.99+0.4j)
    >>> z.imag == 2
    True
    """

    __slots__ = ("_real", "_imag")
    _real: Number
    _imag: Number

    def __init__(self, real: Any = 0, imag: Any = 0, bits: int | None = None) -> None:
        if is_complex_number(real):
            if isinstance(imag, (bool, str)) or imag != 0:
                raise InputTypeError("imag: beside a complex number there is no other imaginary part")
            real, imag = real.real, real.imag
        self._real, self._imag = Number(real, bits), Number(imag, bits)

    @classmethod
    def _of(cls, real: Number, imag: Number) -> ComplexNumber:
        made = object.__new__(cls)
        made._real, made._imag = real, imag
        return made

    @property
    def real(self) -> Number:
        """The real part."""
        return self._real

    @property
    def imag(self) -> Number:
        """The imaginary part."""
        return self._imag

    @property
    def precision(self) -> int:
        """Bits of the longer part."""
        return max(self._real.precision, self._imag.precision)

    @property
    def digits(self) -> int | None:
        """How many decimal digits of its larger part are right, as the solve says that made it; None: not known."""
        both = (self._real.digits, self._imag.digits)
        return None if both[0] is None or both[1] is None else max(both[0], both[1])

    def conjugate(self) -> ComplexNumber:
        """With the other sign of the imaginary part."""
        return ComplexNumber._of(self._real, -self._imag)

    def to_mpmath(self) -> Any:
        """The value itself as an mpmath.mpc, whatever mpmath.mp.prec is."""
        import mpmath

        return mpmath.mp.make_mpc((self._real.to_mpmath()._mpf_, self._imag.to_mpmath()._mpf_))

    def _mpmath_(self, precision: int, rounding: str) -> Any:
        return self.to_mpmath()

    def to_flint(self) -> Any:
        """The value itself as a flint.acb, a ball of radius 0."""
        import flint

        return flint.acb(self._real.to_flint(), self._imag.to_flint())

    def to_string(self, digits: int | None = None) -> str:
        """A decimal for each part, as `Number.to_string` has it: ``1.5e+00-2.5e-01j``."""
        return _joined(self._real.to_string(digits), self._imag.to_string(digits))

    def round(self, bits: int) -> ComplexNumber:
        """The nearest number of which both parts have so many bits."""
        return ComplexNumber._of(self._real.round(bits), self._imag.round(bits))

    def is_finite(self) -> bool:
        """Whether both parts are."""
        return self._real.is_finite() and self._imag.is_finite()

    def _text(self, most: int | None = None) -> str:
        return _joined(self._real._text(most), self._imag._text(most))

    def __complex__(self) -> complex:
        return complex(float(self._real), float(self._imag))

    def __bool__(self) -> bool:
        return bool(self._real) or bool(self._imag)

    def __abs__(self) -> Number:
        """The absolute value, rounded correctly to the bits of the longer part."""
        return Number._of(_core.combine("hypot", self._real._real, self._imag._real, self.precision))

    __add__, __radd__ = _operation("add"), _operation("add", True)
    __sub__, __rsub__ = _operation("subtract"), _operation("subtract", True)
    __mul__, __rmul__ = _operation("multiply"), _operation("multiply", True)
    __truediv__, __rtruediv__ = _operation("divide"), _operation("divide", True)

    def __neg__(self) -> ComplexNumber:
        return ComplexNumber._of(-self._real, -self._imag)

    def __pos__(self) -> ComplexNumber:
        return self

    def __eq__(self, other: object) -> bool:
        if is_complex_number(other):
            return bool(self._real == other.real and self._imag == other.imag)  # type: ignore[attr-defined]
        return self._real == other if self._imag == 0 else NotImplemented if operand(other) is None else False

    def __hash__(self) -> int:
        return hash(self._real) if self._imag == 0 else hash(complex(self)) if self == complex(self) else hash(
            (self._real, self._imag))

    def __str__(self) -> str:
        return self._text()

    def __repr__(self) -> str:
        known = "" if self.digits is None else f", digits={self.digits}"
        return f"ComplexNumber('{self._real}', '{self._imag}', bits={self.precision}{known})"

    def __reduce__(self) -> Any:
        return (_unpickled_complex, (self._real, self._imag))


numbers.Complex.register(ComplexNumber)


def _joined(real: str, imag: str) -> str:
    return f"{real}{'' if imag.startswith('-') else '+'}{imag}j"


def _unpickled_complex(real: Number, imag: Number) -> ComplexNumber:
    return ComplexNumber._of(real, imag)
