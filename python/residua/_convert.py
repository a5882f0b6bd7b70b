"""Numbers, vectors and matrices from what Python has."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any, Iterable

import numpy as np

from . import _core
from ._complex_numbers import ComplexNumbers
from ._errors import DimensionError, InputError, InputTypeError
from ._number import Number
from ._numbers import Numbers
from ._take import Taken, check_bits, module_type, rounded, take

_LARGEST_FLOAT_INTEGER = 2**53
_LONGEST_TEXT = 4000  # digits of an int that is written as a decimal


def _of_dlpack(x: Any, name: str) -> np.ndarray[Any, Any]:
    cpu = (1, 3)  # plain memory, and such that CUDA has pinned
    try:
        device = x.__dlpack_device__()[0]
        if device not in cpu:
            raise InputError(f"{name}: an array on a device; copy it to the CPU first")
        return np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as e:
        raise InputError(f"{name}: DLPack does not hand it over: {e}") from e


def _of_sequence(x: Any, name: str) -> np.ndarray[Any, Any]:
    try:
        made = np.array(x, dtype=object)
    except ValueError as e:
        raise DimensionError(f"{name}: rows of different lengths") from e
    if any(isinstance(each, (list, tuple, np.ndarray)) for each in made.ravel()):
        raise DimensionError(f"{name}: rows of different lengths")
    if made.size > 0 and all(type(each) is float for each in made.ravel()):
        return made.astype(np.float64)
    return made


def as_array(x: Any, name: str, complex_too: bool = False) -> np.ndarray[Any, Any] | Numbers | ComplexNumbers:
    """An array of float64, of complex128 if that is taken, or of objects, which are looked at one by one; Numbers stay."""
    made: Any
    if isinstance(x, ComplexNumbers):
        if not complex_too:
            raise InputTypeError(f"{name}: complex numbers, and real ones are needed; x.real and x.imag are Numbers")
        return x
    if isinstance(x, (Numbers, np.ndarray)):
        made = x
    elif isinstance(x, (str, bytes, dict, set, frozenset, Number)) or x is None or callable(x):
        raise InputTypeError(f"{name}: {type(x).__name__} is neither a vector nor a matrix")
    elif isinstance(x, module_type("mpmath", "matrix")):
        matrix: Any = x
        made = _of_sequence(matrix.tolist(), name)
        return made.ravel() if matrix.cols == 1 and name != "A" else made
    elif hasattr(x, "nrows") and hasattr(x, "entries"):  # of python-flint
        rows, cols = x.nrows(), x.ncols()
        made = np.empty(rows * cols, dtype=object)
        made[:] = x.entries()
        return made if cols == 1 and name != "A" else made.reshape(rows, cols)
    elif hasattr(x, "__dlpack__"):
        made = _of_dlpack(x, name)
    elif isinstance(x, (list, tuple, range)):
        made = _of_sequence([np.asarray(row, dtype=object) if isinstance(row, (Numbers, ComplexNumbers)) else row for row in x], name)
    elif hasattr(x, "__array__") or hasattr(x, "__array_interface__"):
        made = np.asarray(x)
    else:
        try:
            made = np.asarray(memoryview(x))
        except TypeError:
            made = _of_sequence(list(x), name) if hasattr(x, "__iter__") else None
        if made is None:
            raise InputTypeError(f"{name}: {type(x).__name__} is neither a vector nor a matrix")
    return made if isinstance(made, Numbers) else _plain(made, name, complex_too)


def _plain(x: np.ndarray[Any, Any], name: str, complex_too: bool = False) -> np.ndarray[Any, Any]:
    """float64 or complex128 where that holds all of the numbers, or else objects."""
    if isinstance(x, np.ma.MaskedArray):
        if np.ma.is_masked(x):
            raise InputError(f"{name}: masked numbers are not known")
        x = x.data
    if isinstance(x, np.matrix):
        x = np.asarray(x)
    kind = x.dtype.kind
    if kind == "f" and x.dtype.itemsize <= 8:
        return x.astype(np.float64, copy=False)
    if kind in "iu":
        if x.dtype.itemsize < 8 or x.size == 0:
            return x.astype(np.float64)
        if int(x.max()) <= _LARGEST_FLOAT_INTEGER and int(x.min()) >= -_LARGEST_FLOAT_INTEGER:
            return x.astype(np.float64)
        return x.astype(object)
    if kind == "O":
        return x
    if kind == "c" and complex_too and x.dtype.itemsize <= 16:
        return x.astype(np.complex128, copy=False)
    if kind == "f" or (kind == "c" and complex_too):  # of longdouble
        made = np.empty(x.shape, dtype=object)
        for at in np.ndindex(x.shape):
            made[at] = x[at]
        return made
    if kind in "US":
        return x.astype(str).astype(object)
    way = "" if kind != "c" or x.imag.any() else f"; all imaginary parts are 0: give {name.removesuffix('.data')}.real"
    words = {"c": f"complex numbers, and real ones are needed{way}", "b": "bools and not numbers"}
    raise InputTypeError(f"{name}: {words.get(kind, f'elements of type {x.dtype}, which are no numbers')}")


def require_finite(x: np.ndarray[Any, Any], name: str) -> None:
    if not np.isfinite(x).all():
        at = np.argwhere(~np.isfinite(x))[0]
        place = ", ".join(str(i) for i in at)
        raise InputError(f"{name}[{place}] is {x[tuple(at)]}, and not a finite number")


def to_numbers(x: Any, name: str, bits: int | None = None) -> Numbers:
    """A vector or a matrix of numbers, each exact where it can be; else rounded to so many bits."""
    bits = check_bits(bits)
    if hasattr(x, "toarray") and is_sparse(x):
        x = x.toarray()
    return numbers_of(as_array(x, name), name, bits)


def numbers_of(made: Any, name: str, bits: int | None = None) -> Numbers:
    """The same of an array that as_array() has made, or of Numbers."""
    if made.ndim not in (1, 2):
        raise DimensionError(f"{name}: an array of {made.ndim} dimensions is neither a vector nor a matrix")
    if isinstance(made, Numbers):
        if bits is None:
            return made
        return Numbers._of(_core.Reals.of_list([each._real.rounded(bits) for each in made.ravel()]), made.shape)
    if made.dtype != object:
        require_finite(made, name)
        if bits is None:
            return Numbers._of(_core.Reals.of_doubles(np.ascontiguousarray(made).ravel()), made.shape)
    reals = [number_at(each, at, name, made.shape, bits) for at, each in enumerate(made.ravel())]
    return Numbers._of(_core.Reals.of_list(reals), made.shape)


def _place(name: str, at: int, shape: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(str(i) for i in np.unravel_index(at, shape))}]"


def number_at(x: Any, at: int, name: str, shape: tuple[int, ...], bits: int | None) -> _core.Real:
    where = _place(name, at, shape)
    taken = take(x, where)
    try:
        return rounded(taken, bits)
    except InputError as e:
        raise InputError(f"{where}: {e}") from None


def is_sparse(a: Any) -> bool:
    """Whether it is a sparse matrix or array of scipy's."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(a))


