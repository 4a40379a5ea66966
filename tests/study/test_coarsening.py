"""Coarser columns: bands, periods and groups of levels, in all data sets and for all measures."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics import Study, read_study
from sdcmetrics.errors import FileError, SdcMetricsError, StudyError
from sdcmetrics.microdata.frames import Fix, as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.review.fingerprint import ORIGINAL, fingerprint, replica_part
from sdcmetrics.study.file import parse

RNG = np.random.default_rng(7)


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(15, 90, n),
            "income": rng.choice([0.0, 999.0, 1000.0, 2500.0, -8.0, np.nan], n),
            "region": rng.choice(list("abcd"), n),
            "born": rng.choice(pd.date_range("1990-01-05", periods=400), n),
            "ill": rng.choice(["no", "yes"], n),
        }
    )


FIRST, SECOND, THIRD = (people(200, seed) for seed in (1, 2, 3))


def study(**given: Any) -> Study:
    parts: dict[str, Any] = {"keys": ["age", "region"], "targets": ["ill"], "holdout": THIRD}
    return Study(FIRST, {"cart": SECOND}, **(parts | given))


def levels(of: Study, name: str) -> dict[Any, int]:
    return of.original.to_pandas()[name].value_counts(dropna=False).to_dict()


class TestBands:
    def test_numbers_are_put_in_bands_of_a_width(self) -> None:
        coarse = study(coarsen={"age": 5})
        expected = (FIRST["age"] // 5 * 5).map(lambda low: f"{low} to under {low + 5}")
        assert coarse.original.to_pandas()["age"].tolist() == expected.tolist()

    def test_all_data_sets_are_coarsened_alike_and_it_is_listed(self) -> None:
        coarse = study(coarsen={"age": 50})
        for item in (coarse.original, *coarse.replicas["cart"], coarse.holdout):
            assert item is not None
            names = {"0 to under 50", "50 to under 100"}
            assert set(item.to_pandas()["age"]) == names
            assert item.fixes[-1].what == (
                f"coarsened, bands of 50: {len(set(_age(item.source)))} distinct values became 2"
            )
            assert item.fixes[-1].cells == 200

    def test_bands_between_bounds_have_their_lower_one_and_the_last_both(self) -> None:
        coarse = study(
            coarsen={"income": [0, 1000, 2500]}, missing_codes={"income": -8}, targets=["income"]
        )
        counts = FIRST["income"].value_counts(dropna=False)
        result = levels(coarse, "income")
        assert result["0 to under 1000"] == counts[0.0] + counts[999.0]
        assert result["1000 to 2500"] == counts[1000.0] + counts[2500.0]

    def test_missing_stays_missing_and_codes_for_it_stay_levels(self) -> None:
        coarse = study(coarsen={"income": [0, math.inf]}, missing_codes={"income": -8})
        column = coarse.original.to_pandas()["income"]
        assert column.isna().sum() == FIRST["income"].isna().sum()
        assert (column == "-8").sum() == (FIRST["income"] == -8).sum()
        assert list(column.cat.categories) == ["0 and more", "-8"]
        assert coarse.options.missing_codes == {}

    def test_bands_of_fractions_do_not_lose_their_bound(self) -> None:
        frame = pd.DataFrame({"age": np.arange(10) / 10, "region": list("ab") * 5})
        coarse = Study(frame, {"x": frame}, keys=["age"], coarsen={"age": 0.1})
        assert coarse.original.to_pandas()["age"].nunique() == 10

    def test_what_went_out_before_is_coarsened_unless_it_was(self) -> None:
        bands = SECOND["age"].map(lambda age: f"{age // 50 * 50} to under {age // 50 * 50 + 50}")
        coarse = study(coarsen={"age": 50}, earlier_files=[SECOND, SECOND.assign(age=bands)])
        for earlier in coarse.earlier_files:
            assert earlier.to_pandas()["age"].tolist() == bands.tolist()

    def test_ordered_bands_stand_in_their_order(self) -> None:
        column = study(coarsen={"age": 5}).original.to_pandas()["age"]
        low = [int(name.split(" ")[0]) for name in column.cat.categories]
        assert low == sorted(low)


def _age(source: str) -> pd.Series[int]:
    return {"original": FIRST, "cart": SECOND, "holdout": THIRD}[source]["age"]


class TestDates:
    @pytest.mark.parametrize(("unit", "form"), [("month", "%Y-%m"), ("year", "%Y")])
    def test_dates_become_months_or_years(self, unit: str, form: str) -> None:
        column = study(coarsen={"born": unit}).original.to_pandas()["born"]
        assert column.tolist() == FIRST["born"].dt.strftime(form).tolist()

    def test_quarters(self) -> None:
        column = study(coarsen={"born": "quarter"}).original.to_pandas()["born"]
        expected = [f"{day.year}, quarter {day.quarter}" for day in FIRST["born"]]
        assert column.tolist() == expected


class TestLevels:
    def test_levels_are_put_in_groups(self) -> None:
        coarse = study(coarsen={"region": {"north": ["a", "b"], "south": "*"}})
        expected = FIRST["region"].map({"a": "north", "b": "north"}).fillna("south")
        assert coarse.original.to_pandas()["region"].tolist() == expected.tolist()

    def test_a_file_of_levels_stands_beside_the_study(self, tmp_path: Path) -> None:
        FIRST.to_csv(tmp_path / "o.csv", index=False)
        SECOND.to_csv(tmp_path / "s.csv", index=False)
        (tmp_path / "regions.csv").write_text("level,group\na,n\nb,n\nc,s\nd,s\ne,s\n")
        file = tmp_path / "study.toml"
        file.write_text(
            '[data]\noriginal = "o.csv"\n[data.replicas]\ncart = "s.csv"\n'
            '[roles]\nkeys = ["age", "region"]\n'
            '[coarsen]\nregion = "regions.csv"\nage = 10\nincome = [-inf, 0, inf]\nborn = "year"\n'
        )
        coarse = read_study(file)
        assert set(coarse.original.to_pandas()["region"]) == {"n", "s"}
        assert set(levels(coarse, "income")) == {"under 0", "0 and more", np.nan}

    def test_a_replica_in_bands_is_compared_in_its_own(self, tmp_path: Path) -> None:
        bands = (SECOND["age"] // 10 * 10).map(lambda low: f"{low}-{low + 9}")
        FIRST.to_csv(tmp_path / "o.csv", index=False)
        SECOND.assign(age=bands).to_csv(tmp_path / "s.csv", index=False)
        groups = {**{str(age): f"{age // 10}0-{age // 10}9" for age in range(15, 90)}}
        groups |= {band: band for band in bands}
        lines = "".join(f"{value},{group}\n" for value, group in groups.items())
        (tmp_path / "groups.csv").write_text("value,group\n" + lines)
        file = tmp_path / "study.toml"
        file.write_text(
            '[data]\noriginal = "o.csv"\n[data.replicas]\ncart = "s.csv"\n'
            '[roles]\nkeys = ["age", "region"]\n[read]\nkinds = { age = "category" }\n'
            '[coarsen]\nage = "groups.csv"\n'
        )
        coarse = read_study(file)
        assert coarse.replicas["cart"][0].to_pandas()["age"].tolist() == bands.tolist()
        by_hand = (FIRST["age"] // 10 * 10).map(lambda low: f"{low}-{low + 9}")
        assert coarse.original.to_pandas()["age"].tolist() == by_hand.tolist()
        fixes = [fix.what for fix in coarse.replicas["cart"][0].fixes]
        assert not any("no level in common" in what for what in fixes)

    def test_codes_and_labels_of_two_files_are_one_level(self) -> None:
        table = pa.table({"sex": pa.array([1, 2, 1]), "x": [1, 2, 3]})
        labelled = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), ["man", "woman"])
        listed = [Fix(name, "sex", "read as text", 3) for name in ("original", "r")]
        first = replace(
            as_microdata(pa.table({"sex": labelled, "x": [1, 2, 3]}), "original"),
            level_codes={"sex": {"man": 1.0, "woman": 2.0}},
            fixes=(listed[0],),
        )
        second = replace(as_microdata(table, "r"), fixes=(listed[1],))
        coarse = Study(
            first, {"r": second}, keys=["sex"], coarsen={"sex": {"m": "man", "f": "woman"}}
        )
        replica = coarse.replicas["r"][0]
        assert replica.to_pandas()["sex"].tolist() == ["m", "f", "m"]
        grouped = "coarsened, levels in 2 groups: 2 distinct values became 2"
        assert coarse.original.fixes == (listed[0], Fix("original", "sex", grouped, 3))
        joined = Fix("r", "sex", "codes were read as the labels of original", 3)
        assert replica.fixes == (listed[1], joined, Fix("r", "sex", grouped, 3))
        assert [fix.compared for fix in replica.fixes] == [False, True, False]


class TestMeasures:
    OPTIONS: dict[str, Any] = {"perturbed": [], "ways": (1, 2), "candidates": 0}  # noqa: RUF012

    def test_every_measure_is_that_of_files_that_were_coarsened_by_hand(self) -> None:
        def by_hand(frame: pd.DataFrame) -> pd.DataFrame:
            bands = (frame["age"] // 20 * 20).map(lambda low: f"{low} to under {low + 20}")
            return frame.assign(age=bands, born=frame["born"].dt.strftime("%Y"))

        coarse = sdc.conduct(study(coarsen={"age": 20, "born": "year"}, **self.OPTIONS))
        hand = sdc.conduct(
            Study(
                by_hand(FIRST),
                {"cart": by_hand(SECOND)},
                holdout=by_hand(THIRD),
                keys=["age", "region"],
                targets=["ill"],
                **self.OPTIONS,
            )
        )
        pd.testing.assert_frame_equal(coarse.frame, hand.frame)

    def test_data_that_are_counted_in_batches_are_coarsened_alike(self) -> None:
        rules = {"age": 20, "region": {"x": ["a"], "y": "*"}, "born": "month"}
        more = {"coarsen": rules, "holdout": None, **self.OPTIONS}
        whole = sdc.conduct(study(**more))
        first, second = (of_memory(as_microdata(f, n)) for f, n in ((FIRST, "a"), (SECOND, "b")))
        batches = sdc.conduct(
            Study(
                first,
                {"cart": second},
                keys=["age", "region"],
                targets=["ill"],
                **{name: value for name, value in more.items() if name != "holdout"},
            )
        )
        names = ["repU", "DiSCO", "TVD_one_way", "TVD", "ROC", "S_pMSE", "UiO"]
        one, other = (
            r.frame[r.frame["metric"].isin(names)].set_index(["metric", "target", "variables"])
            for r in (whole, batches)
        )
        assert len(one) > 10
        pd.testing.assert_series_equal(one["value"], other["value"])

    def test_other_bands_are_another_study_for_finished_steps(self) -> None:
        five, ten = (fingerprint(study(coarsen={"age": width})) for width in (5, 10))
        assert five[ORIGINAL] != ten[ORIGINAL]
        assert five[replica_part("cart")] != ten[replica_part("cart")]


class TestRefused:
    @pytest.mark.parametrize(
        ("coarsen", "words"),
        [
            ({"aeg": 5}, "coarsen: 'aeg' is not a column of original. Did you mean 'age'?"),
            ({"age": 0}, "coarsen.age: expected the width of bands, a number above 0, but got 0."),
            ({"age": [1]}, "coarsen.age: expected at least two bounds"),
            ({"age": [0, 50, 50, 100]}, "each above the one before"),
            ({"age": True}, "coarsen.age: expected the width of bands (5)"),
            ({"age": {}}, "coarsen.age: expected the width of bands (5)"),
            ({"age": [20, 90]}, "records of original, "),
            ({"income": [0, 3000]}, "list codes that mean missing in [missing_codes]"),
            ({"ill": 5}, "'ill' is of kind category in original, and bands of 5 are made of kind"),
            ({"age": "year"}, "'age' is of kind number in original, and dates to the year"),
            ({"region": {"n": ["a", "b"], "s": ["c"]}}, "Name their levels too, or all that are"),
            ({"region": {"n": ["a", "b"], "s": ["b", "c"]}}, "level 'b' stands in more than one"),
            ({"region": {"n": ["A"], "s": "*"}}, "'region' has no level 'A' in original"),
            ({"region": {"n": "*", "s": "*"}}, "stands for all levels that are left"),
            (5, "coarsen: expected a mapping by text but got 5."),
        ],
    )
    def test_what_cannot_be_coarsened(self, coarsen: Any, words: str) -> None:
        with pytest.raises(SdcMetricsError) as raised:
            study(coarsen=coarsen)
        assert words in str(raised.value)
        assert "2500" not in str(raised.value)

    def test_the_count_of_records_outside_the_bounds(self) -> None:
        beyond = [int((frame["age"] >= 50).sum()) for frame in (FIRST, SECOND)]
        words = f"in {beyond[0]} records of original, {beyond[1]} records of cart"
        with pytest.raises(StudyError, match=words):
            study(coarsen={"age": [0, 49.5]})

    @pytest.mark.parametrize("option", ["round_to", "ngroups_keys"])
    def test_an_option_of_numbers(self, option: str) -> None:
        with pytest.raises(StudyError, match=f"{option}: 'age' is no number any more"):
            study(coarsen={"age": 5}, **{option: {"age": 10}})

    @pytest.mark.parametrize("name", ["born", "region"])
    def test_rounding_of_what_is_no_number(self, name: str) -> None:
        with pytest.raises(StudyError, match=f"round_to: '{name}' is of kind .* no effect"):
            study(round_to={name: 5})

    def test_rounding_of_what_is_in_no_table(self) -> None:
        with pytest.raises(StudyError, match="round_to: 'age' is compared in no table"):
            study(round_to={"age": 5}, variables=["region", "ill"])

    def test_the_weight_of_the_sample(self) -> None:
        frame = FIRST.assign(w=2.0)
        with pytest.raises(StudyError, match=r"coarsen: 'w' is the weight of \[sample\]"):
            Study(frame, {"cart": frame}, keys=["age"], sample={"weight": "w"}, coarsen={"w": 5})

    def test_a_rule_that_compares_numbers(self) -> None:
        with pytest.raises(StudyError, match=r"\[coarsen\] makes levels of 'age'. Leave out"):
            study(coarsen={"age": 5}, rules=["age >= 15"])

    def test_a_file_of_levels_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match="expected a CSV file in UTF-8 with a header"):
            study(coarsen={"region": tmp_path / "none.csv"})

    def test_in_a_study_file(self, tmp_path: Path) -> None:
        FIRST.to_csv(tmp_path / "o.csv", index=False)
        file = tmp_path / "study.toml"
        file.write_text(
            '[data]\noriginal = "o.csv"\n[data.replicas]\ncart = "o.csv"\n'
            '[roles]\nkeys = ["age"]\n[coarsen]\nage = -5\n'
        )
        with pytest.raises(StudyError, match=r"study.toml: coarsen.age: expected the width"):
            read_study(file)


@pytest.mark.parametrize("how", [5, 0.5, [0, 30, 60], [0, 1.5], "year", {"young": ["18", "19"]}])
def test_an_entry_is_dumped_as_it_was_written_and_without_a_warning(how: Any) -> None:
    """Warnings are errors in tests; users saw some at each review with bounds of whole numbers."""
    entries = {
        "data": {"original": "o.csv", "replicas": {"cart": "c.csv"}},
        "roles": {"keys": ["age"]},
        "coarsen": {"age": how},
    }
    assert parse(entries, "study.toml").model_dump(mode="json")["coarsen"] == {"age": how}
