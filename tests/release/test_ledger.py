"""Secret and ledger: made once, for their owner's eyes, and what is spent stays spent."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.errors import FileError, ReleaseBlocked, StudyError
from sdcmetrics.microdata.locks import lock
from sdcmetrics.release import counted
from sdcmetrics.release.answers import ask, make_ledger
from sdcmetrics.release.files import earlier_files, enter_replicas
from sdcmetrics.release.ledger import Ledger, charge, ledger_file, read_ledger, write_ledger
from sdcmetrics.release.secret import locked, make_secret, read_secret, refuse_inside
from tests.release.studies import DATE, people, public_of, with_row, write_study

PERSON = {"age": 19, "sex": "1", "region": "north", "seen": ""}
OF_ONE = """
[data.replicas]
cart = "cart.csv"
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(tmp_path, people(200, 5))


def without_other(study: Path) -> Path:
    """Write a second study file, of one replica only, with the same secret."""
    file = study.with_name("first.toml")
    text = study.read_text().replace('other = ["other_1.csv", "other_2.csv"]\n', "")
    file.write_text(text + '\n[release]\nsecret = "study.secret"\n')
    return file


def ledger_of(study: Path) -> Ledger:
    secret = study.with_suffix(".secret")
    return read_ledger(ledger_file(secret), read_secret(secret))


def test_the_first_release_makes_both_for_the_owner_only(study: Path) -> None:
    ask(study, public_of(study))
    for name in ("study.secret", "study.ledger.json"):
        assert (study.parent / name).stat().st_mode & 0o777 == 0o600
    assert len((study.parent / "study.secret").read_bytes()) == 32


def test_the_same_questions_have_the_same_answers_for_free(study: Path) -> None:
    first = ask(study, public_of(study))
    again = ask(study, public_of(study))
    assert again.answers == first.answers
    assert ledger_of(study).spent == pytest.approx(1, abs=1e-3)
    assert [release["new"] for release in ledger_of(study).releases] == [len(first.answers), 0]


def test_another_secret_gives_other_answers(tmp_path: Path) -> None:
    files = [write_study(tmp_path / name, people(200, 5)) for name in "ab"]
    first, other = (ask(file, public_of(file)) for file in files)
    assert list(first.answers) == list(other.answers)
    assert first.answers != other.answers


def test_the_mus_of_releases_add_up_as_squares(study: Path) -> None:
    first = without_other(study)
    one = ask(first, public_of(first), mu=0.6)
    file = study
    file.write_text(file.read_text() + '\n[release]\nsecret = "study.secret"\n')
    both = ask(file, public_of(file), mu=0.8)
    assert {q: a for q, a in both.answers.items() if q in one.answers} == one.answers
    assert ledger_of(study).spent == pytest.approx(1, abs=1e-3)
    assert ledger_of(study).spent <= 1


def test_a_spent_budget_is_refused(study: Path) -> None:
    first = without_other(study)
    ask(first, public_of(first))
    study.write_text(study.read_text() + '\n[release]\nsecret = "study.secret"\n')
    with pytest.raises(ReleaseBlocked, match="budget spent"):
        ask(study, public_of(study), mu=0.1)
    ask(first, public_of(first))  # what was told can be told again


def test_a_second_release_says_what_it_spends(study: Path) -> None:
    first = without_other(study)
    ask(first, public_of(first), mu=0.5)
    study.write_text(study.read_text() + '\n[release]\nsecret = "study.secret"\n')
    with pytest.raises(ReleaseBlocked, match="--mu"):
        ask(study, public_of(study))
    with pytest.raises(ReleaseBlocked, match=r"mu 0\.9"):
        ask(study, public_of(study), mu=0.9)


def test_noise_is_what_the_price_says(study: Path) -> None:
    sums = ask(study, public_of(study), mu=0.5)
    whole = sum(q.weight for q in sums.answers)
    for question, answer in sums.answers.items():
        expected = float(whole / question.weight) / 0.25
        assert float(answer.variance) == pytest.approx(expected, rel=0.01)


