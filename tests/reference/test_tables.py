"""Native tables beside what synthpop answered, for every recorded call."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import SdcMetricsError
from sdcmetrics.measures.disclosure.versions import columns
from sdcmetrics.measures.twin import VERSIONS
from tests.recorded import Case, all_cases, arguments, cases, each_call, number

RTOL = 1e-10
CASES = all_cases()

UTILITY_OPTIONS = {
    "ngroups": "ngroups",
    "style": "style",
    "useNA": "use_missing",
    "k.syn": "k_syn",
}
DISCLOSURE_OPTIONS = {
    "ngroups_keys": "ngroups_keys",
    "ngroups_target": "ngroups_target",
    "ngroups_targets": "ngroups_targets",
    "usekeysNA": "use_key_missing",
    "usetargetNA": "use_target_missing",
    "usetargetsNA": "use_target_missing",
    "not.targetlev": "not_target_levels",
    "denom_lim": "denom_lim",
    "thresh_1way": "one_way_thresholds",
    "thresh_2way": "two_way_thresholds",
}
DOCUMENTED = {
    # A text "Missing" beside missing values: synthpop merges the two (B8).
    ("t10_types", "disclosure"): {"004", "005", "007", "008", "012", "013", "015", "016"},
    # A list of ngroups_keys goes by data order in synthpop, by the order of keys here (B11).
    ("t06_cont_na", "disclosure"): {"002", "006"},
}


def documented(case: Case, name: str) -> bool:
    kind, _, number_ = name.rpartition("_")
    return number_ in DOCUMENTED.get((case.name, kind), ())


IGNORED = {"attrib.meas", "ident.meas", "tables", "print.flag", "plot", "tab.stats", "vars"}


def options(call: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    out = {}
    given = arguments(call)
    for name, value in given.items():
        if name in names:
            out[names[name]] = value
        elif name.startswith("exclude"):
            continue
        else:
            assert name in IGNORED, f"the test does not know synthpop's option {name}"
    if "exclude.keys" in given:
        columns = [given[f"exclude.{part}"] for part in ("keys", "keylevs", "targetlevs")]
        columns = [c if isinstance(c, list) else [c] for c in columns]
        out["exclusions"] = list(zip(*columns, strict=True))
    if not given.get("exclude_ov_denom_lim"):
        out.pop("denom_lim", None)
    return out


def assert_equal(ours: Any, theirs: Any, what: str, *, rtol: float = RTOL) -> None:
    ours, theirs = float(ours), number(theirs)
    if math.isnan(theirs):
        assert math.isnan(ours), what
    elif ours != theirs:  # by hand: forty thousand calls of pytest.approx take seconds
        assert math.isfinite(theirs), what
        assert abs(ours - theirs) <= max(rtol * abs(theirs), 1e-13), what


def assert_row(ours: Any, theirs: dict[str, Any], names: Any) -> None:
    for name in names:
        if name == "dBhatt":  # sqrt of a difference near 0: compared squared, as rounding is
            assert_equal(float(ours[name]) ** 2, number(theirs[name]) ** 2, name, rtol=1e-9)
        else:
            assert_equal(ours[name], theirs[name], name)


def utility_names(expected: dict[str, Any]) -> list[str]:
    return [name for name in expected if not name.startswith("tab")]


@pytest.mark.parametrize("case", cases("utility.tab"))
def test_utility_tab_equals_synthpop(case: Case) -> None:
    each_call(case, "utility.tab", partial(check_utility_tab, case))


def check_utility_tab(case: Case, name: str, call: dict[str, Any]) -> None:
    expected = case.expected[name]
    ours = sdc.utility_tab(
        case.original(),
        case.synthetic(),
        call["vars"],
        missing_codes=case.missing_codes,
        per_synthesis=True,
        **options(call, UTILITY_OPTIONS),
    )
    if "error" in expected or name in case.divergences:
        assert name in case.divergences, expected
        assert np.isfinite(ours["pMSE"]).all()
        return
    for i in range(len(ours)):
        theirs = {
            key: value[i] if isinstance(value, list) else value
            for key, value in expected.items()
            if not key.startswith("tab")
        }
        assert_row(ours.iloc[i], theirs, utility_names(expected))


@pytest.mark.parametrize("case", cases("utility.tables"))
def test_utility_tables_equals_synthpop(case: Case) -> None:
    each_call(case, "utility.tables", partial(check_utility_tables, case))


def check_utility_tables(case: Case, name: str, call: dict[str, Any]) -> None:
    expected = case.expected[name]
    ways = {"oneway": 1, "twoway": 2, "threeway": 3}[call["tables"]]
    ours = sdc.utility_tables(
        case.original(),
        case.synthetic(),
        ways=ways,
        variables=call["vars"],
        missing_codes=case.missing_codes,
        **options(call, UTILITY_OPTIONS),
    )
    if "error" in expected or name in case.divergences:
        assert name in case.divergences, expected
        assert np.isfinite(ours["pMSE"]).all()
        return
    rows = expected["rows"] if isinstance(expected["rows"], list) else [expected["rows"]]
    assert len(ours) == len(rows)
    position = {column: i for i, column in enumerate(ours.index.names)}
    assert len(position) == ways
    for i, row in enumerate(rows):
        index = ours.index[i]
        parts = (index,) if isinstance(index, str) else index
        label = ":".join(part.split(".", 1)[1] for part in row.split(":"))
        assert ":".join(parts) == label
        values = expected["tabs"][i] if isinstance(expected["tabs"], list) else expected["tabs"]
        assert_row(ours.iloc[i], dict(zip(expected["cols"], values, strict=True)), expected["cols"])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", cases("disclosure"))
def test_disclosure_equals_synthpop(case: Case, version: str) -> None:
    each_call(case, "disclosure", partial(check_disclosure, case, version))


def check_disclosure(case: Case, version: str, name: str, call: dict[str, Any]) -> None:
    expected = recorded(case, name, version)
    tables = {table: list(names.values()) for table, names in columns(version).items()}
    keys = call["keys"] if isinstance(call["keys"], list) else [call["keys"]]
    given = options(call, DISCLOSURE_OPTIONS)
    original, synthetic = case.original(), case.synthetic()
    if documented(case, name):
        original, synthetic, given = as_synthpop_reads_it(original, synthetic, keys, given, call)
    ours = sdc.disclosure(
        original,
        synthetic,
        keys=keys,
        target=call["target"],
        missing_codes=case.missing_codes,
        synthpop=version,
        **given,
    )
    oracle = expected.get("label_matched_oracle")
    if name in case.divergences or "error" in expected:
        assert name in case.divergences, expected
        for i, theirs in enumerate(oracle or []):
            known = [*tables["identity"], *tables["attribution"], *tables["cap"]]
            known = [k for k in known if not k.endswith("_denom")]
            assert_row(ours.per_synthesis.iloc[i], theirs, [k for k in known if k in theirs])
        if oracle and "attrib" in expected:
            assert expected["synthpop_equals_oracle"] is False
        return
    for i in range(len(ours.per_synthesis)):
        row = ours.per_synthesis.iloc[i]
        assert list(expected["attrib"][i]) == tables["attribution"]
        assert list(expected["allCAPs"][i]) == tables["cap"]
        assert_row(row, expected["ident"][i], tables["identity"])
        assert_row(row, expected["attrib"][i], tables["attribution"])
        decided_anew = [n for n in tables["cap"] if n.startswith("TCAP") and leaves_out(call)]
        if version == "1.9-3" and decided_anew:  # B27
            tcap = 100 * row["DiSCO"] / row["DiS"] if row["DiS"] else math.nan
            assert_equal(row["TCAP"], "NaN" if math.isnan(tcap) else tcap, "TCAP")
        else:
            decided_anew = []
        rest = [n for n in tables["cap"] if n not in decided_anew]
        assert_row(row, expected["allCAPs"][i], rest)
        if "attrib_denoms" in expected and not decided_anew:
            assert_denominators(ours.denominators.iloc[i], expected["attrib_denoms"][i])
        if documented(case, name):
            continue
        left = expected["Nexclusions"][i]
        table = ours.exclusions.loc[i + 1]
        assert table.index.tolist() == left["rows"]
        assert table.to_numpy().tolist() == left["values"]
        assert_flags(ours, expected, i)


def recorded(case: Case, name: str, version: str) -> dict[str, Any]:
    """Return what a version answered to a call whose answer has changed."""
    assert version == "1.9-2" or name in case.newer, f"no answer of {version} was recorded"
    answer: dict[str, Any] = case.answers(version)[name]
    return answer


def leaves_out(call: dict[str, Any]) -> bool:
    """Whether cells are left out, so that 1.9-3 decides anew what is unanimous."""
    given = arguments(call)
    named = any(name.startswith(("not", "excl")) for name in given)
    return named or any(
        name.startswith("use") and value is not True for name, value in given.items()
    )


def assert_denominators(ours: pd.Series[float], theirs: dict[str, Any]) -> None:
    """Two labels are swapped in 1.9-3 (B26); everything else is equal."""
    swapped = {"denom_TCAPb": "denom_TCAPs", "denom_TCAPs": "denom_TCAPb"}
    for name, value in theirs.items():
        assert_equal(ours[swapped.get(name, name)], value, name)


def as_synthpop_reads_it(
    original: pd.DataFrame,
    synthetic: pd.DataFrame,
    keys: list[str],
    given: dict[str, Any],
    call: dict[str, Any],
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Make of the data what synthpop makes of them, where ours differs on purpose."""
    groups = given.get("ngroups_keys")
    if isinstance(groups, list):
        in_data_order = [column for column in original.columns if column in keys]
        given["ngroups_keys"] = dict(zip(in_data_order, groups, strict=True))
    merged = []
    for frame in (original, synthetic):
        out = frame.copy()
        for name in [*keys, call["target"]]:
            if out[name].dtype.name in ("category", "object"):
                out[name] = out[name].astype(object).where(out[name].notna(), "Missing")
        merged.append(out)
    if given.pop("use_key_missing", True) is False:
        target = merged[0][call["target"]].dropna().unique()
        missing = [key for key in keys if (merged[0][key].astype(str) == "Missing").any()]
        given["exclusions"] = [(key, "Missing", level) for key in missing for level in target]
    if given.pop("use_target_missing", True) is False:
        given["not_target_levels"] = "Missing"
    return merged[0], merged[1], given


