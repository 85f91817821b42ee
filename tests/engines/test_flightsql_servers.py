"""Servers of several kinds behind Flight SQL: their types, keys, digests, and what is copied."""

from __future__ import annotations

from pathlib import Path

import pytest

from mesh.errors import AssayError
from mesh.policy import Policy
from services.executor.databases.copying import Copies
from services.executor.databases.live import LiveSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.engines.engine import ENGINE_KEY, NOTES_KEY
from services.executor.engines.engines import Engines
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.flightsql.engine import FlightEngine
from services.executor.engines.flightsql.relation import distinct_sql, exact_sql
from tests.engines.flight_server import flight_server
from tests.engines.flight_world import opened
from tests.engines.world import Place

pytestmark = pytest.mark.usefixtures("flightsql")
EMAIL = Policy(blocked_patterns=("email",))


def test_a_server_that_is_no_duckdb_is_copied_and_computed_here(tmp_path: Path) -> None:
    with flight_server(tmp_path / "other.duckdb", dialect="other", transactions=False) as server:
        server.database.execute(
            "CREATE TABLE sales (day DATE, amount DECIMAL(10,2), note VARCHAR, moment TIMESTAMPTZ)"
        )
        server.database.execute(
            "INSERT INTO sales VALUES ('2024-03-01', 2.50, NULL, NULL), "
            "('2024-02-29', 1.25, 'ada@example.org', '2024-01-01 00:00:00+02')"
        )
        place = opened(server, tmp_path)
        source = place.sources[0]
        assert "copied" in " ".join(source.notes)
        assert "no transactions" in " ".join(source.notes)
        (table,) = source.tables
        assert [c.type for c in table.columns] == ["DATE", "DECIMAL(10,2)", "VARCHAR", "TIMESTAMP"]
        assert (table.rows, table.statistics["day"].maximum) == (2, "2024-03-01")
        sql = "SELECT sum(amount) AS s, max(day)::VARCHAR AS d, max(note) AS n FROM sales"
        with pytest.raises(NotExpressible):
            place.ask(sql)
        assert isinstance(place.engine, FlightEngine)
        sessions = place.engine.sessions
        duck = DuckDBEngine()
        chosen = Place(Engines(duck, {"flightsql": place.engine}, Copies(sessions)), place.sources)
        found = chosen.ask(sql, policy=EMAIL)
        server.database.execute("INSERT INTO sales VALUES ('2024-03-02', 4.00, NULL, NULL)")
        again = chosen.ask("SELECT sum(amount) AS s FROM sales")
        duck.close()
    assert found.schema.metadata[ENGINE_KEY] == b"duckdb"
    assert (found["s"][0].as_py(), found["d"][0].as_py()) == (3.75, "2024-03-01")
    assert found["n"][0].as_py().startswith("[email ")
    assert again.to_pylist() == [{"s": 7.75}]


def test_a_change_changes_the_digest_and_nothing_else_does(tmp_path: Path) -> None:
    with flight_server(tmp_path / "some.duckdb") as server:
        server.database.execute("CREATE TABLE a (i INTEGER PRIMARY KEY)")
        server.database.execute("CREATE TABLE b (i INTEGER REFERENCES a (i), t VARCHAR)")
        server.database.execute("INSERT INTO a VALUES (1), (2)")
        server.database.execute("INSERT INTO b VALUES (1, 'x'), (2, 'y')")
        first, again = opened(server, tmp_path), opened(server, tmp_path)
        server.database.execute("UPDATE b SET t = 'z' WHERE i = 2")
        later = opened(server, tmp_path)
    assert first.sources[0].digest == again.sources[0].digest != later.sources[0].digest
    a, b = first.sources[0].tables
    assert a.primary_key == ("i",)
    assert [(k.column, k.to_table, k.to_column) for k in b.foreign_keys] == [("i", "a", "i")]


def test_an_engine_that_is_forced_and_cannot_says_why(tmp_path: Path) -> None:
    with flight_server(tmp_path / "other.duckdb", dialect="other") as server:
        server.database.execute("CREATE TABLE a AS SELECT 1 AS i")
        place = opened(server, tmp_path)
        assert isinstance(place.engine, FlightEngine)
        duck = DuckDBEngine()
        forced = Engines(
            duck, {"flightsql": place.engine}, Copies(place.engine.sessions), forced="flightsql"
        )
        with pytest.raises(AssayError, match="no words for statements in its own dialect"):
            Place(forced, place.sources).ask("SELECT i FROM a")
        duck.close()


