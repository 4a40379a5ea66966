"""Results on disk: written whole, in place of those of an earlier review."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.microdata.locks import lock
from sdcmetrics.release.digests import DIGESTS, list_digests, note_inside
from sdcmetrics.study.written import TEMPORARY, Content, is_ours, note, put

PARTIAL = "partial-measurements-internal.csv"
"""Finished measurements of an internal review that is still running, or was stopped."""
RESULTS = "review.json"
RELEASE = "release.json"
"""The main file of an edition for outside; its `classification` says which edition."""
SACRO = "sacro"
_REPORTS = (
    "report.html",
    "report-annexes.html",
    "report.pdf",
    "report-archive.pdf",
    "report.xlsx",
    RESULTS,
    RELEASE,
    DIGESTS,
)
_EDITIONS = ("internal", "checker", "release", "coarse")
_TABLES = "tables"
_ENTRIES = {"format", "classification", "inputs", "decision", "thresholds", "measurements"}
"""Some of what every review.json holds: together, nobody else's file has them."""


def replace_results(folder: Path, files: Mapping[str, Content]) -> None:
    """Put results in place of an earlier review's: all of the new, and nothing of the old.

    The new files are written to a hidden folder first, and beside them a list of their digests.
    Then the old ones are moved away and the new ones moved in, which is undone if anything fails.

    Parameters
    ----------
    folder : Path
        Is made if it does not exist.
    files : mapping of name to content
        Names relative to the folder.

    Raises
    ------
    FileError
        If a file cannot be written or moved; the earlier results are unchanged.
    """
    moved: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        moved.append((source, target))
        source.replace(target)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder) as temporary:
            new, old = Path(temporary, "new"), Path(temporary, "old")
            for name, content in files.items():
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                put(new / name, content, "xb")
            listed = list_digests({name: new / name for name in files})
            put(new / DIGESTS, listed, "xb")
            try:
                for path in result_paths(folder):
                    move(path, old / path.relative_to(folder))
                for name in (*files, DIGESTS):
                    move(new / name, folder / name)
            except BaseException:
                for source, target in reversed(moved):
                    with suppress(FileNotFoundError):
                        target.replace(source)
                raise
    except OSError as error:
        msg = (
            f"{folder}: the results cannot be written ({error.strerror}). Results of an earlier "
            "review are unchanged."
        )
        raise FileError(msg) from None
    note(*(folder / name for name in (*files, DIGESTS)))
    if RESULTS in files:
        note_inside(listed)


def check_folder(folder: Path, mode: str, *, force: bool = False) -> None:
    """Raise FileError if results of this mode may not go into a folder.

    Raises
    ------
    StudyError
        If an edition that leaves the room would go beside anything but an earlier one of its kind,
        internal results beside such, or results over files that are not known to be an earlier
        review's.
    """
    present = _classification(folder)
    if mode != "internal":
        _refuse_beside(folder, present, mode)
        return
    if present in ("checker", "release", "coarse"):
        msg = (
            f"{folder}: the folder holds a {present} report, and internal results must not go "
            "beside it. Choose another folder with --out, or remove the report."
        )
        raise StudyError(msg)
    stranger = None if force else next(_strangers(folder), None)
    if stranger is not None:
        msg = (
            f"{folder}: {stranger.relative_to(folder)} is not known to be the result of a review, "
            "so it is not overwritten. Choose another folder with --out, or say --force."
        )
        raise StudyError(msg)


def _strangers(folder: Path) -> Iterator[Path]:
    """Yield the paths in a folder that are no results of the review it holds."""
    held = _held(folder)
    for path in result_paths(folder):
        is_table = path.parent == folder / _TABLES
        named = held is not None and (not is_table or path.stem in held.tables)
        if not named and not is_ours(path):
            yield path


def _refuse_beside(folder: Path, present: str | None, mode: str) -> None:
    held = f"what is not part of a {mode} edition"
    if present == "internal" or (folder / PARTIAL).exists():
        held = "the results of an internal review"
    folders = {folder / _TABLES, folder / SACRO, folder / SACRO / "checksums"}
    ours = {*folders, *result_paths(folder)} if present == mode else ()
    other = next((path for path in folder.rglob("*") if path not in ours), None)
    if other is not None:
        msg = (
            f"{folder}: the folder holds {held} ({other.relative_to(folder)}), and this must not "
            f"go out with a {mode} report. Choose an empty folder with --out."
        )
        raise StudyError(msg)


def _classification(folder: Path) -> str | None:
    """Return which edition a folder holds; None if that cannot be known."""
    held = _held(folder)
    return None if held is None else held.classification


class _Held(NamedTuple):
    """What a folder holds by its review.json or release.json."""

    classification: str
    tables: frozenset[str]
    """Names of entries, and of tables that are in their files only."""


def _held(folder: Path) -> _Held | None:
    """Return what a folder holds; None where no review wrote it."""
    for name in (RESULTS, RELEASE):
        try:
            state = (folder / name).stat()
            written = state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
            return _held_in(folder / name, written)
        except (OSError, ValueError, TypeError, RecursionError):
            continue
    return None


@lru_cache(maxsize=4)
def _held_in(path: Path, written: tuple[int, ...]) -> _Held | None:  # noqa: ARG001  (of this state)
    """Read a file of results once: of wide data that takes half a second."""
    document = json.loads(path.read_text(encoding="utf-8"))
    wanted = _ENTRIES if path.name == RESULTS else {"classification"}
    if not isinstance(document, dict) or not document.keys() >= wanted:
        return None
    if document["classification"] not in _EDITIONS:
        return None
    tables = frozenset({*document, *document.get("in_files_only", ())})
    return _Held(document["classification"], tables)


def result_paths(folder: Path) -> Iterator[Path]:
    """Yield the files of an earlier review; the report first, for it is what is looked at."""
    yield from (path for name in _REPORTS if (path := folder / name).exists())
    sacro = folder / SACRO
    if (sacro / "results.json").exists():
        yield from sorted(path for path in sacro.rglob("*") if path.is_file())
    for suffix in ("csv", "parquet"):
        yield from sorted((folder / _TABLES).glob(f"*.{suffix}"))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other reviews out of a folder, and clear what one that was killed left in it.

    Raises
    ------
    StudyError
        If a review is writing to the folder now.
    """
    with ExitStack() as stack:
        try:
            held = stack.enter_context(lock(folder))
        except BlockingIOError:
            msg = (
                f"{folder}: another review is writing to this folder. Wait, or choose another with "
                "--out."
            )
            raise StudyError(msg) from None
        if held:  # else another review may be at work there
            for left in folder.glob(f"{TEMPORARY}*"):
                shutil.rmtree(left, ignore_errors=True)
        yield
