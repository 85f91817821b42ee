"""What the rows of a statement are before it has run: a role for each column, and what one row
stands for. Types are worked out from the statement and those of the data.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from services.planner.domain.catalogue import Catalogue, DataType
from services.planner.domain.checks.statement import Block, Judged, taken_apart
from services.planner.domain.proposals.roles import columns_of
from services.planner.domain.statements.column import LONGEST_NAME, ResultColumn
from services.planner.domain.statements.parsing import DIALECT, statement

_TYPES = {
    DataType.INTEGER: "BIGINT",
    DataType.FLOAT: "DOUBLE",
    DataType.BOOLEAN: "BOOLEAN",
    DataType.DATE: "DATE",
    DataType.DATETIME: "TIMESTAMP",
}


def described(text: str, catalogue: Catalogue) -> tuple[tuple[ResultColumn, ...], str]:
    """The columns that a statement gives, in order, and what one row of the result is, in words;
    nothing of what cannot be taken apart."""
    judged = taken_apart(text, catalogue)
    outer = _outer(judged)
    if judged is None or outer is None:
        return (), ""
    found = columns_of(text, _types(judged, outer), catalogue)
    added = {item.alias_or_name for item in outer.select.expressions if _is_added_up(item)}
    unnamed = _without_names(judged, outer)
    columns = [
        column.model_copy(
            update={
                "additive": column.role == "measure" and column.name.casefold() in added,
                "name": unnamed.get(column.name, column.name),
            }
        )
        for column in found
    ]
    return tuple(columns), _grain(judged, outer)


def _without_names(judged: Judged, outer: Block) -> dict[str, str]:
    """What is worked out for columns without a name, by the names that taking apart gave them."""
    tree = statement(judged.text)
    given = tree.selects if tree is not None else []
    named = outer.select.selects
    if len(given) != len(named):
        return {}
    return {
        after.alias_or_name: _clipped(before.sql(dialect=DIALECT))
        for before, after in zip(given, named, strict=True)
        if not before.alias_or_name
    }


def _is_added_up(item: exp.Expr) -> bool:
    """Whether a column is a sum or a count, whose groups add up to the whole."""
    inner = item.unalias()
    while isinstance(inner, exp.Cast | exp.Round | exp.Paren):
        inner = inner.this
    return isinstance(inner, exp.Sum | exp.Count | exp.CountIf) and not inner.find(exp.Distinct)


def _grain(judged: Judged, outer: Block) -> str:
    if outer.groups:
        return _of_groups(judged, outer)
    if outer.aggregates:
        return "one row over all"
    if outer.select.args.get("distinct"):
        return "one row for each combination"
    inside = list(outer.sources.values())
    if len(inside) == 1 and isinstance(inside[0], Block) and inside[0].groups:
        return _of_groups(judged, inside[0])
    tables = [table.name for table in outer.tables]
    return _clipped(f"one row of {tables[0]}") if len(inside) == 1 and tables else ""


def _of_groups(judged: Judged, block: Block) -> str:
    """By the names under which groups are shown: a key beside a name only tells namesakes apart."""
    shown = {item.unalias().sql(): item.alias_or_name for item in block.select.expressions}
    keys = [shown[key.sql()] for key in block.groups if key.sql() in shown]
    values = keys or [judged.spelled(key) for key in block.groups]
    return _clipped(f"one row for each {' and '.join(dict.fromkeys(values))}")


def _outer(judged: Judged | None) -> Block | None:
    """The SELECT whose rows the result is."""
    if judged is None or not isinstance(judged.tree, exp.Select):
        return None
    return next((block for block in judged.blocks if block.select is judged.tree), None)


def _types(judged: Judged, outer: Block) -> dict[str, str]:
    """DuckDB's type of each column that the statement gives, as far as can be told unrun."""
    schema: dict[str, object] = {
        table.name.casefold(): {
            column.name.casefold(): _TYPES.get(column.data_type, "VARCHAR")
            for column in table.columns
        }
        for table in judged.catalogue.tables
    }
    known = _spelt(judged)
    try:
        typed = annotate_types(outer.select.copy(), schema=schema, dialect=DIALECT)
    except (SqlglotError, RecursionError, ValueError, KeyError):
        typed = outer.select
    return {known.get(e.alias_or_name, e.alias_or_name): _type(e) for e in typed.selects}


def _spelt(judged: Judged) -> dict[str, str]:
    """Names as the statement and the data spell them, by names in lower case."""
    found = {c.name.casefold(): c.name for t in judged.catalogue.tables for c in t.columns}
    tree = statement(judged.text)
    named = tree.find_all(exp.Alias, exp.Column) if tree is not None else ()
    return found | {one.alias_or_name.casefold(): one.alias_or_name for one in named}


def _type(item: exp.Expr) -> str:
    kind = item.type
    if kind is not None and not kind.is_type("unknown", "null"):
        return str(kind.sql(dialect=DIALECT))
    return "DOUBLE" if item.find(exp.AggFunc) is not None else "VARCHAR"


def _clipped(text: str) -> str:
    return text[:LONGEST_NAME]
