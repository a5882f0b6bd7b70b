"""Operators of which only products with vectors are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._convert import is_sparse, to_numbers, to_real
from ._errors import DimensionError, InputError, InputTypeError, UnsupportedError
from ._number import Number
from ._numbers import Numbers
from ._options import right_hand_sides
from ._result import Result

_CAVEAT = ("This is the residual by A's own products, {noise}. How many digits of x are right is not known: that takes the "
           "entries of A.")
_BINARY64 = "which are in binary64, so that no residual below 1e-16 norm(A) norm(x) is known"
_LONG = "with vectors of {bits} bits"


def _missing(x: Any) -> Any:
    raise NotImplementedError


def is_operator(a: Any) -> bool:
    """Whether it has products and no entries: a LinearOperator of scipy's, or anything else with a matvec and a shape."""
    return hasattr(a, "matvec") and not is_sparse(a) and not isinstance(a, np.ndarray)


class Operator:
    """An operator of the caller's that takes and gives Reals.

    It gets arrays of `Number`, or arrays of float64 where its dtype is one of numpy's floats or integers.
    """

    def __init__(self, given: Any, name: str) -> None:
        self._given = given
        self.name = name
        shape: Any = getattr(given, "shape", None)
        try:
            rows, cols = shape
            self.shape = (int(rows), int(cols))
        except (TypeError, ValueError):
            raise DimensionError(f"{name}: an operator of the shape {shape!r}, which is not that of a matrix") from None
        if min(self.shape) < 1:
            raise DimensionError(f"{name}: an operator of {self.shape[0]} x {self.shape[1]} has nothing to solve")
        if not callable(given.matvec):
            raise InputTypeError(f"{name}: its matvec cannot be called")
        kind = "O" if getattr(given, "dtype", None) is None else np.dtype(given.dtype).kind
        if kind not in "Ofiu":
            raise InputTypeError(f"{name}: an operator of {given.dtype} numbers; residua solves real systems")
        self.in_binary64 = kind != "O"

    def product(self, x: _core.Reals) -> _core.Reals:
        """A x."""
        return self._by("matvec", x, self.shape[0])

    def transposed_product(self, x: _core.Reals) -> _core.Reals:
        """A' x."""
        return self._by("rmatvec", x, self.shape[1])

    def _by(self, how: str, x: _core.Reals, size: int) -> _core.Reals:
        given = x.doubles() if self.in_binary64 else Numbers._of(x).astype(object)
        where = f"{self.name}.{how}(x)"
        try:
            made = getattr(self._given, how, _missing)(given)
        except NotImplementedError as e:
            raise UnsupportedError(f"{self.name}: the method needs its {how}, and it has none") from e
        except (TypeError, ValueError) as e:
            if self.in_binary64 or "no supported conversion for types" not in str(e):
                raise
            raise InputTypeError(f"{where}: scipy.sparse has no products with numbers of {x.most_precision()} bits; "
                                 "residua.Matrix(K) @ x has, where K is its matrix") from e
        if not self.in_binary64 and not isinstance(made, Numbers) and np.asarray(made).dtype.kind == "f":
            raise InputTypeError(
                f"{where}: floats came back for numbers of {x.most_precision()} bits; compute with the elements of x, or "
                f"give the operator dtype=float, which has the digits of binary64"
            )
        taken = to_numbers(made, where)
        if taken.shape not in ((size,), (size, 1)):
            raise DimensionError(f"{where} has the shape {taken.shape}, and not ({size},)")
        return taken._reals


def _refuse(options: dict[str, Any]) -> None:
    """What needs entries."""
    usual = {"digits": (0,), "format": ("auto", "multidigit"), "factors": (0,), "fill": (None,),
             "executor": ("auto", "host"), "input_bits": (None,)}
    for name, values in usual.items():
        if options[name] not in values:
            raise UnsupportedError(f"{name}={options[name]!r} needs the entries of A, and an operator has none")


def _bits(a: Operator, asked: int) -> int:
    if a.in_binary64:
        if asked not in (0, 53):
            raise UnsupportedError(
                f"precision: A computes in binary64, as its dtype says, and not in {asked} bits; give it dtype=object, and "
                f"its matvec gets arrays of residua.Number"
            )
        return 53
    return max(asked, 64) if asked else 106


def solve_by_products(A: Any, b: Any, x0: Any, M: Any, options: dict[str, Any], callback: Any) -> Result:
    """Solves with an operator A, by a method that is named; the options have been looked at, but for M."""
    _refuse(options)
    method = options["method"]
    if method == "auto":
        raise UnsupportedError("method: none can be chosen for an operator; name one: cg, gmres, minres, bicgstab, idr, lsqr")
    a = Operator(A, "A")
    if method != "lsqr" and a.shape[0] != a.shape[1]:
        raise DimensionError(f"A: {method} needs a square operator, and this one is {a.shape[0]} x {a.shape[1]}")
    m = _preconditioner(M, a, method)
    bits = _bits(a, options["precision"])
    rtol = options["rtol"]
    if rtol is None:
        rtol = to_real(1e-10 if a.in_binary64 else Number(1) / Number(2 ** (9 * bits // 10)))
    elif a.in_binary64 and rtol.to_float() < 2.0**-52:
        raise InputError(f"rtol: {Number._of(rtol):.3g} is below 2^-52, and products in binary64 cannot show that")
    columns, several = right_hand_sides(b, a.shape[0])
    guess = None
    if x0 is not None:
        guesses, _ = right_hand_sides(x0, a.shape[1], "x0")
        if len(guesses) > 1:
            raise DimensionError("x0 has several columns; one vector is needed")
        guess = guesses[0]
    caveat = _CAVEAT.format(noise=_BINARY64 if a.in_binary64 else _LONG.format(bits=2 * bits + 8))
    outcomes = [
        _core.solve_operator(
            a.product, a.transposed_product, None if m is None else m.product,
            None if m is None else m.transposed_product, *a.shape, method, bits, a.in_binary64,
            m is not None and m.in_binary64, column, guess, rtol, options["atol"] or to_real(0), options["maxiter"],
            options["restart"], options["time_limit"], options["threads"], caveat, callback,
        )
        for column in columns
    ]
    return Result(outcomes, several)


def _preconditioner(M: Any, a: Operator, method: str) -> Operator | None:
    if not is_operator(M):
        if M not in (None, "auto", "none"):
            raise UnsupportedError(f"M: {M!r} is made from the entries of A, and an operator has none; give an operator M")
        return None
    m = Operator(M, "M")
    if method == "lsqr" or m.shape != a.shape:
        raise DimensionError(f"M: an operator of {m.shape[0]} x {m.shape[1]} does not fit {method} with A of "
                             f"{a.shape[0]} x {a.shape[1]}")
    return m
