"""What other packages than synthpop answered, each number beside ours; see tests/reference/peers.

Read by tests and by the page that shows how far they agree.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.anonymity.k_anonymity import classes_of
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.suites.catalogue import METRICS
from sdcmetrics.suites.trio import Trio
from tests.demo import answers, demo

FOLDER = Path(__file__).parent / "reference" / "peers"
CATEGORICAL = ["education", "case", "spontaneous"]
Pairs = Iterator[tuple[str, float, float]]
"""What is compared, our number, and the recorded one."""


def infert(name: str = "orig") -> pd.DataFrame:
    """Return R's infert, or a synthesis of it by synthpop."""
    file = FOLDER.parent / "infert_three" / f"{name}.csv"
    return pd.read_csv(file, dtype={"spontaneous": str})


def _answers(name: str) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return answers


def syntheval_of(metric: str, mode: Any, config: dict[str, Any]) -> dict[str, Any]:
    """Compute one of SynthEval's metrics of infert, as published or corrected."""
    names = ("orig", "syn_1", "syn_2")
    frames = [as_microdata(infert(name), name) for name in names]
    trio = Trio(
        frames,
        harmonise(frames[0], frames[1:]),
        categorical=CATEGORICAL,
        target=["case"],
    )
    return dict(METRICS[metric].measure(trio, mode=mode, options=config))


_OF_AN_ERROR = {"err": "avg", "overlap err": "avg overlap", "qMSE err": "avg qMSE"} | {
    "priv_loss_err": "priv_loss"
}


def _syntheval() -> Pairs:
    for answer in _answers("syntheval")["answers"]:
        result = syntheval_of(answer["metric"], "published", answer["config"])
        for name, theirs in answer["raw"].items():
            if name not in ("poly_degree", "poly_coef0"):
                wanted = _OF_AN_ERROR.get(name)
                ours = result[wanted].error if wanted else result[name].value
                yield f"{answer['metric']} {name}", ours, theirs


_DESIGNS = {
    "weights": {},
    "strata": {"strata": "st"},
    "cluster": {"cluster": "cl"},
    "strata_cluster": {"strata": "st", "cluster": "cl"},
}


