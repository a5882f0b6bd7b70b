"""What MkDocs does with docs/ beyond its own: mkdocs.yml names this file.

* The navigation is the list in docs/index.md: a section for each heading, a page for each item.
* Links to files outside docs/ lead to copies of these in the site, which show as text.
* The pages of Doxygen in build/docs/cpp, where tools/docs puts them, are part of the site.
"""

import pathlib
import re
import shutil

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
CPP = ROOT / "build/docs/cpp"
OUTSIDE = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
SHOWN_AS_IT_IS = {".txt", ".json"}


def site_path(path):
    """Where a file of the repository lies in the site; of a folder its first files."""
    return f"source/{path}" if pathlib.Path(path).suffix in SHOWN_AS_IT_IS else f"source/{path}.txt"


def text_of(path):
    """A file; of a folder the names of its files."""
    target = ROOT / path
    if target.is_dir():
        names = sorted(p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file())
        return "\n".join(f"{path}/{name}" for name in names) + "\n"
    return target.read_text()


def on_config(config):
    sections = re.split(r"^## +(.+)$", (ROOT / "docs/index.md").read_text(), flags=re.M)
    nav = [{"residua": "index.md"}]
    for title, text in zip(sections[1::2], sections[2::2]):
        items = re.findall(r"^\* \[([^\]]+)\]\(([\w-]+\.md)\)", text, re.M)
        nav.append({title.strip(): [{name: page} for name, page in items]})
    config.nav = nav
    return config


def on_files(files, config):
    outside = set()
    for page in files.documentation_pages():
        outside.update(path for path, _ in OUTSIDE.findall(page.content_string))
    for path in sorted(outside):
        files.append(File.generated(config, site_path(path), content=text_of(path)))
    if CPP.is_dir():
        files.append(File.generated(config, "cpp/index.html", abs_src_path=str(CPP / "index.html")))
    return files


def on_page_markdown(markdown, page, config, files):
    if CPP.is_dir():
        markdown = markdown.replace("<!-- doxygen -->", "[Browse the headers](cpp/index.html), as Doxygen shows them.")
    return OUTSIDE.sub(lambda found: f"]({site_path(found[1])})", markdown)


def on_post_build(config):
    if CPP.is_dir():
        shutil.copytree(CPP, pathlib.Path(config.site_dir) / "cpp", dirs_exist_ok=True)
