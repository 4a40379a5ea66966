"""What functions of synthpop are asked, and what their answers become; a stand-in answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import rbridge
from sdcmetrics.errors import ColumnError, NotComputable, RError, StudyError
from sdcmetrics.rbridge.call import Question, in_order, with_defects
from sdcmetrics.rbridge.utility import utility_tabs
from sdcmetrics.rbridge.wire import RColumn, RFrame
from tests.rbridge.standing import Standing, flat, spread

ORIGINAL = pd.DataFrame({"age": [1.0, 2, 3], "sex": list("aba"), "job": list("xyz")})
REPLICA = pd.DataFrame({"age": [1.0, 2, 2], "sex": list("bba"), "job": list("xyz")})


def synds(session: Standing, **said: Any) -> rbridge.Synds:
    return rbridge.as_synds(REPLICA, ORIGINAL, session=session, **said)


def asked(session: Standing) -> dict[str, Any]:
    ((_, arguments),) = session.asked
    return {name: value for name, value in arguments.items() if name != "id"}


class TestQuestion:
    def test_options_go_by_the_names_of_synthpop(self) -> None:
        session = Standing("the answer")
        entries = {"ngroups": 4, "style": "equal", "use_missing": False, "k_syn": None}
        question = Question("utility.tab", synds(session), entries)
        answer = question.ask(vars=["age"])
        assert session.asked[0][0] == "adapt_utility_tab"
        assert session.asked[0][1]["id"] == question.synds.id == session.kept[0][0]
        options = {"ngroups": 4, "style": "equal", "useNA": False, "max.table": 1e9}
        assert asked(session) == {"vars": ["age"], "options": options}
        assert question.fields(answer, "B2", "B2") == {
            "fixes": (), "output": "printed", "warnings": ("careful",), "defects": ("B2",),
        }  # fmt: skip
        frame = question.annotate(pd.DataFrame(), answer, "B9")
        assert frame.attrs["defects"] == ("B9",)

    def test_the_default_style_is_not_passed_on_and_what_r_prints_is_kept(self) -> None:
        session = Standing()
        given = {"style": "quantile", "printed": True}
        Question("utility.tables", (ORIGINAL, REPLICA), {**given, "session": session}).ask("other")
        assert session.asked[0][0] == "adapt_other"
        assert asked(session) == {"options": {}, "print": True}
        no_options = Standing()
        Question("replicated.uniques", synds(no_options), {"printed": False}).ask(keys=["sex"])
        assert asked(no_options) == {"keys": ["sex"]}

    def test_limits_and_what_is_left_out_are_spelled_as_r_takes_them(self) -> None:
        session = Standing()
        given = {
            "denom_lim": 5,
            "exclusions": [("sex", "a", 1), ("age", 2.0, "y")],
            "one_way_thresholds": (50, 90),
        }
        Question("disclosure", synds(session), given).ask()
        assert asked(session)["options"] == {
            "denom_lim": 5,
            "exclude_ov_denom_lim": True,
            "thresh_1way": [50.0, 90.0],
            "exclude.keys": ["sex", "age"],
            "exclude.keylevs": ["a", "2.0"],
            "exclude.targetlevs": ["1", "y"],
        }

    def test_an_option_that_does_not_exist_is_told_with_one_that_does(self) -> None:
        with pytest.raises(StudyError, match=r"compare has no option 'ngroup'.*'ngroups'"):
            Question("compare", synds(Standing()), {"ngroup": 3})
        with pytest.raises(StudyError, match=r"'missing_code'.*'missing_codes'"):
            Question("compare", synds(Standing()), {"missing_code": 3})

    def test_variables_are_those_of_the_data(self) -> None:
        session = Standing()
        Question("compare", synds(session), {"variables": "age"}).ask()
        assert asked(session)["options"] == {"vars": ["age"]}
        with pytest.raises(ColumnError, match=r"'ages'.*Did you mean 'age'"):
            Question("compare", synds(session), {"variables": ["ages"]})
        with pytest.raises(StudyError, match="at least one column name but got none"):
            Question("compare", synds(session), {"variables": []})
        assert in_order(["job", "age"], ["age", "sex", "job"]) == ["age", "job"]

    def test_missing_codes_of_a_pair_are_those_of_the_handle(self) -> None:
        given = {"missing_codes": {"age": 2}, "session": Standing()}
        assert Question("compare", (ORIGINAL, REPLICA), given).synds.codes == {"age": (2.0,)}


class TestErrors:
    def test_errors_of_synthpop_name_function_and_defect(self) -> None:
        stopped = RError("it has a single unique value", output="said", warnings=("w",))
        result = with_defects(stopped, "utility.tab")
        assert result.reason.startswith("synthpop's utility.tab stopped: it has a single unique")
        assert result.reason.endswith("cannot be grouped]")
        assert (result.defects, result.output, result.warnings) == (("A1",), "said", ("w",))
        dead = RError("a single unique value", kind="died")
        assert with_defects(dead, "utility.tab") is dead
        plain = with_defects(RError("other"), "compare")
        assert (plain.reason, plain.defects) == ("synthpop's compare stopped: other", ())

    def test_tables_of_unlike_shape_are_explained_by_the_data(self) -> None:
        shape = RError("synorig.compare() stopped")
        gap = REPLICA.assign(age=[1.0, np.nan, 2], flag=[True, True, True])
        first = ORIGINAL.assign(flag=[True, False, True])
        handle = rbridge.as_synds(gap, first, session=Standing())
        assert {"A9", "B1"} <= {*handle.defects}
        assert with_defects(shape, "compare", handle).defects == ("A9",)
        handle = rbridge.as_synds(gap.assign(age=1.0), first, session=Standing())
        assert with_defects(shape, "compare", handle).defects == ("B1",)
        assert with_defects(shape, "compare").defects == ()
        assert with_defects(shape, "compare", synds(Standing())).defects == ()
        known = RError("synorig.compare(): a single unique value")
        assert with_defects(known, "compare", handle).defects == ("A1",)

    def test_an_error_while_asking_is_that_of_the_function(self) -> None:
        def stop(*_: Any) -> Any:
            reason = "x must be a factor"
            raise RError(reason)

        with pytest.raises(RError, match="synthpop's compare stopped") as caught:
            rbridge.compare(synds(Standing(stop)))
        assert caught.value.defects == ("B8",)


class TestTables:
    def test_a_table_is_a_mean_over_the_syntheses_unless_each_is_asked_for(self) -> None:
        session = Standing(spread({1: {"pMSE": 1.0, "df": 4.0}, 2: {"pMSE": 3.0, "df": 4.0}}))
        result = rbridge.utility_tab(synds(session), ["age", "sex"], ngroups=5)
        assert result.to_dict() == {"pMSE": 2.0, "df": 4.0}
        assert result.attrs["output"] == "printed"
        assert asked(session)["vars"] == ["age", "sex"]
        each: Any = rbridge.utility_tab(synds(session), "age", per_synthesis=True)
        assert each["pMSE"].tolist() == [1.0, 3.0]
        assert each.attrs["warnings"] == ("careful",)

    def test_every_table_has_its_row_or_its_error(self) -> None:
        values = flat(
            table=["3", "3", "1"], synthesis=[1, 2, 1], symbol=["pMSE"] * 3, value=[1.0, 3.0, 9.0]
        )
        errors = flat(table=["2"], error=["a single unique value"])
        session = Standing({"errors": errors, "values": values})
        tables = [("age",), ("sex",), ("age", "sex")]
        result = utility_tabs(synds(session), tables, ngroups=3)
        assert list(result) == tables
        assert result["age",].to_dict() == {"pMSE": 9.0}  # type: ignore[union-attr]
        assert result["age", "sex"].to_dict() == {"pMSE": 2.0}  # type: ignore[union-attr]
        assert result["sex",].defects == ("A1",)  # type: ignore[union-attr]
        assert session.asked[0][0] == "adapt_utility_tabs"
        assert asked(session)["tables"] == {"0": ["age"], "1": ["sex"], "2": ["age", "sex"]}
        none = Standing({"errors": flat(table=["1"], error=["other"]), "values": None})
        (error,) = utility_tabs(synds(none), [("sex",)]).values()
        assert isinstance(error, RError)
        whole = flat(table=["1"], synthesis=[1], symbol=["pMSE"], value=[9.0])
        (row,) = utility_tabs(
            synds(Standing({"errors": None, "values": whole})), [("sex",)]
        ).values()
        assert not isinstance(row, RError)

    def test_all_tables_are_asked_for_at_once_and_as_many_are_taken(self) -> None:
        def answer(_: str, arguments: dict[str, Any]) -> Any:
            rows = {f"row {i}": {"pMSE": float(i)} for i in range(self.rows)}
            scores = flat(symbol=["age", "sex"], value=[0.5, 0.25])
            assert arguments["options"]["maxtables"] == 3.0
            return {"tabs": spread(rows, "row"), "scores": scores}

        self.rows = 3
        session = Standing(answer)
        result = rbridge.utility_tables(synds(session), ways=2)
        assert result["pMSE"].tolist() == [0, 1, 2]
        assert list(result.index) == [("age", "sex"), ("age", "job"), ("sex", "job")]
        assert result.attrs["var.scores"] == {"age": 0.5, "sex": 0.25}
        said = asked(session)
        assert (said["tables"], said["vars"]) == ("twoway", ["age", "sex", "job"])
        one = rbridge.utility_tables(synds(session), ways=1, variables=["job", "sex", "age"])
        assert list(one.index.get_level_values(0)) == ["age", "sex", "job"]
        for rows in (2, 4):
            self.rows = rows
            with pytest.raises(NotComputable, match=f"returned {rows} tables where 3 were asked"):
                rbridge.utility_tables(synds(session))

    def test_tables_have_one_to_three_variables_and_as_many_are_needed(self) -> None:
        for ways in (0, 4):
            with pytest.raises(StudyError, match="tables of 1, 2 or 3 variables"):
                rbridge.utility_tables(synds(Standing()), ways=ways)
        with pytest.raises(NotComputable, match="of 2 variables there are no tables of 3"):
            rbridge.utility_tables(synds(Standing()), ways=3, variables=["age", "sex"])


class TestModels:
    @pytest.mark.parametrize(
        ("largest", "resampled", "defects"),
        [
            ([1e8, 2.0], None, ()),
            ([2.0, 1.1e8], ["none"], ("B4",)),
            ([2.0], ["pairs"], ("B5",)),
            ([2e8], ["pairs"], ("B4", "B5")),
        ],
    )
    def test_a_fit_that_left_the_ground_is_marked(
        self, largest: list[float], resampled: Any, defects: tuple[str, ...]
    ) -> None:
        value = {
            "statistics": spread({1: {"pMSE": 1.0}, 2: {"pMSE": 3.0}}),
            "resampling": resampled,
            "largest": np.array(largest),
        }
        session = Standing(value)
        result = rbridge.utility_gen(synds(session), seed=4, method="logit", maxorder=0)
        assert result.statistics.to_dict() == {"pMSE": 2.0}
        assert result.per_synthesis["pMSE"].tolist() == [1.0, 3.0]
        assert result.resampling == "".join(resampled or [])
        assert result.defects == defects
        assert asked(session) == {"seed": 4, "options": {"method": "logit", "maxorder": 0}}

    def test_a_comparison_is_two_tables(self) -> None:
        tables = flat(
            variable=["sex", "sex"], level=["a", "b"], symbol=["observed"] * 2, value=[60.0, 40.0]
        )
        session = Standing(
            {"tables": tables, "utility": spread({"sex": {"pMSE": 1.0}}, "variable")}
        )
        result = rbridge.compare(synds(session), stat="counts")
        assert result.tables.loc[("sex", "b"), "observed"] == 40.0
        assert result.utility.loc["sex", "pMSE"] == 1.0
        assert asked(session) == {"options": {"stat": "counts"}}

    @pytest.mark.parametrize(
        ("terms", "overlap", "defects"),
        [
            (["(Intercept)", "sex"], 0.0, ()),
            (["(Intercept)", "sex"], -0.1, ("B19",)),
            (["sex", "(Intercept)"], 0.5, ("B9",)),
            (["(Intercept)"], -0.5, ("B9", "B19")),
        ],
    )
    def test_a_fit_is_compared_by_term(
        self, terms: list[str], overlap: float, defects: tuple[str, ...]
    ) -> None:
        rows = {"(Intercept)": {"Beta": 1.0}, "sex": {"Beta": 2.0}}
        value = {
            "original": spread(rows, "term"),
            "synthetic": spread(rows, "term"),
            "difference": spread(rows, "term"),
            "overlap": spread({"(Intercept)": {"x": 0.5}, "sex": {"x": overlap}}, "term"),
            "each": spread({1: dict.fromkeys(terms, 1.0)}),
            "summary": flat(symbol=["ncoef", "m"], value=[2.0, 1.0]),
        }
        session = Standing(value)
        result = rbridge.lm_fit(synds(session), "age ~ sex", population_inference=True, level=0.9)
        assert result.overlap.to_dict() == {"(Intercept)": 0.5, "sex": overlap}
        assert result.summary.to_dict() == {"ncoef": 2.0, "m": 1.0}
        assert result.defects == defects
        options = {"population.inference": True, "ci.level": 0.9}
        entries = {"type": "lm", "formula": "age ~ sex", "family": "", "options": options}
        assert asked(session) == entries
        assert session.asked[0][0] == "adapt_fit"

    @pytest.mark.parametrize(
        ("fit", "type_", "family"),
        [
            (rbridge.glm_fit, "glm", "binomial"),
            (rbridge.polr_fit, "polr", ""),
            (rbridge.multinom_fit, "multinom", ""),
        ],
    )
    def test_each_fit_has_its_function(self, fit: Any, type_: str, family: str) -> None:
        rows = {"b : sex": {"Beta": 1.0}}
        value = dict.fromkeys(
            ("original", "synthetic", "difference", "overlap"), spread(rows, "term")
        )
        value |= {"each": spread({1: {"b:sex": 1.0}}), "summary": flat(symbol=["m"], value=[1.0])}
        session = Standing(value)
        assert fit(synds(session), "sex ~ age").defects == ()  # as multinom spells its terms
        assert (asked(session)["type"], asked(session)["family"]) == (type_, family)


DISCLOSED = {
    "measures": spread({1: {"repU": 1.0, "UiO": 2.0}, 2: {"repU": 3.0, "UiO": 2.0}}),
    "parts": {"identity": ["UiO", "repU"], "attribution": ["repU"], "cap": ["UiO"]},
    "exclusions": flat(
        synthesis=["1", "1"],
        table=["original", "synthetic"],
        symbol=["n", "n"],
        value=[3.0, 2.0],
    ),
    "one_way": None,
    "two_way": flat(synthesis=[1.0], npairs=[2.0]),
}


class TestDisclosure:
    def test_roles_are_asked_in_the_order_of_the_columns(self) -> None:
        session = Standing(DISCLOSED)
        result = rbridge.disclosure(
            synds(session),
            keys=["job", "sex"],
            target="age",
            ngroups_keys={"job": 3},
            use_key_missing=False,
            ngroups_target=4,
            not_target_levels="1",
        )
        assert (result.keys, result.target) == (("sex", "job"), "age")
        assert result.identity.to_dict() == {"UiO": 2.0, "repU": 2.0}
        assert result.attribution.to_dict() == {"repU": 2.0}
        assert result.cap.to_dict() == {"UiO": 2.0}
        assert result.per_synthesis["repU"].tolist() == [1.0, 3.0]
        assert result.exclusions.loc[("1", "synthetic"), "n"] == 2.0
        assert len(result.one_way) == 0
        assert [*result.one_way.columns][:2] == ["synthesis", "Level"]
        assert result.two_way["npairs"].tolist() == [2.0]
        assert result.defects == ("B26", "B27")
        assert asked(session) == {
            "keys": ["sex", "job"],
            "target": "age",
            "options": {
                "ngroups_keys": [0, 3],
                "usekeysNA": [False, False],
                "ngroups_target": 4,
                "not.targetlev": ["1"],
            },
        }

    @pytest.mark.parametrize(
        ("keys", "target", "said", "marked"),
        [
            (["sex", "job"], "age", {}, True),
            (["sex", "job"], "age", {"ngroups_target": 3}, False),
            (["sex", "age"], "job", {}, False),
            (["age"], "job", {}, True),
            (["age"], "job", {"ngroups_keys": 3}, False),
            (["sex"], "job", {}, False),
        ],
    )
    def test_numbers_that_are_not_grouped_are_marked(
        self, keys: list[str], target: str, said: dict[str, Any], *, marked: bool
    ) -> None:
        for version in ("1.9.2", "1.9.3"):
            session = Standing(DISCLOSED, version=version)
            result = rbridge.disclosure(synds(session), keys=keys, target=target, **said)
            newer = ("B26",) if version == "1.9.3" else ()
            assert result.defects == (("B2",) if marked else ()) + newer

    @pytest.mark.parametrize(
        ("said", "left_out"),
        [
            ({}, False),
            ({"use_target_missing": True}, False),
            ({"use_target_missing": False}, True),
            ({"denom_lim": 5}, True),
            ({"exclusions": [("sex", "a", "x")]}, True),
        ],
    )
    def test_levels_that_are_left_out_are_marked(
        self, said: dict[str, Any], *, left_out: bool
    ) -> None:
        session = Standing(DISCLOSED)
        result = rbridge.disclosure(synds(session), keys=["sex"], target="job", **said)
        assert ("B27" in result.defects) is left_out
        assert "B25" not in result.defects
        fewer = rbridge.as_synds([REPLICA, REPLICA[:2]], ORIGINAL, session=session)
        assert "B25" in rbridge.disclosure(fewer, keys=["sex"], target="job").defects

    def test_options_of_keys_are_no_lists(self) -> None:
        for item in ({"ngroups_keys": [3, 4]}, {"use_key_missing": (True,)}):
            with pytest.raises(StudyError, match="give one value for all keys, or a mapping"):
                rbridge.disclosure(synds(Standing()), keys=["sex"], target="age", **item)

    def test_many_targets_are_rows_in_the_order_asked_for(self) -> None:
        value = {
            "measures": flat(
                target=["age", "age", "job"], synthesis=[1, 2, 1], symbol=["repU"] * 3,
                value=[1.0, 3.0, 9.0],
            ),
            "checks": flat(target=["age", "job"], check1=["a1", "j1"], check2=["a2", "j2"]),
            "table": flat(target=["age", "job"], **{"attrib.orig": [1.0, 2.0]}),
            "ident": flat(target=["age", "job"], **{"ident.orig": [3.0, 4.0]}),
        }  # fmt: skip
        session = Standing(value)
        result = rbridge.multi_disclosure(
            synds(session),
            keys="sex",
            targets=["job", "age"],
            ngroups_targets={"age": 3},
            use_target_missing={"job": False},
        )
        assert result.index.tolist() == ["job", "age"]
        assert result["repU"].tolist() == [9.0, 2.0]
        assert result["check1"].tolist() == ["j1", "a1"]
        assert result.attrs["table"] == {
            "job": {"attrib.orig": 2.0, "ident.orig": 4.0},
            "age": {"attrib.orig": 1.0, "ident.orig": 3.0},
        }
        assert result.attrs["defects"] == ()
        options = {"ngroups_targets": [3, 0], "usetargetsNA": [True, False]}
        assert asked(session) == {"keys": ["sex"], "targets": ["age", "job"], "options": options}
        session = Standing(value)
        every = rbridge.multi_disclosure(synds(session), keys=["sex"])
        assert every.index.tolist() == ["age", "job"]
        assert every.attrs["defects"] == ("B2",)
        options = {"ngroups_targets": [0, 0], "usetargetsNA": [True, True]}
        assert asked(session)["options"] == options
        session = Standing(value)
        assert len(rbridge.multi_disclosure(synds(session), keys=["sex"], targets="job")) == 1

    def test_replicated_uniques_of_numbers_are_marked(self) -> None:
        rows = flat(
            synthesis=["1", "1"], row=["Original", "Synthetic"], symbol=["%"] * 2, value=[5.0, 6.0]
        )
        session = Standing(rows)
        result = rbridge.replicated_uniques(synds(session), keys=["job", "sex"])
        assert result.loc[("1", "Synthetic"), "%"] == 6.0
        assert result.attrs["defects"] == ()
        assert asked(session) == {"keys": ["sex", "job"]}
        result = rbridge.replicated_uniques(synds(Standing(rows)), keys=["job", "age"])
        assert result.attrs["defects"] == ("B7",)


class TestSyn:
    def test_syntheses_come_with_how_they_were_made(self) -> None:
        column = RFrame({"age": RColumn("integer", np.array([3, 4], np.int32))}, 2)
        value = {"syntheses": [column, column], "seed": np.array([7.0]), "method": ["cart", ""]}
        session = Standing(value)
        result = rbridge.syn(
            ORIGINAL, method=("cart", "sample"), m=2, seed=7, session=session, visit_sequence=[1]
        )
        assert [frame["age"].tolist() for frame in result] == [[3, 4]] * 2
        assert result[1].attrs == {
            "seed": 7.0, "method": ("cart", ""), "fixes": (), "output": "printed",
            "warnings": ("careful",), "defects": (),
        }  # fmt: skip
        name, said = session.asked[0]
        assert name == "adapt_syn"
        assert list(said.pop("original").columns) == ["age", "sex", "job"]
        assert said == {
            "method": ["cart", "sample"], "m": 2, "seed": 7,
            "options": {"visit.sequence": [1]}, "print": False,
        }  # fmt: skip
        for method in ("cart", None):
            session = Standing(value)
            rbridge.syn(ORIGINAL, method=method, session=session, printed=True)
            assert session.asked[0][1]["method"] == method
            assert (session.asked[0][1]["m"], session.asked[0][1]["print"]) == (1, True)


def test_what_is_sent_says_which_columns_were_made_and_their_codes() -> None:
    session = Standing()
    one = synds(session, not_synthesised=["sex"], missing_codes={"age": [2, 3]}, how="clone")
    assert one.m == 1
    assert one.send() == one.id
    ((name, payload),) = session.kept
    assert name == one.id
    assert payload["settings"] == {
        "how": "clone",
        "method": {"age": "cart", "sex": "", "job": "cart"},
        "codes": {"age": [2.0, 3.0], "sex": None, "job": None},
    }
    assert payload["original"] is one.original
    assert payload["syntheses"] == list(one.syntheses)


def test_data_as_they_are_have_their_codes_too() -> None:
    given: Any = {"age": 2, "sex": (1, 4)}
    one = synds(Standing(), harmonise=False, missing_codes=given, variables=["age", "sex"])
    assert one.codes == {"age": (2.0,), "sex": (1.0, 4.0)}
    assert one.columns == ["age", "sex"] == list(one.syntheses[0].columns)
    assert synds(Standing(), harmonise=False).codes == {}


def test_a_pair_is_a_tuple_of_two() -> None:
    for wrong in ((ORIGINAL,), (ORIGINAL, REPLICA, REPLICA), [ORIGINAL, REPLICA]):
        with pytest.raises(StudyError, match=r"or the tuple \(original, replicas\), but got"):
            Question("compare", wrong, {})  # type: ignore[arg-type]
