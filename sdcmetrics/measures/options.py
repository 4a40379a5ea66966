"""How the measures of a study are computed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Annotated, Literal

from sdcmetrics.measures.section import AsTuple, Before, Limits, Section, Texts, as_list, section
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS

Groups = Annotated[int, Limits(ge=0)]
Positive = Annotated[float, Limits(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Limits(gt=0, le=1)]
Number = Annotated[float, Limits(allow_inf_nan=False)]
Numbers = Annotated[list[Number], Before(as_list)]
DistanceName = Literal["hamming", "gower", "euclidean"]


@section("options")
class Options(Section):
    """How the measures are computed.

    Attributes
    ----------
    ngroups : int
        Groups of a numeric variable in utility tables.
    style : "quantile" or "equal"
    group_dates : bool
        Group dates like numbers in utility tables; synthpop makes each date a level.
    ngroups_keys, ngroups_targets : dict of column to int
        Groups of numeric keys and targets in disclosure measures; others, and those of 0 groups,
        keep every value.
    round_to : dict of column to number
        Rounding of numeric variables for the ratio of counts, and for nothing else: what is
        compared everywhere in bands is named in ``coarsen``.
    min_count, max_categories : int
        When the ratio of counts skips a variable.
    variables : tuple of str or None
        Columns for utility; by default all that every data set has.
    ways : tuple of int
        Sizes of the utility tables.
    missing_codes : dict of column to numbers
    k_syn : bool
        The number of synthetic records was drawn, not fixed.
    candidates : int
        How many relations that the original keeps and a replica breaks are looked for; 0 for none.
    distance : "hamming", "gower" or "euclidean"
        Between records; used where there is a holdout, as are the next three.
    permutations : int
        Of the labels original and holdout.
    perturbed : tuple of float
        Shares of values that are replaced in the references on the map; none if empty.
    seed : int
        Of permutations and perturbed references.
    population_size : float or None
        People in the population that the original is a random sample of: what the chance that a
        unique match is right needs.
    sample_size : int
        Records that are drawn at random from each data set too large for memory, for measures that
        need records; 0 leaves these out, and their rows say so. Others are counted in full.
    sample_repeats : int
        Further samples that say how far the value of one sample is from those of others: the
        standard error in the column `se`. Each costs as much as the first.
    preset : str
        Metrics of a suite to compute too: SynthEval's "fast", "full" or "privacy", "daisynt", or
        the path of a TOML file; none if empty.
    """

    ngroups: Annotated[int, Limits(ge=2)] = 5
    style: Literal["quantile", "equal"] = "quantile"
    group_dates: bool = True
    ngroups_keys: dict[str, Groups] = field(default_factory=dict)
    ngroups_targets: dict[str, Groups] = field(default_factory=dict)
    round_to: dict[str, Positive] = field(default_factory=dict)
    min_count: Annotated[int, Limits(ge=1)] = 5
    max_categories: Annotated[int, Limits(ge=1)] = 2000
    variables: Texts | None = None
    ways: Annotated[tuple[Annotated[int, Limits(ge=1)], ...], AsTuple] = (1, 2)
    missing_codes: dict[str, Numbers] = field(default_factory=dict)
    k_syn: bool = False
    candidates: Annotated[int, Limits(ge=0)] = 10
    distance: DistanceName = "hamming"
    permutations: Annotated[int, Limits(ge=0, le=MOST_PERMUTATIONS)] = 999
    perturbed: Annotated[tuple[Share, ...], AsTuple] = (0.1, 0.3, 0.5, 0.7, 0.9)
    seed: Annotated[int, Limits(ge=0)] = 1
    population_size: Positive | None = None
    sample_size: Annotated[int, Limits(ge=0)] = 20_000
    sample_repeats: Annotated[int, Limits(ge=0)] = 4
    preset: str = ""

    def compared(self, names: Iterable[str]) -> list[str]:
        """Return those of the columns that are variables of utility."""
        return [name for name in names if self.variables is None or name in self.variables]
