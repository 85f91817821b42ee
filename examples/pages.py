"""Write every file that commands of the documentation name: `python -m examples.pages FOLDER`.

The shop's, and small ones that one page each is about. Their seeds are fixed.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import shutil
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from examples.retailer import write_retailer

KNOWLEDGE = ("promotion.yaml", "shop.assay.yaml")
"""What only people know of the shop; apart, for a model beside the data is read unasked."""

MARCH, END_OF_MARCH = date(2024, 3, 1), date(2024, 3, 31)
_PRODUCTS = ("chair", "desk", "lamp")


def write_pages(folder: Path) -> None:
    """Write all of them into the folder. Raises OSError where it cannot be made or written."""
    write_retailer(folder)
    (folder / "knowledge").mkdir(exist_ok=True)
    for name in KNOWLEDGE:
        shutil.copyfile(Path(__file__).parent / name, folder / "knowledge" / name)
    write_march(folder / "march.csv")
    write_spring(folder / "spring.csv")
    _leaves(folder)
    _visits(folder)
    _sensors(folder)


def write_march(path: Path, *, changed: bool = True) -> Path:
    """Orders of three months; from March on, web orders of the North are worth a fifth."""
    head = ("order_id", "ordered_on", "region", "channel", "product", "revenue")
    return _write(path, head, _orders(changed))


def _orders(changed: bool) -> Iterator[tuple[Any, ...]]:
    chance = random.Random(12)
    number, day = 0, date(2024, 1, 1)
    while day <= END_OF_MARCH:
        for _ in range(chance.randint(18, 24)):
            number += 1
            region, channel = (
                chance.choice(("North", "South", "East")),
                chance.choice(("web", "shop")),
            )
            value = round(chance.lognormvariate(3, 0.3), 2)
            if changed and day >= MARCH and (region, channel) == ("North", "web"):
                value = round(value / 5, 2)
            yield number, day, region, channel, chance.choice(_PRODUCTS), value
        day += timedelta(days=1)


def write_spring(path: Path) -> Path:
    """Orders of four months; in April those of EMEA on ios are worth two fifths."""
    chance = random.Random(1)
    rows: list[tuple[Any, ...]] = []
    for month in (1, 2, 3, 4):
        for day in range(1, 29):
            for _ in range(12):
                region, device = (
                    chance.choice(["EMEA", "APAC", "US"]),
                    chance.choice(["ios", "web"]),
                )
                value = chance.gauss(100, 10)
                if month == 4 and (region, device) == ("EMEA", "ios"):
                    value *= 0.4
                number = len(rows) + 1
                coupon = "x" if number % 9 else ""
                rows.append(
                    (number, date(2025, month, day), region, device, f"{value:.2f}", coupon)
                )
    return _write(path, ("order_id", "ordered_on", "region", "device", "revenue", "coupon"), rows)


def _leaves(folder: Path) -> None:
    """Leaves with a forecast, under the names that pages give their columns; one fell short."""
    chance = random.Random(7)
    leaves: list[tuple[str, str, float, float]] = []
    for region in ("North", "South", "East", "West"):
        for channel in ("web", "shop", "phone"):
            expected = chance.randint(800, 1200)
            came = expected * (0.4 if (region, channel) == ("North", "web") else 1)
            leaves.append((region, channel, round(came + chance.gauss(0, 8)), expected))
    _write(folder / "leaves.csv", ("region", "channel", "real", "predict"), leaves)
    _write(folder / "plan.csv", ("region", "channel", "sold", "plan"), leaves)
    columns = ("real_success", "predict_success", "real_total", "predict_total")
    rows = [(*leaf, leaf[3] * 2, leaf[3] * 2) for leaf in leaves]
    _write(folder / "logins.csv", ("region", "channel", *columns), rows)


def _visits(folder: Path) -> None:
    """Visitors, some of whom had a promotion that adds 4, for those who had spent more before."""
    chance = random.Random(5)
    rows: list[tuple[Any, ...]] = []
    for number in range(800):
        age, prior = chance.randint(18, 80), max(0.0, chance.gauss(50, 15))
        promo = int(chance.random() < (0.3 if prior < 50 else 0.6))
        price, plan = round(chance.uniform(5, 9), 2), chance.choice(("free", "team", "pro"))
        visits = chance.randint(1, 9) + promo
        spend = round(0.8 * prior + 4 * promo + 2 * (plan == "pro") - price + chance.gauss(0, 6), 2)
        day = date(2025, 1, 1) + timedelta(days=number % 90)
        rows.append((number, day, age, round(prior, 2), promo, price, plan, visits, spend))
    head = ("visitor_id", "day", "age", "prior_spend", "promo", "price", "plan", "visits", "spend")
    _write(folder / "visits.csv", head, rows)
    tiers = "tiers:\n  - [age, prior_spend]\n  - [promo]\n  - [visits]\n  - [spend]\n"
    (folder / "tiers.yaml").write_text(tiers, encoding="utf-8")
    described = {"title": "Visits", "description": "Visitors of a shop, and what they spent."}
    (folder / "dataset-metadata.json").write_text(json.dumps(described), encoding="utf-8")


def _sensors(folder: Path) -> None:
    """Hours of two stations, which write -200 where nothing was measured."""
    chance = random.Random(7)
    rows = [
        (
            f"2024-03-{1 + hour // 24:02}T{hour % 24:02}:00:00Z",
            station,
            -200 if chance.random() < 0.1 else round(chance.uniform(0.5, 4.0), 1),
        )
        for hour in range(25 * 24)
        for station in ("North", "South")
    ]
    _write(folder / "sensors.csv", ("at", "station", "co"), rows)


def _write(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, write the files and name them."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.pages",
        description="Write the files that commands of the documentation name.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="made if it does not exist")
    folder: Path = parser.parse_args(arguments).folder
    try:
        write_pages(folder)
    except OSError as error:
        parser.error(f"cannot write into {folder}: {error.strerror}. Name a folder you may write.")
    print(f"written into {folder}")


if __name__ == "__main__":
    main()
