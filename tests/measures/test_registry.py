"""What holds of every metric in the catalogue, whatever the data."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics import MEASURES, explain
from sdcmetrics.errors import StudyError
from sdcmetrics.measures import registry
from sdcmetrics.measures.analyses.declared import ANALYSES, ANALYSIS
from sdcmetrics.measures.closeness.copies import COPIES
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.crosstables import ratio_of_counts, statistics
from sdcmetrics.measures.crosstables.counting import TablePairs, count_tables
from sdcmetrics.measures.crosstables.k_marginal import K_MARGINAL
from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.crosstables.places import CROSSTABLES, ONE_WAY
from sdcmetrics.measures.crosstables.statistics import STATISTICS
from sdcmetrics.measures.disclosure import attribution, exclusions, flags, identity
from sdcmetrics.measures.disclosure import correct_attribution as ca
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.distributions.places import ENERGY, NUMBERS, SUBGROUPS
from sdcmetrics.measures.fidelity.places import MARGINS
from sdcmetrics.measures.fits.places import FIT, FITS, MEANS
from sdcmetrics.measures.kind import PRESET
from sdcmetrics.measures.pair import pair
from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.measures.propensity.places import CART, LOGIT
from sdcmetrics.measures.publication.declared import STRUCTURE
from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    SPECIFIC_UTILITY,
    Measure,
)
from sdcmetrics.measures.rules.places import RULES
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.results import Share
from tests.measures.counts import pairs, table
from tests.measures.crosstables import records as by_cell
from tests.measures.disclosure import records as by_key

MODULES = [attribution, ca, exclusions, flags, identity, ratio_of_counts, statistics]
TABLE_METRICS = [m for m in MEASURES.values() if m.of in (ONE_WAY, CROSSTABLES)]
KEY_METRICS = [m for m in MEASURES.values() if m.of is KEYS]
COUNTED = {m.symbol: m for m in (*TABLE_METRICS, *KEY_METRICS)}
NO_METRICS = {
    "Exclusions",  # a result
    "Ranked",  # cells in order, for several metrics
    "cap_and_rule",  # counts, for other metrics
    "disclosed_cells",  # cells, for other metrics
    "disclosive_in_original",  # the same
    "disclosive_in_synthetic",  # cells, for other metrics
    "exclude",  # takes cells out
    "fresh",  # what fresh data are expected to give
    "fresh_jsd",  # the same
    "cached_with_tables",  # keeps what several metrics need
    "one_way_rows",  # a flag, with evidence
    "matching",  # counts, for other metrics
    "over_df",  # for other metrics
    "standardised",  # which the S_ statistics are made by
    "RatioOfCounts",  # of two frames
    "ratio_of_counts",
    "sparse_categories",  # why ROC is skipped
    "sparse_reason",  # the same in words
    "table_of",  # of exclusions, for several results
    "table_statistics",  # a list of metrics
    "two_way_rows",  # flags, with evidence
    "unanimous_keys",  # cells, for other metrics
}


def quick(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, database=None)


# The same data as counts and as frames

NO_TABLES = pairs(([1], [1]))
"""For a metric of keys, which does not look at it."""


def value_of(metric: Measure, tables: TablePairs, counts: KeyTargetCounts) -> float:
    """Value of a metric in the unit that the catalogue gives."""
    if metric.of in (ONE_WAY, CROSSTABLES):
        result = metric.function(tables)
        assert result.shape == (len(tables),)
        assert result.dtype == np.float64
        return float(result[0])
    result = metric.function(counts)
    if isinstance(result, Share):
        return result.percent if metric.unit == "percent" else result.proportion
    return float(result)


Record = tuple[Any, ...]
COLUMNS = ("group", "number", "flag", "day", "target")
KEY_NAMES = ["group", "number", "flag", "day"]
DAYS = [pd.Timestamp("2024-02-29"), pd.Timestamp("1969-12-31")]

record = st.tuples(
    st.sampled_from(["a", "b", "c", "Missing", None]),
    st.sampled_from([0.0, -1.5, 2.0, 1e16, None]),
    st.sampled_from([True, False, None]),
    st.sampled_from([*DAYS, None]),
    st.sampled_from(["x", "y", "z", None]),
)
# Half of the records are the same one, so that key combinations repeat and targets agree.
usual: Record = ("a", 2.0, True, DAYS[0], "x")
record = st.one_of(
    record,
    st.just(usual),
    st.sampled_from(["x", "y", None]).map(lambda level: (*usual[:-1], level)),
    st.sampled_from(["a", "b"]).map(lambda level: (level, *usual[1:])),
)
data_set = st.lists(record, min_size=1, max_size=14)


def frame(rows: Sequence[Record], levels: Sequence[str] = ("a", "b", "c", "Missing")) -> Any:
    """One column of every kind: declared levels, numbers, booleans, dates and text."""
    group, number, flag, day, target = (list(column) for column in zip(*rows, strict=True))
    return pd.DataFrame(
        {
            "group": pd.Categorical(group, categories=list(levels)),
            "number": pd.array(number, dtype="Float64"),
            "flag": pd.array(flag, dtype="boolean"),
            "day": pd.to_datetime(pd.Series(day)).astype("datetime64[ms]"),
            "target": pd.Series(target, dtype="str"),
        }
    )


def count(
    original: Any, synthetic: Any, keys: Sequence[str] = KEY_NAMES
) -> tuple[TablePairs, KeyTargetCounts]:
    data = pair(original, synthetic, variables=[*keys, "target"])
    coded = encode(data, by_value, [*keys, "target"])
    ((_, tables),) = count_tables(coded, [(*keys, "target")])
    counts, _ = count_keys_and_target(coded, index_keys(coded, keys), "target")
    return tables, counts


def measure(original: Any, synthetic: Any, keys: Sequence[str] = KEY_NAMES) -> dict[str, float]:
    tables, counts = count(original, synthetic, keys)
    return {symbol: value_of(metric, tables, counts) for symbol, metric in COUNTED.items()}


def assert_same(
    one: dict[str, float], other: dict[str, float], *, leave_out: Sequence[str] = ()
) -> None:
    differing = {}
    for symbol in [s for s in one if s not in leave_out]:
        ours, theirs = one[symbol], other[symbol]
        if symbol == "dBhatt":  # a root of a difference near 0: compared squared
            ours, theirs = ours**2, theirs**2
        if ours != pytest.approx(theirs, rel=1e-9, abs=1e-9, nan_ok=True):
            differing[symbol] = (ours, theirs)
    assert not differing


cells = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8).filter(
    lambda rows: any(d for d, _ in rows) and any(s for _, s in rows)
)
cube = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=3),
    min_size=1,
    max_size=5,
).filter(lambda keys: any(d for k in keys for d, _ in k) and any(s for k in keys for _, s in k))


def as_pairs(rows: Sequence[tuple[int, int]]) -> TablePairs:
    return pairs(([d for d, _ in rows], [s for _, s in rows]))


def as_table(keys: Sequence[Sequence[tuple[int, int]]]) -> KeyTargetCounts:
    levels = list(zip(*keys, strict=True))
    return table(
        original=[[d for d, _ in level] for level in levels],
        synthetic=[[s for _, s in level] for level in levels],
    )


class TestEveryMetricIsListed:
    def test_every_public_name_of_a_metrics_module_is_a_metric_or_known_to_be_none(self) -> None:
        listed = {inspect.unwrap(metric.function) for metric in MEASURES.values()}
        missing, helpers = [], set()
        for module in MODULES:
            for name, item in vars(module).items():
                own = getattr(item, "__module__", "") == module.__name__
                if not own or name.startswith("_") or isinstance(item, TypeVar):
                    continue
                if name in NO_METRICS:
                    helpers.add(name)
                elif inspect.unwrap(item) not in listed:
                    missing.append(f"{module.__name__}.{name}")
        assert missing == []
        assert helpers == NO_METRICS

    def test_every_statistic_of_synthpops_tables_is_listed_by_its_name(self) -> None:
        for name, function in STATISTICS.items():
            assert MEASURES[name].function is function
            assert MEASURES[name].twin.name == name

    def test_symbols_are_told_apart_whatever_their_case(self) -> None:
        assert len({symbol.casefold() for symbol in MEASURES}) == len(MEASURES)

    def test_the_slow_definitions_cover_the_catalogue(self) -> None:
        assert {*by_key.DISCLOSURE} == {m.symbol for m in KEY_METRICS}
        assert {*by_cell.UTILITY, "nempty"} == {m.symbol for m in TABLE_METRICS}


class TestEveryEntry:
    """In a loop: two hundred tests of each would take longer than what they ask."""

    def test_says_what_a_reader_needs(self) -> None:
        for metric in MEASURES.values():
            for name in ("symbol", "title", "meaning", "formula", "source", "limits"):
                text = getattr(metric, name)
                assert text.strip() == text != "", (metric.symbol, name)
                assert "  " not in text, (metric.symbol, name)
            assert metric.meaning.endswith("."), metric.symbol
            assert metric.limits.endswith("."), metric.symbol

    def test_says_what_the_letters_of_its_formula_stand_for(self) -> None:
        letter = r"(?<![A-Za-z0-9_'])[A-Za-z]+_[A-Za-z0-9]+(?![A-Za-z0-9_])"
        for metric in MEASURES.values():
            letters = set(re.findall(letter, metric.formula)) - set(MEASURES)
            unsaid = {word for word in letters if f"{word}: " not in metric.where}
            assert not unsaid, metric.symbol

    def test_does_not_take_a_genitive_for_a_letter(self) -> None:
        assert "s: " not in MEASURES["priv_loss_nnaa"].where
        assert MEASURES["close"].where.startswith("o: an original record; s: a replica record; ")

    def test_is_found_by_its_symbol_in_any_case(self) -> None:
        for metric in MEASURES.values():
            assert explain(metric.symbol.upper()) is explain(metric.symbol.lower()) is metric

    def test_belongs_to_the_family_of_what_it_needs(self) -> None:
        for metric in MEASURES.values():
            assert metric.family in families(metric), metric.symbol

    def test_says_how_it_differs_from_its_twin(self) -> None:
        for metric in MEASURES.values():
            assert metric.twin is None or metric.twin.differs, metric.symbol

    def test_has_an_ideal_inside_its_range(self) -> None:
        for metric in MEASURES.values():
            if metric.ideal is not None:
                assert metric.low is None or metric.ideal >= metric.low, metric.symbol
                assert metric.high is None or metric.ideal <= metric.high, metric.symbol

    def test_has_a_range_in_words(self) -> None:
        for metric in MEASURES.values():
            assert " to " in metric.range, metric.symbol


def families(metric: Measure) -> set[str]:
    """Return the families that a measure may belong to, by what it is given."""
    folder = metric.of.places.__module__.split(".")[2]
    if folder in ("anonymity", "attacks"):
        return {DISCLOSURE_RISK}
    if metric.of.option == "[sample]":
        return {
            {
                "crosstables": GENERAL_UTILITY,
                "distributions": GENERAL_UTILITY,
                "fits": SPECIFIC_UTILITY,
                "disclosure": DISCLOSURE_RISK,
            }[folder]
        }
    if metric.of.option == PRESET:  # a metric of SynthEval may have quantities of both
        if metric.reference_values is not None:
            return {DISCLOSURE_RISK}
        return {GENERAL_UTILITY, SPECIFIC_UTILITY}
    family = {
        ONE_WAY: GENERAL_UTILITY,
        CROSSTABLES: GENERAL_UTILITY,
        MARGINS: GENERAL_UTILITY,
        LOGIT: GENERAL_UTILITY,
        PREDICTION: SPECIFIC_UTILITY,
        CART: GENERAL_UTILITY,
        RULES: GENERAL_UTILITY,
        K_MARGINAL: GENERAL_UTILITY,
        ENERGY: GENERAL_UTILITY,
        NUMBERS: GENERAL_UTILITY,
        SUBGROUPS: GENERAL_UTILITY,
        KEYS: DISCLOSURE_RISK,
        CLOSEST: DISCLOSURE_RISK,
        COPIES: DISCLOSURE_RISK,
        FIT: SPECIFIC_UTILITY,
        FITS: SPECIFIC_UTILITY,
        MEANS: SPECIFIC_UTILITY,
        ANALYSIS: SPECIFIC_UTILITY,
        ANALYSES: SPECIFIC_UTILITY,
        STRUCTURE: GENERAL_UTILITY,
    }
    return {family[metric.of]}


def test_an_unknown_symbol_is_refused_with_the_closest_one() -> None:
    with pytest.raises(StudyError, match="Did you mean 'DiSCO'"):
        explain("dissco")


class TestWhateverTheCounts:
    @given(rows=cells)
    @quick(100)
    def test_a_table_metric_stays_in_its_range_or_is_undefined_for_want_of_cells(
        self, rows: list[tuple[int, int]]
    ) -> None:
        tables = as_pairs(rows)
        both = sum(d > 0 and s > 0 for d, s in rows)
        filled = sum(d > 0 or s > 0 for d, s in rows)
        for metric in TABLE_METRICS:
            value = float(metric.function(tables)[0])
            assert_in_range(metric, value)
            degrees = both if metric.symbol == "S_G" else filled
            undefined = metric.symbol.startswith("S_") and degrees <= 1
            assert math.isfinite(value) or math.isnan(value), metric.symbol
            assert math.isnan(value) == undefined, metric.symbol

    @given(keys=cube)
    @quick(100)
    def test_a_disclosure_metric_stays_in_its_range_or_is_undefined_for_want_of_a_match(
        self, keys: list[list[tuple[int, int]]]
    ) -> None:
        counts = as_table(keys)
        unanimous = attribution.disclosive_in_synthetic(counts)
        known = counts.per_key(counts.original) > 0
        no_match = attribution.i_s(counts).count == 0
        undefined = {
            "mean_denom": attribution.disco(counts).count == 0,
            "TCAP_matched": no_match,
            "TCAP_certain": attribution.di_s(counts).count == 0,
            "DCAPb": no_match,
            "TCAPb": no_match,
            "CAP_s_undefined": no_match,
            "TCAP_synthetic": not (unanimous & known).any(),
        }
        for metric in KEY_METRICS:
            value = value_of(metric, NO_TABLES, counts)
            assert_in_range(metric, value)
            assert math.isfinite(value) or math.isnan(value), metric.symbol
            assert math.isnan(value) == undefined.get(metric.symbol, False), metric.symbol

    @given(original=st.lists(st.integers(1, 40), min_size=1, max_size=8), k=st.integers(1, 7))
    @quick(100)
    def test_the_original_itself_and_the_original_repeated_are_ideal(
        self, original: list[int], k: int
    ) -> None:
        tables = pairs((original, [k * d for d in original]))
        for metric in [m for m in COUNTED.values() if m.ideal is not None]:
            value = float(metric.function(tables)[0])
            if len(original) == 1 and metric.symbol.startswith("S_"):
                assert math.isnan(value), metric.symbol
            else:
                assert value == pytest.approx(metric.ideal, abs=1e-7), metric.symbol

    @given(rows=cells)
    @quick(100)
    def test_a_distance_is_the_same_in_both_directions(self, rows: list[tuple[int, int]]) -> None:
        there, back = as_pairs(rows), as_pairs([(s, d) for d, s in rows])
        for symbol in ("JSD", "TVD", "dBhatt", "ROC", "SPECKS", "MabsDD"):
            function = MEASURES[symbol].function
            assert function(there)[0] == pytest.approx(function(back)[0], abs=1e-7), symbol

    @given(rows=cells)
    @quick(100)
    def test_equal_numbers_make_the_other_statistics_symmetric_too(
        self, rows: list[tuple[int, int]]
    ) -> None:
        n = math.lcm(sum(d for d, _ in rows), sum(s for _, s in rows))
        rows = [
            (d * n // sum(d for d, _ in rows), s * n // sum(s for _, s in rows)) for d, s in rows
        ]
        there, back = as_pairs(rows), as_pairs([(s, d) for d, s in rows])
        for symbol in ("VW", "FT", "pMSE", "WMabsDD", "PO50"):
            function = MEASURES[symbol].function
            assert function(there)[0] == pytest.approx(function(back)[0], abs=1e-7), symbol

    @given(keys=cube)
    @quick(100)
    def test_disclosure_measures_are_nested(self, keys: list[list[tuple[int, int]]]) -> None:
        counts = as_table(keys)
        disco = attribution.disco(counts).count
        assert attribution.di_s_di_o(counts).count <= disco
        assert disco <= attribution.di_s(counts).count <= attribution.i_s(counts).count
        assert attribution.di_s_di_o(counts).count <= attribution.d_orig(counts).count
        result = identity.ui_oi_s(counts).count
        assert identity.rep_u(counts).count <= result <= identity.ui_o(counts).count
        assert identity.rep_u(counts).count <= identity.ui_s(counts).count
        assert identity.ui_o(counts).count <= attribution.d_orig(counts).count

    @given(keys=cube)
    @quick(100)
    def test_cap_measures_are_ordered(self, keys: list[list[tuple[int, int]]]) -> None:
        counts = as_table(keys)
        assert ca.cap_baseline(counts) <= ca.cap_original(counts) + 1e-12
        zero, undefined = ca.dcap_zero(counts), ca.dcap_undefined(counts)
        assert attribution.disco(counts).proportion <= zero + 1e-12
        if not math.isnan(undefined):
            assert zero <= undefined + 1e-12
            assert zero - 1e-12 <= ca.cap_by_rule(counts) <= undefined + 1e-12
            assert ca.tcap_matched(counts).proportion <= undefined + 1e-12

    @given(keys=cube)
    @quick(100)
    def test_measures_of_the_original_do_not_depend_on_the_replica(
        self, keys: list[list[tuple[int, int]]]
    ) -> None:
        there = as_table(keys)
        other = as_table([[(d, 1) for d, _ in key] for key in keys])
        for symbol in ("UiO", "Dorig", "baseCAPd", "CAPd", "CAP_o", "CAP_b"):
            metric = MEASURES[symbol]
            first, two = (value_of(metric, NO_TABLES, c) for c in (there, other))
            assert first == pytest.approx(two), symbol


def assert_in_range(metric: Measure, value: float) -> None:
    if math.isnan(value):
        return
    if metric.low is not None:
        assert value >= metric.low - 1e-9, metric.symbol
    if metric.high is not None:
        assert value <= metric.high + 1e-9, metric.symbol


class TestWhateverTheFrames:
    """From frames to numbers: every kind of column, missing values, unequal sizes."""

    @given(original=data_set, synthetic=data_set)
    @quick(100)
    def test_disclosure_equals_its_definition_record_by_record(
        self, original: list[Record], synthetic: list[Record]
    ) -> None:
        _, counts = count(frame(original), frame(synthetic))
        sides = [[(row[:-1], row[-1]) for row in rows] for rows in (original, synthetic)]
        ours, slow = {}, {}
        for metric in KEY_METRICS:
            ours[metric.symbol] = value_of(metric, NO_TABLES, counts)
            slow[metric.symbol] = by_key.DISCLOSURE[metric.symbol](*sides)
        assert_same(ours, slow)

    @given(original=data_set, synthetic=data_set)
    @quick(75)
    def test_utility_equals_its_definition_record_by_record(
        self, original: list[Record], synthetic: list[Record]
    ) -> None:
        tables, _ = count(frame(original), frame(synthetic))
        cross = by_cell.Table(original, synthetic)
        ours = {m.symbol: float(m.function(tables)[0]) for m in TABLE_METRICS}
        slow = {symbol: definition(cross) for symbol, definition in by_cell.UTILITY.items()}
        del ours["nempty"]
        assert_same(ours, slow)

    @given(original=data_set, synthetic=data_set)
    @quick(25)
    def test_two_slow_definitions_of_u_agree(
        self, original: list[Record], synthetic: list[Record]
    ) -> None:
        cross = by_cell.Table(original, synthetic)
        assert by_cell.u(cross) == pytest.approx(by_cell.u_by_pairs(cross))

    @given(rows=cells)
    @quick(60)
    def test_vw_is_the_chi_squared_of_both_data_sets_over_one_minus_c(
        self, rows: list[tuple[int, int]]
    ) -> None:
        from scipy.stats import chi2_contingency

        filled = [(d, s) for d, s in rows if d or s]
        tables = as_pairs(filled)
        n_d, n_s = sum(d for d, _ in filled), sum(s for _, s in filled)
        by_scipy = chi2_contingency(np.array(filled), correction=False).statistic
        vw, p_mse = (float(MEASURES[symbol].function(tables)[0]) for symbol in ("VW", "pMSE"))
        c = n_s / (n_d + n_s)
        assert vw == pytest.approx(by_scipy / (1 - c), abs=1e-9)
        assert p_mse == pytest.approx(by_scipy * c * (1 - c) / (n_d + n_s), abs=1e-9)

    @given(original=data_set, synthetic=data_set, shuffle=st.randoms(use_true_random=False))
    @quick(20)
    def test_the_order_of_records_does_not_matter(
        self, original: list[Record], synthetic: list[Record], shuffle: Any
    ) -> None:
        before = measure(frame(original), frame(synthetic))
        shuffle.shuffle(original)
        shuffle.shuffle(synthetic)
        assert_same(measure(frame(original), frame(synthetic)), before)

    @given(original=data_set, synthetic=data_set, order=st.permutations(COLUMNS))
    @quick(20)
    def test_the_order_of_columns_does_not_matter(
        self, original: list[Record], synthetic: list[Record], order: list[str]
    ) -> None:
        before = measure(frame(original), frame(synthetic))
        reordered = measure(frame(original)[order], frame(synthetic)[sorted(order)])
        assert_same(reordered, before)

    @given(original=data_set, synthetic=data_set, keys=st.permutations(KEY_NAMES))
    @quick(20)
    def test_the_order_of_keys_does_not_matter(
        self, original: list[Record], synthetic: list[Record], keys: list[str]
    ) -> None:
        before = measure(frame(original), frame(synthetic))
        assert_same(measure(frame(original), frame(synthetic), keys), before)

    @given(
        original=data_set,
        synthetic=data_set,
        levels=st.permutations(["a", "b", "c", "Missing"]),
        others=st.permutations(["a", "b", "c", "Missing"]),
    )
    @quick(20)
    def test_the_order_of_levels_does_not_matter(
        self,
        original: list[Record],
        synthetic: list[Record],
        levels: list[str],
        others: list[str],
    ) -> None:
        before = measure(frame(original), frame(synthetic))
        assert_same(measure(frame(original, levels), frame(synthetic, others)), before)

    @given(original=data_set, synthetic=data_set)
    @quick(20)
    def test_names_of_levels_do_not_matter(
        self, original: list[Record], synthetic: list[Record]
    ) -> None:
        names = {"a": "z", "b": "", "c": "a | b", "Missing": "NA", None: None}
        targets = {"x": "TRUE", "y": "1", "z": "x", None: None}

        def rename(rows: Sequence[Record]) -> list[Record]:
            return [
                (
                    names[group],
                    None if number is None else 7.0 - number,
                    None if flag is None else not flag,
                    None if day is None else DAYS[1 - DAYS.index(day)],
                    targets[target],
                )
                for group, number, flag, day, target in rows
            ]

        levels = [names[level] for level in ("a", "b", "c", "Missing")]
        before = measure(frame(original), frame(synthetic))
        after = measure(frame(rename(original), levels), frame(rename(synthetic), levels))
        assert_same(after, before)

    @given(original=data_set, synthetic=data_set)
    @quick(20)
    def test_levels_that_are_declared_but_not_used_do_not_matter(
        self, original: list[Record], synthetic: list[Record]
    ) -> None:
        before = measure(frame(original), frame(synthetic))
        more = ["q", "a", "b", "unused", "c", "Missing"]
        for levels in itertools.permutations((["a", "b", "c", "Missing"], more)):
            after = measure(frame(original, levels[0]), frame(synthetic, levels[1]))
            assert_same(after, before, leave_out=["nempty"])
            assert after["nempty"] > before["nempty"]

    @given(original=data_set, k=st.integers(1, 3))
    @quick(20)
    def test_the_original_as_its_own_replica_gives_everything_away(
        self, original: list[Record], k: int
    ) -> None:
        result = measure(frame(original), frame(original * k))
        assert result["DiSCO"] == result["DiSDiO"] == result["DiS"] == result["Dorig"]
        assert result["DCAP"] == pytest.approx(result["CAPd"])
        assert result["CAP_ratio"] == pytest.approx(1.0)
        assert result["UiOiS"] == result["UiO"]
        assert result["repU"] == (result["UiO"] if k == 1 else 0.0)
        assert result["iS"] == 100.0


def test_a_rounding_error_does_not_change_the_framework_rule() -> None:
    """The undefined variant equals the original's CAP here, so the mean of both counts."""
    original = [[1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2], [3, 3, 3, 3, 3, 3, 3]]
    differing = []
    for kept in range(1, 7):
        synthetic = [[n if i < kept else 0 for i, n in enumerate(row)] for row in original]
        for order in itertools.permutations(range(3)):
            counts = table(
                original=[original[i] for i in order], synthetic=[synthetic[i] for i in order]
            )
            mean = (ca.dcap_zero(counts) + ca.dcap_undefined(counts)) / 2
            if ca.cap_by_rule(counts) != pytest.approx(mean):
                differing.append((kept, order))
    assert differing == []


