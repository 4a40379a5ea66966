"""Disclosure from two frames: synthpop's `disclosure` and `multi.disclosure`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.metrics.disclosure import attribution, identity
from sdcmetrics.metrics.disclosure import correct_attribution as ca
from sdcmetrics.metrics.disclosure.exclusions import Exclusions, exclude
from sdcmetrics.metrics.disclosure.flags import one_way_flag, two_way_flags
from sdcmetrics.microdata.coding import Coded, Rule, by_groups, by_value, encode
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.results import Share
from sdcmetrics.tables.cap import check_roles
from sdcmetrics.tables.inputs import Frame, Replica, pair, per_name
from sdcmetrics.tabulate import (
    KeyIndex,
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)

__all__ = ["DisclosureResult", "Options", "disclosure", "measure", "multi_disclosure"]

IDENTITY = ("UiO", "UiS", "UiOiS", "repU")
ATTRIBUTION = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "max_denom", "mean_denom")
CAP = ("baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP")

NGroups = int | Mapping[str, int] | Sequence[int] | None
YesNo = bool | Mapping[str, bool] | Sequence[bool]


@dataclass(frozen=True)
class DisclosureResult:
    """Identity and attribute disclosure for one set of keys and one target.

    Attributes
    ----------
    keys, target : the roles
    identity : Series
        UiO, UiS, UiOiS, repU in percent; means over the syntheses. As in synthpop, exclusions
        of target levels reach these too.
    identity_unrestricted : Series
        The same before any exclusion: the risk of being found does not depend on the target.
    attribution : Series
        Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO in percent, max_denom and mean_denom in records.
    cap : Series
        baseCAPd, CAPd, CAPs, DCAP, TCAP in percent. TCAP is DiSCO over matched records.
    per_synthesis : DataFrame
        All of these for each synthesis.
    counts : DataFrame
        Numerator of each share, by synthesis.
    exclusions : DataFrame
        Records left out of each table by reason, and what remains, by synthesis.
    one_way, two_way : DataFrame
        Flagged target levels and pairs of target and key levels, by synthesis.
    records_at_risk : DataFrame
        Index: position (from 0) of an original record that is a replicated unique or whose
        target is disclosed; columns repU, DiSCO, DiSDiO: in how many syntheses.
    n_original : int
    fixes : tuple of str
        Changes made to the inputs.
    """

    keys: tuple[str, ...]
    target: str
    identity: pd.Series[float]
    identity_unrestricted: pd.Series[float]
    attribution: pd.Series[float]
    cap: pd.Series[float]
    per_synthesis: pd.DataFrame
    counts: pd.DataFrame
    exclusions: pd.DataFrame
    one_way: pd.DataFrame
    two_way: pd.DataFrame
    records_at_risk: pd.DataFrame
    n_original: int
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """What is left out of the measures, and when a relation is flagged."""

    use_key_missing: Mapping[str, bool]
    use_target_missing: bool = True
    not_target_levels: tuple[str, ...] = ()
    exclusions: tuple[tuple[str, str, str], ...] = ()
    denom_lim: int | None = None
    one_way_thresholds: tuple[float, float] = (50, 90)
    two_way_thresholds: tuple[float, float] = (4, 80)


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
    not_target_levels: str | Sequence[str] | None = None,
    exclusions: Sequence[tuple[str, object, object]] | None = None,
    denom_lim: int | None = None,
    one_way_thresholds: tuple[float, float] = (50, 90),
    two_way_thresholds: tuple[float, float] = (4, 80),
    missing_codes: MissingCodes | None = None,
) -> DisclosureResult:
    """Measure identity disclosure for keys, and attribute disclosure for one target.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    keys : names of the columns that an intruder knows
    target : name of the column that the intruder wants to know
    ngroups_keys : int, one int a key in the order of `keys`, or mapping of key to int, optional
        Group numeric keys; 0 or None leaves every distinct value a level.
    ngroups_target : int, optional
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
        When a relation is flagged, see `sdcmetrics.metrics.disclosure.flags`.
    missing_codes : mapping of column to code or codes, optional
        Levels of their own where a numeric column is grouped.

    Returns
    -------
    DisclosureResult

    Raises
    ------
    ColumnError, DataError, StudyError

    Notes
    -----
    Equals ``synthpop::disclosure(object, data, keys, target)`` (1.9-2) to rounding error.
    Intended differences: cells are matched by label (synthpop goes by position when one side
    lacks a level, and then under-reports risk); key combinations are tuples, so that texts
    cannot collide; missing is a level distinct from the text "Missing"; options for keys go by
    the order in which keys are given; the default two-way threshold is that of synthpop's code
    (4 records), its manual says 5.

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
    rules = _rules(data, key_names, ngroups_keys, {target: ngroups_target or 0})
    coded = encode(data, rules, [*key_names, target])
    return measure(data, coded, index_keys(coded, key_names), key_names, target, options)


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
    not_target_levels: Mapping[str, str | Sequence[str]] | None = None,
    exclusions: Mapping[str, Sequence[tuple[str, object, object]]] | None = None,
    denom_lim: int | None = None,
    one_way_thresholds: tuple[float, float] = (50, 90),
    two_way_thresholds: tuple[float, float] = (4, 80),
    missing_codes: MissingCodes | None = None,
) -> pd.DataFrame:
    """Measure disclosure for one set of keys and many targets: one row a target.

    Parameters
    ----------
    targets : names, optional
        By default every common column that is no key.
    ngroups_targets, use_target_missing : one value, one a target in order, or by name
    not_target_levels, exclusions : by target
    others : see `disclosure`

    Returns
    -------
    DataFrame
        Index target, in the order of `targets` (or of the original's columns). Columns as in
        `DisclosureResult`: the identity, attribution and CAP measures; check_1way, the number
        of flagged levels (0 or 1); check_2way, the number of flagged pairs (both the largest
        of the syntheses).

    Notes
    -----
    Covers ``synthpop::multi.disclosure``, whose attrib.orig and attrib.syn are the columns
    Dorig (or CAPd) and DiSCO (or DCAP) here. synthpop counts 1 pair however many there are.
    """
    key_names = [keys] if isinstance(keys, str) else list(keys)
    wanted = None if targets is None else [targets] if isinstance(targets, str) else list(targets)
    for target in wanted or [""]:
        check_roles(key_names, target)
    variables = None if wanted is None else [*key_names, *wanted]
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    _check_keys_present(key_names, data)
    if wanted is None:
        wanted = [name for name in data.variables if name not in key_names]
    groups = per_name("ngroups_targets", ngroups_targets, wanted, 0)
    missing = per_name("use_target_missing", use_target_missing, wanted, True)  # noqa: FBT003
    rules = _rules(data, key_names, ngroups_keys, groups)
    coded_keys = encode(data, rules, key_names)
    index = index_keys(coded_keys, key_names)
    rows = {}
    for target in wanted:
        options = _options(
            key_names,
            use_key_missing,
            missing[target],
            (not_target_levels or {}).get(target),
            (exclusions or {}).get(target),
            denom_lim,
            (one_way_thresholds, two_way_thresholds),
        )
        coded_target = encode(data, rules, [target])
        coded = Coded({**coded_keys.variables, **coded_target.variables}, data.sizes)
        rows[target] = summary(measure(data, coded, index, key_names, target, options))
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.index.name = "target"
    frame.attrs["fixes"] = tuple(str(fix) for fix in data.fixes)
    return frame


