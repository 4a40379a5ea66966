"""A replica that says which of its records belong together has errors of its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.survey.design import replica_design
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import Microdata, as_microdata

FILE = pd.DataFrame({"w": [1.0, 2, 3, 4], "area": [1, 1, 2, 2], "home": [7, 8, 7, 7]})


def data(frame: pd.DataFrame = FILE, name: str = "r.csv") -> Microdata:
    return as_microdata(frame, name)


def families(rng: np.random.Generator, number: int) -> pd.DataFrame:
    """Draw families of four who share a town, and are alike in a number."""
    home = np.repeat(np.arange(number), 4)
    return pd.DataFrame(
        {
            "home": home,
            "town": rng.choice([*"abcdef"], number)[home],
            "y": rng.normal(0, 2, number)[home] + rng.normal(size=4 * number),
            "w": rng.gamma(4, 1, 4 * number),
        }
    )


@pytest.mark.parametrize(
    ("strata", "clusters"), [(None, [0, 1, 0, 0]), ("area", [0, 1, 2, 2]), ("region", [0, 1, 0, 0])]
)
def test_clusters_of_one_number_in_two_strata_are_two(
    strata: str | None, clusters: list[int]
) -> None:
    design = replica_design(data(), weight="w", cluster="home", strata=strata)
    assert design.clusters.tolist() == clusters
    assert design.strata.tolist() == [0] * 4  # whether the replica was drawn by them is not known
    assert design.weights.tolist() == [1, 2, 3, 4]
    assert not design.simple


def test_without_the_column_records_are_drawn_one_by_one() -> None:
    design = replica_design(data(), cluster="family")
    assert (design.clusters.tolist(), design.simple) == ([0, 1, 2, 3], True)
    assert not replica_design(data(), weight="w").simple
    alone = replica_design(data(FILE.assign(home=range(4))), cluster="home")
    assert alone.simple


def test_a_record_without_a_cluster_is_alone_which_is_listed() -> None:
    file = data(FILE.assign(home=[7, None, None, 7]))
    design = replica_design(file, cluster="home")
    assert design.clusters[0] == design.clusters[3]
    assert len(set(design.clusters.tolist())) == 3
    (fix,) = design.fixes
    what = "2 records without a cluster: each is a cluster of one"
    assert (fix.column, fix.what, fix.cells) == ("home", what, 2)


def test_of_a_single_cluster_no_error_is_known() -> None:
    file = data(FILE.assign(home=1))
    with pytest.raises(StudyError, match=r"r\.csv: expected several clusters but got one"):
        replica_design(file, cluster="home")
    sample = Sample(data(name="o.csv"), household="home", syntheses={"r.csv": file})
    with pytest.raises(ColumnError, match="expected several clusters but got one"):
        sample.design_of(file)


def test_a_study_reads_who_belongs_together_in_a_replica_by_the_columns_of_the_original() -> None:
    file = data()
    sample = Sample(
        data(name="o.csv"), cluster="home", strata="area", synthetic_weight="w",
        syntheses={"r.csv": file},
    )  # fmt: skip
    design = sample.design_of(file)
    assert design.clusters.tolist() == [0, 1, 2, 2]
    assert design.weights.tolist() == [1, 2, 3, 4]
    persons = Sample(data(name="o.csv"), person="home", syntheses={"r.csv": file})
    assert persons.design_of(file).clusters.tolist() == [0, 1, 0, 0]
    assert persons.design_of(file).weights.tolist() == [1] * 4
    assert Sample(data(name="o.csv"), person="home").design_of(file).simple
    drawn = data(FILE.iloc[:2])
    with pytest.raises(ColumnError, match="who belongs together of records that were drawn"):
        persons.design_of(drawn)


@pytest.mark.parametrize("weighted", [False, True])
def test_errors_of_either_side_are_the_same(weighted: bool) -> None:
    rng = np.random.default_rng(2)
    first, other = families(rng, 30), families(rng, 20)
    how = {"cluster": "home"} | ({"weight": "w", "synthetic_weight": "w"} if weighted else {})
    table = sdc.weighted_compare(first, other, **how).table
    turned = sdc.weighted_compare(other, first, **how).table
    means = table["statistic"] == "mean"
    np.testing.assert_allclose(
        table.loc[means, "se_synthetic"].astype(float),
        turned.loc[means, "se_original"].astype(float),
        rtol=1e-12,
    )
    fits = (
        sdc.survey_overlap(*files, formula="y ~ town", **how).coefficients.sort_index()
        for files in ((first, other), (other, first))
    )
    ours, theirs = fits
    np.testing.assert_allclose(ours["se_synthetic"], theirs["se_original"], rtol=1e-12)
    analyses = (
        sdc.analysis(*files, "mean", "y", **how).estimates
        for files in ((first, other), (other, first))
    )
    ours, theirs = analyses
    np.testing.assert_allclose(ours["se_synthetic"], theirs["se_original"], rtol=1e-12)


def test_fresh_families_differ_by_chance_in_five_of_a_hundred() -> None:
    rng = np.random.default_rng(5)
    together, by_record, numbers, n = [], [], [], 60
    for _ in range(n):
        first, other = families(rng, 60), families(rng, 30)
        how = {"cluster": "home", "variables": ["town", "y"]}
        together += sdc.weighted_tables(first, other, **how).table["p"].tolist()
        alone = other.drop(columns="home")
        by_record += sdc.weighted_tables(first, alone, **how).table["p"].tolist()
        numbers += sdc.weighted_wasserstein(
            first, other, cluster="home", variables=["y"], draws=99
        )["p"].tolist()
    tables = np.array(together)
    assert (tables <= 0.05).mean() < 0.09  # 0.05 of 120, and two and a half of their errors
    assert (tables <= 0.5).mean() > 0.35
    assert (np.array(by_record) <= 0.05).mean() > 0.2
    assert (np.array(numbers) <= 0.05).mean() < 0.13


def test_totals_of_weights_have_the_error_of_families() -> None:
    rng = np.random.default_rng(6)
    first, other = families(rng, 40), families(rng, 40)
    check = sdc.check_weights(first, other, weight="w", cluster="home", variables="town")
    by_family = other.assign(inside=other["w"].where(other["town"] == "d", 0.0))
    totals = by_family.groupby("home")["inside"].sum()
    row = check.margins.set_index("level").loc["d"]
    error = np.sqrt(len(totals)) * totals.std() / first.loc[first["town"] == "d", "w"].sum()
    assert row["se"] == pytest.approx(error)
    assert (
        check.tests.loc["town", "p"]
        > 5 * sdc.check_weights(first, other, weight="w", variables="town").tests.loc["town", "p"]
    )
