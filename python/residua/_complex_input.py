"""Real or complex numbers, vectors and matrices from what Python has."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._complex_number import Pair, is_complex_number
from ._complex_numbers import ComplexNumbers
from ._convert import as_array, is_sparse, numbers_of, system_of_array, system_of_sparse, to_system
from ._errors import DimensionError, InputTypeError
from ._files import Matrix
from ._number import joint_bits, operand
from ._numbers import Numbers
from ._take import check_bits


def split(x: Any, name: str) -> tuple[Any, Any]:
    """Arrays of real numbers: the real parts, and the imaginary ones or None."""
    made: Any = as_array(x, name, complex_too=True)
    if isinstance(made, ComplexNumbers):
        return made.real, made.imag
    if isinstance(made, Numbers) or made.dtype.kind == "f":
        return made, None
    if made.dtype.kind == "c":
        return made.real, made.imag
    if not any(is_complex_number(each) for each in made.ravel()):
        return made, None
    parts = np.empty(made.shape, dtype=object), np.empty(made.shape, dtype=object)
    for at in np.ndindex(made.shape):
        each = made[at]
        parts[0][at], parts[1][at] = (each.real, each.imag) if is_complex_number(each) else (each, 0.0)
    return parts


def to_any_numbers(x: Any, name: str, bits: int | None = None) -> Numbers | ComplexNumbers:
    """A vector or a matrix of numbers, as `to_numbers` makes it; ComplexNumbers of complex ones."""
    bits = check_bits(bits)
    if is_sparse(x):
        x = x.toarray()
    first, second = split(x, name)
    real = numbers_of(first, name, bits)
    return real if second is None else ComplexNumbers._of(real, numbers_of(second, name, bits))


def as_complex(x: Numbers | ComplexNumbers) -> ComplexNumbers:
    """The same numbers; real ones get imaginary parts 0."""
    if isinstance(x, ComplexNumbers):
        return x
    return ComplexNumbers._of(x, Numbers._of(_core.Reals.of_doubles(np.zeros(x.size)), x.shape))


def form_of(x: Numbers | ComplexNumbers) -> Numbers:
    """The real form: rows of real and of imaginary parts in turn."""
    z = as_complex(x)
    if z.ndim == 1:
        places = np.arange(2 * z.size, dtype=np.int64).reshape(2, -1).T.ravel()
        shape: tuple[int, ...] = (2 * z.size,)
    else:
        rows, cols = z.shape
        places = np.arange(2 * z.size, dtype=np.int64).reshape(2, rows, cols).transpose(1, 0, 2).ravel()
        shape = (2 * rows, cols)
    return Numbers._of(_core.Reals.joined([z.real._reals, z.imag._reals]).gathered(np.ascontiguousarray(places)), shape)


def to_any_system(a: Any, bits: int | None = None) -> _core.System:
    """The matrix A of a system, real or complex."""
    bits = check_bits(bits, "input_bits")
    if isinstance(a, Matrix) or (hasattr(a, "matvec") and not is_sparse(a)):
        return to_system(a, bits)
    if is_sparse(a):
        if a.dtype.kind != "c":
            return system_of_sparse(a, bits)
        a = a if a.format in ("csr", "coo") else a.tocsr() if a.format in ("csc", "bsr") else a.tocoo()
        return _core.System.of_parts(system_of_sparse(a.real, bits), system_of_sparse(a.imag, bits))
    first, second = split(a, "A")
    real = system_of_array(first, bits)
    return real if second is None else _core.System.of_parts(real, system_of_array(second, bits))


def _taken(x: Any) -> ComplexNumbers | None:
    """What stands beside complex numbers, element by element; of the shape () for a single number."""
    if isinstance(x, Matrix) or is_sparse(x):
        raise InputTypeError("a sparse matrix beside ComplexNumbers, element by element; K @ x is the product")
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, (str, bytes)) or x is None:
        return None
    if isinstance(x, (Numbers, ComplexNumbers)):
        return as_complex(x)
    pair = (x.real, x.imag) if is_complex_number(x) else (x, 0.0)
    reals = [operand(part) for part in pair]
    if reals[0] is not None and reals[1] is not None:
        first, second = (Numbers._of(_core.Reals.of_list([part]), ()) for part in (reals[0], reals[1]))
        return ComplexNumbers._of(first, second)
    return as_complex(to_any_numbers(x, "an array beside ComplexNumbers")) if np.iterable(x) else None


def spread_together(x: Any, y: Any) -> tuple[Pair, Pair, tuple[int, ...], int] | None:
    """The parts of both in one shape, that shape, and the bits of what is computed of them; None if they do not mix."""
    from ._array_functions import spread, together

    a, b = _taken(x), _taken(y)
    if a is None or b is None:
        return None
    shape = together(a.real, b.real)
    (p, q), (r, s) = ([spread(part, shape) for part in (z.real, z.imag)] for z in (a, b))
    return (p, q), (r, s), shape, joint_bits(a.precision, b.precision)


def is_complex(x: Any) -> bool:
    """Whether a matrix, an array or rows have a complex number."""
    if isinstance(x, Matrix):
        return x.is_complex
    if is_sparse(x) or (isinstance(x, np.ndarray) and x.dtype != object):
        return bool(x.dtype.kind == "c")
    if isinstance(x, (Numbers, ComplexNumbers)):
        return isinstance(x, ComplexNumbers)
    if hasattr(x, "__dlpack__") or hasattr(x, "entries") or type(x).__module__.startswith("mpmath.matrices"):
        return split(x, "x")[1] is not None
    if not isinstance(x, (list, tuple, np.ndarray)):
        return is_complex_number(x)
    try:
        return any(is_complex_number(each) for each in np.array(x, dtype=object).ravel())
    except ValueError:  # rows of different lengths
        return False


def matmul(a: Any, b: Any) -> Any:
    """A product with complex numbers, each part of which is the exact one, rounded once."""
    if isinstance(b, Matrix) or is_sparse(b):  # x A = conj((A^H conj(x'))')
        x = as_complex(to_any_numbers(a, "A"))
        rows = x.reshape(1, -1) if x.ndim == 1 else x
        made = _product(b, rows.conj().T, adjoint=True).T.conj()
        return made.ravel() if x.ndim == 1 else made
    y = as_complex(to_any_numbers(b, "x"))
    is_row = not isinstance(a, Matrix) and not is_sparse(a) and np.ndim(a) == 1
    left = as_complex(to_any_numbers(a, "A")).reshape(1, -1) if is_row else a
    made = _product(left, y.reshape(-1, 1) if y.ndim == 1 else y)
    if y.ndim == 1 or is_row:
        return made[0, 0] if y.ndim == 1 and is_row else made.ravel()
    return made


def _product(matrix: Any, x: ComplexNumbers, adjoint: bool = False) -> ComplexNumbers:
    """A X or A^H X."""
    a = to_any_system(matrix)
    bits = matrix.precision if isinstance(matrix, (Numbers, ComplexNumbers)) else _core.bits_of(a)
    a = a if a.is_complex else a.as_complex()
    rows, inner = (a.cols, a.rows) if adjoint else (a.rows, a.cols)
    if inner != x.shape[0]:
        raise DimensionError(f"a product of {rows} x {inner} numbers with {x.shape[0]} x {x.shape[1]}")
    columns = x.shape[1]
    made = _core.product(a, form_of(x)._reals, columns, joint_bits(bits, x.precision), adjoint)
    return ComplexNumbers._of_form(Numbers._of(made, (2 * rows, columns)))


def _norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    if axis is not None or ord not in ((None, 2) if x.ndim == 1 else (None, "fro")):
        raise InputTypeError(f"norm: {ord!r} of ComplexNumbers; the 2-norm of vectors and 'fro' of matrices are there, and abs(x).norm()")
    return x.norm()


def _by_parts(function: Any) -> Any:
    """Of a function that puts arrays together."""

    def joined(parts: Any, *given: Any, **options: Any) -> Any:
        all_of_them = [as_complex(to_any_numbers(part, "an array beside ComplexNumbers")) for part in parts]
        return ComplexNumbers._of(function([x.real for x in all_of_them], *given, **options),
                                  function([x.imag for x in all_of_them], *given, **options))

    return joined


def operate(ufunc: Any, inputs: Any) -> Any:
    """A ufunc of Numbers and of complex numbers."""
    first = inputs[0]
    made = first if isinstance(first, ComplexNumbers) else as_complex(first) if isinstance(first, Numbers) else None
    if made is not None:
        return made.__array_ufunc__(ufunc, "__call__", made, *inputs[1:])
    made = as_complex(inputs[1])
    return made.__array_ufunc__(ufunc, "__call__", first, made)


_CALLS: dict[Any, Any] = {
    np.linalg.norm: _norm, np.real: lambda x: x.real, np.imag: lambda x: x.imag, np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim, np.size: lambda x: x.size, np.transpose: lambda x: x.T, np.ravel: lambda x: x.ravel(),
    np.sum: lambda x, axis=None: x.sum(axis), np.copy: lambda x: x, np.iscomplexobj: lambda x: True, np.dot: matmul,
    np.isrealobj: lambda x: False, np.array_str: str, np.array_repr: repr,
    np.array_equal: lambda a, b: np.shape(a) == np.shape(b) and bool(np.all(a == b)),
}
_CALLS |= {function: _by_parts(function) for function in (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)}


def call(function: Any, given: tuple[Any, ...], options: dict[str, Any], ways_down: str) -> Any:
    """A function of numpy's one of whose arguments is ComplexNumbers."""
    found = _CALLS.get(function)
    if found is None:
        name = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
        raise InputTypeError(f"numpy.{name} does not compute with residua.ComplexNumbers; {ways_down}")
    return found(*given, **options)
