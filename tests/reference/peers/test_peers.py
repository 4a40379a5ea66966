"""Answers of other packages, recorded here, against ours; some stop early or round."""

from __future__ import annotations

import math

import pytest

from tests.peers import PEERS, intended


@pytest.mark.parametrize("package", PEERS)
def test_every_number_is_that_of_the_other_package(package: str) -> None:
    compared = list(PEERS[package]())
    assert len(compared) >= 24
    for what, ours, theirs in compared:
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12), what


def test_what_is_corrected_differs_and_says_why() -> None:
    found = list(intended())
    assert {metric for metric, *_ in found} >= {"h_dist", "q_mse", "mmd"}
    for _, why, ours, theirs in found:
        assert why
        assert not math.isclose(ours, theirs, rel_tol=1e-6)
