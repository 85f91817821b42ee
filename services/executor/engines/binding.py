"""Parameters of a statement, written into it as literals.

DuckDB's Python binding imports pandas to look at a parameter, which costs a quarter of a second in
a fresh process; a literal that sqlglot renders costs a millisecond and is as safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesh.tool import ErrorCategory, ToolError


def bound(statement: str, parameters: Sequence[Any]) -> str:
    """The statement with each `?` replaced by the next parameter.

    Raises ToolError: INVALID_ARGUMENTS when their numbers differ, SQL_SYNTAX for what holds a
    question mark and cannot be read.
    """
    if not parameters and "?" not in statement:
        return statement
    # Here, because most statements have none, and a process of queries needs sqlglot for nothing
    # else.
    from sqlglot import exp
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import TokenError
    from sqlglot.tokenizer_core import TokenType

    try:
        tokens = DuckDB().tokenize(statement)
    except TokenError:
        raise ToolError(ErrorCategory.SQL_SYNTAX, "the statement cannot be read.") from None
    marks = [token for token in tokens if token.token_type is TokenType.PLACEHOLDER]
    if len(marks) != len(parameters):
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the query has {len(marks)} question marks and {len(parameters)} params",
        )
    parts, end = [], 0
    for mark, value in zip(marks, parameters, strict=True):
        parts += [statement[end : mark.start], exp.convert(value).sql(dialect="duckdb")]
        end = mark.end + 1
    return "".join([*parts, statement[end:]])
