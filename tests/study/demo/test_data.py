"""The demo's data: what is on disk is what the R script wrote and what the docstrings promise."""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import FileError
from sdcmetrics.study.demo import data as demo_data
from sdcmetrics.study.demo import load_holdout, load_original, load_replicas

NUMBERS = ["popul", "TVnews", "age"]
LEVELS = {
    "selfLR": 7,
    "ClinLR": 7,
    "DoleLR": 7,
    "PID": 7,
    "educ": 7,
    "income": 24,
    "vote": 2,
}
COLUMNS = ["popul", "TVnews", "selfLR", "ClinLR", "DoleLR", "PID", "age", "educ", "income", "vote"]
REPLICAS = {"cart": 2, "independent": 1, "parametric": 1, "perturbed": 1}
FOLDER = importlib.resources.files("sdcmetrics.study.demo") / "replicas"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def original() -> pd.DataFrame:
    return load_original()


@pytest.fixture(scope="module")
def replicas() -> dict[str, list[pd.DataFrame]]:
    return load_replicas()


class TestOriginal:
    def test_shape_and_columns(self, original: pd.DataFrame) -> None:
        assert original.shape == (630, 10)
        assert list(original.columns) == COLUMNS

    def test_nothing_is_missing(self, original: pd.DataFrame) -> None:
        assert not original.isna().to_numpy().any()

    def test_types_and_levels(self, original: pd.DataFrame) -> None:
        for name in NUMBERS:
            assert original[name].dtype == "int64"
        for name, count in LEVELS.items():
            assert len(original[name].cat.categories) == count
            assert original[name].cat.ordered == (name != "vote")

    def test_labels_follow_the_codes(self, original: pd.DataFrame) -> None:
        first = original.iloc[0]
        assert (first["popul"], first["TVnews"], first["age"]) == (0, 7, 36)
        assert first["selfLR"] == "Extremely conservative"
        assert first["ClinLR"] == "Extremely liberal"
        assert first["PID"] == "Strong Republican"
        assert first["educ"] == "High school graduate"
        assert first["income"] == "None or less than $2,999"
        assert first["vote"] == "Dole"

    def test_counts_of_statsmodels_file(self, original: pd.DataFrame) -> None:
        everybody = pd.concat([original, load_holdout()])
        assert everybody["vote"].value_counts().to_dict() == {"Clinton": 551, "Dole": 393}
        assert everybody["PID"].value_counts(sort=False).to_list() == [
            200, 180, 108, 37, 94, 150, 175,
        ]  # fmt: skip

    def test_the_holdout_was_drawn_by_seed(self, original: pd.DataFrame) -> None:
        everybody = demo_data._load_everybody()
        codebook = demo_data._codebook()
        drawn = np.random.default_rng(codebook["holdout_seed"]).choice(944, 314, replace=False)
        assert codebook["holdout"] == sorted((drawn + 1).tolist())
        assert load_holdout().equals(everybody.loc[sorted(drawn)].reset_index(drop=True))
        assert len(original) + len(load_holdout()) == len(everybody) == 944

    def test_the_holdout_is_a_random_part_of_the_same_data(self, original: pd.DataFrame) -> None:
        assert sdc.check_holdout(original, load_holdout()).ok

    def test_is_the_file_that_the_replicas_were_made_from(self) -> None:
        path = importlib.resources.files("statsmodels") / "datasets" / "anes96" / "anes96.csv"
        assert hashlib.sha256(path.read_bytes()).hexdigest() == MANIFEST["original"]["sha256"]

    def test_reading_it_does_not_import_the_models(self) -> None:
        code = (
            "import sys; from sdcmetrics.study.demo import load_original; load_original(); "
            "models = {'base', 'discrete', 'genmod', 'miscmodels', 'regression', 'api'}; "
            "sys.exit(any(f'statsmodels.{name}' in sys.modules for name in models))"
        )
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

    def test_without_statsmodels_the_error_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "statsmodels", None)
        with pytest.raises(FileError, match="pip install statsmodels"):
            load_original()

    def test_another_version_of_the_file_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        changed = {**demo_data._codebook(), "rows": 945}
        monkeypatch.setattr(demo_data, "_codebook", lambda: changed)
        with pytest.raises(FileError, match="Expected 945 records"):
            load_original()

    def test_a_value_outside_the_levels_is_refused_without_showing_it(
        self, original: pd.DataFrame
    ) -> None:
        changed = original.astype({"vote": "str"})
        changed.loc[0, "vote"] = "Perot"
        with pytest.raises(FileError, match=r"'vote' in some\.csv has 1 value not") as caught:
            demo_data._declare(changed, "some.csv")
        assert "Perot" not in str(caught.value)

    def test_other_columns_are_refused(self, original: pd.DataFrame) -> None:
        with pytest.raises(FileError, match="Expected the columns"):
            demo_data._check_columns(original.drop(columns="vote"), "some.csv")


