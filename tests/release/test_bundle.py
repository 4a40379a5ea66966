"""Bundles: every byte is signed for, states come in order, and the original is in no byte."""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.release.answers import make_ledger
from sdcmetrics.release.bundle import check_bundle, make_bundle, sign_bundle
from sdcmetrics.release.crate import MANIFEST, STATES_FILE, sha256_of
from sdcmetrics.release.digests import DIGESTS, list_digests
from sdcmetrics.release.keys import PrivateKey, make_keys, read_private_key, read_public_key
from sdcmetrics.release.request import note_request, profile_entries, request_of
from sdcmetrics.release.signed import StateRecord, add_state, as_bytes, read_states
from sdcmetrics.report.formats.output import replace_results
from sdcmetrics.study.profile import PROFILES
from sdcmetrics.study.written import note
from tests.release.studies import people, write_study

NOW = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(hours=1)


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> PrivateKey:
    file = tmp_path_factory.mktemp("keys") / "anna.key"
    make_keys(file)
    return read_private_key(file)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> PrivateKey:
    file = tmp_path_factory.mktemp("keys") / "ben.key"
    make_keys(file)
    return read_private_key(file)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("study"), people(50, 7), people(40, 8))


def results(folder: Path, name: str = "review.json", **entries: Any) -> Path:
    """Write a small folder of results."""
    (folder / "tables").mkdir(parents=True)
    classification = "internal" if name == "review.json" else "release"
    (folder / name).write_text(json.dumps({"classification": classification, **entries}))
    (folder / "report.html").write_text("<p>report</p>\n")
    (folder / "tables" / "figures.csv").write_text("measure,value\nTVD,0.1\n")
    list_files(folder)
    (folder / "cache-internal").mkdir()
    (folder / "cache-internal" / "step").write_text("confidential")
    return folder


def list_files(folder: Path) -> None:
    """List the digests of a folder's files, as a review of this user does."""
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    files.pop(DIGESTS, None)
    (folder / DIGESTS).write_text(list_digests(files))
    note(folder / DIGESTS)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, study: Path, key: PrivateKey) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    make_bundle(results(folder / "out"), study, folder / "b", key=key, name="Anna", time=NOW)
    for state in ("checked", "signed"):
        sign_bundle(folder / "b", state, key=key, name="Anna", time=LATER)
    return folder / "b"


@pytest.fixture
def bundle(tmp_path: Path, prepared: Path) -> Path:
    return Path(shutil.copytree(prepared, tmp_path / "b"))


def test_a_bundle_is_as_it_was_signed(prepared: Path, key: PrivateKey) -> None:
    checked = check_bundle(prepared, [key.public])
    assert checked.problems == ()
    assert [record.state for record in checked.states] == ["prepared", "checked", "signed"]
    assert checked.states[0].time == "2026-11-23T12:00:00Z"


def test_it_holds_results_study_profile_environment_and_no_finished_step(prepared: Path) -> None:
    names = {path.relative_to(prepared).as_posix() for path in prepared.rglob("*")}
    assert names - {"results", "results/tables"} == {
        MANIFEST,
        STATES_FILE,
        "environment.json",
        "inputs.json",
        "profile.json",
        "study.toml",
        "results/SHA256SUMS",
        "results/review.json",
        "results/report.html",
        "results/tables/figures.csv",
    }


def test_a_changed_byte_is_found_wherever_it_is(bundle: Path, key: PrivateKey) -> None:
    rng = random.Random(44)  # noqa: S311  (places, no secrets)
    files = sorted(path for path in bundle.rglob("*") if path.is_file())
    contents = {path: path.read_bytes() for path in files}
    places = [(path, i) for path in files for i in range(len(contents[path]))]
    noticed = 0
    for path, i in rng.sample(places, 200):
        changed = bytearray(contents[path])
        changed[i] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        noticed += bool(check_bundle(bundle, [key.public]).problems)
        path.write_bytes(contents[path])
    assert noticed == 200
    assert check_bundle(bundle, [key.public]).problems == ()


def add_file(folder: Path) -> None:
    (folder / "results" / "more.csv").write_text("")


def remove_file(folder: Path) -> None:
    (folder / "results" / "report.html").unlink()


def rename_file(folder: Path) -> None:
    (folder / "results" / "report.html").rename(folder / "results" / "Report2.html")


def add_folder(folder: Path) -> None:
    (folder / "empty").mkdir()


