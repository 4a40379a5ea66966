"""A sample and the syntheses beside it: both read, with how they were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.survey.design import (
    Design,
    DesignColumns,
    SurveyDesign,
    one_design,
)
from sdcmetrics.measures.survey.sample import Sample
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, harmonise


@dataclass(frozen=True)
class SampledFiles:
    """A sample, the syntheses of a replica, and how each was drawn.

    Attributes
    ----------
    original : Microdata
    syntheses : sequence of Microdata
    columns : Design
        The columns that say how they were drawn.
    design : SurveyDesign, of the original
    designs : tuple of SurveyDesign, of each synthesis
    """

    original: Microdata
    syntheses: Sequence[Microdata]
    columns: Design
    design: SurveyDesign
    designs: tuple[SurveyDesign, ...]

    def compared(
        self, variables: Sequence[str] | None, missing_codes: MissingCodes | None
    ) -> Harmonised:
        """Return the columns that are compared, harmonised; see `compared_columns`."""
        roles = self.columns.columns
        names = compared_columns(self.original, self.syntheses, variables, roles)
        return harmonise(
            self.original, self.syntheses, variables=names, missing_codes=missing_codes
        )

    def fixes(self, both: Harmonised) -> tuple[str, ...]:
        """Return every change that was made to the files, each once."""
        each = (*both.fixes, *(fix for of in (self.design, *self.designs) for fix in of.fixes))
        return tuple(dict.fromkeys(map(str, each)))


def read_sampled(
    original: Frame, synthetic: Replica, design: Design | None, **columns: Unpack[DesignColumns]
) -> SampledFiles:
    """Read a sample and a replica, whose design is one value or given column by column."""
    data = as_microdata(original, "original")
    syntheses = list_syntheses(synthetic, None)
    sample = one_design(design, **columns)
    own = sample.read(data)
    theirs = tuple(sample.read_replica(part) for part in syntheses)
    return SampledFiles(data, syntheses, sample, own, theirs)


def designs_of(sample: Sample, pair: Pair) -> list[SurveyDesign]:
    """Return how each synthesis of a review was drawn, read once; see `Sample.design_of`."""
    designs: list[SurveyDesign] = pair.cached(
        "designs", lambda: [sample.design_of(synthesis) for synthesis in pair.syntheses]
    )
    return designs


def compared_columns(
    data: Microdata,
    replicas: Sequence[Microdata],
    variables: Sequence[str] | None,
    roles: Sequence[str | None],
) -> list[str]:
    """Return the columns that were named, or those of all data sets that have no role."""
    if variables is not None:
        return list(variables)
    common = set(data.columns).intersection(*(replica.columns for replica in replicas))
    return [name for name in data.columns if name in common and name not in roles]
