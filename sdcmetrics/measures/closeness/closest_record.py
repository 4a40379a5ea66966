"""Distance to the closest record, of training data and of a holdout: distance_to_closest_record."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.closeness.assessment import assess_closeness
from sdcmetrics.measures.closeness.points import DistanceName, Mode, as_points
from sdcmetrics.measures.closeness.result import ClosestRecord
from sdcmetrics.measures.neighbours import Progress
from sdcmetrics.measures.pair import Frame, Replica, list_syntheses
from sdcmetrics.measures.survey.households import HouseholdColumn, set_aside, two_sides
from sdcmetrics.microdata.arguments import Permutations, Seed, checked
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.schema import MissingCodes

__all__ = ["ClosestRecord", "distance_to_closest_record"]


@checked
def distance_to_closest_record(  # noqa: PLR0913  (three data sets, and what is asked of them)
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    distance: DistanceName = "hamming",
    mode: Mode = "corrected",
    permutations: Permutations = 999,
    margin: float | None = None,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed | None = None,
    progress: Progress | None = None,
) -> ClosestRecord:
    """Compare how close synthetic records are to the training data with how close to a holdout.

    A replica that copies what it was trained on is closer to those records than to fresh ones
    from the same population. The holdout must be a random part of the same data that the
    synthesis has not seen.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        Of several syntheses, a list, all records together are one replica; see `per_synthesis`.
    distance : "hamming", "gower" or "euclidean"
        Hamming: in how many columns records differ, numbers cut into at most 100 groups. Gower:
        mean difference over columns, 0 to 1, numbers over their range. Euclidean: root of the sum
        of squares, numbers over their standard deviation. See `measures.neighbours.distances`.
    mode : "corrected" or "published"
        Hamming only. Corrected: groups by the real records, training and holdout together; a
        binary or zero-inflated column keeps several. Published: those behind Platzer & Reutterer's
        figures, artefacts included.
    permutations : int, at least 0
        Of the labels "training" and "holdout".
    margin : number, optional
        By how much closer a real record must be to a synthetic one than to any other real record
        to be singled out. By default 3 columns for Hamming; for Gower and Euclidean the distance
        below which nine of ten real records have another one.
    variables : names, optional
        By default every column that all data sets have.
    missing_codes : mapping of column to code or codes, optional
        Codes such as -8 that stand for a kind of missing; as the files declare them by default.
        The published figures know none, whatever the files declare.
    household : name of a column, or Households, optional
        Who lives together in original and holdout: no household may be in both, and the labels
        of whole households are exchanged.
    seed : int, optional
        Of the permutations; by default a fresh one, which the result records.
    progress : function of two ints, optional
        Called with the number of records searched for, and of all.

    Returns
    -------
    ClosestRecord
        `share` is 0 to 1: about n_T / (n_T + n_H) is best, more is closer to the training data than
        fresh records are. p of the permutations and of the tests is above 0 and at most 1; small
        ones say so.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the holdout holds the training records.
    StudyError
        If an option is wrong.

    Notes
    -----
    A synthetic record that is as close to both counts the share of training records among the real
    records at its smallest distance. So the expectation of the share is n_T / (n_T + n_H) exactly
    if nothing was copied; split by the sizes of both data sets instead, as published, it is .699
    for .667 with categorical data. Its spread under the null
    hypothesis depends on the replica, eleven-fold between published ones, because few real
    records are closest to many synthetic ones. Hence no fixed limit: it is compared with the
    shares that permuted labels give. Nothing else depends on the labels, so the test is exact.

    That is why numbers are not cut by the training data alone, as the paper's text has it (its
    code does not): groups of equal numbers of training records are not of equal numbers of
    holdout records, and synthetic records fall more often into groups that hold more of these.
    With 150 records each and 5 columns that takes z to a mean of -0.9 where nothing was copied,
    so that copying is overlooked.

    The tests of identical and of singled-out records look for single people who leak, which a
    share cannot show. Given the replica, which of the pool's records they mark does not depend on
    the labels, so the number of training records among them is hypergeometric; of households it
    is drawn, and p is at least 1/10,000. Both have little power for data sets of few columns, in
    which records have many duplicates.

    Synthetic data that are the holdout itself are recognised, and no record is taken as its own
    neighbour: the published reference row.

    References
    ----------
    Platzer and Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data,
    Frontiers in Big Data 4:679939, section 3.2 and figure 8.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": ["a", "b", "c"], "y": ["a", "b", "c"]})
    >>> holdout = pd.DataFrame({"x": ["a", "b", "d"], "y": ["b", "c", "d"]})
    >>> synthetic = pd.DataFrame({"x": ["a", "b", "c"], "y": ["a", "b", "a"]})
    >>> result = distance_to_closest_record(original, synthetic, holdout, seed=1)
    >>> result.closer, result.equal, result.further, round(result.share, 4)
    (3, 0, 0, 1.0)
    >>> result.closest.training.tolist(), result.closest.holdout.tolist()
    ([0, 0, 1], [1, 1, 2])
    >>> result.identical.training, result.identical.holdout
    (2, 0)
    """
    start = time.perf_counter()
    _check_options(distance, mode, margin)
    if mode == "published" and missing_codes is not None:
        msg = (
            "missing_codes: the published figures know none. Leave them out, or take mode "
            "'corrected'."
        )
        raise StudyError(msg)
    if holdout is None:
        msg = (
            "distance_to_closest_record: expected a holdout but got None. Set records aside "
            "before the synthesis: without a holdout no distance can be read."
        )
        raise DataError(msg)
    files = list_syntheses(synthetic, variables)
    households = two_sides(household, (original, "original"), (holdout, "holdout"), together=True)
    original, *syntheses, holdout = set_aside(
        household,
        variables,
        (original, "original"),
        *((data_set, data_set.source) for data_set in files),
        (holdout, "holdout"),
    )

    def assessed(*parts: Microdata) -> ClosestRecord:
        points = as_points(
            as_microdata(original, "original", variables),
            parts,
            as_microdata(holdout, "holdout", variables),
            distance=distance,
            mode=mode,
            variables=variables,
            missing_codes=missing_codes,
        )
        result = assess_closeness(
            points,
            permutations=permutations,
            margin=margin,
            seed=seed,
            households=households,
            progress=progress,
        )
        used = mode if distance == "hamming" else ""
        closest, baseline = result.closest, result.baseline
        if used == "published":  # ties split by the sizes of the data sets
            closest, baseline = (
                replace(search, of_training=None) for search in (closest, baseline)
            )
        seconds = time.perf_counter() - start
        return replace(result, mode=used, closest=closest, baseline=baseline, seconds=seconds)

    each = tuple(map(assessed, syntheses)) if len(syntheses) > 1 else ()
    return replace(assessed(*syntheses), per_synthesis=each)


def _check_options(distance: str, mode: str, margin: float | None) -> None:
    if mode == "published" and distance != "hamming":
        msg = f"mode: the published figures are Hamming distances; {distance} has no other mode."
        raise StudyError(msg)
    if margin is not None and not margin > 0:
        msg = f"margin: expected a number above 0 but got {margin!r}."
        raise StudyError(msg)
