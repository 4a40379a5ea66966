"""What a measure of disclosure found, in the words that it declares for it."""

from __future__ import annotations

from string import Formatter

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.cells import Sentence, Words, said, sentence
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Scenario

_SAYS = "For target {target}{where}, {replica} has {symbol} {value} ({title})."


def risk_sentence(
    source: Source, replica: str, metric: str, scenario: Scenario, target: str
) -> Sentence:
    """Say what a measure found of one target; `Measure.says` has the words."""
    measure = MEASURES[metric]
    cell = source.risk(replica, metric, scenario.name, target)
    own = measure.beside and said(source.risk(replica, measure.beside, scenario.name, target))
    known: dict[str, Words] = {
        "replica": (source.name(replica),),
        "target": source.said(target),
        "where": source.within(scenario.name),
        "value": (said(cell),),
        "beside": (own,),
        "symbol": (measure.symbol,),
        "title": (measure.title,),
    }
    words: Words = ()
    for text, name, _, _ in Formatter().parse(measure.says or _SAYS):
        words += (text, *known.get(name or "", ()))
    first, *rest = (part for part in words if part)
    if isinstance(first, str):
        first = first[:1].upper() + first[1:]
    return sentence(first, *rest, status=cell.status)
