"""An address of DuckDB: its SQL is taken as it stands, and what fails later is said."""

from pathlib import Path

import pyarrow as pa
import pytest

from sdcmetrics.errors import DataError
from sdcmetrics.microdata.sources.scan import scan

TABLE = pa.table({"x": [1, 2, 3], "y": ["a", "b", "SECRET"]})


class TestAnAddressOfDuckDB:
    @pytest.fixture
    def base(self, tmp_path: Path) -> Path:
        duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
        with duckdb.connect(str(tmp_path / "it.db")) as connection:
            connection.register("frame", TABLE)
            connection.execute('create table "my people" as select *, x * 10 as w from frame')
        return tmp_path / "it.db"

    def test_has_sql_as_it_stands(self, base: Path) -> None:
        query = "select x+w as w, y from \"my people\" where (x & 1) = 1 and y not like '%ab%'"
        data = scan(f"duckdb:///{base}?query={query}")
        assert data.column("w").to_pylist() == [11, 33]

    @pytest.mark.parametrize(
        "asked",
        ["table=my people", "table=my%20people", "query=select%20x%2Bw%20from%20%22my%20people%22"],
    )
    def test_may_be_encoded(self, base: Path, asked: str) -> None:
        assert scan(f"duckdb:///{base}?{asked}").n == 3

    def test_is_named_by_its_table_and_a_query_by_what_it_is(self, base: Path) -> None:
        assert scan(f"duckdb:///{base}?table=my people").source == "it.db: my people"
        assert scan(f'duckdb:///{base}?query=from "my people"').source == "it.db: query"

    def test_whose_query_fails_late_says_so_without_values(self, base: Path) -> None:
        query = 'select x, y::int as y from "my people"'
        with pytest.raises(DataError, match="stopped with ConversionException") as error:
            scan(f"duckdb:///{base}?query={query}")
        assert "SECRET" not in str(error.value)
