"""Harder ones of the same kinds: names that hold one another, values asked together or denied."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from statistics import mean, median

from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value
from bench.untidy.values import _EMPTY, _LIST, _SENTINEL, _TWO


def further() -> list[Input]:
    """The inputs."""
    return [*_names(), *_codes(), *_cells(), *_lists(), *_measures(), *_texts()]


def _names() -> list[Input]:
    days = [date(2025, 4, 1) + timedelta(n) for n in range(30)]
    gases = [(d, 1 + n % 5, 400 + n, 30 + n % 3, 9 + n) for n, d in enumerate(days)]
    quarters = [("Bau", 10, 20, 30), ("Amt", 1, 2, 3), ("Kita", 5, 5, 5)]
    rigs = [(n, 20 + n, 40 + n, 100 + n) for n in range(10)]
    kind = "digits and units"
    return [
        Input(
            kind,
            "gases",
            (
                Asked("average CO", (value(mean(r[1] for r in gases)),)),
                Asked("average CO2", (value(mean(r[2] for r in gases)),)),
                Asked("median NOx", (value(median(r[3] for r in gases)),)),
            ),
            {"gas.csv": table(("day", "CO (ppm)", "CO2 (ppm)", "NOx[µg]", "T2m [K]"), gases)},
        ),
        Input(
            kind,
            "quarters",
            (
                Asked("total Q2 2024", (value(27),)),
                Asked("total Q1 2024 by dept", (groups({"Bau": 10, "Amt": 1, "Kita": 5}),)),
            ),
            {
                "plan.tsv": table(
                    ("dept", "Q1 2024 (EUR)", "Q2 2024 (EUR)", "Q1 2025 (EUR)"), quarters, "\t"
                )
            },
        ),
        Input(
            kind,
            "numbered",
            (
                Asked("average temp 1", (value(mean(r[1] for r in rigs)),)),
                Asked("average temp 10", (value(mean(r[3] for r in rigs)),)),
            ),
            {"rig.csv": table(("run", "temp1", "temp2", "temp10"), rigs)},
        ),
    ]


def _codes() -> list[Input]:
    zips = [("00501", 3), ("501", 4), ("02134", 5), ("10001", 6), ("00501", 7)]
    teams = [("US", 5), ("us", 1), ("NO", 2), ("IN", 4), ("AN", 8), ("NO", 9), ("IT", 3)]
    langs = [("is", 4), ("no", 5), ("it", 6), ("de", 7), ("it", 8)]
    return [
        Input(
            "leading zeros",
            "zips",
            (
                Asked("total parcels for zip 00501", (value(10),)),
                Asked("total parcels for zip 501", (value(4),)),
                Asked("how many parcels are there by zip?", (groups(summed(zips, 0, 1)),)),
            ),
            {"post.jsonl": lines(("zip", "parcels"), zips)},
        ),
        Input(
            "short words",
            "together",
            (
                Asked("total points in NO and IN by team", (groups({"NO": 11, "IN": 4}),)),
                Asked("total points in AN", (value(8),)),
                Asked("total points without NO", (value(21),)),
            ),
            {"league.csv": table(("team", "points"), teams)},
        ),
        Input(
            "short words",
            "languages",
            (
                Asked("total books in it", (value(14),)),
                Asked("total books where language is no", (value(5),)),
                Asked("total books where language is is", (value(4),)),
            ),
            {"lesen.csv": table(("language", "books"), langs, ";")},
        ),
    ]


def _cells() -> list[Input]:
    rated = [(n, 99 if n % 10 == 3 else 1 + n % 5) for n in range(100)]
    born = [
        (n, date(1900, 1, 1) if n % 6 == 2 else date(1960, 1, 1) + timedelta(97 * n))
        for n in range(90)
    ]
    pairs = [(n, "n/a" if n % 7 == 2 else "-" if n % 7 == 4 else n) for n in range(70)]
    jobs = [(n, ("done", None, "open", "late")[n % 4], 2 * n) for n in range(24)]
    left = [r for r in jobs if r[1] != "done"]
    named = [r for r in left if r[1]]
    numbers = [r[1] for r in pairs if isinstance(r[1], int)]
    return [
        Input(
            "stand-ins",
            "ratings",
            (Asked("average stars", (value(mean(r[1] for r in rated if r[1] < 9)),), _SENTINEL),),
            {"reviews.csv": table(("review", "stars"), rated)},
        ),
        Input(
            "stand-ins",
            "births",
            (
                Asked(
                    "earliest birth date",
                    (value(min(r[1] for r in born if r[1].year > 1900)),),
                    _SENTINEL,
                ),
            ),
            {"members.csv": table(("member", "birth_date"), born)},
        ),
        Input(
            "stand-ins",
            "texts",
            (
                Asked("average wert", (value(mean(numbers)),)),
                Asked("total wert", (value(sum(numbers)),)),
            ),
            {"werte.csv": table(("nr", "wert"), pairs, ";")},
        ),
        Input(
            "not equal",
            "jobs",
            (
                Asked(
                    "average minutes of jobs that are not done",
                    (value(mean(r[2] for r in left)), value(mean(r[2] for r in named))),
                    "",
                    _EMPTY,
                ),
                Asked(
                    "how many jobs are neither done nor late?", (value(12), value(6)), "", _EMPTY
                ),
                Asked(
                    "share of jobs that are not done",
                    (value(18 / 24), value(12 / 24), value(12 / 18)),
                    "",
                    _EMPTY,
                ),
            ),
            {"jobs.csv": table(("job", "state", "minutes"), jobs)},
        ),
    ]


def _lists() -> list[Input]:
    meals = [
        ("soup", "leek, salt", 3),
        ("pie", "flour, leek, salt", 8),
        ("tea", "tea", 1),
        ("bread", "flour, salt", 4),
    ]
    posts = [(1, ["a", "b"], 10), (2, ["b"], 20), (3, ["b", "c"], 40)]
    parts = Counter(part for meal in meals for part in meal[1].split(", "))
    likes = {tag: sum(p[2] for p in posts if tag in p[1]) for tag in "abc"}
    return [
        Input(
            "lists",
            "meals",
            (
                Asked("how many meals have the ingredient salt?", (value(3),), _LIST),
                Asked("number of meals by ingredient", (groups(parts),), _LIST),
                Asked("average price of meals with ingredients leek", (value(5.5),), _LIST),
            ),
            {"meals.csv": table(("meal", "ingredients", "price"), meals)},
        ),
        Input(
            "lists",
            "labels",
            (
                Asked("total likes by label", (groups(likes),), _LIST),
                Asked("which label is the most common?", (value("b"),), _LIST),
                Asked("total likes", (value(70),)),
            ),
            {"posts.jsonl": lines(("post", "labels", "likes"), posts)},
        ),
    ]


def _measures() -> list[Input]:
    goals = [("Ann", "home", 2), ("Bo", "home", 1), ("Ann", "away", 3), ("Cy", "away", 0)]
    sold = [(date(2025, 1 + n % 3, 5), "xy"[n % 2], 10 + n) for n in range(12)]
    months = {date(2025, m, 1): sum(r[2] for r in sold if r[0].month == m) for m in (1, 2, 3)}
    return [
        Input(
            "named alike",
            "goals",
            (
                Asked("who has the most goals?", (value("Ann"),), _TWO),
                Asked("average goals by place", (groups({"home": 1.5, "away": 1.5}),), _TWO),
                Asked("goals of Ann", (value(5), ((2,), (3,))), _TWO),
            ),
            {"goals.csv": table(("player", "place", "goals"), goals)},
        ),
        Input(
            "named alike",
            "ventes",
            (
                Asked("ventes by month", (groups(months),), _TWO),
                Asked("total ventes of x", (value(sum(r[2] for r in sold if r[1] == "x")),), _TWO),
            ),
            {"ventes.csv": table(("jour", "produit", "ventes"), sold, ";")},
        ),
    ]


def _texts() -> list[Input]:
    parts = [
        (n, f"first line\nsecond; line {n}" if n % 3 == 1 else f'he said "{n}, ok"', n % 4)
        for n in range(40)
    ]
    noted = table(("stadt", "anzahl"), [("Ulm", 3), ("Bonn", 4), ("Kiel", 5)], ";")
    return [
        Input(
            "free text",
            "many lines",
            (
                Asked("how many tickets are there?", (value(40),)),
                Asked("average urgency", (value(1.5),)),
            ),
            {"tickets.csv": table(("ticket", "text", "urgency"), parts)},
        ),
        Input(
            "blank lines",
            "before",
            (
                Asked("total anzahl", (value(12),)),
                Asked("how many rows are there?", (value(3),)),
            ),
            {"orte.csv": b"# Stand: 1.2.2025, alle Orte\n\n\n" + noted + b"\n;\n\n"},
        ),
    ]
