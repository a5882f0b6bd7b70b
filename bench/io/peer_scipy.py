#!/usr/bin/env python3
"""peer_scipy.py FOLDER [REPEATS]: median seconds in which scipy's fast_matrix_market reads the files that
matrix_market_bench left in FOLDER, by one thread, two, four ..., as JSON. SciPy 1.12 or later."""
import json
import os
import pathlib
import statistics
import sys
import time

import scipy.io


def seconds(path, threads, repeats):
    scipy.io._fast_matrix_market.PARALLELISM = threads
    times = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        scipy.io.mmread(path)
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def main():
    folder = pathlib.Path(sys.argv[1])
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    runs = []
    for path in sorted(folder.glob("*.mtx")):
        threads = 1
        while threads <= len(os.sched_getaffinity(0)):
            runs.append({"file": path.stem, "threads": threads, "seconds": seconds(path, threads, repeats)})
            threads *= 2
    print(json.dumps({"benchmark": "scipy.io.mmread", "scipy": scipy.__version__, "runs": runs}, indent=2))


if __name__ == "__main__":
    main()
