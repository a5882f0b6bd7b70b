"""Results, reports, factors and matrices are pickled and copied, and mean the same afterwards."""

import copy
import multiprocessing
import pickle
from fractions import Fraction

import pytest

import residua
from conftest import hilbert

WAYS = [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy]
WORDS = ["pickle", "copy", "deepcopy"]


@pytest.mark.parametrize("again", WAYS, ids=WORDS)
def test_results(again):
    result = residua.solve(hilbert(9), [[1, 2], *[[1, 0]] * 8], digits=25)
    other = again(result)
    assert (other.x == result.x).all() and other.x[0, 0].precision == result.x[0, 0].precision
    assert repr(other) == repr(result) and other.verdict == result.verdict and other.digits == result.digits
    assert [dict(r) for r in other.reports] == [dict(r) for r in result.reports]
    assert [repr(s) for s in other.history] == [repr(s) for s in result.history] and other.history
    assert other.report.to_json() == result.report.to_json()
    report = again(result.report)
    assert report.status == "converged" and report.history[0].residual == result.report.history[0].residual
    rows = again(residua.compare([[4, 1], [1, 3]], [1, 2], precisions=["double", "dd"]))
    assert len(rows) == 2 and rows.results[1].converged


@pytest.mark.parametrize("again", WAYS, ids=WORDS)
@pytest.mark.parametrize("entries", [
    [[4.0, 1.0], [1.0, 3.0]], [["0.1", "1e-400"], ["2", "1234567890.12345678901234567890123456789"]],
    [["0." + "123456789" * 60, 1], [1, 0]], [[Fraction(1, 3), 1], [1, 2]], [[residua.Number(2**200 + 1), 1], [1, 2]]],
    ids=["floats", "decimals", "long decimals", "fractions", "integers"])
def test_factors_and_matrices(again, entries):
    f = residua.factor(entries, digits=40)
    before = f.solve([1, 2])
    g = again(f)
    after = g.solve([1, 2])
    assert (after.x == before.x).all() and after.digits == before.digits and repr(g) == repr(f)
    matrix = residua.Matrix(entries)
    other = again(matrix)
    assert repr(other) == repr(matrix) and (other.entries()[2] == matrix.entries()[2]).all()


def test_decimals_stay_decimals(tmp_path):
    texts = ["0.1", "-12e-300", "1." + "7" * 400, "0"]
    matrix = pickle.loads(pickle.dumps(residua.Matrix([texts[:2], texts[2:]])))
    residua.write(tmp_path / "a.mtx", matrix)
    written = [line.split()[2] for line in (tmp_path / "a.mtx").read_text().splitlines()[-4:]]
    assert [Fraction(x) for x in written] == [Fraction(x) for x in texts]


def test_an_update_is_pickled():
    f = residua.factor([[2.0, 1.0], [1.0, 3.0]], x0=[1, 1], threads=1, time_limit=100)
    f.update([4.0, 1.0, 1.0, 5.0])
    g = pickle.loads(pickle.dumps(f))
    assert g.matrix.toarray().tolist() == [[4, 1], [1, 5]] and "threads=1" in repr(g)
    assert g.solve([5, 6]).x.astype(float).tolist() == [1, 1]


def test_a_checkpoint_has_one_owner(tmp_path):
    f = residua.factor([[2.0]], method="cg", checkpoint=tmp_path / "state")
    with pytest.raises(residua.UnsupportedError, match="checkpoint"):
        pickle.dumps(f)


def solved(f):
    return f.solve([3, 4])


def test_processes_exchange_them():
    f = residua.factor([[2, 1], [1, 3]], digits=30)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (result,) = pool.map(solved, [f])
    assert (result.x == solved(f).x).all()
    assert result.digits >= 30
