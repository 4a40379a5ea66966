"""A bundle: a review with all that it rests on as one folder, whose every byte is signed for.

The folder is an RO-Crate. Its list of files, `ro-crate-metadata.json`, has the SHA-256 of each;
`states.json` has the signed states, each of which names the SHA-256 of the list. Original and
holdout are not in it: of them there are keyed digests, which say nothing to those who lack the key.

References
----------
RO-Crate Metadata Specification 1.1 (2020), doi:10.5281/zenodo.4541002.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.bundle_files import copy_file, make_empty, read_bytes, write_file
from sdcmetrics.release.confidential import refuse_confidential
from sdcmetrics.release.crate import (
    MANIFEST,
    STATES_FILE,
    as_json,
    listed_digests,
    manifest_of,
    sha256_of,
)
from sdcmetrics.release.digests import DIGESTS, listed_files
from sdcmetrics.release.inputs import (
    digests_of_data,
    digests_of_others,
    refuse_changed,
)
from sdcmetrics.release.keys import PrivateKey, PublicKey
from sdcmetrics.release.request import is_answered, profile_entries, request_of
from sdcmetrics.release.signed import (
    StateRecord,
    add_state,
    as_bytes,
    problems_of,
    read_states,
)
from sdcmetrics.review.inputs import list_versions
from sdcmetrics.study.file import StudyEntries
from sdcmetrics.study.written import make_folder

_INTERNAL, _OUTSIDE = "review.json", "release.json"
_EDITIONS = {_INTERNAL: ("internal", "checker"), _OUTSIDE: ("release", "coarse")}
_FOR_OUTSIDE = (
    "report.html",
    "report.pdf",
    "report-archive.pdf",
    _OUTSIDE,
    "tables/figures.csv",
    DIGESTS,
)
"""All that an edition for outside writes; whatever else lies in its folder stays inside."""
_HANDED_OUT = (
    "study",
    "data",
    "scenario",
    "roles",
    "context",
    "release",
    "publication",
    "generator",
    "kinds",
)
"""Sections of a study that a bundle for outside repeats: the author's words, and no path."""
_HELD_BACK = ("seed", "records")
"""Of a generator: whoever has the seed can make the replica again; a number of records is exact."""


@dataclass(frozen=True)
class Bundle:
    """What is in a bundle.

    Attributes
    ----------
    folder : Path
    states : tuple of StateRecord
        In their order; the last one holds.
    files : int
    problems : tuple of str
        One line each; empty if every byte is as it was signed.
    omitted : tuple of str
        Entries of the review's folder that are no results, and were left where they are.
    """

    folder: Path
    states: tuple[StateRecord, ...]
    files: int
    problems: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()


def make_bundle(  # noqa: PLR0913  (one per option of the command)
    results: Path,
    study: Path,
    out: Path,
    *,
    key: PrivateKey,
    name: str,
    profile: str | None = None,
    more: Sequence[Path] = (),
    elsewhere: bool = False,
    time: dt.datetime | None = None,
) -> Bundle:
    """Write a bundle of a review in the state "prepared", and return it.

    Parameters
    ----------
    results : folder of a review, internal or for outside
        A bundle of an edition for outside holds the study's public words only.
    study : its study file
    out : folder that is not there yet, or empty
    key : of who prepares it; keyed digests follow from it, too
    name : who prepares it
    profile : name or file of the profile, by default the study's
    more : files to be added, such as the user sheet, metadata and the replicas
    elsewhere : take results that another user or computer wrote, which the bundle then tells
    time : by default now

    Raises
    ------
    StudyError
        If the folder has no results, they, the data or the study were changed since the review, or
        a file to be added is the original, the holdout, a secret or a private key.
    FileError
        If a file cannot be read or written.
    """
    spec = read_request(study)
    document = _results(results)
    written = listed_files(results, elsewhere=elsewhere, main=document["file"])
    inside = document["classification"] in ("internal", "checker")
    _refuse_other_study(spec, study, results, document)
    refuse_changed(spec, study, document)
    if not (elsewhere or is_answered(results, request_of(study, profile, inside=inside))):
        msg = (
            f"{study.name}: since the review in {results}, the study, its profile or a file that "
            f"it names was changed. Review it again, with --out {results}; or name the profile of "
            "that review with --profile."
        )
        raise StudyError(msg)
    sources, omitted = _sources(results, written, more, inside=inside)
    refuse_confidential(spec, study, more, inside=inside)
    of_data = digests_of_data(spec, study, key)
    texts: dict[str, str] = {
        "inputs.json": as_json([*of_data, *digests_of_others(spec, study, key, inside=inside)]),
        "environment.json": as_json(list_versions()),
        "profile.json": as_json(profile_entries(profile or spec.study.profile, study)),
    }
    if inside:
        sources["study.toml"] = study
    else:
        texts["study.json"] = as_json(_public_words(spec))
    make_empty(out)
    for file, text in texts.items():
        write_file(out / file, text)
    for file, source in sources.items():
        make_folder((out / file).parent)
        copy_file(source, out / file)
    now = time or dt.datetime.now(tz=dt.UTC)
    files = sorted([*texts, *sources])
    about = f"Classification: {document['classification']}."
    if elsewhere:
        about += " The review was written by another user or computer than the bundle."
    manifest = manifest_of(out, files, about, spec.study.title, now.date()).encode()
    content = hashlib.sha256(manifest).hexdigest()
    states = add_state((), "prepared", name=name, content=content, key=key, time=now)
    write_file(out / MANIFEST, manifest)
    write_file(out / STATES_FILE, as_bytes(states))
    return Bundle(out, states, len(files), omitted=omitted)


