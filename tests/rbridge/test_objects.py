"""adapters.R takes whole answer objects of synthpop 1.9-3 apart, whichever version is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.disclosure.versions import columns
from sdcmetrics.rbridge.installation import R_CODE

pytestmark = pytest.mark.r

OBJECTS = Path(__file__).parents[1] / "reference" / "objects_1.9-3"
TABLES = columns("1.9-3")
END, FAILED = "that is all", "R says:"


@pytest.fixture(scope="module")
def taken_apart() -> Iterator[R]:
    program = shutil.which("R")
    if program is None:
        pytest.skip("R is not installed")
    r = R(program)
    yield r
    r.close()


class R:
    """R with adapters.R, started once for all that is taken apart here."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(
            [program, "--no-echo", "--no-save", "--no-restore"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._ask(f"source('{R_CODE / 'adapters.R'}')")

    def __call__(self, name: str, expression: str) -> pd.DataFrame:
        """Return a flat table that adapters.R makes of a recorded object, called `answer`."""
        recorded = f"answer <- readRDS('{OBJECTS / name}.rds')"
        return pd.read_csv(
            io.StringIO(self._ask(f"{recorded}; write.csv({expression}, row.names = FALSE)"))
        )

    def _ask(self, code: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        caught = f"tryCatch({{ {code} }}, error = function(e) cat('{FAILED}', conditionMessage(e)))"
        self._process.stdin.write(f"{caught}; cat('{END}\\n')\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            lines.append(line)
            if line.endswith(f"{END}\n"):
                break
        answer = "".join(lines)
        assert answer.endswith(f"{END}\n"), answer
        assert FAILED not in answer, answer
        return answer.removesuffix(f"{END}\n")

    def close(self) -> None:
        """End R."""
        self._process.communicate()


def spread(table: pd.DataFrame, *rows: str) -> pd.DataFrame:
    return table.pivot_table(index=list(rows), columns="symbol", values="value", dropna=False)


@pytest.mark.parametrize(("name", "m"), [("disclosure_1", 1), ("disclosure_3", 3)])
def test_every_measure_of_a_disclosure_is_found_under_its_name(
    taken_apart: R, name: str, m: int
) -> None:
    result = spread(taken_apart(name, "measures_of(answer)$measures"), "synthesis")
    assert len(result) == m
    assert {*result.columns} == {n for table in TABLES.values() for n in table.values()}
    certain = 100 * result["DiSCO"] / result["DiS"].replace(0, np.nan)
    np.testing.assert_allclose(result["TCAP"], certain)
    assert (result["DCAPd"] > 0).all()


def test_the_tables_of_an_answer_keep_their_columns_in_order(taken_apart: R) -> None:
    for table, names in TABLES.items():
        said = taken_apart("disclosure_1", f"data.frame(x = measures_of(answer)$parts${table})")
        assert said["x"].tolist() == list(names.values())


def test_records_left_out_are_found(taken_apart: R) -> None:
    left = taken_apart("disclosure_1_excluded", "measures_of(answer)$exclusions")
    assert left.loc[left["symbol"] == "excluded target", "value"].sum() > 0


def test_many_disclosures_are_found_by_target(taken_apart: R) -> None:
    result = taken_apart("multi_disclosure_1", "many_measures_of(answer)$measures")
    table = taken_apart("multi_disclosure_1", "many_measures_of(answer)$table")
    disco = spread(result, "target")["DiSCO"]
    np.testing.assert_allclose(table["attrib.syn"], disco[table["target"]])


def test_a_dcap_of_many_targets_is_missing_as_documented(taken_apart: R) -> None:
    table = taken_apart("multi_disclosure_dcap", "many_measures_of(answer)$table")
    assert table["attrib.syn"].isna().all()  # B24
    assert table["attrib.orig"].notna().all()


def test_a_compared_fit_is_found_by_term(taken_apart: R) -> None:
    difference = spread(taken_apart("compare_fit", "comparison_of(answer)$difference"), "term")
    overlap = spread(taken_apart("compare_fit", "comparison_of(answer)$overlap"), "term")
    half = 1.959963984540054  # of the interval, in standard errors
    expected = 1 - difference["Std. coef diff"].abs() / (2 * half)
    np.testing.assert_allclose(overlap["CI overlap"], expected)
    summary = taken_apart("compare_fit", "comparison_of(answer)$summary").set_index("symbol")
    assert summary.loc["mean.ci.overlap", "value"] == pytest.approx(expected.mean())
    assert summary.loc["ncoef", "value"] == len(expected)
    assert 0 < summary.loc["lof.pvalue", "value"] < 1


@pytest.mark.parametrize(("name", "m"), [("replicated_uniques_1", 1), ("replicated_uniques_3", 3)])
def test_replicated_uniques_are_shares_of_the_original(taken_apart: R, name: str, m: int) -> None:
    result = spread(taken_apart(name, "uniques_of(answer)"), "synthesis", "row")
    assert len(result) == 4 * m
    of = result["from total"]
    totals = [of.xs(row, level="row").tolist() for row in ("Original", "Replicated uniques")]
    assert totals[0] == totals[1]
