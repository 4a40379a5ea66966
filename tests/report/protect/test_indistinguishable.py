"""Originals with the same protected figures give the same release, byte for byte."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.cli.run import run
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.formats import write
from sdcmetrics.report.formats.pdf import html_to_pdf
from sdcmetrics.report.safety.protect import program
from sdcmetrics.report.safety.protect.protected import Protected
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.report.scan.pieces import texts_of
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study

N = 300
FORMATS = ("html", "pdf") if importlib.util.find_spec("weasyprint") else ("html",)
Change = Callable[[pd.DataFrame], pd.DataFrame]


def frame(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    region = rng.choice(["North", "South", "East", "West"], N, p=[0.4, 0.3, 0.2, 0.1])
    job = rng.choice(["clerk", "farmer", "teacher", "dancer"], N, p=[0.5, 0.3, 0.18, 0.02])
    income = np.round(rng.lognormal(8, 1, N), 2)
    vote = np.where(rng.random(N) < 0.5, "yes", "no")
    return pd.DataFrame({"region": region, "job": job, "income": income, "vote": vote})


def confidential() -> pd.DataFrame:
    """Return an original with a job that one person has, and no replica."""
    out = frame(1)
    out.loc[out.index[out["job"] == "dancer"][-1], "job"] = "astronaut"
    return out


def brief(original: pd.DataFrame) -> Study:
    """Return a study of few pages and cells: to set and to solve them takes longest."""
    return Study(
        original,
        {"a": frame(2)},
        keys=["region"],
        targets=["vote"],
        models=["income ~ vote"],
        rules=["income >= 0"],
        holdout=frame(4).head(100),
        profile="illustration",
    )


def study_of(original: pd.DataFrame, fresh: int = 100) -> Study:
    return Study(
        original,
        {"a": frame(2), "b": frame(3)},
        keys=["region", "job"],
        targets=["vote"],
        models=["income ~ vote"],
        rules=["income >= 0"],
        holdout=frame(4).head(fresh),
        attacks={"kinds": ["membership", "exact matches"]},
        distributions={"groups": ["region"], "permutations": 9},
        propensity=True,
        profile="illustration",
        title="A survey",
    )


def released(original: pd.DataFrame, folder: Path) -> dict[str, object]:
    """Return everything that somebody sees of a release: files, terminal, exit code."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):  # progress, with seconds, goes to the other
        code = run(brief(original), folder, mode="checker", formats=FORMATS, fail_on="review")
    text = stream.getvalue().replace(str(folder), "OUT")
    return files_in(folder) | {"exit": code, "terminal": text}


def files_in(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): sorted(texts_of(path.read_bytes()))
        if path.suffix == ".pdf"
        else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@functools.cache
def reviewed() -> Review:
    """Return the review of the original that others are compared with."""
    return conduct(study_of(confidential()))


def written(review: Review) -> tuple[Protected, dict[str, object]]:
    """Return the protected figures and the files that are made of them."""
    profile = load_profile("illustration")
    with tempfile.TemporaryDirectory() as folder:
        write.write_all(
            review, Path(folder) / "out", profile=profile, mode="checker", formats=["html"]
        )
        return protect(review, profile), files_in(Path(folder) / "out")


def same(a: Protected, b: Protected) -> bool:
    """Whether two sets of protected figures are equal."""
    first, second = (
        [
            (v.variable, v.kind, v.groups, v.counts, v.missing, v.grouped)
            for v in item.distributions.values()
        ]
        for item in (a, b)
    )
    fields = ("inputs", "rules", "withheld", "coarsened", "fixes")
    return (
        first == second
        and a.frame.equals(b.frame)
        and all(getattr(a, name) == getattr(b, name) for name in fields)
    )


@functools.cache
def base() -> tuple[Protected, dict[str, object]]:
    return written(reviewed())


def largest(original: pd.DataFrame) -> pd.DataFrame:
    return original.assign(
        income=original["income"].where(
            original["income"] < original["income"].max(), original["income"].max() * 1.01
        )
    )


def swapped_incomes(original: pd.DataFrame) -> pd.DataFrame:
    """Let two people of one group change places in all that is theirs alone."""
    alike = (original["income"] > 3000) & (original["income"] < 3300)
    incomes = original["income"].copy()
    incomes[alike] = incomes[alike].to_numpy()[::-1]
    return original.assign(income=incomes)


def nearer(original: pd.DataFrame) -> pd.DataFrame:
    """Move one income half way to the next."""
    order = original["income"].sort_values()
    incomes = original["income"].copy()
    incomes[order.index[100]] = order.iloc[100:102].mean()
    return original.assign(income=incomes)


ALIKE: dict[str, Change] = {
    "another largest income, and two change places": lambda d: swapped_incomes(largest(d)),
    "another job that nobody else has": lambda d: d.replace("astronaut", "zoologist"),
    "an income is nearer to the next, and the rows in another order": lambda d: (
        nearer(d).sample(frac=1, random_state=5).reset_index(drop=True)
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_originals_that_differ_in_a_secret_give_one_release(name: str) -> None:
    protected, files = written(conduct(study_of(ALIKE[name](confidential()))))
    assert same(protected, base()[0])
    assert files == base()[1]


def test_and_one_pdf_terminal_and_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_milp", program._milp.__wrapped__)  # each time anew
    monkeypatch.setattr(write, "html_to_pdf", functools.cache(html_to_pdf))  # of one page, one file
    first, other = (
        released(original, tmp_path / name / "out")
        for name, original in (("a", confidential()), ("b", largest(confidential())))
    )
    assert {"exit", "terminal", *(f"report.{item}" for item in FORMATS)} <= first.keys()
    assert first == other


def test_attacks_and_all_that_is_not_declared_for_a_release_tell_no_value() -> None:
    rows = base()[0].frame
    result = {
        symbol: set(rows["shown"][rows["metric"] == symbol]) for symbol in set(rows["metric"])
    }
    assert result["membership_AUC"] <= {"below 0.55", "0.55 to 0.6"}
    inside = [symbol for symbol in result if MEASURES[symbol].release is None]
    inside.remove("rule_severity")  # it has a limit, and is made of two shares that are told
    assert {"membership_p", "exact_matches", "k_anonymity", "W1", "KM", "pMSE_logit"} <= set(inside)
    assert all(result[symbol] == {"not shown"} for symbol in inside)
    for name, content in base()[1].items():
        if name.endswith((".csv", ".json")):
            words = set(re.findall(r"\w+", bytes(content).decode()))  # type: ignore[call-overload]
            assert words.isdisjoint(set(inside) - {"U", "G", "df"}), name


def test_of_few_fresh_people_not_even_bands_are_told() -> None:
    rows = protect(conduct(study_of(confidential(), 90)), load_profile("illustration")).frame
    for symbol in ("membership_AUC", "DCR_share", "F1"):
        assert set(rows["shown"][rows["metric"] == symbol]) == {"not shown"}
