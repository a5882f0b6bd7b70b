"""Operators of which only products are known: against exact fractions, scipy and mpmath."""

import signal
import threading
from fractions import Fraction

import numpy as np
import pytest

import residua
from conftest import exact_solution, relative_error

linalg = pytest.importorskip("scipy.sparse.linalg")
LinearOperator, aslinearoperator = linalg.LinearOperator, linalg.aslinearoperator

N = 24
METHODS = ["cg", "gmres", "minres", "bicgstab", "idr", "lsqr"]
MATRIX = [[2 if i == j else -1 if abs(i - j) == 1 else 0 for j in range(N)] for i in range(N)]
B = [Fraction(k + 1, 4) for k in range(N)]
EXACT = exact_solution(MATRIX, B)


class Laplacian:
    """Second differences, with whatever numbers come."""

    shape = (N, N)

    def matvec(self, x):
        y = 2 * x
        y[1:] -= x[:-1]
        y[:-1] -= x[1:]
        return y

    rmatvec = matvec


class By(Laplacian):
    """The same by a function of x."""

    def __init__(self, function, **attributes):
        self.function = function
        self.__dict__.update(attributes)

    def matvec(self, x):
        return self.function(super().matvec(x))


@pytest.mark.parametrize("bits", [64, 106, 500])
@pytest.mark.parametrize("name", METHODS)
def test_the_precision_is_that_of_the_products(name, bits):
    result = getattr(residua, name)(Laplacian(), B, precision=bits)
    assert result.converged and result.report.precision_bits == bits
    error = relative_error(result.x, EXACT)
    assert error < Fraction(1, 2 ** (bits * 9 // 10 - 10))  # the condition is 250
    assert result.digits == 0 and "not known" in result.verdict and f"{2 * bits + 8} bits" in result.verdict


def claims_no_less(result):
    """Whether the residual in the report, of six digits, is that of x or more; returns both squares."""
    square, scale = residual_of(result.x)
    claimed = scale * (result.report.relative_residual.to_fraction() * Fraction(100001, 100000)) ** 2
    return square <= claimed, square, claimed


def residual_of(x):
    ax = [sum(Fraction(a) * v.to_fraction() for a, v in zip(row, x) if a) for row in MATRIX]
    return sum((b - y) ** 2 for b, y in zip(B, ax)), sum(b * b for b in B)


@pytest.mark.parametrize("how", [{}, {"precision": 300}, {"rtol": 1e-5}, {"maxiter": 3}], ids=str)
def test_the_residual_is_the_true_one(how):
    result = residua.cg(Laplacian(), B, **how)
    holds, square, claimed = claims_no_less(result)
    assert holds and (claimed < Fraction(1, 2**160) or claimed <= square * Fraction(102, 100))


def test_linear_operators_of_objects_are_those():
    operator = LinearOperator((N, N), matvec=Laplacian().matvec, rmatvec=Laplacian().matvec, dtype=object)
    for name in METHODS:
        assert (getattr(residua, name)(operator, B).x == getattr(residua, name)(Laplacian(), B).x).all()
    shifted = operator + 3 * LinearOperator((N, N), matvec=lambda x: x, dtype=object)
    exact = exact_solution([[a + 3 * (i == j) for j, a in enumerate(row)] for i, row in enumerate(MATRIX)], B)
    assert relative_error(residua.cg(shifted, B).x, exact) < Fraction(1, 10**25)


@pytest.mark.parametrize("name", METHODS)
def test_binary64_operators_have_its_digits(name):
    a = np.array(MATRIX, dtype=float)
    result = getattr(residua, name)(aslinearoperator(a), [float(x) for x in B])
    assert result.converged and result.x.precision == 53 and "binary64" in result.verdict
    np.testing.assert_allclose(result.x.astype(float), np.linalg.solve(a, [float(x) for x in B]), rtol=1e-8)
    assert claims_no_less(result)[0]


def test_what_rounding_hides_is_not_claimed():
    a = aslinearoperator(np.array(MATRIX, dtype=float))
    for name in METHODS:  # x is 100 times b, and the last digits of its products are noise
        result = getattr(residua, name)(a, [1.0] * N, rtol=2.0**-51)
        assert not result.converged and "Rounding errors" in result.verdict, name
        assert residua.Number(2.0**-51) < result.report.relative_residual < 1e-12


@pytest.mark.parametrize("kind", [list, tuple, residua.array, lambda y: y.reshape(-1, 1),
                                  lambda y: [v.to_fraction() for v in y], lambda y: [v.to_decimal(90) for v in y]],
                         ids=["list", "tuple", "Numbers", "column", "Fraction", "Decimal"])
def test_products_come_in_any_numbers(kind):
    assert relative_error(residua.cg(By(kind), B).x, EXACT) < Fraction(1, 10**26)


def test_mpmath_computes_to_its_own_precision():
    mpmath = pytest.importorskip("mpmath")

    class Mp:
        shape = (N, N)

        def matvec(self, x):
            v = [mpmath.mpf(0), *(each.to_mpmath() for each in x), mpmath.mpf(0)]
            return [2 * v[k] - v[k - 1] - v[k + 1] for k in range(1, N + 1)]

    with mpmath.workdps(60):
        result = residua.cg(Mp(), B, precision=160)
        assert result.converged and relative_error(result.x, EXACT) < Fraction(1, 10**40)
        assert claims_no_less(result)[0]
        assert not residua.cg(Mp(), B, precision=210, rtol="1e-62").converged  # 60 digits do not show that
    with pytest.raises(residua.InputError, match="right to about 5[0-9] bits, and 160 are needed"):
        residua.cg(Mp(), B, precision=160)  # in the 15 digits that mpmath has by default


def test_floats_in_disguise_are_found():
    blurred = By(lambda y: [residua.Number(float(v)) for v in y])
    with pytest.raises(residua.InputError, match="right to about 5[0-9] bits, and 106 are needed"):
        residua.cg(blurred, B)
    with pytest.raises(residua.InputTypeError, match="floats came back"):
        residua.cg(By(lambda y: y.astype(float)), B)
    with pytest.raises(residua.InputError, match="not linear"):
        residua.gmres(By(lambda y: y + 1), B)
    with pytest.raises(residua.UnsupportedError, match="symmetric"):
        residua.cg(By(lambda y: y * np.arange(1, N + 1)), B)
    with pytest.raises(residua.InputError, match="rmatvec"):
        residua.lsqr(By(lambda y: y * np.arange(1, N + 1)), B)


def test_preconditioners_are_operators():
    inverse = np.linalg.inv(np.array(MATRIX, dtype=float))
    inverse = (inverse + inverse.T) / 2
    plain = residua.cg(Laplacian(), B, precision=300)
    for name in ("cg", "gmres", "bicgstab", "minres", "idr"):
        result = getattr(residua, name)(Laplacian(), B, precision=300, M=aslinearoperator(inverse))
        assert result.converged and result.report.preconditioner == "given"
        assert relative_error(result.x, EXACT) < Fraction(1, 10**75)
        assert result.report.iterations < plain.report.iterations
    weak = np.linalg.inv(np.array(MATRIX) + 0.05 * np.eye(N))
    weak = aslinearoperator((weak + weak.T) / 2)
    assert residua.gmres(Laplacian(), B, precision=300, M=weak).report.iterations < 90  # 119 to 300 bits at once
    assert residua.cg(Laplacian(), B, precision=300, M=weak).report.iterations < 60  # 69 by 40 bits at a time
    halves = LinearOperator((N, N), matvec=lambda x: x / 2, dtype=object)
    assert relative_error(residua.cg(Laplacian(), B, M=halves).x, EXACT) < Fraction(1, 10**25)


def test_least_squares_are_those_of_the_matrix():
    a = np.array([[Fraction((7 * i + 3 * j * j) % 11 - 5, 8) for j in range(4)] for i in range(12)], dtype=object)
    floats = a.astype(float)

    class Tall:
        shape = (12, 4)

        def matvec(self, x):
            return floats.astype(object) @ x

        def rmatvec(self, y):
            return floats.T.astype(object) @ y

    b = [Fraction(k % 5) for k in range(12)]
    normal = (a.T @ a).tolist()
    exact = exact_solution(normal, (a.T @ np.array(b, dtype=object)).tolist())
    result = residua.lsqr(Tall(), b, precision="qd")
    assert result.converged and result.report.least_squares
    assert relative_error(result.x, exact) < Fraction(1, 10**50)
    started = residua.lsqr(Tall(), b, result.x, precision="qd")
    assert started.converged and started.report.iterations == 0


def test_several_right_hand_sides_and_guesses():
    b = np.array([B, [1] * N], dtype=object).T
    together = residua.cg(Laplacian(), b)
    assert together.x.shape == (N, 2) and (together.x[:, 0] == residua.cg(Laplacian(), B).x).all()
    again = residua.solve(Laplacian(), B, method="cg", x0=together.x[:, 0])
    assert again.converged and again.report.iterations == 0
    zero = residua.cg(Laplacian(), [0] * N)
    assert zero.converged and float(abs(zero.x).max()) == 0


def test_limits_are_told():
    few = residua.cg(Laplacian(), B, maxiter=2)
    assert few.info == 2 and few.status == "not_converged" and "2 iterations" in few.verdict
    late = residua.cg(By(lambda y: (threading.Event().wait(0.02), y)[1]), B, time_limit=0.1)
    assert late.status == "time_limit"
    singular = residua.cg(By(lambda y: y * 0), B)
    assert singular.status == "breakdown" and not singular.converged


def test_callbacks_and_errors_of_the_callers():
    steps = []
    result = residua.cg(Laplacian(), B, callback=steps.append)
    assert [s.iteration for s in steps] == [s.iteration for s in result.history] and steps[-1].true_residual is not None

    def stop(step):
        if step.iteration >= 5:
            raise StopIteration

    stopped = residua.cg(Laplacian(), B, callback=stop)
    assert stopped.status == "interrupted" and 5 <= stopped.report.iterations < 8

    def fail(y):
        raise KeyError("of the operator")

    for broken in (lambda: residua.cg(By(fail), B), lambda: residua.gmres(Laplacian(), B, M=By(fail)),
                   lambda: residua.cg(Laplacian(), B, callback=fail)):
        with pytest.raises(KeyError, match="of the operator"):
            broken()

    calls = []

    def interrupt(y):
        calls.append(y)
        if len(calls) == 9:
            signal.raise_signal(signal.SIGINT)
        return y

    with pytest.raises(KeyboardInterrupt):
        residua.cg(By(interrupt), B)
    inside = residua.cg(By(lambda y: (residua.solve(np.eye(2), [1, 1]), y)[1]), B)  # a solve within a solve
    assert (inside.x == result.x).all()


def test_four_threads_have_the_bits_of_one():
    one = residua.gmres(Laplacian(), B, precision=300)
    found = [None] * 4

    def work(k):
        found[k] = residua.gmres(Laplacian(), B, precision=300).x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert all((x == one.x).all() for x in found)


def operator(function=lambda x: x, shape=(2, 2), **attributes):
    return type("Given", (), {"matvec": lambda self, x: function(x), "shape": shape, **attributes})()


MISUSE = {
    "no method": (lambda: residua.solve(operator(), [1, 2]), "method: none can be chosen"),
    "a direct method": (lambda: residua.solve(operator(), [1, 2], method="direct"), "'direct' needs the entries"),
    "a factor": (lambda: residua.factor(operator()), "LinearOperator has no entries"),
    "a comparison": (lambda: residua.compare(operator(), [1, 2]), "LinearOperator has no entries"),
    "digits": (lambda: residua.cg(operator(), [1, 2], digits=30), "digits=30 needs the entries"),
    "a format": (lambda: residua.cg(operator(), [1, 2], format="rns"), "format='rns'"),
    "a GPU": (lambda: residua.cg(operator(), [1, 2], executor="cuda"), "executor='cuda'"),
    "a preconditioner by name": (lambda: residua.cg(operator(), [1, 2], M="jacobi"), "M: 'jacobi' is made from"),
    "an unknown preconditioner": (lambda: residua.cg(operator(), [1, 2], M="magic"), 'M: "magic" is none of'),
    "M is a matrix": (lambda: residua.cg(operator(), [1, 2], M=np.eye(2)), "M: ndarray"),
    "M of another shape": (lambda: residua.cg(operator(), [1, 2], M=operator(shape=(3, 3))), "M: an operator of 3 x 3"),
    "M for lsqr": (lambda: residua.solve(operator(rmatvec=lambda self, x: x), [1, 2], method="lsqr", M=operator()), "lsqr"),
    "no shape": (lambda: residua.cg(operator(shape=None), [1, 2]), "the shape None"),
    "a shape that is a number": (lambda: residua.cg(operator(shape=3), [1, 2]), "the shape 3"),
    "a shape of three": (lambda: residua.cg(operator(shape=(1, 2, 3)), [1, 2]), "the shape"),
    "an empty operator": (lambda: residua.cg(operator(shape=(0, 0)), []), "0 x 0"),
    "a wide operator for cg": (lambda: residua.cg(operator(shape=(1, 2)), [1]), "square"),
    "no transpose for lsqr": (lambda: residua.lsqr(operator(), [1, 2]), "needs its rmatvec"),
    "matvec is no function": (lambda: residua.cg(type("G", (), {"matvec": 3, "shape": (2, 2)})(), [1, 2]), "cannot be called"),
    "times": (lambda: residua.cg(operator(dtype="M8[s]"), [1, 2]), "neither real nor complex"),
    "a complex product": (lambda: residua.cg(operator(lambda x: [1j, 2]), [1, 2]), "complex"),
    "a product too short": (lambda: residua.cg(operator(lambda x: x[:1]), [1, 2]), r"shape \(1,\), and not \(2,\)"),
    "a product that is none": (lambda: residua.cg(operator(lambda x: None), [1, 2]), r"A.matvec\(x\): NoneType"),
    "a product of words": (lambda: residua.cg(operator(lambda x: ["one", "two"]), [1, 2]), "one"),
    "a product with a NaN": (lambda: residua.cg(operator(lambda x: x * np.nan, dtype=float), [1, 2]), "nan"),
    "more bits than binary64": (lambda: residua.cg(operator(dtype=float), [1, 2], precision="dd"), "dtype=object"),
    "more digits than binary64": (lambda: residua.cg(operator(dtype=float), [1, 2], rtol=1e-20), "below 2\\^-52"),
    "b too long": (lambda: residua.cg(operator(), [1, 2, 3]), "b has 3 rows"),
    "x0 too long": (lambda: residua.cg(operator(), [1, 2], [1, 2, 3]), "x0 has 3 rows"),
    "two guesses": (lambda: residua.cg(operator(), [1, 2], np.eye(2)), "x0 has several"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_is_an_exception(name):
    call, words = MISUSE[name]
    with pytest.raises(residua.Error, match=words) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and 10 < len(message) < 400, message
