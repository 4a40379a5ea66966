"""The recorded cases asked again: the recorded answers are fresh, and the adapters read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import rbridge
from sdcmetrics.errors import RError
from sdcmetrics.measures.twin import VERSIONS, spelled
from sdcmetrics.rbridge.call import call
from sdcmetrics.rbridge.columns import by_synthesis, long_frame, wide
from sdcmetrics.rbridge.synds import Synds
from tests.recorded import OWN, Case, all_cases, arguments, number

CHANGED = ("disclosure", "multi.disclosure", "replicated.uniques")  # by 1.9-3
RTOL = 1e-12  # recorded with 15 digits
CASES = [case for case in all_cases() if case.folder.parent == OWN]

pytestmark = pytest.mark.r


def as_recorded(case: Case, path: str, session: rbridge.Session) -> Synds:
    """Wrap a case with the types that R had: integers are integers."""

    def typed(frame: pd.DataFrame, schema: dict[str, Any]) -> pd.DataFrame:
        whole = [name for name, spec in schema.items() if spec["type"] == "integer"]
        return frame.astype(dict.fromkeys(whole, "Int64"))

    schema = case.params["schema"]
    original = typed(case.original(), schema["orig"])
    synthetic = case.synthetic()
    many = synthetic if isinstance(synthetic, list) else [synthetic]
    return rbridge.as_synds(
        [typed(frame, schema["syn"]) for frame in many],
        original,
        how="direct" if path == "synds" else "frames",
        missing_codes=case.missing_codes,
        harmonise=False,
        session=session,
    )


def same(ours: Any, theirs: Any, what: str) -> None:
    want = np.array([number(v) for v in _list(theirs)])
    assert np.asarray(ours, dtype=float).tolist() == pytest.approx(
        want.tolist(), rel=RTOL, abs=1e-13, nan_ok=True
    ), what


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def utility_tab(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    options = arguments(given)
    answer = call(synds, "utility_tab", "utility.tab", vars=_list(given["vars"]), options=options)
    frame = by_synthesis(answer.value)
    for symbol in frame.columns:
        theirs = _list(expected[symbol])
        same(frame[symbol], theirs * (len(frame) // len(theirs)), symbol)


def utility_tables(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    answer = call(
        synds,
        "utility_tables",
        "utility.tables",
        tables=given["tables"],
        vars=_list(given["vars"]),
        options=arguments(given),
    )
    assert answer.value["rows"] == _list(expected["rows"])
    frame = wide(answer.value["tabs"], "row")
    for i, row in enumerate(expected["tabs"]):
        same(frame[expected["cols"]].iloc[i], row, expected["rows"][i])
    scores = long_frame(answer.value["scores"]).set_index("symbol")["value"]
    same(scores[list(expected["var.scores"])], list(expected["var.scores"].values()), "scores")


def utility_gen(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    answer = call(synds, "utility_gen", "utility.gen", options=arguments(given))
    frame = by_synthesis(answer.value["statistics"])
    for symbol in ("pMSE", "S_pMSE", "SPECKS", "PO50", "U", "df"):
        theirs = _list(expected[symbol])
        same(frame[symbol], theirs * (len(frame) // len(theirs)), symbol)


def disclosure(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    answer = call(
        synds,
        "disclosure",
        "disclosure",
        keys=_list(given["keys"]),
        target=given["target"],
        options=arguments(given),
    )
    frame = by_synthesis(answer.value["measures"])
    for i in range(len(frame)):
        recorded = expected["ident"][i] | expected["attrib"][i] | expected["allCAPs"][i]
        assert set(recorded) == set(frame.columns)
        same(frame.iloc[i][list(recorded)], list(recorded.values()), str(i))
        left = wide(answer.value["exclusions"], ["synthesis", "table"]).loc[i + 1]
        assert left.to_numpy().tolist() == expected["Nexclusions"][i]["values"]
    assert answer.value["check1"] == _list(expected["check1"])
    assert answer.value["check2"] == _list(expected["check2"])
    flagged = [flag for flag in expected["check_1way"] if flag != ""]
    one_way = long_frame(answer.value["one_way"], ["nLevelDis"])
    assert one_way["nLevelDis"].tolist() == [flag["nLevelDis"] for flag in flagged]


def multi_disclosure(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    answer = call(
        synds,
        "multi_disclosure",
        "multi.disclosure",
        keys=_list(given["keys"]),
        targets=_list(given["targets"]) if "targets" in given else None,
        options=arguments(given),
    )
    table = long_frame(answer.value["table"])
    same(table["attrib.orig"], [row["attrib.orig"] for row in expected["attrib.table"]], "orig")
    same(table["attrib.syn"], [row["attrib.syn"] for row in expected["attrib.table"]], "syn")
    ident = long_frame(answer.value["ident"])
    assert ident["target"].tolist() == _list(expected["targets"])
    same(ident["ident.orig"], expected["ident.orig"], "UiO")
    same(ident["ident.syn"], expected["ident.syn"], "repU")
    assert sorted(table["target"]) == sorted(ident["target"])


def fit(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    family = given.get("family")
    answer = call(
        synds,
        "fit",
        "fit",
        type=given["type"],
        formula=given["formula"],
        family=family if isinstance(family, str) else "",
        options=arguments(given),
    )
    for part, recorded in (
        ("original", "coef.obs"),
        ("synthetic", "coef.syn"),
        ("difference", "coef.diff"),
    ):
        frame = wide(answer.value[part], "term")
        assert frame.index.tolist() == _list(expected["terms"])
        for i, row in enumerate(expected[recorded]):
            same(frame.iloc[i], row, recorded)
    same(wide(answer.value["overlap"], "term").iloc[:, 0], expected["ci.overlap"], "overlap")
    summary = long_frame(answer.value["summary"]).set_index("symbol")["value"]
    for name in ("mean.ci.overlap", "mean.abs.std.diff", "lack.of.fit", "lof.pvalue", "ncoef"):
        same([summary[name]], expected[name], name)
    assert bool(summary["incomplete"]) == expected["incomplete"]


def replicated_uniques(synds: Synds, given: dict[str, Any], expected: dict[str, Any]) -> None:
    answer = call(synds, "replicated_uniques", "replicated.uniques", keys=_list(given["keys"]))
    frame = wide(answer.value, ["synthesis", "row"])
    recorded = expected["res_tab"] if synds.m > 1 else [expected["res_tab"]]
    for i, rows in enumerate(recorded, start=1):
        assert frame.loc[i].index.tolist() == expected["rows"]
        same(frame.loc[i].to_numpy().ravel(), [v for row in rows for v in row], str(i))


ASK = {
    "utility.tab": utility_tab,
    "utility.tables": utility_tables,
    "utility.gen": utility_gen,
    "disclosure": disclosure,
    "multi.disclosure": multi_disclosure,
    "fit": fit,
    "replicated.uniques": replicated_uniques,
}


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_recorded_answers_are_what_synthpop_says(case: Case, r: rbridge.Session) -> None:
    version = spelled(r.versions["synthpop"])
    if version not in VERSIONS:
        pytest.skip(f"no answers of synthpop {version} are recorded")
    handles: dict[str, Synds] = {}
    for name, given in case.params["calls"].items():
        synds = handles.setdefault(given["path"], as_recorded(case, given["path"], r))
        if version != VERSIONS[0] and given["kind"] in CHANGED and name not in case.newer:
            continue
        expected = case.answers(version)[name]
        if "error" in expected:
            with pytest.raises(RError) as caught:
                ASK[given["kind"]](synds, given, expected)
            assert expected["error"] in caught.value.reason, name
            continue
        try:
            ASK[given["kind"]](synds, given, expected)
        except (AssertionError, RError) as error:
            raise AssertionError(f"{case.name} {name}: {error}") from error


def test_all_ten_cases_are_asked() -> None:
    assert len(CASES) == 10
