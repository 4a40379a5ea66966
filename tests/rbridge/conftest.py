from __future__ import annotations

import pytest

from sdcmetrics import rbridge
from tests.live_r import live_session


@pytest.fixture
def r() -> rbridge.Session:
    return live_session()
