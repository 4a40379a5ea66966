"""Whose records are in a file: people of the original, or nobody in particular."""

from sdcmetrics.measures.people.claims import Claim, Interval, People, PeopleTest
from sdcmetrics.measures.people.claims_of_files import PeopleOfFiles
from sdcmetrics.measures.people.files import people_of_files
from sdcmetrics.measures.people.levels import Levels
from sdcmetrics.measures.people.procedure import whose_records
from sdcmetrics.measures.people.subject import people

__all__ = [
    "Claim",
    "Interval",
    "Levels",
    "People",
    "PeopleOfFiles",
    "PeopleTest",
    "people",
    "people_of_files",
    "whose_records",
]
