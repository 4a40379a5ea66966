"""The HTML: well formed, harmless, accessible, self-contained, the same every time."""

from __future__ import annotations

import itertools
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.report import write_html
from sdcmetrics.report.figures.heat import PALETTE
from sdcmetrics.report.figures.svg import BLUE, GREY, INK, ORANGE
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from tests.report.conftest import HOSTILE
from tests.report.pages import Element, Page

MODES = ("internal", "checker")


@pytest.fixture(scope="session")
def pages(
    review: Review,
    hostile_review: Review,
    profile: Profile,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[tuple[str, str], str]:
    folder = tmp_path_factory.mktemp("out")
    reviews = {"plain": review, "hostile": hostile_review}
    return {
        (name, mode): write_html(
            result, folder / f"{name}-{mode}.html", mode=mode, profile=profile
        ).read_text("utf-8")
        for name, result in reviews.items()
        for mode in MODES
    }


@pytest.fixture(params=MODES)
def html(request: pytest.FixtureRequest, pages: dict[tuple[str, str], str]) -> str:
    return pages["plain", request.param]


@pytest.fixture(params=MODES)
def hostile(request: pytest.FixtureRequest, pages: dict[tuple[str, str], str]) -> str:
    return pages["hostile", request.param]


@pytest.fixture(params=[(name, mode) for name in ("plain", "hostile") for mode in MODES])
def document(request: pytest.FixtureRequest, pages: dict[tuple[str, str], str]) -> str:
    return pages[request.param]


def test_tags_match(document: str) -> None:
    assert Page(document).errors == []


def test_nothing_can_run_but_our_own_script_inside(document: str) -> None:
    page = Page(document)
    tags = {element.tag for element in page.elements}
    scripts = re.findall("<script>(.*?)</script>", document, re.DOTALL)
    inside = 'class="internal"' in document
    assert scripts == ([(TEMPLATES / "report.js").read_text("utf-8")] if inside else [])
    assert document.count("<script") == len(scripts)
    assert not tags & {"iframe", "object", "embed", "form", "img", "link", "base"}
    for element in page.elements:
        assert not [name for name in element.attributes if name.startswith("on")]
        assert "javascript:" not in str(list(element.attributes.values())).lower()


def test_nothing_is_loaded_from_outside(document: str) -> None:
    page = Page(document)
    for element in page.elements:
        for name in ("href", "src", "xlink:href", "srcset", "action", "data"):
            value = element.attributes.get(name)
            assert value is None or value.startswith("#")
    assert not re.search(r"url\((?!#)", document)
    assert "@import" not in document
    addresses = re.findall(r"https?://[^\s\"'<]+", document)
    assert {a for a in addresses if not a.startswith("http://www.w3.org/2000/svg")} <= {
        a for a in addresses if "arxiv" in a or "doi" in a
    }


def test_the_policy_forbids_everything_but_styles(document: str) -> None:
    metas = [e for e in Page(document).elements if e.tag == "meta"]
    policy = next(
        m for m in metas if m.attributes.get("http-equiv") == "Content-Security-Policy"
    ).attributes["content"]
    assert policy is not None
    for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'"):
        assert part in policy
    script = (TEMPLATES / "report.js").read_bytes()
    allowed = f"script-src 'sha256-{b64encode(sha256(script).digest()).decode()}'"
    assert (allowed in policy) == ('class="internal"' in document)
    assert policy.count("script-src") == (allowed in policy)


def test_hostile_names_are_shown_as_text(hostile: str) -> None:
    page = Page(hostile)
    words = page.root.words()
    for name in HOSTILE:
        assert name in words
    assert "<h1>{{ 7 * 7 }}</h1>" in words
    assert "{% raw %}" in words
    assert "\u202e" not in hostile
    assert "\x07" not in hostile


def test_a_long_name_is_short_everywhere_but_in_the_table_of_names(hostile: str) -> None:
    long = HOSTILE[5]
    assert hostile.count(long) == 1
    page = Page(hostile)
    holder = next(e for e in page.elements if e.tag == "bdi" and e.text == long)
    table = next(t for t in page.root.all("table") if holder in t.all("bdi"))
    assert "shortened" in table.all("caption")[0].words()


def test_names_are_set_apart_for_their_direction(hostile: str) -> None:
    arabic = HOSTILE[4]
    page = Page(hostile)
    for element in page.elements:
        if arabic in element.text and element.tag not in ("text", "title", "desc"):
            inside = element.tag in ("bdi", "figcaption")
            assert inside, element.tag


def test_it_has_the_landmarks_and_the_language(document: str) -> None:
    page = Page(document)
    tags = [element.tag for element in page.elements]
    assert page.root.all("html")[0].attributes["lang"] == "en"
    assert page.root.all("title")[0].text
    for landmark in ("main", "nav", "footer", "h1"):
        assert tags.count(landmark) == 1, landmark
    first = page.root.all("body")[0].children[0]
    assert first.attributes["class"] == "skip"
    target = str(first.attributes["href"])[1:]
    assert target in {element.attributes.get("id") for element in page.elements}


def test_every_link_has_a_target_and_every_id_is_unique(document: str) -> None:
    page = Page(document)
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    for element in page.elements:
        if element.tag == "a":
            assert str(element.attributes["href"])[1:] in ids
        for name in ("aria-labelledby", "aria-describedby"):
            for identity in str(element.attributes.get(name, "")).split():
                assert identity in ids
    for identity in re.findall(r"url\(#([^)]+)\)", document):
        assert identity in ids


def test_every_table_has_a_caption_and_scoped_headers(document: str) -> None:
    tables = Page(document).root.all("table")
    assert tables
    for table in tables:
        assert table.children[0].tag == "caption"
        assert table.children[0].words().strip()
        headers = table.all("th")
        assert headers
        for header in headers:
            assert header.attributes.get("scope") in ("col", "row")
            assert header.words().strip()
        widths = {len(row.all("th", "td")) for row in table.all("tr")}
        assert len(widths) == 1


def test_every_figure_has_a_text_alternative(document: str) -> None:
    figures = Page(document).root.all("svg")
    assert figures
    for figure in figures:
        assert figure.attributes["role"] == "img"
        title, description = figure.children[:2]
        assert (title.tag, description.tag) == ("title", "desc")
        assert title.text
        assert len(description.text) > 20
        labelled = str(figure.attributes["aria-labelledby"]).split()
        assert labelled == [title.attributes["id"], description.attributes["id"]]


def test_no_text_in_a_figure_is_smaller_than_11_pixels(document: str) -> None:
    for figure in Page(document).root.all("svg"):
        sizes = [float(str(figure.attributes["font-size"]))]
        sizes += [
            float(str(t.attributes["font-size"]))
            for t in figure.all("text")
            if "font-size" in t.attributes
        ]
        assert min(sizes) >= 11


def test_status_is_a_word_and_a_shape(html: str) -> None:
    result = [
        e
        for e in Page(html).elements
        if e.tag == "span" and str(e.attributes.get("class", "")).startswith("status")
    ]
    assert result
    for element in result:
        assert element.children[0].attributes == {"aria-hidden": "true"}
        assert element.children[0].text in "✖▲✔◇●"
        word = "".join([element.text, *(child.text for child in element.children[1:])]).strip()
        assert word in ("fail", "review", "within", "not judged", "notice")


def test_the_same_review_gives_the_same_bytes(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    for mode in MODES:
        first = write_html(review, tmp_path / "a.html", mode=mode, profile=profile)
        second = write_html(review, tmp_path / "b.html", mode=mode, profile=profile)
        assert first.read_bytes() == second.read_bytes()


def test_an_unknown_mode_is_refused(review: Review, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="mode: expected 'internal' or 'checker'"):
        write_html(review, tmp_path / "a.html", mode="public")
    assert list(tmp_path.iterdir()) == []


def test_each_mode_says_which_it_is(review: Review, tmp_path: Path) -> None:
    for mode in MODES:
        text = write_html(review, tmp_path / "a.html", mode=mode).read_text("utf-8")
        banner = next(
            e for e in Page(text).elements if e.tag == "p" and e.attributes.get("class") == "mode"
        )
        assert banner.all("strong")[0].text == mode
        sections = {e.attributes.get("id") for e in Page(text).root.all("section")}
        assert ("records" in sections) == (mode == "internal")
        assert ("held-back" in sections) == (mode == "checker")


def test_templates_hold_no_script_and_mark_nothing_safe() -> None:
    for path in TEMPLATES.iterdir():
        text = path.read_text("utf-8")
        if path.name != "_layout.html.j2":
            assert "<script" not in text
        assert not re.search(r"\|\s*safe\b", text), path.name


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def palette() -> dict[str, str]:
    css = (TEMPLATES / "report.css").read_text("utf-8")
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css))


