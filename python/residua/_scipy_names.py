"""What people type who come from scipy and numpy: the way here, or that there is none."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Callable, ParamSpec, TypeVar

from ._errors import InputTypeError

P = ParamSpec("P")
R = TypeVar("R")

_FACTOR = "F = residua.factor(A), then F.solve(b) for each b"
_NO_EIGENVALUES = ("residua computes no eigenvalues; F = residua.factor(A) has F.inertia(), their signs for a symmetric "
                   "A, and F.condition(); mpmath.eig and flint.arb_mat.eig compute with many digits")
_NO_SINGULAR_VALUES = ("residua computes no singular values; residua.lsqr solves least squares, and "
                       "residua.factor(A).condition() is the condition in the 1-norm; mpmath.svd computes with many digits")
_NO_QR = "residua has no QR factors; residua.lsqr solves least squares, and mpmath.qr computes with many digits"
_NO_FUNCTIONS = "residua has no functions of matrices; mpmath.{} computes with many digits"
_SOLVE = "residua.solve(A, b), which finds the structure of A itself"
_LEAST_SQUARES = "residua.lsqr(A, b), or residua.solve(A, b) where A is not square"

_NAMES = {
    "spsolve": _SOLVE, "solve_triangular": _SOLVE, "spsolve_triangular": _SOLVE, "solve_banded": _SOLVE,
    "solveh_banded": _SOLVE, "solve_toeplitz": _SOLVE, "solve_circulant": _SOLVE,
    "splu": _FACTOR, "lu_factor": _FACTOR, "lu_solve": _FACTOR, "factorized": _FACTOR, "cho_factor": _FACTOR,
    "cho_solve": _FACTOR,
    "lu": "residua.factor(A).lu()", "cholesky": "residua.factor(A).cholesky()",
    "ldl": "residua.factor(A).lu() or .cholesky(); residua.factor(A).inertia() has the signs of the pivots",
    "spilu": 'M="ilut", or "ilu0" or "iluk", of residua.gmres and the like',
    "LinearOperator": "scipy's, which residua.cg and the like take",
    "aslinearoperator": "scipy's, which residua.cg and the like take",
    "det": "residua.factor(A).determinant()", "slogdet": "residua.factor(A).slogdet()",
    "inv": "residua.factor(A).inv(), or .inverse_entries(places) for a few",
    "matrix_rank": "residua.factor(A).rank()", "null_space": "residua.factor(A, digits=16).null_space()",
    "cond": "residua.factor(A).condition(), in the 1-norm", "condest": "residua.factor(A).condition(), in the 1-norm",
    "lstsq": _LEAST_SQUARES, "lsmr": _LEAST_SQUARES, "nnls": _LEAST_SQUARES + "; there are no bounds on x",
    "pinv": "residua.lsqr(A, b) for each b; there is no pseudo-inverse",
    **{name: f'residua.solve(A, b, method="{name}")' for name in ("bicg", "tfqmr")},
    **{name: "residua.gmres, bicgstab or idr, or residua.solve, which chooses"
       for name in ("cgs", "qmr", "lgmres", "gcrotmk")},
}
_MISSING = {
    **{name: _NO_EIGENVALUES for name in ("eig", "eigh", "eigvals", "eigvalsh", "eigs", "eigsh", "lobpcg", "schur",
                                          "eig_banded", "eigh_tridiagonal", "hessenberg")},
    **{name: _NO_SINGULAR_VALUES for name in ("svd", "svds", "svdvals", "polar", "orth")},
    **{name: _NO_QR for name in ("qr", "rq", "qr_multiply")},
    **{name: _NO_FUNCTIONS.format(name) for name in ("expm", "logm", "sqrtm", "cosm", "sinm")},
    "expm_multiply": _NO_FUNCTIONS.format("expm"),
    "norm": "residua has no norm of its own; numpy.linalg.norm takes the Numbers of a result",
}

_OPTIONS = {
    "tol": "use rtol=", "btol": "use rtol=", "iter_lim": "use maxiter=", "max_iterations": "use maxiter=",
    "max_iter": "use maxiter=",
    "damp": "use residua.solve(A, b, damp=T)", "shift": "subtract it from the diagonal of A", "show": "use callback=", "callback_type": "callback gets a Step",
    "preconditioner": "use M=", "dtype": "use precision= for the arithmetic, digits= for x",
    "prec": "use precision=", "bits": "use precision=", "dps": "use digits=", "solver": "use method=",
    "assume_a": "the structure of A is found", "lower": "the structure of A is found",
    "check_finite": "it is always checked", "overwrite_a": "A and b are never changed",
    "overwrite_b": "A and b are never changed", "permc_spec": "the order is chosen", "use_umfpack": "residua factors itself",
    "transposed": "use residua.factor(A).solve_transposed(b)", "rcond": "residua cuts no small singular values off",
    "conlim": "residua cuts no small singular values off", "n_jobs": "use threads=", "workers": "use threads=",
}


def way_to(name: str) -> str:
    """The message for a name that the package has not."""
    if name in _NAMES:
        return f"residua has no {name}; the way here: {_NAMES[name]}"
    return _MISSING.get(name, f"module 'residua' has no attribute {name!r}")


def with_hints(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which says of an option that it has not what is meant."""
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        for name in options:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = _OPTIONS.get(name) or (f"did you mean {near[0]}=?" if near else f"there are {', '.join(known[2:])}")
                raise InputTypeError(f"{name}: there is no such option; {hint}")
        return function(*args, **options)

    return call
