"""synthpop's disclosure measures: disclosure, multi.disclosure, replicated.uniques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.disclosure.cap import check_roles
from sdcmetrics.measures.pair import per_name
from sdcmetrics.measures.twin import NEWEST
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.rbridge import defects
from sdcmetrics.rbridge.call import FromR, Question, in_order, names_of
from sdcmetrics.rbridge.columns import by_synthesis, long_frame, wide
from sdcmetrics.rbridge.synds import Pair, Synds

_ONE_WAY = ("synthesis", "Level", "nLevelDis", "totalDisclosive", "PctLevelAll", "PctLevelDis")
_TWO_WAY = ("synthesis", "npairs", "key", "key_target_total", "key_total")
_NUMBERS = ("number", "integer", "date", "time")


@dataclass(frozen=True)
class Disclosure(FromR):
    """Result of ``synthpop::disclosure`` for one set of keys and one target.

    Attributes
    ----------
    keys, target : the roles
    identity, attribution, cap : Series
        synthpop's tables ident, attrib and allCAPs under the names of the version that is
        installed (see `sdcmetrics.DisclosureResult`); means over the syntheses.
    per_synthesis : DataFrame
    exclusions : DataFrame
        Records left out of each table by reason, and what remains, by synthesis.
    one_way, two_way : DataFrame
        Flagged target levels and pairs, by synthesis.
    fixes, output, warnings, defects : tuples and text
    """

    keys: tuple[str, ...]
    target: str
    identity: pd.Series[float]
    attribution: pd.Series[float]
    cap: pd.Series[float]
    per_synthesis: pd.DataFrame
    exclusions: pd.DataFrame
    one_way: pd.DataFrame
    two_way: pd.DataFrame


@checked
def disclosure(data: Pair, *, keys: Sequence[str], target: str, **options: Any) -> Disclosure:
    """Measure disclosure for one set of keys and one target, by ``synthpop::disclosure``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    keys, target : as in `sdcmetrics.disclosure`
    **options
        ngroups_keys, ngroups_target, use_key_missing, use_target_missing, not_target_levels,
        exclusions, denom_lim, one_way_thresholds, two_way_thresholds: the same; options for
        keys as one value or a mapping. Others: see `utility_tab`.

    Returns
    -------
    Disclosure
        With defect B2 where a numeric target or single numeric key is not grouped: synthpop may
        then pair wrong rows or columns.

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    question = Question("disclosure", data, options)
    names = _roles(keys, [target], question.synds)
    groups = {target: question.options.get("ngroups_target") or 0}
    defects_ = _ungrouped(question, names, groups)
    answer = question.ask(keys=names, target=target)
    synds = question.synds
    sizes = [frame.n for frame in (synds.original, *synds.syntheses)]
    left_out = any(
        name in question.options for name in ("not_target_levels", "exclusions", "denom_lim")
    )
    left_out |= question.options.get("use_target_missing") is False
    version = synds.session.versions.get("synthpop", NEWEST)
    defects_ += defects.of_answer(version, sizes=sizes, left_out=left_out)
    frame = by_synthesis(answer.value["measures"])
    means = {name: frame[part].mean() for name, part in answer.value["parts"].items()}
    return Disclosure(
        keys=tuple(names),
        target=target,
        **means,
        per_synthesis=frame,
        exclusions=wide(answer.value["exclusions"], ["synthesis", "table"]),
        one_way=long_frame(answer.value["one_way"], _ONE_WAY),
        two_way=long_frame(answer.value["two_way"], _TWO_WAY),
        **question.fields(answer, *defects_),
    )


