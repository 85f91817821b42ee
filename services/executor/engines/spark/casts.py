"""Values of one type as another, in Spark's words; see `spark_rules`."""

from __future__ import annotations

from sqlglot import exp

from services.executor.engines.expressible import NotExpressible
from services.executor.engines.spark.words import (
    TIMES,
    call,
    cast,
    is_decimal,
    is_double,
    is_text,
    is_whole,
    number,
)
from services.executor.engines.spellings import ELSEWHERE, matches, spelling, written_plainly


def converted(node: exp.Expr) -> exp.Expr:
    """CAST and TRY_CAST."""
    value, to, trying = node.this, node.args["to"], isinstance(node, exp.TryCast)
    kind = to.this
    types = exp.DataType.Type
    name = {
        types.TINYINT: "BIGINT",
        types.SMALLINT: "BIGINT",
        types.INT: "BIGINT",
        types.BIGINT: "BIGINT",
        types.DOUBLE: "DOUBLE",
        types.FLOAT: "FLOAT",
        types.DATE: "DATE",
        **dict.fromkeys(TIMES, "TIMESTAMP"),
        types.BOOLEAN: "BOOLEAN",
        types.VARCHAR: "STRING",
        types.TEXT: "STRING",
        types.INT128: "DECIMAL(38,0)",
    }.get(kind)
    if kind is types.DECIMAL:
        name = to.sql(dialect="spark") if to.expressions else "DECIMAL(18,3)"
    if name is None:
        raise NotExpressible(f"a cast to {to.sql(dialect='duckdb')}")
    if name == "STRING" and not same_text(value):
        raise NotExpressible("a cast to text of numbers with a point, or of unknown type")
    given = value
    if name == "BIGINT":
        if kind not in (types.BIGINT, types.INT) and not is_whole(value):
            raise NotExpressible(f"a cast to {to.sql(dialect='duckdb')}")
        value = _to_whole(value, trying)
        name = "INT" if kind is types.INT else name
    result = cast(value, name, trying=trying)
    if name == "STRING" or not is_text(given):
        return result
    if not trying and written_plainly(given, kind):
        return result
    return _where_plain(given, kind, name, result, trying)


def _where_plain(
    text: exp.Expr, kind: exp.DType, name: str, result: exp.Expr, trying: bool
) -> exp.Expr:
    """The result for texts that are spelled plainly; see `spellings`."""
    known = spelling(kind)
    nothing = cast(exp.Null(), name)
    ifs = [
        exp.If(this=exp.Is(this=text.copy(), expression=exp.Null()), true=nothing),
        exp.If(this=matches(text, known.plain), true=result),
    ]
    if trying:
        none = exp.Not(this=matches(text, known.doubtful))
        ifs.append(exp.If(this=none, true=nothing.copy()))
    elsewhere = cast(call("raise_error", exp.Literal.string(ELSEWHERE)), name)
    return exp.Case(ifs=ifs, default=elsewhere)


def _to_whole(value: exp.Expr, trying: bool) -> exp.Expr:
    """DuckDB rounds: halves to even from floating point, away from zero from decimals."""
    if is_double(value):
        return call("rint", value.copy())
    if is_decimal(value):
        return call("round", value.copy(), number(0))
    if is_text(value):
        return call("round", cast(value, "DECIMAL(38,10)", trying=trying), number(0))
    return value


def same_text(value: exp.Expr) -> bool:
    """Whether both engines write the value as the same text."""
    types = exp.DataType.Type
    return (
        is_text(value)
        or is_whole(value)
        or is_decimal(value)
        or bool(value.type and value.type.this in (types.DATE, types.BOOLEAN, types.NULL, *TIMES))
    )


def as_text(value: exp.Expr) -> exp.Expr:
    """The value as text. Raises NotExpressible for numbers with a point."""
    if not same_text(value):
        raise NotExpressible("numbers with a point as text")
    return cast(value, "STRING")
