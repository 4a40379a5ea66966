"""What ``sdcmetrics init`` does: write a first study file, and a profile if one is asked for."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.saving import check_output
from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.microdata.text_columns import DecimalMark
from sdcmetrics.study.first_study import suggested_study
from sdcmetrics.study.profile import PROFILES, load_profile
from sdcmetrics.study.suggested import by_method


def write_study(  # noqa: PLR0913  (one per option of the command)
    original: Path,
    replicas: Sequence[Path],
    holdout: Path | None,
    out: Path,
    profile: Path | None,
    decimal: DecimalMark | None,
    encoding: str | None,
    metadata: Path | None,
    *,
    force: bool,
) -> None:
    """Write the files, and say what comes next.

    Raises
    ------
    FileError
        If a file cannot be read, or one that is to be written exists.
    DataError, StudyError
        If the files cannot be compared, or one is a folder.
    """
    inputs = [original, *replicas, *(file for file in (holdout, metadata) if file)]
    check_output({"--out": out, "--profile": profile}, inputs, force=force)
    _refuse_folders([original, *replicas, *([holdout] if holdout else [])])
    text = suggested_study(
        original,
        by_method(replicas),
        holdout=holdout,
        profile="default" if profile is None else profile.name,
        folder=out.parent,
        decimal=decimal,
        encoding=encoding,
        metadata=metadata,
        say=lambda sentence: print_lines(one_line(sentence)),
    )
    out.write_text(text, encoding="utf-8")
    print_lines(f"wrote {out}: every entry is a guess with its reason; check each")
    if profile is not None:
        profile.write_text(_default_limits(), encoding="utf-8")
        print_lines(f"wrote {profile}: limits of the default profile, to be changed to your own")
    named = shlex.quote(str(out))
    print_lines(f"next: sdcmetrics check {named}, then sdcmetrics review {named} --out out/")


def _refuse_folders(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.is_dir():
            msg = (
                f"{path}: init looks at files, and this is a folder. Name one file of it, and put "
                "the folder in its place in the study that is written: a review counts all files "
                "of a folder."
            )
            raise StudyError(msg)


def _default_limits() -> str:
    """Return the default profile; limits on measures that a first study lacks are comments."""
    kinds = {symbol: MEASURES[symbol].of for symbol in load_profile().thresholds}
    idle = [symbol for symbol, kind in kinds.items() if kind.option]
    blocks = (PROFILES / "default.toml").read_text(encoding="utf-8").split("\n\n")
    heads = tuple(f"[thresholds.{symbol}]" for symbol in idle)
    return "\n\n".join(
        "\n".join(f"# {line}" for line in block.splitlines()) + "\n"
        if heads and block.startswith(heads)
        else block
        for block in blocks
    )
