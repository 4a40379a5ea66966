"""The page in a browser: the rules of axe-core, and the keyboard alone.

Needs Chromium, and SDCMETRICS_AXE set to the axe.min.js of axe-core, of which npm's `axe-core` and
the Python package `axe-playwright-python` hold a copy.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.safety.cells import Mode
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WAIT = 120_000
"""Milliseconds of the page's own time for its scripts."""

KEYBOARD = """
const found = [];
const visible = e => e.getClientRects().length && getComputedStyle(e).visibility !== "hidden";
for (const e of document.querySelectorAll("a[href], summary, input, select, button, [tabindex]")) {
  if (!visible(e)) continue;
  e.focus();
  if (document.activeElement !== e) found.push(["cannot be reached", e.outerHTML.slice(0, 90)]);
  else if (getComputedStyle(e).outlineStyle === "none")
    found.push(["does not show that it is reached", e.outerHTML.slice(0, 90)]);
  if (e.tabIndex > 0) found.push(["changes the order", e.outerHTML.slice(0, 90)]);
}
for (const e of document.querySelectorAll("main *"))
  if (e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX)
      && e.tabIndex < 0) found.push(["scrolls by mouse only", e.outerHTML.slice(0, 90)]);
const wide = document.documentElement.scrollWidth;
if (wide > innerWidth) found.push(["the page is wider than the window", wide]);
done(found);
"""
AXE = """axe.run(document, {runOnly: %s}).then(r => done(r.violations.map(
  v => [v.id, v.nodes.length, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))])));"""


@pytest.fixture(scope="session")
def browser() -> str:
    result = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return result or pytest.skip("Chromium is not installed")


@pytest.fixture(scope="session")
def axe() -> str:
    named = os.environ.get("SDCMETRICS_AXE")
    if not named:
        pytest.skip("SDCMETRICS_AXE does not name axe.min.js of axe-core")
    return Path(named).read_text(encoding="utf-8")


def asked(browser: str, html: str, script: str, folder: Path, width: int) -> list[Any]:
    """Return what a script says of a page; all that can be opened is open."""
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    html = html.replace("<details", "<details open")
    tell = (
        "function done(x) { const p = parent.document.createElement('pre'); p.id = 'told';"
        "p.textContent = 'TOLD' + JSON.stringify(x) + 'END'; parent.document.body.append(p); }"
    )
    inner = escape(html.replace("</body>", f"<script>{tell}{script}</script></body>"))
    page = folder / "page.html"  # in a frame: no window of its own is narrower than 500
    frame = f'<iframe style="width:{width}px;height:900px;border:0" srcdoc="{inner}"></iframe>'
    page.write_text(f"<!DOCTYPE html><body>{frame}</body>", "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'user'}"]
    options += ["--window-size=1400,1000", f"--virtual-time-budget={WAIT}", "--dump-dom"]
    done = subprocess.run(
        [browser, *options, page.as_uri()], capture_output=True, timeout=300, check=True
    )
    told = re.search(r'id="told">TOLD(.*?)END', done.stdout.decode("utf-8"), re.DOTALL)
    assert told is not None, done.stderr.decode("utf-8")[-500:]
    document: list[Any] = json.loads(unescape(told[1]))
    return document


@pytest.mark.parametrize(("mode", "width"), [("internal", 400), ("checker", 1280)])
def test_axe_finds_nothing(
    browser: str, axe: str, review: Review, profile: Profile, tmp_path: Path, mode: Mode, width: int
) -> None:
    html = render(safe_report(review, profile, mode))
    assert asked(browser, html, axe + AXE % json.dumps(RULES), tmp_path, width) == []


def test_axe_finds_nothing_in_print(
    browser: str, axe: str, review: Review, profile: Profile, tmp_path: Path
) -> None:
    html = render(safe_report(review, profile, "internal")).replace("@media print", "@media all")
    # Ink on paper is not asked for its size, and links are not followed there.
    rules = f"{axe}{AXE % json.dumps([rule for rule in RULES if rule != 'wcag22aa'])}"
    assert asked(browser, html, rules, tmp_path, 800) == []


@pytest.mark.parametrize("width", [400, 1280])
def test_all_is_reached_by_keyboard_and_nothing_sticks_out(
    browser: str, review: Review, profile: Profile, tmp_path: Path, width: int
) -> None:
    html = render(safe_report(review, profile, "internal"))
    assert asked(browser, html, KEYBOARD, tmp_path, width) == []


FOUND = """
const rows = () => [...document.querySelectorAll(
  '.annexes .scroll:not(.grid) > table > tbody > tr')].filter(r => r.offsetParent);
const all = rows().length, search = document.getElementById('find-text');
search.value = 'repU'; search.dispatchEvent(new Event('input'));
const some = rows(), every = some.every(r => r.textContent.toLowerCase().includes('repu'));
search.value = ''; search.dispatchEvent(new Event('input'));
const select = document.getElementById('find-replica');
select.value = 'copy'; select.dispatchEvent(new Event('change'));
const heads = [...document.querySelectorAll('.annexes thead th')].filter(h => h.offsetParent);
const names = new Set(heads.map(h => (h.querySelector('bdi') || h).textContent));
select.value = ''; select.dispatchEvent(new Event('change'));
const sort = document.querySelector('.annexes th.number .sort'), head = sort.closest('th');
const values = () => [...head.closest('table').tBodies[0].rows].map(r =>
  parseFloat(r.cells[head.cellIndex].textContent.replaceAll(',', ''))).filter(x => !isNaN(x));
const ordered = way => values().every((x, i, v) => !i || (x - v[i - 1]) * way >= 0);
sort.click(); const rises = ordered(1); sort.click(); const falls = ordered(-1);
done([some.length > 0 && some.length < all, every, names.has('copy'), names.has('good'),
  rows().length === all, values().length > 2, rises, falls]);
"""


def test_rows_are_found_filtered_and_sorted(
    browser: str, review: Review, profile: Profile, tmp_path: Path
) -> None:
    html = render(safe_report(review, profile, "internal"))
    result = asked(browser, html, FOUND, tmp_path, 1280)
    assert result == [True, True, True, False, True, True, True, True]


def test_what_the_browser_is_asked_can_fail(browser: str, tmp_path: Path) -> None:
    html = '<body><a href="#" style="outline:none !important">x</a><p tabindex="3">y</p></body>'
    words = {item[0] for item in asked(browser, html, KEYBOARD, tmp_path, 800)}
    assert words == {"does not show that it is reached", "changes the order"}


def test_axe_can_fail_and_the_window_is_as_narrow_as_asked(
    browser: str, axe: str, tmp_path: Path
) -> None:
    html = "<html><body><img src='x.png'></body></html>"
    result = asked(browser, html, axe + AXE % json.dumps(RULES), tmp_path, 400)
    assert "image-alt" in {item[0] for item in result}
    assert asked(browser, html, "done([innerWidth])", tmp_path, 400) == [400]