def refuse_operator(a: Any, name: str) -> None:
    """Operators have no entries."""
    if hasattr(a, "matvec") and not is_sparse(a):
        hint = ("is taken by solve, factor and the Krylov methods alone" if name == "M" else
                "has no entries, which are needed here; cg, gmres, minres, bicgstab, idr and lsqr do without")
        raise InputTypeError(f"{name}: a LinearOperator {hint}")


def to_system(a: Any, bits: int | None = None) -> _core.System:
    """The matrix A of a system."""
    from ._files import Matrix

    bits = check_bits(bits, "input_bits")
    if isinstance(a, Matrix):
        return a._system
    refuse_operator(a, "A")
    if is_sparse(a):
        return system_of_sparse(a, bits)
    return system_of_array(as_array(a, "A"), bits)


def system_of_array(made: Any, bits: int | None) -> _core.System:
    """The matrix of an array that as_array() has made, or of Numbers."""
    if made.ndim != 2:
        hint = "; residua.solve_batch takes a stack of matrices" if made.ndim == 3 else ""
        raise DimensionError(f"A: an array of {made.ndim} dimensions is no matrix{hint}")
    if isinstance(made, Numbers):
        rows, cols = _all_places(made.shape)
        rounded_to = _rounded_to([made.precision])
        return _core.System.of_coo_reals(made.shape[0], made.shape[1], rows, cols, made._reals, rounded_to)
    if made.dtype != object:
        require_finite(made, "A")
        by_rows = made.flags.c_contiguous or made.strides[1] == made.itemsize and made.strides[0] >= 0
        by_columns = made.flags.f_contiguous or made.strides[0] == made.itemsize and made.strides[1] >= 0
        by_lines = all(step % made.itemsize == 0 for step in made.strides) and made.flags.aligned
        if not by_lines or not (by_rows or by_columns) or not made.dtype.isnative or _overlaps(made):
            made = np.ascontiguousarray(made, dtype=np.float64)
        return _core.System.of_dense(made)
    rows, cols = _all_places(made.shape)
    return _of_objects(made.shape, rows, cols, list(made.ravel()), bits)


