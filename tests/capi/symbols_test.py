#!/usr/bin/env python3
"""symbols_test.py LIBRARY LIST HEADER...: the library exports the names in LIST, with their versions, and nothing else.

The headers declare the same functions, and inline ones. The name under which programs find the library is libresidua.so.0.1.
"""
import pathlib
import re
import subprocess
import sys


def main():
    library, kept, *headers = (pathlib.Path(a) for a in sys.argv[1:])
    lines = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    exported = {line.split()[-1] for line in lines} - {"RESIDUA_0"} - {"RESIDUA_0@@RESIDUA_0"}
    listed = set(kept.read_text().split())
    text = "".join(header.read_text() for header in headers)
    functions = re.sub(r"/\*.*?\*/|^static inline .*?^}", "", text, flags=re.S | re.M)
    declared = set(re.findall(r"\b(residua_\w+)\(", functions))
    faults = [f"{name} is exported and not listed" for name in sorted(exported - listed)]
    faults += [f"{name} is listed and not exported" for name in sorted(listed - exported)]
    names = {name.split("@")[0] for name in listed}
    faults += [f"{name} is in one of headers and list" for name in sorted(names ^ declared)]
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    if "soname: [libresidua.so.0.1]" not in dynamic:
        faults.append("the soname is not libresidua.so.0.1")
    if "TEXTREL" in dynamic:
        faults.append("the library has relocations in its code: something in it is not position independent")
    print(f"{len(exported)} names exported, {len(declared)} declared, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults or not exported else 0)


main()