def make_link(folder: Path) -> None:
    report = folder / "results" / "report.html"
    report.rename(folder.parent / "elsewhere.html")
    report.symlink_to(folder.parent / "elsewhere.html")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (add_file, "results/more.csv: this file was not in the bundle"),
        (remove_file, "results/report.html: this file is absent"),
        (rename_file, "results/Report2.html: this file was not in the bundle"),
        (add_folder, "empty: this folder is empty"),
        (make_link, "results/report.html: this is no file"),
    ],
)
def test_what_changed_is_named(
    bundle: Path, key: PrivateKey, change: Callable[[Path], None], words: str
) -> None:
    change(bundle)
    assert any(line.startswith(words) for line in check_bundle(bundle, [key.public]).problems)


def test_a_file_of_another_size_is_not_read(
    bundle: Path, key: PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (bundle / "results" / "report.html").open("r+b") as file:
        file.truncate(1 << 40)  # which takes no space, and an hour to read
    read: list[str] = []
    usual = sha256_of

    def noted(path: Path) -> str:
        read.append(path.name)
        assert path.name != "report.html"
        return usual(path)

    monkeypatch.setattr("sdcmetrics.release.bundle.sha256_of", noted)
    problems = check_bundle(bundle, [key.public]).problems
    assert problems == ("results/report.html: this file was changed",)
    assert "study.toml" in read


def test_a_folder_that_cannot_be_read_is_no_unforeseen_error(
    bundle: Path, key: PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bundle / "hidden").mkdir()
    scandir = os.scandir

    def refused(path: Any) -> Any:
        if Path(path).name == "hidden":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    monkeypatch.setattr(os, "listdir", refused)  # what older versions of pathlib read with
    expected = ("hidden: this cannot be read (Permission denied). Check its permissions",)
    assert check_bundle(bundle, [key.public]).problems == expected


@pytest.mark.parametrize("name", [MANIFEST, STATES_FILE])
def test_a_list_that_was_removed_is_a_bundle_that_was_changed(
    bundle: Path, key: PrivateKey, name: str
) -> None:
    (bundle / name).unlink()
    assert check_bundle(bundle, [key.public]).problems == (f"{name}: this file is absent",)


def test_what_cannot_be_read_is_named_and_not_called_absent(
    bundle: Path, key: PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    lstat = Path.lstat

    def refused(path: Path) -> os.stat_result:
        if path.parent.name == "tables":
            raise PermissionError(13, "Permission denied", str(path))
        return lstat(path)

    def unreadable(path: Path) -> str:
        if path.name == "report.html":
            msg = f"{path}: the file cannot be read (Permission denied)."
            raise FileError(msg)
        return sha256_of(path)

    monkeypatch.setattr(Path, "lstat", refused)
    monkeypatch.setattr("sdcmetrics.release.bundle.sha256_of", unreadable)
    remedy = "Check its permissions"
    assert check_bundle(bundle, [key.public]).problems == (
        f"results/tables/figures.csv: this cannot be read (Permission denied). {remedy}",
        f"results/report.html: this cannot be read. {remedy}",
    )


def test_a_bundle_that_cannot_be_written_is_a_sentence(
    bundle: Path, key: PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: Path, _: bytes) -> None:
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr("sdcmetrics.release.bundle_files.write_whole", refused)
    with pytest.raises(FileError, match=r"states\.json: the file cannot be written \(Permission"):
        sign_bundle(bundle, "released", key=key, name="Anna")


def test_another_key_is_noticed(bundle: Path, other: PrivateKey) -> None:
    problems = check_bundle(bundle, [other.public]).problems
    assert any("another key" in problem for problem in problems)


def test_a_record_that_names_a_trusted_key_needs_its_signature(
    bundle: Path, key: PrivateKey, other: PrivateKey
) -> None:
    records = read_states((bundle / STATES_FILE).read_bytes(), "")
    forged = add_state(
        records, "released", name="Eve", content=records[0].content, key=other, time=LATER
    )
    last = replace(forged[-1], key=key.public.name)
    (bundle / STATES_FILE).write_bytes(as_bytes([*records, last]))
    problems = check_bundle(bundle, [key.public]).problems
    assert problems == ("state 'released': the signature is not of this record: it was changed",)


def signed_anyhow(states: list[str], content: str, key: PrivateKey) -> list[StateRecord]:
    """Sign states in any order, as a dishonest owner of a key could."""
    records: list[StateRecord] = []
    for state in states:
        previous = records[-1].digest if records else ""
        record = StateRecord(
            state, "Anna", "2026-11-23T12:00:00Z", content, previous, key.public.name
        )
        records.append(replace(record, signature=key.sign(record.signed_bytes).hex()))
    return records


@pytest.mark.parametrize(
    ("states", "right"),
    [
        (["prepared"], True),
        (["prepared", "checked", "signed", "released", "withdrawn"], True),
        (["prepared", "withdrawn"], True),
        (["prepared", "checked", "signed", "released", "withdrawn", "withdrawn"], False),
        (["prepared", "signed"], False),
        (["checked", "prepared"], False),
        (["prepared", "checked", "checked"], False),
        (["prepared", "withdrawn", "checked"], False),
        (["withdrawn"], False),
        ([], False),
    ],
)
def test_states_out_of_order_are_noticed_though_signed(
    bundle: Path, key: PrivateKey, states: list[str], *, right: bool
) -> None:
    content = read_states((bundle / STATES_FILE).read_bytes(), "")[0].content
    (bundle / STATES_FILE).write_bytes(as_bytes(signed_anyhow(states, content, key)))
    assert (check_bundle(bundle, [key.public]).problems == ()) is right


def test_a_state_taken_from_the_middle_or_another_bundle_is_noticed(
    bundle: Path, key: PrivateKey
) -> None:
    records = read_states((bundle / STATES_FILE).read_bytes(), "")
    foreign = signed_anyhow(["prepared"], "0" * 64, key)
    for changed in ([foreign[0], *records[1:]], [records[0], records[2]], foreign):
        (bundle / STATES_FILE).write_bytes(as_bytes(changed))
        assert check_bundle(bundle, [key.public]).problems


@pytest.mark.parametrize("text", [b"", b"[]", b"\xff", b"[1]", b"{}", b'[{"state": 1}]'])
def test_damaged_states_and_lists_are_a_sentence(
    bundle: Path, key: PrivateKey, text: bytes
) -> None:
    for name in (STATES_FILE, MANIFEST):
        before = (bundle / name).read_bytes()
        (bundle / name).write_bytes(text)
        checked = check_bundle(bundle, [key.public])
        assert checked.problems
        assert name == STATES_FILE or (checked.files, checked.states) == (0, ())
        (bundle / name).write_bytes(before)


def test_a_changed_bundle_is_not_signed(bundle: Path, key: PrivateKey) -> None:
    (bundle / "inputs.json").write_text("[]")
    with pytest.raises(FileError, match=r"inputs\.json: this file was changed"):
        sign_bundle(bundle, "released", key=key, name="Anna")


def test_two_people_sign(bundle: Path, key: PrivateKey, other: PrivateKey) -> None:
    with pytest.raises(FileError, match="another key"):
        sign_bundle(bundle, "released", key=other, name="Ben")
    sign_bundle(bundle, "released", key=other, name="Ben", others=[key.public])
    assert check_bundle(bundle, [key.public, other.public]).problems == ()


def test_a_state_that_is_not_the_next_is_refused(bundle: Path, key: PrivateKey) -> None:
    with pytest.raises(StudyError, match="They come in this order"):
        sign_bundle(bundle, "prepared", key=key, name="Anna")
    with pytest.raises(StudyError, match="Did you mean 'released'"):
        sign_bundle(bundle, "relesed", key=key, name="Anna")
    with pytest.raises(StudyError, match="name of who says so"):
        sign_bundle(bundle, "released", key=key, name=" ")
    with pytest.raises(StudyError, match="clock"):
        sign_bundle(bundle, "released", key=key, name="Anna", time=NOW)


def test_digests_of_original_and_holdout_say_nothing_without_the_key(
    tmp_path: Path, study: Path, prepared: Path, other: PrivateKey
) -> None:
    plain = hashlib.sha256((study.parent / "original.csv").read_bytes()).hexdigest()
    assert not any(plain.encode() in p.read_bytes() for p in prepared.rglob("*") if p.is_file())
    make_bundle(results(tmp_path / "out"), study, tmp_path / "b", key=other, name="Ben")
    first, second = (
        json.loads((b / "inputs.json").read_text()) for b in (prepared, tmp_path / "b")
    )
    assert [row["data_set"] for row in first] == ["original", "holdout", "cart", "other", "other"]
    assert first[0] != second[0]
    assert first[2] == second[2]


def test_what_was_read_beside_the_data_is_listed_with_its_digest(
    tmp_path: Path, key: PrivateKey
) -> None:
    more = (
        '[read]\nmetadata = "book.xml"\n[coarsen]\nregion = "regions.csv"\n'
        '[[external]]\nname = "voters"\nfile = "voters.csv"\nkeys = ["age"]\n'
        '[[analysis]]\nname = "rate"\nstatistic = "function"\n'
        'function = "own.py:rate"\nvariables = ["age"]\n'
    )
    study = write_study(tmp_path / "study", people(50, 7), more=more)
    digests = {}
    for name in ("book.xml", "regions.csv", "voters.csv", "own.py"):
        (study.parent / name).write_text(name)
        digests[name] = hashlib.sha256(name.encode()).hexdigest()
    make_bundle(results(tmp_path / "out"), study, tmp_path / "b", key=key, name="Anna")
    rows = [
        row for row in json.loads((tmp_path / "b" / "inputs.json").read_text()) if "input" in row
    ]
    assert rows[:-1] == [
        {"input": role, "file": name, "sha256": digests[name]}
        for role, name in (
            ("metadata", "book.xml"), ("groups of levels", "regions.csv"), ("code", "own.py")
        )
    ]  # fmt: skip
    assert rows[-1].keys() == {"input", "keyed_digest"}
    outside = results(tmp_path / "handout", "release.json")
    make_bundle(outside, study, tmp_path / "c", key=key, name="Anna")
    public = (tmp_path / "c" / "inputs.json").read_text()
    assert public.count('"input"') == 4
    assert not any(word in public for word in (*digests, *digests.values()))


def test_a_bundle_of_a_release_has_public_words_only(tmp_path: Path, key: PrivateKey) -> None:
    more = '[[generator]]\nname = "maker"\nseed = 987654\nrecords = 50\nmethod = "trees"\n'
    study = write_study(tmp_path / "study", people(50, 7), more=more)
    out = results(tmp_path / "out", "release.json")
    make_bundle(out, study, tmp_path / "b", key=key, name="Anna")
    assert not (tmp_path / "b" / "study.toml").exists()
    words = json.loads((tmp_path / "b" / "study.json").read_text())
    assert words["data"] == {"replicas": ["cart", "other"]}
    assert words["generator"] == [
        {
            "name": "maker",
            "replica": "",
            "version": "",
            "method": "trees",
            "neighbours": "",
            "mechanism": "",
        }
    ]
    whole = b"".join(p.read_bytes() for p in (tmp_path / "b").rglob("*") if p.is_file())
    assert not any(text in whole for text in (b"987654", b"original.csv", str(tmp_path).encode()))


def test_a_bundle_of_a_release_holds_what_a_release_writes_and_nothing_else(
    tmp_path: Path, study: Path, key: PrivateKey
) -> None:
    out = results(tmp_path / "out", "release.json")
    for name in ("report-annexes.html", "report.xlsx", "tables/people.csv"):
        (out / name).write_text("confidential")
    for listed in (False, True):
        if listed:  # a list of whatever is there does not hand it out
            shutil.rmtree(out / "cache-internal")
            list_files(out)
        bundle = make_bundle(out, study, tmp_path / f"b{listed}", key=key, name="Anna")
        files = [p for p in (tmp_path / f"b{listed}" / "results").rglob("*") if p.is_file()]
        assert {p.name for p in files} == {
            "release.json",
            "report.html",
            "figures.csv",
            "SHA256SUMS",
        }
    assert bundle.omitted == (
        "report-annexes.html",
        "report.xlsx",
        "tables/people.csv",
    )


def test_data_in_folders_have_their_digests(tmp_path: Path, key: PrivateKey) -> None:
    study = write_study(tmp_path / "study", people(50, 7))
    text = (
        study.read_text().replace('"original.csv"', '"original"').replace('"cart.csv"', '"cart/*"')
    )
    study.write_text(text)
    for name in ("original", "cart"):
        folder = study.parent / name
        folder.mkdir()
        for i in range(2):
            people(60, i).to_parquet(folder / f"{i}.parquet")
    out = results(tmp_path / "out", "release.json")
    inputs = []
    for i in range(2):
        make_bundle(out, study, tmp_path / f"b{i}", key=key, name="Anna")
        inputs.append(json.loads((tmp_path / f"b{i}" / "inputs.json").read_text()))
        people(60, 9).to_parquet(study.parent / "original" / "1.parquet")
    assert [row.get("file") for row in inputs[0]] == [
        None,
        "0.parquet",
        "1.parquet",
        "other_1.csv",
        "other_2.csv",
    ]
    assert [a == b for a, b in zip(*inputs, strict=True)] == [False, True, True, True, True]
    table = {"rows": [{"File": "cart", "SHA-256 (first 16 digits)": "0" * 16}]}
    other = results(tmp_path / "other", "release.json", sections=[{"tables": [table]}])
    with pytest.raises(StudyError, match="cart: the file was changed since the review"):
        make_bundle(other, study, tmp_path / "c", key=key, name="Anna")
    more = (study.parent / "original" / "0.parquet",)
    with pytest.raises(StudyError, match="this is the original"):
        make_bundle(out, study, tmp_path / "c", key=key, name="Anna", more=more)


@pytest.mark.parametrize("outside", [False, True])
def test_what_no_bundle_holds_is_not_added(
    tmp_path: Path, key: PrivateKey, *, outside: bool
) -> None:
    study = write_study(tmp_path / "study", people(50, 7), people(40, 8))
    out = results(tmp_path / "out", "release.json" if outside else "review.json")
    make_ledger(study.with_suffix(".secret"), 1.0)
    make_keys(tmp_path / "ben.key")
    renamed = shutil.copyfile(study.parent / "original.csv", tmp_path / "annex.csv")
    files = {
        renamed: "the original",
        study.parent / "holdout.csv": "the holdout",
        study.with_suffix(".secret"): "the secret",
        shutil.copyfile(study.with_suffix(".secret"), tmp_path / "noise.bin"): "the secret",
        study.with_suffix(".ledger.json"): "the ledger",
        tmp_path / "ben.key": "a private key",
        **({study: "the study file"} if outside else {}),
    }
    for file, what in files.items():
        with pytest.raises(StudyError, match=f"{file.name}: this is {what}"):
            make_bundle(out, study, tmp_path / "b", key=key, name="Anna", more=(file,))
        assert not (tmp_path / "b").exists()
    added = (study.parent / "cart.csv", tmp_path / "ben.key.pub")
    make_bundle(out, study, tmp_path / "b", key=key, name="Anna", more=added)
    assert {p.name for p in (tmp_path / "b" / "files").iterdir()} == {"cart.csv", "ben.key.pub"}


@pytest.mark.parametrize("role", ["original", "holdout"])
def test_original_and_holdout_are_not_added_in_another_form(
    tmp_path: Path, key: PrivateKey, role: str
) -> None:
    study = write_study(tmp_path / "study", people(50, 7), people(40, 8))
    out = results(tmp_path / "out", "release.json")
    file = study.parent / f"{role}.csv"
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "b.tsv", sep="\t", index=False)
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(file.read_bytes()))
    frame[::-1].to_csv(tmp_path / "d.csv", index=False)
    frame[:7].assign(more=1).to_csv(tmp_path / "e.csv", index=False)
    frame[["seen", "age"]].to_csv(tmp_path / "f.csv", index=False)
    (tmp_path / "g.md").write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    shutil.copyfile(tmp_path / "a.parquet", tmp_path / "h")
    (tmp_path / "i.bin").write_bytes(gzip.compress((tmp_path / "h").read_bytes()))
    with zipfile.ZipFile(tmp_path / "j.docx", "w") as archive:
        archive.write(tmp_path / "d.csv", "d")
    names = ["a.parquet", "b.tsv", "c.csv.gz", "d.csv", "e.csv", "f.csv", "g.md", "h", "i.bin"]
    for name in (*names, "j.docx"):
        words = f"{name}: this (is|holds what is) the {role} in another form"
        with pytest.raises(StudyError, match=words):
            make_bundle(out, study, tmp_path / "b", key=key, name="Anna", more=[tmp_path / name])
    assert not (tmp_path / "b").exists()


