"""Conduct a study: for every replica, every kind of measure, every place, every measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sdcmetrics.errors import DataError
from sdcmetrics.measures.anonymity.places import FILES
from sdcmetrics.measures.anonymity.sampled import SAMPLED_FILE
from sdcmetrics.measures.attacks.places import MEMBERSHIP
from sdcmetrics.measures.closeness.copies import COPIES
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.crosstables.sampled import SAMPLED_COLUMNS
from sdcmetrics.measures.crosstables.sampled_weights import SAMPLED_WEIGHTS
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.distributions.places import SUBGROUPS
from sdcmetrics.measures.fidelity.places import MARGINS
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.kind import Given, Kind, Place
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.places import PREDICTION
from sdcmetrics.measures.preset import PRESET
from sdcmetrics.measures.registry import kinds, of_kind
from sdcmetrics.measures.rules.find_rules import FoundRules, search
from sdcmetrics.measures.rules.places import RULES
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.review.cache import Cache
from sdcmetrics.review.distributions import describe
from sdcmetrics.review.fresh_data import FreshData, look_at_holdout
from sdcmetrics.review.inputs import list_inputs, list_versions
from sdcmetrics.review.measurement import Rows, measure_given, overall
from sdcmetrics.review.progress import Clock, Log, Progress
from sdcmetrics.review.review import Review
from sdcmetrics.review.sample_errors import Samples, errors_of
from sdcmetrics.review.sampling import sampling_of
from sdcmetrics.review.verdict import judged_by_study
from sdcmetrics.study.sampled import in_memory, said_of_sample
from sdcmetrics.study.study import Study

Results = dict[tuple[Kind, str, Place], Any]
"""What was kept as evidence, by kind, replica and place."""


@checked
def conduct(
    study: Study,
    *,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    now: datetime | None = None,
    fresh: bool = True,
    marks: bool = True,
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
    fresh : bool
        False leaves out the kinds that need the holdout: searching for near records takes longest.
    marks : bool
        False leaves out what a copy and fresh people would score beside each value, and
        `disclosures`: for values alone, again and again.
    cache : path, optional
        A folder where finished steps are kept, and read from where nothing that they follow from
        has changed: a cell of the original, the holdout or the replica, an option, a version. It
        is for internal use: it holds who is at risk, and columns of the original. Nothing is kept
        of data that are counted batch by batch.

    Returns
    -------
    Review

    Raises
    ------
    DataError, ColumnError
        If a replica cannot be compared with the original. All replicas are harmonised before
        anything is measured.
    """
    clock = Clock()
    steps = Cache.of(cache, study)
    with_holdout = fresh and study.holdout is not None
    with clock("harmonise"):
        pairs = pairs_of(study)
        in_samples = in_memory(study)
        small = in_samples[0] if in_samples else None
        of_records = pairs if small is study else {} if small is None else pairs_of(small)
        again = [(one, pairs_of(one)) for one in in_samples[1:]]
        for name, pair in pairs.items():
            _harmonise(study, pair, holdout=with_holdout)
            pair.records = of_records.get(name)
    # What is asked for and needs a holdout has rows without one too, which say so.
    said = study.holdout is None
    used = [k for k in kinds() if with_holdout or not k.holdout or (said and k.option)]
    references = 1 + len(study.options.perturbed) if with_holdout else 0
    log = Log(progress, len(pairs) * (len(used) + 1) + 1 + references, checkpoint)
    log.tell("harmonised")
    results: Results = {}
    candidates: dict[str, FoundRules] = {}
    for name, pair in pairs.items():
        samples = [(one, of_replica[name]) for one, of_replica in again]
        make = partial(_measure, study, small, samples)
        for kind in used:
            with clock(kind.name):
                results |= _replay(make, pair, kind, log, steps, marks=marks)
        with clock("candidates"):
            if study.options.candidates and pair.records is not None:
                candidates[name], _ = steps.step(
                    name,
                    ("candidates",),
                    partial(search, pair.records.data, study.options.candidates, study.rules),
                )
            log.done(f"{name}: relations")
    beside = None
    if with_holdout and small is not None:
        with clock("references"):
            found = _fresh(results, len(pairs))
            for step in look_at_holdout(small, of_records, found, log.tell, steps.step):
                log.done(step)
            beside = FreshData(**found)
    with clock("distributions"):
        distributions = describe(study, list(pairs))
        log.done("distributions")
    variables: dict[str, str] = {}
    for pair in pairs.values():
        variables |= {v.name: v.kind.value for v in pair.data.variables.values()}
    frame = log.frame()
    review = Review(
        study=study,
        inputs=tuple(list_inputs(study)),
        fixes=tuple(_fixes(study, pairs)),
        frame=frame,
        distributions=distributions,
        disclosures={
            (replica, place.scenario, place.target): found
            for (kind, replica, place), found in results.items()
            if kind is KEYS
        },
        variables={name: variables[name] for name in study.original.columns if name in variables},
        versions=list_versions(),
        settings={**asdict(study.options), "profile": study.profile},
        created=(now or datetime.now(UTC)).isoformat(timespec="seconds"),
        seconds=clock.seconds,
        fits={
            (replica, model.formula, model.family): found
            for model in study.models
            for (kind, replica, place), found in results.items()
            if kind is FIT and place.model == model.name
        },
        rules={
            (replica, place.rule): found
            for (kind, replica, place), found in results.items()
            if kind is RULES
        },
        copies=_by_synthesis(results, COPIES),
        files={
            (replica, place.scenario, place.target): found
            for (kind, replica, place), found in results.items()
            if kind is FILES
        },
        attacks={
            (replica, kind.name, place.scenario, place.target): found
            for (kind, replica, place), found in results.items()
            if kind.option == MEMBERSHIP.option
        },
        predictions={
            (replica, place.target, place.model): found
            for (kind, replica, place), found in results.items()
            if kind is PREDICTION
        },
        candidates=candidates,
        subgroups={
            (replica, place.variables[0]): found
            for (kind, replica, place), found in results.items()
            if kind is SUBGROUPS
        },
        shown={
            (replica, kind.name): found
            for (kind, replica, _), found in results.items()
            if kind.option == PRESET and found[0] is not None
        },
        fresh=beside,
        sampling=None
        if study.sample is None
        else sampling_of(study.sample, pairs, frame, _of_weights(results)),
        sample_risks={
            place.scenario: found
            for (kind, _, place), found in results.items()
            if kind is SAMPLED_FILE
        },
        compared={
            (replica, place.variables[0]): found
            for (kind, replica, place), found in results.items()
            if kind is SAMPLED_COLUMNS
        },
    )
    if steps.read:
        log.tell(f"{steps.read:,} of {steps.read + steps.made:,} steps as they were before")
    steps.prune()
    return replace(review, verdicts=judged_by_study(review))


