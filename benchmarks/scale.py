"""Tables and disclosure of data sets too large for memory: time, memory, beside DuckDB.

    python benchmarks/scale.py 10 30 100 --folder /scratch     # millions of records, each side

Both sides are generated (seeded) as folders of Parquet files, and removed afterwards. Measured are
all two-way tables of 15 variables, and key combinations of 5 keys by 3 targets; then DuckDB's own
GROUP BYs of the same tables, with the same two cores: from the same files, which it reads again for
each of them, and of small whole numbers that it has made of every column beforehand and holds in
memory ("duckdb coded", as ours does); then ours on two workers of Spark. Every engine runs in a
process of its own, which tells its peak of memory.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

KEYS = ["sex", "age", "region", "education", "marital"]
TARGETS = ["occupation", "income", "hours"]
GROUPS = {"income": 20}
ENGINES = ["ours", "duckdb", "duckdb coded", "spark"]
_A_FILE = 5_000_000


def generate(folder: Path, millions: int, seed: int) -> None:
    """Write a labour force survey that never was: 15 columns, correlated as surveys are."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)

    def names(word: str, many: int, codes: np.ndarray) -> pa.Array:
        levels = pa.array([f"{word} {i:02d}" for i in range(many)])
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), levels).cast(
            pa.string()
        )

    left = millions * 1_000_000
    for number in itertools.count():
        n = min(left, _A_FILE)
        if not n:
            return
        left -= n
        age = np.minimum(rng.gamma(6, 7.5, n).astype(np.int64), 99)
        education = np.minimum(rng.poisson(1.5 + (age > 25), n), 6)
        job = np.minimum(rng.geometric(0.08, n) + 3 * education, 39)
        hours = np.clip(rng.normal(36, 10, n), 0, 80).astype(np.int64)
        income = np.rint(rng.lognormal(7 + 0.1 * education, 0.7, n) * hours / 30).astype(np.int64)
        table = pa.table(
            {
                "sex": names("sex", 2, rng.integers(0, 2, n)),
                "age": age,
                "region": names("region", 16, rng.binomial(15, 0.4, n)),
                "education": names("level", 7, education),
                "marital": names("state", 5, np.minimum(rng.poisson(age / 25, n), 4)),
                "household": np.minimum(rng.poisson(1.6, n) + 1, 8),
                "children": np.minimum(rng.poisson(0.8, n), 6),
                "occupation": names("job", 40, job),
                "industry": names("branch", 21, (job + rng.integers(0, 4, n)) % 21),
                "hours": pa.array(hours, mask=rng.random(n) < 0.03),
                "income": pa.array(income, mask=rng.random(n) < 0.05),
                "wage": np.round(income / np.maximum(hours, 1) / 4.3, 2),
                "urban": rng.random(n) < 0.7,
                "origin": names("country", 30, np.minimum(rng.geometric(0.3, n) - 1, 29)),
                "rent": np.round(rng.gamma(4, 200, n), 1),
            }
        )
        pq.write_table(table, folder / f"part-{number:03d}.parquet", row_group_size=1 << 20)


def ours(original: Any, replica: Any) -> dict[str, float]:
    """Count everything; return seconds by step."""
    from sdcmetrics.measures.crosstables.counting import count_tables
    from sdcmetrics.measures.crosstables.key_counting import count_keys_and_target, index_keys
    from sdcmetrics.measures.pair import Pair
    from sdcmetrics.microdata.coding import by_group_or_value, by_groups, encode
    from sdcmetrics.microdata.sources.scan import scan

    seconds: dict[str, float] = {}
    start = time.perf_counter()

    def clock(step: str) -> None:
        nonlocal start
        seconds[step] = time.perf_counter() - start
        start = time.perf_counter()

    pair = Pair("replica", scan(original), [scan(replica)])
    names = list(pair.data.variables)
    clock("first pass")
    tables = list(itertools.combinations(names, 2))
    coded = encode(pair.data, by_groups(5), names)
    cells = sum(len(found.original) for _, found in count_tables(coded, tables))
    clock("tables")
    coded = encode(pair.data, by_group_or_value([*KEYS, *TARGETS], GROUPS), [*KEYS, *TARGETS])
    index = index_keys(coded, KEYS)
    keyed = [len(count_keys_and_target(coded, index, t)[0].original) for t in TARGETS]
    clock("disclosure")
    return {**seconds, "cells": cells, "keyed": sum(keyed)}


