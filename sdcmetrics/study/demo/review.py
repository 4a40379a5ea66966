"""The study that ``sdcmetrics demo`` conducts."""

from __future__ import annotations

from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.study.demo.data import load_holdout, load_original, load_replicas
from sdcmetrics.study.study import Scenario, Study

__all__ = ["study"]


def study() -> Study:
    """Return the study of the demo: four replicas of a survey, two intruders.

    Examples
    --------
    >>> [scenario.name for scenario in study().scenarios]
    ['friend', 'colleague']
    """
    return Study(
        load_original(),
        load_replicas(),
        holdout=load_holdout(),
        scenarios=[
            Scenario(
                "friend",
                ("age", "educ", "PID"),
                ("income", "vote", "selfLR"),
                "A friend knows age, education and party, and wants income, vote and views.",
            ),
            Scenario(
                "colleague",
                ("age", "educ"),
                ("income", "vote", "PID"),
                "A colleague knows age and education only.",
            ),
        ],
        title="American National Election Study 1996: four replicas",
        context={
            "recipient": "the public, under an open licence",
            "purpose": "teaching: regression and cross-tables of survey data",
            "data": "944 respondents, a third of them set aside as holdout; 10 variables; "
            "public domain, so the review can be public",
        },
        models=[
            ("TVnews ~ age + educ", "gaussian"),
            ("vote ~ age + selfLR + PID", "binomial"),
        ],
        ranking={"anchors": True},
        rules=[
            Rule("age >= 18", "may vote", "Respondents are of voting age."),
            Rule(
                "0 <= TVnews <= 7 and TVnews == round(TVnews)",
                "days in a week",
                "News is watched on so many days of the week.",
            ),
        ],
        profile="illustration",
        command="sdcmetrics demo",
        round_to={"age": 10, "popul": 250, "TVnews": 1},
    )
