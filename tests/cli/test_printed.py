"""What commands print of distances, rules, rankings and ledgers: lines by hand."""

from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace as With
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.cli import (
    attacks,
    closest_record,
    compared,
    explain,
    finished_reviews,
    ledger,
    program,
    ranking,
    rules,
)
from sdcmetrics.cli.release import _exit_code
from sdcmetrics.decision.status import Status
from sdcmetrics.measures.closeness.shares import ClosestRecords
from sdcmetrics.measures.homogeneity.rows_together import EQUAL_VALUES
from sdcmetrics.measures.registry import MEASURES

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def said(capsys: Printed) -> list[str]:
    """Return the lines that were printed, with one space between words."""
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines() if line.strip()]


def closest() -> ClosestRecords:
    none = np.zeros(4, dtype=bool)
    sides = np.array([0.0, 1, 2, 3]), np.array([1.0, 1, 2, 2])
    return ClosestRecords(*sides, 300, 100, none, none)


def distances(**given: Any) -> Any:
    """Return a result of distances to closest records, as far as it is printed."""
    columns = [f"c{i}" for i in range(12)]
    return With(
        **{
            "to_dict": dict, "sizes": (3000, 4, 1000), "mode": "", "distance": "hamming",
            "effective_columns": 11, "columns": columns, "closest": closest(),
            "baseline": closest(), "margin": 3.0, "seed": 7, "seconds": 1.25, "fixes": (),
            "notes": ("few records",), "limits": ("not of households",),
            "permutation": With(
                permutations=999, reached=True, mean=0.75, sd=0.02, z=3.5, p_value=0.004
            ),
            "copied": With(permutation=With(observed=0.875)),
            "identical": With(training=12, holdout=1, expected=9.75, p_value=1e-13),
            "singled_out": With(training=2, holdout=3, expected=3.75, p_value=1e-12),
            "by_column": pd.DataFrame(
                {"training": 0.5, "holdout": 0.25, "difference": 0.25}, index=columns
            ),
        } | given
    )  # fmt: skip


class TestClosestRecord:
    def test_figures_stand_beside_those_of_the_holdout(self, capsys: Printed) -> None:
        closest_record.show_closest_record(distances(), None)
        lines = said(capsys)
        assert lines[0] == (
            "hamming distance, 11 of 12 columns vary; 3,000 training, 4 synthetic, 1,000 holdout "
            "records"
        )
        # one is closer, two are equal, of which three in four count, one is further
        for name in ("synthetic", "holdout itself"):
            assert f"{name} 0.625 1 2 1 1.5 1.5" in lines
        assert (
            "by chance the share is 0.75 with standard deviation 0.02: z 3.5, one-sided p 0.004 "
            "(closer to the training data; 999 permutations)"
        ) in lines
        assert (
            "a verbatim copy of the training data has a share of 0.875, the holdout 0.75"
        ) in lines
        assert "equal to a synthetic record 12 1 9.75 < 1e-12" in lines
        assert "singled out by a synthetic record, margin 3 columns 2 3 3.75 1e-12" in lines
        assert "c9 0.5 0.25 0.25" in lines
        assert not any(line.startswith("c10 ") for line in lines)
        assert lines[-5:] == [
            (
                "what each column adds to the distance to the closest records; 2 more columns with "
                "--json"
            ),
            "note: few records",
            "limit: not of households",
            "seed 7; 1.2 s",
            "no fix was needed to compare the data sets",
        ]

    def test_a_bound_of_p_groups_and_a_margin_without_unit(self, capsys: Printed) -> None:
        null = With(permutations=19, reached=False, mean=0.75, sd=0.02, z=3.5, p_value=0.05)
        few = distances().by_column[:10]
        result = distances(
            permutation=null, mode="published", distance="gower", margin=0.12345, by_column=few
        )
        closest_record.show_closest_record(result, None)
        lines = said(capsys)
        assert lines[0].startswith("gower distance, published groups, 11 of 12 columns")
        assert any("one-sided p <= 0.05 (" in line for line in lines)
        assert any("record, margin 0.123 2 3" in line for line in lines)
        assert "what each column adds to the distance to the closest records" in lines

    def test_nothing_is_said_of_permutations_that_were_not_made(self, capsys: Printed) -> None:
        null = With(permutations=0)
        closest_record.show_closest_record(
            distances(permutation=null, copied=With(permutation=None)), None
        )
        assert not any("chance" in line or "verbatim" in line for line in said(capsys))


