#!/usr/bin/env python3
"""Times whole commands: from the start of `residua solve` to its end, with the parts that its report names.

Of each command the median of some runs by the wall clock, and of that run the seconds of its report: reading, setup,
the parts of setup and solving that take most, writing, and what the process takes beyond its report (starting, freeing its
memory). Matrices are generated in a temporary folder; those of the public collection come from RESIDUA_MATRIX_DIR.

    end_to_end.py [--program residua] [--matrices DIR] [--grid M] [--runs 3] [--seconds S] [--cuda] [NAME ...] > table

NAMEs choose rows by what their names contain.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

MOST_PARTS = 4
COLUMNS = ["command", "seconds", "reading", "setup", "solving", "writing", "beyond", "largest parts", "ended"]


def coordinate(rows, cols, entries):
    lines = ["%%MatrixMarket matrix coordinate real general", f"{rows} {cols} {len(entries)}"]
    return "\n".join(lines + [f"{i} {j} {value}" for i, j, value in entries]) + "\n"


class Matrices:
    """The matrices by name, each made when it is first asked for."""

    def __init__(self, args, folder):
        self.args, self.folder = args, pathlib.Path(folder)
        self.kinds = {
            "poisson": ["poisson2d", "--n", args.grid],
            "poisson twice": ["poisson2d", "--n", 2 * args.grid],
            "randsvd 1000": ["randsvd", "--n", 1000, "--cond", "1e20"],
            "randsvd 200": ["randsvd", "--n", 200, "--cond", "1e10", "--binary64"],
            "randsvd 500": ["randsvd", "--n", 500, "--cond", "1e10", "--binary64"],
            "chain": ["poisson1d", "--n", 20000],
            "hilbert 20": ["hilbert", "--n", 20],
            "hilbert 2": ["hilbert", "--n", 2],
        }
        self.texts = {
            "nearly empty": coordinate(10**7, 10**7, [(5, 7, 1)]),
            "tall": coordinate(10**8, 1, [(5, 1, 1)]),
        }

    def path(self, name):
        if name == "bcsstk14":
            found = list((pathlib.Path(self.args.matrices or "/nonexistent") / "public").glob("bcsstk14.mtx*"))
            return found[0] if found else None
        path = self.folder / (name.replace(" ", "_") + ".mtx")
        if not path.exists():
            if name in self.texts:
                path.write_text(self.texts[name])
            else:
                command = [self.args.program, "generate", *self.kinds[name], "-o", path]
                subprocess.run(list(map(str, command)), check=True)
        return path


def rows(args):
    """Name, matrix and options of each command."""
    krylov = ["-m", "cg", "-p", "qd", "--rtol", "1e-30"]
    some = [
        (f"Poisson {args.grid}, cg", "poisson", [*krylov, "-P", "none"]),
        (f"Poisson {args.grid}, cg with ic0", "poisson", [*krylov, "-P", "ic0"]),
        (f"Poisson {args.grid}, -d 30", "poisson", ["-d", 30]),
        ("chain of 20000, incomplete factors", "chain", [*krylov, "-P", "ic0"]),
        ("randsvd 1000 at 1e20, -d 16", "randsvd 1000", ["-d", 16]),
        *((f"dense {n}, direct, {bits} bits", f"randsvd {n}", ["-m", "direct", "-p", bits])
          for n in (200, 500) for bits in (106, 212, 424)),
        *((f"bcsstk14, -d {digits}", "bcsstk14", ["-d", digits]) for digits in (30, 100, 300, 1000)),
        ("bcsstk14 as decimals, -d 30", "bcsstk14", ["-d", 30, "--entries", "decimal"]),
        ("20 unknowns", "hilbert 20", ["-d", 16]),
        ("2 unknowns", "hilbert 2", ["-d", 16]),
        ("1e7 x 1e7, one entry", "nearly empty", []),
        ("1e8 x 1, one entry", "tall", []),
    ]
    on_cuda = [(f"Poisson {2 * args.grid}, cg", "poisson twice", [*krylov, "-P", "none"])]
    with_cuda = ("Poisson", "chain", "randsvd", "20 unknowns")
    result = [(name, matrix, ["-e", "host", *options]) for name, matrix, options in some]
    if args.cuda:
        result += [(f"{name}, -e cuda", matrix, ["-e", "cuda", "-v", *options])
                   for name, matrix, options in [*some, *on_cuda] if name.startswith(with_cuda)]
    return [row for row in result if not args.names or any(part in row[0] for part in args.names)]


def run_once(args, matrix, options, scratch):
    """Seconds by the wall clock, the report if there is one, and how it ended."""
    report = scratch / "report.json"
    report.unlink(missing_ok=True)
    quiet = [] if "-v" in options else ["-q"]
    command = [args.program, "solve", matrix, "-o", scratch / "x.mtx", "--report", report, *quiet, *options]
    begin = time.monotonic()
    try:
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                               timeout=args.seconds)
    except subprocess.TimeoutExpired:
        return args.seconds, None, f"not done in {args.seconds:g} s"
    seconds = time.monotonic() - begin
    if not report.exists():
        return seconds, None, ended.stderr.strip().partition("\n")[0]
    told = json.loads(report.read_text())
    return seconds, told["seconds"], told["status"].replace("_", " ")


def line(name, seconds, told, ended):
    if told is None:
        return [name, f"{seconds:.3g}", *[""] * 6, ended]
    told["write"] = told["total"] - told["read"] - told["setup"] - told["solve"]
    parts = sorted((told["parts"] or {}).items(), key=lambda part: -part[1])[:MOST_PARTS]
    return [name, f"{seconds:.3g}", *(f"{told[key]:.3g}" for key in ("read", "setup", "solve", "write")),
            f"{seconds - told['total']:.3g}",
            ", ".join(f"{part.replace('_', ' ')} {value:.3g}" for part, value in parts if value > 0.0), ended]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--matrices", default=os.environ.get("RESIDUA_MATRIX_DIR", ""))
    parser.add_argument("--grid", type=int, default=1024, help="points along each side of Poisson's square [1024]")
    parser.add_argument("--runs", type=int, default=3, help="of which the median is taken [3]")
    parser.add_argument("--seconds", type=float, default=300.0, help="after which a command is ended [300]")
    parser.add_argument("--cuda", action="store_true", help="with the commands that a GPU is for")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        matrices = Matrices(args, folder)
        for name, matrix, options in rows(args):
            path = matrices.path(matrix)
            if path is None:
                print(f"end_to_end.py: {name}: RESIDUA_MATRIX_DIR does not name the public matrices", file=sys.stderr)
                continue
            runs = []
            while len(runs) < args.runs and (not runs or runs[-1][1] is not None):  # what fails does so each time
                runs.append(run_once(args, path, options, pathlib.Path(folder)))
            middle = statistics.median_low([seconds for seconds, _, _ in runs])
            print("| " + " | ".join(line(name, *next(run for run in runs if run[0] == middle))) + " |", flush=True)


if __name__ == "__main__":
    main()
