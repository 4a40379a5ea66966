"""Energy, Wasserstein's distance, tails and groups: oracles, toys, and their nulls."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, DataError, NotComputable, StudyError
from sdcmetrics.measures.distributions import energy as energies
from sdcmetrics.report.assembly import safe_report
from tests.demo import answers, demo

Frame = pd.DataFrame


def people(n: int, seed: int) -> Frame:
    rng = np.random.default_rng(seed)
    group = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    age = np.round(40 + 8 * group + 10 * rng.normal(size=n))
    return pd.DataFrame(
        {
            "group": np.array(list("pqr"))[group],
            "age": np.where(rng.random(n) < 0.05, np.nan, age),
            "work": np.array(list("stuv"))[(group + rng.geometric(0.5, n)) % 4],
            "children": rng.poisson(0.8, n),
        }
    )


def alarms(p: list[float]) -> int:
    return int(np.sum(np.array(p) <= 0.05))


FALSE_ALARMS = int(stats.binom.ppf(0.9999, 25, 0.05))


class TestEnergy:
    def test_equals_energy_in_r(self) -> None:
        result = sdc.energy_distance(
            demo(), demo("cart_1"), variables=["popul", "TVnews", "age"], permutations=0
        )
        expected = answers("energy")
        assert result.statistic == pytest.approx(expected["energy_statistic_T"], rel=1e-9)
        assert result.distance == pytest.approx(expected["energy_distance_squared"], rel=1e-9)
        assert result.scale == "euclidean"

    def test_p_is_that_of_distances_between_shuffled_records(self) -> None:
        rng = np.random.default_rng(3)
        x, y = rng.normal(size=(40, 2)), rng.normal(size=(30, 2)) * 1.3
        spread = x.std(axis=0, ddof=1)
        far = cdist(np.r_[x, y] / spread, np.r_[x, y] / spread)

        def distance(rows: Any) -> float:
            i, j = rows[:40], rows[40:]
            within = far[np.ix_(i, i)].mean() + far[np.ix_(j, j)].mean()
            return float(2 * far[np.ix_(i, j)].mean() - within)

        observed = distance(np.arange(70))
        slow = np.mean([distance(rng.permutation(70)) >= observed for _ in range(2000)])
        frames = (pd.DataFrame(part, columns=["a", "b"]) for part in (x, y))
        result = sdc.energy_distance(*frames, permutations=1999)
        assert result.distance == pytest.approx(observed)
        assert result.p_value == pytest.approx(slow, abs=4 * math.sqrt(0.25 / 2000))

    def test_what_is_as_far_counts_for_its_p(self) -> None:
        frames = (pd.DataFrame({"x": values}) for values in ([0.0, 1.3], [10.1, 11.7]))
        result = sdc.energy_distance(*frames, permutations=999)  # two of the six ways are as far
        assert result.p_value == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / 999))

    def test_of_mixed_columns_is_that_of_the_distances_by_hand(self) -> None:
        original = pd.DataFrame({"x": [0.0, 4.0], "c": ["a", "b"]})
        replica = pd.DataFrame({"x": [2.0, None], "c": ["a", "b"]})
        g = {"01": 1.0, "02": 0.25, "03": 1.0, "12": 0.75, "13": 0.5, "23": 1.0}
        middle = float(np.median(list(g.values())))
        d = {key: 1 - math.exp(-value / middle) for key, value in g.items()}
        across = (d["02"] + d["03"] + d["12"] + d["13"]) / 4
        result = sdc.energy_distance(original, replica, permutations=0)
        assert result.scale == "mixed"
        assert result.distance == pytest.approx(2 * across - d["01"] / 2 - d["23"] / 2)
        assert result.unbiased == pytest.approx(2 * across - d["01"] - d["23"])

    def test_sees_a_relation_that_no_margin_has(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.integers(0, 2, 200)
        original = pd.DataFrame({"x": x.astype(str), "y": x.astype(str)})
        shuffled = original.assign(y=rng.permutation(original["y"]))
        assert sdc.energy_distance(original, shuffled, permutations=99).p_value == 0.01

    def test_of_a_copy_is_what_it_says_a_copy_has(self) -> None:
        original = people(80, 1)
        result = sdc.energy_distance(original, original, permutations=19)
        assert result.distance == pytest.approx(0, abs=1e-12)
        assert result.unbiased == pytest.approx(result.copy)
        assert result.p_value == 1

    def test_of_many_records_is_of_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        original, replica = people(600, 1), people(500, 2)
        whole = sdc.energy_distance(original, replica, permutations=99)
        monkeypatch.setattr(energies, "_EXACT", 800)
        monkeypatch.setattr(energies, "_BLOCK", 100)
        result = sdc.energy_distance(original, replica, permutations=99)
        assert 0 < result.se < 0.01
        assert abs(result.unbiased - whole.unbiased) < 4 * result.se
        wrong = replica.assign(work="s")
        assert sdc.energy_distance(original, wrong, permutations=99).p_value == 0.01

    @pytest.mark.parametrize(("n", "m"), [(90, 90), (60, 150)])
    def test_of_fresh_data_is_no_alarm(self, n: int, m: int) -> None:
        result = [
            sdc.energy_distance(people(n, s), people(m, 99 + s), permutations=99, seed=s)
            for s in range(25)
        ]
        assert alarms([item.p_value for item in result]) <= FALSE_ALARMS
        mean = np.array([item.unbiased for item in result])
        assert abs(mean.mean()) < 4 * mean.std() / 5


class TestWasserstein:
    def test_equals_scipy(self) -> None:
        original, replica = people(80, 1), people(120, 2)
        result = sdc.wasserstein(original, replica, permutations=0, draws=0)
        for name in ("age", "children"):
            slow = stats.wasserstein_distance(original[name].dropna(), replica[name].dropna())
            row = result.loc[name]
            assert row["W1"] * row["scale"] == pytest.approx(slow)
            assert row["scale"] == np.subtract(*np.nanquantile(original[name], [0.75, 0.25]))

    def test_is_in_standard_deviations_where_half_of_the_values_are_one(self) -> None:
        original = pd.DataFrame({"x": [0.0] * 9 + [10.0]})
        result = sdc.wasserstein(original, original + 1, permutations=0, draws=0).loc["x"]
        assert result["W1"] == pytest.approx(1 / np.std(original["x"], ddof=1))
        constant = pd.DataFrame({"x": [1.0, 1.0]})
        assert math.isnan(sdc.wasserstein(constant, constant, permutations=0)["W1"].iloc[0])

    def test_of_the_holdout_is_scaled_to_the_replicas_size(self) -> None:
        original, holdout = people(100, 1), people(50, 2)
        result = sdc.wasserstein(original, people(400, 3), holdout=holdout, permutations=0, draws=0)
        raw = sdc.wasserstein(original, holdout, permutations=0, draws=0)["W1"]
        expected = raw["children"] * math.sqrt((1 / 100 + 1 / 400) / (1 / 100 + 1 / 50))
        assert result.loc["children", "fresh"] == pytest.approx(expected)

    def test_has_an_interval_that_holds_the_truth(self) -> None:
        held = []
        for seed in range(25):
            rng = np.random.default_rng(seed)
            sets = [pd.DataFrame({"x": rng.normal(shift, 1, 200)}) for shift in (0, 0.4)]
            row = sdc.wasserstein(*sets, permutations=49, draws=99, seed=seed).loc["x"]
            held.append(row["low"] <= 0.4 / row["scale"] <= row["high"])
        assert sum(held) >= 25 - FALSE_ALARMS

    def test_and_tails_of_fresh_data_are_no_alarm_ties_or_not(self) -> None:
        p: dict[str, list[float]] = {"age": [], "children": [], "tails": []}
        for seed in range(25):
            sets = people(150, seed), people(250, 99 + seed)
            result = sdc.wasserstein(*sets, permutations=99, draws=0, seed=seed)
            for name in ("age", "children"):
                p[name].append(float(result["p"].to_dict()[name]))
            cuts = sdc.tails(*sets)["p"].dropna()
            p["tails"].append(float(cuts.min()) * len(cuts))
        assert {name: alarms(item) <= FALSE_ALARMS for name, item in p.items()} == dict.fromkeys(
            p, True
        )

    def test_needs_a_number(self) -> None:
        words = pd.DataFrame({"x": list("ab")})
        with pytest.raises(NotComputable, match="no numeric column"):
            sdc.wasserstein(words, words)


class TestTails:
    def test_are_counted_beyond_quantiles_of_both_files(self) -> None:
        original, replica = pd.DataFrame({"x": range(100)}), pd.DataFrame({"x": range(50, 150)})
        result = sdc.tails(original, replica).set_index("quantile")
        assert result.loc[0.1, ["original", "synthetic"]].tolist() == [20, 0]
        table = [[20, 80], [0, 100]]
        assert result.loc[0.1, "p"] == pytest.approx(stats.fisher_exact(table).pvalue)
        assert math.isnan(result.loc[0.001, "p"])  # fewer than 5 are expected

    def test_say_whether_an_extreme_is_copied(self) -> None:
        original, replica = pd.DataFrame({"x": [1, 5, 9, 9]}), pd.DataFrame({"x": [2, 5, 9]})
        ends = sdc.tails(original, replica).attrs["extremes"].loc["x"]
        assert ends[["copied_min", "min_records"]].tolist() == [False, 1]
        assert ends[["copied_max", "max_records"]].tolist() == [True, 2]


class TestSubgroups:
    def test_have_the_tables_of_their_own_records(self) -> None:
        original, replica = people(300, 1), people(300, 2)
        words = [item.drop(columns=["age", "children"]).assign(z=item["age"] > 45) for item in
                 (original, replica)]  # fmt: skip
        result = sdc.subgroups(*words, groups=["group"], permutations=0).table.set_index("level")
        for level in "pqr":
            first, other = (frame[frame["group"] == level] for frame in words)
            slow = sdc.utility_tables(
                first.drop(columns="group"), other.drop(columns="group"), ways=2
            )
            assert result.loc[level, "TVD"] == pytest.approx(float(slow["MabsDD"].mean()) / 2)
            assert result.loc[level, "S_pMSE"] == pytest.approx(float(slow["S_pMSE"].mean()))

    def test_find_the_group_that_is_wrong_and_no_other(self) -> None:
        original, replica = people(400, 1), people(400, 2)
        wrong = replica["group"] == "q"
        replica.loc[wrong, "work"] = "s"
        result = sdc.subgroups(original, replica, groups=["group"], permutations=199)
        assert result.worst == ("group", "q", pytest.approx(3 / 200))
        assert result.table.set_index("level").loc[["p", "r"], "TVD_holm"].min() > 0.05

    def test_that_the_replica_lacks_or_that_are_small_are_named(self) -> None:
        original = people(200, 1)
        replica = people(200, 2).query("group != 'q'")
        original.loc[:9, "group"] = "few"
        table = sdc.subgroups(original, replica, groups="group", permutations=9).table
        notes = table.set_index("level")["note"].to_dict()
        assert notes["q"] == notes["few"] == "missing in the replica"
        assert notes["p"] == ""
        few = sdc.subgroups(original, original, groups="group", permutations=9).table
        assert few.set_index("level").loc["few", "note"] == "fewer than 30 records"

    def test_count_those_who_are_disclosed_as_disco_does(self) -> None:
        original, replica = people(200, 1), people(200, 2)
        keys = ["age", "children"]
        result = sdc.subgroups(
            original, replica, groups=["group"], keys=keys, target="work", permutations=0
        ).table
        slow = sdc.disclosure(original, replica, keys=keys, target="work")
        assert result["disclosed"].sum() == round(slow.attribution["DiSCO"] * 2)
        shares = 100 * result["disclosed"] / result["original"]
        assert shares.between(1, 99).any()
        assert result["DiSCO"].tolist() == pytest.approx(shares.tolist())
        row = result.iloc[0]
        chance = stats.hypergeom(200, result["disclosed"].sum(), row["original"])
        assert row["DiSCO_p"] == pytest.approx(chance.sf(row["disclosed"] - 1))

    @pytest.mark.parametrize(("n", "m"), [(200, 200), (150, 400)])
    def test_of_fresh_data_are_no_alarm(self, n: int, m: int) -> None:
        p = [
            sdc.subgroups(
                people(n, s), people(m, 99 + s), groups="group", permutations=99, seed=s
            ).worst[2]
            for s in range(25)
        ]
        assert alarms(p) <= FALSE_ALARMS

    def test_need_columns_that_are_there(self) -> None:
        original = people(50, 1)
        with pytest.raises(StudyError, match="Did you mean 'group'"):
            sdc.subgroups(original, original, groups="grp")
        with pytest.raises(StudyError, match="expected both or none"):
            sdc.subgroups(original, original, groups="group", keys="age")


@pytest.fixture(scope="module")
def review() -> sdc.Review:
    wrong = people(300, 2)
    wrong.loc[wrong["group"] == "q", "work"] = "s"
    study = sdc.Study(
        people(300, 1),
        {"fresh": people(300, 4), "wrong": [wrong, people(300, 5)]},
        keys=["age"],
        holdout=people(200, 3),
        distributions={"groups": "group", "permutations": 199},
        perturbed=(),
        permutations=0,
    )
    return sdc.conduct(study)


class TestAReview:
    def test_has_what_the_functions_say(self, review: sdc.Review) -> None:
        rows = review.frame[review.frame["replica"] == "fresh"]
        study = review.study
        (replica,) = study.replicas["fresh"]
        energy = sdc.energy_distance(study.original, replica, holdout=study.holdout,
                                     permutations=199)  # fmt: skip
        moved = sdc.wasserstein(study.original, replica, holdout=study.holdout, permutations=199,
                                draws=0)  # fmt: skip
        groups = sdc.subgroups(study.original, replica, groups="group", permutations=199)

        def value(metric: str, *variables: str, column: str = "value") -> float:
            result = rows[(rows["metric"] == metric) & (rows["variables"] == variables)]
            return float(result[column].iloc[0])

        assert value("energy") == energy.unbiased
        assert value("energy", column="copy") == energy.copy
        assert value("energy", column="fresh") == energy.fresh
        assert value("energy_p") == energy.p_value
        assert value("W1", "age") == moved.loc["age", "W1"]
        assert value("W1", "age", column="fresh") == moved.loc["age", "fresh"]
        assert value("W1_p", "age") == moved.loc["age", "p"]
        assert value("group_p", "group") == groups.worst[2]

    def test_names_the_group_in_the_report_and_nothing_in_a_release(
        self, review: sdc.Review
    ) -> None:
        profile = sdc.load_profile("default")
        inside = safe_report(review, profile, "internal").beside_holdout
        assert [cell.text for cell in inside[1].rows[0]][:3] == ["wrong", "group", "q"]
        cells = {row[0].text: row[2] for row in inside[0].rows}
        assert "the holdout" in cells["KM"].detail
        assert "a copy" in cells["energy"].detail
        assert safe_report(review, profile, "checker").beside_holdout == ()

    def test_has_none_of_it_where_the_study_does_not_ask(self, review: sdc.Review) -> None:
        asked = {"energy", "W1", "tails_p", "group_p"}
        assert asked <= set(review.frame["metric"])
        study = sdc.Study(people(60, 1), {"r": people(60, 2)}, keys=["age"])
        assert not asked & set(sdc.conduct(study).frame["metric"])


class TestAStudy:
    def test_checks_what_is_asked(self) -> None:
        sets: Any = (people(30, 1), {"r": people(30, 2)})
        with pytest.raises(StudyError, match=r"distributions: unknown entry 'group'. Did you mean"):
            sdc.Study(*sets, keys=["age"], distributions={"group": ["age"]})
        with pytest.raises(StudyError, match="permutations: expected a whole number"):
            sdc.Study(*sets, keys=["age"], distributions={"permutations": "many"})
        with pytest.raises(ColumnError, match="grp"):
            sdc.Study(*sets, keys=["age"], distributions={"groups": ["grp"]})

    def test_is_read_from_a_file(self, tmp_path: Path) -> None:
        for name, seed in (("o", 1), ("r", 2)):
            people(30, seed).to_csv(tmp_path / f"{name}.csv", index=False)
        file = tmp_path / "study.toml"
        file.write_text(
            '[data]\noriginal = "o.csv"\n[data.replicas]\nr = "r.csv"\n[roles]\nkeys = ["age"]\n'
            '[distributions]\ngroups = "group"\nenergy = false\n',
            encoding="utf-8",
        )
        study = sdc.read_study(file).distributions
        assert study is not None
        assert json.dumps([study.energy, list(study.groups)]) == '[false, ["group"]]'


@pytest.mark.parametrize("syntheses", [0, 1, 2])
@pytest.mark.parametrize(
    "compare",
    [
        sdc.energy_distance,
        lambda original, replica: sdc.subgroups(original, replica, groups="group"),
        lambda original, replica: sdc.record_linkage(original, replica, keys=["group", "age"]),
    ],
)
def test_a_list_of_syntheses_is_refused_where_one_is_compared(compare: Any, syntheses: int) -> None:
    with pytest.raises(DataError, match="synthetic: expected a data frame"):
        compare(people(30, 1), [people(30, 2)] * syntheses)
