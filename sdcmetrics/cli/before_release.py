"""Commands before a file goes out: ledger, verification, sheet, metadata, bundles, labels."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sdcmetrics.cli import options as opts


@opts.command(
    "Enter, list or check what was handed out of an original.",
    opts.argument("action", "add, status or check.", type=click.Choice(["add", "status", "check"])),
    opts.STUDY,
    opts.argument("replicas", "Of add: the replicas that were handed out.", nargs=-1, type=str),
    opts.option("--date", "Of add: when, as 2026-11-23; by default today."),
    opts.flag("--corrected", "Of add: the original was corrected since the last."),
)
def ledger(
    action: str, study: Path, replicas: tuple[str, ...], date: str | None, *, corrected: bool
) -> None:
    """Keep the ledger of an original: what was handed out of it, when, and from which study.

    Risk adds up over all that is out: a review judges every replica by itself, and together with
    the files in the ledger, which lies beside the study file, with its secret. A file entered can
    make no answer milder. status lists the files and what releases of figures spent; check ends
    with 1 if a file is gone or was changed, or the original is another.
    """
    from sdcmetrics.cli import ledger as of_original

    if action != "add" and (replicas or opts.is_given("date") or corrected):
        msg = f"ledger {action} takes a study file and nothing else."
        raise click.UsageError(msg)
    if action == "add":
        sys.exit(of_original.add(study, replicas, date, corrected=corrected))
    sys.exit(of_original.status(study) if action == "status" else of_original.check(study))


@opts.command(
    "Check a user's analyses of a replica on the original, with noise.",
    opts.STUDY,
    opts.argument("replica", "The name of the replica in the study.", type=str),
    opts.argument("analyses", "The user's file (TOML) of sections [[analysis]]."),
    opts.option(
        "--mu", "What the answers to one analysis may cost.", float, 0.2, callback=opts.above_0
    ),
    opts.file("--json out", "Save the answers as this JSON file."),
    opts.FORCE,
)
def verify(
    study: Path, replica: str, analyses: Path, out: Path | None, *, mu: float, force: bool
) -> None:
    """Make a user's analyses on the original, and say how near they are to those of a replica.

    For whoever has only the replica. Each answer is a range of the overlap of intervals, and
    whether sign and significance are the same. It has noise, and is paid for out of the budget of
    the study's releases: secret and ledger lie beside the study. The same analysis costs nothing
    the second time. When the budget is spent, it is refused with exit code 4.
    """
    from sdcmetrics.cli.verify import show_verification

    show_verification(study, replica, analyses, out, mu=mu, force=force)


@opts.command(
    "Write the sheet for users of a replica.",
    opts.STUDY,
    opts.argument("replica", "The name of the replica in the study.", type=str),
    opts.file("--release", "Folder of a release: what is preserved is taken from there."),
    click.option(
        "--answers",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Answers of sdcmetrics verify --json. Repeatable.",
    ),
    opts.flag("--pdf", "Write user-sheet.pdf as well."),
    opts.flag("--elsewhere", "Take a release or answers that another user or computer wrote."),
    opts.file("--out -o", "Folder for the sheet.", default=Path("sheet")),
    opts.FORCE,
)
def sheet(study: Path, replica: str, out: Path, **chosen: Any) -> None:
    """Write user-sheet.html and .md: what the file is and is not, how it was made, what it keeps.

    Also how to check a finding, how to cite the file, whom to ask, and until when it may be used.
    It is made of the replica's file, the study's own words (context, [[generator]], [publication])
    and figures that were released. The original is not opened, the seed is held back.
    """
    from sdcmetrics.cli.sheet import write_user_sheet

    write_user_sheet(study, replica, out, **chosen)


@opts.command(
    "Write DDI, CSVW, Croissant and DCAT metadata of a replica.",
    opts.STUDY,
    opts.argument("replica", "The name of the replica in the study.", type=str),
    opts.file("--out -o", "Folder for the metadata.", default=Path("metadata")),
    opts.FORCE,
)
def metadata(study: Path, replica: str, out: Path, *, force: bool) -> None:
    """Write ddi-codebook.xml, croissant.json, dcat.jsonld and, of text, csvw-metadata.json.

    They are made of the replica's file with its labels and codes, and of the study's own words
    ([publication]). The original is not opened.
    """
    from sdcmetrics.cli.sheet import write_metadata

    write_metadata(study, replica, out, force=force)


@opts.command(
    "Make the two keys of somebody who signs bundles.",
    opts.argument("file", "The private key to be written; FILE.pub is the public one."),
)
def make_keys(file: Path) -> None:
    """Make a private key, which only you may read, and the public key that others check with.

    Nothing is overwritten. Needs the package cryptography: pip install "sdcmetrics[sign]".
    """
    from sdcmetrics.cli.bundle import write_keys

    write_keys(file)


@opts.command(
    "Put a review with all it rests on in a signed folder.",
    opts.argument("review_folder", "The folder of a review, internal or for outside."),
    opts.KEY,
    opts.NAME,
    opts.file("--study", "The study file, where an internal review does not say it."),
    opts.option("--profile", "Profile of thresholds; by default the review's or the study's."),
    click.option(
        "--add",
        "more",
        type=click.Path(path_type=Path),
        multiple=True,
        help="A file to be added: the user sheet, metadata, a replica. Repeatable.",
    ),
    opts.flag("--elsewhere", "Take a review that another user or computer wrote."),
    opts.file("--out -o", "Folder for the bundle.", default=Path("bundle")),
)
def bundle(review_folder: Path, study: Path | None, out: Path, **chosen: Any) -> None:
    """Write a bundle in the state prepared: an RO-Crate whose every byte is signed for.

    It holds the results, the study, the profile, versions of programs and digests of the data.
    Results that were edited since the review wrote them are refused.
    Those of original and holdout are keyed: they say nothing to those who lack the key. A bundle of
    a release has only the public words of the study, without paths and seeds.
    """
    from sdcmetrics.cli.bundle import write_bundle

    write_bundle(review_folder, study, out, **chosen)


@opts.command(
    "Sign the next state of a bundle.",
    opts.argument("folder", "The bundle."),
    opts.argument("state", "checked, signed, released or withdrawn.", type=str),
    opts.KEY,
    opts.NAME,
    opts.PUBLIC_KEYS,
)
def sign(folder: Path, state: str, *, key: Path, name: str, public: Sequence[Path]) -> None:
    """Sign the next state of a bundle that is as it was signed, with name and time.

    The states are prepared, checked, signed and released, in this order; a bundle can be withdrawn
    from any of them. Who signed before with another key is known by --public-key.
    """
    from sdcmetrics.cli.bundle import sign_state

    sign_state(folder, state, key=key, name=name, public=public)


@opts.command(
    "Check that every byte of a bundle is as it was signed.",
    opts.argument("folder", "The bundle."),
    opts.PUBLIC_KEYS_REQUIRED,
)
def verify_bundle(folder: Path, public: Sequence[Path]) -> None:
    """Check files, signatures and order of states of a bundle, offline; exit with 1 if one fails.

    A bundle that is as it was signed, but was withdrawn, ends with 6.

    An older copy of a bundle is a true older bundle. Compare state and digest, which are printed,
    with what the agency says.
    """
    from sdcmetrics.cli.bundle import show_check

    sys.exit(show_check(folder, public))


@opts.command(
    "Write copies of the replicas that say that no record is real.",
    opts.STUDY,
    opts.file("--out -o", "Folder for the copies.", default=Path("labelled")),
    opts.option("--column", "The column that says it.", str, "synthetic_data"),
)
def label(study: Path, out: Path, column: str) -> None:
    """Write a labelled copy of each replica's file: its name says synthetic, and so does a column.

    Values are unchanged: each copy is read again and compared with the file, entry by entry. Text,
    Parquet, SPSS and Stata files keep their format, labels and codes for missing.
    """
    from sdcmetrics.cli.sheet import write_labelled

    write_labelled(study, out, column)


BEFORE_RELEASE = (ledger, verify, sheet, metadata, make_keys, bundle, sign, verify_bundle, label)
