"""The retailer's tables as files, byte for byte the same for the same tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd

from examples.simulation import Retailer

ORDERS_FILE = "orders.csv"
CUSTOMERS_FILE = "customers.json"
DATABASE_FILE = "shop.sqlite"

SCHEMA = """
CREATE TABLE categories (
    category_id INTEGER PRIMARY KEY,
    category_name TEXT NOT NULL UNIQUE
);
CREATE TABLE products (
    product_id INTEGER PRIMARY KEY,
    product_name TEXT NOT NULL UNIQUE,
    category_id INTEGER NOT NULL REFERENCES categories (category_id),
    list_price REAL NOT NULL
);
CREATE TABLE customers (
    customer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    segment TEXT NOT NULL,
    region TEXT NOT NULL,
    signup_date DATE NOT NULL,
    prior_spend REAL NOT NULL,
    received_promotion BOOLEAN NOT NULL,
    spend_60_days_after REAL NOT NULL
);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    order_date DATE NOT NULL,
    customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
    region TEXT NOT NULL,
    channel TEXT NOT NULL
);
CREATE TABLE order_lines (
    order_line_id INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL REFERENCES orders (order_id),
    product_id INTEGER NOT NULL REFERENCES products (product_id),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_price REAL NOT NULL,
    discount REAL NOT NULL CHECK (discount >= 0 AND discount < 1)
);
CREATE TABLE returns (
    return_id INTEGER PRIMARY KEY,
    order_line_id INTEGER NOT NULL UNIQUE REFERENCES order_lines (order_line_id),
    return_date DATE NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    reason TEXT NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX order_lines_by_order ON order_lines (order_id);
"""


def write_files(retailer: Retailer, folder: Path) -> tuple[Path, ...]:
    """Write the three files into the folder, made if absent, and return their paths.

    A file appears under its name only when whole; one that is there already is replaced.
    Raises OSError where the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return (
        _replace(folder / ORDERS_FILE, lambda path: _write_orders(retailer, path)),
        _replace(folder / CUSTOMERS_FILE, lambda path: _write_customers(retailer, path)),
        _replace(folder / DATABASE_FILE, lambda path: _write_database(retailer, path)),
    )


def _replace(target: Path, write: Callable[[Path], None]) -> Path:
    unfinished = target.with_name(target.name + ".part")
    # SQLite would add to what an interrupted run left behind.
    unfinished.unlink(missing_ok=True)
    write(unfinished)
    return unfinished.replace(target)


def _write_orders(retailer: Retailer, path: Path) -> None:
    products = retailer.products.merge(retailer.categories, on="category_id")
    lines = retailer.order_lines.merge(retailer.orders, on="order_id").merge(
        products, on="product_id"
    )
    lines = lines.sort_values("order_line_id").rename(columns={"category_name": "category"})
    columns = ["order_line_id", "order_id", "order_date", "customer_id", "region", "channel"]
    columns += ["product_id", "product_name", "category", "quantity", "unit_price", "discount"]
    lines[columns].to_csv(path, index=False, date_format="%Y-%m-%d", lineterminator="\n")


def _write_customers(retailer: Retailer, path: Path) -> None:
    # One customer a line: an array to a parser, and still readable to a person.
    records = _dates_as_text(retailer.customers).to_dict(orient="records")
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8", newline="\n")


def _write_database(retailer: Retailer, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        # Stated because the defaults differ between builds of SQLite.
        database.executescript("PRAGMA page_size = 4096; PRAGMA auto_vacuum = NONE;")
        database.executescript("PRAGMA encoding = 'UTF-8'; PRAGMA foreign_keys = ON;" + SCHEMA)
        with database:
            _insert(database, "categories", retailer.categories)
            _insert(database, "products", retailer.products)
            _insert(database, "customers", retailer.customers)
            _insert(database, "orders", retailer.orders)
            _insert(database, "order_lines", retailer.order_lines)
            _insert(database, "returns", retailer.returns)


def _insert(database: sqlite3.Connection, table: str, rows: pd.DataFrame) -> None:
    names = ", ".join(rows.columns)
    marks = ", ".join("?" * len(rows.columns))
    columns = [_dates_as_text(rows)[name].tolist() for name in rows.columns]
    database.executemany(
        f"INSERT INTO {table} ({names}) VALUES ({marks})", zip(*columns, strict=True)
    )


def _dates_as_text(rows: pd.DataFrame) -> pd.DataFrame:
    dates = rows.select_dtypes("datetime")
    return rows.assign(**{name: dates[name].dt.strftime("%Y-%m-%d") for name in dates.columns})
