"""The result of disclosure for one set of keys and one target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.attribution import (
    disclosed_cells,
    disclosive_in_original,
)
from sdcmetrics.measures.disclosure.exclusions import table_of
from sdcmetrics.measures.disclosure.flags import ONE_WAY, TWO_WAY, Row
from sdcmetrics.measures.disclosure.synthesis import RISKS, Figures
from sdcmetrics.measures.disclosure.versions import columns
from sdcmetrics.measures.twin import VERSIONS
from sdcmetrics.microdata.arrays import Bools, Floats
from sdcmetrics.results import Readable, draw_bars, label_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_Z = 1.96
"""95 %: so a level that one record has, and that is disclosed, does not count as certain."""


def by_level(counts: Sequence[KeyTargetCounts], labels: Sequence[str | None]) -> pd.DataFrame:
    """Return disclosure of the original records of each target level, the worst first.

    Parameters
    ----------
    counts : sequence of KeyTargetCounts
        One per synthesis.
    labels : sequence of str or None
        Of the target levels; None is missing.

    Returns
    -------
    DataFrame
        One row per level that some original record has. `records` have it; `disclosed` of these
        are disclosed by the replica (DiSCO, mean over syntheses), `by_original` by the original
        itself (Dorig). `base` is the share of all original records that have the level: how often
        it is right to guess it without looking. `excess` is how far the share disclosed surely
        lies above that (lower end of Wilson's 95 % interval, less `base`); it gives the order.

    Examples
    --------
    >>> counts = KeyTargetCounts(
    ...     original=np.array([9, 1]), synthetic=np.array([4, 2]), key=np.array([0, 1]),
    ...     target=np.array([0, 1]), n_keys=2, n_targets=2, n_original=10, n_synthetic=6)
    >>> by_level([counts], ["no", "yes"])[["level", "records", "disclosed", "base"]].to_numpy()
    array([['yes', 1, 1.0, 0.1],
           ['no', 9, 9.0, 0.9]], dtype=object)
    """
    first = counts[0]
    records = first.target_sums(first.original)
    disclosed = np.mean([_disclosed(count) for count in counts], axis=0)
    own = first.target_sums(np.where(disclosive_in_original(first), first.original, 0))
    excess = _excess(disclosed, records, first.n_original)
    order = np.argsort(-excess, kind="stable")
    order = order[records[order] > 0]
    return pd.DataFrame(
        {
            "level": pd.Series(np.array(labels, dtype=object)[order], dtype=object),
            "records": records[order],
            "disclosed": disclosed[order],
            "by_original": own[order],
            "base": (records / first.n_original)[order],
            "excess": excess[order],
        }
    )


def _disclosed(counts: KeyTargetCounts) -> npt.NDArray[np.int64]:
    return counts.target_sums(np.where(disclosed_cells(counts), counts.original, 0))


def _excess(
    disclosed: npt.NDArray[np.generic], records: npt.NDArray[np.int64], n_original: int
) -> Floats:
    n = np.maximum(records, 1)
    share, z2 = np.asarray(disclosed, dtype=np.float64) / n, _Z**2
    middle = share + z2 / (2 * n)
    low = (middle - _Z * np.sqrt(share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return np.asarray(low - records / n_original)


def at_risk(flags: Sequence[Mapping[str, Bools]]) -> pd.DataFrame:
    """Return in how many syntheses each original record is at risk, where it is in any."""
    times = np.column_stack([np.sum([each[name] for each in flags], axis=0) for name in RISKS])
    risky = np.flatnonzero(times.any(axis=1))
    return pd.DataFrame(times[risky], index=risky, columns=[*RISKS])


@dataclass(frozen=True)
class DisclosureResult(
    Readable, shows=("keys", "target", "n_original", "fixes"), table="per_synthesis"
):
    """Identity and attribute disclosure for one set of keys and one target.

    Tables of figures are made when they are first read: a review reads few of them.

    Attributes
    ----------
    keys, target : the roles
    records_at_risk : DataFrame
        Index: position (from 0) of an original record that is a replicated unique or whose
        target is disclosed; columns repU, DiSCO, DiSDiO: in how many syntheses.
    by_level : DataFrame
        What is disclosed of the records of each target level, the worst first; see
        `sdcmetrics.measures.disclosure.result.by_level`. Exclusions do not reach it.
    n_original : int
    figures : tuple of Figures
        What the tables are made of, by synthesis.
    synthpop : str or None
        Whose words the tables are in; None stands for the symbols of this package.
    fixes : tuple of str
        Changes made to the inputs.
    """

    keys: tuple[str, ...]
    target: str
    figures: tuple[Figures, ...]
    records_at_risk: pd.DataFrame
    by_level: pd.DataFrame
    n_original: int
    synthpop: str | None = None
    fixes: tuple[str, ...] = ()

    @cached_property
    def identity(self) -> pd.Series[float]:
        """Return UiO, UiS, UiOiS, repU in percent; means over the syntheses.

        As in synthpop, exclusions of target levels reach these too.
        """
        return self._means("identity")

    @cached_property
    def identity_unrestricted(self) -> pd.Series[float]:
        """Return the same before any exclusion.

        The risk of being found does not depend on the target.
        """
        return pd.DataFrame([figures.before for figures in self.figures]).mean()

    @cached_property
    def attribution(self) -> pd.Series[float]:
        """Return the measures of attribute disclosure, means over the syntheses.

        Dorig, Dsyn, iS, DiS, DiSCO, DCAPd, DiSDiO in percent, max_denom and mean_denom in
        records; in the words of synthpop 1.9-2 without DCAPd.
        """
        return self._means("attribution")

    @cached_property
    def cap(self) -> pd.Series[float]:
        """Return the measures of correct attribution in percent, means over the syntheses.

        baseCAPd, CAPd, CAPs, DCAPb, DCAPs, TCAPb, TCAPs, TCAP, TCAP being DiSCO over
        DiS; in the words of synthpop 1.9-2 baseCAPd, CAPd, CAPs, DCAP (the DCAPd of 1.9-3) and
        TCAP, DiSCO over iS. DCAPs, DCAPb, TCAPs and TCAPb count original records per synthetic
        one, and exceed 100 where the replica is smaller.
        """
        return self._means("cap")

    @cached_property
    def per_synthesis(self) -> pd.DataFrame:
        """Return all of these for each synthesis."""
        names = {s: name for table in columns(self.synthpop).values() for s, name in table.items()}
        frame = self._by_synthesis([figures.values for figures in self.figures])
        return frame[list(names)].rename(columns=names)

    @cached_property
    def denominators(self) -> pd.DataFrame:
        """Return the records that DiSCO, TCAPs, TCAPb and TCAP are divided by, for each synthesis.

        None for synthpop 1.9-2, which has no such table.
        """
        named = self.synthpop != VERSIONS[0]
        return self._by_synthesis([each.denominators if named else {} for each in self.figures])

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Return the numerator of each share, by synthesis."""
        return self._by_synthesis([figures.numerators for figures in self.figures])

    @cached_property
    def exclusions(self) -> pd.DataFrame:
        """Return the records left out of each table by reason, and what remains, by synthesis."""
        tables = [table_of(figures.left_out) for figures in self.figures]
        return pd.concat(tables, keys=self._numbers, names=["synthesis", "table"])

    @cached_property
    def one_way(self) -> pd.DataFrame:
        """Return the flagged target levels, by synthesis."""
        return _flags([figures.one_way for figures in self.figures], ONE_WAY)

    @cached_property
    def two_way(self) -> pd.DataFrame:
        """Return the flagged pairs of target and key levels, by synthesis."""
        return _flags([figures.two_way for figures in self.figures], TWO_WAY)

    @property
    def _numbers(self) -> pd.RangeIndex:
        return pd.RangeIndex(1, len(self.figures) + 1, name="synthesis")

    def _by_synthesis(self, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        return pd.DataFrame(rows, index=self._numbers)

    def _means(self, table: str) -> pd.Series[float]:
        return self.per_synthesis.mean()[list(columns(self.synthpop)[table].values())]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw what the replica gives away beside what the original itself would.

        repU beside UiO, and DiSCO (in the words of 1.9-2 too) beside Dorig, in percent.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on new ones.

        Raises
        ------
        StudyError
            If matplotlib is not installed.
        """
        drawn = new_axes(ax)
        own = [float(self.identity["UiO"]), float(self.attribution["Dorig"])]
        replica = [float(self.identity["repU"]), float(self.attribution["DiSCO"])]
        names = ["who somebody is (UiO, repU)", f"{self.target} (Dorig, DiSCO)"]
        draw_bars(drawn, names, {"original itself": own, "replica": replica})
        title = f"Disclosed to whoever knows {', '.join(self.keys)}"
        return label_axes(
            drawn, x="percent of the original records", y="what is learnt", title=title
        )


def _flags(rows: Sequence[Sequence[Row]], names: Sequence[str]) -> pd.DataFrame:
    numbered = [(*row, i) for i, part in enumerate(rows, start=1) for row in part]
    return pd.DataFrame(numbered, columns=[*names, "synthesis"])
