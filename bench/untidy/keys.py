"""Keys, codes and names: big ids, leading zeros, short words, names with digits and units."""

from __future__ import annotations

from datetime import date, timedelta
from statistics import mean

from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value


def keys() -> list[Input]:
    """The inputs of these kinds."""
    return [*_big_ids(), *_leading_zeros(), *_short_words(), *_digit_names()]


def _big_ids() -> list[Input]:
    authors = [7205759403792793601, 7205759403792793602, 7205759403792793600]
    tweets = [(9107199254740993 + n, authors[n % 3], 5 * n + 1) for n in range(12)]
    konten = [18446744073709551617, 18446744073709551618, 18446744073709551619]
    paid = [(konten[n % 3], n + 0.5) for n in range(9)]
    parts = [(9007199254740991 + n, 10 + n) for n in range(6)]
    kind, shares = "big ids", summed(tweets, 1, 2)
    of_konto = summed(paid, 0, 1)
    return [
        Input(
            kind,
            "tweets",
            (
                Asked(f"total retweets of author {authors[0]}", (value(shares[authors[0]]),)),
                Asked("total retweets by author id", (groups(shares),)),
            ),
            {"tweets.tsv": table(("tweet_id", "author_id", "retweets"), tweets, "\t")},
        ),
        Input(
            kind,
            "konten",
            (
                Asked("total Betrag by Konto", (groups(of_konto),)),
                Asked(f"total Betrag where Konto is {konten[1]}", (value(of_konto[konten[1]]),)),
            ),
            {"zahlungen.csv": table(("Konto", "Betrag"), paid, ";", ",")},
        ),
        Input(
            kind,
            "parts",
            (
                Asked("total qty of part 9007199254740993", (value(12),)),
                Asked("how many parts have a part above 9007199254740993?", (value(3),)),
            ),
            {"parts.jsonl": lines(("part", "qty"), parts)},
        ),
    ]


def _leading_zeros() -> list[Input]:
    calls = [("030", 11), ("30", 3), ("0221", 7), ("030", 5), ("089", 9), ("30", 2)]
    items = [("0012345678905", 4), ("0012345678912", 6), ("12345678905", 9), ("0012345678905", 1)]
    hours = [("007", "Mo", 8), ("7", "Mo", 5), ("012", "Mo", 7), ("007", "Tu", 7), ("012", "Tu", 3)]
    kind = "leading zeros"
    return [
        Input(
            kind,
            "dialling",
            (
                Asked("total minuten by vorwahl", (groups(summed(calls, 0, 1)),)),
                Asked("total minuten where vorwahl is 030", (value(16),)),
            ),
            {"anrufe.csv": table(("vorwahl", "minuten"), calls, ";")},
        ),
        Input(
            kind,
            "articles",
            (
                Asked("total quantity of ean 0012345678905", (value(5),)),
                Asked("how many different eans are there?", (value(3),)),
            ),
            {"scans.csv": table(("ean", "quantity"), items)},
        ),
        Input(
            kind,
            "badges",
            (
                Asked("total hours of badge 007", (value(15),)),
                Asked("hours of badge 012", (((7,), (3,)), value(10))),
            ),
            {"shifts.tsv": table(("badge", "day", "hours"), hours, "\t")},
        ),
    ]


def _short_words() -> list[Input]:
    sales = [("IN", 5), ("NO", 7), ("IS", 9), ("AT", 11), ("BE", 13), ("NO", 17), ("DE", 19)]
    parks = [("OR", "a", 30), ("ME", "b", 40), ("OK", "c", 50), ("HI", "d", 60), ("ME", "e", 2)]
    marks = [("A", 91), ("B", 75), ("A", 97), ("I", 12), ("C", 60), ("I", 20)]
    kind = "short words"
    return [
        Input(
            kind,
            "countries",
            (
                Asked("total sales in NO", (value(24),)),
                Asked("total sales in IN", (value(5),)),
                Asked("total sales for IS", (value(9),)),
            ),
            {"shops.csv": table(("country", "sales"), sales)},
        ),
        Input(
            kind,
            "states",
            (
                Asked("total visitors in ME", (value(42),)),
                Asked("total visitors in OK", (value(50),)),
                Asked("how many parks are in HI?", (value(1),)),
            ),
            {"parks.csv": table(("state", "park", "visitors"), parks, "|")},
        ),
        Input(
            kind,
            "grades",
            (
                Asked("average points of grade A", (value(94),)),
                Asked("average points of grade I", (value(16),)),
            ),
            {"results.tsv": table(("grade", "points"), marks, "\t")},
        ),
    ]


def _digit_names() -> list[Input]:
    days = [date(2025, 3, 1) + timedelta(n) for n in range(20)]
    weather = [(day, 4 + n % 7, 10 + n, 990 + n) for n, day in enumerate(days)]
    air = [(day, 12 + n, 40 + 2 * n, 3 + n % 4) for n, day in enumerate(days)]
    blood = [(n, "NS"[n % 2], 300 + n, 5.5 + n % 3, 20 + n) for n in range(12)]
    kind = "digits and units"
    wards = {w: mean(row[3] for row in blood if row[1] == w) for w in "NS"}
    return [
        Input(
            kind,
            "weather",
            (
                Asked("average wind", (value(mean(row[2] for row in weather)),)),
                Asked("highest temp", (value(10),)),
                Asked("average pressure", (value(mean(row[3] for row in weather)),)),
            ),
            {"weather.csv": table(("day", "Temp (°C)", "Wind [km/h]", "Pressure (hPa)"), weather)},
        ),
        Input(
            kind,
            "air",
            (
                Asked("average SO2", (value(mean(row[1] for row in air)),)),
                Asked("average O3", (value(mean(row[2] for row in air)),)),
                Asked("highest H2S", (value(6),)),
            ),
            {"luft.csv": table(("Tag", "SO2 µg/m3", "O3_8h", "H2S(ppb)"), air, ";")},
        ),
        Input(
            kind,
            "blood",
            (
                Asked("average B12", (value(mean(row[2] for row in blood)),)),
                Asked("average HbA1c by ward", (groups(wards),)),
                Asked("average Omega-3", (value(mean(row[4] for row in blood)),)),
            ),
            {"lab.tsv": table(("id", "ward", "B12 (pg/ml)", "HbA1c [%]", "Omega-3"), blood, "\t")},
        ),
    ]
