"""Questions that a review did not examine, from the data: silence is no approval."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.decision.risk_sentences import COPIED_UNNOTICED
from sdcmetrics.decision.status import Status
from sdcmetrics.errors import RError
from sdcmetrics.measures.attacks.places import INFERENCE, MEMBERSHIP
from sdcmetrics.measures.attacks.section import Attacks
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.homogeneity.places import KEPT_TABLES
from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Sentence, Words, joined, sentence
from sdcmetrics.report.safety.protect.protection import BEYOND
from sdcmetrics.report.safety.protect.tables import MOST_PAIRS
from sdcmetrics.report.sections.answers import said_of
from sdcmetrics.report.source import Source
from sdcmetrics.study.data import lacking_columns, same_as_holdout

_FOUND = 1.0
"""Percent of original records: where the keys of fewer are in a replica, risks are of the keys."""
_NAMED = 24
"""Variables that a sentence names."""


def not_checked(source: Source) -> tuple[Sentence, ...]:
    """Return what was not checked, each with why it matters."""
    return tuple(_items(source))


def _items(source: Source) -> Iterator[Sentence]:
    review = source.review
    metrics = set(source.measures.metrics)
    if not any(data.role == "holdout" for data in review.inputs):
        yield sentence(
            "No holdout: without records that the synthesis did not see, learning the "
            "population cannot be told from memorising people."
        )
    yield from _holdout(source)
    yield from _copied_unnoticed(source)
    yield from _never_found(source)
    yield from _kept_tables(source)
    yield from _attacks(source, {MEASURES[metric].of for metric in metrics})
    if not any(MEASURES[metric].of is CLOSEST for metric in metrics):
        yield sentence("No distances between records, which show copies that differ in one value.")
    if not review.study.models:
        yield sentence(
            "No model-based utility: whether regressions give the same answers as "
            "on the original. Name models in the study file."
        )
    if not review.study.rules:
        yield sentence(
            "No rules: relations that every record must keep (nobody marries before birth). Name "
            "them in the study file; they are the first thing to check."
        )
    yield from _against_r(source)
    yield from _ways(source)
    if beyond := source.guard.log.get(BEYOND):
        yield sentence(
            f"{beyond:,} tables of two variables: of so many, a release looks at {MOST_PAIRS} for "
            "what they give away, those of keys and targets first, then in the order of the "
            "columns. It says nothing of the others."
        )
    yield from _roles(source)
    yield from _variables(source)
    yield from _grouped(source)
    missing = source.measures.missing
    if missing and not source.release:  # there it could be that a value is too small
        yield sentence(
            f"{numbers.plural(missing, 'measurement')} could not be computed"
            "; the reason stands beside each.",
            link="not-computed",
        )
    if not any(MEASURES[metric].family == DISCLOSURE_RISK for metric in source.profile.thresholds):
        yield sentence(
            f"No disclosure measure has a limit of its own in the profile "
            f"\N{LEFT DOUBLE QUOTATION MARK}{source.profile.title}\N{RIGHT DOUBLE QUOTATION MARK}: "
            "what anybody can learn of the population, in the original or not, is not limited."
        )
    yield sentence(
        "Not seen by any test here: copies of a part of the records under other words or units; a "
        "few people of whom some columns are copied, in wide files; a few jittered people in large "
        "files; relations of four and more columns; a change in a subgroup of 5 % of a few hundred "
        "records."
    )


def _kept_tables(source: Source) -> Iterator[Sentence]:
    if not source.release and not source.inside.evidence.of(KEPT_TABLES):
        yield sentence(
            "Whether small counts of the original are in tables of a replica was not asked: the "
            "files are counted batch by batch, and their rows belong together or stand in strata."
        )


def _attacks(source: Source, kinds: set[Kind]) -> Iterator[Sentence]:
    """Yield which attacks nobody asked for, where who was in the original is one of them."""
    if MEMBERSHIP in kinds:
        return
    attacks = None if source.release else source.inside.study.section(Attacks)
    inference = (
        "what a model of the replica knows of them beyond people who were not in the original"
    )
    if source.release and INFERENCE in kinds:
        yield sentence(
            'No attack on who was in the original ("membership"). Ask for it with [attacks] in the '
            "study file."
        )
        return
    if attacks is None:
        yield sentence(
            f"No attacks: who was in the original, and {inference}. Ask for them with [attacks] in "
            "the study file."
        )
        return
    left_out = 'who was in the original ("membership")'
    if INFERENCE not in kinds:
        left_out += f', and {inference} ("attribute inference")'
    yield sentence(
        f"Attacks that were not asked for: {left_out}. [attacks] in the study file asks for "
        f"{' and '.join(attacks.kinds)} only; add them to its kinds."
    )


def _against_r(source: Source) -> Iterator[Sentence]:
    if source.crosscheck is None:
        yield sentence(
            "No cross-check: the numbers in this review were not compared with those of R."
        )
    elif isinstance(source.crosscheck, RError):
        yield sentence(
            "No cross-check: it was asked for, but R could not make it, so no number in this "
            "review "
            "was compared with R."
        )


def _ways(source: Source) -> Iterator[Sentence]:
    sizes = source.measures.ways
    if any(source.measures.worst(replica, "F3") for replica in source.replicas):
        return  # their mean distance is there, and the largest
    judged = [state.tables for state in source.states.values()]
    if judged and all(t.status not in ("off", Status.NOT_JUDGED) and t.ways > 2 for t in judged):  # noqa: PLR2004
        return  # whether they differ is answered
    if sizes and max(sizes) <= 2:  # noqa: PLR2004  (two-way)
        where = " Whether the answers rest on larger ones the internal edition says."
        yield sentence(
            f"No table of more than {numbers.plural(max(sizes), 'variable')}: relations among "
            f"{max(sizes) + 1} or more variables can be wrong although all smaller tables agree."
            f"{where if source.release else ''}"
        )


def _roles(source: Source) -> Iterator[Sentence]:
    review = source.review
    used = {name for s in review.scenarios for name in (*s.keys, *s.targets)}
    left = [name for name in review.variables if name not in used]
    if left:
        names = _some(source, left)
        yield sentence("Disclosure of ", *names, ": neither a key nor a target in any scenario.")
    if len(review.scenarios) == 1:
        yield sentence("Only one scenario: an intruder may know other keys.")


def _variables(source: Source) -> Iterator[Sentence]:
    if not source.release:
        yield from _uncompared(source)
        return
    left = source.review.inputs[0].columns - len(source.review.variables)
    if left > 0:  # names that no replica has are not handed out
        yield sentence(
            f"{numbers.plural(left, 'column')} of the original: not in every replica, or left out."
        )
    for replica in source.replicas:
        absent = [
            name
            for name, distribution in source.review.distributions.items()
            if replica not in distribution.replicas
        ]
        if absent:
            names = _some(source, absent)
            yield sentence(
                *names, " of ", source.name(replica), ": not in that replica, so not compared."
            )


def _uncompared(source: Source) -> Iterator[Sentence]:
    """Yield which columns of the original replicas lack, and which are left out otherwise."""
    study, variables = source.inside.study, source.review.variables
    lacking = {
        replica: lacking_columns(study.original, files, study.options.variables)
        for replica, files in study.replicas.items()
    }
    absent = {name for names in lacking.values() for name in names}
    left = [name for name in study.original.columns if name not in (*variables, *absent)]
    if left:
        yield sentence(*_some(source, left), ": left out, so not compared.")
    for replica, names in lacking.items():
        if names:
            where = "that replica" if len(study.replicas[replica]) == 1 else "each file of it"
            yield sentence(
                *_some(source, [*names]),
                " of ",
                source.name(replica),
                f": not in {where}, so not compared.",
            )


def _holdout(source: Source) -> Iterator[Sentence]:
    """Yield what makes the numbers of the holdout wrong: they are on this page, too."""
    check = source.holdout_verdict
    if check is None:
        return
    start = "What the holdout shows: it "
    if check.overlaps:
        yield sentence(f"{start}overlaps the original, so that memorising looks like learning.")
    if check.separated:
        yield sentence(
            f"{start}was kept free of records that equal one of the original, so that matches with "
            "it are too few."
        )
    if check.other_population:
        yield sentence(
            f"{start}is not a random part of the same population, so that every replica looks too "
            "close to the original."
        )
    if source.release:
        return
    study = source.inside.study
    for name in same_as_holdout(study.replicas, study.holdout):
        yield sentence(
            source.name(name),
            " beside the holdout: it is a copy of the holdout, so that nothing can be too close.",
        )


def _copied_unnoticed(source: Source) -> Iterator[Sentence]:
    """Yield how many copied people could be in replicas unnoticed, where that is known."""
    replicas: dict[Words, list[str]] = {}
    for replica, decided in source.decisions.items():
        for statement in decided.risk.statements:
            if statement.template == COPIED_UNNOTICED:
                replicas.setdefault(said_of(source, statement), []).append(replica)
    for words, each in replicas.items():
        yield sentence(*joined(map(source.name, each), last=" and "), ": ", *words)


def _never_found(source: Source) -> Iterator[Sentence]:
    """Yield scenarios whose keys are hardly ever found: an identifier makes every risk 0."""
    if source.release:  # how often keys are found is a share of records, and told as one
        return
    for scenario in source.review.scenarios:
        for replica in source.replicas:
            measured = source.measures.risk(replica, "iS", scenario.name, scenario.targets[0])
            if measured is None or measured.value is None or measured.value >= _FOUND:
                continue
            yield sentence(
                "Disclosure",
                *source.within(scenario.name),
                " by ",
                source.name(replica),
                f": the keys of {numbers.percent_text(measured.value)} of the original records are "
                "in it, so that repU, DiSCO and DCAP are next to nothing whatever it tells. See "
                "whether a key identifies people, is a number to group (ngroups_keys), or is "
                "coded differently.",
            )


def _grouped(source: Source) -> Iterator[Sentence]:
    grouped = (
        [
            name
            for name, kind in source.review.variables.items()
            if kind in ("number", "date")
            and (distribution := source.distributions.get(name)) is not None  # not every one is a
            and distribution.coarse  # variable of utility: see [options] variables
        ]
        if source.distributions
        else []
    )
    if grouped:
        names = _some(source, grouped)
        yield sentence(
            "Utility inside the groups of ", *names, ": numbers were grouped before comparing."
        )


def _some(source: Source, variables: list[str]) -> Words:
    """Return names of variables; of very many the first."""
    left = len(variables) - _NAMED
    if left < 2:  # noqa: PLR2004  (to count one takes the room of its name)
        return joined(map(source.name, variables), last=" and ")
    return (*joined(map(source.name, variables[:_NAMED])), f" and {left} other variables")
