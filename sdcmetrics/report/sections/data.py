"""Where everything came from: cover, release context, data and fixes, how to reproduce."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace

from sdcmetrics import __version__
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.report.grid import Entry, listing
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    Words,
    blank,
    column,
    joined,
    number,
    table,
    text_cell,
    withheld,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.sections.sample import sample_in_words
from sdcmetrics.report.source import Source
from sdcmetrics.review.review import InputSummary
from sdcmetrics.study.roles import UNNAMED
from sdcmetrics.study.study import Study

_HELD_BACK = "File names, digests, settings, seeds, time of day and durations"

_SLOWEST = 5
"""Steps whose time is listed."""

_FIVE_SAFES = (
    ("purpose", "Safe projects", "What is the replica for, and would less do?"),
    ("recipient", "Safe people", "Who gets it, and what have they agreed to?"),
    ("setting", "Safe settings", "Where will it be used, and can it be passed on?"),
    (
        "data",
        "Safe data",
        "What risk is left in the replica? See identity and attribute disclosure.",
    ),
    ("outputs", "Safe outputs", "What may be published from it?"),
    ("intruder", "Intruder", "Who might try to learn what from it, and what do they know?"),
)


@dataclass(frozen=True, slots=True)
class ScenarioWords:
    """A scenario in words."""

    name: Words
    description: str
    knows: Words
    wants: Words
    keys: tuple[Name, ...]
    targets: tuple[Name, ...]
    named: bool


def facts(source: Source) -> tuple[tuple[str, Words], ...]:
    """Return the cover: what was compared, by what rules, when."""
    review, profile = source.review, source.profile
    replicas = joined(_with_syntheses(source))
    variables = numbers.plural(len(review.variables), "variable")
    records = records_in_words(source, review.n_original)
    sample = sample_in_words(review.study.roles, release=source.release)
    return (
        ("Original", (f"{records}, {variables} compared",)),
        *((("Sample", (sample,)),) if sample else ()),
        (numbers.plural(len(source.replicas), "replica").capitalize(), replicas),
        ("Profile", (f"{profile.title}; owner: {profile.owner or 'not stated'}",)),
        *_intruder_test(source),
        ("Date", (review.created[:10],)),
        ("Made with", (f"sdcmetrics {review.versions.get('sdcmetrics', __version__)}",)),
    )


def _intruder_test(source: Source) -> Iterator[tuple[str, Words]]:
    """Yield what the study says of a test by a motivated intruder; inside only."""
    study = source.review.study
    publication = study.sections.get("publication") if isinstance(study, Study) else None
    if isinstance(publication, Publication) and publication.intruder_test:
        tested = joined(source.name(replica) for replica in publication.intruder_tested)
        of: Words = (" (", *tested, ")") if tested else ()
        note = clean(publication.intruder_test_note)
        yield "Test by an intruder", (publication.intruder_test, *of, f"; {note}" if note else "")


def _with_syntheses(source: Source) -> Iterator[Name]:
    for replica in source.replicas:
        n = sum(data.name == replica for data in source.review.inputs if data.role == "replica")
        name = source.name(replica)
        if n > 1:
            name = Name(f"{name.text} (mean of {n} syntheses)", name.full)
        yield name


def records_in_words(source: Source, n: float) -> str:
    """Return a number of records of people as exactly as an edition tells it."""
    cell = source.guard.records(n)
    if cell.number is None:
        return f"fewer than {source.guard.rounding.least} records"
    return ("about " if source.release else "") + numbers.plural(cell.number, "record")


def scenarios_in_words(source: Source) -> tuple[ScenarioWords, ...]:
    """Return what an intruder is assumed to know and to want."""
    return tuple(
        ScenarioWords(
            name=(source.name(scenario.name),),
            description=clean(scenario.description),
            knows=joined(map(source.described, scenario.keys), last=" and "),
            wants=joined(map(source.described, scenario.targets), last=" or "),
            keys=tuple(map(source.name, scenario.keys)),
            targets=tuple(map(source.name, scenario.targets)),
            named=scenario.name != UNNAMED,
        )
        for scenario in source.review.scenarios
    )


def context_table(source: Source) -> SafeTable:
    """Return the Five Safes, as far as the study states them."""
    stated = dict(source.review.study.context)
    rows: list[tuple[Content, ...]] = []
    for key, heading, question in _FIVE_SAFES:
        rows.append((heading, question, clean(stated.pop(key, "")) or "Not stated"))
    rows += [(clean(key).capitalize(), None, clean(answer)) for key, answer in stated.items()]
    columns = (
        column("Dimension", "dimension"),
        column("Question", "question"),
        column("As stated in the study", "answer"),
    )
    return table("The Five Safes, and the intruder", columns, rows)


def _size(source: Source, data: InputSummary) -> Content:
    """Return the number of records; a release has that of people as it protects it."""
    if data.role == "replica":
        return data.n
    cell = source.guard.records(data.n)
    rounded = source.release and cell.kind == "number"
    return replace(cell, text=f"about\N{NO-BREAK SPACE}{cell.text}") if rounded else cell


def inputs_table(source: Source) -> SafeTable:
    """Return what was compared; file names and digests only for internal eyes."""
    columns: list[Entry] = [
        (column("Data set", "data_set"), lambda data: _role(source, data)),
        (number("Records", "records"), lambda data: _size(source, data)),
        (number("Columns", "columns"), lambda data: data.columns),
    ]
    if source.release:
        source.guard.suppress(_HELD_BACK)
    else:
        digest = column("SHA-256 of the file", "sha256")
        columns += [
            (column("Source", "source"), lambda data: source.named(data.source)),
            (digest, lambda data: data.sha256 or "none: it is no single file"),
        ]
    drawn = source.drawn
    note = (
        f"What needs single records, as distances, attacks and models do, is of {drawn:,} records, "
        "drawn at random from each data set of more. Copies and neighbours are seldom among them."
    )
    return listing("What was compared", columns, source.review.inputs, note if drawn else "")


def _role(source: Source, data: InputSummary) -> SafeCell:
    if data.role != "replica":
        return text_cell(data.role.capitalize())
    several = sum(other.name == data.name for other in source.review.inputs) > 1
    name = source.name(data.name)
    if not several:
        return text_cell(name)
    extra = f", synthesis {data.synthesis}"
    return SafeCell(name.text + extra, "name", full=name.full + extra)


def dictionary_table(source: Source) -> SafeTable:
    """Return what the original's file says of variables and of their values; inside only."""
    columns = (column("Variable", "variable"), column("Value", "value"), column("Label", "label"))
    rows: list[tuple[Content, ...]] = []
    if source.release:
        return table("", columns)
    original = source.inside.study.original
    for name in source.review.variables:
        if label := source.label(name):
            rows.append((source.named(name), "", label))
        levels = ((code, level) for level, code in original.level_codes.get(name, {}).items())
        for code, label in (*levels, *original.value_labels.get(name, {}).items()):
            value = f"{code:.15g}" if isinstance(code, float) else clean(str(code))
            rows.append((source.named(name), value, clean(label)))
    return table("Labels of variables and values", columns, rows)


