"""The texts of a PDF, as whoever copies them out of it reads them, and what it says of itself."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator

_OBJECT = re.compile(rb"(\d+) 0 obj\b(.*?)endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*)\r?\nendstream", re.DOTALL)
_STRING = re.compile(rb"\(((?:\\.|[^\\()])*)\)|(?<!<)<([0-9A-Fa-f\s]+)>(?!>)", re.DOTALL)
_DRAWN = re.compile(
    rb"/(\S+)\s+[\d.]+\s+Tf|(\[(?:[^\[\]\\]|\\.)*\])\s*TJ|(<[0-9A-Fa-f\s]*>)\s*Tj"
    rb"|([-\d.]+)\s+([-\d.]+)\s+Tm\b|\bET\b",
    re.DOTALL,
)
_FONT = re.compile(rb"/([^\s/<>\[\]()]+)\s+(\d+) 0 R")
_NEAR = 12.0
"""Points between two signs of one word."""
_HEX = re.compile(rb"<([0-9A-Fa-f]+)>")


def texts_of(pdf: bytes) -> Iterator[tuple[str, str]]:
    """Yield a place and a text: what is drawn, run by run, and every string beside it."""
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    streams = {number: _unpacked(body) for number, body in objects.items()}
    heads = {number: body.partition(b"stream")[0] for number, body in objects.items()}
    for number in [n for n, head in heads.items() if b"/ObjStm" in head]:
        heads |= _packed(heads[number], streams[number])
    fonts: dict[bytes, dict[int, str]] = {}
    for head in heads.values():
        for name, number in _FONT.findall(head):
            unicode = re.search(rb"/ToUnicode (\d+) 0 R", heads.get(int(number), b""))
            if unicode:
                fonts[name] = _map(streams[int(unicode[1])])
    for number, head in heads.items():
        for plain, hexed in _STRING.findall(head):
            yield f"object {number}", _string(plain, hexed)
        drawn = _lines(streams.get(number, b""), fonts)
        yield from ((f"object {number}", line) for line in drawn)


def _unpacked(body: bytes) -> bytes:
    stream = _STREAM.search(body)
    if stream is None:
        return b""
    try:
        return (
            zlib.decompress(stream[1]) if b"/FlateDecode" in body[: stream.start()] else stream[1]
        )
    except zlib.error:
        return b""


def _packed(head: bytes, stream: bytes) -> dict[int, bytes]:
    """Return the objects that are written together in a stream."""
    first = int(re.search(rb"/First (\d+)", head)[1])  # type: ignore[index]
    places = [int(word) for word in stream[:first].split()]
    ends = [*places[3::2], len(stream)]
    return {
        number: stream[first + start : first + end]
        for number, start, end in zip(places[::2], places[1::2], ends, strict=True)
    }


def _map(stream: bytes) -> dict[int, str]:
    """Return the text of every glyph."""
    glyphs: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", stream, re.DOTALL):
        codes = [bytes.fromhex(code.decode()) for code in _HEX.findall(block)]
        for glyph, text in zip(codes[::2], codes[1::2], strict=False):
            glyphs[int.from_bytes(glyph)] = text.decode("utf-16-be", "replace")
    return glyphs


def _lines(stream: bytes, fonts: dict[bytes, dict[int, str]]) -> Iterator[str]:
    text, sign, font, place = "", "", dict[int, str](), (0.0, 0.0)
    for name, several, single, x, y in _DRAWN.findall(stream):
        if name:
            font = fonts.get(name, {})
        elif several or single:
            sign = ""
            for code in _HEX.findall(several or single):
                glyphs = bytes.fromhex(code.decode())
                pairs = (glyphs[i : i + 2] for i in range(0, len(glyphs), 2))
                sign += "".join(font.get(int.from_bytes(pair), "") for pair in pairs)
            text += sign
        else:
            at = (float(x), float(y)) if x else (math.inf, math.inf)
            # Figures are drawn sign by sign.
            near = at[1] == place[1] and 0 < at[0] - place[0] < _NEAR
            if not (near and len(sign) == 1):
                yield text
                text = ""
            place = at


def _string(plain: bytes, hexed: bytes) -> str:
    raw = bytes.fromhex(hexed.decode()) if hexed else re.sub(rb"\\([\\()])", rb"\1", plain)
    return raw.decode("utf-16" if raw[:2] in (b"\xfe\xff", b"\xff\xfe") else "latin-1", "replace")
