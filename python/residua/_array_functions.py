"""What numpy's functions do with Numbers: compute with all of their bits, or raise. They never round to floats."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _core
from ._complex_input import is_complex, operate
from ._complex_input import matmul as complex_matmul
from ._convert import is_sparse, to_numbers, to_system
from ._errors import DimensionError, InputTypeError
from ._files import Matrix
from ._number import Number, joint_bits, operand, require_result
from ._numbers import WAYS_DOWN, Numbers

_GUARD_BITS = 64  # of what is rounded twice, so that the first rounding does not matter

_FUNCTIONS = {
    getattr(np, name): name
    for name in "absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh exp exp2 expm1 floor log log10 "
    "log1p log2 negative positive reciprocal rint sin sinh sqrt square tan tanh trunc".split()
}
_FUNCTIONS |= {np.fabs: "absolute", np.conjugate: "positive"}
_OPERATIONS = {
    getattr(np, name): name
    for name in "add arctan2 copysign divide floor_divide fmod hypot maximum minimum multiply power remainder "
    "subtract".split()
}
_OPERATIONS |= {np.fmax: "maximum", np.fmin: "minimum", np.float_power: "power"}
_ORDERS = {np.less: [-1], np.less_equal: [-1, 0], np.equal: [0], np.not_equal: [-1, 1, 2], np.greater_equal: [0, 1],
           np.greater: [1]}  # of what compare() says
_TESTS: dict[Any, Callable[[_core.Real], bool]] = {
    np.isfinite: _core.Real.is_finite, np.isnan: _core.Real.is_nan,
    np.isinf: lambda a: not a.is_finite() and not a.is_nan()}
_OWN_WAYS = {"linalg.solve": "solve(A, b)", "linalg.lstsq": "solve(A, b)", "linalg.det": "factor(A).determinant()",
             "linalg.cond": "factor(A).condition()", "linalg.inv": "factor(A).inv()",
             "linalg.slogdet": "factor(A).slogdet()", "linalg.cholesky": "factor(A).cholesky()"}
_KEEP_DIGITS = ("negative", "positive", "absolute")


def refuse(name: str, *options: str) -> InputTypeError:
    """What a function of numpy's raises that does not compute with Numbers."""
    given = f" with {', '.join(options)}" if options else ""
    way = _OWN_WAYS.get(name)
    way = WAYS_DOWN if way is None else f"residua.{way} does; {WAYS_DOWN}"
    return InputTypeError(f"numpy.{name}{given} does not compute with residua.Numbers; {way}")


def _scalar(x: Any) -> Numbers | None:
    """A single number, as Numbers of the shape ()."""
    real = None if isinstance(x, (Numbers, Matrix)) or is_sparse(x) else operand(x)
    return None if real is None else Numbers._of(_core.Reals.of_list([real]), ())


def _taken(x: Any) -> Numbers | None:
    """Numbers, or what stands beside them; None if it does not mix with them."""
    if isinstance(x, Numbers):
        return x
    if isinstance(x, Matrix) or is_sparse(x):
        raise InputTypeError("a sparse matrix beside Numbers, element by element; K @ x is the product, K.toarray() dense")
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, (str, bytes)) or x is None:
        return None
    scalar = _scalar(x)
    return to_numbers(x, "an array beside Numbers") if scalar is None and np.iterable(x) else scalar


def _made(reals: _core.Reals, shape: tuple[int, ...], digits: Any = None) -> Any:
    """Numbers, or a Number where the shape is ()."""
    return Number._of(reals.at(0)) if shape == () else Numbers._of(reals, shape, digits)


def spread(x: Numbers, shape: tuple[int, ...]) -> _core.Reals:
    if x._shape == shape:
        return x._reals
    return x._gathered(np.broadcast_to(np.arange(x.size).reshape(x._shape), shape))._reals


def together(*all_of_them: Numbers) -> tuple[int, ...]:
    try:
        shape = np.broadcast_shapes(*(x._shape for x in all_of_them))
    except ValueError:
        raise DimensionError(f"Numbers of the shapes {' and '.join(str(x._shape) for x in all_of_them)}") from None
    if len(shape) > 2:
        raise DimensionError("Numbers have 1 or 2 dimensions")
    return shape


