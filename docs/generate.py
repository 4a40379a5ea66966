"""Pages that follow from the code: measures, command line, files, public names, validation.

They are written when the site is built, and not committed.
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import io
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import types
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click
import pandas as pd
import worked
from cells import code, row, table
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typeset import typeset
from validation import validation

from sdcmetrics import Rule, Scenario, Study, read
from sdcmetrics.cli import program as process
from sdcmetrics.cli.app import app
from sdcmetrics.decision.answer import SENTENCES
from sdcmetrics.decision.answer import WORDS as ANSWERS
from sdcmetrics.decision.state import Holdout, PeopleFacts, State
from sdcmetrics.decision.statement import typeset as printed
from sdcmetrics.decision.status import severity
from sdcmetrics.decision.table import Question, Row
from sdcmetrics.measures.measure import FAMILIES, Measure
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.measures.reference_values import ITSELF, ReferenceValues
from sdcmetrics.measures.registry import MEASURES, SECTIONS
from sdcmetrics.measures.section import Section
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.study import file, limits, profile
from sdcmetrics.study.file import ReleaseSection, StudyFile
from sdcmetrics.study.kinds import HowMade
from sdcmetrics.study.models import Model
from sdcmetrics.study.options import Options
from sdcmetrics.study.ranking import RankingOptions

ROOT = Path(__file__).parents[1]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
BETTER = {"lower": "lower is better", "higher": "higher is better", "none": "helps to read others"}


def write_pages(folder: Path) -> None:
    """Write every page into a folder."""
    folder.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        text = "\n".join(make()) + "\n"
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def run_examples(pages: Iterable[Path]) -> None:
    """Run the examples of pages; raise ValueError with what differs."""
    output = io.StringIO()
    with redirect_stdout(output):
        wrong = [
            path.name
            for path in sorted(pages)
            if doctest.testfile(str(path), module_relative=False, optionflags=FLAGS).failed
        ]
    if wrong:
        msg = f"{output.getvalue()}\nexamples do not hold in: {', '.join(wrong)}"
        raise ValueError(msg)


def run_in_r(page: Path) -> None:
    """Run the R of a page, where R, synthpop and this program are there; raise ValueError."""
    program, rscript = Path(sys.executable).with_name("sdcmetrics"), shutil.which("Rscript")
    if rscript is None or not program.exists():
        return
    blocks = re.findall(r"```r\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            'for (one in c("synthpop", "jsonlite")) if (!requireNamespace(one)) quit(status = 0)',
            f'install.packages("{ROOT}/r/sdcmetricsr", "{folder}", repos = NULL, type = "source")',
            f'.libPaths(c("{folder}", .libPaths()))',
            f'options(browser = function(url) NULL, sdcmetrics.command = "{program}")',
            *blocks,
            "stopifnot(nrow(result$measurements) > 0, file.exists(result$report))",
        ]
        done = subprocess.run(  # noqa: S603  (the page is this repository's)
            [rscript, "-e", "\n".join(lines)],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    if done.returncode:
        msg = f"{page.name} does not run in R: {done.stderr[-2000:]}"
        raise ValueError(msg)


# ---- The decision ---------------------------------------------------------------------------


TITLES: dict[Question, str] = {"risk": "May it be released?", "utility": "Is it useful?"}

WHEN = {
    Claim.COPY: "As many records, and every whole record as often, in any order.",
    Claim.RENAMED: "As many records, and every table of two columns is equal up to the names of "
    "its values.",
    Claim.ALIGNED: "As many records, and rows are nearest to the row of the same number, whatever "
    "half of the columns is looked at: at least 30 %, where chance gives 14 %.",
    Claim.HOLDS: "With a holdout: the replica has more records that only one real person has from "
    "the original than the holdout's share allows, or more equal pairs, which the holdout "
    "confirms.",
    Claim.EITHER: "Without a holdout, or where it is too small to speak: more records of original "
    "and replica are equal or nearly so, or each other's closest, than two independent samples "
    "give.",
    Claim.FOLLOWS: "More records of original and replica are each other's closest than two "
    "independent samples give, and the holdout confirms it.",
    Claim.OUTSIDERS: "With a holdout: of the people whom alone a record of the replica equals, "
    "more are of the holdout than its share allows, and more records of replica and holdout are "
    "equal than two independent samples give.",
    Claim.AVOIDS: "With a holdout: of the people whom a record of the replica equals, or is nearer "
    "to than other people, so few are of the original that it is no chance (0.1 % each), and "
    "nothing above is claimed.",
    Claim.CLOSER: "With a holdout: records of the replica lie closer to people of the original "
    "than to people of the holdout, and nothing above is claimed.",
    Claim.UNDECIDED: "Pairs are too many, and the holdout neither confirms it nor speaks against "
    "it.",
    Claim.DEDUPLICATED: "Without a holdout: the original has repeated records, the replica none.",
    Claim.LEFT_OUT: "Original and replica hardly share the values of a column.",
    Claim.FEW_COLUMNS: "Not even two columns can be compared.",
    Claim.COLUMNS: "A replica of the same columns, each permuted by itself, shows the same.",
    Claim.VOID: "Pairs are too many, and as many are with the holdout.",
    Claim.ORDER: "As many records, and rows are near the row of the same number.",
    Claim.HOLDOUT_DIFFERS: "The holdout is no random part of original and holdout together.",
}
"""When each claim about people is made; the page is not written if one is missing."""


def _decision() -> Iterator[str]:
    yield "# Every sentence of a decision"
    yield (
        "\nMade of the table from which decisions are composed: every sentence that is true of a "
        "replica is stated, and the answer to a question is the worst that one of its sentences "
        "asks for. What is in italics is filled in, here with an example. [How the decision is "
        "made](../the-decision.md) says what it rests on, and [what to do with each "
        "answer](../how-to/after-the-answer.md) what comes next.\n"
    )
    yield "## What is claimed of people\n"
    yield from table("claim", "when it is made", "may it be released?")
    for claim in Claim:
        statuses = {statement.status: None for statement in _stated_of(claim)}
        beside = "stated beside the answer"
        words = [beside if status is None else ANSWERS["risk"][status] for status in statuses]
        yield row(claim.value, WHEN[claim], "; or, if it is by little, ".join(words))
    for question, title in TITLES.items():
        yield f"\n## {title}\n"
        yield from table("answer", "sentence")
        rows = [sentence for sentence in SENTENCES if sentence.question == question]
        rows.sort(key=lambda one: 1 if one.status is None else -severity(one.status))
        for sentence in rows:
            answer = "" if sentence.status is None else ANSWERS[question][sentence.status]
            yield row(answer, _sentence_of(sentence))


def _stated_of(claim: Claim) -> list[Row]:
    """Return the sentences on risk that one claim adds, by itself, to those of a file without."""
    holdout: Holdout = "differs" if claim is Claim.HOLDOUT_DIFFERS else "used"
    both = [
        State(people=PeopleFacts(tested=True, holdout="used")),
        State(people=PeopleFacts(tested=True, claims=frozenset({claim}), holdout=holdout)),
    ]
    only = frozenset({claim})
    far = State(people=PeopleFacts(tested=True, claims=only, far=True, most=claim is Claim.HOLDS))
    return [
        sentence
        for sentence in SENTENCES
        if sentence.question == "risk"
        and (sentence.condition(both[1]) or sentence.condition(far))
        and not sentence.condition(both[0])
    ]


def _sentence_of(one: Row) -> str:
    """Return the words of a sentence, its fields in italics: an example, or their names."""
    apart = re.sub(r"(?<=\w)(?=\{)|(?<=\})(?=\w)", " ", one.words)  # some fields hold a space

    def example(field: re.Match[str]) -> str:
        words = FILLED.get(field[1], field[1].replace("_", " "))
        return f"*{words}*" if words else ""

    return printed(re.sub(r"\{(\w+)\}", example, apart))


FILLED = {
    "ordered": "at least 95 %",
    "hits": "130 of 630 are equal to a record of it and to nobody else",
    "outsiders": "40 of 314 are equal to a record of it and to nobody else",
    "avoided": "0 of 630, and of people left out 40 of 314",
    "holds": "It holds",
    "its": "Its records",
    "deciding": "A holdout",
    "clusters": "people",
    "closer": "12 %",
    "left_out": "age and income",
    "share": "share",
    "were": "were",
    "untested": "",
    "unnoticed": "Up to 6 people",
    "noticed": "7",
    "differs": "(p = 0.002)",
    "learns": "Whoever knows age, sex learns vote of",
    "of_original": "47 %",
    "whom": "the people in the original",
    "but": "but of",
    "of_others": "32 %",
    "others": "people who were not in it",
    "position": "0.55",
    "chance": "0.01",
    "points": "1 point",
    "question": "age, sex → vote",
    "noticeable": "7 of the 8 questions",
    "asked": "8",
    "silent": "1",
    "silent_names": "alone with sex",
    "drifted": "sex → vote",
    "known": "age, sex learns vote of 97 %",
    "other_words": "income",
    "cluster": "household",
    "excess_unused": "",
    "tables_unused": "",
    "table_cluster": "household",
    "kept": "age by region; region by sector",
    "identifiers": "mail, 630 of 630 different values",
    "suspects": "phone",
    "claimed_epsilon": "1",
    "shown_epsilon": "2.3",
    "largest_epsilon": "9.1",
    "unbounded": "no attack was asked for",
    "together": "2 files",
    "those": "those",
    "them": "them",
    "earlier": "2 files",
    "was_out": "were",
    "disclosing": "2 files",
    "failed_of": "2 of 204 tables",
    "failed": "income by vote; income by sex",
    "size_fail": "0.3",
    "called": "age by vote",
    "differ": "differs",
    "table_chance": "0.01",
    "tables": "204 tables",
    "no_share": "",
    "passed": "DiSCO of vote is 31.7 %",
    "passed_origin": "of the disclosure control unit",
    "tables_origin": "of the disclosure control unit",
    **{
        f"{part}_{status}{of}": words
        for part, example in (
            ("limits", "DiSCO of vote is 57.5 %"),
            ("table_limits", "S_pMSE of age by vote is 12.3"),
            ("rules", "rule_severity of age >= 18 is 0.02"),
            ("models", "CIO of income ~ age is -0.4"),
        )
        for status in ("FAIL", "REVIEW", "NOT_JUDGED", "WITHIN")
        for of, words in (("", example), ("_origin", "of the disclosure control unit"))
    },
    "invented": "age",
    "one_sided": "income",
    "lacking": "income",
    "total_percent": "83 %",
    "none_of": "None of 204 tables differs",
    "notice": "30",
    "notice_w": "0.57",
    "advised": "3 tables are",
    "advice": "3",
}
"""Examples of what is filled into sentences."""


# ---- Measures -------------------------------------------------------------------------------


def _measures() -> Iterator[str]:
    yield "# Measures"
    yield (
        f"\nAll {len(MEASURES)} measures, made of their declarations. `sdcmetrics explain DiSCO` "
        "says the same of one. A measure without a line on release is never told outside.\n"
    )
    yield from _people()
    shown = worked.values(full=True)
    if wrong := list(worked.check_by_hand(shown)):
        raise ValueError("; ".join(wrong))
    for family in FAMILIES:
        yield f"## {family.capitalize()}\n"
        here = [measure for measure in MEASURES.values() if measure.family == family]
        yield from table("symbol", "measure")
        yield from (
            row(f"[{measure.symbol}](#{_anchor(measure.symbol)})", measure.title)
            for measure in here
        )
        yield ""
        for measure in here:
            yield from _measure(measure, shown.get(measure.symbol))


def _people() -> Iterator[str]:
    yield "## The ten people of the examples\n"
    yield (
        "Every example below is of these people: ten of an original, beside them the ten records "
        "of a replica, and ten others as a holdout. Keys are sex and area, the target is vote. "
        "Women weigh 100 people each, men 150. Where a number is worked out by hand, it is "
        "compared with what the measure's own function gives whenever this page is made.\n"
    )
    data = worked.people()
    shown = ["sex", "area", "vote", "age", "income"]
    yield from table(*(f"{name}: {', '.join(shown)}" for name in data))
    for rows in zip(*(frame[shown].astype(str).to_numpy() for frame in data.values()), strict=True):
        yield row(*(" ".join(cells).replace(".0", "") for cells in rows))
    yield ""
    for keys in (["sex"], ["sex", "area"]):
        counts = [
            pd.crosstab([frame[key] for key in keys], frame["vote"])[["yes", "no"]]
            for frame in (data["original"], data["replica"])
        ]
        both = pd.concat(counts, axis=1).fillna(0).astype(int)
        yield from table(", ".join(keys), "original: yes", "no", "replica: yes", "no")
        for name, numbers in both.iterrows():
            yield row(", ".join(name) if isinstance(name, tuple) else str(name), *numbers)
        yield ""


def _measure(measure: Measure, example: Mapping[str, Any] | None) -> Iterator[str]:
    yield f"({_anchor(measure.symbol)})=\n### {measure.symbol}\n"
    yield f"{measure.title}. {measure.meaning}\n"
    yield from table("", "")
    unit = f", {measure.unit}" if measure.unit else ""
    ideal = (
        "" if measure.ideal is None else f"; {measure.ideal:g} if replica and original are equal"
    )
    yield row("range", f"{measure.range}{unit}; {BETTER[measure.better]}{ideal}")
    yield row("formula", typeset(measure.formula) or measure.formula)
    if measure.where:
        yield row("where", measure.where)
    if example:
        yield row("example", _example(measure, example))
    yield row("measured", f"once per {measure.of.per}" if measure.of.per else measure.of.name)
    yield row("source", measure.source)
    yield row("limits", measure.limits)
    if measure.aliases:
        yield row("also called", ", ".join(measure.aliases))
    if measure.reference_values:
        yield row("copy and the holdout", measure.reference_values.words)
        yield row("a copy scores", _of_copy(measure.reference_values))
        yield row("other packages", "[what they say of a copy](../the-copy-test.md)")
    if measure.tested:
        yield row("tried on fresh data", "[every p, tested](../every-p-tested.md)")
    if measure.twin:
        yield row("in synthpop", measure.twin.words)
        if measure.twin.differs:
            yield row("differs from it", measure.twin.differs)
    metric = getattr(measure.function, "metric", None)
    if metric is not None and metric.defect:
        yield row(f"avoids, of {metric.suite}", metric.defect)
    if metric is not None:
        page = f"../{metric.suite.lower()}.md"
        yield row("as published", f"[{metric.suite}'s definitions, and why others]({page})")
    if measure.release:
        yield row("for a checker", measure.release.rule)
        if measure.release.sum is not None:
            most = measure.release.sum.sensitivity
            yield row("release", f"a sum over people with noise; one person moves it by {most}")
    yield ""


def _of_copy(reference_values: ReferenceValues) -> str:
    """Return what a copy scores, what that is a fact about, and how it is compared."""
    if reference_values.copy == ITSELF:
        copy = "the same: it looks at the original only"
    else:
        known = isinstance(reference_values.copy, float | int | str)
        copy = f"{reference_values.copy}" if known else "what is computed"
    fact = (
        "a constant"
        if reference_values.release == "constant"
        else f"a fact about {reference_values.release}"
    )
    how = f"; {reference_values.procedure}" if reference_values.procedure else ""
    size = ", which depends on the number of records" if reference_values.at else ""
    return f"{copy}{size}; {fact}{how}"


def _example(measure: Measure, example: Mapping[str, Any]) -> str:
    if math.isnan(example["value"]):
        return f"not of ten people: {example['reason']}"
    value = f"{example['value'] if abs(example['value']) > 1e-12 else 0:.4g}"  # noqa: PLR2004
    if measure.symbol in worked.BY_HAND:
        value = f"{typeset(worked.BY_HAND[measure.symbol])} = {value}"
    of = [*example["variables"], *(example[n] for n in ("target", "model", "rule") if example[n])]
    return f"{value}, of {' and '.join(of)}" if of else value


def _anchor(symbol: str) -> str:
    return "measure-" + re.sub(r"\W+", "-", symbol)


# ---- Command line ---------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    yield "# Command line\n"
    yield "Made of the program's own help.\n"
    program = click.Context(app, info_name="sdcmetrics", **app.context_settings)
    for name, command in app.commands.items():
        context = click.Context(command, info_name=name, parent=program)
        yield f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"
    yield "## Exit codes\n"
    yield from table("code", "meaning")
    text = process.__doc__ or ""
    codes = " ".join(text.partition("Exit codes: ")[2].split()).rstrip(".")
    for part in codes.split("; "):
        for code_and_words in re.split(r", (?=\d)", part):
            number, _, meaning = code_and_words.partition(" ")
            yield row(number, meaning)


# ---- Study and profile files ----------------------------------------------------------------


def _study_file() -> Iterator[str]:
    yield "# Study file\n"
    yield (
        "Every section and every key that a study file (TOML) may hold, made of its schema. "
        "An unknown key is an error that names the closest one. "
        "`sdcmetrics init` writes a first file.\n"
    )
    yield from _sections(StudyFile)


def _profile_file() -> Iterator[str]:
    yield "# Profile file\n"
    yield (
        "The limits of an agency (TOML). `sdcmetrics profiles illustration` shows one; "
        "`sdcmetrics init ... --profile limits.toml` writes one to be changed.\n"
    )
    yield from _sections(profile._File)
    for path in sorted(profile.PROFILES.glob("*.toml")):
        yield f"## {path.stem}.toml\n\n```toml\n{path.read_text('utf-8')}```\n"


def _sections(model: type[BaseModel]) -> Iterator[str]:
    plain = []
    for name, entry in model.model_fields.items():
        section, repeated = _section_of(entry.annotation)
        if section is None:
            plain.append((name, entry))
            continue
        title = (
            f"[[{name}]]" if repeated == "list" else f"[{name}.NAME]" if repeated else f"[{name}]"
        )
        text = (section.__doc__ or "").partition("\n\n")[0]
        doc = re.sub(r"^``.*?``: ", "", " ".join(text.split()))
        yield f"## {title}\n\n{doc[:1].upper()}{doc[1:]}\n"
        meanings = _meanings(SAID_BY.get(section))
        yield from table("key", "value", "default", "meaning")
        yield from (
            _key(*pair, meanings)
            for pair in _entries_of(section).items()
            if pair[0] != "missing_codes"
        )
        yield ""
    if plain:
        yield "## Other entries\n"
        meanings = _meanings(Study) | _meanings(profile.Profile) | _meanings(Options)
        yield from table("key", "value", "default", "meaning")
        yield from (_key(*pair, meanings) for pair in plain)
        yield ""


def _entries_of(section: type[Any]) -> dict[str, FieldInfo]:
    """Return the entries of a section, or of a model of pydantic's."""
    if issubclass(section, BaseModel):
        return section.model_fields
    hints = typing.get_type_hints(section, include_extras=True)
    return {
        entry.name: _entry_of(entry, hints[entry.name]) for entry in dataclasses.fields(section)
    }


