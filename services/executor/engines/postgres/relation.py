"""A table of a PostgreSQL database as a subselect in stored types, inside the policy."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from mesh.policy import Policy
from services.executor.databases.live import LiveColumn, Relation
from services.executor.databases.pseudonyms import Pseudonyms
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.regular import has_options, in_postgres
from services.executor.sources.sql import literal, quoted

_PLAIN_DIGITS = r"^\s*[0-9]{6,19}\s*$"
_TEXT, _MASK = "assay_text", "assay_mask"


def relation_sql(
    relation: Relation,
    columns: Iterable[str],
    *,
    pseudonyms: Pseudonyms | None = None,
    digits: Collection[str] = (),
    names: str = "given",
) -> str:
    """The subselect; texts that have pseudonyms are replaced, columns that nobody reads are null.

    Columns named in `digits` are text, whatever they are stored as.
    `names` says whether columns keep their names in the request ("given") or get them in lower
    case ("lower").
    """
    cells: list[str] = []
    joins: list[str] = []
    for shown in columns:
        column = relation.columns[shown]
        value = _text(column) if shown in digits else _stored(column)
        known = (pseudonyms or {}).get(shown, {})
        if known is None:
            value = 'NULL::text COLLATE "C"'
        elif known:
            masks = f"m{len(joins)}"
            pairs = ", ".join(f"({literal(t)}, {literal(p)})" for t, p in sorted(known.items()))
            known_as = f"(VALUES {pairs}) AS {masks}({_TEXT}, {_MASK})"
            joins.append(f'LEFT JOIN {known_as} ON {masks}.{_TEXT} COLLATE "C" = {value}')
            value = f'(COALESCE({masks}.{_MASK}, {value}) COLLATE "C")'
        cells.append(f"{value} AS {quoted(shown.lower() if names == 'lower' else shown)}")
    target = f"{quoted(relation.schema_name)}.{quoted(relation.name)}"
    return f"(SELECT {', '.join(cells)} FROM {' '.join([target, *joins])})"


def suspects_sql(
    relation: Relation, column: str, policy: Policy, most: int, *, digits: bool = False
) -> str:
    """The texts of a column that may have to be masked, at most so many, and whether an expression
    of the caller's matches them; with `digits`, plain digits are among them.

    Raises NotExpressible for an expression whose meaning could be another here.
    """
    value = (_text if digits else _stored)(relation.columns[column])
    suspect = f"{_PLAIN_DIGITS}|{policy.suspect}" if digits else policy.suspect
    own = " OR ".join(_matches(value, _regular(e)) for e in policy.own_expressions) or "false"
    target = f"{quoted(relation.schema_name)}.{quoted(relation.name)}"
    return (
        f"SELECT DISTINCT {value} AS text, {own} AS own FROM {target} "
        f"WHERE {own} OR {value} ~* {literal(suspect)} LIMIT {most}"
    )


def _stored(column: LiveColumn) -> str:
    """The value in its stored type. Text is compared by its bytes, as DuckDB does."""
    name, native = quoted(column.name), column.native
    if column.stored == "VARCHAR":
        return f'({name}::text COLLATE "C")'
    if native == "timestamp with time zone" or native.endswith("with time zone"):
        return f"({name} AT TIME ZONE 'UTC')::timestamp"
    if native == "money":
        return f"{name}::numeric::float8"
    if column.stored == "BIGINT":
        return name if native == "bigint" else f"{name}::int8"
    if column.stored == "DOUBLE":
        return name if native == "double precision" else f"{name}::float8"
    return name


def _text(column: LiveColumn) -> str:
    """The stored value as text, a whole number as its digits alone.

    Not by way of `numeric`, which takes 15 digits of a floating-point number.
    """
    value = _stored(column)
    if column.stored == "DOUBLE":
        whole = f"{value} = pg_catalog.trunc({value}) AND pg_catalog.abs({value}) < 9.2e18"
        value = f"CASE WHEN {whole} THEN ({value})::int8::text ELSE ({value})::text END"
    elif column.stored.startswith("DECIMAL"):
        whole = f"{value} = pg_catalog.trunc({value})"
        value = f"CASE WHEN {whole} THEN pg_catalog.trunc({value})::text ELSE ({value})::text END"
    return f'(({value})::text COLLATE "C")'


def _matches(value: str, test: str) -> str:
    """Case is ignored; that of letters beyond ASCII is known to a Unicode collation alone."""
    matches = f"{value} ~* {literal(test)}"
    if test.isascii():
        return matches
    return f'({matches} OR {value} COLLATE "und-x-icu" ~* {literal(test)})'


def _regular(expression: str) -> str:
    """An RE2 expression as PostgreSQL writes it. Raises NotExpressible."""
    if has_options(expression) or re.search(r"\\[pPzAQCG]|\[\[:|[*+?}]\?", expression):
        raise NotExpressible(f"the blocked pattern {expression!r}")
    return in_postgres(expression)


def distinct_sql(
    relation: Relation, columns: Sequence[str], column: str, longest: int, most: int
) -> str:
    """Asks for at most so many different texts of a column, none of them longer."""
    name = quoted(column)
    return (
        f"SELECT DISTINCT {name} FROM {relation_sql(relation, columns)} AS t WHERE "
        f"pg_catalog.length({name}) BETWEEN 1 AND {longest} LIMIT {most}"
    )


def exact_sql(relation: Relation, column: str, texts: Sequence[str], most: int) -> str:
    """Asks for those texts that a column holds, of the column as it is, for an index to serve."""
    values = ", ".join(literal(text) for text in texts)
    own = quoted(relation.columns[column].name)
    target = f"{quoted(relation.schema_name)}.{quoted(relation.name)}"
    return f"SELECT DISTINCT {own}::text FROM {target} WHERE {own} IN ({values}) LIMIT {most}"