def _require_results(name: str, made: _core.Reals, x: _core.Reals, y: _core.Reals | None = None) -> None:
    if not made.are_finite():
        for i in range(len(made)):
            require_result(name, made.at(i), x.at(i), None if y is None else y.at(i), f", element {i},")


def apply(ufunc: Any, inputs: Any) -> Any:
    """A ufunc of one or two arguments, element by element; matmul."""
    if ufunc is np.matmul:
        return matmul(*inputs)
    if any(is_complex(each) for each in inputs):
        return operate(ufunc, inputs)
    if ufunc is np.divmod:
        return apply(np.floor_divide, inputs), apply(np.remainder, inputs)
    taken = [_taken(each) for each in inputs]
    if any(x is None for x in taken):
        return NotImplemented
    given = [x for x in taken if x is not None]
    x = given[0]
    if ufunc in _FUNCTIONS:
        name = _FUNCTIONS[ufunc]
        made = _core.evaluate_all(name, x._reals, x.precision)
        _require_results(name, made, x._reals)
        return _made(made, x._shape, x._digits if name in _KEEP_DIGITS else None)
    if ufunc in _TESTS:
        return x._objects(lambda each: _TESTS[ufunc](each._real)).astype(bool)
    if ufunc is np.sign:
        return _made(_core.Reals.of_doubles(x._objects(lambda each: each._real.sign()).astype(float).ravel()), x._shape)
    if ufunc not in _ORDERS and ufunc not in _OPERATIONS:
        raise refuse(ufunc.__name__)
    y = given[1]
    shape = together(x, y)
    a, b = spread(x, shape), spread(y, shape)
    if ufunc in _ORDERS:
        return np.isin(_core.compare(a, b), _ORDERS[ufunc]).reshape(shape)[()]
    name = _OPERATIONS[ufunc]
    made = _core.combine_all(name, a, b, joint_bits(x.precision, y.precision))
    _require_results(name, made, a, b)
    return _made(made, shape)


def matmul(a: Any, b: Any) -> Any:
    """A product of which each element is the exact one, rounded once; one of the two may be a sparse matrix."""
    if is_complex(a) or is_complex(b):
        return complex_matmul(a, b)
    if isinstance(b, Matrix) or is_sparse(b):  # A B = (B' A')'
        x = to_numbers(a, "A")
        rows = x.reshape(1, -1) if x.ndim == 1 else x
        made = _product(b, rows.T, transposed=True).T
        return made.ravel() if x.ndim == 1 else made
    y = to_numbers(b, "x")
    is_row = not isinstance(a, Matrix) and not is_sparse(a) and np.ndim(a) == 1
    left = to_numbers(a, "A").reshape(1, -1) if is_row else a
    made = _product(left, y.reshape(-1, 1) if y.ndim == 1 else y)
    if y.ndim == 1 or is_row:
        return made[0, 0] if y.ndim == 1 and is_row else made.ravel()
    return made


def _product(matrix: Any, x: Numbers, transposed: bool = False) -> Numbers:
    a = to_system(matrix)
    bits = matrix.precision if isinstance(matrix, Numbers) else _core.bits_of(a)
    rows, inner = (a.cols, a.rows) if transposed else (a.rows, a.cols)
    if inner != x._shape[0]:
        raise DimensionError(f"a product of {rows} x {inner} numbers with {x._shape[0]} x {x._shape[1]}")
    columns = x._shape[1]
    made = _core.product(a, x._reals, columns, joint_bits(bits, x.precision), transposed)
    return Numbers._of(made, (rows, columns))


def _along(x: Numbers, axis: Any) -> tuple[Numbers, tuple[int, ...], int]:
    """The numbers so that those of each sum follow each other; the shape of the sums, and how many numbers each has."""
    if axis is None or (x.ndim == 1 and axis in (0, -1)) or (isinstance(axis, tuple) and len(axis) == x.ndim):
        return x.ravel(), (), x.size
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    if x.ndim == 1 or axis not in (0, 1, -1, -2):
        raise DimensionError(f"axis: Numbers of {x.ndim} dimensions have none with the number {axis}")
    lines = x.T if axis in (0, -2) else x
    return lines, (lines._shape[0],), lines._shape[1]


