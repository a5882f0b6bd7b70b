#!/usr/bin/env python3
"""tools/wheel_licences.py LINKED FOLDER: the licences of others whose code a wheel holds, into the wheel that is unpacked in FOLDER.

LINKED is the wheel before auditwheel put the libraries of this machine into it. Each of these, and what is compiled in, gets the
copyright file of its Debian package, and nanobind's that of PyPI, in *.dist-info/licenses/bundled, with the licences that these
name of /usr/share/common-licenses. A library whose licence is not found is an error.
"""
import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

COMMON = pathlib.Path("/usr/share/common-licenses")
COMPILED_IN = ("libeigen3-dev", "nlohmann-json3-dev")  # of Debian; nanobind and its robin_map are of PyPI


def libraries_of(linked):
    """The files that the module links, by the name before the first dot, which auditwheel keeps."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(linked) as wheel:
        module = next(name for name in wheel.namelist() if re.search(r"/_core[^/]*\.so$", name))
        told = subprocess.run(["ldd", wheel.extract(module, folder)], check=True, capture_output=True, text=True).stdout
    paths = [pathlib.Path(path).resolve() for path in re.findall(r"=> (/\S+)", told)]
    return {path.name.split(".")[0]: path for path in paths}


def package_of(path):
    """The Debian package that a file belongs to. dpkg knows the folders that are links to folders of /usr by either name."""
    for name in (path, pathlib.Path(str(path).removeprefix("/usr"))):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    sys.exit(f"wheel_licences: {path} is of no Debian package: its licence is not known")


def main():
    linked, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    known = libraries_of(linked)
    licences = {package: pathlib.Path("/usr/share/doc", package, "copyright").read_text() for package in COMPILED_IN}
    for library in sorted((folder / "residua.libs").iterdir()):
        stem = re.sub(r"-[0-9a-f]{8}$", "", library.name.split(".")[0])
        if stem not in known:
            sys.exit(f"wheel_licences: {library.name} is nothing that the module links: its licence is not known")
        package = package_of(known[stem])
        licences[package] = pathlib.Path("/usr/share/doc", package, "copyright").read_text()
    named = {name.rstrip(".") for text in licences.values() for name in re.findall(rf"{COMMON}/([\w.-]+)", text)}
    for name in sorted(named | {"MPL-2.0"}):
        licences[name] = (COMMON / name).read_text()
    nanobind = importlib.metadata.distribution("nanobind")
    licences["nanobind"] = next(file.read_text() for file in nanobind.files if file.name == "LICENSE")
    robin_map = next(file.read_text() for file in nanobind.files if file.name == "robin_map.h")
    licences["robin_map"] = re.search(r"/\*\*.*?\*/", robin_map, flags=re.S)[0] + "\n"
    bundled = next(folder.glob("*.dist-info")) / "licenses" / "bundled"
    bundled.mkdir(parents=True)
    for name, text in licences.items():
        (bundled / f"{name}.txt").write_text(text)
    print(f"wheel_licences: {', '.join(licences)}")


main()
