"""What the tests make of what models answer: the models stand in, the arithmetic is by hand."""

# ruff: noqa: ARG001, ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.measure import DISCLOSURE_RISK
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.suites.daisynt import (
    beside_holdout,
    corrected,
    declared,
    models,
    one_variable,
    predictive,
)
from sdcmetrics.suites.daisynt.figure_data import shape
from sdcmetrics.suites.daisynt.inference_risk import InferenceRisk, inference_risk
from sdcmetrics.suites.daisynt.one_variable import Discrepancy
from sdcmetrics.suites.daisynt.representation import debiased_cka
from sdcmetrics.suites.daisynt.sets import HOLDOUT, ORIGINAL, SYNTHETIC, Sets, sets_of
from sdcmetrics.suites.daisynt.several_variables import joint_discrepancy, scaled

MODULES = (beside_holdout, models, predictive)


@dataclass
class Some:
    """Records that are only their numbers, and a target that may be looked at."""

    rows: np.ndarray
    codes: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(self.rows)

    def taken(self, rows: np.ndarray) -> Some:
        return Some(self.rows[rows], {k: v[rows] for k, v in self.codes.items()})


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put functions in the place of those of the same names."""

    def put(**functions: Any) -> None:
        for name, function in functions.items():
            for module in MODULES:
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, function)

    return put


def stand_in(**more: Any) -> Any:
    return SimpleNamespace(
        rng=lambda what: np.random.default_rng(len(what)),
        cached=lambda key, make: make(),
        predicted="y",
        seed=1,
        **more,
    )


@pytest.mark.parametrize(("n", "of_replica"), [(11, 9), (11, 3), (10, 5)])
def test_halves_are_of_the_original_and_the_replica_has_as_many_at_most(
    instead: Callable[..., None], n: int, of_replica: int
) -> None:
    rows = {ORIGINAL: np.arange(n), SYNTHETIC: 100 + np.arange(of_replica), HOLDOUT: np.array([7])}
    instead(
        with_outcome=lambda sets, part: Some(rows[part]),
        chances=lambda sets, records, learner, test: (records.rows, test.rows.tolist()),
    )
    halves: Any = beside_holdout._halves(stand_in())
    assert len(halves) == 5
    for (first, of), (other, _), (replica, _) in halves:
        assert len(first) == len(other) == n // 2
        assert len({*first, *other}) == 2 * (n // 2)
        assert {*first, *other} <= {*range(n)}
        assert len({*replica}) == min(n // 2, of_replica)
        assert {*replica} <= {*range(100, 100 + of_replica)}
        assert of == [7]
    assert len({tuple(first) for (first, _), _, _ in halves}) > 1


RISES, FALLS, TIES = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1]), np.array([0.2, 0.2, 0.2])


def test_gap_is_of_the_first_half_and_the_replica(instead: Callable[..., None]) -> None:
    label = Some(np.arange(3), {"y": np.array([0, 0, 1])})
    halves = [(RISES, TIES, FALLS), (RISES, RISES, TIES)]  # AUC 1, 1/2, 0; 1, 1, 1/2
    instead(with_outcome=lambda sets, part: label, _halves=lambda sets: halves)
    result = beside_holdout._gap(stand_in())
    assert (result.value, result.fresh) == (0.75, 0.0)
    assert result.evidence == {
        "AUC original": 1.0,
        "AUC synthetic": 0.25,
        "sd between halves": pytest.approx(math.sqrt(0.125)),
    }


def test_ranks_are_those_of_the_first_half(instead: Callable[..., None]) -> None:
    halves = [(RISES, RISES + 0.1, FALLS), (RISES, FALLS, RISES + 0.5)]
    instead(_halves=lambda sets: halves)
    result = beside_holdout._ranks(stand_in())
    assert result.value == pytest.approx(0.0)  # -1 and 1
    assert result.fresh == pytest.approx(0.0)  # 1 and -1
    assert result.evidence["mean difference"] == pytest.approx((0.4 / 3 + 0.5) / 2)
    assert result.evidence["by chance"] == pytest.approx((0.1 + 0.4 / 3) / 2)
    instead(_halves=lambda sets: halves[:1])
    result = beside_holdout._ranks(stand_in())
    assert [result.value, result.fresh] == pytest.approx([-1, 1])
    instead(_halves=lambda sets: [(RISES, RISES, TIES)])
    with pytest.raises(NotComputable, match="the same for everybody"):
        beside_holdout._ranks(stand_in())


@pytest.mark.parametrize(
    ("replica", "refit", "untrained", "least", "value"),
    [
        (0.5, 0.9, 0.1, 0.05, 0.5),
        (0.9, 0.1, 0.1, 0.05, None),
        (0.025, 0.05, 0.0, 0.05, 0.5),
        (0.3, 0.04, 0.0, 0.05, None),
        (0.125, 0.25, 0.0, 0.25, 0.5),  # whose mean of three is exact
    ],
)
def test_internals_are_on_a_scale_from_an_untrained_network_to_a_refit(
    instead: Callable[..., None],
    replica: float,
    refit: float,
    untrained: float,
    least: float,
    value: float | None,
) -> None:
    seeds: list[tuple[int, int]] = []
    alike = {ORIGINAL: refit, SYNTHETIC: replica, "untrained": untrained}

    def learn(sets: Any, part: int, target: str, learner: Any, *, seed: int) -> int:
        seeds.append((part, seed))
        return part

    instead(
        with_outcome=lambda sets, part: part,
        learn=learn,
        hidden=lambda model, test, rng=None: model if rng is None else "untrained",
        debiased_cka=lambda own, other: alike[other],
        _LEAST=least,
    )
    result = beside_holdout._internals(stand_in())
    if value is None:
        assert math.isnan(result.value)
    else:
        assert result.value == pytest.approx(value)
    assert result.fresh == 1.0
    assert [*result.evidence.values()] == pytest.approx([replica, refit, untrained])
    each = ((ORIGINAL, 0), (SYNTHETIC, 100), (ORIGINAL, 100))
    assert seeds == [(part, seed + i) for i in range(3) for part, seed in each]


def test_the_worst_sensitive_column_is_told(instead: Callable[..., None]) -> None:
    risks = {"a": InferenceRisk(0.5, 0.6, 0.03), "b": InferenceRisk(0.2, 0.9, 0.2)}
    sizes = []

    def risk(truth: np.ndarray, guess: np.ndarray, n: int, **given: Any) -> InferenceRisk:
        sizes.append((len(truth), len(guess), n))
        return risks["ab"[(len(sizes) - 1) % 2]]

    instead(
        check_roles=lambda sets: None,
        records_of=lambda sets: (4, 5, 3),  # original, replica, holdout
        guesses=lambda sets, name, training, records: (np.zeros(records), np.ones(records)),
        inference_risk=risk,
    )
    sets = stand_in(sensitive=("a", "b"), households_of=lambda *parts: None, values={})
    result = beside_holdout._inference(sets)
    assert [result.value, result.fresh] == pytest.approx([0.7, 0.0])
    assert result.p == pytest.approx(0.06)  # 2 times the least
    assert result.note == "of b, the largest; blind to few copies"
    assert result.evidence["excess"] == pytest.approx({"a": 0.1, "b": 0.7})
    assert sizes == [(7, 7, 4)] * 2
    risks["b"] = InferenceRisk(0.2, math.nan, math.nan)
    result = beside_holdout._inference(sets)
    assert (result.value, result.p) == pytest.approx((0.1, 0.03))  # of one test
    constant = "the original or the holdout has one value only of b"
    assert result.note == f"of a, the largest; blind to few copies; {constant}"
    alone = beside_holdout._inference(
        stand_in(sensitive=("a",), households_of=lambda *_: None, values={})
    )
    assert alone.note == ""
    risks["a"] = risks["b"]
    with pytest.raises(NotComputable, match="one value only of a, b"):
        beside_holdout._inference(sets)


@pytest.mark.parametrize("same", [True, False])
def test_p_of_inference_counts_the_labels_themselves(*, same: bool) -> None:
    truth = np.tile([0.0, 1.0], 20)
    guess = truth.copy() if same else np.where(np.arange(40) < 20, truth, 1 - truth)
    result = inference_risk(truth, guess, 20, permutations=99, rng=np.random.default_rng(1))
    assert result.p_value == (1.0 if same else 0.01)
    assert (result.training, result.holdout) == (0.0, 0.0 if same else 4.0)
    assert result.excess == (0.0 if same else 4.0)


def test_the_unbiased_alignment_is_that_of_kernels_without_their_diagonals() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(7, 2)), rng.normal(size=(7, 3))

    def hsic(a: np.ndarray, b: np.ndarray) -> float:  # Song et al. (2012), equation 5
        k, other = a @ a.T, b @ b.T
        np.fill_diagonal(k, 0)
        np.fill_diagonal(other, 0)
        n, first = len(a), np.ones(len(a))
        trace = np.trace(k @ other)
        sums = (first @ k @ first) * (first @ other @ first) / ((n - 1) * (n - 2))
        return float((trace + sums - 2 / (n - 2) * (first @ k @ other @ first)) / (n * (n - 3)))

    expected = hsic(x, y) / math.sqrt(hsic(x, x) * hsic(y, y))
    assert debiased_cka(x, y) == pytest.approx(expected)
    assert debiased_cka(x, x) == pytest.approx(1.0)
    assert debiased_cka(x - 1e6, y + 1e6) == pytest.approx(expected)
    assert math.isnan(debiased_cka(x, np.zeros((7, 2))))


class Knows:
    """A model that knows the answer, or its opposite, of each record."""

    def __init__(self, learnt: Any, target: str) -> None:
        self.learnt, self.target = learnt, target

    def predict(self, records: Records) -> Any:
        share = records.codes[self.target].astype(float)
        return SimpleNamespace(chance_of=lambda level: share if level == 1 else 1 - share)


def records(n: int) -> Records:
    codes = {models.ORIGIN: np.repeat([0, 1], [n - n // 3, n // 3]), "a": np.arange(n) % 5}
    return Records(codes, {"x": np.arange(n, dtype=float)}, n)


def test_who_is_told_apart_was_not_learnt_from(instead: Callable[..., None]) -> None:
    fits: list[Records] = []

    def learn(
        sets: Any, learnt: Records, target: str, learner: Any, *, columns: Any = None
    ) -> Knows:
        assert target == models.ORIGIN
        assert columns in (None, ["a", "x"])
        fits.append(learnt)
        return Knows(learnt, target)

    whole = records(60)
    instead(learn=learn, origin=lambda sets, parts: whole)
    result = beside_holdout._told_apart(stand_in(households_of=lambda *parts: None))
    assert (result.value, result.fresh, result.note) == (1.0, 0.5, "blind to copies")
    assert result.p == 1e-4  # of so few records the least that permutations give
    assert result.evidence["records"] == 60 - fits[0].n
    assert 25 <= fits[0].n <= 35
    fits.clear()
    assert models.told_apart(stand_in(), whole, models.NETWORK) == [1.0] * 5
    assert sum(each.n for each in fits) == 4 * 60
    seen = np.concatenate([each.numbers["x"] for each in fits])
    assert (np.bincount(seen.astype(int)) == 4).all()


@pytest.mark.parametrize(("n", "enough"), [(99, False), (100, True)])
def test_data_sets_to_tell_apart_have_100_records_each(
    instead: Callable[..., None], n: int, *, enough: bool
) -> None:
    def some(n: int) -> Records:
        return Records({"a": np.zeros(n, dtype=int)}, {}, n)

    for sizes in ((n, 200, 7), (200, n, 7)):
        parts = tuple(map(some, sizes))
        instead(records_of=lambda sets, parts=parts: parts)
        if not enough:
            with pytest.raises(NotComputable, match="fewer than 100 records"):
                models.origin(stand_in(), [ORIGINAL])
            continue
        both = models.origin(stand_in(), [ORIGINAL, HOLDOUT])
        label = both.codes[models.ORIGIN]
        assert label.tolist() == [0] * (sizes[0] + 7) + [1] * sizes[1]
        assert both.n == len(label)


def test_the_published_scores_are_means_over_both_models(instead: Callable[..., None]) -> None:
    label = {part: Some(np.array([part]), {"y": np.array([0, 0, 1])}) for part in range(3)}
    answers = {
        ("boosting", ORIGINAL): RISES, ("boosting", SYNTHETIC): TIES,
        ("network", ORIGINAL): RISES, ("network", SYNTHETIC): FALLS,
    }  # fmt: skip
    instead(
        with_outcome=lambda sets, part: label[part],
        chances=lambda sets, learnt, learner, test: answers[learner.name, learnt.rows[0]],
        LEARNER_OF={name: SimpleNamespace(name=name) for name in ("boosting", "network")},
    )
    sets = stand_in(test=HOLDOUT)
    score = predictive._aggregate(sets)
    assert score.raw == pytest.approx(1 - (0.5 + 1) / 2)
    assert [*score.evidence.values()] == [1.0, 0.5, 1.0, 0.0]
    cosines = [0.12 / math.sqrt(0.14 * 0.12), 0.1 / 0.14]
    score = predictive._single(sets)
    assert score.raw == pytest.approx(sum(cosines) / 2)
    assert [*score.evidence.values()] == pytest.approx(cosines)
    assert math.isnan(predictive.cosine(RISES, np.zeros(3)))
    apart = {"boosting": [0.9, 0.7], "network": [0.5, 0.5]}
    asked: list[list[int]] = []
    instead(
        origin=lambda sets, parts: asked.append(parts),
        told_apart=lambda sets, both, learner: apart[learner.name],
    )
    for holdout in (True, False):
        score = predictive._discriminator(stand_in(has_holdout=holdout))
        assert score.raw == pytest.approx(1 - (0.6 + 0) / 2)
        assert [*score.evidence.values()] == pytest.approx([0.8, 0.5])
    assert asked == [[ORIGINAL, HOLDOUT], [ORIGINAL]]


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(size=n), "y": rng.permutation(np.arange(n) % 2)})


def sets(original: pd.DataFrame, synthetic: pd.DataFrame, holdout: Any = None, **said: Any) -> Sets:
    named: dict[str, Any] = dict.fromkeys(("categorical", "public", "sensitive", "missing_codes"))
    return sets_of(original, synthetic, holdout, **{**named, "target": "y", "seed": 1, **said})


@pytest.mark.parametrize(("shift", "p"), [(0.0, 1.0), (1.0, 0.01)])
def test_p_of_correlations_counts_the_data_themselves(shift: float, p: float) -> None:
    frame = pd.DataFrame({"x": np.arange(40.0), "y": np.arange(40) % 2})
    holdout = frame.assign(z=frame["x"])
    replica = holdout.assign(z=holdout["x"] * (1 - 2 * shift))
    table = sdc.daisynt(
        holdout.head(30), replica, holdout, target="y", mode="corrected", tests=["rho_mad"], seed=1
    )
    assert table.loc["rho_mad", "p"] == p
    expected = 2 / 3 if shift else 0.0  # of three pairs the correlation of x and z turns round
    assert table.loc["rho_mad", "value"] == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_correlations_of_the_holdout_are_its_own_whatever_the_replica(shift: float) -> None:
    holdout, replica = (
        people(60, seed).assign(x=lambda frame: frame["x"].round(), z=lambda frame: frame["x"] ** 2)
        for seed in (1, 2)
    )
    holdout.loc[:4, "x"] = np.nan
    replica["x"] += shift * (replica["y"] - 0.5)
    finding = beside_holdout._mean_difference(sets(people(9, 3).assign(z=1.0), replica, holdout))
    shown = finding.shown().frame.loc[("x", "z")]  # type: ignore[misc]
    for shares, frame in (("original", holdout), ("synthetic", replica)):
        ranks = frame[["x", "z"]].rank()
        assert shown[shares] == pytest.approx(ranks.corr().loc["x", "z"])


@pytest.mark.parametrize(
    ("classes", "area"),
    [([0, 1], 0.75), ([1, 0, 0, 0], 0.0), ([0, 1, 1, 1], 1.0), ([1], None), ([0], None)],
)
def test_curves_need_both_classes_in_the_holdout(
    instead: Callable[..., None], classes: list[int], area: float | None
) -> None:
    test = Some(np.arange(4), {"y": np.resize(classes, 4)})
    instead(
        with_outcome=lambda sets, part: test, chances=lambda sets, learnt, learner, test: test.rows
    )
    if area is None:
        with pytest.raises(NotComputable, match="one class"):
            beside_holdout._curves(stand_in())
        return
    curves = beside_holdout._curves(stand_in()).curves
    assert [(curve.learner, curve.learnt_from, curve.auc) for curve in curves] == [
        (name, part, area) for name in ("boosting", "network") for part in ("original", "replica")
    ]


def test_roles_and_kinds_of_columns() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, 2, 3, 4], "y": [0, 1, 0, 1], "g": list("abab"), "one": 1, "three": [0, 1, 2, 2]}
    )
    data = sets(frame, frame.assign(x=[5.0, np.nan, 6, 7]), public="one")
    assert data.columns == ["x", "y", "g", "one", "three"]  # a constant that has a role stays
    assert sets(frame, frame).columns == ["x", "y", "g", "three"]
    assert sets(frame[:1], frame).columns == ["x", "y", "g", "three"]
    assert data.categories == ["y", "g"]
    assert data.numbers == ["x", "one", "three"]
    assert data.test == ORIGINAL
    assert data.flags.keys() == {"x"}
    assert [part.tolist() for part in data.flags["x"]] == [[0] * 4, [0, 1, 0, 0]]
    assert data.filled([ORIGINAL])["x"][SYNTHETIC].tolist() == [5, 2.5, 6, 7]
    assert data.filled([SYNTHETIC])["x"][SYNTHETIC].tolist() == [5, 6, 6, 7]
    assert [part.tolist() for part in data.outcome] == [[0, 1, 0, 1]] * 2
    assert sets(frame, frame, target=("three", "y")).predicted == "y"
    assert sets(frame, frame, target=("three", "x")).predicted == "three"
    with pytest.raises(NotComputable, match="has 3 classes"):
        _ = sets(frame, frame, target="three").outcome
    lost = sets(frame.assign(y=[0, 1, np.nan, 1]), frame)
    assert lost.outcome[0].tolist() == [0, 1, -1, 1]
    with pytest.raises(NotComputable, match="public: no column"):
        sets(frame, frame).role("public")


def test_histograms_end_at_the_percentiles_of_both() -> None:
    nothing = Discrepancy(0.0, 0.0, 1.0, 0.0)
    values = np.arange(0.5, 200)  # no whole numbers
    both = shape("x", values[:150], np.append(values[150:], np.nan), nothing)
    assert (both.edges[0], both.edges[-1], len(both.edges)) == (1.5, 197.5, 31)
    assert both.holdout.sum() == pytest.approx(1)
    assert both.synthetic[0] == 0
    assert both.synthetic.sum() == pytest.approx(1)
    nearly = np.append(np.zeros(500), 3.25)
    assert shape("x", nearly, nearly, nothing).edges[[0, -1]].tolist() == [0, 3.25]
    whole = np.repeat(np.arange(61.0), 5)
    assert shape("x", whole, whole, nothing).edges.tolist() == (np.arange(0, 64, 3) - 0.5).tolist()
    sixty = np.repeat(np.arange(60.0), 5)  # thirty groups of two
    for low in (0, 100):
        edges = shape("x", low + sixty, low + sixty, nothing).edges
        assert edges.tolist() == (low + np.arange(0, 61, 2) - 0.5).tolist()


def test_predictive_power_is_of_records_with_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(corrected, "power_gap", lambda *given, **_: calls.append(given))
    replica, holdout = people(9, 3).astype(float), people(6, 2).astype(float)
    replica.loc[0, "y"] = holdout.loc[:1, "y"] = math.nan
    corrected._powers(sets(people(8, 1), replica, holdout))
    [(groups, target, n_holdout)] = calls
    assert [len(groups[0]), len(target), n_holdout] == [12, 12, 4]
    outcomes = [*holdout["y"].dropna(), *replica["y"].dropna()]
    assert target.tolist() == outcomes


def test_what_a_gap_of_predictive_power_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(holdout: list[float], synthetic: list[float], names: str) -> Any:
        gap = SimpleNamespace(
            holdout=np.array(holdout), synthetic=np.array(synthetic),
            error=np.full(len(names), 0.1), gap=0.5, fresh_gap=0.2, gap_p=0.03, ccc=math.nan,
        )  # fmt: skip
        monkeypatch.setattr(corrected, "_power", lambda sets: (gap, list(names)))
        return corrected._iv_gap(stand_in())

    whole = of([0.25, 1.0], [0.75, 1.0], "ab")
    assert (whole.value, whole.fresh, whole.p, whole.note) == (0.5, 0.2, 0.03, "")
    assert whole.evidence == {"difference and its error": {"a": (0.5, 0.1), "b": (0.0, 0.1)}}
    part = of([0.25, math.nan, 1.0], [0.75, 1.0, math.nan], "abc")
    assert part.note == "a class lacks a group of b, c"
    assert [*part.evidence["difference and its error"]] == ["a"]
    with pytest.raises(NotComputable, match="fewer than 3 variables"):
        corrected._iv_ccc(stand_in())


def test_shares_of_people_whose_labels_are_exchanged() -> None:
    result = corrected._of_labels(
        SimpleNamespace(  # type: ignore[arg-type]
            training=6, n_training=8, holdout=1, n_holdout=4, p_value=0.02, expected=4.5
        )
    )
    assert (result.value, result.fresh, result.p) == (0.75, 0.25, 0.02)
    assert result.evidence == {"training": 6, "holdout": 1, "expected": 4.5}


def test_distances_between_numbers_are_their_mean_and_the_least_p_is_adjusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = {1.0: (0.2, 0.04), 2.0: (0.6, 0.5), 3.0: None}

    def discrepancy(first: np.ndarray, other: np.ndarray, **_: Any) -> Any:
        assert other[0] == -first[0]
        if (outcome := of[first[0]]) is None:
            msg = "constant"
            raise NotComputable(msg)
        return SimpleNamespace(unbiased=outcome[0], p_value=outcome[1])

    monkeypatch.setattr(corrected, "discrepancy", discrepancy)
    values = {
        name: [np.zeros(1), np.array([-x]), np.array([x])]
        for name, x in zip("abc", of, strict=True)
    }
    assert (ORIGINAL, SYNTHETIC, HOLDOUT) == (0, 1, 2)
    result = corrected._mmd(stand_in(values=values, households_of=lambda *_: None))
    assert (result.value, result.fresh, result.p) == (pytest.approx(0.4), 0.0, 0.08)
    assert result.evidence["MMD squared"] == {"a": 0.2, "b": 0.6}
    with pytest.raises(NotComputable, match="no column of numbers"):
        corrected._mmd(stand_in(values={"c": values["c"]}, households_of=lambda *_: None))


def test_a_p_stands_behind_its_value() -> None:
    places = {measure.symbol: measure.show["beside_fresh"] for measure in declared.MEASURES}
    assert len({*places.values()}) == len(places)
    order = sorted(places, key=places.__getitem__)
    for before, symbol in itertools.pairwise(order):
        assert symbol == f"{before}_p" or not symbol.endswith("_p")


def test_which_tests_tell_a_copy() -> None:
    of_people = {
        measure.symbol: measure
        for measure in declared.MEASURES
        if measure.reference_values is not None
    }
    tells = {name: item.reference_values.tells for name, item in of_people.items()}
    assert {name for name, words in tells.items() if words == "yes"} == {
        name for name in tells if name.removesuffix("_p") in ("close", "MIA_AUC")
    }
    assert set(tells.values()) == {"yes", "weakly"}
    assert all(item.family == DISCLOSURE_RISK for item in of_people.values())
    others = [measure for measure in declared.MEASURES if measure.symbol not in of_people]
    assert all(other.family != DISCLOSURE_RISK for other in others)
    places = [next(iter(measure.show.values())) for measure in declared.MEASURES]
    assert len(set(places)) == len(places)
    assert min(places) == 10


def test_the_three_numbers_that_are_furthest_apart_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(corrected, "shape", lambda name, first, other, _: (name, first, other))
    results: Any = {
        name: SimpleNamespace(sigma=sigma, statistic=statistic)
        for name, sigma, statistic in (
            ("a", 0.5, 1.0), ("b", 0.0, 9.0), ("c", 0.1, 3.0), ("d", 2.0, 2.0), ("e", 1.0, 4.0)
        )
    }  # fmt: skip
    values = {name: (name, f"{name} replica", f"{name} holdout") for name in results}
    drawn: Any = corrected._shapes(stand_in(values=values), results)
    assert drawn.shapes == tuple((x, f"{x} holdout", f"{x} replica") for x in "ecd")


def test_groups_of_columns_are_compared_beside_their_expectation() -> None:
    parts = np.zeros(4, dtype=int), np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1])
    other = np.zeros(4, dtype=int), np.array([0, 1] * 3), np.array([0, 1] * 2)
    coded = {
        name: SimpleNamespace(parts=part, size=2) for name, part in (("a", parts), ("b", other))
    }
    given = stand_in(
        grouped=lambda which, method: SimpleNamespace(variables=coded),
        households_of=lambda *_: None,
        data=SimpleNamespace(sizes=(4, 6, 4)),
    )
    result = corrected._chi2(given)
    # 2 2 of the holdout beside 2 4 of the replica: chi-squared 10 (2 4 - 2 2)^2 / (4 6 4 6)
    square = 10 * (2 * 4 - 2 * 2) ** 2 / (4 * 6 * 4 * 6) / 10
    assert result.evidence["V"] == {"a": pytest.approx(math.sqrt(square)), "b": pytest.approx(0)}
    assert result.value == pytest.approx(math.sqrt(square / 2))
    assert result.fresh == pytest.approx(math.sqrt(1 / 9))
    assert result.p == 1.0


@pytest.mark.parametrize(("most", "exact"), [(6, True), (5, False)])
def test_many_values_are_counted_by_quantiles_of_both(
    most: int, monkeypatch: pytest.MonkeyPatch, *, exact: bool
) -> None:
    monkeypatch.setattr(one_variable, "_MOST_VALUES", most)
    monkeypatch.setattr(one_variable, "_GRID", 2)
    first, other = np.array([0.0, 1, 2, 2]), np.array([5.0, 8, 9, 9])
    result = one_variable._counted(first, other)
    if exact:
        assert result.values.tolist() == [0, 1, 2, 5, 8, 9]
        assert (result.first.tolist(), result.other.tolist()) == (
            [1, 1, 2, 0, 0, 0],
            [0, 0, 0, 1, 1, 2],
        )
        return
    # of eight records the quarters are the second, 1, and the sixth, 8; 4.5 lies between
    assert result.values.tolist() == [1, 8]
    assert (result.first.tolist(), result.other.tolist()) == ([4, 0], [0, 4])
    assert result.places.tolist() == [0] * 4 + [1] * 4


def test_numbers_together_are_on_one_scale() -> None:
    rng = np.random.default_rng(1)
    both = scaled(1e6 + rng.normal(size=(9, 2)), 1e6 + [1, 9] * rng.normal(size=(5, 2)))
    assert both.mean(axis=0) == pytest.approx([0, 0], abs=1e-6)
    assert both.std(axis=0) == pytest.approx([1, 1])


def test_labels_are_exchanged_as_often_as_is_said() -> None:
    class Counting(np.random.Generator):
        drawn = 0

        def permutation(self, *given: Any, **options: Any) -> Any:
            self.drawn += 1
            return super().permutation(*given, **options)

    rng = Counting(np.random.PCG64(1))
    x = np.arange(40.0).reshape(20, 2)
    result = joint_discrepancy(x, x + 1000, rng=rng, permutations=19)
    assert (rng.drawn, result.p_value) == (19, 1 / 20)
    same = joint_discrepancy(np.ones((10, 1)), np.ones((11, 1)), rng=rng)
    assert (same.mmd, same.p_value) == (0.0, 1.0)
    with pytest.raises(NotComputable, match="fewer than 10 complete records"):
        joint_discrepancy(np.ones((9, 1)), np.ones((11, 1)), rng=rng)
