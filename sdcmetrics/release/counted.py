"""How far ledgers had come that this user wrote: an older copy put back would spend twice.

Nothing inside a ledger tells that it is not the last one, as its seal was right then. So the
numbers of its entries, which only grow, are noted in the folder of this user's state, under a
digest of the secret. Another user, and another computer, know nothing of them.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.release.secret import keyed
from sdcmetrics.study.written import state_folder, write_whole

Counted = tuple[int, int, int]
"""Questions, releases and files of a ledger."""


def note_counted(secret: bytes, counted: Counted) -> None:
    """Note how far a ledger has come; where that cannot be noted, nothing is."""
    file = _note(secret)
    if file is None:
        return
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, " ".join(map(str, counted)) + "\n")


def refuse_older(ledger: Path, secret: bytes, counted: Counted) -> None:
    """Raise if this user wrote a later ledger with the same secret.

    Raises
    ------
    ReleaseBlocked
        Naming what is missing, and the remedy.
    """
    file = _note(secret)
    if file is None:
        return
    try:
        last = tuple(map(int, file.read_text(encoding="ascii").split()))
    except (OSError, ValueError):
        return
    if len(last) != len(counted) or all(
        now >= then for now, then in zip(counted, last, strict=True)
    ):
        return
    names = ("questions", "releases", "files handed out")
    missing = ", ".join(
        f"{now:,} of {then:,} {name}"
        for now, then, name in zip(counted, last, names, strict=True)
        if now < then
    )
    msg = (
        f"{ledger}: this is an older copy of the ledger: it has {missing} of the one that you "
        "wrote last, so that what was spent since would be spent twice, and what went out since "
        "would be left out of judgements. Put the last one back. If it is lost, and you answer for "
        f"what is not in this one, remove {file}."
    )
    raise ReleaseBlocked(msg)


def _note(secret: bytes) -> Path | None:
    state = state_folder()
    return None if state is None else state / "ledgers" / keyed(secret, "counted", b"")[:32]