def summary(result: DisclosureResult) -> dict[str, float]:
    """Return the row of `multi_disclosure` for one target."""
    series = (result.identity, result.attribution, result.cap)
    out = {str(name): float(value) for part in series for name, value in part.items()}
    for name, flags in (("check_1way", result.one_way), ("check_2way", result.two_way)):
        out[name] = int(flags["synthesis"].value_counts().max()) if len(flags) else 0
    return out


def _check_keys_present(keys: Sequence[str], data: Harmonised) -> None:
    for key in keys:
        if key not in data.variables:
            msg = f"key {key!r} is not a column that all data sets have."
            raise StudyError(msg)


def _rules(
    data: Harmonised, keys: Sequence[str], ngroups_keys: NGroups, targets: Mapping[str, int]
) -> dict[str, Rule]:
    groups = {**per_name("ngroups_keys", ngroups_keys, keys, 0), **targets}
    return {
        name: by_groups(groups[name]) if groups.get(name) else by_value for name in data.variables
    }


def _options(
    keys: Sequence[str],
    use_key_missing: YesNo,
    use_target_missing: bool,  # noqa: FBT001  (passed on from a keyword)
    not_target_levels: str | Sequence[str] | None,
    exclusions: Sequence[tuple[str, object, object]] | None,
    denom_lim: int | None,
    thresholds: tuple[tuple[float, float], tuple[float, float]],
) -> Options:
    levels = (
        ()
        if not_target_levels is None
        else (not_target_levels,)
        if isinstance(not_target_levels, str)
        else tuple(not_target_levels)
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
) -> DisclosureResult:
    """Measure disclosure on coded data; see `disclosure`."""
    rows, numerators, tables, one_way, two_way, before = [], [], [], [], [], []
    at_risk = {name: np.zeros(coded.sizes[0], dtype=np.int32) for name in _RISKS}
    variable = coded.variables[target]
    for synthesis in range(1, coded.m + 1):
        counts, cell_of = count_keys_and_target(coded, index, target, synthesis=synthesis)
        left = exclude(
            counts, _reasons(counts, coded, index, target, options), denom_lim=options.denom_lim
        )
        row, numerator = _row(counts, left)
        rows.append(row)
        numerators.append(numerator)
        before.append({name: share.percent for name, share in _identity(counts, counts).items()})
        tables.append(left.table)
        one_way.append(
            one_way_flag(
                counts,
                variable.labels,
                thresholds=options.one_way_thresholds,
                keep=left.keep_original,
            )
        )
        two_way.append(
            two_way_flags(
                counts,
                index.levels,
                {key: coded.variables[key].labels for key in keys},
                variable.labels,
                thresholds=options.two_way_thresholds,
                keep=left.keep_original,
            )
        )
        for name, cells in _risky_cells(counts, left).items():
            at_risk[name] += cells[cell_of]
    number = pd.RangeIndex(1, coded.m + 1, name="synthesis")
    frame = pd.DataFrame(rows, index=number)
    mean = frame.mean()
    risky = pd.DataFrame(at_risk)
    return DisclosureResult(
        keys=tuple(keys),
        target=target,
        identity=mean[list(IDENTITY)],
        identity_unrestricted=pd.DataFrame(before).mean(),
        attribution=mean[list(ATTRIBUTION)],
        cap=mean[list(CAP)],
        per_synthesis=frame,
        counts=pd.DataFrame(numerators, index=number),
        exclusions=pd.concat(tables, keys=number, names=["synthesis", "table"]),
        one_way=_stack(one_way),
        two_way=_stack(two_way),
        records_at_risk=risky[(risky > 0).any(axis=1)],
        n_original=coded.sizes[0],
        fixes=tuple(str(fix) for fix in data.fixes),
    )


