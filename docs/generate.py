"""Pages that follow from the code: measures, command line, files, public names, validation.

They are written when the site is built, and not committed.
"""

from __future__ import annotations

import ast
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click
import pandas as pd
import worked
from pydantic import BaseModel
from typeset import typeset

from sdcmetrics import Rule, Scenario, Study, read
from sdcmetrics.cli.app import app
from sdcmetrics.measures.measure import FAMILIES, Measure
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.rbridge.defects import KNOWN, SINCE
from sdcmetrics.study import file, profile
from sdcmetrics.study.attacks import Attacks
from sdcmetrics.study.distributions import Distributions
from sdcmetrics.study.file import StudyFile
from sdcmetrics.study.models import Model
from sdcmetrics.study.options import Options
from sdcmetrics.study.prediction import Prediction
from sdcmetrics.study.propensity import Propensity
from sdcmetrics.study.ranking import RankingOptions

__all__ = ["run_examples", "run_in_r", "write_pages"]

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
    said = io.StringIO()
    with redirect_stdout(said):
        wrong = [
            path.name
            for path in sorted(pages)
            if doctest.testfile(str(path), module_relative=False, optionflags=FLAGS).failed
        ]
    if wrong:
        msg = f"{said.getvalue()}\nexamples do not hold in: {', '.join(wrong)}"
        raise ValueError(msg)


def run_in_r(page: Path) -> None:
    """Run the R of a page, where R, synthpop and this program are there; raise ValueError."""
    program, rscript = Path(sys.executable).with_name("sdcmetrics"), shutil.which("Rscript")
    if rscript is None or not program.exists():
        return
    blocks = re.findall(r"```r\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        code = [
            'for (one in c("synthpop", "jsonlite")) if (!requireNamespace(one)) quit(status = 0)',
            f'install.packages("{ROOT}/r/sdcmetricsr", "{folder}", repos = NULL, type = "source")',
            f'.libPaths(c("{folder}", .libPaths()))',
            f'options(browser = function(url) NULL, sdcmetrics.command = "{program}")',
            *blocks,
            "stopifnot(nrow(found$measurements) > 0, file.exists(found$report))",
        ]
        done = subprocess.run(  # noqa: S603  (the page is this repository's)
            [rscript, "-e", "\n".join(code)],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    if done.returncode:
        msg = f"{page.name} does not run in R: {done.stderr[-2000:]}"
        raise ValueError(msg)


def _row(*cells: object) -> str:
    safe = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(safe)} |"


def _table(*heads: str) -> list[str]:
    return [_row(*heads), _row(*("---" for _ in heads))]


def _code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


# ---- Measures -------------------------------------------------------------------------------


def _measures() -> Iterator[str]:
    yield "# Measures"
    yield (
        f"\nAll {len(MEASURES)} measures, made of their declarations. `sdcmetrics explain DiSCO` "
        "says the same of one. A measure without a line on release is never handed out.\n"
    )
    yield from _people()
    found = worked.values(full=True)
    if wrong := list(worked.check_by_hand(found)):
        raise ValueError("; ".join(wrong))
    for family in FAMILIES:
        yield f"## {family.capitalize()}\n"
        here = [one for one in MEASURES.values() if one.family == family]
        yield from _table("symbol", "measure")
        yield from (_row(f"[{one.symbol}](#{_anchor(one.symbol)})", one.title) for one in here)
        yield ""
        for one in here:
            yield from _measure(one, found.get(one.symbol))


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
    yield from _table(*(f"{name}: {', '.join(shown)}" for name in data))
    for rows in zip(*(one[shown].astype(str).to_numpy() for one in data.values()), strict=True):
        yield _row(*(" ".join(row).replace(".0", "") for row in rows))
    yield ""
    for keys in (["sex"], ["sex", "area"]):
        counts = [
            pd.crosstab([one[key] for key in keys], one["vote"])[["yes", "no"]]
            for one in (data["original"], data["replica"])
        ]
        both = pd.concat(counts, axis=1).fillna(0).astype(int)
        yield from _table(", ".join(keys), "original: yes", "no", "replica: yes", "no")
        for name, row in both.iterrows():
            yield _row(name if isinstance(name, str) else ", ".join(name), *row)
        yield ""


