"""The text of a first study file: every entry a guess, with its reason in a comment."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from sdcmetrics.errors import FileError, SdcMetricsError
from sdcmetrics.measures.identifiers.identifiers import look_for_identifiers
from sdcmetrics.measures.identifiers.result import Identifiers
from sdcmetrics.measures.survey.design import households_of
from sdcmetrics.microdata import read
from sdcmetrics.microdata.codebook.read import read_codebook
from sdcmetrics.microdata.file_format import TEXT_FORMATS
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.read import check_file
from sdcmetrics.microdata.schema import alone
from sdcmetrics.microdata.text_columns import DecimalMark
from sdcmetrics.study.data import DataSets, refuse_one_record
from sdcmetrics.study.sample import bind_sample, make_sample
from sdcmetrics.study.suggested import Suggestion, suggest


def suggested_study(  # noqa: PLR0913  (one per property of the files)
    original: Path,
    replicas: Mapping[str, Sequence[Path]],
    *,
    holdout: Path | None = None,
    profile: str = "default",
    folder: Path,
    decimal: DecimalMark | None = None,
    encoding: str | None = None,
    metadata: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> str:
    """Return the text of a first study file; its paths are relative to the folder `folder`.

    Parameters
    ----------
    original : path
    replicas : mapping of name to paths of its syntheses
    holdout : path, optional
    profile : name of a profile, or the path of one
    folder : path
        The folder where the study file will be.
    decimal : "," or ".", optional
        The decimal mark of delimited files.
    encoding : str, optional
        Of delimited files that are not UTF-8.
    metadata : path, optional
        DDI-Codebook or CSVW of files that hold no labels.
    say : function of a sentence, optional
        Called first of all with every identifier of the original that stands in a replica, with
        every column that looks like one, with those that one of the two files lacks, and with
        every column that cannot be compared as it is.

    Raises
    ------
    FileError, DataError, StudyError
    """
    data = _read_files(original, replicas, holdout, decimal, encoding, metadata)
    refuse_one_record(data.original, data.holdout)
    shared: dict[object, object] = {}
    identifiers = {
        name: look_for_identifiers(data.original, syntheses, data.holdout, shared=shared)
        for name, syntheses in data.replicas.items()
    }
    sentences = (each.sentences() for each in identifiers.values())
    _tell(say, dict.fromkeys(itertools.chain.from_iterable(sentences)))
    suggestion = suggest(data.original, list(itertools.chain(*data.replicas.values())))
    _tell(say, _differing_columns(data))
    left_out = "It is left out of the study file, which says how to compare it."
    _tell(say, (f"{reason} {left_out}" for reason in suggestion.incomparable.values()))

    def path(file: Path) -> str:
        return _text(_relative(file, folder))

    lines = [
        "# A first study of these files. Every entry below is a guess: check each, then run",
        "# sdcmetrics check, and sdcmetrics review.",
        *_first(identifiers),
        "",
        "[study]",
        'title = "Disclosure review"   # shown as it is, in every edition',
        f"profile = {_text(profile)}   # limits: a name, or the path of a file of your own",
        "",
        "[data]",
        f"original = {path(original)}",
        f"holdout = {path(holdout)}"
        if holdout
        else '# holdout = "..."   # records of the same source kept from the synthesis, if any',
        "",
        "[data.replicas]   # several files of one name are syntheses made by one method",
        *(
            f"{toml_key(name)} = {_file_or_files([path(file) for file in files])}"
            for name, files in replicas.items()
        ),
        "",
        *_read_entries(suggestion, decimal, None if metadata is None else path(metadata), encoding),
        *_roles(suggestion),
        *_options(suggestion),
        *_sample(suggestion, data),
        *_further_questions(suggestion),
        *_missing_codes(suggestion),
    ]
    return "\n".join(lines) + "\n"


def _read_files(
    original: Path,
    replicas: Mapping[str, Sequence[Path]],
    holdout: Path | None,
    decimal: DecimalMark | None,
    encoding: str | None,
    metadata: Path | None,
) -> DataSets:
    """Read all files alike, with the labels of the metadata as the original's columns have them."""
    book = None if metadata is None else read_codebook(metadata)

    def read_file(path: Path) -> Microdata:
        form = check_file(path)
        of_text = form in TEXT_FORMATS
        return read(
            path,
            decimal=decimal if of_text else None,
            encoding=encoding if of_text else None,
            metadata=book if of_text or form in ("parquet", "feather") else None,
        )

    first = read_file(original)
    book = None if book is None else book.like(first)
    syntheses = {name: tuple(map(read_file, paths)) for name, paths in replicas.items()}
    return DataSets(first, syntheses, None if holdout is None else read_file(holdout))


