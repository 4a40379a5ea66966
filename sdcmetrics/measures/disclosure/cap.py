"""Correct attribution probability from two frames, as the Comparative Metrics Framework has it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.crosstables.key_counting import (
    KeyTargetCounts,
    count_keys_and_target,
    index_keys,
)
from sdcmetrics.measures.disclosure import attribution
from sdcmetrics.measures.disclosure import correct_attribution as ca
from sdcmetrics.measures.disclosure.versions import NAMES, columns
from sdcmetrics.measures.pair import Frame, Replica, pair, per_name
from sdcmetrics.measures.twin import NEWEST, check_version
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.coding import by_rounding_or_value, encode
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class CapResult(
    Readable,
    shows=("original", "baseline", "synthetic", "rule", "ratio", "non_match"),
    table="per_synthesis",
):
    """CAP of an original and a replica, all proportions from 0 to 1.

    Attributes
    ----------
    original : float
        CAP of the original about itself: the paper's upper bound, which a replica of few records
        can exceed.
    baseline : float
        Chance of a right guess from the target's distribution alone (lower bound).
    synthetic_zero, synthetic_undefined : float
        CAP by the replica, records without a match counted as 0, or left out (NaN where none
        matches).
    synthetic : float
        Made of the two as `rule` says.
    rule : str
        "mean of both"; "mean of zero and original" where the undefined variant exceeds the
        original's CAP, its upper bound; "zero" where that is more, or nothing matches.
    ratio : float
        `synthetic` divided by `original`.
    non_match : float
        Share of original records whose key combination is not in the replica.
    variants : Series
        Everything published as DCAP or TCAP, each by a name of its own. DCAPs, DCAPb, TCAPs and
        TCAPb exceed 1 where the replica is smaller than the original.
    synthpop : Series
        The CAP family as that version of synthpop calls it, in percent.
    per_synthesis : DataFrame
        The same for each synthesis; the attributes above are their means.
    fixes : tuple of str
        Changes made to the inputs.
    """

    original: float
    baseline: float
    synthetic_zero: float
    synthetic_undefined: float
    synthetic: float
    rule: str
    ratio: float
    non_match: float
    variants: pd.Series[float]
    synthpop: pd.Series[float]
    per_synthesis: pd.DataFrame
    fixes: tuple[str, ...] = ()


@checked
def cap(
    original: Frame,
    synthetic: Replica,
    *,
    keys: Sequence[str],
    target: str,
    round_to: float | Mapping[str, float] | None = None,
    missing_codes: MissingCodes | None = None,
    synthpop: str = NEWEST,
) -> CapResult:
    """Correct attribution probability (CAP) of a replica beside its bounds.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
    keys : names of the columns that an intruder knows
    target : name of the column that the intruder wants to know
    round_to : number, or mapping of column to number, optional
        Numeric keys and targets are rounded to the nearest multiple.
    synthpop : "1.9-3" or "1.9-2"
        Whose names `CapResult.synthpop` has.

    Returns
    -------
    CapResult
        `synthetic` is lower the less an intruder learns: read it beside `baseline`, what a guess
        without the keys gets right, and `original`; it may lie outside of both. `ratio` is 0 and
        more.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the target is a key.
    StudyError
        If there are no keys, `round_to` names no column of numbers, or `synthpop` is another
        version.

    Notes
    -----
    Equations 4 to 6 of the Comparative Metrics Framework. `original`, `baseline` and
    `synthetic_zero` are synthpop's CAPd, baseCAPd and DCAPd (DCAP in 1.9-2) divided by 100. The
    framework's own R code differs from its paper: it takes the unweighted mean of the level
    shares as baseline, and the smaller of both counts in the synthetic CAP; the paper is
    followed here. Where the undefined variant is "significantly higher" than the CAP of the
    original, the paper takes the zero variant alone, so that CAP falls as more guesses come right;
    here the original's CAP takes the place of the undefined variant.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"k": list("aaabc"), "t": list("xxyxy")})
    >>> replica = pd.DataFrame({"k": list("aabdd"), "t": list("xxyxy")})
    >>> result = cap(original, replica, keys=["k"], target="t")
    >>> round(result.original, 4), result.baseline, result.synthetic, result.rule
    (0.7333, 0.52, 0.45, 'mean of both')
    """
    key_names = [keys] if isinstance(keys, str) else list(keys)
    check_roles(key_names, target)
    names = {
        **columns(check_version(synthpop))["cap"],
        "DCAP": NAMES["DCAP"][check_version(synthpop)],
    }
    data = pair(original, synthetic, variables=[*key_names, target], missing_codes=missing_codes)
    steps = per_name("round_to", round_to, [*key_names, target], math.nan)
    rules = by_rounding_or_value(data.variables, round_to, steps)
    coded = encode(data, rules, [*key_names, target])
    index = index_keys(coded, key_names)
    rows = [
        cap_quantities(count_keys_and_target(coded, index, target, synthesis=i)[0])
        for i in range(1, coded.m + 1)
    ]
    frame = pd.DataFrame(rows, index=pd.RangeIndex(1, coded.m + 1, name="synthesis"))
    mean = frame.drop(columns="rule").astype(float).mean()
    rules_used = list(dict.fromkeys(frame["rule"]))
    variants = [name for name in mean.index if name.startswith(("DCAP", "TCAP"))]
    called = {"baseCAPd": "baseline", "CAPd": "original", "DCAP": "DCAP_zero"}
    percent = {name: 100.0 * mean[called.get(symbol, symbol)] for symbol, name in names.items()}
    return CapResult(
        original=float(mean["original"]),
        baseline=float(mean["baseline"]),
        synthetic_zero=float(mean["DCAP_zero"]),
        synthetic_undefined=float(mean["DCAP_undefined"]),
        synthetic=float(mean["synthetic"]),
        rule=" / ".join(rules_used),
        ratio=float(mean["ratio"]),
        non_match=float(mean["non_match"]),
        variants=mean[variants],
        synthpop=pd.Series(percent),
        per_synthesis=frame,
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def cap_quantities(counts: KeyTargetCounts) -> dict[str, float | str]:
    """Return the quantities of `CapResult` for one synthesis."""
    zero, undefined = ca.dcap_zero(counts), ca.dcap_undefined(counts)
    synthetic, rule = ca.cap_and_rule(counts)
    return {
        "original": ca.cap_original(counts),
        "baseline": ca.cap_baseline(counts),
        "synthetic": synthetic,
        "rule": rule,
        "ratio": ca.cap_ratio(counts),
        "non_match": ca.non_match(counts).proportion,
        "DCAP_zero": zero,
        "DCAP_undefined": undefined,
        "CAPs": ca.cap_in_synthetic(counts),
        "DCAPs": ca.dcap_over_synthetic(counts),
        "DCAPb": ca.dcap_over_matching(counts),
        "TCAPs": ca.tcap_over_synthetic(counts),
        "TCAPb": ca.tcap_over_matching(counts),
        "TCAP_certain": ca.tcap_certain(counts).proportion,
        "TCAP_matched": ca.tcap_matched(counts).proportion,
        "TCAP_all": attribution.disco(counts).proportion,
        "TCAP_synthetic": ca.tcap_synthetic(counts),
    }


def check_roles(keys: Sequence[str], target: str) -> None:
    """Raise unless there is at least one key, each once, and the target is none of them."""
    if not keys:
        msg = "keys: expected at least one column name but got none."
        raise StudyError(msg)
    if len(set(keys)) != len(keys):
        twice = next(key for key in keys if list(keys).count(key) > 1)
        msg = f"keys: column {twice!r} is given more than once. Name each key once."
        raise ColumnError(msg)
    if target in keys:
        msg = (
            f"column {target!r} is both a key and the target. What an intruder knows cannot be "
            "learned; remove it from one of the two."
        )
        raise ColumnError(msg)
