#!/usr/bin/env python3
"""links_test.py ROOT: relative links in the documents lead to files, anchors to headings.

The items of docs/index.md, from which the site has its navigation, are the pages of docs/, each once.
"""
import collections
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    headings = re.findall(r"^#+ +(.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}


def missing_pages(docs):
    listed = collections.Counter(re.findall(r"^\* \[[^\]]+\]\(([\w-]+\.md)\)", (docs / "index.md").read_text(), re.M))
    for page in sorted(path.name for path in docs.glob("*.md") if path.name != "index.md"):
        if listed[page] != 1:
            yield f"docs/index.md: {page} is an item there {listed[page]} times"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    faults, seen = [], 0
    documents = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("data/*.md"),
                 *root.glob("examples/**/*.md"), *root.glob("bench/**/*.md")]
    for document in documents:
        text = re.sub(r"```.*?```", "", document.read_text(), flags=re.S)
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            seen += 1
            file, _, anchor = link.partition("#")
            target = document.parent / file if file else document
            if not target.exists():
                faults.append(f"{document.relative_to(root)}: {link} leads nowhere")
            elif anchor and anchor not in anchors(target.read_text()):
                faults.append(f"{document.relative_to(root)}: {link}: no such heading")
    faults += missing_pages(root / "docs")
    print(f"{seen} relative links in {len(documents)} documents, {len(faults)} faults")
    print("\n".join(faults))
    sys.exit(1 if faults or seen == 0 else 0)


main()
