"""Numbers as people and programs write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from random import Random
from statistics import mean

from bench.untidy.held.making import NUMBERS, TIME, text
from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value


def numbers() -> list[Input]:
    """The inputs of this kind."""
    return [
        _swiss(),
        _brackets(),
        _shares(),
        _currencies(),
        _epochs(),
        _powers(),
        _short(),
        _lakhs(),
        _with_units(),
    ]


def _swiss() -> Input:
    dice = Random(31)
    rows = [
        (n, ("Bern", "Zug", "Chur")[n % 3], dice.randint(100000, 99999999) / 100) for n in range(90)
    ]
    laid = [(n, town, f"{of:,.2f}".replace(",", "'")) for n, town, of in rows]
    towns = {t: mean(r[2] for r in rows if r[1] == t) for t in ("Bern", "Zug", "Chur")}
    return Input(
        "numbers",
        "apostrophes",
        (
            Asked("total Betrag", (value(sum(r[2] for r in rows)),), NUMBERS),
            Asked("average Betrag by Ort", (groups(towns),), NUMBERS),
        ),
        {"zahlungen.csv": table(("Nr", "Ort", "Betrag"), laid, ";")},
    )


def _brackets() -> Input:
    dice = Random(32)
    rows = [(f"4{n:03}", dice.randint(-500000, 900000) / 100) for n in range(70)]
    laid = [(k, f"(${-of:,.2f})" if of < 0 else f"${of:,.2f}") for k, of in rows]
    return Input(
        "numbers",
        "brackets for less than nothing",
        (
            Asked("total balance change", (value(sum(r[1] for r in rows)),), NUMBERS),
            Asked("lowest balance change", (value(min(r[1] for r in rows)),), NUMBERS),
            Asked(
                "how many accounts have a balance change below 0?",
                (value(sum(r[1] < 0 for r in rows)),),
                NUMBERS,
            ),
        ),
        {"ledger.csv": table(("account", "balance_change"), laid)},
    )


def _shares() -> Input:
    dice = Random(33)
    rows = [(f"Kreis {n}", dice.randint(400, 800) / 10) for n in range(64)]
    laid = [(k, f"{of:.1f} %".replace(".", ",")) for k, of in rows]
    return Input(
        "numbers",
        "per cent",
        (
            Asked("average Wahlbeteiligung", (value(mean(r[1] for r in rows) / 100),), NUMBERS),
            Asked("highest Wahlbeteiligung", (value(max(r[1] for r in rows) / 100),), NUMBERS),
        ),
        {"wahl.csv": table(("Kreis", "Wahlbeteiligung"), laid, ";")},
    )


def _currencies() -> Input:
    dice = Random(34)
    rows = [(n, "€$£"[n % 3], dice.randint(100, 9900) / 100) for n in range(120)]
    laid = [(n, f"{sign}{of:.2f}") for n, sign, of in rows]
    return Input(
        "numbers",
        "several currencies",
        (
            Asked("total price", (), NUMBERS),
            Asked("average price", (), NUMBERS),
        ),
        {"cart.csv": table(("item", "price"), laid)},
    )


def _epochs() -> Input:
    began = datetime(2024, 1, 25, 5, tzinfo=UTC)
    rows = [(n, began + timedelta(minutes=71 * n)) for n in range(400)]
    laid = [(n, int(at.timestamp() * 1000)) for n, at in rows]
    months = {date(2024, m, 1): sum(at.month == m for _, at in rows) for m in (1, 2)}
    first = rows[0][1].date()
    return Input(
        "numbers",
        "milliseconds since 1970",
        (
            Asked("number of sessions by month of started_at", (groups(months),), TIME),
            Asked("earliest started_at", (value(first),), TIME),
        ),
        {"sessions.jsonl": lines(("session", "started_at"), laid)},
    )


def _powers() -> Input:
    dice = Random(36)
    rows = [
        (f"S{n}", float(f"{dice.uniform(1, 9) * 10 ** dice.randint(-6, 4):.3E}")) for n in range(40)
    ]
    return Input(
        "numbers",
        "powers of ten",
        (
            Asked("average concentration", (value(mean(r[1] for r in rows)),), NUMBERS),
            Asked("lowest concentration", (value(min(r[1] for r in rows)),), NUMBERS),
        ),
        {
            "dilution.tsv": table(
                ("sample", "concentration"), [(k, f"{of:.3E}") for k, of in rows], "\t"
            )
        },
    )


def _short() -> Input:
    dice = Random(37)
    rows = [
        (f"chan{n}", ("music", "games")[n % 2], dice.randint(10, 99) * (100_000 if n % 4 else 1000))
        for n in range(88)
    ]
    laid = [(k, of, f"{n / 1e6:g}M" if n >= 1e6 else f"{n / 1e3:g}K") for k, of, n in rows]
    return Input(
        "numbers",
        "K and M",
        (
            Asked("average followers", (value(mean(r[2] for r in rows)),), NUMBERS),
            Asked(
                "highest followers by genre",
                (groups({g: max(r[2] for r in rows if r[1] == g) for g in ("music", "games")}),),
                NUMBERS,
            ),
        ),
        {"channels.csv": table(("channel", "genre", "followers"), laid)},
    )


def _lakhs() -> Input:
    dice = Random(38)
    rows = [(n, ("Pune", "Surat")[n % 2], dice.randint(100_000, 99_999_999)) for n in range(55)]

    def grouped(of: int) -> str:
        head, tail = str(of)[:-3], str(of)[-3:]
        pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
        return ",".join([*pairs, tail])

    laid = [(n, town, grouped(of)) for n, town, of in rows]
    return Input(
        "numbers",
        "lakhs",
        (
            Asked("total turnover by city", (groups(summed(rows, 1, 2)),), NUMBERS),
            Asked("highest turnover", (value(max(r[2] for r in rows)),), NUMBERS),
        ),
        {"firms.csv": table(("firm", "city", "turnover"), laid)},
    )


def _with_units() -> Input:
    dice = Random(39)
    rows = [
        (f"parcel {n}", dice.randint(200, 950) if n % 3 else dice.randint(1, 30) * 1000)
        for n in range(75)
    ]
    laid = [f"{k},{of} g" if of < 1000 else f"{k},{of // 1000} kg" for k, of in rows]
    grams = [r[1] for r in rows]
    return Input(
        "numbers",
        "grams and kilograms",
        (
            Asked("total weight", (value(sum(grams)), value(sum(grams) / 1000)), NUMBERS),
            Asked("highest weight", (value(max(grams)), value(max(grams) / 1000)), NUMBERS),
        ),
        {"parcels.csv": text(["parcel,weight", *laid])},
    )
