"""All findings on one replica, before it goes out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

import pandas as pd

from sdcmetrics.measures.generator import Generator
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.measures.publication.sections import Publication, pair_of
from sdcmetrics.measures.publication.structure import (
    Finding,
    structural_findings,
    structure_table,
    surviving_relations,
)
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise
from sdcmetrics.results import Readable

_MOST_LEVELS = 3
"""Different values of a column that may label a file."""


@dataclass(frozen=True, repr=False)
class PublicationCheck(
    Readable, shows=("label", "structure", "documentation", "relation"), table="variables"
):
    """Findings on a replica that is to go out.

    Attributes
    ----------
    findings : tuple of Finding
        Each once, with the syntheses that have it.
    variables : DataFrame
        Index variable. Columns inside (percent of values in the original's range or levels; mean
        over syntheses), missing_original, missing_synthetic, distinct_original, distinct_synthetic.
    """

    findings: tuple[Finding, ...]
    variables: pd.DataFrame

    def of(self, subject: str) -> tuple[Finding, ...]:
        """Return the findings on one subject."""
        return tuple(finding for finding in self.findings if finding.subject == subject)

    @property
    def label(self) -> int:
        """Number of findings on the label."""
        return len(self.of("label"))

    @property
    def structure(self) -> int:
        """Number of findings on the structure."""
        return len(self.of("structure"))

    @property
    def documentation(self) -> int:
        """Number of findings on the documentation."""
        return len(self.of("documentation"))

    @property
    def relation(self) -> int:
        """Number of relations that are not to be there."""
        return len(self.of("relation"))


@checked
def check_publication(
    original: Frame,
    synthetic: Replica,
    *,
    publication: Publication | None = None,
    generator: Generator | None = None,
    missing_codes: MissingCodes | None = None,
) -> PublicationCheck:
    """Look at label, structure and documentation of a replica that is to go out.

    Parameters
    ----------
    original : data frame or Microdata
    synthetic : data frame or Microdata, or list of them
        Of a file that was read by `read` the name counts, too.
    publication, generator : optional
        What a study says of them.
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    PublicationCheck
        `label`, `structure`, `documentation` and `relation` count findings: 0 is best. No finding
        holds a value of the original, and none says whether somebody is at risk.

    Raises
    ------
    ColumnError, DataError
        If columns cannot be compared.

    References
    ----------
    Raab, McCall and Cavin, Four checks for low fidelity synthetic data, International Journal of
    Population Data Science.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 30], "sex": ["f", "m"]})
    >>> check = check_publication(people, people.assign(age=[20, 31]))
    >>> [(finding.subject, finding.column) for finding in check.findings]
    [('label', ''), ('structure', 'age'), ('documentation', ''), ('intruder', '')]
    """
    data = as_microdata(original, "original")
    syntheses = list_syntheses(synthetic, None)
    codes = missing_codes or {}
    harmonised = harmonise(data, syntheses, missing_codes=codes)
    return check_harmonised(
        data, syntheses, harmonised, publication or Publication(), generator, holdout=False
    )


def check_harmonised(
    original: Microdata,
    syntheses: Sequence[Microdata],
    data: Harmonised,
    publication: Publication,
    generator: Generator | None,
    *,
    holdout: bool,
    replica: str = "",
) -> PublicationCheck:
    """Look at a replica whose columns are comparable; see `check_publication`."""
    files: dict[Finding, list[int]] = {}
    declared = {pair_of(relation) for relation in publication.declared}
    for part, synthesis in enumerate(syntheses, start=1):
        labels = _labels(synthesis, publication.words)
        findings = [*_label(synthesis, labels, publication.words)]
        added = labels - {*original.columns}  # what labels a file is no fault of its structure
        plain = synthesis
        if added:
            plain = replace(synthesis, table=synthesis.table.drop_columns([*added]))
        findings += structural_findings(original, plain, data, part, publication.missing_gap)
        if publication.low_fidelity:
            findings += surviving_relations(data, part, declared)
        for finding in dict.fromkeys(findings):
            files.setdefault(finding, []).append(part)
    every = [
        replace(finding, files=() if len(parts) == len(syntheses) else tuple(parts))
        for finding, parts in files.items()
    ]
    every += _documentation(generator, original.n, holdout=holdout)
    every += _intruder(publication, replica)
    tables = [structure_table(data, part) for part in range(1, len(syntheses) + 1)]
    mean = sum(tables[1:], start=tables[0]) / len(tables)
    return PublicationCheck(tuple(dict.fromkeys(every)), mean)


def _says(text: str, words: Sequence[str]) -> bool:
    """Whether one of some words is in a text, whatever its case."""
    return any(word.casefold() in text.casefold() for word in words)


def _labels(synthesis: Microdata, words: Sequence[str]) -> set[str]:
    """Return the columns that say, by name or in each value, that records are not real."""
    out = {name for name in synthesis.columns if _says(name, words)}
    for name in synthesis.columns:
        levels = synthesis.table.column(name).unique().to_pylist()
        if len(levels) <= _MOST_LEVELS and all(_says(str(level), words) for level in levels):
            out.add(name)
    return out


def _label(
    synthesis: Microdata, labels: Collection[str], words: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding where nothing in a file says that its records are not real."""
    of_file = synthesis.sha256 is not None  # else it has no name that goes out with it
    if labels or (of_file and _says(PurePath(synthesis.source).name, words)):
        return
    text = "nothing in the file says that its records are not real: neither its name nor a column"
    yield Finding(
        "label", "", text, "sdcmetrics label writes a labelled copy, its values unchanged."
    )


def _documentation(
    generator: Generator | None, records: int, *, holdout: bool
) -> Iterator[Finding]:
    if generator is None:
        text = "nothing is told of how the replica was made"
        remedy = "Add [[generator]] to the study: name, version, method, records."
        yield Finding("documentation", "", text, remedy)
        return
    for entry in ("version", "method", "records"):
        if not getattr(generator, entry):
            text = f"{entry} of the generator is not told"
            yield Finding("documentation", "", text, f"Add {entry} to [[generator]].")
    if generator.records is not None and generator.records != records:
        text = (
            f"the generator was given {generator.records:,} records, and the original has "
            f"{records:,}"
        )
        remedy = "Review with the records that it was given."
        yield Finding("documentation", "", text, remedy)
    if holdout and generator.holdout_apart is not True:
        text = "it is not told that the holdout was kept away from the generator"
        remedy = "Say holdout_apart = true, or leave the holdout out: it proves nothing else."
        yield Finding("documentation", "", text, remedy)
    if generator.epsilon is None:
        return
    if generator.delta is None or not generator.mechanism:
        text = "epsilon is claimed without delta, or without the mechanism and its unit"
        yield Finding("documentation", "", text, "Add delta and mechanism to [[generator]].")
    if not generator.neighbours:
        text = "epsilon is claimed without telling whether of replacing a record or of adding one"
        remedy = 'Add neighbours = "replace" or "add or remove" to [[generator]].'
        yield Finding("documentation", "", text, remedy)


def _intruder(publication: Publication, replica: str) -> Iterator[Finding]:
    test = publication.intruder(replica)
    if test == "passed":
        return
    if test == "failed":
        text = "a motivated intruder identified somebody"
        yield Finding("intruder", "", text, "Do not hand it out; find out how.")
        return
    text = "no motivated intruder has tried"
    remedy = "Let somebody try, and say intruder_test in [publication] (ICO, anonymisation)."
    yield Finding("intruder", "", text, remedy, minor=True)
