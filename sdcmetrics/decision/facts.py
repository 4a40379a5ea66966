"""Facts of one replica and their words, from its measurements.

Results of several files of one replica come as one: what the first file earns, no other can take
back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sdcmetrics.decision.limits import LISTED, Grounds, limit_facts
from sdcmetrics.decision.people_facts import files_in_words, people_facts
from sdcmetrics.decision.state import (
    ALARMS,
    Epsilon,
    ExcessFacts,
    IdentifierFacts,
    State,
    TableFacts,
)
from sdcmetrics.decision.statement import Names, Phrase, Value
from sdcmetrics.decision.status import Status
from sdcmetrics.measures.excess.result import Question
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.kept_tables import KeptTable
from sdcmetrics.measures.homogeneity.one_sided import ONE_SIDED
from sdcmetrics.measures.homogeneity.result import Table
from sdcmetrics.measures.homogeneity.rows_together import EQUAL_VALUES
from sdcmetrics.study.limits import TableRule

_EXACT = 3.0
"""Points of excess below which one decimal is written."""


def state_of(grounds: Grounds) -> State:
    """Return the state of a replica."""
    words: dict[str, Value] = {"untested": grounds.untested and f": {grounds.untested}"}
    words["lacking"] = Names(grounds.lacking)
    people = people_facts(grounds, words)
    alarm = bool(people.claims & ALARMS)
    excess = _excess(grounds, words, alarm=alarm, differs=people.holdout == "differs")
    return State(
        people=people,
        identifiers=_identifiers(grounds, words),
        excess=excess,
        limits=limit_facts(grounds, "limits", words),
        tables=_tables(grounds, words),
        table_limits=limit_facts(grounds, "table_limits", words),
        rules=limit_facts(grounds, "rules", words),
        models=limit_facts(grounds, "models", words),
        census=grounds.census,
        of_holdout=grounds.of_holdout,
        kept=_kept(grounds, words),
        lacking=bool(grounds.lacking),
        intruder=grounds.intruder,
        epsilon=_epsilon(grounds, words),
        words={**words, **grounds.words},
    )


def _epsilon(grounds: Grounds, words: dict[str, Value]) -> Epsilon:
    """Return the status of the claimed epsilon; enter its words."""
    if grounds.claim is None:
        return ""
    words["claimed_epsilon"] = grounds.claim.words
    words["unbounded"] = grounds.unbounded
    if grounds.bound is None:
        return "untested"
    shown, largest = grounds.bound.shown
    words["shown_epsilon"] = f"{shown:.3g}"
    words["largest_epsilon"] = f"{largest:.3g}"
    return "contradicted" if grounds.bound.contradicted else "open"


def _identifiers(grounds: Grounds, words: dict[str, Value]) -> IdentifierFacts:
    result = grounds.identifiers
    if result is None:
        return IdentifierFacts()
    listed: list[str | Names] = []
    for hit in result.hits[:LISTED]:
        columns = hit.columns[: LISTED if len(hit.columns) > LISTED + 1 else None]
        more = len(hit.columns) - len(columns)
        listed += ["; " if listed else "", Names(columns)]
        listed.append(f" and {more} more columns" if more else "")
        listed.append(" together" if len(hit.columns) > 1 else "")
        listed.append(f", {hit.shared:,} of {hit.distinct:,} different values")
        if hit.under:
            what = ", as levels of column " if hit.unused else ", in column "
            listed += [what, Names((hit.under,)), " that no record has" if hit.unused else ""]
    if len(result.hits) > LISTED:
        listed.append(f"; and {len(result.hits) - LISTED} more")
    words["identifiers"] = tuple(listed)
    suspects = tuple(dict.fromkeys(name for suspect in result.suspects for name in suspect.columns))
    words["suspects"] = Names(suspects)
    words["uncompared"] = Names(result.uncompared)
    return IdentifierFacts(
        hit=bool(result.hits), suspected=bool(suspects), uncompared=bool(result.uncompared)
    )


def _kept(grounds: Grounds, words: dict[str, Value]) -> bool:
    """Return whether small counts of tables are the original's; enter which."""
    if grounds.kept is None or not grounds.kept.kept:
        return False
    words["kept"] = _tables_listed(grounds.kept.kept)
    return True


