#!/usr/bin/env python3
"""multigrid.py RESIDUA [--poisson N] [--anisotropic N] [--elasticity N]: iterations of CG with -P amg, to 30 digits.

* Poisson: 7 points on a cube of N^3, by `residua generate`.
* Anisotropic: the same with the differences of one direction times 1e-3, or 1e-6.
* Elasticity: N^3 trilinear elements of a cube, Poisson's ratio 0.3, held at one face, by `residua generate`: 3 N (N + 1)^2 unknowns.

b = (1, ..., 1). The stopping test is a residual of 1e-34, of which the error estimate gives the digits. A row has the iterations, the
digits, and the seconds of the wall and of all processors, which only mean something where nothing else runs.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time


def write(path, n, rows):
    """The lower triangle of a symmetric matrix; rows(i) is {column: value}."""
    lines = [f"{i + 1} {j + 1} {value!r}" for i in range(n) for j, value in sorted(rows(i).items()) if j <= i]
    path.write_text("\n".join(["%%MatrixMarket matrix coordinate real symmetric", f"{n} {n} {len(lines)}", *lines, ""]))


def anisotropic(side, weak):
    def row(i):
        entries = {i: 4.0 + 2.0 * weak}
        for step, value in ((1, -1.0), (side, -1.0), (side * side, -weak)):
            place = i // step % side
            if place > 0:
                entries[i - step] = value
            if place < side - 1:
                entries[i + step] = value
        return entries
    return side**3, row


def solve(program, name, matrix, folder, preconditioner="amg", *more):
    report, before, begin = folder / "report.json", resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([program, "solve", matrix, "-q", "-m", "cg", "-P", preconditioner, "-b", "ones", "-d", "30", "--rtol", "1e-34",
                    "--report", report, *more], check=True, env=dict(os.environ, OMPI_MCA_ess_singleton_isolated="1"))
    after, found = resource.getrusage(resource.RUSAGE_CHILDREN), json.loads(report.read_text())
    print(f"{name:28} {found['iterations']:4} iterations, {found['forward_error']['digits']} digits, {time.monotonic() - begin:.1f} s, "
          f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} s of processors", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for kind, side in (("poisson", 100), ("anisotropic", 48), ("elasticity", 19)):
        parser.add_argument(f"--{kind}", type=int, default=side, help=f"points or elements of a side, {side} without it, 0: not at all")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        matrix = folder / "a.mtx"
        if args.poisson:
            subprocess.run([args.program, "generate", "poisson3d", "--n", str(args.poisson), "-o", matrix], check=True)
            solve(args.program, f"Poisson {args.poisson}^3", matrix, folder)
        for weak in (1e-3, 1e-6) if args.anisotropic else ():
            write(matrix, *anisotropic(args.anisotropic, weak))
            solve(args.program, f"anisotropic {weak:g} {args.anisotropic}^3", matrix, folder)
        if args.elasticity:
            places, blocks = folder / "places.mtx", ("--block-size", "3")
            subprocess.run([args.program, "generate", "elasticity3d", "--n", str(args.elasticity), "-o", matrix, "--coordinates", places],
                           check=True)
            for preconditioner in ("amg", "petsc:-pc_type gamg"):
                solve(args.program, f"elasticity, {preconditioner}", matrix, folder, preconditioner)
                solve(args.program, "with --block-size 3", matrix, folder, preconditioner, *blocks)
                solve(args.program, "and --coordinates", matrix, folder, preconditioner, *blocks, "--coordinates", places)


if __name__ == "__main__":
    main()
