"""Pages of the repository that are not in docs/, as pages of the site; and links to other files as their names.

A page in docs/ may link to `../SECURITY.md`. The site has that page in its folder project/. It has no sources, so a
link to one becomes its name.
"""

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
FOLDER = "project"
PAGES = {
    "CHANGELOG.md": "changes",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
    "experiments/README.md": "experiments",
    "experiments/paper_map.md": "paper-map",
    "benchmarks/README.md": "benchmarks",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]*)(#[^)]*)?\)")
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^):\s]+)\)")


def on_site(text: str, page: Path, shown: Path) -> str:
    """Return the text of a page with its links as they are on the site; `shown` is where the site has the page."""

    def path_from(target: Path) -> str:
        return os.path.relpath(target, shown.parent)

    def link(match: re.Match[str]) -> str:
        words, name, section = match[1], match[2], match[3] or ""
        if not name:
            return match[0]
        target = (page.parent / name).resolve()
        outside = str(target.relative_to(ROOT)) if target.is_relative_to(ROOT) else ""
        if outside in PAGES:
            return f"[{words}]({path_from(DOCS / FOLDER / (PAGES[outside] + '.md'))}{section})"
        if outside == "README.md":
            return f"[{words}]({path_from(DOCS / 'index.md')})"
        if target.is_relative_to(DOCS) and target.suffix in (".md", ".rst"):
            return f"[{words}]({path_from(target)}{section})"
        return words if "`" in words else f"{words} (`{outside}`)"

    def image(match: re.Match[str]) -> str:
        return f"![{match[1]}]({path_from((page.parent / match[2]).resolve())})"

    return _IMAGE.sub(image, _LINK.sub(link, text))


def write_pages(app: Sphinx) -> None:
    """Write the pages from outside docs/, if they changed."""
    folder = DOCS / FOLDER
    folder.mkdir(exist_ok=True)
    for source, name in PAGES.items():
        shown = folder / f"{name}.md"
        text = on_site((ROOT / source).read_text("utf-8"), ROOT / source, shown)
        if not shown.exists() or shown.read_text("utf-8") != text:
            shown.write_text(text, "utf-8")


def read_source(app: Sphinx, docname: str, content: list[str]) -> None:
    """Change the links of a page in docs/ that leave it."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md" and not docname.startswith(f"{FOLDER}/"):
        content[0] = on_site(content[0], page, page)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("source-read", read_source)
    return {"parallel_read_safe": True}