def assert_flags(ours: sdc.DisclosureResult, expected: dict[str, Any], i: int) -> None:
    one_way = expected["check_1way"][i]
    own = ours.one_way[ours.one_way["synthesis"] == i + 1]
    if one_way == "":
        assert own.empty
    else:
        assert own.iloc[0]["nLevelDis"] == one_way["nLevelDis"]
        assert own.iloc[0]["totalDisclosive"] == one_way["totalDisclosive"]
        assert_equal(own.iloc[0]["PctLevelAll"], one_way["PctLevelAll"], "PctLevelAll")
        assert_equal(own.iloc[0]["PctLevelDis"], one_way["PctLevelDis"], "PctLevelDis")
    two_way = expected["check_2way"]
    if len(expected["ident"]) > 1:
        two_way = two_way[i]
    flags = [flag for flag in (two_way if isinstance(two_way, list) else [two_way]) if flag != ""]
    pairs = ours.two_way[ours.two_way["synthesis"] == i + 1]
    columns = ["npairs", "key", "key_target_total", "key_total"]
    got = sorted(tuple(row) for row in pairs[columns].itertuples(index=False))
    assert got == sorted(tuple(flag[column] for column in columns) for flag in flags)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("case", cases("multi.disclosure"))
def test_multi_disclosure_equals_synthpop(case: Case, version: str) -> None:
    each_call(case, "multi.disclosure", partial(check_multi_disclosure, case, version))


