"""Several records per person: at most so many count, and noise is as much wider."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import DataError, ReleaseBlocked
from sdcmetrics.release.answers import ask, read_request
from sdcmetrics.release.files import read_entered
from sdcmetrics.release.original import at_most, read_people
from sdcmetrics.release.questions import questions_of
from sdcmetrics.release.sums import _rounded
from sdcmetrics.report.outside.edition import release_edition
from tests.release.studies import people, public_of, records, write_study

PANEL = """
[sample]
person = "id"
"""


def panel(folder: Path, more: str) -> Path:
    frame = people(200, 5).assign(id=[i // 3 for i in range(200)])
    return write_study(folder, frame, more=more)


def test_a_panel_without_a_declared_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseBlocked, match="rows = "):
        public_of(panel(tmp_path, PANEL))


def test_noise_is_as_much_wider_as_a_person_has_records(tmp_path: Path) -> None:
    one = write_study(tmp_path / "a", people(200, 5))
    several = panel(tmp_path / "b", PANEL + "\n[release]\nrows = 3\n")
    sums = [ask(file, public_of(file)) for file in (one, several)]
    first, wide = (next(iter(item.answers.values())) for item in sums)
    assert float(wide.variance) == pytest.approx(9 * float(first.variance), rel=0.01)
    assert {q.sensitivity for q in questions_of(public_of(several))} == {3}


def test_records_beyond_are_left_out_the_same_ones_always(tmp_path: Path) -> None:
    file = panel(tmp_path, PANEL + "\n[release]\nrows = 2\n")
    given = read_people(read_request(file), file, public_of(file))
    assert given.original.n == 66 * 2 + 2
    frame = people(200, 5).assign(id=[i // 3 for i in range(200)])
    left = [at_most(records(item), "id", 2) for item in (frame, frame.iloc[::-1])]
    assert left[0].digest == left[1].digest
    fewer = at_most(records(frame[frame["id"] != 7]), "id", 2)
    assert fewer.n == left[0].n - 2


def test_persons_of_the_original_in_the_holdout_are_refused(tmp_path: Path) -> None:
    # Of both sums together such a person moves sqrt(2) times what the noise is made for.
    more = PANEL + "\n[release]\nrows = 3\n"
    both = people(200, 5).assign(id=[f"p{i // 3}" for i in range(200)])
    part = people(90, 6).assign(id=[f"p{i // 3 + 60}" for i in range(90)])
    file = write_study(tmp_path, both, part, more=more)
    with pytest.raises(DataError, match=r"column 'id': 7 values are also in original\.csv"):
        read_people(read_request(file), file, public_of(file))
    part.assign(id="h" + part["id"]).to_csv(tmp_path / "holdout.csv", index=False)
    assert read_people(read_request(file), file, public_of(file)).holdout is not None
    file.write_text(file.read_text().replace("rows = 3", 'unit = ""'))
    part.to_csv(tmp_path / "holdout.csv", index=False)
    assert read_people(read_request(file), file, public_of(file)).holdout is not None


def test_numbers_that_each_file_gives_anew_are_no_persons_of_both(tmp_path: Path) -> None:
    frames = [people(n, 5).assign(id=[i // 3 + 1 for i in range(n)]) for n in (200, 90)]
    file = write_study(tmp_path, *frames, more=PANEL + "\n[release]\nrows = 3\n")
    assert read_people(read_request(file), file, public_of(file)).holdout is not None


def test_the_original_as_its_own_holdout_is_refused(tmp_path: Path) -> None:
    file = write_study(tmp_path, people(200, 5), people(200, 5).iloc[::-1])
    with pytest.raises(DataError, match="the holdout has the records of the original"):
        read_people(read_request(file), file, public_of(file))


@pytest.mark.parametrize(
    ("more", "unit"),
    [
        ("", ""),
        (PANEL + '[release]\nunit = ""\n', ""),
        (PANEL + "[release]\nrows = 1\n", "person"),
        ('[sample]\nhousehold = "id"\n[release]\nrows = 3\n', "household"),
        ('[sample]\ncluster = "id"\n[release]\nrows = 3\n', "cluster"),
        ('[sample]\ncluster = "sex"\n[release]\nrows = 3\nunit = "id"\n', "person"),
        ("[release]\nrows = 3\n", ""),
    ],
)
def test_the_promise_is_about_what_the_study_names(tmp_path: Path, more: str, unit: str) -> None:
    public = public_of(panel(tmp_path, more))
    assert public.unit == unit
    edition = release_edition(public, ask(tmp_path / "study.toml", public))
    price = next(t for s in edition.sections if s.identity == "promise" for t in s.tables)
    assert price.columns[-1] == f"One {unit or 'person'} moves it by"


def test_each_record_can_be_said_to_be_a_person(tmp_path: Path) -> None:
    file = panel(tmp_path, PANEL + '\n[release]\nunit = ""\n')
    assert public_of(file).rows == 1
    assert read_people(read_request(file), file, public_of(file)).original.n == 200


def test_whom_the_promise_is_about_is_fixed_by_the_first_release(tmp_path: Path) -> None:
    file = panel(tmp_path, PANEL + "\n[release]\nrows = 3\n")
    ask(file, public_of(file), mu=0.5)
    file = panel(tmp_path, PANEL + '\n[release]\nunit = ""\n')
    for new_secret in (False, True):
        with pytest.raises(ReleaseBlocked, match="whom the promise is about"):
            ask(file, public_of(file), mu=0.5, new_secret=new_secret)


def test_files_handed_out_are_of_the_original_whose_records_beyond_are_left_out(
    tmp_path: Path,
) -> None:
    for rows in (1, 2):
        file = panel(tmp_path / str(rows), PANEL + f"\n[release]\nrows = {rows}\n")
        ask(file, public_of(file), mu=0.5)
        assert read_entered(file).problems == ()
    file = panel(tmp_path / "1", PANEL)  # without a number it is one, as that of a first release
    assert read_entered(file).problems == ()


def test_whose_a_record_is_must_be_said() -> None:
    frame = pd.DataFrame({"id": ["1", ""], "a": ["x", "y"]})
    with pytest.raises(DataError, match="some do not say it"):
        at_most(records(frame), "id", 1)
    said = at_most(records(frame).subset(np.array([0])), "id", 1)
    assert said.n == 1


def test_the_person_is_compared_nowhere(tmp_path: Path) -> None:
    public = public_of(panel(tmp_path, PANEL + "\n[release]\nrows = 3\n"))
    assert all("id" not in public.variables(replica) for replica in public.replicas)


def test_columns_of_the_sample_are_compared_where_the_study_names_them_as_variables(
    tmp_path: Path,
) -> None:
    weight, strata = '[sample]\nweight = "region"\n', '[sample]\nstrata = "region"\n'
    named = '[options]\nvariables = ["age", "region"]\n'
    for more, compared in (
        (weight, {"age", "sex", "seen"}),
        (weight + named, {"age", "region"}),
        (strata, {"age", "sex", "seen", "region"}),
    ):
        file = write_study(tmp_path / more[9:12] / str(len(more)), people(200, 5), more=more)
        file.write_text(
            file.read_text().replace('targets = ["region", "seen"]', 'targets = ["seen"]')
        )
        public = public_of(file)
        assert all({*public.variables(r)} == compared for r in public.replicas)


def test_a_half_is_rounded_up_and_what_is_less_down() -> None:
    halves = {"1/2": 1, "3/2": 2, "-1/2": 0, "5/12": 0, "17/12": 1, "7": 7}
    assert {text: _rounded(Fraction(text)) for text in halves} == halves
