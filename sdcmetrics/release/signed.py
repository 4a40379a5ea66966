"""States of a bundle, each signed by a person: prepared, checked, signed, released, withdrawn.

Every record names the one before it by its digest, so that none can be taken out of the middle,
put elsewhere, or changed. What no signature shows is that the last ones were cut off: an older copy
of a bundle is a true older bundle. So its state and digest are printed, to be compared with what
the agency says of it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sdcmetrics.errors import FileError, StudyError, did_you_mean
from sdcmetrics.release.crate import MANIFEST
from sdcmetrics.release.keys import PrivateKey, PublicKey

STATES = ("prepared", "checked", "signed", "released", "withdrawn")
"""In their order. A bundle can be withdrawn from any state; no other state is left out."""
_PURPOSE = b"sdcmetrics: state of a bundle, 1\n"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_HEX = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True)
class StateRecord:
    """One state of a bundle.

    Attributes
    ----------
    state : one of STATES
    name : who says so
    time : when, in UTC, as 2026-11-23T12:00:00Z
    content : SHA-256 of the list of files with their digests
    previous : digest of the record before; empty for the first
    key : name of the key that signed it
    signature : in hexadecimal digits
    """

    state: str
    name: str
    time: str
    content: str
    previous: str
    key: str
    signature: str = ""

    @property
    def signed_bytes(self) -> bytes:
        """What the signature is of: all but the signature."""
        entries = {name: text for name, text in vars(self).items() if name != "signature"}
        return _PURPOSE + _canonical(entries)

    @property
    def digest(self) -> str:
        """SHA-256 of the whole record."""
        return hashlib.sha256(_canonical(vars(self))).hexdigest()


def add_state(
    records: Sequence[StateRecord],
    state: str,
    *,
    name: str,
    content: str,
    key: PrivateKey,
    time: dt.datetime | None = None,
) -> tuple[StateRecord, ...]:
    """Return records with one state more, signed.

    Parameters
    ----------
    records : those before, whose signatures were checked
    state : one of STATES, the next of them
    name : who says so
    content : SHA-256 of the list of files
    key : of who says so
    time : by default now

    Raises
    ------
    StudyError
        If the state is not the next, or nobody is named.
    """
    if state not in STATES:
        msg = f"state: expected one of {', '.join(STATES)} but got {state!r}."
        raise StudyError(msg + did_you_mean(state, STATES))
    if not name.strip():
        msg = f"name: a state has the name of who says so. Say who {state} this bundle."
        raise StudyError(msg)
    problem = _order([*(record.state for record in records), state])
    if problem:
        raise StudyError(problem)
    now = (time or dt.datetime.now(tz=dt.UTC)).astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if records and now < records[-1].time:
        msg = (
            f"the state before, {records[-1].state}, is of {records[-1].time}, which is later than "
            f"{now}. Set the clock of this computer."
        )
        raise StudyError(msg)
    previous = records[-1].digest if records else ""
    unsigned = StateRecord(state, name.strip(), now, content, previous, key.public.name)
    signature = key.sign(unsigned.signed_bytes).hex()
    return (*records, StateRecord(**{**vars(unsigned), "signature": signature}))


def problems_of(
    records: Sequence[StateRecord], content: str, keys: Sequence[PublicKey]
) -> Iterator[str]:
    """Yield a line for each thing that is wrong with the states of a bundle.

    Parameters
    ----------
    records : in their order
    content : SHA-256 of the list of files, as it is now
    keys : public keys of those who may sign
    """
    by_name = {key.name: key for key in keys}
    problem = _order([record.state for record in records])
    if problem:
        yield problem
    previous, time = "", ""
    for record in records:
        what = f"state {record.state!r}"
        key = by_name.get(record.key)
        if key is None:
            yield (
                f"{what}: it was signed with another key than those of --public-key. If you trust "
                "whoever signed it, name that public key, too"
            )
        elif not _signed(record, key):
            yield f"{what}: the signature is not of this record: it was changed"
        if record.previous != previous:
            yield f"{what}: it does not follow the state before it: one was changed or taken out"
        if not _TIME.fullmatch(record.time) or record.time < time:
            yield f"{what}: its time is before that of an earlier state, or none"
        if record.content != content:
            yield f"{what}: it is of another list of files than {MANIFEST} is now"
        previous, time = record.digest, record.time


def _order(states: Sequence[str]) -> str:
    """Return what is wrong with the order of states; an empty text if nothing is."""
    if not states:
        return "the bundle has no state"
    usual = list(states[:-1] if states[-1] == STATES[-1] else states)
    if not usual or usual != list(STATES[: len(usual)]) or STATES[-1] in usual:
        given = ", ".join(states)
        return (
            f"the states are {given}. They come in this order, none left out: "
            f"{', '.join(STATES[:-1])}; and withdrawn last, from any of them."
        )
    return ""


def _signed(record: StateRecord, key: PublicKey) -> bool:
    if not _HEX.fullmatch(record.signature) or len(record.signature) % 2:
        return False
    return key.signed(record.signed_bytes, bytes.fromhex(record.signature))


def as_bytes(records: Sequence[StateRecord]) -> bytes:
    """Return records as they stand in their file: in one way only, to the byte."""
    lines = ",\n".join(_canonical(vars(record)).decode() for record in records)
    return f"[\n{lines}\n]\n".encode()


def read_states(content: bytes, source: str) -> tuple[StateRecord, ...]:
    """Return the records of a file.

    Raises
    ------
    FileError
        If it is not, to the byte, what was written.
    """
    try:
        entries: list[dict[str, Any]] = json.loads(content)
        records = tuple(StateRecord(**entry) for entry in entries)
        whole = all(isinstance(text, str) for record in records for text in vars(record).values())
        same = whole and as_bytes(records) == content
    except (ValueError, TypeError, RecursionError):
        same = False
    if not same:
        msg = f"{source}: the states of the bundle were changed, or are none."
        raise FileError(msg)
    return records


def _canonical(entries: dict[str, str]) -> bytes:
    return json.dumps(entries, sort_keys=True, separators=(",", ":")).encode()
