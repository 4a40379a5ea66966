"""What was compared with R, what was not, and rules, of sources made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace as With
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.errors import RError
from sdcmetrics.report.safety.cells import Name, SafeCell, blank, plain, text_cell
from sdcmetrics.report.sections import proof, rules, unchecked
from sdcmetrics.review.judge import Status
from tests.report.by_hand.cells import SCENARIO


def test_that_nothing_was_compared_with_r_is_told_unless_it_was() -> None:
    def told(crosscheck: Any) -> list[str]:
        source: Any = With(crosscheck=crosscheck)
        return [plain(item.words) for item in unchecked._against_r(source)]

    assert told(With()) == []
    (never,) = told(None)
    (failed,) = told(RError("no R"))
    assert "were not compared with those of R" in never
    assert "it was asked for, but R could not make it" in failed


@pytest.mark.parametrize(
    ("values", "chance", "release", "told"),
    [
        ((None, 0.2), 0.05, False, True), ((None, None), 0.05, False, False),
        ((math.inf, None), 0.05, False, False), ((0.2,), None, False, False),
        ((0.2,), 0.05, True, False),
    ],
)  # fmt: skip
def test_how_a_broken_rule_is_judged_is_told_where_it_has_a_chance(
    values: tuple[float | None, ...], chance: float | None, *, release: bool, told: bool
) -> None:
    rows = [
        None if value is None else With(value=None if math.isinf(value) else value)
        for value in values
    ]
    source: Any = With(
        profile=With(thresholds={"rule_severity": With(chance=chance)}),
        measures=With(find=lambda replica, *_: rows[replica]),
        replicas=range(len(rows)), release=release,
    )  # fmt: skip
    words = rules._how_judged(source, With(text="x > 0"))  # type: ignore[arg-type]
    assert bool(words) is told
    assert not told or words.endswith("(p, times the number of such rules, at most 0.05).")
    source.profile.thresholds.clear()
    assert not rules._how_judged(source, With(text="x > 0"))  # type: ignore[arg-type]


@pytest.mark.parametrize("release", [False, True])
def test_keys_that_are_hardly_ever_found_are_told_inside_only(*, release: bool) -> None:
    shares = {"a": 0.1, "b": 50.0, "c": None}
    source: Any = With(
        release=release, replicas=("a", "b", "c", "d"), review=With(scenarios=[SCENARIO]),
        measures=With(
            risk=lambda replica, *_: With(value=shares[replica]) if replica in shares else None
        ),
        within=lambda _: (), name=lambda n: Name(n, n),
    )  # fmt: skip
    told = [plain(item.words) for item in unchecked._never_found(source)]
    assert [text.split(":")[0] for text in told] == ([] if release else ["Disclosure by a"])


@pytest.mark.parametrize("release", [True, False])
@pytest.mark.parametrize(
    ("ways", "judged", "fresh", "told"),
    [
        ([1, 2], [(Status.WITHIN, 2)], False, True),
        ([1, 2], [(Status.WITHIN, 3)], False, False),
        ([1, 2], [(Status.WITHIN, 3), (Status.WITHIN, 2)], False, True),
        ([1, 2], [("off", 3)], False, True),
        ([1, 2], [(Status.NOT_JUDGED, 3)], False, True),
        ([1, 2], [], False, True),
        ([1, 2], [], True, False),
        ([1, 3], [], False, False),
        ([], [], False, False),
    ],
)
def test_that_no_larger_table_was_made_is_told_where_nothing_else_answers_it(
    ways: list[int], judged: list[tuple[Any, int]], *, fresh: bool, told: bool, release: bool
) -> None:
    source: Any = With(
        measures=With(ways=ways, worst=lambda *_: fresh), replicas=("a",), release=release,
        states={
            i: With(tables=With(status=status, ways=n)) for i, (status, n) in enumerate(judged)
        },
    )  # fmt: skip
    texts = [plain(item.words) for item in unchecked._ways(source)]
    assert [text.split(":")[0] for text in texts] == ["No table of more than 2 variables"] * told
    assert all(("internal" in text) is release for text in texts)


@pytest.mark.parametrize(
    ("counts", "largest", "ok", "last"),
    [
        ((5, 3, 2, 1), 1.23e-9, False, "NOT every difference is explained: do not"),
        ((0, 1, 0, 4), math.nan, False, "NO value was found equal, so nothing is proven."),
        ((4, 0, 0, 2), 0.0, False, "NOT everything could be compared: R did not"),
        ((1, 0, 0, 0), 0.0, True, "Every value is equal or its difference is explained."),
    ],
)
def test_what_a_cross_check_found_is_counted(
    counts: tuple[int, ...], largest: float, last: str, *, ok: bool
) -> None:
    kinds = (proof.EQUAL, proof._DOCUMENTED, proof.DIFFERS, proof._NOT_COMPARED)
    verdicts = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    check: Any = With(
        table=pd.DataFrame({"verdict": verdicts}), largest_difference=lambda: largest, ok=ok,
        note="A note.",
    )  # fmt: skip
    first, *between, note, end = [plain(item.words) for item in proof._outcome(check)]
    equal, documented, differs, not_compared = counts
    compared = equal + documented + differs
    assert first.replace("\N{NO-BREAK SPACE}", " ") == (
        f"{compared} value{'s' * (compared != 1)} compared: {equal} equal, {documented} different "
        f"by a documented defect of synthpop, {differs} different without an explanation. "
        f"{not_compared} value{'s' * (not_compared != 1)} could not be compared."
    )
    shown = [] if math.isnan(largest) else ["0" if largest == 0 else "1.2e-09"]
    assert between == [
        f"Largest relative difference of values that count as equal: {text}." for text in shown
    ]
    assert note == "A note."
    assert end.startswith(last)


def test_a_verdict_names_a_defect_if_it_is_a_documented_one() -> None:
    first, second, *_ = proof._defects()
    kind = proof._DOCUMENTED
    assert proof._defect(f"{kind}: {first}: why") == first
    assert proof._defect(f"{kind}: {first}, {second}: why") == f"{first}, {second}"
    for other in ("R said: no", f"{first}, unheard of", "unheard of: why", ""):
        assert proof._defect(f"{kind}: {other}") == ""
    assert proof._defect(kind) == proof._defect("") == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, blank().text), (0.0, "0"), (5e-5, "5.0e-05"), (-5e-5, "-5.0e-05"), (1e-4, "0.0001"),
        (0.123456, "0.1235"), (98765.4, "98,770"),
    ],
)  # fmt: skip
def test_compared_numbers_have_four_digits_and_tiny_ones_a_power(
    value: float | None, text: str
) -> None:
    shown = proof._number(value)
    assert shown.number == value
    assert shown.text == text


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"variables": ("a", "b")}, "a \N{MULTIPLICATION SIGN} b"),
        ({"scenario": "s", "keys": ("k",), "target": "t"}, "s: k \N{RIGHTWARDS ARROW} t"),
        ({"scenario": "s"}, "s"),
        ({"model": "y ~ a"}, "y ~ a"),
        ({}, ""),
    ],
)
def test_what_a_compared_value_is_of_is_told_by_what_there_is(
    entries: dict[str, Any], words: str
) -> None:
    parts = ("variables", "keys", "scenario", "model", "target")
    source: Any = With(name=lambda name: Name(name, name))
    assert proof._place(source, dict.fromkeys(parts) | entries).text == words


@pytest.mark.parametrize("release", [True, False])
def test_why_a_cross_check_failed_is_told_inside_only(*, release: bool) -> None:
    held_back: list[str] = []
    source: Any = With(release=release, guard=With(suppress=held_back.append))
    first, _ = proof._failed(source, RError("no package in /home/anna.", kind="died")).outcome
    assert ("/home/anna" in plain(first.words)) != release
    assert len(held_back) == release
    assert plain(first.words).endswith("or stopped." if release else "in /home/anna.")


NUMBER, HIDDEN = SafeCell("9 %", "number", 9.0), SafeCell("not shown", "hidden")


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        ([blank(), NUMBER, HIDDEN], 1), ([blank(), HIDDEN, NUMBER], 1), ([NUMBER, HIDDEN], 0),
        ([blank(), blank()], 0), ([text_cell("no such column"), blank()], 0), ([blank()], 0),
    ],
)  # fmt: skip
def test_the_share_of_the_original_that_keeps_a_rule_is_of_a_replica_that_it_fits(
    cells: list[SafeCell], shown: int
) -> None:
    of = dict(zip("abc", cells, strict=False))
    source: Any = With(replicas=tuple(of), at=lambda name, *_, **__: of[name])
    assert rules._kept_share(source, With(text="x > 0")) is cells[shown]  # type: ignore[arg-type]
