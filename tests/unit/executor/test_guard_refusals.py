"""What the guard refuses it names, with a hint that helps; what does no harm it lets through."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines import guard as guarding
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable, candidates
from tests.unit.executor.sql_attacks import BOTH_WALLS, GUARD_ALONE

ORDERS = KnownTable("Orders", ("id", "amount", "note", "day"), hidden=("Secret", "iban"))
PEOPLE = KnownTable("people", ("id", "name", "IBAN"))
TABLES = (ORDERS, PEOPLE)
EVERY_CALL = "gives another value at every call"
HARMLESS = "Only one SELECT over the tables of the request is run."
OWN_TYPES = "types of one's own are not allowed"
NO_TIES = "FETCH takes a number of rows, without PERCENT or TIES"


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> None:
    """What passed in another test passes here by what the guard is made of now."""
    guarding._guarded.cache_clear()


def refusal(sql: str, tables: tuple[KnownTable, ...] = TABLES) -> ToolError:
    with pytest.raises(ToolError) as caught:
        guard(sql, tables)
    return caught.value


@pytest.mark.parametrize("attack", BOTH_WALLS + GUARD_ALONE)
def test_what_does_harm_is_refused(attack: str) -> None:
    assert refusal(attack.format(out="/tmp/loot", source="shop.sqlite")).category in (
        ErrorCategory.POLICY_DENIED,
        ErrorCategory.MISSING_COLUMN,
        ErrorCategory.SQL_SYNTAX,
    )


@pytest.mark.parametrize(
    ("sql", "why", "hint"),
    [
        ("SELECT 1; SELECT 2", "one statement is run at a time, not 2", HARMLESS),
        ("DROP TABLE Orders", "only a SELECT is run, not DROP", HARMLESS),
        ("SELECT 'a\0'", "the statement holds a zero byte", HARMLESS),
        ("SELECT 1" + " " * 49_993, "longer than 50,000 characters", HARMLESS),
        ("SELECT 1" + ",1" * 19_999, "has more than 20,000 parts", HARMLESS),
        ("SELECT " + "+".join("1" * 1_100), "nested too deeply", HARMLESS),
        ("SELECT " + "(" * 5_000 + "1" + ")" * 5_000, "nested too deeply", HARMLESS),
        ("SELECT now()", f"now() {EVERY_CALL}", "Write the date or number itself."),
        ("SELECT current_date", f"current_date() {EVERY_CALL}", "Write the date or number itself."),
        ("SELECT Age(day) FROM Orders", f"age() {EVERY_CALL}", "Write the date or number itself."),
        ("SELECT getenv('HOME')", "the function getenv() is not on the list", "There is even(), "),
        ("SELECT lowr('X')", "the function lowr() is not on the list", "There is lower(), "),
        (
            "SELECT to_char(day, 'YYYY') FROM Orders",
            "the function to_char() is not on the list",
            "DuckDB says strftime(day, '%Y-%m').",
        ),
        ("SELECT xyzzyq(1)", "the function xyzzyq() is not on the list", HARMLESS),
        ("SELECT * FROM Orders TABLESAMPLE 10%", "TableSample is not allowed in a query", HARMLESS),
        ("SELECT * FROM lower('x')", "lower() cannot stand for a table", HARMLESS),
        ("SELECT * FROM cast('x' AS text)", "cast() cannot stand for a table", HARMLESS),
        ("SELECT * FROM Orders, LATERAL lower('x')", "lower() cannot stand for a table", HARMLESS),
        ("SELECT * FROM Orders JOIN lower('x') ON true", "lower() cannot stand for", HARMLESS),
        ("SELECT id FROM Orders FETCH FIRST 10 PERCENT ROWS ONLY", NO_TIES, HARMLESS),
        ("SELECT id FROM Orders ORDER BY id FETCH FIRST 1 ROWS WITH TIES", NO_TIES, HARMLESS),
        ("SELECT * INTO loot FROM Orders", "SELECT INTO writes a table", HARMLESS),
        ("SELECT id::my_type FROM Orders", OWN_TYPES, HARMLESS),
        ("SELECT main.lower('X')", "functions are called by their plain name", HARMLESS),
        ("SELECT * FROM main.Orders", "without a schema: main.Orders", HARMLESS),
        ("SELECT * FROM cat.main.Orders", "without a schema: cat.main.Orders", HARMLESS),
        (
            "SELECT note ^@ 'a' || 'b' FROM Orders",
            "the operator || would be read otherwise than it is written",
            "Put brackets around its parts, or say the same in other words.",
        ),
    ],
)
def test_a_refusal_says_why_and_what_to_do(sql: str, why: str, hint: str) -> None:
    refused = refusal(sql)
    assert refused.category is ErrorCategory.POLICY_DENIED
    assert refused.message.startswith("the statement is refused: ")
    assert why in refused.message
    assert refused.hint.startswith(hint)
    assert refused.details == {"reason": "SQL_REFUSED"}


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("", "there is no statement."),
        ("-- nothing", "there is no statement."),
        ("1 + 1", "the statement does not begin with SELECT."),
        ("1 AS a", "the statement does not begin with SELECT."),
        ("id", "the statement does not begin with SELECT."),
    ],
)
def test_what_is_no_statement_is_an_error_of_syntax(sql: str, why: str) -> None:
    refused = refusal(sql)
    assert (refused.category, refused.message) == (ErrorCategory.SQL_SYNTAX, why)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1" + " " * 49_992,
        "SELECT age(day, day) FROM orders",
        "SELECT * FROM range(3)",
        "SELECT * FROM unnest([1, 2])",
        "SELECT * FROM ORDERS JOIN People ON contains(note, name)",
        "SELECT id::int FROM orders",
        "SELECT id FROM orders LIMIT 10",
        "SELECT id FROM orders ORDER BY id FETCH FIRST 1 ROWS ONLY",
        "WITH z AS (SELECT 1 AS a) SELECT a FROM z",
        "SELECT {'a': 1}.a",
        "SELECT amount AS secret FROM orders ORDER BY secret",
        "SELECT Secret FROM orders AS o(a, b, c, secret)",
        "SELECT Secret FROM people",
        "SELECT id AS Orders, Secret FROM people",
        "SELECT amount AS SECRET FROM orders ORDER BY secret",
        "WITH secret AS (SELECT 1 AS a) SELECT secret.a FROM secret, orders",
        'SELECT "Lower"(note) FROM orders',
        "SELECT iban FROM people JOIN orders USING (id)",
    ],
)
def test_what_does_no_harm_passes(sql: str) -> None:
    assert guard(sql, TABLES)


def test_an_unknown_table_is_answered_with_those_that_are_there() -> None:
    nearest = refusal("SELECT * FROM ordrs")
    assert nearest.category is ErrorCategory.MISSING_COLUMN
    assert nearest.message == 'there is no table "ordrs".'
    assert nearest.hint == 'There is "Orders".'
    assert nearest.details == {"table": "ordrs", "candidates": ["Orders"]}
    strange = refusal("SELECT * FROM zzzz")
    assert strange.hint == 'There is "Orders", "people".'
    many = refusal("SELECT * FROM zzzz", tuple(KnownTable(f"t{n}", ()) for n in range(12)))
    assert many.details["candidates"] == [f"t{n}" for n in range(10)]
    behind = refusal("SELECT * FROM range(3), zzzz")
    assert behind.details["table"] == "zzzz"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SECRET FROM orders",
        "SELECT o.secret FROM Orders AS o",
        "SELECT id FROM orders WHERE secret = 1",
        "SELECT amount AS a FROM orders AS o(b, c, d) WHERE secret > 0",
    ],
)
def test_a_hidden_column_cannot_be_named(sql: str) -> None:
    refused = refusal(sql)
    assert refused.category is ErrorCategory.POLICY_DENIED
    assert refused.message == "column Secret of Orders is blocked by policy."
    assert refused.hint == "Ask without it, or change the policy."
    about = {"reason": "COLUMN_BLOCKED", "column": "Secret", "table": "Orders"}
    assert refused.details == about


def test_what_passed_over_some_tables_is_looked_at_again_over_others() -> None:
    """What the guard remembers of a statement, it remembers of the tables and the limit too."""
    sql = "SELECT secret FROM orders"
    seen = KnownTable("Orders", ("id", "secret"))
    assert guard(sql, (seen,)) == guard(sql, [seen])
    assert guard(sql, (seen,), 10) != guard(sql, (seen,))
    assert "is blocked by policy" in refusal(sql).message
    assert "no table" in refusal(sql, (PEOPLE,)).message
    assert guard(sql, (seen,))


@pytest.mark.parametrize(
    ("error", "why"),
    [(AssertionError, "it cannot be understood"), (RecursionError, "nested too deeply")],
)
def test_a_statement_that_breaks_its_reader_is_refused(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], why: str
) -> None:
    def broken(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(guarding, "ordered", broken)
    refused = refusal("SELECT 1")
    assert refused.category is ErrorCategory.POLICY_DENIED
    assert why in refused.message


def test_a_statement_is_as_deep_and_as_large_as_it_may_be_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guarding, "_DEEPEST", 5)
    assert guard("SELECT 1 + 1 + 1 + 1", TABLES)
    assert "nested too deeply" in refusal("SELECT 1 + 1 + 1 + 1 + 1").message
    monkeypatch.setattr(guarding, "_MOST_NODES", 4)
    assert guard("SELECT 1, 1, 1", TABLES)
    assert "more than 4 parts" in refusal("SELECT 1, 1, 1, 1").message


@pytest.mark.parametrize(
    "argument", ["version", "format", "pattern", "changes", "when", "partition"]
)
def test_a_table_is_named_and_nothing_else_is_said_of_it(argument: str) -> None:
    """Such parts are not on the list either; this is what holds if one were."""
    table = exp.to_table("orders")
    guarding._check_tables([table], TABLES)
    table.set(argument, exp.Literal.number(1))
    with pytest.raises(ToolError, match=f"a table cannot be given a {argument}"):
        guarding._check_tables([table], TABLES)


def test_what_nobody_can_read_is_told_in_duckdb_s_place() -> None:
    refused = refusal("SELECT id\nFROM Orders WHERE (")
    assert refused.message.startswith("the statement cannot be parsed at line 2, column ")


@pytest.mark.parametrize(
    ("sql", "where", "place"),
    [
        ("SELECT id\nFROM t WHERE (", ' at line 2, column 14 near "("', {"line": 2, "column": 14}),
        ("SELECT 'a", "", {"line": None, "column": None}),
        ("SELECT x y z", ' at line 1, column 12 near "z"', {"line": 1, "column": 12}),
    ],
)
def test_what_only_our_parser_cannot_read_is_told_with_its_place(
    monkeypatch: pytest.MonkeyPatch, sql: str, where: str, place: dict[str, int | None]
) -> None:
    monkeypatch.setattr(guarding, "changed", lambda *_: "")
    refused = refusal(sql)
    assert refused.category is ErrorCategory.SQL_SYNTAX
    assert refused.message == f"the statement is not understood{where}."
    assert refused.hint == "Say this part in other words."
    assert refused.details == place


def test_the_nearest_names_come_first_and_no_more_than_are_like_it() -> None:
    among = ["amount", "amounts", "account", "mount", "zebra"]
    assert candidates("amuont", among)[0] == "amount"
    assert candidates("amount", among) == ["amount", "amounts", "mount"]
    assert candidates("amount", among, limit=1) == ["amount"]
    assert candidates("AMOUNT", among)[0] == "amount"
    assert candidates("xyz", among) == []
    assert candidates("b", ["b2", "b1"]) == ["b1", "b2"]


def test_what_runs_is_the_statement_in_its_own_words_and_in_one_order() -> None:
    assert guard("select Id /* x */ from orders -- y", TABLES) == "SELECT Id FROM orders"
    assert guard("SELECT id FROM orders", TABLES, 5) == "SELECT id FROM orders LIMIT 6"
