"""Sections of a study on publication and on the generators of replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.section import Limits, Name, Section, Texts, section
from sdcmetrics.microdata.frames import Microdata

WORDS = ("synth", "not real", "fictitious", "simulated", "perturbed")
"""What says that records are not real, in a name or a value, whatever its case."""

Epsilon = Annotated[float, Limits(gt=0, allow_inf_nan=False)]
Delta = Annotated[float, Limits(ge=0, le=1)]


@section("publication")
class Publication(Section):
    """Section [publication]: checks before a file goes out.

    Attributes
    ----------
    words : tuple of str
        Any of these in a file's name, a column's name or every value of a column labels it.
    missing_gap : float
        Percentage points from which shares of missing values are other ones.
    low_fidelity : bool
        Whether relations between columns must be absent: the file is to test programs with.
    declared : tuple of str
        Relations that a file of low fidelity may have, as "age ~ income".
    intruder_test : "passed", "failed" or ""
        What a motivated intruder found; empty where nobody tried.
    intruder_test_note : str
        Who tried, when, with what.
    contact : str
        Whom users ask; in the user sheet and in metadata, like the next three.
    citation : str
        How the file is cited.
    licence : str
        Under which terms it may be used, best as an address.
    expires : str
        Until when it may be used, as "2027-12-31".
    """

    words: Texts = WORDS
    missing_gap: Annotated[float, Limits(ge=0, le=100)] = 5.0
    low_fidelity: bool = False
    declared: Texts = ()
    intruder_test: Literal["passed", "failed", ""] = ""
    intruder_test_note: str = ""
    contact: str = ""
    citation: str = ""
    licence: str = ""
    expires: str = ""

    def check(self, original: Microdata) -> None:
        """Raise StudyError if a declared relation is not of two columns."""
        for relation in self.declared:
            pair = pair_of(relation)
            if len(pair) != 2 or not set(pair) <= set(original.columns):  # noqa: PLR2004  (a pair)
                msg = (
                    f"publication: declared: expected two columns of {original.source}, such as "
                    f'"age ~ income", but got {relation!r}.'
                )
                raise StudyError(msg)


def pair_of(relation: str) -> frozenset[str]:
    """Return the columns of a relation.

    >>> sorted(pair_of("income ~ age"))
    ['age', 'income']
    """
    return frozenset(part.strip() for part in relation.split("~"))


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
        What it claims of differential privacy.
    delta : float or None
        The same.
    mechanism : str
        By which mechanism, and of which unit: adding or replacing a record, or a person.
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
    mechanism: str = ""


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
        """Raise StudyError if two speak of one replica."""
        names = [generator.replica for generator in self.each]
        for name in names:
            if names.count(name) > 1:
                which = f"replica {name!r}" if name else "all replicas"
                msg = f"generator: {which} was made once. Leave one [[generator]] section."
                raise StudyError(msg)

    def of(self, replica: str) -> Generator | None:
        """Return the entries on one replica."""
        by_name = {generator.replica: generator for generator in self.each}
        return by_name.get(replica, by_name.get(""))

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same of replicas under other names."""
        each = tuple(replace(g, replica=names.get(g.replica, g.replica)) for g in self.each)
        return replace(self, each=each)
