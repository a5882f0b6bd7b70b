"""Misuse is an exception with clear words, which are an Error of residua, and never a crash."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

import residua

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
    "A is one-dimensional": (solve([1.0, 2.0], B), "A: an array of 1 dimensions"),
    "A is three-dimensional": (solve(np.ones((2, 2, 2)), B), "A: an array of 3 dimensions"),
    "A is a number": (solve(3.0, B), "A: float"),
    "A is None": (solve(None, B), "A: NoneType"),
    "A is a str": (solve("1 2", B), "A: str"),
    "A is a dict": (solve({}, B), "A: dict"),
    "A is a function": (solve(len, B), "A: builtin"),
    "A is ragged": (solve([[1.0, 2.0], [3.0]], B), "A: rows of different lengths"),
    "A is complex": (solve(np.eye(2) * 1j, B), "complex"),
    "A has a complex object": (solve([[1j, 0], [0, 1]], B), r"A\[0, 0\].*complex"),
    "A is of bools": (solve(np.eye(2, dtype=bool), B), "bools"),
    "A has a bool": (solve([[True, 0], [0, 1]], B), r"A\[0, 0\].*bool"),
    "A has a NaN": (solve([[1.0, 0.0], [nan, 1.0]], B), r"A\[1, 0\] is nan"),
    "A has an infinity": (solve(np.array([[inf, 0.0], [0.0, 1.0]]), B), r"A\[0, 0\] is inf"),
    "A has a NaN object": (solve([[1, nan], ["1", 1]], B), r"A\[0, 1\].*nan"),
    "A has None": (solve([[None, 1], [1, 1]], B), r"A\[0, 0\].*NoneType"),
    "A has a word": (solve([["one", "1"], ["1", "2"]], B), "one"),
    "A has an empty str": (solve([["", "1"], ["1", "2"]], B), "."),
    "A has a hexadecimal": (solve([["0x10", "1"], ["1", "2"]], B), "0x10"),
    "A has 1/0": (solve([["1/0", "1"], ["1", "2"]], B), "1/0"),
    "A has a decimal beyond all ranges": (solve([["1e999999999999", "1"], ["1", "2"]], B), r"row 0, column 0.*beyond 10"),
    "A is of dates": (solve(np.array([["2020-01-01"]], dtype="datetime64[D]"), [1.0]), "datetime64"),
    "A is masked": (solve(np.ma.masked_invalid([[1.0, nan], [0.0, 1.0]]), B), "masked"),
    "A is an operator, without a method": (solve(aslinearoperator(np.eye(2)), B), "name one: cg"),
    "A is complex and sparse": (solve(scipy_sparse.csr_array(np.eye(2) * 1j), B), "complex"),
    "A is sparse with a NaN": (solve(broken_csr(data=[nan, 1, 1, 1]), B), "nan"),
    "A is sparse with a column outside": (solve(broken_csr(indices=[0, 7, 0, 1]), B), "7"),
    "A is sparse with a negative column": (solve(broken_csr(indices=[0, -1, 0, 1]), B), "-1"),
    "A is sparse with positions that descend": (solve(broken_csr(indptr=[0, 5, 4]), B), "."),
    "A is sparse with negative positions": (solve(broken_csr(indptr=[-1, 2, 4]), B), "."),
    "A is sparse with too few values": (solve(broken_csr(data=[1.0]), B), "."),
    "A is wide, for cg": (lambda: residua.cg([[1.0, 2.0]], [1.0]), "."),
    "A is not symmetric, for cg": (lambda: residua.cg(LOPSIDED, B), "symmetric"),
    "A is not symmetric, for minres": (lambda: residua.minres(LOPSIDED, B), "symmetric"),
    "b is too short": (solve(A, [1.0]), "b has 1 rows"),
    "b is too long": (solve(A, [1.0, 2.0, 3.0]), "b has 3 rows"),
    "b is a number": (solve(A, 1.0), "b: float"),
    "b is None": (solve(A, None), "b: NoneType"),
    "b is a str": (solve(A, "12"), "b: str"),
    "b has three dimensions": (solve(A, np.ones((2, 2, 2))), "b: an array of 3 dimensions"),
    "b has no columns": (solve(A, np.ones((2, 0))), "no columns"),
    "b has a NaN": (solve(A, [1.0, nan]), r"b\[1\] is nan"),
    "b has a word": (solve(A, ["1", "two"]), r"b\[1\].*two"),
    "b is complex": (solve(A, [1j, 1.0]), r"b\[0\].*complex"),
    "digits is 0": (solve(A, B, digits=0), "digits: 0"),
    "digits is negative": (solve(A, B, digits=-3), "digits: -3"),
    "digits is a float": (solve(A, B, digits=30.0), "digits: 30.0"),
    "digits is a bool": (solve(A, B, digits=True), "digits: True"),
    "digits is far too many": (solve(A, B, digits=10**6), "digits: 1000000"),
    "method is unknown": (solve(A, B, method="magic"), "method: 'magic' is none of auto, cg"),
    "method is a number": (solve(A, B, method=1), "method: 1"),
    "M is unknown": (solve(A, B, method="cg", M="magic"), "M: 'magic'"),
    "M is a matrix": (solve(A, B, method="cg", M=np.eye(2)), "M: ndarray"),
    "M is an operator": (solve(A, B, method="cg", M=aslinearoperator(np.eye(2))), "M: a LinearOperator"),
    "M does not fit": (solve(A, B, method="lsqr", M="ic0"), "."),
    "precision is unknown": (solve(A, B, precision="quad"), "precision: 'quad' is none of double, dd"),
    "precision is 0": (solve(A, B, precision=0), "precision: 0"),
    "precision is too high": (solve(A, B, precision=10**5), "precision: 100000"),
    "format is unknown": (solve(A, B, format="posit"), "format: 'posit'"),
    "format has not so many bits": (solve(A, B, format="native", precision=1000), "."),
    "executor is unknown": (solve(A, B, executor="tpu"), "executor: 'tpu'"),
    "rtol is negative": (solve(A, B, rtol=-1e-5), "rtol: -1e-05"),
    "rtol is NaN": (solve(A, B, rtol=nan), "rtol: nan"),
    "rtol is a word": (solve(A, B, rtol="small"), "small"),
    "atol is infinite": (solve(A, B, atol=inf), "atol: inf"),
    "maxiter is 0": (solve(A, B, maxiter=0), "maxiter: 0"),
    "maxiter is a float": (solve(A, B, maxiter=1e3), "maxiter: 1000.0"),
    "restart is negative": (solve(A, B, restart=-1), "restart: -1"),
    "fill is negative": (solve(A, B, fill=-1), "fill: -1"),
    "x0 is too short": (solve(A, B, x0=[1.0]), "x0 has 1 rows"),
    "x0 has two columns": (solve(A, B, x0=np.ones((2, 2))), "x0 has several columns"),
    "x0 has a NaN": (solve(A, B, x0=[nan, 0.0]), r"x0\[0\]"),
    "time_limit is 0": (solve(A, B, time_limit=0), "time_limit: 0"),
    "time_limit is NaN": (solve(A, B, time_limit=nan), "time_limit: nan"),
    "time_limit is a str": (solve(A, B, time_limit="1"), "time_limit: '1'"),
    "callback cannot be called": (solve(A, B, callback=3), "callback: int"),
    "estimate is a str": (solve(A, B, estimate="no"), "estimate: 'no'"),
    "input_bits is 0": (solve(A, B, input_bits=0), "input_bits: 0"),
    "input_bits is a str": (solve(A, B, input_bits="dd"), "input_bits: 'dd'"),
    "an update has too few values": (lambda: factor().update([1.0]), "1 numbers for 4 entries"),
    "an update has a NaN": (lambda: factor().update([1.0, 2.0, nan, 1.0]), r"values\[2\]"),
    "an update has another shape": (lambda: factor().update(np.eye(3)), "3 x 3"),
    "a transposed b is too long": (lambda: residua.factor([[1.0, 2.0]]).solve_transposed([1.0]), "b has 1 rows"),
    "the inertia of a lopsided matrix": (lambda: residua.factor(LOPSIDED).inertia(), "symmetric"),
    "the determinant of a wide matrix": (lambda: residua.factor([[1.0, 2.0]]).determinant(), "."),
    "an entry of the inverse outside": (lambda: factor().inverse_entries([(0, 2)]), r"places\[0\]: 2"),
    "an entry of the inverse that is no pair": (lambda: factor().inverse_entries([3]), r"places\[0\]: 3"),
    "a Number of a list": (lambda: residua.Number([1]), "list"),
    "a Number of a word": (lambda: residua.Number("one"), "one"),
    "a Number of 0 bits": (lambda: residua.Number(1, bits=0), "bits: 0"),
    "a fraction of a NaN": (lambda: residua.Number(nan).to_fraction(), "no finite number"),
    "a Number that is too large": (lambda: residua.Number("1e400000000"), "1e400000000"),
    "0 digits of a Number": (lambda: residua.Number(1).to_string(0), "digits: 0"),
    "40 terms": (lambda: residua.array([1.0]).terms(40), "terms: 40"),
    "0 terms": (lambda: residua.array([1.0]).terms(0), "terms: 0"),
    "an array of three dimensions": (lambda: residua.array(np.ones((1, 1, 1))), "3 dimensions"),
    "nothing to compare": (lambda: residua.compare(A, B, methods=[]), "methods: there is nothing"),
    "an operator is written": (lambda: residua.write("x.mtx", aslinearoperator(np.eye(2))), "LinearOperator"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_is_an_exception(name):
    call, words = MISUSE[name]
    with pytest.raises(residua.Error) as caught:
        call()
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
        core.make_solver(core.System.of_dense(np.eye(2)), "magic", "auto", "automatic", 0, 0, 0, None, None, 0, 50, None,
                         0.0, True, "automatic", None)
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
