"""Who came back: cohorts, retention, new and returning things, repeat purchases."""

from __future__ import annotations

from services.planner.domain.query.periods import CohortView
from services.planner.domain.reader.grammar.rules import Rule

_OLD = r"(?:returning|repeat(?:ing)?|existing|recurring)"
_VERSUS = r"(?:vs|versus|and|or|against|compared (?:to|with))"
_UNIT = r"(?P<word>day|week|month|quarter|year)s?"
REPEATED, NOT_AGAIN = "repeated", "not in another time"
VIEWS: tuple[Rule[CohortView], ...] = (
    Rule(
        "new against returning",
        rf"new {_VERSUS} {_OLD}|{_OLD} {_VERSUS} new",
        CohortView.NEW_OR_RETURNING,
        examples=("new versus returning customers by month",),
    ),
    Rule(
        "cohorts",
        r"(?:retention|cohorts?)(?: (?:rates?|analys[ei]s|tables?|matrix|triangle))*|retained",
        CohortView.RETENTION,
        examples=("retention of users by week", "cohort analysis of customers"),
    ),
    Rule(
        REPEATED,
        r"repeat(?:ed)? (?:purchas\S+|orders?|ordering|buyers?|custom\S+|clients?|users?)"
        r"(?: rates?| ratio)?",
        CohortView.RETURNED,
        examples=("repeat purchase rate by country",),
    ),
    Rule(
        "came back",
        r"(?:came|come|comes|coming) back|again|(?:(?<=that )|(?<=who )|(?<=which ))return(?:ed|s)?"
        r"|return(?:ed|s)?(?= (?:after|within))",
        CohortView.RETURNED,
        examples=("how many users came back within 30 days", "customers who ordered again"),
    ),
    Rule(
        NOT_AGAIN,
        r"(?:did|do|does|have|has) (?:not|n't) \S+(?= (?:in|during))",
        CohortView.RETURNED,
        examples=("how many customers who ordered in 1996 did not order in 1997",),
    ),
    Rule(
        "active",
        r"active(?= \S+)",
        CohortView.ACTIVE,
        examples=("monthly active users",),
    ),
    Rule(
        "new",
        r"(?:new|first time)(?= \S+)",
        CohortView.NEW,
        examples=("new customers by month",),
    ),
)

SO_LONG: tuple[Rule[str], ...] = (
    Rule(
        "within so long",
        rf"within (?:the (?:first|next) )?(?:{{number}}|an?) {_UNIT}",
        "within",
        examples=("came back within 30 days", "returned within a month"),
    ),
    Rule(
        "in the next",
        rf"(?:in|during) the (?:following|next|subsequent) {_UNIT}",
        "next",
        examples=("how many ordered again in the following month",),
    ),
    Rule(
        "after so long",
        rf"after (?:the (?:first|next) )?(?:(?:{{number}}|an?|n|some) )?{_UNIT}"
        rf"|{{number2}} {_UNIT.replace('word', 'unit')} (?:later|after)",
        "after",
        examples=("what share of customers return after 3 months", "customers 2 months later"),
    ),
)
FIRST: tuple[Rule[bool], ...] = (
    Rule(
        "their first event",
        r"first|initial(?:ly)?|new",
        True,
        examples=("customers who first ordered in 1996",),
    ),
)
FOLLOWING: tuple[Rule[str], ...] = (
    Rule(
        "words of following",
        r"(?:share|percentage|percent|proportion|fraction)(?= of)|first|initial(?:ly)?|since|their"
        r"|analysis|rates?|purchas\S+|bought|also|back|over time|grouped"
        r"|by|months?|weeks?|days?|quarters?|years?",
        "word",
        examples=("share of customers that return after n months",),
    ),
)
"""What goes with these questions and needs no other reading."""
