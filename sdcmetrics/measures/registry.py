"""The measures: what a review runs, a report explains, a profile judges and the tests check.

Built in are those that the subjects declare. Any installed package adds its own through the entry
point group ``sdcmetrics.measures``, whose entries are a `Subject`, a `Measure` or a list of these;
so do the suites of this package.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures import generator
from sdcmetrics.measures.analyses import declared as analyses
from sdcmetrics.measures.anonymity import declared as anonymity
from sdcmetrics.measures.anonymity import sampled as sampled_anonymity
from sdcmetrics.measures.attacks import declared as attacks
from sdcmetrics.measures.attacks import outsiders
from sdcmetrics.measures.closeness import declared as closeness
from sdcmetrics.measures.crosstables import declared as crosstables
from sdcmetrics.measures.crosstables import k_marginal, sampled_weights
from sdcmetrics.measures.crosstables import sampled as sampled_crosstables
from sdcmetrics.measures.disclosure import declared as disclosure
from sdcmetrics.measures.disclosure import sampled as sampled_disclosure
from sdcmetrics.measures.disclosure.versions import AMBIGUOUS
from sdcmetrics.measures.distributions import declared as distributions
from sdcmetrics.measures.distributions import sampled as sampled_distributions
from sdcmetrics.measures.excess import places as excess
from sdcmetrics.measures.fidelity import declared as fidelity
from sdcmetrics.measures.fits import declared as fits
from sdcmetrics.measures.fits import sampled as sampled_fits
from sdcmetrics.measures.homogeneity import places as homogeneity
from sdcmetrics.measures.identifiers import places as identifiers
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    SPECIFIC_UTILITY,
    Measure,
)
from sdcmetrics.measures.people import subject as people
from sdcmetrics.measures.prediction import declared as prediction
from sdcmetrics.measures.propensity import declared as propensity
from sdcmetrics.measures.publication import declared as publication
from sdcmetrics.measures.references import places as references
from sdcmetrics.measures.rules import declared as rules
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.arguments import checked

__all__ = [
    "AMBIGUOUS",
    "DISCLOSURE_RISK",
    "GENERAL_UTILITY",
    "MEASURES",
    "SECTIONS",
    "SPECIFIC_UTILITY",
    "SUBJECTS",
    "Measure",
    "explain",
    "kinds",
    "of_kind",
    "say_which",
]

GROUP = "sdcmetrics.measures"
"""The entry point group through which suites and other packages add measures."""
_PACKAGE = "sdcmetrics"
_PROJECT = Path(__file__).parents[2] / "pyproject.toml"
"""Of a checkout; there is none in an installation."""

_MODULES = (
    crosstables,
    k_marginal,
    fidelity,
    distributions,
    propensity,
    rules,
    fits,
    analyses,
    prediction,
    disclosure,
    anonymity,
    attacks,
    closeness,
    sampled_crosstables,
    sampled_distributions,
    sampled_weights,
    sampled_fits,
    sampled_disclosure,
    sampled_anonymity,
    references,
    identifiers,
    people,
    excess,
    homogeneity,
    publication,
    generator,
    outsiders,
)


def declared_entries(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, those of this package first.

    Those of a checkout are what its pyproject.toml says: an installation that can be edited keeps
    those of the day on which it was made.
    """
    installed = list(entry_points(group=group))
    own = [entry for entry in installed if entry.dist is not None and entry.dist.name == _PACKAGE]
    others = [entry for entry in installed if entry not in own]
    if _PROJECT.is_file():
        project = tomllib.loads(_PROJECT.read_text(encoding="utf-8")).get("project", {})
        if project.get("name") == _PACKAGE:
            named = project.get("entry-points", {}).get(group, {})
            # In the order of their names, as an installation lists them.
            own = [EntryPoint(name, named[name], group) for name in sorted(named)]
    return own + others


def _of_others(others: Iterable[EntryPoint]) -> Iterator[Subject]:
    """Yield the subjects of other packages; measures alone are one."""
    for entry in others:
        given = entry.load()
        if isinstance(given, Subject):
            yield given
            continue
        listed = [given] if isinstance(given, Measure) else list(given)
        for measure in listed:
            if not isinstance(measure, Measure):
                msg = (
                    f"entry point {entry.name!r} of the group {GROUP!r}: expected a Subject, a "
                    f"Measure or a list of them but got {type(measure).__name__}."
                )
                raise StudyError(msg)
        yield Subject(entry.name, tuple(listed))


