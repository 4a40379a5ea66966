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
import hmac
import json
import math
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics import __version__
from sdcmetrics.errors import (
    FileError,
    NotComputable,
    StudyError,
    did_you_mean,
)
from sdcmetrics.measures.analyses.analysis import Analyses, Analysis
from sdcmetrics.measures.analyses.estimates import Estimates
from sdcmetrics.measures.analyses.estimating import sides_of
from sdcmetrics.measures.fits.overlap import normal_quantile
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.section import read_section
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design
from sdcmetrics.microdata.arrays import Bools, Floats, Ints
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable, alone
from sdcmetrics.release.answers import answered, make_ledger, read_people, read_public, read_request
from sdcmetrics.release.people import Records
from sdcmetrics.release.public import Public, Replica, path_of, person_column
from sdcmetrics.release.questions import Question
from sdcmetrics.release.secret import read_secret, secret_file
from sdcmetrics.release.sums import Confidential
from sdcmetrics.release.texts import is_day, plain_text
from sdcmetrics.study.coarsening import coarsened
from sdcmetrics.study.data import load
from sdcmetrics.study.file import StudyEntries, read_options

MOST_TERMS = 12
"""Terms of an analysis: each has a share of the price."""
_PART = 60
"""Records that a part has if the original is as large as the replica."""
_FEWEST, _MOST = 20, 400
"""Parts."""
_ENOUGH = 0.8
"""Share of parts that must have an estimate for an answer."""
_LEVEL = 0.9
_OWN = 1.0 - 2.0 / math.pi
"""Share of a count's variance that does not follow from the estimate of all parts together."""
_MEASURE = "verification"
_DIGITS = 10
"""Of the number that estimates of parts are compared with."""