def test_replicas_codebooks_and_what_is_no_data_are_added(tmp_path: Path, key: PrivateKey) -> None:
    original = people(50, 7)
    study = write_study(tmp_path / "study", original, people(40, 8))
    original[:45].to_csv(study.parent / "cart.csv", index=False)  # a replica that repeats people
    out = results(tmp_path / "out", "release.json")
    original[:45].to_parquet(tmp_path / "as_parquet.parquet")
    original[["sex"]].to_csv(tmp_path / "one_column.csv", index=False)
    original[["age", "sex"]][:9].to_csv(tmp_path / "bands.csv", index=False)
    people(50, 77).to_csv(tmp_path / "others.csv", index=False)
    (tmp_path / "words.pdf").write_bytes(b"%PDF-1.7 \xff")
    (tmp_path / "words.md").write_text("Ages are in years.\n")
    names = ("as_parquet.parquet", "one_column.csv", "bands.csv", "others.csv", "words.pdf")
    added = [*(tmp_path / name for name in (*names, "words.md")), study.parent / "cart.csv"]
    make_bundle(out, study, tmp_path / "b", key=key, name="Anna", more=added)
    assert {p.name for p in (tmp_path / "b" / "files").iterdir()} == {p.name for p in added}


def test_what_stays_inside_is_not_added_to_a_bundle_for_outside(
    tmp_path: Path, key: PrivateKey, study: Path
) -> None:
    internal = results(tmp_path / "internal")
    page = tmp_path / "page.html"
    page.write_text("<title>Towns \u2013 synthetic data review, annexes (checker)</title>")
    copied = shutil.copyfile(internal / "review.json", tmp_path / "copied.json")
    out = results(tmp_path / "out", "release.json")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(page.read_bytes()))
    replace_results(tmp_path / "other", {"review.json": "{}", "tables/t.csv": "of this test"})
    renamed = shutil.copyfile(tmp_path / "other" / "tables" / "t.csv", tmp_path / "renamed.txt")
    sums = shutil.copyfile(tmp_path / "other" / DIGESTS, tmp_path / "sums.txt")
    step = internal / "cache-internal" / "step"
    figures = internal / "tables" / "figures.csv"
    for file in (internal / "report.html", figures, copied, page, packed, renamed, sums, step):
        words = f"{file.name}: this (is|holds what is) of a review that stays inside"
        with pytest.raises(StudyError, match=words):
            make_bundle(out, study, tmp_path / "b", key=key, name="Anna", more=[file])
    (tmp_path / "sheet.html").write_text("<title>cart: a sheet for users</title>")
    (tmp_path / "list.json").write_text("[[[[")
    free = [tmp_path / "sheet.html", tmp_path / "list.json", out / "tables" / "figures.csv"]
    (internal / DIGESTS).unlink()
    (internal / "review.json").write_text("[]")
    make_bundle(out, study, tmp_path / "b", key=key, name="Anna", more=free)
    assert len(list((tmp_path / "b" / "files").iterdir())) == 3


