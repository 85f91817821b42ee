"""The sixteen examples that lie beside the checkout, asked where they lie."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from bench.untidy.inputs import Asked, Input, groups, value
from bench.untidy.times import _FISCAL, _LEVEL, _PART, _ZONE
from bench.untidy.values import _EMPTY, _LIST, _SENTINEL, _TWO

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
_MONTHS = {date(2025, month, 1): of for month, of in ((1, 100), (2, 200), (3, 300))}
_LOCAL_HOURS = {23: 6, 0: 6, 1: 12} | dict.fromkeys(range(2, 8), 6)
_YEARS = {2023: 36500, 2024: 36600, 2025: 24300}


def beside() -> list[Input]:
    """The examples; none where they are not there."""
    if not CASES.is_dir():
        return []
    return [_case(place, kind, asked) for place, (kind, asked) in _ASKED.items()]


def _case(place: str, kind: str, asked: tuple[Asked, ...]) -> Input:
    return Input(kind, f"beside: {place}", asked, place=CASES / place)


_ASKED: dict[str, tuple[str, tuple[Asked, ...]]] = {
    "03-big-ids/posts.csv": (
        "big ids",
        (
            Asked(
                "likes by user id",
                (groups({1610521604143693812: 6, 1610521604143693813: 7, 1610521604143693814: 2}),),
            ),
            Asked("likes of user 1610521604143693812", (((5,), (1,)), value(6))),
            Asked("how many different posts are there?", (value(4),)),
        ),
    ),
    "03-big-ids/members.csv": (
        "big ids",
        (
            Asked(
                "average score by team id",
                (groups({10: 5, 11: 9, None: 5}), groups({10: 5, 11: 9})),
            ),
        ),
    ),
    "04-line-with-other-delimiter/three.csv": (
        "free text",
        (Asked("how many rows are there?", (value(2),)),),
    ),
    "04-line-with-other-delimiter/notes.csv": (
        "free text",
        (
            Asked("how many notes?", (value(100),)),
            Asked("average score", (value(3),)),
        ),
    ),
    "06-dst-offsets/events.csv": (
        "offsets",
        (
            Asked(
                "events per day", (groups({date(2024, 11, 2): 6, date(2024, 11, 3): 54}),), _ZONE
            ),
            Asked("events by hour of day", (groups(_LOCAL_HOURS),), _ZONE),
        ),
    ),
    "07-leading-zeros/orders.csv": (
        "leading zeros",
        (
            Asked(
                "amount by postal code",
                (groups({"01067": 30, "1067": 5, "80331": 10, "04109": 8}),),
            ),
            Asked("total amount in 01067", (value(30),)),
            Asked("amount of order 00003", (value(5),)),
        ),
    ),
    "20-excel-merged-header-and-totals/report.xlsx": (
        "workbooks",
        (
            Asked("total 2025 Q1", (value(44),)),
            Asked("total 2025 Q1 by region", (groups({"North": 34, "South": 10}),)),
        ),
    ),
    "20-excel-merged-header-and-totals/monthly_sheets.xlsx": (
        "workbooks",
        (
            Asked("total sales", (value(62),)),
            Asked("total sales by store", (groups({"A": 21, "B": 41}),)),
        ),
    ),
    "21-leap-year-and-part-year/daily.csv": (
        "part years",
        (
            Asked(
                "sales by year",
                (groups(_YEARS), groups({date(y, 1, 1): of for y, of in _YEARS.items()})),
                _PART,
                _PART,
            ),
            Asked("sales growth year over year", (), _PART),
        ),
    ),
    "26-not-equal-and-empty/orders.csv": (
        "not equal",
        (
            Asked("how many orders are not from Germany?", (value(4), value(2)), "", _EMPTY),
            Asked("total amount outside Germany", (value(150), value(90)), "", _EMPTY),
            Asked(
                "total amount except Germany by country",
                (
                    groups({"Spain": 60, "France": 30}),
                    groups({"Spain": 60, "France": 30, None: 60}),
                ),
                "",
                _EMPTY,
            ),
        ),
    ),
    "33-sentinel-values/sensor.csv": (
        "stand-ins",
        (
            Asked("average co", (value(2.4542),), _SENTINEL),
            Asked("average temp", (value(13.1196),), _SENTINEL),
            Asked("lowest temp", (value(8),), _SENTINEL),
        ),
    ),
    "34-short-words-as-values/staff.csv": (
        "short words",
        (
            Asked("median salary in IT", (value(100000),)),
            Asked("average salary in HR", (value(55000),)),
            Asked("salary in OR", (value(40000),)),
        ),
    ),
    "35-chemical-and-digit-names/air.csv": (
        "digits and units",
        (
            Asked("average NO2", (value(34.5),)),
            Asked("average PM10 and PM2.5", (value(32, 11),)),
            Asked("correlation between NO2 and CO2", (value(1),)),
        ),
    ),
    "36-blank-lines-at-the-end/log.csv": (
        "blank lines",
        (
            Asked("how many rows are there?", (value(20),)),
            Asked("average amount", (value(10),)),
        ),
    ),
    "37-list-columns/books.jsonl": (
        "lists",
        (
            Asked(
                "number of books by tag",
                (
                    groups({"java": 3, "web": 2, "db": 1}),
                    groups({"java": 3, "web": 2, "db": 1, None: 1}),
                ),
                _LIST,
            ),
            Asked("how many books have the tag java?", (value(3),), _LIST),
        ),
    ),
    "40-file-named-like-its-measure/sales.csv": (
        "named alike",
        (
            Asked("sales by region", (groups({"North": 150, "East": 200, "South": 50}),), _TWO),
            Asked(
                "share of sales by region",
                (groups({"North": 0.375, "East": 0.5, "South": 0.125}),),
                _TWO,
            ),
        ),
    ),
    "43-fiscal-year-and-axes/rev.csv": (
        "fiscal year",
        (
            Asked(
                "revenue by fiscal year starting in April",
                (
                    groups({2023: 6000, 2024: 114000, 2025: 180000}),
                    groups({2022: 6000, 2023: 114000, 2024: 180000}),
                    ((6000,), (114000,), (180000,)),
                ),
                _FISCAL,
            ),
            Asked("revenue in fiscal year 2024", (), _FISCAL),
        ),
    ),
    "45-balances-over-time/balances.csv": (
        "balances",
        (
            Asked("total balance", (value(1589),), _LEVEL),
            Asked(
                "balance by account",
                (groups({"cash": 1089, "loan": 500}), groups({"cash": 1044.5, "loan": 500})),
                _LEVEL,
            ),
        ),
    ),
    "48-folder-of-monthly-files/months": (
        "monthly files",
        (
            Asked("sales by month", (groups(_MONTHS),)),
            Asked("total sales by store", (groups({"A": 300, "B": 300}),)),
        ),
    ),
}
"""By place below the folder of examples: the kind and what is asked."""
