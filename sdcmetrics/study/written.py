"""Files that this program writes: whole or not at all, and never over one that it did not write.

A digest of every file that is written is noted in the folder of this user's state. A file is
"ours" if its content is one that was noted: no column or key in it can make it so, and neither is
a result that somebody has changed since. The digests are signed with a key that only this user of
this computer has, so that they tell nobody else what the files hold.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from sdcmetrics.errors import FileError

Content = str | bytes | Callable[[], Iterator[str | bytes]]
"""Of a file: whole, or what makes it part by part where it need not be held whole."""

TEMPORARY = ".sdcmetrics-"
"""What the names of files begin with that are not finished."""
_KEY, _DIGEST = 32, 32  # bytes
_MOST = 100_000
"""Digests that are kept: of the last so many files, or up to half of them."""
_AT_ONCE = 1 << 20  # bytes


def refuse_stranger(path: str | Path, *, force: bool, remedy: str) -> None:
    """Raise FileError if a file is there that this program did not write, or not as it is now.

    A device or a pipe may be written to; a folder may not.
    """
    file = Path(path)
    try:
        if force or not file.is_file() or is_ours(file):
            return
    except (OSError, ValueError):
        msg = f"{file}: no file can have this name. Choose another."
        raise FileError(msg) from None
    msg = (
        f"{file}: the file exists and is not a result of sdcmetrics, or was changed since it was "
        f"written. Name another, or {remedy}."
    )
    raise FileError(msg)


def is_ours(path: Path) -> bool:
    """Whether the content of a file is what this program wrote, for this user of this computer."""
    return is_noted(path)


def is_noted(content: str | bytes | Path) -> bool:
    """Whether such a content was noted for this user of this computer; a path stands for a file."""
    key, register = own_key(), _register()
    if key is None or register is None:
        return False
    try:
        digest = _digest(content, key)
        written = register.read_bytes()
    except OSError:
        return False
    return digest in {written[i : i + _DIGEST] for i in range(0, len(written), _DIGEST)}


def note(*contents: str | bytes | Path) -> None:
    """Note that files of this content are ours; where that cannot be noted, they are strangers.

    A path stands for the content of that file.
    """
    key, register = own_key(), _register()
    if key is None or register is None:
        return
    with suppress(OSError):
        new = b"".join(_digest(content, key) for content in contents)
        if register.exists() and register.stat().st_size >= _MOST * _DIGEST:
            recent = register.read_bytes()[-_MOST // 2 * _DIGEST :]
            write_whole(register, recent)
        handle = os.open(register, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
        with os.fdopen(handle, "ab") as file:
            file.write(new)


def write_result(path: str | Path, content: str | bytes, *, force: bool = False) -> Path:
    """Write a result whole, unless a file is there that this program did not write.

    Raises
    ------
    FileError
        If it is there, or the file cannot be written.
    """
    refuse_stranger(path, force=force, remedy="pass force=True")
    try:
        out = write_whole(path, content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have this name"
        msg = f"{path}: the file cannot be written ({reason})."
        raise FileError(msg) from None
    note(content)
    return out


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file beside its place, then rename it: whatever happens, no half file is left.

    Raises
    ------
    OSError
        If it cannot be written; what was there before is unchanged.
    """
    out = Path(path)
    target = out.resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        put(target, content, "wb")  # a device or a pipe cannot be renamed onto
        return out
    temporary = target.with_name(f"{TEMPORARY}{os.getpid()}.part")
    try:
        put(temporary, content, "xb")
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return out


def put(path: Path, content: Content, how: str) -> None:
    """Write content to a path, down to the disk."""
    parts = content() if callable(content) else [content]
    with path.open(how) as file:
        file.writelines(map(_bytes, parts))
        if path.is_file():
            file.flush()
            os.fsync(file.fileno())


def own_key() -> bytes | None:
    """Return the key of this user, made when first asked for; None where it cannot be kept."""
    state = state_folder()
    if state is None:
        return None
    file = state / "cache.key"
    try:
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileExistsError):  # another process was faster
                write_own(file, secrets.token_bytes(_KEY))
        key = file.read_bytes()
    except OSError:
        return None
    return key if len(key) == _KEY else None


def write_own(file: Path, *content: bytes) -> None:
    """Write a new file that only this user may read, part by part."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    with os.fdopen(handle, "wb") as opened:
        opened.writelines(content)


_BINARY = getattr(os, "O_BINARY", 0)


def state_folder() -> Path | None:
    """Return the folder of this user's state; None for one who has no home."""
    given = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return Path(given or Path.home() / ".local" / "state") / "sdcmetrics"
    except RuntimeError:
        return None


def _register() -> Path | None:
    state = state_folder()
    return None if state is None else state / "written"


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content


def _digest(content: str | bytes | Path, key: bytes) -> bytes:
    digest = blake2b(key=key, digest_size=_DIGEST, person=b"written")
    if isinstance(content, Path):
        with content.open("rb") as file:
            while part := file.read(_AT_ONCE):
                digest.update(part)
    else:
        digest.update(_bytes(content))
    return digest.digest()


def make_folder(folder: Path) -> None:
    """Make a folder for results where there is none.

    Raises
    ------
    FileError
        If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{folder}: the folder cannot be made ({error.strerror}). Name another."
        raise FileError(msg) from None
