"""Bookings of private accounts: signed amounts, three currencies, account numbers with zeros."""

from __future__ import annotations

import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_SPENDING = {  # category: merchants, typical amount
    "groceries": (["Fresh Corner", "GreenMart", "Bakery Lane"], 46),
    "rent": (["Habitat Housing"], 1150),
    "transport": (["City Rail", "QuickCab"], 19),
    "dining": (["Noodle Bar", "Cafe Aroma", "Pizza Nera"], 31),
    "utilities": (["Bright Power", "AquaWorks"], 88),
    "shopping": (["Zalora", "BookNook", "HomeStyle"], 74),
}
_HOLDERS = [
    "Alma Reyes",
    "Boris Klein",
    "Chen Wei",
    "Dina Haddad",
    "Emil Sorensen",
    "Fatou Diop",
    "Giulia Conti",
    "Hiro Mori",
    "Irene Walsh",
    "Jakub Nowak",
]


def _make(random: Random) -> Tables:
    numbers = [f"00{number}" for number in random.choice(range(10_000, 99_999), 12, replace=False)]
    accounts = pd.DataFrame(
        {
            "account_no": numbers,
            "holder": [*_HOLDERS, _HOLDERS[0], _HOLDERS[4]],
            "type": ["checking"] * 8 + ["savings", "checking", "savings", "savings"],
            "opened": random.choice(days("2012-01-01", 4_000), 12),
            "currency": ["EUR"] * 8 + ["USD", "GBP", "EUR", "EUR"],
        }
    )
    rows: list[tuple[object, ...]] = []
    for account, kind, currency in zip(
        numbers, accounts["type"], accounts["currency"], strict=True
    ):
        pay = round(float(random.normal(3_100, 600)), 2)
        for month in pd.date_range("2024-01-01", periods=12, freq="MS"):
            if kind == "savings":
                rows.append(
                    (account, month, 200.0 + 50 * random.integers(0, 5), currency, "transfer", None)
                )
                continue
            rows.append(
                (account, month + pd.Timedelta(days=27), pay, currency, "salary", "Employer")
            )
            for category, (merchants, typical) in _SPENDING.items():
                for _ in range(1 if category == "rent" else int(random.integers(1, 7))):
                    when = month + pd.Timedelta(days=int(random.integers(0, 28)))
                    paid = -round(float(typical * random.lognormal(0, 0.35)), 2)
                    rows.append(
                        (account, when, paid, currency, category, str(random.choice(merchants)))
                    )
            if random.random() < 0.12:
                rows.append(
                    (account, month + pd.Timedelta(days=20), 49.9, currency, "refund", "Zalora")
                )
    names = ["account_no", "booked_on", "amount", "currency", "category", "merchant"]
    booked = pd.DataFrame(rows, columns=names).sort_values(
        ["booked_on", "account_no"], ignore_index=True
    )
    booked.insert(0, "txn_id", range(900_001, 900_001 + len(booked)))
    booked["note"] = holes(random, ["card payment"] * len(booked), 0.6)
    return {"accounts": accounts, "transactions": booked}


DATASET = Dataset("bank", _make, missing={"transactions.merchant": "n/a"})