@dataclass(frozen=True)
class Answer:
    """What is told of one term.

    Attributes
    ----------
    term : str
    synthetic : float
        The replica's estimate, which is public.
    overlap : tuple of float, or None
        A range that holds the confidence interval overlap (CIO, not below 0) in about 90 % of such
        answers; None where too few parts have an estimate.
    conclusion : "same", "other" or "cannot be told"
        Whether the original's sign and significance are the replica's; "cannot be told" as well
        where nothing is tested.
    """

    term: str
    synthetic: float
    overlap: tuple[float, float] | None
    conclusion: str


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
        Of the replica's files as they were read, in the order of the study.
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
    section = read_section(Analyses, entries["analysis"])
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
    analysed = _Asked.of(analysis, syntheses, weight, spec.missing_codes)
    people = read_people(spec, study, public)
    for name in (*analysed.columns, *([weight] if weight else [])):
        people.original.column(name)
    place = secret_file(study, spec.release.secret)
    if not place.exists():
        make_ledger(place, public.budget)
    parts = min(max(chosen.n // len(chosen.syntheses) // _PART, _FEWEST), _MOST)
    unit = person_column(spec)
    reference = analysed.reference(parts)
    facts = {
        **analysed.facts(reference),
        "coarsened": {name: repr(public.coarsen[name]) for name in sorted(public.coarsen)},
    }
    questions = [
        _question(analysed, chosen, term, count, parts, 1 if unit else public.rows, facts)
        for term in analysed.terms
        for count in analysed.counts
    ]
    secret = read_secret(place)
    table: list[dict[tuple[str, str], int]] = []

    def exact(question: Question) -> tuple[int, ...]:
        if not table:  # once, and only when it was paid for
            own = _parts(people, unit, secret, parts)
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


def _read_replica(
    spec: StudyEntries, study: Path, replica: str, public: Public
) -> tuple[tuple[Microdata, ...], tuple[str, ...]]:
    """Read the syntheses of a replica as a review reads them; return the files' SHA-256 as well."""
    how = {**read_options(spec, study), "in_memory": True}
    files = [path_of(name, study) for name in spec.data.replicas[replica]]
    data = load(files[0], {replica: files}, None, how)
    syntheses = coarsened(data, public.coarsen, public.missing_codes).replicas[replica]
    digests = (synthesis.sha256 for synthesis in data.replicas[replica])
    return syntheses, tuple(dict.fromkeys(digest for digest in digests if digest))


def _replica(public: Public, name: str) -> Replica:
    for replica in public.replicas:
        if replica.name == name:
            return replica
    names = [replica.name for replica in public.replicas]
    hint = did_you_mean(name, names) or f" There are: {', '.join(names)}."
    msg = f"the study has no replica {name!r}.{hint}"
    raise StudyError(msg)


def _question(
    analysed: _Asked,
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


def _parts(people: Confidential, unit: str, secret: bytes, number: int) -> Ints:
    """Return the part of each original record; it follows from the person alone.

    Without a column of persons, records that are the same are told apart by their number, so that
    one more of them moves no other.
    """
    data = people.original
    names = [unit] if unit else sorted(data.columns)
    texts = [
        np.array(data.columns[name].texts, dtype=object)[data.columns[name].codes] for name in names
    ]
    met: dict[tuple[str | None, ...], int] = {}
    out = np.empty(data.n, dtype=np.int64)
    for i, row in enumerate(zip(*texts, strict=True)):
        copy = 0 if unit else met.get(row, 0)
        met[row] = copy + 1
        digest = hmac.digest(secret, b"part\0" + repr((row, copy)).encode(), hashlib.sha256)
        out[i] = int.from_bytes(digest[:8], "big") % number
    return out


@dataclass(frozen=True, eq=False)
class _Asked:
    """An analysis of a replica: its columns, and its estimates, all public."""

    analysis: Analysis
    columns: tuple[str, ...]
    data: Harmonised
    estimates: Estimates
    synthetic: Floats
    weight: str
    identity: str

    @classmethod
    def of(
        cls,
        analysis: Analysis,
        syntheses: Sequence[Microdata],
        weight: str,
        missing_codes: Mapping[str, Any],
    ) -> _Asked:
        first, *others = syntheses
        analysis.check(first)
        columns = analysis.columns_of(first.columns)
        codes = {name: code for name, code in missing_codes.items() if name in columns}
        data = _in_order(alone(first, list(columns), codes))
        design: list[SurveyDesign | None] = [None]
        estimates = sides_of(analysis, data, design).estimates(0)
        values = [estimates.value]
        for other in others:
            more = sides_of(
                analysis, _in_order(alone(other, list(columns), codes)), design
            ).estimates(0)
            values.append(_aligned(estimates, more))
        usable = np.isfinite(estimates.value) & (estimates.error > 0)
        if not usable.any() or usable.sum() > MOST_TERMS:
            msg = (
                f"analysis {analysis.name!r}: expected 1 to {MOST_TERMS} terms with an error, but "
                f"the replica has {int(usable.sum())}. Ask for fewer groups or levels."
            )
            raise NotComputable(msg)
        entries = {name: entry for name, entry in asdict(analysis).items() if name != "name"}
        identity = json.dumps({**entries, "weight": weight}, sort_keys=True, default=list)
        mean = np.mean(values, axis=0)
        return cls(analysis, columns, data, estimates, mean, weight, identity)

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that are asked for."""
        usable = np.isfinite(self.synthetic) & (self.estimates.error > 0)
        return tuple(term for term, use in zip(self.estimates.terms, usable, strict=True) if use)

    @property
    def counts(self) -> tuple[str, ...]:
        """What is counted of each term over the parts."""
        tested = () if math.isnan(self.estimates.null) else ("above the null",)
        return ("estimated", "above the replica", *tested)

    def reference(self, number: int) -> Floats:
        """Return the replica's estimates with the bias that parts of its size have; public.

        They are rounded: the last digits, which follow from the machine, are no other question.
        """
        rows = np.random.default_rng(number).permutation(self.data.sizes[0]) % number
        whole = {
            name: (variable.values or variable.codes)[0]
            for name, variable in self.data.variables.items()
        }
        weights = np.ones(self.data.sizes[0])
        parts = [self._estimated(whole, weights, rows == part) for part in range(number)]
        frame = pd.DataFrame(parts, columns=pd.Index(self.estimates.terms))
        bias = frame.mean().to_numpy(np.float64) - self.estimates.value
        limits = self.synthetic + np.where(np.isfinite(bias), bias, 0.0)
        return np.array([float(f"{limit:.{_DIGITS}g}") for limit in limits])

    def facts(self, reference: Floats) -> dict[str, Any]:
        """Return all that the counts follow from beside the original and the entries; public.

        Two questions of which one fact differs must not share their noise, or the difference of
        their answers is that of the counts themselves.
        """
        return {
            "compared with": dict(zip(self.estimates.terms, reference.tolist(), strict=True)),
            "columns": {
                name: (variable.kind.value, variable.levels, variable.missing_codes)
                for name, variable in sorted(self.data.variables.items())
            },
        }

    def counted(
        self, original: Records, parts: Ints, reference: Floats
    ) -> dict[tuple[str, str], int]:
        """Count parts of the original; confidential until noise is added."""
        out = {(term, count): 0 for term in self.terms for count in self.counts}
        whole = {name: _entries(original, name, self.data.variables[name]) for name in self.columns}
        weights = _weights(original, self.weight)
        for part in np.unique(parts):
            rows = (parts == part) & (weights > 0)
            values = self._estimated(whole, weights, rows)
            for term, limit in zip(self.estimates.terms, reference, strict=True):
                value = values.get(term, math.nan)
                if not math.isfinite(value) or (term, "estimated") not in out:
                    continue
                out[term, "estimated"] += 1
                out[term, "above the replica"] += value > limit
                if "above the null" in self.counts:
                    out[term, "above the null"] += value > self.estimates.null
        return {key: int(count) for key, count in out.items()}

    def _estimated(
        self, whole: Mapping[str, Any], weights: Floats, rows: Bools
    ) -> dict[str, float]:
        """Return the estimates of one part by term; nothing where it fails, whatever the cause.

        What fails, and how, would tell of the people in it.
        """
        variables = {
            name: _with_part(variable, whole[name][rows])
            for name, variable in self.data.variables.items()
        }
        sizes = (self.data.sizes[0], int(rows.sum()))
        data = Harmonised(variables, sizes, ("the replica", "a part"), ())
        own = simple_design(sizes[1])
        design = SurveyDesign(weights[rows], own.strata, own.clusters)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimated = sides_of(self.analysis, data, [None, design]).estimates(1)
        except Exception:  # noqa: BLE001  (an error that got out would tell of the people)
            return {}
        return dict(zip(estimated.terms, estimated.value.tolist(), strict=True))

    def answer(self, term: str, numbers: Mapping[tuple[str, str], tuple[int, Fraction]]) -> Answer:
        """Return what noisy counts say of a term."""
        place = self.estimates.terms.index(term)
        value = float(self.synthetic[place])
        estimated, variance = numbers[term, "estimated"]
        above, _ = numbers[term, "above the replica"]
        low, high = _standardised(above, estimated, float(variance))
        if estimated < _FEWEST * _ENOUGH:
            return Answer(term, value, None, "cannot be told")
        width = 2 * normal_quantile(0.95)
        far = max(abs(low), abs(high))
        near = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        overlap = max(0.0, 1 - far / width), max(0.0, 1 - near / width)
        if "above the null" not in self.counts:
            return Answer(term, value, overlap, "cannot be told")
        return Answer(term, value, overlap, self._conclusion(place, numbers))

    def _conclusion(
        self, place: int, numbers: Mapping[tuple[str, str], tuple[int, Fraction]]
    ) -> str:
        term, critical = self.estimates.terms[place], normal_quantile(0.95)
        estimated, variance = numbers[term, "estimated"]
        above, _ = numbers[term, "above the null"]
        low, high = _standardised(above, estimated, float(variance))
        null = self.estimates.null
        lower, upper = self.estimates.lower[place], self.estimates.upper[place]
        replica = 1 if lower > null else -1 if upper < null else 0
        for verdict, holds in ((1, low > critical), (-1, high < -critical)):
            if holds:
                return "same" if verdict == replica else "other"
        inside = -critical < low and high < critical
        if inside:
            return "same" if replica == 0 else "other"
        return "cannot be told"


def _standardised(count: float, estimated: float, variance: float) -> tuple[float, float]:
    """Return a range of how many standard errors the original is above, from a share of parts.

    Both counts have noise, and which people share a part is chance; what the estimate of all of
    them has in common with the count is no error of it. Shares are taken two parts away
    from 0 and 1, where a count says least of its own error.
    """
    from scipy.special import ndtri

    total = max(float(estimated), 1.0)
    share = float(np.clip((count + 2.0) / (total + 4.0), 0.0, 1.0))
    drawn = total * max(share * (1.0 - share), 1.0 / (total + 4.0))
    spread = normal_quantile(_LEVEL) * math.sqrt(_OWN * drawn + variance * (1.0 + share**2))
    ends = (np.clip((count + sign * spread) / total, 0.0, 1.0) for sign in (-1, 1))
    low, high = (math.sqrt(total) * float(ndtri(end)) for end in ends)
    return low, high


def _aligned(first: Estimates, other: Estimates) -> Floats:
    frame = pd.Series(other.value, index=other.terms)
    out: Floats = np.asarray(frame.reindex(list(first.terms)), np.float64)
    return out


def _entries(original: Records, name: str, variable: Variable) -> Any:
    """Return a column of the original as the replica's kind has it, entry by entry.

    What is no such number, or no level of the replica, is missing.
    """
    column = original.column(name)
    if variable.kind is Kind.CATEGORY:
        place = {plain_text(level, ()): i for i, level in enumerate(variable.levels)}
        codes = np.array([place.get(text or "", -1) for text in column.texts], dtype=np.int32)
        return codes[column.codes]
    number = _moment if variable.kind is Kind.DATE else _number
    return np.array([number(text) for text in column.texts], np.float64)[column.codes]


def _moment(text: str | None) -> float:
    """Return a date as the number that reading makes of it."""
    if text is None or not is_day(text):
        return math.nan
    try:
        return float(np.datetime64(text, "ms").astype(np.int64))
    except ValueError:
        return math.nan


def _number(text: str | None) -> float:
    try:
        value = float(text or "nan")
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _weights(original: Records, weight: str) -> Floats:
    """Return the weight of each record; 0, and so left out, where there is none above 0."""
    if not weight:
        return np.ones(original.n)
    column = original.column(weight)
    numbers = np.array([_number(text) for text in column.texts], np.float64)[column.codes]
    return np.where(numbers > 0, numbers, 0.0)


def _in_order(data: Harmonised) -> Harmonised:
    """Return the records of one data set in an order that follows from their content."""
    if not data.variables:
        return data
    columns = [(variable.values or variable.codes)[0] for variable in data.variables.values()]
    order = np.lexsort(columns)
    variables = {
        name: replace(
            variable,
            values=tuple(values[order] for values in variable.values),
            codes=tuple(codes[order] for codes in variable.codes),
        )
        for name, variable in data.variables.items()
    }
    return replace(data, variables=variables)


def _with_part(variable: Variable, entries: Any) -> Variable:
    if variable.kind is Kind.CATEGORY:
        codes = (variable.codes[0], entries)
        return Variable(variable.name, variable.kind, (), codes, variable.levels)
    values = (variable.values[0], entries)
    return Variable(variable.name, variable.kind, values, (), (), variable.missing_codes)


def answers_in_words(result: Verification) -> Iterator[str]:
    """Yield a line for each answer."""
    for answer in result.answers:
        if answer.overlap is None:
            yield f"{answer.term}: not answered, as too few parts of the original have an estimate"
            continue
        low, high = answer.overlap
        line = f"{answer.term}: overlap {low:.2f} to {high:.2f}"
        answers = {
            "same": "; same sign and significance",
            "other": "; another sign or significance",
        }.get(answer.conclusion, "")
        yield line + answers


__all__ = ["Answer", "Verification", "answers_in_words", "read_analyses", "verify"]