def _sum(x: Any, axis: Any = None, *, guard: int = 0) -> Any:
    lines, shape, length = _along(x, axis)
    bits = x.precision + guard
    if length == 0:
        return _made(_core.Reals.of_doubles(np.zeros(max(shape, default=1))), shape)
    return _made(_core.sums(lines._reals, length, bits), shape)


def _rounded(x: Any, bits: int) -> Any:
    return x.round(bits) if isinstance(x, Number) else Numbers(x, bits)


def _mean(x: Any, axis: Any = None) -> Any:
    if _along(x, axis)[2] == 0:
        raise DimensionError("mean: there are no numbers")
    return _rounded(_sum(x, axis, guard=_GUARD_BITS) / _along(x, axis)[2], x.precision)


def _extreme(function: Any) -> Callable[..., Any]:
    def extreme(x: Any, axis: Any = None) -> Any:
        if axis is None:
            return x.ravel()[int(function(_ranks(x.ravel())))]
        places = np.take_along_axis(x._places(), np.expand_dims(function(_ranks(x), axis=axis), axis), axis)
        return x[int(places[0])] if x.ndim == 1 else x._gathered(places.squeeze(axis))

    return extreme


def _ranks(x: Numbers) -> Any:
    return _core.ranks(x._reals).reshape(x._shape)


def _by_ranks(function: Any) -> Callable[..., Any]:
    return lambda x, *given, **options: function(_ranks(x), *given, **options)


def _sort(x: Any, axis: int = -1) -> Any:
    return x._gathered(np.take_along_axis(x._places(), np.argsort(_ranks(x), axis=axis, kind="stable"), axis))


def _by_places(function: Any) -> Callable[..., Any]:
    """Of a function that moves elements to other places."""

    def moved(x: Any, *given: Any, **options: Any) -> Any:
        places = function(x._places(), *given, **options)
        if places.ndim == 0:
            return x.ravel()[int(places)]
        if places.ndim > 2:
            raise DimensionError("Numbers have 1 or 2 dimensions")
        return x._gathered(places)

    return moved


def _joined(function: Any) -> Callable[..., Any]:
    """Of a function that puts arrays together."""

    def joined(parts: Any, *given: Any, **options: Any) -> Any:
        numbers = [to_numbers(part, "an array beside Numbers") for part in parts]
        starts = np.cumsum([0, *(x.size for x in numbers)])
        known = [x._digits for x in numbers]
        digits = None if any(d is None for d in known) else np.concatenate([d for d in known if d is not None])
        whole = Numbers._of(_core.Reals.joined([x._reals for x in numbers]), None, digits)
        return whole._gathered(function([x._places() + start for x, start in zip(numbers, starts)], *given, **options))

    return joined


def _where(condition: Any, x: Any, y: Any) -> Any:
    a, b = _taken(x), _taken(y)
    if isinstance(condition, Numbers) or a is None or b is None:
        raise refuse("where")
    shape = np.broadcast_shapes(np.shape(condition), together(a, b))
    return _joined(lambda p: np.where(condition, *p))(
        [Numbers._of(spread(each, shape), shape, None) for each in (a, b)])


def _norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    if x.ndim == 2 and axis is None:
        if ord in (None, "fro", "f"):
            return _norm(x.ravel())
        if ord in (1, -1, np.inf, -np.inf):
            sums = _sum(abs(x), 0 if abs(ord) == 1 else 1)
            return sums.max() if ord > 0 else sums.min()
        raise InputTypeError(f"norm: {ord!r} of a matrix takes singular values, which residua has not; 'fro', 1 and inf are there")
    if ord in (None, 2):
        lines, shape, length = _along(x, axis)
        squares = Numbers._of(_core.evaluate_all("square", lines._reals, 2 * x.precision), lines._shape)
        return _rounded(np.sqrt(_sum(squares, None if shape == () else 1, guard=_GUARD_BITS)), x.precision)
    if ord == 1:
        return _sum(abs(x), axis)
    if ord in (np.inf, -np.inf):
        return (abs(x).max if ord > 0 else abs(x).min)(axis)
    if ord == 0:
        return np.count_nonzero(x != 0, axis)
    raise InputTypeError(f"norm: {ord!r} of a vector; 1, 2 and inf are there")


