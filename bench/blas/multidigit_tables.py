#!/usr/bin/env python3
"""multidigit_tables.py RESULT  the tables of docs/performance.md from what multidigit_bench wrote"""
import json
import sys

BITS = [106, 212, 424, 848, 1696]
TIMES = [("axpy, 10^6", "axpy", 10**6, [None, 0.024, 0.055, 0.11, 0.40]),
         ("dot, 10^6", "dot", 10**6, [None, 0.018, 0.045, 0.11, 0.38]),
         ("reading what dot reads, 10^6", "reading alone", 10**6, [None] * 5),
         ("axpy, 10^7", "axpy", 10**7, [None] * 5),
         ("dot, 10^7", "dot", 10**7, [None] * 5),
         ("gemv, n = 1000", "gemv", 1000, [None] * 5),
         ("gemv, n = 4096", "gemv", 4096, [None] * 5),
         ("spmv, Poisson 1024 x 1024, binary64 matrix", "spmv, double A", 1024, [None] * 5),
         ("CG iteration, the same matrix", "cg iteration", 1024, [None, 0.25, 0.45, 1.0, None])]
SHARES = [("axpy, 10^7", "axpy", 10**7), ("dot, 10^7", "dot", 10**7), ("spmv", "spmv, double A", 1024)]


def table(rows):
    print("| | " + " | ".join(map(str, BITS)) + " bits |\n" + "|---" * (len(BITS) + 1) + "|")
    for name, cells in rows:
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = {(r["operation"], r["n"], r["bits"]): r for r in json.load(file)["rows"]}

    def time(operation, n, bits, wanted):
        text = f"{found[operation, n, bits]['median_ms']:.3g}"
        return text if wanted is None else f"{text} ({wanted:g})"

    table([(name, [time(operation, n, b, w) for b, w in zip(BITS, wanted)]) for name, operation, n, wanted in TIMES])
    print()
    table([(name, [f"{100 * found[operation, n, b]['share_of_bandwidth']:.0f} %" for b in BITS])
           for name, operation, n in SHARES])


if __name__ == "__main__":
    main()
