"""Lines of ``sdcmetrics check`` on columns: the kind each is compared as, and how it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from sdcmetrics.cli.terminal import one_line, print_lines, print_table
from sdcmetrics.errors import counted
from sdcmetrics.measures.homogeneity.fixed_strata import suspected_strata
from sdcmetrics.measures.homogeneity.places import unjudged_cluster
from sdcmetrics.measures.homogeneity.rows_together import EQUAL_VALUES
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.records import records_of_pair
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import label_of
from sdcmetrics.microdata.schema import Variable
from sdcmetrics.report.safety.names import Names
from sdcmetrics.study.design_columns import is_weight_name, role_of
from sdcmetrics.study.first_study import toml_key
from sdcmetrics.study.study import Study
from sdcmetrics.study.suggested import may_be_codes

_WIDE = 30
"""Columns up to which each has a line of its own."""


def print_columns(study: Study, pair: Pair) -> None:
    """Print the kind of each column of a pair, and the values read as missing or as labels.

    Raises
    ------
    DataError, StudyError
        If the data sets cannot be compared.
    """
    variables = pair.data.variables
    names = Names()
    counts = Counter(variable.kind.value for variable in variables.values())
    kinds = ", ".join(f"{count} of kind {kind}" for kind, count in counts.items())
    print_lines(f"columns compared: {len(variables)} ({kinds})")
    shown = [name for name in variables if len(variables) <= _WIDE or may_be_codes(variables[name])]
    rows = [
        [names(name).text, variables[name].kind.value, one_line(_described(study, variables[name]))]
        for name in shown
    ]
    if rows:
        print_table(["column", "compared as", "in the original"], [], rows)
    print_lines(*map(one_line, _as_read(study, variables)))


def unjudged(study: Study, pair: Pair) -> str:
    """Return what is not judged because rows belong together, in words; empty if nothing is."""
    sample, suspected = study.sample, unjudged_cluster(pair, study)
    name = "" if sample is None else sample.together
    if suspected == EQUAL_VALUES:
        return (
            f"nearly every record of {study.original.source} occurs several times: keep one of "
            "each, with the number of times as its weight, or disclosure and tables of "
            f"{pair.name} are not judged"
        )
    if sample is None or not name:
        return suspected and (
            f"rows of {study.original.source} seem to belong together by {suspected}: say "
            f'{role_of(suspected)} = "{suspected}" in [sample], or disclosure and tables of '
            f"{pair.name} are not judged"
        )
    rows = f"rows of {study.original.source} belong together by {name}"
    if suspected:
        return (
            f"{rows}, and the files are counted batch by batch: tables of {pair.name}, and "
            "what it discloses of people because they were in the file, are not judged"
        )
    if all(name in sample.whole(synthesis).columns for synthesis in pair.syntheses):
        return ""
    judged = study.holdout is not None and name in study.holdout.columns
    disclosed = (
        ""
        if judged
        else (
            "; what it discloses of people because they were in the file is not judged without a "
            f"holdout that has {name}"
        )
    )
    return (
        f"{rows}, and replica {pair.name} lacks it: for its tables its rows are taken to belong "
        f"together as those of the original do{disclosed}. Let the synthesis make such a column, "
        "numbered anew"
    )


def unnamed_strata(study: Study, pair: Pair) -> str:
    """Return which column looks like strata that the study does not name; empty without one."""
    if pair.data.large or (study.sample is not None and study.sample.strata):
        return ""
    name = suspected_strata(records_of_pair(pair).columns)
    return name and (
        f"each value of {name} occurs as often in {pair.name} as in {study.original.source}, as in "
        f'strata of which so many are drawn: if it is one, say strata = "{name}" in [sample], or '
        "what follows from strata is taken for people's"
    )


def _described(study: Study, variable: Variable) -> str:
    """Return in words how many values a column has, and their groups in utility tables."""
    if variable.kind in (Kind.CATEGORY, Kind.BOOLEAN):
        levels = len(np.unique(variable.codes[0][variable.codes[0] >= 0]))
        bands = study.coarsen.get(variable.name)
        return counted(levels, "level") + (f", coarsened: {bands.words}" if bands else "")
    values = np.unique(variable.values[0][~np.isnan(variable.values[0])])
    values = values[~np.isin(values, variable.missing_codes)]
    if variable.kind is Kind.DATE:
        return counted(len(values), "date")
    noun = "whole number" if bool((values == np.rint(values)).all()) else "number"
    text = (
        f"{counted(len(values), noun)}, in utility tables in {study.options.ngroups} groups at most"
    )
    if may_be_codes(variable):
        text += f'; codes? Then say kinds = {{ {toml_key(variable.name)} = "category" }} in [read]'
    return text


def _as_read(study: Study, variables: Mapping[str, Variable]) -> Iterator[str]:
    """Yield the codes and texts that were read as missing, and the labels used."""
    original = study.original
    for name, variable in variables.items():
        if not variable.missing_codes:
            continue
        declared = set(original.missing_codes.get(name, ()))
        codes = ", ".join(map(label_of, variable.missing_codes))
        values = variable.values[0]
        n = int(np.isin(values, variable.missing_codes).sum())
        if variable.counts:
            n = int(variable.counts[0][np.isin(values, variable.missing_codes)].sum())
        by = (
            f"as {original.source} declares"
            if set(variable.missing_codes) <= declared
            else "by [missing_codes]"
        )
        yield f"missing: code {codes} of {name}, {by}: {n:,} original records, a level of their own"
    labelled = [name for name in variables if name in original.level_codes]
    if labelled:
        yield f"labels: of {original.source} in place of codes in {', '.join(labelled)}"
    both = [name for name in labelled if original.missing_codes.get(name)]
    if both:
        yield (
            f"missing: codes that {original.source} declares are levels, as their labels say, in "
            f"{', '.join(both)}"
        )
    partly = [
        name
        for name in variables
        if set(original.value_labels.get(name, ())) - {*original.missing_codes.get(name, ())}
    ]
    if partly:
        yield (
            f"labels: not used in {', '.join(partly)}, as not every value of {original.source} "
            "has one"
        )
    texts = [label or "the empty text" for label in original.missing_texts]
    if texts:
        yield f"missing: {' and '.join(texts)} in {original.source}"
    roles = set() if study.sample is None else {*study.sample.columns.values()}
    have = [*original.columns, *original.not_taken]
    weights = [n for n in have if is_weight_name(n) and n not in roles]
    if weights and (study.sample is None or not study.sample.weight):
        yield (
            f"weight: {', '.join(weights)} looks like one by its name and is not used: every "
            f'record counts once. To use it, say weight = "{weights[0]}" in [sample]'
        )
