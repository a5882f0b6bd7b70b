#!/usr/bin/env python3
"""Times `residua solve` in each number format, and tells how far the one that auto takes is from the fastest.

Matrices: every real one of RESIDUA_MATRIX_DIR/public with a reference, solved to 2^(-0.9 bits); and with --poisson N
5-point Poisson N x N by cg, of which an iteration is timed. Prints a markdown table in milliseconds, without reading and
setup, with the estimate of the error: the least of all repeats, as other work on the machine only adds to a time; "-" where
a format does not have the bits, or does not converge in time.

    formats.py [PROGRAM] [options]
"""
import argparse
import csv
import datetime
import json
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

FORMATS = ["auto", "expansion", "multidigit", "rns"]
HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", nargs="?", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--matrices", nargs="*", metavar="NAME", help="of the public ones; none without a name [all]")
    parser.add_argument("--method", default="auto", help="on the public matrices [auto]")
    parser.add_argument("--poisson", type=int, nargs="*", default=[], metavar="N", help="points along each side")
    parser.add_argument("--precond", choices=["none", "jacobi", "lu"], help="[auto; none with cg on Poisson]")
    parser.add_argument("--max-iterations", type=int, default=50, help="of cg on Poisson [50]")
    parser.add_argument("--precisions", type=int, nargs="+", default=[212, 424, 848, 1696], metavar="BITS")
    parser.add_argument("--formats", nargs="+", choices=["native", *FORMATS], default=FORMATS, metavar="FORMAT")
    parser.add_argument("--executor", choices=["host", "cuda"], default="host")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="on the host [all cores]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--time-limit", type=float, default=60, metavar="SECONDS", help="of a run [60]")
    parser.add_argument("--output", metavar="FILE", help="where every run is written as JSON")
    return parser.parse_args()


def public_matrices(names):
    """(name, file, options of solve) of the real ones that have a reference."""
    folder = pathlib.Path(os.environ.get("RESIDUA_MATRIX_DIR", "/nonexistent")) / "public"
    for path in sorted(folder.glob("*.mtx*")):
        name = path.name.partition(".mtx")[0]
        b = folder / "ref" / f"{name}_b.mtx"
        if b.exists() and "complex" not in b.open(encoding="utf-8").readline() and (names is None or name in names):
            yield name, path, ["-b", b]


def iteration_seconds(history):
    """Of one iteration in the mean, the first left out; None if there are fewer than two."""
    with open(history, encoding="utf-8") as file:
        times = [float(row["seconds"]) for row in csv.DictReader(file) if not row["true_relative_residual"]]
    return (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None


def run(args, case, bits, number_format):
    """One solve: what its report tells, and its time in ms, None where there is none to compare."""
    name, path, options = case
    told = {"matrix": name, "bits": bits, "asked": number_format, "ms": None}
    with tempfile.TemporaryDirectory() as scratch:
        report, history = (pathlib.Path(scratch) / file for file in ["report.json", "history.csv"])
        command = [args.program, "solve", path, *options, "-p", bits, "-f", number_format, "-e", args.executor,
                   "--rtol", f"1e-{math.ceil(0.9 * bits * math.log10(2))}", "--time-limit", args.time_limit,
                   "--threads", args.threads, "--report", report, "--history", history, "-q"]
        try:
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                                  timeout=3 * args.time_limit + 60)
        except subprocess.TimeoutExpired:
            return told | {"status": "time_limit"}
        if not report.exists():
            return told | {"status": "refused", "message": done.stderr.strip()}
        result = json.loads(report.read_text(encoding="utf-8"))
        keys = ["method", "preconditioner", "format", "precision_bits", "status", "iterations", "device", "threads"]
        told |= {key: result[key] for key in keys} | {"solve_ms": 1e3 * result["seconds"]["solve"]}
        if name.startswith("poisson"):
            seconds = iteration_seconds(history) if result["status"] in ("converged", "not_converged") else None
            told["ms"] = seconds and 1e3 * seconds
        elif result["status"] == "converged":
            told["ms"] = told["solve_ms"]
        return told


def measure(args, case, bits):
    """The runs of a row, the formats in turn, another one first each time: none always comes behind the longest."""
    runs, formats = [], list(args.formats)
    for _ in range(args.repeats):
        for number_format in list(formats):
            runs.append(run(args, case, bits, number_format))
            if runs[-1]["ms"] is None:
                formats.remove(number_format)
        formats = formats[1:] + formats[:1]
    return runs


def row(name, bits, formats, runs):
    times = {f: [r["ms"] for r in runs if r["asked"] == f] for f in formats}
    least = {f: min(t) for f, t in times.items() if None not in t}
    used = next((f"{r['method']}, {r['preconditioner']}" for r in runs if r["ms"] is not None), "-")
    ratio = "-"
    if "auto" in least:  # the runs of auto and of the format it takes are the same but for the estimate
        taken = next(r["format"] for r in runs if r["asked"] == "auto")
        ratio = f"{min(least['auto'], least.get(taken, math.inf)) / min(least.values()):.2f}"
    cells = [f"{least[f]:.3g}" if f in least else "-" for f in formats]
    return "| " + " | ".join([name, str(bits), used, *cells, ratio]) + " |"


def cells(runs):
    """What all repeats of a format on a matrix told, once, and their times."""
    found = {}
    for r in runs:
        times = {"ms": r.pop("ms"), "solve_ms": r.pop("solve_ms", None)}
        cell = found.setdefault((r["matrix"], r["bits"], r["asked"]), r | {"ms": [], "solve_ms": []})
        for key, value in times.items():
            cell[key].append(value if value is None else round(value, 4))
    return list(found.values())


def main():
    args = parse_arguments()
    runs = []
    with tempfile.TemporaryDirectory() as scratch:
        precond = ["-P", args.precond] if args.precond else []
        cases = [(name, path, [*rhs, "-m", args.method, *precond]) for name, path, rhs in public_matrices(args.matrices)]
        for n in args.poisson:
            path = pathlib.Path(scratch) / f"{n}.mtx"
            subprocess.run([args.program, "generate", "poisson2d", "--n", str(n), "-o", path], check=True)
            cases.append((f"poisson {n} x {n}, an iteration", path,
                          ["-b", "ones", "-m", "cg", "-P", args.precond or "none", "-n", args.max_iterations]))
        if not cases:
            sys.exit("no matrix: set RESIDUA_MATRIX_DIR or give --poisson N")
        print("| matrix | bits | method | " + ", ms | ".join(args.formats) + ", ms | auto / fastest |")
        print("|---" * (4 + len(args.formats)) + "|")
        for case in cases:
            for bits in args.precisions:
                runs += measure(args, case, bits)
                these = [r for r in runs if (r["matrix"], r["bits"]) == (case[0], bits)]
                print(row(case[0], bits, args.formats, these), flush=True)
    if args.output:
        commit = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=HERE, text=True,
                                capture_output=True, check=False).stdout.strip()
        options = {key: value for key, value in vars(args).items() if key not in ("program", "output")}
        head = {"date": datetime.date.today().isoformat(), "commit": commit, "machine": platform.platform(),
                "cores": os.cpu_count(), "options": options}
        lines = ",\n".join(json.dumps(cell) for cell in cells(runs))
        text = f'{json.dumps(head)[:-1]}, "cells": [\n{lines}\n]}}\n'
        pathlib.Path(args.output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
