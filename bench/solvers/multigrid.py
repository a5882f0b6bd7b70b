#!/usr/bin/env python3
"""multigrid.py RESIDUA [--poisson N] [--anisotropic N] [--elasticity N]: iterations of CG with -P amg, to 30 digits.

* Poisson: 7 points on a cube of N^3, by `residua generate`.
* Anisotropic: the same with the differences of one direction times 1e-3, or 1e-6.
* Elasticity: trilinear displacements on a cube of N^3 nodes, Young's modulus 1, Poisson's ratio 0.3, held at one face: 3 N^2 (N - 1)
  unknowns.

b = (1, ..., 1). The stopping test is a residual of 1e-34, of which the error estimate gives the digits. A row has the iterations, the
digits, and the seconds of the wall and of all processors, which only mean something where nothing else runs.
"""
import argparse
import itertools
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

# BoomerAMG, told that the unknowns are three functions in turn.
THREE_FUNCTIONS = "petsc:-pc_type hypre -pc_hypre_boomeramg_numfunctions 3"


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


def element(ratio):
    """The stiffness of a cube of side 1: 24 x 24, three displacements of each corner, by 2 x 2 x 2 points of Gauss."""
    lame, shear = ratio / ((1 + ratio) * (1 - 2 * ratio)), 1 / (2 * (1 + ratio))
    corners = list(itertools.product((0, 1), repeat=3))
    stiffness = [[0.0] * 24 for _ in range(24)]
    for point in itertools.product((0.5 - 12**-0.5, 0.5 + 12**-0.5), repeat=3):
        slopes = []
        for corner in corners:
            ends = [x if c else 1 - x for x, c in zip(point, corner)]
            signs = [1 if c else -1 for c in corner]
            slopes.append([signs[0] * ends[1] * ends[2], ends[0] * signs[1] * ends[2], ends[0] * ends[1] * signs[2]])
        for (p, u), (q, v) in itertools.product(enumerate(slopes), repeat=2):
            both = sum(s * t for s, t in zip(u, v))
            for i, j in itertools.product(range(3), repeat=2):
                value = lame * u[i] * v[j] + shear * u[j] * v[i] + (shear * both if i == j else 0.0)
                stiffness[3 * p + i][3 * q + j] += value / 8
    return stiffness


def elasticity(nodes, ratio=0.3):
    """Nodes (x, y, z) with x = 0 are held, and the others are numbered with z fastest."""
    stiffness, corners = element(ratio), list(itertools.product((0, 1), repeat=3))
    number = {node: k for k, node in enumerate(itertools.product(range(1, nodes), range(nodes), range(nodes)))}
    rows = [{} for _ in range(3 * len(number))]
    for cell in itertools.product(range(nodes - 1), repeat=3):
        at = [number.get(tuple(c + d for c, d in zip(cell, corner))) for corner in corners]
        for (p, u), (q, v) in itertools.product(enumerate(at), repeat=2):
            for i, j in itertools.product(range(3), repeat=2):
                if u is not None and v is not None:
                    row = rows[3 * u + i]
                    row[3 * v + j] = row.get(3 * v + j, 0.0) + stiffness[3 * p + i][3 * q + j]
    return len(rows), rows.__getitem__


def solve(program, name, matrix, folder, preconditioner="amg"):
    report, before, begin = folder / "report.json", resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([program, "solve", matrix, "-q", "-m", "cg", "-P", preconditioner, "-b", "ones", "-d", "30", "--rtol", "1e-34",
                    "--report", report], check=True, env=dict(os.environ, OMPI_MCA_ess_singleton_isolated="1"))
    after, found = resource.getrusage(resource.RUSAGE_CHILDREN), json.loads(report.read_text())
    print(f"{name:28} {found['iterations']:4} iterations, {found['forward_error']['digits']} digits, {time.monotonic() - begin:.1f} s, "
          f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f} s of processors", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for kind, side in (("poisson", 100), ("anisotropic", 48), ("elasticity", 20)):
        parser.add_argument(f"--{kind}", type=int, default=side, help=f"points of a side, {side} without it, 0: not at all")
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
            write(matrix, *elasticity(args.elasticity))
            solve(args.program, f"elasticity {args.elasticity}^3", matrix, folder)
            solve(args.program, "the same as three functions", matrix, folder, THREE_FUNCTIONS)


if __name__ == "__main__":
    main()
