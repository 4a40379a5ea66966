"""Where attacks are made, if a study asks for them: on a replica, by scenario, by target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks.exact_matches import exact_matches
from sdcmetrics.measures.attacks.inference import attribute_inference
from sdcmetrics.measures.attacks.linkability import linkability
from sdcmetrics.measures.attacks.membership import membership
from sdcmetrics.measures.attacks.record_linkage import RecordLinkage, record_linkage
from sdcmetrics.measures.attacks.result import AttackResult
from sdcmetrics.measures.attacks.section import Attacks
from sdcmetrics.measures.attacks.singling_out import singling_out
from sdcmetrics.measures.kind import Given, Kind, Place, Places, Plan, Tell, asks_for
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.yardstick import Marks, Yardstick

_OPTION = asks_for(Attacks)
_NO_HOLDOUT = (
    "there is no holdout: without records that the synthesis has not seen, what is learnt of "
    "anybody cannot be told from what is learnt of those who were in the original"
)
_UNDEFINED = "what fresh people give away leaves nothing to compare with"

Asked = Iterator[tuple[Place, dict[str, Any]]]


@dataclass(frozen=True)
class Attacked:
    """An attack by one synthesis, and the same attack by the original in its place."""

    found: AttackResult
    copied: AttackResult


def _everybody(pair: Pair, plan: Plan, wanted: Attacks) -> Asked:  # noqa: ARG001
    names = plan.options.variables
    yield (
        Place(),
        {
            "variables": None if names is None else list(names),
            "missing_codes": _codes(pair, names or pair.original.columns),
        },
    )


def _seeded(pair: Pair, plan: Plan, wanted: Attacks) -> Asked:
    for place, chosen in _everybody(pair, plan, wanted):
        yield place, {**chosen, "seed": plan.options.seed}


def _described(pair: Pair, plan: Plan, wanted: Attacks) -> Asked:
    for place, chosen in _seeded(pair, plan, wanted):
        width = min(wanted.columns, len(pair.beside_holdout.variables)) if pair.holdout else 1
        permutations = plan.options.permutations
        yield place, {**chosen, "columns": width, "permutations": permutations}


def _linked_files(pair: Pair, plan: Plan, wanted: Attacks) -> Asked:  # noqa: ARG001
    for scenario in plan.scenarios:
        keys, others = list(scenario.keys), list(scenario.targets)
        yield (
            Place(scenario=scenario.name, keys=tuple(keys)),
            {
                "keys": keys,
                "other_keys": others,
                "missing_codes": _codes(pair, [*keys, *others]),
                "permutations": plan.options.permutations,
                "seed": plan.options.seed,
            },
        )


def _inferred(pair: Pair, plan: Plan, wanted: Attacks) -> Asked:
    for scenario in plan.scenarios:
        for target in scenario.targets:
            yield (
                Place(scenario=scenario.name, keys=tuple(scenario.keys), target=target),
                {
                    "keys": list(scenario.keys),
                    "target": target,
                    "learner": wanted.learner,
                    "seeds": wanted.seeds,
                    "missing_codes": _codes(pair, [*scenario.keys, target]),
                    "permutations": plan.options.permutations,
                    "seed": plan.options.seed,
                },
            )


def _codes(pair: Pair, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: codes for name, codes in pair.missing_codes.items() if name in names}


def _places(
    attack: Callable[..., AttackResult], words: str, asked: Callable[[Pair, Plan, Attacks], Asked]
) -> Places:
    def places(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
        wanted = plan.section(Attacks)
        if wanted is None or words not in wanted.kinds:
            return
        for place, chosen in asked(pair, plan, wanted):
            if plan.sample is not None:
                chosen["household"] = plan.sample.beside_holdout[0]
            tell(words)
            if pair.holdout is None:
                yield Given(words, (place,), reason=_NO_HOLDOUT)
                continue
            try:
                if (words, place) not in pair.shared:  # it does not depend on the replica
                    copied = attack(pair.original, pair.original, pair.holdout, **chosen)
                    pair.shared[words, place] = copied
                copied = pair.shared[words, place]
                each = tuple(
                    Attacked(attack(pair.original, one, pair.holdout, **chosen), copied)
                    for one in pair.syntheses
                )
            except (DataError, StudyError) as reason:
                yield Given(words, (place,), reason=str(reason))
                continue
            notes = dict.fromkeys(note for one in each for note in one.found.notes)
            yield Given(
                words,
                (place,),
                each,
                undefined="; ".join(notes) or _UNDEFINED,
                marks=partial(_marks, each),
                result=tuple(one.found for one in each),
            )

    return places


def _marks(each: Sequence[Attacked], measures: Sequence[Measure], i: int) -> Mapping[str, Marks]:
    def of(yardstick: Yardstick | None) -> Marks:
        if yardstick is None or not callable(yardstick.copy):
            return Marks()
        fresh = yardstick.fresh
        beside = fresh(each[i]) if callable(fresh) else fresh
        marks = Marks(copy=yardstick.copy(each[i]))
        return marks if beside is None else Marks(copy=marks.copy, fresh=beside)

    return {one.symbol: of(one.yardstick) for one in measures}


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
                    one,
                    keys=list(scenario.keys),
                    links=links,
                    missing_codes=_codes(pair, names),
                )
                for one in pair.syntheses
            )
        except (DataError, StudyError) as reason:
            yield Given(step, (place,), reason=str(reason))
        else:
            yield Given(step, (place,), each, marks=partial(_marks_of_links, each), result=each)


def _marks_of_links(
    each: Sequence[RecordLinkage], measures: Sequence[Measure], i: int
) -> Mapping[str, Marks]:
    def copy(measure: Measure) -> float:
        mark = math.nan if measure.yardstick is None else measure.yardstick.copy
        return float(mark(each[i]) if callable(mark) else mark)

    return {one.symbol: Marks(copy=copy(one)) for one in measures}


def _kind(
    words: str,
    attack: Callable[..., AttackResult],
    asked: Callable[[Pair, Plan, Attacks], Asked],
    per: Literal["target", "scenario", ""] = "",
) -> Kind:
    return Kind(
        words,
        "`Attacked`; a number",
        _places(attack, words, asked),
        per=per,
        holdout=True,
        option=_OPTION,
    )


MEMBERSHIP = _kind("membership", membership, _seeded)
MATCHES = _kind("exact matches", exact_matches, _everybody)
SINGLED_OUT = _kind("singling out", singling_out, _described)
LINKABILITY = _kind("linkability", linkability, _linked_files, "scenario")
INFERENCE = _kind("attribute inference", attribute_inference, _inferred, "target")
LINKED = Kind(
    "records linked to their originals",
    "`RecordLinkage`; a Counted or a number",
    _links,
    per="scenario",
    option=_OPTION,
)
