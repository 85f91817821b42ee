"""Whether a query gives equal bits however its rows are spread over threads.

Sums of floating-point numbers depend on the order of addition, and so do functions that take one
of several rows. Whole numbers and decimals add up exactly in any order.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from services.executor.engines.dialect import TRANSLATED
from services.executor.engines.typed_tree import typed
from services.executor.engines.workspace import FlatTable

_FREE = (
    exp.Count,
    exp.CountIf,
    exp.Min,
    exp.Max,
    exp.ApproxDistinct,
    exp.LogicalAnd,
    exp.LogicalOr,
    exp.Median,
    exp.Quantile,
    exp.PercentileCont,
    exp.PercentileDisc,
)
_EXACT = (*exp.DataType.INTEGER_TYPES, exp.DataType.Type.DECIMAL, exp.DataType.Type.BOOLEAN)


def free_of_order(statement: str, tables: Sequence[FlatTable]) -> bool:
    """Whether threads cannot change the result; False where that is not certain."""
    try:
        tree = typed(sqlglot.parse_one(statement, dialect=TRANSLATED), tables)
    except (SqlglotError, RecursionError):
        return False
    return all(_free(node) for node in tree.walk())


def _free(node: exp.Expr) -> bool:
    if isinstance(node, (exp.Window, exp.Anonymous, exp.AnonymousAggFunc, exp.Placeholder)):
        return False
    if isinstance(node, exp.Select):
        limited = node.args.get("limit") or node.args.get("offset") or node.args.get("distinct")
        mixed = node.args.get("joins") or node.args.get("group")
        return not (limited and mixed and not node.args.get("order"))
    if isinstance(node, (exp.Sum, exp.Avg)):
        kind = node.this.this.type if isinstance(node.this, exp.Distinct) else node.this.type
        return kind is not None and kind.this in _EXACT
    return isinstance(node, _FREE) or not isinstance(node, exp.AggFunc)
