"""What a Factor tells of its matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._complex_number import ComplexNumber
from ._complex_numbers import ComplexNumbers
from ._number import Number
from ._numbers import Numbers


class Determinant(NamedTuple):
    """det(A), a real number if A is real or hermitian, and an estimate of its error relative to abs(det(A)): the smaller a part
    of a complex one is, the fewer digits of it are right."""

    value: Number | ComplexNumber
    relative_error: Number


class LogDeterminant(NamedTuple):
    """The sign of det(A), and log(abs(det(A))), whose absolute error is the relative error of `Factor.abs_determinant`. Of a
    complex A that is not hermitian the sign is det(A) / abs(det(A))."""

    sign: int | ComplexNumber
    logabsdet: Number


class LU(NamedTuple):
    """A[rows] = L U, with ones on the diagonal of L."""

    rows: np.ndarray[Any, np.dtype[np.int64]]
    L: Numbers
    U: Numbers


class Inertia(NamedTuple):
    """How many eigenvalues of a symmetric or hermitian matrix have which sign."""

    positive: int
    negative: int
    zero: int


class Rank(NamedTuple):
    """How many rows are linearly independent, and the columns less that.

    `source` is what shows it: ``"structure"`` or ``"one-prime"``, for certain; ``"two-primes"`` or ``"part"``, but for one case in
    10^12 or fewer; ``"condition"``, by an estimate.
    """

    rank: int
    nullity: int
    source: str


class NullSpace(NamedTuple):
    """An orthonormal basis of the vectors that A takes to zero, as columns, and an estimate of its error, normwise."""

    basis: Numbers | ComplexNumbers
    error: Number
    digits: int


class InverseEntry(NamedTuple):
    """An entry of inverse(A), an absolute error (None: unknown), and the status of its column."""

    value: Number | ComplexNumber
    error: Number | None
    status: str


class Plan(NamedTuple):
    """What a solve tries, in this order, each a method, a preconditioner and bits of factors (0: none); and why."""

    candidates: list[tuple[str, str, int]]
    reason: str
