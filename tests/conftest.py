"""Each worker computes on one core: libraries that use all of them wait for each other."""

from __future__ import annotations

import os

import pytest

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


@pytest.fixture(scope="session", autouse=True)
def no_key_in_the_home_of_whoever_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
