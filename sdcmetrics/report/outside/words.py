"""The sentences of editions for outside: what they are, promise, and do not promise."""

from __future__ import annotations

from collections.abc import Iterable

from sdcmetrics.release.accounting import delta_of, right_guesses
from sdcmetrics.release.near import drawn_of
from sdcmetrics.release.public import Public, Replica
from sdcmetrics.report.safety.names import clean
from sdcmetrics.study.roles import UNNAMED, Scenario

PEOPLE = {
    "original": "Original",
    "holdout": "Holdout",
    "difference": "Original less holdout",
}
KINDS = {
    "records": "number of records",
    "nearest": "distance to the nearest replica record",
    "alike": "people alike in every column",
    "replicated": "people who recur",
}
BOARD = (
    "A limit is applied where the whole 90 % range is on one side of it; otherwise the figure is "
    "not judged. The decision is that of the people who signed it."
)
UNSIGNED = (
    "No decision is signed in this edition. The figures below are evidence; they decide nothing by "
    "themselves."
)
SIGNED = (
    "The decision was made inside, with the exact figures at hand. It is one choice out of three "
    "per replica and is not protected by noise."
)
NEAR = "A record is alike in every column where no column differs; numbers are compared exactly."
NEAR_HOLDOUT = (
    f"{NEAR} People of the holdout were not in the original: what they share with a replica, they "
    "share by chance."
)
RECUR = (
    "People who are alone with their keys among original and holdout together, and whose keys a "
    "replica has, per 100 people of either. If the replica was made of other people of the same "
    "kind, both figures would be alike."
)
PAIRS = "From 0, alike, to 1. Sampling alone makes it positive."
TVD = (
    "From 0, alike, to 1: the share of people who would have to be in other groups. Groups of "
    "numbers are between quantiles of the replica; what fits none of its groups and levels is one "
    "cell more, always."
)
AUTHORS = "Written as it is in the study file; no noise protects what is said here."
_NAMED = 3
"""Columns that an intruder knows, up to which each is named."""
_EPSILON = 3.0
"""For readers who know differential privacy by epsilon and delta."""


def several(public: Public) -> str:
    """Say what a figure of a replica of several files is of; nothing where no replica has any."""
    if all(len(replica.syntheses) == 1 for replica in public.replicas):
        return ""
    return (
        "Where a replica has several files, copies, near records and people who recur are of all "
        "of them together, and every other figure is a mean over them."
    )


def lead(mu: float) -> tuple[str, ...]:
    """Return what a release is."""
    what = (
        "This edition may be handed out with the replicas. Of the confidential original it holds "
        "nothing but sums over people with random noise; each figure has a range that holds the "
        "figure without noise in 90 of 100 cases."
    )
    promised = (
        "Whoever reads it, knows all other people of the original and has every replica tells "
        f"whether one person was in it in at most {_per_cent(right_guesses(mu))} of 100 cases; "
        "blind guessing is right in 50."
    )
    return what, promised


def lead_coarse() -> tuple[str, ...]:
    """Return what a coarse edition is."""
    what = (
        "This edition may be handed out with the replicas. It holds the decision as people signed "
        "it, and what everybody can see in the replicas. The original was not read to write it."
    )
    return (what,)


def promise(public: Public, mu: float, sd: float) -> tuple[str, ...]:
    """Return what a release promises."""
    right = _per_cent(right_guesses(public.budget))
    of_value = _per_cent(right_guesses(2 * public.budget))
    delta = delta_of(public.budget, _EPSILON)
    unit = public.unit or "person"
    privacy = (
        f"For any two originals that differ by one {unit}, all releases ever made of them together "
        f"are {public.budget:g}-GDP (Gaussian differential privacy); this one costs {mu:.3g} of "
        "that. Whoever knows all others, the source, every replica, holdout and profile, and chose "
        f"them, but not the secret, tells whether the {unit} took part in at most "
        f"{right} of 100 cases, and which of two values the {unit} has in at most {of_value}. It "
        "is also (epsilon, delta)-differential privacy, for instance with epsilon "
        f"{_EPSILON:g} and delta {delta:.2g}."
    )
    noise = (
        "Noise is drawn from the discrete Gaussian, exactly, with a standard deviation of "
        f"{sd:.1f} records for a count of full weight. It follows from a secret that stays inside, "
        "so that asking again gives the same figure. A ledger with the secret adds up what all "
        "releases cost, and what exceeds the budget is refused. Ranges say how far noise moves a "
        "figure, and nothing of sampling."
    )
    form = (
        "Which tables, rows and words are here follows from the replicas and the study's words. "
        f"{_gathered(public)} No survey weights are used."
    )
    return privacy, noise, form


def _gathered(public: Public) -> str:
    """Return which records of a person are in the figures."""
    wider = "" if public.rows == 1 else ", and noise is as much wider"
    if not public.unit:
        if public.rows == 1:
            return "Each record is taken to be a person of its own."
        return f"A person is taken to have up to {public.rows} records{wider}."
    records = "one record is" if public.rows == 1 else f"up to {public.rows} records are"
    return f"Of each {public.unit} {records} in these figures; others were left out{wider}."


def not_promised(public: Public) -> tuple[str, ...]:
    """Return what a release does not promise."""
    of_two = _per_cent(right_guesses(2 * public.budget))
    groups = f"Groups: whether two people together took part, in {of_two} of 100 cases."
    return (
        "The replicas: this edition says what they reveal, and does not reduce it.",
        "What the authors write themselves: title, names, context and the decision.",
        "That this edition exists, and that the program did not refuse to write it.",
        groups,
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


def called(scenario: Scenario) -> str:
    """Return the name of a scenario; of one without, what an intruder knows in it."""
    if scenario.name != UNNAMED:
        return clean(scenario.name)
    if len(scenario.keys) > _NAMED:
        return f"{len(scenario.keys)} columns"
    return ", ".join(map(clean, scenario.keys))


def knows(scenario: Scenario) -> str:
    """Return what an intruder is assumed to know.

    >>> print(knows(Scenario(UNNAMED, ("age", "sex"), ())))
    An intruder knows age, sex of a person.
    >>> print(knows(Scenario("Neighbour", ("age",), ())))
    In the scenario Neighbour, an intruder knows age of a person.
    """
    where = "An" if scenario.name == UNNAMED else f"In the scenario {clean(scenario.name)}, an"
    return f"{where} intruder knows {', '.join(map(clean, scenario.keys))} of a person."


def drawn(replicas: Iterable[Replica]) -> list[str]:
    """Return of how many people one is compared with each replica; nothing where all are."""
    return [
        f"With {clean(replica.name)}, of {replica.n:,} records, one in {drawn_of(replica):,} "
        "people is compared; which ones, follows from the secret. Ranges of these figures hold "
        "what that choice does as well. People alike in every column are counted among all."
        for replica in replicas
        if drawn_of(replica) > 1
    ]


def coarser(names: Iterable[str], public: Public) -> list[str]:
    """Return which of some columns are compared in a coarser form, and how; nothing if none is."""
    listed = [
        f"{clean(name)} ({clean(public.coarsen[name].words)})"
        for name in names
        if name in public.coarsen
    ]
    if not listed:
        return []
    return [f"Original and replicas are compared in a coarser form in {'; '.join(listed)}."]


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


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f}"
