"""Reading a query against tables without rows: whether it can run, and which columns it gives.

In a database of its own in memory, which reaches no file and no network and holds no data. The
query is bound, not run: an endless one is not endless here. Blocks for some milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from services.planner.domain.catalogue import Catalogue, DataType

_TYPES = {
    DataType.STRING: "VARCHAR",
    DataType.INTEGER: "BIGINT",
    DataType.FLOAT: "DOUBLE",
    DataType.BOOLEAN: "BOOLEAN",
    DataType.DATE: "DATE",
    DataType.DATETIME: "TIMESTAMP",
}
_SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "256MB",
    "threads": "1",
    "lock_configuration": "true",
}


def rehearse(
    query: str, parameters: Sequence[Any], catalogue: Catalogue
) -> tuple[dict[str, str], str]:
    """The types of the columns that a query gives, in order, and why it cannot run (empty when it
    can)."""
    with duckdb.connect(":memory:", config=dict(_SETTINGS)) as database:
        try:
            for table in catalogue.tables:
                columns = (f"{_quoted(c.name)} {_TYPES[c.data_type]}" for c in table.stored)
                database.execute(f"CREATE TABLE {_quoted(table.name)} ({', '.join(columns)})")
        except duckdb.Error:  # such as names that differ in case alone: then it is not rehearsed
            return {}, ""
        try:
            found = database.execute(f"DESCRIBE {query}", list(parameters)).fetchall()
        except duckdb.Error as error:
            return {}, str(error).split("\n\n")[0]
        return {str(name): str(kind) for name, kind, *_ in found}, ""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
