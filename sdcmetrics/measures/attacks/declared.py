"""Attacks on who was in the original, beside the same on the holdout: the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from sdcmetrics.measures.attacks.declared_manifold import MANIFOLD_MEASURES
from sdcmetrics.measures.attacks.places import (
    EPSILON,
    INFERENCE,
    LINKABILITY,
    LINKED,
    MATCHES,
    MEMBERSHIP,
    SINGLED_OUT,
    Attacked,
)
from sdcmetrics.measures.attacks.record_linkage import RecordLinkage
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.attacks.section import Attacks
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import DISCLOSURE_RISK, P_VALUE, Measure, Release
from sdcmetrics.measures.reference_values import ReferenceValues
from sdcmetrics.measures.subject import Subject
from sdcmetrics.results import Counted

_BOUND = "A lower bound: a better attack may find more. "
_PEOPLE = (
    "Takes records to be independent unless told who lives together: whole households in one file "
    "look like leaks."
)
_GIOMI = "Giomi, Boenisch, Wehmeyer and Tasnadi (2023), PoPETs"

Value = Callable[[AttackResult], float]


def _own(value: Value, holdout: float | Value | None = None) -> ReferenceValues:
    """Return the reference values of an attack, which is made on a copy and on the holdout too.

    The p of the holdout is any number from 0 to 1.
    """
    return ReferenceValues(
        "P3",
        lambda evidence: value(evidence.copied),
        "yes",
        "original and holdout",
        fresh=(lambda evidence: holdout(evidence.result)) if callable(holdout) else holdout,
    )


def _of(value: Value) -> Callable[[Attacked], float]:
    return lambda evidence: value(evidence.result)


def _p(result: AttackResult) -> float:
    return result.p_value


def _percent(result: AttackResult) -> float:
    return 100.0 * result.training


def _control(result: AttackResult) -> float:
    return 100.0 * result.control


def _excess(result: AttackResult) -> float:
    return result.excess


_risk = partial(Measure, family=DISCLOSURE_RISK, ideal=None)


def _four(  # noqa: PLR0913  (what a reader is told)
    kind: Kind,
    title: str,
    *,
    symbol: str,
    phrase: str,
    holdout: str,
    says: str,
    formula: str,
    source: str,
    limits: str,
    excess: str = "1 - (1 - training) / (1 - control)",
) -> Iterator[Measure]:
    """Yield success on the original, on the holdout, the excess and its p."""
    declare = partial(_risk, of=kind, source=source)
    yield declare(
        symbol=symbol,
        reference_values=_own(_percent, _control),
        title=title,
        function=_of(_percent),
        low=0,
        high=100,
        unit="percent",
        better="lower",
        baseline=f"{symbol}_control",
        says=says,
        show={"p": f"{symbol}_p"},
        meaning=f"{phrase}.",
        formula=formula,
        limits=f"What holds of people who were not in the original as well is no leak: read "
        f"{symbol}_excess. {limits}",
    )
    yield declare(
        symbol=f"{symbol}_control",
        reference_values=ReferenceValues(
            "P3", lambda evidence: _control(evidence.copied), "no", "original and holdout"
        ),
        title=f"{title}: holdout",
        function=_of(_control),
        low=0,
        high=100,
        unit="percent",
        better="none",
        meaning=f"{holdout}: what the replica teaches about anybody.",
        formula=f"{formula}, of the holdout",
        limits="It cannot tell a copy from people who were not in the original. " + limits,
    )
    yield declare(
        symbol=f"{symbol}_excess",
        reference_values=_own(_excess, 0.0),
        title=f"{title}: excess over the holdout",
        function=_of(_excess),
        low=None,
        high=1,
        better="lower",
        meaning="Of what is not learnt about anybody, the share that is learnt about those who "
        "were in the original; 0 for a replica that knows nobody.",
        formula=excess,
        limits=limits,
    )
    yield declare(
        symbol=f"{symbol}_p",
        reference_values=_own(_p),
        title=f"{title}: p",
        function=_of(_p),
        meaning="Probability that original and holdout, labels given at random, differ so much.",
        formula="one-sided, by exact counts or permuted labels",
        limits=limits,
        **P_VALUE,
    )


def _linked(linked: RecordLinkage) -> Counted:
    return Counted(
        100.0 * linked.risk, linked.risk * len(linked.per_record), len(linked.per_record)
    )


MEASURES: tuple[Measure, ...] = (
    _risk(
        symbol="membership_AUC",
        of=MEMBERSHIP,
        reference_values=_own(lambda result: result.training, 0.5),
        release=Release("band", (0.55, 0.6, 0.7, 0.8)),
        title="Membership inference: area under the curve",
        function=_of(lambda result: result.training),
        low=0,
        high=1,
        better="lower",
        aliases=("membership inference",),
        says="By {replica} people of the original are told from those of the holdout, beyond "
        "chance (membership_p); one of the original is nearer to it than one of the holdout with a "
        "chance of {value} (membership_AUC; 0.5 if it knows nobody).",
        show={"p": "membership_p"},
        meaning="Chance that a person of the original is nearer to the replica than one of the "
        "holdout: "
        "0.5 if it knows nobody, 1 for a copy.",
        formula="P(d(original, replica) < d(holdout, replica)) + half of the ties; Gower's d",
        source="Newcombe (2006), Statistics in Medicine 25; Pilgram et al. (2025), Patterns 101320",
        limits="An average: ten who leak do not move it, so membership_p looks at those who are "
        f"nearest as well. {_BOUND}{_PEOPLE}",
    ),
    _risk(
        symbol="membership_p",
        of=MEMBERSHIP,
        reference_values=_own(_p),
        title="Membership inference: p",
        function=_of(_p),
        meaning="Probability that labels given at random make any of five scores of who was in "
        "the original differ so surely: how near people are to the replica, seen in several ways, "
        "on average, among those who are nearest and among rare people, and value by value.",
        formula="P(min p/w of labels given at random <= min p/w), p of a score's sum, w its "
        "part of the level",
        source="Westfall and Young (1993); scores after van Breugel et al. (2023), Hilprecht et "
        "al. (2019) and Ward et al. (2024)",
        limits="Values that were taken from the original column by column are enough for a small "
        "one, though they tell of no person. " + _BOUND + _PEOPLE,
        **P_VALUE,
    ),
    _risk(
        symbol="epsilon_bound",
        of=EPSILON,
        reference_values=ReferenceValues(
            "P3", lambda evidence: evidence.copied.epsilon, "yes", "original and holdout", fresh=0.0
        ),
        title="Lower bound of epsilon",
        function=lambda evidence: evidence.bound.epsilon,
        low=0,
        high=None,
        better="lower",
        aliases=("differential privacy", "epsilon"),
        meaning="A generator that kept a smaller epsilon of replace-one differential privacy would "
        "show so many people of the original in at most 5 of 100 cases.",
        formula="largest of the epsilons at which P(v or more of r guesses are right) is .05/4, by "
        "Fisher's noncentral hypergeometric law with odds exp(epsilon); r = 10, 30, 100, 300",
        source="after Jagielski, Ullman and Oprea (2020), NeurIPS; Steinke, Nasr and Jagielski "
        "(2023), NeurIPS",
        limits="0 certifies nothing: of a generator that keeps 4 it mostly is 0. It holds where "
        "original and holdout were divided at random before the synthesis.",
    ),
    _risk(
        symbol="epsilon_beyond",
        of=EPSILON,
        reference_values=ReferenceValues(
            "P3",
            lambda evidence: evidence.copy_beyond,
            "yes",
            "original and holdout",
        ),
        title="Lower bound of epsilon beyond the declared one",
        function=lambda evidence: evidence.beyond,
        low=None,
        high=None,
        better="lower",
        meaning="Above 0 this release contradicts the epsilon that its generator is said to keep.",
        formula="epsilon_bound, at a level smaller by 2 N delta, less the epsilon that is claimed "
        "of replacing a record, or twice that of adding or removing it",
        source="see epsilon_bound",
        limits="Below 0 it says nothing: it contradicts a declared epsilon, and certifies none.",
    ),
    *_four(
        INFERENCE,
        "Attribute inference",
        symbol="attribute_inference",
        phrase="Original records whose target a model of the replica infers rightly from the keys",
        holdout="The same of the holdout",
        says="A model of {replica} infers {target}{where} rightly for {value} of the original "
        "records, and for {beside} of the holdout's (attribute_inference).",
        formula="100 mean [inferred = true]; numbers: within 5 % of the 5th to 95th percentile",
        source=_GIOMI,
        limits=f"One learner, one set of keys. {_BOUND}{_PEOPLE}",
    ),
    *_four(
        LINKABILITY,
        "Linkability",
        symbol="linkability",
        phrase="Chance that the same replica record is nearest to a person's keys and to the "
        "person's targets, so that two files of the person are linked",
        holdout="The same of the holdout",
        says="Two files of a person, one with the keys and one with the targets{where}, are linked "
        "through {replica} for {value} of the original records, and for {beside} of the holdout's "
        "(linkability).",
        formula="100 mean chance that the nearest by keys and by targets is one record",
        source=_GIOMI,
        limits=f"Coarse keys keep even a copy from linking. {_BOUND}{_PEOPLE}",
    ),
    *_four(
        SINGLED_OUT,
        "Singling out",
        symbol="singling_out",
        phrase="Descriptions that fit one replica record and exactly one of as many original "
        "records as the holdout has",
        holdout="Descriptions that fit exactly one of as many holdout records",
        says="Of descriptions that fit one record of {replica}, {value} fit exactly one original "
        "record, and {beside} one of as many holdout records (singling_out).",
        formula="100 mean P(exactly one of k records fits), k the size of the smaller of original "
        "and holdout",
        source=f"{_GIOMI}; Cohen and Nissim (2020), PNAS 117(15)",
        limits=f"Of descriptions by columns that were drawn. {_BOUND}{_PEOPLE}",
        excess="training - control, as proportions",
    ),
    *_four(
        MATCHES,
        "Exact matches of unique people",
        symbol="exact_matches",
        phrase="People unlike everybody else in original and holdout whom the replica holds in "
        "every column",
        holdout="Holdout records unlike all others that the replica holds",
        says="{replica} holds {value} of the people of the original who are unlike everybody else "
        "in every column, and {beside} of such people in the holdout (exact_matches).",
        formula="100 #{unique in original and holdout, in the replica} / #{unique}",
        source="after SDNist's unique exact matches (NIST), counted in original and holdout",
        limits=f"One value that differs hides a copy. {_PEOPLE}",
    ),
    *MANIFOLD_MEASURES,
    _risk(
        symbol="linkage_risk",
        of=LINKED,
        reference_values=ReferenceValues(
            "P2", lambda linked: 100.0 * float(linked.methods["itself"].max()), "yes", "original"
        ),
        title="Perturbed records that lead back to their originals",
        function=_linked,
        low=0,
        high=100,
        unit="percent",
        better="lower",
        aliases=("record linkage",),
        says="Whoever knows the keys{where} finds the right record of {replica} for {value} of the "
        "original records (linkage_risk).",
        meaning="Chance that an intruder who knows the keys picks a person's perturbed record, by "
        "the worst of four methods.",
        formula="100 mean [true record among the best] / number of the best",
        source="Fellegi and Sunter (1969); Domingo-Ferrer and Torra (2003)",
        limits="For files whose records each come from one person, as [attacks] links says.",
    ),
    _risk(
        symbol="linkage_protection",
        of=LINKED,
        reference_values=ReferenceValues("P2", 0.0, "yes", "constant"),
        title="Protection from linkage that was bought",
        function=lambda linked: 100.0 * linked.protection,
        low=-100,
        high=100,
        unit="percent",
        better="higher",
        meaning="By how much the linkage risk is below that of the original handed out itself.",
        formula="linkage risk of the original against itself - linkage_risk",
        source="Domingo-Ferrer and Torra (2003), Statistics and Computing 13",
        limits="In percentage points, of the worst method.",
    ),
)

SUBJECT = Subject("attacks", tuple(MEASURES), section=Attacks)