_RISKS = ("repU", "DiSCO", "DiSDiO")


def _identity(reduced: KeyTargetCounts, counts: KeyTargetCounts) -> dict[str, Share]:
    found = counts.key_sums(counts.synthetic) > 0
    return {
        "UiO": identity.ui_o(reduced),
        "UiS": identity.ui_s(reduced),
        "UiOiS": identity.ui_oi_s(reduced, found=found),
        "repU": identity.rep_u(reduced),
    }


def _row(counts: KeyTargetCounts, left: Exclusions) -> tuple[dict[str, float], dict[str, int]]:
    keep, reduced = left.keep_original, left.reduced
    disclosed = attribution.disco(counts, keep=keep)
    shares = {
        **_identity(reduced, counts),
        "Dorig": attribution.d_orig(counts, keep=keep),
        "Dsyn": attribution.d_syn(counts, keep=left.keep_synthetic),
        "iS": attribution.i_s(counts, keep=keep),
        "DiS": attribution.di_s(counts, keep=keep),
        "DiSCO": disclosed,
        "DiSDiO": attribution.di_s_di_o(counts, keep=keep),
    }
    row = {name: share.percent for name, share in shares.items()}
    row["max_denom"] = attribution.max_denom(counts, keep=keep)
    row["mean_denom"] = attribution.mean_denom(counts, keep=keep)
    row["baseCAPd"] = 100.0 * ca.cap_baseline(counts)
    row["CAPd"] = 100.0 * ca.cap_original(reduced)
    row["CAPs"] = 100.0 * ca.cap_in_synthetic(reduced)
    row["DCAP"] = 100.0 * ca.dcap_zero(reduced)
    row["TCAP"] = ca.tcap_matched(reduced, disclosed=disclosed).percent
    return row, {name: share.count for name, share in shares.items()}


