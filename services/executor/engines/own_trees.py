"""Statements as DuckDB's own parser reads them: trees of JSON, and texts written of them."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import duckdb

# Never the first field, and no text: there the quotation marks would be escaped.
_PLACES = re.compile(r',"query_location":\d+')
_lock = threading.Lock()


def serialised(statements: Sequence[str]) -> list[dict[str, Any]]:
    """DuckDB's tree of each text, without where its parts stand in the text.

    One that it cannot read has `error` set, and its `error_message`. Raises duckdb.Error and
    UnicodeError for texts that cannot even be given to it.
    """
    texts = _asked("json_serialize_sql(t::VARCHAR)", statements)
    return [json.loads(_PLACES.sub("", text)) for text in texts]


def written(trees: Sequence[dict[str, Any]]) -> list[str]:
    """A text of each tree, as DuckDB writes it. Raises duckdb.Error for what is no tree."""
    return _asked("json_deserialize_sql(t::JSON)", map(json.dumps, trees))


def _asked(function: str, texts: Iterable[str]) -> list[str]:
    # Not as parameters: the binding imports pandas to look at them.
    listed = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
    if not listed:
        return []
    with _lock:
        rows = _parser().execute(f"SELECT {function} FROM unnest([{listed}]) AS v(t)").fetchall()
    return [str(text) for (text,) in rows]


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": "1",
        "memory_limit": "64MB",
        "temp_directory": "",
        "python_enable_replacements": "false",
    }
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("SET enable_external_access = false")
    return connection
