"""Why a statement cannot be judged, in words: of another dialect, no SELECT, names that are not
there."""

from __future__ import annotations

from typing import NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.pivots import pivoted
from services.planner.domain.statements.parsing import DIALECT, closest, rendered

_OTHERS = {
    "tsql": "T-SQL (SQL Server)",
    "mysql": "MySQL",
    "bigquery": "BigQuery",
    "oracle": "Oracle",
    "snowflake": "Snowflake",
    "spark": "Spark SQL",
}
_LONGEST, _MOST_NAMES = 300, 8


class Unreadable(NamedTuple):
    """What is wrong with a statement, and what to do."""

    why: str
    hint: str


def unreadable(text: str, catalogue: Catalogue) -> Unreadable | None:
    """What is wrong as far as the statement and the names in the data show it; None where they
    show nothing."""
    try:
        trees = [tree for tree in sqlglot.parse(text, dialect=DIALECT) if tree is not None]
    except (SqlglotError, RecursionError, ValueError) as error:
        return _of_another_dialect(text) or _not_parsed(error)
    if (turned := pivoted(text, catalogue)) is not None:
        return Unreadable(*turned)
    if not trees:
        return Unreadable("there is no statement in it", "Write one SELECT.")
    if len(trees) > 1:
        return Unreadable(f"there are {len(trees)} statements in it", "Check one after another.")
    if isinstance(trees[0], exp.Condition | exp.Alias):
        return Unreadable("it is no statement of SQL", "Write one SELECT.")
    if not isinstance(trees[0], exp.Query):
        word = text.split()[0].strip("(;").upper()
        return Unreadable(
            f"{word[:30]} is no SELECT, and only what reads data is checked",
            "Check the SELECT that it is built on.",
        )
    return _unknown_names(trees[0], catalogue)


def _of_another_dialect(text: str) -> Unreadable | None:
    for name, called in _OTHERS.items():
        try:
            tree = sqlglot.parse_one(text, dialect=name)
        except (SqlglotError, RecursionError, ValueError):
            continue
        if isinstance(tree, exp.Select) and tree.args.get("from_") is not None:
            return Unreadable(
                f"the statement is of {called}'s dialect, and is run in DuckDB's",
                f"In DuckDB's: {rendered(tree)[:_LONGEST]}",
            )
    return None


def _not_parsed(error: Exception) -> Unreadable:
    told = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    if not told.get("line"):
        return Unreadable(
            "the statement cannot be read as SQL", "See whether a quote or a bracket is missing."
        )
    near = str(told.get("highlight") or "").strip()[:40]
    where = f"line {told['line']}, column {told['col']}" + (f", at {near!r}" if near else "")
    return Unreadable(
        f"the statement cannot be read as SQL: {where}",
        "See whether a comma, a bracket or a quote is missing before it.",
    )


def _unknown_names(tree: exp.Query, catalogue: Catalogue) -> Unreadable | None:
    tables = {table.name.casefold(): table.name for table in catalogue.tables}
    given = {one.alias_or_name.casefold() for one in tree.find_all(exp.CTE)}
    for node in tree.find_all(exp.Table):
        known = node.name.casefold() in tables.keys() | given
        if isinstance(node.this, exp.Identifier) and not known:
            return _no(f"table {node.name}", node.name, tables, "The tables are")
    columns = {c.name.casefold(): c.name for t in catalogue.tables for c in t.columns}
    given |= {a.alias.casefold() for a in tree.find_all(exp.Alias, exp.TableAlias, exp.CTE)}
    given |= {
        c.name.casefold()
        for a in tree.find_all(exp.TableAlias)
        for c in a.args.get("columns") or ()
    }
    for column in tree.find_all(exp.Column):
        if column.name and column.name.casefold() not in columns.keys() | given:
            return _no(f"column {column.name}", column.name, columns, "The columns are")
    return None


def _no(what: str, name: str, known: dict[str, str], listed: str) -> Unreadable:
    near = closest(name, known.values())
    if near is not None:
        return Unreadable(f"there is no {what}", f"Near it is {near}.")
    some = ", ".join(list(known.values())[:_MOST_NAMES])
    more = " and others; `assay look` lists all" if len(known) > _MOST_NAMES else ""
    return Unreadable(f"there is no {what}", f"{listed} {some}{more}.")
