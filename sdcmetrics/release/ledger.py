"""The ledger of an original: questions, their cost, and files handed out.

The ledger holds keyed digests, costs, and the names of files that were handed out; no answer and
no word of the data. It adds up over all releases of an original and of its corrections; when the
budget is spent, nothing more is told.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError, ReleaseBlocked, StudyError
from sdcmetrics.release.accounting import mu_of, together, variance_for
from sdcmetrics.release.counted import Counted, note_counted, refuse_older
from sdcmetrics.release.questions import Question
from sdcmetrics.release.secret import SUFFIX, keyed

_FORMAT = 2
_READ = (1, 2)  # formats: the first had no files
_LEDGER = ".ledger.json"
_SLACK = 1e-9
"""Of a budget: what adding up in another order may change."""
_CRUMB = 0.01
"""Of a budget: what is left because variances are rounded up, and buys nothing."""


@dataclass(frozen=True, repr=False)
class Entry:
    """A question that was answered: its keyed digest, the noise it got, and what that cost."""

    question: str
    variance: Fraction
    mu: float


@dataclass(frozen=True)
class HandedOut:
    """A file that was handed out, or the files of a folder or a pattern.

    Attributes
    ----------
    path : str
        As seen from the ledger's folder.
    sha256 : str
        Of its bytes; of several files, of their digests. They are public, and so is this.
    date : str
    study, replica : str
        Name of the study file, and of the replica in it.
    """

    path: str
    sha256: str
    date: str
    study: str
    replica: str


@dataclass(frozen=True, repr=False)
class Ledger:
    """The ledger of one original.

    Attributes
    ----------
    budget : mu of all releases together; fixed by the first
    original, holdout : keyed digests of what was asked; holdout None until one is asked, and
        original empty until the first release
    content : keyed digest of the whole original; empty until a file is entered
    forms : tuple of keyed digests of original and holdout as they were ever read: the bytes of
        their files, all of their records, and those that are asked about
    unit : keyed digest of what tells one person from another, and how many records one may have
    entries : tuple of Entry, in the order of asking
    releases : tuple of mappings, what was written when, at what cost
    files : tuple of HandedOut, in the order in which they went out
    """

    budget: float
    original: str
    holdout: str | None = None
    unit: str = ""
    entries: tuple[Entry, ...] = ()
    releases: tuple[Mapping[str, Any], ...] = ()
    files: tuple[HandedOut, ...] = ()
    content: str = ""
    forms: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the spent part of the budget."""
        return f"Ledger(spent={self.spent:.4g}, budget={self.budget:g})"

    @property
    def spent(self) -> float:
        """Return mu of all that was asked so far."""
        return together(entry.mu for entry in self.entries)

    @property
    def left(self) -> float:
        """Return mu of what can still be asked."""
        return math.sqrt(max(self.budget**2 - self.spent**2, 0.0))

    @property
    def counted(self) -> Counted:
        """Numbers of questions, releases and files, which only grow."""
        return len(self.entries), len(self.releases), len(self.files)

    def beginning(self, counted: Counted, secret: bytes) -> str:
        """Return a keyed digest of the first so many questions, releases and files.

        A file that was moved is the same one.
        """
        questions, releases, files = counted
        first = [
            [[entry.question, str(entry.variance)] for entry in self.entries[:questions]],
            [dict(release) for release in self.releases[:releases]],
            [[file.sha256, file.date] for file in self.files[:files]],
        ]
        return keyed(secret, "beginning", json.dumps(first, sort_keys=True).encode())

    def with_forms(self, forms: Iterable[str]) -> Ledger:
        """Return the ledger with further digests of how original and holdout were read."""
        return replace(self, forms=tuple(dict.fromkeys([*self.forms, *forms])))

    def noise(self) -> dict[str, Fraction]:
        """Return the variance of the noise of each question that was answered."""
        return {entry.question: entry.variance for entry in self.entries}


def ledger_file(secret: Path) -> Path:
    """Return where the ledger of a secret is.

    >>> ledger_file(Path("survey/study.secret")).name
    'study.ledger.json'
    """
    return secret.with_name(secret.name.removesuffix(SUFFIX) + _LEDGER)


