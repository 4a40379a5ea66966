"""A first study file for a data set: guesses at keys, targets, missing codes and roles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.k_anonymity import k_anonymity
from sdcmetrics.measures.identifiers.identifiers import Identifiers, look_for_identifiers
from sdcmetrics.microdata import read
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable, harmonise

_MOST_KEYS = 5
_MOST_TARGETS = 3
_MANY_LEVELS = 50
"""A category with more levels is hardly worth guessing."""
_ID_SHARE = 0.95
"""Values per record from which a column names records rather than describes them."""

_KEY_NAMES = re.findall(
    r"\w+",
    "age sex gender birth region province county district state country nation city town "
    "area zip postcode urban marital married civil educ school degree ethnic race religion "
    "occup industry isco nace household hhsize children nationality citizen language",
)
_TARGET_NAMES = re.findall(
    r"\w+",
    "income wage salary earn pay revenue wealth debt loan benefit welfare pension health "
    "diag disease disab illness cancer hiv drug alcohol smok depress vote party crime "
    "victim tax credit",
)
_WEIGHT_NAMES = r"^(w|wt|pond)$|(weight|wgt|_wt)$"
_CODES = (-9.0, -8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0)
_NINES = (99.0, 999.0, 9999.0, 99999.0, 999999.0)
_FAR = 1.5
"""A value of nines is no code unless it is so many times the next smaller value."""


@dataclass(frozen=True)
class Suggestion:
    """What a first study of some files may say.

    Attributes
    ----------
    keys, targets : tuple of str
    missing_codes : dict of column to tuple of numbers
        Numbers that look like codes for missing values.
    identifiers : tuple of str
        Columns with a value of its own for almost every record; they are left out.
    weights : tuple of str
        Columns of the original that look like sampling weights; they are left out.
    unique : float
        Percent of the original's records that are alone with their keys.
    kinds : dict of column to kind
    """

    keys: tuple[str, ...]
    targets: tuple[str, ...]
    missing_codes: Mapping[str, tuple[float, ...]]
    identifiers: tuple[str, ...]
    weights: tuple[str, ...]
    unique: float
    kinds: Mapping[str, str]


def suggest(original: Microdata, replicas: Sequence[Microdata]) -> Suggestion:
    """Guess the roles of columns, from their names and from their values.

    Raises
    ------
    DataError
        If the files cannot be compared.
    StudyError
        If they have fewer than two columns that can have a role.
    """
    data = harmonise(original, replicas)
    distinct = {name: _distinct(variable) for name, variable in data.variables.items()}
    weights = tuple(
        name
        for name, variable in data.variables.items()
        if variable.kind is Kind.NUMBER and re.search(_WEIGHT_NAMES, name.lower())
    )
    weights += tuple(  # a replica often has none
        name
        for name in original.columns
        if name not in data.variables
        and re.search(_WEIGHT_NAMES, name.lower())
        and _is_number(original.table.column(name).type)
    )
    n = data.sizes[0]
    identifiers = tuple(
        name
        for name, variable in data.variables.items()
        if name not in weights
        and distinct[name] > max(_ID_SHARE * n, 1)
        and not _measured(variable)
    )
    usable = [
        name
        for name in data.variables
        if name not in (*weights, *identifiers) and distinct[name] > 1
    ]
    if len(usable) < 2:  # noqa: PLR2004  (a key and a target)
        msg = (
            f"{original.source}: expected at least two columns that it shares with the replica, "
            "have more than one value, and are no identifiers: a key and a target."
        )
        raise StudyError(msg)
    targets = _named(usable, _TARGET_NAMES)[:_MOST_TARGETS]
    keys = [name for name in _named(usable, _KEY_NAMES) if name not in targets][:_MOST_KEYS]
    few = [name for name in usable if distinct[name] <= _MANY_LEVELS]
    by_levels = sorted(few or usable, key=lambda name: -distinct[name])
    keys += [n for n in by_levels if n not in (*keys, *targets)][
        : max(0, min(3, len(usable) - 1) - len(keys))
    ]
    rest = [name for name in usable if name not in keys]
    targets = targets or [name for name in rest if name in few][:1] or rest[:1]
    alone = k_anonymity(original, keys=keys)
    return Suggestion(
        keys=tuple(keys),
        targets=tuple(targets),
        missing_codes={name: codes for name in usable if (codes := _codes(data, name))},
        identifiers=identifiers,
        weights=weights,
        unique=100.0 * alone.uniques / alone.n,
        kinds={name: variable.kind.value for name, variable in data.variables.items()},
    )


def by_method(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Return files by the method that made them: cart_1.csv and cart_2.csv are both of cart.

    Examples
    --------
    >>> by_method([Path("cart_1.csv"), Path("cart_2.csv"), Path("ctgan.csv")])["cart"][1].name
    'cart_2.csv'
    """
    out: dict[str, list[Path]] = {}
    for path in paths:
        out.setdefault(re.sub(r"[_.-]?\d+$", "", path.stem) or path.stem, []).append(path)
    return out


