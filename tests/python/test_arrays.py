"""Numbers under operators and numpy's functions: exact results, rounded once, or an error that names the way."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import residua
from residua import Matrix, Number, Numbers, array

BITS = 212


def rounded(exact, bits=BITS):
    return Number(exact, bits=bits).to_fraction()


def long_vector(rng, n, bits=BITS):
    """Fractions of so many bits that cancel, and of different sizes."""
    return [rounded(Fraction(rng.randint(-10**60, 10**60), rng.randint(1, 10**60)) * 10 ** rng.randint(-20, 20), bits)
            for _ in range(n)]


def fractions(x):
    return x.to_fractions().tolist() if isinstance(x, Numbers) else x.to_fraction()


def exact_product(a, x):
    return [sum(p * q for p, q in zip(row, x)) for row in a]


@pytest.fixture
def solved():
    """x = (1, ..., 1) of a Hilbert matrix to 40 digits, A and b in floats that hold them."""
    n = 12
    scale = math.lcm(*range(1, 2 * n))
    a = np.array([[float(scale // (i + j + 1)) for j in range(n)] for i in range(n)])
    return a, a.sum(axis=1), residua.solve(a, a.sum(axis=1), digits=40).x


def test_the_first_check_of_a_solution_has_its_digits(solved):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    a, b, x = solved
    exact = [sum(Fraction(p) * q for p, q in zip(row, fractions(x))) for row in a]
    bits = x.precision
    k = scipy_sparse.csr_array(a)
    for product in (a @ x, np.dot(a, x), np.matmul(a, x), k @ x, k.dot(x), k.tocsc() @ x, scipy_sparse.csr_matrix(a) @ x,
                    Matrix(a) @ x, Matrix(k) @ x, array(a) @ x, a.tolist() @ x, x @ a.T, x @ k.T,
                    x @ Matrix(a.T), np.inner(a, x)):
        assert isinstance(product, Numbers) and product.precision == bits
        assert fractions(product) == [rounded(e, bits) for e in exact]
    residual = np.linalg.norm(b - k @ x) / np.linalg.norm(b)
    assert isinstance(residual, Number) and residual < 1e-40


def test_products_are_exact_and_rounded_once(rng):
    for m, n, k in [(1, 1, 1), (3, 5, 2), (7, 4, 3)]:
        a = [long_vector(rng, n, 100) for _ in range(m)]
        x = [long_vector(rng, k) for _ in range(n)]
        for row in x[: n // 2]:
            row[0] = -x[-1][0]  # cancels
        mine = array(a, bits=100) @ array(x, bits=BITS)
        assert mine.shape == (m, k) and mine.precision == BITS
        for j in range(k):
            column = [row[j] for row in x]
            assert fractions(mine[:, j]) == [rounded(e) for e in exact_product(a, column)]
            assert fractions(array(a, bits=100) @ array(column, bits=BITS)) == fractions(mine[:, j])
        u, v = long_vector(rng, n), long_vector(rng, n)
        exact = sum(p * q for p, q in zip(u, v))
        u, v = array(u, bits=BITS), array(v, bits=BITS)
        for dot in (u @ v, u.dot(v), np.dot(u, v), np.vdot(u, v), np.inner(u, v)):
            assert isinstance(dot, Number) and dot.precision == BITS and dot.to_fraction() == rounded(exact)
        assert fractions(np.outer(u, v)) == [[rounded(p * q) for q in fractions(v)] for p in fractions(u)]
        assert fractions(3 * u) == fractions(np.dot(3, u))


def test_a_product_has_the_bits_of_numbers_that_floats_hold_too():
    x, tenth = array([3, 5], bits=BITS), array([0.1, 0.3])
    assert (x @ tenth).precision == (tenth @ x).precision == BITS
    assert (x @ tenth).to_fraction() == rounded(3 * Fraction(0.1) + 5 * Fraction(0.3))


def test_a_sparse_product_has_decimals_as_they_are_written():
    x = array([3, 10**40], bits=BITS)
    product = Matrix([["0.1", "1e-40"], [0, "7"]]) @ x
    assert product.precision == BITS
    assert fractions(product) == [rounded(Fraction(3, 10) + 1), rounded(7 * 10**40)]
    with pytest.raises(residua.DimensionError, match="2 x 2 numbers with 3"):
        Matrix(np.eye(2)) @ array([1, 2, 3])
    with pytest.raises(residua.DimensionError):
        array([1, 2]) @ array([1, 2, 3])


def test_sums_means_and_norms(rng):
    rows = [long_vector(rng, 4) for _ in range(3)]
    x = array(rows, bits=BITS)
    flat, columns = [e for row in rows for e in row], list(zip(*rows))
    for total in (x.sum(), np.sum(x), np.add.reduce(x, axis=None)):
        assert total.precision == BITS and total.to_fraction() == rounded(sum(flat))
    assert fractions(x.sum(axis=0)) == fractions(np.add.reduce(x)) == [rounded(sum(c)) for c in columns]
    assert fractions(np.sum(x, axis=1)) == [rounded(sum(r)) for r in rows]
    assert abs(np.mean(x).to_fraction() - sum(flat) / 12) <= abs(sum(flat) / 12) / 2 ** (BITS - 1)
    assert fractions(x.mean(0)) == [rounded(sum(c) / 3) for c in columns]
    assert np.trace(x).to_fraction() == rounded(rows[0][0] + rows[1][1] + rows[2][2])

    squares = sum(e * e for e in flat)
    for norm in (np.linalg.norm(x), x.norm("fro"), np.linalg.norm(x.ravel()), x.ravel().norm(2)):
        assert abs(norm.to_fraction() ** 2 - squares) <= squares / 2 ** (BITS - 2) and norm.precision == BITS
    assert x.norm(1).to_fraction() == max(rounded(sum(map(abs, c))) for c in columns)
    assert x.norm(np.inf).to_fraction() == max(rounded(sum(map(abs, r))) for r in rows)
    assert x.ravel().norm(1).to_fraction() == rounded(sum(map(abs, flat)))
    assert x.ravel().norm(np.inf) == abs(x).max() == max(map(abs, x.ravel()))
    assert x.norm(axis=1).shape == (3,) and x.norm(axis=1)[0] == x[0].norm()
    with pytest.raises(TypeError, match="singular values"):
        np.linalg.norm(x, 2)


def test_long_sums_keep_what_cancels():
    x = array([1, "1e100", 1, "-1e100"], bits=53)
    assert x.sum() == 2 and np.dot(x, [1, 1, 1, 1]) == 2 and x.mean() == 0.5
    assert np.linalg.norm(array([Fraction(3) * 10**400, Fraction(4) * 10**400], bits=2000)) == 5 * 10**400


def test_elements_have_the_bits_of_the_longest_operand(rng):
    u, v = long_vector(rng, 6), long_vector(rng, 6, 90)
    x, y = array(u, bits=BITS), array(v, bits=90)
    for mine, exact in [(x + y, [p + q for p, q in zip(u, v)]), (x - y, [p - q for p, q in zip(u, v)]),
                        (x * y, [p * q for p, q in zip(u, v)]), (np.divide(x, y), [p / q for p, q in zip(u, v)]),
                        (np.add(x, 1), [p + 1 for p in u]), (0.1 - x, [Fraction(0.1) - p for p in u]),
                        (np.square(x), [p * p for p in u]), (np.abs(x), [abs(p) for p in u]), (-x, [-p for p in u]),
                        (x // y, [p // q for p, q in zip(u, v)]), (1 / x, [1 / p for p in u]),
                        (x % 7, [p % 7 for p in u]), (x * Fraction(1, 3), None), (x + np.arange(6.0), None),
                        (np.arange(6.0) + x, [p + i for i, p in enumerate(u)]), (np.maximum(x, y), map(max, u, v))]:
        assert isinstance(mine, Numbers) and mine.precision == BITS
        if exact is not None:
            assert fractions(mine) == [rounded(e) for e in exact]
    assert (x * Number("0.1")).precision == (x * Decimal("0.1")).precision == BITS
    assert fractions(x * Number("0.1")) == [rounded(p * Number("0.1").to_fraction()) for p in u]
    column = x.reshape(3, 2) + y[:2]
    assert column.shape == (3, 2) and column[2, 1] == x[5] + y[1]
    with pytest.raises(residua.DimensionError, match="shapes"):
        x + y[:4]


def test_functions_are_rounded_correctly(rng):
    mpmath = pytest.importorskip("mpmath")
    values = [rounded(Fraction(rng.randint(1, 10**60), 10**60)) for _ in range(5)]
    x = array(values, bits=BITS)
    theirs = {"exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "sqrt": "sqrt", "arcsin": "asin",
              "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
              "arctanh": "atanh", "cbrt": "cbrt", "expm1": "expm1", "log1p": "log1p", "log10": "log10"}
    with mpmath.workprec(4 * BITS):
        for name, other in theirs.items():
            mine = getattr(np, name)(x)
            exact = [getattr(mpmath, other)(v.to_mpmath()) for v in x]
            assert mine.to_mpmath().tolist() == [[Number(e, bits=BITS).to_mpmath()] for e in exact], name
            assert getattr(np, name)(x[0]) == mine[0] and getattr(x[0], name)() == mine[0]
    assert np.exp2(array([3])) == 8 and np.log2(array([8])) == 3 and np.hypot(array([3]), 4) == 5
    assert np.power(array([3, 2]), [2, -1]).tolist() == [9, 0.5] and (array([2]) ** 100 == 2**100).all()
    assert [np.floor(x)[0], np.ceil(x)[0], np.rint(array([2.5]))[0], np.trunc(array([-2.5]))[0]] == [0, 1, 2, -2]
    assert np.sign(array([-2, 0, 3])).tolist() == [-1, 0, 1] and np.isfinite(x).all() and not np.isnan(x).any()
    quotient, rest = divmod(array([7, -7]), 2)
    assert quotient.tolist() == [3, -4] and rest.tolist() == [1, 1]


def test_what_is_no_number_says_where():
    with pytest.raises(ZeroDivisionError, match="element 1"):
        1 / array([1, 0])
    with pytest.raises(residua.InputError, match=r"log\(-1e\+00\), element 1, is no real number"):
        np.log(array([1, -1]))
    with pytest.raises(ValueError, match="sqrt"):
        Number(-1).sqrt()
    with pytest.raises(ZeroDivisionError):
        Number(0) ** -1
    with pytest.raises(ValueError):
        Number(-2) ** 0.5


def test_comparisons_are_exact():
    x = array(["0.1", 2, 3], bits=BITS)
    assert (x == [0.1, 2, 3]).tolist() == [False, True, True] and (x != 2).tolist() == [True, False, True]
    assert (x < 2).tolist() == [True, False, False] and (2 <= x).tolist() == [False, True, True]
    assert np.greater(x, [1, 1, 3]).tolist() == [False, True, False]
    assert (array([[1, 2], [3, 4]]) >= array([1, 4])).tolist() == [[True, False], [True, True]]
    assert np.array_equal(x, x) and not np.array_equal(x, x[:2]) and np.allclose(x, [0.1, 2, 3])
    assert not np.allclose(x, [0.1, 2, 3], rtol=1e-17, atol=0) and (x == "a") is False
    assert x[x > 1].tolist() == [2, 3] and np.argmax(x) == 2 and np.argmin(x) == 0
    assert np.sort(array([3, 1, 2])).tolist() == [1, 2, 3] and np.argsort(array([3, 1, 2])).tolist() == [1, 2, 0]
    y = array([[1, 5], [7, 2]])
    assert y.max(axis=0).tolist() == [7, 5] and np.min(y, axis=1).tolist() == np.min(y, axis=-1).tolist() == [1, 2]
    for axis in (2, -3):
        with pytest.raises(ValueError, match="axis"):
            np.max(y, axis=axis)
        with pytest.raises(ValueError, match="axis"):
            np.sum(y, axis=axis)


def test_elements_move_without_being_rounded():
    x = array([["0.1", 2], [3, 4]], bits=BITS)
    assert (np.transpose(x) == x.T).all() and np.reshape(x, (4,)).shape == (4,) and (np.ravel(x) == x.ravel()).all()
    assert np.concatenate([x, [[5, 6]]]).shape == (3, 2) and np.vstack([x, x])[3, 0] == x[1, 0]
    assert np.hstack([x[0], x[1]]).shape == (4,)
    assert np.column_stack([x[:, 0], [1, 2]])[0].tolist() == [x[0, 0], 1] and np.stack([x[0], x[1]]).shape == (2, 2)
    assert np.diagonal(x).tolist() == [x[0, 0], 4] and np.flip(x)[0, 0] == 4 and np.squeeze(x[:1]).shape == (2,)
    assert np.diff(x).tolist() == [[2 - x[0, 0]], [1]] and np.clip(x, 1, 3).tolist() == [[1, 2], [3, 3]]
    assert np.where(x > 2, x, 0).tolist() == [[0, 0], [3, 4]] and np.zeros_like(x).precision == BITS
    assert (np.shape(x), np.ndim(x), np.size(x)) == ((2, 2), 2, 4) and x.tolist()[1] == [3, 4]


def test_nothing_becomes_floats_unasked():
    x = array([Fraction(1, 3), 2], bits=BITS)
    way = r"x\.to_float\(\)"
    for attempt in (lambda: np.asarray(x), lambda: np.array(x), lambda: np.array([x, x]), lambda: np.fft.fft(x),
                    lambda: np.linalg.solve(np.eye(2), x), lambda: np.einsum("i,i", x, x), lambda: np.median(x),
                    lambda: np.add(x, 1, out=np.zeros(2)), lambda: np.sum(x, keepdims=True), lambda: np.sum(x, 0, float),
                    lambda: np.round(x),
                    lambda: np.multiply.outer(x, x), lambda: np.sum(x, dtype=float), lambda: np.nextafter(x, x)):
        with pytest.raises(TypeError, match=way):
            attempt()
    with pytest.raises(TypeError, match=r"residua\.solve\(A, b\) does"):
        np.linalg.solve(np.eye(2), x)
    assert x.to_float().tolist() == [1 / 3, 2] and np.asarray(x, dtype=float).dtype == np.float64
    assert np.asarray(x, dtype=object)[0] == x[0] and np.asarray([x[0]]).dtype == object
    long = np.asarray(x, dtype=np.longdouble)
    assert abs(Fraction(*map(int, long[0].as_integer_ratio())) - Fraction(1, 3)) < Fraction(1, 2**64)
    assert np.asarray(array([2**60 + 1]), dtype=np.int64)[0] == 2**60 + 1
    with pytest.raises(TypeError, match="K.toarray"):
        pytest.importorskip("scipy.sparse").eye_array(2) + x
    with pytest.raises(TypeError):
        x + "1"


def test_pictures_and_tables_take_solutions():
    plt = pytest.importorskip("matplotlib.pyplot")
    x = array([Fraction(1, 3), 2], bits=BITS)
    for y in (x, x.to_float()):
        line, = plt.figure().gca().plot(y)
        assert line.get_ydata(orig=False).tolist() == [1 / 3, 2]
        plt.close("all")


def test_a_product_by_scipy_within_an_operator_says_what_has_products():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    k = scipy_sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(20, 20)).tocsr()

    class By:
        shape = (20, 20)

        def __init__(self, matrix):
            self.matvec = lambda x: matrix @ x

    with pytest.raises(TypeError, match=r"residua.Matrix\(K\) @ x"):
        residua.cg(By(k), np.ones(20))
    result = residua.cg(By(Matrix(k)), np.ones(20), precision="qd")
    assert result.converged and np.linalg.norm(1 - k @ result.x) < 1e-50


def test_what_is_printed_is_right():
    n = 20
    a = [[Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]
    b = [sum(p * Fraction(1, 7**j) for j, p in enumerate(row)) for row in a]
    result = residua.solve(a, b, digits=15)
    x = result.x
    assert x.digits[0] == result.digits and x.digits.tolist() == sorted(x.digits.tolist(), reverse=True)
    assert f"digits={result.digits})" in repr(x) and x[1].digits == x.T.digits[1] == x[::2].digits[0] - (
        x.digits[0] - x.digits[1])
    for j, text in enumerate(str(x)[1:-1].split()):
        shown = sum(c.isdigit() for c in text.partition("e")[0])
        assert text == str(x[j]) and shown <= max(x[j].digits, 1)
        assert x[j].digits == 0 or abs(Fraction(text) - Fraction(1, 7**j)) <= Fraction(2, 7**j * 10 ** (x[j].digits - 1))
    assert residua.solve(a, b, precision="double").x.digits.max() == 0
    assert len(x.to_strings()[0]) > 30 and len(x[1].to_string(60)) > 60
    two = residua.solve(a, np.array([[e, 2 * e] for e in b], dtype=object), digits=15).x
    assert two.digits.shape == (n, 2) and two[:, 1].digits[0] >= 15

    again = pickle.loads(pickle.dumps(two))
    assert (again.digits == two.digits).all() and (again == two).all() and str(again) == str(two)
    assert (x + 0).digits is None and (-x).digits[0] == x.digits[0]
    assert str(Number(Fraction(1, 3), bits=4000)) == "3." + 39 * "3" + "e-01" and str(Number("0.1")) == "1e-01"
    assert len(str(array([Number(2, bits=4000)]) / 3)) < 30
