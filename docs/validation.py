"""How far this package agrees with others: recorded answers, compared when the site is built."""

from __future__ import annotations

import ast
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cells import code, row, table

from sdcmetrics.rbridge.defects import DEFECTS, SINCE

ROOT = Path(__file__).parents[1]


def validation() -> Iterator[str]:
    """Yield the page, line by line."""
    from tests.recorded import all_cases, number
    from tests.reference import test_fits, test_tables

    own = [case for case in all_cases() if case.folder.parent.name == "reference"]
    own = [case for case in own if case.folder.is_relative_to(ROOT)]
    yield "# Validation\n"
    first = own[0].expected["generated_by"].partition("record_reference.R with ")[2]
    yield (
        f"What {first} answered is recorded in `tests/reference`, for {len(own)} data sets made of "
        "R's own. Here the same calls are made natively, when this page is built.\n"
    )
    differences_of: dict[str, list[float]] = defaultdict(list)
    intended = []
    calls: dict[str, Callable[[Any, str, dict[str, Any]], Iterator[tuple[str, float, float]]]] = {
        "utility.tab": lambda *at: _tab(test_tables, number, *at),
        "disclosure": lambda *at: _disclosure(test_tables, number, *at),
        "fit": lambda *at: _fit(test_fits, number, *at),
    }
    for case in own:
        for kind, compare in calls.items():
            for name, call in case.calls(kind):
                failed = "error" in case.expected[name]
                pairs = [] if failed else list(compare(case, name, call))
                if name in case.divergences:
                    apart = [pair for pair in pairs if _difference(*pair) > 1e-8]  # noqa: PLR2004
                    intended.append((case.name, name, case.divergences[name], apart))
                else:
                    differences_of[kind] += [_difference(*pair) for pair in pairs]
    yield from table("function of synthpop", "values compared", "largest relative difference")
    for kind, differences in differences_of.items():
        largest = max(differences)
        yield row(code(kind), f"{len(differences):,}", f"{largest:.1e}")
    yield "\n## Intended differences\n"
    yield (
        "Where synthpop pairs cells by position or compares numbers as text, this package differs. "
        "Each line can be repeated: the data and the call are in `tests/reference/CASE` "
        "(`params.json`), `Rscript r/record_reference.R FOLDER` asks synthpop again, and "
        "`pytest tests/reference -k CASE-CALL` this package.\n"
    )
    for heading in dict.fromkeys(why for _, _, why, _ in intended):
        yield f"\n### {heading}\n"
        yield from table("case", "call", "for example", "sdcmetrics", "synthpop")
        for name, called, why, apart in intended:
            if why == heading:
                metric, ours, theirs = apart[0] if apart else ("", math.nan, math.nan)
                shown = ("", "") if not metric else (f"{ours:.6g}", f"{theirs:.6g}")
                yield row(name, called, metric, *shown)
    yield "\n## synthpop's documented defects\n"
    yield "`sdcmetrics crosscheck` names them by these numbers.\n"
    yield from table("number", "what synthpop does", "since")
    yield from (row(n, words, SINCE.get(n, "")) for n, words in DEFECTS.items())
    yield from _peers()


def _peers() -> Iterator[str]:
    from tests import peers

    yield "\n## Other packages and papers\n"
    yield (
        "What SynthEval and R's survey package answer of R's `infert` and a synthesis of it is "
        "recorded in `tests/reference/peers`, with the scripts that asked them; what others answer "
        "of the demo's people, in `tests/reference/demo`. Both are compared when this page is "
        "made. The other answers are of data that are not in the repository: there the last "
        "comparison is shown, by the `record_*.py` of `tests/reference/peers`.\n"
    )
    yield from table("package", "values compared", "largest relative difference", "where")
    for name, pairs in peers.PEERS.items():
        differences = [(_difference(*pair), pair[0]) for pair in pairs()]
        largest, where = max(differences)
        yield row(name, f"{len(differences):,}", f"{largest:.1e}", where)
    for test in peers.elsewhere().itertuples():
        yield row(test.package, f"{test.values:,}", f"{test.largest:.1e}", test.where)
    yield from _schools_in_short()
    yield "\n### Intended differences from SynthEval\n"
    yield (
        'As published (`mode="published"`) its numbers are SynthEval\'s, as above. By default they '
        "are corrected:\n"
    )
    yield from table("metric", "what SynthEval does", "sdcmetrics", "SynthEval")
    for metric, why, ours, theirs in peers.intended():
        yield row(metric, why, f"{ours:.4g}", f"{theirs:.4g}")
    yield (
        "\nTo repeat it, in a checkout:\n\n```python\nimport sdcmetrics as sdc\n"
        "from tests.peers import CATEGORICAL, infert, intended\n\n"
        'sets = [infert(name) for name in ("orig", "syn_1", "syn_2")]\n'
        'said = {"categorical": CATEGORICAL, "metrics": [metric for metric, *_ in intended()]}\n'
        'for mode in ("corrected", "published"):\n'
        '    print(sdc.syntheval(*sets, **said, mode=mode)["value"])\n'
        "```\n"
    )
    yield "### Intended differences from others\n"
    for difference in peers.DIFFERENCES:
        yield (
            f"**{difference.package}.** {difference.why} "
            f"There {difference.theirs:.4g}, here {difference.ours:.4g}:\n\n"
            "```python\nimport pandas as pd\nimport sdcmetrics as sdc\n\n"
            f"{difference.code}\n```\n"
        )
    yield (
        "[DAISYnt's tests](../daisynt.md) have a table of their own, and [the copy test]"
        "(../the-copy-test.md) says what riskutility, anonymeter and others make of a copy.\n"
    )
    yield from _cells()
    yield from _vignettes()
    yield from _schools()
    yield "### Further tests\n"
    yield "Their answers come from elsewhere, too; each says with what it compares.\n"
    yield from table("test", "subject")
    named = re.compile(
        r"SynthEval|syntheval|sdcMicro|survey package|Platzer|anonymeter|Anonymeter|SDNist|DAISYnt"
        r"|scikit|synthgauge|R's|hepatitis|Comparative Metrics|synthpop|statsmodels|POT"
    )
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        line = " ".join(text.split("\n\n")[0].split())
        if named.search(line):
            yield row(code(path.relative_to(ROOT)), line)