def suggested_study(
    original: Path,
    replicas: Mapping[str, Sequence[Path]],
    *,
    holdout: Path | None = None,
    profile: str = "default",
    folder: Path,
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
    say : function of a sentence, optional
        Called first of all with every identifier of the original that stands in a replica, and
        with every column that looks like one.

    Raises
    ------
    FileError, DataError, StudyError
    """
    first = read(original)
    syntheses = {name: [read(path) for path in paths] for name, paths in replicas.items()}
    aside = None if holdout is None else read(holdout)
    shared: dict[object, object] = {}
    identifiers = {
        name: look_for_identifiers(first, data, aside, shared=shared)
        for name, data in syntheses.items()
    }
    if say is not None:
        for sentence in dict.fromkeys(
            s for near_unique in identifiers.values() for s in near_unique.sentences()
        ):
            say(sentence)
    suggestion = suggest(first, [synthesis for data in syntheses.values() for synthesis in data])

    def path(file: Path) -> str:
        return _text(_relative(file, folder))

    files = {name: [path(file) for file in paths] for name, paths in replicas.items()}
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
            f"{_key(n)} = {f[0] if len(f) == 1 else '[' + ', '.join(f) + ']'}"
            for n, f in files.items()
        ),
        "",
        "[roles]",
        "# What somebody may know of a person: by the names of columns, else the number of values.",
        f"# {suggestion.unique:.0f} % of the original's records are alone with these keys.",
        f"keys = {_list(suggestion.keys)}",
        "# What is worth protecting. Others that could be targets or keys:",
        *_others(suggestion),
        f"targets = {_list(suggestion.targets)}",
    ]
    if {*suggestion.identifiers, *suggestion.weights} & suggestion.kinds.keys():
        lines += ["", "[options]", *_left_out(suggestion)]
    if suggestion.weights:
        lines += [
            "",
            "# If the original is a sample: what it says of the population it was drawn from.",
            "# [sample]   # strata, cluster, household, population_size: see the docs",
            f"# weight = {_text(suggestion.weights[0])}",
        ]
    if suggestion.missing_codes:
        lines += [
            "",
            "[missing_codes]   # numbers that look like codes for missing values",
            *(
                f"{_key(n)} = [{', '.join(f'{c:g}' for c in codes)}]"
                for n, codes in suggestion.missing_codes.items()
            ),
        ]
    return "\n".join(lines) + "\n"


def _others(suggestion: Suggestion) -> list[str]:
    taken = {*suggestion.keys, *suggestion.targets, *suggestion.identifiers, *suggestion.weights}
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


def _left_out(suggestion: Suggestion) -> list[str]:
    lines = []
    if suggestion.identifiers:
        columns = _list(suggestion.identifiers)
        lines.append(f"# Left out, as almost every record has a value of its own: {columns}")
        lines.append("# All the same, their values are looked for in the replicas.")
    if suggestion.weights:
        lines.append(f"# Left out, as sampling weights by their names: {_list(suggestion.weights)}")
    left = {*suggestion.identifiers, *suggestion.weights}
    lines.append(f"variables = {_list([name for name in suggestion.kinds if name not in left])}")
    return lines


def _named(names: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the columns whose names begin a part with one of the words, in the words' order."""
    out: list[str] = []
    for word in words:
        pattern = re.compile(rf"(^|[^a-z]){word}", re.IGNORECASE)
        out += [name for name in names if pattern.search(name) and name not in out]
    return out


def _distinct(variable: Variable) -> int:
    if variable.values:
        values = variable.values[0]
        return len(np.unique(values[~np.isnan(values)]))
    return len(np.unique(variable.codes[0][variable.codes[0] >= 0]))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _measured(variable: Variable) -> bool:
    """Whether a number has fractions, so that many values are no sign of an identifier."""
    if variable.kind is not Kind.NUMBER:
        return variable.kind is Kind.DATE
    values = variable.values[0][~np.isnan(variable.values[0])]
    return bool((values != np.rint(values)).any())


def _codes(data: Harmonised, name: str) -> tuple[float, ...]:
    """Numbers at an end of a column that look like codes: negative ones, and nines far off."""
    variable = data.variables[name]
    if variable.kind is not Kind.NUMBER:
        return ()
    if variable.missing_codes:
        return ()  # the file says so already
    values = np.unique(variable.values[0][~np.isnan(variable.values[0])])
    below = values[values < 0]
    codes = list(below) if len(below) and set(below) <= set(_CODES) and values[-1] > 0 else []
    if len(values) > 1 and values[-1] in _NINES and values[-1] > _FAR * max(values[-2], 1.0):
        codes.append(values[-1])
    return tuple(float(code) for code in codes)


def _relative(path: Path, folder: Path) -> str:
    path, folder = path.resolve(), folder.resolve()
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def _text(value: str) -> str:
    # TOML wants DEL escaped, which JSON does not, and a name of a file may be no Unicode.
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode("utf-8")


def _list(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(_text, values)) + "]"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)