def test_the_title_of_a_page_says_that_it_stays_inside() -> None:
    """As it is looked for in a file that was copied from its folder."""
    layout = Path(__file__).parents[2] / "reports" / "templates" / "_layout.html.j2"
    assert re.search(r"<title>.*\(\{\{ report\.mode \}\}\)</title>", layout.read_text())


def test_data_that_changed_since_the_review_are_refused(
    tmp_path: Path, study: Path, key: PrivateKey
) -> None:
    row = {"source": "cart.csv", "sha256": "0" * 64}
    out = results(tmp_path / "out", inputs=[row])
    with pytest.raises(StudyError, match=r"cart\.csv: the file was changed since"):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("inside", [True, False])
def test_results_of_a_study_that_was_edited_since_are_not_bundled(
    tmp_path: Path, key: PrivateKey, *, inside: bool
) -> None:
    more = '[coarsen]\nregion = "regions.csv"\n'
    study = write_study(tmp_path / "study", people(50, 7), more=more)
    groups = study.with_name("regions.csv")
    groups.write_text("level,group\nnorth,all\n")
    own = {"title": "of this test"}  # whose list of digests no other results have
    out = results(tmp_path / "out", "review.json" if inside else "release.json", **own)
    note_request(out, request_of(study, None, inside=inside))
    text = study.read_text()
    decided = text + "[release]\npairs = false\n"
    refused = {
        text.replace('"age", "sex"', '"age"'): True,
        text.replace("Towns", "Cities"): True,
        "# a comment\n" + text: False,
        decided: not inside,  # what is decided by a review is written there afterwards
        text: False,
    }
    for i, (edited, is_refused) in enumerate(refused.items()):
        study.write_text(edited)
        if is_refused:
            with pytest.raises(
                StudyError, match=r"study\.toml: since the review in .* was changed"
            ):
                make_bundle(out, study, tmp_path / f"b{i}", key=key, name="Anna")
        else:
            make_bundle(out, study, tmp_path / f"b{i}", key=key, name="Anna")
    with pytest.raises(StudyError, match="name the profile of that review with --profile"):
        make_bundle(out, study, tmp_path / "p", key=key, name="Anna", profile="illustration")
    groups.write_text("level,group\nnorth,some\n")
    with pytest.raises(StudyError, match="a file that it names was changed"):
        make_bundle(out, study, tmp_path / "g", key=key, name="Anna")
    make_bundle(out, study, tmp_path / "e", key=key, name="Anna", elsewhere=True)


