"""Matrices as residua holds them, and MatrixMarket files."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterable

import numpy as np

from . import _core
from ._complex_numbers import ComplexNumbers
from ._convert import is_sparse, refuse_operator
from ._errors import InputError, InputTypeError
from ._number import Number
from ._numbers import Numbers


class Matrix:
    """A sparse matrix, real or complex, with every digit of its entries, which does not change.

    `residua.read` returns one, and all solves take one. Making it once saves the copy of the arrays that each solve
    takes otherwise.

    Parameters
    ----------
    a
        A matrix of numpy's or scipy.sparse's, rows of numbers of any type, `Numbers`, `ComplexNumbers`, or a `Matrix`.
    input_bits
        The precision to which entries are rounded. None: decimals are kept as they are written, other numbers exactly;
        a fraction that no bits hold, such as ``Fraction(1, 3)``, and decimals beside such are rounded to 8256 bits.

    Examples
    --------
    >>> import residua
    >>> A = residua.Matrix([["0.1", 0], [0, "1e-400"]])
    >>> A
    <Matrix of 2 x 2, 4 entries that floats do not hold>
    >>> A.toarray()
    array([[0.1, 0. ],
           [0. , 0. ]])
    """

    __slots__ = ("_system",)
    _system: _core.System

    def __init__(self, a: Any, input_bits: int | None = None) -> None:
        from ._complex_input import to_any_system

        self._system = to_any_system(a, input_bits)

    @classmethod
    def _of(cls, system: _core.System) -> Matrix:
        made = object.__new__(cls)
        made._system = system
        return made

    def _parts(self) -> tuple[Matrix, Matrix]:
        """The matrices of the real and of the imaginary parts, with entries in the same places."""
        first, second = self._system.parts()
        return Matrix._of(first), Matrix._of(second)

    def __reduce__(self) -> Any:
        if self.is_complex:
            return (_unpickled_complex_matrix, self._parts())
        s = self._system
        decimals, numbers, error = s.exact_state()
        return (_unpickled_matrix, (s.rows, s.cols, s.row_begin(), s.column(), s.doubles(), decimals,
                                    None if numbers is None else Numbers._of(numbers), Number._of(error)))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return (self._system.rows, self._system.cols)

    @property
    def nnz(self) -> int:
        """How many entries there are, zeros that were given among them."""
        return self._system.nnz

    @property
    def is_complex(self) -> bool:
        """Whether it is a complex matrix: one that was made of complex numbers, or read with an imaginary part that is not 0."""
        return self._system.is_complex

    @property
    def is_float(self) -> bool:
        """Whether floats hold all entries exactly, of complex ones their parts."""
        return self._system.is_exact_double

    def entries(self) -> tuple[Any, Any, Numbers | ComplexNumbers]:
        """(rows, columns, values) of all entries by rows, columns ascending; values with all bits, decimals to 8256."""
        if self.is_complex:
            (rows, columns, real), (_, _, imag) = (part.entries() for part in self._parts())
            return rows, columns, ComplexNumbers._of(real, imag)  # type: ignore[arg-type]
        counts = np.diff(self._system.row_begin())
        rows = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        return rows, self._system.column(), Numbers._of(self._system.entries(_core.decimal_bits))

    def to_scipy(self) -> Any:
        """A scipy.sparse.csr_array of the floats that are nearest to the entries, of complex128 of a complex matrix."""
        import scipy.sparse

        if self.is_complex:
            made, imag = (part.to_scipy() for part in self._parts())
            made.data = made.data + 1j * imag.data
            return made
        s = self._system
        return scipy.sparse.csr_array((s.doubles(), s.column(), s.row_begin()), shape=self.shape)

    def toarray(self) -> np.ndarray[Any, Any]:
        """The same as a dense array."""
        if self.is_complex:
            real, imag = (part.toarray() for part in self._parts())
            return real + 1j * imag
        dense = np.zeros(self.shape)
        counts = np.diff(self._system.row_begin())
        dense[np.repeat(np.arange(len(counts)), counts), self._system.column()] = self._system.doubles()
        return dense

    __array_ufunc__ = None  # so that A @ matrix of numpy's comes here

    def __matmul__(self, x: Any) -> Any:
        """A x for a vector or a matrix x of any numbers, every element the exact one, rounded once.

        It has the bits of x, or of the entries if these are longer; a decimal counts with 8256 bits.
        """
        from ._array_functions import matmul

        return matmul(self, x)

    def __rmatmul__(self, x: Any) -> Any:
        from ._array_functions import matmul

        return matmul(x, self)

    def row_sums(self) -> Numbers | ComplexNumbers:
        """A (1, ..., 1), exactly: the right-hand side whose solution is all ones."""
        made = Numbers._of(self._system.row_sums())
        return ComplexNumbers._of_form(made) if self.is_complex else made

    def __repr__(self) -> str:
        kind = f"{'complex ' if self.is_complex else ''}{'floats' if self.is_float else 'entries that floats do not hold'}"
        return f"<Matrix of {self.shape[0]} x {self.shape[1]}, {self.nnz} {kind}>"


def _unpickled_matrix(rows: int, cols: int, row_begin: Any, column: Any, doubles: Any, decimals: list[str] | None,
                      numbers: Numbers | None, error: Number) -> Matrix:
    reals = None if numbers is None else numbers._reals
    return Matrix._of(_core.System.of_state(rows, cols, row_begin, column, doubles, decimals, reals, error._real))


def _unpickled_complex_matrix(real: Matrix, imag: Matrix) -> Matrix:
    return Matrix._of(_core.System.of_parts(real._system, imag._system))


def _path(path: object) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"path: {type(path).__name__} is no name of a file")
    name = os.fspath(path)
    if not isinstance(name, str) or not name:
        raise InputError("path: a name of a file is needed")
    return name


def read(path: str | os.PathLike[str]) -> Matrix | Numbers | ComplexNumbers:
    """A matrix or vectors from a file, with all of their digits.

    Parameters
    ----------
    path
        The file: MatrixMarket, Harwell-Boeing, Rutherford-Boeing, ``.npy``, ``.npz``, or a column of numbers. What is packed
        by gzip is unpacked.

    Returns
    -------
    Matrix or Numbers or ComplexNumbers
        A `Matrix` of a sparse file, whose decimals it keeps as they are written if one has more than 17 digits or
        leaves the range of floats, and not all are floats as they are printed with as many digits; else they are the
        nearest floats. `Numbers` with the shape of a dense file, each rounded to 8256 bits; ``.astype(float)`` has the
        nearest floats. A dense file of complex numbers gives `ComplexNumbers`. A sparse one gives a complex `Matrix`, but a
        real one, with a warning, if all imaginary parts are 0.

    Raises
    ------
    InputError
        The file cannot be read, or has none of these formats; the message has the line and the reason.
    UnsupportedError
        It holds what is not read, which the message names.
    """
    system, numbers, rows, cols, is_complex, messages = _core.read_file(_path(path))
    for message in messages:
        warnings.warn(message, stacklevel=2)
    if system is not None:
        return Matrix._of(system)
    by_columns = Numbers._of(numbers, (cols, (2 if is_complex else 1) * rows))
    return ComplexNumbers._of_form(by_columns.T) if is_complex else by_columns.T


def write(path: str | os.PathLike[str], a: Any, comments: Iterable[str] = ()) -> None:
    """Writes a matrix or vectors to a MatrixMarket file, with all of their digits.

    Each number is a decimal that reads back as it at its own precision: ``residua.array(residua.read(path), bits)`` has
    the numbers of so many bits that were written. Decimals of a `Matrix` are written as they are.

    Parameters
    ----------
    path
        The file.
    a
        A `Matrix` or a sparse matrix, for a coordinate file; `Numbers`, `ComplexNumbers` or what `residua.array` takes, for an
        array file. A vector becomes one column.
    comments
        Lines at the beginning of the file.
    """
    from ._complex_input import form_of, to_any_numbers, to_any_system

    lines = [str(line) for line in ([comments] if isinstance(comments, str) else comments)]
    refuse_operator(a, "a")
    if isinstance(a, Matrix) or is_sparse(a):
        _core.write_matrix(_path(path), to_any_system(a), lines)
        return
    given = to_any_numbers(a, "a")
    rows, cols = (given.shape[0], 1) if given.ndim == 1 else given.shape
    is_complex = isinstance(given, ComplexNumbers)
    x = form_of(given) if isinstance(given, ComplexNumbers) else given
    by_columns = x if x.ndim == 1 else x.T
    _core.write_array(_path(path), rows, cols, by_columns._reals, lines, is_complex)