def _tell(say: Callable[[str], None] | None, sentences: Iterable[str]) -> None:
    if say is not None:
        for sentence in sentences:
            say(sentence)


def _differing_columns(data: DataSets) -> Iterator[str]:
    """Yield a sentence on the columns that only original or replica has, file by file."""
    original = data.original
    for synthesis in itertools.chain(*data.replicas.values()):
        more = [name for name in synthesis.columns if name not in original.columns]
        fewer = [name for name in original.columns if name not in synthesis.columns]
        if more:
            yield (
                f"columns of {synthesis.source} that {original.source} lacks: {', '.join(more)}. "
                "Nothing can be said of what they disclose: leave them out of the file."
            )
        if fewer:
            yield (
                f"columns of {original.source} that {synthesis.source} lacks, so that they are not "
                f"compared: {', '.join(fewer)}."
            )
        folded = {name.casefold() for name in more}
        alike = [name for name in fewer if name.casefold() in folded]
        if alike:
            yield (
                f"In {synthesis.source} upper and lower case differ from {original.source} in the "
                f"names of columns: {', '.join(alike)}. Write them alike to compare them."
            )


def _file_or_files(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"[{', '.join(paths)}]"


def _roles(suggestion: Suggestion) -> list[str]:
    return [
        "[roles]",
        "# What somebody may know of a person: by the names of columns, else the number of values.",
        f"# {suggestion.unique:.0f} % of the original's records are alone with these keys.",
        f"keys = {_list(suggestion.keys)}",
        "# What is worth protecting. Others that could be targets or keys:",
        *_others(suggestion),
        f"targets = {_list(suggestion.targets)}",
    ]


def _others(suggestion: Suggestion) -> list[str]:
    taken = {*suggestion.keys, *suggestion.targets, *suggestion.identifiers, *suggestion.weights}
    taken |= {*suggestion.roles.values()}
    by_kind: dict[str, list[str]] = {}
    for name, kind in suggestion.kinds.items():
        if name not in taken:
            by_kind.setdefault(kind, []).append(name)
    return [f"#   {kind}: {_list(names)}" for kind, names in by_kind.items()] or ["#   none"]


def _first(identifiers: Mapping[str, Identifiers]) -> list[str]:
    """Return comments on identifiers of the original that stand in a replica."""
    hits = dict.fromkeys(
        f"# {_one_line(hit.sentence(identifier.sources))}"
        for identifier in identifiers.values()
        for hit in identifier.hits
    )
    return (
        ["#", "# First of all, names or numbers of people of the original:", *hits] if hits else []
    )


def _one_line(text: str) -> str:
    """Return a text without what would end a comment: columns may have any name."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _options(suggestion: Suggestion) -> list[str]:
    """Return which columns are compared, and why others are left out; nothing if all are."""
    set_aside = {*suggestion.identifiers, *suggestion.weights, *suggestion.roles.values()}
    if not (set_aside & suggestion.kinds.keys() or suggestion.incomparable):
        return []
    lines = ["", "[options]"]
    for name, reason in suggestion.incomparable.items():
        key = toml_key(name)
        lines += [
            f"# Left out, as it cannot be compared as it is: {_one_line(reason)}",
            "# If one file has groups of the other's values, or other words, make both the same:",
            f'# kinds = {{ {key} = "category" }} in [read], and {key} = "groups.csv" in [coarsen],',
            "# a file with a header and, in each line, a value of either file and its group.",
        ]
    if suggestion.identifiers:
        columns = _list(suggestion.identifiers)
        lines.append(f"# Left out, as almost every record has a value of its own: {columns}")
        lines.append("# All the same, their values are looked for in the replicas.")
    if suggestion.weights:
        lines.append(f"# Left out, as sampling weights by their names: {_list(suggestion.weights)}")
    if suggestion.roles:
        roles = _list([*suggestion.roles.values()])
        lines.append(f"# Left out, as what rows seem to belong to (households, people): {roles}")
    compared = [name for name in suggestion.kinds if name not in set_aside]
    return [*lines, f"variables = {_list(compared)}"]


def _read_entries(
    suggestion: Suggestion,
    decimal: DecimalMark | None,
    metadata: str | None,
    encoding: str | None = None,
) -> list[str]:
    """Return how files are read, where that has to be told or asked."""
    lines = [f"decimal = {_text(decimal)}"] if decimal is not None else []
    lines += [f"encoding = {_text(encoding)}"] if encoding is not None else []
    if metadata is not None:
        lines.append(f"metadata = {metadata}   # labels, codes for missing, types")
    is_needed = bool(lines)
    if suggestion.coded:
        listed = ", ".join(
            f"{toml_key(n)}: {count} values" for n, count in suggestion.coded.items()
        )
        kinds = ", ".join(f'{toml_key(name)} = "category"' for name in suggestion.coded)
        lines += [
            f"# Few whole numbers ({_one_line(listed)}): codes, or what is counted? If codes:",
            f"# kinds = {{ {kinds} }}",
        ]
    if not lines:
        return []
    return ["[read]" if is_needed else "# [read]", *lines, ""]


def _sample(suggestion: Suggestion, data: DataSets) -> list[str]:
    """Return how the original was sampled, in force where its columns can have these roles."""
    roles = dict(suggestion.roles)
    if suggestion.weights:
        roles = {"weight": suggestion.weights[0], **roles}
    if suggestion.strata:
        roles["strata"] = suggestion.strata
    if not roles:
        return []
    reason = ""
    try:
        bind_sample(make_sample(roles), data)
    except SdcMetricsError as error:
        reason = str(error)
    entries = [f"{role} = {_text(name)}" for role, name in roles.items()]
    head = "# What the original says of the population that it was drawn from, by names of columns."
    if reason:
        why = f"# It cannot be used as it is: {_one_line(reason)}"
        return ["", head, why, "# [sample]", *(f"# {entry}" for entry in entries)]
    others = [role for role in ("strata", "cluster", "population_size") if role not in roles]
    lines = ["", head, f"[sample]   # {', '.join(others)}, too: see the docs", *entries]
    return lines + _release(suggestion.roles, data.original)


def _release(roles: Mapping[str, str], original: Microdata) -> list[str]:
    """Return whom a release protects, in force only where names of columns leave no doubt."""
    most = {
        role: int(np.bincount(households_of(alone(original, [name]), name)[0]).max())
        for role, name in roles.items()
    }
    entries = {
        role: [f"unit = {_text(roles[role])}", f"rows = {rows}   # the most in the original"]
        for role, rows in most.items()
    }
    if most.get("person", 1) > 1:
        return ["", "[release]   # a person has several records", *entries["person"]]
    each = 'unit = ""   # each record is a person of its own'
    if "household" in roles:
        several = [f"# {entry}" for entry in entries["household"]]
        return ["", "[release]", f"{each}; to protect several together:", *several]
    if "person" in roles:
        return ["", "[release]", each]
    return [
        line
        for role in roles
        for line in (
            "",
            "# [release]   # it asks whose records they are. If a person has several:",
            *(f"# {entry}" for entry in entries[role]),
            '# If each record is a person of its own: unit = ""',
        )
    ]


def _relative(path: Path, folder: Path) -> str:
    path, folder = path.resolve(), folder.resolve()
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:  # a name of a file, which may be any bytes
        msg = f"{value}: this name is not UTF-8, as all of a study file has to be. Rename the file."
        raise FileError(msg) from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML escapes DEL


def _list(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(_text, values)) + "]"


def toml_key(name: str) -> str:
    """Return a name as a key of a study file, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _further_questions(suggestion: Suggestion) -> list[str]:
    """Return questions on columns that may be weights or strata, where nothing else is either."""
    lines = []
    if suggestion.weighed and not suggestion.weights:
        names = suggestion.weighed
        lines += [
            "",
            f"# Taken as measured, not as a sampling weight, by its values: {_list(names)}. If it",
            f"# says for how many people a record stands: weight = {_text(names[0])} in [sample].",
        ]
    if suggestion.fixed:
        name = _text(suggestion.fixed)
        lines += [
            "",
            f"# Each value of {name} occurs as often in both files. If the sample was drawn",
            f"# within them, so many of each: strata = {name} in [sample].",
        ]
    return lines


def _missing_codes(suggestion: Suggestion) -> list[str]:
    if not suggestion.missing_codes:
        return []
    return [
        "",
        "[missing_codes]   # look like codes for missing values, or a file declares them",
        *(
            f"{toml_key(name)} = [{', '.join(f'{code:g}' for code in codes)}]"
            for name, codes in suggestion.missing_codes.items()
        ),
    ]
