"""Lists that are cut: what stands and what is counted are together all there is."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from sdcmetrics.report.safety.cells import Name, plain
from sdcmetrics.report.sections import answers, unchecked, utility


@pytest.mark.parametrize("number", range(1, 40))
def test_names_and_the_number_of_others(number: int) -> None:
    names = [Name(f"v{i}", f"v{i}") for i in range(number)]
    source: Any = SimpleNamespace(name=lambda name: names[int(name[1:])])
    every = [name.text for name in names]
    cases = ((unchecked._some(source, every), 24, 1), (answers._listed(names), 4, 0))
    for words, most, without_count in cases:
        text = plain(words)
        stand, counted = re.findall(r"v\d+", text), re.search(r" and (\d+) (more|other)", text)
        assert stand == every[: len(stand)]
        if number <= most + without_count:
            assert stand == every
            assert text == (" and ".join([", ".join(every[:-1]), every[-1]]) if stand[1:] else "v0")
        else:
            assert counted is not None
            assert (len(stand), int(counted[1])) == (most, number - most)


@pytest.mark.parametrize("number", range(7))
def test_expectations_of_other_sizes(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [50.0, 80.0, 200.0, 300.0, 400.0, 500.0][:number]
    of_replica = {f"r{i}": (100.0, m) for i, m in enumerate([100.0, 100.0, *others, *others])}
    monkeypatch.setattr(utility, "records", lambda _, replica: of_replica[replica])
    study = SimpleNamespace(roles={"weight": "w"} if number % 2 else {"person": "id"})
    review = SimpleNamespace(study=study)
    source: Any = SimpleNamespace(replicas=tuple(of_replica), review=review)
    measure: Any = SimpleNamespace(fresh=lambda n, m: 1.0 + n / m)
    text = utility.expected(source, measure)
    assert text.startswith("2 is expected of a holdout of as many records as the original has, ")
    alone = " (of records drawn one by one; more where rows belong together)"
    assert text.endswith(", and 1 of draws from the original" + ("" if number % 2 else alone))
    each = [f"{1 + 100 / m:.1f} of {m:.0f}" for m in others]
    if number > 3:
        low, high = (1 + 100 / m for m in (others[0], others[-1]))
        each = [f"{low:.1f} to {high:.1f} of 50 to {others[-1]:.0f}"]
    between = text.split("original has, ")[1].rpartition(", and 1 of")[0]
    assert ([*between.split(", ")] if between else []) == each
    assert utility.expected(source, SimpleNamespace(fresh=None)) == ""  # type: ignore[arg-type]
    of_one: Any = SimpleNamespace(fresh=lambda n, m: 2 * (n + m) / (n + m - 1))
    of_replica.update(dict.fromkeys(of_replica, (1.0, 1.0)))
    assert utility.expected(source, of_one).startswith("4 is expected of a holdout")
