"""How replicas were made, as a study tells it: asked for by subjects, measured by none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.section import Limits, Name, Section, section
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.frames import Microdata

Epsilon = Annotated[float, Limits(gt=0, allow_inf_nan=False)]
Delta = Annotated[float, Limits(ge=0, le=1)]
Neighbours = Literal["replace", "add or remove", ""]


@dataclass(frozen=True)
class Claim:
    """What a generator is said to keep of differential privacy.

    Attributes
    ----------
    stated : float
        Epsilon as it is stated.
    neighbours : "replace", "add or remove" or ""
        Which data sets are next to each other; empty where nobody says, which is taken for the
        latter.
    epsilon, delta : float
        What follows where one person stands in another's place: two steps of adding or removing.
    """

    stated: float
    neighbours: Neighbours
    epsilon: float
    delta: float = 0.0

    @classmethod
    def of(cls, epsilon: float, delta: float, neighbours: Neighbours) -> Claim:
        """Return a claim from what is stated.

        >>> Claim.of(1.0, 0.0, "add or remove").epsilon
        2.0
        """
        if neighbours == "replace":
            return cls(epsilon, neighbours, epsilon, delta)
        growth = math.exp(min(epsilon, 700.0))  # more than that is no number
        return cls(epsilon, neighbours, 2 * epsilon, min(1.0, delta * (1 + growth)))

    @property
    def words(self) -> str:
        """The claim in words.

        >>> Claim.of(0.5, 0.0, "").words
        '0.5 (of adding or removing a record, as nothing else is told: 1 of replacing it)'
        """
        if self.neighbours == "replace":
            return f"{self.stated:g} (of replacing a record)"
        remark = "" if self.neighbours else ", as nothing else is told"
        return (
            f"{self.stated:g} (of adding or removing a record{remark}: "
            f"{self.epsilon:g} of replacing it)"
        )


@section("generator")
class Generator(Section):
    """How a replica was made.

    Attributes
    ----------
    name : str
        The program.
    replica : str
        Which one; empty for all replicas.
    version : str
        Of the program.
    method : str
        What it did.
    seed : int or None
        Of its random numbers. It is held back from whoever gets the file.
    records : int or None
        Records of the original that it was made from.
    holdout_apart : bool or None
        Whether the holdout was kept away from it.
    epsilon : float or None
        What it claims of differential privacy, for all files of the replica together.
    delta : float or None
        The same.
    neighbours : "replace", "add or remove" or ""
        Whether the claim is of replacing a record, or of adding or removing it.
    mechanism : str
        By which mechanism, and of which unit: a record, or a person.
    """

    name: Name
    replica: str = ""
    version: str = ""
    method: str = ""
    seed: int | None = None
    records: Annotated[int, Limits(ge=1)] | None = None
    holdout_apart: bool | None = None
    epsilon: Epsilon | None = None
    delta: Delta | None = None
    neighbours: Neighbours = ""
    mechanism: str = ""

    @property
    def claim(self) -> Claim | None:
        """What it claims of differential privacy; None if it claims nothing."""
        if self.epsilon is None:
            return None
        return Claim.of(self.epsilon, self.delta or 0.0, self.neighbours)


@section("generator")
class Generators(Section):
    """How replicas were made: sections [[generator]] of a study file.

    Attributes
    ----------
    each : tuple of Generator
    """

    item: ClassVar[type[Any] | None] = Generator

    each: tuple[Generator, ...] = ()

    def check(self, original: Microdata) -> None:  # noqa: ARG002
        """Raise StudyError if two generators name one replica."""
        names = [generator.replica for generator in self.each]
        for name in names:
            if names.count(name) > 1:
                which = f"replica {name!r}" if name else "all replicas"
                msg = f"generator: {which} was made once. Leave one [[generator]] section."
                raise StudyError(msg)

    def check_beside(self, sections: Mapping[str, Section], replicas: Sequence[str]) -> None:  # noqa: ARG002
        """Raise StudyError if it names a replica that the study does not have."""
        check_replica_names("generator: replica", [g.replica for g in self.each], replicas)

    def of(self, replica: str) -> Generator | None:
        """Return the generator that a study names for a replica."""
        by_name = {generator.replica: generator for generator in self.each}
        return by_name.get(replica, by_name.get(""))

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same of replicas under other names."""
        each = tuple(replace(g, replica=names.get(g.replica, g.replica)) for g in self.each)
        return replace(self, each=each)


def check_replica_names(entry: str, names: Sequence[str], replicas: Sequence[str]) -> None:
    """Raise StudyError if a name, other than the empty one, is of no replica."""
    for name in names:
        if name and name not in replicas:
            hint = did_you_mean(name, replicas) or f" There are: {', '.join(replicas)}."
            msg = f"{entry}: there is no replica {name!r}.{hint}"
            raise StudyError(msg)


SUBJECT = Subject("generator", section=Generators)
