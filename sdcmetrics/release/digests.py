"""The digests of a review's files, listed beside them as sha256sum does, and compared with them.

The list tells pages that were edited after the review wrote them from those that were not. Who
can edit a page can edit the list, too: that is noticed by the digests that this program notes of
all that it writes (`sdcmetrics.study.written`), for this user of this computer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.release.crate import sha256_of
from sdcmetrics.study.written import is_noted, is_ours, note

DIGESTS = "SHA256SUMS"
"""The name that such lists have everywhere: `sha256sum -c SHA256SUMS` reads it."""
_HEX = 64
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def list_digests(files: Mapping[str, Path]) -> str:
    """Return the list of files, each by its name in the folder.

    >>> list_digests({})
    ''
    """
    return "".join(f"{sha256_of(path)}  {name}\n" for name, path in sorted(files.items()))


def note_inside(listed: str) -> None:
    """Note that the files of a list stay inside, wherever they are copied to."""
    note(*(f"inside {line[:_HEX]}" for line in listed.splitlines()))


def stays_inside(digest: str) -> bool:
    """Whether a file of this digest is known to stay inside, for this user of this computer."""
    return is_noted(f"inside {digest}")


def listed_files(folder: Path, *, elsewhere: bool, main: str = "") -> dict[str, Path]:
    """Return the files that a review wrote into a folder, by name, each as it was written.

    The list itself is the last of them.

    Parameters
    ----------
    folder : Path
    elsewhere : bool
        Take a list that is not known to be of this user of this computer.
    main : str
        Name of the file that is read: one that is not in the list is of nobody's review.

    Raises
    ------
    StudyError
        If there is no list, it lacks the main file, a file is gone or was changed, or the list is
        not known to be what this program wrote.
    FileError
        If a file cannot be read.
    """
    remedy = f"Review the study again, with --out {folder}."
    if elsewhere:
        remedy = "Get the folder again, whole, from whoever wrote it."
    digests = _read(folder / DIGESTS)
    if not digests:
        msg = (
            f"{folder}: {DIGESTS}, which a review writes beside its files, is not there or is "
            f"damaged, so that nothing says whether they are as the review wrote them. {remedy}"
        )
        raise StudyError(msg)
    if main and main not in digests:
        msg = (
            f"{folder / main}: {DIGESTS} does not list this file, so that it is not of the review "
            f"that wrote this folder. {remedy}"
        )
        raise StudyError(msg)
    try:
        present = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    except OSError as error:  # of a folder that can be listed, and not entered
        msg = f"{error.filename}: this cannot be read ({error.strerror}). Check its permissions."
        raise FileError(msg) from None
    for name, digest in digests.items():
        if name not in present:
            problem = "this file is gone"
        elif sha256_of(present[name]) != digest:
            problem = "this file was changed"
        else:
            continue
        msg = f"{folder / name}: {problem} since the review wrote it. {remedy}"
        raise StudyError(msg)
    if not elsewhere and not is_ours(present[DIGESTS]):
        msg = (
            f"{present[DIGESTS]}: this list was changed since the review wrote it, or another user "
            "or computer wrote it; nothing here can tell which. Bundle the results as whoever "
            "reviewed the study, or say --elsewhere if you know where they are from."
        )
        raise StudyError(msg)
    return {name: present[name] for name in [*digests, DIGESTS]}


def is_as_listed(file: Path, content: bytes) -> bool:
    """Whether a file is as the list beside it says, if there is one that names it."""
    digest = _read(file.with_name(DIGESTS)).get(file.name)
    return digest is None or digest == hashlib.sha256(content).hexdigest()


def _read(file: Path) -> dict[str, str]:
    """Return the digests of a list by name; none where there is no list, or it is damaged."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        msg = f"{file}: the file cannot be read ({error.strerror})."
        raise FileError(msg) from None
    except ValueError:
        return {}
    entries = [_LINE.fullmatch(line) for line in lines]
    digests = {m[2]: m[1] for m in entries if m is not None}
    return digests if len(digests) == len(lines) else {}  # a name that comes twice is no list
