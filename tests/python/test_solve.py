"""solve, factor, Krylov methods: against exact fractions, mpmath and scipy."""

import array as stdlib_array
import resource
import signal
import threading
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import residua
from conftest import exact_solution, hilbert, relative_error

scipy_sparse = pytest.importorskip("scipy.sparse")


def laplacian(n):
    return scipy_sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr")


def fractions_of(a):
    return [[Fraction(x) for x in row] for row in np.asarray(a).tolist()]


def test_thirty_digits_of_a_hilbert_system():
    a = hilbert(14)
    b = [Fraction(k + 1, 7) for k in range(14)]
    result = residua.solve(a, b, digits=30)
    assert result.converged and result.digits >= 30
    assert relative_error(result.x, exact_solution(a, b)) < Fraction(1, 10**30)


def test_binary64_matrices_mean_what_they_hold():
    a = np.array([[float(x) for x in row] for row in hilbert(12)])
    b = np.ones(12)
    exact = exact_solution(fractions_of(a), fractions_of([b])[0])
    for each in (a, np.asfortranarray(a), a.tolist(), residua.array(a), scipy_sparse.csr_array(a),
                 scipy_sparse.csc_array(a), scipy_sparse.coo_array(a), residua.Matrix(a),
                 np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2], a[::-1][::-1], memoryview(a)):
        result = residua.solve(each, b, digits=40)
        assert relative_error(result.x, exact) < Fraction(1, 10**40), type(each)


def test_mpmath_agrees():
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        a = mpmath.hilbert(10)
        b = mpmath.matrix([mpmath.pi * k for k in range(1, 11)])
        theirs = mpmath.lu_solve(a, b)
        mine = residua.solve(a, b, digits=35).x.to_mpmath()
        assert max(abs(mine[k] - theirs[k]) for k in range(10)) < max(abs(t) for t in theirs) * mpmath.mpf(10) ** -35


def test_flint_agrees():
    flint = pytest.importorskip("flint")
    a = flint.fmpq_mat(8, 8, [flint.fmpq(1, i + j + 1) for i in range(8) for j in range(8)])
    b = flint.fmpq_mat(8, 1, [flint.fmpq(k) for k in range(1, 9)])
    theirs = [Fraction(int(x.p), int(x.q)) for x in a.solve(b).entries()]
    assert relative_error(residua.solve(a, b, digits=50).x.ravel(), theirs) < Fraction(1, 10**50)


def test_decimals_are_what_is_written():
    a = [["0.1", "0.2"], ["0.3", "0.7"]]
    exact = exact_solution(a, [Fraction("0.3"), Fraction(1)])
    for each in (a, [[Decimal(x) for x in row] for row in a], np.array(a)):
        result = residua.solve(each, ["0.3", 1], digits=60)
        assert relative_error(result.x, exact) < Fraction(1, 10**60)
        assert not residua.Matrix(each).is_float


@pytest.mark.parametrize("entries", [
    [[1, "0.5"], [0.25, 2]], [[Fraction(1, 3), "0.1"], [2, 5]], [[2**70 + 1, 1], [1, 2]], [["1e-400", 0], [0, "1e400"]],
    [[Decimal("1E+3"), 1], [1.5, 7]], [[residua.Number("0.1"), 1], [1, "1e-30"]]], ids=str)
def test_mixed_entries(entries):
    exact = exact_solution([[x.to_fraction() if isinstance(x, residua.Number) else Fraction(x) for x in row]
                            for row in entries], [1, 1])
    assert relative_error(residua.solve(entries, [1, 1], digits=25).x, exact) < Fraction(1, 10**25)


def test_input_bits_round_and_are_told():
    third = [[Fraction(1, 3), 0], [0, 1]]
    kept = residua.Matrix(third, input_bits=60).entries()[2][0]
    assert kept.precision <= 60 and abs(kept.to_fraction() - Fraction(1, 3)) < Fraction(1, 2**60)
    result = residua.solve(third, [1, 1], digits=30, input_bits=60)
    assert result.digits < 30  # what was rounded is not known to more digits


def test_buffers_and_dlpack():
    class Dlpack:
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **options):
            return self.a.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

    class OnDevice(Dlpack):
        def __dlpack_device__(self):
            return (2, 0)

    a = np.array([[4.0, 1.0], [1.0, 3.0]])
    assert residua.solve(Dlpack(a), stdlib_array.array("d", [5, 4])).x.astype(float).tolist() == [1, 1]
    assert residua.solve(Dlpack(a.astype(np.float32)), range(2)).converged
    with pytest.raises(residua.InputError, match="copy it to the CPU"):
        residua.solve(OnDevice(a), [5, 4])


