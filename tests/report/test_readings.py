"""Pages as they were read: no word or number of them changes unless somebody reads it again.

Four studies of data drawn here, in the editions that stay inside. What a number has to be is
tested where it is computed; which sentence stands beside it, in what order and under which heading
has no other definition than a page that reads true. After a change write the readings anew, and
read each line that git calls changed: `python -m tests.report.test_readings`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from functools import cache
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.ranking.compare_replicas import compare_replicas
from sdcmetrics.report.assembly import safe_report
from sdcmetrics.report.formats.render import render_pages
from sdcmetrics.report.safety.cells import Mode
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.roles import Scenario
from sdcmetrics.study.study import Study
from tests.report.conftest import NOW

FOLDER = Path(__file__).parent / "readings"


def people(n: int, seed: int) -> pd.DataFrame:
    """Draw persons in households of 60 villages: heaped incomes, hours that children lack."""
    rng = np.random.default_rng(seed)
    home = np.sort(rng.integers(0, n // 2, n))
    place = home % 60 + 60 * seed
    age = rng.integers(0, 90, n)
    income = np.round(np.exp(7 + rng.normal(0, 0.5, n // 2)[home] + rng.normal(0, 0.3, n)), -2)
    hours = np.where(age < 16, np.nan, np.clip(np.round(rng.normal(36, 9, n)), 0, 90))
    hours[rng.random(n) < 0.05] = np.nan
    return pd.DataFrame(
        {
            "home": home + n * seed,
            "place": place,
            "region": np.where(place % 3 == 0, "town", "country"),
            "sex": rng.choice(["f", "m"], n),
            "age": age,
            "income": income,
            "ill": np.where(rng.random(n) < 0.1 + age / 150, "yes", "no"),
            "job": np.where(age < 16, "none", rng.choice(["clerk", "farm", "craft"], n)),
            "hours": hours,
            "weight": np.where(place % 3 == 0, 20.0, 50.0),
        }
    )


MEASURED = ["region", "age", "income", "ill", "hours"]


def survey() -> Study:
    """A sample with weights and households, a holdout, two files of one maker, own analyses."""
    original, holdout, other = (people(240, seed) for seed in (1, 2, 3))
    copied = pd.concat([original.iloc[:50], people(190, 4)], ignore_index=True)[MEASURED]
    shuffled = other[MEASURED].assign(
        income=other["income"].sample(frac=1, random_state=5).to_numpy()
    )
    return Study(
        original,
        {"weighted": other.drop(columns=["sex", "job"]), "copied": [copied, shuffled]},
        holdout=holdout,
        scenarios=[
            Scenario("neighbour", ("region", "age"), ("ill",), "sees them daily"),
            Scenario("employer", ("hours", "age"), ("income",)),
        ],
        variables=MEASURED,
        sample={"weight": "weight", "strata": "region", "cluster": "place", "household": "home"},
        models=["income ~ age + region", ("ill ~ age", "binomial")],
        rules=[
            {"text": "if age < 16 then hours is missing", "name": "children", "description": "-"},
            "hours <= 60 or income > 900",
        ],
        analysis=[
            {"name": "Inequality", "statistic": "gini", "variables": "income", "by": "region"},
            {"name": "Sick and well", "statistic": "difference", "variables": ["income", "ill"]},
        ],
        candidates=5,
        title="A survey",
        context={"recipient": "universities", "purpose": "teaching"},
    )


def masked() -> Study:
    """A register without a holdout, masked three ways, and what else may be asked of it."""
    original = people(150, 6)[["region", "age", "income", "job"]]
    rng = np.random.default_rng(7)
    noise = original.assign(income=original["income"] + np.round(rng.normal(0, 90, 150), -1))
    swapped = original.copy()
    swapped["region"] = swapped["region"].sample(frac=1, random_state=8).to_numpy()
    return Study(
        original,
        {
            "noise": noise,
            "swapped": swapped,
            "few": people(30, 9)[["region", "age", "income", "job"]],
        },
        keys=["region", "age", "job"],
        targets=["income"],
        kinds={"noise": "perturbed", "swapped": "perturbed", "few": {"kind": "synthesised"}},
        coarsen={"age": 10},
        propensity={},
        distributions={"groups": ["region"]},
        publication={},
        ways=(1, 2),
        title="A masked register",
    )


def fresh() -> Study:
    """One replica of other people beside a holdout: nothing to object to."""
    columns = ["region", "sex", "age", "job"]
    original, holdout, replica = (people(900, seed)[columns] for seed in (10, 11, 12))
    return Study(
        original, {"other people": replica}, keys=["sex", "age"], targets=["job"], holdout=holdout
    )


def attacked() -> Study:
    """A replica of two files that hold people of the original, attacked, learnt from and ranked."""
    columns = ["region", "sex", "age", "income", "ill", "job"]
    original, holdout, other = (people(120, seed)[columns] for seed in (13, 14, 15))
    near = [
        pd.concat([original.iloc[k : k + 12], people(108, 16 + k)[columns]], ignore_index=True)
        for k in (0, 12)
    ]
    return Study(
        original,
        {"near": near, "other": other},
        keys=["region", "sex", "age"],
        targets=["ill"],
        holdout=holdout,
        attacks={"learner": "cart", "seeds": 1, "random_holdout": True, "declared_epsilon": 1.0},
        prediction={"learners": ["logistic"], "permutations": 9},
        permutations=99,
        perturbed=[],
        preset="privacy",
        ranking={"anchors": True, "replicates": 2},
        title="Attacked",
    )


STUDIES = {"survey": survey, "masked": masked, "fresh": fresh, "attacked": attacked}
EDITIONS: list[tuple[str, Mode]] = [
    ("survey", "internal"),
    ("survey", "checker"),
    ("masked", "internal"),
    ("masked", "checker"),
    ("fresh", "internal"),
    ("attacked", "internal"),
]


@cache
def reviewed(study: str) -> Review:
    return conduct(STUDIES[study](), now=NOW)


def reading(study: str, mode: Mode) -> Iterator[str]:
    """Yield both pages line by line, but for what depends on the machine or is the same in all."""
    review = reviewed(study)
    ranking = compare_replicas(review) if review.study.ranking.anchors else None
    report = safe_report(review, load_profile(), mode, ranking=ranking)
    for name, page in render_pages(report).items():
        yield f"==== {name}"
        lines = _Lines()
        lines.feed(page)
        yield from filter(None, (" ".join(line.split()) for line in lines.lines))


class _Lines(HTMLParser):
    """The words of a page as they stand, a line per block; of a row, the shade of each cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = [""]
        self._left_out = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if not self._left_out and (tag in ("head", "script", "nav") or given.get("id") in _ALIKE):
            self._left_out = tag
        if tag in _BLOCKS:
            self.lines.append("")
        elif tag in _BETWEEN:
            self._add(_BETWEEN[tag])
        if shade := re.search(r"shade-\d", given.get("class") or ""):
            self._add(f"[{shade[0]}] ")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._left_out:
            self._left_out = ""

    def handle_data(self, data: str) -> None:
        self._add(data)

    def _add(self, words: str) -> None:
        if not self._left_out:
            self.lines[-1] += words


