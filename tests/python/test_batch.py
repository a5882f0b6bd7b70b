"""Stacks of small systems: against exact fractions, numpy and solves one by one."""

from fractions import Fraction

import numpy as np
import pytest

import residua
from conftest import exact_solution, relative_error


def stack(rng, count, n):
    return np.array([[[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)] for _ in range(count)])


def test_each_system_has_its_digits(rng):
    a = stack(rng, 20, 5)
    a[3] = [[1.0 / (i + j + 1) for j in range(5)] for i in range(5)]  # harder than the others
    b = stack(rng, 1, 20)[0, :, :5]
    found = residua.solve_batch(a, b, digits=40)
    assert found.solved and len(found) == 20 and found.x.shape == (20, 5) and (found.digits >= 40).all()
    for s in range(20):
        exact = exact_solution(a[s].tolist(), b[s].tolist())
        error = relative_error(found.x[s], exact)
        assert error <= Fraction(1, 10**40) and error <= found.error[s]
    assert "20 solved, 0 singular, 0 failed; 4" in repr(found)
    np.testing.assert_allclose(found.x.astype(float), np.linalg.solve(a, b[..., None])[..., 0], rtol=1e-8)


def test_several_right_hand_sides_each(rng):
    a = stack(rng, 4, 3)
    b = stack(rng, 4, 3)[:, :, :2]
    found = residua.solve_batch(a, b, digits=20)
    assert found.status.shape == found.digits.shape == (4, 2) and [x.shape for x in found.x] == [(3, 2)] * 4
    for s in range(4):
        for j in range(2):
            alone = residua.solve_batch(a[s : s + 1], b[s : s + 1, :, j], digits=20)
            assert (alone.x[0] == found.x[s][:, j]).all() and alone.digits[0] == found.digits[s, j]


def test_numbers_of_several_floats_are_exact():
    third = residua.Number(Fraction(1, 3), bits=100)
    a = [[[third, 1], [1, 2]], [[2**60 + 1, 1], [1, 1]]]
    exact = [exact_solution([[x.to_fraction() if isinstance(x, residua.Number) else x for x in row] for row in each], [1, 2])
             for each in a]
    found = residua.solve_batch(a, [[1, 2], [1, 2]], digits=30)
    assert all(relative_error(found.x[s], exact[s]) <= Fraction(1, 10**30) for s in range(2))
    with pytest.raises(residua.UnsupportedError, match=r"A\[0, 0, 1\]: the four floats .* input_bits=212"):
        residua.solve_batch([[[1, "0.1"], [1, 2]]], [[1, 2]])
    rounded = residua.solve_batch([[[1, "0.1"], [1, 2]]], [["1.1", 3]], digits=30, input_bits=212)
    assert relative_error(rounded.x[0], [Fraction(1), Fraction(1)]) <= Fraction(1, 10**30)


def test_singular_systems_do_not_spoil_others():
    found = residua.solve_batch([[[1, 1], [1, 1]], [[2, 0], [0, 4]]], [[1, 0], [2, 4]])
    assert found.status.tolist() == ["singular", "solved"] and not found.solved
    assert found.x[1].astype(float).tolist() == [1, 1] and np.isnan(float(found.x[0, 0])) and found.digits[0] == 0


def test_threads_do_not_change_a_bit(rng):
    a, b = stack(rng, 50, 6), stack(rng, 1, 50)[0, :, :6]
    one, two = (residua.solve_batch(a, b, digits=30, threads=t) for t in (1, 2))
    assert (one.x == two.x).all() and (one.error == two.error).all()


def test_ill_conditioned_systems_go_one_by_one():
    a = [[3, 7, 11], [7, 13, 17], [10, 20, 28 + Fraction(1, 2**180)]]  # the third row is the sum of the others, nearly
    found = residua.solve_batch([a], [[1, 2, 4]], digits=60)
    without = residua.solve_batch([a], [[1, 2, 4]], digits=60, one_by_one=False)
    assert found.solved and found.one_by_one[0] and not without.one_by_one[0] and not without.solved
    assert relative_error(found.x[0], exact_solution(a, [1, 2, 4])) <= Fraction(1, 10**60)


@pytest.mark.parametrize("call, kind, words", [
    (lambda: residua.solve(np.ones((2, 2, 2)), [1, 1]), residua.DimensionError, "A: .*residua.solve_batch"),
    (lambda: residua.solve_batch(np.eye(2), [1, 1]), residua.DimensionError, "needs 3; residua.solve takes"),
    (lambda: residua.solve_batch(np.ones((2, 2, 3)), np.ones((2, 2))), residua.DimensionError, "2 x 3"),
    (lambda: residua.solve_batch(np.ones((2, 2, 2)), np.ones((3, 2))), residua.DimensionError, r"\(3, 2\)"),
    (lambda: residua.solve_batch(np.ones((1, 1, 1)), [[np.nan]]), residua.InputError, r"b\[0, 0\] is nan"),
    (lambda: residua.solve_batch(np.ones((1, 1, 1)), [[1]], digits=63), residua.UnsupportedError, "63"),
    (lambda: residua.solve_batch(np.ones((1, 1, 1)), [[1]], precision=300), residua.UnsupportedError, "300"),
    (lambda: residua.solve_batch(np.ones((1, 1, 1)), [[1]], input_bits=213), residua.InputError, "212"),
    (lambda: residua.solve_batch(np.ones((1, 1, 1)) * 1j, [[complex(1, np.nan)]]), residua.InputError, r"b\[0, 0\].*nan"),
], ids=str)
def test_misuse(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
