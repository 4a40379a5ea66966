"""The four pages for the board: decision with its reason, overview, what to do, sign-off."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html import unescape
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.decision.answer import decide
from sdcmetrics.decision.state import ExcessFacts, PeopleFacts
from sdcmetrics.measures.closeness import copies
from sdcmetrics.measures.closeness.places import CLOSEST
from sdcmetrics.measures.measure import DISCLOSURE_RISK
from sdcmetrics.measures.people.claims import Claim
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.sources.large import of_memory
from sdcmetrics.report.assembly import SafeReport, safe_report
from sdcmetrics.report.formats.render import render
from sdcmetrics.report.judging import judged
from sdcmetrics.report.safety.cells import Mode, SafeCell, blank, plain
from sdcmetrics.report.safety.names import Names
from sdcmetrics.report.sections import answers, todo
from sdcmetrics.report.sections.by_variable import worst_variables
from sdcmetrics.report.sections.overview import overview
from sdcmetrics.report.source import Source
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.judge import Status
from sdcmetrics.review.remedies import Remedies, remedies
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, load_profile
from sdcmetrics.study.study import Study
from tests.report.conftest import sample, threshold
from tests.report.pages import Page

STRICT = {"DiSCO": threshold("DiSCO", 0.1, 0.2), "repU": threshold("repU", 0.1, 0.2)}
MODES: tuple[Mode, ...] = ("internal", "checker")


def rows(report: SafeReport) -> dict[str, dict[str, SafeCell]]:
    board = report.decision.board
    fields = [column.field for column in board.columns]
    return {row[0].text: dict(zip(fields, row, strict=True)) for row in board.rows}


def spaced(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("mode", MODES)
def test_the_board_shows_both_answers_on_every_replica_with_what_they_rest_on(
    review: Review, profile: Profile, mode: Mode
) -> None:
    result = rows(safe_report(review, profile, mode))
    decided = judged(review, profile, mode)
    assert list(result) == [item.replica for item in decided] == list(review.replicas)
    for item in decided:
        for question, answer in (("risk", item.risk), ("utility", item.utility)):
            cell = result[item.replica][question]
            assert (cell.status, cell.text) == (answer.status, answer.status.value)
            assert cell.detail == answer.words
            why = result[item.replica][f"{question}_reason"].text
            if mode == "internal":
                assert why == " ".join(map(str, answer.because))
                assert answer.because
            else:
                assert why == "The internal edition says why."


def test_the_reason_names_what_is_beyond_and_whose_limit_it_is(
    review: Review, profile: Profile
) -> None:
    report = safe_report(review, replace(profile, thresholds=STRICT), "internal")
    reason = spaced(rows(report)["good"]["risk_reason"].text)
    disco = review.mean_rows().query("metric == 'DiSCO' and replica == 'good'")
    most = disco.loc[disco["value"].idxmax()]
    assert f"DiSCO of {most['target']} is {most['value']:.1f} %" in reason
    assert "repU by region, job is" in reason
    assert reason.endswith("beyond the limit of the unit that forbids a release.")
    rests = " ".join(plain(rest.words) for rest in report.decision.answers[0].rests)
    assert "DiSCO (review beyond 0.1, fail beyond 0.2; rule)" in rests
    assert "repU (review beyond 0.1, fail beyond 0.2; rule)" in rests


def test_without_a_limit_the_reason_says_so(review: Review, lenient: Profile) -> None:
    result = rows(safe_report(review, lenient, "internal"))
    assert result["good"]["risk_reason"].text == (
        "Nobody has set a limit on disclosure, and the test of excess is switched off."
    )
    assert result["good"]["utility_reason"].text == "No limit on tables, rules or models is set."
    assert result["good"]["risk"].text == "not judged"


def test_what_is_at_risk_is_counted_as_in_the_review(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "internal")
    for i, target in enumerate(("vote", "age")):
        cells = {row[0].text: spaced(row[1].detail) for row in report.attribute[i].table.rows}
        rows_of = review.mean_rows()
        result = rows_of[(rows_of["metric"] == "DiSCO") & (rows_of["target"] == target)]
        for replica, count in zip(result["replica"], result["count"], strict=True):
            assert cells[replica].startswith(f"{count:.0f} record")


def test_a_release_says_about_of_every_count_of_the_original(
    review: Review, profile: Profile
) -> None:
    report = safe_report(review, profile, "checker")
    counted = [c for row in report.overview.risk.rows if row[0].text == "Anybody" for c in row[4:]]
    assert any(cell.number for cell in counted)
    assert all("about" in c.text and "of about" in c.detail for c in counted if c.number)
    assert spaced(report.inputs.rows[0][1].text).startswith("about ")


def test_the_line_of_answers_counts_replicas_by_answer() -> None:
    result = {"a": Status.REVIEW, "b": Status.NOT_JUDGED, "c": Status.REVIEW}
    assert plain(answers._short(result, "utility", Names())) == (
        "None of 3 replicas is shown to be useful; not judged: b"
    )
    one = {**result, "d": Status.WITHIN}
    assert plain(answers._short(one, "utility", Names())) == (
        "1 of 4 replicas is useful as far as tested: d"
    )
    alone = answers._short({"a": Status.NOT_JUDGED}, "risk", Names())
    assert alone == ("Not judged, which is no approval",)
    both = answers._short(dict.fromkeys("ab", Status.FAIL), "risk", Names())
    assert both == ("No, none of the 2 replicas",)
    many = answers._short(dict.fromkeys("abcdef", Status.WITHIN) | result, "risk", Names())
    assert plain(many) == "There is no objection to 3 of 6 replicas: d, e and f"


def test_a_mean_of_counts_says_that_it_is_one(review: Review, profile: Profile) -> None:
    for mode in MODES:
        table = safe_report(review, profile, mode).attribute[0].table
        cells = {row[0].text: spaced(row[1].detail) for row in table.rows}
        few = "|fewer than 10 records" if mode == "checker" else ""
        assert re.fullmatch(rf"\d+ records, mean of 2 syntheses{few}", cells["good"])
        assert re.fullmatch(rf"(about )?\d+ records{few}", cells["copy"])
        assert "mean" not in cells["Original itself"]


def test_the_matrix_holds_every_target_of_every_scenario_beside_the_original(
    review: Review, profile: Profile
) -> None:
    matrix = safe_report(review, profile, "internal").overview.risk
    by_anchor = dict(zip(matrix.anchors, matrix.rows, strict=True))
    for j, target in enumerate(("vote", "age")):
        _, what, own, _, *cells = by_anchor[f"risk-0-{j}"]
        assert (what.text, what.detail) == (target, "DiSCO")
        frame = review.mean_rows().query("target == @target").set_index(["metric", "replica"])
        assert own.number == frame.loc[("Dorig", "good"), "value"]
        assert [c.number for c in cells] == [
            frame.loc[("DiSCO", r), "value"] for r in review.replicas
        ]
        assert all(0 <= cell.shade <= 4 for cell in cells)


def test_the_darkest_is_what_the_original_itself_gives_away(
    review: Review, profile: Profile
) -> None:
    matrix = safe_report(review, profile, "internal").overview.risk
    assert "Of several syntheses, the mean" in matrix.note
    for row in matrix.rows:
        _, _, own, _, *cells = row
        for cell in cells:
            if own.number and cell.number is not None and cell.number >= own.number:
                assert cell.shade == 4


def test_the_utility_matrix_names_the_worst_table_of_a_variable(
    review: Review, profile: Profile
) -> None:
    matrix = safe_report(review, profile, "internal").overview.utility
    frame = review.mean_rows().query("metric == 'S_pMSE' and replica == 'copy'")
    pairs = frame[frame["variables"].map(lambda v: len(v) == 2 and "vote" in v)]
    worst = pairs.loc[pairs["value"].idxmax()]
    (other,) = set(worst["variables"]) - {"vote"}
    (cell,) = [row[2] for row in matrix.rows if row[0].text == "vote"]
    assert cell.detail == f"with {other}"
    assert cell.number == worst["value"]


@pytest.mark.parametrize("mode", MODES)
def test_a_badge_stands_beside_the_number_that_is_judged(
    review: Review, profile: Profile, mode: Mode
) -> None:
    report = safe_report(review, profile, mode)
    limit = profile.thresholds["S_pMSE"].review
    badges = [cell for row in report.overview.utility.rows for cell in row[1:] if cell.status]
    assert {cell.status for cell in badges} == {Status.REVIEW, Status.WITHIN}
    for cell in badges:
        assert (cell.status is Status.REVIEW) is ((cell.number or 0) > (limit or 0))
    shown: dict[tuple[int, frozenset[str]], set[object]] = {}
    for row in report.overview.utility.rows:
        for i, cell in enumerate(row[1:]):
            where, _, _ = cell.detail.partition(";")
            pair = frozenset({row[0].text, where.removeprefix("with ")})
            shown.setdefault((i, pair), set()).add((cell.text, cell.status))
    assert any(len(pair) == 2 for _, pair in shown)
    assert all(len(alike) == 1 for alike in shown.values())


def test_a_guess_of_the_commonest_value_stands_beside_what_is_learnt(
    review: Review, profile: Profile
) -> None:
    shares = {}
    for mode in MODES:
        matrix = safe_report(review, profile, mode).overview.risk
        place = [column.field for column in matrix.columns].index("commonest")
        shares[mode] = {row[1].text: row[place] for row in matrix.rows}
    known = review.distributions["vote"].original
    assert shares["internal"]["vote"].number == pytest.approx(100 * max(known) / sum(known))
    (block,) = (
        b for b in safe_report(review, profile, "checker").by_variable if b.name.text == "vote"
    )
    told = [cell.number for _, _, cell, *_ in block.table.rows]
    assert shares["checker"]["vote"].number == max(filter(None, told))
    assert shares["checker"]["age"].kind == "hidden"
    assert shares["internal"]["who somebody is"].text == blank().text


def test_a_link_of_a_finding_leads_to_its_row(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "internal")
    rows_of = {
        str(e.attributes["id"]): e for e in Page(render(report)).elements if "id" in e.attributes
    }
    linked = [f for finding in report.decision.findings for f in finding.sentences if f.link]
    assert len({item.link for item in linked}) > 1
    for item in linked:
        if item.link.startswith("risk-0-"):
            assert rows_of[item.link].tag == "tr"
            target = ("vote", "age")[int(item.link[-1])]
            assert target in rows_of[item.link].words()
            assert target in plain(item.words)


def test_symbols_lead_to_the_glossary(review: Review, profile: Profile) -> None:
    page = Page(render(safe_report(review, profile, "internal")))
    meanings = {f"#{e.attributes.get('id')}": e.text for e in page.root.all("p")}
    links = [e for e in page.root.all("a") if e.attributes.get("class") == "term"]
    disco = {e.attributes["href"] for e in links if e.text == "DiSCO"}
    assert len(disco) == 1
    assert "one target level" in meanings[str(disco.pop())]


def test_a_replica_that_is_called_as_a_measure_is_no_link(review: Review, profile: Profile) -> None:
    report = safe_report(review, profile, "internal")
    first = report.decision.findings[0].sentences[0]
    assert "copy" in plain(first.words)
    page = Page(render(report))
    assert not [
        e for bdi in page.root.all("bdi") for e in bdi.all("a") if e.text in review.replicas
    ]


def test_what_to_do_follows_from_what_was_found(review: Review, profile: Profile) -> None:
    strict = replace(profile, thresholds=STRICT)
    steps = {
        name.text: [plain(step.words) for step in of]
        for name, of in safe_report(review, strict, "internal").to_do.replicas
    }
    assert any("unique only through it" in words for words in steps["good"])
    assert any(re.match(r"Coarsen (region|job) in all data sets", words) for words in steps["good"])
    (only,) = steps["copy"]
    assert only.startswith("Do not hand it out: it holds the original")
    outside = safe_report(review, strict, "checker").to_do
    assert "unique only through it" not in str(outside)
    generous = replace(profile, thresholds={})
    nothing = dict(safe_report(review, generous, "internal").to_do.replicas)
    assert all("Nothing" in plain(of[0].words) or of[0].link for of in nothing.values())


@pytest.mark.parametrize("risk", Status)
@pytest.mark.parametrize("utility", Status)
def test_an_answer_has_steps_or_says_where_to_look(
    review: Review, profile: Profile, risk: Status, utility: Status
) -> None:
    limits = {**profile.thresholds, **STRICT, "TVD": threshold("TVD", 0.001, 0.9)}
    source = Source(review, replace(profile, thresholds=limits))
    beyond = {Status.REVIEW, Status.FAIL}
    decision, findings = source.decisions["good"], source.findings
    source.decisions["good"] = replace(
        decision,
        risk=replace(decision.risk, status=risk),
        utility=replace(decision.utility, status=utility),
    )

    def steps() -> list[str]:
        (of,) = (of for name, of in todo.to_do(source).replicas if name.text == "good")
        return [plain(step.words) for step in of]

    words = " ".join(steps())
    assert ("Coarsen " in words) == (risk in beyond)
    assert ("own distribution" in words or "relation" in words) == (utility in beyond)
    assert words.startswith("Nothing that this profile asks for.") == (
        {risk, utility} == {Status.WITHIN}
    )
    assert ("judged: the decision says what was lacking." in words) == (
        Status.NOT_JUDGED in {risk, utility}
    )
    assert "Look at" not in words
    source.findings = []
    look = "Look at what the decision states: no single measure asks for more."
    nothing = "Nothing that this profile asks for. What was not checked may still ask."
    without = steps()
    assert without[-1].startswith("Have its") or without[-1] == (
        look if beyond & {risk, utility} else nothing
    )
    assert (look in without) == bool(beyond & {risk, utility})
    source.findings = [f for f in findings if f.family != DISCLOSURE_RISK]
    risk_only = "decision states on whether it may be released: no single" in steps()[-1]
    assert risk_only == (risk in beyond and utility in beyond)


def test_weights_of_other_totals_and_identifiers_have_a_step_each(
    review: Review, profile: Profile
) -> None:
    source = Source(review, profile)
    state = source.states["good"]
    source.states["good"] = replace(
        state,
        tables=replace(state.tables, totals=True),
        identifiers=replace(state.identifiers, hit=True),
    )
    source.decisions["good"] = decide("good", source.states["good"])
    steps = {name.text: str(of) for name, of in todo.to_do(source).replicas}
    for words in ("Scale its weights", "Leave out the columns and levels that identify"):
        assert words in steps["good"]
        assert words not in steps["copy"]


@pytest.mark.parametrize(
    "ground",
    [
        {"intruder": "failed"},
        {"epsilon": "contradicted"},
        {"of_holdout": True},
        {"excess": ExcessFacts(flagged=True)},
        {"people": PeopleFacts(claims=frozenset({Claim.OUTSIDERS}))},
        {},
    ],
    ids=str,
)
def test_beside_steps_for_keys_other_grounds_are_pointed_to(
    review: Review, profile: Profile, ground: dict[str, Any]
) -> None:
    source = Source(review, replace(profile, thresholds={**profile.thresholds, **STRICT}))
    quiet = {"excess": ExcessFacts(), "people": PeopleFacts()}
    source.states["good"] = replace(source.states["good"], **{**quiet, **ground})
    steps = {name.text: str(of) for name, of in todo.to_do(source).replicas}
    assert "Coarsen" in steps["good"]
    assert ("These steps may not answer everything" in steps["good"]) == bool(ground)


def test_what_follows_from_the_values_has_steps_of_its_own() -> None:
    invented, rounded, cut = (sample(2000, seed).drop(columns="job") for seed in (2, 3, 4))
    invented.loc[:29, ["age", "income"]] = 999
    invented.loc[:29, "region"] = "Centre"
    rounded["income"] = (rounded["income"] / 100).round() * 100
    cut = cut[cut["income"] < cut["income"].quantile(0.97)]
    original = sample(2000, 1).drop(columns="job")
    replicas = {"invented": invented, "rounded": rounded, "cut": cut, "fresh": sample(2000, 5)}
    review = conduct(Study(original, replicas, keys=["region", "age"], targets=["vote"]))

    def steps(mode: Mode) -> dict[str, list[str]]:
        each = safe_report(review, load_profile("default"), mode).to_do.replicas
        return {name.text: [plain(step.words) for step in of] for name, of in each}

    inside, outside = steps("internal"), steps("checker")
    (words,) = [step for step in inside["invented"] if "nowhere" in step]
    assert re.search("values of (age|income|region) and (age|income|region) that can be", words)
    assert words.endswith(
        "some are in it that the original has nowhere. 1 other column has such, too."
    )
    # region is off by itself: it is no table of what follows from values
    assert [step.rpartition(" from ")[2] for step in inside["invented"] if "Mend" in step] == [
        "age and income (order)."
    ]
    assert any("follows from income (trailing zeros)" in step for step in inside["rounded"])
    assert any("income that one file alone has: keep a tail" in step for step in inside["cut"])
    (nothing,) = inside["fresh"]
    assert nothing == "Have its risk judged: the decision says what was lacking."
    assert not any("nowhere" in step or "income" in step for of in outside.values() for step in of)
    assert outside["rounded"][-1].startswith("Look at what the decision states, in the internal")


@cache
def holding(share: float) -> tuple[Review, Remedies]:
    """Return the review of a replica that holds this share of the original, with its remedies."""
    original, copy = sample(400, 1), sample(400, 2)
    held = int(share * 400)
    copy[:held] = original[:held]
    replicas = {"copy": [copy, sample(400, 3)], "good": sample(400, 4)}
    review = conduct(Study(original, replicas, keys=["region", "job"], targets=["vote", "age"]))
    return review, remedies(review)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("share", [1.0, 0.7, 0.05])
def test_what_holds_the_original_is_synthesised_again_and_nothing_else(
    profile: Profile, mode: Mode, share: float
) -> None:
    result, remedied = holding(share)
    strict = replace(profile, thresholds=STRICT)
    done = safe_report(result, strict, mode, remedied=remedied).to_do
    steps = {name.text: [plain(item.words) for item in of] for name, of in done.replicas}
    assert not any("and review what comes" in words for words in steps["good"])
    if share > 0.5:
        assert len(steps["copy"]) == 1
        assert steps["copy"][0].startswith("Do not hand it out: it holds the original")
    else:
        assert not any("most of it" in words for words in steps["copy"])
        assert mode == "checker" or any("Coarsen" in words for words in steps["copy"])
    listed = {row[0].text for row in done.effect.rows}
    assert listed == (
        set() if mode == "checker" else {"good"} | ({"copy"} if share < 0.5 else set())
    )


def test_the_effect_of_remedies_is_shown_inside_only(review: Review, profile: Profile) -> None:
    result = remedies(review)
    inside = safe_report(review, profile, "internal", remedied=result).to_do.effect
    # The other is the original with one column shuffled: no remedy helps.
    assert result.effect["replica"].unique().tolist() == ["good", "copy"]
    assert [row[0].text for row in inside.rows] == ["good"]
    assert not len(safe_report(review, profile, "checker", remedied=result).to_do.effect)
    of_good = result.effect.query("replica == 'good'")
    worst = of_good.loc[(of_good["unique"] + of_good["learnt"]).idxmax()]
    assert [c.number for c in inside.rows[0][2:4]] == [worst["unique"], worst["unique_after"]]


def test_sign_off_is_before_the_annexes_and_the_contents_name_all(
    review: Review, profile: Profile
) -> None:
    for mode in MODES:
        page = Page(render(safe_report(review, profile, mode)))
        sections = [str(e.attributes["id"]) for e in page.root.all("section")]
        assert sections[:5] == ["decision", "overview", "to-do", "sign-off", "contents"]
        (contents,) = [e for e in page.root.all("ol") if e.attributes.get("class") == "contents"]
        assert [str(a.attributes["href"])[1:] for a in contents.all("a")] == sections[5:]


def test_options_are_words(review: Review, profile: Profile) -> None:
    table = safe_report(review, profile, "internal").reproduce
    values = {what.text: value.text for what, value in table.rows}
    assert not re.search(
        r"None|[{}\[\]()]", " ".join(v for k, v in values.items() if "Option" in k)
    )
    assert values["Option ngroups_targets"] == "age: 5"


def test_groups_of_numbers_read_alike_in_both_modes(review: Review, profile: Profile) -> None:
    for mode in MODES:
        blocks = {b.name.text: b for b in safe_report(review, profile, mode).by_variable}
        labels = [row[0].text for row in blocks["income"].table.rows]
        assert any(re.fullmatch(r"[\d,.]+ to under [\d,.]+", label) for label in labels)
        assert not any("[" in label for label in labels)


def test_rules_that_all_hold_are_one_line(profile: Profile) -> None:
    study = Study(
        sample(120, 1),
        {"r": sample(120, 2)},
        keys=["region"],
        targets=["vote"],
        rules=[Rule("age >= 18", "adults", "All are adults."), Rule("age < 60", "young")],
        ways=1,
        candidates=0,
    )
    report = safe_report(conduct(study), profile, "internal")
    assert [block.holds for block in report.rules.blocks] == [True, False]
    page = Page(render(report))
    (section,) = [e for e in page.root.all("section") if e.attributes["id"] == "rules"]
    assert [e.all("h3")[0].words() for e in section.all("article")] == ["young"]
    assert "Kept by every record" in section.words()
    assert "adults" in section.words()


@pytest.fixture(scope="module")
def of_another_size() -> Review:
    """Return a review of a replica with four times the records: the holdout scores 5, not 2."""
    fresh = sample(1600, 5)
    replicas = {"large": fresh.assign(vote="yes"), "fresh": fresh, "equal": sample(400, 6)}
    return conduct(Study(sample(400, 1), replicas, keys=["region"], targets=["vote"]))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_judged_at_the_size_of_the_original_says_so(
    of_another_size: Review, profile: Profile, mode: Mode
) -> None:
    report = safe_report(of_another_size, profile, mode)
    if mode == "internal":
        reason = rows(report)["large"]["utility_reason"].text
        ((value, there),) = re.findall(
            r"S_pMSE of vote is ([\d.e+]+) \(([\d.e+]+) at the original\u2019s size\)", reason
        )
        assert float(there) == pytest.approx(float(value) * 2 / 5, rel=0.02)
    worst = [plain(sentence.words) for sentence in report.decision.findings[1].sentences]
    said = [item for item in worst if item.startswith("large: of ") and "by S_pMSE" in item]
    assert said
    assert all("judged as if the replica had the size of the original" in item for item in said)
    notes = [report.overview.utility.note, report.utility.one_way[0].note]
    assert all("has, 5.0 of 1,600, and 1 of draws from the original" in note for note in notes)
    assert "both numbers, as if a replica had the size of the original" in notes[0]


@pytest.mark.parametrize("mode", MODES)
def test_of_the_size_of_the_original_nothing_is_said(
    review: Review, profile: Profile, mode: Mode
) -> None:
    report = safe_report(review, profile, mode)
    text = rows(report)["copy"]["utility_reason"].text
    assert ("S_pMSE" in text) is (mode == "internal")
    notes = [report.overview.utility.note, report.utility.one_way[0].note]
    assert "size" not in "".join([text, *notes])


def test_shades_are_those_of_a_replica_of_the_size_of_the_original(
    of_another_size: Review, profile: Profile
) -> None:
    table = safe_report(of_another_size, profile, "internal").overview.utility
    cells = {row[0].text: row[2] for row in table.rows}
    result = of_another_size.mean_rows().query("metric == 'S_pMSE' and replica == 'fresh'")
    lighter = 0
    for name, cell in cells.items():
        worst = result.loc[[name in item for item in result["variables"]], "value"].max()
        assert cell.number == pytest.approx(worst * 2 / 5, rel=0.01)
        assert cell.shade == sum(worst * 2 / 5 > step for step in (1, 3, 10, 30))
        lighter += cell.shade < sum(worst > step for step in (1, 3, 10, 30))
    assert lighter > 0


def test_the_map_places_replicas_where_its_limits_are(
    of_another_size: Review, profile: Profile
) -> None:
    report = safe_report(of_another_size, profile, "internal")
    cells = {row[0].text: row[6].number for row in report.comparison.table.rows}
    for figure in report.comparison.maps:
        assert "at the original\u2019s size" in figure.x_title
        places = {point.name: point.x for point in figure.points}
        assert places["fresh"] == pytest.approx((cells["fresh"] or 0) * 2 / 5, rel=0.01)
        assert places["equal"] == cells["equal"]


@pytest.mark.parametrize("mode", MODES)
def test_tables_with_a_column_that_is_off_by_itself_are_counted_and_not_steps(
    profile: Profile, mode: Mode
) -> None:
    original, off = (sample(400, seed).drop(columns=["income", "job"]) for seed in (1, 2))
    original["const"] = off["const"] = "x"
    off["region"] = off["region"].replace("South", "North")
    limits = {"S_pMSE": threshold("S_pMSE", 5, 10)}
    review = conduct(Study(original, {"one": off}, keys=["age"], ways=(1, 2)))
    ((_, steps),) = safe_report(review, replace(profile, thresholds=limits), mode).to_do.replicas
    texts = [spaced(plain(step.words)) for step in steps]
    assert not any("const" in text for text in texts)
    assert any("region" in text and "it is off by itself." in text for text in texts)
    assert sum(text.startswith("Look again afterwards: ") for text in texts) == 1


@pytest.mark.parametrize(
    ("made", "words", "others"),
    [
        ("perturbed", "Perturb", ("ynthesi", "leaves", "predictor")),
        ({"kind": "synthesised", "method": "CART"}, "leaves of 20 records", ("erturb",)),
        ({"kind": "synthesised", "method": "GAN"}, "Loosen the model", ("erturb", "leaves")),
        (None, "Make it again", ("leaves",)),
    ],
)
def test_steps_are_in_the_words_of_how_a_replica_was_made(
    profile: Profile, made: Any, words: str, others: tuple[str, ...]
) -> None:
    original, copy = sample(400, 1), sample(400, 2)
    copy[:80] = original[:80]
    study = Study(
        original,
        {"one": copy},
        keys=["region", "job"],
        targets=["vote", "age"],
        kinds={} if made is None else {"one": made},
    )
    review = conduct(study)
    for mode, which in (("internal", "80 original records (20.0"), ("checker", "Original records")):
        report = safe_report(review, replace(profile, thresholds=STRICT), mode)  # type: ignore[arg-type]
        ((_, steps),) = report.to_do.replicas
        text = " ".join(plain(step.words) for step in steps)
        assert words in text
        assert not [other for other in others if other in text]
        assert text.startswith(which)
        assert "are in it in every value: too many to be dropped one by one" in text
        assert "Drop the records" not in text


def test_the_worst_variable_of_each_replica_that_may_be_useful_is_drawn(
    review: Review, lenient: Profile
) -> None:
    (chart,) = worst_variables(Source(review, lenient))  # in the other each is as in the original
    result = review.mean_rows().query("metric == 'S_pMSE'")
    alone = result[result["variables"].map(len) == 1]
    assert (alone.loc[alone["replica"] == "copy", "value"] == 0).all()
    of_good = alone[alone["replica"] == "good"].set_index("variables")["value"]
    assert chart.title.startswith(f"{of_good.idxmax()[0]}, S_pMSE {of_good.max():.2f}: original")
    assert [series.name for series in chart.series] == ["Original", "good"]
    assert chart.title in unescape(render(safe_report(review, lenient, "internal"), "annexes"))
    useless = replace(lenient, thresholds={"S_pMSE": threshold("S_pMSE", 0.1, 0.2)})
    assert worst_variables(Source(review, useless)) == ()


def test_copies_that_are_not_singled_out_are_told_of(profile: Profile) -> None:
    original = sample(200, 1)
    twins = pd.concat([original, original], ignore_index=True)
    study = Study(
        twins, {"copy": twins, "other": sample(400, 2)}, keys=["region"], holdout=sample(400, 3)
    )
    table = safe_report(conduct(study), profile, "internal").overview.risk
    assert "several syntheses" not in table.note  # of one
    copied, near = (row for row in table.rows if row[0].text == "Anybody")
    assert copied[4].number == 400
    assert near[4].number < 400
    assert near[1].detail == "vs people of the holdout; people alike are not counted"


def test_records_that_follow_people_need_not_single_anybody_out(profile: Profile) -> None:
    study = Study(sample(150, 1), {"r": sample(150, 2)}, keys=["region"], holdout=sample(150, 3))
    source = Source(conduct(study), profile)
    words = "Records can follow people without being near one person only"
    assert words not in overview(source).risk.note
    state = source.states["r"]
    people = replace(state.people, claims=frozenset({Claim.FOLLOWS}))
    source.states["r"] = replace(state, people=people)
    assert words in overview(source).risk.note


@pytest.mark.parametrize(("size", "of"), [(150, ""), (90, " of\N{NO-BREAK SPACE}90")])
def test_singled_out_people_stand_beside_those_of_the_holdout(
    profile: Profile, size: int, of: str
) -> None:
    original, holdout = sample(150, 1), sample(size, 3)
    study = Study(original, {"other": sample(150, 2)}, keys=["region"], holdout=holdout)
    review = conduct(study)
    (counts,) = review.evidence.by_synthesis(CLOSEST).values()
    for mode, beside in (("internal", True), ("checker", False)):
        near = safe_report(review, profile, mode).overview.risk.rows[1]
        words = f", vs\N{NO-BREAK SPACE}{counts.singled_out.holdout}{of}"
        assert near[4].detail.endswith(words) == beside
        assert ("vs" in near[4].detail + near[1].detail) == beside


@pytest.mark.parametrize("levels", ["a", "ab", "abcde"])
def test_copies_of_many_records_of_few_kinds_are_counted_among_all(
    levels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_HELD", 20)
    rng = np.random.default_rng(1)
    original, replica = (
        pd.DataFrame({"x": rng.choice([*levels], 400), "y": "u"}) for _ in range(2)
    )
    study = Study(
        of_memory(as_microdata(original, "o")),
        {"r": of_memory(as_microdata(replica, "r"))},
        keys=["x"],
        targets=["y"],
    )
    rows = conduct(study).mean_rows()
    (row,) = rows[rows["metric"] == "exact_copies"].to_dict("records")
    assert (row["value"], row["count"], row["total"]) == (100.0, 400, 400)
    assert not row["reason"]


@pytest.mark.parametrize(("kinds", "held", "every"), [(2, 200, 1), (400, 200, 2), (100, 100, 4)])
def test_copies_of_many_kinds_are_looked_for_in_a_part_of_the_records(
    kinds: int, held: int, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_HELD", held)
    frame = pd.DataFrame({"x": np.arange(400) % kinds, "y": "u"})
    study = Study(
        of_memory(as_microdata(frame, "o")),
        {"r": of_memory(as_microdata(frame, "r"))},
        keys=["x"],
        targets=["y"],
    )
    rows = conduct(study).mean_rows()
    (row,) = rows[rows["metric"] == "exact_copies"].to_dict("records")
    drawn = f"of the records with one in {every} combinations of values, drawn at random"
    assert (row["reason"] or "") == ("" if every == 1 else drawn)
    assert (row["total"] == 400) == (every == 1)


def test_copies_that_were_looked_for_in_a_part_of_the_records_are_told_so(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_HELD", 100)
    original, copy = sample(400, 1), sample(400, 2)
    copy[:200] = original[:200]
    study = Study(
        of_memory(as_microdata(original, "o")),
        {"one": of_memory(as_microdata(copy, "r"))},
        keys=["region", "job"],
        targets=["vote", "age"],
    )
    report = safe_report(conduct(study), replace(profile, thresholds=STRICT), "internal")
    ((_, steps),) = report.to_do.replicas
    words = plain(steps[0].words)
    assert re.match(r"\d+ of \d+ original records \(.* one in 4 combinations of values, ", words)
    assert "drawn at random, are in it in every value: too many" in words
    risk = report.overview.risk
    (row,) = (row for row in risk.rows if row[1].text.startswith("Copied"))
    assert row[-1].detail.endswith(" drawn")
    assert "Copied: of records drawn at random" in risk.note
