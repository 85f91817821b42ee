"""Cells: empties beside not-equal, stand-ins for nothing, lists, files named like a measure."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date, timedelta
from statistics import mean
from typing import Any

from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value

_EMPTY = r"(?i)empty|without|missing|has no|have no|unknown|no (status|ville|smoker|value)"
_SENTINEL = r"(?i)missing|stand for|stands for|placeholder|no value"
_LIST = r"(?i)\blists?\b|several values|nested|more than one"
_TWO = r"(?i)number of|it may also mean|could mean|rows"


def values() -> list[Input]:
    """The inputs of these kinds."""
    return [*_not_equal(), *_build_sentinels(), *_lists(), *_named_alike()]


def _not_equal() -> list[Input]:
    kind = "not equal"
    tickets = [(n, ("closed", "open", None, "waiting")[n % 4], n % 7) for n in range(22)]
    bills = [(n, ("Paris", None, "Lyon")[n % 3], 10.5 + n) for n in range(17)]
    people = [(n, ("yes", "no", "", "no", "yes")[n % 5], 30 + n) for n in range(20)]
    left = [row for row in tickets if row[1] != "closed"]
    away = [row for row in bills if row[1] != "Paris"]
    free = [row for row in people if row[1] != "yes"]
    return [
        Input(
            kind,
            "tickets",
            (
                Asked(
                    "how many tickets are not closed?",
                    (value(len(left)), value(sum(row[1] is not None for row in left))),
                    "",
                    _EMPTY,
                ),
            ),
            {"tickets.csv": table(("ticket", "status", "days"), tickets)},
        ),
        Input(
            kind,
            "bills",
            (
                Asked(
                    "total montant where ville is not Paris",
                    (value(sum(r[2] for r in away)), value(sum(r[2] for r in away if r[1]))),
                    "",
                    _EMPTY,
                ),
                Asked(
                    "total montant except Paris by ville",
                    (groups(summed(away, 1, 2)), groups(summed([r for r in away if r[1]], 1, 2))),
                    "",
                    _EMPTY,
                ),
            ),
            {"factures.csv": table(("facture", "ville", "montant"), bills, ";", ",")},
        ),
        Input(
            kind,
            "smokers",
            (
                Asked(
                    "average age where smoker is not yes",
                    (value(mean(r[2] for r in free)), value(mean(r[2] for r in free if r[1]))),
                    "",
                    _EMPTY,
                ),
            ),
            {"persons.tsv": table(("person", "smoker", "age"), people, "\t")},
        ),
    ]


def _build_sentinels() -> list[Input]:
    kind = "stand-ins"
    sick = [(n, 999 if n % 9 == 4 else 20 + n % 60, "ab"[n % 2]) for n in range(120)]
    calls = [(n, -1 if n % 8 == 3 else 30 + n % 50) for n in range(160)]
    terms = [
        (n, date(9999, 12, 31) if n % 4 == 1 else date(2023, 1, 1) + timedelta(9 * n))
        for n in range(60)
    ]
    cold = [
        (
            f"{date(2025, 1, 1) + timedelta(n):%d.%m.%Y}",
            -99.9 if n % 11 == 5 else round(4.5 + n % 6 * 0.5, 1),
        )
        for n in range(90)
    ]
    ages, lengths = [r[1] for r in sick if r[1] < 999], [r[1] for r in calls if r[1] > 0]
    temperatures = [r[1] for r in cold if r[1] > -99]
    ended = max(r[1] for r in terms if r[1].year < 9999)
    return [
        Input(
            kind,
            "ages",
            (
                Asked("average age", (value(mean(ages)),), _SENTINEL),
                Asked("highest age", (value(max(ages)),), _SENTINEL),
            ),
            {"patients.csv": table(("patient", "age", "ward"), sick)},
        ),
        Input(
            kind,
            "lengths",
            (Asked("average seconds", (value(mean(lengths)),), _SENTINEL),),
            {"calls.tsv": table(("call", "seconds"), calls, "\t")},
        ),
        Input(
            kind,
            "open ends",
            (Asked("latest ended on", (value(ended),), _SENTINEL),),
            {"contracts.csv": table(("contract", "ended_on"), terms)},
        ),
        Input(
            kind,
            "cold",
            (
                Asked("average Temperatur", (value(mean(temperatures)),), _SENTINEL),
                Asked("lowest Temperatur", (value(min(temperatures)),), _SENTINEL),
            ),
            {"messung.csv": table(("Datum", "Temperatur"), cold, ";", ",")},
        ),
    ]


def _lists() -> list[Input]:
    kind = "lists"
    films: list[tuple[Any, ...]] = [
        (1, ["drama", "war"], 90),
        (2, ["drama"], 100),
        (3, ["comedy", "drama"], 110),
        (4, [], 120),
        (5, ["war"], 130),
    ]
    staff = [("Ada", "python;sql"), ("Bo", "sql"), ("Cy", "r;sql;excel"), ("Di", "python")]
    rooms = [("R1", "beamer|wlan"), ("R2", "wlan"), ("R3", "beamer|wlan|tafel"), ("R4", "tafel")]
    genres = Counter(genre for film in films for genre in film[1])
    skills = Counter(skill for one in staff for skill in one[1].split(";"))
    fitted = Counter(part for room in rooms for part in room[1].split("|"))
    objects = [dict(zip(("film", "genres", "minutes"), film, strict=True)) for film in films]
    return [
        Input(
            kind,
            "films",
            (
                Asked(
                    "number of films by genre", (groups(genres), groups({**genres, None: 1})), _LIST
                ),
                Asked("how many films have the genre drama?", (value(3),), _LIST),
            ),
            {"films.jsonl": lines(("film", "genres", "minutes"), films)},
        ),
        Input(
            kind,
            "array",
            (Asked("average minutes of films with genre war", (value(110),), _LIST),),
            {"films.json": json.dumps(objects).encode()},
        ),
        Input(
            kind,
            "skills",
            (
                Asked("how many people know sql?", (value(3),), _LIST),
                Asked("number of people by skill", (groups(skills),), _LIST),
            ),
            {"people.csv": table(("person", "skills"), staff)},
        ),
        Input(
            kind,
            "rooms",
            (
                Asked("how many rooms have ausstattung beamer?", (value(2),), _LIST),
                Asked("number of rooms by ausstattung", (groups(fitted),), _LIST),
            ),
            {"rooms.csv": table(("room", "ausstattung"), rooms, ";")},
        ),
    ]


def _named_alike() -> list[Input]:
    kind = "named alike"
    hits = [("home", "de", 50), ("shop", "de", 30), ("home", "fr", 10), ("blog", "fr", 10)]
    paid = [("Mitte", "a", 120.5), ("Nord", "b", 60.5), ("Mitte", "b", 19.0)]
    orders = [(date(2025, 2, 1) + timedelta(n), "NS"[n % 2], 3 + n) for n in range(10)]
    rain = [("Oslo", 1, 12), ("Rome", 1, 4), ("Oslo", 2, 9), ("Rome", 2, 6)]
    filiale = summed(paid, 0, 2)
    whole = sum(filiale.values())
    return [
        Input(
            kind,
            "visits",
            (
                Asked("visits by page", (groups(summed(hits, 0, 2)),), _TWO),
                Asked("share of visits by country", (groups({"de": 0.8, "fr": 0.2}),), _TWO),
            ),
            {"visits.csv": table(("page", "country", "visits"), hits)},
        ),
        Input(
            kind,
            "Umsatz",
            (
                Asked("Umsatz by Filiale", (groups(filiale),), _TWO),
                Asked(
                    "share of Umsatz by Filiale",
                    (groups({key: of / whole for key, of in filiale.items()}),),
                    _TWO,
                ),
            ),
            {"Umsatz.csv": table(("Filiale", "Produkt", "Umsatz"), paid, ";", ",")},
        ),
        Input(
            kind,
            "orders",
            (
                Asked("total orders", (value(sum(row[2] for row in orders)),), _TWO),
                Asked("top region by orders", (value("S"),), _TWO),
            ),
            {"orders.tsv": table(("day", "region", "orders"), orders, "\t")},
        ),
        Input(
            kind,
            "rainfall",
            (Asked("rainfall by city", (groups(summed(rain, 0, 2)),), _TWO),),
            {"rainfall.csv": table(("city", "month", "rainfall"), rain, "|")},
        ),
    ]
