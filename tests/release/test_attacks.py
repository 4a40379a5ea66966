"""Attacks on releases: nothing about a person is certain, and no guess beats the promise."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.release.accounting import right_guesses
from sdcmetrics.release.answers import ask, noisy
from sdcmetrics.release.ledger import Ledger, charge
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import Question, questions_of
from sdcmetrics.release.sampler import KeyedBits, discrete_gaussian
from sdcmetrics.release.sums import exact_sums
from sdcmetrics.report.outside.edition import release_edition
from sdcmetrics.report.outside.write import files_of
from tests.release.studies import confidential, people, public_of, records, with_row, write_study

SECRETS = 1_200
TARGET = {"age": 23, "sex": "1", "region": "isles", "seen": "2020-06-05"}
VILLAGE = """
[[scenario]]
name = "village"
keys = ["age", "sex", "region"]
targets = ["seen"]

[release]
measures = ["UiO", "UiOiS", "repU", "iS", "DiS", "DiSCO", "DCAP", "baseCAPd", "CAPd", "TVD"]
"""


def priced(questions: tuple[Question, ...], mu: float) -> dict[Question, Fraction]:
    """Return the noise of questions that cost mu together."""
    names = {q.identity: q for q in questions}
    _, noise = charge(Ledger(mu, ""), names, mu)
    return {q: noise[q.identity] for q in questions}


def guessed(
    sums: list[dict[Question, tuple[int, ...]]], noise: dict[Question, Fraction]
) -> tuple[int, int]:
    """Guess by the likelihood which of two originals a release is of; right ones, and all.

    The attacker knows both sums of each question, so that only the noise is unknown. Questions
    that both answer alike say nothing.
    """
    telling = [q for q in sums[0] if sums[0][q] != sums[1][q]]
    right = 0
    for i in range(SECRETS):
        key = hashlib.sha256(f"secret {i}".encode()).digest()
        truth, evidence = i % 2, 0.0
        for q in telling:
            answer = noisy(q, sums[truth][q], noise[q], key).values
            for x, a, b in zip(answer, sums[0][q], sums[1][q], strict=True):
                evidence += ((x - a) ** 2 - (x - b) ** 2) / (2 * float(noise[q]))
        right += int((evidence > 0) == bool(truth))
    return right, SECRETS


def allowed(mu: float) -> float:
    """Return the promise, and three standard errors of the simulation."""
    share = right_guesses(mu)
    return share + 3 * math.sqrt(share * (1 - share) / SECRETS)


def of_two(
    public: Public, first: pd.DataFrame, second: pd.DataFrame, aside: pd.DataFrame
) -> list[dict[Question, tuple[int, ...]]]:
    each = [confidential(item, aside) for item in (first, second)]
    return [{q: exact_sums(q, public, item) for q in questions_of(public)} for item in each]


@pytest.fixture(scope="module")
def probing(tmp_path_factory: pytest.TempPathFactory) -> Public:
    """Return a study whose author asks about one person: replicas that differ by her record."""
    folder = tmp_path_factory.mktemp("probing")
    file = write_study(folder, people(60, 5), people(40, 7), more=VILLAGE)
    with_row(people(120, 1), TARGET).to_csv(folder / "other_1.csv", index=False)
    with_row(people(120, 1), TARGET | {"region": "north"}).to_csv(
        folder / "other_2.csv", index=False
    )
    text = file.read_text().replace(
        'other = ["other_1.csv", "other_2.csv"]',
        ('probe = "other_1.csv"\ncounterpart = "other_2.csv"'),
    )
    file.write_text(text)
    return public_of(file)


def test_whether_she_took_part(probing: Public) -> None:
    before = people(60, 5)
    sums = of_two(probing, before, with_row(before, TARGET), people(40, 7))
    moved = sum(
        math.dist(a, b) ** 2 for a, b in zip(*(item.values() for item in sums), strict=True)
    )
    assert moved > 20  # the author's questions are about her: many of them move
    right, times = guessed(sums, priced(questions_of(probing), 1.0))
    assert right / times <= allowed(1.0)
    assert right / times > 0.5  # the attack is one


def test_which_of_two_illnesses_she_has(probing: Public) -> None:
    before = people(60, 5)
    both = [with_row(before, TARGET | {"region": level}) for level in ("isles", "north")]
    sums = of_two(probing, both[0], both[1], people(40, 7))
    right, times = guessed(sums, priced(questions_of(probing), 1.0))
    assert right / times <= allowed(2.0)


def test_whether_she_is_in_the_holdout_or_in_the_original(probing: Public) -> None:
    before, aside = people(60, 5), people(40, 7)
    both = ((with_row(before, TARGET), aside), (before, with_row(aside, TARGET)))
    sums = [
        {q: exact_sums(q, probing, item) for q in questions_of(probing)}
        for item in (confidential(*sets) for sets in both)
    ]
    right, times = guessed(sums, priced(questions_of(probing), 1.0))
    assert right / times <= allowed(2.0)


@pytest.mark.parametrize(
    ("mu", "asked"),
    [(0.5, 1), (1.0, 1), (2.0, 1), (1.0, 41)],
)
def test_the_promise_holds_where_she_moves_each_question_by_one(mu: float, asked: int) -> None:
    # No author can do better; with the discrete law as it is drawn, not as it is approximated.
    from sdcmetrics.release.accounting import variance_for

    variance = variance_for(mu / math.sqrt(asked))
    source = KeyedBits(bytes(32), f"worst {mu} {asked}".encode())
    right = 0
    for i in range(SECRETS):
        truth = i % 2
        total = sum(discrete_gaussian(variance, source) + truth for _ in range(asked))
        right += int((total > asked / 2) == bool(truth))
    share = right / SECRETS
    assert share <= allowed(mu)
    assert share >= right_guesses(mu) - 4 * math.sqrt(0.25 / SECRETS)  # it costs no more than that


def test_no_answer_is_certain(probing: Public) -> None:
    # Each answer that one original can give, the other gives with a like chance.
    before = people(60, 5)
    sums = of_two(probing, before, with_row(before, TARGET), people(40, 7))
    noise = priced(questions_of(probing), 1.0)
    moved = sum(
        math.dist(sums[0][q], sums[1][q]) ** 2 / float(noise[q]) for q in questions_of(probing)
    )
    assert math.sqrt(moved) <= 1.0


def test_a_rare_level_is_named_nowhere(tmp_path: Path) -> None:
    # Nine or ten of them, hidden by a limit of ten before: no limit looks at the original.
    for n in (9, 10, 50):
        rare = pd.DataFrame([TARGET | {"region": "quarantine"}] * n)
        frame = pd.concat([people(200, 5), rare], ignore_index=True)
        file = write_study(tmp_path / str(n), frame)
        public = public_of(file)
        texts = files_of(release_edition(public, ask(file, public)))
        assert not any("quarantine" in str(text) for text in texts.values())


SECTIONS = """
[[model]]
formula = "age ~ sex"

