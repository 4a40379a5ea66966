"""Verification: what a user found in a replica, checked on the original, with noise.

Whoever has only the replica sends an analysis. The original is cut into parts, the analysis is made
in each, and two things are counted: in how many parts an estimate is above that of the replica, and
in how many it is above what it is tested against. One person is in one part, and so moves each
count by at most 1, whatever the analysis: a subset of three people, a constant, a difference that
is one person. The counts get noise from the budget of all releases, and all that is said follows
from them.

Of a part, an estimate is above the replica's with chance Phi((e_o - e_s) / (se_o sqrt(parts))), so
that the share of parts says how many standard errors of the original the two are apart.

References
----------
Barrientos, Bolton, Balmat, Reiter et al. (2018), Annals of Applied Statistics 12(2), 1124-1156.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sdcmetrics import __version__
from sdcmetrics.errors import (
    FileError,
    StudyError,
    did_you_mean,
)
from sdcmetrics.measures.analyses.analysis import Analyses, Analysis
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.section import read_section
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.release.answers import answered, make_ledger, read_public, read_request
from sdcmetrics.release.crate import digest_of, files_of
from sdcmetrics.release.original import read_people
from sdcmetrics.release.parts import FEWEST_PARTS, Answer, PartedAnalysis, parts_of
from sdcmetrics.release.public import Public, Replica, path_of, person_column
from sdcmetrics.release.questions import Question
from sdcmetrics.release.secret import read_secret, secret_file
from sdcmetrics.study.coarsening import coarsened
from sdcmetrics.study.data import load, read_whole
from sdcmetrics.study.file import StudyEntries, read_options

_PART = 60
"""Records that a part has if the original is as large as the replica."""
_MOST = 400
"""Parts."""
_MEASURE = "verification"


@dataclass(frozen=True)
class Verification:
    """The answers to one analysis.

    Attributes
    ----------
    analysis : str
    replica : str
    answers : tuple of Answer
    parts : int
    mu : float
        What these answers cost of the original's budget.
    sha256 : tuple of str
        Of the replica's files, in the order of the study; of a folder that of its files' digests.
    """

    analysis: str
    replica: str
    answers: tuple[Answer, ...]
    parts: int
    mu: float
    sha256: tuple[str, ...]


def read_analyses(file: Path) -> tuple[Analysis, ...]:
    """Read the sections [[analysis]] that a user sends.

    Raises
    ------
    FileError, StudyError
        If the file cannot be read, or asks for code to be run.
    """
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        msg = f"{file}: the file cannot be read ({error.strerror})."
        raise FileError(msg) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"{file.name}: not valid TOML in UTF-8: {error}."
        raise StudyError(msg) from None
    other = set(entries) - {"analysis"}
    if other or "analysis" not in entries:
        msg = f"{file.name}: expected sections [[analysis]], and nothing else."
        raise StudyError(msg)
    try:
        section = read_section(Analyses, entries["analysis"])
    except StudyError as error:
        msg = f"{file.name}: {error}"
        raise StudyError(msg) from None
    analyses = () if section is None else section.each
    for analysis in analyses:
        if analysis.function or analysis.statistic == "function":
            msg = f"{file.name}: analysis {analysis.name!r} asks for code, which is not verified."
            raise StudyError(msg)
    return analyses


def verify(study: Path, replica: str, analysis: Analysis, *, mu: float) -> Verification:
    """Check one analysis of a replica on the original, with noise from the study's budget.

    Parameters
    ----------
    study : Path
        With [release]: budget, rows and unit of the promise; secret and ledger lie beside it.
    replica : str
        Its name in the study. Of several syntheses the mean is compared.
    analysis : Analysis
    mu : float
        What the answers may cost together. The same analysis asked again costs nothing.

    Raises
    ------
    ReleaseBlocked
        If the budget is spent, or the replica is too small.
    StudyError, ColumnError, NotComputable
        If the analysis cannot be made of the replica. Whether it can be made of the original is
        never told.
    """
    public = read_public(study)
    chosen = _replica(public, replica)
    spec = read_request(study)
    syntheses, digests = _read_replica(spec, study, replica, public)
    weight = "" if spec.sample is None else spec.sample.weight
    analysed = PartedAnalysis.of(analysis, syntheses, weight, spec.missing_codes)
    people = read_people(spec, study, public, in_memory=True)
    for name in (*analysed.columns, *([weight] if weight else [])):
        people.original.column(name)
    place = secret_file(study, spec.release.secret)
    make_ledger(place, public.budget)
    parts = min(max(chosen.n // len(chosen.syntheses) // _PART, FEWEST_PARTS), _MOST)
    unit = person_column(spec)
    reference = analysed.reference(parts)
    # Parts follow from whole records, so that every band counts.
    facts = {**analysed.facts(reference), "coarsened": public.bands(public.coarsen)}
    if public.days:
        facts["days"] = public.days_of(public.days)
    questions = [
        _question(analysed, chosen, term, count, parts, 1 if unit else public.rows, facts)
        for term in analysed.terms
        for count in analysed.counts
    ]
    secret = read_secret(place)
    table: list[dict[tuple[str, str], int]] = []

    def exact(question: Question, _: bytes) -> tuple[int, ...]:
        if not table:  # once, and only when it was paid for
            own = parts_of(people, unit, secret, parts)
            table.append(analysed.counted(people.original, own, reference))
        return (table[0][question.place.variables[0], question.place.target],)

    note = {"analysis": hashlib.sha256(analysed.identity.encode()).hexdigest()[:16]}
    sums = answered(study, public, people, questions, exact, mu=mu, note=note)
    numbers = {
        (question.place.variables[0], question.place.target): (answer.values[0], answer.variance)
        for question, answer in sums.answers.items()
    }
    answers = tuple(analysed.answer(term, numbers) for term in analysed.terms)
    return Verification(analysis.name, replica, answers, parts, sums.mu, digests)


def _question(
    analysed: PartedAnalysis,
    replica: Replica,
    term: str,
    count: str,
    parts: int,
    sensitivity: int,
    compared: Mapping[str, Any],
) -> Question:
    facts = {
        **compared,
        "program": __version__,
        "measure": _MEASURE,
        "replica": replica.digest,
        "analysis": analysed.identity,
        "term": term,
        "count": count,
        "parts": parts,
    }
    return Question(
        measure=_MEASURE,
        replica=replica.name,
        place=Place(model=analysed.analysis.name, variables=(term,), target=count),
        cells=1,
        sets=1,
        edges=(),
        sensitivity=sensitivity,
        weight=Fraction(1),
        identity=json.dumps(facts, sort_keys=True),
    )


def _read_replica(
    spec: StudyEntries, study: Path, replica: str, public: Public
) -> tuple[tuple[Microdata, ...], tuple[str, ...]]:
    """Read the syntheses of a replica as a review reads them; return the files' SHA-256 as well."""
    how = {**read_options(spec, study), "in_memory": True}
    files = [path_of(name, study) for name in spec.data.replicas[replica]]
    data = read_whole(load(files[0], {replica: files}, None, how), "a verification")
    syntheses = coarsened(data, public.coarsen, public.missing_codes).replicas[replica]
    return syntheses, tuple(dict.fromkeys(digest_of(files_of(file)) for file in files))


def _replica(public: Public, name: str) -> Replica:
    for replica in public.replicas:
        if replica.name == name:
            return replica
    names = [replica.name for replica in public.replicas]
    hint = did_you_mean(name, names) or f" There are: {', '.join(names)}."
    msg = f"the study has no replica {name!r}.{hint}"
    raise StudyError(msg)


def answers_in_words(result: Verification) -> Iterator[str]:
    """Yield a line for each answer."""
    for answer in result.answers:
        if answer.overlap is None:
            yield (
                f"{answer.term}: not answered, as too few parts of the original have an estimate, "
                "counted with noise"
            )
            continue
        low, high = answer.overlap
        line = f"{answer.term}: overlap {low:.2f} to {high:.2f}"
        answers = {
            "same": "; same sign and significance",
            "other": "; another sign or significance",
        }.get(answer.conclusion, "")
        yield line + answers


__all__ = ["Answer", "Verification", "answers_in_words", "read_analyses", "verify"]
