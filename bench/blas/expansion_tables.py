#!/usr/bin/env python3
"""expansion_tables.py JSON  prints the tables of docs/performance.md that expansion_bench's JSON holds."""
import json
import sys


def table(rows, title, cell):
    terms = sorted({r["terms"] for r in rows})
    print(f"\n| {title} | n | " + " | ".join(f"{t} terms" if t > 1 else "binary64" for t in terms) + " |")
    print("|---|---|" + "---|" * len(terms))
    keys = list(dict.fromkeys((r["operation"], r["n"]) for r in rows))
    for operation in dict.fromkeys(k[0] for k in keys):
        for n in sorted(k[1] for k in keys if k[0] == operation):
            found = {r["terms"]: r for r in rows if (r["operation"], r["n"]) == (operation, n)}
            cells = " | ".join(cell(found[t]) if t in found else "-" for t in terms)
            print(f"| {operation} | {n} | {cells} |")


def main():
    document = json.load(open(sys.argv[1], encoding="utf-8"))
    rows = document["rows"]
    print(f"{document['device']}: copy {document['copy_gb_per_s']:.0f} GB/s, read {document['read_gb_per_s']:.0f} GB/s")
    table(rows, "milliseconds", lambda r: f"{r['median_ms']:.3g}")
    wanted = [r for r in rows if r["operation"] in ("axpy", "dot", "gemv", "gemv_t", "spmv, double A", "cg iteration")
              and r["n"] in (10000000, 8192, 1024) and r["terms"] <= 8]
    table(wanted, "share of the bandwidth", lambda r: f"{100 * r['share_of_bandwidth']:.0f} %")
    table([r for r in rows if "sustained_ms" in r], "milliseconds, sustained", lambda r: f"{r['sustained_ms']:.3g}")


if __name__ == "__main__":
    main()
