#!/usr/bin/env python3
"""must_not_compile.py FILE COMPILER FLAG...: FILE compiles as it is, and with -DMISUSE does not.

The first line of FILE is `// expect: REGEX`; the compiler's messages must match it, so that the
misuse is refused for the reason meant. The compilation without the misuse proves the rest right.
"""
import re
import subprocess
import sys


def compile_file(file, command, *defines):
    return subprocess.run([*command, *defines, "-fsyntax-only", file],
                          capture_output=True, text=True)


def main():
    file, *command = sys.argv[1:]
    with open(file, encoding="utf-8") as source:
        expected = re.fullmatch(r"// expect: (.+)\n", source.readline())
    if not expected:
        sys.exit(f"{file}: the first line is not '// expect: REGEX'")
    right = compile_file(file, command)
    if right.returncode != 0:
        sys.exit(f"does not compile without the misuse either:\n{right.stderr}")
    wrong = compile_file(file, command, "-DMISUSE")
    if wrong.returncode == 0:
        sys.exit("the misuse compiles")
    if not re.search(expected.group(1), wrong.stderr):
        sys.exit(f"refused, but not with '{expected.group(1)}':\n{wrong.stderr}")
    print("refused as expected")


main()