@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        ("ink", "paper"),
        ("soft", "paper"),
        ("soft", "pale"),
        ("pass", "pass-bg"),
        ("review", "review-bg"),
        ("fail", "fail-bg"),
        ("none", "none-bg"),
        ("accent", "paper"),
    ],
)
def test_text_has_enough_contrast(ink: str, paper: str) -> None:
    colors = palette()
    assert contrast(colors[ink], colors[paper]) >= 4.5


def test_colors_outside_the_palette_have_enough_contrast() -> None:
    assert contrast("#ffffff", "#7d1216") >= 4.5  # the banner of the internal edition
    assert contrast("#1f5285", "#ffffff") >= 4.5  # links
    assert contrast("#1f5285", "#f6f7f9") >= 4.5
    for color in (BLUE, ORANGE, INK):
        assert contrast(color, "#ffffff") >= 4.5
    assert contrast(GREY, "#ffffff") >= 3


def test_the_heat_map_reads_in_grey_and_its_numbers_have_contrast() -> None:
    for fill, ink in PALETTE.values():
        assert contrast(fill, ink) >= 4.5
    for shades in (
        ("plain", "pale", "light", "mid", "dark"),
        ("plain", "pale", "review", "fail"),
        ("plain", "below-pale", "below-light", "below-mid"),
    ):
        steps = [luminance(PALETTE[shade][0]) for shade in shades]
        assert steps == sorted(steps, reverse=True)
        assert min(a - b for a, b in itertools.pairwise(steps)) > 0.05


def test_headings_do_not_skip_a_level(document: str) -> None:
    def level(element: Element) -> int:
        return int(element.tag[1])

    result = [level(e) for e in Page(document).elements if re.fullmatch("h[1-6]", e.tag)]
    assert result[0] == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(result))
