"""What a replica preserves, as far as releases and verifications have said: its part of a sheet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.release.described import DescribedFile
from sdcmetrics.report.outside.parts import Cell, Section, Table, listed, name_cell
from sdcmetrics.report.safety.names import clean

_LARGEST = float(2**53)
"""No figure is larger. NaN is not below it, and neither is infinity or a number of 400 digits."""
_ENDS = 2
"""Of a range."""
NEAR = 0.05
"""Share of records that may be in other groups for a distribution to be called near."""


def preserved(
    figures: Sequence[Mapping[str, Any]], verified: Sequence[Mapping[str, Any]]
) -> Section:
    """Return the section on released distances and verified analyses."""
    tables = [*_distributions(figures), *_overlaps(verified)]
    words = [_UNTOLD]
    if not tables:
        words.insert(0, "No figure has been released of what the replica preserves.")
    return Section(
        "preserved", "What is preserved, and what is not", tuple(words), (), tuple(tables)
    )


_UNTOLD = (
    "Do not rely on what is not listed here. In particular nothing is known of "
    "relations between three and more columns, of small groups, and of rare values."
)


def _distributions(figures: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    measures = ("TVD", "TVD of pairs")
    shown = [f for f in figures if f["measure"] in measures and f["value"] is not None]
    if shown:
        yield listed(
            "Distributions: the share of records that are in other groups than in the original",
            {
                "Column": lambda f: name_cell(
                    f["variable"] if f["measure"] == "TVD" else "pairs of columns"
                ),
                "Share": lambda f: Cell(f"{f['value']:.2f}", "figure"),
                "Range": lambda f: Cell(f"{f['low']:.2f} to {f['high']:.2f}", "figure"),
                "In words": lambda f: _nearness(f["low"], f["high"]),
            },
            shown,
            "Figures have random noise, which protects the people of the original; the range "
            "holds the figure without noise in 90 of 100 cases. Near: the whole range is at most "
            f"{NEAR}; "
            f"other: it is above {NEAR}. Pairs are a mean over all pairs.",
        )


def _nearness(low: float, high: float) -> str:
    if high <= NEAR:
        return "near"
    return "other" if low > NEAR else "cannot be told"


def _overlaps(verified: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    answers = [
        {**answer, "of": f"{entry['analysis']}: {answer['term']}"}
        for entry in verified
        for answer in entry["answers"]
    ]
    if answers:
        yield listed(
            "Analyses that were checked on the original",
            {
                "Analysis": lambda answer: name_cell(answer["of"]),
                "Overlap of confidence intervals": lambda answer: _overlap(answer["overlap"]),
                "Sign and significance": lambda answer: _CONCLUSIONS.get(
                    answer["conclusion"], "cannot be told"
                ),
            },
            answers,
            "1 is the same interval, 0 none in common. Each range holds the overlap in about 90 of "
            "100 answers; it has noise.",
        )


def _overlap(ends: Sequence[float] | None) -> Cell:
    return Cell("not answered" if ends is None else f"{ends[0]:.2f} to {ends[1]:.2f}", "figure")


_CONCLUSIONS = {"same": "the same", "other": "another"}


def released_figures(
    release: Path, replica: str, files: Sequence[DescribedFile]
) -> list[dict[str, Any]]:
    """Return what a release tells of a replica, and of the number of records."""
    path = release / "release.json" if release.is_dir() else release
    document = _json(path)
    if not isinstance(document, dict) or document.get("classification") != "release":
        msg = (
            f"{path}: expected the release.json of an edition that was made to be handed out "
            "(sdcmetrics review --mode release): of anything else a user sheet tells no figure."
        )
        raise StudyError(msg)
    try:
        text, figures = json.dumps(document["sections"]), document["figures"]
        own = [figure for figure in figures if figure["replica"] in (clean(replica), "")]
        whole = all(map(_is_figure, own))
    except (KeyError, TypeError):
        whole = False
    if not whole:
        msg = f"{path}: this release.json was changed. Write the release again."
        raise StudyError(msg)
    for file in files:
        if file.sha256[:16] not in text:
            msg = f"{path}: this release is not of {file.name} as it is now. Write it again."
            raise StudyError(msg)
    return own


def _is_figure(figure: Mapping[str, Any]) -> bool:
    numbers = [figure[name] for name in ("value", "low", "high")]
    texts = [figure[name] for name in ("measure", "variable", "people")]
    lost = figure["value"] is None  # in noise
    ordered = lost or (all(map(_is_number, numbers)) and figure["low"] <= figure["high"])
    return ordered and all(isinstance(text, str) for text in texts)


def _is_number(entry: object) -> bool:
    return isinstance(entry, int | float) and not isinstance(entry, bool) and abs(entry) <= _LARGEST


def verified_answers(
    path: Path, replica: str, files: Sequence[DescribedFile]
) -> list[dict[str, Any]]:
    """Return the answers of a verification that are of a replica as it is now."""
    document = _json(path)
    try:
        named = [entry for entry in document if entry["replica"] == replica]
        own = [entry for entry in named if entry["answers"]]
        whole = all(_is_answer(answer) for entry in own for answer in entry["answers"])
        digests = [set(entry["sha256"]) for entry in own if isinstance(entry["analysis"], str)]
    except (TypeError, KeyError):
        whole = False
    if not whole or len(digests) < len(own):
        msg = f"{path}: expected answers as sdcmetrics verify --json writes them."
        raise StudyError(msg)
    if not named:
        msg = f"{path}: there is no answer on {replica}. Name the file of its answers, or none."
        raise StudyError(msg)
    now = {file.sha256 for file in files}
    if any(digest != now for digest in digests):
        msg = (
            f"{path}: these answers are not of {', '.join(file.name for file in files)} as it is "
            "now. Ask again with sdcmetrics verify."
        )
        raise StudyError(msg)
    return own


def _is_answer(answer: Mapping[str, Any]) -> bool:
    texts = isinstance(answer["term"], str) and isinstance(answer["conclusion"], str)
    ends = answer["overlap"]
    if ends is None or not texts:
        return texts
    return len(ends) == _ENDS and all(map(_is_number, ends)) and 0 <= ends[0] <= ends[1] <= 1


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path}: the file cannot be read ({error.strerror})."
        raise FileError(msg) from None
    except (ValueError, RecursionError):
        msg = f"{path}: this is no JSON in UTF-8: it was cut off or saved anew. Write it again."
        raise FileError(msg) from None
