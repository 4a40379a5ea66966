"""Read R's .rds files that hold one data frame (or tibble, or data.table)."""

from __future__ import annotations

import contextlib
import lzma
import warnings
import zlib
from typing import TYPE_CHECKING, Any, Final, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata.arrow_columns import clean_names, numbers_rows
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.value_labels import Code, category, numeric_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    from rdata.parser import RObject

    from sdcmetrics.microdata.file_format import InputFile

_DAMAGE: Final = (
    AssertionError,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    zlib.error,
)
_R_NA_BITS: Final = 1954  # R's NA is the NaN with this payload
_CLASS_OF_TYPE: Final[Mapping[str, str]] = {
    "LGL": "logical",
    "INT": "integer",
    "REAL": "numeric",
    "CPLX": "complex",
    "STR": "character",
    "VEC": "list",
    "ENV": "environment",
    "CLO": "function",
    "NILVALUE": "NULL",
}
_LAST: Final = {"D": 2.0**31 - 1, "us": 2.0**62}
_UTF8, _LATIN1 = 1 << 3, 1 << 2


class RFile:
    """A parsed .rds file: gives R objects back as Python values, with the file's encoding."""

    def __init__(self, file: InputFile, root: RObject, encoding: str) -> None:
        self.file = file
        self.root = root
        self.encoding = encoding

    def attributes(self, item: RObject) -> dict[str, RObject]:
        """Return the attributes of an R object by name."""
        by_name: dict[str, RObject] = {}
        pair = item.attributes
        while pair is not None and pair.info.type.name == "LIST":
            tag = pair.tag
            while tag is not None and tag.info.type.name == "REF":
                tag = tag.referenced_object
            if tag is not None:
                by_name[tag.value.value.decode("utf-8", "replace")] = pair.value[0]
            pair = pair.value[1]
        return by_name

    def texts(self, item: RObject, subject: str) -> list[str | None]:
        """Return a character vector."""
        out: list[str | None] = []
        decoded: dict[tuple[bytes, int], str] = {}
        for char in item.value:
            raw = char.value
            if raw is None:
                out.append(None)
                continue
            key = (raw, char.info.gp)
            if key not in decoded:
                decoded[key] = self._decode(raw, char.info.gp, subject)
            out.append(decoded[key])
        return out

    def _decode(self, raw: bytes, flags: int, subject: str) -> str:
        encoding = "utf-8" if flags & _UTF8 else "latin-1" if flags & _LATIN1 else self.encoding
        try:
            return raw.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            pass
        msg = (
            f"{self.file.label}: {subject} holds text that is not {encoding}. In R, convert it "
            "with enc2utf8(), or pass encoding=."
        )
        raise FileError(msg)

    def classes(self, item: RObject) -> list[str]:
        """Return the class of an R object, as `class()` does."""
        declared = self.attributes(item).get("class")
        if declared is not None:
            return [text for text in self.texts(declared, "a class name") if text is not None]
        name = item.info.type.name
        return [_CLASS_OF_TYPE.get(name, name.lower())]


def read_rds(file: InputFile, *, encoding: str | None) -> Microdata:
    """Read an .rds file that holds a data frame."""
    content = parse_rds(file, encoding)
    classes = content.classes(content.root)
    if "data.frame" not in classes:
        remedy = (
            "save one synthetic data set: saveRDS(object$syn, 'synthetic.rds'); or read all of "
            "them here with sdcmetrics.read_synds(path)"
            if "synds" in classes
            else "save the data frame alone: saveRDS(data, 'data.rds')"
        )
        msg = (
            f"{file.label}: expected a data frame but the file holds an R object of class "
            f"{'/'.join(classes)}. In R, {remedy}."
        )
        raise FileError(msg)
    return read_frame(content, content.root)


def read_frame(content: RFile, root: RObject) -> Microdata:
    """Return a data frame that stands somewhere in an R file."""
    file = content.file
    attributes = content.attributes(root)
    header = attributes.get("names")
    given = [] if header is None else content.texts(header, "the header")
    names, fixes = clean_names([name or "" for name in given], file.source, file.label)
    reader = _ColumnReader(content)
    if len(root.value) != len(names):
        raise damaged(file)
    try:
        arrays = [reader.read(item, name) for item, name in zip(root.value, names, strict=True)]
    except (KeyError, IndexError):  # an attribute that the class of a column must have is absent
        raise damaged(file) from None
    unread = _row_names(content, attributes.get("row.names"))
    if unread is not None:
        fixes.append(Fix(file.source, None, "the row names were left out"))
        reader.unread["row.names"] = unread
    if len({len(array) for array in (*arrays, *reader.unread.values())}) > 1:
        raise damaged(file)
    return Microdata(
        table=pa.table(arrays, names=names),
        unread=pa.table({n: column for n, column in reader.unread.items() if n not in names}),
        source=file.source,
        value_labels=reader.value_labels,
        level_codes=reader.level_codes,
        missing_codes=reader.missing_codes,
        labels=reader.labels,
        fixes=(*fixes, *reader.fixes),
    )


