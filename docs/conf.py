"""The site of `make docs`."""

import sys
from pathlib import Path

import wmsketch

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "wmsketch"
author = "the wmsketch authors"
version = release = wmsketch.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "outside_pages",
    "parameters",
    "command_reference",
    "llms",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "_templates", "gallery", "gallery_auto/*.py"]
root_doc = "index"
language = "en"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
default_role = "py:obj"  # one backtick in a docstring is a name
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
numpydoc_show_class_members = False
add_module_names = False
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
highlight_language = "python"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "gallery_auto",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "wmsketch"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it would fetch the pages, which browsers refuse for files
html_sidebars = {"index": [], "five-minutes": [], "comparison": []}  # no pages below them
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = "the wmsketch authors. Apache-2.0"
