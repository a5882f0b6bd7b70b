#!/usr/bin/env python3
"""chain_tables.py JSON...  prints Mop/s of expansions in the four tables of [CJMP16]: add and mul, in registers and
with shared memory; from what chain_bench wrote.

Of several sizes the largest is taken. Below each table of a device: what share of the device's own rate of fused multiply-adds
the counted flops are, and how many threads a multiprocessor holds. A share above 100 % means that the compiler dropped
some of the operations that were counted, and is printed as -.
"""
import json
import sys

TITLES = {"registers": "in registers", "shared": "256 bytes of shared memory a term"}


def table(title, kernels, terms, cell):
    print(f"\n| {title} | " + " | ".join(map(str, terms)) + " |")
    print("|---|" + "---|" * len(terms))
    for kernel in kernels:
        print(f"| {kernel} | " + " | ".join(cell(kernel, n) for n in terms) + " |")


def share(x):
    return f"{100 * x:.0f} %" if x <= 1 else "-"


def main():
    rows, devices = {}, []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        rate = report.get("ceiling", {}).get("fma_per_second")
        devices.append(report["device"] + (f", {rate / 1e12:.4g}e12 FMA/s" if rate else ""))
        for r in report["rows"]:
            key = (r["operation"], r["memory"], r["kernel"], r["terms"])
            if key not in rows or rows[key]["size"] <= r["size"]:
                rows[key] = r
    if not rows:
        sys.exit(__doc__)
    print("; ".join(dict.fromkeys(devices)))
    if not all(r["right"] for r in rows.values()):
        sys.exit("some of the results are wrong")
    terms = sorted({key[3] for key in rows})
    for operation in ["add", "mul"]:
        for memory in TITLES:
            kernels = list(dict.fromkeys(k[2] for k in rows if k[:2] == (operation, memory)))
            if kernels:
                def cell(text):
                    return lambda kernel, n: text(rows[operation, memory, kernel, n]) \
                        if (operation, memory, kernel, n) in rows else "-"
                table(f"{operation}, {TITLES[memory]}: Mop/s", kernels, terms,
                      cell(lambda r: f"{r['operations_per_second'] / 1e6:.0f}"))
                if all("blocks" in r for r in rows.values()):
                    table("flops, share of FMA, threads", kernels, terms,
                          cell(lambda r: f"{r['flops']:.4g}, {share(r['share_of_fma'])}, "
                                         f"{r['blocks'] * r['block_threads']}"))


if __name__ == "__main__":
    main()
