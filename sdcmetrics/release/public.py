"""What is public: the replicas, the study's own words and the profile; no original is opened."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from sdcmetrics.errors import ReleaseBlocked, StudyError, did_you_mean
from sdcmetrics.measures.crosstables.places import CROSSTABLES
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.options import Options
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.coarsening import Coarsening, Levels
from sdcmetrics.microdata.sources.duckdb import SCHEME
from sdcmetrics.release.coarse import coarsened
from sdcmetrics.release.days import orders_of, with_days
from sdcmetrics.release.people import Records
from sdcmetrics.release.reading import open_records
from sdcmetrics.study.coarsening import make_coarsening
from sdcmetrics.study.file import DecisionSection, StudyEntries
from sdcmetrics.study.options import check_coarse
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.reading import coarsen_of
from sdcmetrics.study.roles import (
    Scenario,
    list_scenarios,
    refuse_both_roles,
    with_targets,
)

Unit = Literal["", "person", "household", "cluster"]

FEWEST = 100
"""Records of a replica that may be asked about: of few, it is a question about few people."""


@dataclass(frozen=True, repr=False)
class Replica:
    """A replica: its syntheses, which all outsiders have."""

    name: str
    syntheses: tuple[Records, ...]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that all of its syntheses have."""
        first, *others = self.syntheses
        return tuple(c for c in first.names if all(c in synthesis.names for synthesis in others))

    @cached_property
    def digest(self) -> str:
        """Digest of its content, whatever its name and the order of its records."""
        return "+".join(sorted(synthesis.digest.hex() for synthesis in self.syntheses))

    @property
    def n(self) -> int:
        """Records of all syntheses together."""
        return sum(synthesis.n for synthesis in self.syntheses)

    def levels(self, name: str) -> dict[str | None, int]:
        """Return the number of each level that the replica has in a column, missing included."""
        if name not in self._levels:
            texts = dict.fromkeys(
                text for synthesis in self.syntheses for text in synthesis.column(name).texts
            )
            self._levels[name] = {text: i for i, text in enumerate(texts)}
        return self._levels[name]

    @cached_property
    def _levels(self) -> dict[str, dict[str | None, int]]:
        return {}


@dataclass(frozen=True, repr=False)
class Public:
    """All that an edition for outside may hold besides noisy sums.

    Attributes
    ----------
    title : str
    date : when the edition was written
    context : what the study says of itself, name by name
    scenarios : tuple of Scenario, targets named
    replicas : tuple of Replica
    profile : Profile, whose limits are applied
    options : how numbers are grouped, and which codes mean missing
    days : in which order days are written, by column, where it is not that of ISO 8601
    coarsen : columns that are made coarser in all data sets
    measures : symbols that are asked for
    pairs : whether pairs of variables are compared
    aside : columns that say how the original was sampled, which are compared where they are named
    strata : column of strata that is compared though it is not named, as names of levels; or ""
    holdout : whether people who were not in the original are asked about too
    rows : records that one person may have
    unit : "person", "household" or "cluster", whose records are gathered, and those beyond `rows`
        left out; empty where none are
    budget : mu of all releases of the original together
    decision : what a person signed, or None
    """

    title: str
    date: dt.date
    context: Mapping[str, str]
    scenarios: tuple[Scenario, ...]
    replicas: tuple[Replica, ...]
    profile: Profile
    options: Options
    missing_codes: Mapping[str, tuple[float, ...]]
    days: Mapping[str, str]
    coarsen: Mapping[str, Coarsening]
    measures: tuple[str, ...]
    pairs: bool
    aside: frozenset[str]
    strata: str
    holdout: bool
    rows: int
    unit: Unit
    budget: float
    decision: DecisionSection | None

    def days_of(self, names: Iterable[str]) -> dict[str, str]:
        """Return in which order the days of some columns are written; see `bands`."""
        return {name: self.days[name] for name in sorted({*names} & {*self.days})}

    def bands(self, names: Iterable[str]) -> dict[str, Any]:
        """Return by which rule each of some columns is coarser, and which codes it leaves as is.

        All that a coarser column follows from beside its entries: it belongs to each question that
        looks at the column.
        """
        out: dict[str, Any] = {}
        for name in sorted({*names} & {*self.coarsen}):
            rule, codes = repr(self.coarsen[name]), self.missing_codes.get(name)
            out[name] = [rule, codes] if codes else rule
        return out

    def variables(self, replica: Replica) -> tuple[str, ...]:
        """Return the columns of a replica that are compared."""
        wanted = self.options.variables
        if wanted is not None:
            return tuple(name for name in replica.columns if name in wanted)
        named = {name for s in self.scenarios for name in (*s.keys, *s.targets)} | {self.strata}
        return tuple(name for name in replica.columns if name in named or name not in self.aside)


