"""A table behind a Flight SQL server as a subselect in stored types, inside the policy.

The words are DuckDB's where they are more than names: other servers are asked for plain columns
alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from mesh.policy import Policy
from services.executor.databases.live import LiveColumn, Relation
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.sources.digits import number_as_text
from services.executor.sources.sql import literal, quoted

_NESTED = ("STRUCT", "MAP", "UNION")
_ZONED = "TIMESTAMP WITH TIME ZONE"


def target_of(relation: Relation) -> str:
    """The table by its full name."""
    parts = filter(None, (relation.schema_name, relation.name))
    return ".".join(map(quoted, parts))


def plain_sql(relation: Relation) -> str:
    """Asks any server for all rows, in its own types."""
    columns = ", ".join(quoted(column.name) for column in relation.columns.values())
    return f"SELECT {columns} FROM {target_of(relation)}"


def relation_sql(
    relation: Relation,
    columns: Iterable[str],
    *,
    pseudonyms: Pseudonyms | None = None,
    digits: Collection[str] = (),
) -> str:
    """The subselect, without brackets; texts that have pseudonyms are replaced, columns that nobody
    reads are null. Columns named in `digits` are text, whatever they are stored as.
    """
    cells: list[str] = []
    joins: list[str] = []
    for shown in columns:
        column = relation.columns[shown]
        value = _text(column) if shown in digits else _stored(column)
        known = (pseudonyms or {}).get(shown, {})
        if known is None:
            value = "NULL::VARCHAR"
        elif known:
            masks = f"m{len(joins)}"
            pairs = ", ".join(f"({literal(t)}, {literal(p)})" for t, p in sorted(known.items()))
            joins.append(
                f"LEFT JOIN (VALUES {pairs}) AS {masks}(assay_text, assay_mask) "
                f"ON {masks}.assay_text = {value}"
            )
            value = f"coalesce({masks}.assay_mask, {value})"
        cells.append(f"{value} AS {quoted(shown)}")
    return f"SELECT {', '.join(cells)} FROM {' '.join([f'{target_of(relation)} AS t', *joins])}"


def suspects_sql(
    relation: Relation, column: str, policy: Policy, most: int, *, digits: bool = False
) -> str:
    """The texts of a column that may have to be masked, at most so many, and whether an expression
    of the caller's matches them; with `digits`, all are among them.
    """
    value = (_text if digits else _stored)(relation.columns[column])
    own = " OR ".join(
        f"regexp_matches({value}, {literal(expression)}, 'i')"
        for expression in policy.own_expressions
    )
    suspect = "true" if digits else f"regexp_matches({value}, {literal(policy.suspect)}, 'i')"
    return (
        f"SELECT DISTINCT {value} AS text, {own or 'false'} AS own FROM {target_of(relation)} AS t "
        f"WHERE {value} IS NOT NULL AND ({own or 'false'} OR {suspect}) LIMIT {most}"
    )


def distinct_sql(
    relation: Relation, columns: Sequence[str], column: str, longest: int, most: int
) -> str:
    """Asks for at most so many different texts of a column, none of them longer."""
    del columns
    name = _as_text(relation.columns[column])
    return (
        f"SELECT DISTINCT {name} FROM {target_of(relation)} WHERE {name} IS NOT NULL "
        f"AND {name} <> '' AND length({name}) <= {longest} LIMIT {most}"
    )


def exact_sql(relation: Relation, column: str, texts: Sequence[str], most: int) -> str:
    """Asks for those texts that a column holds."""
    values = ", ".join(literal(text) for text in texts)
    name = _as_text(relation.columns[column])
    target = target_of(relation)
    return f"SELECT DISTINCT {name} FROM {target} WHERE {name} IN ({values}) LIMIT {most}"


def _as_text(column: LiveColumn) -> str:
    """A text as it is, and what is none (an identifier, a list) as one; in words of any server."""
    name = quoted(column.name)
    is_text = column.native in ("VARCHAR", "string", "large_string", "string_view")
    return name if is_text else f"CAST({name} AS VARCHAR)"


def _stored(column: LiveColumn) -> str:
    """The value in its stored type, as a file of DuckDB is read."""
    name, native = f"t.{quoted(column.name)}", column.native
    if native == column.stored:
        return name
    if native == _ZONED:
        return f"({name} AT TIME ZONE 'UTC')"
    if native == "JSON":
        return f"({name} ->> '$')"
    if native.startswith(_NESTED) or native.endswith("]"):
        return f"to_json({name})::VARCHAR"
    return f"{name}::{column.stored}"


def _text(column: LiveColumn) -> str:
    """The stored value as text, a whole number as its digits alone."""
    value = _stored(column)
    return value if column.stored == "VARCHAR" else number_as_text(value, column.stored)
