"""The help lists every command once, under a heading."""

from __future__ import annotations

import click
from click.testing import CliRunner

from sdcmetrics.cli.app import app
from sdcmetrics.cli.headings import FURTHER, HEADINGS, Group


def test_every_command_is_under_one_heading() -> None:
    listed = [name for names in HEADINGS.values() for name in names]
    assert sorted(listed) == sorted(app.commands)


def test_the_help_has_the_headings_in_order_and_each_command_once() -> None:
    lines = CliRunner().invoke(app, ["--help"], terminal_width=80).output.splitlines()
    assert [line[:-1] for line in lines if line[:-1] in HEADINGS] == list(HEADINGS)
    first = [line.split()[0] for line in lines if line.startswith("  ") and line.split()]
    for name in app.commands:
        assert first.count(name) == 1


def test_a_command_without_a_heading_is_listed_all_the_same() -> None:
    group = Group("all", commands=[click.Command("demo"), click.Command("newcomer")])
    output = CliRunner().invoke(group, ["--help"]).output
    assert output.index("Review:") < output.index(f"{FURTHER}:") < output.index("newcomer")
