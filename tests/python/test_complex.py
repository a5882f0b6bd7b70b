"""Complex systems, judged by python-flint's acb_mat at 800 bits, and by fractions."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import residua
from residua import ComplexNumber, ComplexNumbers

flint = pytest.importorskip("flint")
mpmath = pytest.importorskip("mpmath")
sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

A = np.array([[4 + 1j, 2j, 0], [1 - 3j, 5, -2 + 1j], [0, 3, 6 - 2j]])
B = np.array([1 - 2j, 3, 4j])


@pytest.fixture(autouse=True)
def long_balls():
    kept, flint.ctx.prec = flint.ctx.prec, 800
    yield
    flint.ctx.prec = kept


def fraction(ball):
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def by_flint(a, b):
    """(real, imaginary part) of each unknown."""
    def balls(x):
        return flint.acb_mat([[flint.acb(each) for each in row] for row in x.tolist()])

    x = balls(a).solve(balls(b.reshape(len(b), -1)[:, :1]))
    return [(fraction(z.real), fraction(z.imag)) for z in x.entries()]


def require_right(x, digits, exact):
    """Every digit that is claimed is right: of the whole, and of each part."""
    largest = max(abs(part) for z in exact for part in z)
    for z, parts in zip(x, exact):
        for mine, part in zip((z.real, z.imag), parts):
            error = abs(mine.to_fraction() - part)
            assert error <= largest * Fraction(10) ** -digits
            assert mine.digits is None or error <= abs(part) * Fraction(10) ** -mine.digits


def random_matrix(rng, kind, n):
    a = np.array([[complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(n)] for _ in range(n)])
    if kind == "hermitian":
        return a + a.conj().T
    if kind == "definite":
        return np.round((a @ a.conj().T) * 64) / 64 + n * np.eye(n)
    if kind == "complex symmetric":
        return a + a.T
    if kind == "ill-conditioned":
        return np.exp(1j * np.array([rng.random() * 0.1 for _ in range(n)]))[:, None] ** np.arange(n)
    if kind == "graded":
        return a * 10.0 ** np.array([rng.randint(-40, 40) for _ in range(n)])
    return a


@pytest.mark.parametrize("kind", ["general", "hermitian", "definite", "complex symmetric", "ill-conditioned", "graded"])
def test_no_digit_is_false(kind, rng):
    for n in range(1, 11):
        a = random_matrix(rng, kind, n)
        b = np.array([complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(n)])
        result = residua.solve(a, b, digits=30)
        assert result.converged and result.digits >= 30 and result.x.digits.max() >= 30
        require_right(result.x, result.digits, by_flint(a, b))


@pytest.mark.parametrize("method", ["direct", "refine", "gmres-ir", "gmres", "bicgstab", "bicgstabl", "idr", "tfqmr", "bicg", "lsqr"])
def test_methods(method):
    result = residua.solve(A, B, digits=30, method=method)
    assert result.converged and result.digits >= 30
    require_right(result.x, result.digits, by_flint(A, B))


@pytest.mark.parametrize("method", ["cg", "minres"])
def test_methods_of_hermitian_matrices(method, rng):
    a = random_matrix(rng, "definite", 12)
    result = residua.solve(a, np.arange(12) * 1j, digits=25, method=method)
    assert result.converged and result.digits >= 25
    require_right(result.x, result.digits, by_flint(a, np.arange(12) * 1j))


def test_numbers_of_all_types_are_the_same():
    import gmpy2

    rows = A.tolist()
    long = np.array(A, dtype=np.clongdouble)
    wide = np.zeros((6, 6), dtype=complex)
    wide[::2, ::2] = A
    given = [A, A.astype(np.complex64), long, rows, A.astype(object), np.asfortranarray(A), wide[::2, ::2],
             [[mpmath.mpc(z) for z in row] for row in rows], mpmath.matrix(rows), [[gmpy2.mpc(z) for z in row] for row in rows],
             [[flint.acb(z) for z in row] for row in rows], flint.acb_mat([[flint.acb(z) for z in row] for row in rows]),
             [[ComplexNumber(z) for z in row] for row in rows], ComplexNumbers(A.real, A.imag), residua.array(rows),
             residua.Matrix(A), [list(row.real) for row in A] + 1j * A.imag, *[sparse.coo_array(A).asformat(f) for f in
                                                                               ("coo", "csr", "csc", "lil", "dok", "dia", "bsr")]]
    wanted = residua.solve(A, B, digits=25).x
    for each in given:
        found = residua.solve(each, B, digits=25).x
        assert isinstance(found, ComplexNumbers) and (found == wanted).all(), type(each)
    for b in (B.tolist(), [mpmath.mpc(z) for z in B], flint.acb_mat([[flint.acb(z)] for z in B]), residua.array(B), B[:, None]):
        assert (residua.solve(A, b, digits=25).x.ravel() == wanted).all()
        assert (residua.solve(np.eye(3), b).x.ravel() == B).all() and (np.eye(3) @ residua.array(B) == residua.array(b).ravel()).all()
    assert (residua.solve(np.eye(3), iter(B.tolist()), x0=iter([1j, 0, 0])).x == B).all()
    assert (residua.Matrix(np.eye(3)) @ mpmath.matrix(B.tolist()) == B).all()


def test_fractions_and_decimals_are_exact():
    third = ComplexNumber(Fraction(1, 3), "0.1")
    x = residua.solve([[third]], [ComplexNumber(1, "0.3")], digits=60).x[0]
    # (1 + 0.3 i) / (1/3 + 0.1 i) = 3
    assert abs(x.real - 3) < 1e-60 and abs(x.imag) < 1e-60
    assert ComplexNumber("0.1", 0.1).real != ComplexNumber("0.1", 0.1).imag


def test_what_a_solution_becomes():
    result = residua.solve(A, B, digits=40)
    x = result.x
    exact = by_flint(A, B)
    assert x.shape == (3,) and x.ndim == 1 and x.size == 3 and len(x) == 3 and x.precision >= 106
    nearest = np.array([complex(float(re), float(im)) for re, im in exact])
    assert (x.to_complex() == nearest).all() and (x.astype(complex) == nearest).all() and x.to_complex().dtype == np.complex128
    assert np.asarray(x, dtype=np.clongdouble).dtype == np.clongdouble
    assert complex(x[0]) == nearest[0] and x.astype(object)[1] == x[1]
    assert (x.real.to_float() == nearest.real).all() and (x.imag.to_float() == nearest.imag).all()
    z = x.to_mpmath()
    assert (z.rows, z.cols) == (3, 1) and isinstance(z[0], mpmath.mpc)
    assert all(residua.Number(z[i].real) == x[i].real and residua.Number(z[i].imag) == x[i].imag for i in range(3))
    assert fraction(x.to_flint()[2, 0].imag) == x[2].imag.to_fraction()
    assert complex(x.to_strings(30)[0]) == nearest[0]
    assert x.digits.min() >= 39 and str(x[0]).count("e") == 2 and "j" in repr(x)
    assert x[1:].shape == (2,) and x[-1] == x[2] and [complex(each) for each in x] == list(nearest)
    with pytest.raises(residua.InputTypeError, match="to_complex"):
        np.asarray(x)
    with pytest.raises(residua.InputTypeError, match="to_complex"):
        np.exp(x)
    with pytest.raises(residua.InputTypeError, match="float64"):
        x.astype(float)


def test_complex_in_is_complex_out():
    for a, b in ((np.eye(2) * (2 + 0j), [1, 2]), (np.eye(2) * 2, np.array([1, 2 + 0j])), ([[2.0, 0], [0, 2]], [1j, 2])):
        x = residua.solve(a, b, digits=20).x
        assert isinstance(x, ComplexNumbers) and (x.to_complex() == np.asarray(b) / 2).all()
    assert isinstance(residua.solve([[2]], [1], x0=[1j], method="gmres").x, ComplexNumbers)
    assert isinstance(residua.solve([[2]], [1]).x, residua.Numbers)
    F = residua.factor([[2.0, 1], [1, 3]], digits=20)
    assert isinstance(F.solve([1, 2]).x, residua.Numbers) and isinstance(F.solve([1, 2j]).x, ComplexNumbers)
    before = F.solve([5, 5j]).x
    F.update([4, 2, 2, 6])
    assert (F.solve([5, 5j]).x * 2 - before).norm() < 1e-20


def test_several_right_hand_sides_and_the_adjoint():
    F = residua.factor(A, digits=30)
    assert F.shape == (3, 3) and F.is_complex and F.matrix.shape == (3, 3) and F.matrix.nnz == 9
    many = np.array([[1, 1j, 2], [0, 3, 1 - 1j], [2 + 1j, 0, 0]])
    found = F.solve(many).x
    assert found.shape == (3, 3)
    for j in range(3):
        require_right(found[:, j], 30, by_flint(A, many[:, j]))
        assert (found[:, j] == F.solve(many[:, j]).x).all()
    back = F.solve_transposed(B)
    require_right(back.x, back.digits, by_flint(A.conj().T, B))
    inverse = F.inv().x
    assert abs((residua.Matrix(A) @ inverse).to_complex() - np.eye(3)).max() < 1e-29
    entries = F.inverse_entries([(0, 2), (2, 1)])
    assert [abs(complex(e.value) - z) < 1e-16 for e, z in zip(entries, (inverse[0, 2].__complex__(), complex(inverse[2, 1])))]
    assert all(e.error < 1e-28 and abs(complex(e.value) - complex(z)) < 1e-16
               for e, z in zip(entries, (inverse[0, 2], inverse[2, 1])))


def test_least_squares_and_shortest_solutions():
    tall = np.array([[1, 1j], [2j, 1], [1 - 1j, 3]])
    b = np.array([1, 2j, 3 + 1j])
    x = residua.solve(tall, b, digits=25).x
    assert abs(tall.conj().T @ (tall @ x.to_complex() - b)).max() < 1e-14
    normal, right = residua.Matrix(tall.conj().T) @ residua.array(tall), residua.Matrix(tall.conj().T) @ residua.array(b)
    require_right(x, 24, by_flint(normal.to_complex(), right.to_complex()))
    weights = [1, 3, 0.5]
    heavy = residua.solve(tall, b, digits=25, weights=weights, damp=2).x.to_complex()
    gradient = tall.conj().T @ (np.array(weights) * (tall @ heavy - b)) + 4 * heavy
    assert abs(gradient).max() < 1e-13
    wide = residua.solve(tall.conj().T, [1, 1j], digits=25).x.to_complex()
    assert abs(wide - np.linalg.pinv(tall.conj().T) @ [1, 1j]).max() < 1e-14


def test_what_a_factor_knows(rng):
    hermitian = random_matrix(rng, "hermitian", 7)
    F = residua.factor(hermitian, digits=30)
    values = np.linalg.eigvalsh(hermitian)
    assert F.inertia() == ((values > 0).sum(), (values < 0).sum(), 0)
    exact = flint.acb_mat([[flint.acb(z) for z in row] for row in hermitian.tolist()]).det()
    determinant = F.determinant()
    assert abs(determinant.value.to_fraction() / fraction(exact.real) - 1) < Fraction(10) ** -29
    assert F.slogdet().sign == np.sign(float(determinant.value)) and F.condition() > 1
    assert "hermitian" in repr(F) and "complex" in repr(F)

    G = residua.factor(A, digits=30)
    exact = flint.acb_mat([[flint.acb(z) for z in row] for row in A.tolist()]).det()
    determinant = G.determinant()
    assert isinstance(determinant.value, ComplexNumber)
    for part, wanted in ((determinant.value.real, exact.real), (determinant.value.imag, exact.imag)):
        assert abs(part.to_fraction() - fraction(wanted)) < fraction(abs(exact)) * determinant.relative_error.to_fraction()
    sign, logarithm = G.slogdet()
    wanted = np.linalg.slogdet(A)
    assert abs(complex(sign) - wanted.sign) < 1e-13 and float(logarithm) == pytest.approx(wanted.logabsdet)
    n = 60
    wide = sparse.diags_array([np.full(n - 1, 1j), np.full(n, 4 + 1j), np.full(n - 1, 0.3)], offsets=[-1, 0, 1]).tocsr()
    size = flint.acb_mat([[flint.acb(z) for z in row] for row in wide.toarray().tolist()]).det()
    determinant = residua.factor(wide, digits=30).determinant()
    for part, wanted in ((determinant.value.real, size.real), (determinant.value.imag, size.imag)):
        assert abs(part.to_fraction() - fraction(wanted)) < fraction(abs(size)) * determinant.relative_error.to_fraction()
    assert determinant.relative_error < 1e-30
    wanted = fraction(abs(exact))
    assert abs(G.abs_determinant().value.to_fraction() / wanted - 1) < Fraction(10) ** -29
    assert residua.factor([[-2.0]], digits=20).abs_determinant().value == 2
    for call in (G.inertia, G.lu, G.cholesky):
        with pytest.raises(residua.UnsupportedError):
            call()
    again = pickle.loads(pickle.dumps(G))
    assert (again.solve(B).x == G.solve(B).x).all()


def test_updates_are_new_systems(rng):
    n = 40
    def matrix(phase):
        return sparse.diags_array([np.full(n - 1, 1j), np.full(n, (4 + 1j) * phase), np.arange(1.0, n)], offsets=[-1, 0, 1]).tocsr()
    b = np.array([complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(n)])
    F = residua.factor(matrix(1), digits=25)
    F.solve(b)
    for a in (matrix(2), matrix(1j), matrix(4 - 1j), matrix(0.5)):  # in the third all diagonal entries are real
        for values in (a, a.data, residua.Matrix(a).entries()[2]):
            F.update(values)
            assert (F.solve(b).x == residua.solve(a, b, digits=25).x).all()
    a = matrix(1)
    a.data = np.abs(a.data)  # real ones
    F.update(a.data)
    assert (F.solve(b).x == residua.solve(a.astype(complex), b, digits=25).x).all() and F.is_complex
    F.update([ComplexNumber(Fraction(k + 1, 3), "0.1") for k in range(a.nnz)])
    assert not F.matrix.is_float and F.matrix.entries()[2][1] == ComplexNumber(Fraction(2, 3), "0.1")
    for wrong in (a.data[1:], np.eye(n), matrix(1)[:, ::-1]):
        with pytest.raises(residua.DimensionError):
            F.update(wrong)
    with pytest.raises(residua.InputTypeError, match="A is real"):
        residua.factor(np.eye(2)).update(np.eye(2) * 1j)


def test_rank_and_null_space(rng):
    left = np.round(np.array([[complex(rng.gauss(0, 9), rng.gauss(0, 9)) for _ in range(2)] for _ in range(5)]))
    a = left @ np.round(np.array([[complex(rng.gauss(0, 9), rng.gauss(0, 9)) for _ in range(5)] for _ in range(2)]))
    F = residua.factor(a, digits=30)
    assert F.rank()[:2] == (2, 3)
    found = F.null_space()
    assert found.basis.shape == (5, 3) and found.digits >= 30 and found.error < 1e-30
    assert abs((residua.Matrix(a) @ found.basis)).norm() < 1e-25
    gram = (found.basis.conj().T @ found.basis).to_complex()
    assert abs(gram - np.eye(3)).max() < 1e-15
    singular = np.array([[2, 1j, 0], [-1j, 1, 1], [0, 1, 2]], dtype=complex)  # takes v to zero
    v = [1, 2j, -1j]
    assert (singular @ v == 0).all()
    x = residua.solve(singular, singular @ [1, 0, 0], null_space=v, method="minres", digits=20).x.to_complex()
    assert abs(np.vdot(v, x)) < 1e-15 and abs(singular @ x - singular @ [1, 0, 0]).max() < 1e-15


def test_arithmetic_is_exact_and_rounded_once(rng):
    def numbers(shape):
        return ComplexNumbers(*(residua.array(np.array([rng.gauss(0, 1) for _ in range(np.prod(shape))]).reshape(shape)) for _ in "ab"))

    def parts(z):
        return z.real.to_fraction(), z.imag.to_fraction()

    x, y, a = numbers((4,)), numbers((4,)), numbers((4, 4))
    for i in range(4):
        (p, q), (r, s) = parts(x[i]), parts(y[i])
        for made, exact in ((x + y, (p + r, q + s)), (x - y, (p - r, q - s)), (x * y, (p * r - q * s, p * s + q * r))):
            assert made.precision == 53 and (float(made[i].real), float(made[i].imag)) == tuple(float(e) for e in exact)
        quotient = (x / y)[i] * y[i]
        assert abs(complex(quotient - x[i])) < 1e-15
        assert abs(x)[i] == residua.Number(mpmath.hypot(float(p), float(q))) and x[i].conjugate().imag == -q
    row = [sum((z * w for z, w in zip(map(mpmath.mpc, a.to_complex()[i]), map(mpmath.mpc, x.to_complex()))), mpmath.mpc(0))
           for i in range(4)]
    assert abs((a @ x).to_complex() - np.array([complex(z) for z in row])).max() < 1e-15
    exact = sum((p * r - q * s for (p, q), (r, s) in zip(map(parts, a[0]), map(parts, x))), Fraction(0))
    assert float((a @ x)[0].real) == float(exact)
    assert ((x @ a) == (a.T @ x)).all() and (residua.Matrix(a) @ x == a @ x).all() and (x @ residua.Matrix(a) == a.T @ x).all()
    k = sparse.csr_array(a.to_complex())
    assert (k @ x == a @ x).all() and (x @ k == a.T @ x).all() and (x @ y == y @ x)
    assert (x + 1j == 1j + x).all() and (x * 2 == x + x).all() and (x.real + 1j * x.imag == x).all() and (-x + x == 0).all()
    assert (x == x.to_complex()).all() and (np.conj(x) == x.conj()).all() and (np.real(x) == x.real).all()
    assert float(np.linalg.norm(x)) == pytest.approx(np.linalg.norm(x.to_complex()))
    assert complex(x.sum()) == pytest.approx(x.to_complex().sum()) and np.concatenate([x, x.real]).shape == (8,)
    z = ComplexNumber("0.1", 2)
    assert hash(ComplexNumber(3)) == hash(3) and hash(ComplexNumber(1, 2)) == hash(1 + 2j) and ComplexNumber(1, 2) == 1 + 2j
    assert z + z - z == z and 1j * z == z * 1j and (z / z) == 1 and z != "0.1" and abs(ComplexNumber(3, 4)) == 5
    assert (pickle.loads(pickle.dumps(x)) == x).all() and pickle.loads(pickle.dumps(z)) == z
    with pytest.raises(ZeroDivisionError):
        z / 0


def test_files_keep_all_digits(tmp_path):
    path = tmp_path / "a.mtx"
    a = residua.Matrix([[ComplexNumber("0.1", "1e-400"), 2], [1j, ComplexNumber(Fraction(1, 4), -3)]])
    residua.write(path, a, comments="complex")
    assert path.read_text().startswith("%%MatrixMarket matrix coordinate complex general\n%")
    back = residua.read(path)
    assert back.is_complex and back.shape == (2, 2) and back.nnz == 4
    residua.write(path, residua.Matrix(A))
    rows, cols, values = residua.read(path).entries()
    assert (residua.read(path).toarray() == A).all() and (values.to_complex() == A[rows, cols]).all()
    assert (residua.read(path).to_scipy().toarray() == A).all() and (pickle.loads(pickle.dumps(back)).toarray() == back.toarray()).all()
    x = residua.solve(A, B, digits=30).x
    for each in (x, x.reshape(1, 3), residua.solve(A, A, digits=20).x):
        residua.write(path, each)
        assert (ComplexNumbers(residua.read(path), bits=each.precision).ravel() == each.ravel()).all()
    np.save(tmp_path / "a.npy", A)
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(A))
    assert (residua.read(tmp_path / "a.npy").to_complex() == A).all() and (residua.read(tmp_path / "a.npz").toarray() == A).all()
    text = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 2 0\n2 1 0.1234567890123456789 -3\n2 2 1 0\n"
    path.write_text(text)
    read = residua.read(path)
    assert (read.toarray() == [[2, 0.12345678901234568 + 3j], [0.12345678901234568 - 3j, 1]]).all() and not read.is_float
    again = pickle.loads(pickle.dumps(read))
    assert (again.entries()[2] == read.entries()[2]).all() and not again.is_float
    residua.write(tmp_path / "b.mtx", again)
    assert "\n2 1 1.234567890123456789e-01 -3e+00\n" in (tmp_path / "b.mtx").read_text()
    assert read.row_sums()[1] == ComplexNumber("1.1234567890123456789", -3, bits=8256)
    path.write_text(text.replace("-3", "0"))
    with pytest.warns(UserWarning, match="imaginary parts are 0"):
        assert not residua.read(path).is_complex


def test_operators():
    n = 30
    a = sparse.diags_array([np.full(n - 1, -1 + 0.5j), np.full(n, 4 + 1j), np.full(n - 1, 0.3)], offsets=[-1, 0, 1]).tocsr()
    b = np.arange(n) + 1j
    wanted = residua.solve(a, b, digits=30).x
    for method in (residua.gmres, residua.bicgstab, residua.idr, residua.lsqr):
        found = method(linalg.aslinearoperator(a), b)
        assert found.converged and abs((found.x - wanted).to_complex()).max() < 1e-8, method

    exact = residua.Matrix(a)
    gets = []

    def product(x):
        gets.append(type(x[0]))
        return (exact @ x).astype(object)

    adjoint = residua.Matrix(a.conj().T)
    by_objects = linalg.LinearOperator((n, n), matvec=product, rmatvec=lambda x: (adjoint @ x).astype(object), dtype=object)
    for method in (residua.gmres, residua.lsqr):
        found = method(by_objects, b, precision="dd")
        assert found.converged and abs((found.x - wanted).norm()) < 1e-26 and set(gets) == {ComplexNumber}

    symmetric = (a + a.T) / 2
    for method in ("cocg", "cocr"):
        found = residua.solve(linalg.aslinearoperator(symmetric), b, method=method)
        assert found.converged and abs(symmetric @ found.x.to_complex() - b).max() < 1e-8
    with pytest.raises(residua.UnsupportedError, match="cocg needs a complex symmetric A"):
        residua.solve(linalg.aslinearoperator(a), b, method="cocg")

    real = sparse.csr_array(a.real)
    m = linalg.LinearOperator((n, n), matvec=lambda r: r / (4 + 1j), dtype=complex)
    found = residua.gmres(linalg.aslinearoperator(real), b, M=m)
    assert found.converged and abs(real @ found.x.to_complex() - b).max() < 1e-8
    seen = []

    def of_reals(x):
        seen.append(x.dtype)
        return real @ x

    found = residua.gmres(linalg.LinearOperator((n, n), matvec=of_reals, dtype=float), b)
    assert found.converged and set(seen) == {np.dtype(float)}
    with pytest.raises(residua.InputTypeError, match="complex numbers came back"):
        residua.gmres(linalg.LinearOperator((n, n), matvec=lambda x: 1j * x, dtype=float), np.ones(n))


def test_preconditioners_of_the_caller():
    n = 40
    a = sparse.diags_array([np.full(n - 1, -1 + 0.5j), np.full(n, 2 + 1j), np.full(n - 1, 0.3)], offsets=[-1, 0, 1]).tocsc()
    b = np.arange(n) + 1j
    wanted = residua.solve(a, b, digits=25).x
    got = []

    def by_function(r):
        got.append((r.dtype, r.shape))
        return r / (2 + 1j)

    for M in (linalg.spilu(a), linalg.LinearOperator((n, n), matvec=by_function, rmatvec=lambda r: r / (2 - 1j), dtype=complex),
              by_function, np.diag(np.full(n, 1 / (2 + 1j))), linalg.spilu(a.real.copy()), lambda r: 0.5 * r):
        found = residua.gmres(a, b, M=M, digits=25, maxiter=400)
        assert found.converged and abs((found.x - wanted).to_complex()).max() < 1e-20, M
    assert set(got) == {(np.dtype(complex), (n,))}
    for M in (linalg.spilu(a), np.diag(1 / a.diagonal())):
        found = residua.solve(a, b, method="bicg", M=M, digits=25)
        assert found.converged and abs((found.x - wanted).to_complex()).max() < 1e-20
    few, many = (residua.gmres(a, b, M=M, digits=25).report.iterations for M in (linalg.spilu(a), None))
    assert few < many / 2


def test_batches(rng):
    a = np.array([random_matrix(rng, "general", 4) for _ in range(5)])
    b = np.array([[complex(rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(4)] for _ in range(5)])
    found = residua.solve_batch(a, b, digits=25)
    assert found.solved and found.x.shape == (5, 4) and isinstance(found.x, ComplexNumbers)
    for s in range(5):
        require_right(found.x[s], int(found.digits[s]), by_flint(a[s], b[s]))
    several = residua.solve_batch(a, np.stack([b, 1j * b], axis=2), digits=25)
    assert several.x[2].shape == (4, 2) and (several.x[2][:, 0] == found.x[2]).all()
    real = residua.solve_batch(a.real, b, digits=25)
    require_right(real.x[3], int(real.digits[3]), by_flint(a[3].real, b[3]))
    assert not residua.solve_batch(np.zeros((1, 2, 2)) * 1j, [[1, 1]]).solved


def test_comparisons():
    rows = residua.compare(A, B, precisions=["double", "dd"], methods="gmres")
    assert [row["status"] for row in rows] == ["converged"] * 2
    assert all(isinstance(result.x, ComplexNumbers) for result in rows.results)
