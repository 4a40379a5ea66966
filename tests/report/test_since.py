"""A review beside an earlier one, and the same measurements judged by other limits."""

from __future__ import annotations

import hashlib
import json
import math
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.report import compare_results, judged, write_json
from sdcmetrics.report.results_file import _input, _row, judge_file, read_results
from sdcmetrics.report.since import _size
from sdcmetrics.review.inputs import InputSummary
from sdcmetrics.review.judge import judge
from sdcmetrics.review.review import Review
from sdcmetrics.study.models import Model
from sdcmetrics.study.profile import Profile, load_profile
from tests.report.conftest import threshold


@pytest.fixture
def file(review: Review, profile: Profile, tmp_path: Path) -> Path:
    return write_json(review, tmp_path / "review.json", profile=profile)


def changed(file: Path, folder: str, change: Any) -> Path:
    document = json.loads(file.read_text("utf-8"))
    change(document)
    out = file.parent / folder
    out.mkdir()
    (out / "review.json").write_text(json.dumps(document), "utf-8")
    return out


def strict(profile: Profile) -> Profile:
    limits = {"DiSCO": threshold("DiSCO", 0.1, 0.2), "S_pMSE": threshold("S_pMSE", 1, 2)}
    return Profile("strict", "Strict", profile.owner, limits)