[[rule]]
text = "age >= 18"

[propensity]

[attacks]

[sample]
weight = "weight"
"""


def test_models_rules_attacks_and_weights_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighted = people(200, 5).assign(weight=np.linspace(1, 2, 200))
    plain = write_study(tmp_path / "a", weighted)
    whole = write_study(tmp_path / "b", weighted, more=SECTIONS)
    for name in ("study.secret", "study.ledger.json"):
        ask(plain, public_of(plain))
        (tmp_path / "b" / name).write_bytes((tmp_path / "a" / name).read_bytes())
        (tmp_path / "b" / name).chmod(0o600)
    first = public_of(plain), ask(plain, public_of(plain))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another user"))  # for whom it is the last
    second = public_of(whole), ask(whole, public_of(whole))
    formats = ("html", "pdf")
    assert files_of(release_edition(*first), formats) == files_of(release_edition(*second), formats)


@pytest.mark.parametrize(
    "asked",
    [
        "[options]\nngroups = 4",
        '[options]\nstyle = "equal"',
        "[options]\ngroup_dates = false",
        "[missing_codes]\nage = -8",
        "[missing_codes]\nage = 21",
    ],
)
def test_another_way_to_group_is_another_question_and_costs(tmp_path: Path, asked: str) -> None:
    plain = write_study(tmp_path / "a", people(200, 5))
    other = write_study(tmp_path / "b", people(200, 5), more=asked)
    identities = [{q.identity for q in questions_of(public_of(file))} for file in (plain, other)]
    by_age = {i for i in identities[0] if '"variables": ["age"]' in i}
    assert by_age
    assert not by_age & identities[1] or "missing" not in asked
    assert identities[0] != identities[1]


@pytest.mark.parametrize("large", [False, True])
def test_columns_and_keys_in_another_order_are_no_new_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    if large:  # one in so many people is drawn
        monkeypatch.setattr("sdcmetrics.release.near._PAIRS", 10_000)
        monkeypatch.setattr("sdcmetrics.release.near._FEWEST", 30)
    original, holdout = people(200, 5), people(150, 6)
    file = write_study(tmp_path, original, holdout, more=VILLAGE)

    def answers(*frames: pd.DataFrame) -> dict[str, tuple[int, ...]]:
        public, sets = public_of(file), confidential(*frames)
        questions = questions_of(public)
        assert any(question.drawn > 1 for question in questions) == large
        return {q.identity: exact_sums(q, public, sets, b"k" * 32) for q in questions}

    first = answers(original, holdout)
    for path in tmp_path.glob("*.csv"):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        frame[frame.columns[::-1]].to_csv(path, index=False)
    file.write_text(file.read_text().replace('["age", "sex"', '["sex", "age"'))
    # The noise follows from the question: with it another sum would tell the difference.
    assert answers(*(data[data.columns[::-1]] for data in (original, holdout))) == first


def test_other_replicas_are_other_questions_even_by_one_record(tmp_path: Path) -> None:
    file = write_study(tmp_path, people(200, 5))
    before = {q.identity for q in questions_of(public_of(file)) if q.replica == "cart"}
    with_row(people(120, 1), TARGET).to_csv(tmp_path / "cart.csv", index=False)
    after = {q.identity for q in questions_of(public_of(file)) if q.replica == "cart"}
    assert not before & after
    assert len(before) == len(after)


def test_reading_missing_values_otherwise_is_a_changed_original(tmp_path: Path) -> None:
    from sdcmetrics.errors import ReleaseBlocked

    file = write_study(tmp_path, people(200, 5))
    ask(file, public_of(file))
    file.write_text(file.read_text() + '\n[read]\nmissing = ["", "isles"]\n')
    with pytest.raises(ReleaseBlocked, match="the original changed"):
        ask(file, public_of(file))
    assert records(people(200, 5)).n == 200
