"""llms.txt: the pages of the site with a line about each, and llms-full.txt: their text."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx


def write(app: Sphinx, problem: Exception | None) -> None:
    """Write both files beside the pages."""
    if problem or app.builder.name != "html":
        return
    out = Path(app.outdir)
    short = [
        "# wmsketch",
        "",
        "> Learn a linear classifier from a stream in a fixed number of bytes, and ask which features matter, by name.",
        "",
    ]
    full = list(short)
    for docname in _in_order(app):
        document = app.env.get_doctree(docname)
        title = app.env.titles[docname].astext()
        first = next((p.astext() for p in document.findall(nodes.paragraph)), "")
        sentence = " ".join(first.split()).partition(". ")[0].rstrip(".:")
        short.append(f"- [{title}]({docname}.html): {sentence}")
        source = Path(app.env.doc2path(docname))
        if source.suffix == ".md":
            full += ["", f"<!-- {docname} -->", "", source.read_text("utf-8")]
    (out / "llms.txt").write_text("\n".join(short) + "\n", "utf-8")
    (out / "llms-full.txt").write_text("\n".join(full) + "\n", "utf-8")


def _in_order(app: Sphinx) -> list[str]:
    """The pages in the order of the tables of contents."""
    found: list[str] = []

    def visit(docname: str) -> None:
        if docname not in found:
            found.append(docname)
            for child in app.env.toctree_includes.get(docname, []):
                visit(child)

    visit(app.config.root_doc)
    return found


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
