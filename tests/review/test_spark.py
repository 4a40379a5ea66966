"""Spark counts where the partitions are: the same measurements, also when executors are killed."""

import contextlib
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.cli.run import PARTIAL
from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.microdata.sources import distinct, large, rounded
from sdcmetrics.microdata.sources import spark as spark_source
from sdcmetrics.microdata.sources.redrawn import draw_records
from sdcmetrics.microdata.sources.rounded import share_values
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.ranking.references import make_references
from sdcmetrics.report.safety.protect.protection import protect
from sdcmetrics.review.conduct import conduct
from sdcmetrics.study.profile import load_profile
from tests.review.test_interrupted import (
    INTERRUPTED,
    STUDY,
    files_in,
    interrupt,
    started,
)
from tests.review.test_large_study import ASKED, ORIGINAL, REPLICA

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore"),
]


def session(master: str) -> Any:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = sql.SparkSession.builder.master(master)
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "3",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
            "spark.executor.memory": "512m",
            "spark.log.level": "OFF",
        }.items():
            made = made.config(name, value)
        return made.getOrCreate()


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    result = session("local-cluster[2,1,1024]")
    yield result
    result.stop()


def partitions(spark: Any, frame: Any, many: int) -> Any:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return spark.createDataFrame(table).repartition(many)


@pytest.mark.usefixtures("spark")
def test_a_path_is_read_with_the_engine_that_the_study_names(tmp_path: Path) -> None:
    for name, frame in (("original", ORIGINAL.iloc[:, :4]), ("cart", REPLICA.iloc[:, :4])):
        (tmp_path / name).mkdir()
        frame.to_parquet(tmp_path / name / "0.parquet", index=False, coerce_timestamps="us")
    (tmp_path / "study.toml").write_text(
        '[data]\noriginal = "original"\nreplicas = { cart = "cart" }\n'
        '[roles]\nkeys = ["age", "sex"]\ntargets = ["region"]\n[options]\npermutations = 9\n'
    )
    here, there = (
        conduct(sdc.read_study(tmp_path / "study.toml", engine=engine))
        for engine in ("arrow", "spark")
    )
    assert here.frame.to_csv() == there.frame.to_csv()  # the sample of all records too
    profile = load_profile("illustration")
    first, other = (protect(review, profile) for review in (here, there))
    assert first.frame.to_csv() == other.frame.to_csv()
    assert first.distributions.keys() == other.distributions.keys() != set()
    for name, known in first.distributions.items():
        assert known.counts == other.distributions[name].counts


@pytest.mark.usefixtures("spark")
def test_numbers_of_too_many_values_are_rounded_as_those_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (distinct, rounded, spark_source):
        monkeypatch.setattr(module, "MOST_VALUES", 20)
    ORIGINAL.iloc[:, :4].to_parquet(tmp_path / "0.parquet", index=False)
    frame = spark_source.open_with_spark(str(tmp_path))
    first, other = (next(share_values([scan(data, "x")])) for data in (tmp_path, frame))
    assert first.rounded == other.rounded == {"age", "income"}
    for name in first.rounded:
        assert first.distinct[name].keys.tolist() == other.distinct[name].keys.tolist()
        assert first.distinct[name].counts.tolist() == other.distinct[name].counts.tolist()
    assert [str(fix) for fix in first.fixes] == [str(fix) for fix in other.fixes]


def test_what_spark_raises_is_said_and_lists_stop_only_what_names_them(spark: Any) -> None:
    frame = spark.sql("select id as x, array(id) as y, map(id, id) as z from range(9)")
    data = scan(frame, "original")
    assert data.records_at(np.array([0, 8])).table.to_pydict() == {"x": [0, 8]}
    with pytest.raises(ColumnError, match=r"column 'z' is of type map<.*cannot be compared"):
        data.column("z")
    failing = frame.selectExpr("if(x > 7, raise_error('SECRET'), x) as x")
    with pytest.raises(DataError, match="original: its records cannot be read") as error:
        scan(failing, "original")
    assert "SECRET" not in str(error.value)


