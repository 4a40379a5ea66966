"""Days as people write them, and strata: a release compares them as a review does."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.measures.kind import Place
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.days import orders_of, with_days
from sdcmetrics.release.original import read_people
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import Question, questions_of
from sdcmetrics.release.sums import exact_sums
from sdcmetrics.report.outside.write import write_release
from tests.release.studies import public_of, records

STUDY = """
[study]
title = "Days"
[data]
original = "original.csv"
[data.replicas]
cart = "cart.csv"
[roles]
keys = ["age"]
targets = ["sex"]
{more}
"""
WRITTEN = {
    "day/month/year": "%d/%m/%Y",
    "month/day/year": "%m/%d/%Y",
    "day-month-year": "%d-%m-%Y",
    "month-day-year": "%m-%d-%Y",
    "day, month in words, year": "%d%b%Y",
}


def patients(n: int, seed: int, how: str = "%Y-%m-%d") -> pd.DataFrame:
    """Draw patients with the day on which they were seen, and their stratum."""
    rng = np.random.default_rng(seed)
    days = [dt.date(2019, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 700, n)]
    return pd.DataFrame(
        {
            "age": rng.integers(18, 30, n),
            "sex": rng.choice(["m", "f"], n),
            "seen": [day.strftime(how).upper() for day in days],
            "stratum": rng.integers(1, 9, n),
        }
    )


def write(folder: Path, how: str = "%Y-%m-%d", more: str = "") -> Path:
    folder.mkdir()
    patients(300, 1, how).to_csv(folder / "original.csv", index=False)
    patients(200, 2, how).to_csv(folder / "cart.csv", index=False)
    (folder / "study.toml").write_text(STUDY.format(more=more))
    return folder / "study.toml"


def asked(public: Public, variable: str) -> Question | None:
    place = Place(variables=(variable,))
    return next((q for q in questions_of(public) if q.place == place), None)


def tvd(study: Path, variable: str) -> tuple[int, ...]:
    """Return the exact sum behind the TVD of a variable."""
    public = public_of(study)
    question = asked(public, variable)
    assert question is not None
    return exact_sums(question, public, read_people(read_request(study), study, public))


@pytest.mark.parametrize("order", WRITTEN)
def test_days_are_read_in_the_order_of_the_replica(tmp_path: Path, order: str) -> None:
    given, iso = write(tmp_path / "a", WRITTEN[order]), write(tmp_path / "iso")
    assert public_of(given).days == {"seen": order}
    assert public_of(iso).days == {}
    assert tvd(given, "seen") == tvd(iso, "seen")
    questions = [asked(public_of(study), "seen") for study in (given, iso)]
    # The same noise on days that are read in another order would show the difference.
    assert '"days"' in questions[0].identity  # type: ignore[union-attr]
    assert '"days"' not in questions[1].identity  # type: ignore[union-attr]
    assert '"days"' not in asked(public_of(given), "age").identity  # type: ignore[union-attr]


def test_one_odd_entry_of_the_original_changes_nothing_but_itself(tmp_path: Path) -> None:
    study = write(tmp_path / "a", "%d/%m/%Y")
    before = tvd(study, "seen")[0]
    frame = pd.read_csv(study.parent / "original.csv")
    for odd in ("12/31/2019", "unknown", "2019"):
        frame.loc[0, "seen"] = odd
        frame.to_csv(study.parent / "original.csv", index=False)
        assert abs(tvd(study, "seen")[0] - before) <= 1


@pytest.mark.parametrize(
    "texts",
    [
        ["05/03/2020", "04/04/2020"],  # both orders
        ["13/03/2020", "03/13/2020"],  # neither
        ["13/03/2020", "13-03-2020"],
        ["13/03/20"],
        ["31/02/2020", "13/03/2020"],
        [],
    ],
)
def test_a_column_that_does_not_tell_its_order_is_one_of_levels(texts: list[str]) -> None:
    data = records(pd.DataFrame({"day": texts}))
    assert orders_of([data], ()) == {}


def test_all_replicas_together_tell_the_order() -> None:
    data = [records(pd.DataFrame({"day": [day]})) for day in ("05/03/2020", "13/03/2020", "")]
    assert orders_of(data, ()) == {"day": "day/month/year"}
    assert orders_of(data, {"day"}) == {}
    read = with_days(data[0], {"day": "day/month/year", "other": "day/month/year"})
    assert read.column("day").texts == ("2020-03-05",)
    assert read.digest == data[0].digest


@pytest.mark.parametrize(
    ("more", "days"),
    [
        ("", {"seen": "day/month/year"}),
        ('[read]\nkinds = { seen = "category" }', {}),
        ('[read]\nkinds = { seen = "date" }', {"seen": "day/month/year"}),
        ('[coarsen]\nseen = "year"', {"seen": "day/month/year"}),
    ],
)
def test_what_the_study_says_of_a_column_holds(
    tmp_path: Path, more: str, days: dict[str, str]
) -> None:
    public = public_of(write(tmp_path / "a", "%d/%m/%Y", more))
    assert public.days == days
    if "year" in more:
        assert {*public.replicas[0].levels("seen")} == {"2019", "2020"}


def test_strata_are_compared_as_names(tmp_path: Path) -> None:
    study = write(tmp_path / "a", more='[sample]\nstrata = "stratum"\n')
    public = public_of(study)
    assert public.variables(public.replicas[0]) == ("age", "sex", "seen", "stratum")
    named = write(tmp_path / "b")
    for name in ("original", "cart"):  # 8 strata are 8 cells, of which numbers make 5 groups
        frame = pd.read_csv(named.parent / f"{name}.csv")
        frame["stratum"] = "s" + frame["stratum"].astype(str)
        frame.to_csv(named.parent / f"{name}.csv", index=False)
    assert tvd(study, "stratum") == tvd(named, "stratum")


@pytest.mark.parametrize(
    "more",
    [
        '[sample]\nstrata = "stratum"\n[options]\nvariables = ["age", "sex", "stratum"]\n',
        '[sample]\nstrata = "stratum"\n[[scenario]]\nname = "b"\nkeys = ["stratum"]\n',
        "",
    ],
)
def test_strata_that_are_named_are_read_as_any_column(tmp_path: Path, more: str) -> None:
    public = public_of(write(tmp_path / "a", more=more))
    assert public.strata == ""
    question = asked(public, "stratum")
    assert question is not None
    assert '"levels"' not in question.identity


@pytest.mark.parametrize(
    "more",
    [
        '[sample]\nstrata = "stratum"\n[options]\nvariables = ["age", "sex"]\n',
        '[sample]\ncluster = "stratum"\n[release]\nunit = ""\nrows = 1\n',
        '[sample]\ncluster = "stratum"\nstrata = "stratum"\n[release]\nrows = 99\n',
    ],
)
def test_what_variables_leave_out_or_tells_persons_apart_is_not_compared(
    tmp_path: Path, more: str
) -> None:
    assert asked(public_of(write(tmp_path / "a", more=more)), "stratum") is None


def test_no_file_of_a_release_holds_a_day_or_a_level(tmp_path: Path) -> None:
    study = write(tmp_path / "a", "%d/%m/%Y")
    for name in ("original", "cart"):
        frame = pd.read_csv(study.parent / f"{name}.csv")
        frame["person"] = [f"{name}-{i:04}" for i in range(len(frame))]
        frame.to_csv(study.parent / f"{name}.csv", index=False)
    write_release(study, tmp_path / "out")
    whole = "".join(p.read_text("utf-8") for p in (tmp_path / "out").rglob("*") if p.is_file())
    days = pd.read_csv(study.parent / "cart.csv").seen
    iso = pd.to_datetime(days, format="%d/%m/%Y").dt.strftime("%Y-%m-%d")
    assert not [text for text in (*days, *iso, "original-0", "cart-0") if text in whole]