def public_of(spec: StudyEntries, file: Path, profile: str | None, date: dt.date) -> Public:
    """Read the replicas of a study file, and take over what it says.

    Raises
    ------
    StudyError
        If it asks for what no release tells, or names a column that a replica lacks.
    ReleaseBlocked
        If a replica is too small to be asked about, or several rows per person are not declared.
    """
    coarsen = _coarsen(spec, file)
    missing = {name: tuple(codes) for name, codes in spec.missing_codes.items()}
    opened = {name: _syntheses(files, file, spec) for name, files in spec.data.replicas.items()}
    days = _days(spec, opened, coarsen)
    replicas = tuple(
        Replica(
            name,
            tuple(
                coarsened(with_days(synthesis, days), coarsen, missing, optional=True)
                for synthesis in syntheses
            ),
        )
        for name, syntheses in opened.items()
    )
    _refuse_few(replicas)
    sample = spec.sample
    aside: frozenset[str] = frozenset()
    if sample is not None:
        columns = (sample.weight, sample.strata, sample.cluster, sample.household, sample.person)
        aside = frozenset(name for name in columns if name)
    scenarios = _scenarios(spec, replicas, aside)
    if person_column(spec) and spec.release.rows is None:
        msg = (
            f"{file.name}: records go together by {person_column(spec)!r}, so that one person may "
            "have several. Say how many at most as rows = ... in [release]: every figure then "
            "gets so many times the noise, and records beyond are left out. Where each record is "
            'a person of its own, say unit = "" there.'
        )
        raise ReleaseBlocked(msg)
    rules = load_profile(profile or _seen_from(spec.study.profile, file))
    return Public(
        title=spec.study.title,
        date=date,
        context=dict(spec.context),
        scenarios=scenarios,
        replicas=replicas,
        profile=rules,
        options=spec.options,
        missing_codes=missing,
        days=days,
        coarsen=coarsen,
        measures=_measures(spec.release.measures, file.name),
        pairs=spec.release.pairs,
        aside=aside,
        strata=_strata(spec, scenarios),
        holdout=spec.data.holdout is not None,
        rows=spec.release.rows or 1,
        unit=_unit(spec),
        budget=spec.release.budget,
        decision=_decision(spec, file.name),
    )


def _days(
    spec: StudyEntries, opened: Mapping[str, Sequence[Records]], coarsen: Mapping[str, Coarsening]
) -> dict[str, str]:
    """Return in which order columns of days are written; not of those that are read otherwise."""
    kinds = spec.read.kinds or {}
    left = {name for name, kind in kinds.items() if kind != "date"}
    left |= {name for name, rule in coarsen.items() if isinstance(rule, Levels)}
    every = [synthesis for syntheses in opened.values() for synthesis in syntheses]
    return orders_of(every, left)


def _strata(spec: StudyEntries, scenarios: Sequence[Scenario]) -> str:
    """Return the column of strata where nothing else names it; empty where variables are named."""
    sample = spec.sample
    if sample is None or spec.options.variables is not None:
        return ""
    named = {name for s in scenarios for name in (*s.keys, *s.targets)} | {
        sample.weight,
        person_column(spec),
    }
    return "" if sample.strata in named else sample.strata


def _coarsen(spec: StudyEntries, file: Path) -> dict[str, Coarsening]:
    rules = make_coarsening(coarsen_of(spec, file))
    check_coarse(spec.options, rules)
    if (unit := person_column(spec)) in rules:
        msg = f"{file.name}: coarsen: {unit!r} says whose a record is, and has to stay as it is."
        raise StudyError(msg)
    return rules


