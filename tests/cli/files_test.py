"""Files of all formats as A, b and x0, put together byte by byte; --transpose; unit vectors and the identity as b."""
import gzip
import io
import struct
import unittest
import zipfile
from fractions import Fraction

from support import BAD_INPUT, DATA, DONE, MATRICES, USAGE, TestCase, array, coordinate, needs_matrices, read_array

A = [[4, 1, 0], [0, Fraction(1, 2), 2], [1, 0, -3]]
X = [1, -2, 3]
B = [sum(a * x for a, x in zip(row, X)) for row in A]
B_TRANSPOSED = [sum(row[j] * x for row, x in zip(A, X)) for j in range(3)]


def npy(kind, shape, values, letter, by_columns=False):
    header = f"{{'descr': '{kind}', 'fortran_order': {by_columns}, 'shape': {shape}, }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    elements = struct.pack("<" + letter * len(values), *values)
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + elements


def npz(members, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as member:  # as NumPy writes them
                member.write(content)
    return out.getvalue()


def csr():
    rows = [[(j, v) for j, v in enumerate(row) if v] for row in A]
    entries = [e for row in rows for e in row]
    begin = [sum(map(len, rows[:i])) for i in range(4)]
    return {"indices": npy("<i4", (len(entries),), [j for j, _ in entries], "i"),
            "indptr": npy("<i4", (4,), begin, "i"), "format": npy("|S3", "()", [b"csr"], "3s"), "shape": npy("<i8", (2,), [3, 3], "q"),
            "data": npy("<f8", (len(entries),), [float(v) for _, v in entries], "d")}


def harwell_boeing(values="E25.17", rhs="", lines=""):
    """A by columns, with right-hand sides behind."""
    columns = [[(i, row[j]) for i, row in enumerate(A) if row[j]] for j in range(3)]
    entries = [e for column in columns for e in column]
    begin = [1 + sum(map(len, columns[:j])) for j in range(4)]
    text = "A small matrix".ljust(72) + "SMALL   \n"
    text += "".join(f"{n:14}" for n in (5, 1, 1, 3, 1 if rhs else 0)) + "\n"
    text += "RUA".ljust(14) + "".join(f"{n:14}" for n in (3, 3, len(entries), 0)) + "\n"
    text += "(4I4)".ljust(16) + "(8I3)".ljust(16) + f"(2{values})".ljust(20) + "(3F8.2)".ljust(20) + "\n" + rhs
    text += "".join(f"{n:4}" for n in begin) + "\n" + "".join(f"{i + 1:3}" for i, _ in entries) + "\n"
    for k in range(0, len(entries), 2):
        text += "".join(f"{float(v):25.17E}" for _, v in entries[k:k + 2]) + "\n"
    return text + lines


class Files(TestCase):
    def put(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def solved(self, *arguments, **options):
        x = self.folder / "x.mtx"
        report = self.report(DONE, "solve", *arguments, "-d", "30", "-o", x, **options)
        return [round(v, 25) for v in read_array(x)], report

    def test_matrices_of_all_formats(self):
        flat = [float(v) for row in A for v in row]
        by_columns = [float(row[j]) for j in range(3) for row in A]
        b = self.put("b.mtx", array([float(v) for v in B]))
        for name, content in [("a.npy", npy("<f8", (3, 3), flat, "d")),
                              ("f.npy", npy("<f8", (3, 3), by_columns, "d", True)),
                              ("a.npz", npz(csr(), zipfile.ZIP_STORED)), ("d.npz", npz(csr(), zipfile.ZIP_DEFLATED)),
                              ("one.npz", npz({"arr_0": npy("<f8", (3, 3), flat, "d")}, zipfile.ZIP_DEFLATED)),
                              ("a.rua", harwell_boeing()), ("a.rua.gz", gzip.compress(harwell_boeing().encode())),
                              ("no_ending", npz(csr(), zipfile.ZIP_DEFLATED))]:
            with self.subTest(name):
                a = self.put(name, content)
                self.assertEqual(self.solved(a, "-b", b)[0], X)
                self.assertEqual(self.solved("-", "-b", b, input=a.read_bytes(), text=False)[0], X)
        self.exits(DONE, "info", self.folder / "a.npz")
        self.exits(DONE, "compare", self.folder / "a.rua", "-b", b, "--precisions", "53")

    def test_vectors_of_all_formats(self):
        a = self.put("a.npz", npz(csr(), zipfile.ZIP_STORED))
        column = "# b\n" + "".join(f"{float(v)}\n\n% next\n" for v in B)
        for name, content in [("b.txt", column), ("b.txt.gz", gzip.compress(column.encode())),
                              ("b.npy", npy("<f8", "(3,)", [float(v) for v in B], "d")),
                              ("i.npy", npy("<i4", "(3, 1)", [2 * int(v) for v in B], "i")),
                              ("v.mtx", "%%MatrixMarket vector array real general\n3\n" + column[4:]),
                              ("w.mtx", "%%MatrixMarket vector coordinate real general\n3\n" +
                               "".join(f"{i + 1} {float(v)}\n" for i, v in enumerate(B)))]:
            with self.subTest(name):
                scale = 2 if name == "i.npy" else 1
                b = self.put(name, content)
                self.assertEqual(self.solved(a, "-b", b)[0], [scale * x for x in X])
                self.assertEqual(self.solved(a, "-b", "-", input=b.read_bytes(), text=False)[0], [scale * x for x in X])
                self.exits(DONE, "solve", a, "-b", b, "--x0", b)

    def test_numbers_are_exact(self):
        one = self.put("one.mtx", coordinate(1, [(1, 1, 1)]))
        sixty = "0.123456789012345678901234567890123456789012345678901234567891"
        x = self.folder / "x.mtx"
        for name, content, expected in [
                ("b.txt", sixty + "\n", Fraction(sixty)),
                ("b.npy", npy("<i8", "(1,)", [2**62 + 1], "q"), 2**62 + 1),
                ("c.npy", npy("<i8", "(1,)", [2**53 + 1], "q"), 2**53 + 1),
                ("f.npy", npy("<f8", "(1,)", [0.1], "d"), Fraction(0.1)),
                ("g.npy", npy("<f4", "(1,)", [0.1], "f"), Fraction(struct.unpack("f", struct.pack("f", 0.1))[0]))]:
            for entries in ["auto", "decimal"]:
                with self.subTest(name, entries=entries):
                    b = self.put(name, content)
                    self.exits(DONE, "solve", one, "-b", b, "-p", "424", "-o", x, "--entries", entries)
                    self.assertLessEqual(abs(read_array(x)[0] - expected), expected * Fraction(1, 10**100))

    def test_complex_arrays_of_numpy(self):
        x = self.folder / "x.mtx"
        a = self.put("a.npy", npy("<c16", "(1, 1)", [0.0, 2.0], "d"))
        for name, content in [("b.npy", npy("<c16", "(1,)", [0.5, -3.0], "d")),
                              ("c.npy", npy("<c8", "(1,)", [0.5, -3.0], "f"))]:
            self.exits(DONE, "solve", a, "-b", self.put(name, content), "-o", x)
            self.assertEqual(read_array(x), [Fraction(-3, 2), Fraction(-1, 4)])

    def test_harwell_boeing_holds_right_hand_sides_too(self):
        numbers = lambda values: "".join(f"{float(v):8.2f}" for v in values) + "\n"
        a = self.put("a.rua", harwell_boeing(rhs="FGX".ljust(14) + f"{1:14}{0:14}\n",
                                             lines=numbers(B) + numbers([0, 0, 1]) + numbers(X)))
        x, report = self.solved(a, "-b", a, "--x0", a)
        self.assertEqual((x, report["rhs"]), (X, str(a)))
        self.assertEqual(self.report(DONE, "compare", a, "-b", a, "--reference", a, "--precisions", "106")["runs"][0]
                         ["status"], "converged")
        result = self.exits(DONE, "solve", a, "-b", "ones")
        self.assertIn("holds right-hand sides, too (1), which are read where the file is given as b", result.stderr)

    def test_what_is_not_read_names_the_cure(self):
        a = self.laplacian(3)
        for name, content, says in [
                ("a.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + bytes(100), "scipy.io.mmwrite('A.mtx', "),
                ("b.mat", b"\x89HDF\r\n\x1a\n" + bytes(100), "save('A.mat', 'A', '-v7')"),
                ("e.rse", harwell_boeing().replace("RUA", "RSE"), "finite elements"),
                ("b.npz", npz({**csr(), "format": npy("|S3", "()", [b"bsr"], "3s")}, zipfile.ZIP_STORED), "A.tocsr()"),
                ("t.npz", npz(csr(), zipfile.ZIP_DEFLATED)[:-40], "damaged zip archive"),
                ("t.rua", harwell_boeing()[:-60], "is it cut short?"), ("b.txt", "1\n2\n3\n", "a column of numbers")]:
            with self.subTest(name):
                path = self.put(name, content)
                self.exits(BAD_INPUT, "solve", path, says=says)
                self.exits(BAD_INPUT, "info", path, says=str(path))
        b = self.put("b.txt", "1\n2\nx\n")
        self.exits(BAD_INPUT, "solve", a, "-b", b, says=f"{b}:3: 'x' is not a number")
        self.exits(BAD_INPUT, "solve", a, "-b", self.put("b.txt", "1\n2\n"), says="holds 2 x 1 numbers")

    def test_transpose(self):
        entries = [(i + 1, j + 1, float(v)) for i, row in enumerate(A) for j, v in enumerate(row) if v]
        a = self.put("a.mtx", coordinate(3, entries))
        b = self.put("b.mtx", array([float(v) for v in B_TRANSPOSED]))
        x, report = self.solved(a, "--transpose", "-b", b)
        self.assertEqual((x, report["matrix"]["transposed"]), (X, True))
        self.assertEqual(self.solved(self.put("a.rua", harwell_boeing()), "-b", b, "--transpose")[0], X)
        self.assertIn("transposed", self.exits(DONE, "info", a, "--transpose").stdout)
        report = self.report(DONE, "compare", a, "--transpose", "-b", b, "--precisions", "106", "--reference",
                             self.put("x.mtx", array(X)))
        self.assertEqual(report["matrix"]["transposed"], True)
        wide = self.put("w.mtx", coordinate(2, [(1, 1, 1), (2, 2, 1), (2, 3, 1)], cols=3))
        self.assertEqual(self.report(DONE, "info", wide, "--transpose")["matrix"]["rows"], 3)

    def test_unit_vectors_and_the_identity(self):
        a = self.put("a.mtx", coordinate(3, [(i + 1, j + 1, float(v)) for i, row in enumerate(A)
                                             for j, v in enumerate(row) if v]))
        x = self.folder / "x.mtx"
        self.exits(DONE, "solve", a, "-b", "identity", "-d", "30", "-o", x)
        inverse = read_array(x)
        self.assertEqual(x.read_text().splitlines()[2], "3 3")
        for j in range(3):
            column = inverse[3 * j:3 * j + 3]
            for i, row in enumerate(A):
                self.assertLess(abs(sum(v * c for v, c in zip(row, column)) - (i == j)), Fraction(1, 10**28))
            self.exits(DONE, "solve", a, "-b", f"unit:{j + 1}", "-d", "30", "-o", x)
            for one, same in zip(read_array(x), column):
                self.assertLess(abs(one - same), Fraction(1, 10**28))
        self.exits(BAD_INPUT, "solve", a, "-b", "unit:4", says="which has no unit:4")
        self.exits(USAGE, "compare", a, "-b", "identity", says="--rhs: identity has several columns")
        self.exits(DONE, "compare", a, "-b", "unit:1", "--precisions", "53")
        one = self.put("one.mtx", coordinate(1, [(1, 1, 4)]))
        self.exits(DONE, "solve", one, "-b", "identity", "-o", x)
        self.assertEqual(read_array(x), [Fraction(1, 4)])

    @needs_matrices
    def test_files_of_reports(self):
        reports = MATRICES / "reports"
        self.assertEqual(self.solved(reports / "two_by_two.mtx", "-b", reports / "vector_object.mtx")[0], [1, 1])
        self.assertEqual(self.solved(reports / "harwell_boeing.rua", "-b", "ones")[0], [1, 1, 1])

    def test_hilbert_as_its_own_inverse(self):
        """The inverse of the inverse of a Hilbert matrix of integers is the matrix."""
        x, y = self.folder / "inverse.mtx", self.folder / "again.mtx"
        self.exits(DONE, "solve", DATA / "hilbert20.mtx", "-b", "identity", "-d", "40", "-o", x, "--entries", "decimal")
        self.exits(DONE, "solve", x, "-b", "identity", "-d", "8", "-o", y, "--entries", "decimal")
        self.assertLess(abs(read_array(y)[1] - Fraction(1, 2)), Fraction(1, 10**6))


if __name__ == "__main__":
    unittest.main()
