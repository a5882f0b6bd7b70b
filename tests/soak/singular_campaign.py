"""A campaign of systems that are singular, nearly singular, rank-deficient or rectangular, against exact rationals:
what residua says of rank, range, x, null space, determinant and inertia is true, or it says that it does not know.

    singular_campaign.py [--count 40] [--first 0] [--keep FOLDER] [--seconds 120]

RESIDUA_PROGRAM names the binary. Each system has a number, and each number gives the same system and options again.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import exact
import singular_systems

DONE, NOT_CONVERGED, BREAKDOWN, RESOURCES = 0, 1, 4, 5
BY_RANK = ["auto", "direct", "refine", "gmres-ir"]  # methods that tell what a singular matrix is
NAMED = ["lsqr", "minres", "cg", "cocg", "cocr", "gmres", "bicgstab", "idr"]


def binary64(text):
    return Fraction(float(text))


def value_of(reading):
    return Fraction if reading is None or reading["entries"] == "decimal" else binary64


def numbers_in(path):
    """The columns of an array file, as Fractions, and how many digits the longest number of each has; complex numbers
    as their parts, one after the other."""
    text = path.read_text()
    lines = [s for s in text.splitlines() if s and not s.startswith("%")]
    rows, columns = map(int, lines[0].split()[:2])
    rows *= 2 if " complex " in text.splitlines()[0] else 1
    words = [s for line in lines[1:] for s in line.split()]
    values = [Fraction(s) for s in words]
    digits = [len(s.lower().split("e")[0].replace("-", "").replace(".", "").lstrip("0")) for s in words]
    return [(values[k * rows:(k + 1) * rows], max(digits[k * rows:(k + 1) * rows], default=0)) for k in range(columns)]


class Judge:
    """One system, what residua is asked about it, and whether what it says is true."""

    systems = singular_systems

    def __init__(self, number, folder, program, seconds):
        self.number, self.folder, self.program, self.seconds = number, folder, program, seconds
        self.system, self.kind, self.random = self.systems.system_number(number)
        self.faults = []
        self.counts = collections.Counter()
        self.a_file = folder / "a.mtx"
        self.a_file.write_text(self.system.text())
        self.commands = []

    def fault(self, text):
        self.faults.append(text)

    def expect(self, truth, text):
        if not truth:
            self.fault(text)

    def run(self, *arguments):
        """Exit code, report or None, and all that was said."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        command = [self.program, *map(str, arguments), "--report", str(report)]
        self.commands.append(" ".join(command))
        try:
            result = subprocess.run(command, capture_output=True, check=False, text=True, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            self.fault(f"ran for more than {self.seconds} s")
            return None, None, ""
        self.expect(0 <= result.returncode <= 6 and result.returncode not in (2, 3),
                    f"exit code {result.returncode}: {result.stderr.strip()[-300:]}")
        self.expect(result.stderr.count("\n") <= 10, f"{result.stderr.count(chr(10))} lines on standard error")
        document = json.loads(report.read_text()) if report.exists() else None
        return result.returncode, document and self.as_real(document), result.stdout + result.stderr

    def as_real(self, document):
        """What a report of this system says of its real form."""
        return document

    def more_options(self, method):
        return []

    def read(self, document):
        """A as it was read."""
        return self.system.matrix(value_of(document["matrix"]))

    def sides(self, document, a):
        """The columns of b as they were read."""
        b = self.system.b
        if isinstance(b, str):
            return [self.system.named_side(a)]
        value = value_of(document["rhs_reading"])
        return [self.system.given_side(column, value) for column in b]

    def judge(self):
        self.judge_solve()
        self.judge_info()
        if self.system.x is None and self.random.random() < 0.3:
            self.judge_weighted()

    def judge_solve(self):
        s, r = self.system, self.random
        digits = r.choice([0, 16, 16, 30, 30, 100])
        method = r.choice(BY_RANK) if r.random() < 0.75 else r.choice(NAMED)
        if r.random() < 0.5:
            method = "auto"
        if s.rows != s.cols and method not in ("auto", "direct", "lsqr"):
            method = "lsqr"
        if method in ("cg", "minres") and not s.symmetric or method in ("cocg", "cocr") and not s.equals_transpose():
            method = "gmres"
        arguments = ["solve", self.a_file, *s.options, "-o", self.folder / "x.mtx", "-m", method]
        arguments += ["-d", digits] if digits else []
        arguments += ["-t", r.choice([1, 2]), *self.more_options(method)]
        if isinstance(s.b, str):
            arguments += ["-b", s.b]
        else:
            (self.folder / "b.mtx").write_text(s.text_of_b())
            arguments += ["-b", self.folder / "b.mtx"]
        wants_space = r.random() < 0.5
        if wants_space:
            arguments += ["--null-space", self.folder / "n.mtx"]
        (self.folder / "x.mtx").unlink(missing_ok=True)
        code, document, said = self.run(*arguments)
        if document is None:
            return
        a = self.read(document)
        b = self.sides(document, a)
        self.rank = exact.rank(a) if s.rank is None else s.rank
        inverse = None if s.x else exact.Pseudoinverse(a, s.cols)
        columns = document.get("columns", [document])
        self.expect(len(columns) == len(b), f"{len(columns)} columns for {len(b)}")
        xs = numbers_in(self.folder / "x.mtx") if (self.folder / "x.mtx").exists() else None
        for k, (column, side) in enumerate(zip(columns, b)):
            self.judge_column(column, a, side, s.x[k] if s.x else inverse.times(side), digits, method,
                              xs[k] if xs else None)
        worst = {"converged": 0, "not_converged": 1, "stagnated": 1, "breakdown": 4, "time_limit": 1}
        expected = max(max(worst[c["status"]], int(digits > 0 and c["status"] == "converged" and
                                                    c["forward_error"]["digits"] < digits and any(side)))
                       for c, side in zip(columns, b))
        self.expect(code == expected, f"exit code {code}, statuses {[c['status'] for c in columns]}")
        if wants_space:
            self.judge_space(document, a, digits or 16)

    def judge_column(self, column, a, b, truth, digits, method, x):
        s = self.system
        singular, square = self.rank < s.cols, s.rows == s.cols
        image = exact.times(a, truth)
        outside = [p - q for p, q in zip(b, image)]
        in_range = not any(outside)
        status, message = column["status"], column["message"]
        self.counts[f"{'singular' if singular and square else 'other'}, "
                    f"{'in' if in_range else 'not in'} range: {status}"] += 1
        if column["rank"] is not None:
            self.expect(singular or not square, f"rank {column['rank']} of a nonsingular matrix: {message}")
            self.expect(column["rank"] == self.rank, f"rank {column['rank']}, true {self.rank}: {message}")
            self.expect(column["nullity"] == s.cols - self.rank, f"nullity {column['nullity']}: {message}")
        self.expect(singular or "singular" not in message or not square, f"said of a nonsingular matrix: {message}")
        self.expect("nan" not in message and "inf " not in message, f"not a number: {message}")
        if column["part_outside"] is not None and any(b):
            told = Fraction(column["part_outside"])
            share = exact.square_norm(outside) / exact.square_norm(b)
            wanted = digits or 16
            if told == 0:
                self.expect(share <= Fraction(1, 10**(2 * wanted)),
                            f"in the range, off by {float(share)**0.5}: {message}")
                if share:  # less than the bits that were asked for show
                    self.counts["b outside of the range by less than is asked for"] += 1
                    return
            else:
                self.expect(not in_range, f"not in the range, but is: {message}")
                if share:
                    self.expect(abs(told * told / share - 1) < Fraction(1, 1000),
                                f"part outside {column['part_outside']}, true {float(share)**0.5}")
        self.expect("no x solves" not in message or not in_range, f"x solves it: {message}")
        solved = status == "converged"
        if method in ("auto", "direct") and not solved and not (square and singular and not in_range):
            self.counts["missed: " + f"{self.kind} {method} {digits} {message[:150]}"] += 1
        if square and not in_range and any(b):
            self.expect(not solved or column["least_squares"] or
                        exact.square_norm(outside) <= Fraction(column["rtol"])**2 * exact.square_norm(b) * 2,
                        f"converged without a solution: {message}")
        if column["least_squares"]:
            self.expect(not in_range or not solved or not digits or
                        Fraction(column["relative_residual"]) < Fraction(1, 10**8),
                        f"least squares of a b in the range: {message}")
        if x is None:
            self.expect(not solved or not s.cols, "converged without x")
            return
        values, written = x
        size, error = exact.largest(values), exact.largest([p - q for p, q in zip(values, truth)])
        rounding = Fraction(1, 10**(written - 1)) if written else Fraction(0)
        claimed = column["forward_error"]
        relative = error / size if size else Fraction(0) if not error else Fraction(1)
        self.expect(relative <= Fraction(1, 10**claimed["digits"]) + rounding or claimed["digits"] == 0,
                    f"{claimed['digits']} digits claimed, error {float(relative)}: {message}")
        if claimed["bound"] is not None:
            self.expect(relative <= Fraction(claimed["bound"]) * Fraction(100001, 100000) + rounding,
                        f"error {float(relative)}, bound {claimed['bound']}: {message}")
        if solved and digits and any(b):
            self.expect(claimed["digits"] >= digits, f"converged with {claimed['digits']} of {digits} digits")
        known = column["known_error"]
        if known is not None:
            knows = column["rank"] is not None or "looks singular" in message or not any(b)
            self.expect(self.rank == s.cols or not knows, f"an error of {known} from an x that is not the shortest")
        if "shortest that makes" in message:
            scale = exact.largest(b) / (max(map(exact.largest, a)) or 1)
            self.expect(error <= max(size, scale) * Fraction(1, 10**((digits or 16) - 2)),
                        f"said to be the shortest, error {float(relative)}: {message}")
        if solved and not column["least_squares"]:
            residual = exact.square_norm([p - q for p, q in zip(b, exact.times(a, values))])
            tolerance = max(Fraction(column["rtol"])**2 * exact.square_norm(b), Fraction(column["atol"])**2)
            slack = exact.square_norm(b) + sum(map(exact.square_norm, a)) * exact.square_norm(values)
            self.expect(residual <= tolerance * 2 + rounding**2 * slack,
                        f"residual^2 {float(residual)} above {float(tolerance)}")

    def judge_space(self, document, a, digits):
        s, told = self.system, document.get("null_space")
        if told is None:
            self.counts["no null space"] += 1
            return
        self.expect(told["rank"] == self.rank, f"null space: rank {told['rank']}, true {self.rank}")
        self.expect(told["nullity"] == s.cols - self.rank, f"null space: nullity {told['nullity']}")
        self.expect(told["digits"] >= digits, f"null space to {told['digits']} of {digits} digits")
        space = numbers_in(self.folder / "n.mtx")
        vectors, written = s.with_images([v for v, _ in space]), max((digits for _, digits in space), default=1)
        self.expect(len(vectors) == s.cols - self.rank, f"{len(vectors)} vectors for {s.cols - self.rank}")
        if not vectors or s.rank is not None:  # of a large matrix A N is judged
            basis = None
        else:
            basis = exact.null_space(a, s.cols)
        least = Fraction(1, 10**told["digits"])
        rounding = Fraction(s.cols, 10**written)
        for p, v in enumerate(vectors):
            for q in range(p + 1):
                dot = sum(x * y for x, y in zip(v, vectors[q]))
                self.expect(abs(dot - (p == q)) <= least + 4 * rounding, f"vectors {q}, {p}: product {float(dot)}")
            if basis is None:
                off = exact.square_norm(exact.times(a, v)) / sum(map(exact.square_norm, a))
            else:
                off = exact.square_norm([x - y for x, y in zip(v, exact.part_in(basis, v))])
            bound = max(least if basis is None else Fraction(told["error"]), Fraction(0)) + rounding
            self.expect(off <= bound * bound, f"a vector is {float(off)**0.5} outside, error {told['error']}")

    def judge_info(self):
        s, r = self.system, self.random
        arguments = ["info", self.a_file, *s.options, "--rank"]
        wants_determinant = s.rank is None and r.random() < 0.5 and s.rows == s.cols
        digits = r.choice([5, 20, 50])
        code, document, said = self.run(*arguments, *(["--determinant", digits] if wants_determinant else []))
        if document is None:
            return
        a = s.matrix_alone(value_of(document["matrix"]))
        rows, cols = len(a), len(a[0])
        rank = exact.rank(a) if s.rank is None else s.rank
        told = document["rank"]["rank"]
        self.expect(code == DONE, f"info: exit code {code}")
        if told is None:
            self.counts["info: rank unknown"] += 1
        else:
            self.expect(told == rank, f"info: rank {told}, true {rank}")
            self.expect(document["rank"]["nullity"] == cols - rank, "info: nullity")
        note = document["analysis"]["condition_note"] or ""
        self.expect(rank < cols or rows != cols or "singular" not in note, f"info: nonsingular, but {note}")
        if not wants_determinant:
            return
        factors = document["factors"]
        self.judge_determinant(factors, a, digits)
        eigenvalues = factors["eigenvalues"]
        if s.symmetric and eigenvalues is not None:
            found = tuple(eigenvalues[k] for k in ("positive", "negative", "zero"))
            if None in found:
                self.counts["info: inertia unknown"] += 1
            else:
                self.expect(found == exact.inertia(a), f"inertia {found}, true {exact.inertia(a)}")

    def judge_determinant(self, factors, a, _):
        truth = exact.determinant(a)
        if factors["determinant"] is None:
            self.counts["info: determinant unknown"] += 1
            return
        value, error = Fraction(factors["determinant"]), Fraction(factors["relative_error"])
        self.expect(abs(value - truth) <= error * abs(truth) * Fraction(100001, 100000),
                    f"determinant {factors['determinant']}, true {float(truth)}, error {factors['relative_error']}")

    def judge_weighted(self):
        """Weights and damping."""
        s, r = self.system, self.random
        rows = s.rows // s.parts
        weights = [r.choice(["0", "1", "2", "0.1", "1e-6", "3.5"]) for _ in range(rows)]
        damp = r.choice(["0", "0.5", "0.001", "1e-10"])
        digits = r.choice([16, 30])
        (self.folder / "w.mtx").write_text("%%MatrixMarket matrix array real general\n" + f"{rows} 1\n" +
                                           "".join(w + "\n" for w in weights))
        x_file, b_file = self.folder / "weighted_x.mtx", self.folder / "weighted_b.mtx"
        x_file.unlink(missing_ok=True)
        b = [str(r.randint(-9, 9) or 1) for _ in range(s.rows)]
        field = "complex" if s.parts == 2 else "real"
        b_file.write_text(f"%%MatrixMarket matrix array {field} general\n{rows} 1\n" +
                          "".join(" ".join(b[k:k + s.parts]) + "\n" for k in range(0, s.rows, s.parts)))
        code, document, said = self.run("solve", self.a_file, *s.options, "-b", b_file, "-d", digits,
                                        "--weights", self.folder / "w.mtx", "--damp", damp, "-o", x_file,
                                        "-m", r.choice(["auto", "auto", "lsqr"]))
        if document is None:
            return
        a = self.read(document)
        w, t = [Fraction(x) for x in weights for _ in range(s.parts)], Fraction(damp)
        weighted = [[x * y for x in row] for row, y in zip(a, w)]
        normal = exact.product(exact.transposed(a), weighted)
        for j in range(s.cols):
            normal[j][j] += t * t
        side = exact.times(exact.transposed(weighted), [Fraction(x) for x in b])
        truth = exact.Pseudoinverse(normal, s.cols).times(side)
        self.counts[f"weighted: {document['status']}"] += 1
        if document["status"] != "converged":
            self.counts["missed: weighted " + document["message"][:150]] += 1
        if document["rank"] is not None:
            kept = [row for row, y in zip(a, w) if y]
            true_rank = exact.rank(kept) if kept else 0
            self.expect(document["rank"] == true_rank, f"weighted: rank {document['rank']}, true {true_rank}")
        if not x_file.exists():
            self.expect(document["status"] != "converged", "weighted: converged without x")
            return
        ((x, _),) = numbers_in(x_file)
        error, size = exact.largest([p - q for p, q in zip(x, truth)]), exact.largest(truth)
        claimed = document["forward_error"]["digits"]
        self.expect(error <= size * Fraction(1, 10**claimed) or not claimed,
                    f"weighted: {claimed} digits claimed, error {float(error / size) if size else float(error)}")


def main(judge_of=Judge, what=__doc__):
    parser = argparse.ArgumentParser(description=what.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files of systems with faults")
    parser.add_argument("--seconds", type=float, default=120.0, help="what a run may take")
    arguments = parser.parse_args()
    counts, wrong = collections.Counter(), 0
    for number in range(arguments.first, arguments.first + arguments.count):
        with tempfile.TemporaryDirectory() as folder:
            if arguments.keep:
                folder = arguments.keep / str(number)
                folder.mkdir(parents=True, exist_ok=True)
            start = time.monotonic()
            judge = judge_of(number, pathlib.Path(folder), os.environ["RESIDUA_PROGRAM"], arguments.seconds)
            judge.judge()
            counts += judge.counts
            seconds = time.monotonic() - start
            if judge.faults:
                wrong += 1
                print(f"number {number}, {judge.kind}: " + "\n    ".join(judge.faults + judge.commands), flush=True)
            elif seconds > 20.0:
                print(f"number {number}, {judge.kind}: {seconds:.0f} s\n    " + "\n    ".join(judge.commands),
                      flush=True)
            for key in judge.counts:
                if key.startswith("missed"):
                    print(f"number {number} {key}\n    {judge.commands[0]}", flush=True)
    for key, count in sorted(counts.items()):
        print(f"{count:6} {key}")
    print(f"{arguments.count} systems, {wrong} with faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
