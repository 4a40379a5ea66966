"""Whether descriptions that fit one synthetic record fit one original record: singling out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.attacks.descriptions import Matches, descriptions
from sdcmetrics.measures.attacks.people import People, labels_drawn, people
from sdcmetrics.measures.attacks.result import AttackResult, by_several
from sdcmetrics.measures.exchangeable import hypergeometric
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.survey.households import HouseholdColumn
from sdcmetrics.microdata.arguments import Draws, Seed, checked
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.schema import MissingCodes

_FEWEST = 30
"""Descriptions below which there is no test: the outcome depends on single ones."""
_PERMUTED = 64
"""Matches above which a description hardly ever singles anybody out, whatever the labels."""
_Z = 1.959963984540054


@checked
@by_several
def singling_out(  # noqa: PLR0913  (three data sets, and how they are attacked)
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    columns: int = 3,
    variables: Sequence[str] | None = None,
    permutations: Draws = 999,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> AttackResult:
    """Test whether descriptions that fit one synthetic record single out people of the original.

    The intruder takes values of a few columns that one synthetic record has, and claims that
    exactly one person of the original has them. How often is that so, and how often of the
    holdout?

    Parameters
    ----------
    original, synthetic, holdout : data frames
        The holdout: records of the same population that the synthesis has not seen.
        Of several syntheses, a list, descriptions fit one record of any of them.
    columns : int, at least 1
        In a description. With one: values that one record has, and the smallest and the largest.
    variables : names, optional
        What the intruder may describe by; by default every column that all data sets have.
    permutations : int
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together in original and holdout: no household may be in both, and the labels
        of whole households are exchanged.
    seed : int
        Of the draws and the permutations.

    Returns
    -------
    AttackResult
        training and control are the shares of descriptions that fit exactly one record, of k
        records each, k being the smaller of original and holdout (of the larger the exact
        expectation over its subsets): a description that fits one in 600 fits fewer in 300.
        excess is their difference. figures: band_of_chance, in which it is if the replica knows
        nobody; descriptions; of_all, the share of them that fit exactly one of all originals; k.
        p_value is NaN with fewer than 30 descriptions. per_record counts the descriptions that fit
        only this original record. baseline is NaN.

    Raises
    ------
    ColumnError, DataError, StudyError

    Notes
    -----
    All descriptions by records and sets of columns are made if there are up to 200,000; otherwise
    5,000 are drawn. Equality for texts; numbers at least the value where it is above the
    replica's median, otherwise at most. Controls of unequal size, or sized by a fitted curve, find
    a risk in independent draws: that is why both sides are of k records.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Proceedings on Privacy Enhancing Technologies;
    Cohen and Nissim (2020), PNAS 117(15).

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> a, b = (pd.DataFrame(rng.integers(0, 40, (80, 3)), columns=list("xyz")) for _ in "ab")
    >>> result = singling_out(a.astype(str), a.astype(str), b.astype(str), columns=2)
    >>> result.training > 0.9, result.p_value
    (True, 0.001)
    """
    data = people(
        original,
        synthetic,
        holdout,
        variables=variables,
        missing_codes=missing_codes,
        household=household,
    )
    return single_out(data, columns=columns, permutations=permutations, seed=seed)


def single_out(
    data: People, *, columns: int, permutations: int, seed: int, copy: float | None = None
) -> AttackResult:
    """Make the attack of `singling_out` on data sets of one codebook.

    `copy` is what a copy of the original scores, where that is computed already.

    Raises
    ------
    StudyError
    """
    if not 1 <= columns <= len(data.columns):
        msg = f"columns: expected a whole number from 1 to {len(data.columns)} but got {columns}."
        raise StudyError(msg)
    if permutations < 1:
        msg = "permutations: expected a whole number of at least 1."
        raise StudyError(msg)
    matched = [match for file in data.by_file() for match in _matched(file, columns, seed)]
    if copy is None:
        copy = _copied(data, columns, seed)
    return _tested(data, matched, permutations, seed, copy)


def _matched(data: People, columns: int, seed: int) -> Iterator[Ints]:
    """Yield which original and holdout records each description of one file fits."""
    matches, rng = Matches(data), np.random.default_rng(seed)
    for description in descriptions(data, matches, columns, rng):
        yield np.flatnonzero(matches.of_people(description))


def _tested(
    data: People, matched: list[Ints], permutations: int, seed: int, copy: float
) -> AttackResult:
    n, h = data.n, data.h
    k = min(n, h)
    counts = np.array([[(f < n).sum(), (f >= n).sum()] for f in matched]).reshape(-1, 2)
    single = np.zeros(n)
    for f, count in zip(matched, counts, strict=True):
        if count[0] == 1:
            single[f[0]] += 1
    count_matched = len(matched)
    of_n, of_h = _exactly_one(n, k), _exactly_one(h, k)
    e, s = (
        float(t[c].mean()) if count_matched else math.nan
        for t, c in ((of_n, counts[:, 0]), (of_h, counts[:, 1]))
    )
    excess = e - s
    drawn = _permuted(matched, data, permutations, seed) if count_matched else np.array([0.0])
    half = _Z * float(drawn.std())
    # 1e-12: sums of the same terms in another order
    p = (1 + int((drawn >= excess - 1e-12).sum())) / (1 + permutations)
    notes: tuple[str, ...] = ()
    if count_matched < _FEWEST:
        p, notes = math.nan, (f"{count_matched} descriptions are too few for a test",)
    return AttackResult(
        attack="singling out",
        of="descriptions that fit exactly one of k records",
        training=e,
        control=s,
        baseline=math.nan,
        excess=excess,
        interval=(math.nan, math.nan),
        p_value=p,
        n_training=n,
        n_control=h,
        n_synthetic=data.sizes[1],
        copy=copy,
        per_record=single,
        figures={
            "descriptions": count_matched,
            "k": k,
            "band_of_chance": (-half, half),
            "of_all": float((counts[:, 0] == 1).mean()) if count_matched else math.nan,
        },
        seed=seed,
        notes=notes,
        fixes=data.fixes,
    )


def _copied(data: People, columns: int, seed: int) -> float:
    """Return what a copy of the original would have: the share, of k records."""
    counts = [int((match < data.n).sum()) for match in _matched(data.copied(), columns, seed)]
    if not counts:
        return math.nan
    return float(_exactly_one(data.n, min(data.n, data.h))[np.array(counts)].mean())


def _exactly_one(n: int, k: int) -> Floats:
    """Return for each count of n how likely exactly one is among k of them, drawn at random."""
    return hypergeometric(1, n, np.arange(n + 1), k)


def _permuted(matched: list[Ints], data: People, permutations: int, seed: int) -> Floats:
    """Return the excess under permuted labels, as often as asked for."""
    from scipy import sparse  # large: for a fast start, only when it is needed

    n, h = data.n, data.h
    k = min(n, h)
    few = [f for f in matched if len(f) <= _PERMUTED]
    lengths = np.array([len(f) for f in few], dtype=np.int64)
    of_n, of_h = _exactly_one(n, k), _exactly_one(h, k)
    if not few:
        return np.zeros(permutations)
    table = sparse.csr_matrix(
        (
            np.ones(int(lengths.sum()), dtype=np.float32),
            np.concatenate(few),
            np.append(0, np.cumsum(lengths)),
        ),
        shape=(len(few), n + h),
    )
    out = np.empty(permutations)
    for i, label in enumerate(labels_drawn(n + h, n, permutations, seed, data.households)):
        members = (table @ label.astype(np.float32)).astype(np.int64)
        out[i] = (of_n[members] - of_h[lengths - members]).sum() / len(matched)
    return out
