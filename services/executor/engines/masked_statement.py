"""Statements over cells that policy blocks: what they name, and what they may not do to texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlglot
from sqlglot import exp

from mesh.policy import Policy
from mesh.pseudonym import spelled
from mesh.tool import ErrorCategory, ToolError
from services.executor.engines.dialect import Faithful

SPELLING_OUT = frozenset("ascii bin hamming md5 mismatches ord unicode url_encode".split())
"""What makes other text, or numbers, of the signs of a text."""

_BYTES = (
    exp.DataType.Type.BIT,
    exp.DataType.Type.BLOB,
    exp.DataType.Type.VARBINARY,
    exp.DataType.Type.BINARY,
)


def statement_within(sql: str, parameters: Sequence[Any], policy: Policy) -> tuple[str, list[Any]]:
    """A statement with the pseudonyms it names spelled as inside a query.

    Raises ToolError(POLICY_DENIED) for functions that would make other text, or numbers, of the
    signs of a pseudonym.
    """
    if not policy.blocked_patterns:
        return sql, list(parameters)
    hidden = spelled(sql)
    _check_functions(hidden)  # the very text that the guard reads after this
    return hidden, [spelled(p) if isinstance(p, str) else p for p in parameters]


def _check_functions(sql: str) -> None:
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect=Faithful) if tree is not None]
    except Exception:  # the guard, which reads it the same way, says what is wrong
        return
    for node in (node for tree in trees for node in tree.walk()):
        if isinstance(node, exp.Anonymous) and node.name.lower() in SPELLING_OUT:
            what = f"{node.name.lower()}()"
        elif isinstance(node, exp.DataType) and node.this in _BYTES:
            what = f"a cast to {node.this.value.lower()}"
        else:
            continue
        raise ToolError(
            ErrorCategory.POLICY_DENIED,
            f"the statement is refused: {what} takes texts apart, which a blocked pattern "
            "may stand for.",
            hint="Leave it out, or change the policy.",
            details={"reason": "SQL_REFUSED"},
        )
