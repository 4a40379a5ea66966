"""How each replica was made, as far as the study says; remedies depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sdcmetrics.errors import StudyError, did_you_mean

Kind = Literal["synthesised", "perturbed"]


@dataclass(frozen=True, slots=True)
class HowMade:
    """How a replica was made.

    Attributes
    ----------
    kind : "synthesised" or "perturbed"
        Drawn from a model of the original, or the original itself with changed values.
    method : text
        By which method, in words.
    """

    kind: Kind
    method: str = ""


def make_kinds(entries: Mapping[str, Any] | None, replicas: Iterable[str]) -> dict[str, HowMade]:
    """Return how each replica was made, for those of which the study states it.

    Raises
    ------
    StudyError
        For an unknown replica or kind.

    Examples
    --------
    >>> make_kinds({"a": "perturbed", "b": {"kind": "synthesised", "method": "cart"}}, ["a", "b"])
    {'a': HowMade(kind='perturbed', method=''), 'b': HowMade(kind='synthesised', method='cart')}
    """
    names, out = list(replicas), {}
    for name, entry in (entries or {}).items():
        if name not in names:
            msg = f"kinds: {name!r} is no replica of the study.{did_you_mean(name, names)}"
            raise StudyError(msg)
        out[name] = read_kind(entry, f"kinds.{name}")
    return out


def read_kind(value: Any, where: str) -> HowMade:
    """Return how a replica was made, of text or of entries.

    Raises
    ------
    StudyError
        If it is neither a kind nor the entries kind and method.
    """
    if isinstance(value, HowMade):
        return value
    entries = {"kind": value} if isinstance(value, str) else value
    kinds = get_args(Kind)
    kind: Any = entries.get("kind") if isinstance(entries, Mapping) else None
    if kind not in kinds:
        hint = did_you_mean(kind, kinds) if isinstance(kind, str) else ""
        msg = f"{where}: expected {' or '.join(map(repr, kinds))}.{hint}"
        raise StudyError(msg)
    method = entries.get("method", "")
    if set(entries) - {"kind", "method"} or not isinstance(method, str):
        msg = f'{where}: expected kind and method, as {{ kind = "{kind}", method = "cart" }}.'
        raise StudyError(msg)
    return HowMade(kind, method)