def _measure(one: Measure, found: Mapping[str, Any] | None) -> Iterator[str]:
    yield f"({_anchor(one.symbol)})=\n### {one.symbol}\n\n{one.title}. {one.meaning}\n"
    yield from _table("", "")
    unit = f", {one.unit}" if one.unit else ""
    ideal = "" if one.ideal is None else f"; {one.ideal:g} if replica and original are equal"
    yield _row("range", f"{one.range}{unit}; {BETTER[one.better]}{ideal}")
    yield _row("formula", typeset(one.formula) or one.formula)
    if found:
        yield _row("example", _example(one, found))
    yield _row("measured", f"once per {one.of.per}" if one.of.per else one.of.name)
    yield _row("source", one.source)
    yield _row("limits", one.limits)
    if one.aliases:
        yield _row("also called", ", ".join(one.aliases))
    if one.yardstick:
        yield _row("copy and fresh people", one.yardstick.words)
        yield _row("other packages", "[what they say of a copy](../the-copy-test.md)")
    if one.tested:
        yield _row("tried on fresh data", "[every p, tested](../every-p-tested.md)")
    if one.twin:
        yield _row("in synthpop", one.twin.words)
        if one.twin.differs:
            yield _row("differs from it", one.twin.differs)
    metric = getattr(one.function, "metric", None)
    if metric is not None and metric.defect:
        yield _row(f"avoids, of {metric.suite}", metric.defect)
    if metric is not None:
        page = f"../{metric.suite.lower()}.md"
        yield _row("as published", f"[{metric.suite}'s definitions, and why others]({page})")
    if one.release:
        yield _row("release", one.release.rule)
    yield ""


def _example(one: Measure, found: Mapping[str, Any]) -> str:
    if math.isnan(found["value"]):
        return f"not of ten people: {found['reason']}"
    value = f"{found['value'] if abs(found['value']) > 1e-12 else 0:.4g}"  # noqa: PLR2004
    if one.symbol in worked.BY_HAND:
        value = f"{typeset(worked.BY_HAND[one.symbol])} = {value}"
    of = [*found["variables"], *(found[n] for n in ("target", "model", "rule") if found[n])]
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
    yield from _table("code", "meaning")
    said = ast.get_docstring(ast.parse((ROOT / "sdcmetrics/cli/app.py").read_text("utf-8"))) or ""
    codes = " ".join(said.partition("Exit codes: ")[2].split()).rstrip(".")
    for part in codes.split("; "):
        for one in re.split(r", (?=\d)", part):
            number, _, meaning = one.partition(" ")
            yield _row(number, meaning)


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
    for one in sorted(profile.PROFILES.glob("*.toml")):
        yield f"## {one.stem}.toml\n\n```toml\n{one.read_text('utf-8')}```\n"


def _sections(model: type[BaseModel]) -> Iterator[str]:
    plain = []
    for name, entry in model.model_fields.items():
        section, many = _section_of(entry.annotation)
        if section is None:
            plain.append((name, entry))
            continue
        title = f"[[{name}]]" if many == "list" else f"[{name}.NAME]" if many else f"[{name}]"
        doc = re.sub(r"^``.*?``: ", "", " ".join((section.__doc__ or "").split()))
        yield f"## {title}\n\n{doc[:1].upper()}{doc[1:]}\n"
        meanings = _meanings(SAID_BY.get(section))
        yield from _table("key", "value", "default", "meaning")
        yield from (_key(*pair, meanings) for pair in section.model_fields.items())
        yield ""
    if plain:
        yield "## Other entries\n"
        meanings = _meanings(Study) | _meanings(profile.Profile) | _meanings(Options)
        yield from _table("key", "value", "default", "meaning")
        yield from (_key(*pair, meanings) for pair in plain)
        yield ""


