"""What editions for outside may spend and tell, as a study file says it."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from sdcmetrics.measures.section import as_list

Verdict = Literal["release", "change first", "do not release"]
_Name = Annotated[str, Field(min_length=1)]


class DecisionSection(BaseModel):
    """``[release.decision]``: what people decided, in words that are written as they are."""

    model_config = ConfigDict(extra="forbid", strict=True)

    replicas: dict[_Name, Verdict] = Field(min_length=1)
    signed: _Name
    date: dt.date
    words: str = ""


class ReleaseSection(BaseModel):
    """``[release]``: what editions for outside may spend and tell; see `sdcmetrics.release`.

    Attributes
    ----------
    budget : float
        Mu of all releases of the original together; the first release fixes it.
    rows : int, optional
        Records that one person may have; those beyond are left out, and noise is as much wider.
    unit : str, optional
        The column that says whose a record is; by default what `[sample]` names as person,
        household or cluster; "" where each record is a person of its own.
    measures : list of str
        Symbols of measures that a release asks for; fewer mean less noise.
    pairs : bool
        Whether pairs of variables are compared.
    secret : str
        Path of the secret; by default beside the study file, with its name.
    decision : DecisionSection, optional
        What people decided, as `replicas = { name = "release", ... }` ("change first", "do not
        release"), `signed`, `date` and `words`; written as it is.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    budget: float = Field(default=1.0, gt=0, le=10, allow_inf_nan=False)
    rows: int | None = Field(default=None, ge=1)
    unit: str | None = None
    measures: Annotated[list[_Name], BeforeValidator(as_list), Field(min_length=1)] = [
        "UiO",
        "repU",
        "DiSCO",
        "TVD",
    ]
    pairs: bool = True
    secret: str = ""
    decision: DecisionSection | None = None
