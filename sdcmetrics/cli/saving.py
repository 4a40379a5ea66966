"""Save tables and figures of a command: never over an input or another program's file."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.sources.duckdb import file_of
from sdcmetrics.study.written import is_ours, note, write_whole

if TYPE_CHECKING:
    import pandas as pd


def make_folder(folder: Path) -> None:
    """Make a folder for results, and those above it; what is empty when the command ends goes.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    if (command := click.get_current_context(silent=True)) is not None:
        command.call_on_close(partial(_remove_empty, new))
    folder.mkdir(parents=True, exist_ok=True)


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def check_output(
    outputs: Mapping[str, Path | None], inputs: Iterable[Path], *, force: bool
) -> None:
    """Raise FileError if a file cannot or must not be written, before anything is measured.

    Parameters
    ----------
    outputs : mapping of option to the file that it names
    inputs : paths
        What the command reads.
    force : bool
        Overwrite a file that no command of this program saved.
    """
    wanted = {option: path for option, path in outputs.items() if path is not None}
    read = list(inputs)
    for option, path in wanted.items():
        msg = f"{option} {path}: "
        if not _can_be_named(path):
            msg += "no file can have this name. Choose another."
        elif path.is_dir():
            msg += "this is a directory. Name a file in it."
        elif not path.parent.is_dir():
            msg += f"the file cannot be written: there is no directory {str(path.parent)!r}."
        elif not os.access(path.parent, os.W_OK) or (
            path.exists() and not os.access(path, os.W_OK)
        ):
            msg += "the file cannot be written. Check the permissions."
        elif is_input(path, read):
            msg += "this file is read by the same command. Name another file."
        elif is_input(path, [other for name, other in wanted.items() if name != option]):
            msg += "two options name this file. Name another file for one of them."
        elif path.is_file() and not (force or is_ours(path)):
            msg += (
                "the file exists and is not a result of sdcmetrics, or was changed since it was "
                "written. Name another, or say --force."
            )
        else:
            continue
        raise FileError(msg)


def _can_be_named(path: Path) -> bool:
    try:
        path.exists()
    except (OSError, ValueError):
        return False
    return True


def is_input(path: Path, inputs: Iterable[Path]) -> bool:
    """Say whether a path is one of the inputs, whatever links lead to it."""
    if any(path.resolve() == other.resolve() for other in inputs):
        return True
    return path.exists() and any(other.exists() and path.samefile(other) for other in inputs)


def data_files(study: Path) -> list[Path]:
    """Return a study file and the files that it names, as far as it can be understood."""
    try:
        entries = tomllib.loads(study.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return [study]  # what is wrong is said when the study is read
    sections = [entries.get(name) for name in ("data", "study")]
    named: list[Any] = []
    for section in sections:
        part = section if isinstance(section, dict) else {}
        replicas = part.get("replicas")
        named += [part.get("original"), part.get("holdout"), part.get("profile")]
        named += replicas.values() if isinstance(replicas, dict) else []
    flat = [item for item_ in named for item in (item_ if isinstance(item_, list) else [item_])]
    names = [file_of(x) for x in flat if isinstance(x, str)]
    return [study] + [study.parent / Path(name).expanduser() for name in names]


def save_csv(frame: pd.DataFrame, path: Path | None) -> None:
    """Save a table as CSV if asked; no text in it is taken for a formula.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    if path is None:
        return
    from sdcmetrics.report.safety.rows import guarded

    safe = frame.rename(index=lambda name: guarded(name) if isinstance(name, str) else name)
    for name in safe.columns[safe.dtypes.map(str).isin(["object", "str", "string"])]:
        safe[name] = safe[name].map(lambda v: guarded(v) if isinstance(v, str) else v)
    _save(safe.to_csv(lineterminator="\n"), path, "--csv")


def save_json(entries: Mapping[str, Any] | Sequence[Any], path: Path | None) -> None:
    """Save figures as JSON if asked.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    if path is not None:
        _save(json.dumps(entries, indent=1, allow_nan=False) + "\n", path, "--json")


def _save(text: str, path: Path, option: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        msg = f"{option} {path}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None
    note(text)