@pytest.mark.parametrize("name", ["report.html", "review.json", "tables/figures.csv"])
def test_files_that_were_edited_since_the_review_are_not_signed(
    tmp_path: Path, study: Path, key: PrivateKey, name: str
) -> None:
    out = results(tmp_path / "out")
    file = out / name
    before = file.read_bytes()
    file.write_bytes(before + b" ")
    words = f"{name}: this file was changed since the review wrote it. Review the study again"
    with pytest.raises(StudyError, match=re.escape(words)):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna")
    if name != "review.json":
        file.unlink()
        with pytest.raises(StudyError, match=f"{name}: this file is gone"):
            make_bundle(out, study, tmp_path / "b", key=key, name="Anna")
    assert not (tmp_path / "b").exists()
    file.write_bytes(before)
    (out / "tables" / "own.csv").write_text("of nobody's review")
    assert make_bundle(out, study, tmp_path / "b", key=key, name="Anna").omitted == (
        "cache-internal",
        "tables/own.csv",
    )


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_list_of_files_is_of_this_user_unless_another_is_accepted(
    tmp_path: Path, study: Path, key: PrivateKey, *, elsewhere: bool
) -> None:
    out = results(tmp_path / "out")
    listed = (out / DIGESTS).read_text()
    (out / DIGESTS).unlink()
    with pytest.raises(StudyError, match="SHA256SUMS, which a review writes beside its files"):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=elsewhere)
    twice = f"{'0' * 64}  report.html\n{listed}"
    for text in ("", "hello\n", listed + "0  x\n", "\xff", twice):
        (out / DIGESTS).write_text(text, encoding="latin-1")
        with pytest.raises(StudyError, match="is not there or is damaged"):
            make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=elsewhere)
    (out / DIGESTS).write_text(listed + f"{'0' * 64}  ../study.toml\n")
    with pytest.raises(StudyError, match=r"study\.toml: this file is gone"):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=elsewhere)
    # Whoever edits a page may edit the list, too.
    (out / "report.html").write_text("<p>edited</p>")
    digest = hashlib.sha256(b"<p>edited</p>").hexdigest()
    edited = re.sub(r"\w+(?=  report.html)", digest, listed)
    (out / DIGESTS).write_text(edited)
    if elsewhere:
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=True)
        assert "written by another user or computer" in (tmp_path / "b" / MANIFEST).read_text()
    else:
        with pytest.raises(StudyError, match="or another user or computer wrote it"):
            make_bundle(out, study, tmp_path / "b", key=key, name="Anna")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_results_that_the_list_lacks_are_of_no_review(
    tmp_path: Path, study: Path, key: PrivateKey, *, elsewhere: bool
) -> None:
    """Such a file could tell another classification, and other digests of the replicas."""
    out = results(tmp_path / "out", "release.json")
    (out / "review.json").write_text('{"classification": "internal"}')
    with pytest.raises(StudyError, match=r"review\.json: SHA256SUMS does not list this file"):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=elsewhere)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("review.json", {"decision": [{"replica": "tree"}]}),
        ("release.json", {"replicas": [{"Replica": "tree"}]}),
    ],
)
def test_results_of_another_study_are_refused(
    tmp_path: Path, study: Path, key: PrivateKey, name: str, entries: dict[str, Any]
) -> None:
    out = results(tmp_path / "out", name, **entries)
    with pytest.raises(
        StudyError, match=r"study\.toml: no replica of this study is in the results"
    ):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=True)
    text = json.dumps(entries).replace("tree", "cart")
    own = results(tmp_path / "own", name, **json.loads(text))
    assert make_bundle(own, study, tmp_path / "b", key=key, name="Anna").problems == ()


