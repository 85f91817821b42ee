"""Time: orders of day and month, labels of months, weeks and quarters, durations, centuries."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from statistics import mean
from typing import Any

from bench.untidy.held.making import TIME
from bench.untidy.inputs import Asked, Input, Truth, groups, summed, table, value

_FRENCH = (
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
)
_SHORT = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def times() -> list[Input]:
    """The inputs of this kind."""
    return [
        _decided(),
        _undecided(),
        _labels(),
        _weeks(),
        _durations(),
        _quarters(),
        _births(),
        _months(),
        _seasons(),
    ]


def _by_month(rows: list[tuple[Any, ...]], at: int, of: int) -> dict[date, Any]:
    return summed([(row[at].replace(day=1), row[of]) for row in rows], 0, 1)


def _decided() -> Input:
    dice = Random(41)
    rows = [(date(2024, 1, 1) + timedelta(2 * n % 180), dice.randint(5, 80)) for n in range(400)]
    laid = [(f"{d.day:02}/{d.month:02}/{d.year}", of) for d, of in rows]
    return Input(
        "time",
        "day first",
        (
            Asked("total visitors by month", (groups(_by_month(rows, 0, 1)),), TIME),
            Asked(
                "total visitors in March 2024",
                (value(sum(r[1] for r in rows if r[0].month == 3)),),
                TIME,
            ),
        ),
        {"museum.csv": table(("visit_date", "visitors"), laid)},
    )


def _undecided() -> Input:
    rows = [(n % 12 + 1, n * 7 % 12 + 1, n % 5 + 1) for n in range(90)]
    laid = [(f"{a:02}/{b:02}/2023", of) for a, b, of in rows]
    return Input(
        "time",
        "day or month first",
        (
            Asked("total doses in April 2023", (), TIME),
            Asked("total doses by month", (), TIME),
        ),
        {"vaccines.csv": table(("given_on", "doses"), laid)},
    )


def _labels() -> Input:
    rows = [
        (date(2022 + n // 12, n % 12 + 1, 1), s, 100 + 7 * n + k)
        for n in range(24)
        for k, s in enumerate(("Leeds", "York"))
    ]
    laid = [(f"{_SHORT[d.month - 1]}-{d.year % 100}", s, of) for d, s, of in rows]
    years = summed([(d.year, of) for d, _, of in rows], 0, 1)
    return Input(
        "time",
        "Jan-23",
        (
            Asked("total sales in 2023", (value(years[2023]),), TIME),
            Asked(
                "total sales by year",
                (groups(years), groups({date(y, 1, 1): of for y, of in years.items()})),
                TIME,
            ),
            Asked(
                "total sales in March 2022 by shop",
                (groups(summed([(s, of) for d, s, of in rows if d == date(2022, 3, 1)], 0, 1)),),
                TIME,
            ),
        ),
        {"shops.csv": table(("month", "shop", "sales"), laid)},
    )


def _weeks() -> Input:
    dice = Random(44)
    starts = [date(2023, 10, 2) + timedelta(7 * n) for n in range(40)]
    rows = [("{}-W{:02}".format(*d.isocalendar()[:2]), dice.randint(20, 90)) for d in starts]
    weeks = summed(rows, 0, 1)
    days = {d: weeks["{}-W{:02}".format(*d.isocalendar()[:2])] for d in starts}
    return Input(
        "time",
        "ISO weeks",
        (
            Asked("total cases by week", (groups(weeks), groups(days)), TIME),
            Asked("total cases in week 2024-W05", (value(weeks["2024-W05"]),), TIME),
            Asked(
                "total cases in 2024",
                (value(sum(of for w, of in rows if w.startswith("2024"))),),
                TIME,
            ),
        ),
        {"flu.csv": table(("week", "cases"), rows)},
    )


def _spans(seconds: float) -> tuple[Truth, ...]:
    """A duration in seconds, minutes, hours, and as a clock."""
    clocks = (str(timedelta(seconds=round(seconds))), str(timedelta(seconds=seconds)))
    return tuple(value(one) for one in (seconds, seconds / 60, seconds / 3600, *clocks))


def _durations() -> Input:
    dice = Random(45)
    rows = [(n, ("10k", "half")[n % 2], dice.randint(2400, 9000)) for n in range(160)]
    laid = [(n, k, str(timedelta(seconds=of))) for n, k, of in rows]
    return Input(
        "time",
        "h:mm:ss",
        (
            Asked("average finish time", _spans(mean(r[2] for r in rows)), TIME),
            Asked("shortest finish time", _spans(min(r[2] for r in rows)), TIME),
            Asked("longest finish time", _spans(max(r[2] for r in rows)), TIME),
        ),
        {"race.csv": table(("bib", "race", "finish_time"), laid)},
    )


def _quarters() -> Input:
    rows = [
        (f"Q{n % 4 + 1}/{2021 + n // 4}", p, 40 + 3 * n + k)
        for n in range(12)
        for k, p in enumerate(("Wein", "Bier", "Saft"))
    ]
    return Input(
        "time",
        "quarters",
        (
            Asked(
                "total Absatz by Quartal",
                (
                    groups(summed(rows, 0, 2)),
                    groups(
                        {
                            date(int(q[3:]), 3 * int(q[1]) - 2, 1): of
                            for q, of in summed(rows, 0, 2).items()
                        },
                    ),
                ),
                TIME,
            ),
            Asked(
                "total Absatz in 2022",
                (value(sum(r[2] for r in rows if r[0][3:] == "2022")),),
                TIME,
            ),
            Asked(
                "total Absatz in Q3/2021 by Produkt",
                (groups(summed([r for r in rows if r[0] == "Q3/2021"], 1, 2)),),
                TIME,
            ),
        ),
        {"absatz.csv": table(("Quartal", "Produkt", "Absatz"), rows, ";")},
    )


def _births() -> Input:
    dice = Random(47)
    born = [date(1931, 3, 2) + timedelta(dice.randint(0, 27000)) for _ in range(90)]
    laid = [(n, f"{d:%d.%m.%y}") for n, d in enumerate(born)]
    return Input(
        "time",
        "two digits for the year",
        (
            Asked("earliest Geburtsdatum", (value(min(born)),), TIME),
            Asked("latest Geburtsdatum", (value(max(born)),), TIME),
        ),
        {"verein.csv": table(("Mitglied", "Geburtsdatum"), laid, ";")},
    )


def _months() -> Input:
    dice = Random(48)
    rows = [(date(2024, 1, 1) + timedelta(n), dice.randint(1, 40)) for n in range(330)]
    laid = [(f"{d.day} {_FRENCH[d.month - 1]} {d.year}", of) for d, of in rows]
    return Input(
        "time",
        "months as words",
        (
            Asked("total nuitées by month", (groups(_by_month(rows, 0, 1)),), TIME),
            Asked("earliest date", (value(date(2024, 1, 1)),), TIME),
        ),
        {"hotel.csv": table(("date", "nuitées"), laid, ";")},
    )


def _seasons() -> Input:
    rows = [
        (f"{2015 + n}/{(16 + n) % 100:02}", c, 20 + n + k)
        for n in range(9)
        for k, c in enumerate(("Ajax", "PSV"))
    ]
    return Input(
        "time",
        "seasons",
        (
            Asked("total doelpunten by seizoen", (groups(summed(rows, 0, 2)),), TIME),
            Asked("doelpunten of Ajax in 2019/20", (value(24),), TIME),
        ),
        {"eredivisie.csv": table(("seizoen", "club", "doelpunten"), rows, ";")},
    )
