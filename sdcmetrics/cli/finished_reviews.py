"""Work on finished reviews: judge or write them again, or compare two of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sdcmetrics.cli.headings import decision_lines
from sdcmetrics.cli.saving import save_csv
from sdcmetrics.cli.terminal import one_line, print_frame, print_lines
from sdcmetrics.decision.answer import Decision
from sdcmetrics.errors import StudyError
from sdcmetrics.report.results_file import judge_file, read_results
from sdcmetrics.report.since import CHIEF, Changes
from sdcmetrics.review.cache import CACHE
from sdcmetrics.review.fingerprint import fingerprint
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.study import Study
from sdcmetrics.study.written import write_whole

_RECORD = "study.json"
"""In the cache: which study its steps are of."""

_MOST = 20
"""Changes that are printed; --csv saves them all."""

_NEITHER = (
    "  neither: the value has changed, and no side of it is the better one (a number that helps to "
    "read others), or one side has no value"
)

_WIDE = 28
"""Letters of a value before and after, of which digests have 64."""


@dataclass(frozen=True)
class Reviewed:
    """The study and options of an internal review, as noted beside its finished steps."""

    cache: Path
    file: Path
    preset: str
    profile: str | None
    parts: dict[str, str]

    def check(self, study: Study) -> None:
        """Raise StudyError if measurements of the study would differ from those of the review."""
        if not self.parts:
            msg = (
                f"{self.cache.parent}: that review kept no steps (its data were counted in "
                f"batches, or --no-cache was given). Review {self.file.name} again, without --from."
            )
            raise StudyError(msg)
        now = fingerprint(study)
        changed = [name for name in {**self.parts, **now} if self.parts.get(name) != now.get(name)]
        if changed:
            msg = (
                f"{self.cache.parent}: since that review, there is a change of "
                f"{', '.join(changed)}. Review {self.file.name} again, without --from."
            )
            raise StudyError(msg)


def remember(
    cache: Path, file: Path, study: Study | None, preset: str, profile: str | None
) -> None:
    """Write the study and options of a review beside its finished steps; None if it has none."""
    noted = {
        "study": str(file.resolve()),
        "preset": preset,
        "profile": profile,
        "parts": {} if study is None else fingerprint(study),
    }
    cache.mkdir(mode=0o700, exist_ok=True)
    if (cache / _RECORD).exists() and reviewed_in(cache) is None:
        return  # of somebody else, whatever it is
    write_whole(cache / _RECORD, json.dumps(noted, indent=1) + "\n")


def as_reviewed(results: Path) -> Reviewed:
    """Return the study and options of the review with these results.

    Raises
    ------
    StudyError
        If that is not noted beside them.
    """
    cache = (results if results.is_dir() else results.parent) / CACHE
    reviewed = reviewed_in(cache)
    if reviewed is None:
        msg = (
            f"{results}: expected the results of an internal review of a study file, with "
            f"{CACHE} beside them. Review the study again."
        )
        raise StudyError(msg)
    return reviewed


def reviewed_in(cache: Path) -> Reviewed | None:
    """Return the note beside finished steps; None where it is not one of this program."""
    try:
        noted = json.loads((cache / _RECORD).read_text(encoding="utf-8"))
        return Reviewed(
            cache, Path(noted["study"]), noted["preset"], noted["profile"], dict(noted["parts"])
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def judge_again(results: Path, profile: str) -> tuple[Decision, ...]:
    """Judge a review.json by another profile, print the answers, and return the decisions."""
    rules = load_profile(profile)
    decisions, findings = judge_file(read_results(results), rules)
    print_lines(f"judged by {one_line(rules.title)}, from {results}; nothing was measured")
    print_lines(*map(one_line, rules.notes))
    print_lines(*decision_lines(decisions))
    beyond = [f for f in findings if f.status in (Status.FAIL, Status.REVIEW)]
    for f in beyond[:_MOST]:
        place = ", ".join(filter(None, (f.scenario, f.target, *f.variables)))
        print_lines(
            one_line(f"  {f.status.value}: {f.replica}, {f.metric} {f.value:.4g} ({place})")
        )
    if len(beyond) > _MOST:
        print_lines(f"  and {len(beyond) - _MOST} more values beyond a limit")
    return decisions


def _short(value: object) -> str:
    return one_line(str(value), limit=_WIDE)


def show_changes(changes: Changes, csv: Path | None) -> None:
    """Print what changed, the verdicts first."""
    for title, frame in (
        ("verdicts", changes.verdicts),
        ("data", changes.data),
        ("settings", changes.settings),
    ):
        if len(frame):
            print_lines(f"{title}: {len(frame)} changed")
            names = list(frame.columns[:-2])
            print_frame(frame.set_index(names).fillna("-"), ["before", "after"], text=_short)
        else:
            print_lines(f"{title}: no change")
    counts = changes.measurements["change"].value_counts()
    counted = ", ".join(f"{count:,} {change}" for change, count in counts.items())
    print_lines(f"measurements: {counted or 'no change'}")
    if "neither" in counts:
        print_lines(_NEITHER)
    moved = changes.moved
    if len(moved):
        if len(moved) > _MOST:
            print_lines(
                f"{_MOST} of {len(moved):,} that are better or worse: first by how many people of "
                f"the original {' and '.join(CHIEF)} changed, then other measures; --csv saves all"
            )
        keys = ["change", "replica", "metric", "scenario", "target", "variables"]
        print_frame(moved.head(_MOST).set_index(keys), ["before", "after", "people"])
    save_csv(changes.measurements.set_index(["replica", "metric"]), csv)
