"""Several reviews of one original as one review."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, NoReturn

import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.review.inputs import InputSummary
from sdcmetrics.review.review import Review
from sdcmetrics.study.sampled import with_names, with_parts
from sdcmetrics.study.study import Study


def join_reviews(reviews: Review | Mapping[str, Review] | Sequence[Review]) -> Review:
    """Return one review with the replicas of all.

    Raises
    ------
    StudyError
        If there is none, if they are not of one original measured in one way, or if two
        replicas have the same name.
    """
    if isinstance(reviews, Review):
        return reviews
    joined: list[Review] = []
    for name, entry in reviews.items() if isinstance(reviews, Mapping) else enumerate(reviews):
        if not isinstance(entry, Review):
            _refuse(
                "expected a review, or several in a list or a mapping, but got "
                f"{type(entry).__name__}. Make a review with sdcmetrics.conduct(study)."
            )
        named = isinstance(reviews, Mapping) and len(entry.replicas) == 1
        joined.append(_renamed(entry, str(name)) if named else entry)
    if not joined:
        _refuse("expected at least one review but got none.")
    first, *rest = joined
    for other in rest:
        _check_alike(first, other)
    names = [name for review in joined for name in review.replicas]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        _refuse(f"two replicas have the name {twice[0]!r}. Pass a mapping of names to reviews.")
    if not rest:
        return first
    return replace(
        first,
        study=_study(joined),
        inputs=tuple(_inputs(joined)),
        fixes=tuple(dict.fromkeys(chain.from_iterable(review.fixes for review in joined))),
        frame=pd.concat([review.frame for review in joined], ignore_index=True),
        evidence=first.evidence.joined(*(other.evidence for other in rest)),
        variables=_variables(joined),
    )


def _study(reviews: Sequence[Review]) -> Study:
    """Return the study of all replicas; it asks what any of the studies asks."""
    replicas = {name: each for review in reviews for name, each in review.study.replicas.items()}
    parts: dict[str, Any] = {
        "replicas": replicas,
        "kinds": {name: kind for review in reviews for name, kind in review.study.kinds.items()},
        "rules": tuple(dict.fromkeys(rule for review in reviews for rule in review.study.rules)),
    }
    parts["sections"] = {}
    for review in reversed(reviews):
        parts["sections"] |= review.study.sections
    for name in ("holdout", "sample"):
        given = [value for review in reviews if (value := getattr(review.study, name)) is not None]
        parts[name] = given[0] if given else None
    return with_parts(reviews[0].study, parts)


def _inputs(reviews: Sequence[Review]) -> Iterator[InputSummary]:
    """Yield what was compared, as a review of all replicas lists it."""
    yield from reviews[0].inputs[:1]
    yield from (
        data_set for review in reviews for data_set in review.inputs if data_set.role == "replica"
    )
    holdouts = (
        data_set for review in reviews for data_set in review.inputs if data_set.role == "holdout"
    )
    yield from islice(holdouts, 1)
    yield from (data_set for data_set in reviews[0].inputs if data_set.role == "earlier")


def _variables(reviews: Sequence[Review]) -> dict[str, str]:
    kinds = {name: kind for review in reversed(reviews) for name, kind in review.variables.items()}
    return {name: kinds[name] for name in reviews[0].study.original.columns if name in kinds}


def _check_alike(first: Review, second: Review) -> None:
    own, its = first.study.original, second.study.original
    if own is not its and (own.large or not own.table.equals(its.table)):
        _refuse(
            "the reviews are of different originals. Ranks only compare replicas of one original."
        )
    aside, theirs = first.study.holdout, second.study.holdout
    if aside is not None and theirs is not None and not aside.table.equals(theirs.table):
        _refuse("the reviews have different holdouts. Measure all replicas beside the same one.")
    for name, value in first.settings.items():
        if name != "profile" and second.settings.get(name) != value:
            _refuse(f"the reviews differ in the option {name!r}. Measure all replicas alike.")
    if (first.scenarios, first.study.models) != (second.scenarios, second.study.models):
        _refuse("the reviews differ in their scenarios or models. Ask the same of every replica.")


def _refuse(words: str) -> NoReturn:
    msg = f"compare_replicas: {words}"
    raise StudyError(msg)


def _renamed(review: Review, name: str) -> Review:
    """Return the review with another name of its replica, wherever that stands."""
    (old,) = review.replicas
    return replace(
        review,
        study=with_names(review.study, {old: name}),
        inputs=tuple(replace(i, name=name) if i.role == "replica" else i for i in review.inputs),
        fixes=tuple((name if role == old else role, fix) for role, fix in review.fixes),
        frame=review.frame.assign(replica=name),
        evidence=review.evidence.renamed({old: name}),
    )