def sign_bundle(
    folder: Path,
    state: str,
    *,
    key: PrivateKey,
    name: str,
    others: Iterable[PublicKey] = (),
    time: dt.datetime | None = None,
) -> Bundle:
    """Add a signed state to a bundle that is as it was signed, and return it.

    Parameters
    ----------
    folder : the bundle
    state : the next state
    key : of who signs
    name : who signs
    others : public keys of those who signed before
    time : by default now

    Raises
    ------
    FileError
        If the bundle is not as it was signed.
    StudyError
        If the state is not the next.
    """
    bundle = check_bundle(folder, [key.public, *others])
    if bundle.problems:
        msg = "\n".join([f"{folder}: nothing was signed:", *bundle.problems])
        raise FileError(msg)
    content = bundle.states[-1].content
    states = add_state(bundle.states, state, name=name, content=content, key=key, time=time)
    write_file(folder / STATES_FILE, as_bytes(states))
    return Bundle(folder, states, bundle.files)


def check_bundle(folder: Path, keys: Sequence[PublicKey]) -> Bundle:
    """Check every byte of a bundle against what was signed; nothing is asked of any network.

    Raises
    ------
    FileError
        If the folder is no bundle.
    """
    absent = [name for name in (MANIFEST, STATES_FILE) if not (folder / name).is_file()]
    if len(absent) > 1:
        msg = (
            f"{folder}: expected a bundle, but it has no file {absent[0]}. Name the folder that "
            "sdcmetrics bundle wrote."
        )
        raise FileError(msg)
    if absent:
        return Bundle(folder, (), 0, (f"{absent[0]}: this file is absent",))
    manifest = read_bytes(folder / MANIFEST)
    try:
        states = read_states(read_bytes(folder / STATES_FILE), STATES_FILE)
        digests = listed_digests(manifest)
    except FileError as error:
        return Bundle(folder, (), 0, (str(error),))
    content = hashlib.sha256(manifest).hexdigest()
    problems = [*problems_of(states, content, keys), *_problems_of_files(folder, digests)]
    return Bundle(folder, states, len(digests), tuple(problems))