def pairs_of(study: Study) -> dict[str, Pair]:
    """Return each replica beside the original and the holdout."""
    needed = [n for s in study.scenarios for n in (*s.keys, *s.targets)]
    shared: dict[Any, Any] = {}
    return {
        name: Pair(
            name,
            study.original,
            syntheses,
            study.holdout,
            variables=study.options.variables,
            required=list(dict.fromkeys(needed)),
            missing_codes=study.options.missing_codes,
            shared=shared,
        )
        for name, syntheses in study.replicas.items()
    }


def _harmonise(study: Study, pair: Pair, *, holdout: bool) -> None:
    """Harmonise what will be compared, so that what cannot be compared is said first."""
    names = list(pair.data.variables)
    if holdout:
        names += pair.beside_holdout.variables
    named = [name for rule in study.rules for name in rule.columns]
    for model in study.models:
        named += read_formula(model.formula, study.original.columns).columns
    sets = [study.original, *pair.syntheses]
    more = [
        name
        for name in dict.fromkeys(named)
        if name not in names and all(name in one.columns for one in sets)
    ]
    if more:
        try:
            pair.columns(more)
        except DataError:  # the rows of that model or rule say why
            return


@dataclass(frozen=True)
class _Step:
    """What all measures of a kind say of one replica, with all fixes that were made by then."""

    parts: list[Rows]
    results: dict[Place, Any]
    told: str
    fixes: tuple[Fix, ...]


