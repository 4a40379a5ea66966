"""What a declaration says in words, and what it must say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import Claim
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure, Twin, variant_of
from sdcmetrics.measures.reference_values import ITSELF, References, ReferenceValues, average
from sdcmetrics.measures.registry import MEASURES

BASE = MEASURES["S_pMSE"]


@pytest.mark.parametrize(
    ("copy", "tells", "begins", "sign"),
    [
        (ITSELF, "no", "It looks at the original only", 1),
        (0.0, "yes", "It tells a copy from people who were not in the original.", -1),
        (
            100.0,
            "sparse keys",
            "It tells a copy from people who were not in the original only wh",
            1,
        ),
        (1.0, "weakly", "It tells a copy from people who were not in the original only we", 1),
        (1.0, "no", "It cannot tell a copy", 1),
    ],
)
def test_reference_values_in_words(copy: Any, tells: Any, begins: str, sign: int) -> None:
    values = ReferenceValues("P1", copy, tells, "original", at=lambda _: 1.0)
    assert values.words.startswith(begins)
    assert values.sign == sign
    assert values.tested is (tells != "no")
    for at in ("sample", "samples", None):
        assert not replace(values, at=at).tested


def test_reference_values_of_several_syntheses() -> None:
    first, second = (
        References(copy=1.0, p=0.3, outsiders_p=0.8),
        References(copy=4.0, p=0.04, fresh=2),
    )
    both = average([first, second])
    assert (both.copy, both.p, both.fresh, both.outsiders_p) == (2.5, 0.08, 2, 0.8)
    assert math.isnan(both.at)
    assert average([first, first]).outsiders_p == 1
    assert average([first]) is first


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"syntheses": "smallest", "tested": ()}, "it states a 'p' that no simulation has seen"),
        ({"fresh": lambda *_: 1.0, "tested": ()}, "it states a 'fresh'"),
        ({"family": DISCLOSURE_RISK, "reference_values": None}, "needs its reference values"),
    ],
)
def test_what_is_not_declared_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(StudyError, match=words):
        replace(BASE, **changed)
    replace(BASE, syntheses="smallest", fresh=lambda *_: 1.0, tested=("p", "fresh"))


def test_ranges_and_limits_in_words() -> None:
    def of(**changed: Any) -> Measure:
        return replace(BASE, **changed)

    assert of(low=0, high=1).range == "0 to 1"
    assert of(low=None, high=2.5).range == "unbounded to 2.5"
    assert of(low=-1, high=None).range == "-1 to unbounded"
    assert of(twin=None).rtol == 1e-10
    assert BASE.twin is not None
    assert of(twin=replace(BASE.twin, rtol=1e-3)).rtol == 1e-3
    assert isinstance(BASE.twin, Twin)
    variant = variant_of(
        BASE,
        "w",
        function=len,
        of=BASE.of,
        title="t",
        meaning="m",
        formula="f",
        source="s",
        limits="l",
    )
    assert (variant.symbol, variant.family, variant.ideal) == ("S_pMSE_w", BASE.family, BASE.ideal)
    assert variant.fresh is None


def test_a_claim_is_of_replacing_a_record() -> None:
    same = Claim.of(1.5, 1e-6, "replace")
    assert (same.epsilon, same.delta, same.words) == (1.5, 1e-6, "1.5 (of replacing a record)")
    twice = Claim.of(1.5, 1e-6, "add or remove")
    assert [twice.epsilon, twice.delta] == pytest.approx([3, 1e-6 * (1 + math.exp(1.5))])
    assert twice.words == "1.5 (of adding or removing a record: 3 of replacing it)"
    assert "as nothing else is told" in Claim.of(1.5, 0.0, "").words
    assert Claim.of(1.0, 0.5, "").delta == 1
    assert Claim.of(800.0, 1e-300, "").delta == 1
