"""Vectors and matrices of numbers of any precision."""

from __future__ import annotations

import operator
from typing import Any, Callable, Iterator, Sequence, overload

import numpy as np

from . import _core
from ._errors import InputError
from ._number import Number


def _short(decimal: str) -> str:
    """Without zeros at the end of its digits."""
    digits, e, exponent = decimal.partition("e")
    return digits.rstrip("0").rstrip(".") + e + exponent if "." in digits else decimal


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

