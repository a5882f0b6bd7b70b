"""Vectors and matrices of complex numbers of any precision."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

import numpy as np

from . import _core
from ._complex_number import ComplexNumber, operated
from ._errors import DimensionError, InputTypeError
from ._number import Number
from ._numbers import Numbers, in_scipy_product

_WAYS_DOWN = ("x.to_complex() is an array of complex128, numpy.asarray(x, dtype=object) one of residua.ComplexNumber, x.real and "
              "x.imag are Numbers")
_UFUNCS = {np.add: "add", np.subtract: "subtract", np.multiply: "multiply", np.divide: "divide"}


def _elementwise(name: str, swapped: bool = False) -> Callable[[ComplexNumbers, object], Any]:
    def operation(self: ComplexNumbers, other: object) -> Any:
        from ._complex_input import spread_together

        found = spread_together(self, other)
        if found is None:
            return NotImplemented
        x, y, shape, bits = found
        first, second = operated(name, *((y, x) if swapped else (x, y)), bits)
        return ComplexNumbers._of(Numbers._of(first, shape), Numbers._of(second, shape))

    return operation


class ComplexNumbers(Sequence[Any]):
    """A vector or a matrix of complex numbers of any precision, which does not change: two `Numbers`, `real` and `imag`.

    It is what solves of complex systems return; `residua.array` makes one of complex numbers. Rows, columns and slices are
    `ComplexNumbers`, single elements `ComplexNumber`. ``+ - * / @`` and ``==`` compute as `ComplexNumber` does, element by
    element; parts of sums and of products of matrices are exact ones, rounded once. The ways down are `to_complex` and
    ``numpy.asarray(x, dtype=object)``; ``print(x)`` shows the digits of each part that are known to be right.

    Parameters
    ----------
    real, imag
        The parts, of one shape: anything that `residua.array` takes. Complex numbers are given alone.
    bits
        The precision to which they are rounded, as `residua.array` has it.

    Examples
    --------
    >>> import residua
    >>> x = residua.ComplexNumbers(["0.1", 3], [1, "1e-400"])
    >>> x.to_complex()
    array([0.1+1.j, 3. +0.j])
    >>> print(x.conj())
    [1e-01-1e+00j 3e+00-1e-400j]
    """

    __slots__ = ("_real", "_imag")
    _real: Numbers
    _imag: Numbers
    __array_priority__ = 21.0

    def __init__(self, real: Any, imag: Any = None, bits: int | None = None) -> None:
        from ._complex_input import as_complex, to_any_numbers

        if imag is None:
            made = as_complex(to_any_numbers(real, "real", bits))
            self._real, self._imag = made._real, made._imag
            return
        self._real, self._imag = Numbers(real, bits), Numbers(imag, bits)
        if self._real.shape != self._imag.shape:
            raise DimensionError(f"real has the shape {self._real.shape}, and imag {self._imag.shape}")

    @classmethod
    def _of(cls, real: Numbers, imag: Numbers) -> ComplexNumbers:
        made = object.__new__(cls)
        made._real, made._imag = real, imag
        return made

    @classmethod
    def _of_form(cls, form: Numbers) -> ComplexNumbers:
        """Of rows that are real and imaginary parts in turn."""
        return cls._of(form[0::2], form[1::2])

    @classmethod
    def _solution(cls, form: _core.Reals, digits: int | None) -> ComplexNumbers:
        return cls._of_form(Numbers._solution(form, digits))

    @property
    def real(self) -> Numbers:
        """The real parts."""
        return self._real

    @property
    def imag(self) -> Numbers:
        """The imaginary parts."""
        return self._imag

    @property
    def digits(self) -> np.ndarray[Any, np.dtype[np.int64]] | None:
        """How many decimal digits of the larger part of each are right, as the solve says that made them; None: not known."""
        first, second = self._real.digits, self._imag.digits
        return None if first is None or second is None else np.maximum(first, second)

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,) or (rows, columns)."""
        return self._real.shape

    @property
    def ndim(self) -> int:
        """1 or 2."""
        return self._real.ndim

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self._real.size

    @property
    def precision(self) -> int:
        """The most bits that a part has, 53 at least."""
        return max(self._real.precision, self._imag.precision)

    def _both(self, function: Callable[[Numbers], Any]) -> ComplexNumbers:
        return ComplexNumbers._of(function(self._real), function(self._imag))

    @property
    def T(self) -> ComplexNumbers:
        """The transposed matrix, not conjugated."""
        return self._both(lambda part: part.T)

    def conj(self) -> ComplexNumbers:
        """With the other signs of the imaginary parts."""
        return ComplexNumbers._of(self._real, -self._imag)

    conjugate = conj

    def reshape(self, *shape: Any) -> ComplexNumbers:
        """The same numbers, by rows, in another shape of one or two dimensions."""
        return self._both(lambda part: part.reshape(*shape))

    def ravel(self) -> ComplexNumbers:
        """All numbers by rows."""
        return self._both(Numbers.ravel)

    def __len__(self) -> int:
        return len(self._real)

    def __getitem__(self, at: Any) -> Any:
        first, second = self._real[at], self._imag[at]
        return ComplexNumber._of(first, second) if isinstance(first, Number) else ComplexNumbers._of(first, second)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("ComplexNumbers cannot be seen as an array without a copy")
        if dtype is None and in_scipy_product():
            held = np.empty((), dtype=object)
            held[()] = self
            return held
        kind = None if dtype is None else np.dtype(dtype)
        if kind == np.dtype(object):
            made = np.empty(self.size, dtype=object)
            for i, each in enumerate(self.ravel()):
                made[i] = each
            return made.reshape(self.shape)
        if kind is not None and kind.kind == "c":
            return self._real.astype(kind) + kind.type(1j) * self._imag.astype(kind) if kind.itemsize > 16 else (
                self.to_complex().astype(kind))
        raise InputTypeError(f"an array of {kind or 'numpy'} has no place for ComplexNumbers of {self.precision} bits; {_WAYS_DOWN}")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "__call__" and not options:
            if ufunc in _UFUNCS and len(inputs) == 2:
                name = _UFUNCS[ufunc]
                if isinstance(inputs[0], ComplexNumbers):
                    return _elementwise(name)(inputs[0], inputs[1])
                return _elementwise(name, True)(inputs[1], inputs[0])
            single: dict[Any, Callable[[ComplexNumbers], Any]] = {
                np.absolute: abs, np.conjugate: ComplexNumbers.conj, np.negative: lambda x: -x, np.positive: lambda x: x}
            if ufunc in single:
                return single[ufunc](self)
            if ufunc is np.matmul:
                from ._complex_input import matmul

                return matmul(*inputs)
            if ufunc in (np.equal, np.not_equal):
                equal = self == inputs[1 if inputs[0] is self else 0]
                return equal if ufunc is np.equal else ~equal
        raise InputTypeError(f"numpy.{ufunc.__name__} does not compute with residua.ComplexNumbers; {_WAYS_DOWN}")

    def __array_function__(self, function: Any, types: Any, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
        from ._complex_input import call

        return call(function, given, options, _WAYS_DOWN)

    def astype(self, dtype: Any) -> np.ndarray[Any, Any]:
        """An array of numpy's: ``complex`` for the nearest complex128, ``object`` for `ComplexNumber`."""
        return np.asarray(self, dtype=dtype)

    def to_complex(self) -> np.ndarray[Any, np.dtype[np.complex128]]:
        """An array of complex128 whose parts are the nearest floats."""
        made = np.empty(self.shape, dtype=np.complex128)
        made.real, made.imag = self._real.to_float(), self._imag.to_float()
        return made

    def tolist(self) -> list[Any]:
        """A list of `ComplexNumber`, or of such lists."""
        return [row.tolist() if isinstance(row, ComplexNumbers) else row for row in self]

    def to_mpmath(self) -> Any:
        """The numbers themselves as an mpmath.matrix of mpc; a vector as a column."""
        import mpmath

        return self._filled(mpmath.matrix, ComplexNumber.to_mpmath)

    def to_flint(self) -> Any:
        """The numbers themselves as a flint.acb_mat of balls of radius 0; a vector as a column."""
        import flint

        return self._filled(flint.acb_mat, ComplexNumber.to_flint)

    def _filled(self, matrix: Any, number: Callable[[ComplexNumber], Any]) -> Any:
        rows, cols = self.shape if self.ndim == 2 else (self.size, 1)
        made = matrix(rows, cols)
        for i, each in enumerate(self.ravel()):
            made[i // cols, i % cols] = number(each)
        return made

    def to_strings(self, digits: int | None = None) -> list[Any]:
        """Decimals of the parts, of so many significant digits each, rounded correctly: ``1.5e+00-2.5e-01j``."""
        return [row.to_strings(digits) if isinstance(row, ComplexNumbers) else row.to_string(digits) for row in self]

    def norm(self) -> Number:
        """The 2-norm of a vector, the Frobenius norm of a matrix."""
        whole: Any = np.concatenate([self._real.ravel(), self._imag.ravel()])
        return whole.norm()  # type: ignore[no-any-return]

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all numbers, or along an axis: parts are exact, and rounded once."""
        first, second = self._real.sum(axis), self._imag.sum(axis)
        return ComplexNumber._of(first, second) if isinstance(first, Number) else ComplexNumbers._of(first, second)

    __hash__ = None  # type: ignore[assignment]
    __add__, __radd__ = _elementwise("add"), _elementwise("add", True)
    __sub__, __rsub__ = _elementwise("subtract"), _elementwise("subtract", True)
    __mul__, __rmul__ = _elementwise("multiply"), _elementwise("multiply", True)
    __truediv__, __rtruediv__ = _elementwise("divide"), _elementwise("divide", True)

    def __matmul__(self, other: Any) -> Any:
        from ._complex_input import matmul

        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        from ._complex_input import matmul

        return matmul(other, self)

    def __neg__(self) -> ComplexNumbers:
        return self._both(lambda part: -part)

    def __pos__(self) -> ComplexNumbers:
        return self

    def __abs__(self) -> Numbers:
        """The absolute values, rounded correctly."""
        return Numbers._of(_core.combine_all("hypot", self._real._reals, self._imag._reals, self.precision), self.shape)

    def __eq__(self, other: object) -> Any:
        from ._complex_input import spread_together

        found = spread_together(self, other)
        if found is None:
            return NotImplemented
        (a, b), (c, d), shape, _ = found
        return ((_core.compare(a, c) == 0) & (_core.compare(b, d) == 0)).reshape(shape)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else ~equal

    def __str__(self) -> str:
        return self._shown(None if self._real._digits is not None else 20, 1000)

    def _shown(self, digits: int | None, most: int) -> str:
        def line(values: Sequence[Any], open_with: str, text: Callable[[Any], str]) -> str:
            n = len(values)
            kept = range(n) if n <= most else [*range(most // 2), *range(n - most // 2, n)]
            texts = [text(values[i]) for i in kept]
            if n > most:
                texts.insert(most // 2, "...")
            return "[" + open_with.join(texts) + "]"

        if self.ndim == 1:
            return line(self, " ", lambda x: str(x._text(digits)))
        return line(self, "\n ", lambda row: line(row, " ", lambda x: str(x._text(digits))))

    def __repr__(self) -> str:
        digits = self.digits
        known = "" if digits is None or self.size == 0 else f", digits={digits.max()}"
        return f"ComplexNumbers({self._shown(20, 8)}, shape={self.shape}, bits={self.precision}{known})"

    def __reduce__(self) -> Any:
        return (_unpickled_complex_numbers, (self._real, self._imag))


def _unpickled_complex_numbers(real: Numbers, imag: Numbers) -> ComplexNumbers:
    return ComplexNumbers._of(real, imag)