def _entry_of(field: dataclasses.Field[Any], hint: Any) -> FieldInfo:
    """Return an entry of a section, without a default where it is required."""
    if callable(field.default_factory):
        return FieldInfo.from_annotated_attribute(hint, field.default_factory())
    if field.default is dataclasses.MISSING:
        return FieldInfo.from_annotation(hint)
    return FieldInfo.from_annotated_attribute(hint, field.default)


def _section_of(kind: Any) -> tuple[type[Any] | None, str]:
    arguments = [argument for argument in typing.get_args(kind) if argument is not type(None)]
    origin = typing.get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel | Section):
        item = getattr(kind, "item", None)
        return (kind, "") if item is None else (item, "list")
    if origin in (list, dict, types.UnionType, typing.Union) and arguments:
        inside, several = _section_of(arguments[-1])
        return inside, origin.__name__ if origin in (list, dict) else several
    return None, ""


SAID_BY: dict[type[Any], Any] = {
    file.StudySection: Study,
    file.DataSection: Study,
    file.ReadSection: read,
    file.RolesSection: Study,
    file.KindSection: HowMade,
    file.ScenarioSection: Scenario,
    file.ModelSection: Model,
    file.RuleSection: Rule,
    **{section: section for section in SECTIONS.values()},
    **{section.item: section.item for section in SECTIONS.values() if section.item},
    file.SampleSection: Sample,
    Options: Options,
    RankingOptions: RankingOptions,
    ReleaseSection: ReleaseSection,
    profile._General: profile.Profile,
    limits.Limits: limits.Threshold,
    profile._Frame: profile.Criterion,
}
"""Whose docstring says what the keys of a section mean."""