def outcome(applies: int, broken: int) -> Any:
    return With(original=With(applies=applies, broken=broken), rule=With(text="a < b"))


class TestRules:
    FOUND = pd.DataFrame(
        {"broken_percent": [12.5], "broken": [3], "expected": [20.25]}, index=["a < b"]
    )

    @pytest.mark.parametrize(
        ("applies", "broken", "notes"),
        [
            (5, 0, []),
            (0, 0, ["note: no original record meets the condition of: a < b"]),
            (5, 1234, ["note: 1,234 original records break it themselves: a < b"]),
        ],
    )
    def test_what_the_original_breaks_itself_is_noted(
        self, capsys: Printed, applies: int, broken: int, notes: list[str]
    ) -> None:
        columns = {
            "original_broken_percent": 0.0, "broken_percent": 12.5, "broken": 3, "unknown": 2,
            "severity": np.nan,
        }  # fmt: skip
        check: Any = With(
            table=pd.DataFrame(columns, index=["a < b"]),
            outcomes=[outcome(applies, broken)], fixes=("one",),
        )  # fmt: skip
        rules.show_rules(check, None)
        lines = said(capsys)
        assert "a < b 0 12.5 3 2 -" in lines
        assert [line for line in lines if line.startswith("note:")] == notes
        assert lines[-1] == "- one"

    @pytest.mark.parametrize(("left", "more"), [(0, ""), (1500, "; 1,500 more beyond --limit")])
    def test_relations_that_were_found(self, capsys: Printed, left: int, more: str) -> None:
        result: Any = With(rules=["a < b"], table=self.FOUND, left_out=left, tested=9, fixes=())
        rules.show_rules(None, result)
        lines = said(capsys)
        assert "a < b 12.5 3 20.25" in lines
        assert lines[-2].endswith(f"would break it if its columns were unrelated{more}")

    def test_where_none_is_found_it_is_said_of_how_many(self, capsys: Printed) -> None:
        result: Any = With(rules=[], tested=1234, fixes=())
        rules.show_rules(None, result)
        assert said(capsys)[0] == (
            "1,234 relations were tested: none that the original keeps is broken"
        )

    def test_a_table_goes_to_one_file_and_nothing_is_no_number(self, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        result: Any = With(rules=[], table=self.FOUND[:0], tested=1)
        rules.save_rules(None, result, path, None)
        assert path.read_text() == "rule,broken_percent,broken,expected\n"
        table = pd.DataFrame({"severity": [np.nan]}, index=pd.Index(["a < b"], name="rule"))
        check: Any = With(table=table, per_data_set=table)
        rules.save_rules(check, result, path, None)
        assert path.read_text() == "rule,severity\na < b,\n"
        assert rules._records(table) == [{"rule": "a < b", "severity": None}]


@pytest.mark.parametrize("files", [1, 200, 201])
def test_a_ledger_lists_two_hundred_files(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    file = With(date="2026-11-23", path="a.csv", replica="cart", study="study.toml")
    held = With(files=[file] * files, releases=[1, 2], spent=0.12345, budget=1.0)
    entered = With(ledger=held, secret=Path("study.secret"))
    monkeypatch.setattr(ledger, "read_entered", lambda _: entered)
    assert ledger.status(Path("study.toml")) == 0
    lines = said(capsys)
    number = "1 file" if files == 1 else f"{files} files"
    assert lines[0] == f"study.ledger.json: {number} handed out"
    assert lines[1:-1].count("2026-11-23 a.csv (cart, study.toml)") == min(files, 200)
    assert lines[-1] == "releases of figures: 2, budget spent: mu 0.123 of 1"
    assert (lines[-2] == "and 1 more") is (files == 201)


@pytest.mark.parametrize(("problems", "code"), [((), 0), (("a file is gone",), 1)])
def test_a_ledger_without_faults_is_said_to_be_so(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, problems: tuple[str, ...], code: int
) -> None:
    entered = With(ledger=With(files=[1, 2]), problems=problems)
    monkeypatch.setattr(ledger, "read_entered", lambda _: entered)
    assert ledger.check(Path("study.toml")) == code
    fine = ["2 files handed out, as they were; the original is the one of the ledger"]
    assert said(capsys) == ([*problems] or fine)


@pytest.mark.parametrize(
    ("statuses", "fail_on", "code"),
    [
        ([Status.WITHIN], "risk=unjudged", 0),
        ([Status.WITHIN, Status.NOT_JUDGED], "risk=unjudged", 1),
        ([Status.REVIEW], "risk=fail", 0),
        ([Status.FAIL, Status.WITHIN], "risk=fail", 1),
        ([Status.FAIL], "never", 0),
        ([Status.FAIL], "utility=fail", 0),
        ([], "risk=unjudged", 0),
    ],
)
def test_the_worst_limit_of_an_edition_closes_the_gate(
    statuses: list[Status], fail_on: str, code: int
) -> None:
    assert _exit_code(statuses, fail_on) == code


@pytest.mark.parametrize("alone", [True, False])
def test_a_ranking_is_a_table_and_sentences(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, *, alone: bool
) -> None:
    names = ("b",) if alone else ("b", "a")
    monkeypatch.setattr(ranking.sentences, "winner", lambda _: ("a is first.",))
    monkeypatch.setattr(ranking.sentences, "how_sure", lambda _: [("By a little.",)])
    monkeypatch.setattr(ranking.sentences, "on_map", lambda _: "The map is of ROC.")
    result: Any = With(
        to_frame=lambda: pd.DataFrame({"replica": names}),
        table=With(criteria=[With(name="ROC")]),
        scores=pd.DataFrame({"ROC": [0.12345, 0.5][: len(names)]}),
        by_place=[*names[::-1]],
        replicas=names,
        acceptability=pd.DataFrame({1: [0.25, 0.75], 2: [0.75, 0.25]}),
        places=[2.0, 1.0],
        totals=[0.33333, 0.66666],
        weights=With(flat=lambda: {"ROC": 0.12345}),
        notes=(("One note.",),),
        anchors=() if alone else ("some",),
        map=pd.DataFrame({"utility": [0.98765], "protection": [np.nan]}, index=["a"]),
    )
    ranking.show_ranking(result, None)
    lines = said(capsys)
    assert "b 2 0.333 25 % 0.123" in lines
    assert "weights: ROC 0.123" in lines
    assert "- One note." in lines
    only = "- There is one replica, so it has nothing to be ranked against."
    assert (only in lines) is alone
    assert ("- a is first." in lines) is not alone
    assert ("a 1 0.667 75 % 0.5" in lines) is not alone
    assert ("a 0.988 -" in lines) is not alone
    assert ("The map is of ROC." in lines) is not alone


class TestAttack:
    def attack(self, **given: Any) -> Any:
        return With(
            **{
                "attack": "membership", "of": "people", "success": 60.0, "chance": 50.0,
                "excess": 10.0, "copy": np.nan, "interval": (4.0, 16.0), "p_value": 0.004,
                "per_record": np.array([1.0, 0.0]), "notes": ("few people",), "fixes": (),
                "figures": {"people_found": (3, 4.5), "none": np.nan, "which": "all"},
                "per_synthesis": (),
                **dict.fromkeys(set(attacks._MEANING) - {"excess"}, np.nan),
            } | given
        )  # fmt: skip

    def test_what_there_is_is_a_line_each(self, capsys: Printed, tmp_path: Path) -> None:
        attacks._show(self.attack(), tmp_path / "a.csv")
        assert said(capsys) == [
            "membership: people",
            f"excess 10: {attacks._MEANING['excess']}",
            "interval of the excess 4 to 16",
            "p 0.004: small if the replica knows who was in the original",
            "people found: 3, 4.5",
            "which: all",
            "note: few people",
            "no fix was needed to compare the data sets",
        ]
        assert (tmp_path / "a.csv").read_text() == "record,attack_score\n0,1.0\n1,0.0\n"

    def test_each_of_several_syntheses_has_a_line(self, capsys: Printed) -> None:
        each = tuple(
            self.attack(training=training, control=0.5, p_value=0.25) for training in (0.6, 0.4)
        )
        attacks._show(self.attack(per_synthesis=each), None)
        lines = said(capsys)
        assert lines[0] == "membership: people, by 2 syntheses together"
        assert lines[-4:-2] == [
            "synthesis 1 alone: training 0.6, control 0.5, p 0.25",
            "synthesis 2 alone: training 0.4, control 0.5, p 0.25",
        ]

    def test_what_is_not_there_is_left_out(self, capsys: Printed) -> None:
        attacks._show(self.attack(interval=(np.nan, np.nan), excess=np.nan), None)
        lines = said(capsys)
        assert lines[1].startswith("p 0.004")
        assert not any("interval" in line for line in lines)


class TestTogether:
    """What is not judged because rows belong together."""

    def words(
        self, monkeypatch: pytest.MonkeyPatch, sample: Any, suspected: str = "", **given: Any
    ) -> str:
        monkeypatch.setattr(compared, "unjudged_cluster", lambda *_: suspected)
        study: Any = With(
            **{"sample": sample, "original": With(source="o.csv"), "holdout": None} | given
        )
        pair: Any = With(name="cart", syntheses=[With(columns=["a", "home"]), With(columns=["a"])])
        return compared.unjudged(study, pair)

    @staticmethod
    def sample(*, whole: bool = False, **given: Any) -> Any:
        held = (lambda _: With(columns=["home"])) if whole else (lambda data: data)
        return With(**{"together": "home", "whole": held} | given)

    def test_nothing_is_said_of_rows_that_do_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.words(monkeypatch, None) == ""
        assert self.words(monkeypatch, self.sample(together="")) == ""
        assert self.words(monkeypatch, self.sample(whole=True)) == ""

    def test_what_is_suspected_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for sample in (None, self.sample(together="")):
            for name, role in (("hid", "household"), ("psu", "cluster")):
                assert self.words(monkeypatch, sample, name) == (
                    f'rows of o.csv seem to belong together by {name}: say {role} = "{name}" in '
                    "[sample], or disclosure and tables of cart are not judged"
                )

    def test_records_that_are_repeated_are_asked_for_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said_of = self.words(monkeypatch, None, EQUAL_VALUES)
        assert said_of == (
            "nearly every record of o.csv occurs several times: keep one of each, with the number "
            "of times as its weight, or disclosure and tables of cart are not judged"
        )

    def test_data_too_large_are_only_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        said_of = self.words(monkeypatch, self.sample(together="cl"), "cl")
        assert said_of.startswith(
            "rows of o.csv belong together by cl, and the files are counted batch by batch"
        )

    @pytest.mark.parametrize(
        ("holdout", "judged"), [(None, False), (["a"], False), (["a", "home"], True)]
    )
    def test_a_replica_without_the_column_needs_a_holdout_with_it(
        self, monkeypatch: pytest.MonkeyPatch, holdout: list[str] | None, *, judged: bool
    ) -> None:
        aside = None if holdout is None else With(columns=holdout)
        said_of = self.words(monkeypatch, self.sample(), holdout=aside)
        assert said_of.startswith(
            "rows of o.csv belong together by home, and replica cart lacks it"
        )
        assert ("without a holdout that has home" in said_of) is not judged


@pytest.mark.parametrize("number", [20, 21, 22])
def test_twenty_values_beyond_a_limit_are_listed(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    finding = With(
        status=finished_reviews.Status.FAIL, replica="cart", metric="DCAP", value=12.3456,
        scenario="friend", target="vote", variables=("a", "b"),
    )  # fmt: skip
    fine = With(status=finished_reviews.Status.WITHIN)
    rules_ = With(title="Mine", notes=("be careful",))
    monkeypatch.setattr(finished_reviews, "load_profile", lambda _: rules_)
    monkeypatch.setattr(finished_reviews, "read_results", lambda path: path)
    monkeypatch.setattr(
        finished_reviews, "judge_file", lambda *_: ((), [fine] + [finding] * number)
    )
    finished_reviews.judge_again(Path("out"), "mine")
    lines = said(capsys)
    assert lines[:2] == ["judged by Mine, from out; nothing was measured", "be careful"]
    assert lines.count("fail: cart, DCAP 12.35 (friend, vote, a, b)") == 20
    more = [] if number == 20 else [f"and {number - 20} more values beyond a limit"]
    assert lines[22:] == more


def test_how_a_file_was_read_is_said() -> None:
    def variable(codes: tuple[float, ...], values: list[float], counts: Any = ()) -> Any:
        return With(missing_codes=codes, values=[np.array(values)], counts=counts)

    original = With(
        source="o.sav", missing_codes={"a": (-8.0, -9.0), "b": (-1.0,), "l": (9.0,)},
        level_codes={"l": {}, "m": {}}, value_labels={"p": {1.0: "x"}, "b": {-1.0: "none"}},
        missing_texts=("NA", ""), columns=("a",), not_taken=("weight",),
    )  # fmt: skip
    variables = {
        "a": variable((-8.0,), [-8, -8, 1]),
        "b": variable((-1.0, -2.0), [-1, -2, 5], (np.array([10, 20, 1]),)),
        "l": variable((), []),
        "m": variable((), []),
        "p": variable((), []),
    }
    study: Any = With(original=original, sample=None)
    assert [*compared._as_read(study, variables)] == [
        "missing: code -8 of a, as o.sav declares: 2 original records, a level of their own",
        "missing: code -1, -2 of b, by [missing_codes]: 30 original records, a level of their own",
        "labels: of o.sav in place of codes in l, m",
        "missing: codes that o.sav declares are levels, as their labels say, in l",
        "labels: not used in p, as not every value of o.sav has one",
        "missing: NA and the empty text in o.sav",
        (
            "weight: weight looks like one by its name and is not used: every record counts once. "
            'To use it, say weight = "weight" in [sample]'
        ),
    ]


@pytest.mark.parametrize("zeros", [True, False])
def test_a_profile_lists_its_rules_and_limits(
    capsys: Printed, monkeypatch: pytest.MonkeyPatch, *, zeros: bool
) -> None:
    owned = {"kind": "ours", "source": "a book", "owner": "Unit", "date": "2026-11-23"}
    limit = With(metric="DCAP", review=20.0, fail=None, rule="", **owned)
    both = With(metric="ROC", review=0.5, fail=0.25, rule="as it is", **owned)
    profile = With(
        name="mine", title="Mine", owner="Unit", zeros_disclosive=zeros, min_cell=3,
        round_base=1, key="", excess=None,
        tables=With(metric="S_pMSE", rule="no table differs", **owned),
        thresholds={"DCAP": limit, "ROC": both},
    )  # fmt: skip
    monkeypatch.setattr("sdcmetrics.study.profile.load_profile", lambda _: profile)
    explain.show_profile("mine")
    lines = said(capsys)
    assert lines[0] == "mine: Mine (owner: Unit)"
    shown = "not shown" if zeros else "shown"
    least = 5 if zeros else 6  # as many as a multiple of 5 stands for
    assert " ".join(lines[1:]).startswith(
        f"counts below {least} are not shown to a checker, zeros are {shown}, "
        "counts are rounded to 5 "
        "S_pMSE: no table differs kind ours source a book owner Unit, 2026-11-23 "
        "DCAP: review beyond 20 kind ours"
    )
    assert "ROC: review beyond 0.5, fail beyond 0.25" in lines
    assert lines.count("rule as it is") == 1
    assert not any(line.startswith(": ") for line in lines)


def test_requests_to_end_the_program_are_handled_where_nobody_does() -> None:
    def own(*_: object) -> None:
        pass

    names = [signal.SIGTERM, signal.SIGHUP]
    before = {name: signal.getsignal(name) for name in names}
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, own)
        with program._signals():
            handler: Any = signal.getsignal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGHUP) is own
            with pytest.raises(KeyboardInterrupt) as error:
                handler(signal.SIGTERM, None)
            assert error.value.number == signal.SIGTERM  # type: ignore[attr-defined]
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is own
    finally:
        for name, kept in before.items():
            signal.signal(name, kept)


def test_symbols_of_a_formula_are_explained_where_it_has_some(capsys: Printed) -> None:
    symbols = {bool(measure.where): symbol for symbol, measure in MEASURES.items()}
    assert len(symbols) == 2
    for where, symbol in symbols.items():
        explain.show_metric(symbol)
        lines = said(capsys)
        assert [line for line in lines if line.startswith("range ")]
        fields = [line for line in lines if line.startswith("where")]
        assert len(fields) == where
