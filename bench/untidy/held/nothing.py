"""Nothing in disguise, and what looks like it and is a value."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from statistics import mean
from typing import Any

from bench.untidy.held.making import NOTHING, parquet
from bench.untidy.inputs import Asked, Input, groups, lines, summed, table, value


def nothing() -> list[Input]:
    """The inputs of this kind."""
    return [_namibia(), _levels(), _no_answer(), _zero_dates(), _refused(), _heights(), _prices()]


def _namibia() -> Input:
    dice = Random(21)
    codes = ("NA", "ZA", "BW", "NO", "DE")
    rows = [(n, codes[n % 5], dice.randint(1, 99)) for n in range(250)]
    return Input(
        "nothing in disguise",
        "Namibia",
        (
            Asked("total exports by country", (groups(summed(rows, 1, 2)),), NOTHING),
            Asked(
                "total exports of NA", (value(sum(r[2] for r in rows if r[1] == "NA")),), NOTHING
            ),
            Asked("how many shipments have no country?", (value(0),), NOTHING),
        ),
        {"shipments.csv": table(("shipment", "country", "exports"), rows)},
    )


def _levels() -> Input:
    dice = Random(22)
    rows = [
        (
            date(2021, 1, 1) + timedelta(n),
            "Elbe" if n % 2 else "Oder",
            99999 if n % 23 == 7 else dice.randint(120, 400),
        )
        for n in range(1200)
    ]
    good = [r for r in rows if r[2] < 9999]
    rivers = {k: mean(r[2] for r in good if r[1] == k) for k in ("Elbe", "Oder")}
    return Input(
        "nothing in disguise",
        "water levels",
        (
            Asked("average pegel by fluss", (groups(rivers),), NOTHING),
            Asked("highest pegel", (value(max(r[2] for r in good)),), NOTHING),
        ),
        {"pegel.csv": table(("tag", "fluss", "pegel"), rows, ";")},
    )


def _no_answer() -> Input:
    dice = Random(23)
    rows = [(n, "k. A." if n % 6 == 1 else dice.randint(900, 5000)) for n in range(180)]
    good = [r[1] for r in rows if isinstance(r[1], int)]
    return Input(
        "nothing in disguise",
        "k. A.",
        (
            Asked("average Einkommen", (value(mean(good)),), NOTHING),
            Asked("how many Befragte have no Einkommen?", (value(180 - len(good)),), NOTHING),
            Asked("highest Einkommen", (value(max(good)),), NOTHING),
        ),
        {"befragung.tsv": table(("Befragte", "Einkommen"), rows, "\t")},
    )


def _zero_dates() -> Input:
    rows = [
        (
            n,
            date(2022, 1, 1) + timedelta(n),
            "0000-00-00" if n % 4 == 3 else str(date(2022, 1, 9) + timedelta(n)),
        )
        for n in range(300)
    ]
    ends = [date.fromisoformat(r[2]) for r in rows if r[2] > "1"]
    return Input(
        "nothing in disguise",
        "dates of noughts",
        (
            Asked("latest closed_on", (value(max(ends)),), NOTHING),
            Asked("earliest closed_on", (value(min(ends)),), NOTHING),
            Asked("how many cases have no closed_on?", (value(75),), NOTHING),
        ),
        {"cases.csv": table(("case", "opened_on", "closed_on"), rows)},
    )


def _refused() -> Input:
    dice = Random(24)
    rows = [
        (n, "uv"[n % 2], -9 if n % 17 == 3 else -8 if n % 19 == 5 else dice.randint(0, 60))
        for n in range(900)
    ]
    good = [r for r in rows if r[2] >= 0]
    return Input(
        "nothing in disguise",
        "refused and unknown",
        (
            Asked("average hours worked", (value(mean(r[2] for r in good)),), NOTHING),
            Asked(
                "average hours worked by wave",
                (groups({w: mean(r[2] for r in good if r[1] == w) for w in "uv"}),),
                NOTHING,
            ),
            Asked("lowest hours worked", (value(0),), NOTHING),
        ),
        {"panel.jsonl": lines(("person", "wave", "hours_worked"), rows)},
    )


def _heights() -> Input:
    dice = Random(25)
    heights = [-9999.0 if n % 31 == 2 else round(dice.uniform(3, 2900), 1) for n in range(3000)]
    good = [one for one in heights if one > -9999]
    columns: dict[str, list[Any]] = {"station": list(range(3000)), "elevation": heights}
    return Input(
        "nothing in disguise",
        "elevations",
        (
            Asked("average elevation", (value(mean(good)),), NOTHING),
            Asked("lowest elevation", (value(min(good)),), NOTHING),
        ),
        {"stations.parquet": parquet(columns)},
    )


def _prices() -> Input:
    prices = (899, 999, 1099, 949, 999, 1199)
    rows = [(n, "ab"[n % 2], prices[n % 6]) for n in range(60)]
    return Input(
        "nothing in disguise",
        "prices of 999",
        (
            Asked("average price", (value(mean(r[2] for r in rows)),)),
            Asked("how many phones cost 999?", (value(20),)),
        ),
        {"phones.csv": table(("phone", "brand", "price"), rows)},
    )
