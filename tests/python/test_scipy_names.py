"""What people type who come from scipy: it works, or an error names the way."""

import numpy as np
import pytest

import residua

TYPED = ["spsolve", "splu", "lu_factor", "factorized", "det", "cond", "lstsq", "inv", "pinv", "slogdet", "eig", "eigh",
         "eigvals", "eigs", "svd", "svds", "qr", "lu", "cholesky", "expm", "logm", "sqrtm", "matrix_rank", "null_space",
         "norm", "spilu", "cgs", "qmr", "lgmres", "lsmr", "solve_triangular", "solve_banded", "bicg", "tfqmr",
         "LinearOperator"]


@pytest.mark.parametrize("name", TYPED)
def test_names_of_scipy_lead_on(name):
    with pytest.raises(AttributeError) as caught:
        getattr(residua, name)
    message = str(caught.value)
    assert "residua" in message and "has no attribute" not in message and "\n" not in message, message
    assert not hasattr(residua, name)


def test_the_ways_are_there():
    from residua._scipy_names import _NAMES
    import re

    a = residua.factor([[4.0, 1], [1, 3]])
    for text in _NAMES.values():
        for owner, called in [(residua, r"residua\.(\w+)"), (a, r"(?:F|\)|or )\.(\w+)\(")]:
            for each in re.findall(called, text):
                assert hasattr(owner, each), text
        for method in re.findall(r'method="(\w+)"', text):
            assert method in residua.methods
        for m in re.findall(r'"(il\w+)"', text):
            assert m in residua.preconditioners


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match="'residua' has no attribute 'sovle'"):
        residua.sovle


A, B = [[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]


@pytest.mark.parametrize("call, words", [
    (lambda: residua.cg(A, B, tol=1e-8), "tol: .*use rtol="),
    (lambda: residua.solve(A, B, tol=1e-8), "tol: .*use rtol="),
    (lambda: residua.factor(A, tol=1e-8), "tol: .*use rtol="),
    (lambda: residua.gmres(A, B, callback_type="x"), "callback_type: "),
    (lambda: residua.solve(A, B, digit=3), r"digit: .*did you mean digits=\?"),
    (lambda: residua.solve(A, B, assume_a="pos"), "structure of A is found"),
    (lambda: residua.solve(A, B, quite_unknown=1), "there are digits, method, M, "),
], ids=["cg tol", "solve tol", "factor tol", "callback_type", "digit", "assume_a", "unknown"])
def test_options_of_scipy_lead_on(call, words):
    with pytest.raises(TypeError, match=words) as caught:
        call()
    assert isinstance(caught.value, residua.InputTypeError)


def test_hyphens_and_underscores_are_one():
    for name in ("gmres-ir", "gmres_ir"):
        assert residua.solve(A, B, method=name).report.method == "gmres-ir"
    assert residua.cg(A, B, M="block_jacobi").report.preconditioner == "block-jacobi"


def test_quad_is_113_bits():
    def bits(precision):
        report = residua.cg(A, B, precision=precision).report
        return report.precision_bits, report.iterations

    assert bits("quad") == bits(113)


def test_the_most_digits_are_the_librarys():
    with pytest.raises(residua.InputError, match=f"from 1 to {residua._core.most_digits}$"):
        residua.solve(A, B, digits=residua._core.most_digits + 1)
    assert residua.solve([[1.0]], [2.0], digits=residua._core.most_digits).converged


def test_a_singular_consistent_system_names_the_cure():
    a, b = [[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0]
    stopped = residua.gmres(a, b)
    assert stopped.status == "breakdown" and "M=None" in stopped.verdict
    assert residua.gmres(a, b, M=None).converged


def test_complex_numbers_where_real_ones_are_needed_are_told_the_way():
    for w, words in ((np.ones(2) * (1 + 0j), "imaginary parts are 0: give weights.real$"), (np.ones(2) * 1j, "real ones are needed$"),
                     ([1 + 0j, 0], "give its .real$"), ([1j, 0], "a real number is needed$")):
        with pytest.raises(residua.InputTypeError, match=words):
            residua.solve(np.eye(2), B, weights=w)


def test_x_is_not_a_matrix():
    found = residua.lsqr([[1, 0], [0, 1], [1, 1]], [1, 1, 1])
    assert " x is a least-squares solution: " in found.verdict and "X" not in found.verdict
    assert residua.gmres([[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0]).verdict.split(". ")[1][0].isupper()


@pytest.mark.parametrize("solve", [
    lambda t: residua.solve([[1 / (i + j + 1) for j in range(60)] for i in range(60)], [1.0] * 60, 40, threads=t),
    lambda t: residua.factor(np.eye(90) * 3 + np.tri(90), digits=50, threads=t).solve(np.arange(90.0)),
    lambda t: residua.cg(np.eye(300) * 2 + np.ones((300, 300)) / 500, np.arange(300.0), M=None, threads=t)],
    ids=["solve", "factor", "cg"])
def test_any_number_of_threads_has_the_same_bits(solve):
    one, two, four = (solve(t) for t in (1, 2, 4))
    assert (one.x == two.x).all() and (one.x == four.x).all() and one.converged


def test_threads_are_counted():
    for threads in (0, -1, 5000):
        with pytest.raises(residua.InputError, match="threads: .* from 1 to 4096"):
            residua.solve(A, B, threads=threads)
    class Given:
        shape = (2, 2)

        def matvec(self, x):
            return [4 * x[0] + x[1], x[0] + 3 * x[1]]

    assert residua.cg(Given(), B, threads=1).converged


def test_a_result_has_a_picture():
    pytest.importorskip("matplotlib")
    result = residua.cg(np.diag(np.arange(1.0, 30.0)), np.ones((29, 2)), M=None)
    (ax,) = result.plot().axes
    labels = ax.get_legend_handles_labels()[1]
    assert [text.split(",")[0] for text in labels] == ["column 0", "column 1"] and "cg, " in labels[1]
    assert len(ax.lines) == len(ax.collections) == 2 and len(ax.lines[0].get_xdata()) == len(result.reports[0].history)
    assert len(ax.collections[0].get_offsets()) >= 2  # the first x and the last
    assert result.plot(ax) is ax.figure
    empty = residua.solve([[1.0]], [0.0])
    assert empty.plot() is not None