def _section_of(kind: Any) -> tuple[type[BaseModel] | None, str]:
    arguments = [one for one in typing.get_args(kind) if one is not type(None)]
    origin = typing.get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind, ""
    if origin in (list, dict, types.UnionType, typing.Union) and arguments:
        inside, _ = _section_of(arguments[-1])
        return inside, origin.__name__ if origin in (list, dict) else ""
    return None, ""


SAID_BY: dict[type[BaseModel], Any] = {
    file.StudySection: Study,
    file.DataSection: Study,
    file.ReadSection: read,
    file.RolesSection: Study,
    file.ScenarioSection: Scenario,
    file.ModelSection: Model,
    file.RuleSection: Rule,
    file.PropensitySection: Propensity,
    file.AttacksSection: Attacks,
    file.DistributionsSection: Distributions,
    file.PredictionSection: Prediction,
    file.SampleSection: Sample,
    file.OptionsSection: Options,
    file.RankingSection: RankingOptions,
    profile._General: profile.Profile,
    profile._Limits: profile.Threshold,
    profile._Frame: profile.Criterion,
}
"""Whose docstring says what the keys of a section mean."""


ELSE = {
    "title": "Of the report, or of the profile.",
    "original": "The confidential file.",
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
    "kind": "A rule, author advice, a reference value or an illustration.",
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
        f"{words} {getattr(one, sign)}"
        for one in entry.metadata
        for sign, words in limits.items()
        if hasattr(one, sign)
    ]
    default = "required" if entry.is_required() else _code(_shown(entry.default))
    value = ", ".join([_words(entry.annotation), *bounds])
    return _row(_code(name), value, default, meanings.get(name) or ELSE.get(name, ""))


def _shown(value: Any) -> str:
    return "" if value is None else json.dumps(value, default=str)


WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def _words(kind: Any) -> str:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return _words(arguments[0])
    if origin is typing.Literal:
        return " or ".join(_code(json.dumps(one)) for one in arguments)
    if origin is list:
        return f"list of: {_words(arguments[0])}"
    if origin is dict:
        return f"section of names = {_words(arguments[1])}"
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_words(one) for one in arguments if one is not type(None))
    return WORDS.get(kind, getattr(kind, "__name__", str(kind)))


# ---- Public names ---------------------------------------------------------------------------


def _api() -> Iterator[str]:
    yield "# Public names\n"
    yield (
        "Data sets come first, in the order original, synthetic, holdout; all else is named. "
        "`import sdcmetrics as sdc` imports a name when it is first used.\n"
    )
    groups = defaultdict(list)
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
            found = getattr(sdcmetrics, name)
            if isinstance(found, type):
                yield f".. autoclass:: sdcmetrics.{name}\n   :members:\n"
            elif callable(found):
                yield f".. autofunction:: sdcmetrics.{name}\n"
        yield "```\n"
    yield "## rbridge\n\n```{eval-rst}\n.. automodule:: sdcmetrics.rbridge\n   :members:\n```\n"


# ---- Validation -----------------------------------------------------------------------------


