"""Whom a large replica is compared with: drawn by the secret, each person alone, without bias."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.neighbours import Points, nearest
from sdcmetrics.release import near
from sdcmetrics.release.accounting import right_guesses, variance_for
from sdcmetrics.release.answers import NoisySum, NoisySums, ask, noisy
from sdcmetrics.release.estimates import estimates_of, holds_nearly_all
from sdcmetrics.release.near import Drawing, drawn_of
from sdcmetrics.release.people import Records
from sdcmetrics.release.public import Public, Replica
from sdcmetrics.release.questions import ALIKE, NEAREST, Question, questions_of
from sdcmetrics.release.sums import exact_sums
from sdcmetrics.report.outside.edition import release_edition
from sdcmetrics.report.outside.write import files_of, write_release
from sdcmetrics.study.profile import load_profile
from tests.release.studies import (
    COLUMNS,
    confidential,
    people,
    public_of,
    records,
    with_row,
    write_study,
)
from tests.release.test_form import ORIGINALS, answers, without_figures
from tests.release.test_sensitivity import hostile

NAMES = tuple(COLUMNS)
LIMITS = load_profile("illustration")


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw one of some people already where replicas have 120 records."""
    monkeypatch.setattr(near, "_PAIRS", 3_000)
    monkeypatch.setattr(near, "_FEWEST", 30)


@pytest.fixture
def public(tmp_path: Path) -> Public:
    return public_of(write_study(tmp_path, people(30, 5), people(20, 6)))


def of_size(n: int) -> Replica:
    return Replica("replica", (Records("replica", n, {}),))


