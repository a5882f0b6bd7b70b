#!/usr/bin/env python3
"""The table of docs/public-matrices.md: every method on every public matrix.

Each square real matrix of RESIDUA_MATRIX_DIR/public, entries as written in decimals, and the right-hand side of its
reference: `auto` with --digits 30, and each Krylov method at one precision, by its own preconditioner. The digits are
those that x shares with the reference, exactly as in tests/cli/public_table.py; a method that ends without converging
has its status instead of an exit code.

    public_matrices.py [--program residua] [--matrices DIR] [--executor WHERE] [--seconds S] [NAME ...] > table
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "cli"))
from public_table import agreement, described, read_vector  # noqa: E402

SYMMETRIC = ["cg", "minres"]
GENERAL = ["gmres", "bicgstab", "bicgstabl", "idr", "tfqmr", "bicg"]
PRECISION = "qd"


def row(args, matrix, right_hand_side, reference, method):
    options = ["--digits", 30] if method == "auto" else ["-p", PRECISION, "-m", method]
    with tempfile.TemporaryDirectory() as scratch:
        x, report = pathlib.Path(scratch) / "x.mtx", pathlib.Path(scratch) / "report.json"
        command = [args.program, "solve", matrix, "-b", right_hand_side, "--entries", "decimal", "-e", args.executor,
                   "-t", 1, "--time-limit", args.seconds, "-o", x, "--report", report, "-q", *options]
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if not report.exists():
            return f"{method} | | | | | | {result.stderr.strip().partition(chr(10))[0]}"
        told = json.loads(report.read_text())
        digits = agreement(read_vector(x), reference) if x.exists() else float("-inf")
    name = f"auto: {told['method']}" if method == "auto" else method
    return (f"{name} | {told['preconditioner']} | {told['precision_bits']} | {told['iterations']} | "
            f"{round(min(digits, 99)) if digits > 0 else 0} | {told['seconds']['total']:.2g} | "
            f"{told['status'].replace('_', ' ')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--matrices", default=os.environ.get("RESIDUA_MATRIX_DIR", ""))
    parser.add_argument("--executor", default="host")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each method [10]")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    folder = pathlib.Path(args.matrices or "/nonexistent") / "public"
    if not folder.is_dir():
        sys.exit("public_matrices.py: RESIDUA_MATRIX_DIR does not name the public matrices")
    print("| matrix | n | condition | method | preconditioner | bits | iterations | digits | seconds | ended |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, (condition, definite, is_complex) in described(folder.parent / "README.md").items():
        if is_complex or (args.names and name not in args.names):
            continue
        matrix = folder / f"{name}.mtx"
        symmetric = "symmetric" in matrix.open().readline().split()[-1:]
        reference = read_vector(folder / "ref" / f"{name}_x.mtx")
        size = next(s for s in matrix.open() if not s.startswith("%") and s.strip()).split()[0]
        for method in ["auto", *(SYMMETRIC if symmetric else []), *GENERAL]:
            line = row(args, matrix, folder / "ref" / f"{name}_b.mtx", reference, method)
            print(f"| {name} | {size} | {condition:.0e}{' +' if definite else ''} | {line} |", flush=True)


if __name__ == "__main__":
    main()
