"""One review from start to files on disk, with progress: what the command line does."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa

from sdcmetrics.agreement.crosscheck import TITLE, CrossCheck, crosscheck
from sdcmetrics.cli.headings import decision_lines
from sdcmetrics.cli.options import REPORT_FORMATS
from sdcmetrics.cli.saving import is_input, make_folder
from sdcmetrics.cli.terminal import one_line, print_lines, progress
from sdcmetrics.decision.answer import Decision
from sdcmetrics.decision.choice import QUESTION
from sdcmetrics.decision.gate import DEFAULT, exit_code, read_gate, warning
from sdcmetrics.errors import FileError, RError, SdcMetricsError, StudyError, did_you_mean
from sdcmetrics.ranking.compare_replicas import compare_replicas, wanted_weights
from sdcmetrics.ranking.rank_file import rank_file
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.release.files import earlier_files
from sdcmetrics.report.formats.output import PARTIAL, RESULTS, check_folder, locked, result_paths
from sdcmetrics.report.results_file import ResultsFile, read_results
from sdcmetrics.report.sections.sample import sample_in_words
from sdcmetrics.review.cache import Cache
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.remedies import Remedies, remedies
from sdcmetrics.review.review import Review
from sdcmetrics.study.idle_limits import refuse_idle_limits
from sdcmetrics.study.profile import load_profile
from sdcmetrics.study.reading import read_study
from sdcmetrics.study.sampled import said_of_records, with_profile, with_replicas
from sdcmetrics.study.study import Study

__all__ = ["PARTIAL", "check_formats", "exit_code", "prepare", "rank_study", "run"]

_RECORDS = 50_000
"""Original records up to which a review counts again what remedies bring: a second or so."""
_WIDE = 400
"""Letters of a reason that the terminal shows."""
_MODES = ("internal", "checker")


def run(  # noqa: PLR0913  (one per option of the command)
    study: Study,
    out: Path,
    *,
    mode: str = "internal",
    profile: str | None = None,
    formats: Sequence[str] = ("html",),
    fail_on: str = DEFAULT,
    quiet: bool = False,
    against_r: bool = False,
    force: bool = False,
    cache: Path | None = None,
) -> int:
    """Conduct a study and write report.html, review.json and tables/*.csv; return the exit code.

    Finished steps are kept in the folder `cache`, and read from it.

    For internal use, measurements are appended to a partial file as they are made, so a crash
    leaves them on disk; the file is removed when the results are complete. With `against_r` all
    that R's synthpop has is then computed there as well, and the results are written again with
    what was found: whatever R does, nothing is lost. An unexplained difference makes the exit
    code 1.

    Raises
    ------
    StudyError
        For an unknown mode, format or profile, or a folder that holds what must not be there.
    FileError
        If the results cannot be written to the folder.
    ReleaseBlocked
        If a checker's report would give back a confidential value.
    """
    from sdcmetrics import report

    _check("--mode", mode, _MODES)
    gate = read_gate(fail_on)
    check_formats(formats)
    if against_r and (said_before := said_of_records(study, TITLE)) and not quiet:
        print_lines(said_before)
    study = study if profile is None else with_profile(study, profile)
    judged_by = load_profile(study.profile)
    refuse_idle_limits(judged_by, study, holdout=study.holdout is not None)
    prepare(out, mode, force=force)
    before = _earlier(out) if mode == "internal" else None
    partial = out / PARTIAL if mode == "internal" else None
    checked: CrossCheck | RError | None = None
    with locked(out):

        def write() -> Path:
            return report.write_all(
                review,
                out,
                formats=formats,
                mode=mode,
                profile=judged_by,
                crosscheck=checked,
                ranking=ranking,
                remedied=remedied,
                force=force,
                before=before,
            )[0]

        with _name_checkpoint(partial):
            with progress(quiet=quiet) as report_progress:
                review = conduct(study, progress=report_progress, checkpoint=partial, cache=cache)
                _give_back()
                # What a checker's edition ranks follows from its own cells.
                ranking = _compare(review, report_progress, cache) if mode == "internal" else None
            some = mode == "internal" and review.n_original <= _RECORDS
            remedied = remedied_of(review, cache) if some else None
            _give_back()
            written = write()
        if partial is not None:
            partial.unlink(missing_ok=True)
        if against_r:
            checked = _ask_r(study, quiet=quiet)
            written = write()
    if mode == "internal":  # decided by this profile before
        decisions = tuple(review.decisions.values())
    else:
        decisions = report.judged(review, judged_by, mode)  # type: ignore[arg-type]  # checked
    _summarise(review, decisions, written, mode, which=_which(out), quiet=quiet)
    if words := warning(decisions, gate):
        sys.stderr.write(one_line(f"sdcmetrics: {words}") + "\n")
    return exit_code(decisions, gate) if _say(checked) else 1


def _give_back() -> None:
    """Give the system the memory that is free; glibc keeps 80 MB of a review of wide data.

    Arrow, whose own pool keeps what it ever had, takes from now on where the rest is free.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(AttributeError, OSError, TypeError):  # another library, or none
        ctypes.CDLL(None).malloc_trim(0)


def rank_study(
    study: Path,
    *,
    strategy: str | None = None,
    weights: Mapping[str, float] | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    anchors: bool | None = None,
    allow_code: bool = False,
    quiet: bool = False,
) -> Ranking:
    """Conduct a study and rank its replicas, or rank by the results in a review.json or a folder.

    Raises
    ------
    StudyError
        If a review.json is to be ranked with what needs the data.
    """
    if study.is_dir() or study.suffix.lower() == ".json":
        if replicates:
            msg = "--replicates needs the data, which are not in a review.json. Name the study."
            raise StudyError(msg)
        study = study / "review.json" if study.is_dir() else study
        if seed is None:
            return rank_file(study, strategy=strategy or "rank", weights=weights)
        return rank_file(study, strategy=strategy or "rank", weights=weights, seed=seed)
    loaded = read_study(study, earlier_files=earlier_files(study), allow_code=allow_code)
    criteria = wanted_weights(loaded, weights).criteria
    with progress(quiet=quiet) as report_progress:
        review = conduct(
            loaded,
            progress=report_progress,
            holdout=any(criterion.measure.of.holdout for criterion in criteria),
        )
        return compare_replicas(
            review,
            strategy=strategy,
            weights=weights,
            replicates=replicates,
            seed=seed,
            anchors=anchors,
            progress=report_progress,
        )


def check_formats(formats: Sequence[str]) -> None:
    """Raise StudyError for an unknown report format, or one that needs what is not installed."""
    for form in formats or ("",):
        _check("--format", form, REPORT_FORMATS)
    paper = next((form for form in formats if form in ("pdf", "pdfa")), None)
    if paper and importlib.util.find_spec("weasyprint") is None:
        msg = f"--format {paper} needs WeasyPrint. Install it with: pip install 'sdcmetrics[pdf]'"
        raise StudyError(msg)
    if "xlsx" in formats and importlib.util.find_spec("openpyxl") is None:
        msg = "--format xlsx needs openpyxl. Install it with: pip install 'sdcmetrics[xlsx]'"
        raise StudyError(msg)


def prepare(out: Path, mode: str, *, inputs: Iterable[Path] = (), force: bool = False) -> None:
    """Make the folder for the results, and see that they can and may be written to it.

    Raises
    ------
    FileError
        If it cannot be made or written to, or an input is where a result would go.
    StudyError
        If what is in the folder must not be beside the results, or another review writes there.
    """
    probe = out / ".sdcmetrics"
    try:
        make_folder(out)
        probe.touch()
        probe.unlink()
    except OSError as error:
        msg = (
            f"{out}: results cannot be written to this folder ({error.strerror}). Choose another "
            "with --out."
        )
        raise FileError(msg) from None
    read = list(inputs)
    for path in result_paths(out):
        if is_input(path, read):
            msg = (
                f"{path}: this file is read by the same review, whose results would replace it. "
                "Choose another folder with --out."
            )
            raise FileError(msg)
    with locked(out):  # clears what a review that was killed left
        check_folder(out, mode, force=force)


def _earlier(out: Path) -> ResultsFile | None:
    """Return the results of the internal review that these replace; None without such."""
    try:
        earlier = read_results(out)
    except SdcMetricsError:
        return None
    return earlier if earlier.document["classification"] == "internal" else None


def _compare(
    review: Review, report_progress: Callable[..., None] | None, cache: Path | None
) -> Ranking | None:
    """Rank the replicas as the study asks; None where nothing can be, which the report says."""
    try:
        return compare_replicas(review, progress=report_progress, cache=cache)
    except StudyError:
        return None


def remedied_of(review: Review, cache: Path | None) -> Remedies:
    """Return the remedies of each replica, computed again where their inputs have changed."""
    if review.study.original.large:
        return remedies(review)  # no step would be kept, and what is read is read once
    steps, parts = Cache.of(cache and cache / "remedies", review.study), []
    for name, syntheses in review.study.replicas.items():
        alone = review.of(with_replicas(review.study, {name: syntheses}))
        parts.append(steps.step(name, ("remedies",), partial(remedies, alone))[0])
    steps.prune()
    frames = {
        name: pd.concat([getattr(part, name) for part in parts], ignore_index=True)
        for name in ("table", "effect", "coarser")
    }
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    beyond = tuple(name for part in parts for name in part.beyond_remedy)
    return replace(parts[0], **frames, notes=notes, beyond_remedy=beyond)


def _ask_r(study: Study, *, quiet: bool) -> CrossCheck | RError:
    with progress(quiet=quiet) as report_progress:
        try:
            return crosscheck(study, progress=report_progress)
        except RError as error:
            return error


def _say(checked: CrossCheck | RError | None) -> bool:
    """Print the outcome of the cross-check; return False if a value differs or is missing."""
    if isinstance(checked, RError):
        sys.stderr.write(one_line(f"sdcmetrics: not cross-checked: {checked.reason}") + "\n")
    elif checked is not None:
        counts = ", ".join(f"{times:,} {verdict}" for verdict, times in checked.counts().items())
        print_lines(one_line(f"cross-check with synthpop: {counts}"))
        from sdcmetrics.rbridge.defects import named_in

        documented = named_in(checked.table["verdict"])
        print_lines(*(f"  {number}: in synthpop, {words}" for number, words in documented.items()))
        return checked.ok
    return True


@contextmanager
def _name_checkpoint(partial: Path | None) -> Iterator[None]:
    """Print where finished measurements are when the review is stopped."""
    before = _stamp(partial)
    try:
        yield
    except BaseException:
        if _stamp(partial) != before:
            sys.stderr.write(f"sdcmetrics: finished measurements (internal) are in {partial}\n")
        raise


def _stamp(file: Path | None) -> int:
    return file.stat().st_mtime_ns if file is not None and file.exists() else 0


def _check(option: str, value: str, names: Sequence[str]) -> None:
    if value not in names:
        hint = did_you_mean(value, names)
        msg = f"{option}: expected one of {', '.join(names)} but got {str(value)!r}.{hint}"
        raise StudyError(msg)


def _which(out: Path) -> str:
    """Return the choice among replicas, as in the report that was just written."""
    from sdcmetrics.report.document import read_answers

    with (out / RESULTS).open(encoding="utf-8") as lines:
        answer = read_answers(lines)[-1]
    return " ".join([answer["answer"], *(replica["finding"] for replica in answer["replicas"])])


def _summarise(
    review: Review,
    decided: Collection[Decision],
    report: Path,
    mode: str,
    *,
    which: str,
    quiet: bool,
) -> None:
    lines = [f"{review.study.title} ({mode})"]
    if review.study.roles:
        lines.append(
            f"  original: {sample_in_words(review.study.roles, release=mode == 'checker')}"
        )
    lines += [f"  {note}" for note in review.study.judging.notes]
    answers = decision_lines(decided, quiet=quiet)
    last = (f"  {QUESTION} {which}", f"report: {report}")
    above, below = ([one_line(line, limit=_WIDE) for line in each] for each in (lines, last))
    for line in (*(() if quiet else above), *answers, *below):
        sys.stdout.write(line + "\n")
