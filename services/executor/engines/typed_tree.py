"""The tree of a statement, with every name spelled out and every value typed as DuckDB types it.

sqlglot knows the types of columns and functions, but takes `1.5` for floating point, a decimal
times a floating-point number for a decimal, and knows nothing above 64 bits. Translations round,
divide and convert by these types, so they have to be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.optimizer.annotate_types import TypeAnnotator, annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from services.executor.engines.workspace import FlatTable

_TYPES = exp.DataType.Type
# A number of one type with one of a type before it makes a number of that.
_WIDENING = (
    _TYPES.DOUBLE,
    _TYPES.FLOAT,
    _TYPES.DECIMAL,
    _TYPES.INT128,
    _TYPES.BIGINT,
    _TYPES.INT,
    _TYPES.SMALLINT,
    _TYPES.TINYINT,
)
_COERCIONS: Any = {
    **TypeAnnotator.COERCES_TO,
    **{kind: set(_WIDENING[:place]) for place, kind in enumerate(_WIDENING)},
}
_KNOWN: Any = DuckDB.EXPRESSION_METADATA


def _literal(annotator: Any, node: exp.Literal) -> exp.Literal:
    """A number with a point and without an exponent, such as 1.5, is a decimal."""
    _KNOWN[exp.Literal]["annotator"](annotator, node)
    if not node.is_string and "." in node.name and "e" not in node.name.lower():
        node.type = exp.DataType(this=_TYPES.DECIMAL)
    return node


# What sqlglot does not know of DuckDB, or not of its decimals.
_RESULTS: Any = {
    **_KNOWN,
    **dict.fromkeys((exp.Round, exp.Floor, exp.Ceil, exp.Trunc, exp.Nullif), _KNOWN[exp.Abs]),
    exp.Div: _KNOWN[exp.Sqrt],
    exp.Literal: {"annotator": _literal},
}


def typed(tree: exp.Expr, tables: Sequence[FlatTable]) -> exp.Expr:
    """A copy in which stars, aliases and USING are spelled out and every node has its `type`.

    Decimals have no width there: what is of another width would not be widened. Raises
    sqlglot.errors.SqlglotError for what cannot be qualified.
    """
    schema = MappingSchema(
        {table.name: {c.name: _type(c.type) for c in table.columns} for table in tables},
        dialect="duckdb",
    )
    qualified = qualify(
        tree.copy(), schema=schema, dialect="duckdb", validate_qualify_columns=False
    )
    widths = [(kind, kind.expressions) for kind in qualified.find_all(exp.DataType)]
    for kind, width in widths:
        if kind.this == _TYPES.DECIMAL and width:
            kind.set("expressions", [])
    annotated = annotate_types(
        qualified,
        schema=schema,
        expression_metadata=_RESULTS,
        coerces_to=_COERCIONS,
        dialect="duckdb",
    )
    for kind, width in widths:
        if kind.this == _TYPES.DECIMAL and width:
            kind.set("expressions", width)
    return annotated


def _type(name: str) -> exp.DataType:
    """A stored type by DuckDB's name of it."""
    kind = exp.DataType.build(name, dialect="duckdb")
    if kind.this == _TYPES.DECIMAL:
        kind.set("expressions", [])
    return kind
