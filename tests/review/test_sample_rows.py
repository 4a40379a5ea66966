"""A sample as rows of a review: each the number of its function, and only where it is asked for."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import DataError
from sdcmetrics.measures.registry import MEASURES
from tests.study.test_sample import ROLES, study, survey

DESIGN = {"weight": "w", "strata": "st", "cluster": "cl"}
KEYS = ["sex", "age"]


def replicas(*, weighted: bool) -> Any:
    made = [survey(seed) for seed in (2, 3)]
    return made if weighted else [item.drop(columns=list(ROLES.values())) for item in made]


@cache
def review(*, weighted: bool = False) -> sdc.Review:
    return sdc.conduct(study(replicas(weighted=weighted), models=["age ~ sex"]))


def rows(metric: str, **where: Any) -> pd.DataFrame:
    result = where.pop("of", None) or review()
    frame = result.mean_rows()
    return frame[frame["metric"] == metric]


def value(metric: str, of: sdc.Review | None = None) -> float:
    result = rows(metric, of=of)
    return float(result["value"].iloc[0])


def test_every_measure_of_a_sample_has_rows_only_where_a_study_has_one() -> None:
    of_samples = {s for s, m in MEASURES.items() if m.of.option == "[sample]"}
    assert of_samples <= set(review().frame["metric"])
    assert not of_samples & set(sdc.conduct(study(sample=None)).frame["metric"])


@pytest.mark.parametrize("weighted", [False, True], ids=["original only", "both"])
def test_tables_are_those_of_the_function(*, weighted: bool) -> None:
    made = replicas(weighted=weighted)
    result = review(weighted=weighted)
    own = {"synthetic_weight": "w"} if weighted else {}
    names = ["sex", "age", "ill"]
    tables: Any = sdc.weighted_tables(survey(), made, variables=names, **DESIGN, **own).table
    for name in names:
        table = result.mean_rows().query("variables == @where", local_dict={"where": (name,)})
        row = table.set_index("metric")
        expected = tables.loc[name]
        assert row.loc["TVD_survey", "value"] == pytest.approx(expected["TVD"])
        assert row.loc["ROC_survey", "value"] == pytest.approx(expected["ROC"])
        assert row.loc["TVD_survey", "fresh"] == pytest.approx(expected["TVD_expected"])
        assert row.loc["S_pMSE_survey", "fresh"] == pytest.approx(1.0)
        assert row.loc["S_pMSE_survey_p", "value"] == pytest.approx(expected["p"])
        assert row.loc["design_effect", "value"] == pytest.approx(expected["design_effect"])
    one = sdc.weighted_tables(survey(), made[0], variables=names, **DESIGN, **own).table
    frame = result.frame
    first = frame[(frame["metric"] == "S_pMSE_survey") & (frame["synthesis"] == 1)]
    found_one = first.set_index("variables")["value"]
    assert found_one[("sex",)] == pytest.approx(one.loc["sex", "S_VW_corrected"])


def test_what_a_sample_lacks_has_no_rows_and_what_fails_says_why() -> None:
    homes = set(sdc.conduct(study(sample={"household": "home"})).frame["metric"])
    assert "household_uniques" in homes
    assert not homes & {"individual_risk", "marketer_risk", "DiSCO_population"}
    sized = sdc.conduct(study(sample={"population_size": 5_000})).frame["metric"]
    assert {"population_uniques", "marketer_risk"} <= set(sized)
    assert "individual_risk" not in set(sized)
    wrong = sdc.conduct(study(survey(2).assign(w=-1.0), models=["age ~ sex"]))
    for metric in ("S_pMSE_survey", "compare_p", "CIO_survey"):
        row = rows(metric, of=wrong).iloc[0]
        assert np.isnan(row["value"])
        assert "are negative" in row["reason"]
    few = survey().assign(w=[0.01] * 120 + [30.0] * 120)
    row = rows("individual_risk", of=sdc.conduct(study(original=few)))
    assert "fewer people than they have records" in row.iloc[0]["reason"]


@pytest.mark.parametrize("role", ["household", "person"])
class TestHouseholds:
    """With `household` in [sample] tests exchange whole households, as their functions do.

    So they do persons who have several records, with `person`.
    """

    ASKED: ClassVar[dict[str, Any]] = {
        "attacks": {"kinds": "membership"},
        "distributions": {"energy": True, "permutations": 99},
        "prediction": {"learners": "tree", "permutations": 9},
        "permutations": 99,
        "seed": 1,
    }

    def asked(self, role: str) -> dict[str, Any]:
        return {**self.ASKED, "sample": {role: "home"}}

    def sets(self) -> list[pd.DataFrame]:
        made = [survey(seed, 180).drop(columns=["w", "st", "cl", "id"]) for seed in (1, 2, 3)]
        return [item.assign(home=item["home"] + 1000 * i) for i, item in enumerate(made)]

    def test_are_exchanged_in_the_rows(self, role: str) -> None:
        original, replica, holdout = self.sets()
        review = sdc.conduct(study(replica, original, holdout=holdout, **self.asked(role)))
        attack = sdc.membership(original, replica, holdout, household="home", seed=1)
        assert value("membership_p", review) == attack.p_value
        energy = sdc.energy_distance(
            original, replica, holdout=holdout, household="home", permutations=99, seed=1
        )
        assert value("energy_p", review) == energy.p_value
        closest = sdc.distance_to_closest_record(
            original, replica, holdout, household="home", permutations=99, seed=1
        )
        assert value("DCR_p", review) == closest.permutation.p_value
        learnt = sdc.prediction(
            original,
            replica,
            holdout,
            targets="ill",
            learners="tree",
            household="home",
            permutations=9,
            seed=1,
        )
        assert value("TSTR_p", review) == learnt.table["gap_p"].iloc[0]
        assert review.fresh is not None
        check = sdc.check_holdout(original, holdout, household="home", seed=1)
        assert review.fresh.check.p_population == check.p_population
        alone = sdc.conduct(
            study(replica, original, holdout=holdout, **{**self.ASKED, "sample": None})
        )
        assert value("membership_p", alone) != attack.p_value

    def test_a_replica_without_them_has_values_and_no_p_of_exchanged_labels(
        self, role: str
    ) -> None:
        original, replica, holdout = self.sets()
        bare = replica.drop(columns="home")
        review = sdc.conduct(study(bare, original, holdout=holdout, **self.asked(role)))
        for metric in ("energy_p", "W1_p", "TSTR_p"):
            row = rows(metric, of=review).iloc[0]
            assert np.isnan(row["value"])
            says = "who lives together" if role == "household" else "whose its records are"
            assert f"the replica does not say {says}" in row["reason"]
        known = sdc.energy_distance(original.drop(columns="home"), bare, permutations=0)
        assert value("energy", review) == pytest.approx(known.unbiased)
        assert value("membership_p", review) > 0  # of original and holdout only

    def test_a_holdout_that_splits_them_is_refused_and_one_that_cannot_tell_is_listed(
        self, role: str
    ) -> None:
        original, replica, holdout = self.sets()
        asked = self.asked(role)
        split = "A holdout that splits households" if role == "household" else "Split whole persons"
        gaps = original["home"] * 2  # else each file may number its own persons
        with pytest.raises(DataError, match=split):
            study(replica, original.assign(home=gaps), holdout=holdout.assign(home=gaps), **asked)
        bare = study(replica, original, holdout=holdout.drop(columns="home"), **asked)
        assert bare.sample is not None
        (fix,) = map(str, bare.sample.fixes())
        assert f"p values beside the holdout exchange single records, not {role}s" in fix


@pytest.mark.parametrize("weighted", [False, True])
def test_how_the_original_was_sampled_is_counted(*, weighted: bool) -> None:
    result, file = review(weighted=weighted).sampling, survey()
    assert result is not None
    assert result.n == len(file)
    assert result.people == pytest.approx(file["w"].sum())
    assert (result.strata, result.households) == (file["st"].nunique(), file["home"].nunique())
    assert result.clusters == len(file[["st", "cl"]].drop_duplicates())
    assert set(result.weighted.values()) == {weighted}
    own = {"synthetic_weight": "w"} if weighted else {}
    names = ["sex", "age", "ill", *["st"] * weighted]  # where replicas have the strata
    tables = sdc.weighted_tables(
        file, replicas(weighted=weighted), variables=names, **DESIGN, **own
    ).table
    assert result.effects == pytest.approx(dict(tables["design_effect"]))
