"""What each measure of risk says of a verbatim copy and of a holdout: docs/the-copy-test.md.

    python benchmarks/copy_test.py

Two replicas nobody has to argue about: the original itself, which must fail, and people who were
never in it, who must pass. The table of this package is computed here, from whatever measures are
registered; that of other packages is what they answered when they were run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure
from sdcmetrics.measures.reference_values import ITSELF
from sdcmetrics.measures.registry import kinds

PAGE = Path(__file__).parents[1] / "docs" / "the-copy-test.md"
PRESET = Path(__file__).parent / "copy_test.toml"
LEVEL = 0.05
KEYS, TARGET = ["age", "educ", "PID"], "vote"


class Verdict(NamedTuple):
    """What one measure says of both."""

    measure: Measure
    copy: str
    copy_fails: bool | None
    fresh: str
    fresh_fails: bool | None

    @property
    def outcome(self) -> str:
        """In words."""
        reference_values = self.measure.reference_values
        if reference_values is not None and reference_values.copy == ITSELF:
            return "looks at one file"
        if reference_values is not None and reference_values.tells == "no":
            return "cannot tell"
        if self.copy_fails is None or self.fresh_fails is None:
            return "no verdict"
        words = {
            (True, False): "**tells them apart**",
            (True, True): "fails both",
            (False, False): "passes both",
            (False, True): "the wrong way round",
        }
        return words[self.copy_fails, self.fresh_fails]


def review() -> sdc.Review:
    """Measure a copy, and half of the holdout, beside the other half."""
    original, holdout = sdc.demo.load_original(), sdc.demo.load_holdout()
    half = np.random.default_rng(1).permutation(len(holdout)) < len(holdout) // 2
    asked = {kind.option for kind in _risky() if kind.option and not kind.option.startswith("[[")}
    wanted: dict[str, Any] = {option.strip("[]"): True for option in asked if option.endswith("]")}
    if "[options] preset" in asked:
        wanted["preset"] = str(PRESET)
    # The weights are made up: the demo has none, and nobody says who lives together.
    original = original.assign(weight=5 + 10 * (np.arange(len(original)) % 7))
    wanted["sample"] = {"weight": "weight"}
    study = sdc.Study(
        original,
        {"copy": original, "fresh": holdout[half]},
        keys=KEYS,
        targets=[TARGET],
        holdout=holdout[~half],
        perturbed=(),
        candidates=0,
        ways=[1],
        **wanted,
    )
    return sdc.conduct(study)


def _risky() -> list[Kind]:
    of_risk = {measure.of for measure in sdc.MEASURES.values() if measure.family == DISCLOSURE_RISK}
    return [kind for kind in kinds() if kind in of_risk]


def verdicts(result: sdc.Review) -> Iterator[Verdict]:
    """Yield what each measure of risk says, in the order of the registry."""
    rows = result.mean_rows()
    for measure in sdc.MEASURES.values():
        of_measure = rows[rows["metric"] == measure.symbol]
        if measure.family != DISCLOSURE_RISK or not len(of_measure):
            continue
        answers = [
            _said(measure, _worst(measure, of_measure[of_measure["replica"] == name]))
            for name in ("copy", "fresh")
        ]
        yield Verdict(measure, *answers[0], *answers[1])


def _worst(measure: Measure, rows: pd.DataFrame) -> dict[str, Any]:
    values = rows[rows["value"].notna()]
    if not len(values):
        return {"value": math.nan}
    order = values["value"].sort_values(ascending=measure.better == "higher", kind="stable")
    return dict(values.loc[order.index[0]])


def _said(measure: Measure, row: dict[str, Any]) -> tuple[str, bool | None]:
    """Return the number of a replica, and whether it fails."""
    value = row["value"]
    if math.isnan(value):
        return "-", None
    at = row.get("value_at", math.nan)
    text = _number(value) if math.isnan(at) else f"{_number(value)} ({_number(at)})"
    reference_values = measure.reference_values
    if (
        reference_values is None
        or reference_values.copy == ITSELF
        or reference_values.tells == "no"
    ):
        return text, None
    if "p" in measure.tested:
        return text, bool(value <= LEVEL)
    if "z" in measure.tested:
        return text, bool(value >= 1.645)  # noqa: PLR2004  (the one-sided 5 % of a normal z)
    if not math.isnan(row["p"]):
        return f"{text}, p {_number(row['p'])}", bool(row["p"] <= LEVEL)
    cut = not math.isnan(row["copy_at"])  # else the copy is of all records, and so is the value
    copy, own, fresh = row["copy_at"] if cut else row["copy"], at if cut else value, row["fresh"]
    if math.isnan(fresh) or math.isnan(copy) or copy == fresh:
        return text, None
    return text, bool(abs(own - copy) < abs(own - fresh))


def _number(value: float) -> str:
    if value and abs(value) < 0.001:  # noqa: PLR2004  (four decimals say no more)
        return "< 0.001" if value > 0 else "> -0.001"
    return f"{value:.3f}".rstrip("0").rstrip(".")


def lines(result: sdc.Review) -> list[str]:
    """Return the rows of the table, by measure."""
    word = {True: "fail", False: "pass", None: ""}
    return [
        f"| {verdict.measure.symbol} | {verdict.measure.title} "
        f"| {verdict.copy} | {word[verdict.copy_fails]} | {verdict.fresh} "
        f"| {word[verdict.fresh_fails]} | {verdict.outcome} |"
        for verdict in verdicts(result)
    ]


PEERS = """| riskutility 0.2.0 | dcr | pass .498 / fail 1 | pass .522 / fail .847 | fails people who were not in the original |
| riskutility 0.2.0 | domias | pass .505 / fail .619 | pass / pass | without a holdout it splits the original afterwards |
| riskutility 0.2.0 | singling_out | pass / pass | pass / pass | a guess need not be single in the replica: .107 for the copy, .126 for the control |
| riskutility 0.2.0 | linkability | pass .060 / fail .574 |  | the intruder holds the original |
| riskutility 0.2.0 | rf_privacy | pass .500 / fail 1 |  | without a holdout it splits the original afterwards |
| riskutility 0.2.0 | nnaa | pass -.007 / fail .460 |  | the same |
| riskutility 0.2.0 | delta_presence | pass | pass | meant for subsets of the original |
| riskutility 0.2.0 | population_uniqueness, attacker_risk, repu, drisk, epsilon | fail | fail | the same verdict whatever the replica |
| riskutility 0.2.0 | rapid | .771 | .730 | a replica by CART has .775 |
| riskutility 0.2.0 | disclosure_report(compute = "membership") | LOW |  | its overall verdict on a copy |
| anonymeter 1.1.0 | SinglingOutEvaluator, univariate | .108 |  | 25 guesses exist, and are divided by the 200 asked for |
| anonymeter 1.1.0 | SinglingOutEvaluator, multivariate |  | .111, interval above 0 in 22 of 25 draws | draws of one population, 630 beside a control of 314; .019 and 1 of 25 beside 630 |
| anonymeter 1.1.0 | LinkabilityEvaluator |  |  | four runs on the same files: .004, .011, .000, .052; it takes no seed |
"""  # noqa: E501  (rows of a table)

HEAD = """# The copy test

