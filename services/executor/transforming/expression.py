"""Derive: a scalar expression, parsed and rebuilt from what is allowed, never passed through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mesh.tool import ErrorCategory, ToolError
from services.executor.transforming.allowed import (
    ALLOWED_BY_NAME,
    ALLOWED_NODES,
    ALLOWED_TYPES,
)
from services.executor.transforming.relation import (
    Relation,
    check_distinct,
    listed,
    missing_column,
    quoted,
)
from services.executor.transforming.steps import Derive
from services.executor.transforming.workspace import Workspace

if TYPE_CHECKING:
    from sqlglot import exp


def derive(step: Derive, relation: Relation, space: Workspace) -> Relation:
    """The rows with one column added at the end, or replaced in its place."""
    value = checked_expression(step.expression, relation)
    if step.column in relation.names:
        return space.table(
            f"SELECT * REPLACE (({value}) AS {quoted(step.column)}) FROM {relation.sql}"
        )
    check_distinct([*relation.names, step.column], "derive")
    return space.table(f"SELECT *, ({value}) AS {quoted(step.column)} FROM {relation.sql}")


def checked_expression(text: str, relation: Relation) -> str:
    """The expression re-rendered with quoted names.

    Raises ToolError: SQL_SYNTAX for what cannot be parsed, MISSING_COLUMN, POLICY_DENIED for
    anything but a scalar expression over this row's columns.
    """
    try:
        tree = _parsed(text)
        for node in tree.walk():
            _check(node, relation)
        return _written(text, tree)
    except RecursionError as error:
        raise ToolError(
            ErrorCategory.SQL_SYNTAX,
            "the expression is nested too deeply",
            hint="Derive parts of it as columns of their own first.",
        ) from error


def _written(text: str, tree: exp.Expr) -> str:
    from sqlglot import exp

    from services.executor.engines.dialect import Faithful
    from services.executor.engines.meaning import bracketed, changed

    written = tree.sql(dialect=Faithful, identify=True, comments=False)
    # As an argument the expression has brackets of its own to bind within.
    inside = bracketed(exp.Paren(this=tree.copy())).sql(
        dialect=Faithful, identify=True, comments=False
    )
    otherwise = changed(f"SELECT ({text}\n)", f"SELECT ({written})", f"SELECT {inside}")
    if otherwise:
        raise _denied(f"{otherwise}, which would be read otherwise than it is written")
    return written


def _parsed(text: str) -> exp.Expr:
    import sqlglot
    from sqlglot.errors import SqlglotError

    from services.executor.engines.dialect import Faithful

    try:
        return sqlglot.parse_one(text, dialect=Faithful, into=sqlglot.exp.Condition)
    except SqlglotError as error:
        where = _place(error) or text[:40]
        raise ToolError(
            ErrorCategory.SQL_SYNTAX,
            f"the expression cannot be read near {where!r}",
            hint="Write one scalar SQL expression, such as round(price * quantity, 2).",
            details={"expression": text},
        ) from error


def _place(error: Exception) -> str:
    """The part of the text a parse error points at; empty when it names none."""
    found = getattr(error, "errors", None) or [{}]
    return str(found[0].get("highlight") or "")


def _check(node: exp.Expr, relation: Relation) -> None:
    from sqlglot import exp

    kind = type(node).__name__
    if isinstance(node, exp.Column):
        if node.table:
            raise missing_column(f"{node.table}.{node.name}", relation.names)
        relation.column(node.name)
    elif isinstance(node, exp.DataType):
        if node.this.name not in ALLOWED_TYPES:
            raise _denied(f"the type {node.sql(dialect='duckdb')}")
    elif isinstance(node, exp.Anonymous):
        if node.name.lower() not in ALLOWED_BY_NAME:
            raise _denied(f"the function {node.name.lower()}")
    elif kind not in ALLOWED_NODES:
        name = node.sql_name().lower() if isinstance(node, exp.Func) else kind
        raise _denied(f"the function {name}" if isinstance(node, exp.Func) else name)
    elif isinstance(node, exp.In) and (node.args.get("query") or node.args.get("unnest")):
        raise _denied("a subquery")


def _denied(what: str) -> ToolError:
    return ToolError(
        ErrorCategory.POLICY_DENIED,
        f"an expression may not use {what}",
        hint="Use columns, literals, arithmetic, comparison, case, cast and "
        + listed(["coalesce", "nullif", "round", "abs", "greatest", "least", "lower", "upper"])
        + ", date_trunc, extract and the like.",
        details={"refused": what},
    )