@pytest.mark.parametrize(
    "entries",
    [
        {"classification": "internal"},
        {"classification": "release", "replicas": ["cart"]},
        {"classification": "secret"},
        {"classification": "release", "inputs": 3},
        {"classification": "release", "inputs": ["cart.csv"]},
        {"classification": "release", "sections": [{"tables": None}]},
        {"classification": "release", "sections": [{"tables": [{"rows": [3]}]}]},
    ],
)
def test_results_of_another_shape_are_a_sentence(
    tmp_path: Path, study: Path, key: PrivateKey, entries: dict[str, Any]
) -> None:
    out = results(tmp_path / "out", "release.json")
    (out / "release.json").write_text(json.dumps(entries))
    list_files(out)
    with pytest.raises(StudyError, match="expected the folder of a review"):
        make_bundle(out, study, tmp_path / "b", key=key, name="Anna", elsewhere=True)


def test_a_folder_without_results_and_one_that_is_not_empty_are_refused(
    tmp_path: Path, study: Path, key: PrivateKey
) -> None:
    with pytest.raises(StudyError, match="expected the folder of a review"):
        make_bundle(tmp_path, study, tmp_path / "b", key=key, name="Anna")
    out = results(tmp_path / "out")
    with pytest.raises(StudyError, match="not empty"):
        make_bundle(out, study, out, key=key, name="Anna")
    with pytest.raises(FileError, match="expected a bundle"):
        check_bundle(out, [key.public])


