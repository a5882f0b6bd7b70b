#!/usr/bin/env python3
"""Times an iteration of every Krylov method, and tells at which rate it moves what its operations must move.

5-point Poisson N x N, no preconditioner, a format and a precision. Bytes are those of the operations that the headers of the
methods count: a product reads the matrix and a vector and writes one, a dot product reads two vectors, a norm one, an
axpy-like operation reads two and writes one. Prints a markdown table; the last column is the rate next to that of
`residua bench axpy` with vectors of the same length, in the same format, on the same device.

    krylov.py [PROGRAM] [options]
"""
import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

# of an iteration: products, dot products, norms, axpy-like operations
COUNTS = {
    "cg": (1, 2, 0, 3),  # without a preconditioner
    "minres": (1, 2, 1, 10),
    "bicgstab": (2, 5, 0, 6),
    "bicgstabl": (4, 12, 0, 16),  # l = 2
    "idr": (1, 31 / 5, 0, 50 / 5),  # s = 4, s + 1 iterations together
    "tfqmr": (1, 2, 1, 7),
    "bicg": (2, 3, 0, 5),
    "lsqr": (2, 2, 1, 8),
    "gmres": None,
}


def counts_of(method, iterations):
    """GMRES: of step j, in the mean; each is orthogonalized twice."""
    if method != "gmres":
        return COUNTS[method]
    steps = range(2, iterations + 1)
    return (1, statistics.mean(2 * (j + 2) for j in steps), 0, statistics.mean(2 * (j + 1) for j in steps))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", nargs="?", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--points", type=int, default=1024, metavar="N", help="along each side [1024]")
    parser.add_argument("--precision", type=int, default=212, metavar="BITS")
    parser.add_argument("--format", choices=["expansion", "multidigit"], default="expansion")
    parser.add_argument("--methods", nargs="+", choices=list(COUNTS), default=list(COUNTS), metavar="METHOD")
    parser.add_argument("--executor", choices=["host", "cuda"], default="host")
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--output", metavar="FILE", help="where the rows are written as JSON")
    return parser.parse_args()


def run(*command):
    """What a command writes; not converging is no fault of solve's here."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.strip() or f"{command[0]} {command[1]} ended with {done.returncode}")
    return done.stdout


def main():
    args = parse_arguments()
    n = args.points**2
    if args.iterations < 3:
        raise SystemExit("an iteration is timed by the next ones: --iterations takes 3 and more")
    told = run(args.program, "bench", "axpy", "--sizes", n, "--precisions", args.precision, "--formats", args.format,
               "--executor", args.executor, "--report", "-")
    axpy = json.loads(told[told.index("{"):])["rows"][0]
    vector = axpy["bytes"] / 3
    matrix = 12 * (5 * n - 4 * args.points) + 8 * (n + 1)
    rows = []
    print(f"axpy of {n} numbers of {axpy['precision_bits']} bits: {axpy['bytes_per_second'] / 1e9:.0f} GB/s\n")
    print("| method | ms an iteration | products, dot, norm, axpy-like | MB | GB/s | of axpy |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        path, history = (pathlib.Path(scratch) / name for name in ["poisson.mtx", "history.csv"])
        run(args.program, "generate", "poisson2d", "--n", args.points, "-o", path)
        for method in args.methods:
            run(args.program, "solve", path, "-b", "ones", "-m", method, "-P", "none", "-p", args.precision, "-f",
                       args.format, "-e", args.executor, "-n", args.iterations, "--rtol", "1e-60", "--history", history,
                       *(["--restart", args.iterations] if method == "gmres" else []), "-q")
            with open(history, encoding="utf-8") as file:
                times = [float(r["seconds"]) for r in csv.DictReader(file) if not r["true_relative_residual"]]
            if len(times) < 2:
                raise SystemExit(f"{method}: {len(times)} iterations are too few: more points are needed")
            seconds = (times[-1] - times[0]) / (len(times) - 1)
            products, dots, norms, axpys = counts_of(method, len(times))
            moved = products * (matrix + 2 * vector) + vector * (2 * dots + norms + 3 * axpys)
            rate = moved / seconds
            rows.append({"method": method, "ms": 1e3 * seconds, "bytes": moved, "bytes_per_second": rate,
                         "of_axpy": rate / axpy["bytes_per_second"]})
            print(f"| {method} | {1e3 * seconds:.3g} | {products:g}, {dots:.3g}, {norms:g}, {axpys:.3g} | "
                  f"{moved / 1e6:.0f} | {rate / 1e9:.0f} | {rows[-1]['of_axpy']:.2f} |", flush=True)
    if args.output:
        told = {"points": args.points, "format": args.format, "precision_bits": axpy["precision_bits"],
                "executor": args.executor, "iterations": args.iterations, "axpy": axpy, "rows": rows}
        pathlib.Path(args.output).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