def check_multi_disclosure(case: Case, version: str, name: str, call: dict[str, Any]) -> None:
    expected = recorded(case, name, version)
    original = case.original()
    given = options(call, DISCLOSURE_OPTIONS)
    keys = call["keys"] if isinstance(call["keys"], list) else [call["keys"]]
    groups = given.pop("ngroups_targets", None)
    if isinstance(groups, list):  # synthpop: one for each numeric target, in column order
        targets = [c for c in original.columns if c not in keys]
        groups = dict(zip(targets, groups, strict=True))
    ours = sdc.multi_disclosure(
        original,
        case.synthetic(),
        keys=keys,
        targets=call.get("targets"),
        ngroups_targets=groups,
        missing_codes=case.missing_codes,
        synthpop=version,
        **given,
    )
    if "error" in expected or name in case.divergences:
        assert name in case.divergences, expected
        return
    measure = arguments(call).get("attrib.meas", "DiSCO")
    pair = {"DiSCO": ("Dorig", "DiSCO"), "DCAP": ("CAPd", "DCAP")}[measure]
    rows = expected["rows"] if isinstance(expected["rows"], list) else [expected["rows"]]
    assert len(rows) == len(ours)
    for label, values in zip(rows, expected["attrib.table"], strict=True):
        target = re.sub(r" (1|2|1&2)way checks$", "", label.split(" ", 1)[1])
        assert_equal(ours.loc[target, pair[0]], values["attrib.orig"], f"{target} original")
        if (version, measure) == ("1.9-3", "DCAP"):  # B24: the column was renamed
            assert math.isnan(number(values["attrib.syn"]))
            assert ours.loc[target, "DCAPd"] > 0
            continue
        assert_equal(ours.loc[target, pair[1]], values["attrib.syn"], f"{target} synthetic")


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES])
def test_breaks_equal_synthpop_bit_for_bit(case: Case) -> None:
    from sdcmetrics.microdata.grouping import equal_breaks, group_numbers, quantile_breaks

    recorded = case.expected.get("breaks", {})
    original, synthetic = case.original(), case.synthetic()
    syntheses = synthetic if isinstance(synthetic, list) else [synthetic]
    checked = 0
    for groups, by_variable in recorded.items():
        n = int(groups.removeprefix("n"))
        for variable, styles in by_variable.items():
            for style in ("quantile", "equal"):
                if f"{style}_hex" not in styles:
                    continue
                codes = (case.missing_codes or {}).get(variable, ())
                codes = (float(codes),) if isinstance(codes, int | float) else tuple(codes)
                want = [float.fromhex(text) for text in styles[f"{style}_hex"]]
                parts = [f[variable].to_numpy(dtype=float) for f in (original, *syntheses)]
                pooled = np.concatenate(parts)
                pooled = pooled[~np.isnan(pooled) & ~np.isin(pooled, codes)]
                if len(np.unique(pooled)) <= n:
                    got = group_numbers(
                        parts[0], parts[1:], ngroups=n, style=style, missing_codes=codes
                    ).breaks
                else:
                    rule = quantile_breaks if style == "quantile" else equal_breaks
                    got = np.unique(rule(pooled, n))
                assert got.tolist() == want, (variable, style, n)
                checked += 1
    if recorded:
        assert checked


def test_a_call_with_an_unknown_column_is_refused() -> None:
    frame = pd.DataFrame({"income": [1, 2]})
    with pytest.raises(SdcMetricsError, match="Did you mean 'income'"):
        sdc.utility_tab(frame, frame, "incme")
