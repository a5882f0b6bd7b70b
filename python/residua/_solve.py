"""Systems with any matrix."""

from __future__ import annotations

from typing import Any

from ._errors import UnsupportedError
from ._factor import Factor
from ._operators import is_operator, solve_by_products
from ._options import Callback, Executor, Factors, Format, Method, Path, Precision, looked_at, watched
from ._result import Result
from ._scipy_names import with_hints


@with_hints
def solve(A: Any, b: Any, digits: int | None = None, *, method: Method = "auto", M: Any = "auto",
          precision: Precision | None = None, format: Format = "auto", factors: Factors | None = None,
          rtol: Any = None, atol: Any = None, maxiter: int | None = None, restart: int | None = None,
          x0: Any = None, fill: int | None = None, time_limit: float | None = None, estimate: bool = True,
          executor: Executor = "auto", threads: int | None = None, callback: Callback | None = None,
          input_bits: int | None = None, checkpoint: Path | None = None, resume: Path | None = None,
          every: float | None = None) -> Result:
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
        ``"auto"``, ``"refine"``, ``"direct"``, ``"gmres-ir"`` or a Krylov method; `residua.methods` has all. Underscores
        stand for hyphens, here and in other names.
    M
        The preconditioner by its name; `residua.preconditioners` has all. None for none.
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
    if is_operator(A):
        if checkpoint is not None or resume is not None:
            raise UnsupportedError("checkpoint: a solve with an operator leaves no state")
        options = looked_at(digits, method=method, M="auto" if is_operator(M) else M, precision=precision, format=format,
                            factors=factors, rtol=rtol, atol=atol, maxiter=maxiter, restart=restart, fill=fill,
                            time_limit=time_limit, estimate=estimate, executor=executor, threads=threads)
        options["input_bits"] = input_bits
        return solve_by_products(A, b, x0, M, options, watched(callback))
    made = Factor(A, digits, method=method, M=M, precision=precision, format=format, factors=factors, rtol=rtol,
                  atol=atol, maxiter=maxiter, restart=restart, x0=x0, fill=fill, time_limit=time_limit,
                  estimate=estimate, executor=executor, threads=threads, input_bits=input_bits, checkpoint=checkpoint,
                  resume=resume, every=every)
    return made.solve(b, callback)
