"""Each type of MariaDB is read as what it holds, in place and in copies.

Starts a MariaDB server: how it writes a value only it can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mesh.testing.mariadb import fresh_database
from services.executor.databases.copying import Copies
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engines import Engines
from services.executor.engines.mysql.engine import MysqlEngine
from tests.engines.mysql_world import connection_to, run
from tests.engines.world import Place

# By column: its type, what is put in, what is read.
COLUMNS: dict[str, tuple[str, str, Any]] = {
    "tiny": ("tinyint", "-7", -7),
    "whole": ("bigint", "-9223372036854775808", -(2**63)),
    "natural": ("bigint unsigned", "18446744073709551615", Decimal(2**64 - 1)),
    "padded": ("int(6) unsigned zerofill", "42", 42),
    "exact": ("decimal(20,4)", "1234567890123456.7891", 1234567890123456.7891),
    "wide": ("decimal(65,30)", "1.5", 1.5),
    "single": ("float", "0.5", 0.5),
    "double_": ("double", "0.1", 0.1),
    "yes": ("tinyint(1)", "1", True),
    "many": ("tinyint(1)", "2", 2),
    "one_bit": ("bit(1)", "b'1'", True),
    "bits": ("bit(64)", f"b'{'1' * 64}'", Decimal(2**64 - 1)),
    "in_year": ("year", "2024", 2024),
    "day": ("date", "'2024-02-29'", date(2024, 2, 29)),
    "no_day": ("date", "'0000-00-00'", None),
    "half_a_day": ("date", "'2024-00-00'", None),
    "at": ("datetime(6)", "'2024-02-29 10:11:12.000345'", datetime(2024, 2, 29, 10, 11, 12, 345)),
    "never": ("datetime", "'0000-00-00 00:00:00'", None),
    "stamp": ("timestamp NULL", "'2024-02-29 10:00:00'", datetime(2024, 2, 29, 10)),
    "lasted": ("time", "'-838:59:59'", "-838:59:59"),
    "fixed": ("char(5)", "'ab'", "ab"),
    "blank": ("varchar(5)", "'a '", "a "),
    "old": ("varchar(9) CHARACTER SET latin1", "'é'", "é"),
    "size": ("enum('S','M')", "'M'", "M"),
    "tags": ("set('a','b')", "'a,b'", "a,b"),
    "doc": ("json", "'{\"a\": 1}'", '{"a": 1}'),
    "slash": ("text", "'a\\b''c'", "a\\b'c"),
    "id_": (
        "uuid",
        "'123e4567-e89b-12d3-a456-426655440000'",
        "123e4567-e89b-12d3-a456-426655440000",
    ),
    "where_": ("inet6", "'::1'", "::1"),
}


@pytest.fixture(scope="module")
def url(mariadb: str) -> str:
    place = fresh_database(mariadb)
    columns = ", ".join(f"`{name}` {kind}" for name, (kind, *_) in COLUMNS.items())
    values = ", ".join(given for _, given, _ in COLUMNS.values())
    run(
        place,
        "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
        f"CREATE TABLE kinds_of (id int PRIMARY KEY COMMENT 'its number', {columns},"
        " raw blob, `odd ``name\"` int) CHARACTER SET utf8mb4 COMMENT 'all kinds'",
    )
    run(
        place,
        "CREATE TABLE below (id int PRIMARY KEY, of_ int, happened timestamp NULL,"
        " FOREIGN KEY (of_) REFERENCES kinds_of (id))",
        "CREATE VIEW seen AS SELECT id, of_ FROM below",
    )
    with connection_to(place) as connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = 'NO_BACKSLASH_ESCAPES', time_zone = '+02:00'")
        cursor.execute(f"INSERT INTO kinds_of VALUES (1, {values}, 'x', 5)")
        cursor.execute("INSERT INTO below VALUES (1, 1, '2024-02-29 12:00:00')")
    return place


@pytest.fixture(scope="module")
def places(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Place]]:
    library = DatabaseLibrary(tmp_path_factory.mktemp("types"), own_surroundings=True)
    source = library.open(DataSource(connection_string=url))
    engine = MysqlEngine(library.sessions)
    duck = DuckDBEngine()
    chosen = Engines(duck, {"mysql": engine}, Copies(library.sessions), forced="duckdb")
    yield {"mysql": Place(engine, [source]), "copies": Place(chosen, [source])}
    duck.close()
    library.close()


@pytest.mark.parametrize("place", ["mysql", "copies"])
def test_a_value_is_what_it_was(place: str, places: dict[str, Place]) -> None:
    (row,) = places[place].ask("SELECT * FROM kinds_of").to_pylist()
    found = {name: row[name] for name in COLUMNS if name != "stamp"}
    assert found == {name: value for name, (_, _, value) in COLUMNS.items() if name != "stamp"}
    assert row['odd `name"'] == 5
    assert "raw" not in row


@pytest.mark.parametrize("place", ["mysql", "copies"])
def test_a_timestamp_is_in_utc_whatever_zone_it_was_written_in(
    place: str, places: dict[str, Place]
) -> None:
    told = places[place].ask("SELECT happened FROM below").to_pylist()
    assert told == [{"happened": datetime(2024, 2, 29, 10)}]


def test_keys_comments_and_notes_are_read(places: dict[str, Place]) -> None:
    (source,) = places["mysql"].sources
    tables = {table.name: table for table in source.tables}
    assert set(tables) == {"kinds_of", "below", "seen"}
    assert tables["kinds_of"].comment == "all kinds"
    assert tables["kinds_of"].columns[0].comment == "its number"
    assert tables["below"].primary_key == ("id",)
    (key,) = tables["below"].foreign_keys
    assert (key.column, key.to_table, key.to_column) == ("of_", "kinds_of", "id")
    assert "kinds_of: binary column raw is left out" in source.notes
    assert any("may do everything" in note for note in source.notes)
    known = tables["below"].statistics["happened"]
    assert (known.minimum, known.maximum) == ("2024-02-29T10:00:00", "2024-02-29T10:00:00")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) AS n FROM kinds_of WHERE blank = 'a'",
        "SELECT count(*) AS n FROM kinds_of WHERE fixed = 'AB'",
        "SELECT count(*) AS n FROM kinds_of WHERE slash LIKE 'a\\\\%'",
        "SELECT count(*) AS n FROM kinds_of WHERE old = 'e'",
    ],
)
def test_no_collation_makes_other_texts_the_same(sql: str, places: dict[str, Place]) -> None:
    assert places["mysql"].ask(sql).to_pylist() == [{"n": 0}]


def test_what_is_written_is_seen_by_the_next_copy(url: str, places: dict[str, Place]) -> None:
    count = "SELECT count(*) AS n FROM below"
    before = places["copies"].ask(count).to_pylist()[0]["n"]
    run(url, "INSERT INTO below VALUES (2, 1, NULL)")
    assert places["copies"].ask(count).to_pylist() == [{"n": before + 1}]
    run(url, "DELETE FROM below WHERE id = 2")


def test_a_database_is_named_by_both_schemes(url: str, tmp_path: Path) -> None:
    library = DatabaseLibrary(tmp_path, own_surroundings=True)
    place = url.replace("mysql://", "mariadb://")
    names = {table.name for table in library.open(DataSource(connection_string=place)).tables}
    library.close()
    assert names == {"kinds_of", "below", "seen"}
