"""Layout: free text, workbooks made for reading, blank lines, folders of monthly files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from statistics import mean
from typing import Any

from bench.untidy.inputs import Asked, Input, groups, summed, table, value
from tests.unit.executor.workbook_help import Cell, rows_xml, workbook


def layouts() -> list[Input]:
    """The inputs of these kinds."""
    return [*_free_text(), *_workbooks(), *_blank_lines(), *_months()]


def _free_text() -> list[Input]:
    kind = "free text"
    pairs = [(f"slow | rude | late {n}" if n > 30 else f"good {n}", n % 5 + 1) for n in range(80)]
    titles = [f"Song {n}; live; {n}" if n % 3 else f"Song {n}" for n in range(30)]
    homes = [(f"Hauptstr. {n}; Hof, links", 10.5 + n) for n in range(40)]
    return [
        Input(
            kind,
            "complaints",
            (
                Asked("how many complaints are there?", (value(80),)),
                Asked("average stars", (value(3),)),
            ),
            {"complaints.csv": table(("comment", "stars"), pairs)},
        ),
        Input(
            kind,
            "titles",
            (Asked("how many rows are there?", (value(30),), r"(?i)delimiter|not fit|kept aside"),),
            {"songs.csv": ("title\n" + "\n".join(titles) + "\n").encode()},
        ),
        Input(
            kind,
            "addresses",
            (
                Asked("total miete", (value(sum(row[1] for row in homes)),)),
                Asked("how many rows are there?", (value(40),)),
            ),
            {"wohnungen.tsv": table(("adresse", "miete"), homes, "\t")},
        ),
    ]


def _book(rows: Sequence[Sequence[Cell]], merged: Sequence[str] = ()) -> bytes:
    return workbook({"Sheet": rows_xml(rows)}, merged=merged)


def _workbooks() -> list[Input]:
    kind = "workbooks"
    sales: list[list[Cell]] = [
        ["Ventes par magasin", None, None, None, None],
        [None] * 5,
        [None, 2023, None, 2024, None],
        ["Magasin", "S1", "S2", "S1", "S2"],
        ["Lyon", 10, 12, 14, 16],
        ["Lille", 20, 22, 24, 26],
        ["Total", 30, 34, 38, 42],
    ]
    costs: list[list[Cell]] = [
        ["Kostenbericht 2024", None, None],
        ["Abteilung", "Posten", "Betrag"],
        ["Bau", "Holz", 100],
        [None, "Stahl", 200],
        ["Summe Bau", None, 300],
        ["Amt", "Papier", 5],
        [None, "Tinte", 7],
        ["Summe Amt", None, 12],
        ["Gesamt", None, 312],
    ]
    plain: list[list[Cell]] = [
        ["crop", "tons"],
        ["wheat", 40],
        ["rye", 25],
        ["oats", 15],
        [None, None],
        ["Total", 80],
    ]
    return [
        Input(
            kind,
            "two headings",
            (
                Asked("total 2024 S1", (value(38),)),
                Asked("how many magasins are there?", (value(2),)),
            ),
            {"ventes.xlsx": _book(sales, ("B3:C3", "D3:E3"))},
        ),
        Input(
            kind,
            "subtotals",
            (
                Asked("total Betrag", (value(312),)),
                Asked("total Betrag by Abteilung", (groups({"Bau": 300, "Amt": 12}),)),
            ),
            {"kosten.xlsx": _book(costs, ("A3:A4", "A6:A7"))},
        ),
        Input(
            kind,
            "total below",
            (
                Asked("total tons", (value(80),)),
                Asked("average tons", (value(80 / 3),)),
            ),
            {"harvest.xlsx": _book(plain)},
        ),
    ]


def _blank_lines() -> list[Input]:
    kind = "blank lines"
    runs = [(f"r{n}", n + 0.5, "ok") for n in range(15)]
    stops = [(n, "AB"[n % 2], 3 * n) for n in range(18)]
    teams = [(f"t{n}", n % 4) for n in range(9)]
    halves = table(("stop", "line", "riders"), stops).decode().splitlines()
    between = "\n".join([*halves[:10], ",,", ",,", *halves[10:], ",,", ""]).encode()
    return [
        Input(
            kind,
            "at the end",
            (
                Asked("how many rows are there?", (value(15),)),
                Asked("how many rows have no state?", (value(0),)),
            ),
            {"runs.tsv": table(("run", "seconds", "state"), runs, "\t") + b"\t\t\n" * 6},
        ),
        Input(
            kind,
            "between",
            (
                Asked("how many stops are there?", (value(18),)),
                Asked(
                    "average riders by line",
                    (groups({of: mean(r[2] for r in stops if r[1] == of) for of in "AB"}),),
                ),
            ),
            {"stops.csv": between},
        ),
        Input(
            kind,
            "quoted nothing",
            (Asked("how many teams are there?", (value(9),)),),
            {"teams.csv": table(("team", "Punkte"), teams, ";") + b'"";""\n' * 5},
        ),
    ]


def _months() -> list[Input]:
    kind = "monthly files"
    visits = [(date(2024, m, d), "xy"[d % 2], 10 * m + d) for m in (1, 2, 3) for d in range(1, 9)]
    umsatz = [(m, f"F{k}", 100.5 * k * m) for m in (1, 2, 3) for k in (1, 2)]
    sensed = [(date(2025, m, d), m + d) for m in (5, 6) for d in range(1, 6)]

    def files(
        rows: Sequence[tuple[Any, ...]],
        name: str,
        heads: Sequence[str],
        sep: str,
    ) -> dict[str, bytes]:
        parts = sorted({row[0].month for row in rows})
        return {
            name.format(m): table(heads, [r for r in rows if r[0].month == m], sep) for m in parts
        }

    short = {1: "jan", 2: "feb", 3: "mar"}
    months = {date(2024, m, 1): sum(r[2] for r in visits if r[0].month == m) for m in (1, 2, 3)}
    return [
        Input(
            kind,
            "visits",
            (
                Asked("total visits", (value(sum(row[2] for row in visits)),)),
                Asked("total visits by month", (groups(months),)),
            ),
            files(visits, "2024-{:02d}.csv", ("day", "page", "visits"), ","),
            folder=True,
        ),
        Input(
            kind,
            "umsatz",
            (Asked("total Umsatz by Filiale", (groups(summed(umsatz, 1, 2)),)),),
            {
                f"umsatz_{short[m]}.csv": table(
                    ("Filiale", "Umsatz"), [r[1:] for r in umsatz if r[0] == m], ";", ","
                )
                for m in short
            },
            folder=True,
        ),
        Input(
            kind,
            "folders",
            (Asked("average reading", (value(mean(row[1] for row in sensed)),)),),
            files(sensed, "2025/{:02d}/log.tsv", ("day", "reading"), "\t"),
            folder=True,
        ),
    ]
