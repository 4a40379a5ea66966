"""The table of all tests, for two frames and a holdout."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.pair import Frame
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.suites.daisynt.corrected import CORRECTED
from sdcmetrics.suites.daisynt.outcome import Finding, Score, SuiteTest
from sdcmetrics.suites.daisynt.published import PUBLISHED
from sdcmetrics.suites.daisynt.sets import Sets, sets_of

Mode = Literal["published", "corrected"]

_OF_THEMSELVES = "without a holdout the replica is compared with the records it was made from"


@checked
def daisynt(  # noqa: PLR0913  (the roles of data sets and columns)
    original: Frame,
    synthetic: Frame,
    holdout: Frame | None = None,
    *,
    target: str | Sequence[str],
    categorical: Sequence[str] | None = None,
    public: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    mode: Mode = "published",
    tests: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    household: str | None = None,
    seed: Seed | None = None,
) -> pd.DataFrame:
    """Run the tests of DAISYnt, as published or corrected.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        The holdout: records of the same population that the synthesis has not seen.
    target : str, or names
        A column of two classes that users of the replica predict; of several the first that has
        two.
    categorical : names, optional
        Columns that are categories although they hold numbers.
    public, sensitive : names, optional
        What an intruder knows of people, and what one wants to know.
    mode : "published" or "corrected"
        Published: the paper's Table 1, by the printed formulas. Its scores are never judged here:
        people who were never used score 0.44 in close rows, an independent replica 0.78 in
        correlations. Corrected: what stands in for them, beside what the holdout gives.
    tests : symbols, optional
        Which rows are wanted; by default all. Those that fit models take most of the time.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, optional
        Who lives together: whole households are exchanged and drawn; see docs/households.md.
        Of the corrected tests; the published ones know none.
    seed : int, optional
        By default a new one.

    Returns
    -------
    DataFrame
        One row per test, by symbol, with columns Test, Group, Detail; published: score (0 to 1,
        higher is better), raw (before it is cut to 0 to 1), evidence, note; corrected: value,
        fresh (what the holdout in the replica's place is expected to give), p (that they give
        as much; small is a finding), evidence, note. A test that cannot be made is NaN, and the
        note says why. ``.attrs`` has the seed and the fixes.

    Raises
    ------
    ColumnError, DataError, StudyError
        If the data sets cannot be compared, a name is unknown, or there are several syntheses.

    Notes
    -----
    The paper leaves gaps and no code of it was published: ``docs/daisynt.md`` lists each decision,
    and why a corrected test differs.

    References
    ----------
    Visani, Graffi, Alfero, Bagli, Capuzzo and Chesani (2022), Enabling synthetic data adoption in
    regulated domains, arXiv 2204.06297.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": list(range(40)), "votes": list("yn") * 20})
    >>> result = daisynt(people, people, target="votes", tests=["D_cloned"], seed=1)
    >>> float(result.loc["D_cloned", "score"])   # every row is one of the original
    0.0
    """
    chosen = _chosen(mode, tests)
    seed = secrets.randbits(32) if seed is None else seed
    sets = sets_of(
        original,
        synthetic,
        holdout,
        target=target,
        categorical=categorical,
        public=public,
        sensitive=sensitive,
        missing_codes=missing_codes,
        household=household,
        seed=seed,
    )
    index = pd.Index([test.symbol for test in chosen], name="daisynt")
    table = pd.DataFrame([_row(test, sets, mode) for test in chosen], index=index)
    table.attrs |= {"seed": seed, "fixes": tuple(str(fix) for fix in sets.data.fixes)}
    return table


def _chosen(mode: Mode, names: Sequence[str] | None) -> list[SuiteTest]:
    by_mode = {"published": PUBLISHED, "corrected": CORRECTED}
    tests = {test.symbol: test for test in by_mode[mode]}
    wanted = tests if names is None else [names] if isinstance(names, str) else names
    for name in wanted:
        if name not in tests:
            msg = f"tests: expected one of {', '.join(tests)} but got {name!r}."
            raise StudyError(msg + did_you_mean(str(name), tests))
    return [test for symbol, test in tests.items() if symbol in wanted]


def _row(test: SuiteTest, sets: Sets, mode: Mode) -> dict[str, object]:
    row: dict[str, object] = {"Test": test.name, "Group": test.group, "Detail": test.detail}
    result: Score | Finding
    try:
        result = test.outcome(sets)
    except NotComputable as reason:
        nothing = Score if mode == "published" else Finding
        result = nothing(math.nan, note=str(reason))
    if isinstance(result, Score):
        row |= {"score": float(np.clip(result.raw, 0.0, 1.0)), "raw": result.raw}
    else:
        row |= {"value": result.value, "fresh": result.fresh, "p": result.p}
    aside = [_OF_THEMSELVES] if test.of_test and not sets.has_holdout else []
    notes = [*aside, *([result.note] if result.note else [])]
    return row | {"evidence": dict(result.evidence), "note": "; ".join(notes)}
