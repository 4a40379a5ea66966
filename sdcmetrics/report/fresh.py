"""Replicas beside fresh data: whether they know the population, or the people in the original."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sdcmetrics.fresh_data import FreshData
from sdcmetrics.metrics.disclosure.closeness import (
    dcr_holdout,
    dcr_share,
    dcr_training,
    ims_holdout,
    ims_training,
)
from sdcmetrics.metrics.disclosure.exchangeable import LabelTest
from sdcmetrics.policy import Status
from sdcmetrics.report import numbers
from sdcmetrics.report.cells import (
    Name,
    SafeCell,
    SafeColumn,
    SafeTable,
    Sentence,
    blank,
    joined,
    said,
    sentence,
    text_cell,
)
from sdcmetrics.report.figures.charts import Bars, FreshMap, Mark, Series
from sdcmetrics.report.source import Source
from sdcmetrics.results import Share
from sdcmetrics.tables.closest_result import ClosestRecord
from sdcmetrics.tables.marginal_fidelity import MAX_LEVELS, MarginalFidelity

__all__ = ["FreshSection", "fresh_findings", "fresh_section"]

_WAYS = {1: "One variable", 2: "Two variables", 3: "Three variables"}
_INTERVAL = 1.96
_SURE = 0.01
_SPACE = "\N{NO-BREAK SPACE}"
_PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
_MOST_CELLS = 8
_HOLDOUT = "Holdout itself"


@dataclass(frozen=True, slots=True)
class FreshSection:
    """What the holdout shows; `none` says why there is nothing.

    `quiet` is what is said where there are no findings; `drawings` are of single tables and empty
    in release mode.
    """

    none: str
    check: tuple[Sentence, ...]
    findings: tuple[Sentence, ...]
    quiet: str
    fidelity: SafeTable
    closeness: SafeTable
    copies: SafeTable
    map: FreshMap | None
    worst: SafeTable
    drawings: tuple[Bars, ...]

    @property
    def exports(self) -> dict[str, SafeTable]:
        """The tables by the name of their file."""
        if self.none:
            return {}
        return {
            "fresh_fidelity": self.fidelity,
            "fresh_closeness": self.closeness,
            "fresh_copies": self.copies,
            "fresh_worst_tables": self.worst,
        }


def fresh_section(source: Source) -> FreshSection:
    """Return the section on fresh data."""
    fresh = source.review.fresh
    nothing = SafeTable(("",), (), ())
    if fresh is None:
        why = (
            "There is no holdout. Name one in the study file: records of the same population "
            "that were split off at random before the synthesis."
        )
        return FreshSection(why, (), (), "", nothing, nothing, nothing, None, nothing, ())
    return FreshSection(
        none="",
        check=tuple(_check(source, fresh)),
        findings=tuple(_findings(source, fresh)),
        quiet=_quiet(source, fresh),
        fidelity=_fidelity(source, fresh),
        closeness=_closeness(source, fresh),
        copies=_copies(source, fresh),
        map=_map(source, fresh),
        worst=_worst(source, fresh),
        drawings=() if source.release else tuple(_drawings(source, fresh)),
    )


def fresh_findings(source: Source) -> tuple[Sentence, ...]:
    """Return what speaks against the holdout or a replica, in words; nothing without a holdout."""
    fresh = source.review.fresh
    if fresh is None:
        return ()
    against = [item for item in _check(source, fresh) if item.status is not None]
    return (*against, *_findings(source, fresh))


def _check(source: Source, fresh: FreshData) -> Iterator[Sentence]:
    check = fresh.check
    if check.ok:
        kept, n = (source.guard.records(size) for size in (check.n_holdout, check.n_training))
        about = "about " if source.release else ""
        yield sentence(
            f"The holdout has {about}{kept.text} records, the original {about}{n.text}. "
            "Nothing speaks against a random split of one data set: neither the records in "
            "common, nor the distribution of any variable or pair of variables.",
        )
        return
    first = check.by_table.iloc[0]["variables"]
    if check.overlaps:
        common = source.guard.records(check.identical)
        yield sentence(
            f"The holdout overlaps the original: {said(common)} of its records equal one of the "
            "original, more than a random split shows. What follows makes memorising look like "
            "learning.",
            status=Status.REVIEW,
        )
    if check.separated:
        yield sentence(
            "Records that occur more than once were kept together or removed from one side, so "
            "that matches with the holdout are too few.",
            status=Status.REVIEW,
        )
    if check.other_population:
        names = joined((source.name(name) for name in first), last=" and ")
        yield sentence(
            "The holdout is no random part of the same population: it differs from the original "
            "in the distribution of ",
            *names,
            ". What follows makes every replica look too close to the original.",
            status=Status.REVIEW,
        )


def _findings(source: Source, fresh: FreshData) -> Iterator[Sentence]:
    for (replica, synthesis), found in fresh.closest.items():
        name = _named(source, fresh, replica, synthesis)
        test = found.permutation
        share = numbers.percent_text(100 * found.share)
        if test.permutations and test.p_value <= _SURE:
            chance = _chance(found)
            yield sentence(
                *name,
                f": {share} of its records are closer to the original than to the holdout, where "
                f"chance gives {chance}. It knows which records it was made from.",
                status=Status.REVIEW,
            )
        if found.singled_out.p_value <= _SURE and not _hidden(source, found.singled_out):
            out = source.guard.records(found.singled_out.training)
            yield sentence(
                *name,
                f": {said(out)} of the original records have a replica record that is nearer by "
                f"{_margin(found)} than any other real record; of the holdout "
                f"{said(source.guard.records(found.singled_out.holdout))}. Look for copies of "
                "single people.",
                status=Status.REVIEW,
            )
        elif found.identical.p_value <= _SURE and not _hidden(source, found.identical):
            yield sentence(
                *name,
                ": more original than holdout records occur in it unchanged.",
                status=Status.REVIEW,
            )
    for replica, fidelity in fresh.fidelity.items():
        tvd, se, expected = (
            fidelity.figure(fresh.ways, column) for column in ("tvd", "se", "fresh_tvd")
        )
        if tvd + _INTERVAL * se < expected:
            yield sentence(
                source.name(replica),
                f": its tables of {fresh.ways} variables are closer to the original than fresh "
                "data of as many records would be.",
                status=Status.REVIEW,
            )


def _quiet(source: Source, fresh: FreshData) -> str:
    tests = [t for found in fresh.closest.values() for t in (found.singled_out, found.identical)]
    unsure = ""
    if not all(found.permutation.permutations for found in fresh.closest.values()):
        unsure = " The labels were not permuted, so that no share was tested."
    if any(_hidden(source, test) for test in tests):  # one of them may have found something
        least = source.profile.min_cell
        return (
            "Nothing that this edition shows says that a replica is closer to the original than "
            f"fresh data are. Tests that rest on fewer than {least} original records are not "
            f"shown.{unsure}"
        )
    return (
        "No replica is closer to the original than fresh data are, as far as these measures see."
        f"{unsure}"
    )


def _fidelity(source: Source, fresh: FreshData) -> SafeTable:
    ways = sorted({k for found in fresh.fidelity.values() for k in found.index})
    columns = [SafeColumn("Data set", "data_set")]
    columns += [SafeColumn(_WAYS[k], f"F{k}", numeric=True, detail=f"F{k}") for k in ways]
    columns.append(
        SafeColumn(
            "In relation to the holdout",
            "ratio",
            numeric=True,
            detail=f"F{fresh.ways} / F{fresh.ways}_holdout",
        )
    )
    widest = fresh.fidelity[fresh.widest]
    own = [_distances(source, widest, k, "holdout_tvd", "holdout_se") for k in ways]
    rows = [(text_cell(_HOLDOUT), *own, SafeCell("1", "number", 1.0))]
    for replica, found in fresh.fidelity.items():
        cells = [_distances(source, found, k, "tvd", "se", "fresh_tvd") for k in ways]
        rows.append((text_cell(source.name(replica)), *cells, _ratio(found, fresh.ways)))
    levels = ", ".join(f"{MAX_LEVELS[k]} in tables of {k}" for k in ways)
    return SafeTable(
        caption=("Mean distance of tables from those of the original",),
        columns=tuple(columns),
        rows=tuple(rows),
        note="Total variation distance in percent, mean over all tables of so many variables, "
        f"{_PLUS_MINUS} 1.96 standard errors; \N{LEFT DOUBLE QUOTATION MARK}fresh"
        "\N{RIGHT DOUBLE QUOTATION MARK} is what the holdout would show with the replica's number "
        f"of records. Categories of a variable: at most {levels} variables.",
    )


def _distances(source: Source, found: MarginalFidelity, ways: int, *columns: str) -> SafeCell:
    if ways not in found.index:  # a replica of few columns, or of very many
        return blank()
    return _distance(source, *(found.figure(ways, column) for column in columns))


def _distance(source: Source, value: float, se: float, fresh: float = math.nan) -> SafeCell:
    decimals = source.guard.distance_decimals - 2
    safe, text = _safe_distance(source, value)
    details = []
    if not math.isnan(se):  # of a single record there is none
        details.append(f"{_PLUS_MINUS}{_SPACE}{100 * _INTERVAL * se:.{decimals}f}")
    if not math.isnan(fresh):
        details.append(f"fresh {100 * fresh:.{decimals}f}")
    number = safe if source.release else 100 * value
    return SafeCell(text, "number", number, detail="; ".join(details))


def _safe_distance(source: Source, value: float) -> tuple[float, str]:
    """Return a distance in percent, and as text; no text says 0 that is none, or may be none."""
    decimals = source.guard.distance_decimals - 2
    safe = round(100 * value, decimals)
    if source.release and safe == 0:  # a table that equals the replica's is not told apart
        return safe, f"<{_SPACE}{10.0**-decimals:.{decimals}f}{_SPACE}%"
    return safe, numbers.percent_text(safe if source.release else 100 * value, decimals)


def _ratio(found: MarginalFidelity, ways: int) -> SafeCell:
    ratio, se = found.figure(ways, "ratio"), found.figure(ways, "ratio_se")
    if math.isnan(ratio):
        return blank()
    safe = numbers.significant(ratio, 2)
    text = numbers.with_commas(safe, 2)
    spread = numbers.with_commas(_INTERVAL * se, 2)
    detail = "" if math.isnan(se) else f"{_PLUS_MINUS}{_SPACE}{spread}"
    return SafeCell(text, "number", safe, detail=detail)


def _closeness(source: Source, fresh: FreshData) -> SafeTable:
    first = fresh.closest[fresh.widest, 1]
    own = first.baseline
    rows = [
        (
            text_cell(_HOLDOUT),
            _percent(dcr_share(own)),
            blank(),
            blank(),
            _mean(dcr_training(own)),
            _mean(dcr_holdout(own)),
            blank(),
        )
    ]
    for (replica, synthesis), found in fresh.closest.items():
        rows.append(
            (
                _cell_of(source, fresh, replica, synthesis),
                _percent(found.share),
                text_cell(_chance(found)),
                _p(source, found.permutation.p_value),
                _mean(found.mean_training),
                _mean(found.mean_holdout),
                _percent(found.tie_share),
            )
        )
    times = first.permutation.permutations
    chance = "The labels original and holdout were not permuted."
    if times:
        chance = (
            "By chance: the same share with the labels original and holdout permuted "
            f"{numbers.plural(times, 'time')}."
        )
    return SafeTable(
        caption=("Distance to the closest record of the original and of the holdout",),
        columns=(
            SafeColumn("Data set", "data_set"),
            SafeColumn("Closer to the original", "DCR_share", numeric=True, detail="DCR_share"),
            SafeColumn("By chance", "null", numeric=True, detail="permuted, 95 %"),
            SafeColumn("p", "p", numeric=True, detail="one-sided"),
            SafeColumn("To the original", "DCR_training", numeric=True, detail="mean DCR"),
            SafeColumn("To the holdout", "DCR_holdout", numeric=True, detail="mean DCR"),
            SafeColumn("As close to both", "equal", numeric=True),
        ),
        rows=tuple(rows),
        note=f"Distance: {first.distance.capitalize()}. Equally close records count in part. "
        f"{chance} Distances are information: a "
        "share as by chance is no proof of anonymity, and is blind to a few copied people.",
    )


def _copies(source: Source, fresh: FreshData) -> SafeTable:
    rows = [
        (
            _cell_of(source, fresh, replica, synthesis),
            _matched(source, ims_training(found.closest), found.identical.training),
            _matched(source, ims_holdout(found.closest), found.identical.holdout),
            source.guard.records(found.identical.training),
            source.guard.records(found.identical.holdout),
            _p_of_counts(source, found.identical),
            source.guard.records(found.singled_out.training),
            source.guard.records(found.singled_out.holdout),
            _p_of_counts(source, found.singled_out),
        )
        for (replica, synthesis), found in fresh.closest.items()
    ]
    margin = _margin(next(iter(fresh.closest.values())))
    return SafeTable(
        caption=("Copies of single records",),
        columns=(
            SafeColumn("Data set", "data_set"),
            SafeColumn("Equal an original record", "IMS_training", numeric=True, detail="IMS"),
            SafeColumn("Equal a holdout record", "IMS_holdout", numeric=True, detail="IMS"),
            SafeColumn("Original records copied", "copied", numeric=True),
            SafeColumn("Holdout records copied", "copied_holdout", numeric=True),
            SafeColumn("p", "p_copied", numeric=True),
            SafeColumn("Original records singled out", "singled_out", numeric=True),
            SafeColumn("Holdout records singled out", "singled_out_holdout", numeric=True),
            SafeColumn("p", "p_singled_out", numeric=True),
        ),
        rows=tuple(rows),
        note="Copied: some replica record has the same value in every column. Singled out: a "
        f"replica record is nearer by {margin} than any other real record. p: exact, one-sided, "
        "from the chance that so many of these records are original ones.",
    )


def _map(source: Source, fresh: FreshData) -> FreshMap | None:
    held = fresh.fidelity[fresh.widest].figure(fresh.ways, "holdout_tvd")
    if not held > 0:
        return None
    marks = [
        Mark(f"{100 * p.share:g} %", "perturbed", _coarse(p.fidelity / held), _share(p.closer))
        for p in fresh.perturbed
    ]
    for replica, found in fresh.fidelity.items():
        shares = [c.share for (r, _), c in fresh.closest.items() if r == replica]
        ratio = _coarse(found.figure(fresh.ways, "ratio"))
        mean = _share(sum(shares) / len(shares))
        if ratio > 0:
            marks.append(Mark(source.name(replica).text, "replica", ratio, mean))
    own = dcr_share(fresh.closest[fresh.widest, 1].baseline)
    marks.append(Mark("Holdout", "holdout", 1.0, _share(own)))
    words = "; ".join(f"{m.name} {m.x:g}, {m.y:.1f} %" for m in marks)
    return FreshMap(
        title="Fidelity and closeness",
        description="Distance of tables as a multiple of the holdout's, and share of records "
        f"closer to the original than to the holdout: {words}.",
        x_title=f"Distance of tables of {fresh.ways} variables, as a multiple of the holdout's",
        y_title="Records closer to the original than to the holdout",
        marks=tuple(mark for mark in marks if mark.x > 0),
        chance=_by_chance(fresh),
    )


def _by_chance(fresh: FreshData) -> float:
    """Return the share that permuted labels give, mean over the replicas, in percent."""
    means = [found.permutation.mean for found in fresh.closest.values()]
    if any(map(math.isnan, means)):
        n, _, kept = next(iter(fresh.closest.values())).sizes
        means = [n / (n + kept)]
    return round(100 * sum(means) / len(means), 1)


def _worst(source: Source, fresh: FreshData) -> SafeTable:
    rows = []
    for replica, found in fresh.worst.items():
        for table in found:
            names = joined((source.name(name) for name in table.variables), " by ")
            full = "".join(part if isinstance(part, str) else part.full for part in names)
            shown = "".join(part if isinstance(part, str) else part.text for part in names)
            rows.append(
                (
                    text_cell(source.name(replica)),
                    text_cell(Name(shown, full)),
                    _tvd(source, table.tvd),
                    _tvd(source, table.holdout_tvd),
                )
            )
    return SafeTable(
        caption=("The tables in which each replica is furthest from the original",),
        columns=(
            SafeColumn("Replica", "replica"),
            SafeColumn("Table", "variables"),
            SafeColumn("Distance", "tvd", numeric=True, detail="TVD"),
            SafeColumn("of the holdout", "holdout_tvd", numeric=True, detail="TVD"),
        ),
        rows=tuple(rows),
    )


def _drawings(source: Source, fresh: FreshData) -> Iterator[Bars]:
    for replica, found in fresh.worst.items():
        for table in found:
            cells = table.cells.head(_MOST_CELLS)
            names = " by ".join(source.name(name).text for name in table.variables)
            title = f"{source.name(replica).text}: {names}"
            levels = tuple(
                ", ".join("missing" if x is None else source.name(x).text for x in labels)
                for labels in cells["labels"]
            )
            series = tuple(
                Series(name, tuple(100 * cells[of]), tuple(_texts(cells[of])))
                for name, of in (
                    ("original", "training"),
                    ("holdout", "holdout"),
                    (source.name(replica).text, "synthetic"),
                )
            )
            words = "; ".join(
                f"{level}: original {series[0].texts[i]}, holdout {series[1].texts[i]}, replica "
                f"{series[2].texts[i]}"
                for i, level in enumerate(levels)
            )
            yield Bars(
                title, f"Share of records in the cells that differ most. {words}.", levels, series
            )


def _texts(shares: object) -> Iterator[str]:
    for share in shares:  # type: ignore[attr-defined]
        yield numbers.percent_text(100 * float(share))


def _tvd(source: Source, value: float) -> SafeCell:
    safe, text = _safe_distance(source, value)
    return SafeCell(text, "number", safe)


def _coarse(value: float) -> float:
    return numbers.significant(value, 2)


def _share(share: float) -> float:
    return round(100 * share, 1)


def _matched(source: Source, share: Share, count: int) -> SafeCell:
    return source.guard.matched(share.proportion, count, share.total)


def _percent(share: float) -> SafeCell:
    return SafeCell(numbers.percent_text(100 * share), "number", _share(share))


def _mean(value: float) -> SafeCell:
    return SafeCell(f"{value:.2f}", "number", round(value, 2))


def _chance(found: ClosestRecord) -> str:
    test = found.permutation
    if math.isnan(test.sd):
        return "not known"
    return f"{100 * test.mean:.1f} {_PLUS_MINUS} {100 * _INTERVAL * test.sd:.1f} %".replace(
        " ", _SPACE
    )


def _p(source: Source, value: float) -> SafeCell:
    if math.isnan(value):
        return blank()
    if source.release:  # an exact p could be solved for the counts behind it
        for bound in (0.001, 0.01, 0.05):
            if value <= bound:
                return SafeCell(f"\N{LESS-THAN OR EQUAL TO}{_SPACE}{bound:g}", "number", bound)
        return SafeCell(f">{_SPACE}0.05", "number", 1.0)
    if value < 0.001:  # noqa: PLR2004  (shown with three decimals)
        return SafeCell(f"<{_SPACE}0.001", "number", value)
    return SafeCell(f"{value:.3f}", "number", value)


def _p_of_counts(source: Source, test: LabelTest) -> SafeCell:
    # Beside two hidden counts, the p value would say what they are not.
    if _hidden(source, test):
        return SafeCell("not shown", "hidden")
    return _p(source, test.p_value)


def _hidden(source: Source, test: LabelTest) -> bool:
    return source.release and source.guard.small(test.training)


def _margin(found: ClosestRecord) -> str:
    if found.distance == "hamming":
        return f"{found.margin:g} columns or more"
    return f"a distance of {found.margin:.2g} or more"


def _named(
    source: Source, fresh: FreshData, replica: str, synthesis: int
) -> tuple[str | Name, ...]:
    many = sum(name == replica for name, _ in fresh.closest) > 1
    return (source.name(replica), f" {synthesis}") if many else (source.name(replica),)


def _cell_of(source: Source, fresh: FreshData, replica: str, synthesis: int) -> SafeCell:
    words = _named(source, fresh, replica, synthesis)
    full = "".join(part if isinstance(part, str) else part.full for part in words)
    shown = "".join(part if isinstance(part, str) else part.text for part in words)
    return text_cell(Name(shown, full))