_ALIKE = ("methods", "reproduce")
_BLOCKS = {
    *("p", "li", "h1", "h2", "h3", "h4", "dt", "dd", "caption", "figcaption", "summary"),
    *("tr", "div", "svg", "title", "desc", "section", "footer"),
}
_BETWEEN = {"td": " | ", "th": " | ", "small": " ", "br": " ", "text": " · "}


_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def alike(line: str, other: str) -> bool:
    """Whether words and whole numbers are equal, and others but for one in their last place."""
    if line == other:
        return True
    if _NUMBER.sub("#", line) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(line), _NUMBER.findall(other), strict=True)
    return all(_near(a, b) for a, b in pairs)


def _near(a: str, b: str) -> bool:
    places = [len(text.partition(".")[2]) for text in (a, b)]
    if a == b or places[0] != places[1] or not places[0]:
        return a == b
    first, second = (float(text.replace(",", "")) for text in (a, b))
    return abs(first - second) < 1.5 * 10.0 ** -places[0]


@pytest.mark.parametrize(("study", "mode"), EDITIONS)
def test_every_line_is_as_it_was_read(study: str, mode: Mode) -> None:
    before = (FOLDER / f"{study}-{mode}.txt").read_text(encoding="utf-8").splitlines()
    now = list(reading(study, mode))
    if not all(alike(*lines) for lines in zip_longest(before, now, fillvalue="")):
        pytest.fail("\n".join(unified_diff(before, now, "as it was read", "now", lineterm="", n=1)))


def test_a_number_may_differ_by_one_in_the_last_place_and_a_count_by_nothing() -> None:
    assert alike("p 0.041 of 1,200", "p 0.042 of 1,200")
    assert not alike("p 0.041 of 1,200", "p 0.043 of 1,200")
    assert not alike("p 0.041 of 1,200", "p 0.041 of 1,201")
    assert not alike("p 0.041", "p 0.04")
    assert not alike("one", "two")


def write_readings(folder: Path = FOLDER) -> Any:
    """Write what the tests compare with."""
    folder.mkdir(exist_ok=True)
    for study, mode in EDITIONS:
        text = "\n".join(reading(study, mode))
        (folder / f"{study}-{mode}.txt").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write_readings()
