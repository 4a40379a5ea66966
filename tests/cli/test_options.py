"""Values of options, each checked before anything is read."""

from __future__ import annotations

from typing import Any

import click
import pytest

from sdcmetrics.cli import options
from sdcmetrics.cli.remedies import read_coarsen


def refused(check: Any, given: Any, words: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        check(None, None, given)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []), (" , ,", []), ("a", ["a"]), (" a , b ", ["a", "b"]), ('"a,b",c', ["a,b", "c"]),
        ('a, "b c"', ["a", "b c"]),
    ],
)  # fmt: skip
def test_a_list_is_split_by_commas_outside_of_quotes(text: str, parts: list[str]) -> None:
    assert options.split(text) == parts


def test_seconds_and_other_numbers_are_above_0() -> None:
    assert options._seconds(None, None, 0.5) == 0.5
    assert options.above_0(None, None, 0.5) == 0.5
    assert options.above_0(None, None, None) is None
    for wrong in (0.0, -1.0, float("inf"), float("nan")):
        refused(options._seconds, wrong, f"a number of seconds above 0, but got {wrong}.")
        refused(options.above_0, wrong, f"a number above 0, but got {wrong}.")


def test_names_are_at_least_one_where_they_are_given() -> None:
    assert options._names(None, None, None) is None
    assert options._names(None, None, "a,b") == ["a", "b"]
    refused(options._names, " ,", "names of columns, separated by commas, but got none.")


def test_codes_of_a_column_add_up_and_weights_are_one_each() -> None:
    assert options._codes(None, None, []) is None
    assert options._codes(None, None, ["a=-8", "b=1e3", "a = 2"]) == {"a": [-8, 2], "b": [1000]}
    assert options._codes(None, None, ["x=y=3"]) == {"x=y": [3]}
    assert options._weights(None, None, []) is None
    assert options._weights(None, None, ["a=1", "b=0.5", "a=2"]) == {"a": 2, "b": 0.5}
    for wrong in ("a", "a=", "=3", " =3", "a=x", "a=nan", "a=inf"):
        refused(options._codes, [wrong], f"COLUMN=NUMBER, such as income=-8, but got {wrong!r}.")
        refused(options._weights, [wrong], "NAME=NUMBER, such as disclosure=0.6")


def test_formats_are_those_of_reports_once_each() -> None:
    assert options._formats(None, None, []) == ("html",)
    assert options._formats(None, None, ["pdf,html", "pdf", "xlsx"]) == ("pdf", "html", "xlsx")
    refused(options._formats, ["html,doc,odt"], "but got 'doc'.")
    refused(options._formats, [","], "or several by commas, but got none.")


def test_a_sample_is_a_number_of_records_or_none() -> None:
    assert options._sample(None, None, None) is None
    assert options._sample(None, None, "none") == 0
    assert options._sample(None, None, "12") == 12
    for wrong in ("0", "-3", "1.5", "", "all"):
        refused(options._sample, wrong, f"a number of records, or none, but got {wrong!r}.")


def test_a_gate_is_a_state_or_one_for_each_question() -> None:
    for right in ("never", "fail", "risk=unjudged,utility=fail"):
        assert options._gate(None, None, right) == right
    refused(options._gate, "sometimes", "or such as risk=unjudged,utility=fail, but got sometimes.")


def test_a_rule_that_coarsens_stands_as_in_a_study_file() -> None:
    assert read_coarsen([]) is None
    pairs = [" age =5", "x=1.5", "g='a=b'", "h=a=b", "k"]
    assert read_coarsen(pairs) == {"age": 5, "x": 1.5, "g": "a=b", "h": "a=b", "k": ""}


def test_the_help_lists_arguments_before_options() -> None:
    command: click.Command = options.command(
        "Short.", options.STUDY, options.option("--n", "How many.", options.number(2), 3)
    )(lambda study, n: click.echo(f"{study.name} {n}"))  # type: ignore[assignment]
    from click.testing import CliRunner

    run = CliRunner().invoke
    text = run(command, ["--help"]).output
    assert text.index("Arguments:") < text.index("The study file (TOML)") < text.index("Options:")
    assert "How many.  [default: 3; x>=2]" in text
    assert run(command, ["a/b.toml"]).output == "b.toml 3\n"
    assert run(command, ["b.toml", "--n", "2"]).output == "b.toml 2\n"
    assert run(command, ["b.toml", "--n", "1"]).exit_code == 2
    none: click.Command = options.command("Short.", options.SEED)(lambda **_: None)  # type: ignore[assignment]
    assert "Arguments:" not in run(none, ["--help"]).output


def test_an_option_is_given_where_it_stands_on_the_line() -> None:
    command: click.Command = options.command("Short.", options.option("--n", "N.", int, 3))(
        lambda n: click.echo(options.is_given("n"))  # noqa: ARG005
    )  # type: ignore[assignment]
    from click.testing import CliRunner

    assert CliRunner().invoke(command, []).output == "False\n"
    assert CliRunner().invoke(command, ["--n", "3"]).output == "True\n"
