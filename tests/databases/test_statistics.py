"""A database is described from what it keeps about itself; only for its days is a table read."""

from __future__ import annotations

from services.executor.domain.source import DataSource
from tests.databases.conftest import Opens
from tests.databases.server import Server

ROWS = 60_000
SAMPLED = 10_000
MADE = (
    "CREATE SCHEMA described",
    f"CREATE TABLE described.known AS SELECT i AS id, i % 7 AS kind FROM generate_series(1, {ROWS})"
    " i",
    "ANALYZE described.known",
    "CREATE TABLE described.fresh WITH (autovacuum_enabled = false) AS TABLE described.known",
    "CREATE VIEW described.seen AS SELECT kind FROM described.fresh",
)
READ = (
    "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables"
    " WHERE schemaname = 'described' ORDER BY relname"
)


def test_statistics_come_without_a_full_scan(server: Server, library: Opens) -> None:
    server.run(*MADE, "SELECT pg_stat_force_next_flush()")
    before = dict(server.run(READ))
    own = library(own_surroundings=True)
    opened = own.open(DataSource(connection_string=f"{server.socket_uri}&schema=described"))
    own.close()  # what its connection did is counted when it ends
    read = {name: count - before[name] for name, count in server.run(READ)}
    server.run("DROP SCHEMA described CASCADE")

    known, fresh, seen = (
        t for name in ("known", "fresh", "seen") for t in opened.tables if t.name == name
    )
    assert (known.rows, known.statistics["kind"].distinct) == (ROWS, 7)
    assert (known.statistics["kind"].minimum, known.statistics["kind"].maximum) == ("0", "6")
    assert fresh.statistics["kind"].distinct == seen.statistics["kind"].distinct == 7
    assert 0.5 * ROWS < fresh.rows < 2 * ROWS
    assert not fresh.statistics["kind"].exact
    assert read["known"] == 0
    assert 0 < read["fresh"] <= 2 * SAMPLED + 1_000


def test_the_first_and_last_day_are_those_of_all_rows(server: Server, library: Opens) -> None:
    days = f"SELECT DATE '2020-01-01' + i / 60 AS day FROM generate_series(0, {ROWS - 1}) i"
    server.run(
        "CREATE SCHEMA dated",
        f"CREATE TABLE dated.fresh WITH (autovacuum_enabled = false) AS {days}",
        f"CREATE TABLE dated.known AS {days}",
        "ANALYZE dated.known",
    )
    own = library(own_surroundings=True)
    opened = own.open(DataSource(connection_string=f"{server.socket_uri}&schema=dated"))
    own.close()
    server.run("DROP SCHEMA dated CASCADE")

    for name in ("fresh", "known"):
        [table] = [t for t in opened.tables if t.name == name]
        day = table.statistics["day"]
        assert (day.minimum, day.maximum) == ("2020-01-01", "2022-09-26"), name