def _excess(
    grounds: Grounds, words: dict[str, Value], *, alarm: bool, differs: bool
) -> ExcessFacts:
    rule, result = grounds.asked_excess, grounds.excess
    if rule is None:
        return ExcessFacts()
    if result is None:
        return ExcessFacts(status=Status.NOT_JUDGED, reason="no keys")
    whole = result.whole
    tables = grounds.tables
    if tables is not None and tables.reason == "clusters":  # whoever lives together is alike
        words["cluster"] = _cluster_in_words(tables.cluster)
        words["excess_unused"] = _why_unused(grounds, tables.cluster, ALONE)
        return ExcessFacts(status=Status.NOT_JUDGED, reason="clusters")
    status = Status(result.status(people_alarm=alarm))
    named = result.failing(people_alarm=alarm) or result.flags
    of = [question for question in result.questions if question.name in named]
    first = max(of, key=lambda question: question.severity, default=None)
    silent = [question for question in result.questions if not question.copyable]
    words |= {
        "asked": result.n_questions,
        "noticeable": _noticeable(len(result.copyable), result.n_questions),
        "silent": len(silent),
        "silent_names": _listed(silent),
        "points": _points(rule.excess),
        "chance": f"{rule.chance:g}",
        "other_words": Names(result.other_words),
        "drifted": _listed([question for question in result.questions if question.drift]),
        "cluster": Names((whole.cluster,)),
        "excess_unused": _why_unused(grounds, whole.cluster, LACKING),
        "known": _sure(result.certain),
    }
    words["disclosing"] = files_in_words(result.earlier)
    if first is not None:
        words |= {
            "question": _question(first),
            "learns": _learns(first),
            "of_original": _percent(first.original),
            "whom": _WHOM if first.target or result.basis == "holdout" else _HALF,
            "but": "but of" if first.target else "but",
            "of_others": _percent(first.others),
            "others": _HELD if grounds.census or differs else _STRANGERS,
            "position": "" if first.position is None else f"{first.position:.2f}",
        }
    return ExcessFacts(
        status=status,
        reason="" if whole.reason == "other words" and result.n_questions else whole.reason,
        basis=result.basis if result.n_questions else "",
        questions=result.n_questions,
        copyable=len(result.copyable),
        silent=len(silent),
        flagged=bool(result.flags),
        shown=first is not None and first.position is not None,
        drift=result.drift,
        other_words=bool(result.other_words),
        sure=bool(result.certain),
        together=result.only_together,
    )


_WHOM = "the people in the original"
_STRANGERS = "people who were not in it"
_HELD = "those in the holdout"
"""Where it differs from the original it may have people of it."""
_HALF = "half of the people in the original"
"""Without a holdout the other half stands in for people who were not in it."""
LACKING = ", and neither the replica nor a holdout has that column"
ALONE = ", and one of the files has fewer than two of them"


def _cluster_in_words(cluster: str) -> Value:
    return "equal values in all columns" if cluster == EQUAL_VALUES else Names((cluster,))


def _why_unused(grounds: Grounds, cluster: str, named: str) -> str:
    """Return why rows that belong together could not be used; `named` where the study names them.

    Nothing else is wrong with what the study names, unless the files are large.
    """
    if cluster == EQUAL_VALUES:
        return (
            ", as nearly every record of the original occurs several times: keep one of each, with "
            "the number of times as its weight"
        )
    if cluster != grounds.cluster:
        return (
            ", and the study does not name that column (household, person or cluster in [sample])"
        )
    return ", and the files are counted batch by batch" if grounds.large else named


def _tables(grounds: Grounds, words: dict[str, Value]) -> TableFacts:
    rule, result = grounds.asked_tables, grounds.tables
    if rule is None:
        return TableFacts()
    if result is None:
        return TableFacts(status=Status.NOT_JUDGED, reason="no table")
    status = Status(result.status)
    invented = [table for table in result.called if table.invented]
    called = [table for table in result.called if not table.invented]
    above = _advised(result, rule)
    kind = "weighted table" if result.weighted else "table"
    words |= {
        "failed": _tables_listed(result.failed),
        "failed_of": _of_tables(len(result.failed), result.tables, kind),
        "called": _tables_listed(called),
        "differ": "differs" if len(called) == 1 else "differ",
        "tables": f"1 {kind}" if result.tables == 1 else f"{result.tables:,} {kind}s",
        "none_of": f"The only {kind} does not differ"
        if result.tables == 1
        else f"None of {result.tables:,} {kind}s differs",
        "table_chance": f"{rule.chance:g}",
        "size_fail": f"{rule.size_fail:g}",
        "no_share": _no_share(called[0].w, len(called)) if called else "",
        "advised": "1 table is" if above == 1 else f"{above:,} tables are",
        "advice": f"{rule.review:g}",
    }
    if result.reason == "clusters":
        words["cluster"] = _cluster_in_words(result.cluster)
    words["tables_unused"] = _why_unused(grounds, result.cluster, ALONE)
    words["table_cluster"] = Names((result.cluster,))
    words["invented"] = Names(tuple(dict.fromkeys(table.variables[0] for table in invented)))
    words["one_sided"] = Names(result.one_sided)
    totals = result.totals
    if totals is not None:
        words["total_percent"] = f"{100 * totals.ratio:.0f} %"
    judged = status is not Status.NOT_JUDGED
    tested = judged or result.reason == "few records"
    notice = judged and result.notice > rule.size_review
    if notice:
        words["notice_w"] = f"{result.notice:.2f}"
        words["notice"] = _off_by(result.notice)
    if result.reason == "few records":
        words["notice_w"] = f"{result.notice_one_way:.2f}"
        words["notice"] = _off_by(result.notice_one_way)
    return TableFacts(
        status=status,
        reason=result.reason if not judged else "",
        derived=bool(called) and called[0].derived,
        invented=bool(invented),
        only_invented=bool(invented) and not called,
        advice=tested and above > 0 and not result.weighted,
        repeats=tested and result.repeats,
        few=tested and result.few,
        few_clusters=tested and result.few_clusters,
        assumed_clusters=tested and result.assumed_clusters,
        ways=result.ways or 3,
        notice=notice,
        weighted=tested and result.weighted,
        counted_once=tested and result.counted_once,
        totals=totals is not None and totals.differ,
        skipped=tested and any(not text.startswith(ONE_SIDED) for text in result.skipped),
        one_sided=tested and bool(result.one_sided),
        unexchanged=tested and any(text.startswith(ONE_SIDED) for text in result.skipped),
    )


