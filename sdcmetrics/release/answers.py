"""Ask an original: from a study file to noisy sums, through secret and ledger."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError, ReleaseBlocked
from sdcmetrics.release.accounting import together
from sdcmetrics.release.counted import note_counted
from sdcmetrics.release.ledger import (
    Ledger,
    charge,
    former_secret,
    forms_of,
    ledger_file,
    read_ledger,
    refuse_lost_secret,
    refuse_other_budget,
    refuse_other_ledger,
    write_ledger,
)
from sdcmetrics.release.original import read_original, read_people
from sdcmetrics.release.public import Public, person_column, public_of
from sdcmetrics.release.questions import Question, questions_of
from sdcmetrics.release.sampler import KeyedBits, discrete_gaussian
from sdcmetrics.release.secret import keyed, locked, make_secret, read_secret, secret_file
from sdcmetrics.release.sums import Confidential, exact_sums
from sdcmetrics.study.file import StudyEntries, parse
from sdcmetrics.study.reading import study_entries


@dataclass(frozen=True, repr=False)
class NoisySum:
    """An answer with its noise: the original's cells, then the holdout's.

    Attributes
    ----------
    values : whole numbers; noise can make them negative
    variance : of the noise in each
    """

    values: tuple[int, ...]
    variance: Fraction


@dataclass(frozen=True, repr=False)
class NoisySums:
    """All that an edition for outside holds of the original.

    Attributes
    ----------
    answers : dict of Question to NoisySum, in the order of asking
    mu : what these questions cost together
    """

    answers: dict[Question, NoisySum]
    mu: float


def read_request(study: Path) -> StudyEntries:
    """Read a study file, and none of its data.

    Raises
    ------
    StudyError, FileError
        If it cannot be read, or an entry is wrong.
    """
    return parse(study_entries(study), study.name)


def read_public(study: Path, profile: str | None = None, date: dt.date | None = None) -> Public:
    """Return what is public of a study; the original is not opened."""
    spec = read_request(study)
    return public_of(spec, study, profile, date or dt.datetime.now(tz=dt.UTC).date())


def ask(
    study: Path, public: Public, *, mu: float | None = None, new_secret: bool = False
) -> NoisySums:
    """Ask an original what a release tells, and enter it in the ledger first.

    Parameters
    ----------
    study : Path
        Secret and ledger stand beside it, and are made by the first release.
    public : Public
    mu : what new questions may cost; by default, in a first release, the whole budget
    new_secret : make a new secret, as a changed original needs; what was spent stays spent

    Raises
    ------
    ReleaseBlocked
        If the budget is spent, the original changed, or the ledger is absent.
    FileError, DataError
        If a file cannot be read, or others can read the secret.
    """
    spec = read_request(study)
    people = read_people(spec, study, public)
    questions = questions_of(public)
    if any(data.large is not None for data in people.sets):
        _count_combinations(questions, public, people)
    return answered(
        study,
        public,
        people,
        questions,
        lambda question, key: exact_sums(question, public, people, key),
        mu=mu,
        new_secret=new_secret,
        note={"decision": public.decision is not None},
    )


def _count_combinations(
    questions: Sequence[Question], public: Public, people: Confidential
) -> None:
    """Count keys and targets, of which there may be too many: that is refused before it costs."""
    for question in questions:
        if question.place.keys:
            exact_sums(question, public, people)


def answered(
    study: Path,
    public: Public,
    people: Confidential,
    questions: Sequence[Question],
    exact: Callable[[Question, bytes], tuple[int, ...]],
    *,
    mu: float | None,
    new_secret: bool = False,
    note: Mapping[str, Any],
) -> NoisySums:
    """Enter questions in the ledger, and answer them with noise; see `ask`.

    Parameters
    ----------
    study, public, people, questions : of whom what is asked
    exact : function of a Question and a key
        Its answer without noise; the key decides which people are drawn, where some are.
    mu, new_secret : see `ask`
    note : what the ledger says of this occasion beside its price
    """
    spec = read_request(study)
    place = secret_file(study, spec.release.secret)
    refuse_other_ledger(place, people.original.forms)
    refuse_other_budget(place, [form for data in people.sets for form in data.forms])
    make_ledger(place, public.budget)
    with ExitStack() as stack:
        stack.enter_context(locked(place))
        secret = read_secret(place)
        ledger = read_ledger(ledger_file(place), secret)
        if not ledger.original:
            ledger = _promised(ledger, spec, study, people, secret)
        if new_secret:
            _refuse_other_promise(study, ledger, public, _unit(spec, secret))
            # With it every question is new; what cannot be paid must not cost the old secret.
            charge(ledger, {question.identity: question for question in questions}, mu)
            secret = _renewed(place, ledger, people, partial(_unit, spec))
            stack.enter_context(locked(place))  # it is another file, which others could use
            ledger = read_ledger(ledger_file(place), secret)
        ledger = _same_people(ledger, people, secret, place)
        _refuse_other_promise(study, ledger, public, _unit(spec, secret))
        # Replicas that are one under two names are asked once.
        names = {
            question: keyed(secret, "question", question.identity.encode())
            for question in questions
        }
        charged, noise = charge(ledger, {name: question for question, name in names.items()}, mu)
        entry = {
            "date": public.date.isoformat(),
            "questions": len(names),
            "new": len(charged.entries) - len(ledger.entries),
            "spent": charged.spent,
            **note,
        }
        charged = replace(charged, releases=(*charged.releases, entry))
        for role, data in zip(("original", "holdout"), people.sets, strict=False):
            charged = charged.with_forms(forms_of(secret, role, data.forms))
        write_ledger(ledger_file(place), charged, secret)
        costs = {entry.question: entry.mu for entry in charged.entries}
        # Of the secret alone: whoever else is in the data set, the same people are drawn.
        sample = hmac.digest(secret, b"sample", hashlib.sha256)
    return NoisySums(
        {
            question: noisy(
                question,
                exact(question, sample),
                noise[name],
                _own_key(secret, people, question),
            )
            for question, name in names.items()
        },
        together(costs[name] for name in dict.fromkeys(names.values())),
    )


def make_ledger(place: Path, budget: float) -> None:
    """Make a secret and an empty ledger, of no original yet, where there is no secret.

    Raises
    ------
    ReleaseBlocked
        If there is a ledger without its secret.
    FileError
        If they cannot be written; then there is neither.
    """
    if place.exists():
        return
    try:
        refuse_lost_secret(place)
        make_secret(
            place, lambda secret: write_ledger(ledger_file(place), Ledger(budget, ""), secret)
        )
    except (FileError, ReleaseBlocked):
        if not place.exists():  # else another process makes them at the same time
            raise


def _promised(
    ledger: Ledger, spec: StudyEntries, study: Path, people: Confidential, secret: bytes
) -> Ledger:
    """Return a ledger with the promise of the first release, of the original whose files it has."""
    if ledger.content and ledger.content != keyed(
        secret, "original", read_original(spec, study).digest
    ):
        msg = (
            f"{study.name}: the original is not the one whose files its ledger lists. Name another "
            "secret in [release]; of a corrected one enter a file with sdcmetrics ledger add, and "
            "--corrected."
        )
        raise ReleaseBlocked(msg)
    return replace(
        ledger,
        budget=spec.release.budget,
        original=keyed(secret, "original", people.original.digest),
        unit=_unit(spec, secret),
    )


def _own_key(secret: bytes, people: Confidential, question: Question) -> bytes:
    """Return the key of the noise of a question: no two contents of what it asks share it.

    The ledger refuses a changed content anyway. A holdout that comes later must not change the
    noise of what is asked of the original alone: that was paid for once.
    """
    content = b"".join(data.digest for data in people.sets[: question.sets])
    return hmac.digest(secret, b"content\0" + content, hashlib.sha256)


def noisy(question: Question, sums: tuple[int, ...], variance: Fraction, key: bytes) -> NoisySum:
    """Add noise to sums; it follows from the key and the question, and from nothing else."""
    bits = KeyedBits(key, f"{variance}\0{question.identity}".encode())
    return NoisySum(tuple(total + discrete_gaussian(variance, bits) for total in sums), variance)


def _unit(spec: StudyEntries, secret: bytes) -> str:
    """Return the keyed digest of whom the promise is about."""
    return keyed(secret, "unit", f"{spec.release.rows or 1}\0{person_column(spec)}".encode())


def _refuse_other_promise(study: Path, ledger: Ledger, public: Public, unit: str) -> None:
    """Raise if a study promises another thing, or to others, than the first release did."""
    if ledger.budget != public.budget:
        msg = (
            f"{study.name}: budget = {public.budget:g} in [release], but the first release of "
            f"this original fixed {ledger.budget:g}. Say that."
        )
        raise ReleaseBlocked(msg)
    if ledger.unit != unit:
        msg = (
            f"{study.name}: rows and unit in [release] say whom the promise is about, and are not "
            "those of the first release of this original. Say those."
        )
        raise ReleaseBlocked(msg)


def _renewed(
    place: Path, ledger: Ledger, people: Confidential, unit: Callable[[bytes], str]
) -> bytes:
    """Put a new secret in place of the old; what was asked with the old stays on the ledger."""
    old = former_secret(place)
    former = read_secret(place)
    place.rename(old)

    def renew(secret: bytes) -> None:
        original = keyed(secret, "original", people.original.digest)
        renewed = replace(
            ledger, content="", original=original, holdout=None, unit=unit(secret), forms=()
        )
        write_ledger(ledger_file(place), renewed, secret)

    try:
        secret = make_secret(place, renew)
    except FileError:
        old.rename(place)
        raise
    questions, releases, files = ledger.counted
    note_counted(
        former, (questions, releases + 1, files)
    )  # of the former every copy is an older one
    old.unlink()
    return secret


def _same_people(ledger: Ledger, people: Confidential, secret: bytes, place: Path) -> Ledger:
    """Return the ledger, with the holdout entered; raise if original or holdout are others."""
    changed = []
    if ledger.original != keyed(secret, "original", people.original.digest):
        changed.append("original")
    holdout = people.holdout
    if holdout is not None:
        digest = keyed(secret, "holdout", holdout.digest)
        if ledger.holdout not in (None, digest):
            changed.append("holdout")
        ledger = replace(ledger, holdout=digest)
    if changed:
        order = any(data.ordered for data in people.sets)
        what = " and the ".join(changed) + (" or the order of its records" if order else "")
        msg = (
            f"{place.name}: the {what} changed since the first release with "
            "this secret. The same noise on both would show the difference, so a change needs a "
            "new secret: write the next release (sdcmetrics review --mode release) with "
            "--new-secret. What was spent of the budget stays spent."
        )
        raise ReleaseBlocked(msg)
    return ledger
