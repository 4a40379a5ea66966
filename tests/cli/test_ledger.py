"""`sdcmetrics ledger`, and a review beside what was handed out."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sdcmetrics.cli.ledger import _date
from sdcmetrics.errors import StudyError
from tests.measures.people.drawn import people_of, with_copies

Run = Callable[..., tuple[int, str, str]]
STUDY = """
[data]
original = "original.csv"
holdout = "holdout.csv"
[data.replicas]
first = "first.csv"
second = "second.csv"
fair = "fair.csv"
[roles]
keys = ["age", "sex"]
targets = ["status"]
[options]
ways = [1]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Write a study of two replicas that hold three people each, too few to be noticed."""
    rng = np.random.default_rng(4)
    original = people_of(rng, 150)
    frames = {
        "original": original,
        "holdout": people_of(rng, 150),
        "fair": people_of(rng, 150),
        "first": with_copies(rng, original.iloc[:75].reset_index(drop=True), 3),
        "second": with_copies(rng, original.iloc[75:].reset_index(drop=True), 3),
    }
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


def test_add_status_and_check(run_cli: Run, study: Path) -> None:
    code, out, err = run_cli("ledger", "add", study, "first", "--date", "2026-11-23")
    assert (code, err) == (0, "")
    assert "2026-11-23  first.csv  (first, study.toml)" in out
    assert "already" in run_cli("ledger", "add", study, "first")[1]
    code, out, _ = run_cli("ledger", "status", study)
    assert code == 0
    assert "1 file handed out" in out
    assert "mu 0 of 1" in out
    assert run_cli("ledger", "check", study)[0] == 0
    (study.parent / "first.csv").unlink()
    code, out, _ = run_cli("ledger", "check", study)
    assert code == 1
    assert "first.csv" in out


def test_what_it_takes_is_said(run_cli: Run, study: Path) -> None:
    assert run_cli("ledger", "status", study)[0] == 3
    assert run_cli("ledger", "add", study)[0] == 3
    assert run_cli("ledger", "add", study, "first", "--date", "soon")[0] == 3
    code, _, err = run_cli("ledger", "add", study, "first", "--date", "2999-01-01")
    assert code == 3
    assert "2999-01-01 is to come" in err
    assert run_cli("ledger", "check", study, "first")[0] == 2


def test_a_review_judges_together_with_what_is_out(run_cli: Run, study: Path) -> None:
    out = study.parent / "out"

    def sentences(replica: str) -> str:
        assert run_cli("review", study, "-o", out, "--fail-on", "never", "-q")[0] == 0
        document = json.loads((out / "review.json").read_text("utf-8"))
        (decision,) = (d for d in document["decision"] if d["replica"] == replica)
        return json.dumps(decision["risk"])

    alone = sentences("second")
    assert "handed out earlier" not in alone
    assert "holds" not in alone
    run_cli("ledger", "add", study, "first")
    together = sentences("second")
    assert "either it holds" in together
    assert "found only together with 1 file handed out earlier" in together
    assert "nothing more is claimed of people together with it" in sentences("fair")
    # Of another original, it is judged all the same, and the page says what to do.
    original = study.parent / "original.csv"
    original.write_text(original.read_text().replace("\n", "\n0,f,z,1,1,work\n", 1))
    assert "handed out earlier" in sentences("second")
    fixes = json.loads((out / "review.json").read_text("utf-8"))["fixes"]
    words = "it is not the one that study.ledger.json is of"
    assert json.dumps(fixes).count(words) == 1
    assert (out / "report-annexes.html").read_text("utf-8").count(words) == 1


def test_a_date_may_be_tomorrow_as_it_is_somewhere_and_not_later() -> None:
    today = dt.datetime.now(tz=dt.UTC).date()
    assert _date(None) == today
    for days in (-1, 0, 1):
        date = today + dt.timedelta(days=days)
        assert _date(date.isoformat()) == date
    with pytest.raises(StudyError, match="is to come"):
        _date((today + dt.timedelta(days=2)).isoformat())
