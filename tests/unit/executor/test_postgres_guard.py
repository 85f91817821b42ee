"""What is sent to PostgreSQL is one query of known parts, whatever translated it."""

from __future__ import annotations

import pytest

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.postgres.guard import checked


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a, LOWER(b) FROM t WHERE a > 1 ORDER BY a NULLS LAST LIMIT 3",
        "SELECT count(*) FILTER (WHERE a > 1) FROM t GROUP BY b",
        "SELECT Date_Trunc('month', a), ROUND(a, 2) FROM t",
        "SELECT DIV(a, 2), a ^ 2 FROM t",
        "SELECT OCTET_LENGTH(a), Regexp_Match(a, 'x') FROM t",
        "SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
        'SELECT a COLLATE "C" FROM t',
        "SELECT a FROM t UNION ALL SELECT a FROM u",
        "WITH z AS (SELECT 1 AS a) SELECT a FROM z",
    ],
)
def test_a_query_of_known_parts_is_sent_as_it_is(sql: str) -> None:
    assert checked(sql) == sql


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT 1; SELECT 2", "it is not one query"),
        ("", "it is not one query"),
        ("DELETE FROM t", "it is not one query"),
        ("SELECT pg_sleep(10)", "the function pg_sleep() is unknown"),
        ("SELECT PG_Read_File('/etc/passwd')", "the function PG_Read_File() is unknown"),
        ("SELECT current_user", "the function current_user() is unknown"),
        ("SELECT a FROM t TABLESAMPLE SYSTEM (10)", "TableSample is unknown"),
        ("SELECT a FROM t FOR UPDATE", "it would write or lock"),
        ("SELECT a INTO u FROM t", "it would write or lock"),
        ("(SELECT a FROM t) FOR UPDATE", "it would write or lock"),
        ("SELECT a FROM t UNION SELECT a FROM u FOR UPDATE", "it would write or lock"),
        ("SELECT (SELECT a FROM t FOR SHARE)", "it would write or lock"),
    ],
)
def test_anything_else_is_not_sent(sql: str, why: str) -> None:
    with pytest.raises(ToolError) as caught:
        checked(sql)
    assert caught.value.category is ErrorCategory.POLICY_DENIED
    assert caught.value.message == f"the statement is not sent to the database: {why}."
    assert caught.value.details == {"reason": "SQL_REFUSED"}


def test_a_translation_that_cannot_be_read_back_is_none() -> None:
    for sql in ("SELECT a FROM t WHERE (", "SELECT " + "(" * 5_000 + "1" + ")" * 5_000):
        with pytest.raises(NotExpressible):
            checked(sql)
