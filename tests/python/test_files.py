"""MatrixMarket files at full precision."""

from fractions import Fraction

import numpy as np
import pytest

import residua

scipy_sparse = pytest.importorskip("scipy.sparse")


def test_matrices_come_back(tmp_path):
    path = tmp_path / "a.mtx"
    rng = np.random.default_rng(5)
    a = scipy_sparse.random_array((30, 20), density=0.2, format="csr", rng=rng)
    residua.write(path, a, comments=["made for a test"])
    back = residua.read(path)
    assert isinstance(back, residua.Matrix) and back.is_float and back.shape == (30, 20)
    assert (back.toarray() == a.toarray()).all()
    assert "made for a test" in path.read_text()
    assert (back.to_scipy() != a).nnz == 0
    from scipy.io import mmread

    assert (mmread(path).toarray() == a.toarray()).all()


def test_decimals_come_back(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0.1234567890123456789012345\n1 2 -1e-400\n"
                    "2 2 7\n")
    a = residua.read(path)
    assert not a.is_float
    values = a.entries()[2]
    assert abs(values[0].to_fraction() - Fraction("0.1234567890123456789012345")) < Fraction(1, 2**8200)
    residua.write(path, a)
    again = residua.read(path).entries()[2]
    assert (again == values).all()
    assert "1.234567890123456789012345e-01" in path.read_text()


def test_printed_floats_are_floats(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.00000000000000006e-01\n2 2 3\n")
    a = residua.read(path)
    assert a.is_float and a.toarray()[0, 0] == 0.1
    assert "two systems" in residua.solve(a, [1, 1], digits=30).verdict


def test_vectors_come_back(tmp_path):
    path = tmp_path / "x.mtx"
    x = residua.solve([[3, 1], [1, 7]], [1, "0.1"], digits=50).x
    residua.write(path, x)
    back = residua.read(path)
    assert back.shape == (2, 1) and all(a.round(b.precision) == b for a, b in zip(back.ravel(), x))
    residua.write(path, np.array([[1.0, 2.0, 0.1], [4.0, 5.0, 1e-300]]))
    assert (residua.read(path).astype(float) == [[1.0, 2.0, 0.1], [4.0, 5.0, 1e-300]]).all()
    assert residua.solve(np.eye(2), residua.read(path)).x.shape == (2, 3)


@pytest.mark.parametrize("text, words", [
    ("", "empty"), ("hello\n", "MatrixMarket"),
    ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "x.mtx"),
    ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "x.mtx"),
    ("%%MatrixMarket matrix array real general\n2 1\n1\nx\n", "x.mtx"),
    ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n", "imaginary")])
def test_bad_files_are_named(tmp_path, text, words):
    path = tmp_path / "x.mtx"
    path.write_text(text)
    with pytest.raises(residua.Error, match=words):
        residua.read(path)


def test_no_files_are_named(tmp_path):
    with pytest.raises(residua.InputError, match="nowhere"):
        residua.read(tmp_path / "nowhere.mtx")
    with pytest.raises(residua.InputError, match="no_folder"):
        residua.write(tmp_path / "no_folder" / "x.mtx", [1, 2])
    with pytest.raises(residua.InputTypeError):
        residua.read(3)
    with pytest.raises(residua.InputError):
        residua.read("")


def test_files_of_numpy_are_exact(tmp_path):
    a = np.array([[0.1, 2.0, 0.0], [3.0, -1e-300, 5.0]])
    np.save(tmp_path / "a.npy", a)
    np.savez_compressed(tmp_path / "a.npz", a)
    for name in ["a.npy", "a.npz"]:
        dense = residua.read(tmp_path / name)
        assert isinstance(dense, residua.Numbers) and dense.shape == (2, 3)
        assert (dense.astype(float) == a).all() and dense[0, 0].to_fraction() == Fraction(0.1)
    np.save(tmp_path / "i.npy", np.array([2**63 - 1, -(2**53) - 1]))
    assert [n.to_fraction() for n in residua.read(tmp_path / "i.npy")[:, 0]] == [2**63 - 1, -(2**53) - 1]
    for kind in ["csr", "csc", "coo"]:
        scipy_sparse.save_npz(tmp_path / "s.npz", scipy_sparse.coo_array(a).asformat(kind))
        sparse = residua.read(tmp_path / "s.npz")
        assert isinstance(sparse, residua.Matrix) and (sparse.toarray() == a).all()
    scipy_sparse.save_npz(tmp_path / "s.npz", scipy_sparse.coo_array(a).asformat("dia"))
    with pytest.raises(residua.UnsupportedError, match="tocsr"):
        residua.read(tmp_path / "s.npz")


def test_columns_of_numbers_and_matrices_of_harwell_boeing(tmp_path):
    (tmp_path / "b.txt").write_text("# b\n0.1\n\n-2e-400\n")
    b = residua.read(tmp_path / "b.txt")
    assert b.shape == (2, 1) and abs(b[1, 0].to_fraction() / Fraction("-2e-400") - 1) < Fraction(1, 2**8000)
    (tmp_path / "a.rua").write_text("title\n 4 1 1 1\nRUA 2 2 2 0\n(3I2) (2I2) (2F5.1)\n 1 2 3\n 1 2\n  0.1  2.5\n")
    a = residua.read(tmp_path / "a.rua")
    assert isinstance(a, residua.Matrix) and (a.toarray() == [[0.1, 0.0], [0.0, 2.5]]).all()
