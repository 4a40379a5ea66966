"""Native values beside synthpop's own, on the user's data: one agreement table."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from sdcmetrics.agreement.verdict import EQUAL
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.twin import SUPPORTED, VERSIONS, nearest
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.results import Readable
from sdcmetrics.review.review import plain_value
from sdcmetrics.study.sampled import in_memory, records_of, said_of_records
from sdcmetrics.study.study import Study

if TYPE_CHECKING:
    from sdcmetrics.agreement.compared import Compared
    from sdcmetrics.rbridge import Session
    from sdcmetrics.rbridge.session import Patience

TITLE = "The cross-check with R"

COLUMNS = (
    "replica",
    "family",
    "metric",
    "function",
    "variables",
    "scenario",
    "keys",
    "target",
    "model",
    "native",
    "synthpop",
    "absolute",
    "relative",
    "verdict",
    "explained",
    "aligned",
)
"""Columns of the table; `variables` and `keys` hold tuples of names."""

Progress = Callable[[str, int, int], None]
"""Called with a step in words, the steps done and the steps in all."""

Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True)
class CrossCheck(Readable, shows=("ok", "seconds"), table="table"):
    """Native values beside synthpop's.

    Attributes
    ----------
    table : DataFrame
        One row per replica, metric and place, see `COLUMNS`. `function` is synthpop's, `synthpop`
        its answer to the data as a user would pass them, `aligned` its answer where the levels
        were shown in one order; that was asked for where the first differs or does not exist.
        Values are means over the syntheses, each in the unit of its measure (see `explain`).
        `relative` is the difference over the larger of both; `verdict` is "equal", "differs as
        documented: ...", "DIFFERS" or "not compared: ..."; `explained` is False for "DIFFERS", and
        where nobody knows why there is no comparison.
    versions : dict
        Of r, synthpop, rpy2 and sdcmetrics.
    seconds : float
        How long it took.
    note : str
        What to know of the version of synthpop, where it is one that is not known here, and of
        which sample the values are, where the records are too many for memory.
    """

    table: pd.DataFrame
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether something was compared, and everything that is not equal is explained."""
        return bool((self.table["verdict"] == EQUAL).any() and self.table["explained"].all())

    @property
    def unexplained(self) -> pd.DataFrame:
        """Rows that differ, or could not be compared, for no documented reason."""
        return self.table[~self.table["explained"]]

    def counts(self) -> dict[str, int]:
        """Count the rows by verdict: "equal", "differs as documented: B2", "DIFFERS", ..."""
        short = self.table["verdict"].map(_short)
        return {str(name): int(number) for name, number in short.value_counts().items()}

    def largest_difference(self) -> float:
        """Return the largest relative difference among the values that count as equal."""
        equal = self.table.loc[self.table["verdict"] == EQUAL, "relative"].dropna()
        return float(equal.max()) if len(equal) else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dicts without NaN, for JSON."""
        rows = [
            {str(name): plain_value(value) for name, value in row.items() if not _is_missing(value)}
            for row in self.table.to_dict("records")
        ]
        return {
            "ok": self.ok,
            "versions": self.versions,
            "counts": self.counts(),
            "rows": rows,
            "seconds": self.seconds,
            **({"note": self.note} if self.note else {}),
        }


@checked
def crosscheck(
    study: Study,
    *,
    timeout: float | None = 600,
    memory_mb: int | None = None,
    session: Session | None = None,
    progress: Progress | None = None,
) -> CrossCheck:
    """Compute every measure of synthpop's twice, natively and in R, and compare the values.

    Parameters
    ----------
    study : Study
    timeout : float or None
        Seconds for one call of R; None for any time.
    memory_mb : int or None
        Megabytes that R may take; None for any number.
    session : Session, optional
        R; by default a new one that is ended at the end.
    progress : callable, optional
        Called as ``progress(step, done, steps)``.

    Returns
    -------
    CrossCheck
        `ok` says whether all that could be compared is equal or differs as documented, and
        `unexplained` has the rows that are neither.

    Raises
    ------
    StudyError
        If `session` is something else.
    RError
        If R, synthpop or rpy2 is not there; the message says what to install. If R dies later,
        the rows that it owes say so, and are not counted as explained.

    Notes
    -----
    Compares every catalogue entry with a synthpop name: the table statistics of every table of
    1, 2 or 3 variables that the study asks for (``utility.tab``), and the disclosure measures of
    every scenario and target (``disclosure``, ``multi.disclosure``), propensity models without
    interactions or permutations (``utility.gen``), and the models of the study (``lm.synds``,
    ``glm.synds``, ``polr.synds`` and ``multinom.synds`` with ``compare``; R's last two stop before
    the maximum, which the rows say). Dates that the study groups are shown to synthpop as numbers,
    which it groups as well.

    synthpop is asked with the data as a user would pass them, once they are comparable. Where
    its answer differs, it is asked again with every variable as a factor whose labels are
    numbers of equal length, in order, so that position, order as text and label mean the same.
    If that answer is the native one, the difference comes from synthpop's matching by position
    or as text (B1, B2, B8), and the row says so. Otherwise the verdict is "DIFFERS".
    """
    # Only who cross-checks pays for the bridge.
    from sdcmetrics.rbridge import Session
    from sdcmetrics.rbridge.session import Patience

    sampled = said_of_records(study, TITLE)
    study = in_memory(study)[0] if sampled else records_of(study, TITLE)
    started = time.perf_counter()
    if session is not None and not isinstance(session, Session):
        msg = f"session: expected an sdcmetrics.rbridge.Session but got {type(session).__name__}."
        raise StudyError(msg)
    chosen = Session(timeout=timeout, memory_mb=memory_mb) if session is None else session
    rows: list[dict[str, Any]] = []
    try:
        versions = _versions(chosen)
        patience = Patience(chosen)
        each = len(study.options.ways) + len(study.scenarios) + 1 + bool(study.models)
        steps = each * len(study.replicas)
        done = 0
        if sampled and progress is not None:
            progress(sampled, 0, steps)
        for name in study.replicas:
            for step, compared in _steps(study, name, patience):
                if progress is not None:
                    progress(f"{name}: {step}", done, steps)
                for comparison in compared:
                    rows.extend(
                        {"replica": name, **row} for row in comparison.rows(patience.version)
                    )
                done += 1
        rows.extend(_not_covered(study, {row["metric"] for row in rows}, patience.version))
        note = " ".join(part for part in (_note(patience.version), sampled) if part)
    finally:
        if session is None:
            chosen.close()
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    numeric = ["native", "synthpop", "absolute", "relative", "aligned"]
    table = table.astype(dict.fromkeys(numeric, "float64")).astype({"explained": bool})
    return CrossCheck(table, versions, time.perf_counter() - started, note)


def _steps(study: Study, name: str, patience: Patience) -> Iterator[tuple[str, Iterator[Compared]]]:
    from sdcmetrics.agreement.disclosure import compare_scenario
    from sdcmetrics.agreement.models import compare_models
    from sdcmetrics.agreement.propensity import compare_propensity
    from sdcmetrics.agreement.tables import compare_tables

    needed = [n for s in study.scenarios for n in (*s.keys, *s.targets)]
    options, syntheses = study.options, study.replicas[name]
    data = harmonise(
        study.original,
        syntheses,
        variables=options.variables,
        required=list(dict.fromkeys(needed)),
        missing_codes=options.missing_codes,
    )
    for ways in options.ways:
        yield f"{ways}-way tables", compare_tables(data, ways, options, patience)
    for scenario in study.scenarios:
        yield f"scenario {scenario.name}", compare_scenario(data, scenario, options, patience)
    both, given = (study.original, syntheses), options.missing_codes
    yield "propensity models", compare_propensity(*both, options.variables, given, patience)
    if study.models:
        aside = () if study.sample is None else study.sample.no_predictors
        yield "models", compare_models(*both, study.models, given, patience, aside)


def _not_covered(study: Study, covered: set[str], version: str) -> Rows:
    """Yield a row for each measure of synthpop that was not compared."""
    for metric in MEASURES.values():
        if metric.twin is None or metric.symbol in covered:
            continue
        here = metric.twin.name_in(version)
        why = "nothing in this study asks synthpop for it" if here else f"not in synthpop {version}"
        for name in study.replicas:
            yield {
                "replica": name,
                "family": metric.family,
                "metric": metric.symbol,
                "verdict": f"not compared: {why}",
                "explained": True,
            }


def _note(version: str) -> str:
    if version in VERSIONS:
        return ""
    return (
        f"synthpop {version} is not one of the versions whose names and definitions are known, "
        f"{SUPPORTED}; it is compared as if it were {nearest(version)}, as far as it has the same "
        "names."
    )


def _versions(session: Session) -> dict[str, str]:
    from sdcmetrics import __version__
    from sdcmetrics.rbridge.installation import rpy2_version

    return {**session.versions, "rpy2": rpy2_version() or "", "sdcmetrics": __version__}


def _short(verdict: str) -> str:
    kind, _, rest = verdict.partition(": ")
    return f"{kind}: {rest.partition(':')[0]}" if kind.startswith("differs") else kind


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))
