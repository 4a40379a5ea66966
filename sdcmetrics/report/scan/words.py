"""Words that must stay inside: rare labels, digests, paths and names of files."""

from __future__ import annotations

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path, PurePath

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.scan.pieces import Piece, Row, known_attributes, plainly, tokens
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile

_DIGEST = re.compile(
    r"(?<![0-9A-Za-z])(?=\d*[A-Fa-f])(?=[A-Fa-f]*\d)(?:[0-9a-f]{32,}|[0-9A-F]{32,})(?![0-9A-Za-z])"
)
"""Of digits and letters, as nearly all are; a long number is none."""
_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{12,}(?![0-9A-Za-z])")
_PATHS = (
    re.compile(r"(?<![\w.:/<])/(?:[\w.~@+-]+/)+[\w.~@+-]+"),
    re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[\w.~-]"),
    re.compile(r"\\\\[\w.-]+\\[\w$.-]"),
    re.compile(r"(?i)\bfile:/"),
)
Places = dict[str, list[tuple[list[str], int]]]
_BLANKS = re.compile(r"\{[^{}]*\}")
"""Where a text is filled in."""
_COUNTING = ("plural", "counted")
"""Functions that write a number of things."""
_CASED = 4
"""Shorter labels are compared with their capitals: "US" is no "us"."""
_DIGITS = 6
"""A label of fewer digits and no letter equals too many numbers; tables of levels are read."""
_WRITERS = (
    "agreement", "decision", "measures/people", "microdata", "ranking", "report", "review", "study",
)  # fmt: skip
"""Folders whose texts a report may hold."""


def small(count: float, profile: Profile) -> bool:
    """Whether so many original records are too few to be told."""
    return count < profile.min_cell and (count > 0 or profile.zeros_disclosive)


def kept_levels(review: Review, variable: str, profile: Profile) -> set[str]:
    """Return labels that levels with enough records have (two levels may read alike)."""
    distribution = review.distributions[variable]
    return {
        plainly("(missing)" if label is None else label)
        for label, count in zip(distribution.labels, distribution.original, strict=True)
        if not small(count, profile)
    }


def _names(review: Review, profile: Profile) -> set[str]:
    """Return what variables, replicas, scenarios and sources of limits are called."""
    words = {*review.variables, *review.replicas, profile.title, profile.owner, profile.name}
    for scenario in review.study.scenarios:
        words |= {scenario.name, scenario.description}
    rules = (rule for rule in (profile.tables, profile.excess) if rule is not None)
    for limit in (*profile.thresholds.values(), *rules):
        words |= {limit.source, limit.owner, limit.kind, str(limit.date)}
    for criterion in profile.criteria:
        words |= {criterion.source, criterion.frame, criterion.name}
    return {plainly(word) for word in words if word}


def own_words(review: Review, profile: Profile) -> set[str]:
    """Return what is public anyway: names, and what the study says in its own words."""
    study, versions = review.study, review.versions
    words = {study.title, *study.context, *study.context.values(), review.created[:10]}
    return words | _names(review, profile) | {*versions, *map(str, versions.values())}


