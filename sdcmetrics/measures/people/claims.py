"""What may be claimed of the people of an original and a replica, in the order of the table."""

from __future__ import annotations

from enum import StrEnum


class Claim(StrEnum):
    """A claim about whose records are in a replica."""

    COPY = "is a copy of the original"
    RENAMED = "is the original with its values renamed"
    ALIGNED = "is a masked original: row i is person i"
    HOLDS = "holds records of people of the original"
    EITHER = "either holds or follows records of people, or was not drawn one by one"
    FOLLOWS = "follows single people of the original"
    CLOSER = "is closer to the people of the original than to people left out"
    UNDECIDED = "the holdout neither confirms nor contradicts"
    DEDUPLICATED = "has no repeated record though the original has"
    LEFT_OUT = "columns could not be compared"
    FEW_COLUMNS = "fewer than two columns could be compared"
    COLUMNS = "values are taken column by column"
    VOID = "is as close to the holdout as to the original"
    ORDER = "rows stand in the order of the original"
    HOLDOUT_DIFFERS = "the holdout is no random part of what it is compared with"
