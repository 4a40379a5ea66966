"""Reference values: a real copy has what is declared, and outsiders are as outsiders."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.cli.explain import show_metric
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.closeness.copies import COPIES
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.disclosure import reference_values
from sdcmetrics.measures.disclosure.cut import Cut
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.measure import DISCLOSURE_RISK, GENERAL_UTILITY, Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import ITSELF
from sdcmetrics.measures.registry import MEASURES, of_kind
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.results import Share
from sdcmetrics.review.measurement import measure_given
from sdcmetrics.study.study import Scenario, Study
from tests.demo import answers, demo
from tests.measures.counts import table

RISKS = [m for m in MEASURES.values() if m.family == DISCLOSURE_RISK and not m.of.option]


def people(n: int, seed: int) -> pd.DataFrame:
    """Records of two keys, one of them rare levels, a target that hangs on them, and a number."""
    rng = np.random.default_rng(seed)
    town = rng.zipf(1.7, n).clip(max=40)
    age = rng.integers(0, 6, n)
    vote = (age + (town > 2) + rng.integers(0, 2, n)) % 3
    return pd.DataFrame(
        {"town": town, "age": age, "vote": vote, "income": rng.normal(vote, 1, n).round(1)}
    ).astype({"town": str, "vote": str})


def rows(
    original: pd.DataFrame, synthetic: Any, holdout: pd.DataFrame | None, **options: Any
) -> pd.DataFrame:
    """The rows of all risk measures, by symbol."""
    many = synthetic if isinstance(synthetic, list) else [synthetic]
    scenario = Scenario("friend", ("town", "age"), ("vote",))
    attacks = (
        {"learner": "cart", "links": {"one": "row"}} if options.pop("attacks", False) else None
    )
    chosen = {"permutations": 99, "population_size": 10_000, **options}
    study = Study(
        original, {"one": many}, holdout=holdout, scenarios=[scenario], attacks=attacks, **chosen
    )
    fresh = None if holdout is None else as_microdata(holdout, "holdout")
    pair = Pair("one", study.original, study.replicas["one"], fresh)
    kinds = [KEYS, COPIES] if fresh is None else [KEYS, COPIES, CLOSEST]
    if attacks:
        kinds = list(dict.fromkeys([*kinds, *(m.of for m in RISKS)]))
    result = [
        pd.DataFrame(measure_given(given, of_kind(kind)))
        for kind in kinds
        for given in kind.places(pair, study, lambda _: None)
    ]
    together = pd.concat(result)
    means = together[together["synthesis"].isna()].drop_duplicates("metric")
    return means.set_index("metric")


def test_a_risk_without_reference_values_is_refused_where_it_is_declared() -> None:
    with pytest.raises(StudyError, match=r"^DiSCO: a measure of disclosure risk needs its refer"):
        replace(MEASURES["DiSCO"], reference_values=None)


def test_a_measure_of_utility_needs_no_reference_values() -> None:
    assert (
        replace(MEASURES["DiSCO"], family=GENERAL_UTILITY, reference_values=None).symbol == "DiSCO"
    )


@cache
def of_copy() -> pd.DataFrame:
    original = people(150, 1)
    return rows(original, original.copy(), people(100, 2), attacks=True)


@pytest.mark.parametrize("measure", RISKS, ids=lambda m: m.symbol)
class TestEveryRiskMeasure:
    def test_declares_reference_values(self, measure: Measure) -> None:
        reference_values = measure.reference_values
        assert reference_values is not None
        constant = isinstance(reference_values.copy, float)
        assert (reference_values.release == "constant") == constant
        assert (reference_values.procedure == "") == (reference_values.copy == ITSELF)
        if reference_values.tells == "no" and reference_values.copy != ITSELF:
            assert "cannot tell a copy from people who were not in the original" in measure.limits

    def test_says_why_it_has_no_p_or_what_its_p_takes_for_granted(
        self, measure: Measure, capsys: pytest.CaptureFixture[str]
    ) -> None:
        show_metric(measure.symbol)
        shown = " ".join(capsys.readouterr().out.split())
        has_p = not math.isnan(of_copy().loc[measure.symbol, "p"]) or "p" in measure.tested
        if has_p:
            assert "Its p takes records to be independent. Where people of one" in shown
        if measure.reference_values.procedure == "P2" and measure.reference_values.tells != "no":
            assert re.search("no p|p is exact_copies_p", shown)

    def test_a_real_copy_has_what_is_declared(self, measure: Measure) -> None:
        row = of_copy().loc[measure.symbol]
        assert row["copy"] == pytest.approx(row["value"], rel=1e-9, abs=1e-200)

    def test_a_copy_cut_to_fewer_records_is_the_cut_replica(self, measure: Measure) -> None:
        row = of_copy().loc[measure.symbol]
        if measure.of is KEYS and measure.reference_values.copy != ITSELF:
            assert row["at"] == 100
            assert row["value_at"] == pytest.approx(row["copy_at"], rel=1e-9)
        elif (
            measure.reference_values.procedure == "P1"
        ):  # the original is cut, as who is alone hangs on it
            assert row["at"] == 100
            assert row["value_at"] == row["copy_at"] > row["outsiders"]
        else:
            assert math.isnan(row["at"])

    def test_says_so_where_it_cannot_tell(self, measure: Measure) -> None:
        told = of_copy().loc[measure.symbol, "p"]
        if measure.reference_values.tells == "no":
            assert math.isnan(told)
        elif measure.of is KEYS and callable(measure.reference_values.at):
            assert told <= 0.05


def test_what_a_copy_would_have_stands_beside_a_replica_that_is_none() -> None:
    original = people(80, 1)
    copy, other = (rows(original, replica, None) for replica in (original.copy(), people(80, 2)))
    pd.testing.assert_series_equal(other["copy"], copy["value"], check_names=False)
    assert copy.loc["exact_copies_p", "value"] < 1e-6
    assert other.loc["exact_copies_p", "value"] > 0.05


@cache
def of_fresh(n: int, m: int, h: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Values less those of the holdout, and p, of 25 seeds."""
    apart, p = {}, {}
    for seed in range(25):
        sets = [people(size, 1000 * seed + i) for i, size in enumerate((n, m, h))]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reference_values, "_SUBSAMPLES", 20)  # quicker, and as true
            result = rows(*sets, permutations=19)
        value = result["value_at"].fillna(result["value"])
        apart[seed], p[seed] = value - result["fresh"], result["p"]
    return pd.DataFrame(apart).T, pd.DataFrame(p).T


