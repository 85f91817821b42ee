"""Lets a statement through only if every part of it is known to be harmless.

The statement is parsed, every node held against the allow-list, every table against the tables of
the request, and what is executed is the tree rendered again, so that nothing the parser passed
over (comments, a second statement) reaches the database. DuckDB's own parser then says whether the
two texts are one statement; what it reads otherwise is refused. This is the first of two walls: the
database itself has no access to files, no writable tables and a locked configuration.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.allowed import (
    CHANGING_FUNCTIONS,
    COUNTERPARTS,
    FUNCTIONS,
    GRAMMAR,
    SHAPES,
    TABLE_FUNCTIONS,
)
from services.executor.engines.dialect import Faithful
from services.executor.engines.known import KnownTable, candidates
from services.executor.engines.meaning import bracketed, changed
from services.executor.engines.ordering import ordered
from services.executor.engines.scopes import is_defined

log = logging.getLogger(__name__)
_LONGEST_STATEMENT = 50_000
_MOST_NODES = 20_000
_DEEPEST = 1_000  # DuckDB takes no deeper expressions either
_PLACES_OF_TABLES = (exp.From, exp.Join, exp.Lateral, exp.Table)


def guard(sql: str, tables: Sequence[KnownTable], row_limit: int = 0) -> str:
    """The statement to execute: re-rendered, in a fixed order, cut one row above `row_limit`.

    Zero means no cut. Raises ToolError: SQL_SYNTAX for what cannot be parsed, POLICY_DENIED for
    anything but one query over allowed parts, MISSING_COLUMN with candidates for unknown tables.
    """
    try:
        return _guarded(sql, tuple(tables), row_limit)
    except ToolError:
        raise
    except RecursionError:
        raise _denied("the statement is nested too deeply") from None
    except Exception as error:  # sqlglot checks its own trees by assertions, and fails in others
        log.info("A statement cannot be understood: %s", type(error).__name__)
        raise _denied("it cannot be understood", "Say the same in other words.") from None


@lru_cache
def _guarded(sql: str, tables: tuple[KnownTable, ...], row_limit: int) -> str:
    """The same for the same, so remembered: a statement is planned, looked at, run and recomputed.

    What is refused is refused anew each time.
    """
    tree = _parsed(sql)
    _check_depth(tree)
    if not isinstance(tree, exp.Query):
        if isinstance(tree, (exp.Alias, exp.Condition)):
            raise ToolError(ErrorCategory.SQL_SYNTAX, "the statement does not begin with SELECT.")
        raise _denied(f"only a SELECT is run, not {tree.key.upper()}")
    nodes = list(tree.walk())
    if len(nodes) > _MOST_NODES:
        raise _denied(f"the statement has more than {_MOST_NODES:,} parts")
    for node in nodes:
        _check_shape(node)
    _check_tables(nodes, tables)
    _check_columns(nodes, tables)
    _check_meaning(sql, tree)
    return _text(ordered(tree, row_limit))


def _check_depth(tree: exp.Expr) -> None:
    level, depth = [tree], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise _denied("the statement is nested too deeply")
        level = [inner for node in level for inner in node.iter_expressions()]


def _text(tree: exp.Expr) -> str:
    return tree.sql(dialect=Faithful, comments=False)


def _check_meaning(sql: str, tree: exp.Query) -> None:
    otherwise = changed(sql, _text(tree), _text(bracketed(tree)))
    if otherwise:
        raise _denied(
            f"{otherwise} would be read otherwise than it is written",
            hint="Put brackets around its parts, or say the same in other words.",
        )


def _parsed(sql: str) -> exp.Expression:
    if len(sql) > _LONGEST_STATEMENT:
        raise _denied(f"the statement is longer than {_LONGEST_STATEMENT:,} characters")
    if "\0" in sql:
        raise _denied("the statement holds a zero byte")
    try:
        trees = [t for t in sqlglot.parse(sql, dialect=Faithful) if isinstance(t, exp.Expression)]
    except SqlglotError as error:
        raise _syntax(sql, error) from None
    if not trees:
        raise ToolError(ErrorCategory.SQL_SYNTAX, "there is no statement.")
    if len(trees) > 1:
        raise _denied(f"one statement is run at a time, not {len(trees)}")
    return trees[0]


def _syntax(sql: str, error: SqlglotError) -> ToolError:
    """Where the parser stopped, in our words; DuckDB's own parser knows better, if it stops too."""
    changed(sql)
    first = (getattr(error, "errors", None) or [{}])[0]
    where = f" at line {first['line']}, column {first['col']}" if first.get("line") else ""
    near = f' near "{first["highlight"][:40]}"' if first.get("highlight") else ""
    return ToolError(
        ErrorCategory.SQL_SYNTAX,
        f"the statement is not understood{where}{near}.",
        hint="Say this part in other words.",
        details={"line": first.get("line"), "column": first.get("col")},
    )


