#!/usr/bin/env python3
"""rns_tables.py JSON  prints the tables of docs/performance.md that rns_bench's JSON holds."""
import json
import sys

PRECISIONS = [107, 215, 432, 851, 1703]
NAMES = {"ge_add": "ge_add", "spmv": "spmv, binary64 matrix", "cg": "CG iteration"}


def cell(rows, operation, variant, n, bits):
    found = [r for r in rows if (r["operation"], r["variant"], r["n"], r["bits"]) == (operation, variant, n, bits)]
    return f"{found[0]['median_ms']:.3g}" if found else "-"


def main():
    rows = json.load(open(sys.argv[1], encoding="utf-8"))["rows"]
    print("| operation | n | kernels | " + " | ".join(str(b) for b in PRECISIONS) + " |")
    print("|---|---|---|" + "---|" * len(PRECISIONS))
    seen = []
    for r in rows:
        key = (r["operation"], r["n"], r["variant"])
        if key not in seen:
            seen.append(key)
    for operation, n, variant in sorted(seen, key=lambda k: [r["operation"] for r in rows].index(k[0])):
        cells = " | ".join(cell(rows, operation, variant, n, b) for b in PRECISIONS)
        print(f"| {NAMES.get(operation, operation)} | {n} | {variant} | {cells} |")


if __name__ == "__main__":
    main()
