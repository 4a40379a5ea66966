"""Rounding by a key: classes of at least `base` counts, and how often one more record shows."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.protect import tables
from sdcmetrics.report.safety.protect.figures import Figure, of_tables
from sdcmetrics.report.safety.protect.protection import _Protection
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.safety.protect.tables import ProtectedTable, as_pairs, rounded_again
from sdcmetrics.study.options import Options
from sdcmetrics.study.profile import Profile, load_profile

PROFILES = [
    Profile("p", "P", "u", {}, min_cell=least, zeros_disclosive=zeros, round_base=base)
    for least, zeros, base in itertools.product((3, 10, 12), (True, False), (1, 5, 7))
]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_figure_stands_for_at_least_base_counts(profile: Profile) -> None:
    rounding = Rounding.of(profile)
    assert rounding.base >= 5
    for cell in ("a", "b", "c"):
        classes: dict[int, list[int]] = {}
        for count in range(200):
            classes.setdefault(rounding(count, cell), []).append(count)
        last = max(classes)
        for shown, counts in classes.items():
            if shown in (0, last) and not (shown == 0 and rounding.zeros):
                continue  # an empty cell that need not be hidden; the last class is cut off
            assert len(counts) >= rounding.base
            assert (counts[0], counts[-1]) == rounding.ends(shown, cell)
            assert all(abs(count - shown) < 2 * rounding.base for count in counts) or shown <= 1


def test_nothing_below_the_threshold_is_told_apart() -> None:
    rounding = Rounding.of(Profile("p", "P", "u", {}))
    assert {rounding(count, "cell") for count in range(10)} == {0}
    assert rounding(10, "cell") >= 10


@pytest.mark.parametrize("count", [10, 17, 203, 5000])
def test_one_more_record_changes_a_figure_for_one_key_in_base(count: int) -> None:
    keys = [str(i) for i in range(2000)]
    made = [Rounding(5, 10, zeros=True, key=key) for key in keys]
    changed = sum(item(count, "c") != item(count + 1, "c") for item in made) / len(keys)
    # 1 / base, and less by the threshold, where the first class is longer; four standard errors.
    assert changed <= 1 / 5 + 4 * (0.2 * 0.8 / len(keys)) ** 0.5
    if count > 20:
        assert changed >= 1 / 5 - 4 * (0.2 * 0.8 / len(keys)) ** 0.5


def test_rounding_is_unbiased_over_keys() -> None:
    made = [Rounding(5, 10, zeros=True, key=str(i))(203, "c") for i in range(4000)]
    assert abs(sum(made) / len(made) - 203) < 4 * 2.5 / len(made) ** 0.5


def test_a_part_of_the_records_never_looks_larger_than_the_whole() -> None:
    rounding = Rounding(5, 10, zeros=True, key="secret")
    shown = [rounding.records(count) for count in range(500)]
    assert shown == sorted(shown)


def written(folder: Path, lines: str) -> Path:
    file = folder / "agency.toml"
    file.write_text(lines, encoding="utf-8")
    return file


def test_a_profile_has_a_key_and_bands(tmp_path: Path) -> None:
    result = load_profile(
        written(tmp_path, '[profile]\nkey = "secret words"\n[bands]\nCIO = [0, 0.5]\n')
    )
    assert result.bands == {"CIO": (0.0, 0.5)}
    assert Rounding.of(result).key == "secret words"
    assert "secret words" not in repr(result)


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ("CIO = [0, 1, 2, 3, 4]", "one to 4 numbers"),
        ("CIO = [1, 0]", "smallest first"),
        ("CIO = []", "one to 4 numbers"),
        ("CIOO = [1]", "Did you mean"),
    ],
)
def test_bands_that_are_too_fine_or_of_nothing_are_refused(
    tmp_path: Path, ends: str, says: str
) -> None:
    with pytest.raises(StudyError, match=says):
        load_profile(written(tmp_path, f"[bands]\n{ends}\n"))


def test_counts_are_moved_again_as_far_as_rounding_moved_them() -> None:
    rounding = Rounding(base=5, least=10, zeros=True)
    pairs = itertools.product(range(30, 50), map(str, range(2000)))
    moved = [rounding(count, cell) - count for count, cell in pairs]
    table = ProtectedTable(("a",), np.full(500, 100), {})
    again = np.concatenate([item.original for item in rounded_again(table, rounding.base)]) - 100
    for step in range(-5, 6):
        assert np.mean(again == step) == pytest.approx(moved.count(step) / len(moved), abs=0.02)


def test_the_last_cell_of_a_pair_is_the_total_less_all_others() -> None:
    table = ProtectedTable(("a", "b"), np.array([40, 50, 60]), {}, noise=7.0)
    totals = {int(item.original.sum()) for item in rounded_again(table, 5)}
    assert totals <= set(range(146, 155))
    assert len(totals) > 1


def test_tables_beside_each_other_measure_what_each_measures_alone() -> None:
    replicas = {"r": (np.array([40, 55, 0, 60]), np.array([35, 0, 0, 70]))}
    table = ProtectedTable(("a", "b"), np.array([40, 50, 0, 60]), replicas, noise=7.0)
    moved = rounded_again(table, 5)[:3]
    together = as_pairs(moved, "r", k_syn=False)
    for symbol in ("S_pMSE", "TVD"):
        measure = MEASURES[symbol].function
        alone = [measure(as_pairs([item], "r", k_syn=False)) for item in moved]
        assert measure(together).reshape(2, 3).T.tolist() == [item.tolist() for item in alone]


def test_what_a_limited_measure_may_be_is_told_by_counts_that_are_moved_again() -> None:
    replicas = {"r": (np.array([40, 60]), np.array([60, 40]))}
    table, first, other = (
        ProtectedTable(("a",), np.array(counts), replicas)
        for counts in ((50, 50), (60, 40), (30, 70))
    )

    def figures(again: list[ProtectedTable]) -> dict[str, Figure]:
        of = of_tables(table, "r", ways=(1,), k_syn=False, again=again, limits={"TVD"})
        return {measure.symbol: figure for measure, figure in of}

    # Shares of the first level: 0.5, then 0.6 and 0.3, beside 0.4 and 0.6 of the syntheses.
    value, moved = 0.1, np.array([(0.2 + 0.0) / 2, (0.1 + 0.3) / 2])
    figure = figures([first, other])["TVD"]
    assert figure.value == pytest.approx(value)
    middle = 2 * value - moved.mean()
    assert (figure.least, figure.most) == pytest.approx(
        (middle - 2 * moved.std(), middle + 2 * moved.std())
    )
    for bare in (figures([first, other])["S_pMSE"], figures([])["TVD"]):
        assert not math.isnan(bare.value)
        assert math.isnan(bare.least)
        assert math.isnan(bare.most)


@pytest.mark.parametrize(("base", "least"), [(5, 10), (5, 11), (4, 9), (10, 21)])
def test_what_may_be_shown_so_is_told_without_the_key(base: int, least: int) -> None:
    rounding = Rounding(base=base, least=least, zeros=True)
    counts: dict[int, set[int]] = {}
    for shift, count in itertools.product(range(base), range(least, 12 * base)):
        first = math.ceil((least + shift) / base)
        counts.setdefault(base * max((count + shift) // base, first), set()).add(count)
    for shown, some in counts.items():
        if shown < 10 * base:
            low, high = rounding.about(shown)
            assert low == min(some)
            assert high >= max(some)


def test_tables_that_are_looked_at_have_so_many_cells_and_one_replica_of_both() -> None:
    def variable(groups: int, *replicas: str) -> Any:
        return SimpleNamespace(groups=range(groups), replicas=dict.fromkeys(replicas), role=0)

    variables = {
        "a": variable(30, "r", "q"), "b": variable(50, "r"), "c": variable(51, "r", "q"),
        "d": variable(2, "q"), "one": variable(1, "r"),
    }  # fmt: skip
    assert tables._MOST_CELLS == 30 * 50
    assert [*tables._looked_at(variables)] == [("a", "b"), ("a", "d"), ("c", "d")]


def test_tables_of_a_release_have_a_row_per_measure_and_place_and_a_mean_over_variables() -> None:
    counts = {"a": [(40, 60), (50, 50)], "b": [(30, 70), (60, 40)], "c": [(50, 50), (50, 50)]}
    of = {
        (name,): ProtectedTable((name,), np.array(original), {"r": (np.array(synthetic),)})
        for name, (original, synthetic) in counts.items()
        if name != "c"  # of this one no table is protected
    }
    variables: Any = {
        name: SimpleNamespace(groups=range(2), replicas={"r": ()}, role=0) for name in counts
    }
    self: Any = SimpleNamespace(
        study=SimpleNamespace(options=Options(ways=(1, 2)), replicas={"r": ()}),
        profile=SimpleNamespace(thresholds={}), rounding=Rounding(base=5, least=10, zeros=True),
        _row=lambda replica, measure, place, figure: (
            (replica, measure.symbol, *place.variables), figure,
        ),
    )  # fmt: skip
    rows: Any = dict(_Protection._of_tables(self, variables, of))
    # The ratio of counts: the mean over levels of the smaller share over the larger one.
    ratios = {"a": (40 / 50 + 50 / 60) / 2, "b": (30 / 60 + 40 / 70) / 2}
    for name, ratio in ratios.items():
        assert rows["r", "ROC", name].value == pytest.approx(ratio)
    assert rows["r", "ROC"].value == pytest.approx(sum(ratios.values()) / 2)
    assert rows["r", "TVD", "a"].value == pytest.approx(0.1)
    hidden = {key for key, figure in rows.items() if figure.shown}
    assert {("r", "TVD", "c"), ("r", "TVD", "a", "b"), ("r", "pMSE")} <= hidden
    assert not any(key in hidden for key in (("r", "ROC"), ("r", "TVD", "a"), ("r", "TVD", "b")))
    assert ("r", "TVD") not in rows
