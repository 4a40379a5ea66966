"""Which program made a replica, as a study says it."""

from __future__ import annotations

from typing import Any

import pytest

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.generator import Generator, Generators


def generators(*replicas: str) -> Generators:
    return Generators(each=tuple(Generator(name="cart", replica=name) for name in replicas))


@pytest.mark.parametrize(
    ("replicas", "which"),
    [(("a", "b", "b"), "replica 'b'"), (("", "a", ""), "all replicas")],
)
def test_a_replica_was_made_once(replicas: tuple[str, ...], which: str) -> None:
    original: Any = None
    with pytest.raises(StudyError, match=rf"^generator: {which} was made once. Leave one \[\["):
        generators(*replicas).check(original)
    generators("", "a", "b").check(original)


def test_a_replica_is_made_by_its_own_generator_or_by_that_of_all() -> None:
    each = generators("a", "")
    assert each.of("a") is each.each[0]
    assert each.of("b") is each.each[1]
    assert generators("a").of("b") is None