def _risky_cells(counts: KeyTargetCounts, left: Exclusions) -> dict[str, npt.NDArray[np.bool_]]:
    disclosed = attribution.disclosed_cells(counts) & left.keep_original
    reduced = left.reduced
    replicated = (reduced.per_key(reduced.original) == 1) & (
        reduced.per_key(reduced.synthetic) == 1
    )
    return {
        "repU": replicated & (reduced.original > 0),
        "DiSCO": disclosed,
        "DiSDiO": disclosed & attribution.disclosive_in_original(counts),
    }


def _reasons(
    counts: KeyTargetCounts, coded: Coded, index: KeyIndex, target: str, options: Options
) -> dict[str, npt.NDArray[np.bool_]]:
    out: dict[str, npt.NDArray[np.bool_]] = {}
    variable = coded.variables[target]
    if options.not_target_levels:
        codes = [
            _code(level, variable.labels, f"not_target_levels for {target!r}")
            for level in options.not_target_levels
        ]
        out["excluded target"] = np.isin(counts.target, codes)
    if not options.use_target_missing:
        out["missing target"] = counts.target == variable.missing_code
    missing = np.zeros(len(counts.key), dtype=bool)
    for key, used in options.use_key_missing.items():
        if not used:
            missing |= index.levels[key][counts.key] == coded.variables[key].missing_code
    out["missing in keys"] = missing
    chosen = np.zeros(len(counts.key), dtype=bool)
    for key, key_level, target_level in options.exclusions:
        key_code = _code(key_level, coded.variables[key].labels, f"exclusions for key {key!r}")
        target_code = _code(target_level, variable.labels, f"exclusions for target {target!r}")
        chosen |= (index.levels[key][counts.key] == key_code) & (counts.target == target_code)
    out["set to exclude"] = chosen
    return out


def _code(level: str, labels: tuple[str | None, ...], option: str) -> int:
    if level not in labels:
        # The known levels are data of the original, so the message cannot list them.
        msg = f"{option}: a level that was given does not occur. Check its spelling."
        raise StudyError(msg)
    return labels.index(level)


def _stack(frames: list[pd.DataFrame]) -> pd.DataFrame:
    filled = [frame.assign(synthesis=i) for i, frame in enumerate(frames, start=1) if len(frame)]
    if not filled:
        return frames[0].assign(synthesis=pd.Series(dtype=int))
    return pd.concat(filled, ignore_index=True)
