"""Attacks and anonymity as rows of a review: asked for, judged, told, held back."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.anonymity.sensitive import distances, expected_mean
from sdcmetrics.measures.attacks.section import KINDS, Attacks
from sdcmetrics.measures.section import read_section
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.formats.render import render
from sdcmetrics.study.profile import Profile, Threshold, load_profile
from tests.review.test_remedies import KEYS, drawn

SETS = drawn(150, 1), drawn(150, 2), drawn(100, 5)


def study(*, holdout: bool = True, **options: object) -> sdc.Study:
    original, fresh, aside = SETS
    chosen = {
        "attacks": {
            "learner": "cart",
            "links": {"copy": "row"},
            "random_holdout": True,
            "declared_epsilon": 1.5,
        },
        "population_size": 3_000,
        **options,
    }
    return sdc.Study(
        original,
        {"fresh": fresh, "copy": original.copy()},
        keys=KEYS,
        targets=["ill", "pay"],
        holdout=aside if holdout else None,
        perturbed=[],
        candidates=0,
        ways=(1,),
        permutations=99,
        **chosen,  # type: ignore[arg-type]
    )


@cache
def review() -> sdc.Review:
    return sdc.conduct(study())


def value(metric: str, replica: str = "copy", target: str | None = None) -> float:
    rows = review().mean_rows()
    rows = rows[(rows["metric"] == metric) & (rows["replica"] == replica)]
    rows = rows if target is None else rows[rows["target"] == target]
    return float(rows["value"].iloc[0])


class TestRows:
    def test_are_what_the_functions_say(self) -> None:
        original, fresh, aside = SETS
        result = sdc.membership(original, fresh, aside)
        assert value("membership_AUC", "fresh") == result.training
        assert value("membership_p", "fresh") == result.p_value
        result = sdc.linkability(
            original, fresh, aside, keys=KEYS, other_keys=["ill", "pay"], permutations=99
        )
        assert value("linkability", "fresh") == 100 * result.training
        assert value("linkability_excess", "fresh") == result.excess
        result = sdc.attribute_inference(
            original, fresh, aside, keys=KEYS, target="pay", learner="cart"
        )
        assert value("attribute_inference_control", "fresh", "pay") == 100 * result.control
        risk = sdc.match_risk(original, keys=KEYS, population_size=3_000)
        assert value("match_risk") == 100 * risk.risk
        for name, frame in (("original", original), ("fresh", fresh)):
            k = sdc.k_anonymity(frame, keys=KEYS)
            few = sdc.l_diversity(frame, keys=KEYS, target="ill")
            near = sdc.t_closeness(frame, keys=KEYS, target="pay", draws=1)
            own = name == "original"
            assert value("k_original" if own else "k_anonymity", "fresh") == k.k
            assert value("l_original" if own else "l_diversity", "fresh", "ill") == few.distinct
            found_t = value("t_original" if own else "t_closeness", "fresh", "pay")
            assert found_t == pytest.approx(near.mean)
        assert value("t_chance", "fresh", "pay") == pytest.approx(near.null_mean)
        assert value("k_below_5", "fresh") == k.below.loc[5, "percent_below"]
        shown = sdc.replicated_special_uniques(original, fresh, aside, keys=KEYS).table
        row = review().mean_rows().query("metric == 'repSU_right' and replica == 'fresh'").iloc[0]
        marks = [row["value"], row["value_at"], row["outsiders"]]
        assert marks == pytest.approx(shown["right"].tolist())

    def test_a_copy_contradicts_the_declared_epsilon_and_other_people_do_not(self) -> None:
        original, _, aside = SETS
        bound = sdc.epsilon_of_release(original, original, aside, random_holdout=True).epsilon
        assert value("epsilon_bound") == bound
        assert value("epsilon_beyond") == bound - 1.5
        assert bound > 1.5
        assert value("epsilon_bound", "fresh") < 1.5

    def test_a_bound_of_epsilon_needs_a_holdout_drawn_at_random(self) -> None:
        rows = sdc.conduct(study(attacks={"kinds": ["epsilon"]})).mean_rows()
        rows = rows[rows["metric"] == "epsilon_bound"]
        assert rows["value"].isna().all()
        assert rows["reason"].str.contains("random_holdout = true").all()

    def test_a_key_adds_who_is_unique_only_through_it(self) -> None:
        by_key = sdc.key_importance(SETS[0], keys=KEYS).by_key["uniques"]
        rows = review().mean_rows().query("metric == 'key_uniques' and replica == 'copy'")
        result = {names[0]: count for names, count in zip(rows["variables"], rows["count"])}  # noqa: B905
        assert result == by_key.to_dict()

    def test_a_copy_is_found_and_fresh_people_are_not(self) -> None:
        for name in ("membership", "exact_matches", "singling_out", "linkability"):
            assert value(f"{name}_p") <= 0.01
            assert value(f"{name}_p", "fresh") > 0.001
        assert value("linkage_protection") == 0

    def test_every_attack_is_kept_with_what_it_found_of_every_record(self) -> None:
        assert {key[1] for key in review().attacks} == {*KINDS, "records linked to their originals"}
        result = review().attacks["copy", "membership", "", ""]
        assert len(result[0].per_record) == len(SETS[0])
        document = json.loads(json.dumps(review().to_dict()))["attacks"]
        (first,) = (a for a in document if (a["attack"], a["replica"]) == ("membership", "copy"))
        assert first["interval"] == list(result[0].interval)

    def test_several_syntheses_are_attacked_together_and_so_is_the_holdout_beside_them(
        self,
    ) -> None:
        original, fresh, aside = SETS
        files = [
            pd.concat([original.iloc[:20], aside.iloc[k : k + 5], fresh.iloc[25:]]) for k in (0, 10)
        ]
        several = sdc.conduct(
            sdc.Study(
                original,
                {"both": files},
                keys=KEYS,
                targets=["ill"],
                holdout=aside,
                ways=(1,),
                attacks={"kinds": ["membership", "exact matches"]},
            )
        )
        both = sdc.exact_matches(original, files, aside)
        rows = several.mean_rows().set_index("metric")
        assert rows.loc["exact_matches", "value"] == 100 * both.training
        assert rows.loc["exact_matches", "fresh"] == rows.loc["exact_matches_control", "value"]
        assert rows.loc["exact_matches", "fresh"] == 100 * both.control
        assert both.control > max(alone.control for alone in both.per_synthesis)
        (row,) = (
            row
            for row in safe_report(several, load_profile(), "internal").membership.rows
            if row[0].text == "exact matches"
        )
        assert [cell.number for cell in row[2:6]] == [
            rows.loc["exact_matches", "value"],
            100 * both.control,
            100.0,
            both.excess,
        ]
        ends = (f"{end:.3f}".replace("-", "\N{MINUS SIGN}") for end in both.interval)
        assert row[5].detail == " to ".join(ends)
        listed = [a for a in several.to_dict()["attacks"] if a["attack"] == "exact matches"]
        assert [a["synthesis"] for a in listed] == [None, 1, 2]
        assert listed[0]["interval"] == list(both.interval)
        assert len(several.attacks["both", "exact matches", "", ""]) == 2

    def test_without_a_holdout_say_so(self) -> None:
        rows = sdc.conduct(study(holdout=False)).mean_rows()
        rows = rows[rows["metric"] == "membership_AUC"]
        assert rows["value"].isna().all()
        assert rows["reason"].str.contains("there is no holdout").all()

    def test_are_there_only_if_asked_for(self) -> None:
        rows = sdc.conduct(study(attacks=None, population_size=None)).mean_rows()
        named = ("membership", "linkability", "attribute_inference", "match_risk")
        assert not rows["metric"].str.startswith(named).any()


@cache
def report(mode: str) -> SafeReport:
    return safe_report(review(), load_profile("illustration"), mode)  # type: ignore[arg-type]


class TestTheReport:
    def test_first_page_names_who_is_at_risk_where_chance_does_not_explain_it(self) -> None:
        result = report("internal").decision.findings[0]
        texts = ["".join(str(p) for p in sentence.words) for sentence in result.sentences]
        told = [text for text in texts if "membership_AUC" in text]
        assert len(told) == 1
        assert "copy" in told[0]

    def test_identity_leads_with_the_chance_that_a_match_is_right(self) -> None:
        (people,) = report("internal").people
        assert people.columns[1].field == "match_risk"
        assert len(people.rows) == 3
        page = render(report("internal"))
        assert page.index("A unique match is right") < page.index("Unique in both")
        assert "Membership: beside the holdout" in page

    def test_a_release_tells_a_band_of_the_membership_attack_and_nothing_else(self) -> None:
        released = report("checker")
        assert [row[1].text for row in released.membership.rows] == ["below 0.55", "0.8 or more"]
        assert not any(item.rows for item in (*released.people, *released.keys, *released.inferred))
        metrics = {row[2].text for row in released.exports["measurements"].rows}
        assert {m for m in metrics if m.startswith(("member", "link", "match"))} == {
            "membership_AUC"
        }

    def test_is_laid_out_by_the_criteria_of_the_profile(self) -> None:
        frames = report("internal").frames
        assert frames[0].rows[0][0].text == "singling out"
        assert frames[0].rows[0][3].number == pytest.approx(value("singling_out_excess"))

    def test_a_profile_may_limit_an_attack(self) -> None:
        limit = Threshold("linkability", 5.0, 10.0, "test", "test", dt.date(2026, 1, 1))
        profile = Profile("p", "P", "o", {"linkability": limit})
        statuses = {
            item.replica: item.status for item in sdc.judge(review(), profile) if item.threshold
        }
        assert statuses["copy"] is sdc.Status.FAIL
        assert statuses["fresh"] is sdc.Status.WITHIN
        assert "linkability" in render(safe_report(review(), profile, "internal"))


class TestWhatIsAsked:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"kind": "membership"}, "unknown entry 'kind'"),
            ({"kinds": "member"}, "kinds: expected 'membership', .* Did you mean 'membership'"),
            ({"learner": "oracle"}, "learner: expected 'forest', "),
            ({"seeds": 0}, "seeds: expected a number of at least 1 but got 0"),
            ({"links": "row"}, "links: expected entries of the form name = value"),
        ],
    )
    def test_what_is_no_attack_is_refused(self, given: object, message: str) -> None:
        with pytest.raises(StudyError, match=message):
            read_section(Attacks, given)

    def test_a_study_file_asks_for_them(self, tmp_path: Path) -> None:
        SETS[0].to_csv(tmp_path / "o.csv", index=False)
        (tmp_path / "s.toml").write_text(
            '[data]\noriginal = "o.csv"\nreplicas = {a = "o.csv"}\n[roles]\nkeys = ["age"]\n'
            '[attacks]\nkinds = "membership"\n[options]\npopulation_size = 1000\n'
        )
        study = sdc.read_study(tmp_path / "s.toml")
        assert study.attacks == replace(Attacks(), kinds=("membership",))
        assert study.options.population_size == 1_000

    def test_a_population_smaller_than_its_sample_is_refused(self) -> None:
        with pytest.raises(StudyError, match="at least the 150 records"):
            study(population_size=149)

    def test_a_criterion_names_measures_that_exist(self, tmp_path: Path) -> None:
        path = tmp_path / "p.toml"
        path.write_text('[[frame]]\nframe="F"\ncriterion="c"\nmeasures=["repV"]\nsource="s"\n')
        with pytest.raises(StudyError, match="Did you mean 'repU'"):
            load_profile(path)


@pytest.mark.parametrize("ordered", [False, True])
def test_what_chance_gives_to_t_closeness_is_the_mean_over_all_shuffles(*, ordered: bool) -> None:
    rng = np.random.default_rng(4)
    classes, values = np.sort(rng.integers(0, 5, 40)), rng.integers(0, 4, 40)
    sizes, levels = np.bincount(classes), np.bincount(values)
    drawn_means = []
    for _ in range(2_000):
        cell, counts = np.unique(classes * 4 + rng.permutation(values), return_counts=True)
        t = distances(*np.divmod(cell, 4), counts, sizes, levels, ordered=ordered)
        table = np.zeros((5, 4))
        table[np.divmod(cell, 4)] = counts
        gap = table / sizes[:, None] - levels / 40
        slow = np.abs(np.cumsum(gap, axis=1)).sum(axis=1) / 3 if ordered else np.abs(gap).sum(1) / 2
        assert t == pytest.approx(slow)
        drawn_means.append(np.average(t, weights=sizes))
    error = np.std(drawn_means) / np.sqrt(2_000)
    assert expected_mean(sizes, levels, ordered=ordered) == pytest.approx(
        np.mean(drawn_means), abs=4 * error
    )


def test_the_frame_of_a_review_names_every_measure_once_per_place() -> None:
    rows = review().frame
    places = ["replica", "synthesis", "metric", "scenario", "target", "variables", "model", "rule"]
    assert not pd.DataFrame(rows[places].astype(str)).duplicated().any()