def _problems_of_files(folder: Path, digests: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    present: dict[str, Path] = {}
    unread: dict[str, str | None] = {}

    def note(error: OSError) -> None:
        unread[Path(error.filename).relative_to(folder).as_posix()] = error.strerror

    for place, folders, files in os.walk(folder, onerror=note):
        if not folders and not files:
            name = Path(place).relative_to(folder).as_posix()
            yield f"{name}: this folder is empty, and was not in the bundle"
        for entry in (*folders, *files):
            path = Path(place, entry)
            name = path.relative_to(folder).as_posix()
            try:
                mode = path.lstat().st_mode
            except OSError as error:  # of a folder that can be listed, and not entered
                note(error)
                continue
            if stat.S_ISREG(mode):
                present[name] = path
            elif not stat.S_ISDIR(mode):
                yield f"{name}: this is no file, but a link or another thing"
    for name, reason in unread.items():
        yield f"{name}: this cannot be read ({reason}). Check its permissions"
    for name in sorted(present.keys() - digests.keys() - {MANIFEST, STATES_FILE}):
        yield f"{name}: this file was not in the bundle when it was signed"
    for name, (digest, size) in digests.items():
        if name in present:
            yield from _problems_of_file(present[name], name, digest, size)
        elif unread.keys().isdisjoint({name, *map(str, PurePosixPath(name).parents)}):
            yield f"{name}: this file is absent"


def _problems_of_file(file: Path, name: str, digest: str, size: str) -> Iterator[str]:
    try:
        # Of another size it is not read: one of many terabytes would take days.
        same = str(file.stat().st_size) == size and sha256_of(file) == digest
    except (OSError, FileError):
        yield f"{name}: this cannot be read. Check its permissions"
        return
    if not same:
        yield f"{name}: this file was changed"


def _results(folder: Path) -> dict[str, Any]:
    """Return the results in a folder."""
    for name in (_INTERNAL, _OUTSIDE):
        try:
            document = json.loads((folder / name).read_text(encoding="utf-8"))
            if document["classification"] in _EDITIONS[name] and _lists_files(document):
                return {**document, "file": name}
            break
        except FileNotFoundError:
            continue
        except OSError as error:
            msg = f"{folder / name}: the file cannot be read ({error.strerror})."
            raise FileError(msg) from None
        except (ValueError, KeyError, TypeError, RecursionError):
            break
    msg = (
        f"{folder}: expected the folder of a review, with {_INTERNAL} or {_OUTSIDE} as sdcmetrics "
        "review writes it."
    )
    raise StudyError(msg)


def _refuse_other_study(
    spec: StudyEntries, study: Path, results: Path, document: Mapping[str, Any]
) -> None:
    """Raise if no replica of the results is one of the study: then they are of another."""
    rows = [*document.get("decision", ()), *document.get("replicas", ())]
    replicas = {str(row.get("replica", row.get("Replica"))) for row in rows}
    if replicas and replicas.isdisjoint(spec.data.replicas):
        msg = (
            f"{study.name}: no replica of this study is in the results in {results}, which are of "
            "another. Name that one with --study."
        )
        raise StudyError(msg)


def _lists_files(document: Mapping[str, Any]) -> bool:
    """Whether results have the shape of what is read of them: rows of files."""
    tables = [section["tables"] for section in document.get("sections", ())]
    rows = [
        *document.get("inputs", ()),
        *document.get("decision", ()),
        *document.get("replicas", ()),
        *(row for t in tables for table in t for row in table["rows"]),
    ]
    return all(isinstance(row, dict) for row in rows)


def _sources(
    results: Path, written: Mapping[str, Path], more: Sequence[Path], *, inside: bool
) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Return the files to be copied by their names in the bundle, and what stays where it is."""
    own = {name: path for name, path in written.items() if inside or name in _FOR_OUTSIDE}
    sources = {f"results/{name}": path for name, path in own.items()}
    of_results = {name.split("/")[0] for name in own if "/" in name}
    omitted = {path.name for path in results.iterdir()} - {*own, *of_results}
    omitted |= {
        path.relative_to(results).as_posix()
        for folder in of_results
        for path in (results / folder).rglob("*")
        if path.is_file()
    } - own.keys()
    for path in more:
        name = f"files/{path.name}"
        if name in sources:
            msg = f"{path}: two files to be added are called {path.name}. Rename one."
            raise StudyError(msg)
        if not path.is_file():
            what = "this is none" if path.exists() else "there is none of this name"
            msg = f"{path}: expected a file to be added, but {what}. Name each file by itself."
            raise FileError(msg)
        sources[name] = path
    return sources, tuple(sorted(omitted))


def _public_words(spec: StudyEntries) -> dict[str, Any]:
    """Return what a bundle for outside repeats of a study: no path, no seed, no exact number."""
    entries = spec.model_dump(mode="json", exclude_none=True)
    words = {name: entries[name] for name in _HANDED_OUT if entries.get(name)}
    words["data"] = {"replicas": list(spec.data.replicas)}
    words["release"].pop("secret", None)
    words["study"].pop("profile", None)
    if "generator" in words:
        words["generator"] = [
            {name: value for name, value in generator.items() if name not in _HELD_BACK}
            for generator in words["generator"]["each"]
        ]
    return words