def test_some_records_of_several_files_are_looked_at_for_what_is_usual(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = public_of(write_study(tmp_path, people(30, 5)))
    other = next(replica for replica in public.replicas if replica.name == "other")
    every = near.apart_from_itself(other, NAMES)
    assert len(every) == 240
    monkeypatch.setattr(near, "_FEWER_QUERIES", 150)  # one file and thirty records of the other
    assert near.apart_from_itself(other, NAMES).tolist() == every[:150].tolist()


def test_a_file_of_one_record_is_compared_with_the_other_files() -> None:
    one = {"age": "20", "sex": "1", "region": "north", "seen": "2020-01-01"}
    rows = [one | {"sex": "2"}, one, one | {"age": "30", "seen": "", "region": "isles"}]

    def apart(*files: list[dict[str, str]]) -> list[int]:
        replica = Replica("other", tuple(records(pd.DataFrame(file)) for file in files))
        return near.apart_from_itself(replica, NAMES).tolist()

    together = apart(rows)
    assert together == [1, 1, 3]
    assert apart(rows[:2], rows[2:]) == apart(*([row] for row in rows)) == together
    assert apart([one]) == [len(NAMES)]  # alone


def test_how_many_are_drawn_follows_from_the_replica_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    sizes = [100, 200_000, 200_001, 400_000, 1_000_000, 8_000_000, 10_000_000, 100_000_000]
    drawn = [drawn_of(of_size(n)) for n in sizes]
    assert drawn == [1, 1, 2, 4, 25, 1_600, 2_000, 20_000]


def questions(public: Public) -> list[Question]:
    return [q for q in questions_of(public) if q.measure in (ALIKE, NEAREST)]


def test_a_replica_that_is_compared_with_all_is_asked_as_ever(
    public: Public, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [(q.measure, q.drawn) for q in questions(public)] == [
        *((ALIKE, 1), (NEAREST, 4)),
        *((ALIKE, 1), (NEAREST, 8)),
    ]
    monkeypatch.undo()
    usual = questions(public)
    assert [(q.measure, q.drawn) for q in usual] == [(NEAREST, 1)] * 2
    assert all('"drawn"' not in q.identity for q in usual)


@pytest.mark.parametrize("into", ["original", "holdout"])
def test_one_person_more_draws_one_or_none_and_nobody_else(public: Public, into: str) -> None:
    rng = np.random.default_rng(31 if into == "original" else 32)
    replica = people(120, 1)
    moved: dict[str, set[float]] = {ALIKE: set(), NEAREST: set()}
    for i in range(12):
        # Of few values, so that many are alike.
        sets = {
            "original": people(int(rng.integers(0, 60)), 100 + i).assign(age="20", seen=""),
            "holdout": people(int(rng.integers(0, 60)), 900 + i).assign(age="20", seen=""),
        }
        key = rng.bytes(32)
        given = confidential(sets["original"], sets["holdout"])
        before = [exact_sums(q, public, given, key) for q in questions(public)]
        for _ in range(8):
            more = sets | {into: with_row(sets[into], hostile(sets[into], replica, rng))}
            after = confidential(more["original"], more["holdout"])
            for question, old in zip(questions(public), before, strict=True):
                new = exact_sums(question, public, after, key)
                assert all(a <= b for a, b in zip(old, new, strict=True))
                moved[question.measure].add(math.dist(old, new))
    assert moved == {ALIKE: {0, 1}, NEAREST: {0, 1}}


def test_of_people_who_are_alike_every_so_manieth_is_drawn(public: Public) -> None:
    replica = public.replicas[0]
    every = drawn_of(replica)
    one = people(1, 3)
    starts = []
    for number in range(40):
        drawing = Drawing(replica, NAMES, bytes([number]))
        drawn = [
            int(drawing.drawn(records(pd.concat([one] * m))).times.sum())
            for m in range(1, 2 * every + 1)
        ]
        start = drawn.index(1)
        assert drawn == [0] * start + [1] * every + [2] * (every - start)
        starts.append(start)
    assert set(starts) == set(range(every))  # any of them may be the first


def test_a_draw_is_without_bias_and_no_wider_than_independent_draws(public: Public) -> None:
    replica = public.replicas[0]
    every = drawn_of(replica)
    frame = pd.concat([people(150, 5), people(30, 8), people(30, 8), people(30, 8)])
    data = records(frame)
    question = questions(public)[1]
    reference = nearest_by_hand(data, replica)
    cell = np.searchsorted(np.array(question.edges), reference, side="left")
    cells = np.bincount(cell, minlength=question.cells)
    draws = np.array(
        [
            near.cells_of_drawn(drawing.drawn(data), replica, NAMES, question.edges)
            for drawing in (Drawing(replica, NAMES, i.to_bytes(2)) for i in range(400))
        ]
    )
    independent = cells * (1 / every) * (1 - 1 / every)
    error = np.sqrt(independent / len(draws))
    assert (np.abs(draws.mean(axis=0) - cells / every) <= 4 * error + 1e-9).all()
    assert (draws.var(axis=0) <= 1.25 * independent + 1e-9).all()


def texts_of(data: Records, name: str) -> list[str | None]:
    column = data.column(name)
    return [column.texts[code] for code in column.codes]


def nearest_by_hand(data: Records, replica: Replica) -> np.ndarray:
    """Return distances over texts, not over codes of the replica."""
    place: dict[str | None, int] = {}
    sides = [
        [
            [
                place.setdefault(one.column(name).texts[code], len(place))
                for code in one.column(name).codes
            ]
            for name in NAMES
        ]
        for one in (data, replica.syntheses[0])
    ]
    queries, references = (Points.from_columns(codes=side) for side in sides)
    return nearest(queries, references, indices=False).distances[:, 0]


def test_of_more_copies_than_usual_the_same_are_drawn(
    public: Public, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = records(pd.concat([people(20, 5)] * 7))
    replica = public.replicas[0]
    usual = Drawing(replica, NAMES, b"key").drawn(data)
    monkeypatch.setattr(near, "_COPIES", 1)  # who has to be there more than once is read again
    again = Drawing(replica, NAMES, b"key").drawn(data)
    assert usual.times.tolist() == again.times.tolist()
    assert usual.points.codes.tolist() == again.points.codes.tolist()
    assert usual.times.sum() > 20


def test_who_is_alike_is_counted_among_all(public: Public) -> None:
    frame = pd.concat([people(60, 5), people(120, 1).iloc[:17], people(120, 1).iloc[:3]])
    data = records(frame)
    for replica in public.replicas[:1]:
        alike = Drawing(replica, NAMES, b"key").drawn(data).alike
        assert alike == int((nearest_by_hand(data, replica) == 0).sum()) >= 20


@pytest.mark.parametrize("name", list(ORIGINALS)[1:])
def test_form_follows_from_public_things(public: Public, name: str) -> None:
    aside = people(60, 7)
    editions = [
        release_edition(public, answers(public, confidential(ORIGINALS[item], aside)))
        for item in ("people", name)
    ]
    masked = [without_figures(files_of(edition)) for edition in editions]
    assert masked[0] == masked[1]
    assert "With cart, of 120 records, one in 4 people is compared" in masked[0]["html"]


def test_ranges_hold_the_share_among_all_people() -> None:
    # Of 4,000 people in four cells one in four is drawn, and noise is added.
    rng = np.random.default_rng(4)
    question = Question(NEAREST, "r", Place(), 4, 1, (0, 1, 2), 1, Fraction(1), "q", drawn=4)
    size = Question("records", "", Place(), 1, 1, (), 1, Fraction(1), "n")
    true = np.array([400, 900, 1_500, 1_200])
    inside = []
    for _ in range(600):
        drawn = rng.multivariate_hypergeometric(true, true.sum() // 4)
        values = tuple(int(v) for v in drawn + np.rint(rng.normal(0, 6, 4)))
        sums = NoisySums(
            {
                size: NoisySum((int(true.sum()),), Fraction(36)),
                question: NoisySum(values, Fraction(36)),
            },
            1,
        )
        own = [e for e in estimates_of(sums, LIMITS) if e.measure == NEAREST]
        assert [e.cell for e in own] == [1, 2, 3]
        shares = 100 * true[1:] / true.sum()
        inside.append([e.low <= s <= e.high for e, s in zip(own, shares, strict=True)])
    # Independent draws would be in 90 %; of a known number some more are.
    assert 0.88 < np.mean(inside) < 0.96


def test_a_number_lost_in_noise_says_nothing() -> None:
    question = Question(NEAREST, "r", Place(), 3, 1, (0, 1), 1, Fraction(1), "q", drawn=9)
    size = Question("records", "", Place(), 1, 1, (), 1, Fraction(1), "n")
    sums = {
        size: NoisySum((5_000,), Fraction(36)),
        question: NoisySum((3, -2, 9), Fraction(36)),
    }
    own = [e for e in estimates_of(NoisySums(sums, 1), LIMITS) if e.measure == NEAREST]
    assert all(math.isnan(e.value) for e in own)


def test_a_whole_copy_is_named_however_few_are_drawn(tmp_path: Path) -> None:
    # Of 400 people noise has a deviation of 1.8 points, and one secret in eight hid the copy.
    file = write_study(tmp_path, people(2_000, 1), size=2_000)
    sums = ask(file, public := public_of(file))
    copy = next(e for e in estimates_of(sums, public.profile) if e.measure == NEAREST)
    assert copy.replica == "cart"
    assert holds_nearly_all(copy)
    edition = write_release(file, tmp_path / "out", date=dt.date(2026, 11, 26))
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert "people alike in every column" in page
    assert {e.cell for e in edition.estimates if e.measure == NEAREST} >= {0, 1}


def test_the_same_secret_draws_the_same_people(tmp_path: Path) -> None:
    file = write_study(tmp_path, people(200, 5))
    first, again = (ask(file, public_of(file), mu=mu) for mu in (0.5, 1e-9))
    assert [a.values for a in first.answers.values()] == [a.values for a in again.answers.values()]
    given = confidential(people(200, 5))
    question = questions(public := public_of(file))[1]
    draws = {exact_sums(question, public, given, bytes([i])) for i in range(20)}
    assert len(draws) > 5  # while another secret draws others


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_guesses_with_the_key_at_hand_are_as_promised(public: Public, mu: float) -> None:
    # The attacker even knows who is drawn, and that the target is: noise alone protects.
    question = questions(public)[1]
    frame = people(60, 5)
    key = next(
        key
        for key in map(bytes, ([i] for i in range(256)))
        if exact_sums(question, public, confidential(frame.iloc[:-1]), key)
        != exact_sums(question, public, confidential(frame), key)
    )
    without, with_her = (
        exact_sums(question, public, confidential(item), key) for item in (frame.iloc[:-1], frame)
    )
    variance = variance_for(mu, 1)
    cell = int(np.flatnonzero(np.subtract(with_her, without))[0])
    rng = np.random.default_rng(5)
    right = 0
    for i in range(2_000):
        took_part = bool(rng.integers(2))
        exact = with_her if took_part else without
        told = noisy(question, exact, variance, i.to_bytes(32)).values[cell]
        middle = (with_her[cell] + without[cell]) / 2
        right += (told > middle) == took_part if told != middle else bool(rng.integers(2))
    share = right / 2_000
    assert share <= right_guesses(mu) + 3 * math.sqrt(0.25 / 2_000)
    assert share > 0.5


@pytest.mark.parametrize(("drawn", "number"), [(1, 9), (2, 4)])
def test_fewer_records_say_how_far_they_are_apart_where_people_are_drawn(
    drawn: int, number: int, public: Public, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near, "_QUERIES", 9)
    monkeypatch.setattr(near, "_FEWER_QUERIES", 4)
    monkeypatch.setattr(near, "drawn_of", lambda _: drawn)
    replica = public.replicas[0]
    assert len(near.apart_from_itself(replica, NAMES)) == number
