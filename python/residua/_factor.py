"""One matrix for many right-hand sides."""

from __future__ import annotations

import html
import math
import warnings
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

import numpy as np

from . import _core
from ._convert import to_numbers, to_system
from ._errors import DimensionError, InputTypeError, UnsupportedError
from ._files import Matrix
from ._number import Number
from ._numbers import Numbers
from ._options import bits_text, coordinates_of, guess_of, integer, near_null_space_of, null_space_of, right_hand_sides, watched, weights_of
from ._preconditioner import functions_of
from ._result import Result
from ._scipy_names import with_hints
from ._solve import Callback, FactorOptions, Precision, as_texts, changed, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


_VECTORS = ("x0", "null_space", "near_null_space", "coordinates", "weights")


class Determinant(NamedTuple):
    """det(A) and an estimate of its relative error."""

    value: Number
    relative_error: Number


class LogDeterminant(NamedTuple):
    """The sign of det(A), and log(abs(det(A))), whose absolute error is the relative error of `Factor.determinant`."""

    sign: int
    logabsdet: Number


class LU(NamedTuple):
    """A[rows] = L U, with ones on the diagonal of L."""

    rows: np.ndarray[Any, np.dtype[np.int64]]
    L: Numbers
    U: Numbers


class Inertia(NamedTuple):
    """How many eigenvalues of a symmetric matrix have which sign."""

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

    basis: Numbers
    error: Number
    digits: int


class InverseEntry(NamedTuple):
    """An entry of inverse(A), an absolute error (None: unknown), and the status of its column."""

    value: Number
    error: Number | None
    status: str


class Plan(NamedTuple):
    """What a solve tries, in this order, each a method, a preconditioner and bits of factors (0: none); and why."""

    candidates: list[tuple[str, str, int]]
    reason: str


