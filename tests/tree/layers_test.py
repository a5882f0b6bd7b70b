#!/usr/bin/env python3
"""layers_test.py ROOT: the rules of docs/architecture.md that show in the files.

* Includes point against the flow of data io -> arith -> blas -> solvers -> capi, apps, as far as the
  component's DEPENDS allow, and through <residua/...> only: no path with "..".
* Rooms, the folders of blas/ and of solvers/, have an order too: a file sees its own room and those before it. The
  headers beside the rooms of solvers/ are its doors, which see no more than what a caller needs; their sources see all.
  A program that includes one compiles few headers.
* Every source of a component is in its CMakeLists.txt, of a library every header too (only those
  are installed and compiled alone), and nothing else is.
* Headers begin with #pragma once; CUDA files see none of the heavy host libraries.
"""
import pathlib
import re
import sys

ORDER = ["io", "arith", "blas", "solvers", "capi", "apps"]
DOORS, BEHIND_DOORS = "headers beside the rooms", "sources beside the rooms"
ROOMS = {
    "blas": ["base", "level1", "level2", "level3", "sparse", "slices", "multidigit", "rns", "dense", "exact"],
    "solvers": ["base", "checkpoint", "matrix", "options", DOORS, "space", "processes", "dense_direct",
                "sparse_direct", "precond", "assess", "methods", "build", "planning", "files", "session", BEHIND_DOORS, "gallery", "batch"],
}
MOST_HEADERS = {"solvers/solve.hpp": 25, "solvers/solver.hpp": 45}  # of the project
HEAVY = ("Eigen/", "mpfr.h", "gmp.h", "CLI/", "nlohmann/", "gtest/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu"}


def without_comments(text):
    """A CMakeLists.txt without comments, and without the flags of single sources."""
    return re.sub(r"set_source_files_properties\(.*?\)", "", re.sub(r"#.*", "", text), flags=re.S)


def depends(folder):
    """The component's DEPENDS, or None where it is not made by residua_add_component."""
    call = re.search(r"residua_add_component\((\w+)(.*?)\)",
                     without_comments((folder / "CMakeLists.txt").read_text()), re.S)
    if not call:
        return None
    listed = re.search(r"\bDEPENDS\b((?:\s+[a-z]+)*)", call.group(2))
    return listed.group(1).split() if listed else []


def check_includes(root, component, path, allowed):
    name = path.relative_to(root)
    text = path.read_text()
    if path.suffix in {".hpp", ".cuh"} and "#pragma once" not in text:
        yield f"{name}: no #pragma once"
    for match in INCLUDE.finditer(text):
        quote, target = match.groups()
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}: #include {target}"
        if ".." in pathlib.PurePosixPath(target).parts:
            yield f"{where}: a path with '..' goes around the components"
        if quote == "<" and target.startswith("residua/"):
            part = target.split("/")[1]
            if part not in allowed:
                yield f"{where}: {component} must not see {part}"
            elif not (root / target.removeprefix("residua/")).is_file():
                yield f"{where}: there is no such file"
        if quote == '"' and not (path.parent / target).is_file():
            yield f"{where}: a quoted include stands for a file of the same folder"
        if path.suffix in {".cu", ".cuh"} and target.startswith(HEAVY):
            yield f"{where}: host libraries stay out of CUDA files"


def room_of(path):
    """The room of a file, by its path inside the component."""
    if len(path.parts) > 1:
        return path.parts[0]
    return DOORS if path.suffix in {".hpp", ".cuh"} else BEHIND_DOORS


def check_rooms(root, component, path):
    order = ROOMS[component]
    own = room_of(path.relative_to(root / component))
    if own not in order:
        yield f"{path.relative_to(root)}: {own} is no room of {component}"
        return
    for _, target in INCLUDE.findall(path.read_text()):
        if target.startswith(f"residua/{component}/"):
            other = room_of(pathlib.PurePosixPath(target.removeprefix(f"residua/{component}/")))
            if other not in order[:order.index(own) + 1]:
                yield f"{path.relative_to(root)}: #include {target}: {own} must not see {other}"


def check_doors(root):
    for door, most in MOST_HEADERS.items():
        seen, left = set(), [door]
        while left:
            header = left.pop()
            if header not in seen:
                seen.add(header)
                left += [target.removeprefix("residua/") for _, target in INCLUDE.findall((root / header).read_text())
                         if target.startswith("residua/")]
        if len(seen) > most:
            yield f"{door}: compiles {len(seen)} headers of the project, more than {most}"


def check_lists(root, folder, files):
    """Each file is named in a CMakeLists.txt of the folder; each name there is a file."""
    lists = [p for p in folder.rglob("CMakeLists.txt")]
    named = {}
    for cmake in lists:
        for word in re.findall(r"[\w/.-]+\.(?:hpp|cpp|cuh|cu)\b", without_comments(cmake.read_text())):
            named.setdefault((cmake.parent / word).resolve(), []).append(cmake)
    for path in files:
        if not named.pop(path.resolve(), None):
            yield f"{path.relative_to(root)}: not in the CMakeLists.txt of {folder.name}"
    for path, cmakes in named.items():
        if not path.is_file():
            yield f"{cmakes[0].relative_to(root)}: names {path.name}, which does not exist"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults, seen = [], 0
    for position, component in enumerate(ORDER):
        folder = root / component
        files = sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES)
        seen += len(files)
        allowed = depends(folder)
        listed = files
        if allowed is None:  # a program, not a library
            allowed = ORDER[:position]
            listed = [path for path in files if path.suffix in {".cpp", ".cu"}]
        for wrong in set(allowed) - set(ORDER[:position]):
            faults.append(f"{component}/CMakeLists.txt: DEPENDS {wrong} points the wrong way")
        for path in files:
            faults += check_includes(root, component, path, {component, *allowed})
            if component in ROOMS:
                faults += check_rooms(root, component, path)
        faults += check_lists(root, folder, listed)
    faults += check_doors(root)
    print(f"{seen} files, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults or seen == 0 else 0)


main()
