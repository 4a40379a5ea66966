"""What is packed in a file is looked into: gzip's content, members of a zip archive, and theirs."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.release import packed
from sdcmetrics.release.packed import unpacked


def archive(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, member in members.items():
            file.writestr(f"a/{name}", member)
    return content.getvalue()


def contents(path: Path, content: bytes) -> list[bytes]:
    path.write_bytes(content)
    folder = path.with_name("unpacked")
    folder.mkdir()
    return [form.read_bytes() for form in unpacked(path, folder)]


def test_members_are_yielded_after_what_holds_them(tmp_path: Path) -> None:
    packed_twice = gzip.compress(b"first")
    whole = archive(x=packed_twice, y=b"second")
    assert contents(tmp_path / "a.bin", whole) == [whole, packed_twice, b"first", b"second"]


def test_what_is_not_packed_is_yielded_alone(tmp_path: Path) -> None:
    assert contents(tmp_path / "a.gz", b"a,b\n") == [b"a,b\n"]


def test_a_path_in_an_archive_leads_nowhere_else(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("../../escaped", b"x")
        file.writestr("folder/", b"")
    assert contents(tmp_path / "a", content.getvalue())[1:] == [b"x"]
    assert not list(tmp_path.parent.glob("escaped"))


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"a,b\n" * 99)[:-9],
        archive(x=b"abc" * 9).replace(b"abc", b"abd", 1),  # another checksum
        gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"deep")))),
    ],
    ids=["cut off", "changed", "too deep"],
)
def test_what_cannot_be_looked_into_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(StudyError, match=r"cannot be looked into.*Add the files that are in it"):
        contents(tmp_path / "a", content)


def test_a_file_that_is_too_large_when_unpacked_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "_MOST", 99)
    with pytest.raises(StudyError, match="is too large"):
        contents(tmp_path / "a", gzip.compress(b"0" * 100))
