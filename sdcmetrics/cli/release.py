"""One edition for outside, from a study file to a folder: what the command line does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.run import prepare
from sdcmetrics.cli.saving import data_files
from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.decision.gate import read_gate
from sdcmetrics.decision.status import Status, severity
from sdcmetrics.errors import StudyError
from sdcmetrics.release.answers import ask, read_public, read_request
from sdcmetrics.release.estimates import worst_of
from sdcmetrics.release.ledger import ledger_file, read_ledger
from sdcmetrics.release.secret import read_secret, refuse_inside, secret_file
from sdcmetrics.report.formats.output import locked
from sdcmetrics.report.outside.edition import coarse_edition, release_edition
from sdcmetrics.report.outside.write import FORMATS, write_edition

OUTSIDE = ("release", "coarse")


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
    """Write an edition for outside; return the exit code.

    What can be refused without the original is refused before it is asked, so that nothing is
    spent on it.

    Raises
    ------
    StudyError, FileError, DataError
        If study, files or folder are not as they must be.
    ReleaseBlocked
        If the budget is spent, or the original is another than that of the secret.
    """
    for form in formats:
        if form not in FORMATS:
            msg = (
                f"--format {form} is for the editions that stay inside: --mode {mode} writes "
                f"{' or '.join(FORMATS)}, and tables/figures.csv."
            )
            raise StudyError(msg)
    secret = secret_file(study, read_request(study).release.secret)
    refuse_inside(secret, out)
    prepare(out, mode, inputs=data_files(study), force=force)
    public = read_public(study, profile)
    if mode == "coarse":
        return _coarse(study, out, formats, quiet=quiet)
    with locked(out):
        sums = ask(study, public, mu=mu, new_secret=new_secret)
        edition = release_edition(public, sums)
        written = write_edition(edition, out, formats)[0]
    statuses = [worst_of(edition.estimates, replica.name) for replica in public.replicas]
    if not quiet:
        ledger = read_ledger(ledger_file(secret), read_secret(secret))
        print_lines(
            one_line(f"{public.title} (release)"),
            *(
                one_line(f"  {replica.name}: limits {status.value}")
                for replica, status in zip(public.replicas, statuses, strict=True)
            ),
            f"  spent: mu {ledger.spent:.3g} of {ledger.budget:g}; secret and ledger: {secret}, "
            f"{ledger_file(secret).name}",
        )
    print_lines(f"report: {written}")
    return _exit_code(statuses, fail_on)


def _coarse(study: Path, out: Path, formats: Sequence[str], *, quiet: bool) -> int:
    public = read_public(study)
    if public.decision is None:
        msg = (
            f"{study.name}: a coarse edition tells the decision, and the study has none. Write "
            "[release.decision] with replicas = { name = "
            '"release" }, signed = "..." and date = ..., or choose --mode release.'
        )
        raise StudyError(msg)
    with locked(out):
        written = write_edition(coarse_edition(public), out, formats)[0]
    if not quiet:
        print_lines(one_line(f"{public.title} (coarse)"))
    print_lines(f"report: {written}")
    return 0


def _exit_code(statuses: Sequence[Status], fail_on: str) -> int:
    """Return 1 if what is told of a replica's risk closes the gate: the rest is not told."""
    bar = read_gate(fail_on).get("risk")
    return int(bar is not None and any(severity(one) >= severity(bar) for one in statuses))
