"""Prosecutor, journalist and marketer risk of a released file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.errors import StudyError, counted
from sdcmetrics.measures.anonymity.k_anonymity import key_names
from sdcmetrics.measures.anonymity.match_risk import fraction_of
from sdcmetrics.measures.anonymity.population_uniques import expected_counts
from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import as_microdata, tell_apart
from sdcmetrics.microdata.schema import MissingCodes, harmonise
from sdcmetrics.results import Readable

_THRESHOLD = 0.09
"""One in eleven: the cell size below which agencies of health data do not publish."""
_STEPS, _STEPS_PER_ROOT = 30, 8
"""Backward steps, and more by the root of the records, after which the start no longer matters."""


@dataclass(frozen=True)
class AttackerRisks(
    Readable,
    shows=("prosecutor_largest", "journalist_largest", "marketer", "keys", "notes"),
):
    """The risk to records from three kinds of attacker.

    Attributes
    ----------
    keys : tuple of str
    n : int
    prosecutor_largest, prosecutor_mean : float
        Of somebody who knows that the person is in the file: 1 over the records with these keys.
    prosecutor_above : float
        Share of records above `threshold`.
    journalist_largest, journalist_mean : float
        Of somebody who does not know, but has the population: 1 over the people with these keys.
        The mean is over people of the released key combinations, and not below `marketer`.
    marketer : float
        Share of records rightly linked by somebody who links all to the population.
    estimated : bool
        Whether the population was estimated; the largest is the largest expectation then.
    threshold : float
    notes, fixes : tuple of str
    """

    keys: tuple[str, ...]
    n: int
    prosecutor_largest: float
    prosecutor_mean: float
    prosecutor_above: float
    journalist_largest: float
    journalist_mean: float
    marketer: float
    estimated: bool
    threshold: float
    notes: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


@checked
def attacker_risks(
    frame: Frame,
    *,
    keys: str | Sequence[str],
    population: Frame | None = None,
    population_size: float | None = None,
    sampling_fraction: float | None = None,
    threshold: float = _THRESHOLD,
    missing_codes: MissingCodes | None = None,
) -> AttackerRisks:
    """Measure the risk from a prosecutor, a journalist and a marketer.

    Parameters
    ----------
    frame : data frame
        The file to be released: the original, or perturbed microdata. Not a synthetic file.
    keys : name or names of the columns that the attacker may know
    population : data frame, optional
        A register of the population with the same keys; or
    population_size, sampling_fraction : float, optional
        From which the people of each key combination are estimated by a log-linear model
        (`population_uniques`). A census has a sampling fraction of 1.
    threshold : float
        The risk above which a record counts as at risk.
    missing_codes : mapping of column to code or codes, optional
        Only checked: a code is a value like any other here.

    Returns
    -------
    AttackerRisks
        Chances and shares from 0 to 1, less being better. No record is riskier to the journalist
        than to the prosecutor, and `marketer` is at most the other two means.

    Raises
    ------
    ColumnError, DataError
        If a key is not a column of the file, or of the population.
    StudyError
        If there are no keys, not exactly one of population, its size and the sampling fraction is
        given, or an option is wrong.

    Notes
    -----
    All means are over records, as a file is released record by record. The expected risk is the
    mean of 1 / people, which is larger than 1 / (mean of people).

    References
    ----------
    El Emam and Dankar (2008), Journal of the American Medical Informatics Association 15(5),
    627-637.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"age": [1, 1, 2]})
    >>> result = attacker_risks(file, keys="age", population=pd.DataFrame({"age": [1, 1, 1, 2, 2]}))
    >>> result.prosecutor_largest, result.journalist_largest, round(result.marketer, 4)
    (1.0, 0.5, 0.3889)
    """
    names = key_names(keys, ())
    data = as_microdata(frame, "the file", names)
    others = [] if population is None else [as_microdata(population, "the population", names)]
    data, *others = tell_apart([data, *others], ["the file", "the population"])
    read = harmonise(data, others, variables=names, required=names, missing_codes=missing_codes)
    parts = index_keys(encode(read, by_value, names), names)
    in_file, *in_population = (np.bincount(part, minlength=parts.size) for part in parts.parts)
    here = in_file > 0
    f = in_file[here].astype(np.float64)
    notes: list[str] = []
    if in_population:
        if population_size is not None or sampling_fraction is not None:
            msg = "population: it says how large the population is; give only one of the three."
            raise StudyError(msg)
        people = in_population[0][here].astype(np.float64)
        lacking = int(np.maximum(f - people, 0.0).sum())
        if lacking:
            notes.append(
                f"The population lacks {counted(lacking, 'record')} of the file: their key "
                "combinations are taken to have as many people as records."
            )
        people = np.maximum(people, f)
        inverse = 1.0 / people
    else:
        fraction = fraction_of(len(data.table), population_size, sampling_fraction)
        levels = np.stack([parts.levels[name] for name in names])[:, here]
        rest, noted = expected_counts(levels, f, fraction)
        notes += noted
        people, inverse = f + rest, inverse_population(f, rest)
    n = float(f.sum())
    marketer = float((f * inverse).sum() / n)
    return AttackerRisks(
        keys=tuple(names),
        n=int(n),
        prosecutor_largest=float(1.0 / f.min()),
        prosecutor_mean=len(f) / n,
        prosecutor_above=float(f[1.0 / f > threshold].sum() / n),
        journalist_largest=float(inverse.max()),
        journalist_mean=max(len(f) / float(people.sum()), marketer),
        marketer=marketer,
        estimated=not in_population,
        threshold=threshold,
        notes=tuple(notes),
        fixes=tuple(str(fix) for fix in read.fixes),
    )


def inverse_population(f: Floats, rest: Floats) -> Floats:
    """Return E[1 / (f + X)] with X Poisson of mean `rest`, per key combination.

    By its recursion in f, forward where the mean is larger than f and backward where it is not:
    each is stable there.
    """
    common = rest >= f
    rare, few = f[~common], rest[~common]
    backward = np.zeros(len(rare))
    steps = _STEPS + int(_STEPS_PER_ROOT * np.sqrt(rare.max(initial=0.0)))
    for step in range(steps, -1, -1):
        backward = (1.0 - few * backward) / (rare + step)
    out = np.empty(len(f))
    out[~common] = backward
    own, mean = f[common], rest[common]
    forward = -np.expm1(-mean) / mean
    for step in range(1, int(own.max(initial=1.0))):
        forward = np.where(own > step, (1.0 - step * forward) / mean, forward)
    out[common] = forward
    return out
