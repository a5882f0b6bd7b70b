"""Preconditioners of the caller's beside a stored matrix: scipy's, a function, a matrix, pyamg's."""

import os
import pickle
from fractions import Fraction

import numpy as np
import pytest

import residua
from conftest import exact_solution, relative_error

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

N = 40
MATRIX = [[2 if i == j else -1 if abs(i - j) == 1 else 0 for j in range(N)] for i in range(N)]
SKEWED = [[v + (Fraction(1, 4) if j == i + 1 else Fraction(-1, 4) if i == j + 1 else 0) for j, v in enumerate(row)]
          for i, row in enumerate(MATRIX)]
B = [Fraction(k + 1, 4) for k in range(N)]
EXACT = exact_solution(MATRIX, B)


def poisson(m):
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(m, m))
    return sparse.csc_matrix(sparse.kron(line, sparse.eye(m)) + sparse.kron(sparse.eye(m), line))


class Halves:
    """z = r / 2, with `solve` and nothing else."""

    def solve(self, r):
        return r / 2


KINDS = {
    "a function": lambda r: r / 2,
    "an operator": linalg.LinearOperator((N, N), matvec=lambda r: r / 2, rmatvec=lambda r: r / 2),
    "an object with solve": Halves(),
    "a matrix": np.eye(N) / 2,
    "a sparse matrix": sparse.eye(N) / 2,
}


