"""Reads what BigQuery says of datasets, by its interface for that, which costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from services.executor.databases.found import Catalogue
from services.executor.databases.live import Relation
from services.executor.engines.bigquery.connect import BigQuerySession
from services.executor.engines.bigquery.target import TARGET
from services.executor.pushdown.catalogue import TableDescription, catalogue
from services.executor.pushdown.kind import unknown_stamp
from services.executor.pushdown.session import PushedSession

_MOST_ASKED = 200


def read_catalogue(session: PushedSession, schemas: Sequence[str]) -> Catalogue:
    """Everything the user may read, of these datasets. Raises google's errors."""
    client = cast("BigQuerySession", session).client
    listed = [
        (schema, one.table_id)
        for schema in schemas
        for one in client.list_tables(schema, max_results=_MOST_ASKED + 1)
    ]
    table_descriptions = [
        _describe_table(schema, client.get_table(f"{schema}.{name}"))
        for schema, name in listed[:_MOST_ASKED]
    ]
    found = catalogue(TARGET, table_descriptions, {})
    if len(listed) > _MOST_ASKED:
        found.notes.append(f"only the first {_MOST_ASKED} tables are seen; name datasets to choose")
    found.notes.append("BigQuery bills what queries read: maximum_bytes_billed sets a limit")
    return found


def stamp(session: PushedSession, relation: Relation) -> str:
    """When the table was last changed, with its rows and bytes; of a view, another one every
    time."""
    if relation.is_view:
        return unknown_stamp(session, relation)
    client = cast("BigQuerySession", session).client
    table = client.get_table(f"{relation.schema_name}.{relation.name}")
    return f"{table.modified}:{table.num_rows}:{table.num_bytes}"


def _describe_table(schema: str, table: Any) -> TableDescription:
    columns = [(field.name, _native(field), field.description or "") for field in table.schema]
    is_view = "VIEW" in str(table.table_type)
    rows = None if is_view or table.num_rows is None else int(table.num_rows)
    return TableDescription(schema, table.table_id, is_view, rows, table.description or "", columns)


def _native(field: Any) -> str:
    names = {"INT64": "INTEGER", "FLOAT64": "FLOAT", "BOOL": "BOOLEAN", "STRUCT": "RECORD"}
    kind = names.get(str(field.field_type), str(field.field_type))
    if field.mode == "REPEATED":
        return f"REPEATED {kind}"
    if kind == "NUMERIC" and field.precision:
        return f"NUMERIC({field.precision},{field.scale or 0})"
    return kind
