"""What to expect of each synthesiser: whole decisions on real tables and files of them.

    Rscript benchmarks/synthesisers.R FOLDER
    nice python benchmarks/decision_synthesisers.py FOLDER

FOLDER has folders for each table (boston_1, boston_2), with original.csv, holdout.csv and a file
per synthesis, named by its method and number (cart_1.csv). Answers are recorded in
benchmarks/decision_synthesisers.csv.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pandas as pd
from decisions import roles

import sdcmetrics as sdc


def main() -> None:
    """Decide on every file, beside the holdout and without."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    rows = []
    for table in sorted(path for path in folder.iterdir() if (path / "holdout.csv").exists()):
        original, holdout = (sdc.read(table / f"{name}.csv") for name in ("original", "holdout"))
        keys, targets = roles(pd.read_csv(table / "original.csv"), None)
        for file in sorted(table.glob("*_*.csv")):
            method = re.sub(r"_\d+$", "", file.stem)
            for aside in (holdout, None):
                study = sdc.Study(
                    original,
                    {method: sdc.read(file)},
                    keys=keys,
                    targets=targets,
                    holdout=aside,
                    ways=(1,),
                    candidates=0,
                    perturbed=[],
                )
                review = sdc.conduct(study, holdout=False)
                decision = review.decisions[method]
                rows.append(
                    {
                        "table": table.name.partition("_")[0],
                        "records": original.n,
                        "method": method,
                        "holdout": aside is not None,
                        "claims": " ".join(
                            claim.name
                            for claim in sdc.people(original, sdc.read(file), aside).claims
                        ),
                        "risk": decision.risk.status.value,
                        "utility": decision.utility.status.value,
                    }
                )
                print(rows[-1], flush=True)
    out = Path(__file__).with_name("decision_synthesisers.csv")
    pd.DataFrame(rows).to_csv(out, index=False)


if __name__ == "__main__":
    main()
