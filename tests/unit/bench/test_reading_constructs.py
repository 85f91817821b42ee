"""What a query is made of, and what first differs between two."""

from __future__ import annotations

import pytest

from bench.reading.constructs import constructs, difference


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT count(*) FROM city", {"count", "joins 0"}),
        ("SELECT count(DISTINCT status) FROM city", {"count distinct", "joins 0"}),
        ("SELECT DISTINCT a FROM t", {"distinct", "joins 0"}),
        ("SELECT a FROM t ORDER BY b DESC LIMIT 1", {"order, limit 1", "joins 0"}),
        ("SELECT a FROM t ORDER BY b LIMIT 3", {"order, limit n", "joins 0"}),
        ("SELECT a FROM t ORDER BY b", {"order", "joins 0"}),
        (
            "SELECT a, sum(b) FROM t GROUP BY a HAVING count(*) > 2",
            {"sum", "count", "group", "having", "joins 0"},
        ),
        ("SELECT a FROM t WHERE b = 1 OR c LIKE '%x%'", {"where 2", "or", "like", "joins 0"}),
        ("SELECT a FROM t WHERE b IS NOT NULL", {"where 1", "null test", "joins 0"}),
        ("SELECT a FROM t WHERE b != 'null'", {"where 1", "null test", "joins 0"}),
        (
            "SELECT a FROM t WHERE b BETWEEN 1 AND 2 AND c = 1 AND d = 2",
            {"where 3+", "between", "joins 0"},
        ),
        (
            "SELECT a FROM t WHERE b NOT IN (SELECT b FROM u WHERE c = 1)",
            {"where 2", "not in", "joins 0"},
        ),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u)", {"where 1", "in (subquery)", "joins 0"}),
        ("SELECT a FROM t WHERE b IN (1, 2)", {"where 1", "joins 0"}),
        (
            "SELECT a FROM t WHERE b > (SELECT avg(b) FROM t)",
            {"where 1", "avg", "subquery average", "joins 0"},
        ),
        (
            "SELECT a FROM t WHERE b = 1 INTERSECT SELECT a FROM t WHERE b = 2",
            {"where 2", "intersect", "joins 0"},
        ),
        (
            "SELECT x.a FROM t AS x JOIN t AS y ON x.b = y.c JOIN u ON u.d = y.d",
            {"joins 2", "self join"},
        ),
        (
            "SELECT strftime('%Y', d), max(b) FROM t GROUP BY 1",
            {"date part", "group", "min or max", "joins 0"},
        ),
        ("SELEC nonsense FROM", {"unparsed"}),
    ],
)
def test_a_query_is_told_by_its_parts(sql: str, told: set[str]) -> None:
    assert set(constructs(sql, "sqlite")) == told


def test_a_chart_and_its_series_are_told_too() -> None:
    found = constructs("SELECT a, b FROM t", "sqlite", "Stacked Bar", series=True)
    assert {"chart: Stacked Bar", "series"} <= set(found)


MEANT = (
    "SELECT name, count(*) FROM t WHERE city = 'Rome' GROUP BY name ORDER BY count(*) DESC LIMIT 3"
)


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("", "no query"),
        ("SELECT name FROM u", "wrong table or join"),
        (MEANT.replace("count(*)", "sum(x)"), "wrong aggregation"),
        (MEANT.replace("city", "land"), "wrong filter column"),
        (MEANT.replace("Rome", "Oslo"), "wrong filter value"),
        (MEANT.replace("city =", "city >"), "wrong filter operator"),
        (MEANT.replace("SELECT name", "SELECT surname"), "wrong column"),
        (MEANT.replace("GROUP BY name", "GROUP BY id"), "wrong grouping"),
        (MEANT.replace("3", "5"), "wrong limit"),
        (MEANT.replace("DESC", ""), "wrong direction"),
        (MEANT.replace("SELECT", "SELECT DISTINCT"), "wrong distinct"),
        (MEANT, "other"),
    ],
)
def test_the_first_difference_names_the_failure(made: str, kind: str) -> None:
    assert difference(MEANT, made, "sqlite") == kind


def test_texts_in_double_quotes_are_texts() -> None:
    meant = 'SELECT a FROM t WHERE b = "Rome"'
    assert difference(meant, "SELECT c FROM t WHERE b = 'Rome'", "sqlite") == "wrong column"
