"""What commands print of results, each made by hand."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli import check, compared, explain, models, program, remedies, sample, tables
from sdcmetrics.cli.headings import decision_lines
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.reference_values import ITSELF
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.report.safety.names import Names
from sdcmetrics.review.pairs import pairs_of

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _a_pipe_of_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def said(capsys: Printed) -> str:
    return " ".join(capsys.readouterr().out.split())


def rows(capsys: Printed) -> list[list[str]]:
    return [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]


class TestTables:
    def frame(self, n: int) -> pd.DataFrame:
        values = np.arange(n, dtype=float)
        index = pd.Index([f"t{i:02}" for i in range(n)], name="variables")
        return pd.DataFrame(dict.fromkeys(tables._UTILITY, values), index=index)

    def test_the_worst_tables_come_first_and_the_mean_is_of_all(self, capsys: Printed) -> None:
        tables.show_utility(self.frame(25), None)
        lines = rows(capsys)
        assert [line[0] for line in lines[2:27]] == [f"t{i:02}" for i in range(24, -1, -1)]
        whole = " ".join(" ".join(line) for line in lines)
        assert "mean S_pMSE 12 (1 + n_synthetic / n_original" in whole
        assert "the worst" not in whole
        assert "degrees of freedom" not in whole

    def test_of_more_than_a_screen_the_rest_is_counted(
        self, capsys: Printed, tmp_path: Path
    ) -> None:
        frame = self.frame(26)
        frame.iloc[3, 0] = np.nan
        tables.show_utility(frame, None)
        whole = said(capsys)
        assert "t01 " in whole
        assert "t03 " not in whole  # without a value it comes last
        assert "the worst 25 of 26 tables; --csv FILE saves them all" in whole
        assert "-: the table has one non-empty cell" in whole
        tables.show_utility(frame, tmp_path / "x.csv")
        where = f"of 26 tables; saved to {tmp_path / 'x.csv'}"
        assert where in capsys.readouterr().out.replace("\n", "")
        assert len(pd.read_csv(tmp_path / "x.csv")) == 26

    @pytest.mark.parametrize("unanimous", [True, False])
    def test_a_target_is_a_row_under_the_names_of_measures(
        self, capsys: Printed, *, unanimous: bool
    ) -> None:
        names = ["UiO", "repU", "Dorig", "DiSCO", "baseCAPd", "DCAPd", "CAPd", "TCAP"]
        values = [np.arange(1.0, 9.0), np.arange(11.0, 19.0)]
        frame = pd.DataFrame(values, columns=names, index=["income", "vote"])
        if not unanimous:
            frame.loc["vote", "TCAP"] = np.nan
        tables.show_disclosure(frame, None)
        lines = rows(capsys)
        whole = " ".join(" ".join(line) for line in lines)
        assert "identity: 1 % of original records are unique by these keys (UiO); 2 %" in whole
        heads = ["target", "Dorig", "DiSCO", "baseCAPd", "DCAP", "CAPd", "TCAP_certain"]
        assert heads in lines
        assert ["income", "3", "4", "5", "6", "7", "8"] in lines
        assert ("-: no key combination of the original is unanimous" in whole) is not unanimous

    @pytest.mark.parametrize("aside", [True, False])
    def test_fidelity_shows_a_holdout_where_there_is_one(
        self, capsys: Printed, *, aside: bool
    ) -> None:
        frame = pd.DataFrame({"g": list("ab" * 9), "h": list("aabb" * 4 + "ab"), "k": range(18)})
        other = frame.assign(h=frame["h"].to_numpy()[::-1])
        held = frame.sample(9, random_state=1) if aside else None
        result = sdc.marginal_fidelity(frame, other, holdout=held)
        judged: Any = SimpleNamespace(ok=True, problems=()) if aside else None
        tables.show_fidelity(result, judged, None)
        whole = said(capsys)
        assert ("holdout_tvd fresh_tvd ratio" in whole) is aside
        assert ("nothing speaks against a random part" in whole) is aside
        worst = result.tables.nlargest(10, "tvd")["variables"].map(" x ".join)
        assert whole.index(worst.iloc[0]) <= whole.index(worst.iloc[-1])
        counts = result["n_tables"]
        assert f"{counts.index[0]} ({counts.iloc[0]:.0f})" in whole

    def test_objections_to_a_holdout_stand_alone(self, capsys: Printed) -> None:
        tables.say_holdout(SimpleNamespace(ok=False, problems=("one", "two")))  # type: ignore[arg-type]
        assert capsys.readouterr().out == "holdout: one\nholdout: two\n"


class TestModels:
    def test_each_statistic_is_a_line_and_fifteen_variables_are_shown(
        self, capsys: Printed
    ) -> None:
        each = pd.DataFrame(
            {name: [float(i), 100.0 + i] for i, name in enumerate(models._STATISTICS)},
            index=pd.Index([1, 2], name="synthesis"),
        )
        by = pd.DataFrame({"share": np.arange(16.0)}, index=[f"v{i:02}" for i in range(16)])
        result: Any = SimpleNamespace(
            per_synthesis=each, by_variable=by, resampling="perm", notes=("careful",), seed=7,
            fixes=(),
        )  # fmt: skip
        models.show_propensity(result, None)
        lines = rows(capsys)
        assert lines[0] == ["synthesis", "1", "synthesis", "2"]
        assert ["pMSE", "0", "100"] in lines
        assert ["v14", "14"] in lines
        assert ["v15", "15"] not in lines
        assert ["note:", "careful"] in lines
        assert ["seed", "7"] in lines
        result.seed = None
        models.show_propensity(result, None)
        assert "seed" not in said(capsys)

    @pytest.mark.parametrize("syntheses", [1, 2])
    def test_predictions_say_which_synthesis_where_there_are_several(
        self, capsys: Printed, syntheses: int
    ) -> None:
        figures = {
            name: float(i)
            for i, name in enumerate(["TSTR", "TRTR", "baseline", *models._GAPS], start=1)
        }
        row = {
            "target": "vote", "learner": "tree", "synthesis": 1, "score": "AUC", "n_test": 1000,
            "n_training": 50, "note": "", **figures,
        }  # fmt: skip
        none = row | {"synthesis": syntheses, "score": "", "note": "one class"}
        result: Any = SimpleNamespace(table=pd.DataFrame([row, none]), seed=3, fixes=())
        models.show_prediction(result, None)
        whole = said(capsys)
        assert ("vote by tree, synthesis 2" in whole) is (syntheses == 2)
        assert "AUC, tested on 1,000 records, of 50: learnt from the replica 1, from" in whole
        assert "original 2, a guess 3 difference 4 (5 to 6 for these two models), p 7" in whole
        assert "half of the original 8; two halves differ by 9" in whole
        assert whole.count("tested on") == 1
        assert whole.count("note:") == 1
        assert "note: one class" in whole

    def fit(self, **changed: Any) -> Any:
        table = pd.DataFrame(
            {"estimate": [0.5, 1.5], "se": 1.0, "z": 2.0, "p_value": 0.25, "flag": ["", "odd"]},
            index=pd.Index(["(Intercept)", "x"], name="term"),
        )
        given = {
            "formula": "y ~ x", "family": "gaussian", "population_inference": False,
            "n_original": 1200, "coefficients": table, "problems": (), "fixes": (),
            "per_synthesis": pd.concat({1: table, 2: table * 1}, names=["synthesis"]),
        }  # fmt: skip
        return SimpleNamespace(**(given | changed))

    def test_a_replica_alone_is_fitted_in_words(self, capsys: Printed) -> None:
        models.show_synthetic_fit(self.fit(), None, by_synthesis=False, assumed=True)
        whole = said(capsys)
        assert "y ~ x (gaussian) standard errors as expected of the original; 1,200" in whole
        assert "taken to be as many as in a synthesis (--n-original)" in whole
        assert "x: odd" in whole
        assert whole.count("(Intercept)") == 1
        assert "fix" not in whole
        changed = {"population_inference": True, "problems": ("p",), "fixes": ("f",)}
        models.show_synthetic_fit(self.fit(**changed), None, by_synthesis=True, assumed=False)
        whole = said(capsys)
        assert "standard errors for the population; 1,200 records in the original syn" in whole
        assert whole.count("(Intercept)") == 2
        assert "synthesis 2, standard errors of its own fit" in whole
        assert "note: p 1 fix made to compare" in whole


class TestWeighted:
    @pytest.mark.parametrize(("n", "kish"), [(25, None), (26, 1.25)])
    def test_a_design_is_said_and_more_than_a_screen_is_counted(
        self, capsys: Printed, n: int, kish: float | None
    ) -> None:
        table = pd.DataFrame({"z": np.arange(float(n))}, index=[f"r{i:02}" for i in range(n)])
        result: Any = SimpleNamespace(degrees_of_freedom=1234, fixes=())
        if kish is not None:
            result.kish = kish
        sample._show(result, table, table[::-1], ["z"], None)
        whole = said(capsys)
        assert "degrees of freedom 1,234" in whole
        assert ("design effect of unequal weights alone 1.25" in whole) is (kish is not None)
        assert ("the worst 25 of 26 rows; --csv FILE saves them all" in whole) is (n == 26)
        assert ("r00" in whole) is (n == 25)


class TestRemedies:
    def row(self, **changed: Any) -> Any:
        given = {
            "replica": "one", "synthesis": 2, "copied": False, "unique": False, "alone_by": "",
            "learnt": "", "replica_records": (4,), "action": "drop", "key": "",
        }  # fmt: skip
        return SimpleNamespace(**(given | changed))

    def test_reasons_and_steps_are_sentences(self) -> None:
        why = remedies._why
        assert why(self.row()) == ""
        assert why(self.row(copied=True)) == "every value is the same"
        assert why(self.row(unique=True)) == "alone in both"
        every = self.row(copied=True, unique=True, alone_by="age", learnt="vote")
        assert why(every) == "every value is the same; alone in both by age; gives away vote"
        files = [SimpleNamespace(source=name) for name in ("a.csv", "b.csv")]
        study: Any = SimpleNamespace(replicas={"one": files})
        do = remedies._do
        assert do(study, self.row()) == "drop record 4 of b.csv"
        assert do(study, self.row(replica_records=(4, 5))) == "drop records 4, 5 of b.csv"
        some = self.row(synthesis=1, replica_records=(4, 5, 6), action="blank", key="age")
        assert do(study, some) == "blank age in records 4, 5, 6 of a.csv"
        assert do(study, self.row(replica_records=(4, 5, 6, 7, 8))) == (
            "drop records 4, 5, 6 and 2 more of b.csv"
        )

    @pytest.mark.parametrize(
        ("sections", "cache", "with_holdout"),
        [((), None, False), (("attacks",), None, True), ((), Path("kept"), True)],
    )
    def test_the_holdout_is_measured_where_attacks_or_a_finished_review_are_beside_it(
        self,
        sections: tuple[str, ...],
        cache: Path | None,
        with_holdout: bool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        options: dict[str, Any] = {}
        study, table = (
            SimpleNamespace(sections=sections),
            pd.DataFrame({"record": [], "replica": []}),
        )
        result = SimpleNamespace(
            table=table, notes=(), beyond_remedy=(), effect=table[:0], coarser=table[:0]
        )
        monkeypatch.setattr(remedies, "study_of", lambda _: (Path("s.toml"), cache))
        monkeypatch.setattr(remedies, "read_study", lambda *_, **__: study)
        monkeypatch.setattr(remedies, "conduct", lambda _, **given: options.update(given))
        monkeypatch.setattr(remedies, "remedied_of", lambda *_: result)
        remedies.show_remedies(Path("s.toml"), None, None, None)
        assert options == {
            "progress": None, "cache": cache, "holdout": with_holdout,
            "reference_values": cache is not None,
        }  # fmt: skip

    def test_the_most_exposed_of_each_replica_come_first(self, capsys: Printed) -> None:
        n = 30
        table = pd.DataFrame(
            {
                "replica": ["a"] * n + ["b"] * 2, "record": [*range(n), 1, 2], "synthesis": 1,
                "scenario": "s", "copied": [False] * (n - 1) + [True] + [False] * 2,
                "unique": True, "alone_by": "", "learnt": [""] * (n - 2) + ["v, w", ""] + [""] * 2,
                "replica_records": [(7,)] * (n + 2), "action": "drop", "key": "",
            }
        )  # fmt: skip
        file = SimpleNamespace(source="f.csv")
        study: Any = SimpleNamespace(
            replicas={"a": [file], "b": [file]}, original=SimpleNamespace(source="o.csv", n=3000)
        )
        result: Any = SimpleNamespace(table=table, beyond_remedy=("b",))
        remedies._print_people(study, result)
        printed = capsys.readouterr().out
        whole = " ".join(printed.split())
        assert "30 of 3,000 records of o.csv are listed" in whole
        assert "The first of 30 rows; --csv saves all." in whole
        lines = [line.split()[0] for line in printed.splitlines() if "f.csv" in line]
        assert lines[:3] == ["29", "28", "0"]
        assert len(lines) == 20
        assert "too many to be blanked" not in whole
        result.beyond_remedy = ()
        study.original.n = 2999  # 1 % of them are 29.99
        remedies._print_people(study, result)
        printed = capsys.readouterr().out
        assert len([line for line in printed.splitlines() if "drop record" in line]) == 12
        assert "a: 1 % of the records of o.csv are too many to be blanked" in printed
        study.original.n = 40
        remedies._print_people(study, result)
        assert "a: 75 % of the records of o.csv are too many" in capsys.readouterr().out
        study.original.n = 2999
        remedies._print_people(study, SimpleNamespace(table=table[:5], beyond_remedy=()))  # type: ignore[arg-type]
        printed = capsys.readouterr().out
        assert "5 of 2,999 records" in printed
        assert "The first of" not in printed  # all are shown
        remedies._print_people(study, SimpleNamespace(table=table[:0], beyond_remedy=()))  # type: ignore[arg-type]
        assert capsys.readouterr().out == ""

    def test_what_would_be_left_is_a_table_where_there_is_any(self, capsys: Printed) -> None:
        remedies._print_effect(pd.DataFrame())
        remedies._print_coarser(pd.DataFrame(), SimpleNamespace(holdout=None))  # type: ignore[arg-type]
        assert capsys.readouterr().out == ""
        names = ["k", "unique", "repU", "DiSCO", "outsiders"]
        index = dict(zip(["replica", "scenario", "coarsen", "target"], "abcd", strict=True))
        values = {f"{name}{end}": 1.0 for name in names for end in ("", "_after")}
        for holdout in (None, "held"):
            given: Any = SimpleNamespace(holdout=holdout)
            remedies._print_coarser(pd.DataFrame([index | values]), given)
            assert ("of holdout" in said(capsys)) is (holdout is not None)


class TestWords:
    def test_a_measure_is_explained_with_all_that_is_declared(self, capsys: Printed) -> None:
        explain.show_metric("DiSCO")
        whole = said(capsys)
        measure = MEASURES["DiSCO"]
        assert f"DiSCO: {measure.title} ({measure.family})" in whole
        assert f"range {measure.range}, {measure.unit}; lower is better" in whole
        assert measure.twin is not None
        assert f"synthpop equals {measure.twin.words}" in whole
        assert measure.reference_values is not None
        assert measure.reference_values.words.split(".")[0] in whole
        with pytest.raises(StudyError, match="'sdcmetrics explain' lists all"):
            explain.show_metric("none")

    def test_p_values_warn_of_households_and_other_numbers_do_not(self, capsys: Printed) -> None:
        for symbol, warned in (("mmd_p", True), ("df", False)):
            explain.show_metric(symbol)
            assert ("takes records to be independent" in said(capsys)) is warned

    def test_a_copy_is_told_by_its_number_or_by_what_it_has(self) -> None:
        for copy, words in (
            (0.5, "a verbatim copy has 0.5. So."),
            ("Dorig", "a verbatim copy has Dorig. So."),
            (ITSELF, "So."),
            (None, "So."),
        ):
            given: Any = SimpleNamespace(copy=copy, words="So.")
            assert explain._copy(given) == words

    def test_every_measure_and_profile_is_listed_once(self, capsys: Printed) -> None:
        explain.show_metrics()
        lines = capsys.readouterr().out.splitlines()
        families = [*dict.fromkeys(measure.family for measure in MEASURES.values())]
        assert [line for line in lines if line and not line.startswith("  ")] == families
        listed = "\n".join(lines).split("\n\n")
        for family, block in zip(families, listed, strict=True):
            symbols = [line.split()[0] for line in block.splitlines()[1:]]
            assert symbols == [name for name, m in MEASURES.items() if m.family == family]
        explain.show_profiles()
        assert any(line.startswith("default") for line in capsys.readouterr().out.splitlines())

    def test_a_field_without_text_has_a_hyphen(self) -> None:
        assert explain._field("source", "") == ["source     -"]
        long = explain._field("limits", "word " * 40)
        assert long[0].startswith("limits     word")
        assert long[1].startswith(" " * 11 + "word")

    def test_answers_are_lined_up_and_reasons_stand_below(self) -> None:
        def decision(name: str) -> Any:
            because = SimpleNamespace(because=("why",)), SimpleNamespace(because=())
            return SimpleNamespace(replica=name, words="said", risk=because[0], utility=because[1])

        both = [decision("a"), decision("long")]
        assert [*decision_lines(both, quiet=True)] == ["  a     said", "  long  said"]
        assert [*decision_lines(both)][1] == "          why"
        for letters, width in ((30, 30), (40, 30), (29, 29)):
            (line,) = decision_lines([decision("x" * letters)], quiet=True)
            assert line.index("said") == 2 + width + 2
        assert [*decision_lines([])] == []

    def test_a_long_reason_stands_whole(self) -> None:
        reason = "; ".join(f"a_column_of_the_survey by another_{i}" for i in range(30))
        because = SimpleNamespace(because=(reason,)), SimpleNamespace(because=())
        long = SimpleNamespace(replica="a", words="said", risk=because[0], utility=because[1])
        assert len(reason) > 1000
        assert [*decision_lines([long])][1].strip() == reason


class TestCheck:
    def study(self, frame: pd.DataFrame, other: pd.DataFrame, **said: Any) -> sdc.Study:
        return sdc.Study(frame, {"one": other}, keys=["g"], **said)

    def frame(self, n: int = 40) -> pd.DataFrame:
        rng = np.random.default_rng(1)
        return pd.DataFrame(
            {
                "g": rng.choice(list("abc"), n), "f": rng.random(n) < 0.5,
                "x": rng.normal(size=n), "k": np.arange(n) % 37 * 1000.0,
                "d": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n) % 4, "D"),
                "c": rng.integers(1, 5, n),
            }
        )  # fmt: skip

    def test_columns_are_described_by_their_values(self) -> None:
        frame = self.frame()
        frame.loc[:2, "k"] = -8
        frame.loc[3, "k"] = np.nan
        given = self.study(frame, frame, missing_codes={"k": [-8]})
        variables = pairs_of(given)["one"].data.variables
        words = {name: compared._described(given, v) for name, v in variables.items()}
        assert words["g"] == "3 levels"
        assert words["f"] == "2 levels"
        assert words["d"] == "4 dates"
        groups = f"in utility tables in {given.options.ngroups} groups at most"
        assert words["x"] == f"40 numbers, {groups}"
        assert words["k"] == f"36 whole numbers, {groups}"
        codes = 'codes? Then say kinds = { c = "category" } in [read]'
        assert words["c"] == f"4 whole numbers, {groups}; {codes}"
        (line,) = [line for line in compared._as_read(given, variables) if "missing: code" in line]
        assert line == "missing: code -8 of k, by [missing_codes]: 3 original records, a level of their own"  # noqa: E501  # fmt: skip

    def test_of_more_than_thirty_columns_only_those_that_may_be_codes_have_a_line(
        self, capsys: Printed
    ) -> None:
        frame = self.frame()[["g", "c"]]
        for width, shown in ((28, True), (29, False)):
            wide = frame.assign(**{f"v{i:02}": frame["g"] for i in range(width)})
            given = self.study(wide, wide)
            compared.print_columns(given, pairs_of(given)["one"])
            whole = said(capsys)
            assert f"columns compared: {width + 2} (" in whole
            assert f"{width + 1} of kind category" in whole
            assert ("v00" in whole) is shown
            assert "codes?" in whole

    def test_a_weight_by_its_name_is_asked_about_unless_there_is_one(self) -> None:
        frame = self.frame().assign(weight=1.0)
        given: Any = SimpleNamespace(original=sdc.Study(frame, {"a": frame}, keys=["g"]).original)
        for roles, asked in (
            (None, True),
            ({"weight": "weight"}, False),
            ({"household": "g"}, True),
        ):
            weight = None if roles is None else roles.get("weight")
            given.sample = None if roles is None else SimpleNamespace(columns=roles, weight=weight)
            lines = [*compared._as_read(given, {})]
            assert any("weight looks like one by its name" in line for line in lines) is asked

    def test_a_source_that_begins_with_the_name_is_not_said_twice(self) -> None:
        names = Names()
        data: Any = SimpleNamespace(source="one.csv")
        assert check._label(names, "one", data) == "one.csv"
        assert check._label(names, "two", data) == "two: one.csv"

    def test_roles_are_said_with_where_they_are_compared(self) -> None:
        frame = self.frame().assign(w=2.0, h=np.arange(40))
        given = sdc.Study(
            frame,
            {"own": frame, "none": frame.drop(columns="w")},
            keys=["g"],
            variables=["g", "x", "h"],
            sample={"weight": "w", "household": "h", "population_size": 8000},
        )
        assert isinstance(given.sample, Sample)
        lines = [*check._in_words(given.sample, given)]
        assert lines[0] == "weight w, household h, population_size 8,000"
        assert "column h: compared like any other column, as the study names it as a variable" in lines  # noqa: E501  # fmt: skip
        assert any(line.startswith("replica own: its own weights, ") for line in lines)
        assert "replica none: no weights of its own, so each of its records counts once" in lines
        alone = replace(given.sample, weight=None)
        assert not [line for line in check._in_words(alone, given) if line.startswith("replica")]

    @pytest.mark.parametrize(
        ("left", "options", "words"),
        [
            ((), {}, "compared like any other column, as all files have it"),
            (("none",), {}, "as none lacks it"),
            (("own", "none"), {}, "as own, none lack it"),
            ((), {"variables": ["g", "x"]}, "as nothing else names it"),
        ],
    )
    def test_of_strata_it_is_stated_which_files_lack_them(
        self, left: tuple[str, ...], options: dict[str, Any], words: str
    ) -> None:
        frame = self.frame().assign(s=np.arange(40) % 2)
        replicas = {
            name: frame.drop(columns="s") if name in left else frame for name in ("own", "none")
        }
        given = sdc.Study(frame, replicas, keys=["g"], sample={"strata": "s"}, **options)
        assert isinstance(given.sample, Sample)
        (line,) = (x for x in check._in_words(given.sample, given) if x.startswith("column s: "))
        assert line.endswith(words)


class TestFaults:
    @pytest.mark.parametrize(
        ("error", "code", "words"),
        [
            (BrokenPipeError(), 141, "the output was cut off"),
            (OSError(errno.ENOSPC, "No space left on device"), 3, "No space left on device. Make"),
            (OSError(errno.EDQUOT, "Quota"), 3, "Quota. Make room"),
            (MemoryError(), 3, "there is too little memory"),
            (OSError(errno.ENOMEM, "x"), 3, "there is too little memory"),
            (RuntimeError("std::bad_alloc"), 3, "there is too little memory"),
            (RuntimeError("can't start new thread"), 3, "there is too little memory"),
            (
                OSError(errno.EACCES, "Denied", "secret.csv"),
                5,
                "unforeseen PermissionError (Denied)",
            ),
            (OSError(errno.EIO, "Broken"), 5, "unforeseen OSError (Broken)"),
            (ValueError("secret"), 5, "unforeseen ValueError at "),
        ],
    )
    def test_what_nobody_foresaw_is_a_sentence_without_data(
        self, capsys: Printed, error: Exception, code: int, words: str
    ) -> None:
        with pytest.raises(SystemExit) as caught:
            program._stop_unforeseen(error)
        assert caught.value.code == code
        err = capsys.readouterr().err
        assert words in err
        assert "secret" not in err

    def test_a_place_is_the_last_line_here_and_the_last_of_all(self) -> None:
        with pytest.raises(KeyError) as caught:
            {}["none"]
        assert program._place(caught.value).startswith("at test_shown.py:")
        with pytest.raises(AttributeError) as raised:
            explain._wrap(None)  # type: ignore[arg-type]
        assert program._place(raised.value).startswith("at explain.py:")
        assert ", textwrap.py:" in program._place(raised.value)

    def test_a_message_of_lines_is_a_line_each(self, capsys: Printed) -> None:
        with pytest.raises(SystemExit) as caught:
            program._stop("one\ntwo", 3)
        assert caught.value.code == 3
        assert capsys.readouterr().err == "sdcmetrics: one\nsdcmetrics: two\n"
        with pytest.raises(SystemExit):
            program._stop("", 3)
        assert capsys.readouterr().err == "sdcmetrics: \n"
