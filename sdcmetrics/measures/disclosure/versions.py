"""Names of the disclosure measures and of their tables, by version of synthpop.

Symbols of this package never change their meaning. synthpop's do: DCAP of 1.9-2 is DCAPd in
1.9-3, and TCAP is another number in each.
"""

from __future__ import annotations

from collections.abc import Mapping

Columns = dict[str, dict[str, str]]

IDENTITY = ("UiO", "UiS", "UiOiS", "repU")
ATTRIBUTION = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO", "max_denom", "mean_denom")
_PER_SYNTHETIC = ("DCAPs", "DCAPb", "TCAPs", "TCAPb")  # new in 1.9-3
CAP = ("baseCAPd", "CAPd", "CAPs", "DCAP", *_PER_SYNTHETIC, "TCAP_matched", "TCAP_certain")

NAMES: Mapping[str, Mapping[str, str]] = {
    "DCAP": {"1.9-2": "DCAP", "1.9-3": "DCAPd"},
    **{symbol: {"1.9-2": ""} for symbol in _PER_SYNTHETIC},
    "TCAP_matched": {"1.9-2": "TCAP", "1.9-3": ""},
    "TCAP_certain": {"1.9-2": "", "1.9-3": "TCAP"},
}
"""Symbol here: its name in a version of synthpop that has another, "" where it has none."""

AMBIGUOUS: Mapping[str, tuple[str, ...]] = {
    "TCAP": ("TCAP_certain", "TCAP_matched", "TCAP_synthetic", "DiSCO"),
}
"""Names under which different numbers are published, and the symbols to choose from."""

_SHOWN = {
    "1.9-2": (ATTRIBUTION, ("baseCAPd", "CAPd", "CAPs", "DCAP", "TCAP_matched")),
    "1.9-3": (
        (*ATTRIBUTION[:5], "DCAP", *ATTRIBUTION[5:]),
        ("baseCAPd", "CAPd", "CAPs", "DCAPb", "DCAPs", "TCAPb", "TCAPs", "TCAP_certain"),
    ),
}


def columns(version: str | None = None) -> Columns:
    """Return the tables identity, attribution and cap: symbol here to name there, in its order.

    None stands for this package's own symbols.

    Examples
    --------
    >>> list(columns("1.9-2")["cap"].values())
    ['baseCAPd', 'CAPd', 'CAPs', 'DCAP', 'TCAP']
    """
    attribution, cap = (ATTRIBUTION, CAP) if version is None else _SHOWN[version]
    tables = {"identity": IDENTITY, "attribution": attribution, "cap": cap}
    return {
        table: {s: NAMES.get(s, {}).get(version or "", s) for s in symbols}
        for table, symbols in tables.items()
    }