def test_arrays_of_any_layout_and_type():
    full = np.arange(1.0, 37.0).reshape(6, 6)
    for a in (full, full.T, full[::2, 1::2], full[:, ::-1], full[::-1], full[:4, 2:5], np.asfortranarray(full)[1:3],
              np.broadcast_to(2.0, (3, 3)), np.broadcast_to(full[0], (4, 6)), full.astype(">f8"), full.astype(np.int8),
              np.lib.stride_tricks.sliding_window_view(full[0], 3), full[:, :1], full[:1], np.empty((0, 0)),
              full.astype(np.float16)):
        assert (residua.Matrix(a).toarray() == a).all()
    large = np.array([[2**53 + 1, -(2**63)], [2**62 + 1, 1]])
    for a in (large, large.astype(np.uint64), scipy_sparse.csr_array(large), scipy_sparse.coo_array(large),
              np.array([[np.longdouble(1) / 3]])):
        expected = a.toarray() if scipy_sparse.issparse(a) else a
        mine = residua.Matrix(a).entries()[2].to_fractions()
        assert mine.tolist() == [Fraction(*(int(k) for k in x.as_integer_ratio())) if isinstance(x, np.longdouble)
                                 else int(x) for x in expected.ravel()]
    assert residua.array(large)[0, 0].to_fraction() == 2**53 + 1