def variables_table(source: Source) -> SafeTable:
    """Return the variables that were compared: kind, role, levels, missing."""
    keys = {key for s in source.review.scenarios for key in s.keys}
    targets = {target for s in source.review.scenarios for target in s.targets}
    missing = {name: _missing(source, name) for name in source.review.variables}
    some = any(original.text != "none" for original, *_ in missing.values())
    rows = []
    for name, kind in source.review.variables.items():
        distribution = source.distributions.get(name)
        roles = [word for word, of in (("key", keys), ("target", targets)) if name in of]
        label = source.label(name)
        size = None
        if distribution is not None:
            size = numbers.plural(distribution.size, "group" if distribution.grouped else "level")
            size += f", {distribution.folded:,} folded" if distribution.folded else ""
        rows.append(
            (
                replace(source.named(name), detail=label) if label else source.named(name),
                kind,
                ", ".join(roles) or None,
                size,
                *(missing[name] if some else ()),
            )
        )
    columns = [
        column("Variable", "variable"),
        column("Kind", "kind"),
        column("Role", "role"),
        column("Levels", "levels"),
    ]
    if some:
        columns.append(number("Missing in the original", "missing_original"))
        for shown in map(source.name, source.replicas):
            head = number(f"in {shown.text}", f"missing_{shown.full}")
            columns.append(replace(head, full=shown.full))
    return table(
        "Variables that were compared",
        columns,
        rows,
        "Missing values and each code for missing are a level or group of their own; shares are "
        "of values without a code."
        if some
        else f"No value is missing in any {'replica' if source.release else 'data set'}, codes "
        "for missing aside.",
    )


def _missing(source: Source, name: str) -> list[SafeCell]:
    """Return the share of missing values in the original and in every replica."""
    distribution = source.distributions.get(name)
    if distribution is None:
        return [blank(), *(blank() for _ in source.replicas)]
    level = next((level for level in distribution.levels if level.missing), None)
    if level is not None:
        return [level.share, *level.replicas]
    shown = distribution.levels[0].replicas if distribution.levels else ()
    lacking = {r for r, cell in zip(source.replicas, shown, strict=False) if cell == blank()}
    if not distribution.missing:
        none = text_cell("none")
        return [none, *(blank() if replica in lacking else none for replica in source.replicas)]
    # Of the original nothing is told; that it is hidden must not say that it has any.
    cells = (distribution.missing.get(replica, blank()) for replica in source.replicas)
    return [withheld(), *cells]


