"""Columns that say how an original was sampled: read, checked, left out of what is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.check import show_check
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.fits.sampled import SAMPLED_FIT
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.microdata.sources import large
from sdcmetrics.study.sampled import said_of_records

ROLES = {"weight": "w", "strata": "st", "cluster": "cl", "household": "home", "person": "id"}


def survey(seed: int = 1, n: int = 240) -> pd.DataFrame:
    """Draw households of three in clusters of four households, in two strata."""
    rng = np.random.default_rng(seed)
    record = np.arange(n)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 40, n),
            "ill": rng.choice(["yes", "no"], n),
            "w": rng.integers(5, 30, n),
            "st": record % 120 // 60,
            "cl": record // 12,
            "home": record // 3,
            "id": record,
        }
    )


def study(
    replica: pd.DataFrame | None = None, original: pd.DataFrame | None = None, **given: Any
) -> sdc.Study:
    chosen: dict[str, Any] = {"keys": ["sex", "age"], "targets": ["ill"], "sample": ROLES, **given}
    made = survey(2).drop(columns=list(ROLES.values())) if replica is None else replica
    whole = survey() if original is None else original
    options = {"candidates": 0, "permutations": 0, "perturbed": ()}
    return sdc.Study(whole, {"one": made}, **{**options, **chosen})


class TestRoles:
    @pytest.mark.parametrize("both", [False, True])
    def test_are_in_no_table_key_target_model_or_distance(self, *, both: bool) -> None:
        holdout = survey(3).assign(home=survey()["home"] + 1_000)
        replica = survey(2).drop(columns="st") if both else None
        result = study(replica, targets=None, models=["age ~ ."], holdout=holdout)
        assert result.scenarios[0].targets == ("ill",)
        review = sdc.conduct(result)
        assert set(review.variables) == {"sex", "age", "ill"}
        rows = review.to_frame()
        named = {name for names in (*rows["variables"], *rows["keys"]) for name in names or ()}
        assert named == {"sex", "age", "ill"}
        terms = next(iter(review.fits.values())).coefficients.index
        assert not {term for term in terms if str(term) in ROLES.values()}

    def test_leave_every_other_number_as_it_was(self) -> None:
        plain = survey().drop(columns=list(ROLES.values()))
        with_roles = sdc.conduct(study(survey(2).drop(columns="st")))
        without = sdc.conduct(
            study(survey(2).drop(columns=list(ROLES.values())), plain, sample=None)
        )
        own, other = with_roles.to_frame(), without.to_frame()
        own = own[own["metric"].isin(other["metric"])].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, other)

    def test_strata_of_all_files_are_compared_and_are_no_target(self) -> None:
        holdout = survey(3).assign(home=survey()["home"] + 1_000)
        result = study(survey(2), targets=None, holdout=holdout)
        assert result.options.variables == ("sex", "age", "ill", "st")
        assert result.scenarios[0].targets == ("ill",)
        review = sdc.conduct(result)
        assert set(review.variables) == {"sex", "age", "ill", "st"}
        rows = review.to_frame()
        numbers = set(rows.loc[rows["metric"] == "W1_survey", "variables"])
        assert numbers == {("age",)}  # the number of a stratum is its name
        chosen = study(survey(2), variables=["sex", "age"])
        assert chosen.options.variables == ("sex", "age")
        assert "st" not in chosen.original.columns
        without = holdout.drop(columns="st")
        assert "st" not in study(survey(2), holdout=without).original.columns

    @pytest.mark.parametrize(
        ("original", "replica", "levels", "note"),
        [
            (lambda st: st, lambda st: st.astype(float), ("0", "1"), ""),
            (
                lambda st: st,
                lambda st: "0" + st.astype(str),
                ("0", "1"),
                "text was read as numbers",
            ),
            (lambda st: "0" + st.astype(str), lambda st: st, ("00", "01"), "read as labels"),
            (lambda st: st.astype(float).astype(str), lambda st: st, ("0.0", "1.0"), "labels"),
            (lambda st: st, lambda st: st == 1, ("0", "1"), "booleans were read as 0 and 1"),
            (lambda st: st == 1, lambda st: st, ("FALSE", "TRUE"), "values were read as booleans"),
            (lambda st: st == 1, lambda st: (st == 1).astype(str), ("FALSE", "TRUE"), "booleans"),
            (lambda st: st - 9, lambda st: (st - 9).astype(str), ("-9", "-8"), "read as numbers"),
        ],
    )
    def test_strata_in_another_type_are_brought_to_the_originals(
        self, original: Any, replica: Any, levels: tuple[str, ...], note: str
    ) -> None:
        own, other = survey(), survey(2)
        result = study(other.assign(st=replica(other["st"])), own.assign(st=original(own["st"])))
        read = harmonise(result.original, result.replicas["one"], variables=["st"])
        variable = read.variables["st"]
        assert variable.levels == levels
        assert variable.kind is not Kind.NUMBER
        np.testing.assert_array_equal(variable.codes[0], own["st"])
        np.testing.assert_array_equal(variable.codes[1], other["st"])
        notes = [fix.what for fix in read.fixes if fix.column == "st"]
        assert any(note in what for what in notes) if note else not notes

    def test_strata_that_do_not_fit_are_refused_as_other_columns_are(self) -> None:
        other = survey(2)
        result = study(other.assign(st="x" + other["st"].astype(str)))
        with pytest.raises(ColumnError, match="'st' holds numbers in original but text or labels"):
            sdc.conduct(result)

    def test_an_earlier_file_in_other_words_leaves_strata_categories(self) -> None:
        words = survey(4).assign(st=survey(4)["st"].map({0: "a", 1: "b"}))
        numbers = survey(5).assign(st=survey(5)["st"].map({0: "00", 1: "01"}))
        result = study(survey(2), earlier_files=[words, numbers])
        read = harmonise(
            result.original,
            [*result.replicas["one"], *result.earlier_files],
            variables=["st"],
        )
        assert read.variables["st"].levels == ("0", "1", "a", "b")

    def test_missing_codes_of_strata_are_levels(self) -> None:
        own, other = survey().replace({"st": {1: -9}}), survey(2).replace({"st": {1: -9}})
        result = study(other, own, missing_codes={"st": -9})
        assert result.options.missing_codes == {}
        read = harmonise(result.original, result.replicas["one"], variables=["st"])
        assert read.variables["st"].levels == ("-9", "0")

    def test_are_variables_where_they_are_keys_or_named_as_variables(self) -> None:
        as_key = study(survey(2), keys=["sex", "st"])
        assert "st" in as_key.original.columns
        assert as_key.options.variables is None
        chosen = study(survey(2), variables=["sex", "w"])
        assert chosen.options.variables == ("sex", "w")

    def test_are_in_a_model_that_names_them_and_nowhere_else(self) -> None:
        result = study(survey(2).drop(columns="st"), models=["age ~ w"], targets=None)
        review = sdc.conduct(result)
        assert result.scenarios[0].targets == ("ill",)
        assert set(review.variables) == {"sex", "age", "ill"}
        (fit,) = review.fits.values()
        assert "w" in fit.coefficients.index

    def test_of_a_file_are_read(self, tmp_path: Path) -> None:
        survey().to_csv(tmp_path / "o.csv", index=False)
        survey(2).to_csv(tmp_path / "s.csv", index=False)
        text = (
            '[data]\noriginal = "o.csv"\n[data.replicas]\none = "s.csv"\n[roles]\nkeys = ["sex"]\n'
            '[sample]\nweight = "w"\nhousehold = "home"\npopulation_size = 9000\n'
        )
        (tmp_path / "s.toml").write_text(text, encoding="utf-8")
        study = sdc.read_study(tmp_path / "s.toml")
        assert study.sample is not None
        assert study.sample.columns == {"weight": "w", "household": "home"}
        assert study.options.population_size == 9_000
        assert "w" not in study.original.columns


class TestWrongSamples:
    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"w": 0}, "240 of 240 weights are zero"),
            ({"w": -1.0}, "are negative"),
            ({"w": [np.nan] * 3 + [1.0] * 237}, "3 of 240 weights are missing"),
            ({"w": "many"}, "expected weights, numbers above 0"),
            ({"id": 1}, "1 person is in more than one household"),
            ({"cl": survey()["st"]}, "every stratum has a single cluster"),
        ],
    )
    def test_are_refused_with_the_column_and_what_to_do(
        self, change: dict[str, Any], words: str
    ) -> None:
        with pytest.raises((ColumnError, StudyError), match=words):
            study(original=survey().assign(**change))

    @pytest.mark.parametrize(
        ("sample", "words"),
        [
            ({"weight": "ww"}, "sample: weight 'ww' is not a column of original. Did you mean 'w'"),
            ({"wheight": "w"}, "unknown entry"),
            ({}, "at least one of weight"),
            ({"weight": "w", "household": "w"}, "has two roles"),
            ({"weight": "w", "population_size": 10}, "at least the 240 records"),
            ({"population_size": 1}, "at least the 240 records"),
            ({"population_size": 0}, "expected a number above 0"),
            ({"weight": "w", "synthetic_weight": "v"}, "'v' is a column of no replica"),
            ("w", "sample: expected a mapping by text but got str"),
            (
                {"population_size": -3},
                "sample: population_size: expected a number above 0, or the name of a column",
            ),
        ],
    )
    def test_of_wrong_entries_are_refused(self, sample: Any, words: str) -> None:
        with pytest.raises((ColumnError, StudyError), match=words):
            study(sample=sample)

    def test_a_stratum_of_one_cluster_is_refused_unless_the_study_says_what_to_do(self) -> None:
        alone = survey().assign(st=[9] * 12 + [*survey()["st"][12:]])
        with pytest.raises(StudyError, match="'st': 1 stratum has a single cluster"):
            study(original=alone)
        result = study(original=alone, sample={**ROLES, "lonely": "adjust"})
        assert result.sample is not None
        assert result.sample.design.degrees_of_freedom == 17

    def test_people_per_stratum_are_read_from_a_column(self) -> None:
        known = survey().assign(people=np.where(survey()["st"] == 0, 4_000, 5_000))
        result = study(original=known, sample={**ROLES, "population_size": "people"})
        assert result.sample is not None
        assert result.sample.people == 9_000
        assert "people" not in result.original.columns
        assert result.options.population_size is None
        whole = study(original=known.assign(people=7_000), sample={"population_size": "people"})
        assert whole.sample is not None
        assert whole.sample.people == 7_000
        with pytest.raises(ColumnError, match="'people': expected one number of people for each"):
            study(original=known, sample={"population_size": "people"})

    def test_two_populations_are_refused(self) -> None:
        with pytest.raises(StudyError, match="different numbers"):
            study(sample=ROLES | {"population_size": 900}, population_size=901)

    def test_what_is_odd_but_usable_is_listed_with_the_review(self) -> None:
        odd = survey().assign(w=0.5, home=[None, *survey()["home"][1:]])
        fixes = [str(fix) for _, fix in sdc.conduct(study(original=odd)).fixes]
        assert [fix for fix in fixes if "all weights are equal" in fix]
        assert [fix for fix in fixes if "1 record without a household" in fix]
        assert [fix for fix in fixes if "fewer people than the file has records" in fix]
        apart = survey().assign(home=np.arange(240) % 80)
        fixes = [str(fix) for _, fix in sdc.conduct(study(original=apart)).fixes]
        assert [fix for fix in fixes if "80 households in more than one cluster" in fix]


class TestTheCheck:
    def test_says_which_columns_have_a_role_and_where_they_are_compared(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        show_check(study(survey(2), keys=["sex", "st"], models=["age ~ w"]))
        out = " ".join(capsys.readouterr().out.split())
        assert "sample: weight w, strata st, cluster cl, household home, person id" in out
        assert "column w: only where the study names it" in out
        assert "column st: compared like any other column" in out
        assert "column cl: in no table, distance, model or set of keys" in out
        assert "replica one: its own weights, w" in out

    def test_says_which_replicas_lack_what_was_drawn_together(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        words = "it has no column cl, so survey measures take its records to be drawn one by one"
        show_check(study(survey(2)))
        assert "survey measures" not in " ".join(capsys.readouterr().out.split())
        show_check(study(survey(2).drop(columns="cl")))
        assert f"replica one: {words}" in " ".join(capsys.readouterr().out.split())

    def test_says_what_the_weights_of_replicas_are(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        show_check(study())
        assert "replica one: no weights of its own" in " ".join(capsys.readouterr().out.split())
        show_check(study(survey(2).assign(w=-1.0)))
        out = " ".join(capsys.readouterr().out.split())
        assert "replica one is not compared with weights" in out
        assert "240 of 240 weights are negative" in out


def test_nothing_is_said_of_a_sample_where_all_records_are_read() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2]})
    study = sdc.Study(frame, {"r": frame}, keys=["a"], targets=["b"])
    assert said_of_records(study, "It") == ""


def test_of_too_many_records_a_sample_is_named_or_they_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("o", "r"):  # a folder is counted in batches
        (tmp_path / name).mkdir()
        survey().to_parquet(tmp_path / name / "part.parquet", index=False)

    def sentence(size: int) -> str:
        replicas = {"r": tmp_path / "r"}
        given = sdc.Study(tmp_path / "o", replicas, keys=["sex"], targets=["ill"], sample_size=size)
        return said_of_records(given, "It")

    assert sentence(50) == sentence(0) == ""
    monkeypatch.setattr(large, "MOST_READ", 100)
    assert sentence(50) == "It is of 50 records of each data set, drawn at random (seed 1)."
    with pytest.raises(StudyError, match="It needs records in memory"):
        sentence(0)


class TestDots:
    """What a dot in a formula stands for: no weight, and no one who was drawn together."""

    def terms(self, model: str = "age ~ .", **given: Any) -> list[list[str]]:
        review = sdc.conduct(study(survey(2), models=[model], rules=["w > cl"], **given))
        fits = [fit for kind in (FIT, SAMPLED_FIT) for fit in review.evidence.of(kind).values()]
        of_file, (of_sample,) = fits
        tables = (of_file.coefficients, of_sample.coefficients)
        return [list(table.index) for table in tables]

    def test_leaves_out_the_design_but_its_strata(self) -> None:
        expected = ["(Intercept)", "sexm", "illyes", "st1"]
        assert self.terms() == [expected, expected]

    def test_what_is_named_is_in_the_model(self) -> None:
        expected = ["(Intercept)", "w", "cl"]
        assert self.terms("age ~ w + cl") == [expected, expected]

    def test_is_the_same_of_the_function(self) -> None:
        of = sdc.survey_overlap(
            survey()[["age", "sex", "w", "st", "cl"]], survey(2), formula="age ~ .", weight="w",
            strata="st", cluster="cl", synthetic_weight="w",
        )  # fmt: skip
        assert list(of.coefficients.index) == ["(Intercept)", "sexm", "st"]
