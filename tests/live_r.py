"""R for the tests that need it; they skip with a reason where it is not there."""

from __future__ import annotations

from functools import cache

import pytest

from sdcmetrics import rbridge


@cache
def _session() -> rbridge.Session | str:
    session = rbridge.default_session()
    try:
        session.versions  # noqa: B018  (starts R)
    except rbridge.RError as error:
        return error.reason
    return session


def live_session() -> rbridge.Session:
    """Return the session that all live tests share, or skip the test."""
    result = _session()
    if isinstance(result, str):
        pytest.skip(result)
    return result
