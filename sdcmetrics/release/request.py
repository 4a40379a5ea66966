"""What a review was asked: its study file, the profile and other files that these name.

The program notes for this user of this computer (`sdcmetrics.study.written`) which request each
list of results answers, so that results of a study that was edited since are told from others.
Nothing of it stands in the results: an edition for outside names no path and no seed.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.crate import digest_of, sha256_of
from sdcmetrics.release.digests import DIGESTS
from sdcmetrics.release.inputs import data_sets, other_files
from sdcmetrics.study.file import StudyEntries
from sdcmetrics.study.profile import PROFILES, load_profile
from sdcmetrics.study.written import is_noted, note

_AFTERWARDS = ("release",)
"""Sections that an edition for inside does not read: what is decided by it is written there."""


def profile_entries(name: str, study: Path) -> dict[str, Any]:
    """Return the entries of a profile without its key.

    Raises
    ------
    StudyError
        If there is no such profile, or an entry is wrong.
    """
    path = study.parent / name if name.endswith(".toml") else PROFILES / f"{name}.toml"
    if name.endswith(".toml") and not path.exists():
        path = Path(name)
    load_profile(path if name.endswith(".toml") else name)
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    general = {k: v for k, v in entries.get("profile", {}).items() if k != "key"}
    return {**entries, "profile": general}


def request_of(study: Path, profile: str | None, *, inside: bool) -> str:
    """Return the digest of what a review of a study is asked now.

    Parameters
    ----------
    study : a study file
    profile : name or file of the profile, by default the study's
    inside : whether the edition stays inside; then the data are read, too

    Raises
    ------
    StudyError, FileError
        If the study, or a file that it names, cannot be read.
    """
    spec = read_request(study)
    entries = spec.model_dump(mode="json")
    for name in _AFTERWARDS if inside else ():
        del entries[name]
    named = [
        [role, sha256_of(path) if path.is_file() else ""]  # which not every edition reads
        for role, path in other_files(spec, study)
    ]
    if inside:
        named += _data(spec, study)
    limits = profile_entries(profile or spec.study.profile, study)
    content = json.dumps([entries, named, limits], default=str, sort_keys=True)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _data(spec: StudyEntries, study: Path) -> list[list[str]]:
    """Return the digest of each data set: results list none of what is counted in batches."""
    try:
        return [[data.role, digest_of(data.files)] for data in data_sets(spec, study)]
    except FileError:  # they are elsewhere, where only an engine can read them
        return []


def note_request(results: Path, request: str) -> None:
    """Note which request the results in a folder answer, which have just been written."""
    note(_listed(results), _answered(results, request))


def is_answered(results: Path, request: str) -> bool:
    """Whether results answer a request, as far as that was noted.

    Nothing is noted of reviews that were written from Python, which may have no study file.
    """
    return not is_noted(_listed(results)) or is_noted(_answered(results, request))


def _listed(results: Path) -> str:
    return f"results {sha256_of(results / DIGESTS)}"


def _answered(results: Path, request: str) -> str:
    return f"{_listed(results)} of {request}"
