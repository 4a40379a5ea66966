"""Shares in words: none and all are said of what is none and all but for rounding."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.phrase import Phrase, plain_text
from sdcmetrics.ranking.sentences import how_often, percent


def ranking(**said: Any) -> Any:
    """Return what sentences read of a ranking of three replicas."""
    given = {
        "replicas": ("a", "b", "c"), "by_place": ["b", "a", "c"], "totals": np.array([2, 1.5, 3]),
        "verdicts": {}, "strategy": "rank", "winner": "b", "first": ("b",), "handed_out": {},
        "distances": True, "uncertainty": None,
    }  # fmt: skip
    return With(**{**given, **said})


def text(phrase: Phrase) -> str:
    return plain_text(phrase).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"), (4e-10, "0 %"), (6e-10, "under 1 %"), (0.005, "under 1 %"), (0.0051, "1 %"),
        (0.9949, "99 %"), (0.995, "over 99 %"), (1 - 6e-10, "over 99 %"), (1 - 4e-10, "100 %"),
        (1.0, "100 %"),
    ],
)  # fmt: skip
def test_a_share_rounds_to_none_or_all_by_rounding_alone(share: float, words: str) -> None:
    assert percent(share).replace("\N{NO-BREAK SPACE}", " ") == words


@pytest.mark.parametrize(
    ("share", "times", "words"),
    [
        (0.5, 99, "49.5 of 99"), (0.5, 100, "50 %"), (0.0, 100, "1 %"), (0.0, 99, "0 of 99"),
        (1.0, 100, "99 %"), (0.0, 1000, "under 1 %"), (1.0, 1000, "over 99 %"),
    ],
)  # fmt: skip
def test_few_draws_are_counted_and_many_never_say_all(share: float, times: int, words: str) -> None:
    assert how_often(share, times).replace("\N{NO-BREAK SPACE}", " ") == words


def test_the_first_lead_by_their_totals() -> None:
    words = "By the weighted mean of its ranks (1 is best): "
    assert text(sentences.margin(ranking())) == words + "b 1.50, then a 2.00."
    level = ranking(winner=None, totals=np.array([1.5, 1.5, 3]))
    assert text(sentences.margin(level)) == words + "b 1.50 and a 1.50."


@pytest.mark.parametrize(
    ("shares", "times", "words"),
    [
        ((0.6, 0.4, 0.0), 0, "a first in 60 %, b first in 40 %, the others never"),
        ((0.005, 0.995, 0.0), 0, "b first in over 99 %, a first in under 1 %, the others never"),
        ((0.0049, 0.9951, 0.0), 0, "b first in over 99 %, the others hardly ever"),
        ((0.0, 1.0, 0.0), 99, "b first in 99 of 99, the others never"),
        ((0.004, 0.996, 0.0), 99, "b first in 98.6 of 99, the others hardly ever"),
        ((0.0, 1.0, 0.0), 100, "b first in 99 %, the others hardly ever"),
        ((0.25, 0.5, 0.25), 8, "b first in 4 of 8, a first in 2 of 8, c first in 2 of 8"),
    ],
)  # fmt: skip
def test_who_is_hardly_ever_first_is_not_named(
    shares: tuple[float, ...], times: int, words: str
) -> None:
    assert text(sentences._often(ranking(), shares, times)) == words


@pytest.mark.parametrize(
    ("winner", "change", "words"),
    [
        ("b", None, "b first in 100 %, the others never."),
        ("b", "some", "b first in over 99 %, the others hardly ever."),
        (None, None, "b first in over 99 %, the others hardly ever."),
    ],
)
def test_no_other_is_first_under_any_weights_only_where_none_can_be(
    winner: str | None, change: str | None, words: str
) -> None:
    some = ranking(
        winner=winner, smallest_change=change, options=With(draws=4096),
        acceptability=pd.DataFrame({1: [0.0, 1.0, 0.0]}),
    )  # fmt: skip
    start = "If nothing were known of what counts, and all weights were equally likely: "
    assert text(sentences.all_weights(some)) == start + words


def test_draws_are_of_some_replicas_or_of_all() -> None:
    drawn = With(
        replicas=("a", "b", "c"), source="records", times=4,
        rank_shares=np.array([[0.5, 0.5, 0], [0.5, 0.25, 0.25], [0, 0.25, 0.75]]),
    )  # fmt: skip
    ends = "under the same weights: a first in 2 of 4, b first in 2 of 4, the others never."
    assert text(sentences.drawn_again(ranking(uncertainty=drawn))) == (
        "When a tenth of the records of the replicas is left out, 4 times, and what changes is "
        f"scaled to all, {ends}"
    )
    drawn.replicas = ("a", "b")
    assert ", the other replicas staying as they are, under" in text(
        sentences.drawn_again(ranking(uncertainty=drawn))
    )


def criterion(name: str, *, utility: bool, reason: str = "") -> Any:
    return With(criterion=With(name=name, utility=utility), reason=reason)


def test_the_map_says_what_it_is_made_of() -> None:
    anchors = [
        criterion("ROC", utility=True),
        criterion("CIO", utility=True),
        criterion("pMSE", utility=True),
        criterion("DCAP", utility=False),
    ]
    weights = With(flat=lambda: {"ROC": 0.5, "CIO": 0.2, "pMSE": 0.0, "DCAP": 0.3, "repU": 0.0})
    given = {"weights": weights, "anchors": anchors}
    made = "The map's utility is made of ROC, CIO; its protection of DCAP."
    assert sentences.on_map(ranking(**given)) == made
    off = criterion("repU", utility=False, reason="no reference has it")
    content = sentences.on_map(ranking(**given | {"anchors": [*anchors[:3], off]}))
    assert content.endswith("protection of nothing. Not on the map: repU (no reference has it).")
    content = sentences.on_map(ranking(**given, handed_out={"a": 0.0, "b": 0.1}))
    assert content.startswith(made + " Protection is at most the share of the original")
    assert sentences.on_map(ranking(**given, handed_out={"a": 0.0})) == made
    content = sentences.on_map(ranking(**given, distances=False))
    assert content.startswith(made + " Protection counts exact matches only")
    assert sentences.on_map(ranking(**given | {"anchors": []}, distances=False)) == ""


def test_who_is_first_by_how_much_risk_counts() -> None:
    def stretch(low: float, high: float, *first: str) -> Any:
        return With(low=low, high=high, first=first)

    weights = With(families={"disclosure": 0.4})
    three = [stretch(0, 0.2, "a"), stretch(0.2, 0.7, "b"), stretch(0.7, 1, "c", "a")]
    assert text(sentences.risk_weight(ranking(stretches=three, weights=weights))) == (
        "First, by how much disclosure risk counts: a up to 20 %; b from 20 % to 70 %; "
        "c and a above 70 %. It counts 40 % here."
    )
    same = " first however much disclosure risk counts against utility."
    assert text(sentences.risk_weight(ranking(stretches=three[:1]))) == "a is" + same
    assert text(sentences.risk_weight(ranking(stretches=three[2:]))) == "c and a are" + same
    assert sentences.risk_weight(ranking(stretches=[])) == ()


def points(*rows: tuple[float, float, bool]) -> dict[str, pd.DataFrame]:
    frame = pd.DataFrame(rows, index=[*"abc"[: len(rows)]])
    frame.columns = pd.Index(["utility", "protection", "front"])
    return {"map": frame}


def test_who_is_not_beaten() -> None:
    def said(*rows: tuple[float, float, bool]) -> str:
        return text(
            sentences.undominated(ranking(replicas=(*"abc"[: len(rows)],), **points(*rows)))
        )

    by = "By the scores between references, "
    assert (
        said((0.9, 0.9, True), (0.1, 0.5, False))
        == f"{by}a is best on utility and on risk at once."
    )
    level = f"{by}a and b are level on utility and on risk"
    assert said((0.9, 0.9, True), (0.9, 0.9 + 1e-14, True)) == f"{level}."
    assert (
        said((0.9, 0.9, True), (0.9, 0.9, True), (0, 0, False))
        == f"{level}, and better than the others."
    )
    every = f"{by}every replica gives up something that another has: none is beaten."
    assert said((0.9, 0.1, True), (0.1, 0.9, True)) == every
    some = said((0.9, 0.1, True), (0.1, 0.9, True), (0.1, 0.1, False))
    assert some.startswith(f"{by}a choice between utility and risk is left among a and b; one of")
    assert said((0.9, 0.1, True)) == ""
    for strategy, words in (("rank", "ranks"), ("linear", "points")):
        without = ranking(
            map=pd.DataFrame(columns=["utility", "protection", "front"]),
            sides=pd.DataFrame({"utility": [1.0, 0, 0], "risk": [1.0, 0, 0]}),
            pareto={"utility and risk": pd.Series([True, False, False])},
            strategy=strategy,
        )  # fmt: skip
        assert text(sentences.undominated(without)).startswith(f"By their {words}, a is best")
