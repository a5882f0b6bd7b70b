#!/usr/bin/env python3
"""Writes solvers/base/tuning_table.hpp: which format and which engine serve a precision and a size.

    tune.py --from FILE...             from what formats.py, dense_bench --panels and dense_bench --cuda have written
    tune.py --quick [--from FILE...]   measures here first, in some minutes, and adds what it measured to the files
    tune.py --full [--from FILE...]    the same on more matrices and sizes, with more repeats
    tune.py --check                    is the table what the files that it names give?

What is measured is kept as JSON in bench/results; every decision is printed with its reason. The rules are in
docs/tuning.md. The same files give the same table, byte for byte.
"""
import argparse
import datetime
import pathlib
import re
import subprocess
import sys
import time

from tuning_measured import ROOT, Measured, Unusable, name_of
from tuning_rules import Table

TABLE = ROOT / "solvers/base/tuning_table.hpp"


def table_from(files, say=lambda line: None):
    """The text of the table, in whatever order the files are."""
    measured = Measured()
    for _, file in sorted({name_of(file): file for file in files}.items()):
        measured.read(file)
    if not measured.sources:
        raise Unusable("no measurements")
    return Table(measured, say).text(measured.sources)


def named_files(table):
    """The files that a table says it was written from."""
    return [ROOT / file for file in re.findall(r"^//   (\S+\.json)$", table, re.M)]


def measure(args, say):
    """Runs the benchmarks, and returns the files that they wrote."""
    program, dense = args.build / "apps/residua/residua", args.build / "bench/dense_bench"
    for path in [program, dense]:
        if not path.is_file():
            raise Unusable(f"{path} is not there: build the targets residua and dense_bench, or give --build FOLDER")
    formats = [sys.executable, pathlib.Path(__file__).with_name("formats.py"), program]
    repeats = ["--time-limit", "20" if args.quick else "60", "--repeats", "7"]
    few = ["--matrices", "bcsstk02", "fidapm05", "nos5", "orsirr_1", "west0479"]
    runs = []
    if args.cuda:
        sizes = [*repeats[:-1], "1" if args.quick else "3", "--formats", "native", "expansion", "multidigit",
                 "--precisions", "53", "106", "212", "424", "848", "--max-iterations", "30",
                 "--matrices", "--poisson", "16", "32", "64", "128", "256", *([] if args.quick else ["512", "1024"])]
        runs += [("products", [dense, "--cuda"], ["3", "0", "500" if args.quick else "1000"]),
                 ("cuda-formats", [*formats, *sizes, "--executor", "cuda"], ["--output"]),
                 ("host-formats", [*formats, *sizes, "--executor", "host"], ["--output"])]
    runs += [("panels", [dense, "--panels"], ["3" if args.quick else "5"]),
             ("formats", [*formats, *repeats, "--threads", "1", "--formats", "expansion", "multidigit",
                          "--precisions", "106", "159", "212", "318", "424", "636",
                          *(few if args.quick else ["848", "1272", "1696"]),
                          "--max-iterations", "20", "--poisson", "64", "128"], ["--output"])]
    files, start = [], time.monotonic()
    args.results.mkdir(parents=True, exist_ok=True)
    for name, command, rest in runs:
        files.append(args.results / f"{args.name}-{name}.json")
        full = [*command, *rest, files[-1]] if rest == ["--output"] else [*command, files[-1], *rest]
        say(f"[{time.monotonic() - start:.0f} s] {' '.join(map(str, full))}")
        if subprocess.run(list(map(str, full)), check=False).returncode != 0:
            raise Unusable(f"{command[0]} failed")
    say(f"[{time.monotonic() - start:.0f} s] measured")
    return files


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--quick", action="store_true", help="measure here, in some minutes")
    what.add_argument("--full", action="store_true", help="measure here, more of it")
    what.add_argument("--check", action="store_true", help="compare the table with what the files that it names give")
    parser.add_argument("--from", dest="files", nargs="+", type=pathlib.Path, default=[], metavar="FILE",
                        help="JSON of formats.py, dense_bench --panels and dense_bench --cuda")
    parser.add_argument("--cuda", action="store_true", help="measure on the GPU of this machine too")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER",
                        help="where residua and dense_bench were built [build/release]")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results", metavar="FOLDER",
                        help="where what is measured is written [bench/results]")
    parser.add_argument("--name", default=f"{datetime.date.today().isoformat()}-tune", metavar="NAME",
                        help="how the names of these files begin [today's date and -tune]")
    parser.add_argument("--output", type=pathlib.Path, default=TABLE, metavar="FILE",
                        help="where the table is written [solvers/base/tuning_table.hpp]")
    args = parser.parse_args(arguments)
    if not (args.files or args.quick or args.full or args.check):
        parser.error("one of --from, --quick, --full and --check is needed")
    if args.cuda and not (args.quick or args.full):
        parser.error("--cuda goes with --quick or --full")
    return args


def say(line):
    print(line, flush=True)


def main(arguments=None):
    args = parse_arguments(arguments)
    try:
        if args.check:
            table = args.output.read_text(encoding="utf-8")
            if table_from(named_files(table)) != table:
                raise Unusable(f"{args.output} is not what the files that it names give: run tune.py --from them")
            return 0
        files = args.files + (measure(args, say) if args.quick or args.full else [])
        args.output.write_text(table_from(files, say), encoding="utf-8")
        say(f"wrote {args.output}")
    except OSError as e:
        sys.exit(f"tune.py: {e.filename}: {e.strerror}")
    except Unusable as e:
        sys.exit(f"tune.py: {e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
