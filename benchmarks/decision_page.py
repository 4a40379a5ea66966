"""Write docs/every-decision-tested.md from the decisions that benchmarks/decisions.py recorded.

python benchmarks/decision_page.py
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from decision_masks import MASKS
from decisions import STATUSES, interval

ROOT = Path(__file__).parents[1]
HOLDOUTS = {1.0: "as many as the original", 0.2: "a fifth of them", 0.0: "none"}
HEAD = """# Every decision, tested

What an agency acts on is not a number but the two answers on the first page: may it be released, is
it useful? They are composed of calibrated tests, and are calibrated as a whole: here whole reviews
by the default profile are put to data whose truth is known. The page is written by
`python benchmarks/decision_page.py` from what `python benchmarks/decisions.py --record` recorded
(`benchmarks/decisions.csv`), and is not edited. [How the decision is made](the-decision.md) says
what each answer rests on.

Each cell is a count of answers, within / not judged / review / fail. "Accused" counts claims about
people that ask for a look, or worse, with a 95 % interval in percent.

"""
UNSEEN = """## What is not found

* Copies of a part of the records under other words or units: not judged at best.
* A few people of whom some columns are copied, in wide files; a few jittered people in large files.
* A quarter of the columns kept and rows shuffled, where their tables have few small counts, with a
  small holdout or none.
* Bands as labels; a memorising generator with many files and no holdout.
* A holdout that differs from the original in relations only; registers in which it cannot speak.
* Panels and other clusters that nobody names, under a dull name.
* Relations of four and more columns, tails of 1 % at 1,000 records, impossible combinations below
  some 15 records, a change in a subgroup of 5 % of a few hundred records.
