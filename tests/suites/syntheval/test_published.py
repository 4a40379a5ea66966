"""The published mode gives the numbers of syntheval 1.7.3, and what Table 4 of its paper can be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn

from sdcmetrics.suites.catalogue import METRICS
from sdcmetrics.suites.metric import Quantity
from tests.ranking.test_syntheval_table_4 import TABLE_4, rows
from tests.suites.syntheval import recorded

of_hepatitis = pytest.mark.skipif(
    "hepatitis" not in recorded.SETS, reason="the paper's data are not in this checkout"
)

ERROR_OF = {
    "err": "avg",
    "overlap err": "avg overlap",
    "stat err": "avg stat",
    "ks err": "avg ks",
    "tvd err": "avg tvd",
    "pMSE err": "avg pMSE",
    "qMSE err": "avg qMSE",
    "priv_loss_err": "priv_loss",
    "avg diff err": "avg diff",
    "avg diff err hout": "avg diff hout",
}
RANDOM = {"avg pval", "pval err", "num sigs", "frac sigs"}
"""Draws without a seed."""
BY_MODELS = {"cls_acc", "auroc_diff", "fio"}
"""Their numbers are those of one version of scikit-learn."""
SETTINGS = {"poly_degree", "poly_coef0"}
LEARNT = {"hepatitis": "ae", "anes": ("r2",)}
"""Replicas on which forests and four models are learnt: sampled, and of more relations."""


def is_learnt_long(item: dict[str, Any]) -> bool:
    """Whether an answer needs a forest: that of a smaller model is compared on all replicas."""
    model = item["config"].get("model", "rf_cls" if item["metric"] == "fio" else "")
    return item["metric"] == "cls_acc" or model == "rf_cls"


def cases() -> list[Any]:
    return [
        pytest.param(which, name, item, id=f"{which} {name[:2]} {item['metric']} {number}")
        for which in recorded.SETS
        for name, result in recorded.expected(which)["replicas"].items()
        for number, item in enumerate(result["fixed"])
        if item["metric"] in METRICS
        and METRICS[item["metric"]].published
        and "raw" in item
        and (name.startswith(tuple(LEARNT[which])) or not is_learnt_long(item))
    ]


def asked(which: str, name: str, one: dict[str, Any]) -> Any:
    options = dict(one["config"])
    if one["nn_distance"] != "gower":
        options["distance"] = one["nn_distance"]
    target = one["target"] if one["metric"] in BY_MODELS else None
    made = recorded.of_replica(which, name, holdout=one["holdout"], target=target)
    return METRICS[one["metric"]].measure(made, mode="published", options=options)


def same_models(which: str) -> bool:
    return bool(recorded.expected(which)["meta"]["packages"]["scikit-learn"] == sklearn.__version__)


@pytest.mark.parametrize(("which", "name", "one"), cases())
def test_a_fixed_answer_is_reproduced(which: str, name: str, one: dict[str, Any]) -> None:
    if one["metric"] in BY_MODELS and not same_models(which):
        pytest.skip("answers by models were recorded with another version of scikit-learn")
    result: dict[str, Quantity] = asked(which, name, one)
    n = len(recorded.real(which)[0])
    # liblinear stops at 1e-4, and by then the last digits of its input decide where.
    loose = {"p_mse": {"rel": 5e-3}, "nnaa": {"abs": 2 / n}, "eps_risk": {"abs": 2 / n}}
    close: Any = loose.get(one["metric"], {"rel": 1e-9, "abs": 1e-13})
    for key, value in one["raw"].items():
        if isinstance(value, (int, float)) and key not in RANDOM | SETTINGS | {"acc err"}:
            got = result[ERROR_OF[key]].error if key in ERROR_OF else result[key].value
            assert got == pytest.approx(value, **close), key
    normalised = [q.normalised for q in result.values() if not math.isnan(q.normalised)]
    for row in one["summary"]:
        if one["metric"] == "cls_acc" and row["metric"] in result:  # of single models
            assert result[row["metric"]].value == pytest.approx(row["val"], **close)
        if row["metric"] != "frac_ks_sigs":
            assert any(row["n_val"] == pytest.approx(item, **close) for item in normalised)


def test_the_mean_p_of_random_draws_is_the_recorded_one() -> None:
    for which, name in (("anes", "r1_marginals"), ("anes", "r2_jitter")):
        fixed = recorded.expected(which)["replicas"][name]["fixed"]
        value = next(item["raw"]["avg pval"] for item in fixed if item["metric"] == "ks_test")
        made = recorded.of_replica(which, name)
        result = METRICS["ks_test"].measure(made, mode="published")["avg pval"].value
        # Five p of 1000 draws each, on either side: 3 standard errors of their mean.
        assert abs(result - value) <= 3 * math.sqrt(2 * 0.25 / 1000 / 5) * 5 / 9


def drawn(metric: str, which: str, name: str, times: int, **said: Any) -> dict[str, list[float]]:
    """Values of a random metric, seed by seed."""
    target, sensitive = said.get("target", ()), said.get("sensitive", ())
    training, test = recorded.real(which)
    results: dict[str, list[float]] = {}
    for seed in range(times):
        made = recorded.trio(
            training,
            recorded.replica(which, name),
            test,
            categorical=recorded.expected(which)["meta"]["categorical"],
            target=target,
            sensitive=sensitive,
            seed=seed,
        )
        for quantity, item in METRICS[metric].measure(made, mode="published").items():
            results.setdefault(quantity, []).append(item.value)
    return results


def is_of_the_same_mean(values: list[float], mean: float, sd: float, runs: int) -> bool:
    """Whether two means of runs differ by 3 standard errors at most."""
    return abs(np.mean(values) - mean) <= 3 * sd * math.sqrt(1 / runs + 1 / len(values))


@pytest.mark.parametrize(
    ("which", "name"),
    [
        pytest.param("hepatitis", "a_hepatitis_sampling_baseline", marks=of_hepatitis),
        ("anes", "r2_jitter"),
    ],
)
def test_membership_is_that_of_lightgbm_though_the_trees_are_scikit_learns(
    which: str, name: str
) -> None:
    result = drawn("mia", which, name, 1)
    random = recorded.expected(which)["replicas"][name]["random"]
    raw = next(item["raw"] for item in random if item["metric"] == "mia")
    for quantity, values in result.items():
        theirs = raw[quantity]
        assert is_of_the_same_mean(values, theirs["mean"], theirs["sd"], len(theirs["values"]))


# What syntheval 1.7.3 gave with NumPy's seeds 0 to 5 (attributes) and 0 to 7 (parity): mean, sd.
ATTRIBUTES = {
    "r1_marginals": {
        "Attr Dis accuracy": (0.28234, 0.00300),
        "Attr Dis precision": (0.37210, 0.00355),
        "Attr Dis recall": (0.19422, 0.00276),
        "Attr Dis macro F1": (0.20997, 0.00268),
    },
    "r2_jitter": {
        "Attr Dis accuracy": (0.50639, 0.00219),
        "Attr Dis precision": (0.62264, 0.00245),
        "Attr Dis recall": (0.41096, 0.00171),
        "Attr Dis macro F1": (0.45156, 0.00135),
    },
}
PARITY = {"e_hepatitis_synthpop_syn_best": (0.00135, 0.00942)}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_disclosed_attributes_are_as_many(name: str) -> None:
    result = drawn("att_discl", "anes", name, 1)
    for quantity, (mean, sd) in ATTRIBUTES[name].items():
        assert is_of_the_same_mean(result[quantity], mean, sd, 6), quantity


@of_hepatitis
@pytest.mark.parametrize("name", PARITY)
def test_parity_of_a_forest_is_as_large(name: str) -> None:
    entries = {"target": ["Gender"], "sensitive": ["Fever"]}
    (values,) = drawn("statistical_parity", "hepatitis", name, 1, **entries).values()
    assert is_of_the_same_mean(values, *PARITY[name], 8)


def _gower(one: Any, other: Any, weights: Any, ranges: Any) -> Any:
    """Distances of all pairs, a column at a time; a column is of texts where it has no range."""
    out = np.zeros((len(one), len(other)))
    for j, (weight, spread) in enumerate(zip(weights, ranges, strict=True)):
        x, y = one.iloc[:, j].to_numpy()[:, None], other.iloc[:, j].to_numpy()[None]
        out += weight * ((x != y) if spread is None else np.abs(x - y) / spread)
    return out


def test_distances_of_2024_have_the_ranges_of_the_two_files_compared() -> None:
    training, replica = recorded.real("anes")[0][:90], recorded.replica("anes", "r2_jitter")[:70]
    numbers = [name for name in training if pd.api.types.is_numeric_dtype(training[name])]
    numbers = [n for n in numbers if n not in recorded.expected("anes")["meta"]["categorical"]]

    def ranges(*files: Any) -> list[Any]:
        pool = pd.concat(files)
        return [np.ptp(pool[name]) if name in numbers else None for name in training]

    def entropy(column: Any) -> float:
        share = column.value_counts(normalize=True)
        return float(-(share * np.log(share)).sum())

    rounded = training.assign(**{name: training[name].round() for name in numbers})
    weights = [1 / entropy(rounded[name]) for name in training]
    results = {}
    for which, chosen in (("dcr", [1.0] * len(weights)), ("eps_risk", weights)):
        own = _gower(training, training, chosen, ranges(training))
        np.fill_diagonal(own, np.inf)
        across = _gower(training, replica, chosen, ranges(training, replica))
        results[which] = across, own.min(axis=1)
    across, own = results["dcr"]
    expected = {"mDCR": np.median(across.min(axis=0)) / np.median(own)}
    across, own = results["eps_risk"]
    expected["eps_risk"] = (across.min(axis=1) < own).mean()
    made = recorded.trio(
        training, replica, categorical=recorded.expected("anes")["meta"]["categorical"]
    )
    for metric, quantity in (("dcr", "mDCR"), ("eps_risk", "eps_risk")):
        ours = METRICS[metric].measure(made, mode="published", options={"as_in_2024": True})
        assert ours[quantity].value == pytest.approx(expected[quantity], rel=1e-9)


@of_hepatitis
def test_what_the_authors_had_in_2024_is_reproduced() -> None:
    for name, values in recorded.expected("hepatitis")["as_in_2024"]["values"].items():
        path = next(recorded.HEPATITIS.glob(f"{name}_*.csv"))
        made = recorded.of_replica("hepatitis", path.stem)
        for metric, quantity in (("dcr", "mDCR"), ("eps_risk", "eps_risk")):
            result = METRICS[metric].measure(made, mode="published", options={"as_in_2024": True})
            assert result[quantity].value == pytest.approx(values[quantity], rel=1e-9)


COLUMNS = {
    0: ("corr_diff", "corr_mat_diff", {}),
    1: ("mi_diff", "mutual_inf_diff", {}),
    2: ("ks_test", "avg stat", {}),
    3: ("ks_test", "frac sigs", {}),
    7: ("dcr", "mDCR", {"as_in_2024": True}),
    8: ("eps_risk", "eps_risk", {"as_in_2024": True}),
}
"""Columns of Table 4 that anyone can compute today. The others are random beyond repeating (F1,
membership, attributes, and the ranks made of them) or of models whose input is not published."""

NOT_REPRODUCED = {
    ("d", 0): "0.4045 in the authors' own notebook too, printed 0.41",
    ("e", 1): "0.2634 in the authors' own notebook too, printed 0.27",
    ("k", 1): "2.7488 in the authors' own notebook too, printed 2.8",
    ("j", 2): "0.0634 by 1.7.3 is 0.06 at the digit of its error; printed 0.063",
    ("c", 7): "1.284 in the authors' own notebook too, printed 1.2",
    ("c", 8): "0.0498 in the authors' own notebook too, printed 0.060: another file or run",
    ("i", 8): "0.0628 in the authors' own notebook; 0.062 printed, cut and not rounded",
}


@of_hepatitis
@pytest.mark.parametrize("letter", "abcdefghijk")
def test_table_4_cell_by_cell(letter: str) -> None:
    path = next(recorded.HEPATITIS.glob(f"{letter}_*.csv"))
    made = recorded.of_replica("hepatitis", path.stem)
    printed = rows(TABLE_4)["abcdefghijk".index(letter)][1]
    for column, (metric, quantity, options) in COLUMNS.items():
        result = METRICS[metric].measure(made, mode="published", options=options)[quantity].value
        cell = printed[column]
        if "/" in cell:
            same = abs(29 * result - int(cell.split("/")[0])) < 1.5  # a p near 0.05
        else:
            same = round(result, len(cell.partition(".")[2])) == float(cell)
        known = (letter, column) in NOT_REPRODUCED
        assert same or known, (letter, metric, result, cell)


@of_hepatitis
def test_what_is_not_reproduced_of_table_4_is_what_differs() -> None:
    for letter, column in NOT_REPRODUCED:
        path = next(recorded.HEPATITIS.glob(f"{letter}_*.csv"))
        metric, quantity, options = COLUMNS[column]
        made = recorded.of_replica("hepatitis", path.stem)
        result = METRICS[metric].measure(made, mode="published", options=options)[quantity].value
        cell = rows(TABLE_4)["abcdefghijk".index(letter)][1][column]
        assert round(result, len(cell.partition(".")[2])) != float(cell)
        assert result == pytest.approx(float(cell), rel=0.2)
        assert np.isfinite(result)
