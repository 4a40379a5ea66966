"""What to do about copies, as it follows from how many there are and how they were counted."""

from __future__ import annotations

from types import SimpleNamespace as With
from typing import Any

import pytest

from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.report.sections import todo


def words(
    monkeypatch: pytest.MonkeyPatch, *copied: tuple[int, int, int], release: bool = False,
    alarming: bool = True, claim: str = "holds records",
) -> list[str]:  # fmt: skip
    """Return the steps of a replica with so many copies, of so many, one in so many looked at."""
    monkeypatch.setattr(todo, "_manner", lambda *_: With(looser="Fit it more loosely."))
    rows = [
        With(replica="a", synthesis=i * (len(copied) > 1), copied=c, n=n, every=every)
        for i, (c, n, every) in enumerate(copied, start=1)
    ]
    other = With(replica="b", copied=500, n=500, every=1)
    source: Any = With(
        held={"a": With(alarming=alarming, words=claim)}, copied=[*rows, other], release=release
    )  # fmt: skip
    return [
        "".join(map(str, step.words)).replace("\xa0", " ") for step in todo._copies(source, "a")
    ]


FEW = "Drop the records that equal an original record and are unique in it, then review again;"


def test_few_are_dropped_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = round(todo._FEW * 1000)
    for copied in ((), ((0, 0, 1),), ((limit, 1000, 1),)):
        first, second = words(monkeypatch, *copied)
        assert first.startswith(FEW)
        assert second == "Fit it more loosely."
    first, second = words(monkeypatch, (limit + 1, 1000, 1))
    assert not first.startswith(FEW)
    assert second == "Fit it more loosely."


def test_where_no_record_is_copied_none_is_to_be_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    none = (0, 1000, 1)
    assert words(monkeypatch, none, none) == ["Fit it more loosely."]
    assert words(monkeypatch, none, (1, 1000, 1))[0].startswith(FEW)
    assert words(monkeypatch, none, release=True)[0].startswith(FEW)


@pytest.mark.parametrize("claim", [Claim.FOLLOWS, Claim.CLOSER])
def test_equal_records_that_are_no_more_than_by_chance_stay(
    monkeypatch: pytest.MonkeyPatch, claim: Claim
) -> None:
    for copied in ((1, 1000, 1), (500, 1000, 1)):
        assert words(monkeypatch, copied, claim=claim.value) == ["Fit it more loosely."]
    assert words(monkeypatch, release=True, claim=claim.value) == ["Fit it more loosely."]
    assert words(monkeypatch, (1, 1000, 1), claim=Claim.EITHER.value)[0].startswith(FEW)


@pytest.mark.parametrize(
    ("copied", "release", "start"),
    [
        ([(1500, 3000, 1)], False, "1,500 original records (50.0 %) are in it in every value"),
        (
            [(300, 3000, 1), (1500, 3000, 1), (1, 3000, 1)], False,
            "1,500 original records (50.0 %) are in one of its files in every value",
        ),
        ([(1500, 3000, 1)], True, "Original records are in it in every value"),
        (
            [(1500, 3000, 2)], False,
            ("1,500 of 3,000 original records (50.0 %), those with one in 2 combinations of "
            "values, drawn at random, are in it in every value"),
        ),
    ],
)  # fmt: skip
def test_many_are_too_many(
    monkeypatch: pytest.MonkeyPatch, copied: list[tuple[int, int, int]], start: str, *,
    release: bool,
) -> None:  # fmt: skip
    first, second = words(monkeypatch, *copied, release=release)
    assert first.startswith(start)
    assert second == "Fit it more loosely."


def test_where_nothing_alarms_nothing_is_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    assert words(monkeypatch, (900, 1000, 1), alarming=False) == []


def steps(found: Any) -> list[str]:
    """Return steps as texts."""
    return ["".join(map(str, step.words)).replace("\N{NO-BREAK SPACE}", " ") for step in found]


MANNER: Any = With(
    alone=("Draw ", " anew: "), related=("Draw ", " given ", "."), rules="Keep the rules "
)
SOURCE: Any = With(described=lambda name: (name,), rule_text=lambda name: (f"<{name}>",))


def off(*variables: tuple[str, ...]) -> list[Any]:
    return [With(variables=of) for of in variables]


@pytest.mark.parametrize("more", [0, 1, 2])
def test_columns_that_are_off_by_themselves_come_first(more: int) -> None:
    names = [f"c{i}" for i in range(todo._MOST + more)]
    pairs = [("c0", "x"), ("y", "x"), ("y", "x")]
    first, second, third = steps(todo._tables(MANNER, SOURCE, off(*[(n,) for n in names], *pairs)))
    shown = [*names[: todo._MOST]]
    listed = ", ".join(shown[:-1]) + f" and {shown[-1]}"
    end = {0: "", 1: " 1 other is off, too.", 2: " 2 others are off, too."}[more]
    assert first.replace("; ", ", ") == f"Draw {listed} anew: each is off by itself.{end}"
    assert second == "Look again afterwards: 1 table with such columns is off, too."
    assert third == "Draw y given x."


