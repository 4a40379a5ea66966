"""The list of a bundle's files, as an RO-Crate, with the SHA-256 of each.

References
----------
RO-Crate Metadata Specification 1.1 (2020), doi:10.5281/zenodo.4541002.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import mimetypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.sources.parquet import list_files
from sdcmetrics.microdata.sources.scan import is_large

MANIFEST = "ro-crate-metadata.json"
STATES_FILE = "states.json"
_HEX = 64


def manifest_of(folder: Path, files: Sequence[str], about: str, title: str, date: dt.date) -> str:
    """Return the list of the files in a folder, as JSON-LD; `about` says what is to be known."""
    parts = [{"@id": name} for name in files]
    graph: list[dict[str, Any]] = [
        {
            "@id": MANIFEST,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": title,
            "description": "A review of synthetic microdata by sdcmetrics, with what it rests on. "
            + about,
            "datePublished": date.isoformat(),
            "license": "as the agency says that hands it out",
            "hasPart": [*parts, {"@id": STATES_FILE}],
        },
        {"@id": STATES_FILE, "@type": "File", "encodingFormat": "application/json"},
    ]
    graph += [
        {
            "@id": name,
            "@type": "File",
            "encodingFormat": mimetypes.guess_type(name)[0] or "application/octet-stream",
            "contentSize": str((folder / name).stat().st_size),
            "sha256": sha256_of(folder / name),
        }
        for name in files
    ]
    context = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
    return as_json({"@context": context, "@graph": graph})


def listed_digests(manifest: bytes) -> dict[str, tuple[str, str]]:
    """Return the digest of each file of a list of files, and its size in bytes."""
    try:
        graph = json.loads(manifest)["@graph"]
        digests = {
            str(e["@id"]): (str(e["sha256"]), str(e["contentSize"])) for e in graph if "sha256" in e
        }
    except (ValueError, KeyError, TypeError, RecursionError):
        digests = {}
    if not digests or any(len(digest) != _HEX for digest, _ in digests.values()):
        msg = f"{MANIFEST}: the list of files was changed, or is none."
        raise FileError(msg)
    return digests


def files_of(path: Path) -> list[Path]:
    """Return the files of a data set: itself, or those of a folder or a pattern.

    Raises
    ------
    FileError
        If a folder or a pattern has none that may be files of one data set.
    """
    return [path] if path.is_file() or not is_large(path) else list_files(path)


def digest_of(files: Sequence[Path]) -> str:
    """Return the SHA-256 of a file, or of the digests of several in their order."""
    digests = [sha256_of(file) for file in files]
    return (
        digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    )


def as_json(entries: Any) -> str:
    """Return entries as the text of a JSON file."""
    return json.dumps(entries, indent=1, ensure_ascii=False, default=str) + "\n"


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, or raise FileError."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        msg = f"{os.fspath(path)}: the file cannot be read ({error.strerror})."
        raise FileError(msg) from None