def read_ledger(file: Path, secret: bytes) -> Ledger:
    """Read a ledger.

    Raises
    ------
    ReleaseBlocked
        If it is absent, was changed by another than this program, or is an older copy of one that
        this user saw.
    """
    ledger = _read(file, secret)
    refuse_older(file, secret, ledger.counted, lambda counted: ledger.beginning(counted, secret))
    _note(ledger, secret)
    return ledger


def _note(ledger: Ledger, secret: bytes) -> None:
    counted = ledger.counted
    note_counted(secret, counted, ledger.beginning(counted, secret))


def _read(file: Path, secret: bytes) -> Ledger:
    """Read a ledger, whether it is the last one or not."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        seal = entries.pop("seal")
        whole = entries["format"] in _READ and seal == _seal(entries, secret)
    except FileNotFoundError:
        msg = (
            f"{file}: there is a secret, but not the ledger of what was asked with it, so that "
            "nobody can say what is left of the budget. Restore the file from a backup."
        )
        raise ReleaseBlocked(msg) from None
    except PermissionError:
        msg = f"{file}: the ledger cannot be read (permission denied). Check its permissions."
        raise ReleaseBlocked(msg) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        whole = False
    if not whole:
        msg = f"{file}: this ledger is damaged or was changed. Restore the file from a backup."
        raise ReleaseBlocked(msg)
    return Ledger(
        budget=entries["budget"],
        original=entries["original"],
        holdout=entries["holdout"],
        unit=entries["unit"],
        entries=tuple(
            Entry(question, Fraction(variance), mu) for question, variance, mu in entries["entries"]
        ),
        releases=tuple(entries["releases"]),
        files=tuple(HandedOut(**file) for file in entries.get("files", ())),
        content=entries.get("content", ""),
        forms=tuple(entries.get("forms", ())),
    )


def write_ledger(file: Path, ledger: Ledger, secret: bytes) -> None:
    """Write a ledger in place of what it was, whole or not at all.

    Raises
    ------
    FileError
        If it cannot be written.
    """
    entries: dict[str, Any] = {
        "format": _FORMAT,
        "budget": ledger.budget,
        "original": ledger.original,
        "holdout": ledger.holdout,
        "unit": ledger.unit,
        "entries": [[entry.question, str(entry.variance), entry.mu] for entry in ledger.entries],
        "releases": [dict(release) for release in ledger.releases],
        "files": [asdict(file) for file in ledger.files],
        "content": ledger.content,
        "forms": list(ledger.forms),
    }
    text = json.dumps({**entries, "seal": _seal(entries, secret)}, indent=1) + "\n"
    target = file.resolve()  # a link stays a link, or its ledger would be two
    temporary = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        temporary.unlink(missing_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        msg = f"{file}: the ledger cannot be written ({error.strerror}), so nothing is told."
        raise FileError(msg) from None
    _note(ledger, secret)


def charge(
    ledger: Ledger, questions: Mapping[str, Question], mu: float | None
) -> tuple[Ledger, dict[str, Fraction]]:
    """Enter questions, and return the variance of the noise of each.

    A question that was answered before has the same answer again and costs nothing. New ones
    share `mu` by their weights.

    Parameters
    ----------
    ledger : Ledger
    questions : mapping of keyed digest to Question
    mu : what the new questions may cost together; None for all that is left in a first release

    Raises
    ------
    StudyError
        If `mu` is no number above 0.
    ReleaseBlocked
        If the budget does not allow it, or nothing says how much of it to spend.
    """
    if mu is not None and not 0 < mu < math.inf:
        msg = f"mu: expected a number above 0 but got {mu:g}."
        raise StudyError(msg)
    noise = ledger.noise()
    new = {name: question for name, question in questions.items() if name not in noise}
    if not new:
        return ledger, {name: noise[name] for name in questions}
    state = f"mu {ledger.spent:.3g} of {ledger.budget:g} is spent, {ledger.left:.3g} is left"
    if ledger.left <= _CRUMB * ledger.budget:
        msg = (
            f"budget spent: {len(new)} of {len(questions)} questions are new, and {state}. What "
            "was told before can be written again; nothing new can be told of this original."
        )
        raise ReleaseBlocked(msg)
    if mu is None and ledger.entries:
        msg = (
            f"{len(new)} of {len(questions)} questions are new, and {state}. Say with --mu how "
            "much of it this release may spend."
        )
        raise ReleaseBlocked(msg)
    mu = ledger.left if mu is None else mu
    if mu > ledger.left + _SLACK:
        msg = f"budget spent: this release asks for mu {mu:g}, and {state}."
        raise ReleaseBlocked(msg)
    whole = sum((question.weight for question in new.values()), Fraction(0))
    entries = []
    for name, question in new.items():
        own = mu * math.sqrt(question.weight / whole)
        variance = variance_for(own, question.sensitivity)
        entries.append(Entry(name, variance, mu_of(float(variance), question.sensitivity)))
        noise[name] = variance
    charged = replace(ledger, entries=(*ledger.entries, *entries))
    return charged, {name: noise[name] for name in questions}


def other_secret(secret: Path, contents: Iterable[bytes]) -> Path | None:
    """Return a secret beside this one whose ledger is of the same original; None without one.

    Parameters
    ----------
    secret : Path
    contents : digests of what the original may be in a ledger
    """
    digests = list(contents)
    for other, value, ledger in _beside(secret):
        digests_of = {ledger.original, ledger.content, *ledger.forms}
        if digests_of & {keyed(value, "original", digest) for digest in digests}:
            return other
    return None


def forms_of(secret: bytes, role: str, contents: Iterable[bytes]) -> list[str]:
    """Return the keyed digests that a ledger knows a data set by."""
    return [keyed(secret, role, digest) for digest in contents]


def secrets_in(folder: Path) -> list[Path]:
    """Return the secrets in a folder, whatever they are called: those with a ledger, and others."""
    named = {file.with_name(file.name.removesuffix(_LEDGER)) for file in folder.glob(f"*{_LEDGER}")}
    return sorted(file for file in {*named, *folder.glob(f"*{SUFFIX}")} if file.is_file())


def _beside(secret: Path) -> Iterator[tuple[Path, bytes, Ledger]]:
    """Yield the other secrets in a folder with their ledgers, as far as they can be read."""
    for other in secrets_in(secret.parent):
        if other.resolve() == secret.resolve():
            continue
        # One that others can read, too, protects nobody, and its budget is spent all the same.
        with suppress(OSError, ReleaseBlocked):
            value = other.read_bytes()
            yield other, value, _read(ledger_file(other), value)


def former_secret(secret: Path) -> Path:
    """Return where a secret is while another takes its place."""
    return secret.with_name(f"{secret.name}.old")


def refuse_lost_secret(secret: Path) -> None:
    """Raise if there is a ledger, and not its secret.

    Raises
    ------
    ReleaseBlocked
        Naming the remedy.
    """
    if secret.exists() or not ledger_file(secret).exists():
        return
    former = former_secret(secret)
    remedy = "Restore the file from a backup."
    if former.exists():
        remedy = f"A change of secrets was cut off: call {former.name} {secret.name} again."
    msg = (
        f"{secret}: there is a ledger of what was asked and handed out, but not the secret that "
        f"belongs to it. {remedy}"
    )
    raise ReleaseBlocked(msg)


def refuse_other_ledger(secret: Path, contents: Iterable[bytes]) -> None:
    """Raise if a secret beside this one is of the same original: it has one budget, not two.

    Raises
    ------
    ReleaseBlocked
        Naming the other secret.
    """
    other = other_secret(secret, contents)
    if other is not None:
        msg = (
            f"{other.name} is the secret of the same original, which has one budget for all "
            f'studies of it. Say secret = "{other.name}" in [release].'
        )
        raise ReleaseBlocked(msg)


def refuse_other_budget(secret: Path, data: Iterable[bytes]) -> None:
    """Raise if a secret beside this one answered questions about the same people.

    Parameters
    ----------
    secret : Path
    data : digests of original and holdout, either of which may be the other in that ledger

    Raises
    ------
    ReleaseBlocked
        Naming the other secret.
    """
    digests = list(data)
    for other, value, ledger in _beside(secret):
        own = {keyed(value, role, x) for role in ("original", "holdout") for x in digests}
        if ledger.entries and own & {ledger.original, ledger.holdout, *ledger.forms}:
            msg = (
                f"{other.name} is the secret of a release that asked original or holdout of this "
                "study, and people have one budget, whichever of the two they are in. Say secret = "
                f'"{other.name}" in [release], and --new-secret: what was spent stays spent.'
            )
            raise ReleaseBlocked(msg)


def _seal(entries: Mapping[str, Any], secret: bytes) -> str:
    return keyed(secret, "ledger", json.dumps(entries, sort_keys=True).encode())