@checked
def multi_disclosure(
    data: Pair, *, keys: Sequence[str], targets: Sequence[str] | None = None, **options: Any
) -> pd.DataFrame:
    """Measure disclosure for one set of keys and many targets, by ``multi.disclosure``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    keys, targets : as in `sdcmetrics.multi_disclosure`
    **options
        ngroups_keys, ngroups_targets, use_key_missing, use_target_missing, denom_lim,
        one_way_thresholds, two_way_thresholds: the same. Others: see `utility_tab`.

    Returns
    -------
    DataFrame
        As `sdcmetrics.multi_disclosure`: one row per target, with check1 and check2, what
        synthpop says of its one-way and two-way checks, in place of their numbers.
        ``.attrs["table"]`` is synthpop's own table, by target: attrib.orig, attrib.syn (Dorig
        and DiSCO), ident.orig, ident.syn (UiO and repU).

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    question = Question("multi.disclosure", data, options)
    synds, given = question.synds, question.options
    names = [keys] if isinstance(keys, str) else list(keys)
    if targets is None:
        wanted = [name for name in synds.columns if name not in names]
    else:
        wanted = [targets] if isinstance(targets, str) else list(targets)
    names = _roles(names, wanted, synds)
    in_data = in_order(wanted, synds.columns)  # the order in which synthpop takes options
    groups = per_name("ngroups_targets", given.get("ngroups_targets"), wanted, 0)
    missing = per_name("use_target_missing", given.get("use_target_missing"), wanted, True)  # noqa: FBT003
    given["ngroups_targets"] = [groups[target] for target in in_data]
    given["use_target_missing"] = [missing[target] for target in in_data]
    defects_ = _ungrouped(question, names, groups)
    answer = question.ask(keys=names, targets=in_data)
    rows = wide(answer.value["measures"], ["target", "synthesis"])
    frame = rows.groupby(level="target", sort=False).mean()
    checks = long_frame(answer.value["checks"]).set_index("target")
    frame = frame.join(checks).reindex(wanted)
    frame.index.name = "target"
    out: pd.DataFrame = question.annotate(frame, answer, *defects_)
    table = long_frame(answer.value["table"]).set_index("target")
    table = table.join(long_frame(answer.value["ident"]).set_index("target"))
    out.attrs["table"] = table.reindex(wanted).to_dict("index")
    return out


@checked
def replicated_uniques(data: Pair, *, keys: Sequence[str], **options: Any) -> pd.DataFrame:
    """Count uniques and replicated uniques, by ``synthpop::replicated.uniques``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    keys : names of the columns that an intruder knows
    **options : see `utility_tab`

    Returns
    -------
    DataFrame
        Index synthesis and row (Original, Synthetic, Synthetic uniques in original, Replicated
        uniques); columns Number, from total, %. Defect B7 is noted where a key is numeric:
        synthpop compares numbers as formatted texts.
    """
    question = Question("replicated.uniques", data, options)
    columns = question.synds.original.columns
    names = in_order(names_of(keys, question.synds), list(columns))
    answer = question.ask(keys=names)
    defects_ = ("B7",) if any(columns[name].kind == "number" for name in names) else ()
    rows = wide(answer.value, ["synthesis", "row"])
    out: pd.DataFrame = question.annotate(rows, answer, *defects_)
    return out


def _roles(keys: str | Sequence[str], targets: Sequence[str], synds: Synds) -> list[str]:
    names = [keys] if isinstance(keys, str) else list(keys)
    for target in targets:
        check_roles(names, target)
        names_of([*names, target], synds)
    # synthpop reorders keys, but not the options that go with them (B11).
    return in_order(names, synds.columns)


def _ungrouped(question: Question, keys: list[str], targets: dict[str, int]) -> tuple[str, ...]:
    """Spread the options of keys; return B2 where synthpop may pair wrong rows or columns.

    That is where the levels of a target, or of a single key, are numbers: it sorts them as texts.
    """
    given = question.options
    for name, default in (("ngroups_keys", 0), ("use_key_missing", True)):
        if name not in given:
            continue
        if isinstance(given[name], Sequence) and not isinstance(given[name], str):
            msg = f"{name}: give one value for all keys, or a mapping of key to value."
            raise StudyError(msg)
        given[name] = list(per_name(name, given[name], keys, default).values())
    groups = targets | dict(zip(keys, given.get("ngroups_keys", [0] * len(keys)), strict=True))
    compared = [*targets, *(keys if len(keys) == 1 else ())]
    columns = question.synds.original.columns
    bare = any(columns[name].kind in _NUMBERS and not groups[name] for name in compared)
    return ("B2",) if bare else ()
