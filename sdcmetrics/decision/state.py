"""The facts of one replica from which its two questions are answered; no words.

Each part is what one subject of the measures says of the replica, or what a profile says of its
measurements; `risk_sentences.py` and `utility_sentences.py` say which sentences are true of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sdcmetrics.decision.statement import Value
from sdcmetrics.decision.status import Status
from sdcmetrics.measures.people.claims import Claim

Holdout = Literal["none", "used", "differs", "lacks columns"]
Basis = Literal["holdout", "other people", ""]
Off = Literal["off"]
Earlier = Literal["", "quiet", "more", "together", "anyway"]
Intruder = Literal["passed", "failed", ""]
Epsilon = Literal["untested", "open", "contradicted", ""]

ALARMS = frozenset(
    {Claim.COPY, Claim.RENAMED, Claim.ALIGNED, Claim.HOLDS, Claim.EITHER, Claim.FOLLOWS}
)
"""Claims about people, beside which an excess that leave-one-out finds may fail."""

OTHER_RULES = "other rules"
"""Why nothing is judged of results that were kept, and measured by the rules of another profile."""


@dataclass(frozen=True, kw_only=True)
class PeopleFacts:
    """Facts on whose records are in a replica.

    Attributes
    ----------
    tested : bool
        Whether the tests were made.
    sampled : bool
        Whether they were made on a random part of the records only.
    claims : frozenset of Claim
    most : bool
        Whether most people of the original are surely in it, where it holds records of them.
    far : bool
        Whether "closer" is by so much that it is to be looked at.
    holdout : "none", "used", "differs" or "lacks columns"
    clustered : bool
        Whether the study says which rows belong together.
    noticed : bool
        Whether it is stated how many copied people would have been noticed.
    withheld : bool
        Whether that cannot be stated, as the replica writes values otherwise.
    blind : bool
        Whether no number of copied people would have been noticed.
    few : bool
        Whether that is so of fewer than 30 records, or clusters, of the original or of a file.
    earlier : str
        "" where no file was handed out earlier; "quiet" where nothing is claimed of the union with
        these; "more" where more is than of the replica by itself; "together" where nothing is
        claimed of the replica by itself, and "anyway" where it is of the earlier files alone.
    """

    tested: bool = False
    sampled: bool = False
    claims: frozenset[Claim] = frozenset()
    most: bool = False
    far: bool = False
    holdout: Holdout = "none"
    clustered: bool = False
    noticed: bool = False
    withheld: bool = False
    blind: bool = False
    few: bool = False
    earlier: Earlier = ""


@dataclass(frozen=True, kw_only=True)
class IdentifierFacts:
    """Facts on identifying values of the original in a replica.

    Attributes
    ----------
    hit, suspected : whether values of people stand in it, or may
    uncompared : whether it has columns that are in no table, distance or set of keys
    """

    hit: bool = False
    suspected: bool = False
    uncompared: bool = False


@dataclass(frozen=True, kw_only=True)
class ExcessFacts:
    """Facts on what is learnt of people because they were in the file.

    Attributes
    ----------
    status : Status or "off"
        "off" where the profile asks for no such test.
    reason : str
        Why it is not judged: "no keys", "clusters", "other words", "drift", "nothing copyable",
        or `OTHER_RULES`.
    basis : "holdout" or "other people"
        Who stands for people who were not in the original.
    questions, copyable, silent : int
        Questions; those on which a copy would be noticed, and the others.
    flagged : bool
        Whether a question is flagged.
    shown : bool
        Whether the share of what a copy would add is stated.
    drift, other_words, sure : bool
        Whether the holdout differs on a question, columns were left out, and whether somebody who
        knows the keys learns a target nearly always, whoever was in the original.
    together : bool
        Whether a question is flagged only together with files that were handed out earlier.
    """

    status: Status | Off = "off"
    reason: str = ""
    basis: Basis = ""
    questions: int = 0
    copyable: int = 0
    silent: int = 0
    flagged: bool = False
    shown: bool = False
    drift: bool = False
    other_words: bool = False
    sure: bool = False
    together: bool = False

    @property
    def mute(self) -> bool:
        """Whether on no question even a copy would be noticed."""
        return self.questions > 0 and not self.copyable and not self.flagged

    @property
    def compared(self) -> bool:
        """Whether there are questions on which a copy would be noticed, and this was not."""
        return self.copyable > 0 and not self.flagged and not self.drift


@dataclass(frozen=True, kw_only=True)
class LimitFacts:
    """Statuses of a profile's limits on the measures of one question.

    Attributes
    ----------
    status : Status or "off"
        The worst of the limits that count; "off" where there is none.
    besides : frozenset of Status
        What other limits that count say, beyond theirs or not computed; they are stated, too.
    passed : bool
        Whether a limit is exceeded that does not count, as the test of excess says nothing of it.
    """

    status: Status | Off = "off"
    besides: frozenset[Status] = frozenset()
    passed: bool = False

    def says(self, status: Status) -> bool:
        """Whether a limit that counts has this status."""
        return self.status == status or status in self.besides


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """Whether tables of original and replica differ.

    Attributes
    ----------
    status : Status or "off"
    reason : str
        Why they are not judged: "no table", "clusters", "weights", "few records" or `OTHER_RULES`.
    derived : bool
        Whether the worst that is called is a table of a derived column, such as its rounding.
    invented, only_invented : bool
        Whether the replica has values that the original has nowhere, in more records than by
        chance; and whether that is all that is called.
    advice : bool
        Whether tables are above the authors' advice that are not called.
    repeats, few, few_clusters, assumed_clusters : bool
    ways : int
        Columns of the largest tables.
    notice : bool
        Whether it takes more than a small difference to be noticed.
    weighted, counted_once : bool
        Whether shares are those of the population, by weights; and whether the replica has none.
    totals : bool
        Whether the weights of the replica add up to another number of people.
    skipped : bool
        Whether columns that need whole records were not derived, as files are too large for memory.
    one_sided : bool
        Whether few records, but more than by chance, have values that the other file lacks, of
        what is not called.
    unexchanged : bool
        Whether such values were not looked for, as records count unequally or belong together.
    """

    status: Status | Off = "off"
    reason: str = ""
    derived: bool = False
    invented: bool = False
    only_invented: bool = False
    advice: bool = False
    repeats: bool = False
    few: bool = False
    few_clusters: bool = False
    assumed_clusters: bool = False
    ways: int = 3
    notice: bool = False
    weighted: bool = False
    counted_once: bool = False
    totals: bool = False
    skipped: bool = False
    one_sided: bool = False
    unexchanged: bool = False


@dataclass(frozen=True, kw_only=True)
class State:
    """All facts of one replica, and the values that its sentences fill in.

    Attributes
    ----------
    people, identifiers, excess, limits : what the first question rests on
    tables, table_limits, rules, models : what the second does
    census : bool
        Whether the original holds everybody, so that there are no other people.
    of_holdout : bool
        Whether it is the holdout itself.
    kept : bool
        Whether small counts of its tables are the original's.
    lacking : bool
        Whether it lacks columns of the original that the study does not leave out.
    intruder : "passed", "failed" or ""
        "failed" if a motivated intruder identified somebody; "" where nobody tried.
    epsilon : "untested", "open", "contradicted" or ""
        What became of the epsilon that the generator is said to keep; "" where none is claimed.
    words : mapping of field to text or names
    """

    people: PeopleFacts = field(default_factory=PeopleFacts)
    identifiers: IdentifierFacts = field(default_factory=IdentifierFacts)
    excess: ExcessFacts = field(default_factory=ExcessFacts)
    limits: LimitFacts = field(default_factory=LimitFacts)
    tables: TableFacts = field(default_factory=TableFacts)
    table_limits: LimitFacts = field(default_factory=LimitFacts)
    rules: LimitFacts = field(default_factory=LimitFacts)
    models: LimitFacts = field(default_factory=LimitFacts)
    census: bool = False
    of_holdout: bool = False
    kept: bool = False
    lacking: bool = False
    intruder: Intruder = ""
    epsilon: Epsilon = ""
    words: Mapping[str, Value] = field(default_factory=dict)
