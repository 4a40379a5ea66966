"""Digests of the inputs of a study's measurements: data, questions, versions."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sdcmetrics.measures.registry import MEASURES, read_preset
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.review.inputs import list_versions
from sdcmetrics.study.study import Study

__all__ = [
    "OPTIONS",
    "ORIGINAL",
    "VERSIONS",
    "cells_known",
    "digest",
    "fingerprint",
    "replica_part",
]

ORIGINAL, OPTIONS, VERSIONS = "the original or the holdout", "what is asked", "a version"
_PACKAGE = Path(__file__).parents[1]
_NOT_MEASURED = {"original", "holdout", "replicas", "sample", "ranking", "title", "context"} | {
    "kinds",
    "profile",
    "command",
    "allow_code",
}
"""Parts of a study that no measurement follows from, or that are a part of their own."""


def fingerprint(study: Study) -> dict[str, str]:
    """Return a digest of each part of a study that measurements follow from.

    A part is what one may say has changed: a replica by its name, the original and the holdout,
    what is asked, or a version (of Python, of a package, or of a file of the source code).

    Raises
    ------
    TypeError
        If a part holds what cannot be told from something else.
    """
    sample = study.sample
    bare = {} if sample is None else {f.name: getattr(sample, f.name) for f in fields(sample)}
    syntheses: Mapping[str, Any] = bare.pop("syntheses", {})
    entries = [
        getattr(study, f.name) for f in fields(study) if f.name not in {*_NOT_MEASURED, "options"}
    ]
    preset = read_preset(study.options.preset) if study.options.preset else None
    # A preset is what it says: one file may have several paths.
    entries.append(replace(study.options, preset=""))
    out = {
        ORIGINAL: digest(study.original, study.holdout, bare),
        OPTIONS: digest(entries, preset, code_of(study)),
        VERSIONS: digest(list_versions(), _code()),
    }
    for name, data in study.replicas.items():
        out[replica_part(name)] = digest(
            data, [syntheses.get(synthesis.source) for synthesis in data]
        )
    return out


def code_of(study: Study) -> dict[str, str]:
    """Return the SHA-256 of each file that a section names; "" where there is none."""
    named = [{**section.code, **section.files} for section in study.sections.values()]
    files = [file for each in named for file in each.values()]
    return {
        str(file): sha256(file.read_bytes()).hexdigest() if file.is_file() else "" for file in files
    }


def cells_known(study: Study) -> bool:
    """Whether digests see every cell: not those of data counted batch by batch."""
    return not study.original.large  # as then no other is: see `load`


def replica_part(name: str) -> str:
    """Return the name of a replica's part."""
    return f"replica {name!r}"


def digest(*values: Any) -> str:
    """Return a digest that is the same in every process, and another for other values.

    Raises
    ------
    TypeError
        For what is none of the types that a study is made of.
    """
    hashed = blake2b(digest_size=20)
    _feed(hashed, values)
    return hashed.hexdigest()


def _code() -> list[Any]:
    """Return a digest of this package's files, and the measures of others, with size and time."""
    modules = {measure.function.__module__ for measure in MEASURES.values()}
    files_of = (getattr(sys.modules.get(name), "__file__", None) for name in sorted(modules))
    others = {name for name in files_of if name} - {name for name, *_ in _own_code()}
    return [_digest_of_own_code(), *map(_listed, sorted(others))]


@cache
def _digest_of_own_code() -> str:
    """Return the digest of hundreds of files, which do not change while they run."""
    return digest(_own_code())


@cache
def _own_code() -> tuple[tuple[str, int, int], ...]:
    """Return the files of this package as they were when first asked for: what runs is of then."""
    return tuple(_listed(str(path)) for path in sorted(_PACKAGE.rglob("*.py")))


def _listed(name: str) -> tuple[str, int, int]:
    stat = Path(name).stat()
    return name, stat.st_size, stat.st_mtime_ns


class _Sink:
    """A file of which only the digest is kept."""

    closed = False

    def __init__(self, hashed: blake2b) -> None:
        self.write = hashed.update

    def flush(self) -> None:
        """Do nothing: Arrow asks for it."""


def _feed(hashed: blake2b, value: Any) -> None:
    """Add a value, its type first: no two values are spelled alike."""
    hashed.update(f"{type(value).__name__}(".encode())
    if isinstance(value, pa.Table):
        _feed(hashed, value.num_rows)
        with pa.ipc.new_stream(pa.PythonFile(_Sink(hashed), mode="w"), value.schema) as stream:
            stream.write_table(value.combine_chunks())
    elif isinstance(value, Enum) or value is None or isinstance(value, bool | int | float | Path):
        hashed.update(repr(value).encode())
    elif isinstance(value, str | bytes):
        text = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        hashed.update(f"{len(text)}:".encode() + text)
    elif isinstance(value, np.ndarray | np.generic) and value.dtype != object:
        hashed.update(
            f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
        )
    elif isinstance(value, Mapping):
        for item in value.items():
            _feed(hashed, item)
    elif isinstance(value, set | frozenset):
        for element in sorted(map(digest, value)):
            _feed(hashed, element)
    elif isinstance(value, list | tuple):
        for element in value:
            _feed(hashed, element)
    elif is_dataclass(value):
        parts: Any = {f.name: getattr(value, f.name) for f in fields(value) if f.compare}
        own = value if isinstance(value, Microdata) else None  # large, and asked for several times
        _feed(hashed, parts if own is None else own.remember(digest, own, lambda _: digest(parts)))
    else:
        msg = f"a value of type {type(value).__name__} has no digest"
        raise TypeError(msg)
    hashed.update(b")")
