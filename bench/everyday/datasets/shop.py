"""A web shop: customers, orders with their lines, products and returns, in one SQLite database."""

from __future__ import annotations

import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_PRODUCTS = [
    ("Trail Backpack 30L", "Outdoor", 89.0),
    ("Camping Stove", "Outdoor", 54.5),
    ("Two-Person Tent", "Outdoor", 219.0),
    ("Sleeping Bag", "Outdoor", 119.0),
    ("Espresso Machine", "Kitchen", 349.0),
    ("Milk Frother", "Kitchen", 39.9),
    ("Chef's Knife", "Kitchen", 75.0),
    ("Cast Iron Pan", "Kitchen", 48.0),
    ("Desk Lamp", "Home", 42.0),
    ("Wool Blanket", "Home", 69.0),
    ("Scented Candle", "Home", 14.9),
    ("Wall Clock", "Home", 36.0),
    ("Running Socks", "Sports", 12.5),
    ("Yoga Mat", "Sports", 34.0),
    ("Dumbbell Set", "Sports", 99.0),
    ("Foam Roller", "Sports", 27.5),
    ("Board Game Classic", "Toys", 32.0),
    ("Puzzle 1000", "Toys", 19.5),
    ("Marble Run", "Toys", 58.0),
    ("Kite", "Toys", 24.0),
    ("Left-Handed Can Opener", "Kitchen", 17.5),
]
_FIRST = (
    "Anna Ben Clara David Elif Finn Greta Hugo Ida Jonas Karin Luis Maya Noah Olga Paul".split()
)
_LAST = "Berg Costa Dietz Evans Fischer Garcia Hughes Ivanov Jensen Keller Lind Moreau".split()
_CITIES = {
    "Berlin": "Germany",
    "Hamburg": "Germany",
    "Munich": "Germany",
    "London": "UK",
    "Leeds": "UK",
    "Paris": "France",
    "Lyon": "France",
    "Amsterdam": "Netherlands",
    "Chicago": "USA",
    "Boston": "USA",
}


def _customers(random: Random, count: int) -> pd.DataFrame:
    cities = random.choice(list(_CITIES), count)
    pairs = random.permutation(len(_FIRST) * len(_LAST))[:count]
    names = [f"{_FIRST[pair // len(_LAST)]} {_LAST[pair % len(_LAST)]}" for pair in pairs]
    return pd.DataFrame(
        {
            "id": range(1, count + 1),
            "name": names,
            "email": holes(
                random, [name.lower().replace(" ", ".") + "@mail.example" for name in names], 0.06
            ),
            "city": cities,
            "country": [_CITIES[city] for city in cities],
            "signup_date": random.choice(days("2022-06-01", 800), count),
            "newsletter": random.integers(0, 2, count),
        }
    )


def _orders(random: Random, count: int, customers: pd.DataFrame) -> pd.DataFrame:
    weight = random.gamma(0.7, 1, len(customers)) * (random.random(len(customers)) > 0.08)
    ordered = pd.Series(random.choice(days("2023-01-01", 730), count)).sort_values(
        ignore_index=True
    )
    orders = pd.DataFrame(
        {
            "id": range(10_001, 10_001 + count),
            "customer_id": random.choice(customers["id"], count, p=weight / weight.sum()),
            "order_date": ordered,
            "shipped_date": holes(
                random, ordered + pd.to_timedelta(random.integers(0, 9, count), unit="D"), 0.07
            ),
            "status": random.choice(
                ["delivered", "shipped", "cancelled", "pending"], count, p=[0.78, 0.1, 0.08, 0.04]
            ),
            "shipping_fee": random.choice([0.0, 4.9, 9.9], count),
        }
    )
    sent = orders["status"].isin(["delivered", "shipped"])
    orders["shipped_date"] = orders["shipped_date"].where(sent)
    return orders


def _products(random: Random) -> pd.DataFrame:
    products = pd.DataFrame(_PRODUCTS, columns=["name", "category", "unit_price"])
    products.insert(0, "id", range(1, len(products) + 1))
    products["cost"] = (products["unit_price"] * random.uniform(0.4, 0.7, len(products))).round(2)
    products["stock"] = random.integers(0, 160, len(products))
    return products


def _items(random: Random, orders: pd.DataFrame, products: pd.DataFrame) -> pd.DataFrame:
    liked = random.dirichlet([6.0] * 20)
    lines = []
    for order in orders["id"]:
        for product in random.choice(20, random.integers(1, 5), replace=False, p=liked):
            price = float(products["unit_price"].iloc[product])
            discount = float(random.choice([0, 0, 0, 0.1, 0.2]))
            lines.append((order, product + 1, int(random.choice([1, 1, 1, 2, 3])), price, discount))
    return pd.DataFrame(
        lines, columns=["order_id", "product_id", "quantity", "unit_price", "discount"]
    )


def _returns(random: Random, orders: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    sent = orders.loc[orders["status"] == "delivered", "id"]
    items = items[items["order_id"].isin(sent)]
    back = items.sample(110, random_state=3).reset_index(drop=True)
    when = orders.set_index("id")["order_date"].reindex(back["order_id"]).reset_index(drop=True)
    return pd.DataFrame(
        {
            "id": range(1, len(back) + 1),
            "order_id": back["order_id"],
            "product_id": back["product_id"],
            "return_date": when + pd.to_timedelta(random.integers(5, 35, len(back)), unit="D"),
            "reason": random.choice(
                ["damaged", "wrong size", "changed mind", "late"], len(back), p=[0.4, 0.2, 0.3, 0.1]
            ),
        }
    )


def _make(random: Random) -> Tables:
    customers = _customers(random, 150)
    orders = _orders(random, 900, customers)
    products = _products(random)
    items = _items(random, orders, products)
    return {
        "customers": customers,
        "products": products,
        "orders": orders,
        "order_items": items,
        "returns": _returns(random, orders, items),
    }


DATASET = Dataset(
    "shop",
    _make,
    form="sqlite",
    keys={
        "customers": "PRIMARY KEY (id)",
        "products": "PRIMARY KEY (id)",
        "orders": "PRIMARY KEY (id), FOREIGN KEY (customer_id) REFERENCES customers (id)",
        "order_items": "PRIMARY KEY (order_id, product_id), "
        "FOREIGN KEY (order_id) REFERENCES orders (id), "
        "FOREIGN KEY (product_id) REFERENCES products (id)",
        "returns": "PRIMARY KEY (id), FOREIGN KEY (order_id) REFERENCES orders (id), "
        "FOREIGN KEY (product_id) REFERENCES products (id)",
    },
)
