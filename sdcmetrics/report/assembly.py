"""The safe report: everything that is shown, already safe in its mode, as plain values.

Templates, figures, alternative texts, JSON and CSV read this structure and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.agreement.crosscheck import CrossCheck
from sdcmetrics.errors import RError
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.block import Block, Drawn
from sdcmetrics.report.blocks import blocks, drawings
from sdcmetrics.report.figures.charts import Bars
from sdcmetrics.report.safety.cells import (
    AnyTable,
    Mode,
    Name,
    SafeTable,
    Section,
    Words,
    column,
    number,
    table,
)
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.report.sections.all_measures import (
    Method,
    beside_holdout,
    every_measure,
    frame_tables,
    methods,
    not_computed,
    thresholds_table,
)
from sdcmetrics.report.sections.by_variable import VariableBlock, variable_blocks, worst_variables
from sdcmetrics.report.sections.comparison import Comparison, comparison
from sdcmetrics.report.sections.data import (
    ScenarioWords,
    context_table,
    dictionary_table,
    facts,
    fixes_table,
    inputs_table,
    reproduce_table,
    scenarios_in_words,
    variables_table,
)
from sdcmetrics.report.sections.decision import Decision, decision
from sdcmetrics.report.sections.disclosure import (
    AttributeBlock,
    attribute_blocks,
    identity_tables,
)
from sdcmetrics.report.sections.exports import export_tables
from sdcmetrics.report.sections.fits import ModelBlock, specific_section
from sdcmetrics.report.sections.holdout import HoldoutSection, holdout_section
from sdcmetrics.report.sections.levels import level_table, levels_file, risky_tables
from sdcmetrics.report.sections.overview import Overview, overview
from sdcmetrics.report.sections.people import (
    inference_table,
    keys_table,
    learnt_table,
    membership_table,
    people_table,
)
from sdcmetrics.report.sections.proof import Proof, proof
from sdcmetrics.report.sections.ranking import RankingSection, ranking_section
from sdcmetrics.report.sections.rules import Relations, RuleBlock, relations, rules_section
from sdcmetrics.report.sections.sample import means_table, records_table, sample_tables
from sdcmetrics.report.sections.since import Since
from sdcmetrics.report.sections.todo import ToDo, to_do
from sdcmetrics.report.sections.utility import UtilitySection, utility_section
from sdcmetrics.report.source import Source
from sdcmetrics.review.remedies import Remedies
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile


@dataclass(frozen=True)
class SafeReport:
    """Everything a report shows. Nothing in it is more exact than its mode allows.

    Attributes
    ----------
    mode : "internal" or "checker"
    title : Name
    profile_title, date : str
    facts, scenarios, context, inputs, variables, fixes : the cover, and where the data are from
    overview, to_do : the second and the third page for the board
    decision, identity, attribute, utility, specific, rules, fresh, ranking, comparison
    by_variable
        The findings.
    levels : tuple of SafeTable
        Disclosure by target level, one for each of `attribute`. Empty tables in checker mode.
    worst_variables : tuple of Bars
        Per replica that is not useless the variable that is furthest from the original's.
    people, keys : tuples of SafeTable
        Who is at risk by the keys, one per scenario. Without rows in checker mode.
    inferred : tuple of SafeTable
        What models infer, one for each of `attribute`; without rows where nobody asked.
    membership : SafeTable
        What attacks say of who was in the original.
    frames : tuple of SafeTable
        The review by what guidelines ask for without a number, where the profile has such.
    learnt : SafeTable
        What can be learnt from each replica. Empty in checker mode.
    not_computed : SafeTable
        What has no value, and why. Empty in checker mode.
    every, risky : tuples of SafeTable
        Every measure with its worst value, and the records at risk. Empty in checker mode.
    beside_holdout : tuple of SafeTable
        Utility beside the holdout, and the groups that are served worst. Empty in checker mode.
    drawn : tuple of Drawn
        Figures of the metrics of a suite. Empty in checker mode.
    relations : Relations
        Relations that were found; nothing in checker mode.
    sample : tuple of SafeTable
        How the original was sampled, and what is of the population. Empty in checker mode.
    blocks : tuple of Block
        What subjects add, see `sdcmetrics.report.blocks`.
    proof : Proof or None
        What the cross-check with synthpop found; None where it was not asked for.
    methods, thresholds : how to read the measures
    suppression : SafeTable
        What the mode held back, by rule; no rows in internal mode.
    reproduce : SafeTable
    names : SafeTable
        Names that are too long to show, in full.
    since : Since or None
        What changed since the review whose results these replace; None in checker mode.
    exports : dict of file name to SafeTable
        In internal mode a plain one where there is a row per table of the data.
    """

    mode: Mode
    title: Name
    profile_title: str
    date: str
    facts: tuple[tuple[str, Words], ...]
    decision: Decision
    overview: Overview
    to_do: ToDo
    scenarios: tuple[ScenarioWords, ...]
    context: SafeTable
    inputs: SafeTable
    variables: SafeTable
    fixes: SafeTable
    identity: tuple[SafeTable, ...]
    attribute: tuple[AttributeBlock, ...]
    levels: tuple[SafeTable, ...]
    people: tuple[SafeTable, ...]
    keys: tuple[SafeTable, ...]
    inferred: tuple[SafeTable, ...]
    membership: SafeTable
    utility: UtilitySection
    beside_holdout: tuple[SafeTable, ...]
    drawn: tuple[Drawn, ...]
    specific: Section[ModelBlock]
    learnt: SafeTable
    rules: Section[RuleBlock]
    relations: Relations
    fresh: HoldoutSection
    ranking: RankingSection
    comparison: Comparison
    by_variable: tuple[VariableBlock, ...]
    worst_variables: tuple[Bars, ...]
    frames: tuple[SafeTable, ...]
    every: tuple[SafeTable, ...]
    not_computed: SafeTable
    risky: tuple[SafeTable, ...]
    sample: tuple[SafeTable, ...]
    blocks: tuple[Block, ...]
    proof: Proof | None
    methods: tuple[Method, ...]
    thresholds: SafeTable
    reproduce: SafeTable
    exports: dict[str, AnyTable]
    suppression: SafeTable
    names: SafeTable
    since: Since | None = None


def safe_report(
    review: Review,
    profile: Profile,
    mode: Mode,
    crosscheck: CrossCheck | RError | None = None,
    ranking: Ranking | None = None,
    remedied: Remedies | None = None,
) -> SafeReport:
    """Turn a review into what may be shown of it.

    Parameters
    ----------
    review : Review
    profile : Profile
        Its thresholds judge; its `min_cell`, `zeros_disclosive` and `round_base` protect.
    mode : "internal" or "checker"
    crosscheck : CrossCheck, or the RError that prevented it, optional
    ranking : Ranking, optional
        Of the replicas, where it was made with references or draws.
    remedied : Remedies, optional
        Of the same review; shown in internal mode only.
    """
    shown = protect(review, profile) if mode == "checker" else review
    source = Source(shown, profile, crosscheck)
    fresh = holdout_section(source)
    compared = ranking_section(source, ranking)
    attacked = membership_table(source)
    named: dict[str, AnyTable] = {"attacks": attacked} if attacked.rows else {}
    dictionary = dictionary_table(source)
    if dictionary.rows:
        named["labels"] = dictionary
    sampled = sample_tables(source)
    if sampled:
        named |= {"sample_design": sampled[0], "sample_means": means_table(source)}
        by_record = records_table(source)
        named |= {} if by_record is None else {"sample_records": by_record}
    added = tuple(blocks(source))
    for block in added:
        named |= block.tables
    return SafeReport(
        mode=mode,
        title=source.name(shown.study.title),
        profile_title=profile.title,
        date=shown.created[:10],
        facts=facts(source),
        decision=decision(source, compared.standing),
        overview=overview(source),
        to_do=to_do(source, remedied),
        scenarios=scenarios_in_words(source),
        context=context_table(source),
        inputs=inputs_table(source),
        variables=variables_table(source),
        fixes=fixes_table(source),
        identity=identity_tables(source),
        attribute=attribute_blocks(source),
        levels=tuple(level_table(source, s, t) for s, t in source.targets),
        people=tuple(people_table(source, scenario) for scenario in source.review.scenarios),
        keys=tuple(keys_table(source, scenario) for scenario in source.review.scenarios),
        inferred=tuple(inference_table(source, s.name, t) for s, t in source.targets),
        membership=attacked,
        utility=utility_section(source),
        beside_holdout=beside_holdout(source),
        drawn=drawings(source),
        specific=specific_section(source),
        learnt=learnt_table(source),
        rules=rules_section(source),
        relations=relations(source),
        fresh=fresh,
        ranking=compared,
        comparison=comparison(source),
        by_variable=variable_blocks(source),
        worst_variables=worst_variables(source),
        frames=frame_tables(source),
        every=every_measure(source),
        not_computed=not_computed(source),
        risky=risky_tables(source),
        sample=sampled,
        blocks=added,
        proof=proof(source),
        methods=methods(source),
        thresholds=thresholds_table(source),
        reproduce=reproduce_table(source),
        exports={
            **export_tables(source),
            **levels_file(source),
            **fresh.exports,
            **compared.files,
            **named,
        },
        # Last, so that they know of everything above.
        suppression=_suppression(source),
        names=_long_names(source),
    )


def _suppression(source: Source) -> SafeTable:
    return table(
        "What this edition holds back, by rule",
        (column("Rule", "rule"), number("Places", "places")),
        ((rule, times) for rule, times in sorted(source.guard.log.items()) if times),
        f"By the profile: {source.profile.title}.",
    )


def _long_names(source: Source) -> SafeTable:
    return table(
        "Names that are shortened in this report",
        (column("Shown as", "shown"), column("Full name", "full")),
        (
            (Name(name.text, name.text), Name(name.full, name.full))
            for name in source.guard.names.shortened
        ),
    )
