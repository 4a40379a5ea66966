"""A study with a holdout measures every replica beside fresh data."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.closeness import places as closest_places
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.study.profile import Profile
from sdcmetrics.study.study import Study


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.choice(list("abcd"), n)
    return pd.DataFrame(
        {
            "group": group,
            "age": rng.integers(18, 90, n),
            "income": np.where(rng.random(n) < 0.05, 0.0, rng.lognormal(8, 1, n).round()),
            "member": rng.choice(["yes", "no"], n),
        }
    )


ORIGINAL, HOLDOUT = people(600, 1), people(500, 2)


def conduct(replicas: dict[str, object], **options: object) -> sdc.Review:
    study = Study(
        options.pop("original", ORIGINAL),
        replicas,
        keys=options.pop("keys", ["group", "age"]),
        targets=options.pop("targets", ["income"]),
        holdout=options.pop("holdout", HOLDOUT),
        **{"permutations": 99, "perturbed": [0.2, 0.8], **options},  # type: ignore[arg-type]
    )
    return sdc.conduct(study)


def value(review: sdc.Review, replica: str, metric: str) -> float:
    rows = review.mean_rows()
    (result,) = rows[(rows["replica"] == replica) & (rows["metric"] == metric)]["value"]
    return float(result)


@pytest.fixture(scope="module")
def review() -> sdc.Review:
    leaked = pd.concat([people(550, 3), ORIGINAL[:50]])
    return conduct({"fresh": people(600, 4), "leaked": leaked, "copy": ORIGINAL.copy()})


class TestRows:
    def test_are_those_of_the_functions(self, review: sdc.Review) -> None:
        result = sdc.marginal_fidelity(ORIGINAL, people(600, 4), holdout=HOLDOUT)
        for ways in (1, 2, 3):
            assert value(review, "fresh", f"F{ways}") == result.figure(ways, "tvd")
            assert value(review, "fresh", f"F{ways}_holdout") == result.figure(ways, "holdout_tvd")
        closest = sdc.distance_to_closest_record(
            ORIGINAL, people(600, 4), HOLDOUT, permutations=99, seed=1
        )
        assert value(review, "fresh", "DCR_share") == closest.share
        assert value(review, "fresh", "DCR_p") == closest.permutation.p_value
        assert value(review, "fresh", "DCR_training") == closest.mean_training
        assert value(review, "fresh", "singled_out_p") == closest.singled_out.p_value

    def test_a_copy_has_fidelity_0_and_is_closer_throughout(self, review: sdc.Review) -> None:
        assert value(review, "copy", "F3") == 0.0
        assert value(review, "copy", "DCR_training") == 0.0
        assert value(review, "copy", "DCR_share") > 0.95
        assert value(review, "copy", "IMS_training") == 100.0
        assert value(review, "copy", "DCR_p") == 0.01

    def test_fifty_copied_people_are_seen_where_the_share_is_not(self, review: sdc.Review) -> None:
        assert value(review, "leaked", "identical_p") < 1e-6
        rows = review.mean_rows()
        row = rows[(rows["replica"] == "leaked") & (rows["metric"] == "IMS_training")].iloc[0]
        assert row["count"] >= 50
        assert row["total"] == 600
        assert value(review, "fresh", "identical_p") > 0.05

    def test_every_row_is_in_the_catalogue_and_has_a_value_or_a_reason(
        self, review: sdc.Review
    ) -> None:
        rows = review.frame[review.frame["metric"].str.match("F|DCR|IMS|identical|singled")]
        assert set(rows["metric"]) <= set(sdc.MEASURES)
        assert (rows["value"].notna() | rows["reason"].notna()).all()

    def test_syntheses_are_measured_each_and_p_values_are_combined(self) -> None:
        review = conduct({"two": [people(300, 5), ORIGINAL[:300]]}).frame
        p = review[review["metric"] == "DCR_p"].set_index("synthesis")["value"]
        assert p[1.0] > 0.02
        assert p[2.0] == 0.01
        assert p[p.index.isna()].tolist() == [0.02]
        share = review[review["metric"] == "DCR_share"]["value"].tolist()
        assert share[0] == pytest.approx((share[1] + share[2]) / 2)

    def test_without_permutations_p_and_z_have_a_reason(self) -> None:
        review = conduct({"a": people(300, 5)}, permutations=0).frame
        rows = review[review["metric"].isin(["DCR_p", "DCR_z"])]
        assert rows["value"].isna().all()
        assert set(rows["reason"]) == {"the labels were not permuted"}

    def test_a_size_of_tables_that_there_is_none_of_has_a_reason(self) -> None:
        review = conduct({"a": people(300, 5)}, variables=["group", "age"]).frame
        row = review[review["metric"] == "F3"].iloc[0]
        assert math.isnan(row["value"])
        assert "too few variables" in row["reason"]


class TestReplicasOfOtherColumns:
    def test_each_is_measured_in_those_that_it_has(self) -> None:
        narrow = people(300, 6)[["group", "age"]]
        review = conduct(
            {"narrow": narrow, "wide": people(300, 5)}, targets=["age"], keys=["group"]
        )
        assert review.fresh is not None
        assert review.fresh.ways == 2
        assert review.fresh.widest == "wide"
        assert review.fresh.check.by_table["variables"].map(len).value_counts().to_dict() == {
            1: 4,
            2: 6,
        }
        for mode in ("internal", "checker"):
            shown = safe_report(review, Profile("p", "P", "o", {}), mode).fresh
            of_three = {cells[0].text: cells[3].text for cells in shown.fidelity.rows}
            assert of_three["narrow"] == "\N{EN DASH}"
            assert of_three["wide"] != "\N{EN DASH}"

    def test_references_are_made_in_the_columns_of_the_replicas(self) -> None:
        zeros = pd.DataFrame(0, ORIGINAL.index, [f"z{i}" for i in range(100)])
        wide = pd.concat([ORIGINAL, zeros], axis=1)
        review = conduct({"a": people(300, 5)}, original=wide, perturbed=[0.01]).fresh
        assert review is not None
        assert review.perturbed[0].fidelity < review.fidelity["a"].figure(3, "holdout_tvd")

    def test_a_holdout_of_one_record_is_refused_by_name(self) -> None:
        with pytest.raises(DataError, match="holdout has one record"):
            conduct({"a": people(300, 5)}, holdout=HOLDOUT[:1])


class TestFreshData:
    def test_references_lose_fidelity_and_closeness_with_the_share(
        self, review: sdc.Review
    ) -> None:
        assert review.fresh is not None
        less, more = review.fresh.perturbed
        assert (less.share, more.share) == (0.2, 0.8)
        assert less.fidelity < more.fidelity
        assert less.closer > more.closer

    def test_the_worst_table_of_each_size_has_its_cells(self, review: sdc.Review) -> None:
        assert review.fresh is not None
        for table in review.fresh.worst["fresh"]:
            cells = table.cells
            assert (cells["training"] - cells["synthetic"]).abs().sum() / 2 == pytest.approx(
                table.tvd
            )
            assert (
                cells[["training", "synthetic", "holdout"]].sum().tolist()
                == [pytest.approx(1.0)] * 3
            )

    def test_a_wrong_holdout_is_found(self) -> None:
        review = conduct({"a": people(300, 5)}, holdout=pd.concat([HOLDOUT, ORIGINAL[:60]]))
        assert review.fresh is not None
        assert "overlaps" in review.fresh.check.problems[0]

    def test_without_a_holdout_there_is_nothing(self) -> None:
        review = conduct({"a": people(300, 5)}, holdout=None)
        assert review.fresh is None
        assert not review.frame["metric"].str.startswith("DCR").any()

    def test_changes_made_to_the_holdout_are_listed(self) -> None:
        odd = HOLDOUT.assign(age=HOLDOUT["age"].astype(str))
        review = conduct({"a": people(300, 5)}, holdout=odd)
        assert any(name == "holdout" and fix.column == "age" for name, fix in review.fixes)

    def test_goes_to_json_without_nan(self, review: sdc.Review) -> None:
        text = json.dumps(review.to_dict()["fresh_data"], allow_nan=False)
        assert json.loads(text)["closest_records"][0]["replica"] == "fresh"

    def test_the_same_seed_gives_the_same_numbers(self) -> None:
        first, second = (conduct({"a": people(300, 5)}).frame for _ in range(2))
        pd.testing.assert_frame_equal(first, second)


class TestOptions:
    @pytest.mark.parametrize("distance", ["gower", "euclidean"])
    def test_other_distances_can_be_asked_for(self, distance: str) -> None:
        review = conduct({"a": people(200, 5)}, distance=distance, perturbed=[])
        assert review.fresh is not None
        assert review.fresh.closest["a", 1].distance == distance
        assert review.fresh.perturbed == ()

    @pytest.mark.parametrize(
        ("option", "bad", "message"),
        [
            ("distance", "manhattan", "distance: expected 'hamming', 'gower' or 'euclidean'"),
            ("permutations", -1, "permutations: expected a number of at least 0 but got -1"),
            ("perturbed", [1.5], "perturbed: expected a number of at most 1 but got 1.5"),
            ("perturbed", [0.0], "perturbed: expected a number above 0 but got 0.0"),
            ("seed", 0.5, "seed: expected a whole number"),
        ],
    )
    def test_wrong_ones_are_refused(self, option: str, bad: object, message: str) -> None:
        with pytest.raises(StudyError, match=message):
            conduct({"a": people(50, 5)}, **{option: bad})


def test_long_searches_say_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closest_places, "_SECONDS_BETWEEN", 0.0)
    messages: list[tuple[str, int, int]] = []
    study = Study(ORIGINAL, {"a": people(300, 5)}, keys=["group"], holdout=HOLDOUT, perturbed=[0.5])
    sdc.conduct(study, progress=lambda *step: messages.append(step))
    steps = [step for step, _, _ in messages]
    assert "a: closest records, 100 %" in steps
    assert "a: real records among each other, 100 %" in steps
    assert [done for _, done, _ in messages] == sorted(done for _, done, _ in messages)
    assert messages[-1][1] == messages[-1][2]
    assert messages[0][0] == "harmonised"


def test_without_what_is_fresh_nothing_is_searched() -> None:
    study = Study(ORIGINAL, {"a": people(300, 5)}, keys=["group"], holdout=HOLDOUT)
    assert sdc.conduct(study, holdout=False).fresh is None
