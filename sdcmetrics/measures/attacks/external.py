"""A real file of outsiders: how original, replica and holdout link to it by keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise
from sdcmetrics.results import Readable, formerly


@dataclass(frozen=True, repr=False)
class ExternalLinkage(Readable, shows=("keys", "people"), table="table"):
    """How files link to a register, counts only; no row of it is held.

    Attributes
    ----------
    table : DataFrame
        One row per file, the original first, then each synthesis, and the holdout last: records;
        known (percent of the records whose keys somebody in the register has); alone (percent whose
        keys exactly one person there has); one_to_one (percent who are alone in their file as
        well); k_map (fewest people with the keys of a record that is known, NaN where none is);
        right (percent, the chance that a person drawn from those with the keys is the one, if the
        record is of somebody in the register).
    keys : tuple of str
    people : int
        Records of the register.
    fixes : tuple of str
    """

    table: pd.DataFrame
    keys: tuple[str, ...]
    people: int
    fixes: tuple[str, ...] = field(default=(), repr=False)


@formerly("original synthetic external holdout")
@checked
def external_linkage(
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    external: Frame,
    keys: Sequence[str],
    missing_codes: MissingCodes | None = None,
) -> ExternalLinkage:
    """Link an original and its replica to a real file of outsiders, such as a register.

    Whoever has a file with names looks records up in it by keys. How many fit a record (k-map) is a
    fact about the original; that a synthetic record fits one person is a leak only as far as it is
    more frequent than for people who were not in the original, the holdout.

    Parameters
    ----------
    original, synthetic : data frames
        Of several syntheses, a list, each has a row.
    holdout : data frame, optional
        People of the same population whom the synthesis has not seen.
    external : data frame
        The file of outsiders, one record per person.
    keys : names of columns that all of them have
    missing_codes : mapping of column to code or codes, optional
        Missing is a value that equals itself.

    Returns
    -------
    ExternalLinkage
        Its table has percent from 0 to 100 with one decimal, of the records of the file in the row.
        Of the original, less is better (`k_map`, 1 and more: more is); of a synthesis, no more
        than the holdout has.

    Raises
    ------
    StudyError
        If there are no keys, or missing codes name no column.
    ColumnError, DataError
        If a file lacks a key, a key is given twice, or its values cannot be compared.

    References
    ----------
    Sweeney (2002), k-anonymity: a model for protecting privacy; El Emam and Dankar (2008),
    Protecting privacy using k-anonymity, JAMIA 15 (k-map).

    Examples
    --------
    >>> original = pd.DataFrame({"age": [30, 40, 50], "vote": list("aba")})
    >>> register = pd.DataFrame({"age": [30, 30, 40, 60]})
    >>> linkage = external_linkage(original, original, external=register, keys=["age"])
    >>> linkage.table.loc["original"].to_dict()
    {'records': 3.0, 'known': 66.7, 'alone': 33.3, 'one_to_one': 33.3, 'k_map': 1.0, 'right': 50.0}
    """
    names = [keys] if isinstance(keys, str) else list(keys)
    if not names:
        msg = "keys: expected the columns by which records are looked up, but got none."
        raise StudyError(msg)
    first = as_microdata(original, "original", names)
    check_names(names, first, "key")
    syntheses = list_syntheses(synthetic, names)
    register = as_microdata(external, "external", names)
    others = [*syntheses, register]
    if holdout is not None:
        others.append(as_microdata(holdout, "holdout", names))
    data = harmonise(first, others, variables=names, missing_codes=missing_codes)
    parts = _combinations(data)
    place = 1 + len(syntheses)
    counts = np.bincount(parts[place], minlength=1 + max(int(part.max()) for part in parts))
    labels = ["original", *(synthesis.source for synthesis in syntheses)]
    files = parts[:place]
    if holdout is not None:
        labels.append("holdout")
        files = (*files, parts[place + 1])
    table = pd.DataFrame([_linked(part, counts) for part in files], index=labels)
    return ExternalLinkage(
        table.rename_axis("file"), tuple(names), register.n, tuple(map(str, data.fixes))
    )


def _linked(codes: Ints, counts: Ints) -> dict[str, float]:
    """Return how the records of one file link to the register, in percent to one decimal."""
    fit = counts[codes]
    matched = fit > 0
    own = np.bincount(codes, minlength=len(counts))[codes]
    n = len(codes)
    return {
        "records": float(n),
        "known": round(100 * float(matched.mean()), 1),
        "alone": round(100 * float((fit == 1).mean()), 1),
        "one_to_one": round(100 * float(((fit == 1) & (own == 1)).mean()), 1),
        "k_map": float(fit[matched].min()) if matched.any() else float("nan"),
        "right": round(100 * float((1.0 / fit[matched]).sum()) / n, 1) if matched.any() else 0.0,
    }


def _combinations(data: Harmonised) -> tuple[Ints, ...]:
    """Return a number for each record, the same for the same combination of values."""
    whole = {
        name: np.concatenate([np.asarray(part) for part in variable.values or variable.codes])
        for name, variable in data.variables.items()
    }
    index = Records({}, whole, sum(data.sizes)).identity
    return tuple(np.split(index, np.cumsum(data.sizes)[:-1]))