ELSE = {
    "title": "What the report calls the study, or the profile.",
    "original": "The confidential file, folder, pattern or address.",
    "engine": "What reads files: with `spark` they are counted where Spark runs, with `memory` "
    "read whole.",
    "keys": "Columns that an intruder knows.",
    "targets": "Columns that an intruder wants to know; by default all others.",
    "name": "What the report calls it.",
    "description": "In words, for the report.",
    "formula": "In R's notation, such as income ~ age + sex.",
    "family": "Of the model; see `fit_overlap`.",
    "methods": "See `utility_gen`.",
    "permutations": "How often labels are exchanged; a p is at least 1 / (1 + permutations).",
    "lonely": "What is done with a stratum of one cluster; see `weighted_tables`.",
    "weights": "Of families (general, specific, disclosure) or measures; they sum to 1.",
    "metrics": "Measures of a family, with weights that sum to 1.",
    "style": "Groups of as many records, or of equal width.",
    "missing_codes": "Numbers that stand for a kind of missing, by column.",
    "owner": "Who is answerable for using it.",
    "source": "Where the value, or the words, come from.",
    "date": "When it was decided.",
    "chance": "Level of the test over all tables of a replica (S_pMSE), or all questions (DiSCO, "
    "repU): with it, a limit is a rule.",
    "size_review": "w, on Cohen's scale, above which a table is called; of S_pMSE only.",
    "size_fail": "What the lower limit of w is above where a table fails; of S_pMSE only.",
    "excess": "Points more than of people who were not in the original; of DiSCO and repU only.",
    "excess_share": "Share of what the original itself would add from which it fails; as `excess`.",
    "kind": "A rule, a package default, author advice, a reference value or an illustration.",
    "frame": "The guideline.",
    "criterion": "What it asks for.",
    "measures": "Symbols of the measures that speak to it.",
}
"""What keys mean whose docstring says no more than their kind."""


