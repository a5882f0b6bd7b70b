#!/usr/bin/env python3
"""citations_test.py ROOT: every key cited in a comment or a document stands in docs/references.bib.

A citation is a key in square brackets, alone or with its place, or several: [HS52],
[JMP17, Alg. 12], [JMP17, Alg. 12; bound MR22, Thm 2.8].
"""
import collections
import pathlib
import re
import sys

BRACKET = re.compile(r"(?<![\w\])}])\[([^\[\]]{4,160})\](?!\()")
KEY = re.compile(r"(?<![\w.<])[A-Za-z]+\+?\d{2}(?![\w.])")
CODE = {".hpp": "//", ".cpp": "//", ".cu": "//", ".cuh": "//", ".py": "#", ".cmake": "#"}
SKIPPED = {"build", "data"}


def prose(path):
    """A document as it is; of code the comments, those of neighbouring lines joined."""
    text = path.read_text(errors="replace")
    if path.suffix == ".md":
        return re.sub(r"```.*?```", "", text, flags=re.S)
    mark = CODE[path.suffix]
    return "\n".join(line.partition(mark)[2].lstrip("/<# ") for line in text.splitlines())


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    keys = re.findall(r"^@\w+\{([^,\s]+),", (root / "docs/references.bib").read_text(), re.M)
    faults = [f"docs/references.bib: {key} stands there {count} times"
              for key, count in collections.Counter(keys).items() if count > 1]
    cited = set()
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if parts[0] in SKIPPED or parts[0].startswith((".", "build-")) or not path.is_file():
            continue
        if path.suffix != ".md" and path.suffix not in CODE or path == pathlib.Path(__file__).resolve():
            continue
        for bracket in BRACKET.findall(prose(path)):
            for key in KEY.findall(bracket):
                cited.add(key)
                if key not in keys:
                    faults.append(f"{path.relative_to(root)}: [{key}] is not in docs/references.bib")
    faults += [f"docs/references.bib: nobody cites {key}" for key in keys if key not in cited]
    print(f"{len(keys)} references, {len(cited)} cited, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults or not cited else 0)


main()
