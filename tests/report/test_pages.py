"""The board's pages and the annexes: two documents that link to each other, one as PDF."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.report import write_all
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.formats.render import ANNEXES, REPORT, render, render_pages
from sdcmetrics.report.safety.cells import Mode
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile
from tests.report.pages import Page

BOARD = ["decision", "overview", "to-do", "sign-off", "contents"]


@pytest.mark.parametrize("mode", ["internal", "checker"])
class TestTwoPages:
    def pages(self, review: Review, profile: Profile, mode: Mode) -> dict[str, Page]:
        texts = render_pages(safe_report(review, profile, mode))
        return {name: Page(text) for name, text in texts.items()}

    def test_every_link_leads_to_something(
        self, review: Review, profile: Profile, mode: Mode
    ) -> None:
        pages = self.pages(review, profile, mode)
        there = {
            (name, str(element.attributes["id"]))
            for name, page in pages.items()
            for element in page.elements
            if "id" in element.attributes
        }
        ways = Counter[tuple[str, str]]()
        for name, page in pages.items():
            assert page.errors == []
            for link in page.root.all("a"):
                file, _, identity = str(link.attributes["href"]).partition("#")
                assert (file or name, identity) in there
                ways[name, file or name] += 1
        assert ways[REPORT, ANNEXES] > 20
        assert ways[ANNEXES, REPORT] >= len(BOARD)

    def test_together_they_are_the_whole(
        self, review: Review, profile: Profile, mode: Mode
    ) -> None:
        whole = Page(render(safe_report(review, profile, mode)))
        board, annexes = self.pages(review, profile, mode).values()

        def sections(page: Page) -> list[str]:
            return [str(item.attributes["id"]) for item in page.root.all("section")]

        assert sections(board) == BOARD
        assert [section for section in sections(annexes) if section != "list"] == sections(whole)[
            len(BOARD) :
        ]
        assert [len(item.root.all("h1")) for item in (board, annexes)] == [1, 1]
        tables = [len(item.root.all("table")) for item in (board, annexes, whole)]
        assert tables[0] + tables[1] == tables[2]


def test_the_annexes_are_written_beside_the_report_and_give_way_with_it(
    review: Review, profile: Profile, tmp_path: Path
) -> None:
    written = write_all(review, tmp_path, profile=profile)
    assert [path.name for path in written] == [REPORT]
    assert (tmp_path / ANNEXES).is_file()
    write_all(review, tmp_path, formats=("xlsx",), profile=profile)
    assert not (tmp_path / ANNEXES).exists()


def test_what_could_not_be_computed_is_listed_where_the_first_page_links_to(
    review: Review, profile: Profile
) -> None:
    report = safe_report(review, profile, "internal")
    missing = review.mean_rows()["value"].isna().sum()
    assert len(report.not_computed) == missing > 0
    assert all(row[3].text for row in report.not_computed.rows)
    (told,) = [item for item in report.decision.unchecked if item.link == "not-computed"]
    assert str(told.words[0]).startswith(f"{missing} measurement")
    assert not len(safe_report(review, profile, "checker").not_computed)


def tags(node: Any, pikepdf: Any) -> Iterator[Any]:
    """Yield the elements of a structure tree."""
    if isinstance(node, pikepdf.Array):
        for item in node:
            yield from tags(item, pikepdf)
    elif isinstance(node, pikepdf.Dictionary):
        if "/S" in node:
            yield node
        if "/K" in node:
            yield from tags(node.K, pikepdf)


@pytest.mark.filterwarnings(  # WeasyPrint leaves it to the garbage collector
    "ignore:.*sRGB2014.icc:pytest.PytestUnraisableExceptionWarning"
)
class TestPdf:
    """Tags by pikepdf; no validator of PDF/UA or PDF/A is asked."""

    PAGE = (
        '<!DOCTYPE html><html lang="en"><head><title>A survey</title></head><body><h1>A</h1>'
        "<table><caption>Shares</caption><thead><tr><th>level</th><th>share</th></tr></thead>"
        "<tbody><tr><th>north</th><td>0.7</td></tr></tbody></table><ul><li>one</li></ul>"
        '<svg viewBox="0 0 9 9" width="9" height="9"><title>Bars</title><desc>north 70 %</desc>'
        "</svg></body></html>"
    )

    @pytest.mark.parametrize("archive", [False, True])
    def test_tables_headings_and_figures_are_tagged(self, *, archive: bool) -> None:
        pikepdf = pytest.importorskip("pikepdf")
        pytest.importorskip("weasyprint")
        file = pikepdf.open(io.BytesIO(html_to_pdf(self.PAGE, archive=archive)))
        elements = list(tags(file.Root.StructTreeRoot.K, pikepdf))
        kinds = Counter(str(element.S) for element in elements)
        assert [kinds[item] for item in ("/H1", "/Table", "/TR", "/TH", "/TD")] == [1, 1, 2, 3, 1]
        assert kinds["/L"] == kinds["/LI"] == 1
        (figure,) = [element for element in elements if element.S == "/Figure"]
        assert str(figure.Alt) == "Bars. north 70 %"
        assert str(file.Root.Lang) == "en"
        assert bool(file.Root.MarkInfo.Marked)
        assert str(file.docinfo["/Title"]) == "A survey"

    @pytest.mark.parametrize(("archive", "language"), [(False, "en"), (True, "de")])
    def test_the_metadata_name_title_language_and_standard(
        self, *, archive: bool, language: str
    ) -> None:
        pikepdf = pytest.importorskip("pikepdf")
        pytest.importorskip("weasyprint")
        page = self.PAGE.replace('lang="en"', f'lang="{language}"')
        metadata = pikepdf.open(io.BytesIO(html_to_pdf(page, archive=archive))).open_metadata()
        assert metadata["dc:title"] == "A survey"
        assert set(metadata["dc:language"]) == {language}
        kind = "pdfaid" if archive else "pdfuaid"
        assert metadata[f"{kind}:part"] == ("3" if archive else "1")
        assert ("pdfaid:conformance" in metadata) is archive

    def test_every_figure_and_table_of_the_board_is_tagged(
        self, review: Review, profile: Profile
    ) -> None:
        pikepdf = pytest.importorskip("pikepdf")
        pytest.importorskip("weasyprint")
        html = render_pages(safe_report(review, profile, "internal"))[REPORT]
        page = Page(html)
        file = pikepdf.open(io.BytesIO(html_to_pdf(html)))
        elements = list(tags(file.Root.StructTreeRoot.K, pikepdf))
        kinds = Counter(str(element.S) for element in elements)
        assert all(len(str(element.Alt)) > 20 for element in elements if element.S == "/Figure")
        assert kinds["/Figure"] == len(page.root.all("svg"))
        assert 0 < kinds["/Table"] <= len(page.root.all("table"))
        assert kinds["/TH"] >= 3 * kinds["/Table"]