def _overlaps(a: np.ndarray[Any, Any]) -> bool:
    """Whether a line lies upon the next, as in broadcast arrays."""
    if a.size == 0:
        return False
    long, short = max(a.strides), min(a.strides)
    width = a.shape[1] if a.strides[1] == short else a.shape[0]
    return short <= 0 or (min(a.shape) > 1 and long < width * short)


def _all_places(shape: tuple[int, ...]) -> tuple[Any, Any]:
    rows, cols = np.indices(shape, dtype=np.int64)
    return np.ascontiguousarray(rows).ravel(), np.ascontiguousarray(cols).ravel()


def _int64(x: Any) -> Any:
    return np.ascontiguousarray(x, dtype=np.int64)


def system_of_sparse(a: Any, bits: int | None) -> _core.System:
    if a.ndim != 2:
        raise DimensionError(f"A: a sparse array of {a.ndim} dimensions is no matrix")
    if a.format not in ("csr", "coo"):
        a = a.tocsr() if a.format in ("csc", "bsr") else a.tocoo()
    values = _plain(np.asarray(a.data), "A.data")
    if a.format == "csr" and values.dtype != object:
        return _of_csr(a, np.ascontiguousarray(values))
    if a.format == "csr":
        rows = np.repeat(np.arange(a.shape[0], dtype=np.int64), np.diff(_int64(a.indptr)))
        cols = _int64(a.indices)
    else:
        rows, cols = (_int64(each) for each in (a.row, a.col))
    if not len(rows) == len(cols) == len(values):
        raise DimensionError(f"A: {len(rows)} rows, {len(cols)} columns and {len(values)} values")
    if values.dtype != object:
        require_finite(values, "A.data")
        return _core.System.of_coo(a.shape[0], a.shape[1], rows, cols, np.ascontiguousarray(values))
    return _of_objects(a.shape, rows, cols, list(values), bits)


def _of_csr(a: Any, values: np.ndarray[Any, Any]) -> _core.System:
    require_finite(values, "A.data")
    indptr, indices = np.asarray(a.indptr), np.asarray(a.indices)
    if indptr.dtype == np.int32 and indices.dtype == np.int32:
        make: Any = _core.System.of_csr32
    else:
        make = _core.System.of_csr64
        indptr, indices = indptr.astype(np.int64, copy=False), indices.astype(np.int64, copy=False)
    end = int(indptr[-1]) if len(indptr) else 0  # scipy allows room behind the entries
    return make(*a.shape, np.ascontiguousarray(indptr), np.ascontiguousarray(indices[:end]), values[:end])


def _decimal(taken: Taken) -> str | None:
    """A Real as a decimal, exactly; None if it is a long one."""
    mantissa, exponent = taken.to_binary()
    if mantissa.bit_length() + abs(exponent) > _LONGEST_TEXT:
        return None
    value = mantissa << exponent if exponent >= 0 else mantissa * 5**-exponent
    return f"{value}e{min(exponent, 0)}"


def _of_objects(shape: Any, rows: Any, cols: Any, values: list[Any], bits: int | None) -> _core.System:
    """Decimals are kept as they are written; others are exact as long as bits hold them."""
    taken = [take(x, f"A[{i}, {j}]") for x, i, j in zip(values, rows, cols)]
    has_decimals = any(isinstance(x, str) for x in taken)
    has_fractions = any(isinstance(x, Fraction) for x in taken)
    if has_decimals and not has_fractions and bits is None:
        texts = [x if isinstance(x, str) else _decimal(x) for x in taken]
        if None not in texts:
            return _core.System.of_coo_text(shape[0], shape[1], rows, cols, [text for text in texts if text is not None])
    reals = []
    for x, i, j in zip(taken, rows, cols):
        try:
            reals.append(rounded(x, bits))
        except InputError as e:
            raise InputError(f"A[{i}, {j}]: {e}") from None
    rounds = has_decimals or has_fractions or bits is not None
    rounded_to = (bits or _core.decimal_bits) if rounds else _rounded_to(x.precision for x in reals)
    return _core.System.of_coo_reals(shape[0], shape[1], rows, cols, _core.Reals.of_list(reals), rounded_to)


def _rounded_to(precisions: Iterable[int]) -> int:
    """The bits to which a Decimal or a fraction was rounded when a Number was made of it; 0: none was."""
    return _core.decimal_bits if _core.decimal_bits in precisions else 0