def person_column(spec: StudyEntries) -> str:
    """Return the column that says which records are of one person; empty for none.

    It is the `unit` of [release]; where that is not said, what [sample] names.
    """
    if spec.release.unit is not None or spec.sample is None:
        return spec.release.unit or ""
    return spec.sample.person or spec.sample.household or spec.sample.cluster


def _unit(spec: StudyEntries) -> Unit:
    """Return what the column that gathers records tells apart; empty without one."""
    if not person_column(spec):
        return ""
    if spec.release.unit is not None or spec.sample is None or spec.sample.person:
        return "person"
    return "household" if spec.sample.household else "cluster"


def path_of(name: str, file: Path) -> Path:
    """Return the path of a data set that a study file names.

    Raises
    ------
    StudyError
        If it is a table of a database.
    """
    if name.startswith(SCHEME):
        msg = (
            f"{file.name}: a release and its ledger read files, and {SCHEME}... is a table of a "
            "database. Write it to a Parquet file, and name that."
        )
        raise StudyError(msg)
    return file.parent / Path(name).expanduser()


def _syntheses(files: list[str], file: Path, spec: StudyEntries) -> list[Records]:
    how = spec.read.model_dump(exclude_none=True)
    return [records for name in files for records in open_records(path_of(name, file), how)]


def _refuse_few(replicas: tuple[Replica, ...]) -> None:
    for replica in replicas:
        for synthesis in replica.syntheses:
            if synthesis.n < FEWEST:
                msg = (
                    f"replica {replica.name!r}: {synthesis.source} has {synthesis.n} records. A "
                    f"release answers no question about a replica of fewer than {FEWEST}: it "
                    "would be about few people. Leave it out of the study."
                )
                raise ReleaseBlocked(msg)


def _scenarios(
    spec: StudyEntries, replicas: tuple[Replica, ...], aside: frozenset[str]
) -> tuple[Scenario, ...]:
    """Return the scenarios; where no target is named, it is any column that all replicas have."""
    given = [
        Scenario(s.name, tuple(s.keys), tuple(s.targets or ()), s.description)
        for s in spec.scenario
    ]
    common = [c for c in replicas[0].columns if all(c in replica.columns for replica in replicas)]
    out = []
    for scenario in list_scenarios(spec.roles.keys, spec.roles.targets, given):
        refuse_both_roles(scenario)
        filled = with_targets(scenario, [name for name in common if name not in aside])
        for name in (*filled.keys, *filled.targets):
            if name not in common:
                msg = (
                    f"scenario {scenario.name!r}: column {name!r} is missing from a replica."
                    f"{did_you_mean(name, common)} Rename it, or choose another."
                )
                raise StudyError(msg)
        out.append(filled)
    return tuple(out)


def _measures(wanted: list[str], file: str) -> tuple[str, ...]:
    able = [
        symbol
        for symbol, measure in MEASURES.items()
        if measure.release is not None
        and measure.release.sum is not None
        and measure.of in (KEYS, CROSSTABLES)
    ]
    for symbol in wanted:
        if symbol not in able:
            msg = (
                f"{file}: [release] measures: {symbol!r} is no sum over people that a release can "
                f"tell.{did_you_mean(symbol, able)} It can tell {', '.join(able)}."
            )
            raise StudyError(msg)
    return tuple(symbol for symbol in able if symbol in wanted)


def _decision(spec: StudyEntries, file: str) -> DecisionSection | None:
    decision = spec.release.decision
    for name in () if decision is None else decision.replicas:
        if name not in spec.data.replicas:
            msg = (
                f"{file}: [release.decision] names {name!r}, which is no replica of the study."
                f"{did_you_mean(name, spec.data.replicas)}"
            )
            raise StudyError(msg)
    return decision


def _seen_from(profile: str, file: Path) -> str:
    """Return the path of a profile, relative to the study file, or its name."""
    return str(file.parent / profile) if profile.endswith(".toml") else profile
