"""Many small systems at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._complex_input import split
from ._complex_numbers import ComplexNumbers
from ._convert import number_at, require_finite
from ._errors import DimensionError, InputError, UnsupportedError
from ._numbers import Numbers
from ._solve import Executor, Precision, as_texts
from ._take import check_bits

_MOST_TERMS = 4
_MOST_BITS = 212  # of these terms


class BatchResult:
    """The solutions of many systems, and what each is worth.

    Attributes
    ----------
    x : Numbers or ComplexNumbers, or a list of these
        ``x[s]`` solves system s: of shape (k, n) together, or k matrices (n, m) for m right-hand sides each.
    status : ndarray
        ``"solved"``, ``"singular"`` or ``"failed"`` of each system, of shape (k,) or (k, m).
    digits : ndarray
        How many decimal digits of each x are right; 0: none are known.
    error : ndarray
        norm(x - exact) / norm(exact) in the infinity norm: a bound, or of systems that went to `solve` its estimate.
    one_by_one : ndarray
        Whether a system went to `solve`.
    """

    def __init__(self, x: Any, verdicts: list[tuple[str, int, float, bool]],
                 shape: tuple[int, ...]) -> None:
        def column(k: int, dtype: Any) -> np.ndarray[Any, Any]:
            return np.array([each[k] for each in verdicts], dtype=dtype).reshape(shape)

        self.x = x
        self.status = column(0, str)
        self.digits = column(1, int)
        self.error = column(2, float)
        self.one_by_one = column(3, bool)

    @property
    def solved(self) -> bool:
        """Whether every system has the digits that were asked for."""
        return bool((self.status == "solved").all())

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        counts = ", ".join(f"{(self.status == word).sum()} {word}" for word in ("solved", "singular", "failed"))
        least = f"; {self.digits.min()} digits at least" if self.digits.size and self.solved else ""
        return f"<BatchResult of {len(self)} systems: {counts}{least}>"


def _stack(made: Any, name: str, dims: tuple[int, ...], bits: int | None) -> tuple[np.ndarray[Any, Any], tuple[int, ...]]:
    """Numbers as sums of up to 4 floats: (terms, all of them); and their shape."""
    if made.ndim not in dims:
        needed = " or ".join(str(d) for d in dims)
        hint = "; residua.solve takes a single matrix" if name == "A" and made.ndim == 2 else ""
        raise DimensionError(f"{name}: an array of {made.ndim} dimensions, and a batch needs {needed}{hint}")
    shape = made.shape
    if isinstance(made, Numbers):
        reals = made._reals if bits is None else _core.Reals.of_list([each._real.rounded(bits) for each in made.ravel()])
    elif made.dtype != object:
        require_finite(made, name)
        if bits is None or bits >= 53:
            return np.ascontiguousarray(made).reshape(1, -1), shape
        reals = _core.Reals.of_list([_core.Real.of_float(each).rounded(bits) for each in made.ravel().tolist()])
    else:
        reals = _core.Reals.of_list([number_at(each, at, name, shape, bits) for at, each in enumerate(made.ravel())])
    planes = reals.terms(_MOST_TERMS + 1)
    used = int(np.flatnonzero(planes.any(axis=1)).max(initial=0)) + 1
    if used > _MOST_TERMS:
        at = np.unravel_index(int(np.flatnonzero(planes[_MOST_TERMS])[0]), shape)
        raise UnsupportedError(
            f"{name}[{', '.join(str(i) for i in at)}]: the four floats of a number of a batch do not hold it; "
            f"input_bits={_MOST_BITS} rounds, and residua.solve takes each system as it is"
        )
    return planes[:used], shape


def _stacks(x: Any, name: str, dims: tuple[int, ...], bits: int | None) -> tuple[Any, Any, tuple[int, ...]]:
    """_stack() of the real parts, of the imaginary parts or None, and their shape."""
    real, imag = split(x, name)
    planes, shape = _stack(real, name, dims, bits)
    return planes, None if imag is None else _stack(imag, name, dims, bits)[0], shape


def _real_form(real: Any, imag: Any, shape: tuple[int, ...], is_matrix: bool) -> np.ndarray[Any, Any]:
    """The planes of the real forms: blocks [a -b; b a] for a + ib of matrices, parts in turn of right-hand sides."""
    terms = max(len(real), 0 if imag is None else len(imag))
    a = _widened(real, terms).reshape(terms, *shape)
    b = np.zeros_like(a) if imag is None else _widened(imag, terms).reshape(terms, *shape)
    if not is_matrix:
        return np.stack([a, b], axis=3).reshape(terms, -1)
    rows = np.stack([np.stack([a, -b], axis=4), np.stack([b, a], axis=4)], axis=3)  # (terms, k, n, 2, n, 2)
    return rows.reshape(terms, -1)


def _widened(planes: np.ndarray[Any, Any], terms: int) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(np.concatenate([planes, np.zeros((terms - len(planes), planes.shape[1]))]))


def solve_batch(A: Any, b: Any, digits: int | None = None, *, precision: Precision | None = None,
                executor: Executor = "auto", threads: int | None = None, one_by_one: bool = True,
                input_bits: int | None = None) -> BatchResult:
    """Solves many small dense systems of one size together.

    Parameters
    ----------
    A
        The matrices, of shape (k, n, n), of any numbers that `residua.array` takes and four floats hold; the parts of complex
        ones, which are solved as real systems of twice the size.
    b
        Of shape (k, n), or (k, n, m) for m right-hand sides of each. Its matrix is factored for each of them.
    digits
        The correct decimal digits of each x that are wanted, up to 62; None: one at least.
    precision
        Bits of the factors: ``"double"``, ``"dd"``, ``"td"``, ``"qd"``. None: by the digits, and raised where they are missed.
    executor
        ``"auto"``, ``"host"`` or ``"cuda"``.
    threads
        Of the host; None: all processors. x has the same bits for any number.
    one_by_one
        Whether systems that miss their digits are solved by `solve`.
    input_bits
        The precision to which A and b are rounded, up to 212; None: they are exact.

    Returns
    -------
    BatchResult

    Raises
    ------
    Error
        One of its subclasses, as of `solve`. A system without a solution is no exception: `BatchResult.status` says it.

    Notes
    -----
    x, digits and error of a system do not depend on what else is in the batch. The GIL is released.

    Examples
    --------
    >>> import numpy as np
    >>> import residua
    >>> A = np.array([[[2.0, 1.0], [1.0, 3.0]], [[4.0, 1.0], [1.0, 2.0]]])
    >>> found = residua.solve_batch(A, [[3.0, 4.0], [5.0, 3.0]], digits=20)
    >>> found.solved, found.digits.min() >= 20
    (True, np.True_)
    >>> found.x.astype(float)
    array([[1., 1.],
           [1., 1.]])
    """
    bits = check_bits(input_bits, "input_bits")
    if bits is not None and bits > _MOST_BITS:
        raise InputError(f"input_bits: {bits} is not from 1 to {_MOST_BITS}, which the four floats of a number hold")
    a, a_imag, shape = _stacks(A, "A", (3,), bits)
    right, right_imag, right_shape = _stacks(b, "b", (2, 3), bits)
    count, n, cols = shape
    if n != cols:
        raise DimensionError(f"A: matrices of {n} x {cols}, and a batch needs square ones")
    if right_shape[:2] != (count, n):
        raise DimensionError(f"b has the shape {right_shape}, and {count} matrices of {n} x {n} need ({count}, {n}) or "
                             f"({count}, {n}, m)")
    is_complex = a_imag is not None or right_imag is not None
    if is_complex:
        a, right = _real_form(a, a_imag, shape, True), _real_form(right, right_imag, right_shape, False)
        n *= 2
    several = right_shape[2] if len(right_shape) == 3 else 1
    if several != 1:
        a = np.repeat(a.reshape(len(a), count, n * n), several, axis=1).reshape(len(a), -1)
    if len(right_shape) == 3:
        right = right.reshape(len(right), count, n, several).transpose(0, 1, 3, 2).reshape(len(right), -1)
    terms = max(len(a), len(right))
    x, verdicts = _core.solve_batch(
        count * several, n, _widened(a, terms), _widened(right, terms),
        as_texts(dict(digits=digits, precision=precision, executor=executor, threads=threads)), bool(one_by_one),
    )
    rows: Any = Numbers._of(x, (count * several, n))
    if is_complex:
        rows = ComplexNumbers._of(rows[:, 0::2], rows[:, 1::2])
    if len(right_shape) == 2:
        return BatchResult(rows, verdicts, (count,))
    return BatchResult([rows[s * several : (s + 1) * several].T for s in range(count)], verdicts, (count, several))
