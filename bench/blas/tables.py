#!/usr/bin/env python3
"""Prints the tables of docs/performance.md from a JSON file of host_bench."""
import json
import sys

# Flops on binary64 words, counted in arith/expansion (levels.hpp, renormalize.hpp): levels of a
# product, with a number of the format and with a binary64; adding levels to an accumulator;
# a pass of vec_sum, once in `period` products; rounding an accumulator to the format.
PRODUCT = {2: 4, 4: 72, 8: 379 + 99}
PRODUCT_BINARY64 = {2: 3, 4: 27, 8: 147}
ADD = {2: 8, 4: 40, 8: 176}
TIDY = {2: 6, 4: 18, 8: 42}
PERIOD = {2: 4, 4: 4, 8: 1}
RESULT = {2: 6, 4: 54, 8: 252}
TARGET = {
    "dot": {2: 1, 4: 3, 8: 2.5}, "axpy": {2: 1, 4: 3, 8: 2.5}, "gemv": {2: 1, 4: 3, 8: 2.5},
    "gemv, binary64 matrix": {2: 2, 4: 3, 8: 2}, "spmv, binary64 matrix": {2: 2, 4: 3, 8: 2},
    "cg iteration": {2: 1.2, 4: 3, 8: 2},
}


def work(operation, n_terms, n):
    """Flops, and bytes that must be read or written."""
    term = 8 * n_terms
    own = PRODUCT[n_terms] + ADD[n_terms] + TIDY[n_terms] / PERIOD[n_terms]
    narrow = PRODUCT_BINARY64[n_terms] + ADD[n_terms] + TIDY[n_terms] / PERIOD[n_terms]
    axpy = PRODUCT[n_terms] + ADD[n_terms] + RESULT[n_terms]
    entries = 5 * n - 4 * 256
    spmv = (entries * narrow + n * RESULT[n_terms], 12 * entries + 2 * n * term)
    return {
        "dot": (n * own, 2 * n * term),
        "axpy": (n * axpy, 3 * n * term),
        "gemv": (n * n * own, n * n * term),
        "gemv, binary64 matrix": (n * n * narrow, n * n * 8),
        "spmv, binary64 matrix": spmv,
        "cg iteration": (spmv[0] + n * (2 * own + 3 * axpy), spmv[1] + n * term * (2 + 1 + 9)),
    }[operation]


def best(times, library):
    return min((times[k] for k in times if k.startswith(library)), default=None)


def text(time):
    return f"{time:.3g}" if time else "-"


def print_ceilings(report):
    one = report["ceilings"]["1_threads"]
    two = report["ceilings"]["2_threads"]
    print("| ceiling | 1 thread | 2 threads |\n|---|---|---|")
    for key in one:
        name = key.replace("_per_second", "").replace("_", " ")
        print(f"| {name} | {one[key] / 1e9:.1f} G/s | {two[key] / 1e9:.1f} G/s |")


def measured(row):
    """Milliseconds of all libraries, and of the fastest of ours with one thread and with two."""
    times = {k: v["milliseconds"] for k, v in row["libraries"].items()}
    ours = min((k for k in times if k.startswith("residua")), key=times.get)
    return times, times[ours], row["libraries"][ours]["milliseconds_with_2_threads"]


def print_expansions(rows):
    print("\n| operation | n | bits | residua, ms | 2 threads | QD | FLINT | MPFR loops | Eigen over MPFR"
          " | ratio to best peer | wanted | Gflop/s | GB/s |\n|" + "---|" * 13)
    for row in rows:
        n_terms = row["bits"] // 53
        flops, size = work(row["operation"], n_terms, row["n"])
        times, ours, both = measured(row)
        cells = [row["operation"], row["n"], row["bits"], text(ours), text(both), text(best(times, "QD")),
                 text(times["FLINT arb"]), text(times["MPFR loops"]), text(times["Eigen over MPFR"]),
                 f"{row['ratio_to_best_peer']:.2f}", TARGET[row["operation"]][n_terms], f"{flops / ours / 1e6:.3g}",
                 f"{size / ours / 1e6:.3g}"]
        print("| " + " | ".join(map(str, cells)) + " |")


def print_multidigits(rows):
    print("\n| operation | n | bits | residua, ms | 2 threads | FLINT | MPFR loops | Eigen over MPFR"
          " | FLINT / residua | Eigen / residua |\n|" + "---|" * 10)
    for row in rows:
        times, ours, both = measured(row)
        flint, eigen = best(times, "FLINT"), best(times, "Eigen")
        cells = [row["operation"], row["n"], row["bits"], text(ours), text(both), text(flint),
                 text(best(times, "MPFR")), text(eigen), f"{flint / ours:.2f}", f"{eigen / ours:.2f}"]
        print("| " + " | ".join(map(str, cells)) + " |")


def main():
    report = json.load(open(sys.argv[1]))
    print_ceilings(report)
    rows = {"expansion": [], "multi-digit": [], "exact": []}
    for row in report["rows"]:
        rows[row.get("format", "expansion")].append(row)
    if rows["expansion"]:
        print_expansions(rows["expansion"])
    for form in ["multi-digit", "exact"]:
        if rows[form]:
            print_multidigits(rows[form])


main()