def test_a_value_that_the_database_knows_and_no_table_has(tmp_path: Path) -> None:
    """Types that a file of DuckDB is read in are those that the server is asked in."""
    kinds = (
        "CREATE TABLE odd AS SELECT 1::UBIGINT AS u, 2::HUGEINT AS h, 1.5::FLOAT AS f, "
        "'a'::ENUM ('a', 'b') AS e, [1, 2] AS l, {'x': 1} AS s, '{\"k\": 1}'::JSON AS j, "
        "uuid() AS id, TIME '10:00' AS t, INTERVAL 1 DAY AS i, 'ab'::BLOB AS b, "
        "TIMESTAMPTZ '2024-01-01 01:00:00+02' AS z, TIMESTAMP_NS '2024-01-01 00:00:00.5' AS ns"
    )
    with flight_server(tmp_path / "odd.duckdb") as server:
        server.database.execute(kinds)
        place = opened(server, tmp_path)
        pushed = place.ask("SELECT * FROM odd").to_pylist()
        assert isinstance(place.engine, FlightEngine)
        duck = DuckDBEngine()
        copies = Engines(
            duck, {"flightsql": place.engine}, Copies(place.engine.sessions), forced="duckdb"
        )
        copied = Place(copies, place.sources).ask("SELECT * FROM odd").to_pylist()
        duck.close()
    assert pushed == copied
    (row,) = pushed
    assert {name: row[name] for name in ("u", "h", "e", "l", "s", "j", "t")} == {
        "u": 1,
        "h": 2,
        "e": "a",
        "l": "[1,2]",
        "s": '{"x":1}',
        "j": '{"k":1}',
        "t": "10:00:00",
    }
    assert "b" not in row
    assert row["z"].isoformat() == "2023-12-31T23:00:00"


def test_a_large_table_is_told_by_its_first_rows_and_all_of_its_days(tmp_path: Path) -> None:
    with flight_server(tmp_path / "large.duckdb") as server:
        server.database.execute(
            "CREATE TABLE visits AS SELECT i AS id, DATE '2020-01-01' + (i // 100)::INTEGER AS day,"
            " i / 7 AS share, CASE WHEN i % 2 = 0 THEN 'even' END AS word FROM range(130000) t(i)"
        )
        place = opened(server, tmp_path)
        (table,) = place.sources[0].tables
        found = place.ask("SELECT sum(share) AS s, count(*) AS n FROM visits")
    known = table.statistics
    assert (table.rows, found["n"][0].as_py()) == (130_000, 130_000)
    assert (known["day"].minimum, known["day"].maximum) == ("2020-01-01", "2023-07-23")
    assert (known["id"].distinct, known["word"].nulls, known["word"].distinct) == (
        130_000,
        65_000,
        1,
    )
    assert b"last digits of sums" in found.schema.metadata[NOTES_KEY]


def test_words_are_looked_up_in_columns_of_every_kind_of_text(tmp_path: Path) -> None:
    with flight_server(tmp_path / "words.duckdb") as server:
        server.database.execute(
            "CREATE TABLE words AS SELECT 'Paris' AS city, uuid() AS id, 'a'::ENUM ('a') AS kind,"
            " [1] AS list"
        )
        place = opened(server, tmp_path)
        source = place.sources[0]
        assert isinstance(source, LiveSource)
        assert isinstance(place.engine, FlightEngine)
        (relation,) = source.relations.values()
        with place.engine.sessions.open(source.address, 10.0) as session:
            seen = {
                name: session.rows(distinct_sql(relation, list(relation.columns), name, 40, 5))
                for name in relation.columns
            }
            exact = [
                session.rows(exact_sql(relation, name, ["Paris", "a"], 5))
                for name in relation.columns
            ]
    assert (seen["city"], seen["kind"], seen["list"]) == ([("Paris",)], [("a",)], [("[1]",)])
    assert exact == [[("Paris",)], [], [("a",)], []]