def _dot(a: Any, b: Any) -> Any:
    if _scalar(a) is not None or _scalar(b) is not None:
        return np.multiply(a, b)
    return matmul(a, b)


def _inner(a: Any, b: Any) -> Any:
    return _dot(a, b) if np.ndim(b) < 2 else matmul(a, to_numbers(b, "b").T)


def _outer(a: Any, b: Any) -> Any:
    return to_numbers(a, "a").ravel().reshape(-1, 1) * to_numbers(b, "b").ravel()


def _isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8) -> Any:
    return abs(np.subtract(a, b)) <= np.add(atol, np.multiply(rtol, np.absolute(b)))


def _array_equal(a: Any, b: Any) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.all(np.equal(a, b)))


def _filled(value: float) -> Callable[..., Any]:
    return lambda x: Numbers(np.full(x._shape, value), x.precision)


def reduce(ufunc: Any, x: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
           **others: Any) -> Any:
    """ufunc.reduce(x, axis)."""
    wanted = {np.add: _sum, np.maximum: _extreme(np.argmax), np.minimum: _extreme(np.argmin)}.get(ufunc)
    if wanted is None or dtype is not None or keepdims or others:
        raise refuse(f"{ufunc.__name__}.reduce")
    return wanted(x, axis)


_CALLS: dict[Any, Callable[..., Any]] = {
    np.sum: _sum, np.mean: _mean, np.linalg.norm: _norm, np.dot: _dot, np.inner: _inner, np.outer: _outer,
    np.vdot: lambda a, b: _dot(np.ravel(a), np.ravel(b)), np.trace: lambda x: _sum(_by_places(np.diagonal)(x)),
    np.max: _extreme(np.argmax), np.amax: _extreme(np.argmax), np.min: _extreme(np.argmin), np.amin: _extreme(np.argmin),
    np.argmax: _by_ranks(np.argmax), np.argmin: _by_ranks(np.argmin), np.argsort: _by_ranks(np.argsort), np.sort: _sort,
    np.clip: lambda x, low, high: np.minimum(np.maximum(x, low), high),
    np.diff: lambda x: np.subtract(x[..., 1:], x[..., :-1]), np.where: _where, np.isclose: _isclose, np.array_equal: _array_equal,
    np.allclose: lambda a, b, **options: bool(np.all(_isclose(a, b, **options))),
    np.count_nonzero: lambda x, axis=None: np.count_nonzero(x != 0, axis),
    np.zeros_like: _filled(0.0), np.ones_like: _filled(1.0), np.copy: lambda x: x, np.real: lambda x: x,
    np.shape: lambda x: x.shape, np.ndim: lambda x: x.ndim, np.size: lambda x: x.size,
    np.iscomplexobj: lambda x: False, np.isrealobj: lambda x: True, np.array_str: str, np.array_repr: repr,
}
_CALLS |= {function: _by_places(function) for function in (
    np.transpose, np.reshape, np.ravel, np.squeeze, np.expand_dims, np.broadcast_to, np.diagonal, np.flip, np.fliplr,
    np.flipud, np.roll, np.rot90, np.take, np.repeat, np.tile, np.swapaxes, np.atleast_1d, np.atleast_2d, np.delete)}
_CALLS |= {function: _joined(function) for function in (np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)}


def call(function: Any, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A function of numpy's one of whose arguments is Numbers."""
    found = _CALLS.get(function)
    if found is None:
        raise refuse(f"{function.__module__}.{function.__name__}".removeprefix("numpy."))
    try:
        return found(*given, **options)
    except TypeError as e:
        if "argument" in str(e) and not isinstance(e, InputTypeError):
            raise refuse(function.__name__, *options) from None
        raise
