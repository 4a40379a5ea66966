"""The result of a review: tidy measurements that nothing later changes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd

from sdcmetrics.decision.answer import Decision
from sdcmetrics.decision.status import Status, worst
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.results import draw_points, label_axes, new_axes
from sdcmetrics.review.by_name import EvidenceByName
from sdcmetrics.review.decided import decided_by_study
from sdcmetrics.review.distributions import Distribution
from sdcmetrics.review.inputs import InputSummary
from sdcmetrics.review.measurements import Measurements
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Scenario, Study
from sdcmetrics.study.written import write_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Distribution", "InputSummary", "Review", "plain_value"]


class _Frame:
    """The frame of a review, made when somebody reads it."""

    def __get__(self, review: Review, owner: type[Any]) -> pd.DataFrame:
        held = review.__dict__
        if "frame" not in held:
            held["frame"] = held["measurements"].frame()
        frame: pd.DataFrame = held["frame"]
        return frame

    def __set__(self, review: Review, value: pd.DataFrame | Measurements) -> None:
        of_parts = isinstance(value, Measurements)
        review.__dict__["measurements" if of_parts else "frame"] = value


@dataclass(frozen=True, repr=False)
class Review(EvidenceByName):
    """The result of conducting a study. Everything later (policy, report) only reads it.

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
    evidence : Evidence
        What the measurements rest on, by (kind, replica, place). It holds records: for internal
        eyes only. What follows from it is a property: `disclosures`, `fits`, `verdicts`, ...
    variables : dict of variable to kind
    versions : dict of package to version
    settings : dict of option to value
    created : str
        Date and time in UTC, ISO 8601.
    seconds : dict of step to seconds
    """

    study: Study
    inputs: tuple[InputSummary, ...]
    fixes: tuple[tuple[str, Fix], ...]
    frame: pd.DataFrame
    evidence: Evidence
    variables: dict[str, str]
    versions: dict[str, str]
    settings: dict[str, Any]
    created: str
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the title and what the profile says of every replica."""
        number = f"{len(self.replicas)} {'replica' if len(self.replicas) == 1 else 'replicas'}"
        head = f"Review of {number}, {len(self.mean_rows()):,} measurements: {self.study.title}"
        return f"{head}\n{self.summary()}"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied: measures are objects that are there once."""
        msg = (
            "a review is neither pickled nor copied. Write it with review.to_json(), take its "
            "numbers with review.to_frame(), or keep its study and conduct that again."
        )
        raise TypeError(msg)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.study.title)}</p>{self.summary().to_html()}"

    def summary(self) -> pd.DataFrame:
        """Return the decisions by the study's profile: one row per replica.

        Columns verdict (in words), disclosure_risk and utility ("within", "review", "fail" or "not
        judged"), and measurements (how many were made).
        """
        counts = self.mean_rows()["replica"].value_counts()
        rows = {
            name: {**self.verdicts.get(name, {}), "measurements": int(counts.get(name, 0))}
            for name in self.replicas
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("replica")

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw risk against utility, one point per replica.

        Mean DiSCO over all targets and scenarios, against mean S_pMSE of tables of two variables.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on new ones.

        Raises
        ------
        StudyError
            If matplotlib is not installed, or no replica has both numbers.
        """
        rows = self.mean_rows()
        pairs = rows[rows["variables"].map(len) == 2]  # noqa: PLR2004  (tables of two variables)
        sides = [
            part[part["metric"] == metric].groupby("replica", sort=False)["value"].mean()
            for part, metric in ((pairs, "S_pMSE"), (rows, "DiSCO"))
        ]
        points = pd.concat(sides, axis=1, keys=["utility", "risk"]).dropna()
        if points.empty:
            msg = (
                "plot: no replica has both S_pMSE of tables of two variables and DiSCO. Give the "
                "study keys and targets, and ways=2."
            )
            raise StudyError(msg)
        drawn = new_axes(ax)
        names = list(map(str, points.index))
        draw_points(drawn, points["utility"].to_list(), points["risk"].to_list(), names)
        return label_axes(
            drawn,
            x="mean S_pMSE of tables of two variables",
            y="mean DiSCO, percent of the original records",
            title="Risk against utility",
        )

    @cached_property
    def decisions(self) -> dict[str, Decision]:
        """What is decided on each replica by the profile of the study, with every reason.

        Two answers, `risk` (may it be released?) and `utility` (is it useful?), each with its
        status and its statements. Reports decide anew, by the profile that they are given.
        """
        return {decision.replica: decision for decision in decided_by_study(self)}

    @property
    def verdicts(self) -> dict[str, dict[str, str]]:
        """The decisions in brief: by replica "verdict" in words, and two statuses.

        "disclosure_risk" and "utility" are "within", "not judged", "review" or "fail".
        """
        return {
            name: {
                "verdict": decision.risk.words,
                "disclosure_risk": decision.risk.status.value,
                "utility": decision.utility.status.value,
            }
            for name, decision in self.decisions.items()
        }

    @property
    def status(self) -> str:
        """The worst of all answers on all replicas.

        "fail", "review", "not judged" or "within": what was not judged is no approval.
        """
        return _worst(decision.status for decision in self.decisions.values())

    @property
    def risk(self) -> str:
        """The worst answer to whether a replica may be released; only "within" is no objection."""
        return _worst(decision.risk.status for decision in self.decisions.values())

    @property
    def utility(self) -> str:
        """The worst answer to whether a replica is useful."""
        return _worst(decision.utility.status for decision in self.decisions.values())

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

    def of(self, study: Study) -> Review:
        """Return the review as that of another study of the same data, with the same rows."""
        rows: Any = self.measurements  # `frame` would be made
        return replace(self, study=study, frame=rows)

    @cached_property
    def measurements(self) -> Measurements:
        """Every measurement, as it was made; `frame` has them all."""
        return Measurements.of_frame(self.frame)

    def mean_rows(self) -> pd.DataFrame:
        """Measurements averaged over the syntheses of each replica."""
        means = self.frame["synthesis"].isna()
        # A view where nothing is left out, which pandas copies when somebody changes it.
        return self.frame.copy(deep=False) if means.all() else self.frame[means]

    def to_json(self, path: str | Path, *, force: bool = False) -> Path:
        """Write everything, for internal use, as JSON; return the path.

        The file holds exact counts of the original. What may be handed out is written from a study
        file: ``sdcmetrics review study.toml --mode release``.

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
            "limits": load_profile(self.study.profile).limits(),
            "decision": [decision.to_dict() for decision in self.decisions.values()],
            "inputs": [data_set.to_dict() for data_set in self.inputs],
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
            "distributions": [of.to_dict() for of in self.distributions.values()],
            "rules": [
                {
                    "replica": replica,
                    "rule": text,
                    "name": rule.rule.name,
                    "original": rule.original.entries,
                    "syntheses": [counts.entries for counts in rule.syntheses],
                    "holdout": None if rule.holdout is None else rule.holdout.entries,
                }
                for (replica, text), rule in self.rules.items()
            ],
            "candidates": [
                {
                    "replica": replica,
                    "rule": rule.outcome.rule.text,
                    "kind": rule.kind,
                    "expected": None if math.isnan(rule.expected) else rule.expected,
                    "broken_percent": rule.outcome.broken_percent,
                }
                for replica, candidate in self.candidates.items()
                for rule in candidate.rules
            ],
            "attacks": [
                {
                    "replica": replica,
                    "attack": attack,
                    "scenario": scenario,
                    "target": target,
                    "synthesis": i,
                    "interval": [_plain_number(end) for end in result.interval],
                    **{name: _plain_figure(value) for name, value in result.figures.items()},
                }
                for (replica, attack, scenario, target), whole in self.attacks_by_all.items()
                for i, result in _numbered(whole)
            ],
            "sample": None if self.sampling is None else self.sampling.to_dict(),
            "fresh_data": None if self.fresh is None else self.fresh.to_dict(),
            "seconds": self.seconds,
        }


Review.frame = _Frame()  # type: ignore[assignment]  # read as a field is


def _numbered(whole: AttackResult) -> Iterator[tuple[int | None, AttackResult]]:
    """Yield an attack by all syntheses, without a number, and by each; of one that alone."""
    if whole.per_synthesis:
        yield None, whole
    yield from enumerate(whole.per_synthesis or (whole,), start=1)


def _worst(statuses: Iterable[Status]) -> str:
    return worst(statuses).value


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
