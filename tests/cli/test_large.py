"""The command line asked of data that are counted in batches."""

from pathlib import Path

import pandas as pd
import pytest

from sdcmetrics.microdata.sources import large
from tests.cli.conftest import Cli
from tests.review.test_large_records import frames, in_folder


def test_remedies_of_a_folder_are_saved_as_records_or_as_their_numbers(
    run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("o", "a"):
        in_folder(frames()[name], tmp_path / name)
    Path("study.toml").write_text(
        '[data]\noriginal = "o"\nreplicas = { a = "a/*.parquet" }\n'
        '[roles]\nkeys = ["age", "sex"]\ntargets = ["works"]\n',
        encoding="utf-8",
    )
    results = []
    for most in (large.MOST_READ, 0):
        monkeypatch.setattr(large, "MOST_READ", most)
        code, out, err = run_cli("remedies", "study.toml", "--csv", f"{most}.csv", "--quiet")
        assert (code, err) == (0, "")
        results.append((pd.read_csv(f"{most}.csv"), out))
    (listed, said), (counted, also) = results
    assert counted["records"].sum() == len(listed) > 0
    assert set(listed["record"]) <= set(range(422))
    assert also.startswith("too many records to be listed: `records` says how many there are\n")
    assert "record of o" in said
    assert also.endswith(said[said.index("if each record at risk") :])
