"""A query as people read it says what the one that ran says."""

from __future__ import annotations

import json

from services.planner.domain.statements.readable import Statement, statement_of


def read(query: str, *params: object) -> Statement:
    found = statement_of("sql.run", {"query": query, "params": list(params)})
    assert found is not None
    return found


def test_parameters_stand_where_they_belong_in_the_order_of_the_text() -> None:
    query = "WITH a AS (SELECT ? AS x) SELECT x, ? AS y FROM a WHERE x > ? AND name = ?"
    told = read(query, 1, None, 2.5, "O'Brien?")
    assert " ".join(told.readable.split()) == (
        "WITH a AS ( SELECT 1 AS x ) SELECT x, NULL AS y FROM a "
        "WHERE x > 2.5 AND name = 'O''Brien?'"
    )


def test_what_runs_is_told_to_the_letter() -> None:
    query = "select  count(*)\nfrom t -- all of them\nwhere a = ?"
    told = read(query, "Zürich")
    assert told.query == query
    assert json.loads(told.params_json) == ["Zürich"]


def test_a_question_mark_in_a_text_is_no_parameter() -> None:
    assert "'why?'" in read("SELECT * FROM t WHERE a = 'why?' AND b = ?", 3).readable


def test_what_cannot_be_read_is_shown_as_it_is() -> None:
    for query in ("SELECT FROM WHERE (", "SELECT 'open", "SELECT ?, ?"):
        assert read(query, 1).readable == query


def test_only_queries_are_statements() -> None:
    assert statement_of("df.transform", {"query": "SELECT 1"}) is None
    assert statement_of("sql.run", {}) is None
