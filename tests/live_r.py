"""R for the tests that need it; they skip with a reason where it is not there."""

from __future__ import annotations

from functools import cache

import pytest

from sdcmetrics import rbridge


@cache
def _session() -> rbridge.Session | str:
    status = rbridge.status()
    return rbridge.default_session() if status.found else status.message


def live_session() -> rbridge.Session:
    """Return the session that all live tests share, or skip the test."""
    found = _session()
    if isinstance(found, str):
        pytest.skip(found)
    return found
