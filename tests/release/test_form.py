"""The form of a release follows from public things: with figures masked, releases are equal."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import pandas as pd
import pytest

from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.measure import PeopleSum, Release
from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.release import estimates, questions
from sdcmetrics.release.answers import NoisySum, NoisySums, ask, noisy, read_request
from sdcmetrics.release.original import read_people
from sdcmetrics.release.public import Public
from sdcmetrics.release.questions import questions_of
from sdcmetrics.release.sums import Confidential, exact_sums
from sdcmetrics.report.outside import edition as editions
from sdcmetrics.report.outside import parts, words, write
from sdcmetrics.report.outside.write import files_of, write_release
from sdcmetrics.study.roles import Scenario
from tests.release.studies import DATE, confidential, people, public_of, with_row, write_study

ODD = {"age": "unknown", "sex": "x", "region": "moon", "seen": "05/06/2020"}
ORIGINALS = {
    "people": people(200, 5),
    "others": people(90, 6),
    "nobody": people(200, 5).iloc[:0],
    "one odd answer": with_row(people(200, 5), ODD),
    "odd answers only": pd.DataFrame([ODD] * 150),
    "the replica itself": people(120, 1),
    "one person": people(1, 9),
}
MASK = re.compile(
    r'<span class="figure">.*?</span></td>|<span class="figure">.*?</span></th>', re.DOTALL
)


def answers(public: Public, people_of: Confidential, key: bytes = bytes(32)) -> NoisySums:
    """Return noisy sums at a fixed price."""
    variance = Fraction(90)
    return NoisySums(
        {
            q: noisy(q, exact_sums(q, public, people_of), variance, key)
            for q in questions_of(public)
        },
        1.0,
    )


def without_figures(files: dict[str, str | bytes]) -> dict[str, str]:
    """Return files with every figure masked."""
    html = MASK.sub("#", str(files["report.html"]))
    document = json.loads(files["release.json"])

    def masked(value: Any) -> Any:
        if isinstance(value, dict):
            if "figure" in value:
                return "#"
            hidden = {"value", "low", "high", "sd", "status"} if "measure" in value else set()
            return {k: "#" if k in hidden else masked(v) for k, v in value.items()}
        return [masked(item) for item in value] if isinstance(value, list) else value

    table = pd.read_csv(__import__("io").StringIO(str(files["tables/figures.csv"])))
    table = table.drop(columns=["value", "low", "high", "sd", "status"])
    return {
        "html": html,
        "json": json.dumps(masked(document)),
        "csv": table.to_csv(),
        "names": " ".join(files),
    }


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Public:
    folder = tmp_path_factory.mktemp("form")
    return public_of(write_study(folder, people(200, 5), people(60, 7)))


@pytest.mark.parametrize("name", list(ORIGINALS)[1:])
def test_masked_releases_are_equal(public: Public, name: str) -> None:
    masked = [
        without_figures(
            files_of(
                editions.release_edition(
                    public, answers(public, confidential(ORIGINALS[item], people(60, 7)))
                )
            )
        )
        for item in ("people", name)
    ]
    assert masked[0] == masked[1]
    assert "#" in masked[0]["html"]
    assert "moon" not in masked[1]["html"]


@pytest.mark.parametrize("name", list(ORIGINALS)[1:])
def test_equal_noisy_sums_give_equal_bytes(public: Public, name: str) -> None:
    # With the figures themselves fixed, files are equal byte for byte, PDF and all.
    sums = answers(public, confidential(ORIGINALS["people"], people(60, 7)))
    other = answers(public, confidential(ORIGINALS[name], people(60, 7)))
    fixed = NoisySums(
        {q: NoisySum((60,) * len(a.values), a.variance) for q, a in sums.answers.items()}, 1
    )
    again = NoisySums(
        {q: NoisySum((60,) * len(a.values), a.variance) for q, a in other.answers.items()}, 1
    )
    assert files_of(editions.release_edition(public, fixed)) == files_of(
        editions.release_edition(public, again)
    )


@pytest.mark.parametrize("name", [name for name in ORIGINALS if name != "nobody"])
def test_questions_and_their_noise_are_the_same_from_files_too(tmp_path: Path, name: str) -> None:
    # A file without records is refused before anything is asked.
    file = write_study(tmp_path / "a", ORIGINALS[name])
    reference = write_study(tmp_path / "b", ORIGINALS["people"])
    sums = [ask(item, public_of(item)) for item in (file, reference)]
    forms = [[(q, a.variance, len(a.values)) for q, a in item.answers.items()] for item in sums]
    assert forms[0] == forms[1]
    assert sums[0].mu == sums[1].mu


def test_sums_from_a_file_are_those_of_the_entries(tmp_path: Path) -> None:
    frame = with_row(people(200, 5), ODD)
    file = write_study(tmp_path, frame)
    public = public_of(file)
    from sdcmetrics.release.answers import read_request
    from sdcmetrics.release.original import read_people

    given = read_people(read_request(file), file, public)
    for question in questions_of(public):
        assert exact_sums(question, public, given) == exact_sums(
            question, public, confidential(frame)
        )


@pytest.mark.parametrize(
    ("name", "keys", "called"),
    [
        ("neighbour", ("a", "b"), "neighbour"),
        ("default", ("a", "b", "c"), "a, b, c"),
        ("default", ("a", "b", "c", "d"), "4 columns"),
    ],
)
def test_a_scenario_without_a_name_is_called_by_its_keys(
    name: str, keys: tuple[str, ...], called: str
) -> None:
    assert words.called(Scenario(name, keys, ("t",))) == called


def test_a_release_says_what_its_figures_of_several_files_are_of(public: Public) -> None:
    said = "copies, near records and people who recur are of all of them together"
    single = replace(public, replicas=public.replicas[:1])
    for asked, several in ((public, True), (single, False)):
        sums = answers(asked, confidential(people(200, 5), people(60, 7)))
        (section,) = (
            part
            for part in editions.release_edition(asked, sums).sections
            if part.identity == "replicas"
        )
        assert (said in section.tables[0].note) is several
    (section, *_) = editions.coarse_edition(public).sections
    assert not section.tables[0].note  # it has no figure


@pytest.mark.parametrize("make", [editions.release_edition, editions.coarse_edition])
def test_an_edition_is_made_of_public_things_and_noisy_sums_alone(make: Any) -> None:
    hints = get_type_hints(make)
    hints.pop("return")
    assert set(hints.values()) <= {Public, NoisySums}


def test_public_things_are_read_where_there_is_no_original(tmp_path: Path) -> None:
    file = write_study(tmp_path, people(200, 5))
    (tmp_path / "original.csv").unlink()
    assert questions_of(public_of(file))


def test_nothing_that_makes_an_edition_knows_a_review() -> None:
    for module in (editions, estimates, parts, write, words):
        source = inspect.getsource(module)
        assert "Confidential" not in source
        assert "exact_sums" not in source
        assert "review.review" not in source


@pytest.mark.parametrize(
    "asked",
    [
        'measures = ["TVD"]\npairs = false',
        'measures = "DiSCO"',
        'measures = ["UiO", "UiOiS", "iS", "DiS", "DCAP", "baseCAPd", "CAPd"]',
    ],
)
@pytest.mark.parametrize("aside", [None, people(60, 7)])
def test_whatever_is_asked_has_a_page(
    tmp_path: Path, asked: str, aside: pd.DataFrame | None
) -> None:
    file = write_study(tmp_path / "study", people(200, 5), aside, more=f"[release]\n{asked}\n")
    edition = write_release(file, tmp_path / "out", date=DATE)
    symbols = {estimate.measure for estimate in edition.estimates}
    assert {"records", "nearest"} < symbols
    assert ("holdout" in {estimate.people for estimate in edition.estimates}) == (aside is not None)
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert all(f"({symbol})" in page for symbol in symbols & set(MEASURES))
    for replica in (tmp_path / "study").glob("*_*.csv"):  # whose digests are public
        assert hashlib.sha256(replica.read_bytes()).hexdigest()[:16] in page
    tables = [table for section in edition.sections for table in section.tables]
    cells = [cell for table in tables for row in table.rows for cell in row]
    assert Counter(cell for cell in cells if cell.kind == "figure") == Counter(
        parts.estimate_cell(estimate) for estimate in edition.estimates
    )
    assert not [table.caption for table in tables if not table.rows]
    assert not [cell for cell in cells if cell.text == parts.EMPTY]  # nothing but what was asked


@pytest.mark.parametrize("measures", ['["TVD"]', '["UiO"]', '["DiSCO", "TVD"]'])
def test_no_heading_stands_alone(tmp_path: Path, measures: str) -> None:
    file = write_study(tmp_path, people(200, 5), more=f"[release]\nmeasures = {measures}\n")
    public = public_of(file)
    edition = editions.release_edition(public, answers(public, confidential(people(200, 5))))
    by_id = {section.identity: section for section in edition.sections}
    assert ("risk-0" in by_id) == (measures != '["TVD"]')
    assert "risk-0" not in by_id or by_id["risk-0"].tables
    assert "context" not in by_id
    assert all(section.tables or section.items or section.paragraphs for section in by_id.values())


def test_a_study_in_memory_has_no_place_for_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="study: expected a path"):
        write_release(object(), tmp_path / "out")  # type: ignore[arg-type]


def test_an_unknown_mode(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="'release' or 'coarse'"):
        write_release(tmp_path / "study.toml", tmp_path / "out", mode="internal")


class TestCoarsening:
    COARSE = '[coarsen]\nage = 5\nregion = { main = ["north", "south"], other = "*" }\n'

    def test_other_bands_are_other_questions_of_the_same_people(self, tmp_path: Path) -> None:
        five, four = (
            questions_of(public_of(write_study(tmp_path / name, people(200, 5), more=more)))
            for name, more in (("5", self.COARSE), ("4", self.COARSE.replace("5", "4")))
        )
        other = [q.identity != p.identity for q, p in zip(five, four, strict=True)]
        of_age = ["age" in (*q.place.keys, *q.place.variables) for q in five]
        assert other == [
            of or question.measure == "nearest" for of, question in zip(of_age, five, strict=True)
        ]

    def test_sums_are_those_of_people_who_were_coarsened_by_hand(self, tmp_path: Path) -> None:
        def by_hand(frame: pd.DataFrame) -> pd.DataFrame:
            bands = (frame["age"] // 5 * 5).map(lambda low: f"{low} to under {low + 5}")
            groups = frame["region"].map({"isles": "other"}).fillna("main")
            return frame.assign(age=bands, region=groups)

        file = write_study(tmp_path / "coarse", people(200, 5), more=self.COARSE)
        hand = write_study(tmp_path / "hand", by_hand(people(200, 5)))
        for name in ("cart", "other_1", "other_2"):
            path = hand.parent / f"{name}.csv"
            by_hand(pd.read_csv(path)).to_csv(path, index=False)
        sums = []
        for item in (file, hand):
            public = public_of(item)
            of = read_people(read_request(item), item, public)
            sums.append([exact_sums(q, public, of) for q in questions_of(public)])
        assert sums[0] == sums[1]
        assert len(sums[0]) == 20

    def test_the_release_says_it_in_the_words_of_the_study(self, tmp_path: Path) -> None:
        public = public_of(write_study(tmp_path, people(200, 5), more=self.COARSE))
        edition = editions.release_edition(public, answers(public, confidential(people(200, 5))))
        text = "Original and replicas are compared in a coarser form in age (bands of 5); region"
        assert any(text in line for part in edition.sections for line in part.paragraphs)

    def test_whose_a_record_is_stays_as_it_is(self, tmp_path: Path) -> None:
        more = '[release]\nrows = 2\nunit = "age"\n[coarsen]\nage = 5\n'
        with pytest.raises(StudyError, match="coarsen: 'age' says whose a record is"):
            public_of(write_study(tmp_path, people(200, 5), more=more))

    def test_an_entry_outside_the_bounds(self, tmp_path: Path) -> None:
        file = write_study(tmp_path, people(200, 5), more="[coarsen]\nage = [0, 31]\n")
        odd = with_row(people(200, 5), {**ODD, "age": "99"})
        odd.to_csv(tmp_path / "original.csv", index=False)
        with pytest.raises(StudyError, match=r"'age' of original.csv has 1 record with a value"):
            read_people(read_request(file), file, public_of(file))

    def test_replicas_and_a_holdout_may_lack_the_column(self, tmp_path: Path) -> None:
        holdout = people(80, 6)
        frame = people(200, 5).assign(town="x")
        file = write_study(tmp_path, frame, holdout, more='[coarsen]\ntown = { a = "*" }\n')
        of = read_people(read_request(file), file, public_of(file))
        assert of.original.column("town").texts == ("a",)
        people(200, 5).to_csv(tmp_path / "original.csv", index=False)
        with pytest.raises(StudyError, match=r"'town' is not a column of original.csv"):
            read_people(read_request(file), file, public_of(file))

    def test_a_number_beyond_all_bands_changes_no_other_and_warns_of_nothing(
        self, tmp_path: Path
    ) -> None:
        original = people(200, 5).assign(age=["1e308", *["20.25"] * 199])
        file = write_study(tmp_path, original, more="[coarsen]\nage = 0.5\n")
        column = read_people(read_request(file), file, public_of(file)).original.column("age")
        assert dict(zip(column.texts, column.counts.tolist(), strict=True)) == {
            "inf to under inf": 1,
            "20 to under 20.5": 199,
        }

    def test_an_answer_in_words_stays_what_it_is(self, tmp_path: Path) -> None:
        file = write_study(tmp_path, people(200, 5), more="[coarsen]\nage = [0, 31]\n")
        with_row(people(200, 5), ODD).to_csv(tmp_path / "original.csv", index=False)
        original = read_people(read_request(file), file, public_of(file)).original
        assert set(original.column("age").texts) == {"0 to 31", "unknown"}

    @pytest.mark.parametrize("drawn", [False, True])
    def test_questions_of_one_identity_have_one_sum(
        self, tmp_path: Path, *, drawn: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Where they had two, the noise would be the same, and the difference exact.
        if drawn:
            monkeypatch.setattr("sdcmetrics.release.near._PAIRS", 5_000)
            monkeypatch.setattr("sdcmetrics.release.near._FEWEST", 10)
        person = people(200, 5).assign(age=lambda frame: frame["age"].where(frame.index > 0, 31))
        entries = (
            "",
            "ngroups = 3\n",
            "[missing_codes]\nage = [31]\n",
            "[missing_codes]\nage = [29]\n",
            "[coarsen]\nage = 20\n",
            "[coarsen]\nage = 10\n",
            "[coarsen]\nage = 20\n[missing_codes]\nage = [31]\n",
            "[coarsen]\nage = 20\n[missing_codes]\nage = [29]\n",
            '[coarsen]\nregion = { main = ["north", "south"], other = "*" }\n',
        )
        sums: dict[str, tuple[int, ...]] = {}
        for i, entry in enumerate(entries):
            more = f"[options]\n{entry}" if entry.startswith("ngroups") else entry
            file = write_study(tmp_path / str(i), person, people(80, 6), more=more)
            public = public_of(file)
            of = read_people(read_request(file), file, public)
            for question in questions_of(public):
                sum_of = exact_sums(question, public, of, b"key")
                assert sums.setdefault(question.identity, sum_of) == sum_of, (entry, question)
        kinds = {json.loads(identity)["measure"] for identity in sums}
        assert ("alike" in kinds) == drawn


@pytest.mark.parametrize("whole", [True, False])
def test_a_measure_that_another_package_counts_otherwise_is_another_question(
    tmp_path: Path, *, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With the noise of the one before, the difference of the two sums would be exact.
    file = write_study(tmp_path, people(200, 5), more='[release]\nmeasures = ["UiO", "Own"]\n')
    identities = []
    for version in ("return int(counts.n_original)", "return int(counts.n_original) // 2"):
        path = tmp_path / "theirs.py"
        path.write_text(f"def count(counts):\n    {version}\n")
        spec = importlib.util.spec_from_file_location("theirs", path)
        assert spec is not None
        assert spec.loader is not None
        theirs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(theirs)
        count = theirs.count if whole else partial(theirs.count)
        release = replace(measure_release("UiO"), sum=PeopleSum(count))
        own = replace(MEASURES["UiO"], symbol="Own", release=release)
        monkeypatch.setitem(MEASURES, "Own", own)
        identities.append({q.measure: q.identity for q in questions_of(public_of(file))})
    assert identities[0].pop("Own") != identities[1].pop("Own")
    assert identities[0] == identities[1]
    assert "defined" not in identities[0]["UiO"]


def measure_release(symbol: str) -> Release:
    release = MEASURES[symbol].release
    assert release is not None
    return release


class TestRoles:
    def public(self, folder: Path, keys: list[str], targets: list[str]) -> Public:
        file = folder / "study.toml"
        people(150, 1).to_csv(folder / "replica.csv", index=False)
        file.write_text(
            '[data]\noriginal = "original.csv"\n[data.replicas]\na = "replica.csv"\n'
            f"[roles]\nkeys = {keys}\ntargets = {targets}\n",
            encoding="utf-8",
        )
        return public_of(file)

    def test_every_other_column_is_a_target_where_none_is_named(self, tmp_path: Path) -> None:
        columns = [*people(1, 1).columns]
        (scenario,) = self.public(tmp_path, columns[:2], []).scenarios
        assert [*scenario.targets] == columns[2:]

    def test_a_scenario_without_a_column_to_learn_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StudyError, match=r"so none is left to be learned. Use fewer keys"):
            self.public(tmp_path, [*people(1, 1).columns], [])

    def test_a_key_is_no_target(self, tmp_path: Path) -> None:
        with pytest.raises(ColumnError, match="'age' is both a key and a target"):
            self.public(tmp_path, ["age", "sex"], ["age"])


def test_a_target_of_every_value_leaves_its_groups_as_a_key(tmp_path: Path) -> None:
    more = "[options]\nngroups_keys = { age = 3 }\nngroups_targets = { age = 0 }\n"
    public = public_of(write_study(tmp_path, people(200, 5), more=more))
    keyed = [q for q in questions_of(public) if q.measure == "UiO" and "age" in q.place.keys]
    assert keyed
    assert all(question.replica for question in keyed)  # whose quantiles are the groups


@pytest.mark.parametrize(
    ("apart", "edges"), [([3] * 9, (0, 1, 3)), ([4] * 9, (0, 1)), ([0], (0, 1))]
)
def test_near_is_none_or_one_column_and_what_is_usual_in_the_replica(
    apart: list[int], edges: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "apart_from_itself", lambda *_: apart)
    public: Any = SimpleNamespace(variables=lambda _: tuple("abcd"))
    assert questions._edges(public, replica=None) == edges  # type: ignore[arg-type]