class Words:
    """Looks for words that must stay inside, in one text after another.

    Parameters
    ----------
    review, profile
    shown : list of (table, row)
        What the report's tables show; each level is checked at its place. A group of one number may
        read as a level of another column does.
    """

    def __init__(self, review: Review, profile: Profile, shown: Sequence[tuple[str, Row]]) -> None:
        self._own, names = own_words(review, profile), _names(review, profile)
        self._names = sorted((n for n in names if "/" in n or "\\" in n), key=len, reverse=True)
        self._levels = set().union(*(kept_levels(review, v, profile) for v in review.distributions))
        grouped = {name for name, of in review.distributions.items() if of.breaks}
        self._levels |= {
            plainly(row["level"])
            for _, row in shown
            if row.get("variable") in grouped and isinstance(row.get("level"), str)
        }
        self._key = plainly(getattr(profile, "key", ""))  # decides how counts are rounded
        self._digests = [data.sha256.lower() for data in review.inputs if data.sha256]
        # A file's name is inside information; what a frame is called is not.
        sources = {plainly(d.source) for d in review.inputs if PurePath(d.source).suffix}
        self._sources = sources - names
        self._studies = _longer(review.study.command, self._sources)
        self._secret: dict[str, list[tuple[list[str], str]]] = defaultdict(list)
        for name, distribution in review.distributions.items():
            public = kept_levels(review, name, profile)
            kind = f"a level of too few original records is named (variable {plainly(name)[:40]!r})"
            for label, count in zip(distribution.labels, distribution.original, strict=True):
                if label is not None and small(count, profile) and plainly(label) not in public:
                    self._keep(label, kind)
        for (_, text), rule in review.rules.items():
            if any(small(count, profile) for count in rule.level_counts):
                self._keep(text, "a rule that names a level of too few original records is quoted")

    def _keep(self, text: str, kind: str) -> None:
        words = tokens(text)
        digits = sum(c.isdigit() for c in text)
        if words and (digits >= _DIGITS or any(c.isalpha() for c in text)):
            self._secret[words[0].casefold()].append((words, kind))

    def problems(self, piece: Piece) -> Iterator[str]:
        """Yield the kinds of what a text must not hold."""
        if piece.kind == "attribute":
            if piece.text not in known_attributes():
                yield "an attribute that reports do not have"
            return
        text = plainly(piece.text)
        yield from self._of_files(text)
        if text.strip() in self._whole:
            return
        words = tokens(text)
        start, *folded, stop = _phrase(text, piece.text)
        for i, word in enumerate(folded):
            for label, kind in self._secret.get(word, ()):
                end = i + len(label)
                short = sum(map(len, label)) < _CASED
                alike = words[i:end] == label if short else folded[i:end] == _folded(label)
                if alike:
                    before, after = (start, *folded)[i], (*folded, stop)[end]
                    if not self._public(folded[i:end], before, after):
                        yield kind

    def _of_files(self, text: str) -> Iterator[str]:
        free = text
        for name in self._names:
            free = free.replace(name, " ")
        if _DIGEST.search(text):
            yield "something like a digest is told"
        if any(d.startswith(h.lower()) for h in _HEX.findall(text) for d in self._digests):
            yield "the digest of a data set is told"
        if any(pattern.search(free) for pattern in _PATHS):
            yield "a path is told"
        for word in self._studies:
            text = text.replace(word, " ")
        if any(source in text for source in self._sources):
            yield "the file name of a data set is told"
        if self._key and self._key in text:
            yield "the key of the profile is told"

    def _public(self, words: list[str], before: str, after: str) -> bool:
        """Whether what is public or what every report says has these words, and beside these."""
        return any(
            _stands_beside(phrase[i - 1], before) and _stands_beside(phrase[end], after)
            for phrase, i in self._places[words[0]]
            if phrase[i : (end := i + len(words))] == words
        )

    @cached_property
    def _whole(self) -> set[str]:
        """Public texts, each of which may stand alone, whatever sign it begins or ends with."""
        return {plainly(text).strip() for text in (*self._own, *self._levels)}

    @cached_property
    def _places(self) -> dict[str, list[tuple[list[str], int]]]:
        """Where the first words of secrets are in phrases that are public."""
        own = _places_in(_phrase(text.strip()) for text in {*self._own, *self._levels})
        return defaultdict(list, {w: own.get(w, []) + _written(w) for w in self._secret})


def _longer(command: str, sources: Iterable[str]) -> list[str]:
    """Return the names in a command in which names of data files stand by chance only.

    Examples
    --------
    >>> _longer("sdcmetrics review in/rh.csv.toml", ["h.csv"]), _longer("x h.csv.toml", ["h.csv"])
    (['rh.csv.toml'], [])
    """
    words = re.split(r"[\s\\/]+", plainly(command))
    return [
        word
        for word in words
        if any(source in word for source in sources)
        and not any(re.search(rf"(?<!\w){re.escape(source)}", word) for source in sources)
    ]


