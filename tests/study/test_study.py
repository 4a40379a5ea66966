"""Studies from Python and from TOML: what they hold, and what is wrong with them in one message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdcmetrics import Scenario, Study, read_study
from sdcmetrics.errors import ColumnError, DataError, FileError, SdcMetricsError, StudyError

FRAME = pd.DataFrame({"k": list("aab"), "t": list("xyx"), "v": [1, 2, 3]})
DATA = '[data]\noriginal = "o.csv"\n[data.replicas]\ncart = "s.csv"\n'
ROLES = '[roles]\nkeys = ["k"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "o.csv", index=False)
    FRAME.iloc[::-1].to_csv(tmp_path / "s.csv", index=False)
    return tmp_path


def read(folder: Path, text: str | bytes, name: str = "study.toml") -> Study:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_study(file)


def refused(folder: Path, text: str | bytes, name: str = "study.toml") -> str:
    with pytest.raises(SdcMetricsError) as raised:
        read(folder, text, name)
    return str(raised.value)


def refused_study(error: type[SdcMetricsError], **given: Any) -> str:
    parts: dict[str, Any] = {"original": FRAME, "replicas": {"cart": FRAME}, "keys": ["k"]}
    with pytest.raises(error) as raised:
        Study(**(parts | given))
    return str(raised.value)


class TestReading:
    def test_a_study_file_is_read(self, folder: Path) -> None:
        study = read(
            folder,
            '[study]\ntitle = "T"\nprofile = "illustration"\n'
            + DATA
            + 'pair = ["s.csv", "o.csv"]\n'
            + ROLES
            + '[[scenario]]\nname = "friend"\nkeys = ["k", "v"]\ntargets = ["t"]\n'
            + "[options]\nngroups = 3\nways = [1]\nround_to = {v = 10}\n"
            + '[missing_codes]\nv = -8\n[context]\nrecipient = "all"\n',
        )
        assert (study.title, study.profile, study.context) == (
            "T",
            "illustration",
            {"recipient": "all"},
        )
        assert {name: len(many) for name, many in study.replicas.items()} == {"cart": 1, "pair": 2}
        assert study.scenarios == (
            Scenario("default", ("k",), ("t", "v")),
            Scenario("friend", ("k", "v"), ("t",)),
        )
        assert (study.options.ngroups, study.options.ways) == (3, (1,))
        assert study.options.missing_codes == {"v": [-8]}

    def test_one_name_need_not_be_a_list(self, folder: Path) -> None:
        study = read(folder, DATA + '[roles]\nkeys = "k"\n[options]\nways = 1\nvariables = "v"\n')
        assert study.scenarios[0].keys == ("k",)
        assert (study.options.ways, study.options.variables) == ((1,), ("v",))

    def test_how_replicas_are_compared_can_be_said(self, folder: Path) -> None:
        assert not read(folder, DATA + ROLES).ranking.anchors
        text = DATA + ROLES + '[ranking]\nmissing = "last"\n[ranking.weights]\nDiSCO = 1\n'
        ranking = read(folder, text + "[ranking.metrics]\n").ranking
        assert (ranking.missing, ranking.anchors) == ("last", False)
        assert ranking.weights == {"DiSCO": 1.0}
        listed = '[ranking.metrics]\ngeneral = ["ROC", "TVD_one_way"]\ndisclosure = "DiSCO"\n'
        assert read(folder, DATA + ROLES + listed).ranking.metrics == {
            "general": {"ROC": 0.5, "TVD_one_way": 0.5},
            "disclosure": {"DiSCO": 1.0},
        }

    def test_a_byte_order_mark_is_no_matter(self, folder: Path) -> None:
        assert read(folder, b"\xef\xbb\xbf" + (DATA + ROLES).encode()).original.n == 3

    def test_how_files_are_read_can_be_said(self, folder: Path) -> None:
        text = "k;t;v\na;größe;01\nb;.;02\n".encode("latin-1")
        (folder / "o.csv").write_bytes(text)
        pd.DataFrame({"k": ["a"], "t": ["x"], "v": [1]}).to_parquet(folder / "s.parquet")
        study = read(
            folder,
            DATA.replace("s.csv", "s.parquet")
            + ROLES
            + '[read]\nencoding = "latin-1"\nmissing = ["."]\nkinds = {v = "number"}\n',
        )
        assert study.original.table.to_pydict() == {
            "k": ["a", "b"],
            "t": ["größe", None],
            "v": [1, 2],
        }

    def test_a_profile_beside_the_study_is_found(self, folder: Path) -> None:
        (folder / "own.toml").write_text('[profile]\ntitle = "own"\n', encoding="utf-8")
        study = read(folder, '[study]\nprofile = "own.toml"\n' + DATA + ROLES)
        assert Path(study.profile) == folder / "own.toml"


class TestMistakesInTheFile:
    def test_no_such_file_is_hinted_at(self, folder: Path) -> None:
        (folder / "study.toml").touch()
        with pytest.raises(FileError, match=r"no such study file. Did you mean 'study.toml'\?"):
            read_study(folder / "stdy.toml")

    def test_a_directory_is_no_study(self, folder: Path) -> None:
        with pytest.raises(FileError, match="this is a directory"):
            read_study(folder)

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("[data", "study.toml: not valid TOML: "),
            ("a = o.csv\n", 'Write texts in quotes, name = "text"'),
            ("a = 1\na = 2\n", "Name each entry once; several syntheses are a list"),
            ("[data]\n[data]\n", "Name each section once."),
            ("my cart = 1\n", "the name in quotes if it has blanks"),
            ("a = 1\na = 2\n", "study.toml: not valid TOML: Cannot overwrite a value (at line 2"),
            ('[data]\noriginal = "C:\\data\\o.csv"', "Write paths with / or in single quotes."),
            (b"\xff\xfe\x00", "study.toml: expected a study file, TOML in UTF-8"),
            ("", "study.toml: the section [data] is required but missing."),
            (
                DATA.replace("[data]", '[data]\nholdout = ""') + ROLES,
                "study.toml: data.holdout: expected a text that is not empty but got none.",
            ),
            (ROLES + '[data]\noriginal = "o.csv"\n', "the entry 'data.replicas' is required"),
            (DATA, "study.toml: expected the columns that an intruder knows, as keys = [...]"),
            ("[dat]\n" + DATA + ROLES, "unknown entry 'dat'. Did you mean 'data'?"),
            (DATA + ROLES + "[options]\nngroup = 5\n", "'options.ngroup'. Did you mean 'ngroups'"),
            (DATA + ROLES + "[options]\nzzz = 5\n", "'options.zzz'. Known here: ngroups, style,"),
            (
                DATA + ROLES + '[options]\nngroups = "5"\n',
                "ngroups: expected a whole number but got text.",
            ),
            (
                DATA + ROLES + "[options]\nngroups = 5.5\n",
                "expected a whole number but got a number.",
            ),
            (
                DATA + ROLES + "[options]\nngroups = 0\n",
                "expected a number of at least 2 but got 0.",
            ),
            (
                DATA + ROLES + '[options]\nstyle = "quantil"\n',
                "expected 'quantile' or 'equal' but got",
            ),
            (
                DATA + ROLES + "[options]\nk_syn = 1\n",
                "expected true or false but got a whole number.",
            ),
            (
                DATA + ROLES + "[options]\nways = [1, 0]\n",
                "options.ways: expected a number of at least",
            ),
            (
                DATA + ROLES + "[options]\nround_to = {v = 0}\n",
                "round_to.v: expected a number above 0",
            ),
            (
                DATA + ROLES + "[options]\nround_to = {v = nan}\n",
                "expected a finite number but got nan",
            ),
            (
                DATA + ROLES + "[options]\nround_to = 5\n",
                "expected entries of the form name = value",
            ),
            (
                DATA + ROLES + "[read]\ndecimal = 5\n",
                r"""study.toml: read.decimal: expected "," or ".", or entries such as { income""",
            ),
            (
                DATA + ROLES + '[[analysis]]\nname = "a"\nstatistic = "cox"\noccurred = [1]\n',
                "study.toml: analysis.occurred: expected text in quotes, or a number.",
            ),
            (DATA + "[roles]\nkeys = [1]\n", "roles.keys: expected text in quotes but got a whole"),
            (
                DATA + ROLES + '[missing_codes]\nv = "-8"\n',
                "missing_codes.v: expected a number, or a",
            ),
            (
                DATA + ROLES + "[missing_codes]\nv = 2020-01-01\n",
                "a list of numbers but got a date.",
            ),
            (
                DATA + ROLES + "[ranking.weights]\ngeneral = -1\n",
                "ranking.weights.general: expected a number of at least 0 but got -1.",
            ),
            (
                DATA + ROLES + "[ranking.weights]\ngeneral = 0.5\n",
                "study.toml: ranking: weights: expected weights that sum to 1 but these sum to 0.5",
            ),
            (
                DATA + ROLES + "[ranking.metrics]\ngeneral = 5\n",
                "metrics.general: expected entries of the form name = value but got a whole",
            ),
            (
                DATA + ROLES + '[ranking.metrics]\ngeneral = ["ROK"]\n',
                "study.toml: ranking: there is no metric 'ROK'. Did you mean 'ROC'",
            ),
            (DATA + ROLES + '[ranking]\nstrategy = "best"\n', "ranking.strategy: expected 'rank'"),
            (
                DATA + ROLES + "[ranking.weights]\nspecific = 1\n",
                "study.toml: ranking: specific utility has a weight but the study names no model",
            ),
            (DATA + ROLES + "[scenario]\nname = 'x'\n", "begin with [[scenario]], in two brackets"),
            (DATA + ROLES + "[[scenario]]\nname = 'x'\n", "the entry 'scenario.keys' is required"),
            (DATA + ROLES + "[[scenario]]\nname = 'x'\nkyes = ['k']\n", "Did you mean 'keys'?"),
            (
                DATA + ROLES + "[[scenario]]\nname = ''\nkeys = ['k']\n",
                "expected a text that is not e",
            ),
            (DATA + ROLES + "[context]\nyear = 2026\n", "context.year: expected text in quotes"),
            (
                DATA + ROLES + "[read]\nkinds = {v = 'text'}\n",
                "expected 'number', 'category', 'date'",
            ),
            (
                '[data]\noriginal = "o.csv"\nreplicas = ["s.csv"]\n' + ROLES,
                "data.replicas: expected a section [data.replicas] with a line such as cart =",
            ),
            (DATA.replace('"s.csv"', "[]") + ROLES, "replicas.cart: expected at least one entry"),
            (
                DATA.replace('"s.csv"', "1") + ROLES,
                "replicas.cart: expected a file name, or a list",
            ),
            (
                DATA.replace('"s.csv"', "{}") + ROLES,
                "replicas.cart: expected a file name, or a list",
            ),
            ('[study]\nprofile = "nope"\n' + DATA + ROLES, "there is no profile 'nope'."),
        ],
    )
    def test_a_mistake_is_one_line_that_names_the_entry(
        self, folder: Path, text: str | bytes, says: str
    ) -> None:
        message = refused(folder, text)
        assert any(says in line for line in message.splitlines())
        assert message.startswith(("study.toml: ", "there is no profile"))

    def test_several_mistakes_are_several_lines(self, folder: Path) -> None:
        message = refused(folder, DATA + ROLES + '[options]\nngroups = 0\nstyle = "x"\nzzz = 1\n')
        assert len(message.splitlines()) == 3

    def test_data_given_as_a_study_are_told_from_it(self, folder: Path) -> None:
        assert refused(folder, FRAME.to_csv(), "o.csv") == (
            "o.csv: expected a study file (TOML), with [data] and [roles], and not data."
        )

    def test_nothing_is_read_where_an_option_is_wrong(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sdcmetrics.study.study.load", lambda *_: pytest.fail("data were read"))
        assert "no profile" in refused(folder, '[study]\nprofile = "nope"\n' + DATA + ROLES)
        assert "ngroups" in refused(folder, DATA + ROLES + "[options]\nngroups = 0\n")


def test_an_option_of_none_is_the_default() -> None:
    study = Study(FRAME, {"cart": FRAME}, keys=["k"], missing_codes=None, round_to=None, ways=None)
    assert study.options == Study(FRAME, {"cart": FRAME}, keys=["k"]).options


class TestMistakesInPython:
    @pytest.mark.parametrize("replicas", [{}, [FRAME], FRAME, None, "s.csv"])
    def test_replicas_must_be_a_mapping(self, replicas: Any) -> None:
        message = refused_study(StudyError, replicas=replicas)
        assert message.startswith("replicas: expected a mapping")

    def test_two_replicas_cannot_have_one_name(self) -> None:
        # Names are texts, so that 1 and "1" cannot be two replicas of one name.
        message = refused_study(StudyError, replicas={1: FRAME, "1": FRAME})
        assert message == "replicas: expected a mapping by text but got dict that holds 1."

    def test_a_replica_needs_a_name(self) -> None:
        assert "a name is empty" in refused_study(StudyError, replicas={"": FRAME})

    def test_an_unknown_option_is_hinted_at(self) -> None:
        message = refused_study(StudyError, ngroup=3)
        assert message.startswith("unknown option 'ngroup'. Did you mean 'ngroups'")

    @pytest.mark.parametrize(
        ("option", "says"),
        [
            ({"ngroups": "5"}, "ngroups: expected a whole number but got text."),
            ({"ways": (0,)}, "ways: expected a number of at least 1 but got 0."),
            ({"round_to": {"v": -1}}, "round_to.v: expected a number above 0 but got -1."),
            ({"round_to": {"w": 1}}, "round_to: 'w' is not a column of original."),
            ({"missing_codes": {"V": -8}}, "'V' is not a column of original. Did you mean 'v'?"),
            ({"ngroups_keys": {"v": 3}}, "ngroups_keys: 'v' is a key in no scenario, so it has no"),
            ({"ngroups": 1}, "ngroups: expected a number of at least 2 but got 1."),
            ({"ngroups_keys": {"k": 1}}, "ngroups_keys.k: expected a whole number of at least 2"),
            ({"ngroups_targets": {"k": 3}}, "'k' is a target in no scenario, so it has no effect."),
            ({"profile": "nope"}, "there is no profile 'nope'."),
            ({"context": ["x"]}, "context: expected a mapping of text to text but got list."),
            ({"keys": []}, "keys: expected the columns that an intruder knows, but got none."),
            ({"keys": [], "targets": ["t"]}, "keys: expected the columns that an intruder knows"),
            ({"keys": ["k", "t", "v"]}, "targets: every column that all data sets have is a key"),
            (
                {"scenarios": [("x", ["k"])]},
                (
                    "scenarios: expected a list of an sdcmetrics.Scenario but got list that holds "
                    "tuple"
                ),
            ),
            ({"scenarios": [Scenario("x", (), ())]}, "keys of scenario 'x': expected the columns"),
            ({"scenarios": [Scenario("default", ("k",), ())]}, "scenario 'default' is given more"),
        ],
    )
    def test_an_option_is_checked_at_once(self, option: dict[str, Any], says: str) -> None:
        assert says in refused_study(StudyError, **option)

    def test_variables_must_be_columns(self) -> None:
        assert "Did you mean 'v'?" in refused_study(ColumnError, variables=["V"])

    def test_more_tables_than_can_be_measured_are_refused_at_once(self) -> None:
        wide = pd.DataFrame(1, index=range(3), columns=[f"c{i}" for i in range(300)])
        message = refused_study(
            StudyError, original=wide, replicas={"a": wide}, keys=["c0"], ways=[3]
        )
        assert message.startswith("ways: 300 variables have 4,455,100 tables of 3")

    def test_a_single_name_need_not_be_a_list(self) -> None:
        study = Study(FRAME, {"cart": FRAME}, keys="k", targets="t", variables="v", ways=1)
        assert study.scenarios == (Scenario("default", ("k",), ("t",)),)
        assert (study.options.variables, study.options.ways) == (("v",), (1,))

    def test_a_way_given_twice_is_measured_once(self) -> None:
        assert Study(FRAME, {"a": FRAME}, keys=["k"], ways=(2, 1, 2)).options.ways == (2, 1)

    def test_keys_in_one_text_are_to_be_a_list(self) -> None:
        text = refused_study(ColumnError, keys=["k, v"])
        assert text.endswith("is not a column of original. Name each column by itself, in a list.")

    def test_a_file_of_one_column_has_another_delimiter(self) -> None:
        frame = pd.DataFrame({"k;t;v": ["1;2;3"] * 9})
        text = refused_study(ColumnError, original=frame, replicas={"cart": frame})
        assert "read as one column, so the delimiter given is not the one of the file" in text

    def test_the_holdout_cannot_be_the_original(self) -> None:
        assert "holdout: holdout has the same records as original." in refused_study(
            StudyError, holdout=FRAME
        )

    @pytest.mark.parametrize("which", ["original", "holdout"])
    def test_what_stands_beside_a_holdout_has_two_records(self, which: str) -> None:
        given = {"original": FRAME, "holdout": FRAME.head(2)} | {which: FRAME.head(1)}
        assert f"{which} has one record." in refused_study(DataError, **given)

    def test_the_holdout_must_have_the_keys(self) -> None:
        assert "column 'k', a key, is missing from holdout." in refused_study(
            ColumnError, holdout=FRAME[["t", "v"]].head(2)
        )

    def test_replicas_named_like_other_data_sets_are_told_apart(self) -> None:
        study = Study(
            FRAME, {"original": FRAME, "holdout": FRAME}, keys=["k"], holdout=FRAME.head(2)
        )
        sources = [
            study.original.source,
            *(item.source for replica in study.replicas.values() for item in replica),
            study.holdout.source if study.holdout else "",
        ]
        assert len(set(sources)) == 4

    def test_an_empty_list_of_syntheses_is_refused(self) -> None:
        assert "replica 'a': expected at least one synthesis" in refused_study(
            DataError, replicas={"a": []}
        )


class TestKinds:
    def test_how_a_replica_was_made_is_told_in_a_word_or_with_its_method(
        self, folder: Path
    ) -> None:
        text = DATA + 'cart2 = "s.csv"\n' + ROLES + '[kinds]\ncart = "perturbed"\n'
        study = read(folder, text + '[kinds.cart2]\nkind = "synthesised"\nmethod = "gan"\n')
        assert [(made.kind, made.method) for made in study.kinds.values()] == [
            ("perturbed", ""),
            ("synthesised", "gan"),
        ]

    def test_an_unknown_kind_is_refused(self, folder: Path) -> None:
        words = refused(folder, DATA + ROLES + '[kinds]\ncart = "pertubed"\n')
        assert words.startswith("study.toml: kinds.cart.kind: expected 'synthesised' or ")
        assert "Did you mean 'perturbed'?" in words
        assert "Did you mean 'cart'?" in refused_study(StudyError, kinds={"carts": "perturbed"})

    def test_it_changes_no_measurement(self) -> None:
        from sdcmetrics.review.fingerprint import fingerprint

        first, other = (
            Study(FRAME, {"a": FRAME}, keys=["k"], kinds=kinds)
            for kinds in ({}, {"a": "perturbed"})
        )
        assert fingerprint(first) == fingerprint(other)