@pytest.mark.parametrize(
    ("symbol", "suffix"),
    [
        *((symbol, "survey") for symbol in ("TVD", "ROC", "W1", "CIO")),
        *((symbol, "population") for symbol in ("UiO", "repU", "DiSCO")),
        *((symbol, "analysis") for symbol in ("CIO", "Karr", "std_diff")),
    ],
)
def test_the_same_number_of_other_evidence_reads_as_its_base_and_is_not_released(
    symbol: str, suffix: str
) -> None:
    base, other = MEASURES[symbol], MEASURES[f"{symbol}_{suffix}"]
    for name in ("family", "better", "low", "high", "ideal", "unit"):
        assert getattr(other, name) == getattr(base, name)
    assert other.of is not base.of
    assert other.release is other.twin is None


@pytest.mark.parametrize(("name", "of_project"), [("sdcmetrics", True), ("another", False)])
def test_a_checkout_lists_what_its_own_project_declares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, of_project: bool
) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text(
        f'[project]\nname = "{name}"\n[project.entry-points."sdcmetrics.measures"]\n'
        'b = "two:B"\na = "one:A"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(registry, "_PROJECT", project)
    result = [entry.value for entry in registry.declared_entries("sdcmetrics.measures")]
    assert (result[:2] == ["one:A", "two:B"]) is of_project
    assert ("two:B" in result) is of_project


def test_what_others_declare_is_a_subject_a_measure_or_several() -> None:
    def entry(given: object) -> Any:
        return SimpleNamespace(name="theirs", load=lambda: given)

    first, other = MEASURES["TVD"], MEASURES["ROC"]
    subject = registry.Subject("digits", (first,))
    result = [*registry._of_others(map(entry, (subject, first, [first, other])))]
    assert result[0] is subject
    assert [(each.name, each.measures) for each in result[1:]] == [
        ("theirs", (first,)), ("theirs", (first, other)),
    ]  # fmt: skip
    with pytest.raises(StudyError, match="expected a Subject, a Measure or a list of them but got"):
        [*registry._of_others([entry([first, "TVD"])])]


def test_an_alias_never_hides_a_symbol_and_a_symbol_is_declared_once() -> None:
    first, other = MEASURES["TVD"], MEASURES["ROC"]
    alias = replace(other, aliases=("tvd", "roc2"))
    assert [*registry._collect([first, alias])] == ["TVD", "ROC"]
    with pytest.raises(StudyError, match="'tvd' is declared twice"):
        registry._collect([first, replace(other, symbol="tvd", aliases=())])
