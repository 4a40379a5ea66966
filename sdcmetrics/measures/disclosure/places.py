"""Where disclosure is measured: every scenario and target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError
from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_beside_each_other,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.disclosure.disclosure import Options, measure
from sdcmetrics.measures.disclosure.reference_values import TargetReferences
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.microdata.coding import Coded, by_group_or_value, encode

Cells = tuple[npt.NDArray[np.int64], ...]
CountsOfTarget = Callable[[str, int], tuple[tuple[KeyTargetCounts, ...], Cells]]
"""Gives the original beside synthesis i (from 1) and beside the holdout, for a target, and the cell
of each record of original, synthesis and holdout."""


def _targets(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    options, data = plan.options, pair.data
    for scenario in plan.scenarios:
        keys = [name for name in pair.original.columns if name in scenario.keys]
        coded_keys = encode(data, by_group_or_value(keys, options.ngroups_keys), keys)
        index = index_keys(coded_keys, keys)
        of_holdout = _holdout(pair, plan, keys, scenario.targets)
        for target in scenario.targets:
            step = f"disclosure of {target}"
            tell(step)
            coded_target = encode(
                data, by_group_or_value([target], options.ngroups_targets), [target]
            )
            coded = Coded({**coded_keys.variables, **coded_target.variables}, data.sizes)
            chosen = Options(use_key_missing=dict.fromkeys(keys, True))
            each = tuple(
                count_keys_and_target(coded, index, target, synthesis=i)[0]
                for i in range(1, pair.m + 1)
            )
            yield Given(
                step,
                (Place(scenario=scenario.name, keys=tuple(keys), target=target),),
                each,
                references=partial(_references, pair, plan, target, each, of_holdout),
                result=partial(measure, data, coded, index, keys, target, chosen),
            )


def _references(
    pair: Pair,
    plan: Plan,
    target: str,
    each: Sequence[KeyTargetCounts],
    of_holdout: CountsOfTarget | None,
    measures: Sequence[Measure],
    i: int,
) -> Mapping[str, References]:
    sides, cells = ((), ()) if of_holdout is None else of_holdout(target, i + 1)
    replica, fresh = sides or (each[i], None)
    references = TargetReferences(
        replica,
        fresh,
        measures=measures,
        draws=plan.options.permutations,
        seed=plan.options.seed,
        cells=cells,
        households=_households(pair, plan, i),
    )
    return {measure.symbol: references.of(measure) for measure in measures}


def _households(pair: Pair, plan: Plan, i: int) -> tuple[npt.NDArray[np.int64] | None, ...]:
    sample = plan.sample
    if sample is None or sample.beside_holdout[0] is None:
        return ()  # single records are exchanged, which the study lists
    households: tuple[npt.NDArray[np.int64] | None, ...] = pair.cached(
        ("households", i), lambda: sample.numbered(pair.syntheses[i])
    )
    return households


def _holdout(
    pair: Pair, plan: Plan, keys: list[str], targets: Sequence[str]
) -> CountsOfTarget | None:
    """Return what counts the original beside a synthesis and the holdout; None without one.

    Grouped anew with the holdout, so that groups favour neither it nor the replica.
    """
    if pair.holdout is None:
        return None
    present = [name for name in targets if name in pair.holdout.columns]
    try:
        data = pair.columns([*keys, *present], holdout=True)
    except DataError:  # it has no such keys, so the copy stands alone
        return None
    rules = by_group_or_value(keys, plan.options.ngroups_keys) | by_group_or_value(
        present, plan.options.ngroups_targets
    )
    coded = encode(data, rules, [*keys, *present])
    index = index_keys(coded, keys)

    def count_holdout(target: str, synthesis: int) -> tuple[tuple[KeyTargetCounts, ...], Cells]:
        if target not in present:
            return (), ()
        return count_beside_each_other(coded, index, target, (synthesis, coded.m))

    return count_holdout


KEYS = Kind(
    "key combinations by target levels",
    "`KeyTargetCounts`; a number or a Share",
    _targets,
    per="target",
    counted=True,
    symbols={
        "D": "original records of a cell (key combination and target level)",
        "S": "replica records of a cell",
        "d_q": "original records with a key combination (q)",
        "s_q": "replica records with a key combination (q)",
        "d_t": "original records with a target level",
        "N_d": "original records",
        "n": "original records",
        "N_s": "replica records",
        "N_b": "replica records whose key combination the original has",
    },
)
