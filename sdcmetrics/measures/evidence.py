"""Evidence behind the measurements of a review, by kind, replica and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sdcmetrics.measures.kind import Kind, Place

EVERY_REPLICA = ""
"""In place of a replica's name: evidence that depends on none, such as what a holdout is."""

Key = tuple[Kind, str, Place]


class Evidence(Mapping[Key, Any]):
    """Results by (kind, replica, place); nothing later changes it.

    Parameters
    ----------
    results : mapping of (kind, replica, place) to result
        A result holds no replica's name, so that renaming a replica is renaming keys.

    Examples
    --------
    >>> from sdcmetrics.measures.closeness.copies import COPIES
    >>> evidence = Evidence({(COPIES, "cart", Place()): "held"})
    >>> evidence.renamed({"cart": "a"}).of(COPIES)
    {('a', Place(scenario='', keys=(), target='', variables=(), model='', rule='')): 'held'}
    """

    def __init__(self, results: Mapping[Key, Any] | None = None) -> None:
        self._results = dict(results or {})
        self._by_kind: dict[Kind, dict[tuple[str, Place], Any]] = {}
        for (kind, replica, place), result in self._results.items():
            self._by_kind.setdefault(kind, {})[replica, place] = result

    def __getitem__(self, key: Key) -> Any:
        return self._results[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        """Return how much there is of each kind; results may hold records."""
        sizes = ", ".join(f"{kind.name}: {len(of)}" for kind, of in self._by_kind.items())
        return f"Evidence({sizes})"

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds that there is evidence of."""
        return tuple(self._by_kind)

    def of(self, kind: Kind) -> dict[tuple[str, Place], Any]:
        """Return the results of one kind, by replica and place."""
        return dict(self._by_kind.get(kind, {}))

    def by_synthesis(self, kind: Kind) -> dict[tuple[str, int], Any]:
        """Return the results of a kind that has one per synthesis, numbered from 1."""
        return {
            (replica, i): result
            for (replica, _), each in self.of(kind).items()
            for i, result in enumerate(each, start=1)
        }

    def renamed(self, names: Mapping[str, str]) -> Evidence:
        """Return the same evidence of replicas under other names."""
        return Evidence(
            {
                (kind, names.get(replica, replica), place): result
                for (kind, replica, place), result in self._results.items()
            }
        )

    def joined(self, *others: Evidence) -> Evidence:
        """Return all evidence of several reviews, whatever its kind."""
        results = dict(self._results)
        for other in others:
            results |= dict(other)
        return Evidence(results)


class Evidenced(Protocol):
    """Protocol of objects with evidence, such as a review."""

    @property
    def evidence(self) -> Evidence:
        """What the measurements rest on."""
