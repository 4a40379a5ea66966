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
    return made if weighted else [one.drop(columns=list(ROLES.values())) for one in made]


@cache
def review(*, weighted: bool = False) -> sdc.Review:
    return sdc.conduct(study(replicas(weighted=weighted), models=["age ~ sex"]))


def rows(metric: str, **where: Any) -> pd.DataFrame:
    found = where.pop("of", None) or review()
    frame = found.mean_rows()
    return frame[frame["metric"] == metric]


def value(metric: str, of: sdc.Review | None = None) -> float:
    found = rows(metric, of=of)
    return float(found["value"].iloc[0])


def test_every_measure_of_a_sample_has_rows_only_where_a_study_has_one() -> None:
    of_samples = {s for s, m in MEASURES.items() if m.of.option == "[sample]"}
    assert of_samples <= set(review().frame["metric"])
    assert not of_samples & set(sdc.conduct(study(sample=None)).frame["metric"])


def test_risks_of_the_sample_are_those_of_the_functions() -> None:
    file = survey()
    individual = sdc.individual_risk(file, keys=KEYS, weight="w", household="home")
    uniques = sdc.population_uniques(file, keys=KEYS, weight="w")
    attackers = sdc.attacker_risks(file, keys=KEYS, population_size=float(file["w"].sum()))
    households = sdc.household_uniqueness(file, keys=KEYS, household="home")
    match = sdc.match_risk(file, keys=KEYS, population_size=float(file["w"].sum()))
    for metric, expected in {
        "individual_risk": 100 * individual.mean,
        "household_risk": 100 * individual.household_mean,
        "population_uniques": 100 * uniques.population_uniques / 240,
        "population_matches": 100 * uniques.matches / 240,
        "prosecutor_risk": 100 * attackers.prosecutor_mean,
        "journalist_risk": 100 * attackers.journalist_largest,
        "marketer_risk": 100 * attackers.marketer,
        "household_uniques": households.in_unique.percent,
        "match_risk": 100 * match.risk,
    }.items():
        assert value(metric) == pytest.approx(expected, rel=1e-12), metric
    row = rows("individual_risk").iloc[0]
    assert row["count"] == pytest.approx(individual.expected)
    assert row["copy"] == row["value"]


def test_keys_are_grouped_as_the_study_groups_them() -> None:
    grouped = sdc.conduct(study(ngroups_keys={"age": 2}))
    assert value("individual_risk", grouped) < value("individual_risk")


@pytest.mark.parametrize("weighted", [False, True], ids=["original only", "both"])
def test_tables_are_those_of_the_function(*, weighted: bool) -> None:
    made = replicas(weighted=weighted)
    found = review(weighted=weighted)
    own = {"synthetic_weight": "w"} if weighted else {}
    names = ["sex", "age", "ill"]
    tables: Any = sdc.weighted_tables(survey(), made, variables=names, **DESIGN, **own).table
    for name in names:
        table = found.mean_rows().query("variables == @where", local_dict={"where": (name,)})
        row = table.set_index("metric")
        expected = tables.loc[name]
        assert row.loc["TVD_survey", "value"] == pytest.approx(expected["TVD"])
        assert row.loc["ROC_survey", "value"] == pytest.approx(expected["ROC"])
        assert row.loc["TVD_survey", "fresh"] == pytest.approx(expected["TVD_expected"])
        assert row.loc["S_pMSE_survey", "fresh"] == pytest.approx(1.0)
        assert row.loc["S_pMSE_survey_p", "value"] == pytest.approx(expected["p"])
        assert row.loc["design_effect", "value"] == pytest.approx(expected["design_effect"])
    one = sdc.weighted_tables(survey(), made[0], variables=names, **DESIGN, **own).table
    frame = found.frame
    first = frame[(frame["metric"] == "S_pMSE_survey") & (frame["synthesis"] == 1)]
    found_one = first.set_index("variables")["value"]
    assert found_one[("sex",)] == pytest.approx(one.loc["sex", "S_VW_corrected"])


def test_against_the_original_nothing_is_divided() -> None:
    made = replicas(weighted=False)[0]
    sample = {**ROLES, "against": "original"}
    row = rows("S_pMSE_survey", of=sdc.conduct(study(made, sample=sample))).iloc[0]
    expected = sdc.weighted_tables(survey(), made, variables=[*row["variables"]], **DESIGN).table
    assert row["value"] == pytest.approx(expected["S_VW"].iloc[0])
    assert row["fresh"] == pytest.approx(expected["S_VW_fresh"].iloc[0])


def test_weights_of_the_replica_are_checked() -> None:
    made = replicas(weighted=True)
    found = review(weighted=True)
    each = [
        sdc.check_weights(survey(), one, weight="w", variables=["sex", "age", "ill"])
        for one in made
    ]
    assert value("weights_W1", found) == pytest.approx(np.mean([one.W1 for one in each]))
    assert value("weights_total", found) == pytest.approx(
        np.mean([one.total_ratio for one in each])
    )
    largest = [one.margins["difference"].abs().max() for one in each]
    assert value("weights_margin", found) == pytest.approx(np.mean(largest))
    assert rows("weights_W1").iloc[0]["reason"] == "the replica has no weights of its own"


