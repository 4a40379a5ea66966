"""How far ledgers had come that this user saw: an older copy put back would spend twice.

Nothing inside a ledger tells that it is not the last one, as its seal was right then. So the
numbers of its entries, which only grow, and a keyed digest of these are noted in the folder of this
user's state, under a digest of the secret: a ledger has to go on from there. Another user, and
another computer, know nothing of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.release.secret import keyed
from sdcmetrics.study.written import state_folder, write_whole

Counted = tuple[int, int, int]
"""Questions, releases and files of a ledger."""


def note_counted(secret: bytes, counted: Counted, digest: str = "") -> None:
    """Note how far a ledger has come, and what is in it; where that cannot be noted, nothing is."""
    file = _note(secret)
    if file is None:
        return
    line = " ".join([*map(str, counted), digest]).strip() + "\n"
    with suppress(OSError, ValueError):
        if file.is_file() and file.read_text(encoding="ascii") == line:
            return
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, line)


def refuse_older(
    ledger: Path, secret: bytes, counted: Counted, beginning: Callable[[Counted], str]
) -> None:
    """Raise if this user saw a ledger with the same secret that this one does not go on from.

    Parameters
    ----------
    ledger : its file
    secret : bytes
    counted : how far it has come
    beginning : function of such numbers
        Digest of the ledger up to there.

    Raises
    ------
    ReleaseBlocked
        Naming what is missing, and the remedy.
    """
    file = _note(secret)
    if file is None:
        return
    try:
        numbers, digest = _read(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return
    if all(now >= then for now, then in zip(counted, numbers, strict=True)):
        if digest in ("", beginning(numbers)):
            return
        msg = (
            f"{ledger}: this ledger does not go on from the one that you used last: both have "
            "entries that the other lacks, so that what was spent would be spent twice, and what "
            "went out would be left out of judgements. Two copies were written side by side. Put "
            "the one back that spent more, and enter in it what the other says went out (sdcmetrics"
            f" ledger status). If you answer for what is not in this one, remove {file}."
        )
        raise ReleaseBlocked(msg)
    names = ("questions", "releases", "files handed out")
    missing = ", ".join(
        f"{now:,} of {then:,} {name}"
        for now, then, name in zip(counted, numbers, names, strict=True)
        if now < then
    )
    msg = (
        f"{ledger}: this is an older copy of the ledger: it has {missing} of the one that you "
        "used last, so that what was spent since would be spent twice, and what went out since "
        "would be left out of judgements. Put the last one back. If it is lost, and you answer for "
        f"what is not in this one, remove {file}."
    )
    raise ReleaseBlocked(msg)


def _read(note: str) -> tuple[Counted, str]:
    """Return the numbers of a note, and the digest, which notes of earlier versions lack."""
    questions, releases, files, *digest = note.split()
    return (int(questions), int(releases), int(files)), "".join(digest)


def _note(secret: bytes) -> Path | None:
    state = state_folder()
    return None if state is None else state / "ledgers" / keyed(secret, "counted", b"")[:32]
