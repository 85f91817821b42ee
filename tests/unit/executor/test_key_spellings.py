"""One key in two spellings: told with the share that fits, and read alike where that is certain."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from services.executor.domain.source import DataSource, ReaderOptions, Repair
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import PROCESSES, ask


def shop(
    folder: Path,
    kind: str,
    refers: list[str],
    *,
    key: str = "INTEGER",
    repairs: tuple[Repair, ...] = (),
) -> PreparedSource:
    """A database whose orders refer to customers 1 to 20, in these spellings."""
    path = folder / "shop.sqlite"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as data:
        data.execute(f"CREATE TABLE customers (customer_id {key}, city TEXT)")
        data.executemany("INSERT INTO customers VALUES (?, 'Oslo')", [(n,) for n in range(1, 21)])
        data.execute(f"CREATE TABLE orders (order_id INTEGER, customer_id {kind})")
        rows = list(enumerate(refers, 1))
        data.executemany("INSERT INTO orders VALUES (?, ?)", rows)
    source = DataSource(
        connection_string=f"sqlite:///{path}", options=ReaderOptions(repairs=repairs)
    )
    return SourceLibrary(folder, processes=PROCESSES).open(source)


def joined(source: PreparedSource) -> int:
    """How many orders find their customer."""
    (row,) = ask(
        source,
        "SELECT count(*) AS n FROM orders JOIN customers "
        "ON CAST(orders.customer_id AS VARCHAR) = CAST(customers.customer_id AS VARCHAR)",
    ).to_pylist()
    return int(row["n"])


def kinds(source: PreparedSource) -> dict[str, str]:
    return {f"{t.name}.{c.name}": c.type for t in source.tables for c in t.columns}


def test_texts_that_are_all_whole_numbers_and_keys_are_read_as_numbers(tmp_path: Path) -> None:
    source = shop(tmp_path, "TEXT", ["1", "2", "2", "20"])
    assert kinds(source)["orders.customer_id"] == "BIGINT"
    (doubt,) = source.doubts
    assert (doubt.code, doubt.repaired, doubt.share) == ("key-spelling", True, 1.0)


def test_the_side_that_is_text_is_the_one_that_is_read_as_numbers(tmp_path: Path) -> None:
    source = shop(tmp_path, "INTEGER", ["1", "2", "2", "20"], key="TEXT")
    assert kinds(source)["customers.customer_id"] == "BIGINT"


def test_noughts_in_front_are_told_and_repaired_when_somebody_says_so(tmp_path: Path) -> None:
    refers = ["00001", "00002", "00017", "00020"]
    source = shop(tmp_path, "TEXT", refers, key="TEXT")
    (doubt,) = source.doubts
    assert not doubt.repaired and doubt.repairs[0] == Repair(kind="plain", column="customer_id")
    assert "in 100 % of its values" in doubt.said and "0 % as it stands" in doubt.said
    assert joined(source) == 0
    plain = shop(tmp_path, "TEXT", refers, key="TEXT", repairs=doubt.repairs)
    assert joined(plain) == 4 and not plain.doubts


def test_what_fits_by_chance_or_not_at_all_is_not_told(tmp_path: Path) -> None:
    assert not shop(tmp_path, "TEXT", ["x1", "x2", "x3", "x4"]).doubts
    assert not shop(tmp_path, "INTEGER", ["1", "2", "99", "98"]).doubts