def test_repeated_entries_are_added_exactly():
    a = scipy_sparse.coo_array(([1e20, 1.0, -1e20, 2.0], ([0, 0, 0, 1], [0, 0, 0, 1])), shape=(2, 2))
    assert residua.solve(a, [1, 2]).x.astype(float).tolist() == [1, 1]  # 1e20 + 1 - 1e20 is 1
    unsorted = scipy_sparse.csr_array(([1.0, 2.0, 5.0], [1, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert residua.Matrix(unsorted).toarray().tolist() == [[2, 1], [0, 5]]


def test_several_right_hand_sides_are_those_alone():
    a = hilbert(9)
    b = [[Fraction(i + 1, j + 2) for j in range(3)] for i in range(9)]
    together = residua.solve(a, b, digits=20)
    assert together.x.shape == (9, 3) and len(together.reports) == 3
    for j in range(3):
        alone = residua.solve(a, [row[j] for row in b], digits=20)
        assert (together.x[:, j] == alone.x).all()
    assert residua.solve(a, [[1]] * 9).x.shape == (9, 1)


def test_a_factor_is_kept():
    a = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
    f = residua.factor(a, digits=30)
    exact = fractions_of(a)
    assert f.shape == (3, 3) and "3 x 3" in repr(f)
    for b in ([1, 2, 3], [0.1, 0, 7]):
        assert relative_error(f.solve(b).x, exact_solution(exact, b)) < Fraction(1, 10**30)
    assert float(f.condition()) == pytest.approx(np.linalg.cond(a, 1), rel=2)
    assert float(f.determinant().value) == pytest.approx(18.0, rel=1e-14)
    assert f.inertia() == (3, 0, 0)
    assert f.rank() == (3, 0, "one-prime")
    edge = [[1, -1], [-1, 1]]
    shortest = residua.solve(edge, [1, -1], digits=20, method="cg", M=None, null_space="ones")
    assert shortest.digits >= 20 and float(shortest.x[0]) == 0.5
    assert residua.solve([[3], [4]], [3, 4], weights=[1, 0], damp=2.0).x.astype(float)[0] == pytest.approx(9 / 13, rel=1e-15)
    damped = residua.lsqr([[3], [4]], [3, 4], damp=2.0, weights=[1, 0], digits=20)
    assert damped.digits >= 20 and abs(Fraction(str(damped.x[0])) - Fraction(9, 13)) < Fraction(1, 10**20)
    with pytest.raises(residua.UnsupportedError, match="does not go with an initial guess"):
        residua.lsqr([[3], [4]], [3, 4], damp=2.0, x0=[1])
    with pytest.raises(residua.DimensionError, match="weights has 1 rows"):
        residua.solve([[3], [4]], [3, 4], weights=[1])
    assert f.null_space().basis.shape == (3, 0)
    entry = f.inverse_entries([(0, 2), (1, 1)])[0]
    assert float(entry.value) == pytest.approx(np.linalg.inv(a)[0, 2], rel=1e-13) and entry.status == "converged"
    assert f.plan().candidates
    lopsided = np.array([[2.0, 1], [0, 3]])
    g = residua.factor(scipy_sparse.csr_array(lopsided))
    assert relative_error(g.solve_transposed([2, 5]).x, exact_solution(fractions_of(lopsided.T), [2, 5])) < 1e-15
    assert relative_error(g.solve([3, 3]).x, [Fraction(1), Fraction(1)]) < 1e-15


def test_updates_are_new_systems():
    a = laplacian(50)
    f = residua.factor(a, digits=25)
    f.solve(np.ones(50))
    changed = a.copy()
    changed.data = changed.data * 3 + 0.125
    fresh = residua.solve(changed, np.ones(50), digits=25)
    for values in (changed.data, changed, changed.tocsc(), residua.Matrix(changed), residua.array(changed.data)):
        f.update(a)
        f.update(values)
        assert (f.solve(np.ones(50)).x == fresh.x).all()
    f.update([Fraction(x) / 3 for x in a.data])
    assert relative_error(f.solve(np.ones(50)).x, [3 * x.to_fraction() for x in residua.solve(
        a, np.ones(50), digits=40).x]) < Fraction(1, 10**24)
    with pytest.raises(residua.DimensionError, match="numbers for"):
        f.update([1.0])
    with pytest.raises(residua.DimensionError, match="other places"):
        f.update(np.eye(50))


@pytest.mark.parametrize("name", ["cg", "gmres", "minres", "bicgstab", "idr"])
def test_krylov_methods_do_as_scipys(name):
    a = laplacian(40)
    b = np.cos(np.arange(40.0))
    x, info = getattr(residua, name)(a, b, rtol=1e-25, precision="qd")
    assert info == 0 and isinstance(x, residua.Numbers)
    theirs = scipy_sparse.linalg.spsolve(a.tocsc(), b) if hasattr(scipy_sparse, "linalg") else np.linalg.solve(
        a.toarray(), b)
    np.testing.assert_allclose(x.astype(float), theirs, rtol=1e-10)
    exact = exact_solution(fractions_of(a.toarray()), b.tolist())
    assert relative_error(x, exact) < Fraction(1, 10**20)
    few = getattr(residua, name)(a, b, maxiter=2, M=None, precision="double")
    assert few.status == "not_converged" and few.info == 2
    started, info = getattr(residua, name)(a, b, x, rtol=1e-20)
    assert info == 0


def test_least_squares_are_those_of_scipy(rng):
    a = np.array([[rng.random() for _ in range(5)] for _ in range(20)])
    b = np.array([rng.random() for _ in range(20)])
    result = residua.lsqr(a, b, precision="dd")
    assert result.converged and result.report.least_squares
    np.testing.assert_allclose(result.x.astype(float), np.linalg.lstsq(a, b, rcond=None)[0], rtol=1e-10)


def test_tolerances_go_beyond_floats():
    result = residua.solve(hilbert(5), [1] * 5, rtol="1e-400")
    assert result.converged and 0 < result.report.relative_residual < residua.Number("1e-400")
    assert float(result.report.relative_residual) == 0.0


def test_results_tell_their_verdict():
    good = residua.solve([[2, 1], [1, 3]], [3, 4], digits=20)
    assert "Converged" in repr(good) and "correct digits" in repr(good) and "<table>" in good._repr_html_()
    a = np.array(hilbert(20), dtype=float)
    bad = residua.solve(a, a @ np.ones(20), precision="double")
    assert "no digit of x is known to be right" in bad.verdict and "precision=" in bad.verdict
    singular = residua.solve([[1, 1], [1, 1]], [1, 0])
    assert not singular.converged and singular.info == -1 and singular.digits == 0
    assert "ingular" in repr(singular)
    assert good.report["status"] == good.report.status == "converged" and "iterations" in dict(good.report)
    assert good.report.to_json().startswith("{")
    with pytest.raises(AttributeError):
        good.report.no_such_figure


def test_callbacks_watch_and_stop():
    a, b = laplacian(200), np.ones(200)
    steps = []
    result = residua.cg(a, b, callback=steps.append, M=None, precision="dd")
    assert [s.iteration for s in steps] == [s.iteration for s in result.history] and len(steps) > 50
    assert isinstance(steps[3].residual, residua.Number) and "iteration=" in repr(steps[3])

    def stop(step):
        if step.iteration >= 10:
            raise StopIteration

    stopped = residua.cg(a, b, callback=stop, M=None, precision="dd")
    assert stopped.status == "interrupted" and 10 <= stopped.report.iterations < 20 and stopped.x.size == 200

    def fail(step):
        raise RuntimeError("of the callback")

    with pytest.raises(RuntimeError, match="of the callback"):
        residua.cg(a, b, callback=fail, M=None, precision="dd")
    f = residua.factor(a, method="cg", M=None)
    with pytest.raises(residua.BusyError):
        f.solve(b, callback=lambda step: f.solve(b))
    assert f.solve(b).x.size == 200  # it can be used again


def test_four_threads_have_the_bits_of_one():
    a, b = laplacian(300), np.sin(np.arange(300.0))
    one = residua.solve(a, b, digits=30)
    shared = residua.factor(a, digits=30)
    found = [None] * 8

    def work(k):
        found[k] = (residua.solve(a, b, digits=30) if k % 2 else shared.solve(b)).x

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert all((x == one.x).all() for x in found)


def test_the_gil_is_released():
    a, b = laplacian(2000), np.ones(2000)
    done = threading.Event()
    counted = 0

    def work():
        residua.cg(a, b, M=None, precision=1000, maxiter=300)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 20


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals come to the main thread")
@pytest.mark.parametrize("how", [{"method": "cg", "M": None, "precision": 2000}, {"method": "direct", "precision": 2000}],
                         ids=["cg", "direct"])
def test_ctrl_c_ends_a_solve(how):
    n = 900
    a = laplacian(200000) if how["method"] == "cg" else residua.Matrix(
        np.random.default_rng(1).random((n, n)))
    b = np.ones(200000 if how["method"] == "cg" else n)
    timer = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
    began = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            residua.solve(a, b, estimate=False, **how)
    finally:
        timer.cancel()
    assert time.monotonic() - began < 30


def test_time_limits_end_a_solve():
    result = residua.solve(laplacian(100000), np.ones(100000), method="cg", M=None, precision=2000, time_limit=0.5)
    assert result.status == "time_limit"
    late = residua.factor(laplacian(1000), time_limit=1e-9)
    assert late.condition() is None and late.determinant() is None and late.inertia() is None
    assert late.rank() is None and late.null_space() is None
    with pytest.raises(TimeoutError, match="the time limit has passed"):
        late.plan()


def test_a_solve_goes_on_from_the_state_of_another(tmp_path):
    a, b = laplacian(900), np.arange(900.0)
    options = {"method": "cg", "M": None, "precision": "qd"}
    state = tmp_path / "state"

    def stop(step):
        if step.iteration == 300:
            raise StopIteration

    whole = residua.solve(a, b, **options)
    first = residua.solve(a, b, **options, checkpoint=state, callback=stop)
    assert whole.status == "converged" and first.status == "interrupted"
    with pytest.raises(residua.InputError, match="state: "):
        residua.solve(a, b, **options, checkpoint=state)
    with pytest.raises(residua.InputError, match="precision"):
        residua.solve(a, b, **{**options, "precision": "dd"}, resume=state)
    damaged = tmp_path / "damaged"
    damaged.write_bytes(state.read_bytes()[:-1000])
    with pytest.raises(residua.InputError, match="damaged: "):
        residua.solve(a, b, **options, resume=damaged)
    again = residua.solve(a, b, **options, resume=str(state), every=1)
    assert again.status == "converged" and again.report.iterations == whole.report.iterations
    assert all(x == y for x, y in zip(whole.x, again.x))


def test_a_state_that_cannot_be_saved_is_a_warning(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, limits[1]))
    try:
        with pytest.warns(RuntimeWarning, match="could not be saved"):
            result = residua.solve(laplacian(900), np.ones(900), method="cg", M=None, checkpoint=tmp_path / "state", every=1e-3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert result.status == "converged"


def test_comparisons_make_tables():
    rows = residua.compare(laplacian(30), np.ones(30), precisions=["double", "qd"], methods=["cg", "refine"], M="auto")
    assert len(rows) == 4 and rows[0]["precision"] == 53 and rows[1]["precision"] == 212
    assert "true_residual" in repr(rows) and "<table>" in rows._repr_html_()
    refused = residua.compare([[1, 2], [3, 4]], [1, 1], precisions=["dd"], methods=["cg"])
    assert "symmetric" in refused[0]["status"] and refused.results == [None]
    pandas = pytest.importorskip("pandas")
    assert list(pandas.DataFrame(rows).columns) == list(rows[0])


def test_comparisons_are_drawn():
    pytest.importorskip("matplotlib")
    figure = residua.compare(laplacian(30), np.ones(30), precisions=["double", "qd"], methods="cg", M=None).plot()
    assert len(figure.axes[0].lines) == 2


@pytest.mark.filterwarnings("error")
def test_zeros_are_solved_without_a_warning():
    for a in ([[1, 2], [3, 4]], [[1j, 2], [3, 4]]):
        x = residua.solve(a, [0, 0], digits=20).x
        assert (x == 0).all() and x.digits.tolist() == [0, 0]
