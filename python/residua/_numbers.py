"""Vectors and matrices of numbers of any precision."""

from __future__ import annotations

import operator
import sys
from typing import Any, Callable, Iterator, Sequence, overload

import numpy as np

from . import _core
from ._errors import InputError, InputTypeError
from ._number import Number

_Places = np.ndarray[Any, np.dtype[np.int64]]
WAYS_DOWN = "x.to_float() is an array of the nearest floats, numpy.asarray(x, dtype=object) one of residua.Number"


def _unpickled_numbers(values: list[Number], shape: tuple[int, ...]) -> Numbers:
    digits = [x._digits for x in values]
    known = None if None in digits else np.asarray(digits, dtype=np.int64)
    return Numbers._of(_core.Reals.of_list([x._real for x in values]), shape, known)


def in_scipy_product() -> bool:
    """Whether scipy.sparse asks what stands beside its matrix in K @ x.

    If numpy makes nothing of x but one object, scipy leaves the product to x.__rmatmul__, which has the digits.
    """
    asking = sys._getframe(2)
    return asking.f_code.co_name == "_matmul_dispatch" and asking.f_globals.get("__name__", "").startswith("scipy.sparse")


def _elementwise(ufunc: Any, swapped: bool = False) -> Callable[[Any, object], Any]:
    def operation(self: Any, other: object) -> Any:
        from ._array_functions import apply

        return apply(ufunc, (other, self) if swapped else (self, other))

    return operation