def _is_all(assigned: ast.Assign) -> bool:
    """Whether it lists the public names of a module, which no report says."""
    return any(
        isinstance(target, ast.Name) and target.id == "__all__" for target in assigned.targets
    )


def _folded(words: Iterable[str]) -> list[str]:
    return [word.casefold() for word in words]


def _phrase(text: str, written: str = "") -> list[str]:
    """Return the words of a text, and what may be beside it: "" anything, " " something.

    `written` is the text with the blanks at its ends, where it has lost them.
    """
    whole = written or text
    ends = [
        " " if character and not character.isalnum() else ""
        for character in (whole[:1], whole[-1:])
    ]
    return [ends[0], *_folded(tokens(text)), ends[1]]


def _stands_beside(expected: str, character: str) -> bool:
    return expected == "" or (character != "" and expected in (" ", character))


def _places_in(phrases: Iterable[list[str]]) -> dict[str, list[tuple[list[str], int]]]:
    """Return where each word is in some phrases."""
    places = defaultdict(list)
    for phrase in phrases:
        for i, word in enumerate(phrase[1:-1], 1):
            places[word].append((phrase, i))
    return places


@cache
def _written(word: str) -> list[tuple[list[str], int]]:
    """Return where a word is in what this package itself may write."""
    files = (file for file, text in _texts() if word in text)
    each = (_declared(), *(_template(f) if f.suffix != ".py" else _module(f) for f in files))
    return [place for places in each for place in places.get(word, ())]


@cache
def _texts() -> tuple[tuple[Path, str], ...]:
    """Return the files of which texts may come: to read one as Python takes longest by far."""
    package = Path(__file__).parents[2]
    modules = (file for name in _WRITERS for file in (package / name).rglob("*.py"))
    files = (*modules, *(Path(str(file)) for file in TEMPLATES.iterdir() if file.is_file()))
    return tuple((file, plainly(file.read_text(encoding="utf-8")).casefold()) for file in files)


@cache
def _declared() -> Places:
    """Return the words of what is said of measures, and of synthpop's known faults."""
    from sdcmetrics.rbridge.defects import DEFECTS  # only a release needs it

    texts = [*DEFECTS.values()]
    for metric in MEASURES.values():
        texts += _texts_in([*vars(metric).values()])
        texts += [metric.range, metric.where]
        texts += [metric.twin.words, metric.twin.differs] if metric.twin else []
    return _places_in(map(_phrase, texts))


def _texts_in(value: object) -> list[str]:
    """Return the texts of lists, tuples and dictionaries within each other."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = [*value.values()]
    if not isinstance(value, list | tuple):
        return []
    return [text for part in value for text in _texts_in(part)]


@cache
def _module(file: Path) -> Places:
    """Return the words of the texts of a module, but for its documentation and its public names."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    listed = (n.value for n in tree.body if isinstance(n, ast.Assign) and _is_all(n))
    documents |= {id(name) for names in listed for name in ast.walk(names)}
    texts = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documents
    )
    parts = (part for text in texts for part in {text, *_BLANKS.split(text)})
    return _places_in(map(_phrase, itertools.chain(parts, _plurals(tree))))


def _plurals(tree: ast.Module) -> Iterator[str]:
    """Yield the nouns of things that are counted in texts, of several."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith(_COUNTING):
            continue
        for part in itertools.chain.from_iterable(map(ast.walk, node.args)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield f"{part.value}s"


@cache
def _template(file: Path) -> Places:
    """Return the words of the texts of a template."""
    text = file.read_text(encoding="utf-8")
    texts = re.split(r"<[^>]*>|\{\{.*?\}\}|\{[%#].*?[%#]\}", text)
    bare = re.sub(r"\{[%#].*?[%#]\}", "{", text)  # parts of an attribute
    quoted = re.findall(r'"([^"<>{}]*)"', text)
    quoted += [part for whole in re.findall(r'"([^"<>}]*)"', bare) for part in whole.split("{")]
    return _places_in(map(_phrase, texts + quoted))
