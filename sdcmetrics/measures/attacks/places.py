"""Places of attacks, if a study asks for them: replicas, scenarios and targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks.epsilon import EpsilonBound, bound_epsilon
from sdcmetrics.measures.attacks.exact_matches import match_exactly
from sdcmetrics.measures.attacks.inference import infer_target
from sdcmetrics.measures.attacks.linkability import link_parts
from sdcmetrics.measures.attacks.manifold import measure_manifold
from sdcmetrics.measures.attacks.membership import infer_membership
from sdcmetrics.measures.attacks.people import People, people
from sdcmetrics.measures.attacks.record_linkage import RecordLinkage, record_linkage
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.attacks.section import Attacks, claim_of
from sdcmetrics.measures.attacks.singling_out import single_out
from sdcmetrics.measures.generator import Claim, Generators
from sdcmetrics.measures.kind import Given, Kind, Place, Places, Plan, Tell, asks_for
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References, ReferenceValues
from sdcmetrics.microdata.frames import Microdata

_OPTION = asks_for(Attacks)
_NO_HOLDOUT = (
    "there is no holdout: without records that the synthesis has not seen, what is learnt of "
    "anybody cannot be told from what is learnt of those who were in the original"
)
_NOT_RANDOM = (
    "a bound of epsilon holds where original and holdout are one set of people, divided at random "
    "before the synthesis: say random_holdout = true in [attacks] if that is so"
)
_UNDEFINED = "what is given away of the holdout leaves nothing to compare with"


@dataclass(frozen=True)
class Attacked:
    """An attack by one synthesis, and the same attack by the original in its place."""

    result: AttackResult
    copied: AttackResult


@dataclass(frozen=True)
class _Planned:
    """An attack to make: where, on which columns (None: all), and how."""

    place: Place
    columns: tuple[str, ...] | None
    options: Mapping[str, Any]
    copy_is_scored: bool = False
    """Whether the result has what a copy scores, which need not be computed per replica."""


def _everybody(_: Pair, plan: Plan, __: Attacks) -> Iterator[_Planned]:
    names = plan.options.variables
    yield _Planned(Place(), None, {"variables": None if names is None else list(names)})


def _seeded(_: Pair, plan: Plan, __: Attacks) -> Iterator[_Planned]:
    yield _Planned(Place(), plan.options.variables, {"seed": plan.options.seed})


def _described(pair: Pair, plan: Plan, wanted: Attacks) -> Iterator[_Planned]:
    width = min(wanted.columns, len(pair.beside_holdout.variables)) if pair.holdout else 1
    options = {"columns": width, "permutations": plan.options.permutations}
    yield _Planned(
        Place(),
        plan.options.variables,
        {**options, "seed": plan.options.seed},
        copy_is_scored=True,
    )


def _linked_files(_: Pair, plan: Plan, __: Attacks) -> Iterator[_Planned]:
    for scenario in plan.scenarios:
        keys, others = list(scenario.keys), list(scenario.targets)
        yield _Planned(
            Place(scenario=scenario.name, keys=tuple(keys)),
            (*keys, *others),
            {
                "keys": keys,
                "other_keys": others,
                "permutations": plan.options.permutations,
                "seed": plan.options.seed,
            },
            copy_is_scored=True,
        )


def _inferred(_: Pair, plan: Plan, wanted: Attacks) -> Iterator[_Planned]:
    for scenario in plan.scenarios:
        for target in scenario.targets:
            yield _Planned(
                Place(scenario=scenario.name, keys=tuple(scenario.keys), target=target),
                (*scenario.keys, target),
                {
                    "target": target,
                    "learner": wanted.learner,
                    "seeds": wanted.seeds,
                    "permutations": plan.options.permutations,
                    "seed": plan.options.seed,
                },
            )


def _codes(pair: Pair, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: codes for name, codes in pair.missing_codes.items() if name in names}


def _looks(pair: Pair) -> list[Sequence[Microdata]]:
    """Return all syntheses stacked and, where there are several, each alone."""
    files = pair.syntheses
    return [files, *([file] for file in files)] if len(files) > 1 else [files]


def _people(
    pair: Pair, plan: Plan, files: Sequence[Microdata], columns: tuple[str, ...] | None
) -> People:
    """Return original, files and holdout over one codebook; made once for all attacks."""
    names = pair.original.columns if columns is None else columns
    household = None if plan.sample is None else plan.sample.beside_holdout[0]

    def make() -> People:
        return people(
            pair.original,
            files,
            pair.holdout,
            variables=columns,
            missing_codes=_codes(pair, names),
            household=household,
        )

    data: People = pair.cached(("people", *map(id, files), columns), make)  # names may be the same
    return data


def _places(
    attack: Callable[..., AttackResult],
    words: str,
    attacks_of: Callable[[Pair, Plan, Attacks], Iterator[_Planned]],
) -> Places:
    def copied(pair: Pair, plan: Plan, attack_options: _Planned) -> AttackResult:
        """Attack the original in a replica's place; it does not depend on the replica."""
        data = _people(pair, plan, [pair.original], attack_options.columns).copied()
        if not attack_options.copy_is_scored:
            return attack(data, **attack_options.options)
        result = attack(data, **attack_options.options, copy=math.nan)
        return replace(result, copy=result.training)

    def places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
        wanted = plan.section(Attacks)
        if wanted is None or words not in wanted.kinds:
            return
        for planned in attacks_of(pair, plan, wanted):
            tell(words)
            place = planned.place
            if pair.holdout is None:
                yield Given(words, (place,), reason=_NO_HOLDOUT)
                continue
            try:
                copy = pair.cached(
                    (words, place), partial(copied, pair, plan, planned), shared=True
                )
                scored = {"copy": copy.copy} if planned.copy_is_scored else {}

                parts = [_people(pair, plan, files, planned.columns) for files in _looks(pair)]
                results = [attack(part, **planned.options, **scored) for part in parts]
                whole, *alone = (Attacked(result, copy) for result in results)
            except (DataError, StudyError) as reason:
                yield Given(words, (place,), reason=str(reason))
                continue
            notes = dict.fromkeys(note for result in results for note in result.notes)
            yield Given(
                words,
                (place,),
                each := tuple(alone) or (whole,),
                whole=whole if alone else None,
                undefined="; ".join(notes) or _UNDEFINED,
                references=partial(_references, each),
                whole_references=partial(_references, (whole,)),
                result=replace(whole.result, per_synthesis=tuple(results[1:])),
            )

    return places


