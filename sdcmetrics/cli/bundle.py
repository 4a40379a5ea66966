"""Commands of bundles: make keys, make a bundle, sign a state, check all offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sdcmetrics.cli.finished_reviews import as_reviewed
from sdcmetrics.cli.terminal import one_line, print_lines
from sdcmetrics.errors import StudyError
from sdcmetrics.release.bundle import Bundle, check_bundle, make_bundle, sign_bundle
from sdcmetrics.release.keys import make_keys, read_private_key, read_public_key
from sdcmetrics.release.secret import refuse_inside

WITHDRAWN = 6
"""Exit code of the check of a bundle that is as it was signed, and was withdrawn."""


def write_keys(file: Path) -> None:
    """Make a key pair, and say where it is."""
    public = make_keys(file)
    print_lines(
        one_line(f"private key: {file}: guard it, and hand it to nobody"),
        one_line(f"public key: {public}: for whoever checks what you sign"),
    )


def write_bundle(
    results: Path,
    study: Path | None,
    out: Path,
    *,
    key: Path,
    name: str,
    profile: str | None,
    more: Sequence[Path],
    elsewhere: bool,
) -> None:
    """Write a bundle, and say what is in it."""
    if study is None:
        try:
            reviewed = as_reviewed(results)
        except StudyError:
            msg = f"{results}: nothing there says of which study it is. Name it with --study."
            raise StudyError(msg) from None
        study, profile = reviewed.file, profile or reviewed.profile
    signer = read_private_key(key)
    refuse_inside(key, out)
    bundle = make_bundle(
        results,
        study,
        out,
        key=signer,
        name=name,
        profile=profile,
        more=tuple(more),
        elsewhere=elsewhere,
    )
    _show(bundle)
    if bundle.omitted:
        print_lines(one_line(f"left out, as they are no results: {', '.join(bundle.omitted)}"))


def sign_state(folder: Path, state: str, *, key: Path, name: str, public: Sequence[Path]) -> None:
    """Sign the next state of a bundle."""
    others = [read_public_key(file) for file in public]
    _show(sign_bundle(folder, state, key=read_private_key(key), name=name, others=others))


def show_check(folder: Path, public: Sequence[Path]) -> int:
    """Check a bundle; return 1 if anything is wrong with it, `WITHDRAWN` if it was withdrawn."""
    bundle = check_bundle(folder, [read_public_key(file) for file in public])
    if bundle.problems:
        print_lines(one_line(f"{folder}: this bundle is not as it was signed:"))
        print_lines(*(one_line(f"  {problem}") for problem in bundle.problems))
        print_lines(
            "Do not use these files. Ask whoever handed them out for the bundle again, and for its "
            "digest."
        )
        return 1
    _show(bundle)
    print_lines("every byte is as it was signed")
    last = bundle.states[-1]
    if last.state == "withdrawn":
        print_lines(one_line(f"withdrawn by {last.name}, {last.time}: do not use these files"))
        return WITHDRAWN
    return 0


def _show(bundle: Bundle) -> None:
    last = bundle.states[-1]
    print_lines(one_line(f"{bundle.folder}: {last.state} ({bundle.files} files)"))
    print_lines(*(one_line(f"  {s.time}  {s.state}: {s.name}") for s in bundle.states))
    print_lines(f"digest: {last.digest}")