def _validation() -> Iterator[str]:
    from tests.recorded import all_cases, number
    from tests.reference import test_fits, test_tables

    own = [case for case in all_cases() if case.folder.parent.name == "reference"]
    own = [case for case in own if case.folder.is_relative_to(ROOT)]
    yield "# Validation\n"
    first = own[0].expected["generated_by"].partition("record_reference.R with ")[2]
    yield (
        f"What {first} answered is recorded in `tests/reference`, for {len(own)} data sets made of "
        "R's own. Here the same calls are made natively, when this page is built.\n"
    )
    found: dict[str, list[float]] = defaultdict(list)
    intended = []
    calls: dict[str, Callable[[Any, str, dict[str, Any]], Iterator[tuple[str, float, float]]]] = {
        "utility.tab": lambda *at: _tab(test_tables, number, *at),
        "disclosure": lambda *at: _disclosure(test_tables, number, *at),
        "fit": lambda *at: _fit(test_fits, number, *at),
    }
    for case in own:
        for kind, compare in calls.items():
            for name, call in case.calls(kind):
                failed = "error" in case.expected[name]
                pairs = [] if failed else list(compare(case, name, call))
                if name in case.divergences:
                    apart = [one for one in pairs if _difference(*one) > 1e-8]  # noqa: PLR2004
                    intended.append((case.name, name, case.divergences[name], apart))
                else:
                    found[kind] += [_difference(*one) for one in pairs]
    yield from _table("function of synthpop", "values compared", "largest relative difference")
    for kind, differences in found.items():
        largest = max(differences)
        yield _row(_code(kind), f"{len(differences):,}", f"{largest:.1e}")
    yield "\n## Intended differences\n"
    yield (
        "Where synthpop pairs cells by position or compares numbers as text, this package differs. "
        "Each line can be repeated: the data and the call are in `tests/reference/CASE` "
        "(`params.json`), `Rscript r/record_reference.R FOLDER` asks synthpop again, and "
        "`pytest tests/reference -k CASE-CALL` this package.\n"
    )
    for defect in dict.fromkeys(why for _, _, why, _ in intended):
        yield f"\n### {defect}\n"
        yield from _table("case", "call", "for example", "sdcmetrics", "synthpop")
        for name, call, why, apart in intended:
            if why == defect:
                metric, ours, theirs = apart[0] if apart else ("", math.nan, math.nan)
                shown = ("", "") if not metric else (f"{ours:.6g}", f"{theirs:.6g}")
                yield _row(name, call, metric, *shown)
    yield "\n## synthpop's documented defects\n"
    yield "`sdcmetrics crosscheck` names them by these numbers.\n"
    yield from _table("number", "what synthpop does", "since")
    yield from (_row(n, words, SINCE.get(n, "")) for n, words in KNOWN.items())
    yield from _peers()


def _peers() -> Iterator[str]:
    from tests import peers

    yield "\n## Other packages and papers\n"
    yield (
        "What SynthEval and R's survey package answer of R's `infert` and a synthesis of it is "
        "recorded in `tests/reference/peers`, with the scripts that asked them, and compared when "
        "this page is made. The other answers are not in the repository (Platzer and Reutterer's "
        "data are large; DAISYnt is not published as a package): there the last comparison, by "
        "`record_others.py`, is shown.\n"
    )
    yield from _table("package", "values compared", "largest relative difference", "where")
    for name, pairs in peers.PEERS.items():
        found = [(_difference(*one), one[0]) for one in pairs()]
        largest, where = max(found)
        yield _row(name, f"{len(found):,}", f"{largest:.1e}", where)
    for row in peers.elsewhere().itertuples():
        yield _row(row.package, f"{row.values:,}", f"{row.largest:.1e}", row.where)
    yield "\n### Intended differences from SynthEval\n"
    yield (
        'As published (`mode="published"`) its numbers are SynthEval\'s, as above. By default they '
        "are corrected:\n"
    )
    yield from _table("metric", "what SynthEval does", "sdcmetrics", "SynthEval")
    for metric, why, ours, theirs in peers.intended():
        yield _row(metric, why, f"{ours:.4g}", f"{theirs:.4g}")
    yield (
        "\nTo repeat it, in a checkout:\n\n```python\nimport sdcmetrics as sdc\n"
        "from tests.peers import CATEGORICAL, infert, intended\n\n"
        'sets = [infert(name) for name in ("orig", "syn_1", "syn_2")]\n'
        'said = {"categorical": CATEGORICAL, "metrics": [metric for metric, *_ in intended()]}\n'
        'for mode in ("corrected", "published"):\n'
        '    print(sdc.syntheval(*sets, **said, mode=mode)["value"])\n'
        "```\n"
    )
    yield "### Intended differences from others\n"
    for one in peers.DIFFERENCES:
        yield (
            f"**{one.package}.** {one.why} There {one.theirs:.4g}, here {one.ours:.4g}:\n\n"
            f"```python\nimport pandas as pd\nimport sdcmetrics as sdc\n\n{one.code}\n```\n"
        )
    yield (
        "[DAISYnt's tests](../daisynt.md) have a table of their own, and [the copy test]"
        "(../the-copy-test.md) says what riskutility, anonymeter and others make of a copy.\n"
    )
    yield "### Further tests\n"
    yield "Their answers come from elsewhere, too; each says with what it compares.\n"
    yield from _table("test", "subject")
    named = re.compile(
        r"SynthEval|syntheval|sdcMicro|survey package|Platzer|anonymeter|Anonymeter|SDNist|DAISYnt"
        r"|scikit|synthgauge|R's|hepatitis|Comparative Metrics|synthpop|statsmodels|POT"
    )
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        line = " ".join(said.split("\n\n")[0].split())
        if named.search(line):
            yield _row(_code(path.relative_to(ROOT)), line)