def _references(
    each: Sequence[Any], measures: Sequence[Measure], i: int = 0
) -> Mapping[str, References]:
    def of(reference_values: ReferenceValues | None) -> References:
        if reference_values is None or not callable(reference_values.copy):
            return References()
        fresh = reference_values.fresh
        reference = fresh(each[i]) if callable(fresh) else fresh
        references = References(copy=reference_values.copy(each[i]))
        return (
            references if reference is None else References(copy=references.copy, fresh=reference)
        )

    return {measure.symbol: of(measure.reference_values) for measure in measures}


@dataclass(frozen=True)
class Bounded:
    """A bound of epsilon, the same by the original in the replica's place, and what is claimed."""

    bound: EpsilonBound
    copied: EpsilonBound
    claim: Claim | None

    @property
    def shown(self) -> tuple[float, float]:
        """The bound, and the largest that could be shown; the delta of a claim is allowed for."""
        return self.bound.at_delta(self.claim.delta if self.claim else 0.0)

    @property
    def contradicted(self) -> bool:
        """Whether the claim is below the bound."""
        return self.claim is not None and self.shown[0] > self.claim.epsilon

    @property
    def beyond(self) -> float:
        """The bound less the epsilon of the claim."""
        return math.nan if self.claim is None else self.shown[0] - self.claim.epsilon

    @property
    def copy_beyond(self) -> float:
        """The same of the original in the replica's place."""
        return replace(self, bound=self.copied).beyond


