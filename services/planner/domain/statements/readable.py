"""A step's query as people read it: laid out, with the parameters in their places.

For reading alone. What runs is the query of the call, with its parameters beside it; that is what
the audit log has, and nothing here changes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from services.planner.domain.catalogue import Frozen

QUERYING_TOOL, DRAWING_TOOL = "sql.run", "plot.render"
# Laying a longer one out takes longer than anybody reads it.
_LONGEST_LAID_OUT = 20_000


class Statement(Frozen):
    """A query as it runs, its parameters as a JSON array, and the same for people."""

    query: str
    params_json: str = "[]"
    readable: str


def statement_of(tool_name: str, arguments: Mapping[str, Any]) -> Statement | None:
    """The query of a call; None for one that runs none."""
    query = arguments.get("query")
    if tool_name != QUERYING_TOOL or not isinstance(query, str):
        return None
    params = json.dumps(arguments.get("params") or [], ensure_ascii=False, default=str)
    return Statement(query=query, params_json=params, readable=_readable(query, params))


@lru_cache(maxsize=64)
def _readable(query: str, params_json: str) -> str:
    """The query laid out over lines; as it is where it cannot be read."""
    if len(query) > _LONGEST_LAID_OUT:
        return query
    values = json.loads(params_json)
    return _spelled(query, values, pretty=True) or query  # what will be refused is shown as it was


def filled_in(query: str, params: Sequence[Any]) -> str:
    """The query on one line with its parameters in their places; as it is where it cannot be
    read."""
    return _spelled(query, params, pretty=False) or query


def _spelled(query: str, values: Sequence[Any], *, pretty: bool) -> str:
    """Empty where the query cannot be read, or has other parameters."""
    # Here, because lists of jobs know statements and lay none out.
    from sqlglot import exp, parse_one
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType

    try:
        marks = [
            token for token in DuckDB().tokenize(query) if token.token_type is TokenType.PLACEHOLDER
        ]
        if len(marks) != len(values):
            return ""
        filled, end = [], 0
        for mark, value in zip(marks, values, strict=True):
            filled += [query[end : mark.start], exp.convert(value).sql(dialect="duckdb")]
            end = mark.end + 1
        whole = "".join([*filled, query[end:]])
        return parse_one(whole, read="duckdb").sql(dialect="duckdb", pretty=pretty)
    except (SqlglotError, RecursionError):
        return ""
