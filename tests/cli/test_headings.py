"""The help lists every command once, under a heading."""

from __future__ import annotations

from pathlib import Path

import click
from click.testing import CliRunner

from sdcmetrics.cli.app import app
from sdcmetrics.cli.headings import FURTHER, HEADINGS, Group, in_options
from tests.cli.conftest import Cli


def test_every_command_is_under_one_heading() -> None:
    listed = [name for names in HEADINGS.values() for name in names]
    assert sorted(listed) == sorted(app.commands)


def test_the_help_has_the_headings_in_order_and_each_command_once() -> None:
    lines = CliRunner().invoke(app, ["--help"], terminal_width=80).output.splitlines()
    assert [line[:-1] for line in lines if line[:-1] in HEADINGS] == list(HEADINGS)
    first = [line.split()[0] for line in lines if line.startswith("  ") and line.split()]
    for name in app.commands:
        assert first.count(name) == 1


def test_the_help_says_whether_several_syntheses_may_be_named() -> None:
    for command, text in (
        ("record-linkage", "The replica."),
        ("closest-record", "A replica, or m syntheses of it."),
        ("fidelity", "A replica, or m syntheses of it."),
    ):
        lines = CliRunner().invoke(app, [command, "--help"]).output.splitlines()
        assert [line.split(None, 1)[1] for line in lines if " SYNTHETIC" in line[:12]] == [text]


def test_a_command_without_a_heading_is_listed_all_the_same() -> None:
    group = Group("all", commands=[click.Command("demo"), click.Command("newcomer")])
    output = CliRunner().invoke(group, ["--help"]).output
    assert output.index("Review:") < output.index(f"{FURTHER}:") < output.index("newcomer")


def test_errors_name_the_options_of_a_command(run_cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("age,population_size\n1,2\n2,3\n", encoding="utf-8")
    code, _, err = run_cli("match-risk", file, "--keys=age")
    assert code == 3
    assert "expected either --population-size or --sampling-fraction" in err
    other = tmp_path / "others.csv"
    other.write_text("age,population_size\n3,2\n4,3\n", encoding="utf-8")
    code, _, err = run_cli("epsilon-bound", file, file, "--holdout", other)
    assert code == 3
    assert "sdcmetrics: --random-holdout: a bound" in err
    study = [click.Argument(["study"]), click.Option(["--mode"])]
    assert in_options("mode: expected text", study) == "mode: expected text"  # of its file
    assert in_options("mode: expected text", study[1:]) == "--mode: expected text"
    assert in_options("the mode is unknown", study[1:]) == "the mode is unknown"
