"""What ``sdcmetrics to-r`` writes: an object of synthpop's class synds per replica."""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path

from sdcmetrics.cli.saving import check_output, data_files, make_folder
from sdcmetrics.cli.terminal import print_fixes, print_lines
from sdcmetrics.errors import FileError
from sdcmetrics.study.reading import read_study
from sdcmetrics.study.sampled import records_of
from sdcmetrics.study.study import Study

_LONGEST = 200
"""Bytes of a file's name, of which a file system may allow 255 with all endings."""
_NO_FILE_NAME = re.compile(r'[\\/:*?"<>|\x00-\x1f]')


def write_for_r(study: Path, out: Path, *, original: bool, force: bool) -> None:
    """Write NAME.rds per replica, and NAME.original.rds if asked.

    Raises
    ------
    FileError
        If a file cannot or must not be written.
    RError
        If R or synthpop is not there.
    """
    from sdcmetrics.rbridge import Session, as_synds

    data_sets = records_of(read_study(study), "R's object of class synds")
    files = _files(data_sets, out, original=original)
    try:
        make_folder(out)
    except OSError as error:
        msg = f"--out {out}: this folder cannot be made ({error.strerror}). Name another."
        raise FileError(msg) from None
    check_output(files, data_files(study), force=force)
    with Session() as session:
        for name, syntheses in data_sets.replicas.items():
            synds = as_synds(
                syntheses,
                data_sets.original,
                variables=data_sets.options.variables,
                missing_codes=data_sets.options.missing_codes,
                session=session,
            )
            path = synds.write_rds(files[name], force=force)
            print_lines(f'{name}, m = {synds.m}: synds <- readRDS("{path}")')
            if original:
                path = synds.write_original_rds(files[f"{name}, original"], force=force)
                print_lines(f'  confidential: original <- readRDS("{path}")')
            print_fixes(synds.fixes)


def _stem(name: str) -> str:
    """Return a replica's name as that of a file; the end of a long one is told by its digest."""
    stem = _NO_FILE_NAME.sub("_", name)
    if len(stem.encode()) <= _LONGEST:
        return stem
    return f"{stem[: _LONGEST // 4]}-{blake2b(name.encode(), digest_size=6).hexdigest()}"


def _files(study: Study, out: Path, *, original: bool) -> dict[str, Path]:
    files = {}
    for name in study.replicas:
        stem = _stem(name)
        files[name] = out / f"{stem}.rds"
        if original:
            files[f"{name}, original"] = out / f"{stem}.original.rds"
    return files
