"""SQLite and DuckDB files, and what the library keeps of any source."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import duckdb
import pytest

from mesh.errors import CANCELLED, SOURCE_EMPTY, AssayError
from services.executor.domain.source import DataSource
from services.executor.sources.library import SourceLibrary
from services.executor.sources.manifest import ForeignKey
from services.executor.sources.prepared import PreparedSource
from tests.thorough import some
from tests.unit.executor.source_help import (
    ask,
    open_file,
    open_text,
    shared,
    types_of,
    write_shop,
)


def sqlite_file(folder: Path, script: str) -> Path:
    path = folder / "t.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


def column_of(folder: Path, declared: str, *values: str) -> tuple[PreparedSource, str]:
    rows = ", ".join(f"({value})" for value in values)
    source = open_file(
        folder, sqlite_file(folder, f"CREATE TABLE t (c {declared}); INSERT INTO t VALUES {rows};")
    )
    return source, types_of(source)["c"]


@pytest.mark.parametrize(
    ("declared", "values", "stored"),
    [
        ("INTEGER", ("1", "2", "NULL"), "BIGINT"),
        ("BOOLEAN", ("1", "0"), "BOOLEAN"),
        ("BOOLEAN", ("1", "2"), "BIGINT"),
        ("NUMERIC(10,2)", ("1", "2"), "DOUBLE"),
        ("INTEGER", ("1", "2.5"), "DOUBLE"),
        ("", ("1", "2.5"), "DOUBLE"),
        ("TEXT", ("'a'", "'b'"), "VARCHAR"),
        ("TEXT", ("'2020-01-31'", "NULL"), "DATE"),
        ("DATE", ("'2020-01-31'", "''"), "DATE"),
        ("DATETIME", ("'2020-01-31'",), "TIMESTAMP"),
        ("TEXT", ("'2020-01-31 10:00:00'",), "TIMESTAMP"),
        ("TEXT", ("'2020-01-31T10:00:00.5'",), "TIMESTAMP"),
        ("TEXT", ("'2020-01-31 00:00:00'",), "DATE"),
        ("TEXT", ("'2020-02-30'",), "VARCHAR"),
        ("TEXT", ("'2020-01-31'", "'soon'"), "VARCHAR"),
        ("TEXT", ("'1996'", "'1997'"), "VARCHAR"),
        ("INTEGER", ("1", "'two'"), "VARCHAR"),
        ("INTEGER", ("1", "''"), "BIGINT"),
        ("DATETIME", ("NULL",), "TIMESTAMP"),
        ("INTEGER", ("9223372036854775807",), "BIGINT"),
    ],
)
def test_a_type_is_decided_from_declaration_and_values(
    tmp_path: Path, declared: str, values: tuple[str, ...], stored: str
) -> None:
    source, found = column_of(tmp_path, declared, *values)
    assert found == stored
    assert source.rows == len(values)


def test_a_mixture_is_kept_as_text_and_said(tmp_path: Path) -> None:
    source, _ = column_of(tmp_path, "", "1", "'two'", "3.5")
    assert ask(source, "SELECT c FROM t").column("c").to_pylist() == ["1", "two", "3.5"]
    assert source.notes == ("t: c mixes types; kept as text",)


def test_keys_are_kept(tmp_path: Path) -> None:
    orders = open_file(tmp_path, write_shop(tmp_path)).tables[1]
    assert orders.primary_key == ("order_id",)
    assert orders.foreign_keys == (
        ForeignKey(column="customer_id", to_table="customers", to_column="customer_id"),
    )


def test_a_reference_without_column_means_the_primary_key(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path,
        "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a_id INTEGER REFERENCES a);"
        "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);",
    )
    assert open_file(tmp_path, path).tables[1].foreign_keys[0].to_column == "id"


def test_binary_columns_and_views_are_left_out_and_said(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path,
        "CREATE TABLE t (a INTEGER, b BLOB); INSERT INTO t VALUES (1, x'00ff');"
        "CREATE VIEW v AS SELECT a FROM t;",
    )
    source = open_file(tmp_path, path)
    assert list(types_of(source)) == ["a"]
    assert source.notes == ("t: binary column b is left out", "views are left out: v")


def test_names_with_quotes_and_spaces_are_only_names(tmp_path: Path) -> None:
    path = sqlite_file(
        tmp_path,
        'CREATE TABLE "a ""b""; DROP" ("x ""y" INT); INSERT INTO "a ""b""; DROP" VALUES (1);',
    )
    source = open_file(tmp_path, path)
    assert ask(source, 'SELECT "x ""y" AS x FROM "a ""b""; DROP"').to_pylist() == [{"x": 1}]


def test_text_that_is_not_utf8_is_still_read(tmp_path: Path) -> None:
    source, _ = column_of(tmp_path, "TEXT", "CAST(x'4a6f73e9' AS TEXT)")
    assert ask(source, "SELECT c FROM t").to_pylist() == [{"c": "José"}]


def test_a_database_without_tables_is_empty(tmp_path: Path) -> None:
    with pytest.raises(AssayError) as caught:
        open_file(tmp_path, sqlite_file(tmp_path, "CREATE TABLE a (x); DROP TABLE a;"))
    assert caught.value.reason is SOURCE_EMPTY


def test_what_stands_in_the_write_ahead_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "wal.sqlite"
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("CREATE TABLE t (a INTEGER)")
    writer.commit()
    library = SourceLibrary(tmp_path)
    before = library.open(DataSource(file_path=str(path)))
    writer.execute("INSERT INTO t VALUES (1)")
    writer.commit()
    after = library.open(DataSource(file_path=str(path)))
    writer.close()
    assert (before.rows, after.rows) == (0, 1)


def test_a_duckdb_file_keeps_keys_and_flattens_structs(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE p (id INTEGER PRIMARY KEY, n HUGEINT, s STRUCT(a INT, b INT[]));"
            "INSERT INTO p VALUES (1, 5, {'a': 1, 'b': [1]});"
            "CREATE TABLE q (pid INTEGER REFERENCES p (id)); INSERT INTO q VALUES (1);"
        )
    source = open_file(tmp_path, path)
    assert types_of(source) == {"id": "BIGINT", "n": "BIGINT", "s.a": "BIGINT", "s.b": "VARCHAR"}
    assert source.tables[0].primary_key == ("id",)
    assert source.tables[1].foreign_keys[0].to_table == "p"


def test_what_owners_wrote_about_tables_and_columns_is_told(tmp_path: Path) -> None:
    duck = tmp_path / "t.duckdb"
    with duckdb.connect(str(duck)) as connection:
        connection.execute(
            "CREATE TABLE t (id INTEGER, net DOUBLE); INSERT INTO t VALUES (1, 2);"
            "COMMENT ON TABLE t IS 'what was sold'; COMMENT ON COLUMN t.net IS 'without tax'"
        )
    lite = sqlite_file(
        tmp_path,
        "CREATE TABLE t (id INTEGER DEFAULT '--no', net REAL, -- without tax\n"
        "state TEXT CHECK (state <> '/*') /* open or closed */); INSERT INTO t VALUES (1, 2, 'x');",
    )

    def comments(path: Path) -> dict[str, str]:
        (table,) = open_file(tmp_path, path).tables
        return {"": table.comment} | {column.name: column.comment for column in table.columns}

    assert comments(duck) == {"": "what was sold", "id": "", "net": "without tax"}
    assert comments(lite) == {"": "", "id": "", "net": "without tax", "state": "open or closed"}


def test_a_url_opens_the_same_source_as_its_path(tmp_path: Path) -> None:
    path = write_shop(tmp_path)
    library = SourceLibrary(tmp_path)
    by_url = library.open(DataSource(connection_string=f"sqlite:///{path}"))
    assert by_url.digest == library.open(DataSource(file_path=str(path))).digest


def test_a_source_is_read_once_for_one_home(tmp_path: Path) -> None:
    first = open_text(tmp_path, "t.csv", "a\n1\n")
    stamp = first.database.stat().st_mtime_ns
    second = open_file(tmp_path, tmp_path / "t.csv")
    assert second == first
    assert second.database.stat().st_mtime_ns == stamp


def test_other_content_is_another_source_with_the_same_fingerprint(tmp_path: Path) -> None:
    first = open_text(tmp_path, "t.csv", "a\n1\n")
    second = open_text(tmp_path, "t.csv", "a\n2\n")
    assert first.digest != second.digest
    assert first.schema_fingerprint == second.schema_fingerprint


def test_builders_that_meet_do_no_harm(tmp_path: Path) -> None:
    path = write_shop(tmp_path)
    found: list[PreparedSource] = []

    def build() -> None:
        found.append(SourceLibrary(tmp_path).open(DataSource(file_path=str(path))))

    threads = [threading.Thread(target=build) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({(source.digest, source.salt) for source in found}) == 1
    assert [child.name for child in (tmp_path / "sources").iterdir()] == [found[0].digest]


def test_reading_can_be_cancelled_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,some text of no meaning\n" * 3_000_000)
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(AssayError) as caught:
        SourceLibrary(tmp_path).open(DataSource(file_path=str(path)), cancelled)
    assert caught.value.reason is CANCELLED
    assert not list((tmp_path / "sources").iterdir())


def test_a_folder_removed_behind_its_back_is_built_again(tmp_path: Path) -> None:
    first = open_text(tmp_path, "t.csv", "a\n1\n")
    shutil.rmtree(first.database.parent)
    assert open_file(tmp_path, tmp_path / "t.csv").database.exists()


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "a folder"])
@pytest.mark.parametrize("name", ["manifest.json", "tables.duckdb", "0.parquet"])
def test_a_damaged_cache_is_made_again_from_its_source(
    tmp_path: Path, name: str, damage: str
) -> None:
    first = open_text(tmp_path, "t.csv", "a,b\n1,x\n2,y\n")
    path = first.database.with_name(name)
    content = path.read_bytes()
    path.unlink()
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :])
    elif damage == "a folder":
        path.mkdir()
    again = open_file(tmp_path, tmp_path / "t.csv")
    assert again.digest == first.digest
    assert ask(again, "SELECT sum(a) AS n FROM t").to_pylist() == [{"n": 3}]


def test_a_file_where_a_cached_source_belongs_gives_way(tmp_path: Path) -> None:
    first = open_text(tmp_path, "t.csv", "a\n1\n")
    place = first.database.parent
    shutil.rmtree(place)
    place.write_text("no folder")
    assert open_file(tmp_path, tmp_path / "t.csv").rows == 1


def test_every_development_database_is_read(tmp_path: Path) -> None:
    files = some(sorted(shared("questions_dev", "databases").glob("*.sqlite")), 5)
    library = SourceLibrary(tmp_path)
    assert all(library.open(DataSource(file_path=str(file))).tables for file in files)