def _no_share(w: float, number: int) -> str:
    """Return what bounds the shares of so many tables, the worst of this w, after their names."""
    points, them = _off_by(w), "it" if number == 1 else "them"
    if points == "100":
        return ""
    return f"; no share in {them} is off by more than about {points} points"


def _off_by(w: float) -> str:
    """Return by how many percentage points shares in a table of this w can differ."""
    return f"{min(100, math.ceil(10 * w) * 5)}"


def _advised(result: HomogeneityOfFiles, rule: TableRule) -> int:
    """Count the tables above the authors' advised limit that are not flagged."""
    frame = result.frame
    return int(((frame["S_pMSE"] > rule.review) & ~frame["called"]).sum())


def _of_tables(number: int, of: int, kind: str) -> str:
    return f"the only {kind}" if of == 1 else f"{number:,} of {of:,} {kind}s"


def _tables_listed(tables: Sequence[Table | KeptTable]) -> Phrase:
    parts: list[str | Names] = []
    for table in tables[:LISTED]:
        parts += ["; " if parts else "", Names((table.name,))]
    if len(tables) > LISTED:
        parts.append(f"; and {len(tables) - LISTED:,} more")
    return tuple(parts)


def _question(question: Question) -> Phrase:
    if question.target:
        arrow = " \N{RIGHTWARDS ARROW} "
        return (Names(question.keys), arrow, Names((question.target,)))
    return ("who is alone with ", Names(question.keys))


def _learns(question: Question) -> Phrase:
    """Return the words of an excess: file, keys, target, to stand before a share of people."""
    whose: list[str | Names] = [f"From {question.file}, whoever" if question.file else "Whoever"]
    whose += [" knows ", Names(question.keys)]
    if question.encoding != "as they are":
        whose.append(f" (numbers {question.encoding})")
    if question.target:
        return (*whose, " learns ", Names((question.target,)), " of")
    return (*whose, " singles out")


def _percent(share: float) -> str:
    """Return a percentage in words; one that is not all and not nothing does not read so.

    Examples
    --------
    >>> [_percent(share) for share in (0.0, 0.04, 2.34, 11.2, 99.7, 100.0)]
    ['0 %', 'less than 0.1 %', '2.3 %', '11 %', 'more than 99 %', '100 %']
    """
    if 0.0 < share < 0.05:  # noqa: PLR2004  (would read 0.0)
        return "less than 0.1 %"
    if 99.5 <= share < 100.0:  # noqa: PLR2004  (would read 100)
        return "more than 99 %"
    return f"{share:.0f} %" if share >= _EXACT or not share else f"{share:.1f} %"


def _noticeable(copyable: int, questions: int) -> str:
    """Return on how many questions a copy would be noticed, to stand before "asked"."""
    if questions == 1:
        return "the only question"
    if copyable == questions:
        return "both questions" if questions == 2 else f"all {questions:,} questions"  # noqa: PLR2004
    return f"{copyable:,} of the {questions:,} questions"


def _listed(questions: Sequence[Question]) -> Phrase:
    parts: list[str | Names] = []
    for question in questions[:LISTED]:
        parts += ["; " if parts else "", *_question(question)]
    if len(questions) > LISTED:
        parts.append(f"; and {len(questions) - LISTED:,} more")
    return tuple(parts)


def _sure(certain: Sequence[tuple[tuple[str, ...], str, float]]) -> Phrase:
    parts: list[str | Names] = []
    for keys, target, percent in certain[:LISTED]:
        parts += [", and whoever knows " if parts else "", Names(keys), " learns "]
        parts += [Names((target,)), f" of {_percent(percent)}"]
    return tuple(parts)


def _points(points: float) -> str:
    if points >= _EXACT:
        return f"{points:.0f} points"
    return "1 point" if points == 1 else f"{points:.1f} points"