def test_means_and_models_are_those_of_the_functions() -> None:
    made = replicas(weighted=False)
    each = [sdc.weighted_compare(survey(), one, variables=["age"], **DESIGN) for one in made]
    z = [one.table.loc[0, "z"] for one in each]
    found = rows("compare_z").set_index("variables")["value"]
    assert found[("age",)] == pytest.approx(np.abs(z).mean())
    moved = [
        sdc.weighted_wasserstein(survey(), one, variables=["age"], **DESIGN, draws=99, seed=1)
        for one in made
    ]
    assert value("W1_survey") == pytest.approx(np.mean([one.loc["age", "W1"] for one in moved]))
    assert rows("W1_survey").iloc[0]["fresh"] > 0
    smallest = 2 * min(one.loc["age", "p"] for one in moved)
    assert value("W1_survey_p") == pytest.approx(min(smallest, 1.0))
    fit = sdc.survey_overlap(survey(), made, formula="age ~ sex", **DESIGN)
    assert value("CIO_survey") == pytest.approx(fit.mean_overlap)
    alone = [sdc.survey_overlap(survey(), one, formula="age ~ sex", **DESIGN) for one in made]
    expected = np.mean([one.mean_abs_z for one in alone])
    assert value("std_diff_survey") == pytest.approx(expected)


def test_people_behind_records_at_risk_are_their_weights() -> None:
    file, made = survey(), replicas(weighted=False)[0]
    found = sdc.conduct(study(made))
    alone = file.groupby(KEYS)["sex"].transform("size") == 1
    again = made.groupby(KEYS).size().rename("s")
    shown = file.join(again, on=KEYS)["s"] == 1
    of_keys = made.groupby(KEYS)["ill"].agg(["nunique", "first"])
    certain = file.join(of_keys, on=KEYS)
    learnt = (certain["nunique"] == 1) & (certain["first"] == certain["ill"])
    total = file["w"].sum()
    for metric, at_risk in {
        "UiO_population": alone,
        "repU_population": alone & shown,
        "DiSCO_population": learnt,
    }.items():
        assert value(metric, found) == pytest.approx(100 * file["w"][at_risk].sum() / total)
    copied = sdc.conduct(study(survey()))
    for metric in ("UiO_population", "repU_population", "DiSCO_population"):
        row = rows(metric, of=copied).iloc[0]
        assert row["copy"] == pytest.approx(row["value"])
        assert rows(metric, of=found).iloc[0]["copy"] == pytest.approx(row["value"])


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


class TestHouseholds:
    """With `household` in [sample] tests exchange whole households, as their functions do."""

    ASKED: ClassVar[dict[str, Any]] = {
        "sample": {"household": "home"},
        "attacks": {"kinds": "membership"},
        "distributions": {"energy": True, "permutations": 99},
        "prediction": {"learners": "tree", "permutations": 9},
        "permutations": 99,
        "seed": 1,
    }

    def sets(self) -> list[pd.DataFrame]:
        made = [survey(seed, 180).drop(columns=["w", "st", "cl", "id"]) for seed in (1, 2, 3)]
        return [one.assign(home=one["home"] + 1000 * i) for i, one in enumerate(made)]

    def test_are_exchanged_in_the_rows(self) -> None:
        original, replica, holdout = self.sets()
        found = sdc.conduct(study(replica, original, holdout=holdout, **self.ASKED))
        attack = sdc.membership(original, replica, holdout, household="home", seed=1)
        assert value("membership_p", found) == attack.p_value
        energy = sdc.energy_distance(
            original, replica, holdout=holdout, household="home", permutations=99, seed=1
        )
        assert value("energy_p", found) == energy.p_value
        closest = sdc.distance_to_closest_record(
            original, replica, holdout, household="home", permutations=99, seed=1
        )
        assert value("DCR_p", found) == closest.permutation.p_value
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
        assert value("TSTR_p", found) == learnt.table["gap_p"].iloc[0]
        assert found.fresh is not None
        check = sdc.check_holdout(original, holdout, household="home", seed=1)
        assert found.fresh.check.p_population == check.p_population
        alone = sdc.conduct(
            study(replica, original, holdout=holdout, **{**self.ASKED, "sample": None})
        )
        assert value("membership_p", alone) != attack.p_value

    def test_a_replica_without_them_has_values_and_no_p_of_exchanged_labels(self) -> None:
        original, replica, holdout = self.sets()
        bare = replica.drop(columns="home")
        found = sdc.conduct(study(bare, original, holdout=holdout, **self.ASKED))
        for metric in ("energy_p", "W1_p", "TSTR_p"):
            row = rows(metric, of=found).iloc[0]
            assert np.isnan(row["value"])
            assert "does not say who lives together" in row["reason"]
        known = sdc.energy_distance(original.drop(columns="home"), bare, permutations=0)
        assert value("energy", found) == pytest.approx(known.unbiased)
        assert value("membership_p", found) > 0  # of original and holdout only

    def test_a_holdout_that_splits_them_is_refused_and_one_that_cannot_tell_is_listed(self) -> None:
        original, replica, holdout = self.sets()
        with pytest.raises(DataError, match="A holdout that splits households"):
            study(replica, original, holdout=holdout.assign(home=original["home"]), **self.ASKED)
        bare = study(replica, original, holdout=holdout.drop(columns="home"), **self.ASKED)
        assert bare.sample is not None
        (fix,) = map(str, bare.sample.fixes())
        assert "p values beside the holdout exchange single records" in fix


@pytest.mark.parametrize("weighted", [False, True])
def test_how_the_original_was_sampled_is_counted(*, weighted: bool) -> None:
    found, file = review(weighted=weighted).sampling, survey()
    assert found is not None
    assert found.n == len(file)
    assert found.people == pytest.approx(file["w"].sum())
    assert (found.strata, found.households) == (file["st"].nunique(), file["home"].nunique())
    assert found.clusters == len(file[["st", "cl"]].drop_duplicates())
    assert set(found.weighted.values()) == {weighted}
