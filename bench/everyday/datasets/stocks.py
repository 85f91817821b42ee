"""Two years of daily prices of seven shares; one of them is listed only from the second year on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables

_COMPANIES = {
    "ACRN": ("Acorn Software", "Technology", 84.0),
    "BLTN": ("Bolton Mills", "Industrials", 31.0),
    "CRSP": ("Crisp Foods", "Consumer", 52.0),
    "DLTA": ("Delta Wind Power", "Energy", 18.0),
    "EMBR": ("Ember Semiconductors", "Technology", 143.0),
    "FJRD": ("Fjord Shipping", "Industrials", 67.0),
    "GLOW": ("Glow Health", "Health Care", 24.0),
}


def _make(random: Random) -> Tables:
    tables = []
    for symbol, (_, _, start) in _COMPANIES.items():
        first = "2024-01-01" if symbol == "GLOW" else "2023-01-02"
        dates = pd.bdate_range(first, "2024-12-31")
        drift = random.uniform(-0.0004, 0.0011)
        close = start * np.exp(np.cumsum(random.normal(drift, 0.017, len(dates))))
        opened = np.concatenate([[start], close[:-1]]) * (1 + random.normal(0, 0.004, len(dates)))
        tables.append(
            pd.DataFrame(
                {
                    "symbol": symbol,
                    "date": dates,
                    "open": opened.round(2),
                    "high": (
                        np.maximum(opened, close) * (1 + random.random(len(dates)) * 0.01)
                    ).round(2),
                    "low": (
                        np.minimum(opened, close) * (1 - random.random(len(dates)) * 0.01)
                    ).round(2),
                    "close": close.round(2),
                    "volume": np.exp(random.normal(13, 0.5, len(dates))).astype(int),
                }
            )
        )
    companies = [(symbol, name, sector) for symbol, (name, sector, _) in _COMPANIES.items()]
    return {
        "prices": pd.concat(tables, ignore_index=True).sort_values(
            ["date", "symbol"], ignore_index=True
        ),
        "companies": pd.DataFrame(companies, columns=["symbol", "company", "sector"]),
    }


DATASET = Dataset("stocks", _make)
