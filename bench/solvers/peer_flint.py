#!/usr/bin/env python3
"""Dense random doubles solved by FLINT, with proved bounds and exactly, and by residua: seconds of the processor.

FLINT is that of python-flint. `arb_mat.solve` is at 212 bits; the exact x is that of `fmpq_mat.solve` by Dixon's lifting, left out beyond
300 unknowns. b is all ones for these. residua is the whole command `residua solve -d 30 -t 1`, reading included, with b of row sums.

    peer_flint.py [PROGRAM] [--sizes N ...]
"""
import argparse
import os
import pathlib
import random
import tempfile
import time

import flint
import limits


def processor_seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def entries(n):
    draw = random.Random(1).uniform  # those of limits.random_doubles
    by_columns = [[draw(-1, 1) for _ in range(n)] for _ in range(n)]
    return [[by_columns[j][i] for j in range(n)] for i in range(n)]


def exact(rows):
    return flint.fmpq_mat([[flint.fmpq(*value.as_integer_ratio()) for value in row] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", nargs="?", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 300, 500])
    args = parser.parse_args()
    flint.ctx.prec = 212
    print("| n | residua, 30 digits | arb_mat, 212 bits, proved | fmpq_mat, exact |\n| --- | --- | --- | --- |")
    for n in args.sizes:
        rows = entries(n)
        balls, ones = flint.arb_mat(rows), [[1]] * n
        proved = processor_seconds(lambda: balls.solve(flint.arb_mat(ones)))
        fractions = exact(rows) if n <= 300 else None
        exactly = processor_seconds(lambda: fractions.solve(flint.fmpq_mat(ones), algorithm="dixon")) if fractions else None
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.mtx"
            limits.random_doubles(path, n)
            here = limits.solve(args.program, path, 30, pathlib.Path(folder))["processor_seconds"]
        print(f"| {n} | {here:.2f} | {proved:.2f} | {'' if exactly is None else format(exactly, '.2f')} |", flush=True)


if __name__ == "__main__":
    main()
