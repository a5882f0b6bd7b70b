#!/usr/bin/env python3
"""tables.py JSON ...  the tables of docs/performance.md from what host_bench wrote, the least times in milliseconds"""
import json
import sys

PEERS = {"nfloat": "nfloat", "QD": "QD", "FLINT arb": "FLINT 2.9", "MPFR": "MPFR loops"}


def best(times, library):
    return min((times[k] for k in times if k.startswith(library)), default=None)


def text(time):
    return "-" if time is None else f"{time:.3g}" if time < 1000 else f"{time:.0f}"


def print_ceilings(report):
    one = report["ceilings"]["1_threads"]
    two = report["ceilings"]["2_threads"]
    print("| ceiling | 1 thread | 2 threads |\n|---|---|---|")
    for key in one:
        name = key.replace("_per_second", "").replace("_", " ")
        print(f"| {name} | {one[key] / 1e9:.1f} G/s | {two[key] / 1e9:.1f} G/s |")


def print_rows(rows):
    print("\n| operation | n | bits | residua | " + " | ".join(PEERS.values()) + " | ratio to best peer |")
    print("|" + "---|" * (5 + len(PEERS)))
    for row in rows:
        times = {k: v["least_milliseconds"] for k, v in row["libraries"].items()}
        ours = best(times, "residua")
        peers = [best(times, library) for library in PEERS]
        fastest = min(time for time in peers if time is not None)
        cells = [row["operation"], str(row["n"]), str(row["bits"]), text(ours), *map(text, peers),
                 f"{fastest / ours:.2f}"]
        print("| " + " | ".join(cells) + " |")


def main():
    rows = {}
    for path in sys.argv[1:]:
        report = json.load(open(path))
        print_ceilings(report)
        for row in report["rows"]:
            rows.setdefault(row["format"], []).append(row)
    for form, measured in rows.items():
        print(f"\n{form}")
        print_rows(measured)


main()
