"""Messages between this process and the one that runs R: a length, then a pickle (protocol 5).

Both ends are this package, on one machine, over pipes of their own; arrays go over as bytes.
"""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class RColumn:
    """One column on its way to or from R.

    Attributes
    ----------
    kind : str
        "number", "integer", "boolean", "category", "ordered", "date", "time" or "text".
    values : array, or list of str or None for text
        Doubles for numbers, dates (days since 1970) and times (seconds); codes from 1 for
        categories; 0 and 1 for booleans. Missing is R's own NA of the type.
    levels : tuple of str
        Of categories.
    """

    kind: str
    values: npt.NDArray[np.generic] | list[str | None]
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class RFrame:
    """A data frame on its way to or from R."""

    columns: dict[str, RColumn]
    n: int


def write_message(stream: BinaryIO, message: Any) -> None:
    """Send one message."""
    body = pickle.dumps(message, protocol=5)
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def read_message(stream: BinaryIO) -> Any:
    """Receive one message.

    Raises
    ------
    EOFError
        If the other end is gone.
    """
    (length,) = _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))
    return pickle.loads(_read_exactly(stream, length))  # noqa: S301  (from our own other end)


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = stream.read(length - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
