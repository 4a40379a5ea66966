"""The study file's entries, checked; an unknown entry is an error that names the closest one."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sdcmetrics.errors import StudyError, did_you_mean

__all__ = ["StudyFile", "parse"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class StudySection(_Section):
    """``[study]``: what the report says of itself."""

    title: str = "Disclosure review"
    profile: str = "default"


class DataSection(_Section):
    """``[data]``: the files."""

    original: str
    replicas: dict[str, str | list[str]] = Field(min_length=1)
    holdout: str | None = None


class RolesSection(_Section):
    """``[roles]``: one intruder."""

    keys: list[str] = []
    targets: list[str] | None = None


class ScenarioSection(_Section):
    """``[[scenario]]``: a further intruder."""

    name: str
    keys: list[str]
    targets: list[str] | None = None
    description: str = ""


class OptionsSection(_Section):
    """``[options]``: how the measures are computed."""

    ngroups: int = Field(default=5, ge=1)
    style: Literal["quantile", "equal"] = "quantile"
    group_dates: bool = True
    ngroups_keys: dict[str, int] = {}
    ngroups_targets: dict[str, int] = {}
    round_to: dict[str, float] = {}
    min_count: int = Field(default=5, ge=1)
    max_categories: int = Field(default=2000, ge=1)
    variables: list[str] | None = None
    ways: list[int] = [1, 2]
    k_syn: bool = False


class StudyFile(_Section):
    """A whole study file."""

    study: StudySection = StudySection()
    data: DataSection
    roles: RolesSection = RolesSection()
    scenario: list[ScenarioSection] = []
    options: OptionsSection = OptionsSection()
    missing_codes: dict[str, float | list[float]] = {}
    context: dict[str, str] = {}


_KNOWN: dict[str, type[BaseModel]] = {
    "": StudyFile,
    "study": StudySection,
    "data": DataSection,
    "roles": RolesSection,
    "scenario": ScenarioSection,
    "options": OptionsSection,
}


def parse(entries: dict[str, Any], source: str) -> StudyFile:
    """Check the entries of a study file.

    Raises
    ------
    StudyError
        Naming the file, the entry and the remedy.
    """
    try:
        return StudyFile.model_validate(entries)
    except ValidationError as error:
        raise StudyError(_message(error, source)) from None


def _message(error: ValidationError, source: str) -> str:
    lines = []
    for problem in error.errors(include_url=False, include_input=False):
        path = [str(part) for part in problem["loc"]]
        where = ".".join(path)
        if problem["type"] == "extra_forbidden":
            section = next((part for part in reversed(path[:-1]) if part in _KNOWN), "")
            known = list(_KNOWN[section].model_fields)
            hint = did_you_mean(path[-1], known) or f" Known here: {', '.join(known)}."
            lines.append(f"{source}: unknown entry {where!r}.{hint}")
        elif problem["type"] == "missing":
            lines.append(f"{source}: the entry {where!r} is required but missing.")
        else:
            lines.append(f"{source}: {where}: {problem['msg'][0].lower()}{problem['msg'][1:]}.")
    return "\n".join(dict.fromkeys(lines))
