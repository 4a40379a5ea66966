"""What a checker's edition says of copied people: counts that are rounded, answers that are not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdcmetrics.decision.answer import Decision
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.document import as_json
from sdcmetrics.report.formats.write import write_all
from sdcmetrics.report.judging import judged
from sdcmetrics.report.safety.cells import Mode, plain
from sdcmetrics.report.safety.protect.figures import share
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.report.safety.protect.rounding import Rounding, protected_copies
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.judge import Status
from sdcmetrics.review.people import Copied, held_in
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study

ROUNDING = Rounding(base=5, least=10, zeros=True)
PROFILE = load_profile("illustration")
MODES: tuple[Mode, ...] = ("internal", "checker")


@cache
def review(columns: int, n: int = 300) -> Review:
    rng = np.random.default_rng(4)

    def frame() -> pd.DataFrame:
        return pd.DataFrame({f"v{i}": rng.choice(list("abcd"), n) for i in range(columns)})

    original = frame()
    copy = original.sample(frac=1, random_state=1).reset_index(drop=True)
    replicas = {"copy": copy, "fresh": frame()}
    return conduct(Study(original, replicas, keys=["v0"], targets=["v1"], profile="illustration"))


def test_counts_of_every_synthesis_are_rounded() -> None:
    each = [Copied("r", i, 403, copied, copied + 1, 203) for i, copied in ((1, 37), (2, 212))]
    for exact, told in zip(each, protected_copies(each, ROUNDING), strict=True):
        assert (told.replica, told.synthesis) == (exact.replica, exact.synthesis)
        pairs = [
            (exact.n, told.n),
            (exact.copied, told.copied),
            (exact.singled_out, told.singled_out),
            (exact.n_near, told.n_near),
        ]
        for before, after in pairs:
            assert before is not None
            assert after is not None
            assert after % 5 == 0
            assert abs(after - before) <= 5
    (without,) = protected_copies([Copied("r", 0, 403, 37)], ROUNDING)
    assert without.singled_out is None


@pytest.mark.parametrize("columns", [2, 6])
def test_a_copy_may_be_released_in_no_edition(columns: int, tmp_path: Path) -> None:
    result = review(columns)
    for mode in MODES:
        write_all(result, tmp_path / mode, profile=PROFILE, mode=mode, formats=["html"])
        by_name = {item.replica: item for item in judged(result, PROFILE, mode)}
        assert by_name["copy"].risk.status is Status.FAIL
        assert by_name["copy"].risk.words == "no"
        assert by_name["fresh"].risk.status is not Status.FAIL
        page = (tmp_path / mode / "report-annexes.html").read_text("utf-8")
        assert "is a copy of the original" in page


def test_the_answers_of_both_editions_are_one_and_the_reasons_are_inside_only() -> None:
    result = review(6)
    inside, outside = (judged(result, PROFILE, mode) for mode in MODES)

    def answers(decided: tuple[Decision, ...]) -> list[tuple[str, Status, str, Status, str]]:
        return [
            (item.replica, item.risk.status, item.basis, item.utility.status, item.words)
            for item in decided
        ]

    assert answers(inside) == answers(outside)
    assert all(item.risk.statements for item in inside)
    assert not any(item.risk.statements or item.utility.statements for item in outside)
    text = as_json(safe_report(result, PROFILE, "checker"))
    stated = [str(statement) for decided in inside for statement in decided.risk.statements]
    assert stated
    assert not [words for words in stated if words in text]
    assert '"facts"' not in text


def test_how_much_of_the_original_is_handed_out_stays_inside() -> None:
    result = review(6)
    assert held_in(result)["copy"].share == 1
    told = protect(result, PROFILE).held
    assert {name: item.words for name, item in told.items()} == {
        name: item.words for name, item in held_in(result).items()
    }
    assert {item.share for item in told.values()} == {0.0}


@given(total=st.integers(30, 3_000), part=st.floats(0, 1), key=st.text(max_size=3))
def test_a_share_lies_between_the_ends_that_a_verdict_looks_at(
    total: int, part: float, key: str
) -> None:
    count = round(part * total)
    figure = share(replace(ROUNDING, key=key), count, total)
    if not figure.shown:
        assert figure.least <= 100 * count / total <= figure.most
        assert figure.least <= figure.value <= figure.most


@pytest.mark.parametrize(
    ("m", "words"),  # of two files together each person has two copies, and they are near
    [
        (1, "near is closer to the people of the original than"),
        (2, "near follows single people of the original."),
    ],
)
def test_a_replica_that_is_closer_than_fresh_data_is_for_a_closer_look_in_both_editions(
    m: int, words: str
) -> None:
    rng = np.random.default_rng(4)
    names = [f"v{i}" for i in range(8)]
    original, holdout = (pd.DataFrame(rng.integers(0, 4, (600, 8)), columns=names) for _ in "12")
    near = []
    for _ in range(m):
        near.append(original.copy())
        for name in rng.permutation(names)[:2]:  # too many for a copy, or a single person
            near[-1][name] = (near[-1][name] + rng.integers(1, 4, 600)) % 4
        near[-1] = near[-1].sample(frac=1, random_state=1)
    replicas = {"near": near, "fresh": pd.DataFrame(rng.integers(0, 4, (600, 8)), columns=names)}
    study = Study(original, replicas, holdout=holdout, keys=["v0"], targets=["v1"])
    review = conduct(study)
    for mode in MODES:
        answers = {item.replica: item.risk.status for item in judged(review, PROFILE, mode)}
        assert answers["near"] is Status.REVIEW
        report = safe_report(review, PROFILE, mode)
        assert [name.text for name in report.decision.people] == ["near"]
        texts = [plain(sentence.words) for sentence in report.decision.findings[0].sentences]
        assert texts[0].startswith(words)
