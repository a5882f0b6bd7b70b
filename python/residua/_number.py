"""One number of any precision."""

from __future__ import annotations

import numbers
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable

import numpy as np

from . import _core
from ._errors import InputError, InputTypeError

SHOWN_DIGITS = 40  # of a number of which nobody says how many are right
_EXACT_BITS = 64  # of floats and ints: numbers that are not longer are taken for exact ones, and not for results


def joint_bits(p: int, q: int) -> int:
    """The bits of what is computed from numbers of p and q bits: the more of them.

    But a decimal or a fraction that was given without bits takes those of the result of a computation beside it.
    """
    short, long = sorted((p, q))
    return short if long == _core.decimal_bits and short > _EXACT_BITS else long


def _taken(x: object) -> _core.Real | Fraction | None:
    """What stands beside a Number, exactly; None if it is of a type that does not mix with it."""
    if isinstance(x, Number):
        return x._real
    if isinstance(x, float):  # infinite ones too
        return _core.Real.of_float(x)
    if isinstance(x, (str, bool, np.bool_, np.ndarray)):
        return None
    if isinstance(x, Decimal):
        return Fraction(x) if x.is_finite() else _core.Real.of_float(float(x))
    from ._take import take

    try:
        taken: _core.Real | Fraction = take(x, "a number")
    except InputTypeError:
        return None
    return taken


def operand(x: object) -> _core.Real | None:
    """The same with fractions rounded."""
    taken = _taken(x)
    if isinstance(taken, Fraction):
        return _core.Real.of_ratio(taken.numerator, taken.denominator, _core.decimal_bits)
    return taken


def require_result(name: str, made: _core.Real, x: _core.Real, y: _core.Real | None = None, where: str = "") -> None:
    """Raises unless a finite number came of finite ones."""
    if made.is_finite() or not x.is_finite() or (y is not None and not y.is_finite()):
        return
    by_zero = {"reciprocal": x, "power": x, "divide": y, "floor_divide": y, "remainder": y, "fmod": y}.get(name)
    if by_zero is not None and by_zero.sign() == 0:
        raise ZeroDivisionError(f"{name}: division by zero{where}")
    given = Number._of(x)._text() + ("" if y is None else f", {Number._of(y)._text()}")
    raise InputError(f"{name}({given}){where} is no real number, or one beyond 2^(+-2^30)")


def _function(name: str, words: str) -> Callable[[Number], Number]:
    def function(self: Number) -> Number:
        made = _core.evaluate(name, self._real, self.precision)
        require_result(name, made, self._real)
        return Number._of(made)

    function.__name__, function.__qualname__ = name, f"Number.{name}"
    function.__doc__ = f"{words}, rounded correctly. ``numpy.{name}(x)`` finds it."
    return function


def _operation(name: str, swapped: bool = False) -> Callable[[Number, object], Any]:
    def operation(self: Number, other: object) -> Any:
        y = operand(other)
        if y is None:
            return NotImplemented
        a, b = (y, self._real) if swapped else (self._real, y)
        made = _core.combine(name, a, b, joint_bits(a.precision, b.precision))
        require_result(name, made, a, b)
        return Number._of(made)

    return operation