class Factor:
    """A matrix with all that is made of it once: structure, scaling, factors, estimates, plan.

    `residua.factor` makes one. Nothing is computed before it is needed. One object serves one call at a time; calls of
    other threads wait. The GIL is released. A copy, also one that was pickled, has the matrix and the options, and factors
    anew when it is first used.
    """

    @with_hints
    @spelled_out(FactorOptions)
    def __init__(self, A: Any, digits: int | None = None, **options: Unpack[FactorOptions]) -> None:
        asked: dict[str, Any] = {"digits": digits, **options}
        M = asked.get("M")
        own = M is not None and not isinstance(M, str)
        self._texts = dict(as_texts({**asked, "M": "auto"} if own else asked))
        self._system = to_system(A, asked.pop("input_bits", None))
        weights = weights_of(asked.get("weights"), self._system.rows)
        m, m_t = functions_of(M, self._system.cols) or (None, None)
        guess = guess_of(asked.pop("x0", None), self._system.cols)
        null_space = null_space_of(asked.get("null_space"), self._system.cols)
        near_null_space = near_null_space_of(asked.get("near_null_space"), self._system.rows)
        coordinates = coordinates_of(asked.get("coordinates"), asked.get("block_size"), self._system.rows)
        self._asked = changed({**asked, "x0": None if guess is None else Numbers._of(guess)})
        self._solver = _core.make_solver(self._system, list(self._texts.items()), bool(asked.get("estimate", True)), guess,
                                         null_space, near_null_space, coordinates, weights, m, m_t)

    def __reduce__(self) -> Any:
        if "checkpoint" in self._texts or "resume" in self._texts:
            raise UnsupportedError("a Factor with a checkpoint is not pickled or copied: two would write one file")
        return (_unpickled_factor, (self.matrix, self._asked))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of A."""
        return (self._system.rows, self._system.cols)

    @property
    def matrix(self) -> Matrix:
        """A as it is at work."""
        return Matrix._of(self._system)

    def solve(self, b: Any, callback: Callback | None = None) -> Result:
        """A x = b, or A X = B for the columns of B together.

        Parameters
        ----------
        b
            Of shape (m,) or (m, k), of any numbers that `residua.array` takes.
        callback
            Called with a `Step` after each step. What it raises ends the solve and is raised again; ``StopIteration``
            ends it with the best x so far. It must not use this object.

        Returns
        -------
        Result
            With the x and the figures that a new solve gives, bit for bit.
        """
        return self._solve(b, False, callback)

    def solve_transposed(self, b: Any, callback: Callback | None = None) -> Result:
        """The same with the transposed matrix, by the transposed factors."""
        return self._solve(b, True, callback)

    def _solve(self, b: Any, transposed: bool, callback: Callback | None) -> Result:
        told = watched(callback)
        columns, several = right_hand_sides(b, self.shape[1 if transposed else 0])
        outcomes = self._solver.solve(columns, transposed, told)
        unsaved = next((each.checkpoint_failure for each in outcomes if each.checkpoint_failure), None)
        if unsaved is not None:
            warnings.warn(f"the last state could not be saved: {unsaved}", RuntimeWarning, stacklevel=3)
        return Result(outcomes, several)

    def update(self, values: Any) -> None:
        """Other entries in the places of the old ones; the order of elimination is kept.

        Parameters
        ----------
        values
            As many numbers as A has entries, row by row with ascending columns, as in `Matrix.entries`; or a matrix with
            entries in the same places.
        """
        if not isinstance(values, Matrix) and not hasattr(values, "tocsr"):
            taken = to_numbers(values, "values")
            if taken.ndim == 1:
                if taken.size != self._system.nnz:
                    raise DimensionError(f"values: {taken.size} numbers for {self._system.nnz} entries of A")
                values = self._with_values(taken)
        changed = to_system(values)
        if not changed.same_pattern(self._system):
            raise DimensionError(
                f"values: a matrix of {changed.rows} x {changed.cols} with {changed.nnz} entries in other places than "
                f"those of A, which is {self._system.rows} x {self._system.cols} with {self._system.nnz}"
            )
        self._solver.update(changed)
        self._system = changed

    def _with_values(self, values: Numbers) -> Matrix:
        rows, cols, _ = self.matrix.entries()
        columns = cols.astype(np.int64)
        if values.precision == 53:
            made = _core.System.of_coo(*self.shape, rows, columns, values.astype(float))
        else:
            made = _core.System.of_coo_reals(*self.shape, rows, columns, values._reals, 0)
        return Matrix._of(made)

    def condition(self) -> Number | None:
        """An estimate of the condition of A in the 1-norm; None if it is not known, or A looks singular."""
        found = self._solver.condition()
        return None if found is None else Number._of(found)

    def determinant(self) -> Determinant | None:
        """det(A), to the digits asked for, three if none are; None if it is not known, or A looks singular."""
        found = self._solver.determinant()
        return None if found is None else Determinant(Number._of(found[0]), Number._of(found[1]))

    def slogdet(self) -> LogDeterminant | None:
        """The sign of det(A) and log(abs(det(A))), as numpy has them: None as of `determinant`."""
        found = self.determinant()
        if found is None:
            return None
        size = abs(found.value)
        return LogDeterminant(found.value._real.sign(), size.log() if size > 0 else Number(-math.inf))

    def inv(self) -> Result:
        """inverse(A), as the `Result` of A X = I: ``x`` is the inverse, and each column has its report.

        It costs a solve for each column and n^2 numbers; A x = b needs none of it.
        """
        rows, cols = self.shape
        if rows != cols:
            raise DimensionError(f"inv: A is {rows} x {cols}, and only square matrices have an inverse")
        return self._solve(np.eye(rows), False, None)

    def lu(self, bits: Precision | None = None) -> LU:
        """Dense triangles with A[rows] = L U, by partial pivoting.

        Parameters
        ----------
        bits
            Of the arithmetic, 64 at least. None: ``precision``, or as many as the digits asked for, 16 if none are, and the
            condition of A take.

        Raises
        ------
        UnsupportedError
            A is singular in so many bits.
        """
        lower, upper, rows = self._solver.triangles(False, self._bits(bits))
        return LU(rows, Numbers._of(lower, self.shape), Numbers._of(upper, self.shape))

    def cholesky(self, bits: Precision | None = None) -> Numbers:
        """The dense lower triangle L with A = L L'. `bits` are those of `lu`.

        Raises
        ------
        UnsupportedError
            A is not symmetric and positive definite in so many bits.
        """
        if not self._system.is_symmetric():
            raise UnsupportedError("cholesky: A is not symmetric; lu() has the factors of such matrices")
        lower, _, _ = self._solver.triangles(True, self._bits(bits))
        return Numbers._of(lower, self.shape)

    def _bits(self, bits: Precision | None) -> int:
        """Those of triangles."""
        asked = _core.precision_bits("auto" if bits is None else bits_text("precision", bits))
        asked = asked or _core.precision_bits(self._texts.get("precision", "auto"))
        if asked == 0:
            condition = self.condition() if self.shape[0] == self.shape[1] else None
            mantissa, exponent = (1, 0) if condition is None else condition.as_mantissa_exponent()
            lost = mantissa.bit_length() + exponent + self.shape[0].bit_length()
            asked = math.ceil(int(self._texts.get("digits", 16)) * math.log2(10)) + lost + 8
        return min(max(asked, 64), _core.longest_precision)

    def inertia(self) -> Inertia | None:
        """How many eigenvalues of a symmetric A are positive, negative and zero; None if it is not known."""
        found = self._solver.inertia()
        return None if found is None else Inertia(*found)

    def rank(self) -> Rank | None:
        """The rank of A, of any shape, in which nothing is rounded; None if it is not known."""
        found = self._solver.rank()
        return None if found is None else Rank(*found)

    def null_space(self) -> NullSpace | None:
        """The vectors that A takes to zero, to the digits asked for, 16 if none are; None if the rank of A is not known.

        The basis has a column for each, none if the columns of A are linearly independent.
        """
        found = self._solver.null_space()
        if found is None:
            return None
        numbers, error, digits = found
        n = self.shape[1]
        return NullSpace(Numbers._of(numbers, (n, len(numbers) // n if n else 0)), Number._of(error), digits)

    def inverse_entries(self, places: Iterable[tuple[int, int]]) -> list[InverseEntry]:
        """The entries (i, j) of inverse(A), counted from 0; each column in which some are wanted costs a solve."""
        wanted = []
        for k, place in enumerate(places):
            try:
                i, j = place
            except (TypeError, ValueError):
                raise InputTypeError(f"places[{k}]: {place!r} is not a pair (i, j)") from None
            wanted.append((integer(f"places[{k}]", i, 0, self.shape[0] - 1),
                           integer(f"places[{k}]", j, 0, self.shape[1] - 1)))
        return [
            InverseEntry(Number._of(value), None if error is None else Number._of(error), status)
            for value, error, status in self._solver.inverse_entries(wanted)
        ]

    def plan(self) -> Plan:
        """What a solve tries, in this order, and why the first. TimeoutError: the time limit has passed before it is known."""
        return Plan(*self._solver.plan())

    def _facts(self) -> list[tuple[str, str]]:
        kind = "symmetric" if self._system.is_symmetric() else "not symmetric"
        entries = f"{self._system.nnz} {'floats' if self._system.is_exact_double else 'entries that floats do not hold'}"
        options = [f"{name}={'...' if name in _VECTORS else repr(value)}" for name, value in self._asked.items()]
        return [("entries", f"{entries}, {kind}"), ("options", ", ".join(options) or "all by default")]

    def __repr__(self) -> str:
        (_, entries), (_, options) = self._facts()
        return f"<Factor of {self.shape[0]} x {self.shape[1]}: {entries}; {options}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{html.escape(text)}</td></tr>"
                       for name, text in self._facts())
        return f"<p><b>Factor of {self.shape[0]} x {self.shape[1]}</b></p><table>{rows}</table>"


def _unpickled_factor(matrix: Matrix, asked: dict[str, Any]) -> Factor:
    return Factor(matrix, **asked)


def factor(A: Any, digits: int | None = None, **options: Unpack[FactorOptions]) -> Factor:
    """A solver for one matrix and many right-hand sides, one after the other or together.

    Parameters
    ----------
    A
        The matrix, as `solve` takes it.
    digits, **options
        As in `solve`.

    Returns
    -------
    Factor

    Examples
    --------
    >>> import residua
    >>> F = residua.factor([[2, 1], [1, 3]], digits=30)
    >>> F.solve([3, 4]).x.astype(float)
    array([1., 1.])
    >>> F.update([4, 1, 1, 3])
    >>> F.solve_transposed([5, 4]).x.astype(float)
    array([1., 1.])
    >>> F.condition() < 10
    True
    """
    return Factor(A, digits, **options)
