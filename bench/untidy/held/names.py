"""Names of columns, keys in two spellings or never declared, and files that are broken."""

from __future__ import annotations

import gzip
from random import Random
from statistics import mean
from typing import Any

from bench.untidy.held.making import BROKEN, KEYS, book, text
from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value

_ALIKE = r"(?i)same name|equal|alike|case|also mean|column|could mean"


def names() -> list[Input]:
    """The inputs of this kind."""
    return [_by_case(), _broken_names(), _row_names(), _twice(), _cyrillic()]


def _by_case() -> Input:
    rows = [(n, ("ok", "late")[n % 2], ("new", "old", "gone")[n % 3]) for n in range(66)]
    return Input(
        "names",
        "equal but for case",
        (
            Asked("how many rows are there?", (value(66),), _ALIKE),
            Asked(
                "number of rows by status",
                (groups({"ok": 33, "late": 33}), groups({"new": 22, "old": 22, "gone": 22})),
                _ALIKE,
                _ALIKE,
            ),
        ),
        {"export.csv": table(("id", "Status", "status"), rows)},
    )


def _broken_names() -> Input:
    dice = Random(61)
    rows = [(f"R{n}", dice.randint(10, 90) + 0.5, dice.randint(1, 4)) for n in range(110)]
    return Input(
        "names",
        "line breaks and quotes",
        (
            Asked("total Betrag netto", (value(sum(r[1] for r in rows)),)),
            Asked("average Note", (value(mean(r[2] for r in rows)),)),
        ),
        {
            "rechnungen.csv": table(
                ("Rechnung", "Betrag\n(netto)", 'sogenannte "Note"'), rows, ";", ","
            )
        },
    )


def _row_names() -> Input:
    dice = Random(62)
    rows = [(n, ("Adelie", "Gentoo")[n % 2], dice.randint(170, 230)) for n in range(1, 151)]
    laid = ['"","species","flipper_length_mm"', *(f'"{a}","{b}",{c}' for a, b, c in rows)]
    kinds = {k: mean(r[2] for r in rows if r[1] == k) for k in ("Adelie", "Gentoo")}
    return Input(
        "names",
        "numbers of rows without a name",
        (
            Asked("average flipper length by species", (groups(kinds),)),
            Asked("how many rows are there?", (value(150),)),
        ),
        {"birds.csv": text(laid)},
    )


def _twice() -> Input:
    dice = Random(63)
    rows = [(f"t{n}", dice.randint(1, 40), dice.randint(60, 99)) for n in range(50)]
    return Input(
        "names",
        "one name twice",
        (
            Asked(
                "average score",
                (value(mean(r[1] for r in rows)), value(mean(r[2] for r in rows))),
                _ALIKE,
                _ALIKE,
            ),
            Asked("how many teams are there?", (value(50),)),
        ),
        {"games.csv": table(("team", "score", "score"), rows)},
    )


def _cyrillic() -> Input:
    dice = Random(64)
    rows = [(("Москва", "Казань", "Омск")[n % 3], dice.randint(1, 99)) for n in range(90)]
    return Input(
        "names",
        "Cyrillic",
        (
            Asked("total Продажи by Город", (groups(summed(rows, 0, 1)),)),
            Asked(
                "total Продажи where Город is Омск",
                (value(sum(r[1] for r in rows if r[0] == "Омск")),),
            ),
        ),
        {"отчёт.csv": table(("Город", "Продажи"), rows, ";")},
    )


def keys() -> list[Input]:
    """The inputs of this kind."""
    return [_padded(), _undeclared(), _sheets(), _orphans(), _cased()]


def _joined(entities: list[tuple[Any, ...]], rows: list[tuple[Any, ...]]) -> dict[Any, Any]:
    """The last numbers of rows, added by what the thing has second that a row's first names."""
    of = {entity[0]: entity[1] for entity in entities}
    return summed([(of.get(row[0]), row[-1]) for row in rows], 0, 1)


def _padded() -> Input:
    dice = Random(71)
    kunden = [(n, ("Ulm", "Jena", "Kiel")[n % 3]) for n in range(1, 41)]
    auftrag = [(dice.randint(1, 40), dice.randint(10, 500)) for _ in range(220)]
    return Input(
        "keys",
        "noughts in front",
        (Asked("total Betrag by Ort", (groups(_joined(kunden, auftrag)),), KEYS),),
        {
            "kunden.csv": table(("Kundennr", "Ort"), [(f"{n:05}", o) for n, o in kunden], ";"),
            "auftraege.csv": table(
                ("Auftrag", "Kundennr", "Betrag"), [(n, *a) for n, a in enumerate(auftrag)], ";"
            ),
        },
        folder=True,
    )


def _undeclared() -> Input:
    dice = Random(72)
    staff = [(n, f"Clerk {n}") for n in range(1, 13)]
    sales = [(dice.randint(1, 12), dice.randint(5, 95)) for _ in range(140)]
    return Input(
        "keys",
        "never declared",
        (
            Asked("total amount by employee name", (groups(_joined(staff, sales)),), KEYS),
            Asked("total amount", (value(sum(r[1] for r in sales)),), KEYS),
        ),
        {
            "employees.jsonl": lines(("id", "name"), staff),
            "sales.jsonl": lines(
                ("sale", "employee_id", "amount"), [(n, *s) for n, s in enumerate(sales)]
            ),
        },
        folder=True,
    )


