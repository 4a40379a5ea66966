"""SynthEval's metrics of prediction, corrected: a copy, the holdout, nonsense."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import sdcmetrics as sdc


def people(seed: int, n: int = 150) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, g = rng.normal(size=n), rng.choice(["a", "b", "c"], n)
    hidden = x + (g == "b")
    return pd.DataFrame(
        {
            "x": x,
            "g": g,
            "vote": np.where(hidden + 0.4 * rng.logistic(size=n) > 0.3, "yes", "no"),
            "z": rng.integers(0, 1000, n) / 7.0,
        }
    )


def nonsense(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return people(seed).apply(lambda column: rng.permutation(column.to_numpy()))


def measured(*data: pd.DataFrame, metric: str, **said: object) -> pd.DataFrame:
    chosen = {"target": "vote", "metrics": [metric], "seed": 1, **said}
    return sdc.syntheval(*data, **chosen).loc[metric]  # type: ignore[arg-type,no-any-return]


class TestF1:
    def test_of_a_copy_has_no_difference_though_its_records_are_tested_on(self) -> None:
        result = measured(people(1), people(1), people(2), metric="cls_acc")["value"]
        assert result["avg diff"] == pytest.approx(0, abs=1e-12)
        assert result["avg diff hout"] == 0

    def test_of_labels_drawn_at_random_is_no_better_than_chance(self) -> None:
        rng = np.random.default_rng(0)
        sets = [
            item.assign(vote=rng.choice(["yes", "no"], len(item)))
            for item in map(people, (1, 2, 3))
        ]
        result = measured(*sets, metric="cls_acc")["value"]
        assert result["TRTR hout"] == pytest.approx(0.5, abs=0.12)
        assert abs(result["avg diff"]) < 0.15  # published, with copies in the folds: 0.45

    def test_of_nonsense_is_worse_on_folds_and_on_the_holdout(self) -> None:
        result = measured(people(1), nonsense(3), people(2), metric="cls_acc")["value"]
        assert result["avg diff"] < -0.1
        assert result["avg diff hout"] < -0.1

    def test_needs_no_holdout(self) -> None:
        assert list(measured(people(1), people(2), metric="cls_acc").index) == ["avg diff"]


class TestAuroc:
    def test_is_that_of_the_true_curve(self) -> None:
        from sklearn.tree import DecisionTreeClassifier

        sets = [item[["x", "vote"]] for item in map(people, (1, 2, 3))]
        chosen = {"auroc_diff": {"learner": "tree"}}
        result = sdc.syntheval(*sets, target="vote", metrics=chosen, seed=1)  # type: ignore[arg-type]
        scores = [
            DecisionTreeClassifier(min_samples_leaf=7, random_state=1)
            .fit(item[["x"]], item["vote"])
            .predict_proba(sets[2][["x"]])[:, 1]
            for item in sets[:2]
        ]
        first, other = (roc_auc_score(sets[2]["vote"] == "yes", score) for score in scores)
        value = result["value"]["auroc_diff", "auroc_diff"]
        assert value == pytest.approx(other - first, rel=1e-9)

    def test_of_a_replica_with_one_class_is_that_of_a_guess(self) -> None:
        sets = people(1), people(2).assign(vote="yes"), people(3)
        result = measured(*sets, metric="auroc_diff")["value"]["auroc_diff"]
        assert -0.5 < result < -0.2


class TestImportance:
    def test_of_fresh_people_is_that_of_two_halves(self) -> None:
        result = [
            measured(*(people(100 + 3 * i + j) for j in range(3)), metric="fio")["value"]
            for i in range(12)
        ]
        ratio = np.mean([item["fio_diff"] for item in result]) / np.mean(
            [item["fio_diff halves"] for item in result]
        )
        assert 0.5 < ratio < 2

    def test_of_nonsense_is_larger(self) -> None:
        result = measured(people(1), nonsense(3), people(2), metric="fio")["value"]
        assert result["fio_diff"] > 2 * result["fio_diff halves"]


class TestAttributes:
    def test_of_a_copy_are_known_and_of_fresh_people_are_not(self) -> None:
        copy, fresh = (
            measured(people(1), item, people(3), metric="att_discl", sensitive=["vote", "z"])
            for item in (people(1), people(2))
        )
        assert copy["value"]["priv_loss"] > 2 * copy["error"]["priv_loss"]
        assert abs(fresh["value"]["priv_loss"]) < 3 * fresh["error"]["priv_loss"]
        assert fresh["value"]["ADR hout"] > fresh["value"]["baseline"]  # what holds of anybody

    def test_are_not_all_known_by_one_outlier(self) -> None:
        sets = [people(1), people(2), people(3)]
        before = measured(*sets, metric="att_discl", sensitive=["z"])["value"]["ADR"]
        sets[0] = sets[0].assign(z=np.where(np.arange(150) == 0, 1e6, sets[0]["z"]))
        after = measured(*sets, metric="att_discl", sensitive=["z"])["value"]["ADR"]
        assert after == pytest.approx(before, abs=0.05)


def test_membership_of_a_copy_is_certain_and_of_fresh_people_a_coin() -> None:
    copy, fresh = (
        measured(people(1), item, people(3), metric="mia")["value"]
        for item in (people(1), people(2))
    )
    assert copy["MIA AUC"] == 1
    assert copy["MIA p"] < 1e-6
    assert 0.4 < fresh["MIA AUC"] < 0.6


def both(
    *data: pd.DataFrame, metric: str, quantities: tuple[str, str], **said: object
) -> list[float]:
    """The published number, then ours."""
    return [
        float(measured(*data, metric=metric, mode=mode, **said)["value"][quantity])
        for mode, quantity in zip(("published", "corrected"), quantities, strict=True)
    ]


class TestWhereTheNumbersDiffer:
    """Each defect of docs/syntheval.md in metrics by models."""

    def test_labels_drawn_at_random_are_not_learnt_by_heart(self) -> None:
        rng = np.random.default_rng(0)
        sets = [
            item.assign(vote=rng.choice(["yes", "no"], len(item)))
            for item in (people(1), people(2, 300))
        ]
        published, ours = both(*sets, metric="cls_acc", quantities=("avg diff", "avg diff"))
        assert published < -0.2
        assert abs(ours) < 0.1

    def test_the_area_is_that_of_the_whole_curve(self) -> None:
        votes = ["yes"] * 50 + ["no"] * 50
        right = pd.DataFrame({"g": ["u"] * 45 + ["v"] * 50 + ["u"] * 5, "vote": votes})
        wrong = right.assign(vote=votes[::-1])
        published, ours = both(
            right, wrong, right, metric="auroc_diff", quantities=("auroc_diff", "auroc_diff")
        )
        assert ours == pytest.approx(0.1 - 0.9)
        assert published == pytest.approx(0.278 - 0.722, abs=1e-3)

    def test_a_column_of_noise_has_no_importance_however_many_values_it_has(self) -> None:
        rng = np.random.default_rng(0)
        sets = [
            item.assign(vote=rng.choice(["yes", "no"], len(item)))[["g", "vote", "z"]]
            for item in map(people, (1, 2, 3))
        ]
        sets[1] = sets[1].assign(z=np.where(sets[1]["z"] > 70, 100.0, 40.0))
        published, ours = both(*sets, metric="fio", quantities=("fio_diff", "fio_diff"))
        assert published > 0.15
        assert ours < 0.1

    def test_one_outlier_of_the_replica_does_not_disclose_a_number(self) -> None:
        sets = [people(1), people(2), people(3)]
        wild = sets[1].assign(z=np.where(np.arange(150) == 0, 1e6, sets[1]["z"]))
        for part, low, high in ((sets[1], 0.0, 0.3), (wild, 0.9, 1.0)):
            published, ours = both(
                sets[0],
                part,
                sets[2],
                metric="att_discl",
                quantities=("Attr Dis accuracy", "ADR"),
                sensitive=["z"],
            )
            assert low <= published <= high
            assert ours < 0.3

    def test_nonsense_is_no_proof_of_privacy(self) -> None:
        far = people(2).assign(x=lambda item: item["x"] + 50)
        recall = [
            both(people(1), item, people(3), metric="mia", quantities=("MIA recall", "MIA AUC"))
            for item in (people(1), people(2), far)
        ]
        copy, fresh, nonsense = np.array(recall)
        assert nonsense[0] == 0  # the best value that it has, and
        assert 0.3 < fresh[0] < copy[0] < 0.9  # a copy is no certain risk
        assert copy[1] == 1
        assert abs(fresh[1] - 0.5) < 0.1
        assert abs(nonsense[1] - 0.5) < 0.1


@pytest.mark.parametrize("metric", ["auroc_diff", "fio", "att_discl", "mia"])
def test_without_a_holdout_there_is_a_reason(metric: str) -> None:
    result = measured(people(1), people(2), metric=metric)
    assert result["value"].isna().all()
    assert set(result["reason"]) == {"there is no holdout"}


@pytest.mark.parametrize("metric", ["cls_acc", "auroc_diff", "fio"])
def test_without_a_target_there_is_a_reason(metric: str) -> None:
    result = measured(people(1), people(2), people(3), metric=metric, target=None)
    assert set(result["reason"]) == {"no target is named"}


@pytest.mark.parametrize("metric", ["cls_acc", "auroc_diff", "fio", "att_discl"])
def test_the_order_of_columns_and_names_of_levels_change_nothing(metric: str) -> None:
    sets = [people(1), people(2), people(3)]
    other = [item.replace({"g": {"a": "q", "b": "r", "c": "s"}}) for item in sets]
    other[1] = other[1][["vote", "z", "g", "x"]]
    first, second = (measured(*data, metric=metric)["value"] for data in (sets, other))
    pd.testing.assert_series_equal(first, second)


def odd() -> dict[str, tuple[pd.DataFrame, ...]]:
    sets = tuple(people(seed, 60) for seed in (1, 2, 3))
    gaps = [item.mask(np.random.default_rng(0).random(item.shape) < 0.2) for item in sets]
    return {
        "categories": tuple(item[["g", "vote"]] for item in sets),
        "numbers beside the target": tuple(item[["x", "z", "vote"]] for item in sets),
        "the target alone": tuple(item[["vote"]] for item in sets),
        "one original": (sets[0][:1], *sets[1:]),
        "one synthetic record": (sets[0], sets[1][:1], sets[2]),
        "one fresh record": (*sets[:2], sets[2][:1]),
        "one level": tuple(item.assign(vote="yes") for item in sets),
        "one class in the replica": (sets[0], sets[1].assign(vote="yes"), sets[2]),
        "one class in the holdout": (*sets[:2], sets[2].assign(vote="yes")),
        "another class in the replica": (sets[0], sets[1].assign(vote="maybe"), sets[2]),
        "missing values": tuple(gaps),
        "a column of nothing": tuple(item.assign(x=np.nan) for item in sets),
    }


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("which", list(odd()))
@pytest.mark.parametrize("mode", ["corrected", "published"])
def test_odd_data_give_a_value_or_a_reason(which: str, mode: str) -> None:
    metrics = ["cls_acc", "auroc_diff", "fio", "att_discl", "mia"]
    result = sdc.syntheval(*odd()[which], target="vote", metrics=metrics, seed=1, mode=mode)  # type: ignore[arg-type]
    assert set(result.index.get_level_values("metric")) == set(metrics)
    assert (np.isfinite(result["value"]) | (result["reason"] != "")).all()