def test_one_column_is_drawn_from_its_own_distribution() -> None:
    manner = With(**{**vars(MANNER), "alone": ("Draw ", "")})
    (first,) = steps(todo._tables(manner, SOURCE, off(("a",))))
    assert first == "Draw a from its own distribution again: it is off by itself."
    (two,) = steps(todo._tables(manner, SOURCE, off(("a",), ("b",))))
    assert "from their own distributions again: each is off" in two


@pytest.mark.parametrize("more", [0, 1, 2])
def test_pairs_are_listed_and_the_rest_counted(more: int) -> None:
    pairs = [(f"a{i}", f"b{i}", f"c{i}") for i in range(todo._MOST + more)]
    result = steps(todo._tables(MANNER, SOURCE, off(*pairs)))
    assert (
        result[: todo._MOST] == [f"Draw {a} given {b} and {c}." for a, b, c in pairs][: todo._MOST]
    )
    rest = {0: [], 1: ["1 more table"], 2: ["2 more tables"]}[more]
    assert result[todo._MOST :] == [
        f"Do the same for {words}, listed in the annex." for words in rest
    ]


@pytest.mark.parametrize(
    ("rules", "others", "found"),
    [
        ((), 0, []),
        (("r",), 0, ["Keep the rules <r>."]),
        (("r", "q"), 1, ["Keep the rules <r> and <q>.", "Fit the models"]),
        ((), 1, ["Fit the models"]),
    ],
)
def test_rules_and_models_have_steps(rules: tuple[str, ...], others: int, found: list[str]) -> None:
    given: Any = [With(place=With(rule=name), scenario=name) for name in rules]
    given += [With(place=With(rule=""), scenario="")] * others
    told = steps(todo._others(MANNER, SOURCE, given))
    assert len(told) == len(found)
    assert all(text.startswith(start) for text, start in zip(told, found, strict=True))


FINE, BAD, OPEN = todo.Status.WITHIN, todo.Status.FAIL, todo.Status.NOT_JUDGED


@pytest.mark.parametrize(
    ("risk", "useful", "status", "words"),
    [
        (0, 0, (FINE, FINE), "Nothing that this profile asks for."),
        (1, 0, (BAD, FINE), ""),
        (1, 1, (BAD, BAD), ""),
        (0, 0, (BAD, FINE), "Look at what the decision states: no"),
        (0, 0, (FINE, BAD), "Look at what the decision states: no"),
        (0, 1, (BAD, BAD), "Look at what the decision states on whether it may be released: no"),
        (1, 0, (BAD, BAD), "Look at what the decision states on whether it is useful: no"),
        (0, 0, (OPEN, FINE), "Have its risk judged: the decision says what was lacking."),
        (0, 0, (FINE, OPEN), "Have its use judged: the decision"),
        (0, 1, (OPEN, BAD), "Have its risk judged: the decision"),
        (0, 0, (OPEN, OPEN), "Have its risk and its use judged: the decision"),
    ],
)
def test_an_answer_without_steps_is_to_be_looked_at(
    risk: int, useful: int, status: tuple[Any, Any], words: str
) -> None:
    decision: Any = With(risk=With(status=status[0]), utility=With(status=status[1]))
    given: list[Any] = [[None] * risk, [None] * useful]
    result = steps(todo._without_steps(With(release=False), decision, *given))  # type: ignore[arg-type]
    assert len(result) == bool(words)
    assert "".join(result).startswith(words)
    outside = steps(todo._without_steps(With(release=True), decision, *given))  # type: ignore[arg-type]
    assert ("in the internal edition" in "".join(outside)) is words.startswith(("Look", "Have"))


def test_the_key_that_makes_most_people_unique_is_that_of_the_scenario() -> None:
    def adds(name: str, count: float | None, scenario: str = "s") -> Any:
        return With(variables=(name,), count=count, scenario=scenario)

    every = {
        "a": [adds("age", 12.0), adds("job", None), adds("sex", 99.0, "t")],
        "b": [adds("age", 3.0), adds("town", 0.0), adds("job", 14.6)],
    }
    asked: set[str] = set()
    measures = With(every=lambda replica, metric: (asked.add(metric), every[replica])[1])
    for replicas, release, key in (
        ("ab", False, ("job", 15)), ("a", False, ("age", 12)), ("ab", True, ("", 0)),
        ("", False, ("", 0)),
    ):  # fmt: skip
        source: Any = With(release=release, replicas=tuple(replicas), measures=measures)
        scenario: Any = With(name="s")
        assert todo._key(source, scenario) == key
    assert asked == {"key_uniques"}


@pytest.mark.parametrize("release", [False, True])
@pytest.mark.parametrize("wrong", [False, True])
def test_totals_and_identifiers_are_mended_where_they_are_wrong_and_inside_only(
    *, wrong: bool, release: bool
) -> None:
    state = With(tables=With(totals=wrong), identifiers=With(hit=wrong))
    source: Any = With(release=release, states={"a": state})
    told = wrong and not release
    assert [text.startswith("Scale its weights") for text in steps(todo._totals(source, "a"))] == (
        [True] * told
    )
    assert [text.startswith("Leave out") for text in steps(todo._identifiers(source, "a"))] == (
        [True] * told
    )
