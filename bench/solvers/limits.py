#!/usr/bin/env python3
"""How large a system may be: seconds and peak memory of whole `residua solve -d DIGITS` commands, by size and by digits.

Kinds: dense matrices of random doubles, dense ones with the condition number 1e20, and Poisson's equation on square and cubic grids.
Each command has one thread, and its seconds are those of the processor, which other work on the machine hardly changes. A kind ends at
the size after one that took more than --seconds. Writes the rows as JSON and, by gnuplot, a picture; prints them as a Markdown table.

    limits.py [PROGRAM] [--output JSON] [--plot SVG] [--from JSON] [--commit NAME] [--seconds S] [--smallest]
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import tempfile
import time

KINDS = {  # name: what `generate` makes, or None for random doubles; how many unknowns a size n has; sizes
    "dense": (None, 1, [100, 300, 1000, 2000]),
    "dense, condition 1e20": (["randsvd", "--cond", "1e20"], 1, [100, 300, 1000]),
    "grid, 2-D": (["poisson2d"], 2, [32, 100, 316, 1000]),
    "grid, 3-D": (["poisson3d"], 3, [10, 22, 46, 68, 100]),
}
DIGITS = [16, 30, 100]


def random_doubles(path, n):
    draw = random.Random(1).uniform
    with open(path, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix array real general\n{n} {n}\n")
        for _ in range(n):
            file.write("".join(f"{draw(-1, 1)!r}\n" for _ in range(n)))


def measure(command):
    """Exit code, seconds of the processor, seconds by the clock, and the most bytes in memory."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * 1024


def solve(program, matrix, digits, folder):
    report = folder / "report.json"
    command = [program, "solve", matrix, "-d", digits, "-t", 1, "-q", "-o", folder / "x.mtx", "--report", report]
    code, processor, wall, peak = measure([str(word) for word in command])
    if code != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\nended with {code}")
    told = json.loads(report.read_text())
    return {"digits": digits, "claimed": told["forward_error"]["digits"], "method": told["method"],
            "preconditioner": told["preconditioner"], "factor_bits": told["factor_bits"],
            "precision_bits": told["precision_bits"], "processor_seconds": round(processor, 3),
            "seconds": round(wall, 3), "peak_bytes": peak, "status": told["status"]}


def rows_of(args, folder):
    for kind, (generated, power, sizes) in KINDS.items():
        for n in sizes[:1] if args.smallest else sizes:
            path = folder / "a.mtx"
            if generated is None:
                random_doubles(path, n)
            else:
                subprocess.run([args.program, "generate", *generated, "--n", str(n), "-o", path], check=True)
            slowest = 0.0
            for digits in DIGITS:
                row = {"kind": kind, "unknowns": n**power} | solve(args.program, path, digits, folder)
                slowest = max(slowest, row["processor_seconds"])
                print(table_row(row), flush=True)
                yield row
            if slowest > args.seconds:
                break


def table_row(row):
    factors = f", factors in {row['factor_bits']} bits" if row["factor_bits"] else ""
    way = f"`{row['method']}` `{row['preconditioner']}`{factors}"
    return (f"| {row['kind']} | {row['unknowns']} | {row['digits']} | {row['processor_seconds']:.2f} "
            f"| {row['peak_bytes'] / 2**20:.0f} | {way} |")


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return found[1] if found else platform.machine()


def picture(rows, title, path):
    """Two panels, seconds and memory against unknowns; a colour for each kind, a dash for each number of digits."""
    blocks, curves = [], []
    for k, kind in enumerate(KINDS):
        for d, digits in enumerate(DIGITS):
            points = [row for row in rows if row["kind"] == kind and row["digits"] == digits]
            name = f"$curve{len(blocks)}"
            lines = [f"{row['unknowns']} {row['processor_seconds']} {row['peak_bytes'] / 2**30}" for row in points]
            blocks.append("\n".join([f"{name} << EOD", *lines, "EOD"]))
            look = f"with linespoints lc {k + 1} dt {d + 1} lw 1.5 pt 7 ps 0.4"
            curves.append((name, look, "" if d else kind))

    def panel(column, what, left, right, titles):
        plots = [f"{name} using 1:{column} {look} title '{text if titles else ''}'" for name, look, text in curves]
        return [f"set lmargin screen {left}", f"set rmargin screen {right}", f"set ylabel '{what}'",
                "plot " + ", \\\n    ".join(plots)]

    dashes = ", ".join(f"{line}: {digits}" for line, digits in zip(["solid", "dashed", "dotted"], DIGITS))
    script = "\n".join([*blocks, "set terminal svg size 900,470 font 'sans,12' background 'white'", f"set output '{path}'",
                        f"set multiplot title '{title}'", "set logscale xy", "set format '10^{%L}'",
                        "set grid lc rgb '#cccccc'", "set xlabel 'unknowns'",
                        "set tmargin screen 0.90", "set bmargin screen 0.30",
                        *panel(2, "seconds of one processor", 0.09, 0.48, False),
                        "set key at screen 0.97,0.14 horizontal maxrows 1 samplen 2 width 2",
                        f"set label 'correct digits, {dashes}' at screen 0.5,0.06 center",
                        *panel(3, "peak memory, GiB", 0.59, 0.98, True), "unset multiplot"])
    subprocess.run(["gnuplot"], input=script + "\n", text=True, check=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", nargs="?", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--output", metavar="JSON", help="where the rows are written")
    parser.add_argument("--plot", metavar="SVG", help="where the picture is written, by gnuplot")
    parser.add_argument("--from", dest="source", metavar="JSON", help="rows that are there: nothing is measured")
    parser.add_argument("--commit", help="of the program that is measured")
    parser.add_argument("--seconds", type=float, default=5.0, help="a kind ends after a size that takes longer [5]")
    parser.add_argument("--smallest", action="store_true", help="the smallest size of each kind alone, for a test")
    return parser.parse_args()


def main():
    args = arguments()
    if args.source:
        found = json.loads(pathlib.Path(args.source).read_text())
    else:
        print("| kind | unknowns | digits | seconds | MiB | taken |\n| --- | --- | --- | --- | --- | --- |")
        with tempfile.TemporaryDirectory() as folder:
            rows = list(rows_of(args, pathlib.Path(folder)))
        found = {"date": datetime.date.today().isoformat(), "machine": processor(), "commit": args.commit,
                 "threads": 1, "openblas_coretype": os.environ.get("OPENBLAS_CORETYPE"), "rows": rows}
    if args.output:
        pathlib.Path(args.output).write_text(json.dumps(found, indent=1) + "\n")
    if args.plot:
        title = f"residua solve -d DIGITS, one thread of {found['machine']}, {found['date']}, {found['commit']}"
        picture(found["rows"], title, args.plot)


if __name__ == "__main__":
    sys.exit(main())
