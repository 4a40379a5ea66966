"""Places of measures by keys: every scenario and target, and every key."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sdcmetrics.errors import DataError
from sdcmetrics.measures.anonymity.replicated_special_uniques import (
    MOST_KEYS,
    cut_originals,
    shown_of,
)
from sdcmetrics.measures.anonymity.special_uniques import combine, minimal_uniques
from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import ITSELF, References
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.coding import by_group_or_value, encode
from sdcmetrics.microdata.columns import Kind as ColumnKind
from sdcmetrics.results import Counted, Share

SpecialUniqueShares = tuple[float, float, float, float]
"""Special uniques, and in percent of them present, unique and right in a replica."""


@dataclass(frozen=True)
class Files:
    """An original and one synthesis by the keys of a scenario and one target.

    Attributes
    ----------
    counts : KeyTargetCounts
    ordered : bool
        Whether target levels are numbers or dates, in order.
    fraction : float
        Original records over people in the population; NaN where that is not known.
    special : int
        Original records that are alone by up to three keys.
    shown : SpecialUniqueShares
        What the synthesis shows of the original's special uniques.
    """

    counts: KeyTargetCounts
    ordered: bool
    fraction: float
    special: int
    shown: SpecialUniqueShares


@dataclass(frozen=True)
class OneKey:
    """How many original records are unique by all keys, and by all but one."""

    n: int
    uniques: int
    without: int


def _files(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    options, data = plan.options, pair.data
    size = options.population_size if plan.sample is None else plan.sample.people
    leaves_out = frozenset() if size else frozenset({"match_risk", "match_risk_replica"})
    for scenario in plan.scenarios:
        tell(f"keys of {scenario.name}")
        keys = [name for name in pair.original.columns if name in scenario.keys]
        rules = by_group_or_value(keys, options.ngroups_keys)
        coded = encode(data, rules, keys)
        index = index_keys(coded, keys)
        levels = np.stack([index.levels[name] for name in keys])
        levels_of = [levels[:, part] for part in index.parts]
        special = list(minimal_uniques(levels_of[0], min(MOST_KEYS, len(keys))))
        who = (
            np.concatenate([unique.records for unique in special]) if special else np.zeros(0, int)
        )
        shown = [shown_of(special, levels_of[0], [replica]) for replica in levels_of[1:]]
        references = partial(_reference_values, pair.records, plan, keys)
        outside = partial(pair.cached, ("outside", scenario.name), references)
        for target in scenario.targets:
            rule = by_group_or_value([target], options.ngroups_targets)
            variable = encode(data, rule, [target]).variables
            both = type(coded)({**coded.variables, **variable}, data.sizes)
            each = tuple(
                Files(
                    count_keys_and_target(both, index, target, synthesis=i)[0],
                    data.variables[target].kind in (ColumnKind.NUMBER, ColumnKind.DATE),
                    data.sizes[0] / size if size else math.nan,
                    len(np.unique(who)),
                    shown[i - 1],
                )
                for i in range(1, pair.m + 1)
            )
            yield Given(
                f"keys of {scenario.name}",
                (Place(scenario=scenario.name, keys=tuple(keys), target=target),),
                each,
                leaves_out=leaves_out,
                references=partial(_references, each, outside),
                result=each,
            )


def _reference_values(
    pair: Pair | None, plan: Plan, keys: Sequence[str]
) -> list[tuple[int, SpecialUniqueShares, SpecialUniqueShares, SpecialUniqueShares]]:
    """Return replicated special uniques of the holdout, of as many originals, and of a copy.

    Grouped anew with the holdout, so that groups favour nobody.
    """
    if pair is None or pair.holdout is None:
        return []
    try:
        data = pair.columns(keys, holdout=True)
    except DataError:  # it has no such keys
        return []
    index = index_keys(encode(data, by_group_or_value(keys, plan.options.ngroups_keys), keys), keys)
    levels = np.stack([index.levels[name] for name in keys])
    original, *replicas, holdout = (levels[:, part] for part in index.parts)
    size, h = min(MOST_KEYS, len(keys)), holdout.shape[1]
    outside = list(minimal_uniques(holdout, size))
    cuts = cut_originals(original, h, size, plan.options.seed)
    copy = _mean([shown_of(special, people, [original]) for special, people in cuts])
    return [
        (
            min(h, original.shape[1]),
            shown_of(outside, holdout, [replica]),
            _mean([shown_of(special, people, [replica]) for special, people in cuts]),
            copy,
        )
        for replica in replicas
    ]


def _mean(figures: Sequence[SpecialUniqueShares]) -> SpecialUniqueShares:
    return tuple(np.mean(figures, axis=0).tolist())


def _references(
    each: Sequence[Files],
    outside: Callable[
        [], list[tuple[int, SpecialUniqueShares, SpecialUniqueShares, SpecialUniqueShares]]
    ],
    measures: Sequence[Measure],
    i: int,
) -> Mapping[str, References]:
    by_symbol = {measure.symbol: measure for measure in measures}

    def of(measure: Measure) -> References:
        reference_values = measure.reference_values
        if reference_values is None:
            return References()
        if reference_values.at is not None:
            place = measure.show["column"]
            return References(copy=100.0, **_at(outside(), i, place))
        copy = reference_values.copy
        if isinstance(copy, str):
            other = measure if copy == ITSELF else by_symbol[copy]
            return References(copy=_number(other, other.function(each[i])))
        return References(copy=copy(each[i]) if callable(copy) else copy)

    return {measure.symbol: of(measure) for measure in measures}


def _at(
    references: list[tuple[int, SpecialUniqueShares, SpecialUniqueShares, SpecialUniqueShares]],
    i: int,
    place: int,
) -> dict[str, float]:
    if not references:
        return {}
    k, of_holdout, of_original, of_copy = references[i]
    return {
        "at": k,
        "copy_at": of_copy[place],
        "value_at": of_original[place],
        "outsiders": of_holdout[place],
    }


def _number(measure: Measure, value: Any) -> float:
    if isinstance(value, Share):
        return value.percent if measure.unit == "percent" else value.proportion
    return value.value if isinstance(value, Counted) else float(value)


def _keys(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    for scenario in plan.scenarios:
        keys = [name for name in pair.original.columns if name in scenario.keys]
        if len(keys) < 2:  # noqa: PLR2004  (a single key cannot be left out)
            continue
        step = f"which keys of {scenario.name} matter"
        tell(step)
        rules = by_group_or_value(keys, plan.options.ngroups_keys)
        coded = encode(pair.data, rules, keys)
        index = index_keys(coded, keys)
        codes = np.stack([index.levels[key] for key in keys])[:, index.parts[0]]
        whole = _alone(codes)
        for i, key in enumerate(keys):
            single = OneKey(coded.sizes[0], whole, _alone(np.delete(codes, i, axis=0)))
            place = Place(scenario=scenario.name, keys=tuple(keys), variables=(key,))
            yield Given(step, (place,), (single,), references=partial(_references_of_key, single))


def _alone(codes: Ints) -> int:
    return int((np.bincount(combine(codes)) == 1).sum())


def _references_of_key(
    key: OneKey, measures: Sequence[Measure], _: int
) -> Mapping[str, References]:
    return {m.symbol: References(copy=_number(m, m.function(key))) for m in measures}


FILES = Kind(
    "files by their keys",
    "`Files`; a number, a Share or a Counted",
    _files,
    per="target",
    counted=True,
    symbols={
        "f": "share of the population that the file has",
        "n_1": "records that are alone with their keys",
        "n_2": "key combinations that two records have",
        "d_q": "original records with a key combination",
        "s_q": "replica records with a key combination",
        "N_d": "original records",
        "N_s": "replica records",
        "minimal sample unique": "some keys by which a record is alone, but by no part of them",
        "minimal sample uniques": "some keys by which a record is alone, but by no part of them",
    },
)
ONE_KEY = Kind(
    "the original without a key", "`OneKey`; a Share", _keys, per="variable", counted=True
)