def _meanings(said_by: Any) -> dict[str, str]:
    """Return what a docstring says of each parameter or attribute: its text, or its kind."""
    lines = (inspect.getdoc(said_by) or "").splitlines()
    out: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        if line.startswith("    ") and names:
            for name in names:
                out[name] = f"{out.get(name, '')} {line.strip()}".strip()
        else:
            heads, colon, kind = line.partition(" : ")
            names = re.findall(r"\w+", heads) if colon else []
            if kind.strip() not in ("str", "int", "float", "bool", "date"):
                out |= dict.fromkeys(names, "")
    return {name: text[:1].upper() + text[1:] for name, text in out.items()}


def _key(name: str, entry: Any, meanings: dict[str, str]) -> str:
    limits = {"ge": "at least", "gt": "above", "le": "at most", "min_length": "length at least"}
    bounds = [
        f"{words} {getattr(constraint, sign)}"
        for constraint in entry.metadata
        for sign, words in limits.items()
        if hasattr(constraint, sign)
    ]
    default = (
        "required"
        if entry.is_required()
        else code(_shown(entry.get_default(call_default_factory=True)))
    )
    value = ", ".join([_words(entry.annotation), *bounds])
    return row(code(name), value, default, meanings.get(name) or ELSE.get(name, ""))


