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
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.suites.catalogue import METRICS
from sdcmetrics.suites.trio import Trio

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
    for one in _answers("syntheval")["answers"]:
        found = syntheval_of(one["metric"], "published", one["config"])
        for name, theirs in one["raw"].items():
            if name not in ("poly_degree", "poly_coef0"):
                wanted = _OF_AN_ERROR.get(name)
                ours = found[wanted].error if wanted else found[name].value
                yield f"{one['metric']} {name}", ours, theirs


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
        found = sdc.weighted_compare(file, file, **design)
        rows = found.table.set_index(["variable", "statistic"])
        yield f"{name} degrees of freedom", found.degrees_of_freedom, wanted["degf"]
        places = [((one["variable"], "mean"), one) for one in wanted["means"]]
        places += [((one["variable"], one["level"]), one) for one in wanted["shares"]]
        for place, one in places:
            yield f"{name} {' '.join(place)}", rows.loc[place, "original"], one["value"]
            yield f"{name} {' '.join(place)} error", rows.loc[place, "se_original"], one["se"]
        for family, formula in (
            ("gaussian", "parity ~ age + education"),
            ("binomial", "y ~ age + spontaneous"),
        ):
            fit = sdc.survey_overlap(file, file, formula, family=family, **design).coefficients
            terms = wanted["models"][family]
            for ours, error, one in zip(fit["original"], fit["se_original"], terms, strict=True):
                yield f"{name} {family} {one['term']}", ours, one["value"]
                yield f"{name} {family} {one['term']} error", error, one["se"]


PEERS: dict[str, Callable[[], Pairs]] = {
    "SynthEval 1.7.3": _syntheval,
    "survey 4.1.1": _survey,
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
    return bool(round(ours, len(printed.partition(".")[2])) == float(printed))


def intended() -> Iterator[tuple[str, str, float, float]]:
    """Yield SynthEval's numbers that the corrected definition changes: what, why, both."""
    for one in _answers("syntheval")["answers"]:
        metric = METRICS[one["metric"]]
        if one["config"] or not metric.defect:
            continue
        corrected = syntheval_of(one["metric"], "corrected", {})
        published = syntheval_of(one["metric"], "published", {})
        name = next(name for name in corrected if name in published)
        ours, theirs = corrected[name].value, published[name].value
        if not math.isclose(ours, theirs, rel_tol=1e-6):
            yield one["metric"], metric.defect, ours, theirs


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
