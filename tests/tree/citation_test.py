#!/usr/bin/env python3
"""citation_test.py ROOT: CITATION.cff has the fields that its schema, 1.2.0, requires and no others that it does not know, and
one version of residua stands in it, CMakeLists.txt and pyproject.toml."""
import pathlib
import re
import sys

REQUIRED = {"authors", "cff-version", "message", "title"}
KNOWN = REQUIRED | {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
                    "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url",
                    "version"}


def main():
    root = pathlib.Path(sys.argv[1])
    citation = (root / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^([a-z-]+):[ ]*(.*)$", citation, flags=re.M))
    versions = {"CITATION.cff": fields.get("version"),
                "CMakeLists.txt": re.search(r"project\(residua VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1],
                "pyproject.toml": re.search(r'^version = "(.*)"$', (root / "pyproject.toml").read_text(), flags=re.M)[1]}
    faults = [f"CITATION.cff lacks {name}" for name in sorted(REQUIRED - set(fields))]
    faults += [f"CITATION.cff has {name}, which is no field of the schema" for name in sorted(set(fields) - KNOWN)]
    if fields.get("cff-version") != "1.2.0":
        faults.append(f"CITATION.cff is of the schema {fields.get('cff-version')}, not 1.2.0")
    if fields.get("type", "software") not in ("software", "dataset"):
        faults.append(f"CITATION.cff cites a {fields['type']}")
    if not re.search(r"^authors:\n  - ", citation, flags=re.M):
        faults.append("CITATION.cff names no author")
    if len(set(versions.values())) != 1:
        faults.append("versions differ: " + ", ".join(f"{name} has {version}" for name, version in versions.items()))
    print("\n".join(faults) or f"version {versions['CITATION.cff']}")
    sys.exit(1 if faults else 0)


main()