* Not simulated: clusters in large files, renamed files through the question of usefulness.
"""


def counts(rows: pd.DataFrame, question: str) -> str:
    """Return how often each answer was given."""
    given = rows[question].value_counts()
    return "/".join(str(int(given.get(status, 0))) for status in STATUSES)


def table(rows: pd.DataFrame, by: str, title: str) -> list[str]:
    """Return a Markdown table, one row per value of a column and holdout."""
    lines = [f"| {title} | holdout | accused | risk | utility |", "|---|---|---|---|---|"]
    for (value, share), part in rows.groupby([by, "holdout"], sort=False):
        accused = interval(int(part["accused"].sum()), len(part))
        holdout = HOLDOUTS[float(str(share))]
        cells = (value, holdout, accused, counts(part, "risk"), counts(part, "utility"))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return [*lines, ""]


def beside(rows: pd.DataFrame) -> list[str]:
    """Return the tables of weighted samples, and of replicas of several files."""
    weighted, several = rows[rows["weights"]], rows[rows["files"] > 1]
    number = int(several["files"].max())
    return [
        "## Weighted samples",
        "",
        (
            f"{weighted['kind'].nunique()} kinds, some "
            f"{', '.join(map(str, sorted(weighted['n'].unique())))} records a file: some people "
            "are drawn five times as often as others, those of the highest values most, and "
            "`weight` is named. `fresh` is another such sample, `people` are drawn from the "
            "population and have no weights (both also a fifth and five times as many); the "
            "weights of a fresh sample are given to others of it, or left out. By tables of "
            "records, as before, `people` were not useful and forgotten weights were."
        ),
        "",
        *table(weighted, "replica", "replica"),
        "## Several files",
        "",
        (
            f"{number} files of each replica, of {several['kind'].nunique()} kinds, handed out "
            "together: the first by itself has the full level, so that further ones can only add "
            "to what is found."
        ),
        "",
        *table(several, "replica", "replica"),
    ]


def masked(rows: pd.DataFrame) -> list[str]:
    """Return the table of masked files."""
    return [
        "## Masked files",
        "",
        (
            f"What offices did before synthesis, of {rows['kind'].nunique()} kinds, by "
            "`python benchmarks/decisions.py --masked`: each record comes from one person of the "
            "original, and the file is in another order. Numbers are columns of numbers with more "
            "than ten values, categories the others; the methods are those of "
            "`benchmarks/decision_masks.py`. Nobody said that records have originals of their own; "
            "[who says so](tutorials/perturbed-microdata.md) is told by links how many are found."
        ),
        "",
        *table(rows, "replica", "mask"),
    ]


def page(rows: pd.DataFrame) -> str:
    """Return the page."""
    of_masks = rows["replica"].isin(MASKS)
    masks, rows = rows[of_masks], rows[~of_masks]
    other, rows = rows, rows[~rows["weights"] & (rows["files"] == 1)]
    made, real = rows[~rows["real"]], rows[rows["real"]]
    honest = made[made["replica"] == "fresh"]
    lines = [
        (
            f"Recorded: {len(rows):,} decisions, of {made['kind'].nunique()} kinds of drawn data "
            f"and {real['kind'].nunique()} real tables, "
            f"{', '.join(map(str, sorted(rows['n'].unique())))} original records."
        ),
        "",
        (
            "Six recordings went before, of other draws. In the first (531 decisions) the "
            "columns of fewest values were keys, by which even a copy is often not noticed (139 of "
            "324 fresh replicas not judged); of those 324 none was accused, one was for a look by "
            "its risk (no holdout) and one by its tables. In the second (411 fresh replicas, none "
            "accused, none failed) tables of few records were still judged. In the third, of 411 "
            "two were accused (no holdout: *either it holds people, or records were not drawn one "
            "by one*), and one failed by an excess of p = .0009. In the fourth two of 513 were "
            "accused and three for a look by their risk, in the fifth none of 615 and five, in the "
            "sixth one of 615 and six. Each time rules had changed, "
            f"and all was drawn anew. {_of_fresh(rows[rows['replica'] == 'fresh'])}"
        ),
        "",
        "## Replicas that hold nobody",
        "",
        "Fresh samples of the same population, by their size beside the original's, then by kind.",
        "",
        *table(honest.sort_values(["size", "holdout"]), "size", "size"),
        (
            "Not judged is where even a copy would not be noticed by the keys at hand: those here "
            "are chosen by their number of values alone. Tables are not judged where there are too "
            "few records."
        ),
        "",
        *table(honest.sort_values(["kind", "holdout"]), "kind", "kind"),
        "Of real tables, split into people of the original, of the holdout and of the replica:",
        "",
        *table(real[real["replica"] == "fresh"].sort_values("kind"), "kind", "table"),
        "## Every replica",
        "",
        (
            "`shuffled` has every column permuted on its own: nobody is in it, no relation left. "
            "A `recoded copy` has numbers 1.1 times as large and other words for all levels; where "
            "a column of numbers is text in it, a review refuses the file, which stands here as "
            "not judged. `masked in order` has a tenth of noise, and values of three in ten "
            "swapped."
        ),
        "",
        *table(made[made["size"] == 1.0], "replica", "replica"),
        *masked(masks),
        *packages(),
        *beside(other),
        *synthesisers(),
    ]
    return HEAD + "\n".join(lines) + "\n" + UNSEEN


def _of_fresh(rows: pd.DataFrame) -> str:
    """Return how many fresh replicas were accused, failed, or were for a look."""
    risk, utility = rows["risk"].value_counts(), rows["utility"].value_counts()
    return (
        f"Of the {len(rows)} fresh replicas here, of one file and without weights, "
        f"{int(rows['accused'].sum())} were accused; by their risk {risk.get('fail', 0)} failed "
        f"and {risk.get('review', 0)} were for a look, by their tables {utility.get('fail', 0)} "
        f"and {utility.get('review', 0)}."
    )


def packages() -> list[str]:
    """Return the section on tables of R's packages, as a new user would review them."""
    rows = pd.read_csv(ROOT / "benchmarks" / "decision_tables.csv")
    rows = rows[rows["replica"].isin(TABLES)].astype({"n": int})
    rows["replica"] = pd.Categorical(rows["replica"], TABLES, ordered=True)
    rows["accused"] = rows["accused"].astype(bool)
    rows = rows.sort_values(["replica", "holdout"], ascending=[True, False])
    sizes = rows.groupby("table")["n"].first()
    of = sizes.index.str.split(".").str[0].nunique()
    aside = rows[(rows["holdout"] > 0) & (rows["replica"] == "fresh")]
    few, more = rows[rows["n"] < MANY], rows[rows["n"] >= MANY]
    return [
        "## Tables of R's packages, by the study that `init` guesses",
        "",
        (
            f"{len(sizes)} tables of {of} packages of R, the originals of {sizes.min():,} to "
            f"{sizes.max():,} records (median {sizes.median():.0f}); `cart` is synthpop 1.9-2 by "
            "default, of tables whose texts have few values. Nothing in the study file was "
            "changed. The holdout, a random part of the table, was called different in "
            f"{int(aside['holdout_differs'].sum())} of {len(aside)} (its level is one in a "
            "hundred). By `python benchmarks/decision_tables.py`; the first round found shares "
            "with many decimals taken for phone numbers, and body weights for sampling weights."
        ),
        "",
        (
            "Accused without a holdout are tables of several rows a person (Phenobarb, Quinidine, "
            "bdf, InstInnovation, bladder, epil, udca2): random rows of them do hold people of "
            "the original, as a holdout of such rows shows as well. The one shuffled file that is "
            "accused is of population: a row a country and year, by two columns. `shuffled` is "
            "for a look where its values identify people, one by one, or near-unique ones were "
            "taken. In 21 tables people have several rows and a number, which `shuffled` and "
            "`cart` take over, and `fresh` shares: before such numbers were looked for, there was "
            "no objection to 41 of these files. Of one table (yrbs: a weight, a stratum, a "
            "cluster and one column more) nothing is judged but its copy, which fails."
        ),
        "",
        f"Originals of fewer than {MANY} records:",
        "",
        *table(few, "replica", "replica"),
        f"Of {MANY} and more:",
        "",
        *table(more, "replica", "replica"),
    ]


