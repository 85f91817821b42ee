"""A table of a PostgreSQL database as a subselect in stored types, inside the policy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from services.executor.databases.live import LiveColumn, Relation
from services.executor.engines.regular import has_options, in_postgres
from services.executor.sources.sql import literal, quoted

_TEXTS = frozenset({"text", "character varying", "character", "name", "bpchar", "citext"})


class NotExpressible(Exception):
    """PostgreSQL has no words for this; the text says for what."""


def relation_sql(
    relation: Relation,
    columns: Iterable[str],
    *,
    expressions: Sequence[str] = (),
    salt: str = "",
    names: str = "given",
) -> str:
    """The subselect; text cells that an expression matches become pseudonyms made with `salt`.

    `names` says whether columns keep their names in the request ("given") or get them in lower
    case ("lower"). Raises NotExpressible for an expression whose meaning could be another here.
    """
    tests = [_regular(expression) for expression in expressions]
    cells = []
    for shown in columns:
        column = relation.columns[shown]
        alias = quoted(shown.lower() if names == "lower" else shown)
        cells.append(f"{_cell(column, tests, salt)} AS {alias}")
    target = f"{quoted(relation.schema_name)}.{quoted(relation.name)}"
    return f"(SELECT {', '.join(cells)} FROM {target})"


def _cell(column: LiveColumn, tests: Sequence[str], salt: str) -> str:
    value = _stored(column)
    if column.stored != "VARCHAR" or not tests:
        return value
    matches = " OR ".join(_matches(value, test) for test in tests)
    digest = f"pg_catalog.md5({literal(salt)} || {value})"
    pseudonym = f"'[blocked:' || pg_catalog.substr({digest}, 1, 16) || ']'"
    return f'CASE WHEN {matches} THEN {pseudonym} ELSE {value} END COLLATE "C"'


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
