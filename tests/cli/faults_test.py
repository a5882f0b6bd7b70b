"""What goes wrong, by every method: the exit code, the status, and no more than is true."""
import unittest
from fractions import Fraction

from support import BREAKDOWN, DONE, RESOURCES, USAGE, TestCase, array, coordinate, read_array

METHODS = ["auto", "cg", "minres", "gmres", "bicgstab", "bicgstabl", "idr", "tfqmr", "bicg", "cocg", "cocr", "refine", "gmres-ir",
           "direct"]  # lsqr solves other problems too


def laplacian(n):
    return [(i, i, 2) for i in range(1, n + 1)] + [(i + 1, i, -1) for i in range(1, n)]


# name: n, entries of a symmetric matrix, b, x0, options, methods, exit code
FAULTS = {
    "singular, without a solution": (3, [(1, 1, 1), (2, 1, 2), (3, 1, 3), (2, 2, 4), (3, 2, 6), (3, 3, 10)], [1, 0, 0],
                                     None, [], METHODS, BREAKDOWN),
    "a zero row": (3, [(1, 1, 1), (3, 3, 2)], [1, 1, 1], None, [], METHODS, BREAKDOWN),
    "a stored zero row": (3, [(1, 1, 1), (2, 2, 0), (3, 3, 2)], [1, 1, 1], None, [], METHODS, BREAKDOWN),
    "indefinite": (2, [(1, 1, 1), (2, 1, 2), (2, 2, 1)], [1, -2], None, [], ["cg"], BREAKDOWN),
    "indefinite, no preconditioner": (2, [(1, 1, 1), (2, 2, -3)], [1, 1], None, ["-P", "none"], ["cg"], BREAKDOWN),
    "a zero right-hand side": (4, laplacian(4), [0, 0, 0, 0], None, [], METHODS, DONE),
    "an exact guess": (4, laplacian(4), [1, 0, 0, 1], [1, 1, 1, 1], [], METHODS[:-1], DONE),
    "one unknown": (1, [(1, 1, 3)], [6], None, [], METHODS, DONE),
    "one unknown, zero": (1, [(1, 1, 0)], [6], None, [], METHODS, BREAKDOWN),
    "a huge restart": (4, laplacian(4), [1, 0, 0, 1], None, ["--restart", 9_000_000_000_000_000_000],
                       ["gmres", "gmres-ir"], DONE),
}


class Faults(TestCase):
    def test_end_with_their_exit_codes(self):
        for name, (n, entries, b, guess, options, methods, code) in FAULTS.items():
            a = self.write("a.mtx", coordinate(n, entries, "symmetric"))
            rhs = self.write("b.mtx", array(b))
            if guess:
                options = [*options, "--x0", self.write("x0.mtx", array(guess))]
            for method in methods:
                with self.subTest(name, method=method):
                    x = self.folder / "x.mtx"
                    report = self.report(code, "solve", a, "-b", rhs, "-m", method, "-p", "dd", "-o", x, *options)
                    self.assertEqual(report["status"], "converged" if code == DONE else "breakdown")
                    self.assertEqual(report["message"] == "", code == DONE)
                    if code == DONE or x.exists():  # without an x of its own a solve writes none
                        self.assertEqual(len(read_array(x)), n)
                    x.unlink(missing_ok=True)
                    if code == BREAKDOWN and name != "indefinite" and not name.startswith("indefinite,"):
                        self.assertEqual(report["forward_error"]["digits"], 0)
                    for field in ["relative_residual", "backward_error", "componentwise_backward_error"]:
                        Fraction(report[field])
                    if guess or not any(b):
                        self.assertEqual(report["iterations"], 0)

    def test_a_nan_or_an_infinity_in_a_file_is_bad_input(self):
        for value in ["nan", "inf", "-inf", "1e400"]:
            a = self.write("a.mtx", coordinate(2, [(1, 1, value), (2, 2, 1)]))
            self.exits(3, "solve", a, "--entries", "binary64", says="a.mtx")

    def test_a_restart_length_that_memory_does_not_hold_is_refused_in_one_line(self):
        n = 400_000
        a = self.write("a.mtx", coordinate(n, [(i, i, 2) for i in range(1, n + 1)]))
        for method in ["gmres", "gmres-ir"]:
            self.exits(RESOURCES, "solve", a, "-m", method, "-p", "dd", "--restart", n, says="bytes")
        self.exits(USAGE, "solve", a, "-m", "gmres", "--restart", 0, says="--restart")


if __name__ == "__main__":
    unittest.main()
