"""What metadata say of data files, whichever standard they follow; no value of data is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Literal

import pyarrow as pa

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.frames import Microdata

Type = Literal["number", "text", "date", "boolean", ""]
Scale = Literal["nominal", "ordinal", "interval", ""]


@dataclass(frozen=True)
class Range:
    """Codes from one number to another that mean missing; both ends belong to it."""

    low: float
    high: float


@dataclass(frozen=True)
class VariableDescription:
    """What metadata say of one column.

    Attributes
    ----------
    name : str
    label : str
    type : "number", "text", "date", "boolean" or ""
    scale : "nominal", "ordinal", "interval" or ""
        Level of measurement; an interval scale may be a ratio scale.
    codes : mapping of code to label
        In the order of the metadata, as texts; a label may be empty.
    missing : tuple of str
        Codes that mean some kind of missing.
    ranges : tuple of Range
        The same of numbers in ranges.
    notes : tuple of str
        What is wrong with the description, in words.
    """

    name: str
    label: str = ""
    type: Type = ""
    scale: Scale = ""
    codes: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileDescription:
    """What metadata say of one data file.

    Attributes
    ----------
    name : str
        Of the file, without folders; empty if the metadata do not say.
    variables : tuple of VariableDescription
    records : int or None
    """

    name: str
    variables: tuple[VariableDescription, ...]
    records: int | None = None


@dataclass(frozen=True)
class Codebook:
    """Metadata of one or several data files.

    Attributes
    ----------
    source : str
        The name of the file of metadata.
    files : tuple of FileDescription
    categories : frozenset of str, or None
        The columns that are categories, as those of the original are; None where values decide.
    """

    source: str
    files: tuple[FileDescription, ...]
    categories: frozenset[str] | None = None

    def like(self, data: Microdata) -> Codebook:
        """Return the same codebook, by which others' columns become what those of a data set are.

        Codes without a label make numbers of a column; they must not do so in one file alone.
        """
        schema = data.table.schema
        names = [name for name in data.columns if pa.types.is_dictionary(schema.field(name).type)]
        return replace(self, categories=frozenset(names))

    def of(self, file: str, columns: Sequence[str]) -> FileDescription:
        """Return what is said of a data file.

        That is what is said of a file of this name; or else what names most of its columns.

        Raises
        ------
        FileError
            If several descriptions fit a file that none of them names, or none does.
        """
        name = PurePath(file).name
        named = [described for described in self.files if described.name == name]
        if len(named) == 1:
            return named[0]
        present = set(columns)
        fits = [len(present & {v.name for v in described.variables}) for described in self.files]
        best = max(fits, default=0)
        if not best:
            msg = (
                f"{self.source}: it describes no column of {file}. Name the metadata of that file, "
                "or leave metadata out."
            )
            raise FileError(msg)
        likely = [described for described, n in zip(self.files, fits, strict=True) if n == best]
        if any(described.variables != likely[0].variables for described in likely):
            msg = (
                f"{self.source}: it describes {len(self.files)} files, of which none is called "
                f"{name}, and several fit it. Name metadata of one file, or give the file its name."
            )
            raise FileError(msg)
        return likely[0]
