"""What a bundle rests on: data and other files that were read, by their digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.sources.duckdb import file_of
from sdcmetrics.microdata.sources.parquet import root_of
from sdcmetrics.release.crate import digest_of, files_of, sha256_of
from sdcmetrics.release.keys import PrivateKey
from sdcmetrics.release.secret import keyed
from sdcmetrics.study.file import StudyEntries, read_options
from sdcmetrics.study.reading import coarsen_of

_OUTSIDERS = "outsiders"


@dataclass(frozen=True)
class DataSet:
    """An entry of [data].

    Attributes
    ----------
    role : "original", "holdout" or the name of a replica
    name : of its file, or of its folder
    files : itself, or those of a folder or a pattern
    """

    role: str
    name: str
    files: list[Path]


def data_sets(spec: StudyEntries, study: Path) -> Iterator[DataSet]:
    """Yield the data sets of a study file."""
    entries = [("original", spec.data.original), ("holdout", spec.data.holdout)]
    entries += [(name, file) for name, files in spec.data.replicas.items() for file in files]
    for role, file in entries:
        if file is not None:
            path = study.parent / Path(file_of(file)).expanduser()
            files = files_of(path)
            name = path.name if files == [path] else root_of(path).name
            yield DataSet(role, name, files)


def digests_of_data(spec: StudyEntries, study: Path, key: PrivateKey) -> Iterator[dict[str, str]]:
    """Yield the digests of the data sets: keyed ones of original and holdout."""
    for data in data_sets(spec, study):
        role = data.role
        if role in ("original", "holdout"):
            # Without the key nobody can try whether a file of a guessed content has this digest.
            digest = bytes.fromhex(digest_of(data.files))
            yield {"data_set": role, "keyed_digest": keyed(key.secret, f"bundle, {role}", digest)}
        else:
            for path in data.files:
                yield {"data_set": role, "file": path.name, "sha256": sha256_of(path)}


def digests_of_others(
    spec: StudyEntries, study: Path, key: PrivateKey, *, inside: bool
) -> Iterator[dict[str, str]]:
    """Yield the digests of what was read beside the data; keyed ones of what is confidential."""
    for role, path in other_files(spec, study):
        digest = sha256_of(path)
        if inside and role != _OUTSIDERS:
            yield {"input": role, "file": path.name, "sha256": digest}
        else:
            secret = keyed(key.secret, f"bundle, {role}", bytes.fromhex(digest))
            yield {"input": role, "keyed_digest": secret}


def other_files(spec: StudyEntries, study: Path) -> Iterator[tuple[str, Path]]:
    """Yield what is read beside the data: metadata, groups of levels, code, files of outsiders."""
    sections = [section.within(study.parent) for section in spec.sections.values()]
    preset = spec.options.preset
    files = [("metadata", read_options(spec, study).get("metadata"))]
    files += [("groups of levels", how) for how in coarsen_of(spec, study).values()]
    files += [("preset", study.parent / preset if preset.endswith(".toml") else None)]
    files += [("code", path) for section in sections for path in section.code.values()]
    files += [(_OUTSIDERS, path) for section in sections for path in section.files.values()]
    yield from ((role, path) for role, path in files if isinstance(path, Path))


def refuse_changed(spec: StudyEntries, study: Path, document: Mapping[str, Any]) -> None:
    """Raise StudyError if a file is not the one that the results are of."""
    digests = dict(_digests(document))
    for data in data_sets(spec, study):
        listed = digests.get(data.name, set())
        if listed and not any(digest_of(data.files).startswith(beginning) for beginning in listed):
            msg = (
                f"{data.name}: the file was changed since the review whose results these are. "
                f"Review {study.name} again."
            )
            raise StudyError(msg)


def _digests(document: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield the digests that results list of each file, whole or their beginnings."""
    rows = [(row.get("source"), row.get("sha256")) for row in document.get("inputs", ())]
    for section in document.get("sections", ()):
        for table in section["tables"]:
            rows += [(r.get("File"), r.get("SHA-256 (first 16 digits)")) for r in table["rows"]]
    by_file: dict[str, set[str]] = {}
    for file, digest in rows:
        if file and digest and set(str(digest)) <= set("0123456789abcdef"):
            by_file.setdefault(str(file), set()).add(str(digest))
    yield from by_file.items()
