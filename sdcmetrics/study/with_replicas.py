"""The questions of a study, asked of other data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdcmetrics.measures.registry import needs_holdout
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.study.sampled import with_parts
from sdcmetrics.study.study import Study


def with_replicas(
    study: Study,
    replicas: Mapping[str, Sequence[Microdata]],
    *,
    holdout: bool = True,
    **options: Any,
) -> Study:
    """Return the same questions about the same original, asked of other data sets.

    The data sets must have the columns that the study's have. Without `holdout` what needs the
    holdout is left out: searching near records takes long. Some options may be changed.
    """
    changed: dict[str, Any] = {
        "replicas": {name: tuple(syntheses) for name, syntheses in replicas.items()},
        "options": replace(study.options, **options),
        "holdout": study.holdout if holdout else None,
        "sections": {
            name: section
            for name, section in study.sections.items()
            if holdout or not needs_holdout(name)
        },
    }
    return with_parts(study, changed)


def with_names(study: Study, names: Mapping[str, str]) -> Study:
    """Return the same study, its replicas under other names."""
    sections = {name: section.renamed(names) for name, section in study.sections.items()}
    replicas = {names.get(name, name): each for name, each in study.replicas.items()}
    kinds = {names.get(name, name): kind for name, kind in study.kinds.items()}
    return with_parts(study, {"replicas": replicas, "sections": sections, "kinds": kinds})


def with_profile(study: Study, profile: str) -> Study:
    """Return the same study, judged by another profile."""
    return with_parts(study, {"profile": profile})
