"""What no bundle holds: original and holdout in any form, secret, ledger, private keys."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.microdata.file_format import suffix_of_content
from sdcmetrics.microdata.sources.scan import is_large
from sdcmetrics.release.crate import sha256_of
from sdcmetrics.release.digests import DIGESTS, stays_inside
from sdcmetrics.release.inputs import DataSet, data_sets
from sdcmetrics.release.ledger import ledger_file
from sdcmetrics.release.packed import unpacked
from sdcmetrics.release.people import Records
from sdcmetrics.release.reading import read_records
from sdcmetrics.release.secret import secret_file
from sdcmetrics.review.cache import CACHE
from sdcmetrics.study.file import StudyEntries

_CONFIDENTIAL = ("original", "holdout")
_INSIDE = ("internal", "checker")
_BEGINNING = 1 << 16
"""Bytes of a file in which its title, or the first line of a key, stands."""
_ABOVE = 3
"""Folders above a file of results in which a review may have written it."""

Row = tuple[str | None, ...]


def refuse_confidential(
    spec: StudyEntries, study: Path, more: Sequence[Path], *, inside: bool
) -> None:
    """Raise StudyError if a file to be added is one that no bundle holds.

    These are original and holdout under any name and in any format, or records of them, secret and
    ledger, and private keys; in a bundle for outside results that stay inside, and the study file,
    too, which names files and seeds.
    """
    if not more:
        return
    secret = secret_file(study, spec.release.secret)
    own = {secret: "the secret of releases", ledger_file(secret): "the ledger of releases"}
    own |= {} if inside else {study: "the study file, of which study.json has the public words"}
    replicas = set()
    for data in data_sets(spec, study):
        if data.role in _CONFIDENTIAL:
            own |= dict.fromkeys(data.files, f"the {data.role}")
        else:
            replicas |= {sha256_of(path) for path in data.files}
    digests = {sha256_of(path): what for path, what in own.items() if path.exists()}
    people = _People(spec, study)
    for path in more:
        with TemporaryDirectory() as folder:
            for form in unpacked(path, Path(folder)):
                digest = sha256_of(form)
                what = digests.get(digest) or (_is_private_key(form) and "a private key")
                if not what and not inside and _stays_inside(form, digest):
                    what = "of a review that stays inside"
                if not what and digest not in replicas:
                    what = people.records_in(form)
                if what:
                    verb = "is" if form == path else "holds what is"
                    msg = (
                        f"{path}: this {verb} {what}, which goes into no such bundle. Leave it out "
                        "of --add."
                    )
                    raise StudyError(msg)


def _is_private_key(path: Path) -> bool:
    with path.open("rb") as stream:
        return b"PRIVATE KEY-----" in stream.read(_BEGINNING)


def _stays_inside(path: Path, digest: str) -> bool:
    """Whether a file is of an internal review, as its title, its folder or a list says."""
    if stays_inside(digest) or path.resolve().parent.name == CACHE:
        return True
    with path.open("rb") as stream:
        beginning = stream.read(_BEGINNING)
    if any(f"({mode})</title>".encode() in beginning for mode in _INSIDE):
        return True
    if path.suffix.lower() == ".json" and _classification(path) in _INSIDE:
        return True
    for folder in islice(path.resolve().parents, _ABOVE):
        try:
            listed = digest in (folder / DIGESTS).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if listed and _classification(folder / "review.json") in _INSIDE:
            return True
    return False


def _classification(file: Path) -> Any:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return document.get("classification") if isinstance(document, dict) else None


class _People:
    """Original, holdout and replicas of a study, read when a file of data is to be added."""

    def __init__(self, spec: StudyEntries, study: Path) -> None:
        self._sets = list(data_sets(spec, study))
        self._how: dict[str, Any] = spec.read.model_dump(exclude_none=True)
        self._records: dict[Path, list[Records]] = {}

    def records_in(self, path: Path) -> str:
        """Return of whom all records of a file are, in words; nothing where they are of nobody."""
        # Delimiter and encoding are the file's own; what means missing is the study's.
        how = {n: entry for n, entry in self._how.items() if n in ("missing", "decimal")}
        for added in _read(path, how):
            own = [data for data in self._sets if self._holds(data, added)]
            roles = {data.role for data in own}
            # Of few columns they may be those of a replica, too, which is public.
            if roles and roles <= {*_CONFIDENTIAL}:
                return f"the {min(roles, key=_CONFIDENTIAL.index)} in another form, or a part of it"
        return ""

    def _holds(self, data: DataSet, added: Records) -> bool:
        for path in data.files:
            if path not in self._records:
                self._records[path] = [] if is_large(path) else list(_read(path, self._how))
        return any(_holds(records, added) for path in data.files for records in self._records[path])


def _read(path: Path, how: Mapping[str, Any]) -> Iterator[Records]:
    """Yield the records of a file of data, of nothing else; its name need not tell its format."""
    try:
        yield from read_records(path, how)
    except SdcMetricsError:
        suffix = suffix_of_content(path)
        with TemporaryDirectory() as folder, suppress(SdcMetricsError):
            named = shutil.copyfile(path, Path(folder, f"data.{suffix}"))
            yield from read_records(named, how)


def _holds(people: Records, added: Records) -> bool:
    """Whether records that have all columns, or are as many, are of these people."""
    names = [name for name in people.names if name in added.names]
    whole = len(names) == len(people.names)
    if not added.n or not (whole or (added.n == people.n and len(names) > 1)):
        return False
    return _rows(added, names) <= _rows(people, names)


def _rows(data: Records, names: Sequence[str]) -> Counter[Row]:
    columns = (data.column(name) for name in names)
    return Counter(zip(*([c.texts[code] for code in c.codes] for c in columns), strict=True))
