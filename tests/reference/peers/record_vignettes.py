"""Records what synthpop's vignettes print, number by number, beside what is computed.

PYTHONPATH=. python tests/reference/peers/record_vignettes.py DATA TEXT writes vignettes.csv: DATA
holds what record_vignettes.R wrote there (synthpop's data and syntheses, by the vignettes' seeds),
TEXT what pdftotext -layout makes of disclosure.pdf, utility.pdf and inference.pdf, as .txt. The
data are synthpop's and are not in this repository; of the vignettes, their numbers are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

import sdcmetrics as sdc

Cells = Iterator[tuple[str, str, str, str, str, float]]
"""Vignette, table, row, measure, the printed text, ours."""
KEYS = ["sex", "age", "region", "placesize"]
MISSING = {"income": -8}
NUMBER = r"-?\d[\d.]*(?:e[-+]\d+)?"
MODELS = {
    "f8": "smoke ~ sex + edu + sex * edu",
    "f9": "smoke ~ sex + age + edu + sex * age",
    "f10": "smoke ~ sex + age + edu + sex * edu",
    "f11": "smoke ~ sex + age + edu + sex * edu",
}


class Vignettes:
    """Data and syntheses of the vignettes, and their text."""

    def __init__(self, data: Path, text: Path) -> None:
        self.data, self.text = data, text
        levels = pd.read_csv(data / "levels.csv").groupby("column", sort=False)["level"]
        self.levels = {str(name): part.tolist() for name, part in levels}
        self.levels["edu, short"] = ["NONE", "VOC", "SEC", "HIGH"]

    @cache  # noqa: B019  (there is one)
    def file(self, name: str, *, short: bool = False) -> pd.DataFrame:
        """Return a file with the levels that R declares."""
        frame = pd.read_csv(self.data / f"{name}.csv")
        for column in frame.columns.intersection(list(self.levels)):
            levels = self.levels["edu, short" if short and column == "edu" else column]
            frame[column] = pd.Categorical(frame[column], categories=levels)
        return frame

    def rows(self, vignette: str, start: str, count: int) -> list[list[str]]:
        """Return the words of so many lines after the first line that holds a text."""
        lines = (self.text / f"{vignette}.txt").read_text("utf-8").splitlines()
        place = next(i for i, line in enumerate(lines) if start in line)
        result = [line.split() for line in lines[place + 1 :] if re.search(NUMBER, line)]
        return result[:count]

    def after(self, vignette: str, pattern: str) -> list[str]:
        """Return the numbers that follow a text."""
        text = " ".join((self.text / f"{vignette}.txt").read_text("utf-8").split())
        match = re.search(pattern.replace("#", f"({NUMBER})"), text)
        assert match is not None, pattern
        return [group.rstrip(".") for group in match.groups()]


def _disclosure(given: Vignettes) -> Cells:
    five = [given.file(f"disclosure_{i}") for i in range(1, 6)]
    original = given.file("disclosure")
    ours = sdc.disclosure(original, five, keys=KEYS, target="depress", synthpop="1.9-2")
    result = ours.per_synthesis
    for table, start in (
        ("identity", "UiO   UiS UiOiS repU"),
        ("attributes of depress", "Dorig Dsyn"),
        ("correct attribution of depress", "baseCAPd CAPd"),
    ):
        lines = (given.text / "disclosure.txt").read_text("utf-8").splitlines()
        names = next(line for line in lines if start in line).split()
        for synthesis, *words in given.rows("disclosure", start, 5):
            for name, word in zip(names, words, strict=True):
                value = float(result.loc[int(synthesis), name])
                yield "disclosure", table, f"synthesis {synthesis}", name, word, value
    one = given.file("disclosure_one")
    for limit, pattern in (
        (None, r"For original \( UiO \) # % For synthetic \( repU \) # %"),
        (1, r"8 For original \( UiO \) # % For synthetic \( repU \) # %"),
    ):
        ours = sdc.disclosure(
            original,
            one,
            keys=KEYS,
            target="depress",
            denom_lim=limit,
            missing_codes=MISSING,
            synthpop="1.9-2",
        )
        words = given.after("disclosure", pattern)
        for name, word in zip(("UiO", "repU"), words, strict=True):
            table = "identity, denominators of 1" if limit else "identity, one synthesis"
            yield (
                "disclosure",
                table,
                "depress",
                name,
                word,
                float(ours.per_synthesis.iloc[0][name]),
            )
    for _, target, *words in given.rows("disclosure", "attrib.orig attrib.syn", 5):
        ours = sdc.disclosure(
            original, one, keys=KEYS, target=target, denom_lim=1, synthpop="1.9-2"
        )
        numbers = [word for word in words if re.fullmatch(r"\d+\.\d+", word)]
        for name, word in zip(("Dorig", "DiSCO"), numbers, strict=True):
            value = float(ours.per_synthesis.iloc[0][name])
            yield "disclosure", "attributes, denominators of 1", target, name, word, value


def _utility(given: Vignettes) -> Cells:
    original = given.file("utility")
    files = {name: given.file(f"utility_{name}") for name in ("parametric", "cart", "reordered")}
    words = given.after("utility", "Parametric pMSE # CART pMSE # Utility")
    for name, word in zip(("parametric", "cart"), words, strict=True):
        fitted: Any = sdc.utility_gen(
            original, files[name], method="cart", missing_codes=MISSING, resampling="none"
        )
        yield "utility", "propensity by CART", name, "pMSE", word, float(fitted.mean["pMSE"])
    pairs = sdc.utility_tables(original, files["parametric"], missing_codes=MISSING)
    worst = given.after("utility", "07.height:08.weight # # # #")
    named = [("sex", "weight"), ("weight", "smoke"), ("edu", "weight"), ("height", "weight")]
    of_pair = {frozenset(key): row for key, row in pairs.to_dict("index").items()}
    for pair, word in zip(named, worst, strict=True):
        value = float(of_pair[frozenset(pair)]["S_pMSE"])
        yield "utility", "worst pairs, parametric", ":".join(pair), "S_pMSE", word, value
    for name, *words in given.rows("utility", "Medians   Maxima", 3):
        for what, word in zip(("median", "max"), words, strict=True):
            value = float(getattr(pairs[name], what)())
            yield "utility", "all pairs, parametric", what, name, word, value
    text = (given.text / "utility.txt").read_text("utf-8")
    for replica, call in (("parametric", "compare(syn_para, "), ("reordered", "compare(syn_para2")):
        one_way = sdc.utility_tables(original, files[replica], ways=1, missing_codes=MISSING)
        rows = {"".join(key): row for key, row in one_way.to_dict("index").items()}
        lines = [line.split() for line in text[text.index(f"R> {call}") :].splitlines()]
        for name, result in rows.items():
            words = next(words for words in lines if words[:1] == [name] and words[-1].isdigit())
            for measure, word in zip(("S_pMSE", "df"), words[1:], strict=True):
                table = f"one variable, {replica}"
                yield "utility", table, name, measure, word, float(result[measure])


COLUMNS = ("synthetic", "original", "difference", "std_diff", "CIO")
PRINTED = ("Synthetic", "Observed", "Diff", "Std. coef diff", "CI overlap")


def _inference(given: Vignettes) -> Cells:
    original = given.file("inference", short=True)
    text = (given.text / "inference.txt").read_text("utf-8")
    for name, formula in MODELS.items():
        syntheses = [
            given.file(f"{name}_{i}", short=True)
            for i in range(1, 1 + len(list(given.data.glob(f"{name}_*.csv"))))
        ]
        fitted = sdc.fit_overlap(
            original, syntheses, formula=formula, family="binomial", incomplete=name == "f11"
        )
        rows = fitted.coefficients.assign(
            difference=lambda table: table["synthetic"] - table["original"]
        )
        part = text[text.index(f"R> compare({name}, ods") :]
        lines = part[part.index("Std. coef diff CI overlap") :].splitlines()
        for term in rows.index:
            words = next(line.split() for line in lines if line.split()[:1] == [term])[1:]
            for column, measure, word in zip(COLUMNS, PRINTED, words, strict=True):
                value = float(rows.loc[term, column])
                yield "inference", f"compare({name})", str(term), measure, word, value
        for measure, pattern, value in (
            ("mean overlap", "confidence interval overlap: #", fitted.mean_overlap),
            ("mean absolute difference", "absolute std. coef diff: #", fitted.mean_abs_std_diff),
            ("lack of fit", "Lack-of-fit test: #", _lack_of_fit(fitted)),
        ):
            match = re.search(pattern.replace("#", f"({NUMBER})"), " ".join(part.split()))
            assert match is not None
            yield "inference", f"compare({name})", "all", measure, match.group(1), float(value)


def _lack_of_fit(fitted: Any) -> float:
    return float(fitted.lack_of_fit.statistic)


def main(data: Path, text: Path) -> None:
    """Write vignettes.csv beside this file."""
    given = Vignettes(data, text)
    cells = [*_disclosure(given), *_utility(given), *_inference(given)]
    columns = ["vignette", "table", "row", "measure", "printed", "ours"]
    version = pd.read_csv(data / "version.csv")["synthpop"].iloc[0]
    note = (
        f"# do not edit: generated by record_vignettes.py with sdcmetrics {sdc.__version__}, "
        f"synthpop {version}\n"
    )
    table = pd.DataFrame(cells, columns=columns).to_csv(index=False, float_format="%.10g")
    Path(__file__).with_name("vignettes.csv").write_text(note + table, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