def test_an_interrupted_review_leaves_nothing_on_disk(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    for name in ("original", "replica"):
        (tmp_path / name).mkdir()
        REPLICA.iloc[:, :4].to_parquet(tmp_path / name / "0.parquet", index=False)
    text = STUDY.format(original="original", replica="replica")
    (tmp_path / "study.toml").write_text(text.replace("vote", "region"))
    before = files_in(tmp_path)
    with_spark = 'import sys; sys.argv += ["--engine", "spark"]\n'
    code = with_spark + "from sdcmetrics.cli.program import main; main()"
    with started(code, tmp_path) as process:
        assert process.stderr is not None
        said = iter(process.stderr.readline, "")
        assert any("harmonised" in line for line in said)  # the counting has begun
        interrupt(process)
        assert process.returncode == INTERRUPTED
    assert {item for item in files_in(tmp_path) - before if PARTIAL not in item} == set()


def test_measurements_are_those_of_memory_though_an_executor_is_killed(spark: Any) -> None:
    # Records come in another order, so the sample is left out: sums of floats depend on it.
    original, replica = (
        frame[["age", "sex", "income", "since"]].rename(columns={"since": "since.`year"})
        for frame in (ORIGINAL, REPLICA)
    )
    names = list(original)
    asked = {**ASKED, "keys": names[:2], "targets": ["income"], "sample_size": 0}
    known = conduct(sdc.Study(original, {"cart": replica}, **asked))
    first, *_ = before = executors(spark)
    done: list[int] = []

    def kill(step: str, _: int, __: int) -> None:
        if not done and "2-way" in step:
            os.kill(first, 9)
            done.append(first)

    frames = partitions(spark, original, 4), partitions(spark, replica, 2)
    review = conduct(sdc.Study(frames[0], {"cart": frames[1]}, **asked), progress=kill)
    assert done
    assert set(before) != set(executors(spark))
    assert known.frame.to_csv() == review.frame.to_csv()
    assert [str(fix) for fix in known.fixes] == [str(fix) for fix in review.fixes]
    assert known.distributions == review.distributions


def in_order(spark: Any, frame: Any) -> Any:
    return spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False))


def test_remedies_are_those_of_memory(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = ["age", "sex", "works"]
    frames = ORIGINAL[columns], REPLICA[columns]
    known, result = (
        conduct(
            sdc.Study(
                first,
                {"cart": other},
                keys=["age", "sex"],
                targets=["works"],
                ways=[1],
                candidates=0,
                sample_size=0,
            ),
            reference_values=False,
        )
        for first, other in (map(scan, frames), (in_order(spark, frame) for frame in frames))
    )
    here, there = sdc.remedies(known), sdc.remedies(result)
    assert here.table.equals(there.table)
    monkeypatch.setattr(large, "MOST_READ", 0)
    assert sdc.remedies(result).effect.equals(here.effect)


def test_records_that_a_ranking_draws_are_those_of_batches(spark: Any) -> None:
    frame = ORIGINAL[["age", "sex", "works"]]

    def drawn(given: Callable[[Any], Any]) -> dict[str, pa.Table]:
        study = sdc.Study(given(frame), {"a": frame}, keys=["age", "sex"], targets=["works"])
        result = make_references(study, seed=1)
        (original,) = result.pop("original").large
        result["without a tenth"] = draw_records(original, 1, leave_out=0.1)
        return {name: data.records_at(np.arange(data.n)).table for name, data in result.items()}

    here, there = drawn(scan), drawn(partial(in_order, spark))
    assert {name.split()[0] for name in here} == {"bootstrap", "independent", "uniform", "without"}
    assert {name: table.to_pydict() for name, table in here.items()} == {
        name: table.to_pydict() for name, table in there.items()
    }


def executors(spark: Any) -> list[int]:
    """Return the ids of the executors, which are children of our own session."""
    parents, result = {spark.sparkContext._gateway.proc.pid}, []
    for place in sorted(Path("/proc").glob("[0-9]*"), key=lambda item: int(item.name)):
        with contextlib.suppress(OSError):
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in parents:
                parents.add(int(place.name))
                if b"CoarseGrainedExecutorBackend" in (place / "cmdline").read_bytes():
                    result.append(int(place.name))
    return result