def _row_names(content: RFile, item: RObject | None) -> pa.ChunkedArray | None:
    """Return the names of rows, unless they number them; R writes NA and the last number then."""
    kind = "" if item is None else item.info.type.name
    if item is None or kind not in ("STR", "INT") or np.ma.is_masked(item.value):
        return None
    if kind == "STR":
        column = pa.chunked_array([pa.array(content.texts(item, "row names"), pa.string())])
        numbers = column
        with contextlib.suppress(pa.ArrowInvalid):
            numbers = column.cast(pa.int64())
    else:
        numbers = column = pa.chunked_array([pa.array(np.ma.getdata(item.value).astype(np.int64))])
    return None if numbers_rows(numbers) else column


def parse_rds(file: InputFile, encoding: str | None) -> RFile:
    """Parse an .rds file, whatever it holds."""
    import rdata.parser  # slow to load, and few sessions need it

    parsed = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = rdata.parser.parse_data(file.path.read_bytes(), extension=".rds")
    except _DAMAGE:
        pass
    if parsed is None:
        raise damaged(file)
    return RFile(file, parsed.object, encoding or parsed.extra.encoding or "utf-8")


def damaged(file: InputFile) -> FileError:
    """Return the error for a file that cannot be what it should be."""
    msg = (
        f"{file.label}: the R file is damaged, cut off, or holds something other than a data "
        "frame, such as functions. In R, write it again with saveRDS(data.frame(data), 'data.rds')."
    )
    return FileError(msg)


