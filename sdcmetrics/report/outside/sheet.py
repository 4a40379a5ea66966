"""The sheet for users of a replica: what the file is and is not, and how to check what it says.

It is made of public things: the replica's file, the study's own words, and figures that a release
or a verification has told. Nothing here opens an original or the results of an internal review.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdcmetrics import __version__
from sdcmetrics.errors import StudyError, counted
from sdcmetrics.measures.generator import Generator, Generators
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.described import DescribedFile, describe_replica
from sdcmetrics.report.outside.parts import Section, listed, name_cell
from sdcmetrics.report.outside.preserved import preserved, released_figures, verified_answers
from sdcmetrics.report.safety.names import clean
from sdcmetrics.study.file import StudyEntries


@dataclass(frozen=True)
class Sheet:
    """A sheet for users.

    Attributes
    ----------
    title, date, replica : str
    mark : str
        What every reader has to know, in two or three words.
    lead : str
        What the file is, in a sentence or two.
    sections : tuple of Section
    program : str
        Version that wrote it.
    absent : tuple of str
        What the study does not say and a reader will ask for; for its author.
    """

    title: str
    date: str
    replica: str
    mark: str
    lead: str
    sections: tuple[Section, ...]
    program: str = __version__
    absent: tuple[str, ...] = ()


def make_sheet(
    study: Path,
    replica: str,
    *,
    release: Path | None = None,
    answers: Sequence[Path] = (),
    date: dt.date | None = None,
) -> Sheet:
    """Make the sheet of a replica.

    Parameters
    ----------
    study : a study file
    replica : the name of a replica
    release : folder of a release of the study, or its release.json
    answers : files of `sdcmetrics verify --json`
    date : by default today

    Raises
    ------
    StudyError
        If there is no such replica, figures are not such as may be told, are of another file, or
        the expiry has passed.
    FileError, DataError
        If a file cannot be read.
    """
    spec = read_request(study)
    files = describe_replica(spec, study, replica)
    today = date or dt.datetime.now(tz=dt.UTC).date()
    publication = _section(spec, Publication) or Publication()
    generators = _section(spec, Generators) or Generators()
    generator = generators.of(replica)
    _refuse_expired(publication.expires, today, study.name)
    figures = [] if release is None else released_figures(release, replica, files)
    verified = [entry for file in answers for entry in verified_answers(file, replica, files)]
    how_made = spec.kinds.get(replica)
    kind = "" if how_made is None else str(_entries(how_made)["kind"])
    sections = (
        _what(spec),
        _how(generator, kind, [f for f in figures if f["measure"] == "records"]),
        preserved(figures, verified),
        _checking(publication),
        _files(files),
        _intruder(publication, replica),
        _use(publication, files, spec, kind),
    )
    return Sheet(
        title=clean(spec.study.title),
        date=today.isoformat(),
        replica=clean(replica),
        mark=_MARKS.get(kind, "no real data"),
        lead=_lead(files, kind),
        sections=tuple(section for section in sections if section is not None),
        absent=tuple(_absent(publication, generator, release)),
    )


def _entries(provenance: Any) -> Mapping[str, Any]:
    """Return what a study says of how a replica was made, which is checked as plain entries."""
    return provenance if isinstance(provenance, dict) else vars(provenance)


def _section(spec: StudyEntries, kind: type[Any]) -> Any:
    return next((given for given in spec.sections.values() if isinstance(given, kind)), None)


def _lead(files: Sequence[DescribedFile], kind: str) -> str:
    sizes = sorted(file.records for file in files)
    number = "one file" if len(files) == 1 else f"{len(files)} files"
    records = counted(sizes[-1], "record")
    if sizes[0] < sizes[-1]:
        records = f"{sizes[0]:,} to {records}"
    each = " each" if len(files) > 1 and sizes[0] == sizes[-1] else ""
    what = f"This replica is {number} of {records}{each}, made to stand in for confidential data. "
    return what + _LEADS.get(kind, "No record of it is to be taken for a person.")


_LEADS = {
    "perturbed": "It is these data with changed values: a record began as that of a person, and "
    "no value of it can be relied on.",
    "synthesised": "A program drew its records, which are not real people. What a record says may "
    "be true of somebody by chance, and no reader can tell whether it is.",
}
_MARKS = {"perturbed": "changed data", "synthesised": "not real people"}
_DATA = {"perturbed": "altered", "synthesised": "synthetic"}


def _what(spec: StudyEntries) -> Section:
    items = [
        "It is for learning, for testing programs, and for exploring before an analysis.",
        "It is no list of people. A record that resembles somebody says nothing about that person.",
        "It is no source for published figures, unless they were checked on the original.",
        "It must not be linked to other data.",
    ]
    context = [f"{clean(name)}: {clean(text)}" for name, text in spec.context.items()]
    return Section("what", "What this file is, and is not", items=(*items, *context))


def _how(generator: Generator | None, kind: str, records: Sequence[Mapping[str, Any]]) -> Section:
    lines = [] if not kind else [f"Kind: {kind}."]
    if generator is None:
        lines.append("The agency does not say by which program it was made.")
    else:
        name = " ".join(filter(None, (generator.name, generator.version)))
        lines.append(f"Program: {clean(name)}.")
        if generator.method:
            lines.append(f"Method: {clean(generator.method)}.")
        if generator.seed is not None:
            lines.append("The seed of its random numbers is held back.")
        if generator.holdout_apart is not None:
            apart = "were not shown" if generator.holdout_apart else "were shown"
            lines.append(f"The people of the holdout, by which it was reviewed, {apart} to it.")
        if generator.epsilon is not None:
            delta = "" if generator.delta is None else f", delta {generator.delta:g}"
            step = {"replace": "replacing", "add or remove": "adding or removing"}
            of = f" of {step[generator.neighbours]} a record" if generator.neighbours else ""
            how = f", by {clean(generator.mechanism)}" if generator.mechanism else ""
            lines.append(
                f"Its maker claims differential privacy: epsilon {generator.epsilon:g}{of}"
                f"{delta}{how}."
            )
    lines += [
        f"The original has about {figure['value']:,.0f} records (with noise; "
        f"{figure['low']:,.0f} to {figure['high']:,.0f} in 90 of 100 cases)."
        for figure in records
        if figure["people"] == "original" and figure["value"] is not None
    ]
    return Section("made", "How it was made", items=tuple(lines))


def _checking(publication: Publication) -> Section:
    address = f" Send it to {clean(publication.contact)}." if publication.contact else ""
    words = (
        "Write the analysis down as a section [[analysis]] of a TOML file, as you made it on this "
        'file: a name, a statistic (such as "mean", "share", "difference", "correlation", '
        '"quantile", "gini" or "cox"), its variables, and by = "..." for a column of groups.'
        f"{address} The agency can make it on the original "
        "with sdcmetrics verify. The answer is a range of the overlap of confidence intervals, "
        "and whether sign and significance are the same. It has noise, and costs a part of a "
        "budget that all users share: ask for what you mean to report."
    )
    return Section("check", "How to check what you find", (words,))


def _files(files: Sequence[DescribedFile]) -> Section:
    table = listed(
        "The files",
        {
            "File": lambda f: name_cell(f.name),
            "Records": lambda f: f"{f.records:,}",
            "Columns": lambda f: str(len(f.columns)),
            "SHA-256": lambda f: f.sha256,
        },
        files,
    )
    columns = listed(
        "Its columns" if len(files) == 1 else f"Columns of {clean(files[0].name)}",
        {
            "Column": lambda c: name_cell(c.name),
            "Label": lambda c: clean(c.label),
            "Type": lambda c: c.type,
            "Categories": lambda c: str(len(c.categories) or ""),
            "Codes for missing": lambda c: clean(", ".join(c.missing)),
        },
        files[0].columns,
    )
    return Section("files", "The data", tables=(table, columns))


def _intruder(publication: Publication, replica: str) -> Section | None:
    test = publication.intruder(replica)
    if not test:
        return None
    outcome = {
        "passed": "A motivated intruder tried to learn something of a person from this file, and "
        "failed.",
        "failed": "A motivated intruder tried to learn something of a person from this file, and "
        "succeeded.",
    }[test]
    note = clean(publication.intruder_test_note)
    return Section("intruder", "Test by a motivated intruder", tuple(filter(None, (outcome, note))))


def _use(
    publication: Publication, files: Sequence[DescribedFile], spec: StudyEntries, kind: str
) -> Section:
    cited = publication.citation or (
        f"{spec.study.title} ({_MARKS.get(kind, 'no real data')}). "
        f"{'; '.join(f'{file.name}, SHA-256 {file.sha256[:16]}' for file in files)}."
    )
    items = [
        f"Cite it as: {clean(cited)}",
        f"Say in every publication that the data are {_DATA.get(kind, 'not the original')}.",
    ]
    if len(files) > 1:
        items.append(
            f"Make every analysis on each of the {len(files)} files by itself, and take the mean: "
            "put together, they look like more people than there were."
        )
    for name, text in (
        ("Licence", publication.licence),
        ("Contact", publication.contact),
        ("To be used until", publication.expires),
    ):
        if text:
            items.append(f"{name}: {clean(text)}")
    return Section("use", "How to use and cite it", items=tuple(items))


def _absent(
    publication: Publication, generator: Generator | None, release: Path | None
) -> Iterator[str]:
    if generator is None:
        yield 'how it was made: add [[generator]] with name = "..." to the study'
    for name in ("contact", "citation", "licence", "expires"):
        if not getattr(publication, name):
            yield f'{name}: add {name} = "..." to [publication]'
    if release is None:
        yield "what is preserved: name a release with --release"


def _refuse_expired(expires: str, today: dt.date, file: str) -> None:
    if not expires:
        return
    try:
        last = dt.date.fromisoformat(expires)
    except ValueError:
        msg = f'{file}: publication: expires: expected a day such as "2027-12-31".'
        raise StudyError(msg) from None
    if last < today:
        msg = (
            f"{file}: publication: the file expired on {expires}. Set another day, or withdraw it."
        )
        raise StudyError(msg)