def _shown(value: Any) -> str:
    return "" if value is None else json.dumps(value, default=str)


WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def _words(kind: Any) -> str:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return _words(arguments[0])
    if origin is typing.Literal:
        return " or ".join(code(json.dumps(argument)) for argument in arguments)
    if origin in (list, tuple):
        return f"list of: {_words(arguments[0])}"
    if origin is dict:
        return f"section of names = {_words(arguments[1])}"
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_words(argument) for argument in arguments if argument is not type(None))
    if kind is Any:  # checked when it is read: a number, or the name of a column
        return "number or text"
    return WORDS.get(kind, getattr(kind, "__name__", str(kind)))


# ---- Public names ---------------------------------------------------------------------------


def _api() -> Iterator[str]:
    yield "# Public names\n"
    yield (
        "Data sets come first, in the order original, synthetic, holdout; all else is named. "
        "`import sdcmetrics as sdc` imports a name when it is first used.\n"
    )
    groups: dict[str, list[str]] = defaultdict(list)
    stub = ast.parse((ROOT / "sdcmetrics" / "__init__.pyi").read_text("utf-8"))
    for node in stub.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = node.module.split(".")
            subject = parts[1] if parts[0] == "measures" and len(parts) > 2 else parts[0]  # noqa: PLR2004
            groups[subject].extend(alias.name for alias in node.names)
    import sdcmetrics

    for subject, names in groups.items():
        yield f"## {subject}\n\n```{{eval-rst}}"
        for name in names:
            public = getattr(sdcmetrics, name)
            if isinstance(public, type):
                yield f".. autoclass:: sdcmetrics.{name}\n   :members:\n"
            elif callable(public):
                yield f".. autofunction:: sdcmetrics.{name}\n"
        yield "```\n"
    yield "## rbridge\n\n```{eval-rst}\n.. automodule:: sdcmetrics.rbridge\n   :members:\n```\n"


