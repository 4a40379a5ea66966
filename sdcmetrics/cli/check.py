"""What ``sdcmetrics check`` prints: what a review would compare, and what blocks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sdcmetrics.cli.compared import print_columns, unjudged, unnamed_strata
from sdcmetrics.cli.tables import say_holdout
from sdcmetrics.cli.terminal import one_line, print_fixes, print_lines, print_table
from sdcmetrics.errors import ColumnError, DataError, IncomparableError, StudyError
from sdcmetrics.measures.attacks.section import Attacks
from sdcmetrics.measures.closeness.copies import rows_repeated
from sdcmetrics.measures.identifiers.identifiers import identifiers_of_study
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.read import check_file
from sdcmetrics.report.safety.names import Names
from sdcmetrics.review.pairs import pairs_of
from sdcmetrics.study.data import same_as_holdout
from sdcmetrics.study.idle_limits import idle_limits, refuse_idle_limits
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.sampled import data_sets
from sdcmetrics.study.study import Study

_LEAVE_OUT = "To leave a column out, name those to compare: variables = [...] in [options]."


def show_check(study: Study) -> None:
    """Print the columns that a study would compare, and every fix that is needed.

    Raises
    ------
    DataError
        If a replica cannot be compared with the original; one line for each.
    """
    blocked = _identifiers(study)
    names = Names()
    _print_study(study, names)
    fixes: list[str] = []
    if study.sample is not None:
        print_lines(
            *(f"sample: {one_line(sentence)}" for sentence in _in_words(study.sample, study))
        )
        fixes += map(str, study.sample.fixes())
    problems: dict[str, None] = {}
    remedies: dict[str, None] = {}
    compared: Pair | None = None
    together: list[str] = []
    for pair in pairs_of(study).values():
        try:
            width = len(pair.data.variables)  # which brings the columns of all into one form
            done = _done(study, pair)
            if compared is None or width > len(compared.data.variables):
                compared = pair
        except (DataError, StudyError) as error:
            remedy = error.remedy if isinstance(error, IncomparableError) else ""
            problems |= dict.fromkeys(line for line in str(error).splitlines() if line != remedy)
            remedies |= {remedy: None} if remedy else {}
            remedies |= {_LEAVE_OUT: None} if isinstance(error, ColumnError) else {}
            # What was done to compare them is not known, but what was done to read them is.
            fixes += [
                str(fix) for data_set in (pair.original, *pair.syntheses) for fix in data_set.fixes
            ]
            continue
        fixes += done
        together += [unjudged(study, pair), unnamed_strata(study, pair)]
    if compared is not None:
        print_columns(study, compared)
    if fixes or not problems:
        print_fixes(fixes)
    if problems:
        raise DataError("\n".join([*problems, *remedies]))
    if study.holdout is not None and not study.holdout.large:
        _check_holdout(study, study.holdout)
    for name in same_as_holdout(study.replicas, study.holdout):
        print_lines(
            f"replica {names(name).text} is the holdout itself: it is no replica, or no holdout"
        )
    print_lines(*map(one_line, _absent(study)))
    attacks = study.sections.get(Attacks.entry)
    if isinstance(attacks, Attacks) and study.holdout is not None and not study.original.large:
        print_lines(*filter(None, [attacks.duration(study.original.n)]))
    profile, aside = load_profile(study.profile), study.holdout is not None
    refuse_idle_limits(profile, study, holdout=aside)
    for symbol, why in idle_limits(profile, study, holdout=aside).items():
        print_lines(f"the limit of the profile on {symbol} judges nothing here: {why}")
    print_lines(*map(one_line, profile.notes))
    print_lines(*map(one_line, filter(None, together)))
    print_lines("nothing blocks a review")
    for line in blocked:
        print_lines(line)


def _done(study: Study, pair: Pair) -> list[str]:
    """Return what is done to compare a replica with the original and, in memory, the holdout."""
    if study.holdout is not None and not study.holdout.large:
        _ = pair.beside_holdout
    if not pair.data.large:
        pair.note(rows_repeated(pair, study.options.variables))
    return [*map(str, pair.fixes)]


def _absent(study: Study) -> Iterator[str]:
    """Yield which files that sections name cannot be read: what needs them has rows that say so."""
    for section in study.sections.values():
        for name, path in section.files.items():
            try:
                check_file(path)
            except DataError as reason:
                yield f"{section.entry} {name!r} will not be measured: {reason}"


def _print_study(study: Study, names: Names) -> None:
    """Print the data sets, scenarios and models of a study."""
    data = [("original", study.original)]
    data += [
        (name, synthesis) for name, syntheses in study.replicas.items() for synthesis in syntheses
    ]
    if study.holdout is not None:
        data.append(("holdout", study.holdout))
    rows = [
        [_label(names, name, data_set), f"{data_set.n:,}", f"{len(data_set.columns):,}"]
        for name, data_set in data
    ]
    print_table(["data set"], ["records", "columns"], rows)
    for scenario in study.scenarios:
        keys, targets = (
            ", ".join(names(name).text for name in role)
            for role in (scenario.keys, scenario.targets)
        )
        print_lines(f"scenario {names(scenario.name).text}: keys {keys}; targets {targets}")
    print_lines(
        *(
            f"coarsened: {names(name).text}, {one_line(rule.words)}"
            for name, rule in study.coarsen.items()
        )
    )
    print_lines(*(f"rule: {one_line(rule.text)}" for rule in study.rules))
    print_lines(*(f"model: {one_line(model.formula)}" for model in study.models))


def _check_holdout(study: Study, holdout: Microdata) -> None:
    """Say whether the holdout is a random part, by the columns that a replica has too."""
    from sdcmetrics.measures.fidelity.holdout_check import check_holdout

    columns = {
        name for syntheses in study.replicas.values() for data in syntheses for name in data.columns
    }
    original, aside = (
        replace(data, table=data.table.select([name for name in data.columns if name in columns]))
        for data in (study.original, holdout)
    )
    codes = {n: code for n, code in study.options.missing_codes.items() if n in columns}
    household = None if study.sample is None else study.sample.beside_holdout[0]
    say_holdout(check_holdout(original, aside, missing_codes=codes, household=household))


def _identifiers(study: Study) -> list[str]:
    """Print which identifiers of the original occur in replicas; return what they block."""
    names = Names()
    shared: dict[object, object] = {}
    blocked = []
    lines: dict[str, None] = {}
    compared: set[str] = set(study.original.columns)
    if study.options.variables is not None:
        roles = (name for s in study.scenarios for name in (*s.keys, *s.targets))
        compared = {*study.options.variables, *roles}
    for replica, syntheses in study.replicas.items():
        result = identifiers_of_study(
            (study.original, syntheses, study.holdout),
            study.sample,
            compared,
            missing_codes=study.options.missing_codes,
            seed=study.options.seed,
            shared=shared,
        )
        lines |= dict.fromkeys(map(one_line, result.sentences()))
        if result.uncompared:
            listed = ", ".join(result.uncompared)
            lines[
                f"columns of replica {names(replica).text} in no table, distance or set of keys: "
                f"{one_line(listed)}. Leave them out of the file, or compare those that the "
                "original has (variables)."
            ] = None
        if result.hits:
            columns = dict.fromkeys(
                name
                for hit in result.hits
                if not hit.unused
                for name in ((hit.under,) if hit.under else hit.columns)
            )
            remedies = [f"Drop {one_line(', '.join(columns))} from it."] if columns else []
            if any(hit.unused for hit in result.hits):
                remedies.append("Write it without levels that no record has.")
            blocked.append(
                f"replica {names(replica).text} is for review, whatever the limits: it holds "
                f"identifiers of the original. {' '.join(remedies)}"
            )
    print_lines(*lines)
    return blocked


def _lacking(study: Study, name: str) -> list[Microdata]:
    """Return the data sets that were without a column when they were read."""
    every = data_sets(study).every
    return [data for data in every if name not in (*data.columns, *data.not_taken)]


def _in_words(sample: Sample, study: Study) -> Iterator[str]:
    """Return the columns with a role in words: which are compared, which replicas are weighted."""
    present = study.original.columns
    listed = [f"{role} {name}" for role, name in sample.columns.items()]
    if sample.population_size is not None:
        listed.append(f"population_size {sample.population_size:,.0f}")
    yield ", ".join(listed)
    for name in dict.fromkeys(sample.columns.values()):
        variables = study.options.variables
        lacking = [data.source for data in _lacking(study, name)] if name == sample.strata else []
        if name not in present:
            where = "in no table, distance, model or set of keys, as "
            verb = "lacks" if len(lacking) == 1 else "lack"
            where += f"{', '.join(lacking)} {verb} it" if lacking else "nothing else names it"
        elif variables is not None and name not in variables:
            where = "only where the study names it"
        elif name == sample.strata:
            where = "compared like any other column, as all files have it"
        else:
            where = "compared like any other column, as the study names it as a variable"
        yield f"column {name}: {where}"
    yield from _drawn_alone(sample, study)
    yield from _weights(sample, study)


def _drawn_alone(sample: Sample, study: Study) -> Iterator[str]:
    """Return which replicas do not say which of their records belong together."""
    for replica, syntheses in study.replicas.items():
        whole = map(sample.whole, syntheses)
        if sample.together and not all(sample.together in data.columns for data in whole):
            yield (
                f"replica {replica}: it has no column {sample.together}, so survey measures take "
                "its records to be drawn one by one"
            )


def _weights(sample: Sample, study: Study) -> Iterator[str]:
    """Return which replicas have weights."""
    if not sample.weight:
        return
    for replica, syntheses in study.replicas.items():
        reason = ""
        try:
            own = [sample.weights_of(synthesis) is not None for synthesis in syntheses]
        except ColumnError as error:
            reason = str(error)
        if reason:
            yield f"replica {replica} is not compared with weights: {reason}"
        elif all(own):
            yield f"replica {replica}: its own weights, {sample.synthetic_weight}"
        else:
            yield f"replica {replica}: no weights of its own, so each of its records counts once"


def _label(names: Names, name: str, data: Microdata) -> str:
    shown = names(name).text
    source = names(data.source).text
    return source if source.startswith(shown) else f"{shown}: {source}"
