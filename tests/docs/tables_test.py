#!/usr/bin/env python3
"""tables_test.py ROOT PROGRAM [--write]: the documents list the methods and preconditioners that there are.

* In docs/how-it-works.md the table after the line <!-- table: NAME --> is the one that PROGRAM prints, cell by cell.
* In docs/command-line.md the first words in code in the row of an option are the names that PROGRAM prints.

--write puts what PROGRAM prints into the documents, after it reported what differed.
"""
import pathlib
import re
import subprocess
import sys

TABLE = re.compile(r"(<!-- table: (\w+) -->\n\n)((?:\|.*\n)+)")


def cells(table):
    """A table by rows; the width of blanks and of the line below the head is free."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()]
    return rows[:1] + rows[2:]


def option_row(option):
    """The row of an option, up to the names, the names, and the rest."""
    return re.compile(rf"(^\| `-\w, {option}` \| `)([^`]*)(`.*$)", re.M)


def differences(document, written, printed):
    for got, want in zip(cells(written), cells(printed)):
        if got != want:
            yield f"{document}: {' | '.join(got)}\nis not\n{' | '.join(want)}"
    if len(cells(written)) != len(cells(printed)):
        yield f"{document}: {len(cells(written))} rows of a table, not {len(cells(printed))}"


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    parts = dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)+)", output, re.M))
    faults, compared = [], set()

    methods = root / "docs/how-it-works.md"
    text = methods.read_text()
    for _, name, written in TABLE.findall(text):
        compared.add(name)
        faults += differences(f"{methods.name}, {name}", written, parts[name])
    if "--write" in sys.argv:
        methods.write_text(TABLE.sub(lambda found: found[1] + parts[found[2]], text))

    command_line = root / "docs/command-line.md"
    text = command_line.read_text()
    for option in [name for name in parts if name.startswith("--")]:
        names = parts[option].strip()
        rows = option_row(option).findall(text)
        compared.update([option] if rows else [])
        faults += [f"command-line.md, {option}: {written}\nis not\n{names}"
                   for _, written, _ in rows if written != names]
        text = option_row(option).sub(lambda found: found[1] + names + found[3], text)
    if "--write" in sys.argv:
        command_line.write_text(text)

    faults += [f"{name} stands in no document" for name in parts if name not in compared]
    print(f"{len(compared)} of {len(parts)} parts compared, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults or not parts else 0)


main()
