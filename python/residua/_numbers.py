"""Numbers of any precision, one and many."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Iterator, Sequence, overload

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


def _short(decimal: str) -> str:
    """Without zeros at the end of its digits."""
    digits, e, exponent = decimal.partition("e")
    return digits.rstrip("0").rstrip(".") + e + exponent if "." in digits else decimal


def _unpickled(mantissa: int, exponent: int, bits: int) -> Number:
    return Number._of(_core.Real.of_binary(mantissa, exponent).rounded(bits))


def _unpickled_numbers(values: list[Number], shape: tuple[int, ...]) -> Numbers:
    return Numbers._of(_core.Reals.of_list([x._real for x in values]), shape)


class Numbers(Sequence[Any]):
    """A vector or a matrix of numbers of any precision, which does not change.

    It is what solves return. `residua.array` makes one. Rows, columns and slices are `Numbers`, single elements
    `Number`. numpy takes it as an array of floats, each the nearest one; ``numpy.asarray(x, dtype=object)`` is an array
    of `Number`, with which numpy computes.

    Examples
    --------
    >>> import residua
    >>> x = residua.array(["0.1", "1e-400", 3])
    >>> x.shape
    (3,)
    >>> x.astype(float)
    array([0.1, 0. , 3. ])
    >>> print(x)
    [1e-01 1e-400 3e+00]
    >>> x.terms(2).shape
    (2, 3)
    """

    __slots__ = ("_reals", "_shape")
    _reals: _core.Reals  # by rows
    _shape: tuple[int, ...]
    __array_priority__ = 20.0

    def __init__(self, values: object, bits: int | None = None) -> None:
        from ._convert import to_numbers

        made = to_numbers(values, "values", bits)
        self._reals, self._shape = made._reals, made._shape

    @classmethod
    def _of(cls, reals: _core.Reals, shape: tuple[int, ...] | None = None) -> Numbers:
        made = object.__new__(cls)
        made._reals = reals
        made._shape = (len(reals),) if shape is None else shape
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,) or (rows, columns)."""
        return self._shape

    @property
    def ndim(self) -> int:
        """1 or 2."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self._reals)

    @property
    def precision(self) -> int:
        """The most bits that one of them has, 53 at least."""
        return self._reals.most_precision()

    @property
    def T(self) -> Numbers:
        """The transposed matrix."""
        if self.ndim == 1:
            return self
        return self._gathered(self._places().T)

    def reshape(self, *shape: Any) -> Numbers:
        """The same numbers, by rows, in another shape of one or two dimensions."""
        places = self._places().reshape(*shape)
        if places.ndim not in (1, 2):
            raise InputError(f"reshape: {places.ndim} dimensions; Numbers have 1 or 2")
        return Numbers._of(self._reals, places.shape)

    def ravel(self) -> Numbers:
        """All numbers by rows."""
        return Numbers._of(self._reals)

    def _places(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.arange(self.size, dtype=np.int64).reshape(self._shape)

    def _gathered(self, places: np.ndarray[Any, np.dtype[np.int64]]) -> Numbers:
        return Numbers._of(self._reals.gathered(np.ascontiguousarray(places).ravel()), places.shape)

    def __len__(self) -> int:
        return self._shape[0]

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: Any) -> Any: ...
    def __getitem__(self, at: Any) -> Any:
        if self.ndim == 1 and isinstance(at, (int, np.integer)):
            i = operator.index(at)
            n = self.size
            if not -n <= i < n:
                raise IndexError(f"there is no number {i} among {n}")
            return Number._of(self._reals.at(i % n))
        places = self._places()[at]
        if np.ndim(places) == 0:
            return Number._of(self._reals.at(int(places)))
        if np.ndim(places) > 2:
            raise IndexError("Numbers have 1 or 2 dimensions")
        return self._gathered(np.asarray(places, dtype=np.int64))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def _objects(self, function: Callable[[Number], Any]) -> np.ndarray[Any, np.dtype[np.object_]]:
        made = np.empty(self.size, dtype=object)
        for i in range(self.size):
            made[i] = function(Number._of(self._reals.at(i)))
        return made.reshape(self._shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("Numbers cannot be seen as an array without a copy")
        if dtype is not None and np.dtype(dtype) == np.dtype(object):
            return self._objects(lambda x: x)
        made = self._reals.doubles().reshape(self._shape)
        return made if dtype is None else made.astype(dtype)

    def astype(self, dtype: Any) -> np.ndarray[Any, Any]:
        """An array of numpy's: ``float`` for the nearest floats, ``object`` for `Number`."""
        return np.asarray(self, dtype=dtype)

    def terms(self, count: int = 2) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The numbers as sums of floats, the largest first, each the float nearest to what is left.

        Parameters
        ----------
        count
            How many floats, from 1 to 39: 2 make double-doubles, 4 quad-doubles.

        Returns
        -------
        ndarray
            Of shape ``(count, *shape)``: one plane for each term.
        """
        planes = self._reals.terms(count)
        return planes.reshape((count, *self._shape))

    def to_fractions(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """The numbers themselves as an array of fractions.Fraction."""
        return self._objects(Number.to_fraction)

    def to_mpmath(self) -> Any:
        """The numbers themselves as an mpmath.matrix; a vector as a column."""
        import mpmath

        rows, cols = self._shape if self.ndim == 2 else (self.size, 1)
        made = mpmath.matrix(rows, cols)
        for i in range(self.size):
            made[i // cols, i % cols] = Number._of(self._reals.at(i)).to_mpmath()
        return made

    def to_flint(self) -> Any:
        """The numbers themselves as a flint.arb_mat of balls of radius 0; a vector as a column."""
        import flint

        rows, cols = self._shape if self.ndim == 2 else (self.size, 1)
        made = flint.arb_mat(rows, cols)
        for i in range(self.size):
            made[i // cols, i % cols] = Number._of(self._reals.at(i)).to_flint()
        return made

    def to_strings(self, digits: int | None = None) -> list[Any]:
        """Decimals of so many significant digits, rounded correctly; None: as many as read back as the numbers."""
        if digits is not None and digits < 1:
            raise InputError(f"digits: {digits} is not at least 1")
        all_of_them = self._reals.decimals(digits or 0)
        if self.ndim == 1:
            return all_of_them
        cols = self._shape[1]
        return [all_of_them[i * cols : (i + 1) * cols] for i in range(self._shape[0])]

    def __eq__(self, other: object) -> Any:
        """Element by element, exactly, as of numpy's arrays."""
        if isinstance(other, Numbers):
            if other._shape != self._shape:
                return False
            return np.asarray(self, dtype=object) == np.asarray(other, dtype=object)
        if isinstance(other, (Number, int, float)):
            return np.asarray(self, dtype=object) == other
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: object) -> Any:
        return self._with(other, operator.add)

    def __radd__(self, other: object) -> Any:
        return self._with(other, lambda a, b: b + a)

    def __sub__(self, other: object) -> Any:
        return self._with(other, operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: object) -> Any:
        return self._with(other, operator.mul)

    def __rmul__(self, other: object) -> Any:
        return self._with(other, lambda a, b: b * a)

    def __truediv__(self, other: object) -> Any:
        return self._with(other, operator.truediv)

    def __neg__(self) -> Numbers:
        return array(-np.asarray(self, dtype=object))

    def __abs__(self) -> Numbers:
        return array(abs(np.asarray(self, dtype=object)))

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, (Numbers, list, tuple, np.ndarray)):
            right: Any = np.asarray(array(other), dtype=object)
        elif isinstance(other, (Number, int, float, np.integer, np.floating)):
            right = other
        else:
            return NotImplemented
        return array(operation(np.asarray(self, dtype=object), right))

    def max(self) -> Number:
        """The largest number."""
        return max(self.ravel())

    def min(self) -> Number:
        """The smallest number."""
        return min(self.ravel())

    def _text(self, digits: int | None, most: int) -> str:
        def line(values: list[str]) -> str:
            if len(values) > most:
                values = [*values[: most // 2], "...", *values[-(most // 2) :]]
            return "[" + " ".join(values) + "]"

        shown = self if self.size <= 1000 or most >= 1000 else self._ends(most)
        if self.ndim == 1:
            return line([_short(x) for x in shown.to_strings(digits)])
        rows = [line([_short(x) for x in row]) for row in shown.to_strings(digits)]
        if len(rows) > most:
            rows = [*rows[: most // 2], "...", *rows[-(most // 2) :]]
        return "[" + "\n ".join(rows) + "]"

    def _ends(self, most: int) -> Numbers:
        """Enough of a large array to show its beginning and its end."""
        places = self._places()
        for axis in range(self.ndim):
            n = places.shape[axis]
            if n > most + 1:
                kept = [*range(most // 2 + 1), *range(n - most // 2, n)]
                places = np.take(places, kept, axis=axis)
        return self._gathered(places)

    def __str__(self) -> str:
        return self._text(None, 1000)

    def __repr__(self) -> str:
        return f"Numbers({self._text(20, 8)}, shape={self._shape}, bits={self.precision})"

    def __reduce__(self) -> Any:
        return (_unpickled_numbers, (list(self.ravel()), self._shape))


def array(values: object, bits: int | None = None) -> Numbers:
    """Numbers from a list, an array or a vector of any numbers.

    Parameters
    ----------
    values
        A sequence, or a sequence of rows, of int, float, Fraction, Decimal, str, numbers of mpmath, gmpy2 or
        python-flint, or `Number`; an array of numpy's; an object with ``__dlpack__`` on the CPU.
    bits
        The precision to which they are rounded. None: each is exact, but for a Decimal, a str, and a fraction that no
        bits hold, such as ``Fraction(1, 3)``, which are rounded to 8256 bits.

    Returns
    -------
    Numbers

    Examples
    --------
    >>> import residua
    >>> residua.array([1, 2.5])
    Numbers([1e+00 2.5e+00], shape=(2,), bits=64)
    """
    return Numbers(values, bits)

