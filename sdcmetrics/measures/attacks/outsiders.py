"""Real files of outsiders that a study names: sections [[external]], and what links to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from sdcmetrics.errors import SdcMetricsError, StudyError
from sdcmetrics.measures.attacks.external import external_linkage
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell, asks_for
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.section import AsTuple, Limits, Name, Section, section
from sdcmetrics.measures.subject import Subject
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.read import read


@section("external")
class ExternalFile(Section):
    """A real file of outsiders, such as a register, by which people may be looked up.

    Attributes
    ----------
    name : str
        What the report calls it.
    file : str
        Where it is; beside the study file, if the path is no absolute one.
    keys : tuple of names
        Columns that it shares with original and replicas.
    """

    name: Name
    file: Name
    keys: Annotated[tuple[str, ...], AsTuple, Limits(min_length=1)]

    def check(self, original: Microdata) -> None:
        """Raise ColumnError if a key is no column of the original."""
        check_names(self.keys, original, f"external {self.name!r}: key")


@section("external")
class ExternalFiles(Section):
    """Real files of outsiders: sections [[external]] of a study file.

    Attributes
    ----------
    each : tuple of ExternalFile
    """

    item: ClassVar[type[Any] | None] = ExternalFile

    each: tuple[ExternalFile, ...] = ()

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns by which people are looked up."""
        return tuple(dict.fromkeys(key for external in self.each for key in external.keys))

    @property
    def files(self) -> Mapping[str, Path]:
        """The files, by name."""
        return {external.name: Path(external.file) for external in self.each}

    def check(self, original: Microdata) -> None:
        """Raise if a key is no column of the original, or two files have one name."""
        for external in self.each:
            external.check(original)
        names = [external.name for external in self.each]
        for name in names:
            if names.count(name) > 1:
                msg = f"external {name!r} is named twice. Give each file a name of its own."
                raise StudyError(msg)

    def within(self, folder: Path) -> Self:
        """Return the same with files in a folder."""
        each = tuple(
            replace(external, file=str(folder / Path(external.file).expanduser()))
            for external in self.each
        )
        return replace(self, each=each)


def _linkages(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    section = plan.section(ExternalFiles)
    for external in () if section is None else section.each:
        step = f"outsiders' file {external.name}"
        tell(step)
        places = (Place(scenario=external.name, keys=external.keys),)
        try:
            register = pair.cached(
                ("external", external.file), partial(read, external.file), shared=True
            )
            linkage = external_linkage(
                pair.original,
                list(pair.syntheses),
                pair.holdout,
                external=register,
                keys=external.keys,
                missing_codes=pair.missing_codes,
            )
        except SdcMetricsError as reason:
            yield Given(step, places, reason=str(reason), result=str(reason))
        else:
            yield Given(step, places, result=linkage)


OUTSIDERS = Kind(
    "an outsiders' file",
    "`ExternalLinkage`, or why there is none",
    _linkages,
    per="scenario",
    option=asks_for(ExternalFiles),
)

SUBJECT = Subject("external files", kinds=(OUTSIDERS,), section=ExternalFiles)
