"""A second lot, made after the first was seen and mended: what was mended in other clothes, and
matters that the first did not have."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from random import Random
from statistics import mean, stdev
from typing import Any

from bench.untidy.held.making import (
    BROKEN,
    NONE,
    NOTHING,
    NUMBERS,
    PARTS,
    TIME,
    book,
    parquet,
    text,
)
from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value

_TWICE = r"(?i)twice|same rows|duplicate|double"


def second() -> list[Input]:
    """The inputs."""
    return [*_rows(), *_cells(), *_times(), *_files()]


def _rows() -> list[Input]:
    dice = Random(101)
    kind = "second: rows"
    rows = [
        (lan, f"butik {n}", dice.randint(10, 900))
        for lan in ("Skåne", "Dalarna", "Gotland")
        for n in range(7)
    ]
    sheet: list[list[Any]] = [["Län", "Butik", "Antal"]]
    for lan, whole in summed(rows, 0, 2).items():
        sheet += [list(r) for r in rows if r[0] == lan]
        sheet.append([f"Delsumma {lan}", None, whole])
    sheet.append(["Summa", None, sum(r[2] for r in rows)])
    probes = [(f"P{n}", round(dice.uniform(4, 9), 2), dice.randint(20, 40)) for n in range(40)]
    lab: list[list[Any]] = [
        ["Probe", "pH", "Temperatur"],
        *([*r] for r in probes),
        ["Mittelwert", round(mean(r[1] for r in probes), 3), round(mean(r[2] for r in probes), 2)],
        [
            "Standardabweichung",
            round(stdev(r[1] for r in probes), 3),
            round(stdev(r[2] for r in probes), 2),
        ],
    ]
    clubs = [
        (zone, f"{zone.title()} Club {n}", dice.randint(5, 90), dice.randint(1, 9))
        for zone in ("NORTH", "SOUTH", "WEST")
        for n in range(11)
    ]
    listed: list[tuple[Any, ...]] = []
    for zone in ("NORTH", "SOUTH", "WEST"):
        listed += [(zone, None, None), *(r[1:] for r in clubs if r[0] == zone)]
    mills = [(f"Mühle {n}", dice.randint(1, 90), dice.randint(100, 900)) for n in range(33)]
    noted = table(("Betrieb", "Silos", "Tonnen"), mills, ";")
    noted += "1) vorläufige Zahl;;\nQuelle: Verband der Mühlen;;\n".encode()
    twice = table(("bill", "amount"), [(n, 3 * n + 1) for n in range(70)])
    return [
        Input(
            kind,
            "delsumma",
            (
                Asked("total antal by län", (groups(summed(rows, 0, 2)),), NONE),
                Asked("how many butiker are there?", (value(7), value(21)), NONE),
                Asked("average antal", (value(mean(r[2] for r in rows)),), NONE),
            ),
            {"butiker.xlsx": book({"Blad1": sheet})},
        ),
        Input(
            kind,
            "Mittelwert",
            (
                Asked("average pH", (value(mean(r[1] for r in probes)),), NONE),
                Asked("how many Proben are there?", (value(40),), NONE),
            ),
            {"labor.xlsx": book({"Messung": lab})},
        ),
        Input(
            kind,
            "bare titles",
            (
                Asked("how many clubs are there?", (value(33),), NONE),
                Asked("average members", (value(mean(r[2] for r in clubs)),), NONE),
            ),
            {"clubs.csv": table(("club", "members", "courts"), listed)},
        ),
        Input(
            kind,
            "padded notes",
            (
                Asked("how many Betriebe are there?", (value(33),), NONE),
                Asked("total Tonnen", (value(sum(r[2] for r in mills)),), NONE),
            ),
            {"muehlen.csv": noted},
        ),
        Input(
            kind,
            "loaded twice",
            (
                Asked("total amount", (value(sum(3 * n + 1 for n in range(70))),), _TWICE),
                Asked("how many bills are there?", (value(70),), _TWICE),
            ),
            {"bills.csv": twice + twice},
        ),
    ]


def _cells() -> list[Input]:
    dice = Random(102)
    kind = "second: cells"
    asked = [
        dice.choice((-99.0, -98.0)) if n % 12 == 5 else float(dice.randint(1, 5))
        for n in range(480)
    ]
    good = [one for one in asked if one > 0]
    goods = [(n, dice.randint(100, 90000) / 100) for n in range(44)]
    priced = [(n, f"{of:.2f}".replace(".", ",")) for n, of in goods]
    ledger = [(n, dice.randint(-90000, 90000) / 100) for n in range(58)]
    behind = [(n, f"{abs(of):.2f}".replace(".", ",") + "-" * (of < 0)) for n, of in ledger]
    towns = [(f"Ort {n}", dice.randint(1_000, 9_999)) for n in range(60)]
    dotted = [(k, f"{of:,}".replace(",", ".")) for k, of in towns]
    flags = [(n, ("ja", "nein", "ja")[n % 3]) for n in range(90)]
    mixed = [(n, f"{n % 40} %" if n % 2 else f"0.{n % 40:02}") for n in range(80)]
    rows: list[list[Any]] = [[n, of] for n, of in behind]
    return [
        Input(
            kind,
            "-99 and -98",
            (
                Asked("average rating", (value(mean(good)),), NOTHING),
                Asked("lowest rating", (value(min(good)),), NOTHING),
            ),
            {"ratings.parquet": parquet({"person": list(range(480)), "rating": asked})},
        ),
        Input(
            kind,
            "numbers as JSON texts",
            (
                Asked("total preis", (value(sum(r[1] for r in goods)),), NUMBERS),
                Asked("highest preis", (value(max(r[1] for r in goods)),), NUMBERS),
            ),
            {"waren.jsonl": lines(("nr", "preis"), priced)},
        ),
        Input(
            kind,
            "signs behind",
            (
                Asked("total Saldo", (value(sum(r[1] for r in ledger)),), NUMBERS),
                Asked("lowest Saldo", (value(min(r[1] for r in ledger)),), NUMBERS),
            ),
            {"konto.csv": table(("Beleg", "Saldo"), behind, ";")},
        ),
        Input(
            kind,
            "numbers as text in a workbook",
            (Asked("total Saldo", (value(sum(r[1] for r in ledger)),), NUMBERS),),
            {"konto.xlsx": book({"K": [["Beleg", "Saldo"], *rows]})},
        ),
        Input(
            kind,
            "points for thousands",
            (
                Asked("total Einwohner", (value(sum(r[1] for r in towns)),), NUMBERS),
                Asked("highest Einwohner", (value(max(r[1] for r in towns)),), NUMBERS),
            ),
            {"orte.csv": table(("Ort", "Einwohner"), dotted, ";")},
        ),
        Input(
            kind,
            "yes in German",
            (
                Asked("share of rows where bezahlt is ja", (value(2 / 3),)),
                Asked("how many rows are not bezahlt?", (value(30),)),
            ),
            {"posten.csv": table(("nr", "bezahlt"), flags, ";")},
        ),
        Input(
            kind,
            "shares in two ways",
            (Asked("average discount", (), NUMBERS),),
            {"offers.csv": table(("offer", "discount"), mixed)},
        ),
    ]


def _times() -> list[Input]:
    dice = Random(103)
    kind = "second: time"
    calls = [(n, dice.randint(30, 5000)) for n in range(77)]
    clocks = [(n, f"{of // 3600:02}:{of // 60 % 60:02}:{of % 60:02}") for n, of in calls]
    middle = mean(of for _, of in calls)
    began = datetime(2023, 6, 28, 3, tzinfo=UTC)
    moments = [began + timedelta(minutes=97 * n) for n in range(200)]
    months = {date(2023, m, 1): sum(at.month == m for at in moments) for m in (6, 7)}
    days = [(date(2024, 5, 1) + timedelta(n), dice.randint(1, 9)) for n in range(60)]
    ways = [(f"{d}" if n % 2 else f"{d:%d.%m.%Y}", of) for n, (d, of) in enumerate(days)]
    by_month = summed([(d.replace(day=1), of) for d, of in days], 0, 1)
    return [
        Input(
            kind,
            "Dauer",
            (
                Asked(
                    "average Dauer", (value(middle), value(middle / 60), value(middle / 3600)), TIME
                ),
                Asked(
                    "longest Dauer",
                    (value(max(of for _, of in calls)), value(max(of for _, of in clocks))),
                    TIME,
                ),
            ),
            {"anrufe.tsv": table(("Anruf", "Dauer"), clocks, "\t")},
        ),
        Input(
            kind,
            "seconds since 1970",
            (Asked("number of orders by month", (groups(months),), TIME),),
            {
                "orders.parquet": parquet(
                    {
                        "order": list(range(200)),
                        "created_at": [int(at.timestamp()) for at in moments],
                    }
                )
            },
        ),
        Input(
            kind,
            "days in two ways",
            (
                Asked("total guests by month", (groups(by_month),), TIME),
                Asked("latest day", (value(days[-1][0]),), TIME),
            ),
            {"guests.csv": table(("day", "guests"), ways)},
        ),
    ]


def _files() -> list[Input]:
    dice = Random(104)
    kind = "second: files"
    rows = [
        (year, f"k{n % 5}", dice.randint(1, 60), dice.randint(100, 900))
        for year in (2023, 2024)
        for n in range(30)
    ]
    early = table(("kind", "pieces", "price"), [r[1:] for r in rows if r[0] == 2023])
    late = table(("price", "kind", "pieces"), [(r[3], r[1], r[2]) for r in rows if r[0] == 2024])
    notes = [(n, f"said {n}, twice" if n % 4 else f"plain {n}", n % 7) for n in range(90)]
    spaced = [f'{n}, "{sentence}", {of}' for n, sentence, of in notes]
    laid = "".join(
        f'{n},"{sentence}",{of}' + ("\r\n" if n < 45 else "\n") for n, sentence, of in notes
    )
    items = [{"id": n, "tags": {"colour": "rb"[n % 2]}, "n": n} for n in range(20)]
    return [
        Input(
            kind,
            "columns in another order",
            (
                Asked("total pieces", (value(sum(r[2] for r in rows)),), PARTS),
                Asked("total pieces by kind", (groups(summed(rows, 1, 2)),), PARTS),
            ),
            {"2023.csv": early, "2024.csv": late},
            folder=True,
        ),
        Input(
            kind,
            "blanks before quotes",
            (
                Asked("how many rows are there?", (value(90),), BROKEN),
                Asked("average mark", (value(mean(r[2] for r in notes)),), BROKEN),
            ),
            {"notes.csv": text(["nr, said, mark", *spaced])},
        ),
        Input(
            kind,
            "lines of two ends",
            (
                Asked("how many rows are there?", (value(90),), BROKEN),
                Asked("total mark", (value(sum(r[2] for r in notes)),), BROKEN),
            ),
            {"joined.csv": b"nr,said,mark\r\n" + laid.encode()},
        ),
        Input(
            kind,
            "objects in objects",
            (Asked("total n by colour", (groups({"r": 90, "b": 100}),), PARTS),),
            {"items.json": json.dumps({"items": items}).encode()},
        ),
    ]
