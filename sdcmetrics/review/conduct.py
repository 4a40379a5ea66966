"""Conduct a study: for every replica, every kind of measure, every place, every measure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.evidence import EVERY_REPLICA, Evidence, Key
from sdcmetrics.measures.kind import Given, Kind, Place
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.registry import by_kind, kinds
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.results import renamed_arguments
from sdcmetrics.review.cache import Cache
from sdcmetrics.review.inputs import list_inputs, list_versions
from sdcmetrics.review.measurement import Rows, measure_given, overall
from sdcmetrics.review.pairs import harmonise, pairs_of
from sdcmetrics.review.people import with_counted_copies
from sdcmetrics.review.progress import Clock, Log, Progress
from sdcmetrics.review.review import Review
from sdcmetrics.review.sample_errors import Samples, errors_of
from sdcmetrics.study.sampled import in_memory, said_of_sample
from sdcmetrics.study.study import Study


@renamed_arguments(fresh="holdout", marks="reference_values")
@checked
def conduct(
    study: Study,
    *,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    now: datetime | None = None,
    holdout: bool = True,
    reference_values: bool = True,
    cache: Path | None = None,
) -> Review:
    """Measure every replica of a study.

    Parameters
    ----------
    study : Study
    progress : callable, optional
        Called as ``progress(step, done, steps)``; steps name replicas and columns, no values.
    checkpoint : path, optional
        A CSV file to which the measurements of each finished step are appended, so that a
        crash leaves them on disk. It is for internal use, whatever the report's mode.
    now : datetime, optional
        When the review was made; by default the current time.
    holdout : bool
        False leaves out the kinds that need the holdout: searching for near records takes longest.
    reference_values : bool
        False leaves out what a copy and the holdout would score beside each value, and
        `disclosures`: for values alone, again and again.
    cache : path, optional
        A folder where finished steps are kept, and read from where nothing that they follow from
        has changed: a cell of the original, the holdout or the replica, an option, a version. It
        is for internal use: it holds who is at risk, and columns of the original. Nothing is kept
        of data that are counted batch by batch.

    Returns
    -------
    Review
        `to_frame` has a row for each replica, measure and place, in the unit of the measure (see
        `explain`); `decisions` and `status` are the answers by the study's profile, asked when
        they are first read. It holds records of the original: for internal use.

    Raises
    ------
    DataError, ColumnError
        If a replica cannot be compared with the original. All replicas are harmonised before
        anything is measured.
    StudyError
        If the study names code of its own, and was made without ``allow_code=True``.

    Notes
    -----
    The same study gives the same numbers: random draws have the study's seed. A measure that cannot
    be computed somewhere has NaN there, and the row says why.

    Examples
    --------
    >>> import pandas as pd
    >>> from sdcmetrics import Study
    >>> original = pd.DataFrame({"age": [30, 30, 41, 52], "ill": list("nnyn")})
    >>> study = Study(original, {"copy": original}, keys=["age"], targets=["ill"])
    >>> rows = conduct(study).to_frame()
    >>> rows.loc[rows["metric"] == "DiSCO", ["replica", "value"]].values.tolist()
    [['copy', 100.0]]
    """
    return _conduct(
        study,
        kinds(),
        progress=progress,
        checkpoint=checkpoint,
        now=now,
        holdout=holdout,
        reference_values=reference_values,
        cache=cache,
    )


def conduct_values(
    study: Study,
    wanted: Collection[Kind],
    *,
    progress: Progress | None = None,
    holdout: bool = True,
    cache: Path | None = None,
) -> Review:
    """Measure values of some kinds, without reference values, of every replica of a study.

    A decision does not follow from some kinds: this is for values alone, again and again.

    Parameters
    ----------
    wanted : kinds
    study, progress, holdout, cache : see `conduct`

    Raises
    ------
    DataError, ColumnError
        If a replica cannot be compared with the original.
    """
    return _conduct(
        study,
        [kind for kind in kinds() if kind in wanted],
        progress=progress,
        holdout=holdout,
        reference_values=False,
        cache=cache,
    )


def _conduct(
    study: Study,
    among: Sequence[Kind],
    *,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    now: datetime | None = None,
    holdout: bool,
    reference_values: bool,
    cache: Path | None,
) -> Review:
    _refuse_code(study)
    clock = Clock()
    steps = Cache.of(cache, study)
    with_holdout = holdout and study.holdout is not None
    with clock("harmonise"):
        pairs = pairs_of(study)
        in_samples = in_memory(study)
        small = in_samples[0] if in_samples else None
        of_records = pairs if small is study else {} if small is None else pairs_of(small)
        again = [(in_sample, pairs_of(in_sample)) for in_sample in in_samples[1:]]
        for name, pair in pairs.items():
            harmonise(study, pair, holdout=with_holdout)
            pair.records = of_records.get(name)
    used = _measured_kinds(
        study, among, with_holdout=with_holdout, reference_values=reference_values
    )
    log = Log(progress, len(pairs) * len(used) + 1, checkpoint)
    log.tell("harmonised")
    judging = study.judging
    rules = repr((judging.tables, judging.excess, judging.derived))
    results: dict[Key, Any] = {}
    common: set[tuple[Kind, tuple[str, ...]]] = set()
    for name, pair in pairs.items():
        samples = [(sample, of_replica[name]) for sample, of_replica in again]
        for kind, measures in used.items():
            columns = _columns(kind, pair)
            if (kind, columns) in common:
                log.skip()
                continue
            if kind.common:
                common.add((kind, columns))
            make = partial(_measure, study, small, samples, pair, kind, measures, log)
            what = (
                kind.name,
                [measure.symbol for measure in measures],
                reference_values,
                columns,
                rules if kind.decides else "",
            )
            with clock(kind.name):
                results |= _replay(
                    partial(make, reference_values=reference_values), pair, kind, what, log, steps
                )
    if small is not study:
        results = with_counted_copies(results)
    review = Review(
        study=study,
        inputs=tuple(list_inputs(study)),
        fixes=tuple(_fixes(study, pairs)),
        frame=log.measurements(),  # type: ignore[arg-type]  # made into a frame when it is read
        evidence=Evidence(results),
        variables=_variables(study, pairs.values()),
        versions=list_versions(),
        settings={**asdict(study.options), "profile": study.profile},
        created=(now or datetime.now(UTC)).isoformat(timespec="seconds"),
        seconds=clock.seconds,
    )
    with clock("distributions"):  # so that who reads them need not wait
        _ = review.distributions
        log.done("distributions")
    if steps.read:
        log.tell(f"{steps.read:,} of {steps.read + steps.computed:,} steps as they were before")
    steps.prune()
    return review


def _refuse_code(study: Study) -> None:
    """Raise StudyError where the study names code that the caller has not allowed to run."""
    for section in study.sections.values():
        for what, file in section.code.items():
            if not study.allow_code:
                msg = (
                    f"{section.entry} {what!r} runs the file {file.name}, with the original's "
                    "records at hand. Read that file; if you trust it, start with --allow-code, or "
                    "make the study with allow_code=True."
                )
                raise StudyError(msg)


def _measured_kinds(
    study: Study, among: Sequence[Kind], *, with_holdout: bool, reference_values: bool
) -> dict[Kind, list[Measure]]:
    """Return the kinds that are measured, each with its measures."""
    # What is asked for and needs a holdout has rows without one too, which say so.
    no_holdout = study.holdout is None
    declared = by_kind()
    return {
        kind: declared.get(kind, [])
        for kind in among
        if (with_holdout or not kind.holdout or (no_holdout and kind.option))
        and (reference_values or not kind.decides)
    }


def _variables(study: Study, pairs: Iterable[Pair]) -> dict[str, str]:
    """Return the kind of every variable that is compared, in the original's order."""
    kinds_of: dict[str, str] = {}
    for pair in pairs:
        kinds_of |= {v.name: v.kind.value for v in pair.data.variables.values()}
    return {name: kinds_of[name] for name in study.original.columns if name in kinds_of}