class TestAnotherProfile:
    def test_it_says_what_a_review_with_that_profile_says(
        self, review: Review, profile: Profile, lenient: Profile, file: Path
    ) -> None:
        result = read_results(file)
        for rules in (profile, lenient, strict(profile)):
            decided, findings = judge_file(result, rules)
            assert [item.to_dict() for item in decided] == [
                item.to_dict() for item in judged(review, rules, "internal")
            ]
            own = [(f.status, f.replica, f.metric, f.variables, f.target) for f in findings]
            theirs = judge(review, rules)
            assert sorted(own) == sorted(
                (f.status, f.replica, f.metric, f.variables, f.target) for f in theirs
            )

    def test_people_stay_found_whatever_the_limits(self, file: Path) -> None:
        generous = Profile("g", "G", "x", {"DiSCO": threshold("DiSCO", 100, 100)})
        assert {item["people"] for item in read_results(file).document["decision"]} == {"yes", "no"}
        decided, _ = judge_file(read_results(file), generous)
        words = {item.replica: item.risk.words for item in decided}
        assert words == {"good": "no objection", "copy": "no"}

    def test_facts_decide_where_the_rules_are_the_same_and_nothing_where_they_are_others(
        self, review: Review, tmp_path: Path
    ) -> None:
        ours = load_profile("default")
        assert ours.tables is not None
        assert ours.excess is not None
        asked = read_results(write_json(review, tmp_path / "review.json", profile=ours))
        decided, _ = judge_file(asked, ours)
        assert [item.to_dict() for item in decided] == [
            item.to_dict() for item in judged(review, ours, "internal")
        ]
        of_tables = replace(ours, tables=replace(ours.tables, chance=ours.tables.chance / 2))
        both = replace(of_tables, excess=replace(ours.excess, chance=ours.excess.chance / 2))
        for rules, questions in ((of_tables, ["utility"]), (both, ["risk", "utility"])):
            for item in judge_file(asked, rules)[0]:
                for question in questions:
                    texts = [str(x) for x in getattr(item, question).statements]
                    assert any("by other rules than those" in words for words in texts), item
                if item.replica == "good":
                    assert [getattr(item, x).status.value for x in questions] == [
                        "not judged" for _ in questions
                    ]
        copy = next(item for item in judge_file(asked, both)[0] if item.replica == "copy")
        assert copy.risk.words == "no"  # whose records are in it holds by any rules

    def test_a_release_is_not_judged(
        self, review: Review, profile: Profile, tmp_path: Path
    ) -> None:
        path = write_json(review, tmp_path / "r.json", mode="checker", profile=profile)
        with pytest.raises(StudyError, match="internal"):
            judge_file(read_results(path), profile)

    def test_what_is_no_result_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "review.json").write_text('{"format": 7}')
        with pytest.raises(StudyError, match="format 2"):
            read_results(tmp_path)
        with pytest.raises(FileError, match=r"there is no such file.*folder of a review[.]$"):
            read_results(tmp_path / "none.json")

    def test_a_folder_of_an_edition_for_outside_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "release.json").write_text("{}")
        with pytest.raises(FileError, match="An edition for outside has none"):
            read_results(tmp_path)

    @pytest.mark.parametrize(
        ("part", "content"),
        [
            *(("decision", of) for of in ("fail", [1], [{"replica": "a", "risk": "fail"}], [{}])),
            ("classification", None),
            *(("inputs", of) for of in (None, [], [{}], [1])),
            *(("measurements", of) for of in (None, {}, [{"replica": "a", "metric": "DiSCO"}])),
            *(("reproduce", of) for of in (True, [1], [{"value": "x"}])),
            ("thresholds", [{"review_beyond": 3}]),
            *(("context", of) for of in (1.5, ["x"], [{}])),
            *(("scenarios", of) for of in (None, [{"name": "a"}])),
            ("scenarios", [{"name": "a", "knows": [1], "wants": []}]),
        ],
    )
    def test_a_damaged_part_is_refused(
        self, part: str, content: Any, file: Path, tmp_path: Path
    ) -> None:
        document = json.loads(file.read_text("utf-8")) | {part: content}
        damaged = tmp_path / "review.json"
        damaged.write_text(json.dumps(document))
        with pytest.raises(StudyError, match=r"expected a review\.json of format 2"):
            read_results(damaged)

    @pytest.mark.parametrize(
        ("part", "name", "content"),
        [
            ("measurements", "variables", ["age"]),
            ("measurements", "value", "x"),
            ("measurements", "metric", None),
            ("inputs", "records", None),
            ("decision", "risk", {"status": ["fail"]}),
        ],
    )
    def test_a_damaged_entry_is_refused(
        self, part: str, name: str, content: Any, file: Path, tmp_path: Path
    ) -> None:
        document = json.loads(file.read_text("utf-8"))
        document[part][0][name] = content
        damaged = tmp_path / "review.json"
        damaged.write_text(json.dumps(document))
        with pytest.raises(StudyError, match=r"expected a review\.json of format 2"):
            read_results(damaged)

    def test_every_replica_that_was_measured_has_one_answer(
        self, file: Path, tmp_path: Path
    ) -> None:
        """Else a replica of which the answer was cut out would end with exit code 0."""
        document = json.loads(file.read_text("utf-8"))
        first, second = document["decision"]
        damaged = tmp_path / "review.json"
        for decision in ([], [first], [first, first], [first, second | {"replica": "other"}]):
            damaged.write_text(json.dumps(document | {"decision": decision}))
            with pytest.raises(StudyError, match=r"expected a review\.json of format 2"):
                read_results(damaged)
        document["decision"] = [second, first]
        damaged.write_text(json.dumps(document))
        assert read_results(damaged).replicas == (second["replica"], first["replica"])

    def test_nothing_is_judged_of_no_people_or_no_measurement(
        self, file: Path, tmp_path: Path
    ) -> None:
        document = json.loads(file.read_text("utf-8"))
        damaged = tmp_path / "review.json"
        nobody = [document["inputs"][0] | {"records": 0}, *document["inputs"][1:]]
        for part, content in (("inputs", nobody), ("measurements", [])):
            damaged.write_text(json.dumps(document | {part: content}))
            with pytest.raises(StudyError, match=r"expected a review\.json of format 2"):
                judge_file(read_results(damaged), load_profile("default"))

    def test_a_file_is_as_the_list_beside_it_says(self, file: Path, tmp_path: Path) -> None:
        copy = tmp_path / "review.json"
        copy.write_bytes(file.read_bytes())
        (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  other.json\n")
        assert read_results(tmp_path).replicas
        listed = f"{hashlib.sha256(copy.read_bytes()).hexdigest()}  review.json\n"
        (tmp_path / "SHA256SUMS").write_text(listed)
        assert read_results(tmp_path).replicas
        copy.write_bytes(copy.read_bytes() + b"\n")
        with pytest.raises(StudyError, match=r"review\.json: this file was changed since"):
            read_results(tmp_path)

    @pytest.mark.parametrize("facts", [None, {}, {"words": 1}, "x"])
    def test_damaged_facts_are_not_judged(self, facts: Any, file: Path, tmp_path: Path) -> None:
        document = json.loads(file.read_text("utf-8"))
        document["decision"][0]["facts"] = facts
        damaged = tmp_path / "review.json"
        damaged.write_text(json.dumps(document))
        with pytest.raises(StudyError, match=r"expected a review\.json of format 2"):
            judge_file(read_results(damaged), load_profile("default"))


class TestDifferences:
    def test_a_review_does_not_differ_from_itself(self, file: Path) -> None:
        result = compare_results(file, file)
        assert not result.worse
        parts = (result.verdicts, result.measurements, result.data, result.settings)
        assert [len(part) for part in parts] == [0, 0, 0, 0]

    def test_time_is_no_difference(self, file: Path) -> None:
        def later(document: dict[str, Any]) -> None:
            for row in document["reproduce"]:
                if row["what"] in ("Made at", "Seconds", "Slowest steps"):
                    row["value"] = "another"

        assert not len(compare_results(file, changed(file, "later", later)).settings)

    def test_a_higher_risk_is_worse_and_a_lower_one_better(self, file: Path) -> None:
        def other(document: dict[str, Any]) -> None:
            rows = [r for r in document["measurements"] if r["metric"] == "DiSCO"]
            assert len(rows) > 2
            rows[0]["value"] = rows[0].get("value", 0.0) + 50
            rows[0]["status"] = "fail"
            shares = [
                r
                for r in document["measurements"]
                if r["metric"] == "ROC" and r.get("value", 1) < 1
            ]
            shares[0]["value"] = 1.0

        folder = changed(file, "other", other)
        result = compare_results(file, folder)
        changes = dict(
            zip(result.measurements["metric"], result.measurements["change"], strict=True)
        )
        assert changes == {"DiSCO": "worse", "ROC": "better"}
        assert result.worse
        back = compare_results(folder / "review.json", file)
        assert set(back.measurements["change"]) == {"better", "worse"}
        assert not back.worse

    def test_data_options_limits_and_versions_are_told(self, file: Path) -> None:
        def other(document: dict[str, Any]) -> None:
            document["inputs"][0]["sha256"] = "0" * 64
            document["thresholds"][0]["fail_beyond"] = "99"
            document["reproduce"].append({"what": "Option ways", "value": "1"})
            document["decision"][0]["risk"]["status"] = "fail"

        result = compare_results(file, changed(file, "other", other))
        assert result.data[["data_set", "what"]].to_numpy().tolist() == [["Original", "sha256"]]
        assert any("Limit on" in what for what in result.settings["what"])
        assert "Option ways" in set(result.settings["what"])
        assert result.verdicts["question"].tolist() == ["risk"]
        assert result.worse

    def test_a_new_replica_is_new_and_not_worse(self, file: Path) -> None:
        def fewer(document: dict[str, Any]) -> None:
            for name in ("measurements", "decision"):
                document[name] = [r for r in document[name] if r["replica"] != "good"]

        result = compare_results(changed(file, "fewer", fewer), file)
        assert set(result.measurements["change"]) == {"new"}
        assert not result.worse

    def test_a_release_beside_an_internal_review_is_refused(
        self, review: Review, profile: Profile, file: Path, tmp_path: Path
    ) -> None:
        path = write_json(review, tmp_path / "r.json", mode="checker", profile=profile)
        with pytest.raises(StudyError, match="one mode"):
            compare_results(file, path)


class TestLimits:
    def test_review_json_holds_every_limit_with_its_owner(
        self, profile: Profile, file: Path
    ) -> None:
        limits = {item["measure"]: item for item in read_results(file).document["thresholds"]}
        assert limits.keys() == profile.thresholds.keys()
        for metric, limit in profile.thresholds.items():
            row = limits[metric]
            assert (row.get("review_beyond"), row.get("fail_beyond")) == (limit.review, limit.fail)
            assert (row["kind"], row["owner"], row["source"], row["date"]) == (
                limit.kind,
                limit.owner,
                limit.source,
                limit.date.isoformat(),
            )

    def test_review_json_holds_every_rule_with_its_owner(
        self, review: Review, tmp_path: Path
    ) -> None:
        ours = load_profile("default")
        file = write_json(review, tmp_path / "ours.json", profile=ours)
        limits = {item["measure"]: item for item in read_results(file).document["thresholds"]}
        listed = ours.limits()
        assert [item["metric"] for item in review.to_dict()["limits"]] == [*limits]
        assert [item["metric"] for item in listed] == [*limits]
        for item in listed:
            row = limits[str(item["metric"])]
            assert [row[x] for x in ("kind", "owner", "source", "date")] == [
                item[x] for x in ("kind", "owner", "source", "date")
            ]
            ends = [item[x] for x in ("chance", "size_review", "excess") if x in item]
            assert all(f"{end:g}" in row["rule"] for end in ends)
        assert ours.tables is not None
        other = replace(ours, tables=replace(ours.tables, size_review=0.2))
        later = write_json(review, tmp_path / "later.json", profile=other)
        assert "Limit on S_pMSE, rule" in set(compare_results(file, later).settings["what"])

    def test_a_raised_limit_is_told_with_both_values(
        self, review: Review, profile: Profile, file: Path, tmp_path: Path
    ) -> None:
        metric, limit = next(iter(profile.thresholds.items()))
        assert limit.fail is not None
        raised = replace(limit, fail=2 * limit.fail, owner="somebody else")
        other = replace(profile, thresholds={**profile.thresholds, metric: raised})
        later = write_json(review, tmp_path / "later.json", profile=other)
        rows = compare_results(file, later).settings.set_index("what")
        changed_limit = rows.loc[[f"Limit on {metric}, fail beyond"]]
        ends = changed_limit.astype(float).to_numpy().tolist()
        assert ends == [[limit.fail, 2 * limit.fail]]
        assert f"Limit on {metric}, owner" in rows.index
        assert f"Limit on {metric}, review beyond" not in rows.index

    def test_every_setting_of_a_study_is_told(
        self, review: Review, profile: Profile, file: Path, tmp_path: Path
    ) -> None:
        study = copy(review.study)
        changes = {"title": "Another", "models": (Model("a ~ b", "normal"),)}
        for name, value in (*changes.items(), ("context", {"recipient": "a university"})):
            object.__setattr__(study, name, value)
        later = replace(review, study=study, settings={**review.settings, "ngroups": 7})
        path = write_json(later, tmp_path / "later.json", profile=replace(profile, min_cell=77))
        told = set(compare_results(file, path).settings["what"])
        assert {"Title", "Study models", "Option ngroups", "Profile"} <= told
        assert any(what.startswith("Context") for what in told)


@pytest.mark.parametrize(
    ("row", "role", "name", "synthesis", "size"),
    [
        (
            {"data_set": "cart, synthesis 2", "records": 9.0, "columns": 4},
            "replica", "cart", 2, (9, 4),
        ),
        ({"data_set": "tree, synthesis 3"}, "replica", "tree, synthesis 3", 0, (0, 0)),
        ({"data_set": "b, synthesis 1"}, "b, synthesis 1", "b, synthesis 1", 0, (0, 0)),
        ({"data_set": "Holdout", "records": 7}, "holdout", "Holdout", 0, (7, 0)),
    ],
)  # fmt: skip
def test_a_data_set_is_a_replica_or_a_synthesis_of_one_by_its_name(
    row: dict[str, Any], role: str, name: str, synthesis: int, size: tuple[int, int]
) -> None:
    result = _input({**row, "sha256": "ab"}, ("cart", "tree, synthesis 3"))
    assert result == InputSummary(role, name, synthesis, "", *size, "ab")


def test_a_change_has_a_size_where_both_values_are_there() -> None:
    for first, other, size in (
        (2.0, 3.0, 1 / 3), (3.0, 2.0, 1 / 3), (-1.0, 1.0, 2.0), (0.0, 0.0, 0.0),
        (math.nan, 1.0, math.inf), (1.0, math.nan, math.inf), (1e308, 1e308, 0.0),
    ):  # fmt: skip
        assert _size(first, other) == pytest.approx(size)


@pytest.mark.parametrize(
    ("metric", "keys", "place"),
    [
        ("DiSCO", "age, sex", "scenario"),
        ("DiSCO", "", "scenario"),
        ("of a later version", "age, sex", "scenario"),
        ("of a later version", "", "model"),
        ("CIO_mean", "", "model"),
        ("rule_severity", "", "rule"),
    ],
)
def test_what_a_measurement_is_of_is_read_where_its_kind_has_it(
    metric: str, keys: str, place: str
) -> None:
    entry = {"replica": "r", "family": "f", "metric": metric, "scenario": "q", "keys": keys}
    row = _row(entry)
    assert {name: row[name] for name in ("scenario", "model", "rule") if row[name]} == {place: "q"}
