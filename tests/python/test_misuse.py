"""Misuse is an exception with clear words, which are an Error of residua, and never a crash."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

import residua
from residua import DimensionError, InputError, InputTypeError, ResourceError, UnsupportedError

scipy_sparse = pytest.importorskip("scipy.sparse")
from scipy.sparse.linalg import aslinearoperator  # noqa: E402

A = [[4.0, 1.0], [1.0, 3.0]]
B = [1.0, 2.0]
LOPSIDED = [[1.0, 2.0], [0.0, 1.0]]
nan, inf = math.nan, math.inf


def broken_csr(**changes):
    a = scipy_sparse.csr_array(np.array(A))
    for name, value in changes.items():
        setattr(a, name, np.array(value, dtype=getattr(a, name).dtype))
    return a


def solve(*a, **options):
    return lambda: residua.solve(*a, **options)


def factor():
    return residua.factor(A)


MISUSE = {
    "A is one-dimensional": (solve([1.0, 2.0], B), DimensionError, "A: an array of 1 dimensions"),
    "A is three-dimensional": (solve(np.ones((2, 2, 2)), B), DimensionError, "A: an array of 3 dimensions"),
    "A is a number": (solve(3.0, B), InputTypeError, "A: float"),
    "A is None": (solve(None, B), InputTypeError, "A: NoneType"),
    "A is a str": (solve("1 2", B), InputTypeError, "A: str"),
    "A is a dict": (solve({}, B), InputTypeError, "A: dict"),
    "A is a function": (solve(len, B), InputTypeError, "A: builtin"),
    "A is ragged": (solve([[1.0, 2.0], [3.0]], B), DimensionError, "A: rows of different lengths"),
    "an imaginary part is not finite": (solve([[complex(0, np.inf), 0], [0, 1]], B), InputError, r"A\[0, 0\]: inf"),
    "A is of bools": (solve(np.eye(2, dtype=bool), B), InputTypeError, "bools"),
    "A has a bool": (solve([[True, 0], [0, 1]], B), InputTypeError, r"A\[0, 0\].*bool"),
    "A has a NaN": (solve([[1.0, 0.0], [nan, 1.0]], B), InputError, r"A\[1, 0\] is nan"),
    "A has an infinity": (solve(np.array([[inf, 0.0], [0.0, 1.0]]), B), InputError, r"A\[0, 0\] is inf"),
    "A has a NaN object": (solve([[1, nan], ["1", 1]], B), InputError, r"A\[0, 1\].*nan"),
    "A has None": (solve([[None, 1], [1, 1]], B), InputTypeError, r"A\[0, 0\].*NoneType"),
    "A has a word": (solve([["one", "1"], ["1", "2"]], B), UnsupportedError, "one"),
    "A has an empty str": (solve([["", "1"], ["1", "2"]], B), UnsupportedError, "row 0, column 0.*\"\""),
    "A has a hexadecimal": (solve([["0x10", "1"], ["1", "2"]], B), UnsupportedError, "0x10"),
    "A has 1/0": (solve([["1/0", "1"], ["1", "2"]], B), UnsupportedError, "1/0"),
    "A has a decimal beyond all ranges": (
        solve([["1e999999999999", "1"], ["1", "2"]], B), UnsupportedError,
        r"row 0, column 0.*beyond 10"),
    "A is of dates": (solve(np.array([["2020-01-01"]], dtype="datetime64[D]"), [1.0]), InputTypeError, "datetime64"),
    "A is masked": (solve(np.ma.masked_invalid([[1.0, nan], [0.0, 1.0]]), B), InputError, "masked"),
    "A is an operator, without a method": (solve(aslinearoperator(np.eye(2)), B), UnsupportedError, "name one: cg"),
    "A is complex and sparse, with a NaN": (solve(scipy_sparse.csr_array(np.diag([1j, complex(0, np.nan)])), B), InputError,
                                            "A.data.*nan"),
    "A is sparse with a NaN": (solve(broken_csr(data=[nan, 1, 1, 1]), B), InputError, "nan"),
    "A is sparse with a column outside": (solve(broken_csr(indices=[0, 7, 0, 1]), B), DimensionError, "7"),
    "A is sparse with a negative column": (solve(broken_csr(indices=[0, -1, 0, 1]), B), DimensionError, "-1"),
    "A is sparse with positions that descend": (
        solve(broken_csr(indptr=[0, 5, 4]), B), DimensionError,
        r"row_begin\[1\], from 0, is 5"),
    "A is sparse with negative positions": (
        solve(broken_csr(indptr=[-1, 2, 4]), B), DimensionError,
        r"row_begin\[0\], from 0, is -1"),
    "A is sparse with too few values": (
        solve(broken_csr(data=[1.0]), B), DimensionError,
        "1 values; the matrix needs 4"),
    "A is wide, for cg": (lambda: residua.cg([[1.0, 2.0]], [1.0]), DimensionError, "cg needs a square matrix"),
    "A is not symmetric, for cg": (lambda: residua.cg(LOPSIDED, B), UnsupportedError, "symmetric"),
    "A is not symmetric, for minres": (lambda: residua.minres(LOPSIDED, B), UnsupportedError, "symmetric"),
    "b is too short": (solve(A, [1.0]), DimensionError, "b has 1 rows"),
    "b is too long": (solve(A, [1.0, 2.0, 3.0]), DimensionError, "b has 3 rows"),
    "b is a number": (solve(A, 1.0), InputTypeError, "b: float"),
    "b is None": (solve(A, None), InputTypeError, "b: NoneType"),
    "b is a str": (solve(A, "12"), InputTypeError, "b: str"),
    "b has three dimensions": (solve(A, np.ones((2, 2, 2))), DimensionError, "b: an array of 3 dimensions"),
    "b has no columns": (solve(A, np.ones((2, 0))), DimensionError, "no columns"),
    "b has a NaN": (solve(A, [1.0, nan]), InputError, r"b\[1\] is nan"),
    "b has a word": (solve(A, ["1", "two"]), InputError, r"b\[1\].*two"),
    "b has an infinite part": (solve(A, [complex(np.inf, 1), 1.0]), InputError, r"b\[0\].*inf"),
    "the weights are complex": (solve(A, B, weights=[1j, 1.0]), InputTypeError, r"weights\[0\].*complex"),
    "near-null vectors are complex": (solve(A, B, M="amg", near_null_space=np.ones(2) * 1j), InputTypeError, "near_null.*complex"),
    "A is complex and has nodes": (solve(np.eye(2) * 1j, B, M="amg", block_size=2), UnsupportedError, "block_size.*complex"),
    "x0 is complex, and a state is kept": (lambda: residua.factor(A, checkpoint="never_written").solve([1j, 1]), UnsupportedError,
                                           "checkpoint"),
    "digits is 0": (solve(A, B, digits=0), InputError, 'digits: "0" is not an integer from 1 to'),
    "digits is negative": (solve(A, B, digits=-3), InputError, 'digits: "-3"'),
    "digits is a float": (solve(A, B, digits=30.0), InputTypeError, "digits: 30.0"),
    "digits is a bool": (solve(A, B, digits=True), InputTypeError, "digits: True"),
    "digits is far too many": (solve(A, B, digits=10**6), InputError, 'digits: "1000000"'),
    "method is unknown": (solve(A, B, method="magic"), InputError, 'method: "magic" is none of auto, cg'),
    "method is nearly right": (solve(A, B, method="gmers"), InputError, r"did you mean gmres\?"),
    "method is a number": (solve(A, B, method=1), InputTypeError, "method: 1"),
    "M is unknown": (solve(A, B, method="cg", M="magic"), InputError, 'M: "magic" is none of auto, none'),
    "M is a number": (solve(A, B, method="cg", M=3), InputTypeError, "M: int is neither the name of a preconditioner"),
    "M is of another size": (solve(A, B, method="cg", M=np.eye(3)), DimensionError, r"M: an operator of shape \(3, 3\)"),
    "M gives too few numbers": (solve(A, B, method="cg", M=lambda r: r[:1]), DimensionError, r"M\(r\) has the shape \(1,\)"),
    "M gives complex numbers": (solve(A, B, method="cg", M=lambda r: 1j * r), InputTypeError, "numbers of complex128"),
    "M for a direct method": (solve(A, B, method="direct", M=np.eye(2)), UnsupportedError, "given does not fit the method direct"),
    "M without its transpose": (solve(A, B, method="bicg", M=lambda r: r), UnsupportedError, "bicg needs products with M'"),
    "M does not fit": (solve(A, B, method="lsqr", M="ic0"), UnsupportedError, "ic0 does not fit the method lsqr"),
    "precision is unknown": (solve(A, B, precision="octuple"), InputError, 'precision: "octuple".*auto, double, dd'),
    "precision is 0": (solve(A, B, precision=0), InputError, 'precision: "0"'),
    "precision is too high": (solve(A, B, precision=10**5), InputError, 'precision: "100000"'),
    "format is unknown": (solve(A, B, format="posit"), InputError, 'format: "posit" is none of auto, native'),
    "format has not so many bits": (
        solve(A, B, format="native", precision=1000), UnsupportedError,
        "native has 1 to 53 bits"),
    "executor is unknown": (solve(A, B, executor="tpu"), InputError, 'executor: "tpu" is none of auto, host'),
    "rtol is negative": (solve(A, B, rtol=-1e-5), InputError, "rtol: -1.0000.*e-05 is negative"),
    "rtol is NaN": (solve(A, B, rtol=nan), InputError, "rtol: .*nan"),
    "rtol is a word": (solve(A, B, rtol="small"), InputError, "small"),
    "atol is infinite": (solve(A, B, atol=inf), InputError, "atol: .*inf"),
    "maxiter is 0": (solve(A, B, maxiter=0), InputError, 'maxiter: "0" is not an integer of at least 1'),
    "maxiter is a float": (solve(A, B, maxiter=1e3), InputTypeError, "maxiter: 1000.0"),
    "restart is negative": (solve(A, B, restart=-1), InputError, 'restart: "-1"'),
    "fill is negative": (solve(A, B, fill=-1), InputError, 'fill: "-1"'),
    "x0 is too short": (solve(A, B, x0=[1.0]), DimensionError, "x0 has 1 rows"),
    "x0 has two columns": (solve(A, B, x0=np.ones((2, 2))), DimensionError, "x0 has several columns"),
    "x0 has a NaN": (solve(A, B, x0=[nan, 0.0]), InputError, r"x0\[0\]"),
    "time_limit is 0": (solve(A, B, time_limit=0), InputError, "time_limit: 0"),
    "time_limit is NaN": (solve(A, B, time_limit=nan), InputError, "time_limit: .*nan"),
    "time_limit is a str": (solve(A, B, time_limit="1"), InputTypeError, "time_limit: '1'"),
    "a checkpoint is no name": (solve(A, B, checkpoint=3), InputTypeError, "checkpoint: 3"),
    "a checkpoint is nowhere": (solve(A, B, checkpoint="/nowhere/state"), ResourceError, "/nowhere/state"),
    "a resume is not there": (solve(A, B, resume="/nowhere/state"), InputError, "/nowhere/state"),
    "a resume has no name": (solve(A, B, resume=""), InputError, 'resume: "" is not a file'),
    "a checkpoint beside a resume": (solve(A, B, checkpoint="a", resume="b"), InputError, "resume: later states"),
    "every without a checkpoint": (solve(A, B, every=60), InputError, "every: "),
    "every is 0": (solve(A, B, checkpoint="a", every=0), InputError, "every: 0"),
    "a checkpoint of a solve with an operator": (
        solve(aslinearoperator(np.eye(2)), B, method="cg", checkpoint="a"), UnsupportedError,
        "an operator leaves no state"),
    "callback cannot be called": (solve(A, B, callback=3), InputTypeError, "callback: int"),
    "estimate is a str": (solve(A, B, estimate="no"), InputTypeError, "estimate: 'no'"),
    "input_bits is 0": (solve(A, B, input_bits=0), InputError, "input_bits: 0"),
    "input_bits is a str": (solve(A, B, input_bits="dd"), InputTypeError, "input_bits: 'dd'"),
    "an update has too few values": (lambda: factor().update([1.0]), DimensionError, "1 numbers for 4 entries"),
    "an update has a NaN": (lambda: factor().update([1.0, 2.0, nan, 1.0]), InputError, r"values\[2\]"),
    "an update has another shape": (lambda: factor().update(np.eye(3)), DimensionError, "3 x 3"),
    "a transposed b is too long": (
        lambda: residua.factor([[1.0, 2.0]]).solve_transposed([1.0]), DimensionError,
        "b has 1 rows"),
    "the inertia of a lopsided matrix": (lambda: residua.factor(LOPSIDED).inertia(), UnsupportedError, "symmetric"),
    "the determinant of a wide matrix": (
        lambda: residua.factor([[1.0, 2.0]]).determinant(), DimensionError,
        "differ: 1 and 2"),
    "an entry of the inverse outside": (lambda: factor().inverse_entries([(0, 2)]), InputError, r"places\[0\]: 2"),
    "an entry of the inverse that is no pair": (
        lambda: factor().inverse_entries([3]), InputTypeError,
        r"places\[0\]: 3"),
    "a Number of a list": (lambda: residua.Number([1]), InputTypeError, "list"),
    "a Number of a word": (lambda: residua.Number("one"), InputError, "one"),
    "a Number of 0 bits": (lambda: residua.Number(1, bits=0), InputError, "bits: 0"),
    "a fraction of a NaN": (lambda: residua.Number(nan).to_fraction(), InputError, "no finite number"),
    "a Number that is too large": (lambda: residua.Number("1e400000000"), InputError, "1e400000000"),
    "0 digits of a Number": (lambda: residua.Number(1).to_string(0), InputError, "digits: 0"),
    "40 terms": (lambda: residua.array([1.0]).terms(40), InputError, "terms: 40"),
    "0 terms": (lambda: residua.array([1.0]).terms(0), InputError, "terms: 0"),
    "an array of three dimensions": (lambda: residua.array(np.ones((1, 1, 1))), DimensionError, "3 dimensions"),
    "nothing to compare": (lambda: residua.compare(A, B, methods=[]), InputError, "methods: there is nothing"),
    "an operator is written": (
        lambda: residua.write("x.mtx", aslinearoperator(np.eye(2))), InputTypeError,
        "LinearOperator"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_is_an_exception(name):
    call, kind, words = MISUSE[name]
    with pytest.raises(residua.Error) as caught:
        call()
    assert caught.type is kind
    message = str(caught.value)
    assert re.search(words, message), message
    assert "\n" not in message and 10 < len(message) < 400, message


def test_there_are_fifty_kinds():
    assert len(MISUSE) >= 50


def test_exceptions_are_those_of_python_too():
    with pytest.raises(ValueError):
        residua.solve(A, [1.0])
    with pytest.raises(TypeError):
        residua.solve(None, B)
    with pytest.raises(TypeError):
        residua.solve(A, B, no_such_option=1)
    with pytest.raises(MemoryError):
        raise residua.ResourceError("too large")


def test_memory_that_is_not_there_is_refused():
    n = 3_000_000
    a = scipy_sparse.csr_array((np.full(n, 2.0), np.arange(n), np.arange(n + 1)), shape=(n, n))
    with pytest.raises(residua.ResourceError):
        residua.solve(a, np.ones(n), method="gmres", restart=10**6, precision=4096)


def test_the_core_refuses_too():
    core = residua._core
    with pytest.raises(residua.Error):
        core.make_solver(core.System.of_dense(np.eye(2)), [("method", "magic")], True, None, [], [], [], None)
    with pytest.raises(residua.Error, match='no option "magic"'):
        core.make_solver(core.System.of_dense(np.eye(2)), [("magic", "1")], True, None, [], [], [], None)
    with pytest.raises(TypeError):
        core.System.of_csr32(2, 2, np.zeros(3), np.zeros(1), np.zeros(1))
    with pytest.raises(residua.Error):
        core.System.of_coo(-1, 2, np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1))
    with pytest.raises(TypeError):
        core.Real.of_integer(1.5)
    with pytest.raises(residua.Error):
        core.Real.of_ratio(1, 0, 53)
    with pytest.raises(residua.Error):
        core.Real.of_binary(1, 2**80)


def test_fractions_are_not_modified():
    a = [[Fraction(1, 3), 1], [1, 1]]
    residua.solve(a, [1, 2])
    assert a == [[Fraction(1, 3), 1], [1, 1]]
