"""How Sphinx builds the site: pages are made of the registry first, and tutorials are run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import generate  # noqa: E402  (found beside this file)

from sdcmetrics import __version__  # noqa: E402  (the checkout's)

project = "sdcmetrics"
author = "the sdcmetrics authors"
copyright = "2026, the sdcmetrics authors"  # noqa: A001  (Sphinx calls it so)
release = version = __version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
autodoc_typehints = "none"  # numpydoc sections say them in words
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
html_show_sourcelink = False
html_sidebars: dict[str, list[str]] = {"*": [], "generated/*": []}  # they have no pages below them
smartquotes = False  # a quote is a quote in commands, too


def setup(_: object) -> None:
    """Make the pages that follow from the code, and run every example of the tutorials, R's too."""
    generate.write_pages(HERE / "generated")
    if os.environ.get("SDCMETRICS_EXAMPLES") != "no":  # as where pytest runs them
        kinds = HERE / "tutorials", HERE / "how-to"
        generate.run_examples(page for kind in kinds for page in kind.glob("*.md"))
    generate.run_in_r(HERE / "tutorials" / "from-r.md")
