"""Systems with any matrix, and the options of a solve: names, types, defaults, and what each is as text.

Which values an option takes is the library's to say, for all of its interfaces: solvers/options/option_text.cpp.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, NamedTuple, Protocol, TypedDict, TypeVar

import numpy as np

from ._errors import InputError, InputTypeError
from ._options import (bits_text, file_text, integer_text, long_number_text, number_text, preconditioner_text,
                       seconds_text, watched, word_text)
from ._result import Result, Step
from ._scipy_names import with_hints

if TYPE_CHECKING:
    from typing_extensions import Unpack

F = TypeVar("F", bound=Callable[..., Any])

Callback = Callable[[Step], Any]
Path = str | os.PathLike[str]
Method = Literal["auto", "refine", "direct", "gmres-ir", "gmres_ir", "cg", "minres", "bicg", "bicgstab", "bicgstabl",
                 "tfqmr", "idr", "gmres", "cocg", "cocr", "lsqr"]
"""Names of methods."""
Preconditioner = Literal["auto", "none", "jacobi", "block-jacobi", "block_jacobi", "ssor", "ilu0", "iluk", "ilut",
                         "ic0", "chebyshev", "lu", "cholesky", "ldl", "amg", "petsc"]
"""Names of preconditioners."""
class _Matvec(Protocol):
    def matvec(self, x: Any, /) -> Any: ...


class _Solve(Protocol):
    def solve(self, rhs: Any, /) -> Any: ...


class _Matmul(Protocol):
    def __matmul__(self, other: Any, /) -> Any: ...


Inverse = _Matvec | _Solve | _Matmul | Callable[[Any], Any]
"""A preconditioner of the caller's, which approximates the inverse of A."""
Format = Literal["auto", "native", "expansion", "multidigit", "rns"]
"""Names of formats of numbers."""
Executor = Literal["auto", "host", "cuda"]
"""Where to compute."""
Precision = int | Literal["double", "dd", "quad", "td", "qd"]
"""Bits, or a name for them."""
Factors = Precision | Literal["half", "single"]
"""Bits of factors, or a name for them."""


class CommonOptions(TypedDict, total=False):
    """Options that neither `residua.factor` nor the Krylov methods name."""

    precision: Precision | None
    format: Format
    factors: Factors | None
    fill: int | None
    time_limit: float | None
    estimate: bool
    executor: Executor
    threads: int | None
    input_bits: int | None
    checkpoint: Path | None
    resume: Path | None
    every: float | None


class KrylovOptions(CommonOptions, total=False):
    """Further options of `residua.cg` and the like."""

    digits: int | None


class MethodOptions(CommonOptions, total=False):
    """Options of `residua.factor` and `residua.solve` but M."""

    method: Method
    rtol: Any
    atol: Any
    maxiter: int | None
    restart: int | None
    x0: Any
    null_space: Any
    block_size: int | None
    near_null_space: Any
    coordinates: Any
    weights: Any
    damp: Any


class FactorOptions(MethodOptions, total=False):
    """Further options of `residua.factor`."""

    M: Preconditioner | Inverse | None


class SolveOptions(MethodOptions, total=False):
    """Further options of `residua.solve`."""

    M: Any
    callback: Callback | None


class _Option(NamedTuple):
    text: Callable[[str, Any], str] | None = None  # None: it does not go to the library as text
    default: Any = None


_OPTIONS = {
    "digits": _Option(integer_text),
    "method": _Option(word_text, "auto"),
    "M": _Option(preconditioner_text, "auto"),
    "precision": _Option(bits_text),
    "format": _Option(word_text, "auto"),
    "factors": _Option(bits_text),
    "rtol": _Option(number_text),
    "atol": _Option(number_text),
    "maxiter": _Option(integer_text),
    "restart": _Option(integer_text),
    "x0": _Option(),
    "null_space": _Option(),
    "block_size": _Option(integer_text),
    "near_null_space": _Option(),
    "coordinates": _Option(),
    "weights": _Option(),
    "damp": _Option(long_number_text),
    "fill": _Option(integer_text),
    "time_limit": _Option(seconds_text),
    "estimate": _Option(default=True),
    "executor": _Option(word_text, "auto"),
    "threads": _Option(integer_text),
    "callback": _Option(),
    "input_bits": _Option(),
    "checkpoint": _Option(file_text),
    "resume": _Option(file_text),
    "every": _Option(seconds_text),
}
"""All options, in the order in which signatures have them."""


