"""Limits of a profile: which entries go together, and what lies at the end of a range."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.study.profile import Profile, load_profile

VALUES = {
    "review": 1.0, "fail": 2.0, "chance": 0.02, "size_review": 0.1, "size_fail": 0.3,
    "excess": 2.0, "excess_share": 0.4,
}  # fmt: skip
OF_TABLES, OF_RISKS = {"size_review", "size_fail"}, {"excess", "excess_share"}
SIGNED = 'source = "minutes"\nowner = "unit"\ndate = 2026-11-01\n'


def loaded(folder: Path, text: str) -> Profile:
    """Return the profile that a file of this text is."""
    file = folder / "ours.toml"
    file.write_text('[profile]\ntitle = "Ours"\n' + text, encoding="utf-8")
    return load_profile(file)


def limits(metric: str, **entries: float) -> str:
    """Return a section of limits."""
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    return f"[thresholds.{metric}]\n{lines}{SIGNED}"


def goes_together(metric: str, names: set[str]) -> bool:
    """Whether entries that stand under a measure all say something there, as the manual has it."""
    plain = bool(names & {"review", "fail"})
    if metric == "S_pMSE":
        if names & OF_RISKS:
            return False
        if "chance" in names:
            return {"review", "chance", "size_review", "size_fail"} <= names
        return plain and not names & OF_TABLES
    if metric == "ROC":
        return plain and names <= {"review", "fail"}
    if names & OF_TABLES:
        return False
    return "excess" in names or (plain and names <= {"review", "fail"})


@pytest.mark.parametrize("metric", ["S_pMSE", "DiSCO", "repU", "ROC"])
def test_every_entry_says_something_or_is_refused(tmp_path: Path, metric: str) -> None:
    values = VALUES | ({"review": 0.9, "fail": 0.5} if metric == "ROC" else {})
    for there in product([False, True], repeat=len(values)):
        entries = {
            name: value for (name, value), wanted in zip(values.items(), there, strict=True)
            if wanted
        }  # fmt: skip
        names = {*entries}
        if not goes_together(metric, names):
            with pytest.raises(StudyError, match=rf"ours\.toml: thresholds\.{metric}: "):
                loaded(tmp_path, limits(metric, **entries))
            continue
        profile = loaded(tmp_path, limits(metric, **entries))
        limit = profile.thresholds.get(metric)
        in_rule = metric == "S_pMSE" and "chance" in names
        assert (profile.tables is not None) == in_rule
        assert (profile.excess is not None) == ("excess" in names)
        assert (limit is not None) == (not in_rule and bool(names & {"review", "fail"}))
        if limit is not None:
            assert (limit.review, limit.fail) == (entries.get("review"), entries.get("fail"))
        if profile.tables is not None:
            rule = profile.tables
            assert (rule.chance, rule.size_review, rule.size_fail) == (0.02, 0.1, 0.3)
            assert (rule.review, rule.fail) == (1.0, entries.get("fail"))
        if profile.excess is not None:
            share = entries.get("excess_share", 0.5)
            asked = (2.0, entries.get("chance", 0.01), share)
            rule_of = profile.excess
            assert (rule_of.excess, rule_of.chance, rule_of.excess_share) == asked
            assert rule_of.metrics == (metric,)


@pytest.mark.parametrize(
    ("metric", "review", "fail", "refused"),
    [
        ("S_pMSE", 3, 10, False),
        ("S_pMSE", 3, 3, False),  # it fails where it would be looked at
        ("S_pMSE", 10, 3, True),
        ("ROC", 0.9, 0.5, False),  # higher is better
        ("ROC", 0.9, 0.9, False),
        ("ROC", 0.5, 0.9, True),
    ],
)
def test_what_fails_is_no_better_than_what_is_looked_at(
    tmp_path: Path, metric: str, review: float, fail: float, refused: bool
) -> None:
    text = limits(metric, review=review, fail=fail)
    if refused:
        with pytest.raises(StudyError, match="'review' must be reached before 'fail'"):
            loaded(tmp_path, text)
    else:
        assert loaded(tmp_path, text).thresholds[metric].fail == fail


def test_sizes_of_tables_may_be_equal_and_not_the_other_way_round(tmp_path: Path) -> None:
    entries = {"review": 3.0, "chance": 0.01, "size_review": 0.2}
    assert loaded(tmp_path, limits("S_pMSE", **entries, size_fail=0.2)).tables is not None
    with pytest.raises(StudyError, match="size_review must be reached before size_fail"):
        loaded(tmp_path, limits("S_pMSE", **entries, size_fail=0.19))


def test_questions_share_one_level(tmp_path: Path) -> None:
    same = {"excess": 2.0, "chance": 0.02, "excess_share": 0.4}
    both = loaded(tmp_path, limits("DiSCO", **same) + limits("repU", **same)).excess
    assert both is not None
    assert both.metrics == ("DiSCO", "repU")
    for name, value in (("excess", 2.5), ("chance", 0.03), ("excess_share", 0.3)):
        with pytest.raises(StudyError, match=r"must be the same for DiSCO and repU"):
            loaded(tmp_path, limits("DiSCO", **same) + limits("repU", **same | {name: value}))


@pytest.mark.parametrize("metric", sorted(MEASURES))
def test_a_limit_at_the_end_of_a_range_is_one_and_beyond_it_is_none(
    tmp_path: Path, metric: str
) -> None:
    measure = MEASURES[metric]
    if measure.better == "none":
        with pytest.raises(StudyError, match="only helps to read"):
            loaded(tmp_path, limits(metric, review=1))
        return
    for end, away in ((measure.low, -math.inf), (measure.high, math.inf)):
        if end is not None and math.isfinite(end):
            for entry in ("review", "fail"):
                profile = loaded(tmp_path, limits(metric, **{entry: end}))
                assert getattr(profile.thresholds[metric], entry) == end
                with pytest.raises(StudyError, match=f"{entry}: {metric} runs from"):
                    loaded(tmp_path, limits(metric, **{entry: math.nextafter(end, away)}))


@pytest.mark.parametrize(
    ("ends", "refused"),
    [([0.5], False), ([0.0, 0.5, 0.8], False), ([], True), ([0.5, 0.5], True), ([0.8, 0.5], True)],
)
def test_bands_rise(tmp_path: Path, ends: list[float], refused: bool) -> None:
    text = f"[bands]\nCIO = {ends}\n"
    if refused:
        with pytest.raises(StudyError, match=r"bands\.CIO: expected one to \d+ numbers, smallest"):
            loaded(tmp_path, text)
    else:
        assert loaded(tmp_path, text).bands == {"CIO": tuple(ends)}


FRAME = {"frame": '"F"', "criterion": '"C"', "measures": '["DiSCO"]', "source": '"S"'}
IN_FRAME = r"frame\.0: expected frame, criterion, measures = \[\.\.\.\] and source in a section"


def frame(**entries: str | None) -> str:
    """Return a section on a criterion, with some entries other than they should be."""
    lines = [f"{name} = {value}" for name, value in (FRAME | entries).items() if value is not None]
    return "\n".join(["[[frame]]", *lines]) + "\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[profil]\n", "^ours.toml: unknown section 'profil'. Did you mean 'profile'"),
        ("min_cel = 3\n", "^ours.toml: unknown entry 'profile.min_cel'. Did you mean 'min_cell'"),
        (
            limits("ROC", fial=0.5),
            r"^ours.toml: thresholds.ROC: unknown entry 'fial'. Did you mean 'fail'",
        ),
        (frame(critera="1"), "^ours.toml: frame.0: unknown entry 'critera'. .* mean 'criterion'"),
        (frame(source=None), IN_FRAME),
        (frame(criterion="3"), IN_FRAME),
        (frame(criterion='""'), IN_FRAME),
        (frame(measures="[]"), IN_FRAME),
        (frame(measures="[3]"), IN_FRAME),
        ('[bands]\nCIO = ["low"]\n', r"^ours.toml: bands.CIO: expected numbers such as CIO"),
        ("[bands]\nCIO = 3\n", r"^ours.toml: bands.CIO: expected numbers such as CIO"),
        (
            "[thresholds.ROC]\nfail = 0.5\n",
            r"^ours.toml: thresholds.ROC: the entry 'source' is required: a threshold needs",
        ),
        (
            limits("ROC", fail=0.5).replace('"unit"', '""'),
            r"^ours.toml: thresholds.ROC: the entry 'owner' is required: a threshold needs",
        ),
        (
            limits("ROC", fail=0.5).replace("2026-11-01", '""'),
            r"^ours.toml: thresholds.ROC: the entry 'date' is required: a threshold needs",
        ),
        (
            limits("ROC", fail=0.5).replace("2026-11-01", '"soon"'),
            r"^ours.toml: thresholds.ROC: date: expected a TOML date",
        ),
        ("[thresholds]\nROC = 3\n", r"^ours.toml: thresholds.ROC: expected ROC = ... in a sect"),
    ],
)
def test_what_is_wrong_in_a_section_is_said_of_this_section(
    tmp_path: Path, text: str, message: str
) -> None:
    assert loaded(tmp_path, frame()).criteria[0].measures == ("DiSCO",)
    with pytest.raises(StudyError, match=message):
        loaded(tmp_path, text)


def test_whoever_changes_a_profile_changes_it_for_nobody_else() -> None:
    before = dict(load_profile("default").thresholds)
    load_profile("default").thresholds.clear()
    assert before
    assert load_profile("default").thresholds == before
