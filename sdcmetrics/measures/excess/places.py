"""Files as records: what two frames, or a pair of a review, give to the questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.measures.excess.excess import excess_of_files, excess_together
from sdcmetrics.measures.excess.questions import Scenario
from sdcmetrics.measures.excess.result import ExcessOfFiles
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.records import Column, Records, records_of, records_of_pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.columns import Kind as Values
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import MissingCodes, alone


@checked
def excess_disclosure(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    keys: Sequence[str],
    targets: Sequence[str] | None = None,
    cluster: str | None = None,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
) -> ExcessOfFiles:
    """Ask what is learnt of people because they were in the original.

    Whoever knows the keys of somebody looks them up in the replica. DiSCO is the share of people
    whose target is then disclosed, repU of those who are alone with their keys; both are set
    beside the same of people who were not in the original. With a holdout these are its people.
    Without, each person of the original is set against its other people, as many as the replica
    has records: on average that is what people who were not in it would have.

    Parameters
    ----------
    original : data frame
    synthetic : data frame or list of data frames
        Several files of one maker are judged in their order; see `ExcessOfFiles`.
    holdout : data frame, optional
        People of the same population who were left out of the original. A holdout that lacks a
        key or target is not used.
    keys : sequence of str
        What is known of somebody.
    targets : sequence of str, optional
        What is asked of them; by default every other column.
    cluster : str, optional
        The column that says which rows belong together (a household, a person with several rows).
        Whole clusters are left out and exchanged, and repU is not asked.
    missing_codes : mapping of column to number or numbers, optional
    seed : int
        Of the exchanges of labels, where there is no holdout.

    Returns
    -------
    ExcessOfFiles
        ``status(people_alarm=...)`` is "within", "not judged", "review" or "fail"; each of
        `questions` holds shares, excess, p and position.

    Raises
    ------
    ColumnError
        If a key, target or cluster is no column of the original, or is named twice.
    DataError
        If there is no file, or one has no rows.

    Notes
    -----
    Excess from 1 point on is flagged where p is at most .005 in one of two encodings: keys and
    targets as they are, and numbers in ten pooled groups. Beside a holdout p is hypergeometric and
    exact, adjusted by Holm; without, labels of original and replica are exchanged and the largest
    excess over all questions counts. From half of what a copy would have on, at .001, it fails;
    without a holdout only beside a claim that people are in the file, as models that exaggerate a
    relation look the same. The limits are the package's own choice, no published ones.

    Examples
    --------
    Forty people with keys of their own and a secret; a copy knows them all.

    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> def people(n):
    ...     return pd.DataFrame({"born": rng.integers(0, 400, n), "sick": rng.integers(0, 2, n)})
    >>> original, others = people(200), people(200)
    >>> copy = excess_disclosure(original, original, others, keys=["born"])
    >>> copy.status(people_alarm=False), copy.fails
    ('fail', ('born -> sick', 'alone with born'))
    >>> excess_disclosure(original, people(200), others, keys=["born"]).status(people_alarm=False)
    'within'
    """
    read = as_microdata(original, "original")
    keys = [keys] if isinstance(keys, str) else list(keys)
    check_names(keys, read, "key")
    if cluster is not None:
        check_names([cluster], read, "cluster")
    if targets is None:
        targets = [name for name in read.columns if name != cluster]
    targets = [targets] if isinstance(targets, str) else list(targets)
    check_names(targets, read, "target")
    names = [*keys, *(name for name in targets if name not in keys)]
    syntheses = list_syntheses(synthetic, None)
    aside = None if holdout is None else as_microdata(holdout, "holdout")
    codes = {name: code for name, code in (missing_codes or {}).items() if name in names}
    pair = Pair("synthetic", read, syntheses, aside, missing_codes=codes)
    files = [_records(pair, i, names) for i in range(1, pair.m + 1)]
    if cluster is None:
        files = [file.each_once() for file in files]
    else:
        sources = read, pair.syntheses, aside
        files = [_with_cluster(file, cluster, *sources, i) for i, file in enumerate(files)]
    scenario = Scenario(tuple(keys), tuple(name for name in targets if name not in keys))
    return excess_of_files(files, [scenario], seed=seed)


def excess_of_pair(
    pair: Pair,
    plan: Plan,
    *,
    points: float = 1.0,
    chance: float = 0.01,
    share: float = 0.5,
) -> ExcessOfFiles:
    """Ask the questions of a study's scenarios of all syntheses of a pair.

    Parameters
    ----------
    pair : Pair
    plan : Plan
    points, chance, share : float
        See `excess_of_files`.
    """
    names = dict.fromkeys(
        name for scenario in plan.scenarios for name in (*scenario.keys, *scenario.targets)
    )
    limits: dict[str, Any] = {
        "points": points,
        "chance": chance,
        "share": share,
        "seed": plan.options.seed,
    }
    files = _files(pair, plan, list(names))
    result = excess_of_files(files, plan.scenarios, **limits, shared=pair.shared)
    there = set(pair.original.columns).intersection(*(file.columns for file in pair.syntheses))
    earlier = pair.earlier([name for name in names if name in there])
    if not earlier:
        return result
    handed_out = Pair(
        pair.name,
        pair.original,
        [*earlier, *pair.syntheses],
        pair.holdout,
        variables=pair.variables,
        required=pair.required,
        missing_codes=pair.missing_codes,
    )
    every = _files(handed_out, plan, list(names))
    before, new = every[: len(earlier)], every[len(earlier) :]
    return excess_together(result, before, new, plan.scenarios, **limits)


def _files(pair: Pair, plan: Plan, names: Sequence[str]) -> list[Records]:
    """Return the records of every synthesis, with what says which rows belong together."""
    files = [_records(pair, i, names) for i in range(1, pair.m + 1)]
    sample = plan.sample
    cluster = "" if sample is None else sample.together
    if cluster and sample is not None:
        whole = [sample.whole(file) for file in pair.syntheses]
        sources = sample.original, whole, sample.holdout
        files = [_with_cluster(file, cluster, *sources, i) for i, file in enumerate(files)]
    return files


def _records(pair: Pair, synthesis: int, names: Sequence[str]) -> Records:
    """Return the records of one synthesis, with the holdout where it has all that is asked for."""
    if (whole := _compared(pair, synthesis)) is not None and set(names) <= set(whole.names):
        return whole
    absent = [name for name in names if any(name not in file.columns for file in pair.syntheses)]
    there = [name for name in names if name not in absent]
    aside = pair.holdout is not None and all(name in pair.holdout.columns for name in there)
    incomparable = []
    for name in there:
        try:
            pair.columns([name], holdout=aside)
        except ColumnError:
            incomparable.append(name)
    there = [name for name in there if name not in incomparable]
    records = Records((), pair.original.n, pair.syntheses[synthesis - 1].n)
    if there:
        records = records_of(pair.columns(there, holdout=aside), synthesis, holdout=aside)
    return replace(records, absent=tuple(absent), incomparable=tuple(incomparable))


def _compared(pair: Pair, synthesis: int) -> Records | None:
    """Return the records over the columns that a review compares anyway; None if it cannot."""
    try:
        return records_of_pair(pair, synthesis)
    except (ColumnError, DataError):
        return None


def _with_cluster(
    records: Records,
    name: str,
    original: Microdata,
    syntheses: Sequence[Microdata],
    holdout: Microdata | None,
    synthesis: int,
) -> Records:
    """Return records with the column that says which of them belong together.

    A part is empty where its file does not have the column. A record without a value is a cluster
    of its own.
    """

    def numbers(data: Microdata | None) -> Any:
        if data is None or name not in data.columns:
            return np.zeros(0, dtype=np.int64)
        return households_of(alone(data, [name]), name)[0]

    column = Column(
        name,
        Values.CATEGORY,
        numbers(original),
        numbers(syntheses[synthesis]),
        numbers(holdout) if records.h else None,
    )
    columns = tuple(column for column in records.columns if column.name != name)
    return replace(records, columns=columns, cluster=column)


def _excess(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    if not plan.scenarios or (rule := plan.judging.excess) is None:
        return
    step = "what is learnt of people because they were in the file"
    tell(step)
    result = excess_of_pair(
        pair, plan, points=rule.excess, chance=rule.chance, share=rule.excess_share
    )
    yield Given(step, (Place(),), (result,) * pair.m, whole=result, result=result)


EXCESS = Kind("excess of disclosure", "`ExcessOfFiles`; a number", _excess, decides=True)


SUBJECT = Subject("excess", kinds=(EXCESS,))