def test_a_changed_original_needs_a_new_secret_and_the_ledger_goes_on(study: Path) -> None:
    before = ask(study, public_of(study), mu=0.6)
    with_row(people(200, 5), PERSON).to_csv(study.parent / "original.csv", index=False)
    with pytest.raises(ReleaseBlocked, match="--new-secret"):
        ask(study, public_of(study), mu=0.6)
    old = read_secret(study.with_suffix(".secret"))
    after = ask(study, public_of(study), mu=0.6, new_secret=True)
    assert read_secret(study.with_suffix(".secret")) != old
    assert not list(study.parent.glob("*.old"))
    assert ledger_of(study).spent == pytest.approx(math.hypot(0.6, 0.6), abs=1e-3)
    assert after.answers != before.answers
    with pytest.raises(ReleaseBlocked, match="budget spent"):
        ask(study, public_of(study), mu=0.6, new_secret=True)


@pytest.mark.parametrize("mu", [0.9, None])
def test_a_new_secret_that_cannot_be_paid_leaves_the_old_one(study: Path, mu: float | None) -> None:
    before = ask(study, public_of(study), mu=0.6)
    files = [study.with_suffix(".secret"), study.with_suffix(".ledger.json")]
    content = [file.read_bytes() for file in files]
    with pytest.raises(ReleaseBlocked, match=r"0\.6 of 1 is spent"):
        ask(study, public_of(study), mu=mu, new_secret=True)
    assert [file.read_bytes() for file in files] == content
    assert ask(study, public_of(study)).answers == before.answers


def test_the_order_of_the_records_is_no_change(study: Path) -> None:
    before = ask(study, public_of(study))
    people(200, 5).iloc[::-1].to_csv(study.parent / "original.csv", index=False)
    assert ask(study, public_of(study)).answers == before.answers


def test_a_holdout_that_comes_later_leaves_the_noise_of_the_original_alone(tmp_path: Path) -> None:
    # What is free because it was answered before must be the answer of before.
    study = write_study(tmp_path, people(200, 5))
    before = ask(study, public_of(study), mu=0.6)
    study = write_study(tmp_path, people(200, 5), people(60, 7))
    after = ask(study, public_of(study), mu=0.8)
    common = before.answers.keys() & after.answers.keys()
    assert {question.measure for question in common} >= {"UiO", "repU", "TVD"}
    assert {q: before.answers[q] for q in common} == {q: after.answers[q] for q in common}
    new = len(after.answers) - len(common)
    assert [release["new"] for release in ledger_of(study).releases] == [len(before.answers), new]


def test_a_question_of_keys_alone_has_nothing_to_do_with_groups(tmp_path: Path) -> None:
    study = write_study(tmp_path, people(200, 5))
    before = ask(study, public_of(study), mu=0.6)
    study = write_study(tmp_path, people(200, 5), more="[options]\nngroups = 4\n")
    after = ask(study, public_of(study), mu=0.8)
    common = {q.measure for q in before.answers.keys() & after.answers.keys()}
    assert common == {"records", "nearest", "UiO", "repU", "DiSCO"}


def test_a_changed_holdout_is_a_change(tmp_path: Path) -> None:
    study = write_study(tmp_path, people(200, 5), people(60, 7))
    ask(study, public_of(study))
    people(60, 8).to_csv(tmp_path / "holdout.csv", index=False)
    with pytest.raises(ReleaseBlocked, match="the holdout changed"):
        ask(study, public_of(study))


def test_a_secret_that_others_can_read_is_refused(study: Path) -> None:
    ask(study, public_of(study))
    study.with_suffix(".secret").chmod(0o644)
    with pytest.raises(FileError, match="chmod 600"):
        ask(study, public_of(study))


def test_a_ledger_without_secret_and_a_secret_without_ledger(study: Path) -> None:
    ask(study, public_of(study))
    ledger = study.parent / "study.ledger.json"
    text = ledger.read_text()
    ledger.unlink()
    with pytest.raises(ReleaseBlocked, match="not the ledger"):
        ask(study, public_of(study))
    ledger.write_text(text)
    study.with_suffix(".secret").unlink()
    with pytest.raises(ReleaseBlocked, match="not the secret"):
        ask(study, public_of(study))


@pytest.mark.parametrize("entry", ["budget", "entries", "original"])
def test_a_ledger_that_was_changed_is_refused(study: Path, entry: str) -> None:
    ask(study, public_of(study))
    ledger = study.parent / "study.ledger.json"
    entries = json.loads(ledger.read_text())
    entries[entry] = {"budget": 9.0, "entries": [], "original": "0" * 64}[entry]
    ledger.write_text(json.dumps(entries))
    with pytest.raises(ReleaseBlocked, match="was changed"):
        ask(study, public_of(study))


