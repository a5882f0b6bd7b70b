"""What the tests of the command line share: running it, writing matrices, reading results.

RESIDUA_PROGRAM names the binary, RESIDUA_DATA_DIR the project's data/, RESIDUA_MATRIX_DIR the
matrices that are not part of it (tests that need them are skipped, visibly, without).
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
from fractions import Fraction

PROGRAM = os.environ["RESIDUA_PROGRAM"]
DATA = pathlib.Path(os.environ["RESIDUA_DATA_DIR"])
MATRICES = pathlib.Path(os.environ.get("RESIDUA_MATRIX_DIR") or "/nonexistent")

DONE, NOT_CONVERGED, USAGE, BAD_INPUT, BREAKDOWN, RESOURCES, TOO_FEW_DIGITS, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130

# AddressSanitizer reserves terabytes of address space, so limits of it cannot be tested with it.
SANITIZED = bool(os.environ.get("RESIDUA_SANITIZE"))

# Whether the binary has a CUDA side; a GPU may still be missing.
CUDA = os.environ.get("RESIDUA_CUDA") == "1"

TUNING_TABLE = pathlib.Path(__file__).resolve().parents[2] / "solvers/base/tuning_table.hpp"


def tuned(table, bits):
    """The values of a row of the tuning table, as text: tuned("expansion_panels", 212) is ["48", "145", "289"]."""
    text = re.search(rf"\b{table}\[\] = {{(.*?)}};", TUNING_TABLE.read_text(encoding="utf-8"), re.S)[1]
    rows = [row.split(", ") for row in re.findall(r"{(.*)}", text)]
    return next((values for most, *values in rows if bits <= int(most)), rows[-1][1:])


def where_products_are(n, symmetric, form, bits):
    """Where -m direct -e cuda computes by the tuning table: factors have products from so many unknowns on, and they are
    the device's if one of halves of the columns is large enough."""
    if form == "auto":
        form = tuned("formats", bits)[0].removeprefix("number_format::")
    _, *least = tuned("multidigit_panels" if form == "multidigit" else "expansion_panels", bits)
    work = tuned("products", bits)[0]
    first = (n / 2)**3 * bits / (4 if symmetric else 1)
    large = "infinity" not in work and first >= float.fromhex(work)
    return "cuda" if least[symmetric] != "never" and n >= int(least[symmetric]) and large else "host"


needs_matrices = unittest.skipUnless(MATRICES.is_dir(), "RESIDUA_MATRIX_DIR is not set")


def program(*args, address_space_kib=None, **options):
    """Runs residua; the result has returncode, stdout and stderr as text."""
    command = [PROGRAM, *map(str, args)]
    if address_space_kib is not None and not SANITIZED:
        command = ["bash", "-c", f'ulimit -v {address_space_kib} && exec "$0" "$@"', *command]
    options.setdefault("timeout", 300)
    options.setdefault("text", True)
    return subprocess.run(command, capture_output=True, check=False, **options)


def coordinate(n, entries, symmetry="general", field="real", cols=None):
    """A MatrixMarket file; entries are (row, col, value) from 1."""
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{n} {cols or n} {len(entries)}"]
    return "\n".join(lines + [" ".join(map(str, e)) for e in entries]) + "\n"


def array(values):
    """An n x 1 MatrixMarket file."""
    return "\n".join(["%%MatrixMarket matrix array real general", f"{len(values)} 1", *map(str, values)]) + "\n"


def read_array(path):
    """The numbers of an array file, exactly; of complex numbers the parts."""
    lines = [s for s in pathlib.Path(path).read_text().splitlines() if s and not s.startswith("%")]
    return [Fraction(part) for s in lines[1:] for part in s.split()]


def read_coordinate(path):
    """(n, {(row, col): value}) of a file with general or symmetric real entries, from 0."""
    banner, *lines = pathlib.Path(path).read_text().splitlines()
    lines = [s.split() for s in lines if s and not s.startswith("%")]
    rows, cols, entries = int(lines[0][0]), int(lines[0][1]), {}
    symmetric = banner.split()[4] == "symmetric"
    if banner.split()[2] == "array":
        positions = ((i, j) for j in range(cols) for i in range(j if symmetric else 0, rows))
        triplets = [(i, j, line[0]) for (i, j), line in zip(positions, lines[1:], strict=True)]
    else:
        triplets = [(int(i) - 1, int(j) - 1, v) for i, j, v in lines[1:]]
    for i, j, v in triplets:
        entries[i, j] = Fraction(v)
        if symmetric:
            entries[j, i] = Fraction(v)
    return rows, entries


class TestCase(unittest.TestCase):
    """Each test has a folder of its own, and a few matrices in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def laplacian(self, n=12):
        """tridiag(-1, 2, -1), symmetric positive definite."""
        entries = [(i, i, 2) for i in range(1, n + 1)] + [(i + 1, i, -1) for i in range(1, n)]
        return self.write("laplacian.mtx", coordinate(n, entries, "symmetric"))

    def exits(self, code, *args, says=None, **options):
        """Runs and checks the exit code; an error is one line on standard error."""
        result = program(*args, **options)
        self.assertEqual(result.returncode, code, f"{args}\n{result.stdout}\n{result.stderr}")
        if says is not None:
            self.assertIn(says, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertTrue(result.stderr.startswith("residua: "), result.stderr)
        return result

    def report(self, code, *args, **options):
        """The JSON report of a run."""
        path = self.folder / "report.json"
        self.exits(code, *args, "--report", path, **options)
        return json.loads(path.read_text())

    def assert_ones(self, path, digits):
        """The file holds ones to so many digits."""
        for value in read_array(path):
            self.assertLess(abs(value - 1), Fraction(10) ** -digits)


def has_gpu():
    """Whether there is a GPU, be it one that cannot be used."""
    probe = TestCase()
    probe.setUp()
    result = program("solve", probe.laplacian(), "-e", "cuda", "-f", "rns", "-m", "cg", "-q")
    probe.doCleanups()
    return "no CUDA device can be used" not in result.stderr