def _cells() -> Iterator[str]:
    """Yield published tables cell by cell, as they were compared last."""
    from tests import peers

    yield "### Platzer and Reutterer, cell by cell\n"
    cells = peers.platzer()
    there = cells[cells["ours"].notna()]
    yield (
        f"Of {len(cells)} cells of Figures 7 and 8 (fidelity; the share of records closer to the "
        f"training data) {len(there)} have data, and {int(there['same'].sum())} of these are ours "
        "to the last printed digit. Compared by `record_platzer.py` with the files that the "
        "authors published, in percent. Where ours is missing, the file was not to be had.\n"
    )
    for (figure, dataset), part in cells.groupby(["figure", "dataset"], sort=False):
        measures = list(dict.fromkeys(part["measure"]))
        yield f"\n#### Figure {figure}, {dataset}\n"
        yield from table(
            "replica", *(f"{m}, {who}" for m in measures for who in ("theirs", "ours"))
        )
        for replica, of_replica in part.groupby("replica", sort=False):
            yield row(replica, *(text for cell in of_replica.itertuples() for text in _both(cell)))
    yield "\n### SynthEval's Table 4, cell by cell\n"
    cells = peers.table_4()
    yield (
        f"{int(cells['same'].sum())} of {len(cells)} cells of the six metrics that anyone can "
        "compute are ours to the last printed digit (`record_table_4.py`). The others depend on "
        "draws without a seed, on one version of a learner, or on input that was not published.\n"
    )
    yield from table("replica", "metric", "Table 4", "sdcmetrics", "why they differ")
    for estimate in cells.itertuples():
        why = estimate.why or ("" if estimate.same else "a p near 0.05, drawn without a seed there")
        yield row(
            f"{estimate.letter}: {estimate.replica}",
            estimate.metric,
            estimate.printed,
            f"{estimate.ours:.4g}",
            why,
        )
    yield ""


def _vignettes() -> Iterator[str]:
    """Yield what synthpop's vignettes print, each number beside ours where they differ."""
    from tests import peers

    cells = peers.vignettes()
    yield "### synthpop's vignettes, number by number\n"
    yield (
        f"Of {len(cells)} numbers that the vignettes of synthpop 1.9-2 print, on disclosure, on "
        "the utility of tables and of a CART model, and of the first four fits compared, "
        f"{int(cells['same'].sum())} are ours to the last printed digit. "
        "The syntheses were made anew by synthpop 1.9-2, with the vignettes' seeds "
        "(`record_vignettes.R`), and measured by this package "
        "(`record_vignettes.py`). synthpop's data are not in this repository. A number that "
        "stands alone is printed there and is ours; where ours differs, it stands in brackets.\n"
    )
    for (vignette, title), part in cells.groupby(["vignette", "table"], sort=False):
        measures = list(dict.fromkeys(part["measure"]))
        yield f"\n#### {str(vignette).capitalize()}: {title}\n"
        yield from table("", *measures)
        for name, of_row in part.groupby("row", sort=False):
            shown = {cell.measure: _printed(cell) for cell in of_row.itertuples()}
            yield row(name, *(shown.get(measure, "") for measure in measures))
        for why in dict.fromkeys(why for why in part["why"] if why):
            yield f"\nWhere ours differs, the number was {why}.\n"
    yield ""


def _printed(cell: Any) -> str:
    return cell.printed if cell.same else f"{cell.printed} ({cell.ours:.6g})"


