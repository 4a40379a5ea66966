"""Verification: what a user found in a replica, checked with noise; nothing about one person."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import tomllib
import warnings
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats

import sdcmetrics as sdc
from sdcmetrics.cli.app import app
from sdcmetrics.errors import NotComputable, ReleaseBlocked, StudyError
from sdcmetrics.measures.analyses.analysis import Analysis
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.release import parts
from sdcmetrics.release.parts import Answer, PartedAnalysis, parts_of
from sdcmetrics.release.people import of_frame
from sdcmetrics.release.sums import Confidential
from sdcmetrics.release.verification import (
    Verification,
    _question,
    answers_in_words,
    read_analyses,
    verify,
)

STUDY = """
[data]
original = "original.csv"
replicas = { good = "good.csv", shuffled = "shuffled.csv" }
[roles]
keys = ["sex", "region"]
targets = ["work"]
[release]
budget = 1.0
"""
SECRET = bytes(range(32))


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    age = rng.integers(20, 80, n).astype(float)
    return pd.DataFrame(
        {
            "sex": sex,
            "region": rng.choice(["north", "south"], n),
            "work": rng.choice(["none", "part", "full"], n),
            "age": age,
            "income": np.round(1000 + 5 * age + 100 * (sex == "m") + rng.normal(0, 200, n)),
        }
    )


def analysis(statistic: str, variables: Any = (), **entries: Any) -> Analysis:
    return Analysis(name="asked", statistic=statistic, variables=variables, **entries)  # type: ignore[arg-type]


ANALYSES = [
    analysis("mean", "income"),
    analysis("mean", "income", by="region"),
    analysis("difference", ["income", "sex"]),
    analysis("correlation", ["age", "income"]),
    analysis("quantile", "income", at=[0.5]),
    analysis("gini", "income"),
    analysis("share", "work"),
    analysis("table", ["sex", "region"]),
]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The secret is one, or the noise of a seldom one would let a test fail.
    monkeypatch.setattr("secrets.token_bytes", lambda length: SECRET[:length])
    people(3000, 1).to_csv(tmp_path / "original.csv", index=False)
    good = people(3000, 2)
    good.to_csv(tmp_path / "good.csv", index=False)
    rng = np.random.default_rng(3)
    good.assign(income=rng.permutation(good["income"])).to_csv(
        tmp_path / "shuffled.csv", index=False
    )
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path / "study.toml"


@pytest.mark.parametrize("asked", ANALYSES, ids=lambda asked: asked.statistic)
def test_one_person_moves_each_count_by_at_most_one(asked: Analysis) -> None:
    original = people(240, 4)
    prepared = PartedAnalysis.of(asked, [as_microdata(people(300, 5), "replica")], "", {})

    def counted(frame: pd.DataFrame) -> dict[tuple[str, str], int]:
        records = of_frame(frame.astype(str), "original")
        parts = parts_of(Confidential(records, None), "", SECRET, 20)
        return prepared.counted(records, parts, prepared.synthetic)

    whole = counted(original)
    strangers = [
        {"sex": "f", "region": "north", "work": "none", "age": "1e300", "income": "-1e300"},
        {"sex": "?", "region": "x", "work": "", "age": "text", "income": ""},
        original.iloc[0].astype(str).to_dict(),
    ]
    for person in strangers:
        other = counted(pd.concat([original.astype(str), pd.DataFrame([person])]))
        assert max(abs(other[key] - count) for key, count in whole.items()) <= 1
    for i in range(0, 240, 60):
        other = counted(original.drop(index=i))
        assert max(abs(other[key] - count) for key, count in whole.items()) <= 1


def test_a_persons_part_follows_from_the_person_alone() -> None:
    frame = people(60, 6).astype(str)
    records = of_frame(frame, "original")
    parts = parts_of(Confidential(records, None), "", SECRET, 20)
    turned = of_frame(frame.iloc[::-1], "original")
    assert parts.tolist() == parts_of(Confidential(turned, None), "", SECRET, 20).tolist()[::-1]
    fewer = of_frame(frame.iloc[1:], "original")
    assert parts[1:].tolist() == parts_of(Confidential(fewer, None), "", SECRET, 20).tolist()


def test_a_part_is_the_first_eight_bytes_of_a_keyed_digest() -> None:
    records = of_frame(pd.DataFrame({"b": ["x", "x"], "a": ["1", "1"]}), "original")
    digests = [
        hmac.new(SECRET, f"part\0(('1', 'x'), {copy})".encode(), "sha256").hexdigest()
        for copy in (0, 1)
    ]
    parts = parts_of(Confidential(records, None), "", SECRET, 1_000)
    assert parts.tolist() == [int(digest[:16], 16) % 1_000 for digest in digests]


@pytest.mark.parametrize(
    ("interval", "above", "conclusion"),
    [
        ((0.5, 2.0), 40, "same"),  # of forty parts all are above the null, as the replica is
        ((0.5, 2.0), 0, "other"),
        ((-2.0, -0.5), 0, "same"),
        ((-2.0, -0.5), 40, "other"),
        ((-1.0, 1.0), 40, "other"),
        ((-1.0, 0.0), 0, "other"),  # an interval that ends at the null holds it
        ((0.0, 1.0), 40, "other"),
    ],
)
def test_a_conclusion_is_the_side_of_the_null(
    interval: tuple[float, float], above: int, conclusion: str
) -> None:
    lower, upper = (np.array([end]) for end in interval)
    estimates = SimpleNamespace(terms=("a",), null=0.0, lower=lower, upper=upper)
    numbers: Any = {("a", "estimated"): (40, 1.0), ("a", "above the null"): (above, 1.0)}
    asked: Any = SimpleNamespace(estimates=estimates)
    assert PartedAnalysis._conclusion(asked, 0, numbers) == conclusion


def test_a_question_is_of_one_count_of_the_original() -> None:
    asked: Any = SimpleNamespace(identity="mean", analysis=SimpleNamespace(name="pay"))
    replica: Any = SimpleNamespace(name="cart", digest="0")
    question = _question(asked, replica, "a", "estimated", 20, 3, {})
    assert (question.cells, question.sets, question.edges) == (1, 1, ())
    assert (question.sensitivity, question.weight) == (3, 1)
    place = question.place
    assert (place.model, place.variables, place.target) == ("pay", ("a",), "estimated")


def test_records_of_one_person_are_in_one_part() -> None:
    frame = people(60, 6).assign(person=np.arange(60) // 3).astype(str)
    records = of_frame(frame, "original")
    parts = parts_of(Confidential(records, None), "person", SECRET, 20)
    assert (parts.reshape(20, 3) == parts.reshape(20, 3)[:, :1]).all()


def test_ranges_hold_the_overlap_of_the_original_in_nine_of_ten_answers() -> None:
    asked = analysis("mean", "income", by="region")
    inside = answers = 0
    for seed in range(40):
        frame, replica = people(1200, 100 + seed), people(1200, 200 + seed)
        prepared = PartedAnalysis.of(asked, [as_microdata(replica, "replica")], "", {})
        records = of_frame(frame.astype(str), "original")
        parts = parts_of(Confidential(records, None), "", seed.to_bytes(32, "big"), 20)
        counts = prepared.counted(records, parts, prepared.reference(20))
        rng = np.random.default_rng(seed)
        variance = 4.0
        noisy: Any = {
            key: (round(count + rng.normal(0, math.sqrt(variance))), variance)
            for key, count in counts.items()
        }
        truth = sdc.analysis(frame, replica, "mean", "income", by="region").estimates
        for term in prepared.terms:
            answer = prepared.answer(term, noisy)
            if answer.overlap is None:
                continue
            low, high = answer.overlap
            answers += 1
            inside += low - 1e-9 <= truth.loc[term, "CIO_truncated"] <= high + 1e-9
    assert answers >= 70
    assert inside / answers >= 0.9


def test_a_lost_effect_is_another_conclusion_and_a_kept_one_the_same(study: Path) -> None:
    asked = analysis("difference", ["income", "sex"])
    kept = verify(study, "good", asked, mu=0.6).answers[0]
    lost = verify(study, "shuffled", asked, mu=0.6).answers[0]
    assert kept.conclusion == "same"
    assert lost.conclusion == "other"
    assert lost.overlap is not None
    assert lost.overlap[1] < 0.5


def test_the_same_question_has_the_same_answer_and_costs_nothing(study: Path) -> None:
    asked = analysis("mean", "income")
    first = verify(study, "good", asked, mu=0.9)
    renamed = Analysis(name="another name", statistic="mean", variables=("income",))
    again = verify(study, "good", renamed, mu=0.9)  # 1.27 together, were it new
    assert again.answers == first.answers


def test_the_order_of_the_replicas_records_is_no_other_question(study: Path) -> None:
    asked = analysis("quantile", "income", at=[0.5])
    first = verify(study, "good", asked, mu=0.9)
    good = study.with_name("good.csv")
    pd.read_csv(good).iloc[::-1].to_csv(good, index=False)
    again = verify(study, "good", asked, mu=0.9)
    assert (again.answers, again.mu) == (first.answers, first.mu)
    assert again.sha256 != first.sha256  # another file, the same question


@pytest.mark.parametrize(
    ("statistic", "variables"),
    [("difference", ["income", "sex"]), ("correlation", ["age", "income"])],
)
def test_the_order_of_the_replicas_columns_is_no_other_question(
    study: Path, statistic: str, variables: list[str]
) -> None:
    # Records stand in an order of their own, which the order of the columns must not change.
    asked = analysis(statistic, variables)
    first = verify(study, "good", asked, mu=0.9)
    good = study.with_name("good.csv")
    frame = pd.read_csv(good)
    frame[frame.columns[::-1]].to_csv(good, index=False)
    again = verify(study, "good", asked, mu=0.9)
    assert (again.answers, again.mu) == (first.answers, first.mu)
    ledger = json.loads(study.with_suffix(".ledger.json").read_text("utf-8"))
    assert [release["new"] > 0 for release in ledger["releases"]] == [True, False]


def test_what_moves_the_counts_is_another_question(study: Path) -> None:
    asked = analysis("table", ["sex", "decade"])
    for name in ("original", "good", "shuffled"):
        frame = pd.read_csv(study.with_name(f"{name}.csv"))
        frame.assign(decade=frame["age"] // 10).to_csv(study.with_name(f"{name}.csv"), index=False)
    entries = ("", "[missing_codes]\ndecade = [7]\n", "[coarsen]\ndecade = [2, 5, 8]\n")
    for entry in entries:
        study.write_text(STUDY + entry, encoding="utf-8")
        verify(study, "good", asked, mu=0.5)
    ledger = json.loads(study.with_suffix(".ledger.json").read_text("utf-8"))
    assert [release["new"] > 0 for release in ledger["releases"]] == [True, True, True]


def test_a_code_of_a_coarsened_column_is_another_question(study: Path) -> None:
    # Parts follow from whole records: with a person of 33 years one would have another part.
    asked = analysis("mean", "income")
    for code in (33, 34):
        entries = f"[coarsen]\nage = [20, 50, 80]\n[missing_codes]\nage = [{code}]\n"
        study.write_text(STUDY + entries, encoding="utf-8")
        verify(study, "good", asked, mu=0.5)
    ledger = json.loads(study.with_suffix(".ledger.json").read_text("utf-8"))
    assert [release["new"] for release in ledger["releases"]] == [2, 2]


def test_a_coarsened_column_is_asked_for_in_bands(study: Path) -> None:
    study.write_text(STUDY + "[coarsen]\nage = [20, 50, 80]\n", encoding="utf-8")
    answers = verify(study, "good", analysis("share", "age"), mu=0.9).answers
    assert [answer.term for answer in answers] == [
        "age = 20 to under 50",
        "age = 50 to 80",
    ]
    assert all(answer.overlap is not None for answer in answers)


def test_levels_and_dates_are_found_as_each_entry_is_spelt(study: Path) -> None:
    for name in ("original", "good", "shuffled"):
        frame = pd.read_csv(study.with_name(f"{name}.csv"))
        born = pd.Timestamp("2020-01-01") - pd.to_timedelta(frame["age"] * 365, unit="D")
        frame.assign(code=np.where(frame["sex"] == "f", "007", "010"), born=born.dt.date).to_csv(
            study.with_name(f"{name}.csv"), index=False
        )
    study.write_text(STUDY + '[read]\nkinds = { code = "category" }\n', encoding="utf-8")
    for asked in (analysis("share", "code"), analysis("mean", "born")):
        answer = verify(study, "good", asked, mu=0.3).answers[0]
        assert answer.overlap is not None


@pytest.mark.parametrize("how", ["%d/%m/%Y", "%d%b%Y"])
def test_days_in_an_order_of_their_own_are_those_of_the_original(study: Path, how: str) -> None:
    for name in ("original", "good", "shuffled"):
        frame = pd.read_csv(study.with_name(f"{name}.csv"))
        born = pd.Timestamp("2020-01-01") - pd.to_timedelta(frame["age"] * 365, unit="D")
        frame.assign(born=born.dt.strftime(how)).to_csv(study.with_name(f"{name}.csv"), index=False)
    assert verify(study, "good", analysis("mean", "born"), mu=0.3).answers[0].overlap is not None


def test_parts_of_a_column_of_truth_values_are_counted() -> None:
    replica = people(300, 5).assign(ill=lambda data: data["age"] > 60)
    asked = PartedAnalysis.of(analysis("share", "ill"), [as_microdata(replica, "r")], "", {})
    original = pd.DataFrame({"ill": ["TRUE", "true", "FALSE", "?"] * 3})
    counts = asked.counted(of_frame(original, "o"), np.repeat([0, 1, 2], 4), np.array([0.6, 0.6]))
    assert counts["ill = TRUE", "estimated"] == counts["ill = TRUE", "above the replica"] == 3


def test_no_failure_or_warning_of_a_part_gets_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import sdcmetrics.release.parts as module

    asked = PartedAnalysis.of(ANALYSES[0], [as_microdata(people(300, 5), "replica")], "", {})
    records = of_frame(people(240, 4).astype(str), "original")

    def broken(*_: object) -> None:
        warnings.warn("a column holds 4711", stacklevel=1)
        raise TypeError

    monkeypatch.setattr(module, "sides_of", broken)
    counts = asked.counted(records, np.zeros(240, np.int64), asked.synthetic)
    assert set(counts.values()) == {0}


def test_a_record_without_weight_is_left_out() -> None:
    asked = PartedAnalysis.of(ANALYSES[0], [as_microdata(people(300, 5), "replica")], "weight", {})
    frame = people(240, 4).assign(weight=1.0)
    frame.loc[:9, "income"] = 1e9
    frame.loc[:9, "weight"] = [0.0, np.nan, -1.0, 0, 0, 0, 0, 0, 0, 0]
    records = of_frame(frame, "original")
    counts = asked.counted(records, np.zeros(240, np.int64), np.array([1e6]))
    assert counts == {("income", "estimated"): 1, ("income", "above the replica"): 0}


def test_a_spent_budget_is_refused(study: Path) -> None:
    verify(study, "good", ANALYSES[0], mu=0.8)
    verify(study, "good", ANALYSES[2], mu=0.5)
    with pytest.raises(ReleaseBlocked, match="budget spent"):
        verify(study, "good", ANALYSES[3], mu=0.5)


def test_chosen_analyses_share_the_budget_and_no_more(study: Path) -> None:
    refused = 0
    for i in range(7):
        asked = analysis("quantile", "income", at=[(i + 1) / 40])
        try:
            verify(study, "good", asked, mu=0.5)
        except ReleaseBlocked:
            refused += 1
    assert refused == 3  # 4 analyses of 0.5 are 1 together


def test_what_fails_in_the_original_fails_in_silence(study: Path) -> None:
    original = pd.read_csv(study.with_name("original.csv"))
    original.assign(income="secret").to_csv(study.with_name("original.csv"), index=False)
    answer = verify(study, "good", ANALYSES[0], mu=0.5).answers[0]
    assert answer.overlap is None
    assert answer.conclusion == "cannot be told"


def test_too_many_terms_are_refused_before_anything_is_asked(study: Path) -> None:
    with pytest.raises(NotComputable, match="expected 1 to 12 terms"):
        verify(
            study, "good", analysis("lorenz", "income", at=[i / 40 for i in range(1, 20)]), mu=0.2
        )
    assert not study.with_suffix(".secret").exists()


def test_an_unknown_replica_is_named(study: Path) -> None:
    with pytest.raises(StudyError, match=r"no replica 'goood'.* 'good'"):
        verify(study, "goood", ANALYSES[0], mu=0.2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "expected sections"),
        ("[[analysis]", "not valid TOML"),
        (
            '[[analysis]]\nname="a"\nstatistic="function"\nfunction="a.py:f"',
            "code, which is not verified",
        ),
        ('[[analysis]]\nname="a"', r"asked\.toml: analysis: the entry 'statistic' is required"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "asked.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        read_analyses(file)


def test_the_command_prints_ranges_and_saves_them(study: Path) -> None:
    asked = study.with_name("asked.toml")
    asked.write_text(
        '[[analysis]]\nname = "pay"\nstatistic = "difference"\nvariables = ["income", "sex"]\n',
        encoding="utf-8",
    )
    saved = study.with_name("answers.json")
    arguments = ["verify", str(study), "good", str(asked), "--mu", "0.6", "--json", str(saved)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "overlap" in result.output
    assert "spent: mu 0.6 of 1" in result.output
    answers = json.loads(saved.read_text("utf-8"))
    assert answers[0]["answers"][0]["conclusion"] == "same"
    assert "original" not in answers[0]["answers"][0]
    replica = tomllib.loads(study.read_text("utf-8"))["data"]["replicas"]["good"]
    names = [replica] if isinstance(replica, str) else replica
    digests = [hashlib.sha256(study.with_name(name).read_bytes()).hexdigest() for name in names]
    assert answers[0]["sha256"] == digests
    again = CliRunner().invoke(app, arguments)  # into a file that the command itself wrote
    assert again.exit_code == 0, again.output
    assert json.loads(saved.read_text("utf-8")) == answers


def test_what_was_answered_before_the_budget_was_spent_is_saved(
    study: Path, tmp_path: Path
) -> None:
    asked, saved = tmp_path / "asked.toml", tmp_path / "answers.json"
    entry = '[[analysis]]\nname = "{0}"\nstatistic = "mean"\nvariables = "{0}"\n'
    asked.write_text(entry.format("income") + entry.format("age"))
    arguments = ["verify", str(study), "good", str(asked), "--mu", "0.9", "--json", str(saved)]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, ReleaseBlocked)
    assert [answer["analysis"] for answer in json.loads(saved.read_text("utf-8"))] == ["income"]


def test_the_bias_of_parts_is_that_of_each_part_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    data = as_microdata(people(300, 5), "replica")
    prepared = PartedAnalysis.of(analysis("mean", "income"), [data], "", {})
    rows: list[np.ndarray] = []

    def estimated(_: Any, __: Any, ___: Any, part: np.ndarray) -> np.ndarray:
        rows.append(part)
        return np.array([float(part.sum())])

    monkeypatch.setattr(PartedAnalysis, "_estimated", estimated)
    reference = prepared.reference(20)
    assert (np.sum(rows, axis=0) == 1).all()
    assert [part.sum() for part in rows] == [15] * 20
    expected = prepared.synthetic + 15.0 - prepared.estimates.value
    assert reference == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("count", "estimated", "noise", "share", "drawn"),
    [
        (10, 20, 0.0, 12 / 24, 5.0),
        (15, 20, 2.0, 17 / 24, 20 * 17 / 24 * 7 / 24),
        (-1.5, 20, 2.0, 0.5 / 24, 20 / 24),  # so near to 0 a count says little of its error
        (30, 20, 2.0, 1.0, 20 / 24),
        (0.5, 0.25, 2.0, 0.5, 0.25),  # at least one part
    ],
)
def test_a_range_is_of_the_share_of_parts_in_standard_errors(
    count: float, estimated: float, noise: float, share: float, drawn: float
) -> None:
    total = max(estimated, 1.0)
    error = (parts._OWN * drawn + noise * (1 + share**2)) ** 0.5
    spread = stats.norm.ppf(0.5 + parts._LEVEL / 2) * error
    ends = [min(max((count + sign * spread) / total, 0.0), 1.0) for sign in (-1, 1)]
    result = parts._standardised(count, estimated, noise)
    assert result == pytest.approx([total**0.5 * stats.norm.ppf(end) for end in ends])


Z = 1.959963984540054  # of which two are half an interval of 95 % apart from the other half


@pytest.mark.parametrize(
    ("low", "high", "overlap"),
    [
        (Z / 2, Z, (0.5, 0.75)),
        (-Z, Z / 2, (0.5, 1.0)),
        (-5 * Z, -Z / 2, (0.0, 0.75)),
        (4 * Z, 5 * Z, (0.0, 0.0)),
    ],
)
def test_intervals_as_wide_overlap_less_by_what_they_are_shifted(
    low: float, high: float, overlap: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_standardised", lambda *_: (low, high))
    given: Any = SimpleNamespace(terms=("t",), null=math.nan)
    prepared = PartedAnalysis(*[given] * 4, np.array([7.0]), "", "")
    for estimated in (15, 16):  # of which four fifths of twenty are enough
        numbers = dict.fromkeys(
            (("t", "estimated"), ("t", "above the replica")), (estimated, Fraction(1))
        )
        answer = prepared.answer("t", numbers)
        assert (answer.synthetic, answer.conclusion) == (7.0, "cannot be told")
        assert answer.overlap == (None if estimated < 16 else pytest.approx(overlap))


def test_answers_in_words_blame_noise_where_there_is_none() -> None:
    answers = (
        Answer("m - f", -0.1, None, "cannot be told"),
        Answer("age", 2.0, (0.25, 1.0), "same"),
        Answer("sex", 2.0, (0.0, 0.5), "other"),
        Answer("mean", 2.0, (0.0, 0.5), "cannot be told"),
    )
    assert list(answers_in_words(Verification("a", "cart", answers, 25, 0.3, ("",)))) == [
        (
            "m - f: not answered, as too few parts of the original have an estimate, counted with "
            "noise"
        ),
        "age: overlap 0.25 to 1.00; same sign and significance",
        "sex: overlap 0.00 to 0.50; another sign or significance",
        "mean: overlap 0.00 to 0.50",
    ]
