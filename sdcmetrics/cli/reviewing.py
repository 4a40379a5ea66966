"""The command `review`: which study, which edition, and what is kept for the next review."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Never

import click

from sdcmetrics.cli import options as opts
from sdcmetrics.cli.finished_reviews import as_reviewed, judge_again, remember, reviewed_in
from sdcmetrics.cli.release import USUAL, hand_out
from sdcmetrics.cli.run import check_formats, prepare, run
from sdcmetrics.cli.saving import data_files
from sdcmetrics.decision.gate import exit_code, read_gate
from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.release.files import earlier_files, note_of_another_original
from sdcmetrics.release.request import note_request, request_of
from sdcmetrics.review.cache import CACHE
from sdcmetrics.review.fingerprint import cells_known
from sdcmetrics.study.options import check_preset
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.reading import read_study
from sdcmetrics.study.sampled import with_parts, with_replicas

_FOR_ALL = ("mode", "profile", "formats", "fail_on", "mu", "new_secret", "quiet", "force")
"""Options that an edition for outside has."""


def usual_results() -> Path | None:
    """Return the folder of an internal review that stands in its usual place; None without one."""
    return USUAL if reviewed_in(USUAL / CACHE) is not None else None


def judge_by_profile(results: Path, profile: str | None, fail_on: str) -> Never:
    """Judge the results of a review by another profile, and end with the exit code."""
    if profile is None:
        msg = "--from needs --out, to write results again, or --profile, to judge them by."
        raise click.UsageError(msg)
    sys.exit(exit_code(judge_again(results, profile), read_gate(fail_on)))


def _study_of(results: Path | None) -> Path:
    assert results is not None  # noqa: S101  (one of the two was given)
    return as_reviewed(results).file


def hand_out_edition(study: Path, out: Path, **chosen: Any) -> Never:
    """Write an edition for outside, and end with the exit code."""
    for name in chosen:
        if name not in _FOR_ALL and opts.is_given(name):
            msg = f"--{name.replace('_', '-')} is for the editions that stay inside."
            if name == "against_r":
                msg = "--crosscheck is for the editions that stay inside."
            raise click.UsageError(msg)
    wanted = {name: value for name, value in chosen.items() if name in _FOR_ALL}
    sys.exit(hand_out(study, out, **wanted))


def review_study(study: Path | None, out: Path, results: Path | None, **chosen: Any) -> Never:
    """Review a study, or write the results of a review again, and end with the exit code."""
    # What is wrong with the options is said before the data are read.
    check_formats(chosen["formats"])
    if chosen["mode"] in ("release", "coarse"):
        hand_out_edition(study or _study_of(results), out, **chosen)
    if opts.is_given("mu") or chosen["new_secret"]:
        msg = "--mu and --new-secret are for --mode release."
        raise click.UsageError(msg)
    del chosen["mu"], chosen["new_secret"]
    if chosen["profile"] is not None:
        load_profile(chosen["profile"])
    preset, no_cache = check_preset(chosen.pop("preset") or ""), chosen.pop("no_cache")
    sample, engine = chosen.pop("sample"), chosen.pop("engine")
    allow_code = chosen.pop("allow_code")
    reviewed = None
    if results is not None:
        reviewed = as_reviewed(results)
        study, preset = study or reviewed.file, preset or reviewed.preset
        chosen["profile"] = chosen["profile"] or reviewed.profile
    assert study is not None  # noqa: S101  (one of the two was given)
    prepare(out, chosen["mode"], inputs=data_files(study), force=chosen["force"])
    request = request_of(study, chosen["profile"], inside=True)
    loaded = read_study(
        study, engine=engine, earlier_files=earlier_files(study), allow_code=allow_code
    )
    if words := note_of_another_original(study):
        fix = Fix(loaded.original.source, None, words, compared=True)
        original = replace(loaded.original, fixes=(*loaded.original.fixes, fix))
        loaded = with_parts(loaded, {"original": original})
    given: dict[str, Any] = {"preset": preset} if preset else {}
    if sample is not None:
        if not loaded.original.large:
            msg = (
                "--sample is for data that are counted in batches; these are read whole, and every "
                "record is used. Leave it out."
            )
            raise StudyError(msg)
        given["sample_size"] = sample
    if given:
        loaded = with_replicas(loaded, loaded.replicas, **given)
    keep = chosen["mode"] == "internal" and cells_known(loaded)
    cache = out / CACHE if keep else None
    if reviewed is not None:
        reviewed.check(loaded)
        cache = reviewed.cache
    cache = None if no_cache else cache
    code = run(loaded, out, cache=cache, **chosen)
    note_request(out, request)
    own = out / CACHE
    noted = reviewed is not None and reviewed.cache.resolve() == own.resolve()
    if chosen["mode"] == "internal" and not noted and (own.exists() or not no_cache):
        steps_of = loaded if cache == own else None
        remember(own, study, steps_of, preset, chosen["profile"])
    sys.exit(code)