@pytest.mark.parametrize("method", ["auto", "cg", "minres", "gmres", "bicgstab", "idr"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_digits_are_those_asked_for(kind, method):
    result = residua.solve(np.array(MATRIX, dtype=float), B, 40, method=method, M=KINDS[kind])
    assert result.converged and result.digits >= 40 and result.report.preconditioner == "given"
    assert relative_error(result.x, EXACT) < Fraction(1, 10**40)


def test_incomplete_factors_of_scipy_save_iterations():
    a = poisson(20)
    b = np.ones(400)
    weak = residua.gmres(a, b, M=None, precision="qd")
    strong = residua.gmres(a, b, M=linalg.spilu(a, drop_tol=1e-3), precision="qd")
    assert strong.converged and 3 * strong.report.iterations < weak.report.iterations


def test_multigrid_of_pyamg():
    pyamg = pytest.importorskip("pyamg")
    a = sparse.csr_matrix(poisson(60))
    solver = pyamg.smoothed_aggregation_solver(a)
    result = residua.cg(a, np.ones(3600), M=solver.aspreconditioner(), digits=30)
    assert result.converged and result.digits >= 30 and result.report.iterations < 80


def test_transposed_systems_take_the_transposed_one():
    a = np.array([[float(v) for v in row] for row in SKEWED])
    exact = exact_solution([list(row) for row in zip(*SKEWED)], B)
    for M in (linalg.splu(sparse.csc_matrix(a)), np.diag(1 / np.diag(a)), KINDS["an operator"]):
        result = residua.factor(a, 30, method="gmres", M=M).solve_transposed(B)
        assert result.digits >= 30 and relative_error(result.x, exact) < Fraction(1, 10**30)
    without = residua.factor(a, method="gmres", M=lambda r: r / 2)
    with pytest.raises(residua.UnsupportedError, match="M'"):
        without.solve_transposed(B)
    assert without.solve(B).converged
    assert residua.solve(a, B, method="bicg", M=KINDS["an operator"]).converged


def test_what_it_raises_ends_the_solve():
    calls = []

    def fails_once(r):
        calls.append(r)
        if len(calls) == 4:
            raise KeyError("of the preconditioner")
        return r / 2

    f = residua.factor(MATRIX, method="cg", precision="qd", M=fails_once)
    with pytest.raises(KeyError, match="of the preconditioner"):
        f.solve(B)
    assert (f.solve(B).x == residua.cg(MATRIX, B, precision="qd", M=KINDS["a function"]).x).all()
    assert all(0.49 < np.linalg.norm(r) < 1.01 for r in calls)


def test_a_nan_is_in_the_verdict():
    result = residua.cg(MATRIX, B, M=lambda r: r * np.nan)
    assert result.status == "breakdown" and "preconditioner M gave a NaN" in result.verdict


def test_a_factor_keeps_its_preconditioner():
    f = residua.factor(MATRIX, 30, method="cg", M=np.eye(N) / 2)
    again = pickle.loads(pickle.dumps(f))
    assert (again.solve(B).x == f.solve(B).x).all() and again.solve(B).report.preconditioner == "given"


def test_nodes_are_for_multigrid():
    a, b = poisson(8), np.ones(64)
    for refused, error, words in (
        ({"block_size": 2}, residua.UnsupportedError, "amg and petsc, not for auto"),
        ({"M": "amg", "block_size": 0}, residua.InputError, "block_size"),
        ({"M": "amg", "near_null_space": np.ones(63)}, residua.DimensionError, "near_null_space has 63 rows"),
        ({"M": "amg", "coordinates": np.ones((32, 2))}, residua.InputError, "block_size says how many"),
        ({"M": "amg", "block_size": 2, "coordinates": np.ones((31, 2))}, residua.DimensionError, "coordinates has 31 rows"),
        ({"M": "amg", "block_size": 2, "coordinates": np.ones((32, 3))}, residua.DimensionError, "coordinates has 3 columns"),
    ):
        with pytest.raises(error, match=words):
            residua.solve(a, b, **refused)
    with pytest.raises(residua.UnsupportedError, match="amg and petsc, not for jacobi"):
        residua.factor(a, method="cg", M="jacobi", near_null_space=np.ones((64, 2))).solve(b)


@pytest.mark.skipif(not os.environ.get("RESIDUA_PETSC"), reason="this build has no plug-in for PETSc")
def test_multigrid_gets_nodes():
    """Plane elasticity of bilinear elements of side 1, held at one side; E = 1, nu = 0.3, plane strain."""
    m = 16
    lame, shear = 0.3 / (1.3 * 0.4), 1 / 2.6
    corners, stiffness = [(0, 0), (1, 0), (0, 1), (1, 1)], np.zeros((8, 8))
    for x in (0.5 - 12**-0.5, 0.5 + 12**-0.5):
        for y in (0.5 - 12**-0.5, 0.5 + 12**-0.5):
            strain = np.zeros((3, 8))
            for k, (p, q) in enumerate(corners):
                dx, dy = (1 if p else -1) * (y if q else 1 - y), (x if p else 1 - x) * (1 if q else -1)
                strain[:, 2 * k:2 * k + 2] = [[dx, 0], [0, dy], [dy, dx]]
            law = np.array([[lame + 2 * shear, lame, 0], [lame, lame + 2 * shear, 0], [0, 0, shear]])
            stiffness += strain.T @ law @ strain / 4
    number = {(x, y): k for k, (x, y) in enumerate((x, y) for y in range(m + 1) for x in range(1, m + 1))}
    a = sparse.lil_matrix((2 * len(number), 2 * len(number)))
    for cx in range(m):
        for cy in range(m):
            at = [number.get((cx + p, cy + q)) for p, q in corners]
            kept = [(2 * k + d, 2 * node + d) for k, node in enumerate(at) if node is not None for d in (0, 1)]
            local, rows = zip(*kept)
            a[np.ix_(rows, rows)] += stiffness[np.ix_(local, local)]
    a, places = sparse.csr_matrix((a + a.T) / 2), np.array(list(number), dtype=float)
    motions = np.zeros((a.shape[0], 3))
    motions[0::2, 0] = motions[1::2, 1] = 1
    motions[0::2, 2], motions[1::2, 2] = -places[:, 1], places[:, 0]
    b, gamg = np.ones(a.shape[0]), "petsc:-pc_type gamg"
    def solve(**nodes):
        return residua.cg(a, b, digits=20, rtol="1e-24", M=gamg, **nodes)
    alone, placed = solve(), solve(block_size=2, coordinates=places)
    moved = solve(block_size=2, near_null_space=motions)
    assert alone.digits >= 20 and placed.digits >= 20 and moved.digits >= 20
    assert placed.report.iterations < alone.report.iterations and abs(placed.report.iterations - moved.report.iterations) <= 1
    again = pickle.loads(pickle.dumps(residua.factor(a, method="cg", M=gamg, block_size=2, coordinates=places, rtol="1e-24", digits=20)))
    assert again.solve(b).report.iterations == placed.report.iterations