class Number(numbers.Rational):
    """A binary floating-point number of any precision, which does not change.

    Operations and functions are rounded correctly to the greater precision of their operands, to nearest, ties to even; a
    float counts as 53 bits, an int as 64 or as many as it has. A Decimal, a Fraction, and a Number made of a decimal or a
    fraction without ``bits``, which has 8256, take the precision of a Number beside them that has more than 64 bits.
    It is a ``numbers.Real``, as exact as an int in comparisons, ``hash``, ``Fraction(x)`` and ``mpmath.mpf(x)``; functions
    are methods with the names of numpy, so that ``numpy.exp(x)`` works. Those of ``math`` take and give floats.

    ``str(x)`` has the digits that are known to be right, of a solution that a solve has made (`digits`); of other numbers
    as many as read back as it, but 40 at most. ``x.to_string(n)`` has n.

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

    __slots__ = ("_real", "_digits")
    _real: _core.Real
    _digits: int | None

    def __init__(self, value: object = 0, bits: int | None = None) -> None:
        from ._take import to_real

        self._real, self._digits = to_real(value, bits), None

    @classmethod
    def _of(cls, real: _core.Real, digits: int | None = None) -> Number:
        made = object.__new__(cls)
        made._real, made._digits = real, digits
        return made

    @property
    def precision(self) -> int:
        """Bits."""
        return self._real.precision

    @property
    def digits(self) -> int | None:
        """How many of its decimal digits are right, as the solve says that made it; None: not known."""
        return self._digits

    @property
    def numerator(self) -> int:
        """Of the fraction that it is, in lowest terms."""
        return self.as_integer_ratio()[0]

    @property
    def denominator(self) -> int:
        """A power of two."""
        return self.as_integer_ratio()[1]

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

        if not self._real.is_finite():
            return mpmath.mpf(float(self))
        return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(*self.as_mantissa_exponent()))

    def _mpmath_(self, precision: int, rounding: str) -> Any:
        return self.to_mpmath()

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

    def _text(self, most: int | None = None) -> str:
        digits = 0 if self._digits is None else max(self._digits, 1)
        text = self._real.to_text(digits)
        most = most or digits or SHOWN_DIGITS
        if sum(c.isdigit() for c in text.partition("e")[0]) > most:
            text = self._real.to_text(most)
        mantissa, e, exponent = text.partition("e")
        return mantissa.rstrip("0").rstrip(".") + e + exponent if "." in mantissa else text

    def __str__(self) -> str:
        return self._text()

    def __repr__(self) -> str:
        known = "" if self._digits is None else f", digits={self._digits}"
        return f"Number('{self}', bits={self.precision}{known})"

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

    def __hash__(self) -> int:  # type: ignore[override]
        if not self._real.is_finite():
            return hash(float(self))
        m, e = self._real.to_binary()  # as Python has it for all numbers: modulo 2^61 - 1, where 2^61 is 1
        size = (abs(m) << e % sys.hash_info.modulus.bit_length()) % sys.hash_info.modulus
        return size if m >= 0 else -2 if size == 1 else -size

    def __reduce__(self) -> Any:
        if not self._real.is_finite():
            return (Number, (float(self),))
        return (_unpickled, (*self.as_mantissa_exponent(), self.precision, self._digits))

    __add__, __radd__ = _operation("add"), _operation("add", True)
    __sub__, __rsub__ = _operation("subtract"), _operation("subtract", True)
    __mul__, __rmul__ = _operation("multiply"), _operation("multiply", True)
    __truediv__, __rtruediv__ = _operation("divide"), _operation("divide", True)
    __floordiv__, __rfloordiv__ = _operation("floor_divide"), _operation("floor_divide", True)
    __mod__, __rmod__ = _operation("remainder"), _operation("remainder", True)
    __pow__, __rpow__ = _operation("power"), _operation("power", True)

    exp, exp2, expm1 = _function("exp", "e^x"), _function("exp2", "2^x"), _function("expm1", "e^x - 1")
    log, log1p = _function("log", "The natural logarithm"), _function("log1p", "log(1 + x)")
    log2, log10 = _function("log2", "The logarithm to base 2"), _function("log10", "The logarithm to base 10")
    sqrt, cbrt = _function("sqrt", "The square root"), _function("cbrt", "The cube root")
    sin, cos, tan = _function("sin", "The sine"), _function("cos", "The cosine"), _function("tan", "The tangent")
    arcsin, arccos = _function("arcsin", "The inverse sine"), _function("arccos", "The inverse cosine")
    arctan, arctanh = _function("arctan", "The inverse tangent"), _function("arctanh", "The inverse of tanh")
    arcsinh, arccosh = _function("arcsinh", "The inverse of sinh"), _function("arccosh", "The inverse of cosh")
    sinh, cosh = _function("sinh", "The hyperbolic sine"), _function("cosh", "The hyperbolic cosine")
    tanh = _function("tanh", "The hyperbolic tangent")
    floor, ceil = _function("floor", "The next integer downwards"), _function("ceil", "The next integer upwards")
    trunc = _function("trunc", "The next integer towards 0")
    rint = _function("rint", "The nearest integer, ties to even")

    def __trunc__(self) -> int:
        return int(self)

    def __floor__(self) -> int:
        return int(self.floor())

    def __ceil__(self) -> int:
        return int(self.ceil())

    def __round__(self, ndigits: int | None = None) -> Any:
        """The nearest int, or the number nearest to it rounded to so many decimal places."""
        if ndigits is None:
            return int(self.rint())
        return Number(round(self.to_fraction(), ndigits), bits=self.precision)

    def __neg__(self) -> Number:
        return Number._of(_core.evaluate("negative", self._real, self.precision), self._digits)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return -self if self._real.sign() < 0 else self

    def _ordered(self, other: object, test: Callable[[_core.Real, _core.Real], bool]) -> bool:
        x, y = self._real, _taken(other)
        if y is None:
            return NotImplemented
        if isinstance(y, Fraction):  # x < n / d if x d < n; with so many bits the product is exact
            d = _core.Real.of_integer(y.denominator)
            x, y = _core.combine("multiply", x, d, x.precision + d.precision), _core.Real.of_integer(y.numerator)
        return test(x, y)

    def __eq__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: a.equal(b))

    def __lt__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: a.less(b))

    def __le__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: a.less(b) or a.equal(b))

    def __gt__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: b.less(a))

    def __ge__(self, other: object) -> bool:
        return self._ordered(other, lambda a, b: b.less(a) or a.equal(b))


def _unpickled(mantissa: int, exponent: int, bits: int, digits: int | None) -> Number:
    return Number._of(_core.Real.of_binary(mantissa, exponent).rounded(bits), digits)
