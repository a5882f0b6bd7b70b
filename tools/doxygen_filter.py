#!/usr/bin/env python3
"""doxygen_filter.py FILE: a header for Doxygen, line by line the same.

A comment says what a function promises in a table: `/// errors   what they are`, whose further lines are indented. Each row
becomes an item of a list, and all characters that mean something to Doxygen are made harmless.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"^(\s*///<? ?)(.*)$")
ROW = re.compile(r"^([a-z]+)(?:  +)(\S.*)$")
REQUIRES = re.compile(r"^(\s+requires \w+)::(?=\w+$)")  # Doxygen takes the colons for a list of initializers
SPECIAL = re.compile(r"(`[^`]*`)|([\\@<>#&%])")


def harmless(text):
    """Outside of code, a backslash before what Doxygen takes for a command, a tag or a link."""
    return SPECIAL.sub(lambda found: found[1] or "\\" + found[2], text)


def main():
    in_row = False
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        comment = COMMENT.match(line)
        if not comment:
            in_row = False
            print(REQUIRES.sub(r"\1_", line))
            continue
        head, text = comment.groups()
        row = ROW.match(text)
        if row:
            in_row = True
            print(f"{head}- <b>{row[1]}</b> {harmless(row[2])}")
        elif in_row and text.startswith("  "):
            print(f"{head}  {harmless(text.strip())}")
        else:
            in_row = False
            print(f"{head}{harmless(text)}")


main()