@pytest.mark.parametrize("sizes", [(80, 80, 80), (100, 120, 50), (100, 50, 90)])
def test_fresh_people_are_neither_worse_nor_better_than_fresh_people(sizes: Any) -> None:
    apart, p = of_fresh(*sizes)
    compared = [
        m.symbol
        for m in RISKS
        if m.reference_values.copy != ITSELF and m.reference_values.fresh is None and m.of is KEYS
    ] + ["DCR_share", "DCR_training", "IMS_training", "DCR_holdout", "IMS_holdout"]
    if sizes[0] != sizes[2]:  # distances to a holdout of another size are others
        compared = [symbol for symbol in compared if "holdout" not in symbol]
    error = apart[compared].std() / math.sqrt(len(apart))
    z = (apart[compared].mean() / error.replace(0, math.nan)).abs()
    # The largest of thirty-four of a normal distribution exceeds 4 once in five hundred times.
    assert z.max() < 4, z.sort_values().tail(3)
    rejected = (p <= 0.05).mean()
    assert rejected.max() <= 0.24  # seven of 25 at 5 %: once in ten thousand times


def test_raw_numbers_of_fresh_data_would_look_worse_than_fresh() -> None:
    result = [
        rows(*(people(n, 500 + 10 * s + i) for i, n in enumerate((300, 300, 150))))
        for s in range(5)
    ]
    raw = [item.loc["repU", "value"] - item.loc["repU", "fresh"] for item in result]
    even = [item.loc["repU", "value_at"] - item.loc["repU", "fresh"] for item in result]
    assert abs(np.mean(even)) < abs(np.mean(raw))


class TestCut:
    def test_equals_the_mean_over_every_subset(self) -> None:
        rng = np.random.default_rng(0)
        counted = [m for m in of_kind(KEYS) if callable(m.reference_values.at)]
        ratios = {"mean_denom", "DCAPb", "TCAPb", "TCAP_matched", "TCAP_certain"}
        ratios |= {"CAP_s_undefined", "TCAP_synthetic"}
        for _ in range(4):
            counts = table(
                original=rng.integers(0, 3, (2, 4)),
                synthetic=np.bincount(rng.integers(0, 8, 7), minlength=8).reshape(2, 4),
            )
            records = np.repeat(np.arange(len(counts.synthetic)), counts.synthetic)
            for k in range(1, len(records) + 1):
                subsets = [
                    replace(
                        counts,
                        synthetic=np.bincount(
                            records[list(combination)], minlength=len(counts.synthetic)
                        ),
                        n_synthetic=k,
                    )
                    for combination in itertools.combinations(range(len(records)), k)
                ]
                for measure in counted:
                    if measure.symbol in ratios and k < len(records):
                        continue
                    each = [measure.function(subset) for subset in subsets]
                    scale = 100 if measure.unit == "percent" else 1
                    values = [
                        scale * item.proportion if isinstance(item, Share) else item
                        for item in each
                    ]
                    expected = scale * measure.reference_values.at(Cut(counts, k))
                    assert np.mean(values) == pytest.approx(expected, rel=1e-12, nan_ok=True)


class TestWithoutHoldout:
    def test_the_copy_stands_alone(self) -> None:
        original = people(60, 1)
        result = rows(original, people(60, 2), None).loc["DiSCO"]
        assert result["copy"] == rows(original, original, None).loc["Dorig", "value"]
        assert result[["fresh", "at", "value_at", "p", "outsiders"]].isna().all()

    def test_a_copy_is_cut_to_a_smaller_replica(self) -> None:
        original = people(60, 1)
        result = rows(original, people(30, 2), None).loc["repU"]
        assert result["at"] == 30
        assert result["value_at"] == result["value"]
        assert 0 < result["copy_at"] < result["copy"]


