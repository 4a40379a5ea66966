"""What every table function does first: two data sets in, harmonised data out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise

__all__ = ["Frame", "Replica", "list_syntheses", "pair", "per_name"]

Frame = Any
"""A data frame that narwhals knows (pandas, polars, pyarrow, ...), or Microdata."""

Replica = Any
"""A frame, or a list of frames: m > 1 syntheses made by one method."""


T = TypeVar("T")


def list_syntheses(replica: Replica, name: str, columns: Sequence[str] | None) -> list[Microdata]:
    """Turn a frame or a list of frames into named data sets."""
    if isinstance(replica, list | tuple):
        many = len(replica) > 1
        return [
            as_microdata(frame, f"{name} {i}" if many else name, columns)
            for i, frame in enumerate(replica, start=1)
        ]
    return [as_microdata(replica, name, columns)]


def pair(
    original: Frame,
    synthetic: Replica,
    *,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
) -> Harmonised:
    """Read and harmonise an original and the syntheses of one replica."""
    variables = [variables] if isinstance(variables, str) else variables
    return harmonise(
        as_microdata(original, "original", variables),
        list_syntheses(synthetic, "synthetic", variables),
        variables=variables,
        missing_codes=missing_codes,
    )


def per_name(option: str, given: Any, names: Sequence[str], default: T) -> dict[str, T]:
    """Spread an option over columns: one value for all, one each in order, or by name.

    Raises
    ------
    StudyError
        If a sequence is of another length than `names`, or a name is unknown.
    """
    if given is None:
        return dict.fromkeys(names, default)
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                msg = f"{option}: {name!r} is none of the columns.{did_you_mean(name, names)}"
                raise StudyError(msg)
        return {name: given.get(name, default) for name in names}
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != len(names):
            msg = f"{option}: expected {len(names)} values, one per column, but got {len(given)}."
            raise StudyError(msg)
        return dict(zip(names, given, strict=True))
    return dict.fromkeys(names, given)
