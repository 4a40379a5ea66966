"""Commands that compare files, without a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sdcmetrics.cli.options import (
    Codes,
    Csv,
    Family,
    Formulas,
    Groups,
    Keys,
    Names,
    OneReplica,
    Original,
    Population,
    Rules,
    Synthetic,
    TargetGroups,
    Ways,
    codes,
    split,
)

__all__ = ["app"]

app = typer.Typer()


@app.command("utility-tables", short_help="Compare all cross-tables of two files.")
def utility_tables(
    original: Original,
    synthetic: Synthetic,
    ways: Ways = 2,
    variables: Names = None,
    ngroups: Groups = 5,
    missing_code: Codes = None,
    csv: Csv = None,
) -> None:
    """Compare all cross-tables of an original and a replica, worst first."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.output import check_csv, show_utility
    from sdcmetrics.study.data import load

    check_csv(csv)
    data = load(original, {"synthetic": list(synthetic)}, None, {})
    frame = sdc.utility_tables(
        data.original,
        data.replicas["synthetic"],
        ways=ways,
        variables=split(variables) or None,
        ngroups=ngroups,
        missing_codes=codes(missing_code),
    )
    show_utility(frame, csv)


@app.command("utility-gen", short_help="Fit a model that tells two files apart.")
def utility_gen(
    original: Original,
    synthetic: Synthetic,
    method: Annotated[str, typer.Option(help="logit, or cart.")] = "cart",
    maxorder: Annotated[int, typer.Option(help="Order of logit's interactions.")] = 1,
    variables: Names = None,
    missing_code: Codes = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the permutations.")] = None,
    csv: Csv = None,
) -> None:
    """Fit a model that tells a replica from the original, and say how well it does."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.output import check_csv
    from sdcmetrics.cli.propensity import show_propensity
    from sdcmetrics.study.data import load

    check_csv(csv)
    data = load(original, {"synthetic": list(synthetic)}, None, {})
    result = sdc.utility_gen(
        data.original,
        data.replicas["synthetic"],
        method=method,  # type: ignore[arg-type]  # any text; the function says what it expects
        maxorder=maxorder,
        variables=split(variables) or None,
        missing_codes=codes(missing_code),
        rng=seed,
    )
    show_propensity(result, csv)


@app.command(short_help="Measure disclosure for a set of keys.")
def disclosure(
    original: Original,
    synthetic: Synthetic,
    keys: Keys,
    targets: Names = None,
    ngroups_targets: TargetGroups = 0,
    missing_code: Codes = None,
    csv: Csv = None,
) -> None:
    """Measure identity and attribute disclosure for a set of keys, one row a target."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.output import check_csv, show_disclosure
    from sdcmetrics.study.data import load
    from sdcmetrics.study.roles import complete, list_scenarios

    check_csv(csv)
    (wanted,) = list_scenarios(split(keys), split(targets), ())
    data = load(original, {"synthetic": list(synthetic)}, None, {})
    syntheses = data.replicas["synthetic"]
    scenario = complete(wanted, data.original, syntheses)
    frame = sdc.multi_disclosure(
        data.original,
        syntheses,
        keys=scenario.keys,
        targets=scenario.targets,
        ngroups_targets=ngroups_targets,
        missing_codes=codes(missing_code),
    )
    show_disclosure(frame, csv)