def _epsilon(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    wanted = plan.section(Attacks)
    if wanted is None or "epsilon" not in wanted.kinds:
        return
    step, place = "epsilon", Place()
    tell(step)
    if pair.holdout is None or not wanted.random_holdout:
        reason = _NO_HOLDOUT if pair.holdout is None else _NOT_RANDOM
        yield Given(step, (place,), reason=reason)
        return
    columns, seed = plan.options.variables, plan.options.seed

    def copied() -> EpsilonBound:
        return bound_epsilon(_people(pair, plan, [pair.original], columns).copied(), seed=seed)

    try:
        parts = [_people(pair, plan, files, columns) for files in _looks(pair)]
        whole, *alone = (bound_epsilon(part, seed=seed) for part in parts)
        copy = pair.cached((step, place), copied, shared=True)
    except (DataError, StudyError) as reason:
        yield Given(step, (place,), reason=str(reason))
        return
    claim = claim_of(wanted, plan.section(Generators), pair.name)
    bounded = Bounded(whole, copy, claim)
    each = tuple(Bounded(result, copy, claim) for result in alone)
    yield Given(
        step,
        (place,),
        each or (bounded,),
        whole=bounded if alone else None,
        leaves_out=frozenset({"epsilon_beyond"} if claim is None else ()),
        references=partial(_references, each or (bounded,)),
        whole_references=partial(_references, (bounded,)),
        result=(bounded, *each),
    )


def _precise(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    wanted = plan.section(Attacks)
    step, place = "precision and recall", Place()
    if wanted is None or step not in wanted.kinds:
        return
    tell(step)
    if pair.holdout is None:
        yield Given(step, (place,), reason=_NO_HOLDOUT)
        return
    try:
        each = tuple(
            measure_manifold(
                _people(pair, plan, [file], plan.options.variables), seed=plan.options.seed
            )
            for file in pair.syntheses
        )
    except (DataError, StudyError) as reason:
        yield Given(step, (place,), reason=str(reason))
        return
    yield Given(step, (place,), each, references=partial(_references, each), result=each)


def _links(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    wanted = plan.section(Attacks)
    links = "" if wanted is None else wanted.links.get(pair.name, "")
    for scenario in plan.scenarios if links else ():
        step = "records linked to their originals"
        tell(step)
        place = Place(scenario=scenario.name, keys=tuple(scenario.keys))
        names = [*scenario.keys, links]
        try:
            each = tuple(
                record_linkage(
                    pair.original,
                    synthesis,
                    keys=list(scenario.keys),
                    links=links,
                    missing_codes=_codes(pair, names),
                )
                for synthesis in pair.syntheses
            )
        except (DataError, StudyError) as reason:
            yield Given(step, (place,), reason=str(reason))
        else:
            yield Given(
                step, (place,), each, references=partial(_references_of_links, each), result=each
            )


def _references_of_links(
    each: Sequence[RecordLinkage], measures: Sequence[Measure], i: int
) -> Mapping[str, References]:
    def copy(measure: Measure) -> float:
        mark = math.nan if measure.reference_values is None else measure.reference_values.copy
        return float(mark(each[i]) if callable(mark) else mark)

    return {measure.symbol: References(copy=copy(measure)) for measure in measures}


def _kind(
    words: str,
    attack: Callable[..., AttackResult],
    attacks_of: Callable[[Pair, Plan, Attacks], Iterator[_Planned]],
    per: Literal["target", "scenario", ""] = "",
) -> Kind:
    return Kind(
        words,
        "`Attacked`; a number",
        _places(attack, words, attacks_of),
        per=per,
        holdout=True,
        option=_OPTION,
    )


MEMBERSHIP = _kind("membership", infer_membership, _seeded)
EPSILON = Kind(
    "epsilon",
    "`Bounded`; a number",
    _epsilon,
    holdout=True,
    option=_OPTION,
    symbols={
        "r": "people who are guessed to have been in the original",
        "v": "right guesses among them",
        "N": "records of original and holdout",
        "delta": "what the generator is said to keep",
    },
)
MATCHES = _kind("exact matches", match_exactly, _everybody)
MANIFOLD = Kind(
    "precision and recall",
    "`Manifold`; a number",
    _precise,
    holdout=True,
    option=_OPTION,
    symbols={
        "s": "a record of the replica",
        "o": "a record of the original",
        "d": "distance",
        "P": "share of replica records",
        "m": "replica records",
    },
)
SINGLED_OUT = _kind("singling out", single_out, _described)
LINKABILITY = _kind("linkability", link_parts, _linked_files, "scenario")
INFERENCE = _kind("attribute inference", infer_target, _inferred, "target")
LINKED = Kind(
    "records linked to their originals",
    "`RecordLinkage`; a Counted or a number",
    _links,
    per="scenario",
    option=_OPTION,
)
