"""The secret that noise follows from: 32 random bytes in a file that only its owner can read."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sdcmetrics.errors import FileError, ReleaseBlocked, StudyError
from sdcmetrics.microdata.locks import lock

SUFFIX = ".secret"
_LENGTH = 32
_OTHERS = 0o077


def secret_file(study: Path, named: str = "") -> Path:
    """Return where the secret of a study is: beside it, or where the study says.

    Of a link it is where that leads, so that the ledger beside it is one, too.

    >>> secret_file(Path("survey/study.toml")).as_posix()
    'survey/study.secret'
    """
    file = study.parent / Path(named).expanduser() if named else study.with_suffix(SUFFIX)
    return file.resolve() if file.is_symlink() else file


def make_secret(file: Path, then: Callable[[bytes], None] | None = None) -> bytes:
    """Write a new secret where there is none.

    Parameters
    ----------
    file : Path
    then : function of the secret, optional
        What belongs to it, and is done before others can use it; if that fails there is no secret.

    Raises
    ------
    FileError
        If it cannot be written, or there is one.
    """
    value = secrets.token_bytes(_LENGTH)
    temporary = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(value)
                stream.flush()
                os.fsync(stream.fileno())
            with lock(temporary):  # which has its lock as well when it has its name
                _put_in_place(temporary, file)
                if then is not None:
                    _or_none(file, value, then)
        finally:
            temporary.unlink(missing_ok=True)
    except FileExistsError:
        msg = f"{file}: there is a secret already, and it is not overwritten."
        raise FileError(msg) from None
    except OSError as error:
        msg = f"{file}: the secret cannot be written ({error.strerror})."
        raise FileError(msg) from None
    return value


def _or_none(file: Path, value: bytes, then: Callable[[bytes], None]) -> None:
    try:
        then(value)
    except FileError:
        file.unlink()
        raise


def _put_in_place(temporary: Path, file: Path) -> None:
    """Give a file its name where there is none of that name; no half file is ever there."""
    try:
        os.link(temporary, file)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if file.exists():
            raise FileExistsError from None
        temporary.rename(file)


def read_secret(file: Path) -> bytes:
    """Read a secret.

    Raises
    ------
    FileError
        If others can read it, too, or it is damaged.
    """
    try:
        mode = file.stat().st_mode
        value = file.read_bytes()
    except OSError as error:
        msg = f"{file}: the secret cannot be read ({error.strerror})."
        raise FileError(msg) from None
    if os.name == "posix" and mode & _OTHERS:
        msg = (
            f"{file}: this secret can be read by others than its owner, so noise that follows from "
            f"it protects nobody. Say chmod 600 {file.name}; if somebody may have read it, start "
            "the next release with --new-secret."
        )
        raise FileError(msg)
    if len(value) != _LENGTH:
        msg = f"{file}: expected a secret of {_LENGTH} bytes, but this is none. Restore the file."
        raise FileError(msg)
    return value


def keyed(secret: bytes, purpose: str, content: bytes) -> str:
    """Return a digest that says nothing to those who lack the secret.

    >>> keyed(bytes(32), "original", b"a") == keyed(bytes(32), "holdout", b"a")
    False
    """
    return hmac.digest(secret, purpose.encode() + b"\0" + content, hashlib.sha256).hex()


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keep other releases from a secret and its ledger.

    Raises
    ------
    StudyError
        If another release uses them now.
    """
    with ExitStack() as stack:
        try:
            before = file.stat()
            stack.enter_context(lock(file))
            free = os.path.samestat(before, file.stat())  # no new secret took its place
        except BlockingIOError:
            free = False
        except OSError as error:
            msg = f"{file}: the secret cannot be read ({error.strerror})."
            raise FileError(msg) from None
        if not free:
            msg = f"{file}: another release asks with this secret now. Wait until it is done."
            raise StudyError(msg)
        yield


def refuse_inside(file: Path, folder: Path) -> None:
    """Raise if a secret or its ledger would lie in a folder that is handed out.

    Raises
    ------
    ReleaseBlocked
        If so.
    """
    inside = False
    with suppress(OSError):
        inside = file.resolve().is_relative_to(folder.resolve())
    if inside:
        msg = (
            f"{file}: the secret would lie in the folder of the release, and go out with it. "
            "Choose another folder with --out."
        )
        raise ReleaseBlocked(msg)