class TestReplicas:
    def test_names_and_number_of_syntheses(self, replicas: dict[str, list[pd.DataFrame]]) -> None:
        assert {name: len(syntheses) for name, syntheses in replicas.items()} == REPLICAS

    @pytest.mark.parametrize("name", REPLICAS)
    def test_columns_types_and_levels_are_those_of_the_original(
        self, name: str, original: pd.DataFrame, replicas: dict[str, list[pd.DataFrame]]
    ) -> None:
        for replica in replicas[name]:
            assert replica.shape == original.shape
            pd.testing.assert_series_equal(replica.dtypes, original.dtypes)
            assert not replica.isna().to_numpy().any()

    @pytest.mark.parametrize("name", REPLICAS)
    def test_numbers_are_values_of_the_original(
        self, name: str, original: pd.DataFrame, replicas: dict[str, list[pd.DataFrame]]
    ) -> None:
        for replica in replicas[name]:
            for column in NUMBERS:
                assert replica[column].isin(original[column]).all()

    def test_the_two_syntheses_differ(self, replicas: dict[str, list[pd.DataFrame]]) -> None:
        assert not replicas["cart"][0].equals(replicas["cart"][1])

    def test_perturbed_differs_in_15_percent_of_the_cells_of_every_column(
        self, original: pd.DataFrame, replicas: dict[str, list[pd.DataFrame]]
    ) -> None:
        perturbed = replicas["perturbed"][0]
        for column in COLUMNS:
            changed = (perturbed[column].astype(str) != original[column].astype(str)).mean()
            assert changed == pytest.approx(MANIFEST["swapped_share"], abs=0.002)

    def test_perturbed_keeps_the_counts_of_every_column(
        self, original: pd.DataFrame, replicas: dict[str, list[pd.DataFrame]]
    ) -> None:
        perturbed = replicas["perturbed"][0]
        for column in COLUMNS:
            pd.testing.assert_series_equal(
                perturbed[column].value_counts(sort=False).sort_index(),
                original[column].value_counts(sort=False).sort_index(),
            )

    def test_independent_has_lost_the_strongest_relationship(
        self, original: pd.DataFrame, replicas: dict[str, list[pd.DataFrame]]
    ) -> None:
        def party_vote_correlation(data: pd.DataFrame) -> float:
            return float(data["PID"].cat.codes.corr(data["vote"].cat.codes))

        assert party_vote_correlation(original) > 0.75
        assert party_vote_correlation(replicas["cart"][0]) > 0.7
        assert abs(party_vote_correlation(replicas["independent"][0])) < 0.1


class TestManifest:
    def test_lists_the_files_on_disk(self) -> None:
        on_disk = {path.name for path in FOLDER.iterdir() if path.name.endswith(".csv")}
        assert set(MANIFEST["sha256"]) == on_disk

    @pytest.mark.parametrize("name", MANIFEST["sha256"])
    def test_file_is_as_the_r_script_wrote_it(self, name: str) -> None:
        content = (FOLDER / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == MANIFEST["sha256"][name]

    def test_says_where_it_comes_from(self) -> None:
        assert "r/make_demo_replicas.R" in MANIFEST["generated_by"]
        assert MANIFEST["synthpop"]
