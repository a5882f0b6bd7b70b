"""Systems with any matrix."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Iterable, NamedTuple

import numpy as np

from . import _core
from ._convert import to_numbers, to_system
from ._errors import DimensionError, InputTypeError, UnsupportedError
from ._files import Matrix
from ._number import Number
from ._numbers import Numbers
from ._operators import is_operator, solve_by_products
from ._options import checkpoint_options, integer, looked_at, right_hand_sides, watched
from ._result import Result, Step

Callback = Callable[[Step], Any]
Path = str | os.PathLike[str]


class Determinant(NamedTuple):
    """det(A) and an estimate of its relative error."""

    value: Number
    relative_error: Number


class Inertia(NamedTuple):
    """How many eigenvalues of a symmetric matrix have which sign."""

    positive: int
    negative: int
    zero: int


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
    other threads wait. The GIL is released.
    """

    def __init__(self, A: Any, digits: int | None = None, *, method: str = "auto", M: str | None = "auto",
                 precision: int | str | None = None, format: str = "auto", factors: int | str | None = None,
                 rtol: Any = None, atol: Any = None, maxiter: int | None = None, restart: int | None = None,
                 x0: Any = None, fill: int | None = None, time_limit: float | None = None,
                 estimate: bool = True, executor: str = "auto", input_bits: int | None = None,
                 checkpoint: Path | None = None, resume: Path | None = None, every: float | None = None) -> None:
        options = looked_at(digits, method=method, M=M, precision=precision, format=format, factors=factors, rtol=rtol,
                            atol=atol, maxiter=maxiter, restart=restart, fill=fill, time_limit=time_limit,
                            estimate=estimate, executor=executor)
        options.update(checkpoint_options(checkpoint, resume, every))
        self._system = to_system(A, input_bits)
        guess = None
        if x0 is not None:
            columns, _ = right_hand_sides(x0, self._system.cols, "x0")
            guess = columns[0]
            if len(columns) > 1:
                raise DimensionError("x0 has several columns; one vector is needed")
        self._solver = _core.make_solver(self._system, x0=guess, **options)

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

    def inertia(self) -> Inertia | None:
        """How many eigenvalues of a symmetric A are positive, negative and zero; None if it is not known."""
        found = self._solver.inertia()
        return None if found is None else Inertia(*found)

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

    def __repr__(self) -> str:
        return f"<Factor of {self.shape[0]} x {self.shape[1]}>"


def factor(A: Any, digits: int | None = None, **options: Any) -> Factor:
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


def solve(A: Any, b: Any, digits: int | None = None, *, method: str = "auto", M: Any = "auto",
          precision: int | str | None = None, format: str = "auto", factors: int | str | None = None,
          rtol: Any = None, atol: Any = None, maxiter: int | None = None, restart: int | None = None,
          x0: Any = None, fill: int | None = None, time_limit: float | None = None, estimate: bool = True,
          executor: str = "auto", callback: Callback | None = None, input_bits: int | None = None,
          checkpoint: Path | None = None, resume: Path | None = None, every: float | None = None) -> Result:
    """Solves A x = b, or the least-squares problem where A is not square.

    Parameters
    ----------
    A
        A matrix of numpy's or scipy.sparse's, rows of numbers, an array that DLPack or the buffer protocol hands over, a
        matrix of mpmath's or python-flint's, or a `Matrix`. Numbers are int, float, Fraction, Decimal, str, those of
        mpmath, gmpy2 and python-flint, and `Number`: all of them exactly, see `input_bits`. With the name of a Krylov
        method also an operator, as `cg` takes it.
    b
        Of shape (m,) or (m, k). Decimals and fractions that no bits hold are rounded to 8256 bits.
    digits
        The correct decimal digits of x that are wanted. None: as many as a solve for 16 gives.
    method
        ``"auto"``, ``"refine"``, ``"direct"``, ``"gmres_ir"`` or a Krylov method; `residua.methods` has all.
    M
        The preconditioner by its name; `residua.preconditioners` has all. None for none.
    precision
        Bits of the method's arithmetic, or ``"double"``, ``"dd"``, ``"td"``, ``"qd"``. None: they are chosen, and raised
        where they do not suffice.
    format
        Of the numbers; `residua.formats` has all.
    factors
        Bits of the factors of a method that corrects by them, or a name.
    rtol, atol
        The solve has converged when norm(b - A x) <= max(rtol norm(b), atol), with the residual computed anew. Any number,
        ``"1e-400"`` too. By default rtol is 2^(-0.9 p) at p bits, and atol 0.
    maxiter
        The most iterations; by default 10 n, at least 1000.
    restart
        Iterations between restarts of GMRES; by default 50.
    x0
        An initial guess.
    fill
        Of ``"iluk"`` the level, of ``"ilut"`` the entries beyond those of A in a row.
    time_limit
        Seconds.
    estimate
        Whether to estimate the condition and the error of x.
    executor
        ``"auto"``, ``"host"`` or ``"cuda"``.
    callback
        Called with a `Step` after each step. What it raises ends the solve and is raised again; ``StopIteration`` ends it
        with the best x so far.
    input_bits
        The precision to which entries of A are rounded. None: they are exact, but for fractions that no bits hold and
        decimals beside such, which are rounded to 8256 bits.
    checkpoint
        A new file in which the solve leaves its state. A state that cannot be saved is a ``RuntimeWarning``.
    resume
        Such a file, from which this solve goes on and in which it leaves later states. The arguments are those of the
        solve before, but for ``time_limit`` and ``callback``.
    every
        Seconds between two states; by default 60.

    Returns
    -------
    Result
        Not converging is no exception: `Result.status` and `Result.verdict` say it.

    Raises
    ------
    Error
        One of its subclasses, for arguments that make no sense, requests that no method serves, and too little memory.

    Notes
    -----
    The GIL is released. Ctrl-C ends a solve.

    Examples
    --------
    >>> import residua
    >>> from fractions import Fraction
    >>> A = [[Fraction(1, i + j + 1) for j in range(12)] for i in range(12)]
    >>> result = residua.solve(A, [sum(row) for row in A], digits=30)
    >>> result.status, result.digits >= 30
    ('converged', True)
    >>> print(result.x[0].to_string(20))
    1.0000000000000000000e+00
    """
    if is_operator(A):
        if checkpoint is not None or resume is not None:
            raise UnsupportedError("checkpoint: a solve with an operator leaves no state")
        options = looked_at(digits, method=method, M="auto" if is_operator(M) else M, precision=precision, format=format,
                            factors=factors, rtol=rtol, atol=atol, maxiter=maxiter, restart=restart, fill=fill,
                            time_limit=time_limit, estimate=estimate, executor=executor)
        options["input_bits"] = input_bits
        return solve_by_products(A, b, x0, M, options, watched(callback))
    made = Factor(A, digits, method=method, M=M, precision=precision, format=format, factors=factors, rtol=rtol,
                  atol=atol, maxiter=maxiter, restart=restart, x0=x0, fill=fill, time_limit=time_limit,
                  estimate=estimate, executor=executor, input_bits=input_bits, checkpoint=checkpoint, resume=resume,
                  every=every)
    return made.solve(b, callback)
