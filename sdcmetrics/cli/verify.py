"""The command that checks a user's analyses on the original, with noise."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from sdcmetrics.cli.saving import check_output, data_files, save_json
from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.release.answers import read_request
from sdcmetrics.release.ledger import ledger_file, read_ledger
from sdcmetrics.release.secret import read_secret, secret_file
from sdcmetrics.release.verification import Verification, answers_in_words, read_analyses, verify


def show_verification(
    study: Path, replica: str, analyses: Path, out: Path | None, *, mu: float, force: bool
) -> None:
    """Verify each analysis of a file, print the answers, and save them where asked."""
    check_output({"--json": out}, [*data_files(study), analyses], force=force)
    results: list[Verification] = []
    try:
        for analysis in read_analyses(analyses):
            result = verify(study, replica, analysis, mu=mu)
            results.append(result)
            print_lines(one_line(f"{result.analysis} ({result.replica}; {result.parts} parts)"))
            print_lines(*(one_line(f"  {line}") for line in answers_in_words(result)))
    finally:  # where the budget ends before the file, what was paid for is saved
        if results:
            save_json([{**asdict(r), "mu": round(r.mu, 4)} for r in results], out)
    place = secret_file(study, read_request(study).release.secret)
    ledger = read_ledger(ledger_file(place), read_secret(place))
    print_lines(f"spent: mu {ledger.spent:.3g} of {ledger.budget:g}")
