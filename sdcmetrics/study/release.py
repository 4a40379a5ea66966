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
    """``[release]``: see `sdcmetrics.release`.

    Attributes
    ----------
    budget : mu of all releases of the original together; the first release fixes it
    rows : records that one person may have; those beyond are left out
    unit : the column that says whose a record is; "" where each is a person of its own
    measures : symbols that are asked for
    pairs : whether pairs of variables are compared
    secret : path of the secret; by default beside the study file
    decision : what people signed
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
