"""Studies: data, roles, scenarios and options, from Python or from a TOML file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sdcmetrics.errors import DataError, StudyError, did_you_mean
from sdcmetrics.measures.fits.formula import read_formula
from sdcmetrics.measures.registry import SECTIONS
from sdcmetrics.measures.rules.binding import bind
from sdcmetrics.measures.rules.large import one_record
from sdcmetrics.measures.rules.rule import Rule, make_rules
from sdcmetrics.measures.section import Section, read_section
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coarsening import Coarsening
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import MissingCodes, harmonise
from sdcmetrics.results import Readable
from sdcmetrics.study.coarsening import check_roles, coarsened, make_coarsening
from sdcmetrics.study.data import DataSets, check_replicas, load, read_whole, refuse_one_record
from sdcmetrics.study.kinds import HowMade, make_kinds
from sdcmetrics.study.models import Model, make_models
from sdcmetrics.study.options import (
    Options,
    check_coarse,
    check_columns,
    make_options,
    without_coarse,
)
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.ranking import RankingOptions, make_ranking
from sdcmetrics.study.roles import Scenario, complete, list_scenarios
from sdcmetrics.study.sample import (
    as_categories,
    bind_sample,
    make_sample,
    set_aside,
    strata_of_all,
    with_sample,
)


def check_study_rules(
    rules: Sequence[Rule],
    data: DataSets,
    missing_codes: MissingCodes,
    coarse: Collection[str] = (),
) -> None:
    """Raise if a rule does not fit the columns of the original.

    A replica that lacks a column, or has it in another kind, is no fault of the rule: the review
    says of it that the rule could not be checked.

    Raises
    ------
    ColumnError
        If a rule names a column that the original lacks.
    StudyError
        If it compares what cannot be compared, or names a level that no data set has.
    """
    for rule in rules:
        rule.check_columns(data.original)
        names = set(rule.columns)
        codes = {name: codes for name, codes in missing_codes.items() if name in names}
        others_of = data.every[1:]
        others = [data_set for data_set in others_of if names <= set(data_set.columns)]
        try:
            both = harmonise(data.original, others, variables=rule.columns, missing_codes=codes)
        except DataError:  # a replica that does not fit, or none that has the columns
            both = harmonise(
                data.original, [data.original], variables=rule.columns, missing_codes=codes
            )
            others = []
        source = data.original.source
        variables = one_record(both) if both.large else both.variables
        # Levels that are not in the original may be in the replica that could not be read.
        complete = len(others) == len(others_of)
        try:
            bind(rule.text, rule.node, variables, source=source, any_level=not complete)
        except StudyError as error:
            bands = [name for name in rule.columns if name in coarse]
            if not bands:
                raise
            msg = (
                f"{error}\n[coarsen] makes levels of {', '.join(map(repr, bands))}. Leave out the "
                "rule, or the column there."
            )
            raise StudyError(msg) from None


def _context(texts: Any) -> dict[str, str]:
    """Return the free text of a study; a caller may pass anything."""
    if not isinstance(texts or {}, Mapping):
        msg = f"context: expected a mapping of name to text but got {type(texts).__name__}."
        raise StudyError(msg)
    return {str(name): str(text) for name, text in (texts or {}).items()}


def _sections(entries: Mapping[str, Any]) -> dict[str, Section]:
    """Return the sections that a study asks for."""
    sections = {name: read_section(SECTIONS[name], entry) for name, entry in entries.items()}
    return {name: section for name, section in sections.items() if section is not None}


def _complete_scenarios(
    scenarios: Sequence[Scenario], plain: DataSets, options: Options, original: Microdata
) -> tuple[Scenario, ...]:
    """Return scenarios with their targets, once the options fit keys, targets and the original."""
    out = tuple(complete(scenario, plain.original, plain.every[1:]) for scenario in scenarios)
    keys = dict.fromkeys(name for scenario in out for name in scenario.keys)
    targets = dict.fromkeys(name for scenario in out for name in scenario.targets)
    check_columns(options, original, keys=keys, targets=targets)
    return out


def _as_compared(
    data: DataSets, sample: Sample | None, options: Options, plain: DataSets, named: set[str]
) -> tuple[DataSets, Options]:
    """Return data sets with the columns that are compared, and options that fit them.

    Columns of the sample are compared only where they are named, as variables or elsewhere; but
    strata, which are what records are like, wherever all files have them: as categories, unless
    they are named.
    """
    strata = strata_of_all(data, sample) if options.variables is None else ()
    data = set_aside(data, sample, named | set(strata))
    options = with_sample(options, sample, plain, data, strata)
    numbered = set(strata) - (named | set(options.round_to))
    return as_categories(data, numbered, options.missing_codes), without_coarse(options, numbered)


def _named_columns(
    rules: Sequence[Rule],
    models: Sequence[Model],
    sections: Mapping[str, Section],
    columns: Sequence[str],
) -> set[str]:
    """Return the columns of the original that rules, models and sections name."""
    return {
        *(name for rule in rules for name in rule.columns),
        *(name for model in models for name in read_formula(model.formula, columns).columns),
        *(name for section in sections.values() for name in section.named_columns),
    }


__all__ = ["Options", "RankingOptions", "Scenario", "Study"]


S = TypeVar("S")


@dataclass(frozen=True, init=False)
class Study(Readable, shows=("title", "original", "replicas", "holdout", "scenarios")):
    """An original, its replicas, and what to ask about them.

    Parameters
    ----------
    original : data frame, Microdata or path
    replicas : mapping of name to a data frame, Microdata or path, or to a list of them
        A list holds m > 1 syntheses made by one method.
    keys : names of the columns that an intruder knows
    targets : names of the columns that an intruder wants to know, optional
        By default every other column that all data sets have.
    holdout : data frame, Microdata or path, optional
        Records of the same population that were not used for synthesis.
    scenarios : sequence of Scenario, optional
        Further, or instead of `keys` and `targets`.
    coarsen : mapping of column to how, optional
        Columns that are made coarser in original, replicas and holdout before anything is measured:
        numbers in bands of a width (``5``) or between bounds (``[0, 1000, 2000]``, each band with
        its lower bound, the last with both; -inf and inf are bounds too), dates to the "month",
        "quarter" or "year", and levels in groups (``{"north": ["a", "b"], "south": "*"}``, ``"*"``
        for all that are left, or the path of a CSV file of levels and groups). They are categories
        from then on. What is missing stays missing, and missing codes stay levels of their own.
    models : sequence of formulas, or of pairs of formula and family, optional
        Models that users of the replica may fit; see `fit_overlap`.
    rules : sequence of texts, mappings with text, name and description, or `Rule`, optional
        Relations that every record is to keep; see `check_rules`.
    earlier_files : sequence of data frames, Microdata or paths, optional
        Files of the same original that were handed out earlier, in their order. Every replica is
        judged together with them, too, as risk adds up over all that is out.
    sample : mapping, optional
        How the original was sampled: the columns `weight`, `strata`, `cluster`, `household` and
        `person`, which are compared only where the study names them elsewhere, but for strata that
        all files have and no `variables` leave out; `lonely`, what is done with a stratum of one
        cluster; `population_size`, a number or the column of people per stratum;
        `synthetic_weight`, the column of weights of replicas (by default of the same name, where
        they have it; "" for none); and `against`, see `weighted_tables`.
    ranking : RankingOptions, or mapping of its fields, optional
        How replicas are compared with each other; see `compare_replicas`.
    title : str
    kinds : mapping of replica to kind, optional
        How it was made: "synthesised" (drawn from a model) or "perturbed" (the original with
        changed values), or a mapping of `kind` and `method`, such as {"kind": "synthesised",
        "method": "cart"}. What the report says is to be done follows from it.
    context : mapping of str to str
        Free text for the report: recipient, purpose, intruder, ...
    profile : str or path
        Name of a profile that comes with the package, or a TOML file.
    command : str
        How the study was started, for the report.
    allow_code : bool
        Whether files of Python that the study names are run; see `Analysis`.
    read_options : mapping, optional
        Options of `sdcmetrics.read` for the data sets given as paths, each used for the formats
        that know it; and `in_memory`, which reads files whole that are else counted in batches.
    **options
        Fields of `Options`; and sections that ask for more, each with its entries in a mapping, or
        True. Among them are `propensity`, models that tell replica from original (see
        `utility_gen`); `attacks` on the original beside the same on the holdout, which take seconds
        to minutes; `distributions`, distances between distributions, each with a test (see
        `energy_distance`, `wasserstein`, `tails` and `subgroups`); and `prediction`, what can be
        learnt from a replica, tested on the holdout (see `prediction`).

    Raises
    ------
    StudyError
        For unknown options, missing roles, duplicate names or an unknown profile.
    DataError, FileError, ColumnError
        If a data set cannot be read or lacks a named column.

    Notes
    -----
    What can be checked without reading a data set is checked first.
    """

    original: Microdata
    replicas: dict[str, tuple[Microdata, ...]]
    scenarios: tuple[Scenario, ...]
    holdout: Microdata | None
    coarsen: dict[str, Coarsening]
    kinds: dict[str, HowMade]
    models: tuple[Model, ...]
    rules: tuple[Rule, ...]
    sections: dict[str, Section]
    sample: Sample | None
    ranking: RankingOptions
    earlier_files: tuple[Microdata, ...]
    title: str
    context: dict[str, str]
    profile: str
    command: str
    allow_code: bool
    options: Options

    @checked
    def __init__(  # noqa: PLR0913  (the parts of a study)
        self,
        original: Any,
        replicas: Mapping[str, Any],
        *,
        keys: Sequence[str] = (),
        targets: Sequence[str] | None = None,
        holdout: Any = None,
        scenarios: Sequence[Scenario] = (),
        coarsen: Mapping[str, Any] | None = None,
        kinds: Mapping[str, Any] | None = None,
        models: Sequence[Any] = (),
        rules: Any = (),
        earlier_files: Sequence[Any] = (),
        sample: Mapping[str, Any] | None = None,
        ranking: RankingOptions | Mapping[str, Any] | None = None,
        title: str = "Disclosure review",
        context: Mapping[str, str] | None = None,
        profile: str | Path = "default",
        command: str = "",
        allow_code: bool = False,
        read_options: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        texts = _context(context)
        syntheses = check_replicas(replicas)
        given_sections = {name: options.pop(name) for name in SECTIONS if name in options}
        chosen = make_options(options)
        compared = make_ranking(ranking, models=bool(models))
        wanted = list_scenarios(keys, targets, scenarios)
        relations = make_rules(rules)
        coarser = make_coarsening(coarsen)
        kinds_of = make_kinds(kinds, syntheses)
        sections = _sections(given_sections)
        entries = make_sample(sample)
        load_profile(profile)
        data = load(original, syntheses, holdout, read_options or {}, earlier_files)
        refuse_one_record(data.original, data.holdout)
        if entries is not None:  # each record has a weight of its own
            data = read_whole(data, "sample: a design of weights, strata and clusters")
        sampled = bind_sample(entries, data)
        check_roles(coarser, data, sampled)
        check_coarse(chosen, coarser)
        data = coarsened(data, coarser, chosen.missing_codes)
        chosen = without_coarse(chosen, coarser)
        modelled = make_models(models, data.original)
        as_variables = {n for s in wanted for n in (*s.keys, *s.targets)} | {
            *(chosen.variables or ())
        }
        plain = set_aside(data, sampled, as_variables)
        complete_scenarios = _complete_scenarios(wanted, plain, chosen, data.original)
        check_study_rules(relations, data, chosen.missing_codes, coarser)
        for section in sections.values():
            section.check(data.original)
            section.check_beside(sections, list(syntheses))
        elsewhere = _named_columns(relations, modelled, sections, plain.original.columns)
        data, chosen = _as_compared(data, sampled, chosen, plain, as_variables | elsewhere)
        vars(self).update(  # the way of a frozen dataclass with its own __init__
            original=data.original,
            replicas=data.replicas,
            scenarios=complete_scenarios,
            holdout=data.holdout,
            coarsen=coarser,
            kinds=kinds_of,
            earlier_files=data.earlier_files,
            models=modelled,
            rules=relations,
            sections=sections,
            sample=sampled,
            ranking=compared,
            title=title,
            context=texts,
            profile=str(profile),
            command=command,
            allow_code=allow_code,
            options=chosen,
        )

    def section(self, of: type[S]) -> S | None:
        """Return a section of the study; None where it does not ask for it."""
        section = self.sections.get(of.entry)  # type: ignore[attr-defined]  # of every section
        return section if isinstance(section, of) else None

    if not TYPE_CHECKING:  # so that a wrong name is seen by whoever checks types

        def __getattr__(self, name: str) -> Section | None:
            """Return a section by its name; None where the study does not ask for it."""
            if name in SECTIONS:
                return vars(self).get("sections", {}).get(name)
            msg = f"a study has no {name!r}.{did_you_mean(name, [*vars(self), *SECTIONS])}"
            raise AttributeError(msg)

    @property
    def judging(self) -> Profile:
        """The profile: its limits, and the rules by which evidence of decisions is measured."""
        return load_profile(self.profile)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the sample's columns: "weight", "strata", ..., or "population_size"."""
        if self.sample is None:
            return ()
        return tuple(self.sample.columns) or ("population_size",)
