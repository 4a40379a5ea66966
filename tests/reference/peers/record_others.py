"""Records how far this package agrees with answers that are not in this repository.

python tests/reference/peers/record_others.py FOLDER writes others.csv: sdcMicro's risks of ten
records, what Platzer and Reutterer's code gives for their own data, and worked examples of the
formulas in DAISYnt's paper, computed by numpy and by Python's standard library.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.anonymity.k_anonymity import classes_of
from sdcmetrics.measures.crosstables.chi_square import printed_chi_square, two_samples
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.suites.daisynt.information_value import (
    concordance,
    information_value,
    pearson,
)
from sdcmetrics.suites.daisynt.representation import debiased_cka, linear_cka
from sdcmetrics.suites.daisynt.target_correlations import target_correlations, target_means

Pairs = Iterator[tuple[str, float, float]]
COLUMNS = ("package", "values", "largest", "where")


def _sdcmicro(folder: Path) -> Pairs:
    file = pd.read_csv(folder / "reference" / "risk" / "toy10_sdcmicro.csv")
    keys = ["sex", "age", "reg"]
    result = {"risk": True, "risk_exact": False}
    for theirs, approximate in result.items():
        ours = sdc.individual_risk(
            file, keys=keys, weight="w", household="hh", approximate=approximate
        ).records
        yield from _records(f"individual {theirs}", ours["risk"], file[theirs])
        if approximate:
            yield from _records("household risk", ours["household_risk"], file["hier"])
    unique = sdc.special_uniques(file, keys=keys).of_record
    yield from _records("SUDA score", unique["score"], file["suda"])
    classes = sdc.l_diversity(file, keys=keys, target="ill").classes
    diverse = classes.iloc[classes_of(file, keys).of_record]
    yield from _records("distinct l", diverse["distinct_l"], file["ill_Distinct_Ldiversity"])
    yield from _records("entropy l", diverse["entropy_l"], file["ill_Entropy_Ldiversity"])


def _records(name: str, ours: Any, theirs: Any) -> Pairs:
    for i, pair in enumerate(zip(ours, theirs, strict=True), start=1):
        yield f"{name} of record {i}", float(pair[0]), float(pair[1])


def _platzer(folder: Path) -> Pairs:
    data = folder / "data" / "platzer"
    expected = pd.read_csv(data / "expected.csv")
    expected = expected[(expected["figure"] == 7) & expected["computed"].notna()]
    for (name, replica), cells in expected.groupby(["dataset", "synthesizer"]):
        files = [data / f"{name}_{part}.parquet" for part in ("trn", replica)]
        if all(file.exists() for file in files):
            result = sdc.marginal_fidelity(*map(sdc.read, files), mode="published")
            for row in cells.itertuples():
                ours = result.loc[int(row.metric[1:]), "tvd"]
                yield f"{row.metric} of {name} {replica}", ours, row.computed


def _daisynt(folder: Path) -> Pairs:
    answers = json.loads((folder / "reference" / "daisynt" / "expected.json").read_text("utf-8"))
    one = answers["information_value"]
    yield "information value", information_value([one["good"], one["bad"]]), one["iv"]
    one = answers["figure_3"]
    lists = one["iv_test"], one["iv_synth"]
    yield "Figure 3, correlation of information values", pearson(*lists), one["pearson"]
    yield "Figure 3, Lin's concordance", concordance(*lists), one["lin_ccc"]
    one = answers["chi_square"]
    tables = one["f_test"], one["f_synth"]
    both, v = two_samples(*tables)
    yield "chi-square of two samples", both.statistic, one["two_sample"]
    yield "its p", both.p_value, one["two_sample_p"]
    yield "Cramer's V", v, one["cramers_v"]
    printed = printed_chi_square(*tables, frequencies="percent")
    yield "chi-square as printed", printed.statistic, one["printed_formula"]["percent"]["statistic"]
    one, other = answers["target_encoding"], answers["correlation"]
    c, y = np.array([ord(text) - ord("a") for text in one["c_test"]]), np.array(one["y_test"])
    mapping = target_means(c, y, 4)
    yield from _records("mean target", mapping, [*one["mapping"].values(), one["unseen"]])
    codes = np.array([ord(text) - ord("a") for text in other["c_synth"]])
    related = target_correlations(
        [np.array(other["x_test"]), mapping[c], y],
        [np.array(other["x_synth"]), mapping[codes], np.array(other["y_synth"])],
        ["x", "c", "y"],
    )
    yield "correlation score", related.cosine, other["score"]
    yield from _records("correlation", np.ravel(related.synthetic), np.ravel(other["R_synth"]))
    one = answers["discriminator"]
    scores = np.array([*one["scores_synth"], *one["scores_original"]])
    label = np.arange(len(scores)) < len(one["scores_synth"])
    yield "AUC of a discriminator", auc(label, scores), one["auc"]
    one = answers["cka"]
    x, y = np.array(one["X"]), np.array(one["Y"])
    yield "linear CKA", linear_cka(x, y), one["linear_cka"]
    yield "debiased CKA", debiased_cka(x, y), one["debiased_cka"]


OTHERS = {
    "sdcMicro 5.8.0": _sdcmicro,
    "Platzer and Reutterer, Figure 7": _platzer,
    "DAISYnt, its paper's formulas": _daisynt,
}


def compared(folder: Path) -> Iterator[tuple[str, int, float, str]]:
    """Yield package, values compared, largest relative difference, and where it is."""
    for package, pairs in OTHERS.items():
        result = [
            (abs(ours - theirs) / max(abs(ours), abs(theirs), 1e-3), what)  # near 0: absolute
            for what, ours, theirs in pairs(folder)
        ]
        yield package, len(result), *max(result)


def main(folder: Path) -> None:
    """Write others.csv beside this file."""
    text = pd.DataFrame(list(compared(folder)), columns=COLUMNS).to_csv(index=False)
    note = f"# do not edit: generated by record_others.py with sdcmetrics {sdc.__version__}\n"
    Path(__file__).with_name("others.csv").write_text(note + text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
