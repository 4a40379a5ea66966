"""Groups of people that replicas serve worst: by each level of a column, missing ones included."""

from __future__ import annotations

from sdcmetrics.measures.distributions.places import Distributions
from sdcmetrics.report.sections.all_measures import beside_holdout
from sdcmetrics.report.source import Source
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study
from tests.report.conftest import sample


def test_missing_is_a_group_with_a_name_and_an_absent_group_comes_first() -> None:
    original, replica = sample(300, 1).drop(columns="job"), sample(300, 2).drop(columns="job")
    for frame in (original, replica):
        frame.loc[frame.index % 4 == 0, "vote"] = None
    replica["region"] = replica["region"].replace("West", "North")
    groups = Distributions(energy=False, groups=("vote", "region"), permutations=19)
    study = Study(original, {"one": replica}, keys=["age"], distributions=groups)
    *_, table = beside_holdout(Source(conduct(study), load_profile("default"), "internal"))
    fields = [column.field for column in table.columns]
    rows = [dict(zip(fields, (cell.text for cell in row), strict=True)) for row in table.rows]
    assert (rows[0]["variable"], rows[0]["group"], rows[0]["synthetic"]) == ("region", "West", "0")
    named = {row["group"]: row["synthetic"] for row in rows if row["variable"] == "vote"}
    assert named["(missing)"] == str(replica["vote"].isna().sum())
    assert {*named} == {"(missing)", "yes", "no"}
