"""The files that pages speak of, laid into the folder in which their commands run."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bench import asking_about_jobs
from examples.retailer import write_retailer
from tests.conftest import SHARED_DATA
from tests.documented.blocks import ROOT
from tests.mesh import movements

SHARED = {"northwind.sqlite": "databases", "chinook.sqlite": "databases"}


def lay_out(folder: Path) -> None:
    """Every file that commands may name, but those beside the repository."""
    write_retailer(folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    several = folder / "a_folder_of_files"
    several.mkdir()
    shutil.copyfile(folder / "orders.csv", several / "orders.csv")
    _flights(folder / "flights.parquet")
    _leaves(folder)
    _visits(folder)


def adapt(folder: Path, page: str) -> None:
    """Put the files in their place that `page` means by a name that others use otherwise."""
    if page in OF_THEIR_OWN:
        OF_THEIR_OWN[page](folder)


def shared(folder: Path, command: str) -> list[str]:
    """Lay out what a command names of the data beside the repository; those that are not there."""
    absent = []
    for name, part in SHARED.items():
        if name in command and not (folder / name).exists():
            there = SHARED_DATA / part / name
            if there.exists():
                shutil.copyfile(there, folder / name)
            else:
                absent.append(name)
    return absent


def _three_months(folder: Path) -> None:
    movements.write_orders(folder / "orders.csv")


def _spring(folder: Path) -> None:
    asking_about_jobs.write_orders(folder)


OF_THEIR_OWN: dict[str, Callable[[Path], None]] = {
    "docs/causal.md": _three_months,
    "docs/investigations.md": _three_months,
    "docs/sessions.md": _spring,
}


def _flights(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    chance = random.Random(4)
    carriers = [chance.choice(("AA", "DL", "UA")) for _ in range(600)]
    delays = [round(chance.gauss(8, 20), 1) for _ in carriers]
    pq.write_table(pa.table({"carrier": carriers, "delay": delays}), path)


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
    (folder / "tiers.yaml").write_text(tiers)
    described = {"title": "Visits", "description": "Visitors of a shop, and what they spent."}
    (folder / "dataset-metadata.json").write_text(json.dumps(described))


def _write(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