@app.command(short_help="Compare tables of training data, a replica and a holdout.")
def fidelity(
    training: Original,
    synthetic: Synthetic,
    *,
    holdout: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Records that the synthesis has not seen.")
    ] = None,
    mode: Annotated[str, typer.Option(help="Categories: corrected, or published.")] = "corrected",
    variables: Names = None,
    missing_code: Codes = None,
    csv: Csv = None,
) -> None:
    """Compare all tables of 1, 2 and 3 variables with those of the training data."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.fidelity import show_fidelity
    from sdcmetrics.cli.output import check_csv
    from sdcmetrics.study.data import load

    check_csv(csv)
    data = load(training, {"synthetic": list(synthetic)}, holdout, {})
    found = sdc.marginal_fidelity(
        data.original,
        data.replicas["synthetic"],
        holdout=data.holdout,
        mode=mode,  # type: ignore[arg-type]  # any text; the function says what it expects
        variables=split(variables) or None,
        missing_codes=codes(missing_code),
    )
    checked = None if data.holdout is None else sdc.check_holdout(data.original, data.holdout)
    show_fidelity(found, checked, csv)


@app.command("closest-record", short_help="Compare distances to training data and to a holdout.")
def closest_record(  # noqa: PLR0913  (one a choice that changes the figures)
    training: Original,
    synthetic: OneReplica,
    *,
    holdout: Annotated[
        Path, typer.Option(metavar="FILE", help="Records that the synthesis has not seen.")
    ],
    distance: Annotated[str, typer.Option(help="hamming, gower, or euclidean.")] = "hamming",
    mode: Annotated[str, typer.Option(help="Hamming's groups: corrected, or published.")] = (
        "corrected"
    ),
    permutations: Annotated[int, typer.Option(help="Permutations of the labels.")] = 999,
    variables: Names = None,
    missing_code: Codes = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the permutations.")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON.")] = None,
) -> None:
    """Compare how close a replica is to its training data with how close to a holdout."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.closest_record import progress_bar, show_closest_record
    from sdcmetrics.cli.output import check_file
    from sdcmetrics.study.data import load

    check_file(json, "--json")
    data = load(training, {"synthetic": [synthetic]}, holdout, {})
    with progress_bar() as progress:
        result = sdc.distance_to_closest_record(
            data.original,
            data.replicas["synthetic"][0],
            data.holdout,
            distance=distance,  # type: ignore[arg-type]  # any text; the function checks it
            mode=mode,  # type: ignore[arg-type]  # the same
            permutations=permutations,
            variables=split(variables) or None,
            missing_codes=codes(missing_code),
            seed=seed,
            progress=progress,
        )
    show_closest_record(result, json)


@app.command("fit-overlap", short_help="Fit a model to two files and compare.")
def fit_overlap(
    original: Original,
    synthetic: Synthetic,
    formula: Formulas,
    family: Family = "gaussian",
    missing_code: Codes = None,
    csv: Csv = None,
    *,
    population_inference: Population = False,
) -> None:
    """Fit models to an original and a replica, and compare the coefficients."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.models import show_fits
    from sdcmetrics.cli.output import check_csv
    from sdcmetrics.study.data import load

    check_csv(csv)
    data = load(original, {"synthetic": list(synthetic)}, None, {})
    result = sdc.weighted_overlap(
        data.original,
        data.replicas["synthetic"],
        models=[(one, family) for one in formula],
        population_inference=population_inference,
        missing_codes=codes(missing_code),
    )
    show_fits(result, csv)


@app.command(short_help="Check relations that every record is to keep.")
def rules(
    original: Original,
    synthetic: Synthetic,
    rule: Rules = None,
    limit: Annotated[int, typer.Option(min=1, help="With --find: how many at most.")] = 20,
    missing_code: Codes = None,
    csv: Csv = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write all as JSON.")] = None,
    *,
    find: Annotated[
        bool, typer.Option("--find", help="Look for relations that the replica breaks.")
    ] = False,
) -> None:
    """Count the records that break rules; with --find, look for relations that are broken."""
    import sdcmetrics as sdc
    from sdcmetrics.cli.output import check_csv
    from sdcmetrics.cli.rules import show_rules, write_rules
    from sdcmetrics.measures.rules.rule import make_rules
    from sdcmetrics.study.data import load

    if not rule and not find:
        msg = "expected --rule with a rule such as 'age_married <= age', or --find, or both."
        raise typer.BadParameter(msg)
    wanted = make_rules(rule or [])
    check_csv(csv)
    data = load(original, {"synthetic": list(synthetic)}, None, {})
    one, many = data.original, data.replicas["synthetic"]
    missing = codes(missing_code)
    check = sdc.check_rules(one, many, wanted, missing_codes=missing) if wanted else None
    found = sdc.find_rules(one, many, limit=limit, missing_codes=missing) if find else None
    write_rules(check, found, json)
    show_rules(check, found, csv)
