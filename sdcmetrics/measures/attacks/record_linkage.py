"""Record linkage with known truth: perturbed records to their originals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks.people import ORIGINAL, SYNTHETIC, People, linked
from sdcmetrics.measures.neighbours import nearest
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_PAIRS = 20_000_000
"""Pairs that are compared at a time: some 200 MB."""
_STEPS = 2_000
_CERTAIN = 1e-6
_MOST_KEYS = 16
"""Keys whose agreements fit one number of 16 bits."""


@dataclass(frozen=True)
class RecordLinkage(
    Readable, shows=("keys", "worst", "risk", "baseline", "protection"), table="methods"
):
    """How many perturbed records lead back to their originals, by each method.

    Attributes
    ----------
    keys : tuple of str
    methods : DataFrame
        Index method; columns risk (the chance that the intruder picks the true record, equally
        good candidates drawn at random), among_candidates (share whose true record is one of
        them), candidates (their mean number), itself (the risk if the original were handed out),
        protection (the difference), z (by how many standard deviations the risk is above that of
        permuted records; with few right links it is skewed, and for fellegi-sunter, whose chances
        come from the true pairs, above 0 even where nothing is linked).
    worst : str
        The method with the highest risk.
    risk, baseline, protection : float
        Of the worst method; the baseline is one over the number of records.
    per_record : DataFrame
        One row per linked original record: record (its position), risk by the worst method, and
        rank of the true record by Fellegi and Sunter's weight, 1 being first: a near miss is no
        safety.
    left_out : int
        Original records without a perturbed one.
    fixes : tuple of str
    """

    keys: tuple[str, ...]
    methods: pd.DataFrame
    worst: str
    risk: float
    baseline: float
    protection: float
    per_record: pd.DataFrame
    left_out: int
    fixes: tuple[str, ...] = ()


@checked
def record_linkage(
    original: Frame,
    synthetic: Frame,
    *,
    keys: Sequence[str],
    links: str = "row",
    missing_codes: MissingCodes | None = None,
) -> RecordLinkage:
    """Link perturbed records back to the originals that they were made of.

    For perturbed microdata, where each record comes from one person: the intruder knows the keys
    of people and looks for them. The board reads the worst method.

    Parameters
    ----------
    original, synthetic : data frames
    keys : names of the columns that an intruder may know, at most 16
    links : "row", or the name of a column
        Record i of the replica comes from record i of the original, or records with the same
        number in this column belong together.
    missing_codes : mapping of column to code or codes, optional

    Returns
    -------
    RecordLinkage
        Each risk is 0 to 1, less being better: `baseline` is that of a guess. `protection`, up to
        1, is what the perturbation takes off the risk of the original itself.

    Raises
    ------
    ColumnError
    DataError
        If the files are of unequal length though linked by row, or a number occurs twice.
    StudyError

    Notes
    -----
    gower: the nearest record, numbers over their range in both files. hamming: most keys equal.
    fellegi-sunter: the highest sum of log likelihood ratios of agreement, its chances taken from
    the true pairs: the worst case. em: the same with chances estimated without knowing the truth,
    those of random pairs and the share of true pairs (one per record) held fixed; left free, the
    estimate finds some 30 times too many pairs.

    References
    ----------
    Fellegi and Sunter (1969), Journal of the American Statistical Association 64, 1183-1210;
    Domingo-Ferrer and Torra (2003), Statistics and Computing 13, 343-354.

    Examples
    --------
    >>> import pandas as pd
    >>> file = pd.DataFrame({"age": [30, 40, 50, 50], "sex": list("mfmm")})
    >>> result = record_linkage(file, file, keys=["age", "sex"])
    >>> result.methods["risk"].tolist()
    [0.75, 0.75, 0.75, 0.75]
    """
    names = [keys] if isinstance(keys, str) else list(dict.fromkeys(keys))
    if not 1 <= len(names) <= _MOST_KEYS:
        msg = f"keys: expected 1 to {_MOST_KEYS} names of columns but got {len(names)}."
        raise StudyError(msg)
    data = linked(original, synthetic, variables=names, missing_codes=missing_codes)
    here, there = _pairs_of(data, original, synthetic, links)
    by_method, own = _link(data.taken(here, there)), _link(data.taken(here, here))
    table = pd.DataFrame.from_dict(
        {name: _row(linked, own[name]) for name, linked in by_method.items()}, orient="index"
    ).rename_axis("method")
    worst = str(table["risk"].idxmax())
    per_record = pd.DataFrame(
        {"record": here, "risk": by_method[worst].risk, "rank": by_method["fellegi-sunter"].rank}
    )
    return RecordLinkage(
        keys=tuple(names),
        methods=table,
        worst=worst,
        risk=float(table["risk"].max()),
        baseline=1.0 / len(here),
        protection=float(table["protection"].to_numpy()[table["risk"].argmax()]),
        per_record=per_record,
        left_out=data.n - len(here),
        fixes=data.fixes,
    )


@dataclass(frozen=True)
class _Found:
    """Per record the chance and the rank of the true link, and the candidates.

    `column_means` is the mean chance with which each synthetic record is picked.
    """

    risk: Floats
    candidates: Ints
    rank: Floats
    column_means: Floats


def _row(linked: _Found, of_original: _Found) -> dict[str, float]:
    n = len(linked.risk)
    risk = float(linked.risk.mean())
    # Records permuted: the mean is 1/n, the variance that of a doubly centred matrix; there are as
    # many replica records, so that the mean of each row is that of all.
    squares = float((1.0 / linked.candidates).sum())
    centred = squares - n * float((linked.column_means**2).sum())
    # 1e-12: where all are as likely, rounding is left
    variance = centred / (n - 1) / n**2 if centred > 1e-12 * squares else math.nan
    itself = float(of_original.risk.mean())
    return {
        "risk": risk,
        "among_candidates": float((linked.risk > 0).mean()),
        "candidates": float(linked.candidates.mean()),
        "itself": itself,
        "protection": itself - risk,
        "z": (risk - 1.0 / n) / math.sqrt(variance),
    }


def _pairs_of(data: People, original: Frame, synthetic: Frame, links: str) -> tuple[Ints, Ints]:
    """Return the positions of the records that belong together."""
    n, m, _ = data.sizes
    if links == "row":
        if n != m:
            msg = (
                f"links: records are linked by row, but the original has {n:,} and the replica "
                f"{m:,}. Name a column that holds the same number in both."
            )
            raise DataError(msg)
        return np.arange(n), np.arange(n)
    both = linked(original, synthetic, variables=[links])
    ids = both.values([links])
    for part, what in ((ORIGINAL, "original"), (SYNTHETIC, "synthetic")):
        if len(np.unique(ids[part])) < len(ids[part]):
            msg = (
                f"links: column {links!r} of {what} holds a number twice. Name one that is unique."
            )
            raise DataError(msg)
    _, here, there = np.intersect1d(ids[ORIGINAL], ids[SYNTHETIC], return_indices=True)
    if not len(here):
        msg = f"links: no number in column {links!r} is in both files."
        raise DataError(msg)
    order = np.argsort(here)
    return here[order], there[order]


def _link(data: People) -> dict[str, _Found]:
    codes = [
        pd.factorize(np.concatenate(data.codes.get(name) or data.numbers[name]))[0]
        for name in data.columns
    ]
    n, m, _ = data.sizes
    agree = _Agreements(np.array([c[:n] for c in codes]), np.array([c[n : n + m] for c in codes]))
    p = len(codes)
    equal = np.array([(np.arange(1 << p) >> j) & 1 for j in range(p)])
    true = agree.true @ equal.T / n
    u_other = (agree.all - agree.true) @ equal.T / max(n * m - n, 1)
    by_truth = _weights(equal, np.clip(true, 1 / (2 * n), 1 - 1 / (2 * n)), u_other)
    by_em = _weights(equal, _estimated(agree.all, u_other, equal, m), u_other)
    return {
        "gower": _by_distance(data),
        "hamming": agree.best(equal.sum(axis=0).astype(np.float64)),
        "fellegi-sunter": agree.best(by_truth),
        "em": agree.best(by_em),
    }


def _weights(equal: npt.NDArray[Any], m: Floats, u: Floats) -> Floats:
    """Return Fellegi and Sunter's weight of each pattern of agreement."""
    m, u = (_uncertain(part)[:, None] for part in (m, u))
    terms = np.where(equal == 1, np.log(m / u), np.log((1 - m) / (1 - u)))
    return np.asarray(terms.sum(axis=0), dtype=np.float64)


