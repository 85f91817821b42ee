"""Rows of small businesses, each different, with or without one fault of the data."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.sources.library import SourceLibrary
from tests.engines.metric_world import MetricContext
from tests.engines.world import Place
from tests.reading import READERS

FIRST = date(2024, 1, 1)
BASELINE = {"start": "2024-02-01", "end": "2024-02-29"}
COMPARISON = {"start": "2024-03-01", "end": "2024-03-31"}
ARGUMENTS: Mapping[str, Any] = {
    "relation": "SELECT * FROM rows",
    "time": "at",
    "numerator": "amount",
    "dimensions": ["region", "product", "coupon"],
    "baseline": BASELINE,
    "comparison": COMPARISON,
}


def business(seed: int) -> pd.DataFrame:
    """Three months of sales: weekdays, trend, closed days, prices, all by the seed.

    Things that happen in a business happen here too: campaigns, price rises, products that end and
    begin, a region that grows. Nothing of it is a fault of the data.
    """
    random = np.random.default_rng(seed)
    days = [FIRST + timedelta(days=n) for n in range(91)]
    weekday = random.uniform(0.4, 1.6, 7)
    if random.random() < 0.4:
        weekday[6] = 0
    if random.random() < 0.2:
        weekday[5] = 0
    usual = float(np.exp(random.uniform(np.log(30), np.log(400))))
    trend = random.uniform(-0.5, 0.5)
    wild = random.choice([0.0, 0.1, 0.4])
    counts = [
        random.poisson(
            usual * weekday[day.weekday()] * (1 + trend * n / 91) * random.lognormal(0, wild)
        )
        for n, day in enumerate(days)
    ]
    at = np.repeat(np.arange(91), counts)
    n = len(at)
    region = random.choice(["North", "South", "East", "West"], n, p=random.dirichlet([4] * 4))
    names = [f"product {k}" for k in range(12)]
    product = random.choice(names, n, p=random.dirichlet([1.5] * 12))
    price = dict(zip(names, random.lognormal(3, 1, 12), strict=True))
    amount = np.array([price[name] for name in product])
    style = random.integers(4)
    if style == 0:
        amount = amount * random.lognormal(0, 0.5, n)
    elif style == 1:
        amount = np.round(amount) * random.integers(1, 5, n)
    elif style == 2:
        amount = np.ones(n)
    else:
        amount = np.round(amount * random.pareto(2.5, n), 2)
    coupon = np.full(n, "yes", dtype=object)
    coupon[random.random(n) < random.uniform(0.02, 0.9)] = None
    march = at >= 60
    happens = random.integers(6)
    if happens == 0:  # a price rise
        amount = np.where(march, amount * random.uniform(1.02, 1.4), amount)
    elif happens == 1:  # a campaign at one price
        hit = march & (product == names[0]) & (style != 2)
        amount = np.where(hit, 9.99, amount)
        coupon[march & (random.random(n) < 0.6)] = None
    elif happens == 2:  # a product ends, another begins
        product = np.where(march & (product == names[1]), "product new", product)
    rows = pd.DataFrame({"at": [days[k] for k in at], "amount": amount, "region": region})
    rows["product"], rows["coupon"] = product, coupon
    if happens == 3:  # a region all but goes
        rows = rows[~(march & (region == "West") & (random.random(n) < 0.9))]
    if random.random() < 0.5:
        seconds = random.integers(0, 86_400, len(rows))
        rows["at"] = pd.to_datetime(rows["at"]) + pd.to_timedelta(seconds, unit="s")
    return rows.reset_index(drop=True)


def context_of(rows: pd.DataFrame, folder: Path) -> MetricContext:
    """Where the embedded engine reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pandas(rows, preserve_index=False)
    pq.write_table(table, folder / "rows.parquet")
    library = SourceLibrary(folder / "home", processes=READERS)
    source = library.open(DataSource(file_path=str(folder / "rows.parquet")))
    return MetricContext(Place(DuckDBEngine(), [source]))
