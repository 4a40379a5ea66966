"""Several reviews of one original as one review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NoReturn

import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.review.review import Review
from sdcmetrics.study.with_replicas import with_replicas


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
    many: list[Review] = []
    for name, one in reviews.items() if isinstance(reviews, Mapping) else enumerate(reviews):
        if not isinstance(one, Review):
            _refuse(
                "expected a review, or several in a list or a mapping, but got "
                f"{type(one).__name__}. Make a review with sdcmetrics.conduct(study)."
            )
        named = isinstance(reviews, Mapping) and len(one.replicas) == 1
        many.append(_renamed(one, str(name)) if named else one)
    if not many:
        _refuse("expected at least one review but got none.")
    first, *rest = many
    for other in rest:
        _check_alike(first, other)
    names = [name for review in many for name in review.replicas]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        _refuse(f"two replicas have the name {twice[0]!r}. Pass a mapping of names to reviews.")
    if not rest:
        return first
    replicas = {name: list(ms) for review in many for name, ms in review.study.replicas.items()}
    return replace(
        first,
        study=with_replicas(first.study, replicas),
        inputs=(*first.inputs, *(i for other in rest for i in other.inputs if i.role == "replica")),
        fixes=tuple(chain.from_iterable(review.fixes for review in many)),
        frame=pd.concat([review.frame for review in many], ignore_index=True),
        disclosures={key: value for r in many for key, value in r.disclosures.items()},
        fits={key: value for review in many for key, value in review.fits.items()},
        copies={key: value for review in many for key, value in review.copies.items()},
        files={key: value for review in many for key, value in review.files.items()},
        attacks={key: value for review in many for key, value in review.attacks.items()},
        predictions={key: value for r in many for key, value in r.predictions.items()},
        shown={key: value for review in many for key, value in review.shown.items()},
        verdicts={key: value for review in many for key, value in review.verdicts.items()},
    )


def _check_alike(first: Review, other: Review) -> None:
    mine, its = first.study.original, other.study.original
    if mine is not its and (mine.large or not mine.table.equals(its.table)):
        _refuse(
            "the reviews are of different originals. Ranks only compare replicas of one original."
        )
    aside, theirs = first.study.holdout, other.study.holdout
    if aside is not None and theirs is not None and not aside.table.equals(theirs.table):
        _refuse("the reviews have different holdouts. Measure all replicas beside the same one.")
    for name, value in first.settings.items():
        if name != "profile" and other.settings.get(name) != value:
            _refuse(f"the reviews differ in the option {name!r}. Measure all replicas alike.")
    if (first.scenarios, first.study.models) != (other.scenarios, other.study.models):
        _refuse("the reviews differ in their scenarios or models. Ask the same of every replica.")


def _refuse(words: str) -> NoReturn:
    msg = f"compare_replicas: {words}"
    raise StudyError(msg)


def _renamed(review: Review, name: str) -> Review:
    (old,) = review.replicas
    return replace(
        review,
        study=with_replicas(review.study, {name: list(review.study.replicas[old])}),
        inputs=tuple(replace(i, name=name) if i.role == "replica" else i for i in review.inputs),
        frame=review.frame.assign(replica=name),
        disclosures={(name, *key[1:]): value for key, value in review.disclosures.items()},
        fits={(name, *key[1:]): value for key, value in review.fits.items()},
        copies={(name, i): value for (_, i), value in review.copies.items()},
        files={(name, *key[1:]): value for key, value in review.files.items()},
        attacks={(name, *key[1:]): value for key, value in review.attacks.items()},
        predictions={(name, *key[1:]): value for key, value in review.predictions.items()},
        shown={(name, key[1]): value for key, value in review.shown.items()},
    )
