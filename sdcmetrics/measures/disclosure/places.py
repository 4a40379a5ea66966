"""Where disclosure is measured: every scenario and target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sdcmetrics.measures.crosstables.counting import count_keys_and_target, index_keys
from sdcmetrics.measures.disclosure.disclosure import Options, measure
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.microdata.coding import Coded, Rule, by_groups, by_value, encode

__all__ = ["KEYS"]


def _targets(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    options, data = plan.options, pair.data
    for scenario in plan.scenarios:
        keys = [name for name in pair.original.columns if name in scenario.keys]
        coded_keys = encode(data, _rules(keys, options.ngroups_keys), keys)
        index = index_keys(coded_keys, keys)
        for target in scenario.targets:
            step = f"disclosure of {target}"
            tell(step)
            coded_target = encode(data, _rules([target], options.ngroups_targets), [target])
            coded = Coded({**coded_keys.variables, **coded_target.variables}, data.sizes)
            chosen = Options(use_key_missing=dict.fromkeys(keys, True))
            yield Given(
                step,
                (Place(scenario=scenario.name, keys=tuple(keys), target=target),),
                tuple(
                    count_keys_and_target(coded, index, target, synthesis=i)[0]
                    for i in range(1, pair.m + 1)
                ),
                result=measure(data, coded, index, keys, target, chosen),
            )


def _rules(names: Sequence[str], groups: Mapping[str, int]) -> dict[str, Rule]:
    return {name: by_groups(groups[name]) if groups.get(name) else by_value for name in names}


KEYS = Kind(
    "key combinations by target levels",
    "`KeyTargetCounts`; a number or a Share",
    _targets,
    per="target",
)
