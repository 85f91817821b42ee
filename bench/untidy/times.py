"""Time: offsets, leap and part years, fiscal years, balances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from statistics import mean
from typing import Any
from zoneinfo import ZoneInfo

from bench.untidy.inputs import Asked, Input, Truth, groups, lines, summed, table, value

_ZONE = r"(?i)offset|utc|time zone|zone|local"
_PART = r"(?i)ends on|begins on|starts on|not over|incomplete|part of|only part|not whole|days"
_FISCAL = r"(?i)fiscal|financial"
_LEVEL = r"(?i)balance|stock|level|over time|each day|each month|at the end|last day|state of|added"


def times() -> list[Input]:
    """The inputs of these kinds."""
    return [*_offsets(), *_years(), *_fiscal(), *_balances()]


def _offsets() -> list[Input]:
    kind = "offsets"
    berlin, sydney, india = map(ZoneInfo, ("Europe/Berlin", "Australia/Sydney", "Asia/Kolkata"))
    began = (
        datetime(2024, 3, 30, 18, tzinfo=ZoneInfo("UTC")),
        datetime(2024, 4, 6, 9, tzinfo=ZoneInfo("UTC")),
        datetime(2024, 5, 31, 15, tzinfo=ZoneInfo("UTC")),
    )
    read, called, rode = (
        [(began[0] + timedelta(minutes=20 * n)).astimezone(berlin) for n in range(100)],
        [(began[1] + timedelta(minutes=30 * n)).astimezone(sydney) for n in range(60)],
        [(began[2] + timedelta(minutes=15 * n)).astimezone(india) for n in range(32)],
    )
    by_day = [groups(Counter(at.date() for at in stamps)) for stamps in (read, called, rode)]
    hours = groups(Counter(at.hour for at in read))
    months = groups(Counter(at.date().replace(day=1) for at in rode))
    return [
        Input(
            kind,
            "spring",
            (
                Asked("number of readings by day", (by_day[0],), _ZONE),
                Asked("number of readings by hour of day", (hours,), _ZONE),
            ),
            {"readings.csv": table(("reading_id", "at"), enumerate(t.isoformat() for t in read))},
        ),
        Input(
            kind,
            "autumn south",
            (Asked("number of calls by day", (by_day[1],), _ZONE),),
            {"calls.jsonl": lines(("call", "at"), enumerate(t.isoformat() for t in called))},
        ),
        Input(
            kind,
            "half hours",
            (
                Asked("number of trips by day", (by_day[2],), _ZONE),
                Asked("number of trips by month", (months,), _ZONE),
            ),
            {
                "trips.tsv": table(
                    ("trip_id", "began"),
                    enumerate(t.strftime("%Y-%m-%d %H:%M:%S%z") for t in rode),
                    "\t",
                )
            },
        ),
    ]


def _by_year(rows: Iterable[Sequence[Any]]) -> tuple[Truth, Truth]:
    """The sums under the number of the year, and under its first day."""
    sums = summed([(row[0].year, row[1]) for row in rows], 0, 1)
    return groups(sums), groups({date(year, 1, 1): of for year, of in sums.items()})


def _years() -> list[Input]:
    kind = "part years"
    power = [(date(2022 + n // 12, n % 12 + 1, 1), 500) for n in range(41)]
    daily = [(date(2023, 1, 1) + timedelta(n), 10) for n in range(800)]
    weekly = [(date(2022, 9, 5) + timedelta(7 * n), 3) for n in range(130)]
    feb = {d: 28 * 10 if d == 2023 else 29 * 10 for d in (2023, 2024)}
    months = {date(year, 2, 1): of for year, of in feb.items()}
    return [
        Input(
            kind,
            "power",
            (
                Asked("growth of kwh by year", (), _PART),
                Asked("total kwh by year", _by_year(power), _PART, _PART),
            ),
            {"strom.csv": table(("Monat", "kwh"), power, ";")},
        ),
        Input(
            kind,
            "leap day",
            (
                Asked(
                    "compare visits in February 2023 and February 2024",
                    (groups(feb), groups(months), value(280, 290)),
                    _PART,
                ),
                Asked("total visits by year", _by_year(daily), _PART, _PART),
            ),
            {"visits_log.csv": table(("day", "visits"), daily)},
        ),
        Input(
            kind,
            "from September",
            (
                Asked("bookings by year", _by_year(weekly), _PART, _PART),
                Asked("bookings growth year over year", (), _PART),
            ),
            {"hotel.tsv": table(("week_start", "bookings"), weekly, "\t")},
        ),
    ]


def _fiscal() -> list[Input]:
    kind = "fiscal year"
    income = [(date(2022 + n // 12, n % 12 + 1, 1), 100 + n) for n in range(36)]
    kosten = [(date(2023 + n // 12, n % 12 + 1, 15), 10 * n) for n in range(24)]
    named = [("FY23" if n < 5 else "FY24", f"2023-{n + 1:02d}-28", 7 + n) for n in range(12)]

    def by_fiscal(rows: Sequence[tuple[date, int]], month: int) -> tuple[Truth, ...]:
        ends = summed([(at.year + (at.month >= month), of) for at, of in rows], 0, 1)
        starts = {year - 1: of for year, of in ends.items()}
        days = {date(year - 1, month, 1): of for year, of in ends.items()}
        bare = tuple((of,) for of in ends.values())
        return groups(ends), groups(starts), groups(days), bare

    return [
        Input(
            kind,
            "July",
            (
                Asked("revenue by fiscal year starting in July", by_fiscal(income, 7), _FISCAL),
                Asked("revenue in fiscal year 2023", (), _FISCAL),
            ),
            {"income.csv": table(("month", "revenue"), income)},
        ),
        Input(
            kind,
            "October",
            (Asked("total Kosten by fiscal year from October", by_fiscal(kosten, 10), _FISCAL),),
            {"kosten.csv": table(("Datum", "Kosten"), kosten, ";")},
        ),
        Input(
            kind,
            "named",
            (
                Asked("total spend by fiscal year", (groups(summed(named, 0, 2)),), _FISCAL),
                Asked("total spend in FY24", (value(sum(r[2] for r in named if r[0] == "FY24")),)),
            ),
            {"spend.csv": table(("fiscal_year", "paid_on", "spend"), named)},
        ),
    ]


def _held(rows: Sequence[tuple[Any, ...]], by: int, amount: int) -> tuple[Truth, Truth]:
    """Of each key the last, and the average."""
    last = {row[by]: row[amount] for row in rows}
    middle = {key: mean(row[amount] for row in rows if row[by] == key) for key in last}
    return groups(last), groups(middle)


def _balances() -> list[Input]:
    kind = "balances"
    days = [date(2025, 1, 1) + timedelta(n) for n in range(60)]
    stock = [(d, w, 100 * k + n % 9) for n, d in enumerate(days) for k, w in enumerate("AB", 1)]
    staff = [
        (date(2024, n, 1), d, 10 * k + n)
        for n in range(1, 13)
        for k, d in enumerate(("Sales", "Care"), 1)
    ]
    konto = [
        (f"{d:%d.%m.%Y}", k, 1000.5 * i + n)
        for n, d in enumerate(days)
        for i, k in enumerate(("Giro", "Spar"), 1)
    ]
    heads = ("Datum", "Konto", "Kontostand")
    return [
        Input(
            kind,
            "stock",
            (
                Asked("total stock level by warehouse", _held(stock, 1, 2), _LEVEL),
                Asked("total stock level", (value(stock[-1][2] + stock[-2][2]),), _LEVEL),
            ),
            {"warehouse.csv": table(("day", "warehouse", "stock_level"), stock)},
        ),
        Input(
            kind,
            "headcount",
            (Asked("total headcount by department", _held(staff, 1, 2), _LEVEL),),
            {"people.tsv": table(("month", "department", "headcount"), staff, "\t")},
        ),
        Input(
            kind,
            "Kontostand",
            (
                Asked("Kontostand by Konto", _held(konto, 1, 2), _LEVEL),
                Asked("total Kontostand", (value(konto[-1][2] + konto[-2][2]),), _LEVEL),
            ),
            {"konten.csv": table(heads, konto, ";", ",")},
        ),
    ]
