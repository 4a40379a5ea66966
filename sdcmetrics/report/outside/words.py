"""The sentences of editions for outside: what they are, promise, and do not promise."""

from __future__ import annotations

from sdcmetrics.release.accounting import delta_of, right_guesses
from sdcmetrics.release.public import Public

PEOPLE = {
    "original": "Original",
    "holdout": "Holdout",
    "difference": "Original less holdout",
}
KINDS = {
    "records": "number of records",
    "nearest": "distance to the nearest replica record",
    "replicated": "people who recur",
}
BOARD = (
    "A limit is applied where the whole 90 % range is on one side of it; otherwise the figure is not "
    "judged. The decision is that of the people who signed it."
)
UNSIGNED = (
    "No decision is signed in this edition. The figures below are evidence; they decide nothing "
    "by themselves."
)
SIGNED = (
    "The decision was made with the exact figures at hand, inside. It is one choice out of three per "
    "replica and is not protected by noise."
)
NEAR = (
    "A record is alike in every column where no column differs. Numbers are compared exactly. People of "
    "the holdout were not in the original: what they share with a replica, they share by chance."
)
RECUR = (
    "People of original and holdout who are alone with their keys among both, and whose keys a replica "
    "has. Were the replica made of people like those of the original, and not of the original, both "
    "percentages would be alike."
)
PAIRS = "From 0, alike, to 1. Sampling alone makes it positive."
TVD = (
    "From 0, alike, to 1: the share of people who would have to be in other groups. Groups of numbers "
    "are between quantiles of the replica; what fits none of its groups and levels is one cell more."
)
AUTHORS = "Written as it is in the study file; no noise protects what is said here."


def lead(mu: float) -> tuple[str, ...]:
    """Return what a release is."""
    return (
        "This edition may be handed out with the replicas. Of the confidential original it holds "
        "nothing but counts of people with random noise; each figure has the range that holds the "
        "count without noise in 90 of 100 cases.",
        "Whoever reads it, knows all other people of the original and has every replica tells whether "
        f"one person was in it in at most {_percent(right_guesses(mu))} of 100 cases; blind guessing "
        "is right in 50.",
    )


def lead_coarse() -> tuple[str, ...]:
    """Return what a coarse edition is."""
    return (
        "This edition may be handed out with the replicas. It holds the decision as people signed "
        "it, and what everybody can see in the replicas. The original was not read to write it.",
    )


def promise(public: Public, mu: float, sd: float) -> tuple[str, ...]:
    """Return what a release promises."""
    right, of_value = (
        _percent(right_guesses(public.budget)),
        _percent(right_guesses(2 * public.budget)),
    )
    epsilon = 3.0
    unit = (
        "Each record is taken to be a person of its own."
        if public.rows == 1
        else f"A person has up to {public.rows} records in these figures; records beyond were left "
        "out, and noise is as much wider."
    )
    return (
        f"For any two originals that differ by one person, all releases ever made of them together are "
        f"{public.budget:g}-GDP (Gaussian differential privacy); this one costs {mu:.3g} of that. "
        "Whoever knows all others, the source, every replica, holdout and profile, and chose them, but "
        f"not the secret, tells whether the person took part in at most {right} of 100 cases, and which "
        f"of two values the person has in at most {of_value}. It is also (epsilon, delta)-differential "
        f"privacy, for instance with epsilon {epsilon:g} and delta {delta_of(public.budget, epsilon):.2g}.",
        f"Noise is drawn from the discrete Gaussian, exactly, with a standard deviation of {sd:.1f} "
        "records for a count of full weight. It follows from a secret that stays inside, so that asking "
        "again gives the same figure. A ledger beside the secret adds up what all releases cost and "
        "refuses what exceeds the budget.",
        f"Which tables, rows and words are here follows from the replicas and the study's words. {unit} "
        "People count once, without survey weights.",
    )


def not_promised(public: Public) -> tuple[str, ...]:
    """Return what a release does not promise."""
    family = _percent(right_guesses(2 * public.budget))
    return (
        "The replicas: this edition says what they reveal, and does not reduce it.",
        "What the authors write themselves: title, names, context, rules and the decision.",
        "That this edition exists, and that the program did not refuse to write it.",
        f"Groups of people: whether two together took part is told in up to {family} of 100 cases.",
        "What is published elsewhere about the same people adds to what is here.",
        "Anything, to those who have the secret or the original.",
        "Statistics of models and tests, and tables of people: only the internal edition has them.",
    )


def not_promised_coarse() -> tuple[str, ...]:
    """Return what a coarse edition does not promise."""
    return (
        "The replicas: the decision does not change what they reveal.",
        "The decision: it is an exact choice, made by people who saw the original.",
        "What the authors write themselves: title, names and context.",
        "Any figure: without one, nobody outside can check the decision.",
    )


def knows(scenario: str, keys: str) -> str:
    """Return what an intruder is assumed to know."""
    return f"In the scenario {scenario}, an intruder knows {keys} of a person."


def distances(edges: tuple[int, ...]) -> tuple[str, ...]:
    """Return the cells between numbers of columns in words.

    >>> distances((0, 1, 4))
    ('none', '1', '2 to 4', 'more than 4')
    """
    out, low = [], 0
    for edge in edges:
        out.append("none" if edge == 0 else str(edge) if edge == low else f"{low} to {edge}")
        low = edge + 1
    return (*out, f"more than {edges[-1]}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
