"""Krylov methods with the names of scipy.sparse.linalg."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._result import Result
from ._solve import Callback, solve

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._solve import KrylovOptions


def cg(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
       M: Any = "auto", callback: Callback | None = None, **options: Unpack[KrylovOptions]) -> Result:
    """Conjugate gradients, for a symmetric positive definite A.

    Parameters
    ----------
    A
        Any matrix that `residua.solve` takes; or an operator: a ``LinearOperator`` of scipy's, or any object with ``shape``
        and ``matvec``. With ``dtype=object``, or without a dtype, it gets and gives arrays of `Number`, in ``precision``
        bits (by default 106), and in twice as many for residuals. With a dtype of numpy's floats it gets and gives
        float64: then x has the digits of binary64 at most, and rtol is 1e-10 by default. A complex one gets complex128,
        and one without a dtype arrays of `ComplexNumber` if b is complex. Of operators the residual
        is what their own products say, and how many digits of x are right is not known.
    b
        The right-hand side, of shape (m,) or (m, k).
    x0
        An initial guess; by default zero.
    rtol, atol
        norm(b - A x) <= max(rtol norm(b), atol), with the residual computed anew, is convergence. Any number,
        ``"1e-400"`` too. By default rtol is 2^(-0.9 p) at p bits of precision, and atol 0.
    maxiter
        The most iterations; by default 10 n, at least 1000.
    M
        The preconditioner by its name (`residua.preconditioners`); by default the method's own. None for none. Beside an
        operator A it is an operator that approximates the inverse, or none; beside a matrix also one, as in
        `residua.solve`.
    callback
        Called with a `Step` after each iteration. It does not get x.
    **options
        As in `residua.solve`, ``precision``, ``digits`` and ``threads`` among them.

    Returns
    -------
    Result
        ``x, info = residua.cg(A, b)`` works as with scipy's.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.cg([[4, 1], [1, 3]], [1, 2], precision="dd")
    >>> info, float(x[0])
    (0, 0.09090909090909091)
    """
    return solve(A, b, method="cg", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, **options)


def gmres(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, restart: int | None = None,
          maxiter: int | None = None, M: Any = "auto", callback: Callback | None = None,
          **options: Unpack[KrylovOptions]) -> Result:
    """Restarted GMRES, for a square A. Arguments are those of `cg`, and one more.

    Parameters
    ----------
    restart
        Iterations between restarts; by default 50. `maxiter` counts iterations, and not restarts as in scipy.
    **options
        As in `residua.solve`.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.gmres([[4, 2], [1, 3]], [6, 4], precision="dd")
    >>> info, float(x[0])
    (0, 1.0)
    """
    return solve(A, b, method="gmres", x0=x0, rtol=rtol, atol=atol, restart=restart, maxiter=maxiter, M=M,
                 callback=callback, **options)


def minres(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
           M: Any = "auto", callback: Callback | None = None, **options: Unpack[KrylovOptions]) -> Result:
    """MINRES, for a symmetric A. Arguments are those of `cg`.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.minres([[1, 2], [2, 1]], [3, 3], precision="dd")
    >>> info, float(x[0])
    (0, 1.0)
    """
    return solve(A, b, method="minres", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback,
                 **options)


def bicgstab(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
             M: Any = "auto", callback: Callback | None = None, **options: Unpack[KrylovOptions]) -> Result:
    """BiCGSTAB, for a square A. Arguments are those of `cg`.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.bicgstab([[4, 2], [1, 3]], [6, 4], precision="dd")
    >>> info, float(x[0])
    (0, 1.0)
    """
    return solve(A, b, method="bicgstab", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback,
                 **options)


def idr(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
        M: Any = "auto", callback: Callback | None = None, **options: Unpack[KrylovOptions]) -> Result:
    """IDR(s), for a square A. Arguments are those of `cg`.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.idr([[4, 2], [1, 3]], [6, 4], precision="dd")
    >>> info, float(x[0])
    (0, 1.0)
    """
    return solve(A, b, method="idr", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, M=M, callback=callback, **options)


def lsqr(A: Any, b: Any, x0: Any = None, *, rtol: Any = None, atol: Any = None, maxiter: int | None = None,
         callback: Callback | None = None, **options: Unpack[KrylovOptions]) -> Result:
    """LSQR, for least squares and consistent systems with an A of any shape. Arguments are those of `cg`, but for M.

    An operator A has ``rmatvec`` too, the product with its transposed matrix, conjugated if it is complex.

    Examples
    --------
    >>> import residua
    >>> x, info = residua.lsqr([[1, 0], [0, 1], [1, 1]], [1, 1, 2], precision="dd")
    >>> info, float(x[0])
    (0, 1.0)
    """
    return solve(A, b, method="lsqr", x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, callback=callback, **options)
