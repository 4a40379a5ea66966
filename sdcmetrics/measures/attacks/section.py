"""Which attacks a study makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, Literal, get_args

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import Claim, Generators
from sdcmetrics.measures.section import AsTuple, Limits, Name, Section, section

AttackName = Literal[
    "membership",
    "epsilon",
    "exact matches",
    "singling out",
    "linkability",
    "attribute inference",
    "precision and recall",
]
Intruder = Literal["forest", "cart", "boosting", "nearest"]
KINDS: tuple[AttackName, ...] = get_args(AttackName)
_MINUTES_FROM = 100_000
"""Records from which a forest takes minutes."""


@section("attacks")
class Attacks(Section):
    """Attacks on the original beside the same on the holdout: seconds, of large files minutes.

    Attributes
    ----------
    kinds : tuple of str
        "membership", "epsilon", "exact matches", "singling out", "linkability", "attribute
        inference", "precision and recall".
    learner : "forest", "cart", "boosting" or "nearest"
        That infers targets; see `attribute_inference`.
    seeds : int
        How often 50 trees are grown for a forest, at most.
    columns : int
        In a description that singles out.
    links : mapping of replica to "row" or to a column
        Perturbed replicas whose records are linked back: see `record_linkage`.
    random_holdout : bool
        Whether original and holdout are one set of people, divided at random before the synthesis:
        a bound of epsilon rests on that, see `epsilon_of_release`.
    declared_epsilon : float, optional
        What the generators are said to keep, of replace-one differential privacy, where no
        [[generator]] says it.
    """

    kinds: Annotated[tuple[AttackName, ...], AsTuple, Limits(min_length=1)] = KINDS
    learner: Intruder = "forest"
    seeds: Annotated[int, Limits(ge=1)] = 10
    columns: Annotated[int, Limits(ge=1)] = 3
    links: dict[Name, Name] = field(default_factory=dict)
    random_holdout: bool = False
    declared_epsilon: Annotated[float, Limits(ge=0)] | None = None

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns that link records."""
        return tuple(self.links.values())

    def duration(self, records: int) -> str:
        """Return in words what takes minutes of so many records; nothing where nothing does."""
        if records < _MINUTES_FROM or self.learner != "forest":
            return ""
        if "attribute inference" not in self.kinds:
            return ""
        return (
            f"attacks: of {records:,} records a forest takes minutes for each target and replica, "
            "ten and more where the target is a number. 'boosting', as learner, takes half a "
            "minute of 300,000 and notices less; kinds without 'attribute inference' leave it out."
        )

    def check_beside(self, sections: Mapping[str, Section], replicas: Sequence[str]) -> None:
        """Raise StudyError if the generators' epsilon is stated a second time."""
        generators = sections.get(Generators.entry)
        if self.declared_epsilon is None or not isinstance(generators, Generators):
            return
        for replica in replicas:
            generator = generators.of(replica)
            if generator is not None and generator.epsilon is not None:
                msg = (
                    f"attacks: declared_epsilon: [[generator]] says it of {replica!r}. State it "
                    "once: there."
                )
                raise StudyError(msg)

    def renamed(self, names: Mapping[str, str]) -> Attacks:
        """Return the same attacks on replicas under other names."""
        return replace(
            self, links={names.get(replica, replica): link for replica, link in self.links.items()}
        )


def claim_of(attacks: Attacks | None, generators: Generators | None, replica: str) -> Claim | None:
    """Return what the generator of a replica is said to keep; None if nothing is."""
    generator = None if generators is None else generators.of(replica)
    if generator is not None and generator.claim is not None:
        return generator.claim
    if attacks is None or attacks.declared_epsilon is None:
        return None
    return Claim.of(attacks.declared_epsilon, 0.0, "replace")
