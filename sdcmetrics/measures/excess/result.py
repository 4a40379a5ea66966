"""Result of the excess of disclosure: each question, and what is flagged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Status = Literal["within", "review", "fail", "not judged"]
Reason = Literal["", "no keys", "clusters", "other words", "drift", "nothing copyable"]
Basis = Literal["holdout", "other people"]

WORST: tuple[Status, ...] = ("within", "not judged", "review", "fail")
"""Statuses, the worst last."""


@dataclass(frozen=True)
class Question:
    """What a replica discloses of people of the original, and of other people.

    Attributes
    ----------
    keys : tuple of str
    target : str
        "" where it is asked who is alone with the keys (repU), else what DiSCO discloses.
    name : str
        In words.
    excess : float
        Points by which more people of the original are disclosed than of others.
    p : float
        Adjusted for all questions of its encoding.
    position : float or None
        Excess as a share of what the original itself would have in the replica's place. None
        where that is below a point, or the share is above 1.2: then it says nothing.
    share : float or None
        The same, however large.
    flagged : bool
        Whether more is disclosed, by a point or more and beyond chance.
    failed : bool
        Whether that fails the replica by itself: only beside a holdout.
    failed_if_people : bool
        Whether it does so beside a claim that the replica holds people of the original.
    copyable : bool
        Whether the original itself would be flagged in the replica's place.
    drift : bool
        Flagged by the holdout only: beside other people of the original it does not stand out.
    encoding : str
        Of keys and target: "as they are" or "in ten groups", that which says most.
    original, others : float
        Share of the people of the original, and of others, of whom the answer is disclosed, in
        percent. Without a holdout of as many records as both can have; see
        `sdcmetrics.measures.excess.left_out`.
    n : int
        People of the original.
    file : str
        Of a result over several files, which of them this is of.
    """

    keys: tuple[str, ...]
    target: str
    name: str
    excess: float
    p: float
    position: float | None
    share: float | None
    flagged: bool
    failed: bool
    failed_if_people: bool
    copyable: bool
    drift: bool
    encoding: str
    original: float
    others: float
    n: int
    file: str = ""

    @property
    def measure(self) -> str:
        """Which measure it is an excess of."""
        return "DiSCO" if self.target else "repU"

    @property
    def severity(self) -> tuple[bool, bool, bool, bool, float, float]:
        """What orders questions, the worst last."""
        return self.failed, self.failed_if_people, self.flagged, self.drift, -self.p, self.excess


@dataclass(frozen=True, repr=False)
class Excess:
    """What is learnt of people because they were in the file, by one file that is handed out.

    Attributes
    ----------
    reason : str
        Why it is not judged; "" where it is. "other words" is a reason of its own only where
        nothing else is: then no question could be asked, or not all.
    basis : "holdout" or "other people"
        Who the people of the original are set beside.
    questions : tuple of Question
        In the order in which they were asked.
    other_words : tuple of str
        Columns that the replica lacks or writes otherwise; what needs them was not asked.
    certain : tuple of (keys, target, percent)
        Whoever knows the keys learns the target of so many percent of the original, in it or not.
    cluster : str
        Which rows belong together; "" where no column says it.
    points, chance, limit : float
        Excess from which a question is flagged, its chance over both encodings, and the share of
        what the original itself would add from which it fails.
    file : str
        Which of several files this is of; "" for the only one.
    """

    reason: Reason
    basis: Basis
    questions: tuple[Question, ...] = ()
    other_words: tuple[str, ...] = ()
    certain: tuple[tuple[tuple[str, ...], str, float], ...] = ()
    cluster: str = ""
    points: float = 1.0
    chance: float = 0.01
    limit: float = 0.5
    file: str = ""

    def __repr__(self) -> str:
        what = self.reason or f"{len(self.flags)} of {self.n_questions} questions flagged"
        return f"Excess({self.basis}: {what})"

    def status(self, *, people_alarm: bool) -> Status:
        """Return the status.

        Parameters
        ----------
        people_alarm : bool
            Whether people of the original are claimed to be in the replica. Without a holdout it
            fails only then: a model that exaggerates a relation has an excess, too.
        """
        if self.failing(people_alarm=people_alarm):
            return "fail"
        if self.flags:
            return "review"
        return "not judged" if self.reason or self.other_words else "within"

    def failing(self, *, people_alarm: bool) -> tuple[str, ...]:
        """Name the questions that fail it."""
        return tuple(
            question.name
            for question in self.questions
            if question.failed or (people_alarm and question.failed_if_people)
        )

    @property
    def flags(self) -> tuple[str, ...]:
        """The questions on which more is disclosed of people of the original."""
        return tuple(question.name for question in self.questions if question.flagged)

    @property
    def fails(self) -> tuple[str, ...]:
        """Those that fail it; without a holdout only beside a claim about people."""
        return tuple(question.name for question in self.questions if question.failed_if_people)

    @property
    def copyable(self) -> tuple[str, ...]:
        """The questions on which a copy of the original would be noticed."""
        return tuple(question.name for question in self.questions if question.copyable)

    @property
    def silent(self) -> tuple[str, ...]:
        """The questions on which not even a copy would be noticed."""
        return tuple(question.name for question in self.questions if not question.copyable)

    @property
    def drifted(self) -> tuple[str, ...]:
        """The questions that only the holdout flags."""
        return tuple(question.name for question in self.questions if question.drift)

    @property
    def drift(self) -> bool:
        """Whether there are any of these."""
        return bool(self.drifted)

    @property
    def n_questions(self) -> int:
        """How many questions were asked."""
        return len(self.questions)

    @property
    def worst(self) -> Question | None:
        """The question that says most against the replica."""
        return max(self.questions, key=lambda question: question.severity, default=None)


@dataclass(frozen=True, repr=False)
class ExcessOfFiles:
    """The same of several files that are handed out together.

    The first file is judged as if it were the only one, so that no further file can make the
    verdict milder. The i-th file and the first i files as one are each judged at 1/(2 i (i + 1))
    of the level: over however many files the levels add up to one and a half.

    Attributes
    ----------
    files : tuple of Excess
        Of the first file, of the second, of both, of the third, ...; last, where that is flagged,
        of these together with files that were handed out earlier.
    earlier : int
        How many earlier files the last holds; 0 where none is flagged.
    """

    files: tuple[Excess, ...]
    earlier: int = 0

    @property
    def only_together(self) -> bool:
        """Whether flags arise only together with files that were handed out earlier."""
        return self.earlier > 0 and not any(file.flags for file in self.files[:-1])

    def __repr__(self) -> str:
        return f"ExcessOfFiles({self.whole!r}, {len(self.files)} looks)"

    @property
    def whole(self) -> Excess:
        """One result over all files: the worst of each question; a copy as in the first file."""
        first = self.files[0]
        if len(self.files) == 1:
            return first
        names = {question.name: None for file in self.files for question in file.questions}
        questions = []
        for name in names:
            each = [
                replace(question, file=file.file)
                for file in self.files
                for question in file.questions
                if question.name == name
            ]
            worst = max(each, key=lambda question: question.severity)
            copyable = any(
                question.copyable for question in first.questions if question.name == name
            )
            drift = any(question.drift for question in each) and not worst.flagged
            questions.append(replace(worst, copyable=copyable, drift=drift))
        words = {name: None for file in self.files for name in file.other_words}
        flagged = any(question.flagged for question in questions)
        reasons = [file.reason for file in self.files if file.reason]
        reason: Reason = "" if flagged or not reasons else reasons[0]
        return replace(
            first, reason=reason, questions=tuple(questions), other_words=tuple(words), file=""
        )

    def status(self, *, people_alarm: bool) -> Status:
        """Return the worst status of any of the files."""
        each = [file.status(people_alarm=people_alarm) for file in self.files]
        return max(each, key=WORST.index)

    def failing(self, *, people_alarm: bool) -> tuple[str, ...]:
        """Name the questions that fail any of them."""
        return self.whole.failing(people_alarm=people_alarm)

    @property
    def reason(self) -> Reason:
        """Why it is not judged."""
        return self.whole.reason

    @property
    def basis(self) -> Basis:
        """With whom people of the original are compared: a holdout, or other people of it."""
        return self.files[0].basis

    @property
    def questions(self) -> tuple[Question, ...]:
        """Each question, of the file with the clearest finding."""
        return self.whole.questions

    @property
    def flags(self) -> tuple[str, ...]:
        """The questions on which more is disclosed of people of the original."""
        return self.whole.flags

    @property
    def fails(self) -> tuple[str, ...]:
        """Those that fail it; without a holdout only beside a claim about people."""
        return self.whole.fails

    @property
    def copyable(self) -> tuple[str, ...]:
        """The questions on which a copy in the first file's place would be noticed."""
        return self.whole.copyable

    @property
    def silent(self) -> tuple[str, ...]:
        """The other questions."""
        return self.whole.silent

    @property
    def drifted(self) -> tuple[str, ...]:
        """The questions that only the holdout flags."""
        return self.whole.drifted

    @property
    def drift(self) -> bool:
        """Whether there are any of these."""
        return self.whole.drift

    @property
    def n_questions(self) -> int:
        """How many questions were asked."""
        return self.whole.n_questions

    @property
    def other_words(self) -> tuple[str, ...]:
        """Columns that a file lacks or writes otherwise."""
        return self.whole.other_words

    @property
    def certain(self) -> tuple[tuple[tuple[str, ...], str, float], ...]:
        """What whoever knows the keys learns of most people of the original, in it or not."""
        return self.files[0].certain

    @property
    def cluster(self) -> str:
        """Which rows belong together."""
        return self.files[0].cluster

    @property
    def worst(self) -> Question | None:
        """The question that says most against the replica."""
        return self.whole.worst