def spelled_out(options: type) -> Callable[[F], F]:
    """The same function; its signature has the names, types and defaults of its **options, which are a TypedDict."""
    types = {name: getattr(each, "__forward_arg__", each) for name, each in options.__annotations__.items()}

    def change(function: F) -> F:
        own = inspect.signature(function)
        given = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        given += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=types[name])
                  for name, each in _OPTIONS.items() if name in types]
        function.__signature__ = own.replace(parameters=given)  # type: ignore[attr-defined]
        return function

    return change


def changed(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not what they are by default."""
    def is_default(name: str, value: Any) -> bool:
        usual = _OPTIONS[name].default
        return value is usual or (isinstance(usual, str) and isinstance(value, str) and value == usual)

    return {name: options[name] for name in _OPTIONS if name in options and not is_default(name, options[name])}


def as_texts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The options as `_core` takes them: names and texts. The rest of the options is looked at, too."""
    asked = changed(options)
    if not isinstance(asked.get("estimate", True), (bool, np.bool_)):
        raise InputTypeError(f"estimate: {asked['estimate']!r} is not a bool")
    if "checkpoint" in asked and "resume" in asked:
        raise InputError("resume: later states go into the same file, so no checkpoint is given beside it")
    if "every" in asked and "checkpoint" not in asked and "resume" not in asked:
        raise InputError("every: there is neither a checkpoint nor a resume")
    return [(name, text(name, asked[name])) for name, (text, _) in _OPTIONS.items() if text and name in asked]


@with_hints
@spelled_out(SolveOptions)
def solve(A: Any, b: Any, digits: int | None = None, **options: Unpack[SolveOptions]) -> Result:
    """Solves A x = b, or the least-squares problem where A is not square.

    Parameters
    ----------
    A
        A matrix of numpy's or scipy.sparse's, rows of numbers, an array that DLPack or the buffer protocol hands over, a
        matrix of mpmath's or python-flint's, or a `Matrix`. Numbers are int, float, complex, Fraction, Decimal, str, those
        of mpmath, gmpy2 and python-flint, `Number` and `ComplexNumber`: all of them exactly, see `input_bits`. With the name
        of a Krylov method also an operator, as `cg` takes it.
    b
        Of shape (m,) or (m, k), real or complex. Decimals and fractions that no bits hold are rounded to 8256 bits.
    digits
        The correct decimal digits of x that are wanted. None: as many as a solve for 16 gives.
    method
        ``"auto"``, ``"refine"``, ``"direct"``, ``"gmres-ir"`` or a Krylov method; `residua.methods` has all. Underscores
        stand for hyphens, here and in other names.
    M
        The preconditioner by its name; `residua.preconditioners` has all. None for none. ``"petsc:-pc_type icc"`` has
        options of PETSc's. Or an M of your own that
        approximates the inverse of A, in float64, beside complex numbers in complex128: a ``LinearOperator``, pyamg's ``aspreconditioner()`` among them, an object
        with ``solve``, as scipy's ``spilu`` gives it, a matrix, or a function of r. `cg` and `minres` need one that is
        symmetric positive definite; what it raises ends the solve and is raised again.
    precision
        Bits of the method's arithmetic, or ``"double"``, ``"dd"``, ``"quad"``, ``"td"``, ``"qd"``: 53, 106, 113, 159, 212.
        None: they are chosen, and raised where they do not suffice.
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
    null_space
        Vectors that A takes to zero, of shape (n,) or (n, k), or ``"ones"``, for iterative methods: x is the shortest solution
        then. Refused by an error if A does not take them to zero.
    block_size
        Rows of A come in groups of so many, the unknowns of a node, for the preconditioners ``"amg"`` and ``"petsc:..."``.
    near_null_space
        Vectors that A takes almost to zero, of shape (n,) or (n, k), for these.
    coordinates
        Where the nodes are, of shape (n / block_size, block_size) with 2 or 3 directions, for these: they make rigid body
        motions of it in place of near-null vectors.
    weights
        Of least squares, a number for each row, zero or above: x makes the sum of w (b - A x)^2 least.
    damp
        T of least squares: x makes norm(b - A x)^2 + T^2 norm(x)^2 least, with weights in the first sum.
    fill
        Of ``"iluk"`` the level, of ``"ilut"`` the entries beyond those of A in a row.
    time_limit
        Seconds.
    estimate
        Whether to estimate the condition and the error of x.
    executor
        ``"auto"``, ``"host"`` or ``"cuda"``.
    threads
        Of the host; None: all processors, or what ``OMP_NUM_THREADS`` says. x has the same bits for any number.
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
    from ._factor import Factor
    from ._operators import is_operator, solve_by_products

    asked: dict[str, Any] = {"digits": digits, **options}
    callback = asked.pop("callback", None)
    if is_operator(A):
        return solve_by_products(A, b, asked, watched(callback))
    return Factor(A, **asked).solve(b, callback)
