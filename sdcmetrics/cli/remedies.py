"""What ``sdcmetrics remedies`` prints: who is at risk, why, what to do, and what would be left."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from sdcmetrics.cli.finished_reviews import as_reviewed
from sdcmetrics.cli.run import remedied_of
from sdcmetrics.cli.saving import save_csv
from sdcmetrics.cli.terminal import one_line, print_frame, print_lines, print_table
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.remedies import Remedies, remedies
from sdcmetrics.study.reading import read_study
from sdcmetrics.study.study import Study

_MOST = 20
"""Records that are printed; --csv saves them all."""
_LEAST = 3
"""Of each replica, however many there are."""
_EACH = 3
"""Records of a replica that a line names."""
_FEW = 0.01
"""Share of the original up to which single records are treated one by one."""


def read_coarsen(pairs: Sequence[str]) -> dict[str, Any] | None:
    """Return what ``--coarsen`` asks for: COLUMN=HOW, as it stands in a study file.

    Examples
    --------
    >>> read_coarsen(["age=5", "income=[0, 1000, inf]", "born=year", "region=regions.csv"])
    {'age': 5, 'income': [0, 1000, inf], 'born': 'year', 'region': 'regions.csv'}
    """
    out = {}
    for pair in pairs:
        name, _, how = pair.partition("=")
        try:
            out[name.strip()] = tomllib.loads(f"how = {how}")["how"]
        except tomllib.TOMLDecodeError:
            out[name.strip()] = how.strip()
    return out or None


def study_of(path: Path) -> tuple[Path, Path | None]:
    """Return the study file, and the finished steps of its review where a review is named.

    Raises
    ------
    StudyError
        If results are named, and nothing says which study they are of.
    """
    if not path.is_dir() and path.suffix.lower() != ".json":
        return path, None
    reviewed = as_reviewed(path)
    return reviewed.file, reviewed.cache


def show_remedies(
    path: Path,
    csv: Path | None,
    coarsen: Mapping[str, Any] | None,
    step_progress: Callable[..., None] | None,
    *,
    allow_code: bool = False,
) -> None:
    """Print the remedies of a study, or of a review that is finished; save CSV if asked."""
    file, cache = study_of(path)
    study = read_study(file, allow_code=allow_code)
    attacked = "attacks" in study.sections
    review = conduct(
        study,
        progress=step_progress,
        cache=cache,
        holdout=attacked or bool(cache),
        reference_values=bool(cache),
    )
    result = remedies(review, coarsen=coarsen) if coarsen else remedied_of(review, cache)
    # Of data that are counted in batches there may be no records, only how many there are.
    save_csv(
        result.table.set_index(result.table.columns.intersection(["record", "records"])[0]), csv
    )
    print_lines(*map(one_line, result.notes))
    _print_people(study, result)
    _print_effect(result.effect)
    _print_coarser(result.coarser, study)


def _print_people(study: Study, result: Remedies) -> None:
    """Print the first records at risk, with the reason and what to do."""
    table = result.table[~result.table["replica"].isin(result.beyond_remedy)]
    if "record" not in table or table.empty:
        return
    order = table.assign(n=table["learnt"].str.count(",")).sort_values(
        ["copied", "unique", "n"], ascending=False, kind="stable"
    )
    replicas = table["replica"].unique()
    shown = order.groupby("replica", sort=False).head(max(_MOST // len(replicas), _LEAST))
    source = study.original.source
    print_lines(
        f"{table['record'].nunique():,} of {study.original.n:,} records of {source} are listed: "
        "copied, alone by the keys in both files, or with a target that the keys give away.",
        "Records are counted from 0."
        + (
            f" The first of {len(table):,} rows; --csv saves all."
            if len(shown) < len(table)
            else ""
        ),
    )
    rows = [
        [str(row.record), _file(study, row), str(row.scenario), _why(row), _do(study, row)]
        for name in replicas
        for row in shown[shown["replica"] == name].itertuples()
    ]
    print_table([f"record of {source}", "shown by", "intruder", "why", "what to do"], [], rows)
    for replica, part in table.groupby("replica", sort=False):
        share = part["record"].nunique() / study.original.n
        if share > _FEW:
            print_lines(
                one_line(
                    f"{replica}: {100 * share:.0f} % of the records of {source} are too many to be "
                    "blanked or dropped one by one: the holes would tell who they are. What a "
                    "coarser key brings stands below."
                )
            )


def _file(study: Study, row: Any) -> str:
    source: str = study.replicas[row.replica][row.synthesis - 1].source
    return source


def _why(row: Any) -> str:
    reasons = []
    if row.copied:
        reasons.append("every value is the same")
    if row.unique:
        reasons.append(f"alone in both by {row.alone_by}" if row.alone_by else "alone in both")
    if row.learnt:
        reasons.append(f"gives away {row.learnt}")
    return "; ".join(reasons)


def _do(study: Study, row: Any) -> str:
    places = row.replica_records
    named = ", ".join(map(str, places[:_EACH]))
    more = f" and {len(places) - _EACH} more" if len(places) > _EACH else ""
    what = f"blank {row.key} in" if row.action == "blank" else "drop"
    return f"{what} record{'s' if len(places) > 1 else ''} {named}{more} of {_file(study, row)}"


def _print_effect(effect: pd.DataFrame) -> None:
    if effect.empty:
        return
    print_lines("", "if each record at risk is treated on its own, counted again:")
    headings = {
        "unique": "unique in both",
        "unique_after": "after",
        "learnt": "disclosed",
        "learnt_after": "after ",
        "copied": "copied",
        "blanked": "to blank",
        "dropped": "to drop",
    }
    print_frame(effect.set_index(["replica", "synthesis", "scenario"]), headings)


def _print_coarser(coarser: pd.DataFrame, study: Study) -> None:
    if coarser.empty:
        return
    print_lines("", "if a key is made coarser in all files, counted again:")
    headings = {
        "k": "k",
        "k_after": "after",
        "unique": "alone",
        "unique_after": "after ",
        "repU": "repU %",
        "repU_after": " after",
        "DiSCO": "DiSCO %",
        "DiSCO_after": " after ",
    }
    if study.holdout is not None:
        headings |= {"outsiders": "of holdout", "outsiders_after": "after  "}
    print_frame(coarser.set_index(["replica", "scenario", "coarsen", "target"]), headings)
    print_lines(
        "k: fewest original records that share their keys; alone: those that share them with "
        "nobody. DiSCO rises where few know much of anybody: look at what it is of the holdout.",
        "To do it for good: [coarsen] in the study file, and review again.",
    )
