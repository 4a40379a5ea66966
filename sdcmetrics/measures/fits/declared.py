"""Specific utility: the list."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sdcmetrics.measures.fits.places import FIT, FITS, MEANS, Compared
from sdcmetrics.measures.fits.weighted_overlap import weigh
from sdcmetrics.measures.measure import SPECIFIC_UTILITY, Measure, Release, Twin
from sdcmetrics.measures.subject import Subject

_RAAB = "Raab and Nowok (2017), Inference from fitted models in synthpop"
_KARR = "Karr, Kohnen, Oganian, Reiter and Sanil (2006), The American Statistician 60, 224-232"
_CMF = "Chan, Comparative Metrics Framework, section 3"

_ONE_MODEL = (
    "Speaks of the models that were fitted, and of no other. A fit that is separated or does not "
    "converge has no estimate to compare; such coefficients are named and left out. Standard "
    "errors take records to be independent, whoever lives together."
)
_BY_NAME = (
    "Coefficients are matched by name and against the original's base level; synthpop pairs them "
    "by position, and repeats a value where one is missing. Separated fits are said so."
)

_fit = partial(Measure, family=SPECIFIC_UTILITY, of=FIT, better="higher", low=None, high=1, ideal=1)
"""What most measures of a model have in common, which are overlaps."""


def _mean_of(column: str) -> Callable[[Compared], float]:
    return lambda fit: float(fit.coefficients[column].mean())


_OVERLAP = (0, 0.25, 0.5, 0.75)
_EXPLAINED = (0.1, 0.25, 0.5, 0.75)
"""Ends of bands: exact means over coefficients, of several replicas, give the coefficients back."""

MEASURES: tuple[Measure, ...] = (
    _fit(
        symbol="CIO",
        release=Release("band", _OVERLAP),
        title="Confidence interval overlap",
        show={"fitted": (1, "Mean overlap", "CIO")},
        function=_mean_of("CIO"),
        meaning="How far the confidence intervals of a coefficient, from the original and from "
        "the replica, cover each other. 1 is the same interval, 0 touching, below 0 apart. By "
        "default both are as wide as the original's. The mean over all coefficients is reported.",
        formula="1 - |b_s - b_o| / (2 z se_o); in general the shared length as a mean of its "
        "shares in both intervals",
        source=_RAAB + "; " + _KARR,
        limits="Negative without bound, so that one bad coefficient of a large sample rules the "
        "mean; see CIO_truncated. Says nothing of the replica's own standard errors; see Karr. "
        + _ONE_MODEL,
        twin=Twin("ci.overlap", "compare", differs=_BY_NAME, rtol=1e-8),
    ),
    _fit(
        symbol="CIO_truncated",
        release=Release("band", _OVERLAP),
        title="Confidence interval overlap, not below 0",
        show={"fitted": (2, "not below 0", "CIO_truncated")},
        function=_mean_of("CIO_truncated"),
        low=0,
        meaning="CIO with 0 for intervals that lie apart.",
        formula="max(0, CIO)",
        source="a common reading of " + _KARR,
        limits="Does not tell how far apart intervals are. " + _ONE_MODEL,
    ),
    _fit(
        symbol="Karr",
        title="Karr's symmetric overlap of confidence intervals",
        function=_mean_of("Karr"),
        meaning="CIO with each interval as wide as its own fit says: a replica that claims too "
        "much or too little certainty loses.",
        formula="1/2 [(U - L) / (U_o - L_o) + (U - L) / (U_s - L_s)]",
        source=_KARR,
        limits="A replica of another size than the original has other widths. " + _ONE_MODEL,
    ),
    _fit(
        symbol="std_diff",
        release=Release("band", (1, 2, 5)),
        title="Standardised difference of coefficients",
        show={"fitted": (3, "Mean difference", "std_diff, in standard errors")},
        tested=("fresh", "drawn"),
        function=lambda fit: float(fit.coefficients["std_diff"].abs().mean()),
        better="none",
        low=0,
        high=None,
        ideal=0,
        meaning="Synthetic minus original coefficient, in standard errors of the original. The "
        "mean absolute value over all coefficients is reported: for as many records, 0.8 is "
        "expected of a correct synthesis, and 1.1 of another sample of the population.",
        formula="mean |b_s - b_o| / se_o",
        source=_RAAB,
        limits="Grows with the size of the original for the same bias. " + _ONE_MODEL,
        twin=Twin("Std. coef diff", "compare", differs=_BY_NAME, rtol=1e-8),
    ),
    _fit(
        symbol="lack_of_fit",
        release=Release("band", (1, 3, 10)),
        title="Lack of fit of all coefficients",
        show={"fitted": (4, "Lack of fit", "lack_of_fit; 1 is expected")},
        tested=("drawn",),
        function=lambda fit: fit.lack_of_fit,
        better="lower",
        low=0,
        high=None,
        ideal=0,
        meaning="Squared distance of all coefficients at once, by the covariance that sampling "
        "gives them, over its degrees of freedom: 1 is expected of a correct synthesis.",
        formula="(b_s - b_o)' [V_o n / (k m)]^-1 (b_s - b_o) / p; times p chi-squared on p df",
        source=_RAAB,
        limits="In a large sample any synthesis fails the test; read the ratio. " + _ONE_MODEL,
        twin=Twin(
            "Mahalanobis distance ratio",
            "compare",
            differs="The whole covariance matrix is inverted; synthpop's generalised inverse "
            "leaves out directions eight orders of magnitude smaller than the largest. " + _BY_NAME,
            rtol=1e-8,
        ),
    ),
    _fit(
        symbol="CIO_weighted",
        release=Release("band", _OVERLAP),
        title="Confidence interval overlap weighted by adjusted R2",
        of=FITS,
        function=lambda fits: weigh(fits).value,
        undefined="no model explains anything of the original",
        ranked={0: 1},
        meaning="Mean CIO of several models, each weighted by the adjusted R2 that it has on the "
        "original: a model that explains much is of more use.",
        formula="sum w CIO with w = adjusted R2 over their sum, 0 where negative",
        source=_CMF,
        limits="R2 of linear models and pseudo-R2 of others are on different scales. " + _ONE_MODEL,
    ),
    _fit(
        symbol="adj_R2",
        release=Release("band", _EXPLAINED),
        title="Adjusted R2 on the original",
        function=lambda fit: fit.adjusted_r2,
        syntheses="once",
        better="none",
        ideal=None,
        meaning="Share of the response's variance that a linear model explains in the original, "
        "less what chance would.",
        formula="1 - (1 - R2) (n - 1) / (n - p)",
        source="Ezekiel (1930); weight in " + _CMF,
        limits="A fact about the original and the model, not about the replica.",
    ),
    _fit(
        symbol="adj_pseudo_R2",
        release=Release("band", _EXPLAINED),
        title="McFadden's adjusted pseudo-R2 on the original",
        function=lambda fit: fit.adjusted_r2,
        syntheses="once",
        better="none",
        ideal=None,
        meaning="What adjusted R2 is for logistic, Poisson, polytomous and ordered models.",
        formula="1 - (l - q) / l0 for q slopes, l and l0 the log-likelihoods with and without them",
        source="McFadden (1974)",
        limits="Smaller than an R2 of equal use: 0.2 to 0.4 is a very good fit.",
    ),
    _fit(
        symbol="CIO_means",
        title="Confidence interval overlap of means",
        of=MEANS,
        function=lambda overlap: overlap.mean_untruncated,
        one_way=True,
        undefined="no mean has an interval in both",
        meaning="Karr's overlap of the intervals of the mean of every numeric column; its mean "
        "truncated at 0 is SynthEval's average CI overlap.",
        formula="1/2 [(U - L) / (U_o - L_o) + (U - L) / (U_s - L_s)] of mean -+ z s / sqrt(n)",
        source="Lautrup et al. (2024), SynthEval; " + _KARR,
        limits="One column at a time, and only its mean. Not what synthpop calls CI overlap.",
    ),
)

SUBJECT = Subject("fits", tuple(MEASURES))
