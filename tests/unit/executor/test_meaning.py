"""Two texts are one statement if DuckDB reads them alike, but for spellings of one thing."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines import meaning, own_trees
from services.executor.engines.dialect import Faithful
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.meaning import bracketed, changed
from tests.engines.kinds import CASES

KINDS = KnownTable("kinds", ("id", "i", "d", "n", "t", "day", "moment", "yes"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a NOT LIKE 'x'", "NOT a LIKE 'x'"),
        ("a NOT ILIKE 'x'", "NOT a ILIKE 'x'"),
        ("a NOT LIKE 'x' ESCAPE '!'", "NOT a LIKE 'x' ESCAPE '!'"),
        ("a NOT ILIKE 'x' ESCAPE '!'", "NOT a ILIKE 'x' ESCAPE '!'"),
        ("a IS NOT NULL", "NOT a IS NULL"),
        ("a NOT IN (1, 2)", "NOT a IN (1, 2)"),
        ("a IS DISTINCT FROM b", "NOT a IS NOT DISTINCT FROM b"),
        ("a NOT LIKE 'x' AS c", "NOT a LIKE 'x' AS c"),
        ("a IS NOT NULL AS c", "NOT a IS NULL AS c"),
        ("a AND b AND c", "(a AND b) AND c"),
        ("a OR b OR c", "a OR (b OR c)"),
        ("[a, b]", "list_value(a, b)"),
        ("[a, b] AS c", "list_value(a, b) AS c"),
        ("+a", "a"),
        ("+a AS c", "a AS c"),
        ("a ** 2", "a ^ 2"),
        ("main.lower(a)", "lower(a)"),
        ("CAST(a AS integer)", "CAST(a AS INTEGER)"),
        ("CAST(a AS my_type)", "CAST(a AS MY_TYPE)"),
        ("sum(a) OVER (ORDER BY b NULLS LAST)", "sum(a)   OVER (ORDER BY b)"),
    ],
)
def test_spellings_of_one_thing_are_one_statement(one: str, other: str) -> None:
    first, second = f"SELECT {one} FROM t", f"SELECT  /* x */ {other} FROM t"
    assert changed(first, second) == ""
    assert changed(second, first) == ""


@pytest.mark.parametrize(
    ("one", "other", "named"),
    [
        ("a + b", "a - b", "the operator +"),
        ("lower(a)", "upper(a)", "lower()"),
        ("lower('x')", "lower('y')", "lower()"),
        ("a = b", "a <> b", "the statement"),
        ("(a = 1) AND b", "(a = 2) AND b", "EQUAL"),
        ("a IN (1)", "a IN (2)", "IN"),
        ("a BETWEEN 1 AND 2", "a BETWEEN 1 AND 3", "BETWEEN"),
        ("a AND b", "a OR b", "the statement"),
        ("a AND (b OR c)", "(a AND b) OR c", "the statement"),
        ("NOT a", "a", "the statement"),
        ("NOT a LIKE 'x'", "a LIKE 'x'", "the operator !~~"),
        ("a NOT LIKE 'x'", "a NOT ILIKE 'x'", "the operator !~~"),
        ("NOT a = b", "a = b", "the statement"),
        ("-a", "a", "the operator -"),
        ("a AS c", "a AS d", "the statement"),
        ("NOT a LIKE 'x' AS c", "a NOT LIKE 'x' AS d", "the operator !~~"),
        ("a IS NOT NULL AS c", "NOT a IS NULL AS d", "IS NOT NULL"),
        ("[a] AS c", "[a] AS d", "the statement"),
        ("[a, b]", "[a, c]", "the statement"),
        ("list_value(a) AS c", "[a] AS d", "the statement"),
        ("+a AS c", "a AS d", "the statement"),
        ("a", "a, b", "the statement"),
        ("a ** 2", "a * 2", "the operator ^"),
        ("other.lower(a)", "lower(a)", "lower()"),
        ("sum(a) OVER (ORDER BY b NULLS FIRST)", "sum(a) OVER (ORDER BY b)", "sum()"),
        ("lower(a || b)", "lower(a || c)", "the operator ||"),
        ("NOT (a AND b)", "NOT (a AND c)", "AND"),
    ],
)
def test_what_differs_is_named_by_its_innermost_part(one: str, other: str, named: str) -> None:
    assert changed(f"SELECT {one} FROM t", f"SELECT {other} FROM t") == named


def test_each_text_is_held_against_the_first() -> None:
    assert changed("SELECT a", "SELECT a", "select a") == ""
    assert changed("SELECT a + b", "SELECT a + b", "SELECT a - b") == "the operator +"
    assert changed("SELECT 'it''s'", "SELECT 'it''s'") == ""
    assert changed("SELECT a") == ""


@pytest.mark.parametrize(
    ("sql", "message", "place"),
    [
        (
            "SELECT a FROM t WHERE )",
            'the statement cannot be parsed at line 1, column 23 near ")".',
            {"line": 1, "column": 23},
        ),
        (
            "SELECT 'äöü'\nFROM t\n  WHERE )",
            'the statement cannot be parsed at line 3, column 9 near ")".',
            {"line": 3, "column": 9},
        ),
        ("SELECT 'a", None, None),
    ],
)
def test_a_statement_that_duckdb_cannot_parse_says_where(
    sql: str, message: str | None, place: dict[str, int] | None
) -> None:
    with pytest.raises(ToolError) as caught:
        changed(sql, "SELECT 1")
    assert caught.value.category is ErrorCategory.SQL_SYNTAX
    assert message is None or caught.value.message == message
    assert place is None or caught.value.details == place
    assert caught.value.hint == "Statements are written in DuckDB's dialect."


def test_a_name_that_is_a_word_of_sql_is_said_to_need_as() -> None:
    with pytest.raises(ToolError) as caught:
        changed("SELECT count(*) days FROM t", "SELECT 1")
    assert caught.value.hint is not None and "needs AS before it" in caught.value.hint


def test_what_cannot_even_be_handed_over_is_no_statement() -> None:
    with pytest.raises(ToolError, match="the statement cannot be read"):
        changed("SELECT '\ud800'")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({}, "the statement cannot be parsed."),
        ({"position": "7"}, "the statement cannot be parsed at line 1, column 8."),
        ({"position": "8"}, "the statement cannot be parsed."),
        ({"position": "-1"}, "the statement cannot be parsed."),
        (
            {"error_message": f'syntax error at or near "{"x" * 60}"'},
            f'the statement cannot be parsed near "{"x" * 40}".',
        ),
    ],
)
def test_a_place_that_duckdb_does_not_tell_is_not_made_up(
    answer: dict[str, str], message: str
) -> None:
    assert meaning._syntax(answer, "SELECT ").message == message


def test_the_parser_that_is_asked_reaches_nothing_and_needs_little() -> None:
    settings = {
        "threads": 1,
        "memory_limit": "61.0 MiB",
        "temp_directory": "",
        "enable_external_access": False,
        "python_enable_replacements": False,
    }
    own_trees._parser.cache_clear()
    asked = ", ".join(f"current_setting('{name}')" for name in settings)
    assert own_trees._parser().execute(f"SELECT {asked}").fetchone() == tuple(settings.values())


def test_whatever_is_allowed_is_read_as_it_is_written() -> None:
    for sql in CASES:
        assert guard(sql, [KINDS])


@pytest.mark.parametrize(
    ("sql", "marked"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("(a + b) * c", "((a + b) * c)"),
        ("NOT a = b", "(NOT (a = b))"),
        ("NOT a IS NULL", "(a IS NOT NULL)"),
        ("a BETWEEN 1 AND 2", "(a BETWEEN 1 AND 2)"),
        ("a IN (1, 2)", "(a IN (1, 2))"),
        ("-a", "(-a)"),
        ("a LIKE 'x' ESCAPE '!'", "(a LIKE 'x' ESCAPE '!')"),
        ("lower(a || b)", "LOWER((a || b))"),
        ("sum(a) FILTER (WHERE b > 1)", "SUM(a) FILTER(WHERE (b > 1))"),
        ("{'k': a + 1}", "{'k': (a + 1)}"),
        ("a[1:2]", "a[1:2]"),
    ],
)
def test_brackets_are_put_around_every_operation(sql: str, marked: str) -> None:
    tree = sqlglot.parse_one(f"SELECT {sql}", dialect=Faithful)
    before = tree.sql(dialect=Faithful)
    assert isinstance(tree, exp.Query)
    assert bracketed(tree).sql(dialect=Faithful) == f"SELECT {marked}"
    assert tree.sql(dialect=Faithful) == before, "the statement itself stays as it is"