def test_a_ledger_that_may_not_be_read_is_not_called_damaged(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(study, public_of(study))

    def refused(_: Path, **__: str) -> str:
        raise PermissionError

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_text", refused)
        with pytest.raises(ReleaseBlocked, match=r"cannot be read.*Check its permissions"):
            read_ledger(study.parent / "study.ledger.json", b"")


def test_the_budget_is_what_the_first_release_fixed(study: Path) -> None:
    ask(study, public_of(study))
    study.write_text(study.read_text() + "\n[release]\nbudget = 2.0\n")
    with pytest.raises(ReleaseBlocked, match="fixed 1"):
        ask(study, public_of(study))


def test_another_study_of_the_same_original_has_no_budget_of_its_own(study: Path) -> None:
    ask(study, public_of(study))
    other = study.with_name("other.toml")
    other.write_text(study.read_text())
    with pytest.raises(ReleaseBlocked, match=r"study\.secret"):
        ask(other, public_of(other))
    assert not other.with_suffix(".secret").exists()


def test_people_have_one_budget_in_whichever_data_set_they_are(tmp_path: Path) -> None:
    first, second = people(200, 5), people(150, 7)
    study = write_study(tmp_path, first, second)
    ask(study, public_of(study), mu=0.6)
    other = tmp_path / "other.toml"
    text = study.read_text().replace('"original.csv"', '"swap.csv"')
    text = text.replace('"holdout.csv"', '"original.csv"').replace('"swap.csv"', '"holdout.csv"')
    for entries in (text, text.replace('holdout = "original.csv"\n', "")):
        other.write_text(entries)
        with pytest.raises(ReleaseBlocked, match=r"study\.secret is the secret of a release that"):
            ask(other, public_of(other), mu=0.6)
        assert not other.with_suffix(".secret").exists()
    other.write_text(text + '[release]\nsecret = "study.secret"\n')
    ask(other, public_of(other), mu=0.6, new_secret=True)
    assert ledger_of(study).spent == pytest.approx(math.hypot(0.6, 0.6), abs=1e-3)


@pytest.mark.parametrize("linked", [("secret",), ("secret", "ledger.json"), ("ledger.json",)])
def test_studies_with_links_to_one_ledger_have_one_budget(
    tmp_path: Path, linked: tuple[str, ...]
) -> None:
    studies = [write_study(tmp_path / name, people(200, 5)) for name in ("a", "b")]
    ask(studies[0], public_of(studies[0]), mu=0.6)
    (tmp_path / "vault").mkdir()
    for suffix in ("secret", "ledger.json"):
        file = studies[0].with_suffix(f".{suffix}").rename(tmp_path / "vault" / f"x.{suffix}")
        for study in studies:
            if suffix in linked:
                study.with_suffix(f".{suffix}").symlink_to(file)
            elif linked == ("ledger.json",):
                shutil.copy(file, study.with_suffix(f".{suffix}"))
    for study in studies:
        study.write_text(study.read_text() + "[options]\nngroups = 4\n")
    ask(studies[0], public_of(studies[0]), mu=0.6)
    studies[1].write_text(studies[1].read_text().replace("= 4", "= 3"))
    with pytest.raises(ReleaseBlocked, match=r"0\.849 of 1 is spent"):
        ask(studies[1], public_of(studies[1]), mu=0.6)


def test_a_secret_that_others_can_read_has_spent_its_budget_all_the_same(study: Path) -> None:
    ask(study, public_of(study))
    study.with_suffix(".secret").chmod(0o644)
    other = study.rename(study.with_name("other.toml"))
    with pytest.raises(ReleaseBlocked, match=r'secret = "study\.secret"'):
        ask(other, public_of(other))


@pytest.mark.parametrize("mu", [0.0, -0.5, math.nan, math.inf])
def test_a_price_that_is_none(study: Path, mu: float) -> None:
    with pytest.raises(StudyError, match="mu: expected a number above 0"):
        ask(study, public_of(study), mu=mu)
    assert not ledger_of(study).entries


def test_the_ledger_holds_no_word_of_data_or_study(study: Path) -> None:
    ask(study, public_of(study))
    text = (study.parent / "study.ledger.json").read_text()
    for word in ("north", "isles", "region", "age", "cart", "DiSCO", "Towns"):
        assert word not in text


def test_a_secret_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a.secret"
    value = make_secret(file)
    with pytest.raises(FileError, match="not overwritten"):
        make_secret(file)
    assert read_secret(file) == value
    assert [path.name for path in tmp_path.iterdir()] == ["a.secret"]


def test_a_secret_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "a.secret"
    file.write_bytes(b"short")
    file.chmod(0o600)
    with pytest.raises(FileError, match="32 bytes"):
        read_secret(file)


def test_two_releases_at_a_time_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.secret"
    make_secret(file)
    with locked(file), pytest.raises(StudyError, match="another release"), locked(file):
        pass


def test_a_new_secret_is_locked_too(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else another release would enter its questions, and be written over.
    ask(study, public_of(study), mu=0.6)
    place = study.with_suffix(".secret")
    tried = []

    def tries(*given: Any) -> Any:
        if ledger_of(study).holdout is None and read_secret(place) != old:
            with pytest.raises(StudyError, match="another release"), locked(place):
                pass
            tried.append(place)
        return charge(*given)

    old = read_secret(place)
    monkeypatch.setattr("sdcmetrics.release.answers.charge", tries)
    ask(study, public_of(study), mu=0.6, new_secret=True)
    assert tried == [place]


def test_a_secret_that_was_replaced_while_it_was_locked_is_not_used(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(study, public_of(study), mu=0.6)
    place = study.with_suffix(".secret")

    def late(path: Path) -> Any:
        shutil.copy(path, study.with_name("new"))
        held = lock(path)
        study.with_name("new").replace(path)
        return held

    monkeypatch.setattr("sdcmetrics.release.secret.lock", late)
    with pytest.raises(StudyError, match="another release"), locked(place):
        pass


def test_a_secret_never_lies_in_what_is_handed_out(tmp_path: Path) -> None:
    with pytest.raises(ReleaseBlocked, match="go out with it"):
        refuse_inside(tmp_path / "out" / "deep" / "a.secret", tmp_path / "out")
    refuse_inside(tmp_path / "a.secret", tmp_path / "out")


def test_small_replicas_are_refused(tmp_path: Path) -> None:
    file = write_study(tmp_path, people(200, 5), size=99)
    with pytest.raises(ReleaseBlocked, match="99 records"):
        public_of(file)


def test_one_replica_under_two_names_is_asked_once(study: Path) -> None:
    study.write_text(
        study.read_text().replace('other = ["other_1.csv", "other_2.csv"]', 'twin = "cart.csv"')
    )
    sums = ask(study, public_of(study))
    by_name = [
        {q.measure + str(q.place): a for q, a in sums.answers.items() if q.replica == name}
        for name in ("cart", "twin")
    ]
    assert by_name[0] == by_name[1]
    assert ledger_of(study).spent == pytest.approx(1, abs=1e-3)


def one_of_two_releases(study: Path) -> tuple[Path, bytes]:
    """Make two releases; return the ledger's file, and what the first left in it."""
    first = without_other(study)
    ask(first, public_of(first), mu=0.6)
    file = study.with_suffix(".ledger.json")
    before = file.read_bytes()
    ask(study, public_of(study), mu=0.7)
    return file, before


def test_an_older_copy_of_the_ledger_does_not_spend_the_budget_again(study: Path) -> None:
    file, before = one_of_two_releases(study)
    last = file.read_bytes()
    file.write_bytes(before)
    words = r"this is an older copy of the ledger: it has \d+ of \d+ questions, 1 of 2"
    with pytest.raises(ReleaseBlocked, match=words):
        ask(study, public_of(study), mu=0.7)
    with pytest.raises(ReleaseBlocked, match=words):
        earlier_files(study)
    file.write_bytes(last)
    assert len(ask(study, public_of(study)).answers) > 0


def test_an_older_copy_is_used_by_whoever_answers_for_it(study: Path) -> None:
    file, before = one_of_two_releases(study)
    file.write_bytes(before)
    with pytest.raises(ReleaseBlocked, match="older copy") as refused:
        ledger_of(study)
    Path(str(refused.value).rsplit("remove ", 1)[1].rstrip(".")).unlink()
    assert ledger_of(study).spent == pytest.approx(0.6, abs=1e-3)


def test_an_older_copy_beside_it_has_spent_its_budget_all_the_same(study: Path) -> None:
    file, before = one_of_two_releases(study)
    file.write_bytes(before)
    other = study.with_name("other.toml")
    other.write_text(study.read_text())
    with pytest.raises(ReleaseBlocked, match=r"study\.secret is the secret of the same"):
        ask(other, public_of(other))


def test_files_that_are_out_are_counted(study: Path) -> None:
    enter_replicas(study, ["cart"], DATE)
    file = study.with_suffix(".ledger.json")
    before = file.read_bytes()
    enter_replicas(study, ["other"], DATE)
    file.write_bytes(before)
    with pytest.raises(ReleaseBlocked, match="it has 1 of 3 files handed out of the one"):
        earlier_files(study)


def test_a_secret_that_was_renewed_is_an_older_one(study: Path) -> None:
    names = ("study.secret", "study.ledger.json")
    ask(study, public_of(study), mu=0.5)
    former = {name: (study.parent / name).read_bytes() for name in names}
    changed = with_row(people(200, 5), PERSON)
    changed.to_csv(study.parent / "original.csv", index=False)
    ask(study, public_of(study), mu=0.5, new_secret=True)
    for name, content in former.items():
        (study.parent / name).write_bytes(content)
    people(200, 5).to_csv(study.parent / "original.csv", index=False)
    with pytest.raises(ReleaseBlocked, match="1 of 2 releases"):
        ask(study, public_of(study))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_its_owner_may_see_what_was_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted, "state_folder", lambda: tmp_path)
    counted.note_counted(bytes(32), (1, 1, 1))
    assert (tmp_path / "ledgers").stat().st_mode & 0o077 == 0
    assert len(list((tmp_path / "ledgers").iterdir())) == 1


@pytest.mark.parametrize("note", ["", "x y z", "9", "9 9"])
def test_a_note_that_is_damaged_or_cannot_be_kept_refuses_nothing(
    study: Path, monkeypatch: pytest.MonkeyPatch, note: str
) -> None:
    file, before = one_of_two_releases(study)
    file.write_bytes(before)
    with pytest.raises(ReleaseBlocked, match="older copy") as refused:
        ledger_of(study)
    Path(str(refused.value).rsplit("remove ", 1)[1].rstrip(".")).write_text(note)
    assert len(ledger_of(study).releases) == 1
    monkeypatch.setattr(counted, "state_folder", lambda: None)
    counted.note_counted(bytes(32), (1, 1, 1))
    counted.refuse_older(file, bytes(32), (0, 0, 0), lambda _: "")


def test_of_two_copies_that_went_on_apart_one_alone_is_used(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = one_of_two_releases(study)
    last, here = file.read_bytes(), ledger_of(study)
    study.write_text(f"{study.read_text()}[options]\nngroups = 3\n")
    with monkeypatch.context() as there:  # which knows nothing of what was seen here
        there.setattr(counted, "state_folder", lambda: tmp_path / "there")
        file.write_bytes(before)
        ask(study, public_of(study), mu=0.7)
        apart = ledger_of(study)
    # It has as many entries, so that it is no older copy; and not those of this one.
    assert all(a >= b for a, b in zip(apart.counted, here.counted, strict=True))
    with pytest.raises(ReleaseBlocked, match="does not go on from the one that you used last"):
        ask(study, public_of(study))
    with pytest.raises(ReleaseBlocked, match="does not go on") as refused:
        earlier_files(study)
    file.write_bytes(last)
    assert ledger_of(study).entries == here.entries
    file.write_bytes(json.dumps({}).encode())
    Path(str(refused.value).rsplit("remove ", 1)[1].rstrip(".")).unlink()
    write_ledger(file, apart, read_secret(study.with_suffix(".secret")))
    assert ledger_of(study).entries == apart.entries


def test_what_was_read_once_is_known_as_what_was_written_is(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = one_of_two_releases(study)
    monkeypatch.setattr(counted, "state_folder", lambda: tmp_path / "another computer")
    assert len(ledger_of(study).releases) == 2
    file.write_bytes(before)
    with pytest.raises(ReleaseBlocked, match="older copy"):
        ledger_of(study)


PANEL = '[release]\nunit = "person"\nrows = 2\n'


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("", '[read]\nmissing = ["", "NA", "isles"]\n'),
        (PANEL, PANEL.replace("2", "3")),
        (PANEL, '[release]\nunit = ""\n'),
        ('[release]\nunit = ""\n', PANEL),
        ('[release]\nsecret = "ours"\n', ""),
    ],
    ids=["missing", "rows", "no unit", "unit", "a secret of any name"],
)
def test_the_same_people_read_otherwise_have_no_second_budget(
    tmp_path: Path, first: str, second: str
) -> None:
    original = people(200, 5).assign(person=[f"p{i // 4}" for i in range(200)])
    study = write_study(tmp_path, original, more=first)
    ask(study, public_of(study), mu=0.5)
    other = study.with_name("other.toml")
    write_study(tmp_path / "elsewhere", original, more=second)
    other.write_text((tmp_path / "elsewhere" / "study.toml").read_text())
    with pytest.raises(ReleaseBlocked, match="is the secret of the same original"):
        ask(other, public_of(other))
    assert not other.with_suffix(".secret").exists()


def test_a_holdout_that_is_read_otherwise_is_no_original_with_a_budget(tmp_path: Path) -> None:
    study = write_study(tmp_path, people(200, 5), people(200, 6))
    ask(study, public_of(study))
    other = study.with_name("other.toml")
    text = study.read_text().replace('"original.csv"', '"holdout.csv"')
    text = text.replace('holdout = "holdout.csv"\n', "")
    other.write_text(f'{text}[read]\nmissing = ["", "NA", "isles"]\n')
    with pytest.raises(ReleaseBlocked, match="people have one budget"):
        ask(other, public_of(other))


def full(*_: object) -> None:
    msg = "study.ledger.json: the ledger cannot be written (No space left on device)."
    raise FileError(msg)


def test_a_ledger_that_cannot_be_written_leaves_no_secret(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as disk:
        disk.setattr("sdcmetrics.release.answers.write_ledger", full)
        with pytest.raises(FileError, match="No space left"):
            enter_replicas(study, ["cart"], DATE)
    assert sorted(file.suffix for file in study.parent.glob("study*")) == [".toml"]


def test_a_new_secret_whose_ledger_cannot_be_written_leaves_the_old_one(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(study, public_of(study), mu=0.5)
    secret = read_secret(study.with_suffix(".secret"))
    with_row(people(200, 5), PERSON).to_csv(study.parent / "original.csv", index=False)
    with monkeypatch.context() as disk:
        disk.setattr("sdcmetrics.release.answers.write_ledger", full)
        with pytest.raises(FileError, match="No space left"):
            ask(study, public_of(study), mu=0.5, new_secret=True)
    assert read_secret(study.with_suffix(".secret")) == secret
    assert ledger_of(study).spent == pytest.approx(0.5, abs=1e-3)


def test_a_change_of_secrets_that_was_cut_off_is_undone_by_its_name(study: Path) -> None:
    ask(study, public_of(study), mu=0.5)
    secret = study.with_suffix(".secret")
    former = secret.rename(secret.with_name("study.secret.old"))
    for attempt in (lambda: ask(study, public_of(study)), lambda: earlier_files(study)):
        with pytest.raises(ReleaseBlocked, match=r"call study\.secret\.old study\.secret again"):
            attempt()
    former.rename(secret)
    assert len(ask(study, public_of(study)).answers) > 0


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_a_secret_without_its_ledger_yet_is_used_by_nobody_else(tmp_path: Path) -> None:
    file = tmp_path / "a.secret"
    attempts = []

    def attempt(_: bytes) -> None:
        attempts.append(file.exists())
        with pytest.raises(StudyError, match="another release asks"), locked(file):
            pass

    make_secret(file, attempt)
    assert attempts == [True]
    with locked(file):
        pass


def test_who_makes_a_ledger_second_uses_the_first(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def after_another(file: Path, then: Any) -> bytes:
        with monkeypatch.context() as plain:
            plain.setattr("sdcmetrics.release.answers.make_secret", make_secret)
            make_ledger(file, 1.0)
        return make_secret(file, then)

    monkeypatch.setattr("sdcmetrics.release.answers.make_secret", after_another)
    make_ledger(study.with_suffix(".secret"), 0.5)
    assert ledger_of(study).budget == 1.0
