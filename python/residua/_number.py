"""One number of any precision."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable

import numpy as np

from . import _core
from ._errors import InputError


def _operand(x: object) -> _core.Real | None:
    """A number beside a Number, exactly; None if it is of a type that does not mix with it."""
    if isinstance(x, Number):
        return x._real
    if isinstance(x, (bool, np.bool_)):
        return None
    if isinstance(x, (int, np.integer)):
        return _core.Real.of_integer(int(x))
    if isinstance(x, (float, np.floating)) and not isinstance(x, np.longdouble):
        return _core.Real.of_float(float(x))
    return None


class Number:
    """A binary floating-point number of any precision, which does not change.

    Sums, differences, products and quotients are rounded correctly to the greater precision of their operands, to
    nearest, ties to even; a float counts as 53 bits, an int as 64 or as many as it has.

    Parameters
    ----------
    value
        An int, float, Fraction, Decimal, a decimal in a str, or a number of mpmath, gmpy2 or python-flint.
    bits
        The precision. None: as many bits as hold the value exactly; 8256 for a Decimal, a str, and a fraction that no bits
        hold.

    Examples
    --------
    >>> from residua import Number
    >>> x = Number("0.1", bits=106)
    >>> f"{x:.40g}"
    '0.09999999999999999999999999999999969185121'
    >>> float(x + 1)
    1.1
    >>> x == 0.1
    False
    """

    __slots__ = ("_real",)
    _real: _core.Real

    def __init__(self, value: object = 0, bits: int | None = None) -> None:
        from ._convert import to_real

        self._real = to_real(value, bits)

    @classmethod
    def _of(cls, real: _core.Real) -> Number:
        made = object.__new__(cls)
        made._real = real
        return made

    @property
    def precision(self) -> int:
        """Bits."""
        return self._real.precision

    def as_mantissa_exponent(self) -> tuple[int, int]:
        """(m, e) with the value m 2**e and m odd, or (0, 0)."""
        self._require_finite()
        return self._real.to_binary()

    def as_integer_ratio(self) -> tuple[int, int]:
        """Numerator and denominator, without a common divisor."""
        m, e = self.as_mantissa_exponent()
        return (m << e, 1) if e >= 0 else (m, 1 << -e)

    def to_fraction(self) -> Fraction:
        """The value itself."""
        return Fraction(*self.as_integer_ratio())

    def to_decimal(self, digits: int | None = None) -> Decimal:
        """The value to so many significant digits, rounded correctly; None: as many as read back as it."""
        return Decimal(self.to_string(digits))

    def to_mpmath(self) -> Any:
        """The value itself as an mpmath.mpf, whatever mpmath.mp.prec is."""
        import mpmath

        return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(*self.as_mantissa_exponent()))

    def to_flint(self) -> Any:
        """The value itself as a flint.arb, a ball of radius 0."""
        import flint

        return flint.arb(self.as_mantissa_exponent())

    def to_string(self, digits: int | None = None) -> str:
        """A decimal of so many significant digits, rounded correctly; None: as many as read back as the number."""
        if digits is not None and digits < 1:
            raise InputError(f"digits: {digits} is not at least 1")
        return self._real.to_text(digits or 0)

    def round(self, bits: int) -> Number:
        """The nearest number of so many bits."""
        if not 1 <= bits <= _core.most_bits:
            raise InputError(f"bits: {bits} is not from 1 to {_core.most_bits}")
        return Number._of(self._real.rounded(bits))

    def sqrt(self) -> Number:
        """The square root, rounded correctly. numpy.sqrt finds it for arrays of objects."""
        return Number._of(self._real.sqrt())

    def is_finite(self) -> bool:
        """Whether it is neither infinite nor NaN."""
        return self._real.is_finite()

    def _require_finite(self) -> None:
        if not self._real.is_finite():
            raise InputError(f"{self} is no finite number")

    def __float__(self) -> float:
        return self._real.to_float()

    def __int__(self) -> int:
        m, e = self.as_mantissa_exponent()
        return m << e if e >= 0 else (abs(m) >> -e) * (1 if m >= 0 else -1)

    def __bool__(self) -> bool:
        return self._real.is_nan() or self._real.sign() != 0

    def __str__(self) -> str:
        return self._real.to_text(0)

    def __repr__(self) -> str:
        return f"Number('{self}', bits={self.precision})"

    def __format__(self, spec: str) -> str:
        """As of a float; `e`, `f` and `g` have as many digits as are asked for, and these are right."""
        if not spec or not self._real.is_finite():
            return format(str(self), spec) if not spec or spec[-1].isdigit() else format(float(self), spec)
        kind = spec[-1]
        if kind not in "eEfFgG":
            return format(str(self), spec)
        head, _, tail = spec[:-1].rpartition(".")
        places = int(tail) if tail.isdigit() and "." in spec else 6
        if kind in "gG":
            digits = max(places, 1)
        elif kind in "eE":
            digits = places + 1
        else:
            digits = int(self._real.to_text(1).rpartition("e")[2]) + places + 1
            if digits < 1:  # rounds to 0 or to one unit of the last place
                return format(Decimal(self._real.to_text(20)), spec)
        return format(Decimal(self._real.to_text(digits)), spec)

    def __hash__(self) -> int:
        return hash(self.to_fraction()) if self._real.is_finite() else hash(float(self))

    def __reduce__(self) -> Any:
        if not self._real.is_finite():
            return (Number, (float(self),))
        return (_unpickled, (*self.as_mantissa_exponent(), self.precision))

    def _binary(self, other: object, name: str, swapped: bool = False) -> Any:
        y = _operand(other)
        if y is None:
            return NotImplemented
        a, b = (y, self._real) if swapped else (self._real, y)
        return Number._of(getattr(a, name)(b))

    def __add__(self, other: object) -> Number:
        return self._binary(other, "add")

    def __radd__(self, other: object) -> Number:
        return self._binary(other, "add", True)

    def __sub__(self, other: object) -> Number:
        return self._binary(other, "sub")

    def __rsub__(self, other: object) -> Number:
        return self._binary(other, "sub", True)

    def __mul__(self, other: object) -> Number:
        return self._binary(other, "mul")

    def __rmul__(self, other: object) -> Number:
        return self._binary(other, "mul", True)

    def __truediv__(self, other: object) -> Number:
        y = _operand(other)
        if y is not None and y.sign() == 0 and not y.is_nan():
            raise ZeroDivisionError("division of a Number by zero")
        return self._binary(other, "div")

    def __rtruediv__(self, other: object) -> Number:
        if not self:
            raise ZeroDivisionError("division by a Number that is zero")
        return self._binary(other, "div", True)

    def __neg__(self) -> Number:
        return Number._of(self._real.neg())

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return -self if self._real.sign() < 0 else self

    def __eq__(self, other: object) -> bool:
        y = _operand(other)
        return NotImplemented if y is None else self._real.equal(y)

    def _ordered(self, other: object, test: Callable[[_core.Real, _core.Real], bool]) -> bool:
        y = _operand(other)
        return NotImplemented if y is None else test(self._real, y)

    def __lt__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: a.less(b))

    def __le__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: a.less(b) or a.equal(b))

    def __gt__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: b.less(a))

    def __ge__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: b.less(a) or a.equal(b))


def _unpickled(mantissa: int, exponent: int, bits: int) -> Number:
    return Number._of(_core.Real.of_binary(mantissa, exponent).rounded(bits))
