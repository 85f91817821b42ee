"""The shop for Spark: written by DuckDB, so that no other server is needed."""

from __future__ import annotations

from pathlib import Path

import duckdb

from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from tests.engines.world import SHOP
from tests.reading import READERS


def opened(path: Path, home: Path) -> PreparedSource:
    """A file as the executor reads it."""
    return SourceLibrary(home, processes=READERS).open(DataSource(file_path=str(path)))


TABLES = ("customers", "orders", "empty_orders", "edges", "kinds")


def shop_without_server(folder: Path) -> PreparedSource:
    """The tables of the shop in a DuckDB file."""
    place = folder / "shop.duckdb"
    write_shop_file(place)
    return opened(place, folder / "home")


def write_shop_file(place: Path) -> None:
    """Make the file, without a server."""
    with duckdb.connect(str(place)) as file:
        for statement in SHOP:
            if statement.startswith(("CREATE TABLE", "INSERT")):
                file.execute(
                    statement.replace("generate_series(1, 120) i", "generate_series(1, 120) t(i)")
                )
