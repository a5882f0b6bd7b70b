"""One matrix for many right-hand sides."""

from __future__ import annotations

import html
import math
import warnings
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np

from . import _core
from ._answers import LU, Determinant, Inertia, InverseEntry, LogDeterminant, NullSpace, Plan, Rank
from ._complex_input import to_any_numbers, to_any_system
from ._complex_number import ComplexNumber
from ._complex_numbers import ComplexNumbers
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
        self._system = to_any_system(A, asked.pop("input_bits", None))
        for name in ("x0", "null_space"):
            if asked.get(name) is not None and not isinstance(asked[name], str):
                asked[name] = to_any_numbers(asked[name], name)
                if isinstance(asked[name], ComplexNumbers) and not self._system.is_complex:
                    self._system = self._system.as_complex()
        self._complex = self._system.is_complex
        self._beside_complex: Factor | None = None
        for name in ("block_size", "near_null_space", "coordinates"):
            if self._complex and asked.get(name) is not None:
                raise UnsupportedError(f"{name} is of real systems, and this one is complex")
        weights = weights_of(asked.get("weights"), self._system.rows, self._complex)
        m, m_t = functions_of(M, self._system.cols, self._complex) or (None, None)
        guess = guess_of(asked.get("x0"), self._system.cols, self._complex)
        null_space = null_space_of(asked.get("null_space"), self._system.cols, self._complex)
        near_null_space = near_null_space_of(asked.get("near_null_space"), self._system.rows)
        coordinates = coordinates_of(asked.get("coordinates"), asked.get("block_size"), self._system.rows)
        self._asked = changed(asked)
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
    def is_complex(self) -> bool:
        """Whether A is complex, or `x0` or `null_space` is; then all solutions are."""
        return self._complex

    @property
    def matrix(self) -> Matrix:
        """A as it is at work."""
        return Matrix._of(self._system)

    def solve(self, b: Any, callback: Callback | None = None) -> Result:
        """A x = b, or A X = B for the columns of B together.

        Parameters
        ----------
        b
            Of shape (m,) or (m, k), of any numbers that `residua.array` takes. Complex numbers beside a real A are solved for
            by a `Factor` of the same matrix that has complex solutions; it is made once.
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
        """The same with the transposed matrix, conjugated if it is complex, by the transposed factors."""
        return self._solve(b, True, callback)

    def _solve(self, b: Any, transposed: bool, callback: Callback | None) -> Result:
        told = watched(callback)
        b = to_any_numbers(b, "b")
        if not self._complex and isinstance(b, ComplexNumbers):
            if self._beside_complex is None:
                if "checkpoint" in self._texts or "resume" in self._texts:
                    raise UnsupportedError("checkpoint: A is real and b complex; give A as a complex matrix")
                self._beside_complex = Factor(Matrix._of(self._system.as_complex()), **self._asked)
            return self._beside_complex._solve(b, transposed, callback)
        columns, several = right_hand_sides(b, self.shape[1 if transposed else 0], "b", self._complex)
        outcomes = self._solver.solve(columns, transposed, told)
        unsaved = next((each.checkpoint_failure for each in outcomes if each.checkpoint_failure), None)
        if unsaved is not None:
            warnings.warn(f"the last state could not be saved: {unsaved}", RuntimeWarning, stacklevel=3)
        return Result(outcomes, several, self._complex)

    def update(self, values: Any) -> None:
        """Other entries in the places of the old ones; the order of elimination is kept, but not for decimals and fractions.

        Parameters
        ----------
        values
            As many numbers as A has entries, row by row with ascending columns, as in `Matrix.entries`; or a matrix with
            entries in the same places. The order of elimination of a complex A is made anew where other parts of its entries
            are zero than before.
        """
        if not isinstance(values, Matrix) and not hasattr(values, "tocsr"):
            taken = to_any_numbers(values, "values")
            if taken.ndim == 1:
                if taken.size != self._system.nnz:
                    raise DimensionError(f"values: {taken.size} numbers for {self._system.nnz} entries of A")
                values = self._with_values(taken)
        changed = to_any_system(values)
        if changed.is_complex and not self._complex:
            raise InputTypeError("values: complex numbers, and A is real")
        changed = changed.as_complex() if self._complex and not changed.is_complex else changed
        if not changed.same_pattern(self._system):
            raise DimensionError(
                f"values: a matrix of {changed.rows} x {changed.cols} with {changed.nnz} entries in other places than "
                f"those of A, which is {self._system.rows} x {self._system.cols} with {self._system.nnz}"
            )
        self._solver.update(changed)
        self._system = changed
        self._beside_complex = None

    def _with_values(self, values: Numbers | ComplexNumbers) -> Matrix:
        if isinstance(values, ComplexNumbers):
            parts = (self._with_values(each)._system for each in (values.real, values.imag))
            return Matrix._of(_core.System.of_parts(*parts))
        rows, cols, _ = self.matrix.entries()
        columns = cols.astype(np.int64)
        if values.precision == 53:
            made = _core.System.of_coo(*self.shape, rows, columns, values.astype(float))
        else:
            made = _core.System.of_coo_reals(*self.shape, rows, columns, values._reals, 0)
        return Matrix._of(made)

    def condition(self) -> Number | None:
        """An estimate of the condition of A in the 1-norm, of a complex A of its real form; None if it is not known, or A looks
        singular."""
        found = self._solver.condition()
        return None if found is None else Number._of(found)

    def determinant(self) -> Determinant | None:
        """det(A), to the digits asked for, three if none are; None if it is not known, or A looks singular."""
        found = self._solver.determinant()
        if found is None:
            return None
        value, error, parts = found
        if parts is None:
            return Determinant(Number._of(value), Number._of(error))
        return Determinant(ComplexNumber._of(*map(Number._of, parts)), Number._of(error))

    def abs_determinant(self) -> Determinant | None:
        """abs(det(A)), as `determinant`, of any square A."""
        found = self._solver.determinant()
        return None if found is None else Determinant(abs(Number._of(found[0])), Number._of(found[1]))

    def slogdet(self) -> LogDeterminant | None:
        """The sign of det(A) and log(abs(det(A))), as numpy has them: None as of `determinant`."""
        found = self.determinant()
        if found is None:
            return None
        value = found.value
        size = abs(value)
        sign = value / size if isinstance(value, ComplexNumber) else value._real.sign()
        return LogDeterminant(sign, size.log() if size > 0 else Number(-math.inf))

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
        if self._complex:
            raise UnsupportedError("lu: there are no triangles of complex matrices; solve() has factors of its own")
        lower, upper, rows = self._solver.triangles(False, self._bits(bits))
        return LU(rows, Numbers._of(lower, self.shape), Numbers._of(upper, self.shape))

    def cholesky(self, bits: Precision | None = None) -> Numbers:
        """The dense lower triangle L with A = L L'. `bits` are those of `lu`.

        Raises
        ------
        UnsupportedError
            A is not symmetric and positive definite in so many bits.
        """
        if self._complex:
            raise UnsupportedError("cholesky: there are no triangles of complex matrices; solve() has factors of its own")
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
        """How many eigenvalues of a symmetric or hermitian A are positive, negative and zero; None if it is not known."""
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
        n = (2 if self._complex else 1) * self.shape[1]
        basis = Numbers._of(numbers, (n, len(numbers) // n if n else 0))
        return NullSpace(ComplexNumbers._of_form(basis) if self._complex else basis, Number._of(error), digits)

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
        def number(real: _core.Real, imag: _core.Real) -> Number | ComplexNumber:
            return ComplexNumber._of(Number._of(real), Number._of(imag)) if self._complex else Number._of(real)

        return [
            InverseEntry(number(real, imag), None if error is None else Number._of(error), status)
            for real, imag, error, status in self._solver.inverse_entries(wanted)
        ]

    def plan(self) -> Plan:
        """What a solve tries, in this order, and why the first. TimeoutError: the time limit has passed before it is known."""
        return Plan(*self._solver.plan())

    def _facts(self) -> list[tuple[str, str]]:
        kind = "hermitian" if self._complex else "symmetric"
        kind = kind if self._system.is_symmetric() else f"not {kind}"
        entries = f"{self._system.nnz} {'complex ' if self._complex else ''}{'floats' if self._system.is_exact_double else 'entries that floats do not hold'}"
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