def spark(original: Path, replica: Path) -> dict[str, float]:
    """Count everything where Spark runs: two workers of one core each."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    started = time.perf_counter()
    made = SparkSession.builder.master("local-cluster[2,1,2048]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.executor.memory": "2g",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    }.items():
        made = made.config(name, value)
    session = made.getOrCreate()
    start = time.perf_counter() - started
    result = ours(session.read.parquet(str(original)), session.read.parquet(str(replica)))
    session.stop()
    return {"start": start, **result}


def duckdb_coded(original: Path, replica: Path) -> dict[str, float]:
    """The same, of codes that are made once and stay in memory."""
    return duckdb(original, replica, coded=True)


def duckdb(original: Path, replica: Path, *, coded: bool = False) -> dict[str, float]:
    """Group by the same tables in DuckDB, numbers in the groups that we found beforehand."""
    import duckdb as db

    con = db.connect(config={"threads": 2, "memory_limit": "4GB"})
    con.execute("set enable_progress_bar = false")
    start = time.perf_counter()
    seconds: dict[str, float] = {}
    kinds = con.execute(f"describe select * from '{original}/*.parquet'").fetchall()
    both = f"(select * from '{original}/*.parquet' union all select * from '{replica}/*.parquet')"
    numbers = [name for name, kind, *_ in kinds if kind in ("BIGINT", "DOUBLE")]

    def grouped_by(many: dict[str, int]) -> dict[str, str]:
        cuts = []
        for name, n in many.items():  # one by one: of 30 million records all do not fit in 4 GB
            asked = f"quantile_disc({name}, {[i / n for i in range(1, n)]})"
            cuts.append(con.execute(f"select {asked} from {both}").fetchall()[0][0])
        return {
            name: "+".join(f"({name} >= {cut})::utinyint" for cut in dict.fromkeys(found))
            for name, found in zip(many, cuts, strict=True)
        }

    grouped, targets = grouped_by(dict.fromkeys(numbers, 5)), grouped_by(GROUPS)
    names = [name for name, *_ in kinds]
    sides = {folder: f"'{folder}/*.parquet'" for folder in (original, replica)}
    if coded:
        sides = {folder: f"coded_{i}" for i, folder in enumerate(sides)}
        con.execute(f"create temp view both_sides as from {both}")
        made = []
        for name in names:
            if name in grouped:
                made.append(f"({grouped[name]})::utinyint as g_{name}")
            if name in targets:
                made.append(f"({targets[name]})::utinyint as t_{name}")
            elif name in {*KEYS, *TARGETS} or name not in grouped:
                levels = f"select distinct {name}::varchar from both_sides"
                con.execute(f"create type e_{name} as enum ({levels} where {name} is not null)")
                made.append(f"{name}::varchar::e_{name} as {name}")
        for folder, table in sides.items():
            what = f"select {', '.join(made)} from '{folder}/*.parquet'"
            con.execute(f"create table {table} as {what}")
        grouped = {name: f"g_{name}" for name in grouped}
        targets = {name: f"t_{name}" for name in targets}
    seconds["first pass"] = time.perf_counter() - start
    start = time.perf_counter()
    cells = 0
    for folder in (original, replica):
        for a, b in itertools.combinations(names, 2):
            one, other = grouped.get(a, a), grouped.get(b, b)
            sql = f"select {one}, {other}, count(*) from {sides[folder]} group by all"
            cells += len(con.execute(sql).fetchall())
    seconds["tables"] = time.perf_counter() - start
    start = time.perf_counter()
    keyed = 0
    for folder in (original, replica):
        for target in TARGETS:
            what = targets.get(target, target)
            sql = f"select {', '.join(KEYS)}, {what}, count(*) from {sides[folder]} group by all"
            keyed += con.sql(sql).to_arrow_table().num_rows
    seconds["disclosure"] = time.perf_counter() - start
    return {**seconds, "cells": cells, "keyed": keyed}


def main() -> None:
    """Generate, run every step in its own process, print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("millions", type=int, nargs="+")
    parser.add_argument("--folder", type=Path, default=Path("scale-data"))
    parser.add_argument("--run", choices=ENGINES)
    parser.add_argument("--only", choices=ENGINES)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    if given.run:
        sides = given.folder / "original", given.folder / "replica"
        result = globals()[given.run.replace(" ", "_")](*sides)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        print(json.dumps({**result, "peak GB": peak}))
        return
    for millions in given.millions:
        folder = given.folder / f"{millions}"
        try:
            for seed, side in enumerate(("original", "replica"), start=1):
                if not (folder / side).exists():
                    generate(folder / side, millions, seed)
            for engine in [given.only] if given.only else ENGINES:
                command = [sys.executable, __file__, str(millions), "--folder", str(folder)]
                done = subprocess.run(  # noqa: S603  (this file)
                    [*command, "--run", engine], check=True, stdout=subprocess.PIPE
                )
                result = json.loads(done.stdout)
                figures = ", ".join(f"{name} {value:,.1f}" for name, value in result.items())
                print(f"{millions} million, {engine}: {figures}", flush=True)
        finally:
            if not given.keep:
                shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
