"""The result of disclosure for one set of keys and one target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure.attribution import (
    disclosed_cells,
    disclosive_in_original,
)
from sdcmetrics.microdata.arrays import Floats
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
    frame = pd.DataFrame(
        {
            "level": pd.Series(np.array(labels, dtype=object), dtype=object),
            "records": records,
            "disclosed": disclosed,
            "by_original": own,
            "base": records / first.n_original,
            "excess": _excess(disclosed, records, first.n_original),
        }
    )
    occurring = frame[frame["records"] > 0]
    return occurring.sort_values("excess", ascending=False, kind="stable", ignore_index=True)


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


@dataclass(frozen=True)
class DisclosureResult(
    Readable, shows=("keys", "target", "n_original", "fixes"), table="per_synthesis"
):
    """Identity and attribute disclosure for one set of keys and one target.

    Attributes
    ----------
    keys, target : the roles
    identity : Series
        UiO, UiS, UiOiS, repU in percent; means over the syntheses. As in synthpop, exclusions
        of target levels reach these too.
    identity_unrestricted : Series
        The same before any exclusion: the risk of being found does not depend on the target.
    attribution : Series
        Dorig, Dsyn, iS, DiS, DiSCO, DCAPd, DiSDiO in percent, max_denom and mean_denom in
        records; in the words of synthpop 1.9-2 without DCAPd.
    cap : Series
        baseCAPd, CAPd, CAPs, DCAPb, DCAPs, TCAPb, TCAPs, TCAP in percent, TCAP being DiSCO over
        DiS; in the words of synthpop 1.9-2 baseCAPd, CAPd, CAPs, DCAP (the DCAPd of 1.9-3) and
        TCAP, DiSCO over iS. DCAPs, DCAPb, TCAPs and TCAPb count original records per synthetic
        one, and exceed 100 where the replica is smaller.
    per_synthesis : DataFrame
        All of these for each synthesis.
    denominators : DataFrame
        Records that DiSCO, TCAPs, TCAPb and TCAP are divided by, for each synthesis; none for
        synthpop 1.9-2, which has no such table.
    counts : DataFrame
        Numerator of each share, by synthesis.
    exclusions : DataFrame
        Records left out of each table by reason, and what remains, by synthesis.
    one_way, two_way : DataFrame
        Flagged target levels and pairs of target and key levels, by synthesis.
    records_at_risk : DataFrame
        Index: position (from 0) of an original record that is a replicated unique or whose
        target is disclosed; columns repU, DiSCO, DiSDiO: in how many syntheses.
    by_level : DataFrame
        What is disclosed of the records of each target level, the worst first; see
        `sdcmetrics.measures.disclosure.result.by_level`. Exclusions do not reach it.
    n_original : int
    fixes : tuple of str
        Changes made to the inputs.
    """

    keys: tuple[str, ...]
    target: str
    identity: pd.Series[float]
    identity_unrestricted: pd.Series[float]
    attribution: pd.Series[float]
    cap: pd.Series[float]
    per_synthesis: pd.DataFrame
    denominators: pd.DataFrame
    counts: pd.DataFrame
    exclusions: pd.DataFrame
    one_way: pd.DataFrame
    two_way: pd.DataFrame
    records_at_risk: pd.DataFrame
    by_level: pd.DataFrame
    n_original: int
    fixes: tuple[str, ...] = ()

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
