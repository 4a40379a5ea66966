"""Columns that name people, drawn one by one, and columns that do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

Column = Callable[[np.random.Generator, int], pd.Series]


def names(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw first names and surnames, some of them frequent."""
    first = np.floor(rng.pareto(1.0, n) * 40).astype(int) % 5_000
    last = rng.integers(0, 8_000, n)
    return pd.Series([f"Name{a} Sur{b}" for a, b in zip(first, last, strict=True)])


def phones(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw phone numbers of a city."""
    return pd.Series([f"+49 30 {k:07d}" for k in rng.integers(0, 10**7, n)])


def accounts(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw accounts of one bank with their check digits."""
    banks = [f"37040044{k:010d}" for k in rng.integers(0, 10**10, n)]
    return pd.Series([f"DE{98 - int(bank + '131400') % 97:02d}{bank}" for bank in banks])


def latitudes(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw coordinates to five digits."""
    return pd.Series(np.round(48 + rng.normal(0, 0.02, n), 5))


def mails(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw e-mail addresses."""
    return pd.Series([f"user{k}@example.org" for k in rng.integers(0, 200_000, n)])


def cents(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw incomes to the cent."""
    return pd.Series(np.round(rng.lognormal(7.5, 0.5, n), 2))


def euros(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw incomes per year to the euro."""
    return pd.Series(np.round(rng.lognormal(10.3, 0.6, n)).astype(int))


def addresses(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw streets with numbers."""
    streets = [f"Oak{chr(97 + i % 26)}{chr(97 + i // 26)} Street" for i in range(300)]
    houses = rng.integers(1, 80, n)
    return pd.Series([f"{a} {b}" for a, b in zip(rng.choice(streets, n), houses, strict=True)])


def hashes(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw hashed numbers of a register of 60,000."""
    return pd.Series([f"{int(k) * 2_654_435_761 % 2**64:020x}" for k in rng.integers(0, 60_000, n)])


def births(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw dates of birth."""
    days = pd.to_timedelta(rng.integers(0, 25_000, n), unit="D")
    return pd.Series(pd.Timestamp("1940-01-01") + days)


def stamps(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw times to the second."""
    return pd.Series(
        pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), unit="s")
    )


def postcodes(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw postcodes, some of them frequent."""
    return pd.Series([f"{k:05d}" for k in np.floor(rng.beta(1, 2, n) * 8_000).astype(int)])


def members(rng: np.random.Generator, n: int) -> pd.Series:
    """Draw numbers of a list that is five times as long, each once."""
    return pd.Series(rng.choice(5 * n, n, replace=False) + 1_000)


KINDS: dict[str, Column] = {
    "name": names,
    "phone": phones,
    "account": accounts,
    "lat": latitudes,
    "mail": mails,
    "cents": cents,
    "euros": euros,
    "address": addresses,
    "hash": hashes,
    "birth": births,
    "stamp": stamps,
    "postcode": postcodes,
    "member_id": members,
}


def drawn(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people with a column of each kind, and a number of the record."""
    frame = pd.DataFrame({name: make(rng, n) for name, make in KINDS.items()})
    return frame.assign(record=np.arange(1, n + 1), sex=rng.choice(["f", "m"], n))
