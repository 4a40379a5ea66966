"""The pages that are made of the code hold all of it, and links between pages lead somewhere."""

from __future__ import annotations

import html
import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from sdcmetrics import __version__
from sdcmetrics.cli.app import app
from sdcmetrics.decision.answer import SENTENCES
from sdcmetrics.decision.statement import typeset
from sdcmetrics.measures.options import Options
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.measures.section import names_of
from sdcmetrics.study.file import RolesSection, StudyFile

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.parent.name != "generated"]
"""Not those that a build writes, perhaps at this moment."""


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(DOCS))
    return module


def test_every_measure_has_an_entry(generate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    values = generate.worked.values  # what a study asks for beyond the default takes too long here
    monkeypatch.setattr(generate.worked, "values", lambda *, full: values(full=False))  # noqa: ARG005
    page = "\n".join(generate.PAGES["measures"]())
    for measure in MEASURES.values():
        assert f"### {measure.symbol}\n\n{measure.title}" in page
        assert measure.meaning in page
    anchors = re.findall(r"^\((measure-.*)\)=", page, re.MULTILINE)
    assert f"| example | {generate.typeset('VW/(4 - 1)')} = 0.1905, of sex and vote |" in page
    assert len(anchors) == len({anchor.lower() for anchor in anchors}) == len(MEASURES)
    disco = page.partition("### DiSCO\n")[2].partition("###")[0]
    text = "Dorig, which depends on the number of records; a fact about original; P1"
    assert f"| a copy scores | {text} |" in disco


def test_an_example_that_is_wrong_by_hand_stops_the_build(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked = generate.worked
    result = {symbol: {"value": worked.evaluate(symbol)} for symbol in worked.BY_HAND}
    assert list(worked.check_by_hand(result)) == []
    monkeypatch.setitem(worked.BY_HAND, "UiO", "100 * 3/10")
    assert list(worked.check_by_hand(result)) == ["UiO: by hand 30, by its function 20"]


def test_a_formula_in_maths_says_what_the_plain_one_says(generate: ModuleType) -> None:
    signs = {"∑": "sum", "π": "pi", "μ": "mu", "η": "eta"}
    for measure in MEASURES.values():
        text = html.unescape(re.sub(r"</?m\w+>", " ", generate.typeset(measure.formula)))
        said = re.findall(
            r"[A-Za-z]+|\d+", "".join(f" {signs[c]} " if c in signs else c for c in text)
        )
        plain = re.findall(r"[A-Za-z]+|\d+", measure.formula.replace("sqrt(", "("))
        assert said in ([], plain), measure.symbol


def test_every_letter_with_an_index_is_explained() -> None:
    for measure in MEASURES.values():
        if measure.of.name.startswith(("SynthEval", "DAISYnt")):
            continue  # their own pages explain them
        for letter in re.findall(r"(?<![\w])[A-Za-z]{1,2}_[a-z0-9]{1,2}(?![\w])", measure.formula):
            assert f"{letter}: " in f"{measure.where}; ", (measure.symbol, letter)


@pytest.mark.parametrize(
    ("formula", "inside"),
    [
        ("a b / (c + d)", "<mfrac><mrow><mi>a</mi><mi>b</mi></mrow><mrow><mi>c</mi>"),
        ("sum a b/c", "<mi>a</mi><mfrac><mi>b</mi><mi>c</mi></mfrac>"),
        ("1 - |a - b| / c", "<mfrac><mrow><mo>&#124;</mo>"),
        ("E[1 / F | f]", "<mfrac><mn>1</mn><mi>F</mi></mfrac><mo>&#124;</mo><mi>f</mi>"),
        ("x_q^2 / sum of weights", "<msup><msub><mi>x</mi><mi>q</mi></msub>"),
        ("x^2 / records", "<mo>&#47;</mo></math> records"),
    ],
)
def test_a_stroke_divides_what_it_divides(generate: ModuleType, formula: str, inside: str) -> None:
    assert inside in generate.typeset(formula)


def test_every_command_and_exit_code_is_told(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["commands"]())
    assert re.findall(r"^## ([a-z-]+)$", page, re.MULTILINE) == list(app.commands)
    assert "| 4 | a release was refused, or a checker's report blocked |" in page


def test_every_key_of_a_study_is_told(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["study-file"]())
    for name in StudyFile.model_fields:
        assert re.search(rf"^## \[+{name}\]+$|^\| `{name}` ", page, re.MULTILINE), name
    for section in (Options, RolesSection):
        for name in set(names_of(section)) - {"missing_codes"}:  # a section of its own
            assert f"| `{name}` |" in page
    assert not re.search(r"\|  \|$", page, re.MULTILINE), "a key without a meaning"
    assert "| `name` | text, length at least 1 | required | What the report calls it. |" in page
    assert "MISSING" not in page
    assert "| `ngroups` | whole number, at least 2 | `5` | Groups of a numeric variable in" in page


def test_every_limit_of_a_profile_is_told(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["profile-file"]())
    assert "## [thresholds.NAME]" in page
    assert "| `owner` | text, length at least 1 | required | " in page
    assert not re.search(r"\|  \|$", page, re.MULTILINE), "a key without a meaning"


def test_every_sentence_and_claim_of_a_decision_is_told(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "\n".join(generate.PAGES["decision"]())
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    for sentence in SENTENCES:
        words = re.split(r"\{\w+\}", typeset(sentence.words))
        assert any(all(part.strip() in line for part in words) for line in page.splitlines())
    claims = {cells[0].removeprefix("| "): cells[-1] for cells in rows if len(cells) == 3}
    assert set(claims) >= {claim.value for claim in Claim}
    assert claims[Claim.COPY.value] == "no |"
    assert claims[Claim.EITHER.value] == "not without a closer look |"
    assert claims[Claim.VOID.value] == "stated beside the answer |"
    monkeypatch.delitem(generate.WHEN, Claim.HOLDS)
    with pytest.raises(KeyError):
        list(generate.PAGES["decision"]())


def test_examples_that_do_not_hold_stop_the_build(generate: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(ValueError, match=r"examples do not hold in: page\.md"):
        generate.run_examples([page])


def test_the_study_file_of_the_docs_is_one() -> None:
    text = (DOCS / "how-to" / "files.md").read_text("utf-8")
    (block,) = [
        item for item in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[study]" in item
    ]
    StudyFile.model_validate(tomllib.loads(block))


def test_every_place_says_the_same_version() -> None:
    entries = {
        "CITATION.cff": f"version: {__version__}",
        "r/sdcmetricsr/DESCRIPTION": f"Version: {__version__}",
        "CHANGELOG.md": f"## {__version__} ",
    }
    for name, line in entries.items():
        assert f"\n{line}" in (ROOT / name).read_text("utf-8"), name


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda p: p.name)
def test_links_lead_to_pages(page: Path, generate: ModuleType) -> None:
    made = {f"{name}.md" for name in generate.PAGES}
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        target = (page.parent / link).resolve()
        there = target.exists() or (target.parent == DOCS / "generated" and target.name in made)
        assert there, link
