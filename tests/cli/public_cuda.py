#!/usr/bin/env python3
"""The public matrices on a GPU: what solve writes there and on the host is the same, byte for byte.

Every square matrix of RESIDUA_MATRIX_DIR/public, by every method and preconditioner that runs on a GPU: the same
exit code, x, iterations and residual, converged or not; and by auto to 30 digits. Skipped without a GPU.

    public_cuda.py [--program residua] [--matrices DIR] [NAME ...]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from public_table import SKIPPED, described

ITERATIONS = 150  # as many have the same bits as all
RUNS = [("cg", "none", 212), ("cg", "jacobi", 424, "expansion"), ("cg", "ic0", 106), ("bicgstab", "jacobi", 159),
        ("bicgstab", "ilu0", 212), ("gmres", "none", 106), ("gmres", "ilu0", 212), ("gmres", "lu", 318, "expansion"),
        ("idr", "ilu0", 106), ("idr", "none", 300), ("bicgstabl", "jacobi", 212), ("cg", "jacobi", 900, "rns"),
        ("cg", "jacobi", 200, "multidigit"), ("bicgstab", "none", 300),
        ("gmres", "ilu0", 500), ("cg", "ic0", 900), ("refine", "lu", 212), ("refine", "lu", 318, "expansion"),
        ("refine", "lu", 300), ("refine", "lu", 212, "rns"), ("gmres-ir", "lu", 106), ("gmres-ir", "lu", 300)]
DIGITS = 30
AUTO = ("auto", None, None)  # with --digits, entries as written in decimals; converges everywhere


def outcome(program, matrix, run, where, scratch):
    """What a run leaves: exit code, x, and what the report tells of the iteration."""
    method, preconditioner, bits, *named = run
    x = pathlib.Path(scratch) / f"{where}.mtx"
    report = pathlib.Path(scratch) / f"{where}.json"
    options = ["-m", method, "-P", preconditioner, "-p", bits, "-f", *(named or ["auto"]), "-n", ITERATIONS]
    if run == AUTO:
        options = ["--digits", DIGITS, "--entries", "decimal"]
    command = [program, "solve", matrix, "-b", "random:1", *options, "-e", where, "-o", x, "--report", report, "-q"]
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=600)
    told = json.loads(report.read_text()) if report.exists() else {}
    facts = [told.get(key) for key in ("status", "method", "iterations", "matvecs", "relative_residual", "format",
                                       "forward_error")]
    return result.returncode, x.read_text() if x.exists() else None, facts, told.get("executor"), result.stderr


def compare(program, matrix, run):
    """None, or how the two differ; whether the device computed."""
    with tempfile.TemporaryDirectory() as scratch:
        host = outcome(program, matrix, run, "host", scratch)
        device = outcome(program, matrix, run, "cuda", scratch)
    if host[:3] != device[:3]:
        return f"{host[0]} {host[2]} {host[4]} on the host, {device[0]} {device[2]} {device[4]} on the device", False
    if run == AUTO and (host[0] != 0 or host[2][-1]["digits"] < DIGITS):
        return f"{host[0]} {host[2]} {host[4]}, not {DIGITS} digits", False
    return None, device[3] == "cuda"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", default=os.environ.get("RESIDUA_PROGRAM", "residua"))
    parser.add_argument("--matrices", default=os.environ.get("RESIDUA_MATRIX_DIR", ""))
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    folder = pathlib.Path(args.matrices or "/nonexistent")
    if not (folder / "public").is_dir():
        print("skipped: RESIDUA_MATRIX_DIR does not name the public matrices")
        return SKIPPED
    matrices = {name: folder / "public" / f"{name}.mtx" for name in described(folder / "README.md")
                if not args.names or name in args.names}
    probe = next(iter(matrices.values()))
    trial = subprocess.run([args.program, "solve", str(probe), "-m", "gmres", "-e", "cuda", "-n", "1", "-q"],
                           capture_output=True, text=True, check=False)
    if "CUDA" in trial.stderr or "--executor" in trial.stderr:
        print(f"skipped: {trial.stderr.strip()}")
        return SKIPPED

    failures, computed = [], 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 2) // 2)) as pool:
        jobs = {(name, run): pool.submit(compare, args.program, matrix, run)
                for name, matrix in matrices.items() for run in [AUTO, *RUNS]}
        for (name, run), job in jobs.items():
            difference, on_device = job.result()
            computed += on_device
            if difference:
                failures.append(f"{name} {' '.join(map(str, run))}: {difference}")
    print(f"{len(matrices)} matrices, {len(jobs)} systems, {computed} computed on the device, {len(failures)} differ")
    print("\n".join(failures))
    return 1 if failures or computed < len(jobs) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
