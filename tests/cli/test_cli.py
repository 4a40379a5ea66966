"""The command line: exit codes, messages, what lands on disk, terminals and pipes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import __version__, conduct
from sdcmetrics.cli.run import PARTIAL
from sdcmetrics.errors import ReleaseBlocked
from sdcmetrics.measures.registry import MEASURES
from tests.cli.conftest import Cli

NEVER = ("--fail-on", "never")
"""What is decided on the replicas is no part of the exit code."""
RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(20, 80, 200),
        "sex": RNG.choice(["m", "f"], 200),
        "job": RNG.choice([*"abc"], 200),
    }
)
COMMANDS = (
    "demo",
    "review",
    "check",
    "rank",
    "utility-tables",
    "disclosure",
    "explain",
    "profiles",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "o.csv", index=False)
    FRAME.sample(frac=1, random_state=1).to_csv(tmp_path / "s.csv", index=False)
    FRAME.head(150).assign(job="a").to_csv(tmp_path / "bad.csv", index=False)
    (tmp_path / "study.toml").write_text(
        '[data]\noriginal = "o.csv"\n[data.replicas]\ncart = "s.csv"\nbad = "bad.csv"\n'
        '[roles]\nkeys = ["age", "sex"]\n',
        encoding="utf-8",
    )
    return tmp_path


def test_a_sample_of_data_that_are_read_whole_is_refused(cli: Cli, folder: Path) -> None:
    out = folder / "out"
    code, _, err = cli("review", folder / "study.toml", "--out", out, "--sample", 100)
    assert (code, "--sample is for data that are counted in batches" in err) == (3, True)
    assert not out.exists()


def in_a_process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    code = "from sdcmetrics.cli.program import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )


class TestHelp:
    def test_without_a_command_the_commands_are_listed(self, cli: Cli) -> None:
        code, out, err = cli()
        assert code == 2
        assert all(command in out + err for command in COMMANDS)

    @pytest.mark.parametrize("command", COMMANDS)
    @pytest.mark.parametrize("option", ["--help", "-h"])
    def test_every_command_explains_itself(self, cli: Cli, command: str, option: str) -> None:
        code, out, err = cli(command, option)
        assert (code, err) == (0, "")
        assert out.startswith(f"Usage: sdcmetrics {command} ")

    def test_the_version_is_printed(self, cli: Cli) -> None:
        assert cli("--version") == (0, f"sdcmetrics {__version__}\n", "")

    @pytest.mark.parametrize(
        "arguments",
        [
            ("nonsense",),
            ("review",),
            ("review", "x.toml", "--mode", "public"),
            ("review", "x.toml", "--fail-on", "maybe"),
            ("review", "x.toml", "--format", "docx"),
            ("review", "x.toml", "--format", ","),
            ("review", "x.toml", "--nonsense"),
            ("utility-tables", "o.csv"),
            ("utility-tables", "o.csv", "s.csv", "--ways", "0"),
            ("utility-tables", "o.csv", "s.csv", "--ways", "two"),
            ("utility-tables", "o.csv", "s.csv", "--ngroups", "-1"),
            ("utility-tables", "o.csv", "s.csv", "--variables", ","),
            ("utility-tables", "o.csv", "s.csv", "--missing-code", "age"),
            ("utility-tables", "o.csv", "s.csv", "--missing-code", "age=x"),
            ("utility-tables", "o.csv", "s.csv", "--missing-code", "=-8"),
            ("disclosure", "o.csv", "s.csv"),
            ("rank", "x.toml", "--weight", "general"),
            ("rank", "x.toml", "--weight", "general=half"),
            ("rank", "x.toml", "--replicates", "-1"),
        ],
    )
    def test_wrong_usage_ends_with_2(self, cli: Cli, arguments: tuple[str, ...]) -> None:
        code, out, err = cli(*arguments)
        assert (code, out) == (2, "")
        assert "Error: " in err


class TestRank:
    def test_a_study_is_ranked_and_what_is_sure_is_said(self, cli: Cli, folder: Path) -> None:
        path = folder / "ranking.csv"
        weights = ("--weight", "general=0.6", "--weight", "disclosure=0.4")
        code, out, err = cli(
            "rank", folder / "study.toml", "-q", "--anchors", "--csv", path, *weights
        )
        assert (code, err) == (0, "")
        words = " ".join(out.replace("\xa0", " ").split())
        weighed = r"is first where general utility counts 60 %, disclosure risk 40 %\."
        assert re.search(rf"cart \([^)]+\) {weighed}", words)
        assert "independent (reference)" in words
        assert "A utility score of 0.8 means" in words
        assert "The smallest change of weights" in words
        frame = pd.read_csv(path)
        assert set(frame["replica"]) == {"cart", "bad"}
        assert frame["anchored_score"].notna().any()

    def test_one_replica_is_not_said_to_be_first(self, cli: Cli, folder: Path) -> None:
        text = (folder / "study.toml").read_text()
        (folder / "one.toml").write_text("\n".join(x for x in text.splitlines() if "bad" not in x))
        code, out, _ = cli("rank", folder / "one.toml", "--quiet", "--no-anchors")
        assert code == 0
        assert "There is one replica" in out
        assert "is first" not in out
        assert "every replica" not in out

    def test_no_name_in_a_csv_file_is_taken_for_a_formula(self, cli: Cli, folder: Path) -> None:
        text = (folder / "study.toml").read_text()
        (folder / "named.toml").write_text(text.replace("bad =", '"=1+1" ='))
        path = folder / "ranking.csv"
        arguments = ("--quiet", "--no-anchors", "--csv", path)
        assert cli("rank", folder / "named.toml", *arguments)[0] == 0
        assert set(pd.read_csv(path)["replica"]) == {"cart", "'=1+1"}

    def test_the_command_line_decides_weights_strategy_and_draws(
        self, cli: Cli, folder: Path
    ) -> None:
        arguments = ("--weight", "DiSCO=0.9", "--weight", "ROC=0.1", "--strategy", "linear")
        again = ("--replicates", "3", "--seed", "7", "--no-anchors")
        code, out, err = cli("rank", folder / "study.toml", *arguments, *again)
        words = " ".join(out.replace("\xa0", " ").split())
        assert code == 0
        assert "weights: ROC 0.1, DiSCO 0.9" in words
        assert "When a tenth of the records of the replicas is left out, 3 times" in words
        assert "reference" not in out
        assert err.splitlines()[-1].startswith("a tenth of the records left out: ")

    @pytest.mark.parametrize("mode", ["internal", "checker"])
    def test_the_results_of_a_review_are_ranked_without_the_data(
        self, cli: Cli, folder: Path, mode: str
    ) -> None:
        out = folder / mode
        asked = ("review", folder / "study.toml", "-q", "--mode", mode, "--out", out)
        assert cli(*asked, *NEVER)[0] == 0
        code, text, _ = cli("rank", out / "review.json")
        assert code == 0
        assert "cart is first" in text or "bad is first" in text or "tie for" in text

    def test_what_needs_the_data_cannot_be_had_from_results(self, cli: Cli, folder: Path) -> None:
        cli("review", folder / "study.toml", "-q", "--out", folder / "out")
        results = folder / "out" / "review.json"
        code, _, err = cli("rank", results, "--replicates", "5")
        assert (code, "--replicates needs the data" in err) == (3, True)
        code, _, err = cli("rank", results, "--strategy", "anchored")
        assert (code, "needs references" in err) == (3, True)

    def test_wrong_weights_end_with_3(self, cli: Cli, folder: Path) -> None:
        code, _, err = cli("rank", folder / "study.toml", "--weight", "general=0.2")
        assert (code, "sum to 0.2" in err) == (3, True)

    def test_a_review_without_anything_to_rank_is_still_written(
        self, cli: Cli, folder: Path
    ) -> None:
        study = folder / "study.toml"
        extra = "[options]\nways = [1]\n[ranking.weights]\ngeneral = 1.0\n"
        extra += "[ranking.metrics.general]\nS_pMSE_two_way = 1.0\n"
        study.write_text(study.read_text("utf-8") + extra, encoding="utf-8")
        code, _, _ = cli("review", study, "-q", "--out", folder / "out", *NEVER)
        assert code == 0
        report = (folder / "out" / "report-annexes.html").read_text("utf-8")
        assert "No metric has a value for every replica, so nothing is ranked." in report


class TestExplain:
    def test_every_metric_is_listed(self, cli: Cli) -> None:
        code, out, _ = cli("explain")
        assert code == 0
        assert all(symbol in out.split() for symbol in MEASURES)

    def test_every_metric_is_explained_whatever_the_case(self, cli: Cli) -> None:
        words = ("range", "formula", "source", "limits")
        wrong = []
        for symbol in MEASURES:
            code, out, _ = cli("explain", symbol.lower() if symbol.lower() != "u" else symbol)
            if code != 0 or not all(f"\n{word} " in out for word in words):
                wrong.append(symbol)
        assert wrong == []

    def test_a_narrow_terminal_breaks_no_line(
        self, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "60")
        _, out, _ = cli("explain", "disco")
        assert max(map(len, out.splitlines())) <= 60

    def test_an_unknown_metric_is_hinted_at(self, cli: Cli) -> None:
        code, _, err = cli("explain", "DiSC")
        assert code == 3
        assert "there is no metric 'DiSC'. Did you mean 'DiSCO'" in err
        assert "'sdcmetrics explain' lists all" in cli("explain", "nonsense")[2]


class TestProfiles:
    def test_profiles_are_listed_and_shown(self, cli: Cli) -> None:
        code, out, _ = cli("profiles")
        assert code == 0
        for line in out.splitlines():
            assert cli("profiles", line.split()[0])[0] == 0

    def test_a_limit_that_is_not_set_is_not_shown(self, cli: Cli, tmp_path: Path) -> None:
        file = tmp_path / "own.toml"
        file.write_text(
            '[thresholds.S_pMSE]\nreview = 3\nsource = "s"\nowner = "o"\ndate = 2026-01-01\n',
            encoding="utf-8",
        )
        assert "S_pMSE: review beyond 3\n" in cli("profiles", file)[1]

    def test_rules_of_chance_size_and_excess_are_shown(self, cli: Cli) -> None:
        out = " ".join(cli("profiles", "default")[1].split())
        assert "S_pMSE: review: above 3, p ≤ 0.01 over all tables of a replica and w above" in out
        assert "DiSCO, repU: review: 1 point or more above people who were not in the" in out
        assert "fail: 0.5 or more of what the original itself would add (without a holdout" in out

    def test_an_unknown_profile_is_refused(self, cli: Cli) -> None:
        code, _, err = cli("profiles", "defualt")
        assert (code, "Did you mean 'default'?" in err) == (3, True)


class TestTables:
    def test_the_worst_table_comes_first(self, cli: Cli, folder: Path) -> None:
        code, out, err = cli("utility-tables", folder / "o.csv", folder / "bad.csv", "--ways", 1)
        assert (code, err) == (0, "")
        after_rule = out[out.index("─") :].splitlines()[1:4]
        assert after_rule[0].split()[0] == "job"

    def test_all_tables_go_to_a_csv_file(self, cli: Cli, folder: Path) -> None:
        table = folder / "t.csv"
        code, _, _ = cli("utility-tables", folder / "o.csv", folder / "s.csv", "--csv", table)
        assert code == 0
        assert len(pd.read_csv(table)) == 3

    def test_several_syntheses_are_averaged(self, cli: Cli, folder: Path) -> None:
        files = (folder / "o.csv", folder / "s.csv", folder / "bad.csv")
        assert cli("utility-tables", *files)[0] == 0
        assert cli("disclosure", *files, "--keys", "age,sex", "--targets", "job")[0] == 0

    @pytest.mark.parametrize("width", ["40", "60", "100", "200"])
    def test_numbers_are_whole_at_any_width(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, width: str
    ) -> None:
        monkeypatch.setenv("COLUMNS", width)
        code, out, _ = cli("utility-tables", folder / "o.csv", folder / "bad.csv")
        assert code == 0
        assert "…" not in out
        rule = [line for line in out.splitlines() if "─" in line]
        assert all(len(line) <= int(width) for line in rule)
        assert ("too narrow for" in out) == (width in ("40", "60"))

    def test_the_keys_must_be_columns(self, cli: Cli, folder: Path) -> None:
        code, _, err = cli("disclosure", folder / "o.csv", folder / "s.csv", "--keys", "agee,sex")
        assert (code, err) == (
            3,
            "sdcmetrics: key 'agee' is not a column of o.csv. Did you mean 'age'?\n",
        )

    def test_a_name_may_hold_a_comma(self, cli: Cli, tmp_path: Path) -> None:
        FRAME.rename(columns={"age": "age, years"}).to_csv(tmp_path / "o.csv", index=False)
        files = (tmp_path / "o.csv", tmp_path / "o.csv")
        assert cli("disclosure", *files, "--keys", 'sex, "age, years"')[0] == 0

    def test_missing_codes_may_be_negative(self, cli: Cli, folder: Path) -> None:
        files = (folder / "o.csv", folder / "s.csv")
        assert cli("utility-tables", *files, "--missing-code", "age=-8")[0] == 0
        code, _, err = cli("utility-tables", *files, "--missing-code", "sex=-8")
        assert (code, "'sex', which is not numeric in o.csv" in err) == (3, True)

    @pytest.mark.parametrize("where", ["nowhere/t.csv", "."])
    def test_a_csv_file_that_cannot_be_written_is_said_first(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, where: str
    ) -> None:
        monkeypatch.setattr("sdcmetrics.study.data.load", lambda *_: pytest.fail("data were read"))
        code, _, err = cli(
            "utility-tables", folder / "o.csv", folder / "s.csv", "--csv", folder / where
        )
        assert code == 3
        assert "director" in err


class TestCheck:
    def test_it_says_what_would_be_compared(self, cli: Cli, folder: Path) -> None:
        code, out, err = cli("check", folder / "study.toml")
        assert (code, err) == (0, "")
        assert "scenario default: keys age, sex; targets job" in out
        assert "columns compared: 3 (1 of kind number, 2 of kind category)" in out
        assert out.endswith("nothing blocks a review\n")

    def test_every_replica_that_blocks_is_one_line(self, cli: Cli, folder: Path) -> None:
        for name in ("s.csv", "bad.csv"):
            FRAME.assign(age="young").to_csv(folder / name, index=False)
        code, _, err = cli("check", folder / "study.toml")
        assert code == 3
        *lines, remedy, last = err.splitlines()
        assert "Where one file has groups of the other's values" in remedy
        assert [
            f"in {name}" in line for name, line in zip(("s.csv", "bad.csv"), lines, strict=True)
        ]
        assert all("column 'age' holds numbers in o.csv" in line for line in lines)
        assert "variables = [...] in [options]" in last

    def test_every_column_that_blocks_is_one_line_beside_what_was_fixed(
        self, cli: Cli, folder: Path
    ) -> None:
        bad = FRAME.assign(age="young", weight="heavy")
        FRAME.assign(weight=1.5).to_csv(folder / "o.csv", index=False)
        for name in ("s.csv", "bad.csv"):
            bad.to_csv(folder / name, index=False, sep=";")
        code, out, err = cli("check", folder / "study.toml")
        assert code == 3
        assert "s.csv: fields are separated by a semicolon, which was used" in out
        assert [err.count(f"column '{name}' holds") for name in ("age", "weight")] == [2, 2]

    def test_nothing_is_said_of_fixes_where_nothing_was_compared(
        self, cli: Cli, folder: Path
    ) -> None:
        for name in ("s.csv", "bad.csv"):
            FRAME.assign(age="young").to_csv(folder / name, index=False)
        _, out, _ = cli("check", folder / "study.toml")
        assert "no fix was needed" not in out
        assert "no column was compared" not in out

    def test_a_profile_that_is_not_there_blocks(self, cli: Cli, folder: Path) -> None:
        file = folder / "study.toml"
        file.write_text(
            '[study]\nprofile = "x"\n' + file.read_text(encoding="utf-8"), encoding="utf-8"
        )
        assert cli("check", file)[0] == 3


class TestReview:
    def test_results_are_written_and_the_partial_file_is_gone(self, cli: Cli, folder: Path) -> None:
        out = folder / "deep" / "out"
        code, text, err = cli("review", folder / "study.toml", "-o", out, *NEVER)
        assert code == 0
        assert (out / "report.html").is_file()
        assert json.loads((out / "review.json").read_text(encoding="utf-8"))
        assert not (out / PARTIAL).exists()
        assert f"report: {out / 'report.html'}" in text
        assert "\x1b" not in err
        assert "\r" not in err

    def test_quiet_is_a_line_per_replica_and_where_the_report_is(
        self, cli: Cli, folder: Path
    ) -> None:
        out = folder / "out"
        code, text, err = cli("review", folder / "study.toml", "-o", out, "--quiet", *NEVER)
        assert (code, err) == (0, "")
        *answers, which, last = text.splitlines()
        assert [line.split()[0] for line in answers] == ["cart", "bad"]
        assert which.startswith("  Which replica? ")
        assert all("may it be released: " in line for line in answers)
        assert last == f"report: {out / 'report.html'}"

    def test_unless_quiet_each_answer_has_its_reasons(self, cli: Cli, folder: Path) -> None:
        out = cli("review", folder / "study.toml", "-o", folder / "out")[1]
        document = json.loads((folder / "out" / "review.json").read_text(encoding="utf-8"))
        for item in document["decision"]:
            for question in ("risk", "utility"):
                assert item[question]["because"]
                assert all(reason in out for reason in item[question]["because"])

    def test_findings_end_with_1_where_asked(self, cli: Cli, folder: Path) -> None:
        arguments = ("review", folder / "study.toml", "-o", folder / "out", "-q", "--fail-on")
        assert cli(*arguments, "fail")[0] == 1
        assert cli(*arguments, "never")[0] == 0

    def test_the_original_itself_is_no_pass_whatever_is_limited(
        self, cli: Cli, folder: Path
    ) -> None:
        study = folder / "copy.toml"
        study.write_text(
            '[data]\noriginal = "o.csv"\n'
            '[data.replicas]\ncopy = "s.csv"\n[roles]\nkeys = ["age"]\n',
            encoding="utf-8",
        )
        arguments = ("review", study, "-o", folder / "out")
        assert cli(*arguments)[0] == 1
        for bar in ("fail", "review", "unjudged", "risk=fail"):
            assert cli(*arguments, "--fail-on", bar)[0] == 1, bar
        assert cli(*arguments, "--fail-on", "utility=review")[0] == 0
        again = ("review", "--from", folder / "out" / "review.json", "--profile", "default")
        code, out, _ = cli(*again)
        assert (code, "may it be released: no;" in out) == (1, True)
        assert "It is the original." in out

    def test_by_default_only_a_risk_within_ends_with_0(self, cli: Cli, folder: Path) -> None:
        rng = np.random.default_rng(4)
        frame = pd.DataFrame(
            {
                "age": rng.integers(20, 80, 200),
                "sex": rng.choice(["m", "f"], 200),
                "job": rng.choice([*"abc"], 200),
            }
        )
        frame.to_csv(folder / "fresh.csv", index=False)
        study = folder / "fresh.toml"
        text = '[data]\noriginal = "o.csv"\n[data.replicas]\nfresh = "fresh.csv"\n'
        study.write_text(text + '[roles]\nkeys = ["age", "sex"]\n', encoding="utf-8")
        arguments = ("review", study, "-q", "-o", folder / "out")
        code, out, err = cli(*arguments)
        assert (code, err, "may it be released: no objection" in out) == (0, "", True)
        study.write_text(text + '[roles]\nkeys = ["sex"]\n', encoding="utf-8")  # two groups: mute
        code, out, err = cli(*arguments)
        assert (code, err, "not judged, which is no approval" in out) == (1, "", True)
        code, _, err = cli(*arguments, "--fail-on", "review")
        assert (code, "risk is not judged of fresh" in err) == (0, True)

    def test_options_are_checked_before_the_data_are_read(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sdcmetrics.study.study.load", lambda *_: pytest.fail("data were read"))
        (folder / "file").touch()
        for option in (
            ("--profile", "nope"),
            ("-o", folder / "file"),
            ("-o", folder / "file" / "x"),
        ):
            code, _, err = cli("review", folder / "study.toml", *option)
            assert code == 3
            assert err.count("\n") == 1

    def test_a_pdf_needs_weasyprint_and_this_is_said_first(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
        code, _, err = cli(
            "review", folder / "study.toml", "--format", "html,pdf", "--format", "html"
        )
        assert (code, "pip install 'sdcmetrics[pdf]'" in err) == (3, True)

    def test_a_folder_that_cannot_be_written_is_said_first(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def denied(*_: Any, **__: Any) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "touch", denied)
        code, _, err = cli("review", folder / "study.toml", "-o", folder / "out")
        assert code == 3
        assert "results cannot be written to this folder (Permission denied)" in err

    def test_a_release_report_does_not_go_beside_internal_results(
        self, cli: Cli, folder: Path
    ) -> None:
        arguments = ("review", folder / "study.toml", "-q", "-o", folder / "out")
        assert cli(*arguments, *NEVER)[0] == 0
        code, _, err = cli(*arguments, "--mode", "checker")
        assert (code, "holds the results of an internal review" in err) == (3, True)
        elsewhere = (*arguments[:-1], folder / "checker", "--mode", "checker", *NEVER)
        assert cli(*elsewhere)[0] == 0
        assert cli(*elsewhere)[0] == 0


class TestStopping:
    """What was measured stays on disk, and no message shows a data value."""

    @pytest.fixture
    def stop(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
        from sdcmetrics.review import conduct as module_or_function  # noqa: F401

        def at_the_second_target(error: BaseException) -> None:
            module = sys.modules["sdcmetrics.review.conduct"]
            measure, calls = module.measure_given, []  # type: ignore[attr-defined]

            def measured(given: Any, measures: Any) -> Any:
                if given.places[0].target:
                    calls.append(1)
                    if len(calls) == 2:
                        raise error
                return measure(given, measures)

            monkeypatch.setattr(module, "measure_given", measured)

        return at_the_second_target

    def test_a_crash_leaves_what_was_measured(
        self, cli: Cli, folder: Path, stop: Callable[[BaseException], None]
    ) -> None:
        stop(RuntimeError("SECRET 42"))
        code, _, err = cli("review", folder / "study.toml", "-o", folder / "out")
        assert code == 5
        assert "SECRET" not in err
        assert "unforeseen RuntimeError at conduct.py:" in err
        assert f"finished measurements (internal) are in {folder / 'out' / PARTIAL}" in err
        partial = pd.read_csv(folder / "out" / PARTIAL)
        assert set(partial["family"]) == {"general utility", "specific utility", "disclosure risk"}
        assert cli("review", folder / "study.toml", "-o", folder / "out", *NEVER)[0] == 0
        assert not (folder / "out" / PARTIAL).exists()

    def test_ctrl_c_ends_with_130_and_leaves_what_was_measured(
        self, cli: Cli, folder: Path, stop: Callable[[BaseException], None]
    ) -> None:
        stop(KeyboardInterrupt())
        code, _, err = cli("review", folder / "study.toml", "-o", folder / "out", "-q")
        assert code == 130
        assert err.splitlines()[-1] == "sdcmetrics: interrupted"
        assert len(pd.read_csv(folder / "out" / PARTIAL))

    def test_a_failing_report_leaves_the_measurements(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*_: Any, **__: Any) -> None:
            msg = "SECRET 42"
            raise ValueError(msg)

        monkeypatch.setattr("sdcmetrics.report.formats.write.render_pages", fails)
        code, _, err = cli("review", folder / "study.toml", "-o", folder / "out", "-q")
        assert (code, "SECRET" in err) == (5, False)
        assert (folder / "out" / "review.json").is_file()
        assert (folder / "out" / PARTIAL).is_file()

    def test_a_blocked_release_ends_with_4(
        self, cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def blocked(*_: Any, **__: Any) -> None:
            msg = "a count is left"
            raise ReleaseBlocked(msg)

        monkeypatch.setattr("sdcmetrics.report.formats.write.scan", blocked)
        code, _, err = cli(
            "review", folder / "study.toml", "-o", folder / "out", "-q", "--mode", "checker"
        )
        assert (code, "sdcmetrics: a count is left" in err) == (4, True)
        assert not (folder / "out").exists()

    def test_nothing_measured_is_not_said_to_be_on_disk(self, cli: Cli, folder: Path) -> None:
        FRAME.assign(age="young").to_csv(folder / "bad.csv", index=False)
        code, _, err = cli("review", folder / "study.toml", "-o", folder / "out")
        assert (code, err.count("\n")) == (3, 2)
        assert "finished measurements" not in err


class TestTerminals:
    def test_a_pipe_gets_plain_text_and_whole_lines(self, folder: Path) -> None:
        (folder / "long.csv").write_text((folder / "o.csv").read_text(encoding="utf-8"), "utf-8")
        done = in_a_process("utility-tables", folder / "o.csv", folder / "long.csv")
        assert done.returncode == 0
        assert b"\x1b" not in done.stdout + done.stderr
        assert "  - long.csv: the file is the same, byte for byte, as o.csv\n" in (
            done.stdout.decode("utf-8").replace("\r\n", "\n")
        )

    def test_a_name_beyond_the_alphabet_of_the_terminal_is_escaped(self, tmp_path: Path) -> None:
        FRAME.rename(columns={"age": "größe"}).to_csv(tmp_path / "o.csv", index=False)
        done = in_a_process(
            "utility-tables",
            tmp_path / "o.csv",
            tmp_path / "o.csv",
            PYTHONIOENCODING="ascii",
            PYTHONUTF8="0",
        )
        assert done.returncode == 0, done.stderr
        assert b"gr\\xf6\\xdfe" in done.stdout

    @pytest.mark.skipif(os.name == "nt", reason="signals of this kind are of Unix")
    def test_a_real_ctrl_c_ends_with_130(self, folder: Path) -> None:
        code = (
            "import sys, os, signal, threading, sdcmetrics.review.conduct as c\n"
            "c = sys.modules['sdcmetrics.review.conduct']\n"
            "real = c.measure_given\n"
            "def measure_given(*a):\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "    return real(*a)\n"
            "c.measure_given = measure_given\n"
            "from sdcmetrics.cli.program import main; main()"
        )
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                code,
                "review",
                str(folder / "study.toml"),
                "-o",
                str(folder / "x"),
            ],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        assert done.returncode == 130
        assert done.stderr.decode().splitlines()[-1] == "sdcmetrics: interrupted"
        assert (folder / "x" / PARTIAL).is_file()


def test_the_library_gives_what_the_command_line_writes(cli: Cli, folder: Path) -> None:
    from sdcmetrics import read_study

    table = folder / "d.csv"
    files = (folder / "o.csv", folder / "s.csv")
    assert cli("disclosure", *files, "--keys", "age,sex", "--csv", table)[0] == 0
    frame = conduct(read_study(folder / "study.toml")).frame
    here = frame[(frame["replica"] == "cart") & (frame["metric"] == "DiSCO")]["value"].item()
    assert pd.read_csv(table)["DiSCO"].item() == pytest.approx(here)