def _schools_in_short() -> Iterator[str]:
    from tests import peers

    cells = peers.api()
    same = cells[cells["same"]]
    scale = same["survey"].abs().clip(lower=1e-3)  # near 0: absolute
    largest = ((same["ours"] - same["survey"]).abs() / scale).max()
    yield row(
        "survey 4.1.1, its own data",
        f"{len(same):,} of {len(cells):,}",
        f"{largest:.1e}",
        "the others are quantiles under equal weights, below",
    )


def _schools() -> Iterator[str]:
    """Yield survey's estimates of its own data, design by design."""
    from tests import peers

    cells = peers.api()
    cells = cells.assign(
        text=[_estimate(cell) for cell in cells.itertuples()],
        place=cells["variable"].str.cat(cells["statistic"], sep=" ").str.strip(),
    )
    yield "### R's survey package, its own data\n"
    yield (
        f"Schools of California (`api`), four samples under seven designs: of {len(cells)} "
        f"estimates, errors and ends of intervals {int(cells['same'].sum())} are equal to ten "
        "digits or undefined in both (`record_api.R` asks survey, `record_api.py` compares). The "
        f"other {int((~cells['same']).sum())}, in brackets, are quantiles and their ends in the "
        "simple random sample: all weights are equal and a tenth of 200 schools is a whole "
        "number, so that 20 schools hold exactly a tenth of the weight. survey's sum of their "
        "weights misses a tenth in the 17th decimal and it takes the next school; ours takes the "
        "20th. No correction for finite populations, in either.\n"
    )
    yield from table("", *cells["design"].unique())
    for place, part in cells.groupby("place", sort=False):
        shown = part.set_index("design")["text"].to_dict()
        yield row(place, *(shown.get(name, "") for name in cells["design"].unique()))
    yield ""


def _estimate(cell: Any) -> str:
    if math.isnan(cell.survey):
        return "none"
    text = "0" if abs(cell.survey) < 1e-15 else f"{cell.survey:.6g}"  # noqa: PLR2004
    return text if cell.same else f"{text} ({cell.ours:.6g})"


def _both(cell: Any) -> tuple[str, str]:
    """Return a number of a paper and ours, in percent."""
    ours = "no data" if math.isnan(cell.ours) else f"{100 * cell.ours:.2f}"
    return f"{100 * cell.printed:.1f}", ours


Pairs = Iterator[tuple[str, float, float]]


def _difference(metric: str, ours: float, theirs: float) -> float:
    if metric == "dBhatt":  # a root of a difference near 0: rounding is of its square
        return 0.0 if abs(ours**2 - theirs**2) < 1e-12 else abs(ours - theirs)  # noqa: PLR2004
    if math.isnan(ours) or math.isnan(theirs):
        return 0.0 if math.isnan(ours) and math.isnan(theirs) else math.inf
    scale = max(abs(ours), abs(theirs))
    if ours == theirs or scale < 1e-12:  # noqa: PLR2004  (rounding of what is 0)
        return 0.0
    return abs(ours - theirs) / scale


def _tab(tests: Any, number: Any, case: Any, name: str, call: dict[str, Any]) -> Pairs:
    import sdcmetrics as sdc

    ours = sdc.utility_tab(
        case.original(),
        case.synthetic(),
        call["vars"],
        missing_codes=case.missing_codes,
        per_synthesis=True,
        **tests.options(call, tests.UTILITY_OPTIONS),
    )
    for metric in tests.utility_names(case.expected[name]):
        if metric not in ours:
            continue
        theirs = case.expected[name][metric]
        for i in range(len(ours)):
            value = theirs[i] if isinstance(theirs, list) else theirs
            yield metric, float(ours[metric].iloc[i]), number(value)


def _disclosure(tests: Any, number: Any, case: Any, name: str, call: dict[str, Any]) -> Pairs:
    import sdcmetrics as sdc

    keys = call["keys"] if isinstance(call["keys"], list) else [call["keys"]]
    ours = sdc.disclosure(
        case.original(),
        case.synthetic(),
        keys=keys,
        target=call["target"],
        missing_codes=case.missing_codes,
        synthpop="1.9-2",
        **tests.options(call, tests.DISCLOSURE_OPTIONS),
    )
    for part in ("ident", "attrib", "allCAPs"):
        for i, answer in enumerate(case.expected[name][part]):
            values = ours.per_synthesis.iloc[i]
            yield from ((n, float(values[n]), number(value)) for n, value in answer.items())


def _fit(tests: Any, number: Any, case: Any, name: str, call: dict[str, Any]) -> Pairs:
    fitted = tests.fit(case, call).coefficients
    if fitted.index.tolist() != case.expected[name]["terms"]:
        return
    for recorded, columns in tests.COLUMNS.items():
        for j, column in enumerate(columns):
            for ours, theirs in zip(fitted[column], case.expected[name][recorded], strict=True):
                yield column, float(ours), number(theirs[j])