@dataclass(frozen=True)
class _Step:
    """Rows, evidence and fixes of one kind for one replica."""

    parts: list[Rows]
    results: dict[Place, Any]
    last_step: str
    fixes: tuple[Fix, ...]


def _columns(kind: Kind, pair: Pair) -> tuple[str, ...]:
    """Return the columns of evidence that depends on no replica; empty for other kinds."""
    if not kind.common:
        return ()
    data = pair.beside_holdout if kind.holdout else pair.data
    return tuple(data.variables)


def _replay(
    make: Callable[[], _Step],
    pair: Pair,
    kind: Kind,
    identity: tuple[Any, ...],
    log: Log,
    steps: Cache,
) -> dict[Key, Any]:
    """Return the evidence of a kind, from the cache or measured.

    Evidence that depends on no replica is kept by the columns that it is of.
    """
    replica = EVERY_REPLICA if kind.common else pair.name
    step, before = steps.step(replica, identity, make)
    if before:
        for rows in step.parts:
            log.add(pair.name, rows)
        pair.note(step.fixes)
    if len(step.parts) > 1:
        log.done(f"{pair.name}: {step.last_step}")
    else:
        log.skip()
    return {(kind, replica, place): result for place, result in step.results.items()}


def _measure(
    study: Study,
    small: Study | None,
    samples: Samples,
    pair: Pair,
    kind: Kind,
    measures: list[Measure],
    log: Log,
    *,
    reference_values: bool,
) -> _Step:
    sampled = "" if kind.counted or small is study else said_of_sample(study, small, pair.name)
    on, question = (pair, study) if kind.counted else (pair.records, small)
    results: dict[Place, Any] = {}
    parts = []
    step_name = kind.name

    def tell(step: str) -> None:
        nonlocal step_name
        step_name = step
        log.tell(f"{pair.name}: {step}")

    if on is None or question is None:
        wanted = kind.option.wanted(study)
        given_rows = iter([Given(kind.name, (Place(),), reason=sampled)] if wanted else [])
    else:
        if kind.decides and question.sample is None:
            on = on.once
        given_rows = kind.places(on, question, tell)
    errors = errors_of(kind, samples if sampled and measures else (), measures, tell)
    for given in given_rows:
        rows = measure_given(
            given if reference_values else replace(given, references=None), measures
        )
        if sample_note := given.sampled or sampled:
            rows = {**rows, "reason": _with_note(rows["reason"], sample_note)}
            rows = errors(rows) if sampled else rows
        log.add(pair.name, rows)
        parts.append(rows)
        result = given.result
        if callable(result):
            result = result() if reference_values else None
        if result is not None:
            results[given.places[0]] = result
    mean = overall(kind, parts, measures)
    if sampled:
        mean = errors({**mean, "reason": _with_note(mean["reason"], sampled)})
    parts.append(mean)
    log.add(pair.name, parts[-1])
    return _Step(parts, results, step_name, pair.fixes)


def _with_note(reasons: Any, sampled: str) -> Any:
    """Add to every value a note on the sample it is from."""
    texts = np.empty(len(reasons), dtype=object)
    texts[:] = [sampled if reason is None else reason for reason in reasons]
    return texts


def _fixes(study: Study, pairs: dict[str, Pair]) -> Iterator[tuple[str, Any]]:
    """Yield every change once: with the replica it was made to, or original, holdout or earlier."""
    roles_of: dict[Any, str] = {}
    roles = {study.original.source: "original"}
    if study.holdout is not None:
        roles[study.holdout.source] = "holdout"
    if study.sample is not None:
        names = {file.source: name for name, pair in pairs.items() for file in pair.syntheses}
        names |= roles
        roles_of |= {fix: names.get(fix.source, "earlier") for fix in study.sample.fixes()}
    for name, pair in pairs.items():
        for fix in pair.fixes:
            roles_of.setdefault(fix, roles.get(fix.source, name))
    yield from ((name, fix) for fix, name in roles_of.items())