class TestSyntheses:
    def test_marks_are_means_and_p_the_smallest_times_their_number(self) -> None:
        original, holdout = people(80, 1), people(80, 3)
        copied, fresh = original.copy(), people(80, 2)
        both = rows(original, [copied, fresh], holdout).loc["DiSCO"]
        alone = [rows(original, item, holdout).loc["DiSCO"] for item in (copied, fresh)]
        assert both["value_at"] == pytest.approx(np.mean([item["value_at"] for item in alone]))
        assert both["p"] == pytest.approx(2 * alone[0]["p"])

    def test_p_is_seeded(self) -> None:
        sets = [people(60, seed) for seed in (1, 2, 3)]
        first, same = (rows(*sets, seed=4) for _ in range(2))
        pd.testing.assert_series_equal(first["p"], same["p"])

    def test_without_permutations_there_is_no_p(self) -> None:
        result = rows(*(people(60, seed) for seed in (1, 2, 3)), permutations=0)
        assert result["p"].isna().all()
        assert result.loc["DiSCO", ["value_at", "fresh", "outsiders_p"]].notna().all()


def test_people_who_were_not_in_it_are_found_less_often_in_a_copy() -> None:
    original = people(150, 1)
    result = rows(original, original, people(150, 2)).loc[["DiSCO", "DCAP", "iS", "non_match"]]
    assert (result.loc[["DiSCO", "DCAP", "iS"], "outsiders"] < result["value"].iloc[:3]).all()
    assert (result["outsiders_p"] <= 0.01).all()


COLUMNS = {
    "value": "value",
    "copy": "copy",
    "fresh": "fresh",
    "value_at_h": "value_at",
    "copy_at_h": "copy_at",
    "label_p_hypergeometric": "outsiders_p",
}


@pytest.mark.parametrize("replica", ["cart_1", "independent", "perturbed"])
@pytest.mark.parametrize("keys", ["age,educ,PID", "educ,PID"])
def test_equals_the_recorded_reference_points(replica: str, keys: str) -> None:
    recorded = answers("reference_points")["keys"]
    original, synthetic, holdout = (demo(name) for name in ("original", replica, "holdout"))
    scenario = Scenario("friend", tuple(keys.split(",")), ("vote",))
    study = Study(original, {"one": synthetic}, holdout=holdout, scenarios=[scenario])
    pair = Pair("one", study.original, study.replicas["one"], study.holdout)
    (given,) = KEYS.places(pair, study, lambda _: None)
    result = pd.DataFrame(measure_given(given, of_kind(KEYS))).set_index("metric")
    names = {"TCAP": "TCAP_matched", "TCAP_conditional": "TCAP_certain"}
    seen = 0
    for entry, values in recorded.items():
        symbol, _, place = entry.partition(" ")
        symbol = names.get(symbol, symbol)
        if place != f"[{keys}->vote]" or symbol not in result.index:
            continue
        for theirs, ours in COLUMNS.items():
            expected = values[replica].get(theirs)
            if expected is not None:
                seen += 1
                assert result.loc[symbol, ours] == pytest.approx(expected, rel=1e-9), (symbol, ours)
        if "p_not_worse_than_fresh" in values[replica]:  # recorded from 299 other redraws
            expected = values[replica]["p_not_worse_than_fresh"]
            assert result.loc[symbol, "p"] == pytest.approx(expected, abs=0.1)
    assert seen > 80


def test_distances_have_the_recorded_reference_points() -> None:
    recorded = answers("reference_points")["distances of cart_1"]
    sets = [demo(name) for name in ("original", "cart_1", "holdout")]
    scenario = Scenario("friend", ("age", "educ"), ("vote",))
    study = Study(
        sets[0], {"one": sets[1]}, holdout=sets[2], scenarios=[scenario], distance="gower"
    )
    pair = Pair("one", study.original, study.replicas["one"], study.holdout)
    (given,) = CLOSEST.places(pair, study, lambda _: None)
    result = pd.DataFrame(measure_given(given, of_kind(CLOSEST))).set_index("metric")
    for symbol in ("DCR_share", "DCR_training", "DCR_holdout", "IMS_training", "IMS_holdout"):
        expected = recorded[symbol]
        for mark in ("value", "copy", "fresh"):
            # One tie was split by the sizes there, and the holdout itself was recorded as fresh.
            tolerance = 0.008 if symbol == "DCR_share" else 1e-6
            assert result.loc[symbol, mark] == pytest.approx(expected[mark], rel=tolerance)
    assert result.loc["DCR_share", "fresh"] == 630 / 944
    assert result.loc["identical_p", "copy"] < 1e-200
    assert result.loc["singled_out_p", "copy"] == pytest.approx(5e-13, rel=0.2)
