"""synthpop's disclosure measures: disclosure, multi.disclosure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.disclosure.cap import check_roles
from sdcmetrics.measures.disclosure.disclosure import NGroups, YesNo
from sdcmetrics.measures.disclosure.synthesis import ATTRIBUTION, CAP, IDENTITY
from sdcmetrics.measures.pair import per_name
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.rbridge.call import call, in_order, known, only_given
from sdcmetrics.rbridge.flat import annotate, by_synthesis, long_frame, wide
from sdcmetrics.rbridge.session import Answer, Session
from sdcmetrics.rbridge.synds import Pair, Synds, handle
from sdcmetrics.rbridge.wire import RColumn

__all__ = ["Disclosure", "disclosure", "multi_disclosure"]

_ONE_WAY = ("synthesis", "Level", "nLevelDis", "totalDisclosive", "PctLevelAll", "PctLevelDis")
_TWO_WAY = ("synthesis", "npairs", "key", "key_target_total", "key_total")


@dataclass(frozen=True)
class Disclosure:
    """What ``synthpop::disclosure`` says of one set of keys and one target.

    Attributes
    ----------
    keys, target : the roles
    identity, attribution, cap : Series
        As in `sdcmetrics.DisclosureResult`; means over the syntheses.
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
    fixes: tuple[str, ...] = ()
    output: str = ""
    warnings: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def disclosure(  # noqa: PLR0913  (synthpop's own options)
    data: Pair,
    *,
    keys: Sequence[str],
    target: str,
    ngroups_keys: NGroups = None,
    ngroups_target: int | None = None,
    use_key_missing: YesNo = True,
    use_target_missing: bool = True,
    not_target_levels: str | Sequence[str] | None = None,
    exclusions: Sequence[tuple[str, str, str]] | None = None,
    denom_lim: int | None = None,
    one_way_thresholds: tuple[float, float] = (50, 90),
    two_way_thresholds: tuple[float, float] = (4, 80),
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> Disclosure:
    """Measure disclosure for one set of keys and one target, by ``synthpop::disclosure``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    keys, target, ngroups_keys, ngroups_target, use_key_missing, use_target_missing
        As in `sdcmetrics.disclosure`.
    not_target_levels, exclusions, denom_lim, one_way_thresholds, two_way_thresholds
        The same.
    missing_codes, printed, session : see `utility_tab`

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
    synds = handle(data, missing_codes=missing_codes, session=session)
    names = _roles(keys, target, synds)
    options = _options(
        names, ngroups_keys, use_key_missing, denom_lim, one_way_thresholds, two_way_thresholds
    )
    triples = [tuple(map(str, triple)) for triple in exclusions or ()]
    levels = [not_target_levels] if isinstance(not_target_levels, str) else not_target_levels
    options |= only_given(
        {
            "ngroups_target": ngroups_target,
            "usetargetNA": use_target_missing,
            "not.targetlev": None if levels is None else [str(level) for level in levels],
            "exclude.keys": [triple[0] for triple in triples] or None,
            "exclude.keylevs": [triple[1] for triple in triples] or None,
            "exclude.targetlevs": [triple[2] for triple in triples] or None,
        }
    )
    answer = call(
        synds,
        "disclosure",
        "disclosure",
        keys=names,
        target=target,
        options=options,
        print=printed,
    )
    ungrouped = _ungrouped(synds, names, [target], ngroups_keys, {target: ngroups_target or 0})
    return _result(synds, answer, names, target, ungrouped)


def multi_disclosure(  # noqa: PLR0913  (synthpop's own options)
    data: Pair,
    *,
    keys: Sequence[str],
    targets: Sequence[str] | None = None,
    ngroups_keys: NGroups = None,
    ngroups_targets: NGroups = None,
    use_key_missing: YesNo = True,
    use_target_missing: YesNo = True,
    denom_lim: int | None = None,
    one_way_thresholds: tuple[float, float] = (50, 90),
    two_way_thresholds: tuple[float, float] = (4, 80),
    missing_codes: MissingCodes | None = None,
    printed: bool = False,
    session: Session | None = None,
) -> pd.DataFrame:
    """Measure disclosure for one set of keys and many targets, by ``multi.disclosure``.

    Parameters
    ----------
    data : Synds, or tuple of an original and its replica
    others : as in `sdcmetrics.multi_disclosure`, and `utility_tab`

    Returns
    -------
    DataFrame
        As `sdcmetrics.multi_disclosure`: one row a target, with check1 and check2, what
        synthpop says of its one-way and two-way checks, in place of their numbers.
        ``.attrs["table"]`` is synthpop's own table, by target: attrib.orig, attrib.syn (Dorig
        and DiSCO), ident.orig, ident.syn (UiO and repU).

    Raises
    ------
    RError
        If R is not there, dies, is late, or synthpop stops.
    """
    synds = handle(data, missing_codes=missing_codes, session=session)
    names = [keys] if isinstance(keys, str) else list(keys)
    if targets is None:
        wanted = [name for name in synds.columns if name not in names]
    else:
        wanted = [targets] if isinstance(targets, str) else list(targets)
    for target in wanted:
        names = _roles(names, target, synds)
    groups = per_name("ngroups_targets", ngroups_targets, wanted, 0)
    missing = per_name("use_target_missing", use_target_missing, wanted, True)  # noqa: FBT003
    options = _options(
        names, ngroups_keys, use_key_missing, denom_lim, one_way_thresholds, two_way_thresholds
    )
    in_data = in_order(wanted, synds.columns)  # the order in which synthpop takes options
    options["ngroups_targets"] = [groups[target] for target in in_data]
    options["usetargetsNA"] = [missing[target] for target in in_data]
    answer = call(
        synds,
        "multi_disclosure",
        "multi.disclosure",
        keys=names,
        targets=in_data,
        options=options,
        print=printed,
    )
    rows = wide(answer.value["measures"], ["target", "synthesis"])
    frame = rows.groupby(level="target", sort=False).mean()
    checks = long_frame(answer.value["checks"]).set_index("target")
    frame = frame.join(checks).reindex(wanted)
    frame.index.name = "target"
    found = ("B2",) if _ungrouped(synds, names, wanted, ngroups_keys, groups) else ()
    out: pd.DataFrame = annotate(frame, synds, answer, found)
    table = long_frame(answer.value["table"]).set_index("target")
    table = table.join(long_frame(answer.value["ident"]).set_index("target"))
    out.attrs["table"] = table.reindex(wanted).to_dict("index")
    return out


def _roles(keys: Sequence[str], target: str, synds: Synds) -> list[str]:
    names = [keys] if isinstance(keys, str) else list(keys)
    check_roles(names, target)
    known([*names, target], synds)
    # synthpop reorders keys, but not the options that go with them (B11).
    return in_order(names, synds.columns)


def _options(
    keys: list[str],
    ngroups_keys: NGroups,
    use_key_missing: YesNo,
    denom_lim: int | None,
    one_way: tuple[float, float],
    two_way: tuple[float, float],
) -> dict[str, Any]:
    options: dict[str, Any] = {
        "thresh_1way": [float(value) for value in one_way],
        "thresh_2way": [float(value) for value in two_way],
    }
    if ngroups_keys is not None:
        options["ngroups_keys"] = _spread("ngroups_keys", ngroups_keys, keys, 0)
    if use_key_missing is not True:
        options["usekeysNA"] = _spread("use_key_missing", use_key_missing, keys, True)  # noqa: FBT003
    if denom_lim is not None:
        options |= {"denom_lim": denom_lim, "exclude_ov_denom_lim": True}
    return options


def _spread(option: str, given: Any, keys: list[str], default: Any) -> list[Any]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        msg = f"{option}: give one value for all keys, or a mapping of key to value."
        raise StudyError(msg)
    return list(per_name(option, given, keys, default).values())


def _ungrouped(
    synds: Synds,
    keys: list[str],
    targets: Sequence[str],
    ngroups_keys: NGroups,
    ngroups_targets: Mapping[str, int],
) -> bool:
    """Whether synthpop may pair wrong rows or columns: numbers whose levels are texts."""

    def bare(name: str, groups: int) -> bool:
        column: RColumn = synds.original.columns[name]
        return column.kind in ("number", "integer", "date", "time") and not groups

    groups = _key_groups(ngroups_keys, keys)
    single = len(keys) == 1 and bare(keys[0], groups[keys[0]])
    return single or any(bare(target, ngroups_targets.get(target, 0)) for target in targets)


def _key_groups(given: NGroups, keys: list[str]) -> dict[str, int]:
    return per_name("ngroups_keys", given, keys, 0)


def _result(
    synds: Synds,
    answer: Answer,
    keys: list[str],
    target: str,
    ungrouped: bool,  # noqa: FBT001
) -> Disclosure:
    frame = by_synthesis(answer.value["measures"])
    mean = frame.mean()
    left = wide(answer.value["exclusions"], ["synthesis", "table"])
    return Disclosure(
        keys=tuple(keys),
        target=target,
        identity=mean[list(IDENTITY)],
        attribution=mean[list(ATTRIBUTION)],
        cap=mean[list(CAP)],
        per_synthesis=frame,
        exclusions=left,
        one_way=long_frame(answer.value["one_way"], _ONE_WAY),
        two_way=long_frame(answer.value["two_way"], _TWO_WAY),
        fixes=synds.fixes,
        output=answer.output,
        warnings=answer.warnings,
        defects=tuple(dict.fromkeys((*synds.defects, *(("B2",) if ungrouped else ())))),
    )
