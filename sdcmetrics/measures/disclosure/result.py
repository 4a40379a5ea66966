"""The result of disclosure for one set of keys and one target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from sdcmetrics.results import Readable, draw_bars, label_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        `sdcmetrics.measures.disclosure.levels.by_level`. Exclusions do not reach it.
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