def _estimated(patterns: Ints, u: Floats, equal: npt.NDArray[Any], records: int) -> Floats:
    """Estimate the chances of agreement of true pairs by EM; those of random pairs are known."""
    u = _uncertain(u)
    share, m = 1.0 / records, np.full(len(equal), 0.9)
    of_u = np.prod(np.where(equal == 1, u[:, None], 1 - u[:, None]), axis=0)
    for _ in range(_STEPS):
        of_m = np.prod(np.where(equal == 1, m[:, None], 1 - m[:, None]), axis=0)
        belongs = patterns * (share * of_m / (share * of_m + (1 - share) * of_u))
        after = _uncertain(belongs @ equal.T / belongs.sum())
        done = np.abs(after - m).max() < 1e-10  # noqa: PLR2004  (far below what shows)
        m = after
        if done:
            break
    return np.asarray(m, dtype=np.float64)


def _uncertain(chances: Floats) -> Floats:
    return np.clip(chances, _CERTAIN, 1 - _CERTAIN)


class _Agreements:
    """For every pair of records which keys are equal, as a number of so many bits."""

    def __init__(self, original: Ints, synthetic: Ints) -> None:
        self._original, self._synthetic = original, synthetic
        size = 1 << len(original)
        self.all = np.zeros(size, dtype=np.int64)
        self.true = np.zeros(size, dtype=np.int64)
        for rows, patterns in self._blocks():
            self.all += np.bincount(patterns.ravel(), minlength=size)
            own = patterns[np.arange(len(rows)), rows]
            self.true += np.bincount(own, minlength=size)

    def _blocks(self) -> Iterator[tuple[Ints, npt.NDArray[np.uint16]]]:
        n, m = self._original.shape[1], self._synthetic.shape[1]
        step = max(1, _PAIRS // m)
        for at in range(0, n, step):
            rows = np.arange(at, min(at + step, n))
            patterns = np.zeros((len(rows), m), dtype=np.uint16)
            for j, (here, there) in enumerate(zip(self._original, self._synthetic, strict=True)):
                patterns |= (here[rows, None] == there).astype(np.uint16) << np.uint16(j)
            yield rows, patterns

    def best(self, weights: Floats) -> _Found:
        """Take as candidates the records of highest weight."""
        weights = np.round(weights, 9)
        n, m = self._original.shape[1], self._synthetic.shape[1]
        risk, rank = np.zeros(n), np.zeros(n)
        candidates, columns = np.zeros(n, dtype=np.int64), np.zeros(m)
        for rows, patterns in self._blocks():
            agreement = weights[patterns]
            own = agreement[np.arange(len(rows)), rows]
            top = agreement == agreement.max(axis=1, keepdims=True)
            candidates[rows] = top.sum(axis=1)
            risk[rows] = top[np.arange(len(rows)), rows] / candidates[rows]
            columns += (top / candidates[rows, None]).sum(axis=0)
            better = (agreement > own[:, None]).sum(axis=1)
            rank[rows] = better + ((agreement == own[:, None]).sum(axis=1) + 1) / 2
        return _Found(risk, candidates, rank, columns / n)


def _by_distance(data: People) -> _Found:
    pool, replica, distance = data.points(data.columns)
    n, m = data.n, data.sizes[SYNTHETIC]
    nearby = nearest(pool.subset(np.arange(n)), replica, distance=distance, list_ties=m)
    candidates = np.diff(nearby.ties.offsets)
    rows = np.repeat(np.arange(n), candidates)
    own = np.bincount(rows, weights=nearby.ties.indices == rows, minlength=n)
    columns = np.bincount(nearby.ties.indices, weights=1.0 / candidates[rows], minlength=m)
    return _Found(own / candidates, candidates, np.full(n, np.nan), columns / n)
