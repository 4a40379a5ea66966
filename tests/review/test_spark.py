"""Spark counts where the partitions are: the same measurements, also when executors are killed."""

import contextlib
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.review.conduct import conduct
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
    found = session("local-cluster[2,1,1024]")
    yield found
    found.stop()


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
    found = conduct(sdc.Study(frames[0], {"cart": frames[1]}, **asked), progress=kill)
    assert done
    assert set(before) != set(executors(spark))
    counted = known.frame["metric"] != "CIO_means"
    assert known.frame[counted].to_csv() == found.frame[counted].to_csv()
    assert [str(fix) for fix in known.fixes] == [str(fix) for fix in found.fixes]
    assert known.distributions == found.distributions


def executors(spark: Any) -> list[int]:
    """Return the ids of the executors, which are children of our own session."""
    parents, found = {spark.sparkContext._gateway.proc.pid}, []
    for place in sorted(Path("/proc").glob("[0-9]*"), key=lambda one: int(one.name)):
        with contextlib.suppress(OSError):
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in parents:
                parents.add(int(place.name))
                if b"CoarseGrainedExecutorBackend" in (place / "cmdline").read_bytes():
                    found.append(int(place.name))
    return found