Two replicas nobody has to argue about: **a verbatim copy** of the original, which must fail, and
**a holdout**, people who were never in the original, which must pass. A measure of disclosure risk
that says the same of both says nothing, and a limit on it lets a copy through or stops everything.

This page is written by `python benchmarks/copy_test.py` and is not edited. The second table is
computed when it is written, from whatever measures of risk are registered; a test holds that it is
current. The first is what other packages answered when they were run.

## Other packages

Run on 630 people of the American National Election Study 1996 and a holdout of 314, unless a row
says otherwise, with ten to twenty-five seeds; number and verdict of the package itself, *without /
with* a holdout where it takes one. Empty: not tried. Without a holdout riskutility takes a part of
the original as control, after the synthesis: a copy holds that part too, and passes.

| package | function | copy | holdout | |
|---|---|---|---|---|
"""
MIDDLE = """
## This package

The demo's {n} people as original; {m} people of its holdout stand in for a replica, and the other
{h} the holdout of both. Keys: {keys}; target: {target}. In brackets the number for as many
records each ({k}), where size matters. A replica **fails** where a test has p <= 0.05 (the measure
itself, or that of who was not in the original; z >= 1.645), and where there is no test, where it
is nearer to a copy than to the holdout.
*Looks at one file*: it is a fact about the original, whatever the
replica. *Cannot tell*: a published number that is as high for the holdout as for a copy; it is
here to be read beside others, and its limits say so. *No verdict*: it has no test, and no
holdout beside it. There is one draw of the holdout here, and a right test fails one in twenty.

{told} of {all} measures tell the two apart, {not_} say themselves that they cannot.

| measure | in words | copy | | holdout | | |
|---|---|---|---|---|---|---|
"""


def page(result: sdc.Review) -> str:
    """Return the page of the docs."""
    outcomes = [verdict.outcome for verdict in verdicts(result)]
    sizes = [len(result.study.replicas[name][0].table) for name in ("copy", "fresh")]
    assert result.study.holdout is not None  # noqa: S101  (there is one)
    held = len(result.study.holdout.table)
    middle = MIDDLE.format(
        n=sizes[0],
        m=sizes[1],
        h=held,
        keys=", ".join(KEYS),
        target=TARGET,
        k=min(*sizes, held),
        told=outcomes.count("**tells them apart**"),
        all=len(outcomes),
        not_=outcomes.count("cannot tell") + outcomes.count("looks at one file"),
    )
    measured = set(result.frame["metric"])
    others = [
        f"| {measure.symbol} | {measure.title} | - | | - | | not measured here |"
        for measure in sdc.MEASURES.values()
        if measure.family == DISCLOSURE_RISK and measure.symbol not in measured
    ]
    return HEAD + PEERS + middle + "\n".join([*lines(result), *others]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(review()), encoding="utf-8")
