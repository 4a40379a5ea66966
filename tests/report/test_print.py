"""The report on paper: nothing that a screen scrolls to is cut off."""

from __future__ import annotations

from typing import Any

import pytest

from sdcmetrics.report.assembly import safe_report
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


@pytest.mark.long
@pytest.mark.parametrize("many", [2, 6])
def test_no_text_is_outside_the_margins_of_a_page(profile: Profile, many: int) -> None:
    original, holdout, *each = (sample(300, i).rename(columns=NAMES) for i in range(many + 2))
    replicas = {f"replica {i}": one for i, one in enumerate(each)}
    keys, targets = ["Informational_Duration", "OperatingSystems"], ["VisitorType"]
    study = Study(original, replicas, keys=keys, targets=targets, holdout=holdout, perturbed=[])
    page = render(safe_report(conduct(study), profile, "internal"))
    outside = []
    for number, paper in enumerate(weasyprint.HTML(string=page).render().pages, 1):
        box = paper._page_box
        end = box.content_box_x() + box.width + _INTO_THE_MARGIN
        texts = (one for one in box.descendants() if hasattr(one, "text") and one.text.strip())
        outside += [(number, one.text) for one in texts if one.position_x + one.width > end]
    assert outside == []
