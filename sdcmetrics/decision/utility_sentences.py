"""The sentences that answer whether a replica is useful, worst first."""

from __future__ import annotations

from sdcmetrics.decision.state import OTHER_RULES
from sdcmetrics.decision.status import Status
from sdcmetrics.decision.table import Condition, rows, when

_LIMITED = {"table_limits": "Tables are", "rules": "Rules are", "models": "Models are"}
_BEYOND = {
    Status.FAIL: "{0} beyond the limit that means not useful: {{{1}_FAIL}}.",
    Status.REVIEW: "{0} beyond the limit that asks for a look: {{{1}_REVIEW}}.",
    Status.NOT_JUDGED: "Not judged, as it could not be computed, though it has a limit: "
    "{{{1}_NOT_JUDGED}}.",
}


def _beyond(status: Status) -> tuple[tuple[Condition, str], ...]:
    """Return the sentences on limits of each part of the measures, at one status."""

    def at(subject: str) -> Condition:
        return lambda s: getattr(s, subject).says(status)

    return tuple(
        (at(part), _BEYOND[status].format(plural, part)) for part, plural in _LIMITED.items()
    )


def _tables(status: Status, reason: str = "") -> Condition:
    return lambda s: s.tables.status == status and s.tables.reason == (reason or s.tables.reason)


_FAIL = (
    when(
        _tables(Status.FAIL),
        "Shares differ by at least a medium amount in {failed_of}: {failed} (the lower limit of w "
        "is above {size_fail}).",
    ),
    *_beyond(Status.FAIL),
)
_REVIEW = (
    when(
        lambda s: s.tables.invented,
        "Values of {invented} are in it that the original has nowhere, in more records than by "
        "chance (p <= {table_chance} over {tables}): impossible values, codes of missing, or "
        "another way of writing.",
    ),
    when(
        lambda s: (
            s.tables.status == Status.REVIEW and not s.tables.derived and not s.tables.only_invented
        ),
        "{called} {differ} by more than chance (p <= {table_chance} over {tables}){no_share}.",
    ),
    when(
        lambda s: s.tables.status == Status.REVIEW and s.tables.derived,
        "What follows from the values differs by more than chance (p <= {table_chance} over "
        "{tables}): {called}{no_share}.",
    ),
    when(
        lambda s: s.tables.totals,
        "Its weights add up to {total_percent} of the original's: totals are of another number of "
        "people.",
    ),
    *_beyond(Status.REVIEW),
)
_NOT_JUDGED = (
    *_beyond(Status.NOT_JUDGED),
    when(_tables(Status.NOT_JUDGED, "no table"), "No table could be tested."),
    when(
        _tables(Status.NOT_JUDGED, OTHER_RULES),
        "Tables were tested by other rules than those of this profile: review the study again.",
    ),
    when(
        _tables(Status.NOT_JUDGED, "clusters"),
        "Rows belong together, or seem to, by {cluster}{tables_unused}. Tables were not judged.",
    ),
    when(
        _tables(Status.NOT_JUDGED, "weights"),
        "The study names weights, by which tables could not be made: those of the replica cannot "
        "be read, it has a single record, a few records of a file have nearly all of its weight, "
        "or the files are counted batch by batch. Tables were not judged.",
    ),
    when(
        _tables(Status.NOT_JUDGED, "few records"),
        "There are too few records to judge tables. {none_of} by more than chance and by more "
        "than a small amount, but even in a table of one column shares that are off by up to "
        "about {notice} points (w = {notice_w}) could have gone unnoticed.",
    ),
    when(
        lambda s: (
            "off" == s.tables.status == s.table_limits.status == s.rules.status == s.models.status
        ),
        "No limit on tables, rules or models is set.",
    ),
)
_WITHIN = (
    when(
        lambda s: s.tables.status == Status.WITHIN and not s.tables.notice,
        "{none_of} by more than chance and by more than a small amount.",
    ),
    when(
        lambda s: s.tables.status == Status.WITHIN and s.tables.notice,
        "{none_of} by more than chance and by more than a small amount. In a table of median "
        "size shares that are off by up to about {notice} points (w = {notice_w}) could have gone "
        "unnoticed; in smaller tables, less.",
    ),
    when(
        lambda s: s.table_limits.status == Status.WITHIN,
        "All tables keep the limits {tables_origin}.",
    ),
    when(lambda s: s.rules.status == Status.WITHIN, "The limits on rules are kept."),
    when(lambda s: s.models.status == Status.WITHIN, "The limits on models are kept."),
    when(
        lambda s: s.lacking,
        "Columns of the original that are not in it, or not in each of its files, so that nothing "
        "of them was tested: {lacking}.",
    ),
)
_BESIDES = (
    when(
        lambda s: s.tables.advice,
        "{advised} above the advice of synthpop's authors ({advice}) and not beyond chance, or "
        "not beyond a small amount.",
    ),
    when(
        lambda s: s.tables.weighted and not s.tables.counted_once,
        "Shares in tables are those of the population, by the weights of both files.",
    ),
    when(
        lambda s: s.tables.weighted and s.tables.counted_once,
        "Shares in tables of the original are those of the population, by its weights. The "
        "replica has no weights: each of its records counts once.",
    ),
    when(
        lambda s: s.tables.skipped,
        "The files are counted batch by batch: which of two columns is larger, and how often "
        "records are repeated, was not tested; of single files that fit in memory it is.",
    ),
    when(
        lambda s: s.tables.repeats,
        "Its records repeat each other, or those of the original, more often or more rarely than "
        "the original's do; where most of them do, tables that differ were tested again with equal "
        "records as one draw.",
    ),
    when(
        lambda s: s.tables.one_sided,
        "Few records, but more than by chance, have values of {one_sided} that the other file has "
        "nowhere: a tail or a level that the replica lacks, or missing ones that it has.",
    ),
    when(
        lambda s: s.tables.unexchanged,
        "Values that only one of the files has were not looked for: records count unequally, or "
        "the replica does not say which of them belong together.",
    ),
    when(
        lambda s: s.tables.few_clusters,
        "There are fewer than 30 clusters, or different records, in a file: hardly anything could "
        "have been noticed in tables.",
    ),
    when(
        lambda s: s.tables.assumed_clusters,
        "The replica lacks {table_cluster}: its rows were taken to belong together as those of "
        "the original do. If they do not, more would be noticed than is stated here.",
    ),
    when(lambda s: s.tables.few, "With fewer than 30 records no table is called not useful."),
    when(
        lambda s: (
            s.tables.status not in ("off", Status.NOT_JUDGED) and s.tables.ways < 3  # noqa: PLR2004  (three columns at a time)
        ),
        "Three columns at a time were not tested.",
    ),
)
UTILITY = rows(
    "utility",
    {
        Status.FAIL: _FAIL,
        Status.REVIEW: _REVIEW,
        Status.NOT_JUDGED: _NOT_JUDGED,
        Status.WITHIN: _WITHIN,
        None: _BESIDES,
    },
)
