"""Finished steps of reviews, kept beside their results so that none is made twice.

They are confidential: exact counts of the original, which of its records are at risk, and columns
of it that models were fitted to. They never lie in the folder of a release.

A step is kept as a pickle, which can run what it holds when it is read. So each is signed with a
key that only this user of this computer has, and one that is signed otherwise (it came with a
folder from elsewhere, or was changed) is not opened: the step is made again.
"""

from __future__ import annotations

import hmac
import os
import pickle
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from sdcmetrics.review.fingerprint import (
    OPTIONS,
    ORIGINAL,
    VERSIONS,
    cells_known,
    digest,
    fingerprint,
    replica_part,
)
from sdcmetrics.study.study import Study
from sdcmetrics.study.written import own_key, write_own

CACHE = "cache-internal"
"""The folder in the folder of results."""
WORTH = 0.1
"""Seconds that a step takes at least to be kept: to read it takes some hundredths."""
_SIGNED = 32  # bytes

T = TypeVar("T")


class Cache:
    """Cache of finished steps by their inputs; off without a folder or a key.

    Parameters
    ----------
    folder : Path or None
    parts : mapping of part to digest
        What the study is made of, see `fingerprint`.

    Attributes
    ----------
    read, computed : int
        Steps that were read, and those that were made and took some time.
    """

    def __init__(self, folder: Path | None, parts: Mapping[str, str]) -> None:
        self._folder, self._parts = folder, parts
        self._key = None if folder is None else own_key()
        self._used: set[str] = set()
        self.read = self.computed = 0

    @classmethod
    def of(cls, folder: Path | None, study: Study) -> Cache:
        """Return the cache of a study's steps; of data that are counted in batches, none is kept.

        Nothing says of them whether a cell has changed.
        """
        cacheable = folder is not None and cells_known(study)
        return cls(folder, fingerprint(study)) if cacheable else cls(None, {})

    def step(
        self, replica: str, identity: tuple[Any, ...], make: Callable[[], T]
    ) -> tuple[T, bool]:
        """Return the result of a step, and whether it came from the cache.

        Parameters
        ----------
        replica : str
            It follows from this replica, and from no other; from none if empty.
        identity : tuple
            Tells the step from other steps.
        make : callable
            Makes it.
        """
        if self._folder is None or self._key is None:
            return make(), False
        parts = ORIGINAL, OPTIONS, VERSIONS, *([replica_part(replica)] if replica else [])
        own = [self._parts[part] for part in parts]
        name = digest(own, replica, identity)
        file = self._folder / f"{name}.step"
        self._used.add(file.name)
        cached = self._open(file)
        if cached is not None:
            self.read += 1
            return cached[0], True
        start = time.perf_counter()
        result = make()
        if time.perf_counter() - start >= WORTH:
            self.computed += 1
            self._keep(file, result)
        return result, False

    def prune(self) -> None:
        """Remove the cached steps of other data, options or versions.

        A file that is not signed is none of ours, whatever its name.
        """
        if self._folder is None or self._key is None or not self._folder.is_dir():
            return
        for file in self._folder.glob("*.step"):
            if file.name not in self._used and self._body(file) is not None:
                file.unlink(missing_ok=True)

    def _open(self, file: Path) -> tuple[Any] | None:
        body = self._body(file)
        if body is None:
            return None
        return (pickle.loads(body),)  # noqa: S301  (signed: this user wrote it, on this computer)

    def _body(self, file: Path) -> bytes | None:
        """Return the content of a cached step; None for any other file."""
        try:
            with file.open("rb") as content:
                signature, body = content.read(_SIGNED), content.read()
        except OSError:
            return None
        return body if hmac.compare_digest(signature, self._sign(file, body)) else None

    def _keep(self, file: Path, result: Any) -> None:
        # A measure of another package may give what cannot be pickled; a disk may be full.
        with suppress(OSError, pickle.PicklingError, TypeError, AttributeError):
            body = pickle.dumps(result, protocol=5)
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = file.with_suffix(f".{os.getpid()}")
            write_own(temporary, self._sign(file, body), body)
            temporary.replace(file)

    def _sign(self, file: Path, body: bytes) -> bytes:
        """Return the signature of name and content; the name is a digest of the inputs."""
        assert self._key is not None  # noqa: S101  (no step is kept without one)
        signature = blake2b(file.name.encode(), key=self._key, digest_size=_SIGNED)
        signature.update(body)
        return signature.digest()
