"""Worked examples: every measure of ten people, by its own function; those of counts by hand, too.

What is worked out by hand is compared with the function's value when the page is made, so that
neither can be wrong.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.measures.kind import PRESET
from sdcmetrics.measures.registry import MEASURES

_COLUMNS = ("sex", "area", "vote", "age", "income", "home", "weight")
_ORIGINAL = """
f north yes 34 20 a 100
f north yes 41 24 b 100
f north no  52 31 b 100
f south no  23 18 c 100
f south no  67 27 d 100
m north no  45 35 a 150
m south yes 29 22 c 150
m south yes 38 26 d 150
m south yes 71 55 e 150
m west  yes 56 40 f 150
"""
_REPLICA = """
f north yes 34 20 a 100
f north yes 44 23 b 100
f north no  50 33 b 100
f south no  26 19 c 100
f south no  61 28 d 100
m north yes 47 41 a 150
m south yes 30 24 c 150
m south yes 35 21 d 150
m south no  70 50 e 150
f south no  58 30 f 100
"""
_HOLDOUT = """
f north yes 36 21 k 100
f north no  55 33 l 100
f south no  21 17 m 100
f south yes 60 25 n 100
m north no  48 37 o 150
m north yes 53 42 k 150
m west  yes 39 29 p 150
m south yes 27 24 m 150
m south no  33 23 n 150
m south yes 66 48 q 150
"""

BY_HAND = {
    # One variable, vote: 6 yes and 4 no in the original, 5 and 5 in the replica.
    "ROC": "(5/6 + 4/5)/2",
    # The table of sex by vote; a cell of 2 and 2 and one of 1 and 1 do not differ.
    "TVD": "1/2 * (|4/10 - 3/10| + |3/10 - 4/10|)",
    "VW": "(4 - 3)^2/3.5 + (3 - 4)^2/3.5",
    "pMSE": "VW * 1/2 * (1 - 1/2)^2/20",
    "S_pMSE": "VW/(4 - 1)",
    "S_VW": "VW/(4 - 1)",
    "FT": "4 * ((sqrt(4) - sqrt(3))^2 + (sqrt(3) - sqrt(4))^2)",
    "S_FT": "FT/(4 - 1)",
    "JSD": "4/10 * log2(4/3.5) + 3/10 * log2(3/3.5)",
    "S_JSD": "JSD * 2 * 20/((4 - 1) * ln(2))",
    "dfG": "4 - 1",
    "G": "2 * (4 * ln(4/3) + 3 * ln(3/4))",
    "S_G": "G/dfG",
    "SPECKS": "max(|3/10 - 4/10|, |6/10 - 7/10|)",
    "U": "4 * (7 + 3/2) + 3 * (4 + 3/2) + 3 * 4/2",
    "PO50": "100 * (4 + 2 + 4 + 1)/20 - 50",
    "MabsDD": "2 * TVD",
    "WMabsDD": "(|4 - 3|/sqrt(3.5) + |3 - 4|/sqrt(3.5))/sqrt(2/pi)",
    "S_WMabsDD": "WMabsDD/(4 - 1)",
    "dBhatt": "sqrt(1 - (2 + sqrt(4 * 3) + sqrt(3 * 4) + 1)/10)",
    "df": "4 - 1",
    "nempty": "2 * 2 - 4",
    # Keys sex and area, target vote.
    "UiO": "100 * 2/10",
    "UiS": "100 * 1/10",
    "UiOiS": "100 * 1/10",
    "repU": "100 * 1/10",
    "Dorig": "100 * (2 + 1 + 3 + 1)/10",
    "Dsyn": "100 * (3 + 1)/10",
    "iS": "100 * (3 + 2 + 1 + 3)/10",
    "DiS": "100 * (2 + 1)/10",
    "DiSCO": "100 * 2/10",
    "DiSDiO": "100 * 2/10",
    "max_denom": "2",
    "mean_denom": "2/1",
    "baseCAPd": "100 * ((6/10)^2 + (4/10)^2)",
    "CAPd": "100 * (2^2/3 + 1^2/3 + 2^2/2 + 1^2/1 + 3^2/3 + 1^2/1)/10",
    "CAPs": "100 * (2^2/3 + 1^2/3 + 3^2/3 + 1^2/1 + 2^2/3 + 1^2/3)/10",
    "DCAP": "100 * (2 * 2/3 + 1 * 1/3 + 2 * 3/3 + 3 * 2/3)/10",
    "DCAPs": "100 * (2 * 2/3 + 1 * 1/3 + 2 * 3/3 + 3 * 2/3)/10",
    "DCAPb": "100 * (2 * 2/3 + 1 * 1/3 + 2 * 3/3 + 3 * 2/3)/10",
    "TCAPs": "100 * 2/10",
    "TCAPb": "100 * 2/10",
    "TCAP_matched": "100 * 2/9",
    "TCAP_certain": "100 * 2/(2 + 1)",
    "CAP_o": "CAPd/100",
    "CAP_b": "baseCAPd/100",
    "CAP_s_zero": "DCAP/100",
    "CAP_s_undefined": "(2 * 2/3 + 1 * 1/3 + 2 * 3/3 + 3 * 2/3)/9",
    "TCAP_synthetic": "(3 * 2/2 + 1 * 0/1)/4",
    "CAP_s": "max(CAP_s_zero, (CAP_s_zero + min(CAP_s_undefined, CAP_o))/2)",
    "CAP_ratio": "CAP_s/CAP_o",
    "non_match": "1 - 9/10",
    "k_original": "min(3, 2, 1, 3, 1)",
    "k_anonymity": "min(3, 3, 1, 3)",
    "k_below_5": "100 * (3 + 3 + 1 + 3)/10",
    "special_uniques": "100 * 2/10",
    "l_original": "min(2, 1, 1, 1, 1)",
    "l_diversity": "min(2, 1, 1, 2)",
    "t_original": "(3 * 1/15 + 2 * 6/10 + 1 * 6/10 + 3 * 4/10 + 1 * 4/10)/10",
    "t_closeness": "(3 * 1/6 + 3 * 1/2 + 1 * 1/2 + 3 * 1/6)/10",
    "key_uniques": "100 * 2/10 - 100 * 1/10",
    "UiO_population": "100 * (150 + 150)/1250",
    "repU_population": "100 * 150/1250",
    "DiSCO_population": "100 * (100 + 100)/1250",
    "weights_total": "1200/1250",
    # Ten records, one of which has every value of an original.
    "IMS_training": "100 * 1/10",
    "IMS_holdout": "100 * 0/10",
    "exact_copies": "100 * 1/10",
    # The rule income < 50, which one record of either file breaks.
    "rule_kept": "100 * 9/10",
    "rule_broken": "100 * 1/10",
    "rule_severity": "(1/10)/(9/10)",
}
"""What is put into the formula, in words of arithmetic; symbols stand for lines above."""

_PLACES = {"ROC": ("vote",)} | dict.fromkeys(
    (measure.symbol for measure in MEASURES.values() if measure.of is MEASURES["TVD"].of),
    ("sex", "vote"),
)
"""Which table is worked out; of every other measure the first that has a value."""

_ARITHMETIC = {
    "sqrt": math.sqrt,
    "ln": math.log,
    "log2": math.log2,
    "max": max,
    "min": min,
    "abs": abs,
    "pi": math.pi,
}


def people() -> dict[str, pd.DataFrame]:
    """Return original, replica and holdout: ten people each."""
    texts = {"original": _ORIGINAL, "replica": _REPLICA, "holdout": _HOLDOUT}
    numbers = dict.fromkeys(("age", "income", "weight"), "float")
    frames = {
        name: pd.DataFrame(
            [line.split() for line in text.split("\n")[1:-1]], columns=_COLUMNS
        ).astype(numbers)
        for name, text in texts.items()
    }
    return {name: data.assign(home=name[0] + data["home"]) for name, data in frames.items()}


def study(*, full: bool) -> sdc.Study:
    """Return the study of them; `full` with everything that a study can ask for."""
    here = people()
    asked: dict[str, Any] = {}
    if full:
        suites = (measure for measure in MEASURES.values() if measure.of.option == PRESET)
        names = dict.fromkeys(measure.of.name.partition("'s ")[2] for measure in suites)
        preset = Path(tempfile.mkdtemp()) / "all.toml"
        lines = ['target = ["vote"]', 'sensitive = ["sex"]', "[metrics]"]
        preset.write_text("\n".join([*lines, *(f"{name} = {{}}" for name in names)]))
        asked = {
            "propensity": True,
            "attacks": {"seeds": 1, "links": {"replica": "row"}},
            "distributions": {"groups": ["sex"]},
            "prediction": True,
            "preset": str(preset),
        }
    return sdc.Study(
        here["original"],
        {"replica": here["replica"]},
        holdout=here["holdout"],
        keys=["sex", "area"],
        targets=["vote"],
        models=["income ~ age", ("vote ~ income", "binomial")],
        rules=["income < 50"],
        sample={"weight": "weight", "household": "home"},
        **asked,
    )


def values(*, full: bool) -> dict[str, Mapping[Any, Any]]:
    """Return the row of each measure that is shown, by symbol: the first with a value."""
    rows_of_all = sdc.conduct(study(full=full), reference_values=False).to_frame()
    out: dict[str, Mapping[Any, Any]] = {}
    for symbol, rows in rows_of_all.groupby("metric", sort=False):
        place = _PLACES.get(str(symbol))
        here = rows[rows["variables"] == place] if place else rows
        out[str(symbol)] = pd.concat([here[here["value"].notna()], here]).iloc[0].to_dict()
    return out


def evaluate(symbol: str) -> float:
    """Work an example out by hand.

    Examples
    --------
    >>> evaluate("TVD")
    0.1
    """
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", BY_HAND[symbol]).replace("^", "**")
    names = {name: evaluate(name) for name in re.findall(r"[A-Za-z]\w*", text) if name in BY_HAND}
    return round(float(eval(text, dict(_ARITHMETIC), names)), 12)  # noqa: S307  (as above)


def check_by_hand(found: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield in words where a function and its example differ."""
    for symbol in BY_HAND:
        hand, value = evaluate(symbol), found[symbol]["value"]
        if not math.isclose(hand, value, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{symbol}: by hand {hand:g}, by its function {value:g}"