def fixes_table(source: Source) -> SafeTable:
    """Return every change that was made so that the data sets could be compared."""
    rows = []
    for of, fix in source.review.fixes:
        what = _without_sources(source, clean(fix.what)) if source.release else clean(fix.what)
        data = "Original" if of == "original" else source.named(of)
        where = source.named(fix.column) if fix.column is not None else None
        rows.append((data, where, what, fix.cells))
    if source.release:
        source.guard.suppress("Changes that speak of the original, or compare with it")
    columns = (
        column("Data set", "data_set"),
        column("Column", "column"),
        column("What was done", "what"),
        number("Cells", "cells"),
    )
    return table("Changes to the data sets that made them comparable", columns, rows)


def _without_sources(source: Source, text: str) -> str:
    for data in source.review.inputs:
        if data.source and data.source != data.role:
            word = data.name if data.role == "replica" else data.role
            text = text.replace(clean(data.source), f"the {word}")
    return text


def reproduce_table(source: Source) -> SafeTable:
    """Return what is needed to do it again."""
    columns = (column("What", "what"), column("Value", "value"))
    rows = ((what, value) for what, value in _reproduce(source) if value)
    return table("What it takes to do this again", columns, rows)


def _reproduce(source: Source) -> Iterator[tuple[str, str]]:
    review = source.review
    command = clean(review.study.command)
    yield "Command", _safe_command(command) if source.release else command
    profile = source.profile
    zeros = "not shown" if profile.zeros_disclosive else "shown"
    rules = (
        f"{profile.name}: counts below {source.guard.rounding.least} are not shown to a checker, "
        f"zeros are {zeros}, counts are rounded to {source.guard.base}"
    )
    yield "Profile", rules
    yield from review.versions.items()
    if source.release:
        return
    yield "Made at", review.created
    for name, value in source.inside.settings.items():
        yield f"Option {clean(str(name))}", clean(_in_words(value))
    for name, value in _settings(source.inside.study):
        yield f"Study {name}", clean(_in_words(value))
    for metric, ends in profile.bands.items():
        yield f"Bands of {clean(metric)}", _in_words(ends)
    seconds = source.inside.seconds
    if seconds:
        slow = sorted(seconds, key=lambda step: -seconds[step])[:_SLOWEST]
        yield "Seconds", f"{sum(seconds.values()):.1f}"
        yield "Slowest steps", "; ".join(f"{clean(step)}: {seconds[step]:.2f} s" for step in slow)


_ELSEWHERE = {"original", "replicas", "holdout", "scenarios", "title", "context", "profile"} | {
    "command",
    "options",
}
"""Parts of a study that stand in other rows or tables."""


def _settings(study: Study) -> Iterator[tuple[str, object]]:
    """Yield what a study asks for beside its options, part by part, if it asks for it."""
    for part in fields(study):
        value = getattr(study, part.name)
        if part.name in _ELSEWHERE or value is None or value == ():
            continue
        if isinstance(value, Sample):  # the rest of it are records
            settings = ("lonely", "population_size", "synthetic_weight", "against")
            value = {**value.columns, **{name: getattr(value, name) for name in settings}}
        yield part.name, value


def _in_words(value: object) -> str:
    """Return the value of an option as a reader says it.

    Examples
    --------
    >>> [_in_words(value) for value in (None, True, {}, (1, 2), {"age": None, "ways": [1]})]
    ['not set', 'yes', 'nothing', '1, 2', 'age: not set; ways: 1']
    """
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        parts = [f"{name}: {_in_words(entry)}" for name, entry in value.items()]
        return "; ".join(parts) or "nothing"
    if is_dataclass(value):
        return _in_words({f.name: getattr(value, f.name) for f in fields(value) if f.compare})
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(_in_words, value)) or "nothing"
    return str(value)


def _safe_command(command: str) -> str:
    """Return the command without seeds and without folders.

    Examples
    --------
    >>> _safe_command("sdcmetrics review /secret/folder/s.toml --seed 12 --mode release")
    'sdcmetrics review s.toml --mode release'
    """
    command = re.sub(r"\s--?[\w-]*seed[= ]\S+", "", command)
    return re.sub(r"[^\s'\"=]*[\\/]", "", command)