# ---- Gallery --------------------------------------------------------------------------------


FIGURES = {
    "Risk and utility of every replica": """
        study = sdc.Study(original, replicas, keys=["age", "educ", "PID"], targets=["vote"],
                          candidates=0)
        review = sdc.conduct(study)
        drawn = sdc.report.plot(review)""",
    "Replicas between references": """
        ranking = sdc.compare_replicas(review, anchors=True)
        drawn = sdc.report.plot(ranking)""",
    "A model fitted to both": """
        fit = sdc.fit_overlap(original, replicas["cart"], "TVnews ~ age + educ + income")
        drawn = sdc.report.plot(fit)""",
}


def _gallery() -> Iterator[str]:
    import sdcmetrics as sdc

    yield "# Gallery\n"
    yield (
        "Figures that `sdcmetrics.report.plot` draws, each from the code above it, run when this "
        "page is made. A report has these and more: `sdcmetrics demo` writes one. They are drawn "
        "of exact numbers, for internal use; a checker's edition draws its own of protected ones.\n"
    )
    start = "original, replicas = sdc.demo.load_original(), sdc.demo.load_replicas()"
    yield f"```python\nimport sdcmetrics as sdc\n\n{start}\n```\n"
    here: dict[str, Any] = {"sdc": sdc}
    exec(start, here)  # noqa: S102  (as above)
    for i, (title, drawing) in enumerate(FIGURES.items(), start=1):
        lines = inspect.cleandoc(drawing)
        exec(lines, here)  # noqa: S102  (as above)
        name = f"figure-{i}.svg"
        here["drawn"].save(ROOT / "docs" / "generated" / name)
        yield f"## {title}\n\n```python\n{lines}\n```\n"
        yield f"![{here['drawn'].title}]({name})\n\n{here['drawn'].description}\n"


PAGES = {
    "decision": _decision,
    "measures": _measures,
    "commands": _commands,
    "study-file": _study_file,
    "profile-file": _profile_file,
    "api": _api,
    "gallery": _gallery,
    "validation": validation,
}
