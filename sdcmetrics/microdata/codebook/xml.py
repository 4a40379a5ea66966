"""Read XML that others wrote: no document type, no entity, nothing from outside, and bounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

from sdcmetrics.errors import FileError

_MOST_BYTES = 1 << 28
_DEEPEST = 64
_MOST_ELEMENTS = 5_000_000
_CHUNK = 1 << 16


def read_xml(path: Path) -> ET.Element:
    """Return the root of a document, its names without their namespaces.

    A document type is refused as a whole: entities can only be declared there.

    Raises
    ------
    FileError
        If it is too large, too deep, no XML, or declares a document type.
    """
    if path.stat().st_size > _MOST_BYTES:
        msg = f"{path.name}: expected metadata of at most {_MOST_BYTES >> 20} MiB. Is it the data?"
        raise FileError(msg)
    reader = _Reader(path.name)
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                reader.parser.Parse(chunk, False)  # noqa: FBT003  (its signature)
        reader.parser.Parse(b"", True)  # noqa: FBT003
        return reader.builder.close()
    except expat.ExpatError as error:
        msg = f"{path.name}: not well-formed XML, in line {error.lineno}. Save or export it again."
    except FileError:  # is a ValueError, too
        raise
    except (LookupError, ValueError):
        msg = f"{path.name}: the text is in an unknown encoding. Save the file in UTF-8."
    raise FileError(msg) from None


class _Reader:
    """A parser that builds elements, and refuses what a document of metadata does not need."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.builder = ET.TreeBuilder()
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.builder.data
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._doctype
        self.parser.ExternalEntityRefHandler = self._doctype
        self._depth = self._elements = 0

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > _DEEPEST or self._elements > _MOST_ELEMENTS:
            msg = f"{self.name}: elements are too many, or nested too deeply, for metadata."
            raise FileError(msg)
        self.builder.start(_local(tag), {_local(name): text for name, text in attributes.items()})

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self.builder.end(_local(tag))

    def _doctype(self, *_: Any) -> int:
        msg = (
            f"{self.name}: a document type (<!DOCTYPE ...>) or an entity is declared, which is "
            "refused: such a file can read other files. Export it as DDI-Codebook 2.5, which has "
            "none, or delete that line."
        )
        raise FileError(msg)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def text_of(element: ET.Element | None) -> str:
    """Return the text of an element and of what is in it, in one line."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
