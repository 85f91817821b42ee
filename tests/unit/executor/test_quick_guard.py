"""Plain statements pass many at a time: as the guard passes them, and never where it does not."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from mesh.policy import Policy
from services.executor.engines import own_trees
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.meaning import changed
from services.executor.engines.quick_guard import quickly_guarded
from services.executor.sources.prepared import PreparedSource
from tests.unit.executor.source_help import ask, open_file, shared, write_shop
from tests.unit.executor.sql_attacks import BOTH_WALLS, GUARD_ALONE
from tests.unit.executor.sql_benign import BENIGN

TABLES = [
    KnownTable("customers", ("customer_id", "name", "email", "city", "joined")),
    KnownTable("orders", ("order_id", "customer_id", "ordered_at", "amount", "note")),
]
ROWS = 100
OPEN, MASKED = Policy(), Policy(blocked_patterns=("email",))
# As the planner writes them.
RENDERED: list[tuple[str, list[Any]]] = [
    (
        'SELECT "customers"."city" AS "city", SUM("orders"."amount") AS "total" FROM "orders" '
        'JOIN "customers" ON "orders"."customer_id" = "customers"."customer_id" '
        'WHERE "orders"."ordered_at" >= ? AND "orders"."ordered_at" < ? '
        'GROUP BY "customers"."city" ORDER BY "total" DESC NULLS LAST LIMIT 3',
        [date(2021, 1, 1), datetime(2021, 2, 1, 12, 30)],
    ),
    (
        'SELECT DATE_TRUNC(\'MONTH\', "ordered_at") AS "month", COUNT(*) AS "orders" '
        'FROM "orders" WHERE LOWER("note") = ? OR "amount" > ? GROUP BY 1',
        ["gift's", 10.5],
    ),
    (
        'SELECT "x"."city", "x"."n" FROM (SELECT "city", COUNT(DISTINCT "name") AS "n", '
        'ROW_NUMBER() OVER (PARTITION BY "city" ORDER BY COUNT(*) DESC) AS "place" '
        'FROM "customers" GROUP BY "city") AS "x" WHERE "x"."place" <= ? AND "x"."n" <> ?',
        [1, -3],
    ),
    (
        'WITH "big" AS (SELECT * FROM "orders" WHERE "amount" BETWEEN ? AND ?) '
        'SELECT CASE WHEN "amount" IS NULL THEN ? ELSE "amount" / NULLIF("order_id", 0) END AS "r" '
        'FROM "big" WHERE "note" NOT IN (?, ?) AND NOT "note" ILIKE ? ORDER BY "order_id"',
        [1, 2.5, None, "a", "b", "%x%"],
    ),
]


def quick(
    sql: str,
    parameters: list[Any] | None = None,
    tables: list[KnownTable] | None = None,
    policy: Policy = OPEN,
) -> str | None:
    (text,) = quickly_guarded([(sql, parameters or [])], tables or TABLES, policy, ROWS)
    return text


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> PreparedSource:
    folder = tmp_path_factory.mktemp("shop")
    return open_file(folder, write_shop(folder))


def is_harmless(text: str) -> bool:
    """Whether the guard would let the very text pass that is to run."""
    return changed(guard(spelled(text), TABLES), text) == ""


def spelled(text: str) -> str:
    """The text with what DuckDB alone writes in its own words: COLUMNS is for nobody else."""
    return text.replace(" ORDER BY COLUMNS(*)", " ORDER BY ALL").replace("count_star()", "count(*)")


@pytest.mark.parametrize(("sql", "parameters"), RENDERED)
def test_what_the_planner_writes_is_plain(
    sql: str, parameters: list[Any], shop: PreparedSource
) -> None:
    text = quick(sql, parameters)

    assert text is not None
    assert is_harmless(text)
    assert ask(shop, spelled(text)).equals(ask(shop, sql, parameters))


@pytest.mark.parametrize("sql", BENIGN)
def test_what_is_plain_runs_as_the_guard_would_have_it_run(sql: str) -> None:
    text = quick(sql)

    assert text is None or changed(guard(sql, TABLES, ROWS), text) == ""


def test_most_of_what_people_ask_is_plain() -> None:
    texts = quickly_guarded([(sql, []) for sql in BENIGN], TABLES, OPEN, ROWS)

    assert sum(text is not None for text in texts) >= 0.8 * len(BENIGN)


@pytest.mark.parametrize("sql", [*BOTH_WALLS, *GUARD_ALONE])
def test_no_attack_is_plain(sql: str) -> None:
    assert quick(sql) is None


def test_no_attack_of_the_wild_is_plain_and_harmful() -> None:
    lines = [
        line
        for path in sorted(shared("sql_attacks").glob("*.txt"))
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    wild = [line for line in lines if "select" in line.lower()]
    wild += [f"SELECT name FROM customers WHERE name = '{line}'" for line in lines]
    wild += [f"SELECT name FROM customers WHERE customer_id = {line}" for line in lines]
    for start in range(0, len(wild), 50):
        some: list[tuple[str, list[Any]]] = [(sql, []) for sql in wild[start : start + 50]]
        for text in quickly_guarded(some, TABLES, OPEN, ROWS):
            assert text is None or is_harmless(text)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM duckdb_settings",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM main.orders",
        "SELECT * FROM (WITH duckdb_tables AS (SELECT 1) SELECT 1) AS x, duckdb_tables",
        "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
        "SELECT current_date",
        "SELECT USER FROM orders",
        "SELECT current_schema",
        "SELECT getenv('HOME')",
        "SELECT main.random()",
        "SELECT age(joined) FROM customers",
        "SELECT random() FROM orders",
        "SELECT sum(amount) FROM orders TABLESAMPLE 10%",
        "SELECT a FROM orders AT (VERSION => 3)",
        "SELECT COLUMNS('a.*') FROM orders",
        "SELECT amount::BLOB FROM orders",
        "SELECT 'mood'::my_type",
        "SELECT list_transform([1], lambda x: x) FROM orders",
        "SELECT * FROM orders POSITIONAL JOIN customers",
        "SELECT amount FROM orders LIMIT 10 PERCENT",
        "SELECT 1; SELECT 2",
        "SELECT || 6",
        "SELECT",
        "SELECT 'a\0b'",
        "SELECT " + "(" * 200 + "1" + ")" * 200,
        "SELECT '" + "x" * 10_000 + "'",
    ],
)
def test_what_is_not_listed_is_left_to_the_guard(sql: str) -> None:
    assert quick(sql) is None


def test_the_guard_says_of_a_hidden_column_that_it_is_blocked() -> None:
    tables = [KnownTable("customers", ("name",), hidden=("email",))]

    assert quick('SELECT "customers"."email" FROM "customers"', tables=tables) is None
    assert quick("SELECT EMAIL FROM customers", tables=tables) is None
    assert quick("SELECT name FROM customers", tables=tables) is not None


def test_functions_that_take_pseudonyms_apart_are_left_to_the_guard() -> None:
    assert quick("SELECT ascii(name) FROM customers") is not None
    assert quick("SELECT ascii(name) FROM customers", policy=MASKED) is None
    assert quick("SELECT upper(name) FROM customers", policy=MASKED) is not None


def test_question_marks_and_values_have_to_be_as_many() -> None:
    assert quick("SELECT ? AS a", [1]) is not None
    assert quick("SELECT ? AS a", []) is None
    assert quick("SELECT ? AS a", [1, 2]) is None
    assert quick("SELECT $1 AS a, $1 AS b", [1]) is None
    assert quick("SELECT $name AS a", [1]) is None


def test_a_value_stays_a_value() -> None:
    text = quick("SELECT name FROM customers WHERE name = ?", ["x' OR 1 = 1 --"])

    assert text is not None
    assert "'x'' OR 1 = 1 --'" in text


def test_one_statement_that_breaks_the_reading_leaves_all_to_the_guard() -> None:
    texts = quickly_guarded(
        [("SELECT 1 AS a", []), ("SELECT ? AS a", ["\ud800"])], TABLES, OPEN, ROWS
    )

    assert texts == [None, None]


def test_a_part_with_a_field_that_nobody_knows_is_not_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serialised = own_trees.serialised

    def newer(statements: list[str]) -> list[dict[str, Any]]:
        trees = serialised(statements)
        for tree in trees:
            tree["statements"][0]["node"]["from_table"]["lateral_secret"] = True
        return trees

    monkeypatch.setattr("services.executor.engines.quick_guard.serialised", newer)

    assert quick("SELECT amount FROM orders") is None


def test_what_is_written_otherwise_than_it_was_read_is_not_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "services.executor.engines.quick_guard.written",
        lambda trees: ["SELECT name FROM customers LIMIT 101" for _ in trees],
    )

    assert quick("SELECT amount FROM orders") is None
    assert quick("SELECT name FROM customers") is not None
