"""What a factor has besides solves: the inverse, the determinant's logarithm, triangles, a telling repr."""

from fractions import Fraction

import numpy as np
import pytest

import residua
from conftest import exact_solution, hilbert

scipy_linalg = pytest.importorskip("scipy.linalg")
import scipy.sparse  # noqa: E402


def fractions_of(x):
    return np.array([[each.to_fraction() for each in row] for row in x], dtype=object)


def test_the_inverse_is_a_result_with_a_report_for_each_column():
    a = hilbert(7)
    inverse = residua.factor(a, digits=30).inv()
    assert inverse.converged and inverse.digits >= 30 and inverse.x.shape == (7, 7) and len(inverse.reports) == 7
    for j in range(7):
        exact = exact_solution(a, [int(i == j) for i in range(7)])
        assert all(abs(x.to_fraction() - e) <= Fraction(1, 10**30) * max(map(abs, exact))
                   for x, e in zip(inverse.x[:, j], exact))
    x, info = residua.factor([[2, 0], [0, 4]]).inv()
    assert info == 0 and x.astype(float).tolist() == [[0.5, 0], [0, 0.25]]


def test_rounded_fractions_show_no_rank():
    p = [[Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)], [Fraction(1, 3), Fraction(5, 9), Fraction(1, 9)],
         [Fraction(1, 5), Fraction(1, 11), Fraction(39, 55)]]
    chain = [[Fraction(int(i == j)) - x for j, x in enumerate(row)] for i, row in enumerate(p)]  # its rows sum to 0
    as_numbers = [[residua.Number(x) for x in row] for row in chain]
    as_complex = [[residua.ComplexNumber(x, x) for x in row] for row in chain]
    for a in [chain, as_numbers, residua.array(as_numbers), as_complex, residua.array(as_complex), chain + chain[:1]]:
        F = residua.factor(a, digits=20)
        found = F.rank()
        assert found is None or found.rank == 2
        assert found is not None or F.null_space() is None
    regular = [[Fraction(1, 7), Fraction(2, 7)], [Fraction(1, 3), Fraction(5, 9)]]
    for a in [regular, regular + regular, [[residua.ComplexNumber(0, x) for x in row] for row in regular]]:
        assert residua.factor(a).rank()[:2] == (2, 0)


def test_updates_by_decimals_and_fractions_give_what_a_new_factor_gives():
    fractions, decimals = [[Fraction(1, 7), 1], [1, 7]], [["0.1", "0.7"], ["1", "7"]]
    tenths = [[residua.ComplexNumber("0.1", "0.1"), "0.7"], ["1", "7"]]
    for first, second in [([[3.0, 1], [1, 7]], fractions), ([[3.0, 1], [1, 7]], decimals), ([[3j, 1], [1, 7]], tenths)]:
        kept, new = residua.factor(first, digits=20), residua.factor(second, digits=20)
        kept.solve([1, 2])
        kept.update(residua.Matrix(second))
        assert kept.rank() == new.rank()
        one, other = kept.solve([1, 3]), new.solve([1, 3])
        assert (one.x == other.x).all() and one.status == other.status
        for figure in ["relative_residual", "forward_error", "backward_error", "condition_estimate", "message"]:
            assert one.report[figure] == other.report[figure], figure


def test_the_logarithm_of_a_determinant_is_numpys():
    a = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10.5]])
    sign, logarithm = residua.factor(a).slogdet()
    expected = np.linalg.slogdet(a)
    assert sign == expected.sign == -1 and float(logarithm) == pytest.approx(expected.logabsdet, rel=1e-13)
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        logarithm = residua.factor(hilbert(12), digits=40).slogdet().logabsdet
        determinant = residua.factor(hilbert(12), digits=40).determinant()
        error = abs(logarithm.to_mpmath() - mpmath.log(mpmath.det(mpmath.hilbert(12))))
        assert error <= determinant.relative_error.to_mpmath() * 2 < mpmath.mpf(10) ** -39
    large = residua.factor(scipy.sparse.diags_array(np.full(400, 1e300)).tocsr()).slogdet()  # beyond the range of floats
    assert large.sign == 1 and float(large.logabsdet) == pytest.approx(400 * np.log(1e300))
    gone = residua.factor(scipy.sparse.csr_array(([1.0], ([0], [0])), shape=(2, 2))).slogdet()
    assert gone == (0, residua.Number(-np.inf))


@pytest.mark.parametrize("bits", [64, "dd", 500])
def test_triangles_make_the_matrix(bits, rng):
    n = 9
    a = np.array([[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)])
    unit = Fraction(1, 2 ** {"dd": 106}.get(bits, bits))
    rows, lower, upper = residua.factor(scipy.sparse.csr_array(a)).lu(bits)
    product = fractions_of(lower) @ fractions_of(upper)
    exact = np.array([[Fraction(x) for x in row] for row in a], dtype=object)[rows]
    assert abs(product - exact).max() <= 4 * n * unit * abs(exact).max() * abs(fractions_of(upper)).max()
    assert sorted(rows) == list(range(n))
    permuted, their_lower, their_upper = scipy_linalg.lu(a, p_indices=True)
    np.testing.assert_allclose(lower.astype(float), their_lower, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(upper.astype(float), their_upper, rtol=1e-9, atol=1e-12)
    assert (np.argsort(permuted) == rows).all()
    square = a @ a.T
    l = residua.factor(square, precision=bits).cholesky()
    exact = np.array([[Fraction(x) for x in row] for row in square], dtype=object)
    assert abs(fractions_of(l) @ fractions_of(l).T - exact).max() <= 4 * n * unit * abs(exact).max()
    np.testing.assert_allclose(l.astype(float), np.linalg.cholesky(square), rtol=1e-7, atol=1e-9)


def test_triangles_have_the_bits_that_the_digits_take():
    f = residua.factor(hilbert(14), digits=40)
    lower = f.cholesky()
    assert lower.precision >= 40 * 3.3 + 58  # cond is 1e19 or so
    last, better = (l[13, 13].to_fraction() for l in (lower, f.cholesky(1000)))  # takes the whole condition
    assert abs(last - better) <= Fraction(1, 10**40) * better and last != better
    assert f.lu().U.precision == lower.precision


def test_factors_that_there_are_not_are_errors():
    with pytest.raises(residua.UnsupportedError, match="in 106 bits: .*singular"):
        residua.factor([[1, 2], [2, 4]]).lu("dd")
    with pytest.raises(residua.UnsupportedError, match="not positive definite in 64 bits"):
        residua.factor([[1, 2], [2, 1]]).cholesky(64)
    with pytest.raises(residua.UnsupportedError, match=r"not symmetric; lu\(\)"):
        residua.factor([[1, 2], [0, 1]]).cholesky()
    for ask in (lambda f: f.lu(), lambda f: f.inv()):
        with pytest.raises(residua.DimensionError, match="1"):
            ask(residua.factor([[1.0, 2.0]]))


def test_a_factor_says_what_it_is():
    f = residua.factor([[2, 1], [1, 3]], 30, method="refine", x0=[0, 0])
    assert repr(f) == "<Factor of 2 x 2: 4 floats, symmetric; digits=30, method='refine', x0=...>"
    assert "<table>" in f._repr_html_() and "digits=30" in f._repr_html_()
    assert repr(residua.factor([["0.1"]])) == \
        "<Factor of 1 x 1: 1 entries that floats do not hold, symmetric; all by default>"
