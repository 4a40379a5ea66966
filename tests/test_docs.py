"""The pages that are made of the code hold all of it, and links between pages lead somewhere."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from sdcmetrics import __version__
from sdcmetrics.cli.app import app
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.study.file import OptionsSection, RolesSection, StudyFile

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_measure_has_an_entry(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["measures"]())
    for one in MEASURES.values():
        assert f"### {one.symbol}\n\n{one.title}" in page
        assert one.meaning in page
    anchors = re.findall(r"^\((measure-.*)\)=", page, re.MULTILINE)
    assert len(anchors) == len({anchor.lower() for anchor in anchors}) == len(MEASURES)


def test_every_command_and_exit_code_is_told(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["commands"]())
    assert re.findall(r"^## ([a-z-]+)$", page, re.MULTILINE) == list(app.commands)
    assert "| 4 | a release report was blocked |" in page


def test_every_key_of_a_study_is_told(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["study-file"]())
    for name in StudyFile.model_fields:
        assert re.search(rf"^## \[+{name}\]+$|^\| `{name}` ", page, re.MULTILINE), name
    for section in (OptionsSection, RolesSection):
        for name in section.model_fields:
            assert f"| `{name}` |" in page
    assert not re.search(r"\|  \|$", page, re.MULTILINE), "a key without a meaning"
    assert "| `ngroups` | whole number, at least 1 | `5` | Groups of a numeric variable in" in page


def test_every_limit_of_a_profile_is_told(generate: ModuleType) -> None:
    page = "\n".join(generate.PAGES["profile-file"]())
    assert "## [thresholds.NAME]" in page
    assert "| `owner` | text, length at least 1 | required | " in page


def test_examples_that_do_not_hold_stop_the_build(generate: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(ValueError, match=r"examples do not hold in: page\.md"):
        generate.run_examples([page])


def test_the_study_file_of_the_docs_is_one() -> None:
    text = (DOCS / "how-to" / "files.md").read_text("utf-8")
    (block,) = [
        one for one in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[study]" in one
    ]
    StudyFile.model_validate(tomllib.loads(block))


def test_every_place_says_the_same_version() -> None:
    said = {
        "CITATION.cff": f"version: {__version__}",
        "r/sdcmetricsr/DESCRIPTION": f"Version: {__version__}",
        "CHANGELOG.md": f"## {__version__} ",
    }
    for name, line in said.items():
        assert f"\n{line}" in (ROOT / name).read_text("utf-8"), name


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS.rglob("*.md")], ids=lambda p: p.name)
def test_links_lead_to_pages(page: Path, generate: ModuleType) -> None:
    made = {f"{name}.md" for name in generate.PAGES}
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        target = (page.parent / link).resolve()
        there = target.name in made if target.parent == DOCS / "generated" else target.exists()
        assert there, link