def test_the_list_is_an_ro_crate(prepared: Path) -> None:
    crate = json.loads((prepared / MANIFEST).read_text())
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert entities[MANIFEST]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    parts = {part["@id"] for part in entities["./"]["hasPart"]}
    assert {"name", "description", "datePublished", "license"} <= entities["./"].keys()
    files = {name for name, entity in entities.items() if entity["@type"] == "File"}
    assert parts == files
    assert entities["results/tables/figures.csv"]["contentSize"] == "22"
    assert entities["results/tables/figures.csv"]["encodingFormat"] == "text/csv"
    assert {entities[name]["encodingFormat"] for name in files if name.endswith(".json")} == {
        "application/json"
    }


def test_a_private_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    public = make_keys(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(FileError, match="chmod 600 key"):
        read_private_key(tmp_path / "key")
    with pytest.raises(FileError, match="not overwritten"):
        make_keys(tmp_path / "key")
    with pytest.raises(FileError, match="expected a public key"):
        read_public_key(tmp_path / "key")
    with pytest.raises(FileError, match=r"the key cannot be read \(No such file"):
        read_public_key(tmp_path / "absent.pub")
    public.chmod(0o600)
    with pytest.raises(FileError, match="expected a private key"):
        read_private_key(public)


def test_without_the_package_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography", None)
    with pytest.raises(StudyError, match=r"pip install .sdcmetrics\[sign\]"):
        make_keys(tmp_path / "key")
    assert not (tmp_path / "key").exists()


def test_a_record_has_one_spelling_only(key: PrivateKey) -> None:
    record = signed_anyhow(["prepared"], "0" * 64, key)[0]
    assert read_states(as_bytes([record]), "") == (record,)
    with pytest.raises(FileError):
        read_states(json.dumps([asdict(record)]).encode(), "")


def test_a_state_is_not_earlier_than_the_one_before(key: PrivateKey) -> None:
    noon = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)
    records: tuple[StateRecord, ...] = ()
    for state, hours in (("prepared", 0), ("checked", 1)):
        at = noon + dt.timedelta(hours=hours)
        records = add_state(records, state, name="Anna", content="ab", key=key, time=at)
    says = "the state before, checked, is of 2026-11-23T13:00:00Z, which is later than 2026-11-23T"
    with pytest.raises(StudyError, match=says):
        add_state(records, "signed", name="Anna", content="ab", key=key, time=noon)


def test_a_profile_stands_beside_the_study_or_where_it_is_named_and_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (PROFILES / "illustration.toml").read_text("utf-8")
    named = profile_entries("illustration", tmp_path / "study.toml")
    assert named == tomllib.loads(text)
    for folder, cell in (("here", 11), ("there", 12)):
        own = text.replace("min_cell = 10", f'min_cell = {cell}\nkey = "secret {folder}"')
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.toml").write_text(own, "utf-8")
    monkeypatch.chdir(tmp_path / "there")
    for study, cell in ((tmp_path / "here" / "study.toml", 11), (tmp_path / "study.toml", 12)):
        result = profile_entries("own.toml", study)
        assert result == {**named, "profile": {**named["profile"], "min_cell": cell}}
