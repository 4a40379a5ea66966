"""People of the original in a replica, in words: they come first, whoever judges them."""

from __future__ import annotations

from collections.abc import Iterator

from sdcmetrics.measures.closeness.detectable import smallest_detectable
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import Mark, SafeCell, Sentence, Words, blank, sentence
from sdcmetrics.report.source import Source
from sdcmetrics.review.copying import SURE, Copying

_INTERVAL = 1.96
_SPACE = "\N{NO-BREAK SPACE}"


def copying_sentences(source: Source) -> tuple[Sentence, ...]:
    """Return one sentence per replica that holds people of the original, a copy first."""
    found = [one for one in source.copying.values() if one.alarming]
    found.sort(key=lambda one: (one.complete, one.lost), reverse=True)
    return tuple(_sentence(source, one) for one in found)


def people_sentence(source: Source) -> Sentence | None:
    """Say in one sentence which replicas hold people of the original; None where none does."""
    found = [one for one in source.copying.values() if one.alarming]
    words: Words = ()
    for one in sorted(found, key=lambda one: not one.complete):
        what = f" {one.words}{in_short(source, one)}"
        words += ("; " if words else "", source.name(one.replica), what)
    if not words:
        return None
    return sentence(*words, ". Look at that before any limit.", status=Mark.NOTICE)


def in_short(source: Source, found: Copying) -> str:
    """Say in brackets how much of the original a replica holds."""
    said = []
    if found.holds_copies or found.alone:
        said.append(f"{_count(source, found.copied)} of {_count(source, found.n)} copied")
    if found.singles_out and not found.complete and found.singled_out is not None:
        said.append(f"{_count(source, found.singled_out)} singled out")
    of = f"synthesis {found.synthesis}: " if found.synthesis and said else ""
    return f" ({of}{', '.join(said) or 'closer than fresh data'})"


def _sentence(source: Source, found: Copying) -> Sentence:
    name: Words = (source.name(found.replica),)
    of_replica = source.release and not (found.holds_copies or found.singles_out)  # see closer()
    if found.synthesis and not of_replica:
        name = (*name, f", synthesis {found.synthesis}")
    if found.complete:
        comma = "," if found.synthesis else ""
        start = f"{comma} is a copy: {_of(source, found.copied, found.n)} in it"
        return sentence(*name, f"{start}, the same in every value.", status=Mark.NOTICE)
    return sentence(*name, ": ", "; ".join(_parts(source, found)), ".", status=Mark.NOTICE)


def _parts(source: Source, found: Copying) -> Iterator[str]:
    if found.singles_out and found.singled_out is not None:
        out, fresh = (
            _of(source, found.singled_out, found.n_near),
            _count(source, found.fresh_singled_out),
        )
        yield (
            f"{out} singled out: a record of the replica is nearer by {found.margin} than any "
            f"other real record; of the holdout {fresh}"
        )
    if found.holds_copies:
        copied, twins = _of(source, found.copied, found.n), _count(source, found.twins)
        yield f"{copied} in it, the same in every value; in the original {twins} have a twin"
    if found.alone:
        many = numbers.plural(found.alone, "original record")
        lies, verb = ("lies", "is") if found.alone == 1 else ("lie", "are")
        yield (
            f"{many} that {lies} apart from all other real records, by {found.margin} and further "
            f"than 98 % of them, {verb} in it, the same in every value, and no such record of the "
            "holdout"
        )
    if found.is_closer and source.release:
        p = source.measures.worst(found.replica, "DCR_p")
        shown = "" if p is None else f" (p {p.shown})"
        yield (
            "more of its records are closer to the original than to the holdout than chance "
            f"explains{shown}"
        )
    elif found.is_closer:
        chance = (
            f"{100 * found.chance:.1f} \N{PLUS-MINUS SIGN} {100 * _INTERVAL * found.spread:.1f}"
        )
        yield (
            f"{numbers.percent_text(100 * found.share)} of its records are closer to the original "
            f"than to the holdout, where chance gives {chance} %".replace(" %", f"{_SPACE}%")
        )


def _of(source: Source, count: int, n: int) -> str:
    about, verb = "about " if source.release else "", "is" if count == 1 else "are"
    return f"{about}{count:,} of {about}{n:,} original records {verb}"


def _count(source: Source, count: int) -> str:
    if source.release:
        few = count < source.profile.min_cell
        return f"fewer than {source.profile.min_cell}" if few else f"about {count:,}"
    return f"{count:,}"


def copied_cell(source: Source, replica: str) -> SafeCell:
    """Return how many original records a replica holds in every value, at most in a synthesis."""
    found = source.copying.get(replica)
    if found is None:
        return blank()
    return _counted(source, max(one.copied for one in _held(source, replica)), found.n)


def singled_out_cell(source: Source, replica: str) -> SafeCell:
    """Return how many single people of the original a replica is close to; see `copied_cell`."""
    found = source.copying.get(replica)
    if found is None or found.singled_out is None:
        return blank()
    most = max(one.singled_out or 0 for one in _held(source, replica))
    return _counted(source, most, found.n_near)


def _held(source: Source, replica: str) -> list[Copying]:
    return [one for one in source.held if one.replica == replica]


def _counted(source: Source, count: int, n: int) -> SafeCell:
    if source.release and count < source.profile.min_cell:
        return SafeCell(f"<{_SPACE}{source.profile.min_cell}", "hidden")
    about = "about " if source.release else ""
    text = f"{about}{count:,}".replace(" ", _SPACE)
    return SafeCell(text, "number", float(count), detail=f"of {about}{n:,}")


def power_sentence(source: Source) -> Sentence | None:
    """Say how many people have to leak before the tests beside the holdout find them."""
    found = [one for one in source.copying.values() if one.n_holdout]
    if not found:
        return None
    least = smallest_detectable(found[0].n_near, found[0].n_holdout, level=SURE)
    if least is None:
        return sentence(
            "No copies of single people: with so few records the exact tests would not find any."
        )
    none = not any(one.alarming for one in source.copying.values())
    more = " That none is found does not mean that there is none." if none else ""
    return sentence(
        f"Fewer than {least:,} copied people: the exact tests for single people find that many or "
        f"more (p \N{LESS-THAN OR EQUAL TO} {SURE:g}) beside a holdout of this size, and where "
        f"fresh data stand out too, it takes more.{more}"
    )
