#!/usr/bin/env python3
"""readme_programs_test.py README FOLDER [SECTION ...]: does what the README says, and nothing else.

For each of its sections From C++, From C and From Python that is named, all if none is: writes the programs that the section
shows to a fresh folder in FOLDER, runs the commands that it shows there, and holds what they print against what the section
shows, word by word. A program's file name stands in backticks right before it, or ends the command.
"""
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"((?:`[\w.]+`:\n\n(?:<!-- [^\n]* -->\n)?)?)^```(\w+)\n(.*?)^```$", re.M | re.S)


def run_section(title, text, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    unnamed, commands, shown = [], [], None
    for caption, kind, block in BLOCK.findall(text):
        if kind == "sh":
            commands.append(block)
        elif kind == "text":
            shown = block
        else:
            name = re.match(r"`([\w.]+)`:", caption)
            unnamed += [] if name else [block]
            if name:
                (folder / name[1]).write_text(block)
    if len(commands) != 1 or shown is None or len(unnamed) > 1:
        return f"{title}: needs one block of commands, one of what they print, and names for the files"
    for block in unnamed:
        (folder / commands[0].split()[-1]).write_text(block)
    if not any(folder.iterdir()):
        return f"{title}: shows no program"
    run = subprocess.run(["sh", "-c", commands[0]], cwd=folder, capture_output=True, text=True, timeout=600)
    printed = run.stdout.splitlines()[-len(shown.splitlines()):]  # cmake and the compiler print before
    if run.returncode != 0 or list(map(str.split, printed)) != list(map(str.split, shown.splitlines())):
        return f"{title}: status {run.returncode}, printed\n{run.stdout}{run.stderr}\nnot\n{shown}"
    if not re.search(r"\d\.\d{29}e", shown):
        return f"{title}: shows no number of 30 digits"
    return None


def main():
    readme, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    sections = sys.argv[3:] or ["From C++", "From C", "From Python"]
    faults = []
    for title in sections:
        found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## )", readme, re.M | re.S)
        fault = run_section(title, found[1], folder / title.replace(" ", "_")) if found else f"{title}: not in the README"
        faults += [fault] if fault else []
    print(f"{len(sections)} sections, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
