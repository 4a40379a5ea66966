"""A subject of measures: the object that its folder exports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import Measure


@dataclass(frozen=True)
class Subject:
    """Measures, kinds and section of one subject.

    Reviews, joins, the cache, studies and their files, profiles and the documentation loop over
    subjects, and know none by name. Its part of a report is declared by the same name, see
    `sdcmetrics.report.blocks`.

    Attributes
    ----------
    name : str
        What the subject is called, such as "prediction".
    measures : tuple of Measure
    kinds : tuple of Kind
        Those that no measure is computed from: evidence only.
    section : class or None
        The section of a study that asks for it, made by `section`; None where it is always
        measured, or asked for by something else.
    preset : function of a name, or None
        Reads the preset that `[options] preset` names: StudyError or FileError if there is none
        or it is wrong. What it returns is a part of what is asked, from which the measurements
        follow.
    """

    name: str
    measures: tuple[Measure, ...] = ()
    kinds: tuple[Kind, ...] = ()
    section: type[Any] | None = None
    preset: Callable[[str], Any] | None = None

    @property
    def every_kind(self) -> tuple[Kind, ...]:
        """All kinds, in the order in which they are measured."""
        return tuple(dict.fromkeys((*(measure.of for measure in self.measures), *self.kinds)))
