#!/usr/bin/env python3
"""sweep.py [--alone] ROOT [FLAG...]: every C++ and C compiler that is here takes headers and examples without a warning.

All headers of the libraries stand in one file, which shows names that are in each other's way, and every example is
compiled. With --alone each header stands in a file of its own too, which takes minutes. Nothing is linked or written.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"]
VERSIONS = ["", *(f"-{version}" for version in range(12, 22))]
LEAST = {"g": 12, "clang": 14}
# Two sets of the same names, each for one file of the library.
APART = {"arith/multidigit/lanes/avx2.hpp", "arith/multidigit/lanes/avx512.hpp"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def compilers():
    """The command of each compiler that is new enough, once, and that of its C."""
    seen = {}
    for family, cxx, cc in (("g", "g++", "gcc"), ("clang", "clang++", "clang")):
        for version in VERSIONS:
            command = shutil.which(cxx + version)
            if command and shutil.which(cc + version):
                number = output(command, "-dumpfullversion" if family == "g" else "-dumpversion")
                if int(number.split(".")[0]) >= LEAST[family]:
                    seen.setdefault((family, number), (command, shutil.which(cc + version)))
    return {f"{family}{'++' if family == 'g' else ''} {number}": commands
            for (family, number), commands in seen.items()}


def openmp(compiler):
    """Flags for OpenMP; a clang without an omp.h of its own takes that of another one."""
    found = subprocess.run([compiler, "-fopenmp", "-fsyntax-only", "-x", "c++", "-"], input="#include <omp.h>\n",
                           capture_output=True, text=True)
    others = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/clang/*/include/omp.h"))
    return ["-fopenmp"] if found.returncode == 0 or not others else ["-fopenmp", "-idirafter", str(others[-1].parent)]


def sources(root, folder, alone):
    """(name, file) of what every compiler gets."""
    headers = sorted(str(path.relative_to(root)) for part in ("io", "arith", "blas", "solvers")
                     for path in (root / part).rglob("*.hpp"))
    groups = {"all headers": [header for header in headers if header not in APART]}
    groups |= {header: [header] for header in headers if alone or header in APART}
    groups |= {"residua.h": ["capi/residua.h", "capi/residua_dense.h"]}
    for number, (name, group) in enumerate(groups.items()):
        file = folder / f"{number}.cpp"
        file.write_text("".join(f"#include <residua/{header}>\n" for header in group))
        yield name, file
    (folder / "c.c").write_text("#include <residua/capi/residua.h>\n")
    yield "residua.h in C", folder / "c.c"
    for file in sorted((root / "examples").glob("*/main.c*")):
        yield str(file.relative_to(root)), file


def main():
    arguments = sys.argv[1:]
    alone = "--alone" in arguments
    root, *flags = [a for a in arguments if a != "--alone"]
    root = pathlib.Path(root).resolve()
    found = compilers()
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        folder = pathlib.Path(name)
        (folder / "residua").symlink_to(root)
        files = list(sources(root, folder, alone))
        flags = [*WARNINGS, "-fsyntax-only", f"-I{folder}", f"-I{root / 'capi'}", *flags]
        jobs = {}
        for compiler, (cxx, cc) in found.items():
            cpp_flags = ["-std=c++20", *openmp(cxx), *flags]
            for what, file in files:
                command = [cc, "-std=c99", "-pedantic", *flags] if file.suffix == ".c" else [cxx, *cpp_flags]
                jobs[f"{compiler}: {what}"] = pool.submit(subprocess.run, [*command, file], capture_output=True, text=True)
        faults = {job: result.stderr for job, run in jobs.items() if (result := run.result()).returncode != 0}
    for job, text in faults.items():
        print(f"{job}\n{text}")
    print(f"{', '.join(found)}: {len(jobs)} compilations, {len(faults)} faults")
    sys.exit(1 if faults or not found else 0)


main()
