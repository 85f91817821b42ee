"""Broken statements and connections are told in words of ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mesh.errors import AssayError
from mesh.testing.postgres import fresh_database
from mesh.tool import ErrorCategory, ToolError
from services.executor.databases.library import DatabaseLibrary
from services.executor.domain.source import DataSource
from services.executor.engines import guard as guarding
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.postgres.engine import PostgresEngine
from tests.engines.world import Place, run, uri_of

# Words that only a library says.
RAW = re.compile(
    r"Error:|Traceback|<class|sqlglot|duckdb\b|libpq|ADBC|SQLSTATE: |LINE \d|\^|Candidate|ERROR:|"
    r"psql|Binder|Catalog|https?://|/[a-z]+/[a-z]+|std::|0x[0-9a-f]{6}|explicit type cast|"
    r"Required keyword|Expecting|Invalid Input|Exception"
)
BROKEN = (
    "",
    ";",
    "SELECT",
    "SELEC 1",
    "SELECT (",
    "SELECT 'open",
    'SELECT "open',
    "SELECT 1 FROM",
    "SELECT 1 WHERE",
    "SELECT * FROM kinds WHERE",
    "SELECT apply([i], x -> x) FROM kinds",
    "SELECT i i i FROM kinds",
    "SELECT $$ FROM kinds",
    "SELECT /* open FROM kinds",
    "SELECT i FROM kinds GROUP",
    "SELECT i FROM kinds ORDER",
    "SELECT 1 + FROM kinds",
    "\ud800",
    "SELECT i FROM kinds LIMIT 10%",
    "PIVOT kinds ON i USING sum(d)",
    "SELECT \x01 FROM kinds",
    "SELECT CASE WHEN i FROM kinds",
    "SELECT CAST(i AS) FROM kinds",
    "SELECT i::nothing FROM kinds",
    "SELECT x'41'",
    "SELECT {'a' FROM kinds",
    "SELECT [1, FROM kinds",
    "SELECT zero FROM kinds",
    "SELECT i FROM elsewhere",
    "SELECT i + t FROM kinds",
    "SELECT i + day + t FROM kinds",
    "SELECT sum(t) FROM kinds",
    "SELECT sum(sum(i)) FROM kinds",
    "SELECT i FROM kinds WHERE sum(i) > 1",
    "SELECT t::INTEGER FROM kinds",
    "SELECT (SELECT id FROM kinds)",
    "SELECT i FROM kinds UNION SELECT i, t FROM kinds",
    "SELECT i FROM kinds ORDER BY 9",
    "SELECT a.i, i FROM kinds a, kinds b",
    "SELECT coalesce(i, day) FROM kinds",
    "SELECT strptime(t, '%Y') FROM kinds",
    "SELECT regexp_matches(t, '(') FROM kinds",
    "SELECT sqrt(-1)",
    "SELECT ln(0)",
    "SELECT 9223372036854775807 + i FROM kinds",
    "SELECT '2024-13-01'::DATE",
    "SELECT date_trunc('moon', day) FROM kinds",
    "SELECT moment AT TIME ZONE 'Moon' FROM kinds",
    "SELECT i FROM kinds LIMIT -1",
    "SELECT quantile_cont(i, 7) FROM kinds",
    "SELECT ? FROM kinds",
    "SELECT list_sort([i], 'sideways') FROM kinds",
    "SELECT lag(i) OVER w FROM kinds",
    "SELECT * EXCLUDE (zero) FROM kinds",
    "SELECT chr(-1)",
    "SELECT i.j FROM kinds",
    "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    "SELECT " + "NOT " * 5_000 + "true",
    "SELECT " + "+".join(["1"] * 9_000),
    "SELECT " + "-" * 1 + " - " * 5_000 + "1",
    "SELECT " + "[" * 3_000 + "]" * 3_000,
    "SELECT * FROM " + "(SELECT * FROM " * 1_000 + "kinds" + ")" * 1_000,
    "SELECT " + "CASE WHEN i THEN " * 1_500 + "1" + " END" * 1_500 + " FROM kinds",
    "SELECT '" + "x" * 60_000 + "'",
)


def told(refusal: ToolError | AssayError) -> str:
    return f"{refusal} {refusal.hint}"


@pytest.mark.parametrize("sql", BROKEN, ids=lambda sql: ascii(sql[:40]))
@pytest.mark.parametrize("engine", ["duckdb", "chosen"])
def test_a_broken_statement_is_told_in_our_words(
    sql: str, engine: str, places: dict[str, Place]
) -> None:
    with pytest.raises(ToolError) as refusal:
        places[engine].ask(sql)
    assert refusal.value.category is not ErrorCategory.INTERNAL
    assert not RAW.search(told(refusal.value)), refusal.value
    assert len(told(refusal.value)) < 400


def test_whatever_fails_while_a_statement_is_read_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise AssertionError("a tree of sqlglot's is not as sqlglot wants it")

    guarding._guarded.cache_clear()
    monkeypatch.setattr("services.executor.engines.guard.sqlglot.parse", fails)
    with pytest.raises(ToolError) as refusal:
        guard("SELECT i FROM kinds", [KnownTable("kinds", ("i",))])
    assert refusal.value.category is ErrorCategory.POLICY_DENIED
    assert "sqlglot" not in refusal.value.message


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://nobody@/{database}?host={folder}",
        "postgresql://postgres@/nothing?host={folder}",
        "postgresql://postgres@/{database}?host=/nowhere/at/all",
        "postgresql://postgres@127.0.0.1:1/{database}",
        "postgresql://postgres@no-such-host.invalid/{database}",
        "postgresql://postgres@/{database}?host={folder}&connect_timeout=banana",
        "postgresql://postgres@/{database}?host={folder}&sslmode=banana",
        "postgresql://postgres@/{database}?host={folder}&service=banana",
        "postgresql://postgres@/{database}?host={folder}&banana=1",
        "postgresql://postgres@/{database}?host={folder}&options=-c%20work_mem%3Dbanana",
        "postgresql://postgres@/{database}?host={folder}&client_encoding=banana",
        "postgresql://postgres@/{database}?host={folder}&schema=nothing",
    ],
)
def test_a_broken_connection_is_told_in_our_words(address: str, uri: str, tmp_path: Path) -> None:
    database, _, folder = uri.partition("@/")[2].partition("?host=")
    library = DatabaseLibrary(tmp_path, own_surroundings=True, kept_seconds=0)
    place = address.format(database=database, folder=folder)
    try:
        with pytest.raises(AssayError) as refusal:
            library.open(DataSource(connection_string=place))
    finally:
        library.close()
    words = refusal.value.message.replace(folder, "").replace("/nowhere/at/all", "")
    assert refusal.value.reason.code != "INTERNAL"
    assert not RAW.search(words), words


def test_a_table_that_may_no_longer_be_read_is_named(server: str, tmp_path: Path) -> None:
    place = uri_of(fresh_database(server))
    run(place, "CREATE TABLE plain AS SELECT 1 AS a", "CREATE ROLE guest LOGIN")
    run(place, "GRANT SELECT ON plain TO guest", "ANALYZE")
    library = DatabaseLibrary(tmp_path, own_surroundings=True, kept_seconds=0)
    try:
        guest = place.replace("postgres@", "guest@")
        source = library.open(DataSource(connection_string=guest))
        run(place, "REVOKE SELECT ON plain FROM guest")
        with pytest.raises(ToolError) as refusal:
            Place(PostgresEngine(library.sessions), [source]).ask("SELECT a FROM plain")
    finally:
        library.close()
    assert refusal.value.category is ErrorCategory.POLICY_DENIED
    assert "(table plain)" in refusal.value.message
    assert "permission denied for" not in refusal.value.message
