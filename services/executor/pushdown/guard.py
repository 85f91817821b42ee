"""The last look at a translated statement: only known nodes and functions reach the server.

The translation is ours and what it is made from passed the guard, so nothing should be refused
here. It is what holds if a rule of the translation is wrong.
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.allowed import SHAPES
from services.executor.engines.expressible import NotExpressible
from services.executor.engines.translated import FUNCTIONS
from services.executor.pushdown.target import Target


def checked(target: Target, statement: str) -> str:
    """The statement as it is.

    Raises ToolError(POLICY_DENIED) for anything unknown in it, NotExpressible for no statement.
    """
    try:
        trees = sqlglot.parse(statement, dialect=target.dialect)
    except (SqlglotError, RecursionError):
        raise NotExpressible("a translation that cannot be read back") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _denied("it is not one query")
    for node in trees[0].walk():
        if node.comments:
            raise _denied("it has comments, which the server may run")
        if isinstance(node, exp.Anonymous):
            if str(node.this).lower() not in target.functions:
                raise _denied(f"the function {node.this}() is unknown")
        elif isinstance(node, exp.Func):
            if type(node).__name__ not in FUNCTIONS | target.shapes:
                raise _denied(f"the function {node.sql_name().lower()}() is unknown")
        elif type(node).__name__ not in SHAPES | target.shapes:
            raise _denied(f"{type(node).__name__} is unknown")
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
            raise _denied("it reads what is no table")
        if node.args.get("into") or node.args.get("locks"):
            raise _denied("it would write or lock")
    return statement


def _denied(why: str) -> ToolError:
    return ToolError(
        ErrorCategory.POLICY_DENIED,
        f"the statement is not sent to the database: {why}.",
        details={"reason": "SQL_REFUSED"},
    )