TABLES = ("fresh", "verbatim", "fivepercent", "shuffled", "cart")
MANY = 300
"""Original records from which tables are judged, as a rule."""

METHODS = {
    "cart": "synthpop CART, default",
    "cart1": "CART, minbucket 1",
    "cart20": "CART, minbucket 20",
    "ctree": "ctree",
    "parametric": "parametric",
    "sample": "sample",
    "bag": "bag",
    "rf": "rf",
    "spline": "CART, smoothed by spline",
}


def synthesisers() -> list[str]:
    """Return what to expect of each synthesiser on real tables."""
    rows = pd.read_csv(ROOT / "benchmarks" / "decision_synthesisers.csv")
    lines = [
        "## What to expect of each synthesiser",
        "",
        (
            f"{rows['table'].nunique()} real tables, two random samples of some 250 records of "
            "each, and synthpop 1.9-2's files of them (keys: the columns of fewest values, by "
            "which often not even a copy would be noticed), by `benchmarks/synthesisers.R` and "
            "`decision_synthesisers.py`. Trees with leaves of five records follow single people in "
            "most; conditional inference trees take nearly all of that away and leaves of 20 half, "
            "at little cost of usefulness; smoothing takes little, and costs most."
        ),
        "",
        "| method | files | risk, with a holdout | risk, without | utility |",
        "|---|---|---|---|---|",
    ]
    for method, words in METHODS.items():
        of = rows[rows["method"] == method]
        beside, alone = of[of["holdout"]], of[~of["holdout"]]
        cells = (
            words,
            len(beside),
            counts(beside, "risk"),
            counts(alone, "risk"),
            counts(beside, "utility"),
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return [*lines, ""]


def main() -> None:
    """Write the page."""
    rows = pd.read_csv(ROOT / "benchmarks" / "decisions.csv")
    (ROOT / "docs" / "every-decision-tested.md").write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
