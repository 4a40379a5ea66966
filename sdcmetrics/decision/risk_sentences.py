"""The sentences that answer whether a replica may be released, worst first."""

from __future__ import annotations

from sdcmetrics.decision.risk_conditions import (
    SETTLED,
    alone,
    claimed,
    closer,
    compared,
    compared_with_holdout,
    flagged,
    holds,
    unsettled,
)
from sdcmetrics.decision.state import OTHER_RULES
from sdcmetrics.decision.status import Status
from sdcmetrics.decision.table import rows, when
from sdcmetrics.measures.people.claims import Claim

COPIED_UNNOTICED = (
    "{unnoticed} copied in every value, as written in the original, could be in this file "
    "unnoticed. Had {noticed} or more been copied, we would have noticed in 9 of 10 cases."
)
"""What tests of equal records would not have seen; page 1 states it with what was not checked."""
_OTHER_HOLDOUT = (
    "The holdout differs from the original{differs}, and was not used to tell whose records are in "
    "it: it cannot stand for people who were left out."
)
CONTRADICTED = (
    "Its generator is said to keep epsilon {claimed_epsilon}; this release contradicts that: by "
    "whom it is close to, epsilon is at least {shown_epsilon} of replacing a record (95 %; "
    "original and holdout were divided at random)."
)
"""What a release shows of a claimed epsilon; it is a finding on a file that is to go out, too."""
_QUIET = (
    "A copy of the original would be noticed on {noticeable} asked; there this replica was not "
    "found to disclose "
)
_OF_OTHERS = (
    _QUIET + "more (by {points} or more, p <= {chance}) than as many "
    "records of other people would. "
)
_MORE = (
    "{learns} {of_original} of the people in the original, {but} {of_others} of {others} "
    "(p <= {chance})."
)
_MORE_THAN_BY_OTHERS = (
    "{learns} {of_original} of {whom}; from as many records of other people it would be "
    "{of_others} (p <= {chance})."
)
_FAIL = (
    when(claimed(Claim.COPY), "It is the original."),
    when(claimed(Claim.RENAMED), "It is the original with its values renamed."),
    when(
        claimed(Claim.ALIGNED),
        "It is a masked original{in_part}: {ordered} of its rows are the person of the same row.",
    ),
    when(holds(most=True), "It holds most of the original: {hits}."),
    when(
        lambda s: flagged(Status.FAIL, holdout=True)(s) and s.excess.shown,
        _MORE + " This excess is {position} of what the original itself would have in its place.",
    ),
    when(
        lambda s: flagged(Status.FAIL, holdout=False)(s) and s.excess.shown,
        _MORE_THAN_BY_OTHERS
        + " This excess is {position} of what the original itself would have in its place.",
    ),
    when(
        lambda s: s.excess.status == Status.FAIL and not s.excess.shown,
        "It gives away as much about {question} as the original itself would, or more.",
    ),
    when(
        lambda s: s.limits.says(Status.FAIL),
        "{limits_FAIL}, beyond the limit {limits_FAIL_origin} that forbids a release.",
    ),
    when(lambda s: s.intruder == "failed", "A motivated intruder identified somebody."),
)
_REVIEW = (
    when(lambda s: s.epsilon == "contradicted", CONTRADICTED),
    when(
        lambda s: s.of_holdout,
        "It is the holdout itself, whose records are real people: one of the two files is not what "
        "the study says.",
    ),
    when(
        lambda s: Claim.OUTSIDERS in s.people.claims and not s.of_holdout,
        "It holds records of people of the holdout, more than by chance ({outsiders}). They are "
        "real people: either it was made from them too, or they are no holdout.",
    ),
    when(
        alone(Claim.AVOIDS),
        "Fewer people of the original than chance gives have a record of it that is equal or "
        "nearest to them ({avoided}). Either records too near to people of the original were "
        "dropped from it, and whoever sees where it has nobody learns who was in the file; or it "
        "was made from people of the holdout, too.",
    ),
    when(
        lambda s: s.identifiers.hit,
        "Values that identify people of the original are in it: {identifiers}.",
    ),
    when(
        lambda s: s.kept and not s.people.claims & SETTLED,
        "Small counts of the original are in its tables, nearer than random draws leave them "
        "(p <= 0.01 over all tables of two columns): {kept}. Values of people of the original "
        "stay together there, or counts were fitted to it, or a design (quotas, a calendar) fixes "
        "them: whoever has the replica can read how few people share which values.",
    ),
    when(holds(most=False), "{holds} records of people of the original: {hits}."),
    when(
        lambda s: unsettled(Claim.EITHER)(s) and Claim.HOLDS not in s.people.claims,
        "Records of the original and of the replica are equal or nearly so, or each other's "
        "closest, more often than those of two independent samples: either it holds or follows "
        "records of people of the original, or its records (or those of the original) were not "
        "drawn one by one (quotas, grids, quasi-random points, rounded counts, a finite list, an "
        "original whose repeats were dropped). {deciding} would decide.",
    ),
    when(
        lambda s: (
            Claim.FOLLOWS in s.people.claims
            and not {Claim.HOLDS, Claim.EITHER, *SETTLED} & s.people.claims
        ),
        "{its} follow single people of the original more closely than two people resemble "
        "each other. Changed records, mixtures of a few people and values kept within groups look "
        "alike here; equal records are no more than chance may give.",
    ),
    when(
        lambda s: (
            Claim.FOLLOWS in s.people.claims
            and not s.people.claims & SETTLED
            and bool({Claim.HOLDS, Claim.EITHER} & s.people.claims)
        ),
        "{its} follow single people of the original more closely than two people resemble "
        "each other. Changed records, mixtures of a few people and values kept within groups look "
        "alike here.",
    ),
    when(
        lambda s: s.people.earlier == "together",
        "What is claimed of people was found only together with {together} handed out earlier; "
        "neither {those} nor the replica by itself would show it.",
    ),
    when(
        lambda s: s.people.earlier == "anyway",
        "What is claimed of people was found together with {together} handed out earlier, and "
        "without the replica, too; of the replica by itself it was not found.",
    ),
    when(
        closer(far=True),
        "{its} lie much closer to the {clusters} of the original than to {clusters} left "
        "out, by more than the single columns explain ({closer} of them beyond that); a model "
        "fitted too closely does that. No person of the original was found beyond chance.",
    ),
    when(flagged(Status.REVIEW, holdout=True), _MORE),
    when(
        flagged(Status.REVIEW, holdout=False),
        _MORE_THAN_BY_OTHERS + " This can come from copied people, or "
        "from a model that exaggerates a relation or misses the population's shares.",
    ),
    when(
        lambda s: s.limits.says(Status.REVIEW),
        "{limits_REVIEW}, beyond the limit {limits_REVIEW_origin} that asks for a closer look.",
    ),
)
_NOT_JUDGED = (
    when(
        lambda s: not s.people.tested,
        "Whether it holds records of people was not tested{untested}.",
    ),
    when(
        lambda s: s.people.tested and s.people.sampled,
        "Whether it holds records of people was tested on a random part of the records only: a "
        "copied person and the copy are seldom both drawn.",
    ),
    when(
        claimed(Claim.LEFT_OUT),
        "{left_out} hardly {share} the original's values (other words, units or bands), and "
        "{were} not used to tell whose records are in it.",
    ),
    when(
        unsettled(Claim.FEW_COLUMNS),
        "Fewer than two columns could be compared: whose records are in it cannot be told.",
    ),
    when(
        unsettled(Claim.DEDUPLICATED),
        "It has no repeated record though the original has, too many of whose people are alike: "
        "without a holdout a copy without its repeats cannot be told from that.",
    ),
    when(
        alone(Claim.UNDECIDED),
        "Records of it and of the original are alike more often than chance explains, and the "
        "holdout neither confirms nor contradicts that they were taken from there.",
    ),
    when(
        lambda s: s.excess.status == "off" and s.limits.status == "off",
        "Nobody has set a limit on disclosure, and the test of excess is switched off.",
    ),
    when(
        lambda s: s.excess.reason == "no keys", "No keys and target were named that could be asked."
    ),
    when(
        lambda s: s.people.few,
        "There are too few records to tell whose they are: no number of copied people would have "
        "been noticed, short of a copy of the whole file that cannot be chance.",
    ),
    when(
        lambda s: s.excess.reason == "clusters",
        "Rows belong together, or seem to, by {cluster}{excess_unused}. What is disclosed of "
        "people who were in the file was not judged.",
    ),
    when(
        lambda s: s.excess.reason == OTHER_RULES,
        "What is disclosed of people who were in the file was measured by other rules than those "
        "of this profile: review the study again.",
    ),
    when(
        lambda s: s.excess.other_words,
        "Questions with {other_words} were not asked: the replica hardly has the original's "
        "values or range there (other words or units, or a bad model).",
    ),
    when(
        lambda s: s.excess.mute,
        "On none of the questions asked ({asked}) would even a copy of the original be noticed. "
        "Name more keys, or review a replica of more records.",
    ),
    when(
        lambda s: s.excess.drift,
        "On {drifted} more is disclosed of people of the original than of the holdout, but beside "
        "other people of the original it does not stand out: original and holdout may differ "
        "there, and this was not judged.",
    ),
    when(
        lambda s: s.identifiers.uncompared,
        "Columns of it in no table, distance or set of keys: {uncompared}. Leave them out of the "
        "file, or compare those that the original has: what they disclose is not judged.",
    ),
    when(
        lambda s: s.limits.says(Status.NOT_JUDGED),
        "There is a limit {limits_NOT_JUDGED_origin} on what could not be computed: "
        "{limits_NOT_JUDGED}.",
    ),
)
_WITHIN = (
    when(
        lambda s: s.excess.compared and s.people.sampled,
        "In a random part of the records it was not found that people of the original are "
        "disclosed more than others (by {points} or more, p <= {chance}). It seldom shows there: "
        "a person and what the replica has of that person are seldom both drawn.",
    ),
    when(
        compared_with_holdout(strangers=True),
        _QUIET + "people of the original more than people who were not in it (by {points} or more, "
        "p <= {chance}).",
    ),
    when(
        compared_with_holdout(strangers=False),
        _QUIET + "people of the original more than those of the holdout (by {points} or more, p "
        "<= {chance}).",
    ),
    when(
        compared("other people", "none"),
        _OF_OTHERS + "There is no holdout: other people of the original stand in for people who "
        "were not in it.",
    ),
    when(
        compared("other people", "used"),
        _OF_OTHERS + "In the holdout even a copy would not be noticed: other people of the "
        "original stand in for it.",
    ),
    when(
        compared("other people", "differs"),
        _OF_OTHERS + "Other people of the original stand in for the holdout.",
    ),
    when(
        compared("other people", "lacks columns"),
        _OF_OTHERS + "Other people of the original stand in for the holdout, which lacks columns.",
    ),
    when(
        compared("other people", census=True),
        _OF_OTHERS + "The original holds everybody, so that other people of it stand in for people "
        "who were not in it: there are none.",
    ),
    when(
        lambda s: s.limits.status == Status.WITHIN and s.excess.status != "off",
        "The limits {limits_WITHIN_origin} on disclosure are kept.",
    ),
    when(
        lambda s: s.limits.status == Status.WITHIN and s.excess.status == "off",
        "The limits {limits_WITHIN_origin} on disclosure are kept; whether people of the original "
        "are disclosed more than others was not tested.",
    ),
)
_BESIDES = (
    when(
        lambda s: s.excess.silent > 0 and s.excess.compared and not s.people.sampled,
        "On {silent} of the {asked} questions asked ({silent_names}) a copy would not be noticed: "
        "nothing can be said there.",
    ),
    when(
        lambda s: s.excess.silent > 0 and not s.excess.mute and not s.excess.compared,
        "On {silent} of the {asked} questions asked ({silent_names}) a copy would not be noticed: "
        "nothing else can be said there.",
    ),
    when(lambda s: s.excess.sure, "Whoever knows {known}, in the original or not."),
    when(
        lambda s: s.limits.passed,
        "{passed}, beyond the limit {passed_origin}, but a copy would be noticed there and this "
        "was not: as the profile says judge = both, it does not count.",
    ),
    when(
        closer(far=False),
        "Its records lie a little closer to the {clusters} of the original than to {clusters} "
        "left out, by more than the single columns explain; a model fitted too closely does that. "
        "No person of the original was found beyond chance.",
    ),
    when(
        alone(Claim.COLUMNS),
        "Single values are taken from the original, column by column, and are enough for what is "
        "seen; no person of the original was found beyond chance.",
    ),
    when(claimed(Claim.ORDER), "Its rows stand in the order of those of the original."),
    when(
        alone(Claim.VOID),
        "Its records are as often like people of the holdout as like people of the original: "
        "common records, or people of one register; no sign that they were taken from the "
        "original.",
    ),
    when(
        lambda s: s.people.earlier == "quiet",
        "{earlier} of this original {was_out} handed out earlier; nothing more is claimed of "
        "people together with {them} than of the replica by itself.",
    ),
    when(
        lambda s: s.people.earlier == "quiet" and s.people.holdout != "used",
        "Without a holdout that can be used, files that repeat people of the original from file "
        "to file cannot be told from files that repeat common records.",
    ),
    when(
        lambda s: s.people.earlier == "more",
        "Together with {together} handed out earlier more is claimed of people than of the "
        "replica by itself.",
    ),
    when(
        lambda s: s.excess.together,
        "What is disclosed of people was found together with {disclosing} handed out earlier, not "
        "from the replica alone.",
    ),
    when(
        lambda s: s.people.holdout == "differs" and s.people.clustered,
        _OTHER_HOLDOUT,
    ),
    when(
        lambda s: s.people.holdout == "differs" and not s.people.clustered,
        f"{_OTHER_HOLDOUT} If rows belong together, name the column that says so; if it has people "
        "of the original, take them out.",
    ),
    when(
        lambda s: s.people.holdout == "lacks columns",
        "The holdout lacks columns that are compared, and was not used to tell whose records are "
        "in it.",
    ),
    when(lambda s: s.people.noticed, COPIED_UNNOTICED),
    when(
        lambda s: s.people.withheld,
        "How many copied people would have been noticed cannot be said: the replica seems to write "
        "values otherwise than the original, or to have fewer different ones.",
    ),
    when(
        lambda s: s.people.blind and not s.people.few,
        "No number of copied people would have been noticed, short of a copy of the whole file "
        "that cannot be chance: there are too few records, or too many that are alike.",
    ),
    when(
        lambda s: s.intruder == "passed",
        "A motivated intruder tried, and identified nobody: that proves nothing of others.",
    ),
    when(
        lambda s: s.epsilon == "open",
        "Its generator is said to keep epsilon {claimed_epsilon}. This release does not "
        "contradict that, which certifies nothing: it shows at least {shown_epsilon} of replacing "
        "a record, and could have shown {largest_epsilon} at most.",
    ),
    when(
        lambda s: s.epsilon == "untested",
        "Its generator is said to keep epsilon {claimed_epsilon}; whether this release "
        "contradicts that was not tested: {unbounded}.",
    ),
    when(
        lambda s: s.identifiers.suspected and not s.identifiers.hit,
        "{suspects} may identify people: see whether they belong in the replica.",
    ),
)
RISK = rows(
    "risk",
    {
        Status.FAIL: _FAIL,
        Status.REVIEW: _REVIEW,
        Status.NOT_JUDGED: _NOT_JUDGED,
        Status.WITHIN: _WITHIN,
        None: _BESIDES,
    },
)
