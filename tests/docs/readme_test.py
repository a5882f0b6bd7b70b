#!/usr/bin/env python3
"""readme_test.py ROOT DOCUMENT PROGRAM: what the document shows is what happens.

* A block ```console after the line <!-- run --> or <!-- run: exit N --> is run, in an empty folder
  with data/ in it and PROGRAM's folder on PATH; after <!-- run: needs matrices --> with the real
  matrices of RESIDUA_MATRIX_DIR too, and only if there are any. A line "$ command" is followed by its output, in
  which a line "..." stands for any lines. Words and whole numbers, so digits and counts too, must be
  as shown. But binary64 factors depend on the processor's BLAS, so a number with an exponent, a
  residual, an error or a condition number, may differ by a factor of 10; on the lines `time` and
  `of setup, solving` of a summary by one of 1000. Seconds may be anything.
* A block after <!-- file: PATH --> or <!-- file: PATH part --> is that file, or stands in it.
"""
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^<!-- (run|file)(?:: (.+?))? -->\n+```(\w+)\n(.*?)^```$", re.M | re.S)
POWER = re.compile(r"[+-]?\d(?:\.\d+)?e[+-]\d+")
SECONDS = re.compile(r"\b\d+\.\d+(?= s\b)|\b\d+(?= s\b)")


def magnitude(text):
    value = text.lstrip("+-").partition("e")
    mantissa = float(value[0])
    return -math.inf if mantissa == 0 else math.log10(mantissa) + int(value[2])


def same_number(shown, got, decades):
    if shown.startswith("-") != got.startswith("-"):
        return False
    return shown == got or abs(magnitude(shown) - magnitude(got)) <= decades


def same_line(shown, got, columns_of_seconds):
    """Word by word; runs of blanks count as one."""
    decades = 3 if re.match(r"(time|of setup, solving)  ", shown) else 1
    shown, got = (SECONDS.sub("#", line).split() for line in (shown, got))
    if len(shown) != len(got):
        return False
    for position, (a, b) in enumerate(zip(shown, got)):
        if a == b or position - len(shown) in columns_of_seconds:
            continue
        powers_a, powers_b = POWER.findall(a), POWER.findall(b)
        if POWER.sub("#", a) != POWER.sub("#", b) or not powers_a:
            return False
        if not all(same_number(x, y, decades) for x, y in zip(powers_a, powers_b)):
            return False
    return True


def compare(shown, got):
    """None, or the first line shown that is not there."""
    at, skipping, columns_of_seconds = 0, False, set()
    for line in shown:
        if line.strip() == "...":
            skipping = True
            continue
        words = line.split()
        if "seconds" in words:  # a table's head: the columns from it on are times
            columns_of_seconds = {k - len(words) for k in range(words.index("seconds"), len(words))}
        while at < len(got) and not same_line(line, got[at], columns_of_seconds):
            if not skipping:
                return line
            at += 1
        if at == len(got):
            return line
        at, skipping = at + 1, False
    return None if skipping or at == len(got) else "(the end, but there is more output)"


def run_block(text, expected, folder, environment):
    for command, shown in re.findall(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", text, re.M):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=600,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        output = done.stdout + done.stderr
        if done.returncode != expected:
            yield f"$ {command}\nexits {done.returncode}, not {expected}:\n{output}"
            continue
        missing = compare(shown.splitlines(), output.splitlines())
        if missing is not None:
            yield f"$ {command}\ndoes not print as shown:\n{missing}\nbut:\n{output}"


def main():
    root, document, program = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    matrices = os.environ.get("RESIDUA_MATRIX_DIR")
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "LC_ALL": "C"}
    faults, runs, skipped, files = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "data").symlink_to(root / "data")
        if matrices:
            for path in pathlib.Path(matrices, "public").glob("*.mtx"):
                (pathlib.Path(folder) / path.name).symlink_to(path)
        for kind, argument, _, text in BLOCK.findall(document.read_text()):
            if kind == "run" and argument == "needs matrices" and not matrices:
                skipped += 1
            elif kind == "run":
                runs += 1
                expected = int(argument[5:]) if argument.startswith("exit ") else 0
                faults += run_block(text, expected, folder, environment)
            else:
                files += 1
                path, _, part = argument.partition(" ")
                whole = (root / path).read_text()
                if not (text in whole if part == "part" else text == whole):
                    faults.append(f"{path} is not as shown")
    print(f"{document.name}: {runs} blocks run, {skipped} skipped, {files} files compared, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults or runs + files == 0 else 0)


main()
