"""An edition for outside, from a study file to a folder."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.release.answers import ask, read_public, read_request
from sdcmetrics.release.secret import refuse_inside, secret_file
from sdcmetrics.report.formats.output import check_folder, locked
from sdcmetrics.report.outside.edition import Edition, coarse_edition, release_edition
from sdcmetrics.report.outside.write import check_formats, write_edition


@checked
def write_release(
    study: str | Path,
    folder: str | Path,
    *,
    mode: str = "release",
    formats: Sequence[str] = ("html",),
    profile: str | Path | None = None,
    mu: float | None = None,
    new_secret: bool = False,
    date: dt.date | None = None,
) -> Edition:
    """Write what may be handed out of a study, and return it.

    A release asks the original for sums over people and adds noise. The secret that noise follows
    from, and the ledger of what was asked, stand beside the study file; the first release makes
    them. What can be refused without the original is refused before anything is spent.

    Parameters
    ----------
    study : path of a study file
    folder : path
        Empty, or with an earlier edition of this kind.
    mode : "release", or "coarse": a signed decision, and no figure of the original
    formats : "html", "pdf" and "pdfa" (for archives), or some of them
    profile : limits to apply, by default the study's
    mu : what new questions may cost; by default, in a first release, the whole budget
    new_secret : make a new secret, as a changed original needs; what was spent stays spent
    date : what the edition is dated; by default today

    Raises
    ------
    StudyError, FileError, DataError, ColumnError
        If study, files or folder are not as they must be.
    ReleaseBlocked
        If the budget is spent, the original is another than that of the secret, a replica has
        fewer than 100 records, or nothing says how many records a person may have.
    """
    if mode not in ("release", "coarse"):
        msg = f"mode: expected 'release' or 'coarse' but got {mode!r}."
        raise StudyError(msg)
    if not isinstance(study, str | Path):
        msg = (
            f"study: expected the path of a study file but got {type(study).__name__}. Secret and "
            "ledger stand beside it: a study in memory has no place for them."
        )
        raise StudyError(msg)
    check_formats(formats)
    file, out = Path(study), Path(folder)
    refuse_inside(secret_file(file, read_request(file).release.secret), out)
    if out.exists():
        check_folder(out, mode)
    public = read_public(file, None if profile is None else str(profile), date)
    if mode == "coarse" and public.decision is None:
        msg = (
            f"{file.name}: a coarse edition tells the decision, and the study has none. Write "
            '[release.decision] with replicas = { name = "release" }, signed = "..." and date = '
            "..., or choose the mode release."
        )
        raise StudyError(msg)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        if mode == "coarse":
            edition = coarse_edition(public)
        else:
            edition = release_edition(public, ask(file, public, mu=mu, new_secret=new_secret))
        write_edition(edition, out, formats)
    return edition
