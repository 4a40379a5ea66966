"""The report on paper: nothing that a screen scrolls to is cut off."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.formats.render import render
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study
from tests.report.conftest import sample

weasyprint: Any = pytest.importorskip("weasyprint")
NAMES = {
    "age": "Administrative_Duration",
    "region": "Informational_Duration",
    "job": "OperatingSystems",
    "income": "ProductRelated_Duration",
    "vote": "VisitorType",
}
_INTO_THE_MARGIN = 20.0
"""Pixels, of 57, that fonts and versions of WeasyPrint may take: here 0 to 3."""


def page_of(profile: Profile, many: int) -> str:
    original, holdout, *each = (sample(300, i).rename(columns=NAMES) for i in range(many + 2))
    replicas = {f"replica {i}": item for i, item in enumerate(each)}
    keys, targets = ["Informational_Duration", "OperatingSystems"], ["VisitorType"]
    study = Study(original, replicas, keys=keys, targets=targets, holdout=holdout, perturbed=[])
    return render(safe_report(conduct(study), profile, "internal"))


def sections(page: str) -> list[str]:
    return re.findall(r"<section.*?</section>", page, re.DOTALL)


def test_no_text_is_outside_the_margins_of_a_page(profile: Profile) -> None:
    several, few = page_of(profile, 6), page_of(profile, 2)
    for section in sections(few):
        if 'id="overview"' not in section:  # which alone is otherwise where replicas are few
            few = few.replace(section, "")
    assert outside(several) == outside(few) == []


def outside(page: str) -> list[tuple[int, str]]:
    """Return texts beyond the margin, with their pages."""
    out = []
    for number, paper in enumerate(weasyprint.HTML(string=page).render().pages, 1):
        box = paper._page_box
        end = box.content_box_x() + box.width + _INTO_THE_MARGIN
        texts = (
            element
            for element in box.descendants()
            if hasattr(element, "text") and element.text.strip()
        )
        out += [(number, text.text) for text in texts if text.position_x + text.width > end]
    return out


def table(name: str, rows: int) -> str:
    body = "".join(f"<tr><td>{name} {i}</td></tr>" for i in range(rows))
    return f"<table><caption>{name}</caption><tbody>{body}</tbody></table>"


def printed(body: str) -> list[str]:
    """Return the text of each page, without what stands in its margins."""
    style = (TEMPLATES / "report.css").read_text("utf-8")
    page = weasyprint.HTML(string=f"<style>{style}</style><main>{body}</main>").render()
    return [
        " ".join(
            text.text
            for child in paper._page_box.children
            if child.element_tag == "html"
            for text in child.descendants()
            if hasattr(text, "text")
        )
        for paper in page.pages
    ]


def test_a_heading_that_repeats_the_caption_of_its_table_is_not_printed() -> None:
    folded = "<details{}><summary>Shares</summary>" + table("Shares", 1) + "</details>"
    (twice,) = printed(folded.format(""))
    (once,) = printed(folded.format(' class="named"'))
    assert (twice.count("Shares"), once.count("Shares")) == (3, 2)  # a cell has the word, too


def test_a_short_table_is_printed_on_one_page() -> None:
    above = '<div style="height: 225mm"></div>'
    split, whole = (
        printed(f'{above}<div class="scroll{kind}">{table("cell", 8)}</div>')
        for kind in ("", " brief")
    )
    assert "cell 1" in split[0]
    assert "cell" not in whole[0]
    assert "cell 7" in whole[1]