def _collect(measures: Iterable[Measure]) -> dict[str, Measure]:
    out: dict[str, Measure] = {}
    names: set[str] = set()
    for measure in measures:
        for name in (measure.symbol, *measure.aliases):
            if name.casefold() in names and name != measure.symbol:
                continue  # an alias never hides a symbol
            if name.casefold() in names:
                msg = f"the measure {name!r} is declared twice. Uninstall or rename one of them."
                raise StudyError(msg)
            names.add(name.casefold())
        out[measure.symbol] = measure
    return out


SUBJECTS: tuple[Subject, ...] = (
    *(module.SUBJECT for module in _MODULES),
    *_of_others(declared_entries(GROUP)),
)
"""Every subject: what the rest of the package loops over."""

MEASURES: dict[str, Measure] = _collect(
    measure for subject in SUBJECTS for measure in subject.measures
)
"""Every measure, by symbol."""

SECTIONS: dict[str, type[Any]] = {
    subject.section.entry: subject.section for subject in SUBJECTS if subject.section is not None
}
"""Sections of a study that ask for a subject, by name; see `section`."""


def kinds() -> list[Kind]:
    """Return all kinds of measures and of evidence; those with a holdout come last."""
    declared = dict.fromkeys(kind for subject in SUBJECTS for kind in subject.every_kind)
    return sorted(declared, key=lambda kind: kind.holdout)


def read_preset(name: str) -> Any:
    """Return what the preset of a name asks for, as the subject that has presets reads it.

    Raises
    ------
    StudyError, FileError
        If there is no such preset, or it is wrong.
    """
    for subject in SUBJECTS:
        if subject.preset is not None:
            return subject.preset(name)
    msg = f"preset: no package that is installed has presets, {name!r} neither. Leave it out."
    raise StudyError(msg)


def needs_holdout(section: str) -> bool:
    """Return whether anything that a section of a study asks for needs a holdout."""
    named = (
        subject
        for subject in SUBJECTS
        if subject.section is not None and subject.section.entry == section
    )
    return any(kind.holdout for subject in named for kind in subject.every_kind)


def of_kind(kind: Kind) -> list[Measure]:
    """Return the measures of one kind."""
    return [measure for measure in MEASURES.values() if measure.of is kind]


def by_kind() -> dict[Kind, list[Measure]]:
    """Return the measures of every kind that has any: what `of_kind` gives one by one."""
    out: dict[Kind, list[Measure]] = {}
    for measure in MEASURES.values():
        out.setdefault(measure.of, []).append(measure)
    return out


def say_which(name: str) -> str:
    """Return the choice in words where different numbers are published under a name, else ""."""
    if name.upper() not in AMBIGUOUS:
        return ""
    choice = ", ".join(AMBIGUOUS[name.upper()])
    return f"different numbers are published as {name!r}. Say which: {choice}."


@checked
def explain(symbol: str) -> Measure:
    """Return the measure of a symbol or of another name of it, whatever its case.

    Parameters
    ----------
    symbol : str
        Such as "DiSCO", or one of `Measure.aliases`.

    Returns
    -------
    Measure
        Its range (`low`, `high`), which way is `better`, the `ideal`, unit, meaning, formula,
        source and limits.

    Raises
    ------
    StudyError
        If there is no such metric, or the name stands for several.

    Examples
    --------
    >>> explain("disco").title
    'Disclosive in synthetic, correct in original'
    >>> explain("total variation distance").symbol
    'TVD'
    """
    if choice := say_which(symbol.strip()):
        raise StudyError(choice)
    if symbol in MEASURES:
        return MEASURES[symbol]
    by_name: dict[str, Measure] = {}
    for measure in MEASURES.values():
        for name in (measure.title, *measure.aliases):
            by_name.setdefault(name.casefold(), measure)
    by_name |= {name.casefold(): measure for name, measure in MEASURES.items()}
    try:
        return by_name[symbol.strip().casefold()]
    except KeyError:
        symbols = {
            name for measure in MEASURES.values() for name in (measure.symbol, *measure.aliases)
        }
        msg = f"there is no metric {symbol!r}.{did_you_mean(symbol, symbols)}"
        raise StudyError(msg) from None
