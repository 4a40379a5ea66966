"""Train on synthetic records and test on real ones, beside training on the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.prediction.learners import learner_of
from sdcmetrics.measures.prediction.records import records_of_pair
from sdcmetrics.measures.prediction.trained import Trained, trained, usual_learners
from sdcmetrics.measures.survey.households import HouseholdColumn, set_aside, two_sides
from sdcmetrics.microdata.arguments import Permutations, Seed, checked
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable


@dataclass(frozen=True)
class PredictionResult(Readable, shows=("targets", "fixes"), table="table"):
    """Scores of models trained on a replica and on the original.

    Attributes
    ----------
    table : DataFrame
        One row per target, learner and synthesis, with the columns of `Trained` and synthesis.
    targets : tuple of str
    seed : int
    fixes : tuple of str
        Every change made to compare the data sets.
    """

    table: pd.DataFrame
    targets: tuple[str, ...]
    seed: int
    fixes: tuple[str, ...]


@checked
def prediction(  # noqa: PLR0913  (three data sets, and what is learnt)
    original: Frame,
    synthetic: Replica,
    holdout: Frame | None = None,
    *,
    targets: Sequence[str] | str,
    variables: Sequence[str] | None = None,
    learners: Sequence[str] | str | None = None,
    permutations: Permutations = 99,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
    n_jobs: int | None = 1,
) -> PredictionResult:
    """Train on synthetic records, test on records that nobody has trained on.

    What a model learns from the replica is beside what it learns from as many records of the
    original, on the same holdout. Two samples of one population differ as well: `gap_p` and
    `fresh_gap` say how much.

    Parameters
    ----------
    original, synthetic : data frames; synthetic may be a list of syntheses
    holdout : data frame, optional
        Without it both are tested on the original, what is learnt from the original by folds. Then
        the replica is tested on what it was made of, and there is neither p nor fresh gap.
    targets : names of the columns to predict, each from all others
    variables : names of the columns to use, by default all that the data sets have
    learners : any of "logistic" (ridge regression for a number), "tree", "boosting", "cart",
        "forest", "network", optional
        By default the first two; of a column of more than 10 levels the tree.
    permutations : int
        Of the labels original and synthetic, each with two models to learn; 0 for no p. Fewer are
        drawn where 10 of them are as bad already.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together, in original and synthesis: whole households are drawn and exchanged.
    seed : int
    n_jobs : cores to use, None for all where a learner can
        By default one, which is quickest for some thousand records.

    Returns
    -------
    PredictionResult
        Scores are 0 to 1 (AUC, macro F1) or at most 1 (R2), more being better. `gap` is 0 where the
        replica teaches as much as the original; the size of `fresh_gap` is what two samples differ
        by. `gap_p` is above 0 and at most 1; small: it teaches less.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    StudyError
        If an option is wrong.

    Notes
    -----
    A copy of the original has gap 0: this says what a replica is good for, and nothing of risk.
    Besag and Clifford (1991), Biometrika 78(2), 301-304, show that a p by as many draws as it
    takes is exact.

    References
    ----------
    Esteban, Hyland and Raetsch (2017), arXiv:1706.02633.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> def people(n):
    ...     x = rng.normal(size=n)
    ...     return pd.DataFrame({"x": x, "vote": np.where(x + rng.normal(size=n) > 0, "yes", "no")})
    >>> a, b, c = people(200), people(200), people(200)
    >>> shuffled = b.assign(vote=b["vote"].sample(frac=1, random_state=1).to_numpy())
    >>> for replica in (b, shuffled):
    ...     row = prediction(a, replica, c, targets="vote", learners="logistic").table.iloc[0]
    ...     print(row["score"], row["TRTR"] > 0.75, row["TSTR"] > 0.75, row["gap_p"] < 0.05)
    AUC True True False
    AUC True False True
    """
    wanted = [targets] if isinstance(targets, str) else list(targets)
    chosen = [learners] if isinstance(learners, str) else learners
    if not wanted or permutations < 0 or (chosen is not None and not chosen):
        msg = "prediction: expected at least one target, one learner, and permutations from 0."
        raise StudyError(msg)
    for name in chosen or ():
        learner_of(name)
    syntheses = list(synthetic) if isinstance(synthetic, list | tuple) else [synthetic]
    households = [
        two_sides(household, (original, "original"), (synthesis, "synthetic"), together=False)
        for synthesis in syntheses
    ]
    frames = [(original, "original"), *((synthesis, "synthetic") for synthesis in syntheses)]
    original, *syntheses = set_aside(household, variables, *frames)
    if holdout is not None:
        (holdout,) = set_aside(household, variables, (holdout, "holdout"))
    among = None if variables is None else list(dict.fromkeys([*variables, *wanted]))
    pair = Pair(
        "synthetic",
        as_microdata(original, "original", among),
        list_syntheses(syntheses, among),
        None if holdout is None else as_microdata(holdout, "holdout", among),
        variables=among,
        missing_codes=missing_codes,
    )
    original_records = records_of_pair(pair)[0]
    columns = original_records.columns
    rows = []
    for target in wanted:
        if target not in columns or len(columns) == 1:
            msg = f"targets: expected columns of all data sets, beside others, but got {target!r}."
            raise StudyError(msg + did_you_mean(target, columns))
        for learner in (
            usual_learners(original_records.levels(target)) if chosen is None else chosen
        ):
            for i in range(1, pair.m + 1):
                try:
                    result = trained(
                        pair,
                        i,
                        target,
                        learner,
                        permutations=permutations,
                        seed=seed,
                        n_jobs=n_jobs,
                        households=households[i - 1],
                    )
                except NotComputable as reason:
                    result = Trained(target, learner, note=str(reason))
                rows.append({"synthesis": i, **asdict(result)})
    fixes = tuple(str(fix) for fix in pair.fixes)
    return PredictionResult(pd.DataFrame(rows), tuple(wanted), seed, fixes)