class _ColumnReader:
    """Turns the columns of one R data frame into Arrow arrays, and collects what it changed."""

    def __init__(self, content: RFile) -> None:
        self.content = content
        self.fixes: list[Fix] = []
        self.value_labels: dict[str, dict[float, str]] = {}
        self.level_codes: dict[str, dict[str, Code]] = {}
        self.missing_codes: dict[str, tuple[float, ...]] = {}
        self.labels: dict[str, str] = {}
        self.unread: dict[str, pa.ChunkedArray] = {}

    def read(self, item: RObject, name: str) -> pa.Array:
        kind = item.info.type.name
        attributes = self.content.attributes(item)
        self._label(attributes.get("label"), name)
        names = _row_names(self.content, attributes.get("names"))  # those sapply() gives a vector
        if names is not None:
            self.unread[f"names({name})"] = names
        classes = self.content.classes(item)
        wide = "dim" in attributes and np.prod(attributes["dim"].value[1:]) != 1  # scale() makes 1
        if kind not in {"LGL", "INT", "REAL", "STR"} or wide:
            classes = ["matrix"] if wide else classes
            msg = (
                f"{self.content.file.label}: column {name!r} is of R class {'/'.join(classes)}, "
                "which has no single value per record. Leave it out, or turn it into numbers, "
                "text, dates or a factor."
            )
            raise ColumnError(msg)
        if kind == "STR":
            texts = self.content.texts(item, f"column {name!r}")
            labelled = self._labelled(texts, attributes, name) if "labels" in attributes else None
            return pa.array(texts, type=pa.string()) if labelled is None else labelled
        if "factor" in classes:
            return self._factor(item, attributes, name, ordered="ordered" in classes)
        if "integer64" in classes:
            # Package bit64 keeps 64-bit integers in the bits of doubles.
            whole = np.asarray(item.value, dtype=np.float64).view(np.int64)
            return pa.array(whole, mask=whole == np.iinfo(np.int64).min)
        values, absent = self._values(item, name)
        if "Date" in classes:
            self._list_cut(values != np.floor(values), absent, name)
            return self._time(np.floor(values), absent, name, "D")
        if "POSIXct" in classes:
            with np.errstate(over="ignore", invalid="ignore"):
                stamps = self._time(np.rint(values * 1e6), absent, name, "us")
            return stamps.cast(pa.timestamp("us", tz=self._zone(attributes)))
        if kind == "LGL":
            return pa.array(values.astype(bool), mask=absent)
        if "labels" in attributes:
            cells = [None if gone else v for v, gone in zip(values.tolist(), absent, strict=True)]
            labelled = self._labelled(cells, attributes, name)
            if labelled is not None:
                return labelled
        return pa.array(values, mask=absent)

    def _label(self, declared: RObject | None, name: str) -> None:
        """Take what haven, labelled and Hmisc say of a column beside its name."""
        if declared is not None and declared.info.type.name == "STR":
            texts = self.content.texts(declared, f"the label of {name!r}")
            label = (texts[0] or "").strip() if texts else ""
            if label not in ("", name):
                self.labels[name] = label

    def _values(self, item: RObject, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """Return the numbers, with 0 for missing ones, and which are missing."""
        absent = np.ma.getmaskarray(item.value)
        values = np.ma.getdata(item.value)
        if values.dtype.kind != "f":
            return np.where(absent, 0, values).astype(np.int64), absent
        absent = np.isnan(values)
        payload = values.view(np.uint64) & np.uint64(0xFFFFFFFF)
        nans = int((absent & (payload != _R_NA_BITS)).sum())
        if nans:
            source = self.content.file.source
            self.fixes.append(Fix(source, name, "NaN was read as missing", nans))
        # R's NA is a signalling NaN, which makes numpy warn in any arithmetic.
        return np.where(absent, 0.0, values), absent

    def _factor(
        self, item: RObject, attributes: Mapping[str, RObject], name: str, *, ordered: bool
    ) -> pa.Array:
        absent = np.ma.getmaskarray(item.value)
        codes = np.ma.getdata(item.value).astype(np.int32) - 1
        levels = self.content.texts(attributes["levels"], f"column {name!r}")
        # addNA() makes missing a level; here it is missing.
        distinct = [level for level in levels if level is not None]
        place = np.array(
            [distinct.index(v) if v is not None else -1 for v in levels] + [-1], np.int32
        )
        codes = np.where(absent, -1, codes)
        if ((codes < 0) & ~absent).any() or (codes >= len(levels)).any():
            raise damaged(self.content.file)
        codes = place[codes]
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(
            indices, pa.array(distinct, type=pa.string()), ordered=ordered
        )

    def _time(
        self,
        values: npt.NDArray[Any],
        absent: npt.NDArray[np.bool_],
        name: str,
        unit: Literal["D", "us"],
    ) -> pa.Array:
        infinite = np.abs(values) > _LAST[unit]
        if infinite.any():
            what = "infinite dates were read as missing"
            self.fixes.append(Fix(self.content.file.source, name, what, int(infinite.sum())))
        steps = np.where(infinite, 0, values).astype(np.int64)
        return pa.array(np.datetime64(0, unit) + steps, mask=absent | infinite)

    def _list_cut(
        self, cut: npt.NDArray[np.bool_], absent: npt.NDArray[np.bool_], name: str
    ) -> None:
        """List dates of R that have a fraction of a day; infinite ones have none."""
        cells = int((cut & ~absent).sum())
        if cells:
            what = "dates with a time of day were cut to whole days"
            self.fixes.append(Fix(self.content.file.source, name, what, cells))

    def _zone(self, attributes: Mapping[str, RObject]) -> str:
        declared = attributes.get("tzone")
        zone = (self.content.texts(declared, "a time zone")[0] or "") if declared else ""
        try:
            ZoneInfo(zone)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            return "UTC"
        return zone

    def _labelled(
        self,
        cells: Sequence[Code | None],
        attributes: Mapping[str, RObject],
        name: str,
    ) -> pa.Array | None:
        """Return a column of haven's class "labelled" as a category, if its labels cover it."""
        declared = attributes["labels"]
        texts = self.content.texts(self.content.attributes(declared)["names"], f"column {name!r}")
        codes = self._codes(declared, name)
        labels = {c: t or "" for c, t in zip(codes, texts, strict=True) if c == c}  # noqa: PLR0124
        missing = self._user_missing(set(cells) - {None}, attributes)
        categories = category(cells, labels, missing, source=self.content.file.source, name=name)
        if categories is not None:
            self.fixes += categories.fixes
            self.level_codes[name] = categories.codes
            return categories.column
        self.value_labels[name] = numeric_labels(labels)
        if numbers := [float(code) for code in missing if not isinstance(code, str)]:
            self.missing_codes[name] = tuple(sorted(numbers))
        return None

    def _user_missing(self, present: set[Any], attributes: Mapping[str, RObject]) -> set[Any]:
        missing_values: set[Any] = set()
        if "na_values" in attributes:
            missing_values |= present & set(self._codes(attributes["na_values"], "missing codes"))
        if "na_range" in attributes:
            low, high = self._codes(attributes["na_range"], "missing codes")
            missing_values |= {value for value in present if low <= value <= high}
        return missing_values

    def _codes(self, item: RObject, subject: str) -> list[Any]:
        """Return codes, numbers or texts."""
        if item.info.type.name == "STR":
            return self.content.texts(item, subject)
        codes: list[Any] = np.ma.getdata(item.value).tolist()
        return codes
