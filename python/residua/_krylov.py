"""Krylov methods with the names of scipy.sparse.linalg."""

from __future__ import annotations

from typing import Any, Callable

from ._result import Result
from ._solve import Callback, solve

_DOC = """{title}

    Parameters
    ----------
    A
        {matrix} Any matrix that `residua.solve` takes; or an operator: a ``LinearOperator`` of scipy's, or any object with
        ``shape`` and ``matvec``{transposed}. With ``dtype=object``, or without a dtype, it gets and gives arrays of
        `Number`, in ``precision`` bits (by default 106), and in twice as many for residuals. With a dtype of numpy's
        floats it gets and gives float64: then x has the digits of binary64 at most, and rtol is 1e-10 by default. Of
        operators the residual is what their own products say, and how many digits of x are right is not known.
    b
        The right-hand side, of shape (m,) or (m, k).
    x0
        An initial guess; by default zero.
    rtol, atol
        norm(b - A x) <= max(rtol norm(b), atol), with the residual computed anew, is convergence. Any number,
        ``"1e-400"`` too. By default rtol is 2^(-0.9 p) at p bits of precision, and atol 0.
    maxiter
        The most iterations{cycles}; by default 10 n, at least 1000.{restart}{preconditioner}
    callback
        Called with a `Step` after each iteration. It does not get x.
    precision, digits, **options
        As in `residua.solve`.

    Returns
    -------
    Result
        ``x, info = residua.{name}(A, b)`` works as with scipy's.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.{name}([[4, 1], [1, 3]], [1, 2], precision="dd")
    >>> info, float(x[0])
    (0, 0.09090909090909091)
    """

_RESTART = """
    restart
        Iterations between restarts; by default 50."""
_M = """
    M
        The preconditioner by its name (`residua.preconditioners`); by default {default}. None for none. Beside an operator
        A it is an operator that approximates the inverse, or none."""


def _described(name: str, title: str, matrix: str, default: str | None, restarts: bool = False) -> Callable[[Any], Any]:
    def describe(function: Any) -> Any:
        function.__doc__ = _DOC.format(
            name=name, title=title, matrix=matrix, transposed=" and ``rmatvec``" if name == "lsqr" else "",
            restart=_RESTART if restarts else "",
            cycles=", and not restarts as in scipy" if restarts else "",
            preconditioner=_M.format(default=default) if default else "",
        )
        return function

    return describe


@_described("cg", "Conjugate gradients.", "Symmetric positive definite.", "the method's own")
def cg(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
       M: Any = "auto", callback: Callback | None = None, **options: Any) -> Result:
    return solve(A, b, method="cg", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, **options)


@_described("gmres", "Restarted GMRES.", "Square.", "the method's own", restarts=True)
def gmres(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, restart: int | None = None,
          maxiter: int | None = None, M: Any = "auto", callback: Callback | None = None,
          **options: Any) -> Result:
    return solve(A, b, method="gmres", x0=x0, rtol=rtol, atol=atol, restart=restart, maxiter=maxiter, M=M,
                 callback=callback, **options)


@_described("minres", "MINRES.", "Symmetric.", "the method's own")
def minres(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
           M: Any = "auto", callback: Callback | None = None, **options: Any) -> Result:
    return solve(A, b, method="minres", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback,
                 **options)


@_described("bicgstab", "BiCGSTAB.", "Square.", "the method's own")
def bicgstab(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
             M: Any = "auto", callback: Callback | None = None, **options: Any) -> Result:
    return solve(A, b, method="bicgstab", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback,
                 **options)


@_described("idr", "IDR(s).", "Square.", "the method's own")
def idr(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
        M: Any = "auto", callback: Callback | None = None, **options: Any) -> Result:
    return solve(A, b, method="idr", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, **options)


@_described("lsqr", "LSQR, for least squares and consistent systems.", "Of any shape.", None)
def lsqr(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
         callback: Callback | None = None, **options: Any) -> Result:
    return solve(A, b, method="lsqr", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, callback=callback, **options)
