"""What is worked out from the numbers of groups: growth, running totals, moving averages, shares,
ranks, and ranges of one width that numbers are put into."""

from __future__ import annotations

from services.planner.domain.query.kinds import Calculation, Grain
from services.planner.domain.reader.grammar.rules import Rule

_UNIT = r"(?:day|week|month|quarter|year)"
_BY_UNIT = r"(?:over|on|to)"

RULES: tuple[Rule[Calculation], ...] = (
    Rule(
        "moving average",
        rf"(?:{{number}} (?:- )?(?:{_UNIT}s?|periods?|points?)? ?(?:- )?)?"
        r"(?:moving|rolling) (?:averages?|means?)",
        Calculation.MOVING_AVERAGE,
        examples=("moving average of freight by month", "3 month moving average of revenue"),
    ),
    Rule(
        "running total",
        r"(?:running|cumulative|cumulated|accumulated) (?:totals?|sums?)|cumulative(?:ly)?",
        Calculation.RUNNING_TOTAL,
        examples=("running total of freight by month", "cumulative sales by week"),
    ),
    Rule(
        "growth",
        rf"{_UNIT} (?:- )?{_BY_UNIT} (?:- )?{_UNIT}"
        r"(?: (?:percentage|percent|relative))?(?: (?:growth|change|increase))(?: rates?)?"
        r"|(?:yoy|mom|qoq)(?: (?:growth|change|increase))?(?: rates?)?"
        r"|(?:(?:percentage|percent|relative) )?growth(?: rates?)?"
        r"|(?:percentage|percent|relative) (?:change|increase)",
        Calculation.GROWTH,
        examples=(
            "revenue growth by month",
            "year over year growth of sales",
            "month-over-month change in orders",
        ),
    ),
    Rule(
        "change from the one before",
        rf"(?:change|increase|difference)s? (?:\S+ ){{0,4}}?(?:from|over|to|against|compared to"
        rf"|compared with) (?:the )?(?:previous|prior|preceding|last) {_UNIT}"
        rf"|(?:compared to|compared with|against|versus|vs) (?:the )?(?:previous|prior|preceding)"
        rf" {_UNIT}",
        Calculation.CHANGE,
        examples=("change in revenue from the previous month", "sales compared to the prior year"),
    ),
    Rule(
        "rank",
        r"ranks? of|with (?:its|their|a|the) ranks?|and (?:its|their) ranks?",
        Calculation.RANK,
        examples=("revenue by region with its rank",),
    ),
)

SHARES: tuple[Rule[Calculation], ...] = (
    Rule(
        "share of all",
        r"(?:(?:what|which) )?(?:share|percentage|percent|proportion|fraction)s? of",
        Calculation.SHARE,
        examples=("share of orders by ship country", "what percentage of revenue by region"),
    ),
)

UNITS: tuple[Rule[Grain], ...] = (
    *(
        Rule(
            f"{unit.value} after {unit.value}",
            rf"{unit.value} (?:- )?{_BY_UNIT} (?:- )?{_UNIT}|{short}"
            rf"|(?:previous|prior|preceding) {unit.value}",
            unit,
            examples=(f"{unit.value} over {unit.value} growth", f"vs the prior {unit.value}"),
        )
        for unit, short in (
            (Grain.DAY, "dod"),
            (Grain.WEEK, "wow"),
            (Grain.MONTH, "mom"),
            (Grain.QUARTER, "qoq"),
            (Grain.YEAR, "yoy"),
        )
    ),
)

BINS: tuple[Rule[bool], ...] = (
    Rule(
        "ranges of a width",
        r"(?:in |into |with |using |by )?(?:bins|buckets|bands|ranges|intervals|steps)"
        r" of (?:width |size )?{number}",
        True,
        examples=("histogram of price in bins of 10",),
    ),
    Rule(
        "ranges named by their width",
        r"{number} (?:- )?(?:years?|units?|points?) (?:- )?(?:bins|buckets|bands|ranges|groups)",
        True,
        examples=("passengers by 10 year bands",),
    ),
)

RATIOS: tuple[Rule[Calculation], ...] = (
    Rule(
        "one number over another",
        r"(?:ratio|quotient) (?:of|between) (?:\S+ ){1,6}?(?P<to>to|and)",
        Calculation.RATIO,
        examples=("ratio of total freight to number of orders by country",),
    ),
)

RANGES: tuple[Rule[bool], ...] = (
    Rule(
        "ranges of a column",
        r"{word} (?:groups?|brackets?|bands?|ranges?|classes|buckets?|bins?)",
        True,
        examples=("number of subscribers by age group", "sales per price range"),
    ),
)
"""Ranges of a number whose width nobody says."""