def _sheets() -> Input:
    dice = Random(73)
    patients = [(n, ("A", "B")[n % 2]) for n in range(100, 130)]
    visits = [(dice.randint(100, 129), dice.randint(20, 300)) for _ in range(90)]
    sheets: dict[str, list[list[Any]]] = {
        "Patients": [["PatientNr", "Ward"], *map(list, patients)],
        "Visits": [["Patient", "Fee"], *map(list, visits)],
    }
    return Input(
        "keys",
        "two sheets",
        (
            Asked("total fee by ward", (groups(_joined(patients, visits)),), KEYS),
            Asked("how many visits are there?", (value(90),), KEYS),
        ),
        {"clinic.xlsx": book(sheets)},
    )


def _orphans() -> Input:
    dice = Random(74)
    shops = [(f"S{n:02}", ("ES", "PT")[n % 2]) for n in range(20)]
    bills = [(f"S{dice.randint(0, 23):02}", dice.randint(1, 60)) for _ in range(300)]
    whole = _joined(shops, bills)
    known = {land: of for land, of in whole.items() if land}
    return Input(
        "keys",
        "keys that nothing has",
        (Asked("total amount by country", (groups(whole), groups(known)), KEYS, KEYS),),
        {
            "shops.csv": table(("shop_id", "country"), shops),
            "bills.csv": table(("shop_id", "amount"), bills),
        },
        folder=True,
    )


def _cased() -> Input:
    dice = Random(75)
    parts = [(f"AB-{n}", ("bolt", "nut")[n % 2]) for n in range(30)]
    used = [(f"AB-{dice.randint(0, 29)}", dice.randint(1, 20)) for _ in range(200)]
    laid = [(k.lower() + " " * (n % 2), of) for n, (k, of) in enumerate(used)]
    return Input(
        "keys",
        "case and blanks",
        (Asked("total quantity by kind", (groups(_joined(parts, used)),), KEYS),),
        {
            "parts.tsv": table(("part_no", "kind"), parts, "\t"),
            "usage.tsv": table(("part_no", "quantity"), laid, "\t"),
        },
        folder=True,
    )


def broken() -> list[Input]:
    """The inputs of this kind."""
    return [_open_quote(), _encodings(), _cut(), _cut_line(), _more_cells(), _unicode()]


def _open_quote() -> Input:
    rows = [(n, f"note {n}", n % 9) for n in range(200)]
    laid = [f'{n},"{sentence}",{of}' for n, sentence, of in rows]
    laid[60] = '60,"note 60,6'
    return Input(
        "broken",
        "a quote that never closes",
        (
            Asked("how many rows are there?", (value(200),), BROKEN),
            Asked("total points", (value(sum(r[2] for r in rows)),), BROKEN),
        ),
        {"notes.csv": text(["id,remark,points", *laid])},
    )


def _encodings() -> Input:
    dice = Random(82)
    rows = [(("Köln", "Lübeck", "Fürth")[n % 3], dice.randint(1, 30)) for n in range(120)]
    laid = b"stadt;anzahl\n" + b"".join(
        f"{town};{of}\n".encode("latin-1" if n >= 90 else "utf-8")
        for n, (town, of) in enumerate(rows)
    )
    return Input(
        "broken",
        "two encodings",
        (
            Asked("total anzahl by stadt", (groups(summed(rows, 0, 1)),), BROKEN),
            Asked("how many rows are there?", (value(120),), BROKEN),
        ),
        {"staedte.csv": laid},
    )


def _cut() -> Input:
    dice = Random(83)
    packed = gzip.compress(table(("id", "value"), [(n, dice.random()) for n in range(2000)]))
    return Input(
        "broken",
        "an archive cut short",
        (
            Asked("how many rows are there?", (), BROKEN),
            Asked("average value", (), BROKEN),
        ),
        {"readings.csv.gz": packed[: len(packed) * 2 // 3]},
    )


def _cut_line() -> Input:
    rows = [(n, n % 4, 2 * n) for n in range(130)]
    whole = lines(("event", "level", "ms"), rows)
    return Input(
        "broken",
        "a last line cut short",
        (
            Asked("how many events are there?", (value(129), value(130)), BROKEN, BROKEN),
            Asked("total ms", (value(sum(r[2] for r in rows[:-1])),), BROKEN, BROKEN),
        ),
        {"log.jsonl": whole[:-14]},
    )


def _more_cells() -> Input:
    dice = Random(85)
    rows = [(n, dice.randint(1, 900), "ab"[n % 2]) for n in range(180)]
    laid = [f"{n},{of},{k}" if n % 20 else f"{n},{of},5,{k}" for n, of, k in rows]
    return Input(
        "broken",
        "decimal commas between commas",
        (
            Asked("how many rows are there?", (value(180),), BROKEN),
            Asked("total cost", (), BROKEN),
        ),
        {"costs.csv": text(["nr,cost,class", *laid])},
    )


def _unicode() -> Input:
    dice = Random(86)
    rows = [(("Łódź", "Gdańsk")[n % 2], dice.randint(1, 70)) for n in range(100)]
    laid = ["miasto\tsprzedaż", *(f"{a}\t{b}" for a, b in rows)]
    return Input(
        "broken",
        "text of two bytes a character",
        (
            Asked("total sprzedaż by miasto", (groups(summed(rows, 0, 1)),), BROKEN),
            Asked("how many rows are there?", (value(100),), BROKEN),
        ),
        {"raport.txt": text(laid, "\r\n", "utf-16")},
    )
