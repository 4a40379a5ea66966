"""The sections of a study on a file that is to be published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal, Self

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import check_replica_names
from sdcmetrics.measures.section import Limits, Section, Texts, section
from sdcmetrics.microdata.frames import Microdata

WORDS = ("synth", "not real", "fictitious", "simulated", "perturbed")
"""What says that records are not real, in a name or a value, whatever its case."""


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
        "failed" if a motivated intruder identified somebody, "passed" if not; empty where nobody
        tried.
    intruder_tested : tuple of str
        The replicas that were tried; all of them if there is none.
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
    intruder_tested: Texts = ()
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

    def check_beside(self, sections: Mapping[str, Section], replicas: Sequence[str]) -> None:  # noqa: ARG002
        """Raise StudyError if a replica is named that the study has not."""
        check_replica_names("publication: intruder_tested", self.intruder_tested, replicas)

    def intruder(self, replica: str) -> Literal["passed", "failed", ""]:
        """Return how the test by a motivated intruder ended for a replica."""
        tried = not self.intruder_tested or replica in self.intruder_tested
        return self.intruder_test if tried else ""

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same of replicas under other names."""
        tested = tuple(names.get(name, name) for name in self.intruder_tested)
        return replace(self, intruder_tested=tested)


def pair_of(relation: str) -> frozenset[str]:
    """Return the columns of a relation.

    >>> sorted(pair_of("income ~ age"))
    ['age', 'income']
    """
    return frozenset(part.strip() for part in relation.split("~"))
