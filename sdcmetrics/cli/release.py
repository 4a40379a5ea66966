"""One edition for outside, from a study file to a folder: what the command line does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sdcmetrics.cli.finished_reviews import Reviewed, reviewed_in
from sdcmetrics.cli.run import prepare
from sdcmetrics.cli.saving import data_files
from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.decision.gate import read_gate
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.errors import SdcMetricsError, counted
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.estimates import worst_of
from sdcmetrics.release.files import handed_out
from sdcmetrics.release.inputs import refuse_changed
from sdcmetrics.release.ledger import HandedOut, ledger_file, read_ledger
from sdcmetrics.release.request import is_answered, request_of
from sdcmetrics.release.secret import read_secret, refuse_inside, secret_file
from sdcmetrics.report.outside.write import check_formats, write_release
from sdcmetrics.report.results_file import read_results
from sdcmetrics.review.cache import CACHE
from sdcmetrics.study.file import StudyEntries

_EARLIER = "Earlier"
"""What results call a file that was handed out before."""
USUAL = Path("out")
"""Where results of a review stand if nothing else is said."""


def hand_out(  # noqa: PLR0913  (one per option of the command)
    study: Path,
    out: Path,
    *,
    mode: str,
    profile: str | None = None,
    formats: Sequence[str] = ("html",),
    fail_on: str = "risk=unjudged",
    mu: float | None = None,
    new_secret: bool = False,
    quiet: bool = False,
    force: bool = False,
) -> int:
    """Write an edition for outside; return the exit code. See `write_release`."""
    check_formats(formats)
    spec = read_request(study)
    secret = secret_file(study, spec.release.secret)
    refuse_inside(secret, out)
    prepare(out, mode, inputs=data_files(study), force=force)
    edition = write_release(
        study, out, mode=mode, formats=formats, profile=profile, mu=mu, new_secret=new_secret
    )
    replicas = list(
        dict.fromkeys(estimate.replica for estimate in edition.estimates if estimate.replica)
    )
    statuses = [worst_of(edition.estimates, name) for name in replicas]
    if not quiet:
        print_lines(one_line(f"{edition.title} ({mode})"))
    for name, status in zip(replicas, statuses, strict=True):
        print_lines(one_line(f"  {name}: limits {status.value}"))
    if not quiet and mode == "release":
        ledger = read_ledger(ledger_file(secret), read_secret(secret))
        print_lines(
            f"  spent: mu {ledger.spent:.3g} of {ledger.budget:g}; secret and ledger: {secret}, "
            f"{ledger_file(secret).name}",
        )
    for name in _kept_inside(spec):
        words = (
            f"  {name}: not signed for release, and this edition tells of it all the same. Leave"
        )
        print_lines(one_line(f"{words} it out of [data.replicas] if nothing of it is to go out."))
    _tell_internal(study)
    print_lines(f"report: {out / ('report.' + next(iter(formats), 'html'))}")
    return 0 if mode == "coarse" else _exit_code(statuses, fail_on)


def _kept_inside(spec: StudyEntries) -> list[str]:
    """Return the replicas that the signed decision does not release."""
    signed = {} if spec.release.decision is None else spec.release.decision.replicas
    return [name for name in spec.data.replicas if signed.get(name, "release") != "release"]


def _tell_internal(study: Path) -> None:
    """Print the decision of the internal review, if it is in its usual place."""
    for folder in dict.fromkeys([study.parent / USUAL, USUAL]):
        reviewed = reviewed_in(folder / CACHE)
        if reviewed is None or reviewed.file != study.resolve():
            continue
        try:
            document = read_results(folder).document
        except SdcMetricsError:
            continue
        if change := _change_since(folder, reviewed, document):
            words = f"  for you only: the internal review in {folder} counts no longer: {change}"
            print_lines(one_line(words))
            return
        try:
            since = _out_since(study, document)
        except SdcMetricsError as error:
            print_lines(one_line(f"  for you only: {error}"))
            return
        print_lines(f"  for you only, decided by the internal review in {folder}:")
        for decision in document["decision"]:
            risk, utility = decision["risk"]["answer"], decision["utility"]["answer"]
            words = f"may it be released: {risk}; is it useful: {utility}"
            own = study.name, decision["replica"]
            if others := [file for file in since if (file.study, file.replica) != own]:
                words += (
                    f". Without what went out since ({counted(len(others), 'file')}): review it "
                    "again"
                )
            print_lines(one_line(f"    {decision['replica']}: {words}"))
        return


def _out_since(study: Path, document: Mapping[str, Any]) -> tuple[HandedOut, ...]:
    """Return what went out after a review was made; a ledger only grows, and keeps its order."""
    replicas = {decision["replica"] for decision in document["decision"]}
    names = [row["data_set"] for row in document["inputs"]]
    judged = sum(name == _EARLIER and name not in replicas for name in names)
    return handed_out(study)[judged:]


def _change_since(folder: Path, reviewed: Reviewed, document: Mapping[str, Any]) -> str:
    """Return in words what is not as it was when an internal review was made; empty if all is."""
    try:
        refuse_changed(read_request(reviewed.file), reviewed.file, document)
        request = request_of(reviewed.file, reviewed.profile, inside=True)
        if not is_answered(folder, request):
            name = reviewed.file.name
            return f"{name} or a file that it names was changed since. Review it again."
    except SdcMetricsError as error:
        return str(error)
    return ""


def _exit_code(statuses: Sequence[Status], fail_on: str) -> int:
    """Return 1 if the released status of a replica's risk closes the gate."""
    bar = read_gate(fail_on).get("risk")
    return int(bar is not None and any(severity(status) >= severity(bar) for status in statuses))