Pairs = Iterator[tuple[str, float, float]]


def _difference(metric: str, ours: float, theirs: float) -> float:
    if metric == "dBhatt":  # a root of a difference near 0: rounding is of its square
        return 0.0 if abs(ours**2 - theirs**2) < 1e-12 else abs(ours - theirs)  # noqa: PLR2004
    if math.isnan(ours) or math.isnan(theirs):
        return 0.0 if math.isnan(ours) and math.isnan(theirs) else math.inf
    scale = max(abs(ours), abs(theirs))
    if ours == theirs or scale < 1e-12:  # noqa: PLR2004  (rounding of what is 0)
        return 0.0
    return abs(ours - theirs) / scale


def _tab(tests: Any, number: Any, case: Any, name: str, call: dict[str, Any]) -> Pairs:
    import sdcmetrics as sdc

    ours = sdc.utility_tab(
        case.original(),
        case.synthetic(),
        call["vars"],
        missing_codes=case.missing_codes,
        per_synthesis=True,
        **tests.options(call, tests.UTILITY_OPTIONS),
    )
    for metric in tests.utility_names(case.expected[name]):
        if metric not in ours:
            continue
        theirs = case.expected[name][metric]
        for i in range(len(ours)):
            value = theirs[i] if isinstance(theirs, list) else theirs
            yield metric, float(ours.iloc[i][metric]), number(value)


def _disclosure(tests: Any, number: Any, case: Any, name: str, call: dict[str, Any]) -> Pairs:
    import sdcmetrics as sdc

    keys = call["keys"] if isinstance(call["keys"], list) else [call["keys"]]
    ours = sdc.disclosure(
        case.original(),
        case.synthetic(),
        keys=keys,
        target=call["target"],
        missing_codes=case.missing_codes,
        synthpop="1.9-2",
        **tests.options(call, tests.DISCLOSURE_OPTIONS),
    )
    for part in ("ident", "attrib", "allCAPs"):
        for i, answer in enumerate(case.expected[name][part]):
            row = ours.per_synthesis.iloc[i]
            yield from ((n, float(row[n]), number(value)) for n, value in answer.items())


def _fit(tests: Any, number: Any, case: Any, name: str, call: dict[str, Any]) -> Pairs:
    table = tests.fit(case, call).coefficients
    if table.index.tolist() != case.expected[name]["terms"]:
        return
    for recorded, columns in tests.COLUMNS.items():
        for j, column in enumerate(columns):
            for ours, theirs in zip(table[column], case.expected[name][recorded], strict=True):
                yield column, float(ours), number(theirs[j])


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
        "of exact numbers, for internal use; a release draws its own of protected ones.\n"
    )
    start = "original, replicas = sdc.demo.load_original(), sdc.demo.load_replicas()"
    yield f"```python\nimport sdcmetrics as sdc\n\n{start}\n```\n"
    here: dict[str, Any] = {"sdc": sdc}
    exec(start, here)  # noqa: S102  (as above)
    for i, (title, code) in enumerate(FIGURES.items(), start=1):
        lines = inspect.cleandoc(code)
        exec(lines, here)  # noqa: S102  (as above)
        name = f"figure-{i}.svg"
        here["drawn"].save(ROOT / "docs" / "generated" / name)
        yield f"## {title}\n\n```python\n{lines}\n```\n"
        yield f"![{here['drawn'].title}]({name})\n\n{here['drawn'].description}\n"


PAGES = {
    "measures": _measures,
    "commands": _commands,
    "study-file": _study_file,
    "profile-file": _profile_file,
    "api": _api,
    "gallery": _gallery,
    "validation": _validation,
}
