"""Studies of data too large for memory: the measurements of memory, to the last byte."""

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.crosstables import scanning
from sdcmetrics.measures.fits.mean_ci_overlap import overlap_of_means
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import alone, harmonise
from sdcmetrics.microdata.sources import distinct, rounded
from sdcmetrics.microdata.sources import duckdb as duckdb_source
from sdcmetrics.microdata.sources.rounded import share_values
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.review.conduct import conduct
from sdcmetrics.review.remedies import remedies
from sdcmetrics.review.review import Review
from sdcmetrics.study import sampled
from tests.only import only

ASKED: dict[str, Any] = {
    "keys": ["age", "sex", "region"],
    "targets": ["income", "works"],
    "ngroups_targets": {"income": 20},
    "rules": ["income >= 0", 'if sex == "m" then age >= income / 500'],
    "ways": [1, 2],
    "permutations": 19,
    "perturbed": [0.5],
}


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(16, 60, n),
            "sex": rng.choice(["m", "f"], n),
            "region": rng.choice(list("abcdefgh"), n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(8, 1, n).round(-1)),
            "works": rng.random(n) < 0.6,
            "since": pd.Timestamp("2001-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
        }
    )


CONNECTIONS: list[Any] = []  # older relations do not keep theirs open
ORIGINAL, REPLICA, HOLDOUT = people(300, 1), people(260, 2), people(150, 3)


def measured(original: Any, replica: Any, holdout: Any = None, **options: Any) -> Review:
    return conduct(sdc.Study(original, {"cart": replica}, holdout=holdout, **ASKED, **options))


def assert_equal(one: Review, other: Review) -> None:
    assert one.frame.to_csv() == other.frame.to_csv()
    assert one.distributions == other.distributions
    assert [str(fix) for fix in one.fixes] == [str(fix) for fix in other.fixes]
    assert [(i.role, i.n, i.columns) for i in one.inputs] == [
        (i.role, i.n, i.columns) for i in other.inputs
    ]


@pytest.fixture(scope="module")
def in_memory() -> Review:
    return measured(ORIGINAL, REPLICA)


class Stream:
    """Gives a frame in batches of its own cut, text as dictionaries that differ by batch."""

    def __init__(self, frame: pd.DataFrame, rows: int) -> None:
        table = pa.Table.from_pandas(frame, preserve_index=False)
        self.parts = [table.slice(i, rows) for i in range(0, len(table), rows)]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        schema = self.parts[0].schema
        batches = [part.combine_chunks().to_batches()[0] for part in self.parts]
        empty = batches[0].slice(0, 0)
        reader = pa.RecordBatchReader.from_batches(schema, [empty, *batches, empty])
        return reader.__arrow_c_stream__(requested_schema)


def lazy(frame: pd.DataFrame) -> Any:
    polars = pytest.importorskip("polars")
    result = polars.from_pandas(frame).lazy()
    return (
        result if hasattr(result, "collect_batches") else pytest.skip("polars is older than 1.34")
    )


def relation(frame: pd.DataFrame) -> Any:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    CONNECTIONS.append(connection := duckdb.connect())
    connection.register("people", pa.Table.from_pandas(frame, preserve_index=False))
    return connection.sql("select * from people")


@pytest.mark.parametrize(
    "given",
    [lambda f: scan(f, "cart"), lambda f: Stream(f, 71), lazy, relation],
    ids=["scan", "stream", "LazyFrame", "DuckDB"],
)
def test_measurements_are_those_of_memory(given: Any, in_memory: Review) -> None:
    original = (
        scan(ORIGINAL, "original") if given(REPLICA[:9]).__class__.__name__ == "Large" else None
    )
    assert_equal(in_memory, measured(original or given(ORIGINAL), given(REPLICA)))


@settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cuts=st.lists(st.integers(0, 300), max_size=5))
def test_measurements_are_those_of_one_file_wherever_files_are_cut(
    cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("ragged")
    one, many = [], []
    for name, frame in (("o", ORIGINAL), ("r", REPLICA), ("h", HOLDOUT)):
        frame.to_parquet(folder / f"{name}.parquet", index=False)
        ends = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
        (folder / name).mkdir()
        for i, (first, end) in enumerate(itertools.pairwise(ends)):
            frame.iloc[first:end].to_parquet(folder / name / f"{i}.parquet", index=False)
        one.append(sdc.read(folder / f"{name}.parquet", source=name))
        many.append(folder / name)
    here, there = measured(*one), measured(*many)
    assert_equal(here, there)
    assert here.fresh is not None
    assert there.fresh is not None
    assert here.fresh.to_dict()["holdout"] == there.fresh.to_dict()["holdout"]


def test_an_address_of_duckdb_is_opened_from_a_study_file(
    tmp_path: Path, in_memory: Review
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    connection = duckdb.connect(str(tmp_path / "census.db"))
    for name, frame in (("original", ORIGINAL), ("cart", REPLICA)):
        connection.register(f"{name}_frame", pa.Table.from_pandas(frame, preserve_index=False))
        connection.sql(f"select * from {name}_frame").create(name)  # noqa: S608  (our own names)
    connection.close()
    (tmp_path / "study.toml").write_text(
        '[data]\noriginal = "duckdb:///census.db?table=original"\n[data.replicas]\n'
        'cart = "duckdb:///census.db?query=select * from cart"\n[roles]\n'
        'keys = ["age", "sex", "region"]\ntargets = ["income", "works"]\n'
        "[options]\npermutations = 19\nngroups_targets = { income = 20 }\n"
    )
    before = sorted(item.name for item in tmp_path.iterdir())
    review = conduct(sdc.read_study(tmp_path / "study.toml"))
    own, its = (r.frame[~r.frame["metric"].str.startswith("rule")] for r in (in_memory, review))
    assert own.reset_index(drop=True).to_csv() == its.reset_index(drop=True).to_csv()
    done = subprocess.run(  # as a program: DuckDB lists what a process does not tidy up
        [sys.executable, "-m", "sdcmetrics", "check", str(tmp_path / "study.toml")],
        capture_output=True,
        check=False,
        text=True,
    )
    assert "nothing blocks a review" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(item.name for item in tmp_path.iterdir()) == before
    with pytest.raises(DataError, match="DuckDB cannot open it"):
        scan(f"duckdb:///{tmp_path}/census.db?table=absent")


def test_what_has_too_many_cells_is_grouped_by_the_engine(
    in_memory: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_DENSE", 50)
    asked: list[str] = []
    count = duckdb_source._Relation.count

    def watched(self: Any, columns: list[str], kernel: Any) -> Any:
        asked.append("engine" if getattr(kernel, "sparse", False) else "kernel")
        return count(self, columns, kernel)

    monkeypatch.setattr(duckdb_source._Relation, "count", watched)
    result = measured(relation(ORIGINAL), relation(REPLICA), sample_size=0)
    assert "engine" in asked
    assert in_memory.frame.to_csv() == result.frame.to_csv()


def test_counts_are_those_of_an_engine_that_spills(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    monkeypatch.setattr(scanning, "_DENSE", 50)
    columns = "(i * 7919) % 300017 as a, i % 1009 as b, i % 7 as c"
    rows = f"select {columns} from range(900000) r(i)"  # noqa: S608  (our own)

    def counted(*asked: str) -> scanning.Cells:
        CONNECTIONS.append(connection := duckdb.connect(config={"threads": "1"}))
        for setting in asked:
            connection.execute(f"set {setting}")
        data = alone(scan(connection.sql(rows), "it"), ["a", "b", "c"])
        return scanning.scan(encode(data, by_value, ["a", "b", "c"]), [("a", "b", "c")], 0)[0]

    little = "memory_limit='25MB'", f"temp_directory='{tmp_path}'"
    for first, other in zip(counted(), counted(*little), strict=True):
        assert np.array_equal(first, other)
    with pytest.raises(DataError, match=r"OutOfMemoryException.* max_temp_directory_size"):
        counted(*little, "max_temp_directory_size='1KB'")  # so it has spilled


class TestASample:
    def test_of_records_stands_in_the_row(self) -> None:
        asked = {"sample_size": 100, "models": ["income ~ age"]}
        frame = measured(scan(ORIGINAL), REPLICA, **asked).frame.set_index("metric")
        text = "of a random sample: 100 of 300 original records, as many of other data sets, seed 1"
        assert (frame.loc[["CIO"], "reason"] == text).all()
        assert frame.loc["CIO", "value"] > 0
        counted = ["repU", "S_pMSE", "rule_kept", "CIO_means"]
        assert frame.loc[counted, "reason"].isna().all()

    def test_of_none_leaves_a_row_with_the_reason(self, in_memory: Review) -> None:
        asked = {"sample_size": 0, "models": ["income ~ age"]}
        frame = measured(scan(ORIGINAL), REPLICA, **asked).frame
        assert set(in_memory.frame["metric"]) < set(frame["metric"])
        missing = frame[frame["reason"].str.contains("sample_size is 0", na=False)]
        assert "CIO" in set(missing["metric"])
        assert set(missing["metric"]).isdisjoint(in_memory.frame["metric"])
        assert missing["value"].isna().all()

    def test_has_a_standard_error_or_says_why_not(self) -> None:
        def rows(replica: pd.DataFrame, **options: Any) -> pd.DataFrame:
            given = scan(ORIGINAL), replica, scan(HOLDOUT)
            asked = {"sample_size": 100, "models": ["income ~ age"], **options}
            result = measured(*given, **asked).frame
            assert result["se"].notna().any() == (options.get("sample_repeats") != 0)
            assert result.loc[result["se"].notna(), "reason"].str.startswith("of a random").all()
            return result.set_index("metric")

        outcome = rows(REPLICA)
        assert (outcome.loc[["CIO", "DCR_share"], "se"] > 0).all()
        assert outcome.loc[["repU", "S_pMSE", "rule_kept", "CIO_means"], "se"].isna().all()
        for symbol in ("DCR_p", "identical_p"):
            assert np.isnan(outcome.loc[symbol, "se"])
            assert "no standard error: it is a probability" in outcome.loc[symbol, "reason"]
        none = rows(REPLICA, sample_repeats=0).loc["CIO", "reason"]
        assert none.endswith("no standard error: [options] sample_repeats is 0")
        copy = rows(ORIGINAL).loc["CIO"]  # sampled at the same positions
        assert copy["value"] == pytest.approx(1)
        assert np.isnan(copy["se"])
        assert copy["reason"].endswith("no standard error: it is the same in every sample")

    @only("std_diff")
    def test_of_which_the_standard_error_is_the_spread_over_seeds(self) -> None:
        original, replica = scan(people(2_000, 1)), scan(people(2_000, 2))
        found = [
            conduct(
                sdc.Study(
                    original,
                    {"r": replica},
                    keys=["sex"],
                    ways=[1],
                    variables=["sex", "age", "income"],
                    sample_size=150,
                    seed=seed,
                    candidates=0,
                    models=["age ~ sex"],  # of incomes a single record may move a slope far
                ),
                reference_values=False,
            )
            .frame.set_index("metric")
            .loc["std_diff"]
            for seed in range(30)
        ]
        values, errors = (np.array([row[name] for row in found]) for name in ("value", "se"))
        # Four degrees of freedom each: the mean square is known to an eighth.
        assert 0.75 < np.sqrt((errors**2).mean()) / values.std(ddof=1) < 1.35
        assert (abs(values - values.mean()) <= 2.776 * errors).mean() > 0.9

    def test_has_the_same_positions_in_data_sets_of_one_length(self) -> None:
        number = pd.DataFrame({"i": np.arange(300), "sex": ORIGINAL["sex"]})
        study = sdc.Study(
            Stream(number, 7),
            {"a": Stream(number, 90), "b": number.head(299)},
            keys=["sex"],
            sample_size=50,
        )
        small, *_ = sampled.in_memory(study)
        rows = small.original.table["i"].to_pylist()
        assert rows == sorted(set(rows)) != list(range(50))
        assert small.replicas["a"][0].table["i"].to_pylist() == rows
        assert small.replicas["b"][0].table["i"].to_pylist() != rows

    def test_has_the_records_of_memory_for_its_seed(self) -> None:
        first, other = (
            measured(given, REPLICA, sample_size=100, seed=5).frame.to_csv()
            for given in (scan(ORIGINAL, "original"), Stream(ORIGINAL, 30))
        )
        assert first == other


def test_means_of_numbers_that_are_rounded_are_of_all_digits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(distinct, "MOST_VALUES", 1000)
    monkeypatch.setattr(rounded, "MOST_VALUES", 1000)
    monkeypatch.setattr(rounded, "_DRAWN", 200)
    rng = np.random.default_rng(1)
    frames = []
    for n, middle in ((4_000, 1e6), (3_000, 1e6 + 0.1)):
        x = rng.normal(middle, 3.0, n)
        x[:7], x[7:20] = np.nan, -9.0
        frames.append(pd.DataFrame({"x": x, "y": rng.integers(0, 5, n).astype(float)}))
    codes = {"missing_codes": {"x": -9}}
    known = sdc.mean_ci_overlap(*frames, **codes).by_variable
    original, replica = share_values([scan(Stream(frame, 700), "it") for frame in frames])
    assert original.rounded == {"x"}
    large = overlap_of_means(harmonise(original, [replica], **codes)).by_variable
    numbers = ["original", "se_original", "synthetic", "se_synthetic"]
    assert large[numbers].to_numpy() == pytest.approx(known[numbers].to_numpy(), rel=1e-12)
    # a mean of a million is known to 1e-10, an interval that is 0.2 wide to 1e-9 of its width
    assert large["overlap"].to_numpy() == pytest.approx(known["overlap"].to_numpy(), abs=1e-8)
    assert known.loc["y", numbers].tolist() == large.loc["y", numbers].tolist()


@only("relations")
def test_relations_of_a_sample_are_those_that_all_records_keep() -> None:
    rng = np.random.default_rng(4)
    n = 4_000
    low, gap = rng.integers(0, 900, n), rng.integers(0, 900, n)
    original = pd.DataFrame({"a": low, "b": low + gap, "c": low + 1_000 + rng.integers(0, 9, n)})
    original.loc[n - 1, "c"] = 0  # one record, of which a sample of 400 may know nothing
    replica = original.assign(
        b=np.where(rng.random(n) < 0.2, original["a"] - 1, original["b"]),
        c=np.where(rng.random(n) < 0.3, 5, original["c"]),
    )

    def relations(original: Any, **options: Any) -> Any:
        study = sdc.Study(original, {"r": replica}, keys=["a"], ways=[1], **options)
        return conduct(study, reference_values=False).candidates["r"]

    few = [relations(scan(original), sample_size=400, seed=seed) for seed in range(3)]
    known = relations(original).table
    assert "a <= b" in known.index
    for item in few:
        assert (
            item.table.loc["a <= b"].drop("expected").equals(known.loc["a <= b"].drop("expected"))
        )
        assert item.table.loc["a <= b", "expected"] == pytest.approx(
            known.loc["a <= b", "expected"], rel=0.2
        )
        assert not item.table.index.str.contains("c").any()
        assert "400 of 4,000 original records" in item.sampled
        assert set(item.table.index) <= set(known.index)
    assert relations(scan(original), sample_size=n).sampled == ""


class TestARefusal:
    def test_names_what_is_of_another_sample_with_every_replicate(self) -> None:
        review = measured(scan(ORIGINAL), REPLICA, sample_size=100, models=["income ~ age"])
        with pytest.raises(StudyError, match="replicates: CIO_weighted is of a random sample"):
            sdc.compare_replicas(review, replicates=2)
        counted = {"S_pMSE_two_way": 0.5, "DiSCO": 0.5}
        assert sdc.compare_replicas(review, replicates=2, weights=counted) is not None

    def test_is_met_by_reading_files_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sdcmetrics.microdata.sources.scan.MOST_READ", 1)
        for name, frame in (("original", ORIGINAL), ("cart", REPLICA)):
            frame.to_parquet(tmp_path / f"{name}.parquet", index=False)
        text = '[data]\noriginal = "original.parquet"\nreplicas = { cart = "cart.parquet" }\n'
        (tmp_path / "s.toml").write_text(text + '[roles]\nkeys = ["age"]\ntargets = ["works"]\n')
        in_batches, whole = (
            sdc.read_study(tmp_path / "s.toml", engine=engine) for engine in ("arrow", "memory")
        )
        assert in_batches.original.large
        assert not whole.original.large
        assert remedies(conduct(whole)) is not None

    def test_meets_functions_of_two_frames(self) -> None:
        with pytest.raises(DataError, match="which a Study does"):
            sdc.utility_gen(scan(ORIGINAL), REPLICA)


@pytest.mark.parametrize("query", ["copy people to 'OUT'", "from 'OTHER'"])
def test_a_query_reads_its_data_base_and_writes_no_file(tmp_path: Path, query: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    base, out, other = (tmp_path / name for name in ("a.db", "out.csv", "other.csv"))
    other.write_text("a\n1\n")
    connection = duckdb.connect(str(base))
    connection.execute("create table people as select 1 as a")
    connection.close()
    address = f"duckdb:///{base}?query="
    assert scan(address + "from people").n == 1
    with pytest.raises(DataError, match="DuckDB cannot open it"):
        scan(address + query.replace("OUT", str(out)).replace("OTHER", str(other)))
    assert not out.exists()


def test_a_copy_in_another_order_is_told_by_counts_of_all_records_and_not_by_the_sample() -> None:
    shuffled = ORIGINAL.sample(frac=1, random_state=4).reset_index(drop=True)
    almost = shuffled.assign(income=shuffled["income"].mask(np.arange(300) == 7, 5.0))
    review = conduct(
        sdc.Study(
            scan(ORIGINAL),
            {"copy": [REPLICA, shuffled], "almost": almost, "other": REPLICA},
            keys=["age", "sex"], targets=["works"], holdout=HOLDOUT, sample_size=30, ways=[1],
        )
    )  # fmt: skip
    because = {
        d.replica: [str(reason) for reason in d.risk.because] for d in review.decisions.values()
    }
    assert {d.replica: d.risk.status.value for d in review.decisions.values()}["copy"] == "fail"
    assert "It is the original." in because["copy"]
    assert not any("is the original" in reason for reason in because["almost"] + because["other"])
