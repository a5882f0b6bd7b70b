#!/usr/bin/env python3
"""The public matrices against their references: a table of correct digits, and a verdict.

Every square matrix of RESIDUA_MATRIX_DIR/public with a reference is solved at 212 bits, by
--method auto and where it is positive definite also by cg, in both readings of its decimals. The
digits are -log10(max|x - ref| / max|ref|), exactly. Wanted: exit code 0, and at least 30 digits
where the condition number is below 1e25.

    public_table.py [--program residua] [--matrices DIR] [NAME ...]
"""
import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

WANTED_DIGITS = 30
WANTED_BELOW_CONDITION = 1e25
SKIPPED = 77  # what CTest takes for "skipped"


def read_vector(path):
    """The numbers of an n x 1 array file, exactly; of complex numbers the parts."""
    lines = [s for s in pathlib.Path(path).read_text().splitlines() if s.strip() and not s.startswith("%")]
    assert lines[0].split()[1] == "1", path
    return [Fraction(part) for s in lines[1:] for part in s.split()]


def agreement(x, reference):
    """Digits to which x agrees with the reference in the infinity norm."""
    difference = max(abs(a - b) for a, b in zip(x, reference, strict=True))
    if difference == 0:
        return math.inf
    ratio = difference / max(map(abs, reference))
    # the logarithm of a fraction that may be far outside binary64's range
    log2 = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    scaled = ratio / Fraction(2) ** log2
    return -(math.log10(float(scaled)) + log2 * math.log10(2))


def described(readme):
    """Condition number and definiteness of each matrix, real or hermitian, from the table in the collection's README."""
    facts = {}
    for line in readme.read_text().splitlines():
        cells = [c.strip() for c in line.split("|")]
        if len(cells) > 8 and re.fullmatch(r"[0-9.]+(e[+-]?\d+)?", cells[6]):
            facts[cells[1]] = (float(cells[6]), cells[5] in ("SPD", "HPD"))
    return facts


def solve(program, matrix, rhs, reading, options, output):
    command = [program, "solve", matrix, "-b", rhs, "-p", "qd", "--entries", reading, "-o", output, *options]
    started = time.monotonic()
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=1200)
    method = re.search(r"^method\s+(\S+), preconditioner (\S+)$", result.stdout, re.M)
    return result, "/".join(method.groups()) if method else "-", time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--matrices", default=os.environ.get("RESIDUA_MATRIX_DIR", ""))
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    folder = pathlib.Path(args.matrices or "/nonexistent")
    if not (folder / "public").is_dir():
        print("skipped: RESIDUA_MATRIX_DIR does not name the public matrices")
        return SKIPPED

    failures, solved = [], 0
    print(f"{'matrix':12} {'cond2':>9}  {'reading':8} {'options':24} {'used':16} {'exit':>4} {'digits':>7} {'seconds':>8}")
    for name, (condition, definite) in described(folder / "README.md").items():
        matrix = folder / "public" / f"{name}.mtx"
        if args.names and name not in args.names:
            continue
        runs = [[]] + ([["-m", "cg"]] if definite else [])
        for reading, suffix in [("binary64", "x_f64"), ("decimal", "x")]:
            reference = read_vector(folder / "public" / "ref" / f"{name}_{suffix}.mtx")
            for options in runs:
                with tempfile.TemporaryDirectory() as scratch:
                    output = pathlib.Path(scratch) / "x.mtx"
                    rhs = folder / "public" / "ref" / f"{name}_b.mtx"
                    result, used, seconds = solve(args.program, matrix, rhs, reading, options, output)
                    digits = agreement(read_vector(output), reference) if output.exists() else -math.inf
                solved += 1
                wanted = WANTED_DIGITS if condition < WANTED_BELOW_CONDITION else -math.inf
                good = result.returncode == 0 and digits >= wanted
                print(f"{name:12} {condition:9.2e}  {reading:8} {' '.join(options) or '-m auto':24} {used:16} "
                      f"{result.returncode:4} {digits:7.1f} {seconds:8.2f}{'' if good else '  FAILED'}", flush=True)
                if not good:
                    failures.append(f"{name} {reading} {' '.join(options)}: {result.stderr.strip()}"
                                    + result.stdout.partition("\n\n")[0].replace("\n", " "))
    print(f"\n{solved} systems, {len(failures)} failed")
    print("\n".join(failures))
    return 1 if failures or not solved else 0


if __name__ == "__main__":
    sys.exit(main())
