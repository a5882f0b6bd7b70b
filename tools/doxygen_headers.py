#!/usr/bin/env python3
"""doxygen_headers.py FOLDER: writes the public headers into FOLDER as Doxygen understands them, line by line the same.

A comment says what a function promises in a table: `/// errors   what they are`, whose further lines are indented. Each row
becomes an item of a list, and all characters that mean something to Doxygen are made harmless.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPONENTS = ["io", "arith", "blas", "solvers", "capi"]
LEFT_OUT = {"blas/base/batch_lanes.hpp"}  # a lambda with an attribute

COMMENT = re.compile(r"^(\s*///<? ?)(.*)$")
ROW = re.compile(r"^([a-z]+)(?:  +)(\S.*)$")
REQUIRES = re.compile(r"^(\s+requires \w+)::(?=\w+$)")  # Doxygen takes the colons for a list of initializers
# a specialisation of a template of another project, which Doxygen does not know
SPECIALISATION = re.compile(r"^template <[^\n]*>\n(?: +requires [^\n]*\n)?(?:struct|class) (?:std|fmt|Eigen)::"
                            r".*?(?:^|\{)\};$", re.M | re.S)
SPECIAL = re.compile(r"(`[^`]*`)|([\\@<>#&%])")


def harmless(text):
    """Outside of code, a backslash before what Doxygen takes for a command, a tag or a link."""
    return SPECIAL.sub(lambda found: found[1] or "\\" + found[2], text)


def understood(text):
    text = SPECIALISATION.sub(lambda found: "\n" * found[0].count("\n"), text)
    in_row = False
    for line in text.splitlines():
        comment = COMMENT.match(line)
        if not comment:
            in_row = False
            yield REQUIRES.sub(r"\1_", line)
            continue
        head, words = comment.groups()
        row = ROW.match(words)
        if row:
            in_row = True
            yield f"{head}- <b>{row[1]}</b> {harmless(row[2])}"
        elif in_row and words.startswith("  "):
            yield f"{head}  {harmless(words.strip())}"
        else:
            in_row = False
            yield head + harmless(words)


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    for path in sorted(p for c in COMPONENTS for pattern in ("*.hpp", "*.h") for p in (ROOT / c).rglob(pattern)):
        name = path.relative_to(ROOT).as_posix()
        if name not in LEFT_OUT:
            made = folder / name
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text("\n".join(understood(path.read_text())) + "\n")


main()
