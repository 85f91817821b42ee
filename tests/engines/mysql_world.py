"""The shop in a MariaDB server, and the same rows as a file.

What no column of MariaDB holds (infinity, NaN) is nothing in both.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
from cryptography.hazmat.primitives.asymmetric import ec

from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.prepared import PreparedSource
from tests.databases.server import NAME, certificate, pem
from tests.engines.spark_world import TABLES, write_shop_file
from tests.reading import READERS

_TYPES = {
    "INTEGER": "int",
    "BIGINT": "bigint",
    "DOUBLE": "double",
    "VARCHAR": "text",
    "DATE": "date",
    "TIMESTAMP": "datetime(6)",
    "BOOLEAN": "tinyint(1)",
    "DECIMAL(10,2)": "decimal(10,2)",
}


AUTHORITY = Path(tempfile.gettempdir()) / f"assay-my-authority-{os.getpid()}.pem"
"""Of whoever vouches for the server, while it runs."""


@contextmanager
def certified() -> Iterator[list[str]]:
    """Options of a server with a certificate for `NAME`, by an authority of its own."""
    signing, served = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = certificate("Authority", signing, "Authority", signing, ca=True)
    leaf = certificate(NAME, served, "Authority", signing, ca=False)
    folder = Path(tempfile.mkdtemp(prefix="assay-my-tls-"))
    folder.chmod(0o755)
    AUTHORITY.write_bytes(pem(root))
    try:
        for name, content in (("cert", pem(leaf)), ("key", pem(served))):
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o644)
        yield [f"--ssl-cert={folder / 'cert'}", f"--ssl-key={folder / 'key'}"]
    finally:
        AUTHORITY.unlink()
        shutil.rmtree(folder)


def connection_to(url: str) -> Any:
    """As whoever the URL names; a backslash is a sign like any other."""
    import pymysql  # here, so that whoever has no driver is told so by the tests that skip

    parts = urlsplit(url)
    return pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=parts.username or "root",
        password=parts.password or "",
        database=parts.path.removeprefix("/") or None,
        charset="utf8mb4",
        autocommit=True,
        sql_mode="STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES",
    )


def run(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements as whoever the URL names; the rows of the last that has any."""
    rows: list[tuple[Any, ...]] = []
    with connection_to(url) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            if cursor.description:
                rows = list(cursor.fetchall())
    return rows


def write_shop(url: str, file: Path) -> None:
    """The tables of the file, in the database at the URL."""
    with (
        duckdb.connect(str(file), read_only=True) as shop,
        connection_to(url) as connection,
        connection.cursor() as cursor,
    ):
        for table in TABLES:
            described = shop.execute(f"DESCRIBE {table}").fetchall()
            columns = ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind, *_ in described)
            cursor.execute(f"CREATE TABLE {table} ({columns}) CHARACTER SET utf8mb4")
            rows = shop.execute(f"SELECT * FROM {table}").fetchall()
            marks = ", ".join(["%s"] * len(described))
            if rows:
                cursor.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        cursor.execute("ALTER TABLE customers ADD PRIMARY KEY (customer_id)")


def shop_file(folder: Path) -> PreparedSource:
    """The shop as a DuckDB file, with nothing in the place of what is no finite number."""
    place = folder / "shop.duckdb"
    write_shop_file(place)
    with duckdb.connect(str(place)) as file:
        rows = file.execute("SELECT id, d FROM edges WHERE d IS NOT NULL").fetchall()
        odd = [row[0] for row in rows if not math.isfinite(row[1])]
        file.execute(f"UPDATE edges SET d = NULL WHERE id IN ({', '.join(map(str, odd))})")
    return SourceLibrary(folder / "home", processes=READERS).open(DataSource(file_path=str(place)))