def _check_shape(node: exp.Expr) -> None:
    kind = type(node).__name__
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        if name not in FUNCTIONS or (name == "age" and len(node.expressions) < 2):
            raise _refused_function(name)
    elif isinstance(node, exp.Func):
        if kind not in GRAMMAR:
            raise _refused_function(node.sql_name().lower())
    elif kind not in SHAPES:
        raise _denied(f"{kind} is not allowed in a query")
    if isinstance(node, exp.Func) and isinstance(node.parent, _PLACES_OF_TABLES):
        name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
        if name not in TABLE_FUNCTIONS and node.arg_key == "this":
            raise _denied(f"{name}() cannot stand for a table")
    if isinstance(node, exp.LimitOptions) and (
        node.args.get("percent") or node.args.get("with_ties")
    ):
        raise _denied("FETCH takes a number of rows, without PERCENT or TIES")
    if isinstance(node, exp.Select) and node.args.get("into"):
        raise _denied("SELECT INTO writes a table")
    if isinstance(node, exp.DataType) and node.this in (exp.DataType.Type.USERDEFINED,):
        raise _denied("types of one's own are not allowed")
    if isinstance(node, exp.Dot) and not isinstance(node.expression, exp.Identifier):
        raise _denied("functions are called by their plain name")


def _refused_function(name: str) -> ToolError:
    if name in CHANGING_FUNCTIONS or name == "age":
        return _denied(
            f"{name}() gives another value at every call, so the result could not be recomputed",
            hint="Write the date or number itself.",
        )
    hint = ""
    if name in COUNTERPARTS:
        hint = f"DuckDB says {COUNTERPARTS[name]}."
    elif alike := candidates(name, FUNCTIONS):
        hint = "There is " + ", ".join(f"{one}()" for one in alike) + "."
    return _denied(f"the function {name}() is not on the list of allowed functions", hint=hint)


def _check_tables(nodes: list[exp.Expr], tables: Sequence[KnownTable]) -> None:
    known = {table.name.casefold() for table in tables}
    for node in nodes:
        if not isinstance(node, exp.Table) or isinstance(node.this, exp.Func):
            continue
        if node.args.get("db") or node.args.get("catalog"):
            raise _denied(f"tables are named without a schema: {node.sql(dialect=Faithful)}")
        for argument in ("version", "format", "pattern", "changes", "when", "partition"):
            if node.args.get(argument):
                raise _denied(f"a table cannot be given a {argument}")
        if node.name.casefold() not in known and not is_defined(node):
            names = [table.name for table in tables]
            alike = candidates(node.name, names) or names[:10]
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f'there is no table "{node.name}".',
                hint="There is " + ", ".join(f'"{name}"' for name in alike) + ".",
                details={"table": node.name, "candidates": alike},
            )


def _check_columns(nodes: list[exp.Expr], tables: Sequence[KnownTable]) -> None:
    """Refuses hidden columns by name; that they are not in the views is what protects them."""
    used = {node.name.casefold() for node in nodes if isinstance(node, exp.Table)}
    here = [table for table in tables if table.name.casefold() in used]
    hidden = {name.casefold(): (table.name, name) for table in here for name in table.hidden}
    if not hidden:
        return
    visible = {name.casefold() for table in here for name in table.columns}
    aliases = {alias.casefold() for alias in _aliases(nodes)}
    for node in nodes:
        name = node.name.casefold() if isinstance(node, exp.Column) else ""
        if name in hidden and name not in visible | aliases:
            table, column = hidden[name]
            raise ToolError(
                ErrorCategory.POLICY_DENIED,
                f"column {column} of {table} is blocked by policy.",
                hint="Ask without it, or change the policy.",
                details={"reason": "COLUMN_BLOCKED", "column": column, "table": table},
            )


def _aliases(nodes: list[exp.Expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, exp.Alias):
            yield node.alias
        elif isinstance(node, exp.TableAlias):
            yield from (column.name for column in node.args.get("columns") or [])


def _denied(why: str, hint: str = "") -> ToolError:
    return ToolError(
        ErrorCategory.POLICY_DENIED,
        f"the statement is refused: {why}.",
        hint=hint or "Only one SELECT over the tables of the request is run.",
        details={"reason": "SQL_REFUSED"},
    )