def _survey() -> Pairs:
    file = infert()
    i = np.arange(len(file))
    levels = ["0-5yrs", "12+ yrs", "6-11yrs"]  # as R orders texts
    file["education"] = pd.Categorical(file["education"], categories=levels)
    file["y"] = (file["case"] == "case").astype(int)
    file = file.assign(w=5 + 10 * (i % 7), st=i % 5, cl=i // 6)
    for name, wanted in _answers("survey")["designs"].items():
        design = {"weight": "w", **_DESIGNS[name]}
        result = sdc.weighted_compare(file, file, **design)
        rows = result.table.set_index(["variable", "statistic"])
        yield f"{name} degrees of freedom", result.degrees_of_freedom, wanted["degf"]
        places = [((item["variable"], "mean"), item) for item in wanted["means"]]
        places += [((item["variable"], item["level"]), item) for item in wanted["shares"]]
        for place, one in places:
            yield f"{name} {' '.join(place)}", rows.loc[place, "original"], one["value"]
            yield f"{name} {' '.join(place)} error", rows.loc[place, "se_original"], one["se"]
        for family, formula in (
            ("gaussian", "parity ~ age + education"),
            ("binomial", "y ~ age + spontaneous"),
        ):
            fit = sdc.survey_overlap(
                file, file, formula=formula, family=family, **design
            ).coefficients
            terms = wanted["models"][family]
            for ours, error, one in zip(fit["original"], fit["se_original"], terms, strict=True):
                yield f"{name} {family} {one['term']}", ours, one["value"]
                yield f"{name} {family} {one['term']} error", error, one["se"]


def _survey_of_the_demo() -> Pairs:
    recorded, file = answers("survey"), demo()
    i = np.arange(len(file))
    levels = [level for level, *_ in recorded["designs"]["weights"]["share"]["educ"]]
    file = file.assign(w=5 + 10 * (i % 7), st=i % 5, cl=i // 6)
    file["educ"] = pd.Categorical(file["educ"], categories=levels)
    for name, wanted in recorded["designs"].items():
        design = {"weight": "w", **_DESIGNS[name]}
        table = sdc.weighted_compare(file, file, **design).table
        rows = table.set_index(["variable", "statistic"])
        places = [(v, "mean", item["mean"], item["se"]) for v, item in wanted["mean"].items()]
        places += [(v, *item) for v, many in wanted["share"].items() for item in many]
        for variable, statistic, value, error in places:
            where, row = f"{name} {variable} {statistic}", rows.loc[(variable, statistic)]
            yield where, row["original"], value
            yield f"{where} error", row["se_original"], error
        for variable, quantiles in wanted["quantile"].items():
            for p, *values in quantiles:
                row = rows.loc[(variable, f"quantile {p:g}")]
                for part, value in zip(("original", "lower", "upper"), values, strict=True):
                    yield f"{name} {variable} quantile {p:g} {part}", row[part], value


def _sdcmicro() -> Pairs:
    recorded, file = answers("anonymity"), demo()
    suda = recorded["suda2"]
    unique = sdc.special_uniques(file, keys=suda["keys"], sampling_fraction=0.01).of_record
    for i, pair in enumerate(zip(unique["score"], suda["scores"], strict=True)):
        yield f"SUDA score of record {i}", *pair
    i = np.arange(len(file))
    file = file.assign(w=5 + 10 * (i % 7), home=i // 3)
    for keys in (["educ", "PID"], ["age", "educ", "PID"]):
        wanted = recorded["household risk"]["_".join(keys)]
        options: dict[str, Any] = {"keys": keys, "weight": "w", "household": "home"}
        result = sdc.individual_risk(file, **options, approximate=True).records
        for ours, theirs in (("risk", "risk"), ("household_risk", "hier_risk")):
            for record, value in zip(wanted["records"], wanted[theirs], strict=True):
                yield f"{ours} of record {record} by {len(keys)} keys", result[ours][record], value
    wanted = recorded["l-diversity"]
    pairs = zip(file["educ"], file["PID"], strict=True)
    place = dict(zip(pairs, classes_of(file, ["educ", "PID"]).of_record, strict=True))
    for target in ("vote", "income"):
        result = sdc.l_diversity(file, keys=["educ", "PID"], target=target).classes
        for educ, party, *values in wanted["classes"]:
            of_class = dict(zip(wanted["columns"][2:], values, strict=True))
            for kind in ("Distinct", "Entropy", "Recursive"):
                ours = float(result[f"{kind.lower()}_l"].iloc[place[educ, party]])
                where = f"{kind.lower()} l of {target}, {educ}, {party}"
                yield where, ours, float(of_class[f"{target}_{kind}_Ldiversity"])


def _sdnist() -> Pairs:
    names = ["selfLR", "ClinLR", "DoleLR", "PID", "educ", "income", "vote"]
    for replica, wanted in answers("k_marginal").items():
        result = sdc.k_marginal(demo(), demo(replica), variables=names, by="vote")
        yield f"k-marginal of {replica}", result.score, wanted["kmarginal"]
        for group, value in wanted["kmarginal_by_vote"].items():
            yield f"k-marginal of {replica}, {group}", result.by_group["score"][group], value


def _energy() -> Pairs:
    names = ["popul", "TVnews", "age"]
    result = sdc.energy_distance(demo(), demo("cart_1"), variables=names, permutations=0)
    wanted = answers("energy")
    yield "statistic of popul, TVnews and age", result.statistic, wanted["energy_statistic_T"]
    yield "distance of popul, TVnews and age", result.distance, wanted["energy_distance_squared"]


PEERS: dict[str, Callable[[], Pairs]] = {
    "SynthEval 1.7.3": _syntheval,
    "survey 4.1.1": _survey,
    "survey 4.1.1, the demo": _survey_of_the_demo,
    "sdcMicro 5.8, the demo": _sdcmicro,
    "SDNist, the demo": _sdnist,
    "energy 1.7-11, the demo": _energy,
}
"""What is compared, by package whose answers are in this repository."""


def elsewhere() -> pd.DataFrame:
    """Return how far those agree whose answers are not in this repository: record_others.py."""
    return pd.read_csv(FOLDER / "others.csv", comment="#")


def platzer() -> pd.DataFrame:
    """Return the cells of Platzer and Reutterer's Figures 7 and 8: record_platzer.py.

    `same` says whether our number is the printed one to its last digit; `ours` is NaN without data.
    """
    cells = pd.read_csv(FOLDER / "platzer.csv", comment="#")
    printed = (100 * cells["printed"]).round(1)  # in percent, with one digit
    return cells.assign(same=(100 * cells["ours"]).round(1) == printed)


def table_4() -> pd.DataFrame:
    """Return the cells of SynthEval's Table 4 that anyone can compute: record_table_4.py.

    `same` says whether our number is the printed one to its last digit.
    """
    cells = pd.read_csv(FOLDER / "table_4.csv", comment="#", dtype={"printed": str})
    cells = cells.assign(why=cells["why"].fillna(""))
    same = [
        _is_printed(ours, text) for ours, text in zip(cells["ours"], cells["printed"], strict=True)
    ]
    return cells.assign(same=same)


def _is_printed(ours: float, printed: str) -> bool:
    if "/" in printed:  # so many of so many columns
        top, bottom = printed.split("/")
        return round(ours * int(bottom)) == int(top)
    digits, _, exponent = printed.partition("e")
    decimals = len(digits.partition(".")[2])
    if exponent:
        return float(f"{ours:.{decimals}e}") == float(printed)
    return bool(round(ours, decimals) == float(printed))


def vignettes() -> pd.DataFrame:
    """Return the numbers that synthpop's vignettes print beside ours: record_vignettes.py.

    `same` says whether ours is the printed one to its last digit; `why` says why it is not.
    """
    cells = pd.read_csv(FOLDER / "vignettes.csv", comment="#", dtype={"printed": str})
    same = [_is_printed(*pair) for pair in zip(cells["ours"], cells["printed"], strict=True)]
    places = zip(cells["vignette"], cells["table"], cells["row"], cells["measure"], strict=True)
    why = [
        "" if equal else next((text for key, text in OLDER.items() if key <= {*place}), "")
        for place, equal in zip(places, same, strict=True)
    ]
    return cells.assign(same=same, why=why)


OLDER = {
    frozenset({"inference", "lack of fit"}): "printed by an older version: synthpop 1.9-3, asked "
    "again, gives our number",
    frozenset({"utility"}): "printed from a synthesis of an older version: of the synthesis that "
    "the same call makes today, synthpop 1.9-2 gives our number",
}
"""Why a number of a vignette is not ours, by the vignette and what is measured."""


def api() -> pd.DataFrame:
    """Return survey's estimates of its own data, beside ours: record_api.py.

    `same` says whether they are equal, but for rounding, or both undefined.
    """
    cells = pd.read_csv(FOLDER / "api.csv", comment="#")
    cells["variable"] = cells["variable"].fillna("")
    near = np.isclose(cells["ours"], cells["survey"], rtol=1e-10, atol=1e-15, equal_nan=True)
    return cells.assign(same=near)


def intended() -> Iterator[tuple[str, str, float, float]]:
    """Yield SynthEval's numbers that the corrected definition changes: what, why, both."""
    for answer in _answers("syntheval")["answers"]:
        metric = METRICS[answer["metric"]]
        if answer["config"] or not metric.defect:
            continue
        corrected = syntheval_of(answer["metric"], "corrected", {})
        published = syntheval_of(answer["metric"], "published", {})
        name = next(name for name in corrected if name in published)
        ours, theirs = corrected[name].value, published[name].value
        if not math.isclose(ours, theirs, rel_tol=1e-6):
            yield answer["metric"], metric.defect, ours, theirs


class Difference(NamedTuple):
    """A number that is meant to differ from another package's, and how to repeat it."""

    package: str
    why: str
    code: str
    theirs: float

    @property
    def ours(self) -> float:
        """What the code gives."""
        return float(eval(self.code, {"pd": pd, "sdc": sdc}))  # noqa: S307


DIFFERENCES = (
    Difference(
        "sdcMicro 5.8.2",
        'indivRisk(method = "exact") adds terms of alternating sign, and loses every digit where '
        "many records share their keys: here 60, of weight 2 each.",
        'sdc.individual_risk(pd.DataFrame({"k": ["a"] * 60, "w": 2.0}), keys="k", weight="w")'
        '.records["risk"][0]',
        -3.5e9,
    ),
    Difference(
        "Platzer and Reutterer",
        "Their code cuts a number of two values at quantiles that fall on either: one group is "
        'left, in which nothing can differ. mode="published" gives their number.',
        'sdc.marginal_fidelity(pd.DataFrame({"ill": [0] * 81 + [1] * 20}), '
        'pd.DataFrame({"ill": [0] * 20 + [1] * 81}), ways=1)["tvd"].iloc[0]',
        0.0,
    ),
)
"""Besides SynthEval's: one per package whose numbers are corrected."""