def _replay(
    make: Callable[..., _Step], pair: Pair, kind: Kind, log: Log, steps: Cache, *, marks: bool
) -> Results:
    what = (kind.name, [one.symbol for one in of_kind(kind)], marks)
    found, before = steps.step(pair.name, what, partial(make, pair, kind, log, marks=marks))
    if before:
        for rows in found.parts:
            log.add(pair.name, rows)
        pair.note(found.fixes)
    if len(found.parts) > 1:
        log.done(f"{pair.name}: {found.told}")
    else:
        log.skip()
    return {(kind, pair.name, place): result for place, result in found.results.items()}


def _measure(
    study: Study,
    small: Study | None,
    samples: Samples,
    pair: Pair,
    kind: Kind,
    log: Log,
    *,
    marks: bool,
) -> _Step:
    measures = of_kind(kind)
    sampled = "" if kind.counted or small is study else said_of_sample(study, small, pair.name)
    on, asked = (pair, study) if kind.counted else (pair.records, small)
    results: dict[Place, Any] = {}
    parts = []
    told = kind.name

    def tell(step: str) -> None:
        nonlocal told
        told = step
        log.tell(f"{pair.name}: {step}")

    if on is None or asked is None:
        found = iter([Given(kind.name, (Place(),), reason=sampled)] if _wanted(kind, study) else [])
    else:
        found = kind.places(on, asked, tell)
    errors = errors_of(kind, samples if sampled else (), measures, tell)
    for given in found:
        rows = measure_given(given if marks else replace(given, marks=None), measures)
        if said := given.sampled or sampled:
            rows = {**rows, "reason": _said(rows["reason"], said)}
            rows = errors(rows) if sampled else rows
        log.add(pair.name, rows)
        parts.append(rows)
        result = given.result
        if callable(result):
            result = result() if marks else None
        if result is not None:
            results[given.places[0]] = result
    mean = overall(kind, parts, measures)
    if sampled:
        mean = errors({**mean, "reason": _said(mean["reason"], sampled)})
    parts.append(mean)
    log.add(pair.name, parts[-1])
    return _Step(parts, results, told, pair.fixes)


def _wanted(kind: Kind, study: Study) -> bool:
    """Whether a study asks for a kind, which its option says."""
    name = kind.option.split()[-1].strip("[]") if kind.option else ""
    found = getattr(study, name, None) or getattr(study, f"{name}s", None)
    return not kind.option or bool(found or getattr(study.options, name, None))


def _said(reasons: Any, sampled: str) -> Any:
    """Put beside every value which sample it is of; what has none has its own reason."""
    said = np.empty(len(reasons), dtype=object)
    said[:] = [sampled if one is None else one for one in reasons]
    return said


def _fresh(results: Results, replicas: int) -> dict[str, Any]:
    """Sort what was found beside the holdout by replica."""
    margins = {replica: found for (kind, replica, _), found in results.items() if kind is MARGINS}
    assert len(margins) == replicas  # noqa: S101  (every replica has them, or an error was raised)
    return {
        "fidelity": {replica: found for replica, (found, _) in margins.items()},
        "worst": {replica: worst for replica, (_, worst) in margins.items()},
        "closest": _by_synthesis(results, CLOSEST),
    }


def _of_weights(results: Results) -> dict[str, tuple[str, ...]]:
    """Return what is wrong with the weights of each replica, in words."""
    return {
        replica: tuple(dict.fromkeys(problem for one in found for problem in one.problems))
        for (kind, replica, _), found in results.items()
        if kind is SAMPLED_WEIGHTS
    }


def _by_synthesis(results: Results, wanted: Kind) -> dict[tuple[str, int], Any]:
    """Return what was found of every synthesis, numbered from 1 in its replica."""
    return {
        (replica, i): one
        for (kind, replica, _), found in results.items()
        if kind is wanted
        for i, one in enumerate(found, start=1)
    }


def _fixes(study: Study, pairs: dict[str, Pair]) -> Iterator[tuple[str, Any]]:
    """Yield every change once, with the replica it was made to, "original" or "holdout"."""
    found: dict[Any, str] = {}
    if study.sample is not None:
        found |= dict.fromkeys(study.sample.fixes(), "original")
    for name, pair in pairs.items():
        roles = {study.original.source: "original"}
        if study.holdout is not None:
            roles[study.holdout.source] = "holdout"
        for fix in pair.fixes:
            found.setdefault(fix, roles.get(fix.source, name))
    yield from ((name, fix) for fix, name in found.items())
