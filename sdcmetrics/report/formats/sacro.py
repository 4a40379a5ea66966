"""Results in the folder layout of ACRO, which SACRO's viewer shows to output checkers.

A file results.json names the outputs, their files, a status and what an output checker has to know;
the files lie beside it, and checksums/NAME.txt holds the SHA-256 digest of each. As written by acro
1.0.2 (github.com/AI-SDC/ACRO, acro/record.py) and read by github.com/AI-SDC/SACRO-Viewer
(sacro/models.py), whose pages take summaries and comments for HTML, and cells of tables for text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from html import escape
from pathlib import PurePath
from typing import Any

from sdcmetrics import __version__
from sdcmetrics.report.assembly import SafeReport
from sdcmetrics.report.formats.output import SACRO
from sdcmetrics.report.safety.cells import as_name
from sdcmetrics.report.safety.rows import as_csv
from sdcmetrics.review.judge import Status

_VERSION = "1.0.2"
"""Of acro, whose layout this is: its reader takes no other, and the viewer 0.4 or later."""
_STATUS = {Status.WITHIN: "pass", Status.REVIEW: "review", Status.FAIL: "fail"}


def as_sacro(report: SafeReport, files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    """Return the files of the folder, without their checksums.

    Parameters
    ----------
    report : SafeReport
    files : mapping of name to content
        Finished results: tables and, where it was asked for, the PDF are outputs.

    Notes
    -----
    The decision has the status of the worst verdict on risk ("review" where nothing is judged).
    Tables of a release have passed the scan: "pass"; internal ones are for checking only: "review".
    """
    inside = report.mode == "internal"
    shown: dict[str, str | bytes] = {"decision.csv": as_csv(report.decision.board)}
    shown |= {
        PurePath(name).name: content
        for name, content in files.items()
        if name.endswith(".csv") or name == "report.pdf"
    }
    worst = max(
        (row[1].status or Status.NOT_JUDGED for row in report.decision.board.rows),
        key=[Status.WITHIN, Status.NOT_JUDGED, Status.REVIEW, Status.FAIL].index,
    )
    answers = "; ".join(as_name(answer.short).full for answer in report.decision.answers)
    about = (
        "for checking only: exact counts of the original, not for release"
        if inside
        else f"protected by the profile {report.profile_title}"
    )
    results = {}
    for name in shown:
        decides = name in ("decision.csv", "report.pdf")
        status = _STATUS.get(worst, "review") if decides else "review" if inside else "pass"
        results[PurePath(name).stem] = _record(
            report, name, status, f"{status}; {answers if decides else about}", inside=inside
        )
    tool = {"@type": "SoftwareApplication", "name": "sdcmetrics", "version": __version__}
    contents = {"version": _VERSION, "tool": tool, "results": results}
    document = json.dumps(contents, indent=1, ensure_ascii=False)
    return {f"{SACRO}/results.json": document + "\n"} | {
        f"{SACRO}/{name}": content for name, content in shown.items()
    }


def _record(
    report: SafeReport, name: str, status: str, summary: str, *, inside: bool
) -> dict[str, Any]:
    about = f"{report.title.full}. Profile: {report.profile_title}."
    return {
        "uid": PurePath(name).stem,
        "status": status,
        "type": "custom",
        "properties": {"method": "sdcmetrics review"},
        "files": [{"name": name, "sdc": {"summary": {"suppressed": not inside}, "cells": {}}}],
        "outcome": {},
        "command": "sdcmetrics review",
        "summary": escape(summary, quote=False),
        "timestamp": report.date,
        "comments": [escape(about, quote=False)],
        "exception": "",
        "fair": {},
    }


def checksums(files: Mapping[str, str | bytes]) -> dict[str, str]:
    """Return the digest of every file of the folder, in a file of its own."""
    return {
        f"{SACRO}/checksums/{PurePath(name).name}.txt": hashlib.sha256(
            content.encode("utf-8") if isinstance(content, str) else content
        ).hexdigest()
        for name, content in files.items()
    }