class Numbers(Sequence[Any]):
    """A vector or a matrix of numbers of any precision, which does not change.

    It is what solves return. `residua.array` makes one. Rows, columns and slices are `Numbers`, single elements
    `Number`.

    Operators, and the functions of numpy that are named in docs/python.md, compute with all bits: each element is the
    exact result, rounded once to the bits of the longest operand, of sums and products of matrices too. Functions of
    numpy that would make floats of it raise a TypeError. The ways down are `to_float` and
    ``numpy.asarray(x, dtype=object)``, an array of `Number`.

    ``print(x)`` shows the digits that are known to be right (`digits`), or else 20 at most; `to_strings` has them all.

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

    __slots__ = ("_reals", "_shape", "_digits")
    _reals: _core.Reals  # by rows
    _shape: tuple[int, ...]
    _digits: _Places | None  # of each that are right, by rows
    __array_priority__ = 20.0

    def __init__(self, values: object, bits: int | None = None) -> None:
        from ._convert import to_numbers

        made = to_numbers(values, "values", bits)
        self._reals, self._shape, self._digits = made._reals, made._shape, made._digits if bits is None else None

    @classmethod
    def _of(cls, reals: _core.Reals, shape: tuple[int, ...] | None = None, digits: _Places | None = None) -> Numbers:
        made = object.__new__(cls)
        made._reals, made._digits = reals, digits
        made._shape = (len(reals),) if shape is None else shape
        return made

    @classmethod
    def _solution(cls, reals: _core.Reals, digits: int | None) -> Numbers:
        """A solution of which so many digits are right, relative to its largest element; None: not known."""
        if digits is None or len(reals) == 0:
            return cls._of(reals)
        sizes = reals.log10_sizes()
        behind = np.where(np.isfinite(sizes), np.nan_to_num(sizes.max()) - sizes, digits)
        return cls._of(reals, None, np.maximum(np.floor(digits - behind + 1e-9), 0).astype(np.int64))

    @property
    def digits(self) -> _Places | None:
        """How many decimal digits of each are right, as the solve says that made them; None: not known."""
        return None if self._digits is None else self._digits.reshape(self._shape)

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
        return Numbers._of(self._reals, places.shape, self._digits)

    def ravel(self) -> Numbers:
        """All numbers by rows."""
        return Numbers._of(self._reals, None, self._digits)

    def _places(self) -> _Places:
        return np.arange(self.size, dtype=np.int64).reshape(self._shape)

    def _gathered(self, places: _Places) -> Numbers:
        flat = np.ascontiguousarray(places).ravel()
        digits = None if self._digits is None else self._digits[flat]
        return Numbers._of(self._reals.gathered(flat), places.shape, digits)

    def _at(self, i: int) -> Number:
        return Number._of(self._reals.at(i), None if self._digits is None else int(self._digits[i]))

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
            return self._at(i % n)
        places = self._places()[at]
        if np.ndim(places) == 0:
            return self._at(int(places))
        if np.ndim(places) > 2:
            raise IndexError("Numbers have 1 or 2 dimensions")
        return self._gathered(np.asarray(places, dtype=np.int64))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def _objects(self, function: Callable[[Number], Any]) -> np.ndarray[Any, np.dtype[np.object_]]:
        made = np.empty(self.size, dtype=object)
        for i in range(self.size):
            made[i] = function(self._at(i))
        return made.reshape(self._shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("Numbers cannot be seen as an array without a copy")
        if dtype is None:
            if in_scipy_product():
                held = np.empty((), dtype=object)
                held[()] = self
                return held
            raise InputTypeError(f"an array of numpy's has no type for Numbers of {self.precision} bits; {WAYS_DOWN}")
        kind = np.dtype(dtype)
        if kind == np.dtype(object):
            return self._objects(lambda x: x)
        if kind.kind in "iu":
            return self._objects(int).astype(kind)
        if kind.kind == "f" and kind.itemsize > 8:  # longdouble
            return sum(self.terms(3)[::-1].astype(kind), np.zeros(self._shape, kind))
        if kind.kind in "fc":
            return self.to_float().astype(kind)
        raise InputTypeError(f"numbers are not of the type {kind}; {WAYS_DOWN}")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from ._array_functions import apply, reduce, refuse

        if method == "__call__" and not options:
            return apply(ufunc, inputs)
        if method == "reduce" and options.get("out") is None:
            return reduce(ufunc, *inputs, **options)
        raise refuse(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}", *options)

    def __array_function__(self, function: Any, types: Any, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
        from ._array_functions import call
        from ._complex_numbers import ComplexNumbers

        if any(issubclass(each, ComplexNumbers) for each in types):
            return NotImplemented
        return call(function, given, options)

    def astype(self, dtype: Any) -> np.ndarray[Any, Any]:
        """An array of numpy's: ``float`` for the nearest floats, ``object`` for `Number`."""
        return np.asarray(self, dtype=dtype)

    def to_float(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """An array of the nearest floats."""
        return self._reals.doubles().reshape(self._shape)

    def tolist(self) -> list[Any]:
        """A list of `Number`, or of such lists."""
        return [row.tolist() if isinstance(row, Numbers) else row for row in self]

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

    __hash__ = None  # type: ignore[assignment]

    __eq__, __ne__ = _elementwise(np.equal), _elementwise(np.not_equal)
    __lt__, __le__ = _elementwise(np.less), _elementwise(np.less_equal)
    __gt__, __ge__ = _elementwise(np.greater), _elementwise(np.greater_equal)
    __add__, __radd__ = _elementwise(np.add), _elementwise(np.add, True)
    __sub__, __rsub__ = _elementwise(np.subtract), _elementwise(np.subtract, True)
    __mul__, __rmul__ = _elementwise(np.multiply), _elementwise(np.multiply, True)
    __truediv__, __rtruediv__ = _elementwise(np.divide), _elementwise(np.divide, True)
    __floordiv__, __rfloordiv__ = _elementwise(np.floor_divide), _elementwise(np.floor_divide, True)
    __mod__, __rmod__ = _elementwise(np.remainder), _elementwise(np.remainder, True)
    __divmod__, __rdivmod__ = _elementwise(np.divmod), _elementwise(np.divmod, True)
    __pow__, __rpow__ = _elementwise(np.power), _elementwise(np.power, True)
    __matmul__, __rmatmul__ = _elementwise(np.matmul), _elementwise(np.matmul, True)

    def __neg__(self) -> Any:
        return np.negative(self)

    def __pos__(self) -> Numbers:
        return self

    def __abs__(self) -> Any:
        return np.absolute(self)

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all numbers, or along an axis: exact, and rounded once."""
        return np.sum(self, axis=axis)

    def mean(self, axis: int | None = None) -> Any:
        """The mean of all numbers, or along an axis, with an error of at most one unit of the last bit."""
        return np.mean(self, axis=axis)

    def dot(self, other: Any) -> Any:
        """``x @ other``."""
        return self @ other

    def norm(self, ord: Any = None, axis: int | None = None) -> Any:
        """As ``numpy.linalg.norm(x, ord, axis)``: 1, 2, inf and -inf of vectors, "fro", 1, inf and -inf of matrices."""
        return np.linalg.norm(self, ord, axis)

    def max(self, axis: int | None = None) -> Any:
        """The largest number, or along an axis."""
        return np.max(self, axis=axis)

    def min(self, axis: int | None = None) -> Any:
        """The smallest number, or along an axis."""
        return np.min(self, axis=axis)

    def _text(self, digits: int | None, most: int) -> str:
        def line(values: list[str]) -> str:
            if len(values) > most:
                values = [*values[: most // 2], "...", *values[-(most // 2) :]]
            return "[" + " ".join(values) + "]"

        shown = self if self.size <= 1000 else self._ends(most)
        if self.ndim == 1:
            return line([x._text(digits) for x in shown])
        rows = [line([x._text(digits) for x in row]) for row in shown]
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
        return self._text(None if self._digits is not None else 20, 1000)

    def __repr__(self) -> str:
        known = "" if self._digits is None or self.size == 0 else f", digits={self._digits.max()}"
        return f"Numbers({self._text(20, 8)}, shape={self._shape}, bits={self.precision}{known})"

    def __reduce__(self) -> Any:
        return (_unpickled_numbers, (list(self.ravel()), self._shape))


def array(values: object, bits: int | None = None) -> Any:
    """Numbers from a list, an array or a vector of any numbers.

    Parameters
    ----------
    values
        A sequence, or a sequence of rows, of int, float, complex, Fraction, Decimal, str, numbers of mpmath, gmpy2 or
        python-flint, or `Number`; an array of numpy's; an object with ``__dlpack__`` on the CPU.
    bits
        The precision to which they are rounded. None: each is exact, but for a Decimal, a str, and a fraction that no
        bits hold, such as ``Fraction(1, 3)``, which are rounded to 8256 bits.

    Returns
    -------
    Numbers or ComplexNumbers

    Examples
    --------
    >>> import residua
    >>> residua.array([1, 2.5])
    Numbers([1e+00 2.5e+00], shape=(2,), bits=64)
    >>> residua.array([1j, 2.5])
    ComplexNumbers([0e+00+1e+00j 2.5e+00+0e+00j], shape=(2,), bits=53)
    """
    from ._complex_input import to_any_numbers

    return to_any_numbers(values, "values", bits)
