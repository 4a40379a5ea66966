"""Rules in data sets too large for memory: judged batch by batch, where the records are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sdcmetrics.measures.rules.binding import BoundRule, bind
from sdcmetrics.measures.rules.outcome import RuleCounts, RuleOutcome, count_rule
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.arrays import Codes
from sdcmetrics.microdata.schema import Harmonised, Variable
from sdcmetrics.microdata.sources.codes import Coder


def large_outcomes(
    rules: Sequence[Rule], data: Harmonised, m: int, *, clustered: bool = False
) -> tuple[RuleOutcome, ...]:
    """Return what original, m syntheses and perhaps a holdout make of rules, in one pass each.

    Records of one cluster may lie in several batches, so that the design effect is not known.
    """
    effect = math.nan if clustered else 1.0
    for rule in rules:  # what is wrong with a rule is said before anything is read
        bind(rule.text, rule.node, one_record(data))
    parts = [_count(rules, data, part) for part in range(len(data.large))]
    return tuple(
        RuleOutcome(
            rule=rule,
            original=replace(parts[0][i][0], design_effect=effect),
            syntheses=tuple(part[i][0] for part in parts[1 : m + 1]),
            holdout=parts[m + 1][i][0] if len(parts) > m + 1 else None,
            level_counts=tuple(sorted(parts[0][i][1])),
        )
        for i, rule in enumerate(rules)
    )


def one_record(data: Harmonised) -> dict[str, Variable]:
    """Return the variables with one record, for what only depends on kinds and levels."""
    return {
        name: _records(variable, 0, np.zeros(1, np.intp))
        for name, variable in data.variables.items()
    }


def _count(
    rules: Sequence[Rule], data: Harmonised, part: int
) -> list[tuple[RuleCounts, list[int]]]:
    """Return for every rule its counts, and the records of each level that it names."""
    large = data.large[part]
    coders = {
        name: large.coder(name, np.arange(len(large.counts(name)))) for name in data.variables
    }
    kernel = _Kernel(tuple(rules), data.variables, part, coders, data.sources[0])
    counts: list[dict[int, int]] = [{} for _ in rules]
    for batch in large.count(list(coders), kernel):
        for rule, cell, count in zip(
            *(column.to_pylist() for column in batch.columns), strict=True
        ):
            counts[rule][cell] = counts[rule].get(cell, 0) + count
    return [
        (RuleCounts(*(times[i] for i in range(4))), [times[i] for i in range(4, len(times))])
        for times in counts
    ]


@dataclass(frozen=True)
class _Kernel:
    """Judges batches; cells are kept, broken, unknown, applies, and each level that is named."""

    rules: tuple[Rule, ...]
    variables: Mapping[str, Variable]
    part: int
    coders: Mapping[str, Coder]
    source: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        sums: dict[tuple[int, int], int] = {}
        for batch in batches:
            codes = {n: coder.codes(batch.column(coder.name)) for n, coder in self.coders.items()}
            records = {n: _records(v, self.part, codes[n]) for n, v in self.variables.items()}
            for i, rule in enumerate(self.rules):
                bound = bind(rule.text, rule.node, records, source=self.source)
                for cell, count in enumerate(_cells(bound)):
                    sums[i, cell] = sums.get((i, cell), 0) + count
        yield pa.RecordBatch.from_pydict(
            {
                "table": pa.array([rule for rule, _ in sums], pa.int32()),
                "cell": pa.array([cell for _, cell in sums], pa.int64()),
                "count": pa.array(list(sums.values()), pa.int64()),
            }
        )


def _cells(bound: BoundRule) -> list[int]:
    counted = count_rule(bound, 0)
    return [
        counted.fulfilled,
        counted.broken,
        counted.unknown,
        counted.applies,
        *bound.named.values(),
    ]


def _records(variable: Variable, part: int, codes: Codes) -> Variable:
    """Return a variable of some records, of whose distinct values these are the positions."""
    return replace(
        variable,
        values=tuple(value[codes] for value in variable.values[part : part + 1]),
        codes=tuple(code[codes] for code in variable.codes[part : part + 1]),
        counts=(),
    )
