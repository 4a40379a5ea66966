"""Disclosure from two frames: synthpop's `disclosure` and `multi.disclosure`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.crosstables.key_counting import KeyIndex, index_keys
from sdcmetrics.measures.disclosure.cap import check_roles
from sdcmetrics.measures.disclosure.result import DisclosureResult, at_risk, by_level
from sdcmetrics.measures.disclosure.synthesis import Figures, Options, measure_synthesis
from sdcmetrics.measures.disclosure.versions import columns
from sdcmetrics.measures.pair import Frame, Replica, pair, per_name
from sdcmetrics.measures.twin import NEWEST, check_version
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import Coded, Rule, by_group_or_value, encode
from sdcmetrics.microdata.schema import Harmonised, MissingCodes

__all__ = ["Options", "disclosure", "measure", "multi_disclosure"]

NGroups = int | Mapping[str, int] | Sequence[int] | None
Levels = str | bool | float | Sequence[str | bool | float] | None
YesNo = bool | Mapping[str, bool] | Sequence[bool]


@checked
def disclosure(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    *,
    keys: Sequence[str],
    target: str,
    ngroups_keys: NGroups = None,
    ngroups_target: int | None = None,
    use_key_missing: YesNo = True,
    use_target_missing: bool = True,
    not_target_levels: Levels = None,
    exclusions: Sequence[tuple[str, object, object]] | None = None,
    denom_lim: int | None = None,
    one_way_thresholds: tuple[float, float] = (50, 90),
    two_way_thresholds: tuple[float, float] = (4, 80),
    missing_codes: MissingCodes | None = None,
    synthpop: str = NEWEST,
) -> DisclosureResult:
    """Measure identity disclosure for keys, and attribute disclosure for one target.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    keys : names of the columns that an intruder knows
    target : name of the column that the intruder wants to know
    ngroups_keys : int, one int a key in the order of `keys`, or mapping of key to int, optional
        Group numeric keys, in two groups or more; 0 or None leaves every distinct value a level.
    ngroups_target : int, optional
        The same of a numeric target.
    use_key_missing : bool, one bool a key, or mapping of key to bool
        False leaves out records whose key is missing.
    use_target_missing : bool
        False leaves out records whose target is missing.
    not_target_levels : level or levels of the target to leave out, optional
    exclusions : sequence of (key, key level, target level), optional
        Combinations to leave out.
    denom_lim : int, optional
        Leave out cells of more records than this (synthpop's exclude_ov_denom_lim).
    one_way_thresholds, two_way_thresholds : (records, percent)
        When a relation is flagged, see `sdcmetrics.measures.disclosure.flags`.
    missing_codes : mapping of column to code or codes, optional
        Levels of their own where a numeric column is grouped.
    synthpop : "1.9-3" or "1.9-2"
        Whose names and tables the result has. The two differ in the CAP family only.

    Returns
    -------
    DisclosureResult
        Percentages of records from 0 to 100, but for the four that count original records per
        synthetic one (`DisclosureResult.cap`); less is better. DiSCO is read beside Dorig, what
        the keys tell in the original itself, and repU beside UiO.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the target is a key.
    StudyError
        If there are no keys, or an option is wrong.

    Notes
    -----
    Equals ``synthpop::disclosure(object, data, keys, target)`` to rounding error.
    Intended differences: cells are matched by label (synthpop goes by position when one side
    lacks a level, and then under-reports risk); key combinations are tuples, so that texts
    cannot collide; missing is a level distinct from the text "Missing"; options for keys go by
    the order in which keys are given; the default two-way threshold is that of synthpop's code
    (4 records), its manual says 5; with target levels left out, TCAP of 1.9-3 calls certain what
    is unanimous only because of that, and its labels denom_TCAPs and denom_TCAPb are swapped.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"k": list("aaabc"), "t": list("xxyxy")})
    >>> replica = pd.DataFrame({"k": list("aabdd"), "t": list("xxyxy")})
    >>> result = disclosure(original, replica, keys=["k"], target="t")
    >>> float(result.attribution["DiSCO"]), float(result.identity["repU"])
    (40.0, 20.0)
    >>> result.records_at_risk.index.tolist()
    [0, 1, 3]
    """
    key_names = [keys] if isinstance(keys, str) else list(keys)
    check_roles(key_names, target)
    version = check_version(synthpop)
    data = pair(original, synthetic, variables=[*key_names, target], missing_codes=missing_codes)
    options = _options(
        key_names,
        use_key_missing,
        use_target_missing,
        not_target_levels,
        exclusions,
        denom_lim,
        (one_way_thresholds, two_way_thresholds),
    )
    rules = _key_rules(key_names, ngroups_keys)
    rules |= by_group_or_value([target], {target: ngroups_target or 0}, "ngroups_target")
    coded = encode(data, rules, [*key_names, target])
    index = index_keys(coded, key_names)
    return measure(data, coded, index, key_names, target, options, synthpop=version)


@checked
def multi_disclosure(  # noqa: PLR0913  (synthpop's own options)
    original: Frame,
    synthetic: Replica,
    *,
    keys: Sequence[str],
    targets: Sequence[str] | None = None,
    ngroups_keys: NGroups = None,
    ngroups_targets: NGroups = None,
    use_key_missing: YesNo = True,
    use_target_missing: YesNo = True,
    not_target_levels: Mapping[str, Levels] | None = None,
    exclusions: Mapping[str, Sequence[tuple[str, object, object]]] | None = None,
    denom_lim: int | None = None,
    one_way_thresholds: tuple[float, float] = (50, 90),
    two_way_thresholds: tuple[float, float] = (4, 80),
    missing_codes: MissingCodes | None = None,
    synthpop: str = NEWEST,
) -> pd.DataFrame:
    """Measure disclosure for one set of keys and many targets: one row per target.

    Parameters
    ----------
    targets : names, optional
        By default every common column that is no key.
    ngroups_targets, use_target_missing : one value, one per target in order, or by name
    not_target_levels, exclusions : by target
    others : see `disclosure`, synthpop among them

    Returns
    -------
    DataFrame
        Index target, in the order of `targets` (or of the original's columns). Columns as in
        `DisclosureResult`: the identity, attribution and CAP measures; check_1way, the number
        of flagged levels (0 or 1); check_2way, the number of flagged pairs (both the largest
        of the syntheses). Percentages, in which less is better.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or a target is a key.
    StudyError
        If there are no keys, a key is not a column of all data sets, or an option is wrong.

    Notes
    -----
    Covers ``synthpop::multi.disclosure``, whose attrib.orig and attrib.syn are the columns
    Dorig (or CAPd) and DiSCO (or DCAP; 1.9-3 answers NA for it) here; any other column may be
    read in the same way. synthpop counts 1 pair however many there are.
    """
    key_names = [keys] if isinstance(keys, str) else list(keys)
    wanted = None if targets is None else [targets] if isinstance(targets, str) else list(targets)
    for target in wanted or [""]:
        check_roles(key_names, target)
    names = _names(check_version(synthpop))
    variables = None if wanted is None else [*key_names, *wanted]
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    _check_keys_present(key_names, data)
    if wanted is None:
        wanted = [name for name in data.variables if name not in key_names]
    groups = per_name("ngroups_targets", ngroups_targets, wanted, 0)
    missing = per_name("use_target_missing", use_target_missing, wanted, True)  # noqa: FBT003
    not_levels = per_name("not_target_levels", not_target_levels or {}, wanted, None)
    left_out = per_name("exclusions", exclusions or {}, wanted, None)
    rules = _key_rules(key_names, ngroups_keys)
    rules |= by_group_or_value(wanted, groups, "ngroups_targets")
    coded_keys = encode(data, rules, key_names)
    index = index_keys(coded_keys, key_names)
    rows = {}
    for target in wanted:
        options = _options(
            key_names,
            use_key_missing,
            missing[target],
            not_levels[target],
            left_out[target],
            denom_lim,
            (one_way_thresholds, two_way_thresholds),
        )
        coded_target = encode(data, rules, [target])
        coded = Coded({**coded_keys.variables, **coded_target.variables}, data.sizes)
        rows[target] = _summary(
            [
                measure_synthesis(coded, index, target, options, synthesis=i, records=False).figures
                for i in range(1, coded.m + 1)
            ],
            names,
        )
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.index.name = "target"
    frame.attrs["fixes"] = tuple(str(fix) for fix in data.fixes)
    return frame


def _names(synthpop: str | None) -> dict[str, str]:
    """Return the columns of all tables: symbol here to name there."""
    return {s: name for table in columns(synthpop).values() for s, name in table.items()}


def _summary(measured: Sequence[Figures], names: Mapping[str, str]) -> dict[str, float]:
    """Return the row of `multi_disclosure` for one target: means, and the most flags."""
    out: dict[str, float] = {}
    for symbol, name in names.items():
        values = [
            result.values[symbol] for result in measured if not math.isnan(result.values[symbol])
        ]
        out[name] = sum(values) / len(values) if values else math.nan
    out["check_1way"] = max(len(result.one_way) for result in measured)
    out["check_2way"] = max(len(result.two_way) for result in measured)
    return out


def _check_keys_present(keys: Sequence[str], data: Harmonised) -> None:
    for key in keys:
        if key not in data.variables:
            msg = f"key {key!r} is not a column that all data sets have."
            raise StudyError(msg)


def _key_rules(keys: Sequence[str], ngroups_keys: NGroups) -> dict[str, Rule]:
    option = "ngroups_keys"
    return by_group_or_value(keys, per_name(option, ngroups_keys, keys, 0), option)


def _options(
    keys: Sequence[str],
    use_key_missing: YesNo,
    use_target_missing: bool,  # noqa: FBT001  (passed on from a keyword)
    not_target_levels: Levels,
    exclusions: Sequence[tuple[str, object, object]] | None,
    denom_lim: int | None,
    thresholds: tuple[tuple[float, float], tuple[float, float]],
) -> Options:
    levels = (
        ()
        if not_target_levels is None
        else tuple(not_target_levels)
        if isinstance(not_target_levels, list | tuple)
        else (not_target_levels,)
    )
    triples = []
    for triple in exclusions or ():
        if len(triple) != 3:  # noqa: PLR2004  (key, key level, target level)
            msg = "exclusions: expected triples (key, key level, target level)."
            raise StudyError(msg)
        key, key_level, target_level = triple
        if key not in keys:
            msg = f"exclusions: {key!r} is none of the keys {', '.join(map(repr, keys))}."
            raise StudyError(msg)
        triples.append((key, _text(key_level), _text(target_level)))
    return Options(
        use_key_missing=per_name("use_key_missing", use_key_missing, keys, True),  # noqa: FBT003
        use_target_missing=use_target_missing,
        not_target_levels=tuple(_text(level) for level in levels),
        exclusions=tuple(triples),
        denom_lim=denom_lim,
        one_way_thresholds=thresholds[0],
        two_way_thresholds=thresholds[1],
    )


def _text(level: object) -> str:
    if isinstance(level, bool | np.bool_):
        return "TRUE" if level else "FALSE"
    return f"{level:.15g}" if isinstance(level, Real) else str(level)


def measure(
    data: Harmonised,
    coded: Coded,
    index: KeyIndex,
    keys: Sequence[str],
    target: str,
    options: Options,
    *,
    synthpop: str | None = None,
) -> DisclosureResult:
    """Measure disclosure on coded data; see `disclosure`.

    ``synthpop=None`` gives this package's own symbols.
    """
    syntheses = range(1, coded.m + 1)
    measured = [measure_synthesis(coded, index, target, options, synthesis=i) for i in syntheses]
    return DisclosureResult(
        keys=tuple(keys),
        target=target,
        figures=tuple(result.figures for result in measured),
        records_at_risk=at_risk([result.at_risk for result in measured]),
        by_level=by_level([result.counts for result in measured], coded.variables[target].labels),
        n_original=coded.sizes[0],
        synthpop=synthpop,
        fixes=tuple(str(fix) for fix in data.fixes),
    )
