"""Which interpreter the workers of a new Spark session run; a stub stands for pyspark."""

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.microdata.sources.spark import open_with_spark

VARIABLE = "PYSPARK_PYTHON"


class Spark:
    """Notes what the variable is when a session starts."""

    def __init__(self) -> None:
        self.active: Any = None
        self.interpreters: list[str | None] = []
        self.session = SimpleNamespace(
            read=SimpleNamespace(parquet=lambda path: f"frame of {path}")
        )

    def start(self) -> Any:
        self.interpreters.append(os.environ.get(VARIABLE))
        return self.session


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Spark:
    stub = Spark()
    package, errors, sql = (ModuleType(f"pyspark{name}") for name in ("", ".errors", ".sql"))
    vars(errors)["AnalysisException"] = RuntimeError
    vars(sql)["SparkSession"] = SimpleNamespace(
        getActiveSession=lambda: stub.active, builder=SimpleNamespace(getOrCreate=stub.start)
    )
    for module in (package, errors, sql):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv(VARIABLE, "restored afterwards")
    monkeypatch.delenv(VARIABLE)
    return stub


def test_a_new_session_runs_the_interpreter_of_the_command(spark: Spark) -> None:
    assert open_with_spark("people") == "frame of people"
    assert spark.interpreters == [sys.executable]


def test_an_interpreter_that_is_named_stays(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/cluster/python3")
    open_with_spark("people")
    assert spark.interpreters == ["/cluster/python3"]


def test_a_session_that_is_active_stays_as_it_is(spark: Spark) -> None:
    spark.active = spark.session
    open_with_spark("people")
    assert not spark.interpreters
    assert VARIABLE not in os.environ
