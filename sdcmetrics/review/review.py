"""What a study found: tidy measurements that nothing later changes."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.measures.anonymity.places import Files
from sdcmetrics.measures.anonymity.sampled import Computed
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.closeness.copies import Copies
from sdcmetrics.measures.disclosure.disclosure import DisclosureResult
from sdcmetrics.measures.fits.fit_overlap import FitOverlap
from sdcmetrics.measures.prediction.trained import Trained
from sdcmetrics.measures.rules.find_rules import FoundRules
from sdcmetrics.measures.rules.rule_outcome import RuleOutcome
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.review.fresh_data import FreshData
from sdcmetrics.review.sampling import Sampling
from sdcmetrics.study.study import Scenario, Study
from sdcmetrics.study.written import write_result


@dataclass(frozen=True)
class InputSummary:
    """One data set that was compared.

    Attributes
    ----------
    role : "original", "replica" or "holdout"
    name : the replica's name, or the role
    synthesis : number of the synthesis within its replica, from 1; 0 otherwise
    source : file name, or what the data set is called
    n, columns : records and columns
    sha256 : digest of the file, or None for data that came as a frame
    """

    role: str
    name: str
    synthesis: int
    source: str
    n: int
    columns: int
    sha256: str | None


@dataclass(frozen=True)
class Distribution:
    """One variable, one-way: original counts beside those of every replica.

    Attributes
    ----------
    variable : str
    kind : "number", "category", "boolean" or "date"
    labels : tuple of str or None
        Levels or groups; None is missing.
    original : tuple of int
        Original records in each level.
    replicas : dict of replica to tuple of float
        Share of the replica's records in each level (mean over its syntheses), 0 to 1.
    breaks : tuple of float
        Ends of the groups of a grouped numeric variable, else empty. The first and the last
        are the pooled minimum and maximum.
    """

    variable: str
    kind: str
    labels: tuple[str | None, ...]
    original: tuple[int, ...]
    replicas: dict[str, tuple[float, ...]]
    breaks: tuple[float, ...] = ()


@dataclass(frozen=True, repr=False)
class Review:
    """What a study found. Everything later (policy, report) only reads it.

    Attributes
    ----------
    study : Study
    inputs : tuple of InputSummary
    fixes : tuple of (replica, Fix)
        Every change made to the inputs.
    frame : DataFrame
        One row per measurement, see `measurement.COLUMNS`; replica, synthesis, metric and place
        (scenario, keys, target, variables, model, rule) are unique. `value` is NaN only where
        `reason` says why. Where `synthesis` is NaN the row is the mean over the syntheses in
        which the measure exists; of p values of tests, the smallest times their number.
    distributions : dict of variable to Distribution
    disclosures : dict of (replica, scenario, target) to DisclosureResult
        With flags and records at risk; for internal eyes only.
    variables : dict of variable to kind
    versions : dict of package to version
    settings : dict of option to value
    created : str
        Date and time in UTC, ISO 8601.
    seconds : dict of step to seconds
    fits : dict of (replica, formula, family) to FitOverlap
        With coefficients; for internal eyes only. A model that could not be fitted is not in it.
    rules : dict of (replica, text of the rule) to RuleOutcome
        A rule that could not be checked is not in it.
    copies : dict of (replica, synthesis) to Copies
        Original records that it holds in every value; for internal eyes only.
    files : dict of (replica, scenario, target) to tuple of Files
        The keys and one target, by synthesis; for internal eyes only.
    attacks : dict of (replica, attack, scenario, target) to tuple of results
        One per synthesis, with what was found of every record; for internal eyes only.
    predictions : dict of (replica, target, learner) to tuple of Trained
        What could be learnt from each synthesis.
    candidates : dict of replica to FoundRules
        Relations that the original keeps and the replica breaks; for internal eyes only.
    subgroups : dict of (replica, variable) to tuple of DataFrame
        Groups of people, synthesis by synthesis; for internal eyes only.
    shown : dict of (replica, name of the metric) to tuple
        What figures of a suite's metrics are drawn of, synthesis by synthesis; None where there is
        none. For internal eyes only.
    fresh : FreshData or None
        What the holdout shows; None without one.
    verdicts : dict of replica to dict
        What the profile of the study said of it: "verdict" in words, "disclosure_risk" and
        "utility" as statuses. Reports judge anew, by the profile that they are given.
    sampling : Sampling or None
        How the original was sampled; for internal eyes only.
    sample_risks : dict of scenario to Computed
        The risks of the sample, those of every record included; for internal eyes only.
    compared : dict of (replica, variable) to DataFrame
        Weighted means and shares beside the replica's; for internal eyes only.
    """

    study: Study
    inputs: tuple[InputSummary, ...]
    fixes: tuple[tuple[str, Fix], ...]
    frame: pd.DataFrame
    distributions: dict[str, Distribution]
    disclosures: dict[tuple[str, str, str], DisclosureResult]
    variables: dict[str, str]
    versions: dict[str, str]
    settings: dict[str, Any]
    created: str
    seconds: dict[str, float] = field(default_factory=dict)
    fits: dict[tuple[str, str, str], FitOverlap] = field(default_factory=dict)
    rules: dict[tuple[str, str], RuleOutcome] = field(default_factory=dict)
    copies: dict[tuple[str, int], Copies] = field(default_factory=dict)
    files: dict[tuple[str, str, str], tuple[Files, ...]] = field(default_factory=dict)
    attacks: dict[tuple[str, str, str, str], tuple[Any, ...]] = field(default_factory=dict)
    predictions: dict[tuple[str, str, str], tuple[Trained, ...]] = field(default_factory=dict)
    candidates: dict[str, FoundRules] = field(default_factory=dict)
    subgroups: dict[tuple[str, str], tuple[pd.DataFrame, ...]] = field(default_factory=dict)
    shown: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)
    fresh: FreshData | None = None
    sampling: Sampling | None = None
    sample_risks: dict[str, Computed] = field(default_factory=dict)
    compared: dict[tuple[str, str], pd.DataFrame] = field(default_factory=dict)

    verdicts: dict[str, dict[str, str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the title and what the profile says of every replica."""
        many = f"{len(self.replicas)} {'replica' if len(self.replicas) == 1 else 'replicas'}"
        head = f"Review of {many}, {len(self.mean_rows()):,} measurements: {self.study.title}"
        return f"{head}\n{self.summary()}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.study.title)}</p>{self.summary().to_html()}"

    def summary(self) -> pd.DataFrame:
        """Return what the profile of the study says: one row per replica.

        Columns verdict (in words), disclosure_risk and utility ("within", "review", "fail" or "not
        judged"), and measurements (how many were made).
        """
        counts = self.mean_rows()["replica"].value_counts()
        rows = {
            name: {**self.verdicts.get(name, {}), "measurements": int(counts.get(name, 0))}
            for name in self.replicas
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("replica")

    @property
    def status(self) -> str:
        """The worst of all statuses: "fail", "review", "within" or "not judged"."""
        found = {one[name] for one in self.verdicts.values() for name in _JUDGED}
        return next((status for status in _WORST_FIRST if status in found), "not judged")

    @property
    def replicas(self) -> tuple[str, ...]:
        """Names of the replicas, in the study's order."""
        return tuple(self.study.replicas)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """What intruders are assumed to know and to want."""
        return self.study.scenarios

    @property
    def n_original(self) -> int:
        """Number of original records."""
        return self.inputs[0].n

    def to_frame(self) -> pd.DataFrame:
        """Return every measurement as a tidy frame: one row per replica, metric and place."""
        return self.frame.copy()

    def mean_rows(self) -> pd.DataFrame:
        """Measurements averaged over the syntheses of each replica."""
        return self.frame[self.frame["synthesis"].isna()]

    def to_json(self, path: str | Path, *, force: bool = False) -> Path:
        """Write everything, for internal use, as JSON; return the path.

        The file holds exact counts of the original. For a file to hand out, use
        ``sdcmetrics.report.write_json(review, path, mode="release")``.

        Raises
        ------
        FileError
            If the file cannot be written, or is none of ours, unless with `force`.
        """
        text = json.dumps(self.to_dict(), indent=1, allow_nan=False)
        return write_result(path, text, force=force)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, for internal use, as plain lists and dicts without NaN."""
        return {
            "classification": "internal",
            "title": self.study.title,
            "created": self.created,
            "versions": self.versions,
            "settings": self.settings,
            "inputs": [
                {
                    "role": i.role,
                    "name": i.name,
                    "synthesis": i.synthesis or None,
                    "source": i.source,
                    "records": i.n,
                    "columns": i.columns,
                    "sha256": i.sha256,
                }
                for i in self.inputs
            ],
            "fixes": [{"replica": replica, "fix": str(fix)} for replica, fix in self.fixes],
            "scenarios": [
                {"name": s.name, "keys": list(s.keys), "targets": list(s.targets)}
                for s in self.scenarios
            ],
            "measurements": [
                {
                    str(name): plain_value(value)
                    for name, value in row.items()
                    if not _is_missing(value)
                }
                for row in self.frame.to_dict("records")
            ],
            "distributions": [
                {
                    "variable": d.variable,
                    "kind": d.kind,
                    "labels": list(d.labels),
                    "original": list(d.original),
                    "replicas": {name: list(shares) for name, shares in d.replicas.items()},
                }
                for d in self.distributions.values()
            ],
            "rules": [
                {
                    "replica": replica,
                    "rule": text,
                    "name": found.rule.name,
                    "original": asdict(found.original),
                    "syntheses": [asdict(counts) for counts in found.syntheses],
                    "holdout": None if found.holdout is None else asdict(found.holdout),
                }
                for (replica, text), found in self.rules.items()
            ],
            "candidates": [
                {
                    "replica": replica,
                    "rule": one.outcome.rule.text,
                    "kind": one.kind,
                    "expected": None if math.isnan(one.expected) else one.expected,
                    "broken_percent": one.outcome.broken_percent,
                }
                for replica, found in self.candidates.items()
                for one in found.found
            ],
            "attacks": [
                {
                    "replica": replica,
                    "attack": attack,
                    "scenario": scenario,
                    "target": target,
                    "synthesis": i,
                    "interval": [_plain_number(end) for end in one.interval],
                    **{name: _plain_figure(value) for name, value in one.figures.items()},
                }
                for (replica, attack, scenario, target), found in self.attacks.items()
                for i, one in enumerate(found, start=1)
                if isinstance(one, AttackResult)
            ],
            "sample": None if self.sampling is None else self.sampling.to_dict(),
            "fresh_data": None if self.fresh is None else self.fresh.to_dict(),
            "seconds": self.seconds,
        }


_JUDGED = ("disclosure_risk", "utility")
_WORST_FIRST = ("fail", "review", "within")


def plain_value(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, tuple):
        return list(value)
    return value.item() if isinstance(value, np.generic) else value


def _plain_number(value: Any) -> Any:
    value = plain_value(value)
    return None if _is_missing(value) else value


def _plain_figure(value: Any) -> Any:
    return [*map(_plain_number, value)] if isinstance(value, tuple) else _plain_number(value)


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
