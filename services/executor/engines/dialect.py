"""DuckDB's dialect, read and written so that a statement keeps its words.

sqlglot reads `DuckDB` for translating: functions become classes, and what they are written back as
is what it thinks the same (`to_char(day, 'YYYY-MM')` loses its format). `Faithful` is for running:
a call stays a call with its own name and arguments, an operator stays that operator. Only what has
a grammar of its own (CAST, EXTRACT, TRIM, POSITION, intervals) is read into classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.generators.duckdb import DuckDBGenerator
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.tokenizer_core import TokenType

TRANSLATED = "duckdb, version=1.5"
"""For reading a statement by its meaning; the version decides what `~` matches."""

_WITH_GRAMMAR = ("CAST", "POSITION", "SUBSTRING", "TRIM", "TRY_CAST")
_Written = Callable[[Any, Any], str]


def _arrow(kind: type[exp.Expr]) -> Any:
    """Reads `->` and `->>` without making a path of what stands behind."""

    def read(parser: Any, this: exp.Expr, expression: exp.Expr) -> exp.Expr:
        node: exp.Expr = parser.expression(kind(this=this, expression=expression))
        return node

    return read


def _extract(parser: Any) -> exp.Expr:
    """Reads EXTRACT with the part in its own spelling."""
    part = parser._parse_string() or parser._parse_var(any_token=True)
    parser._match(TokenType.FROM)
    node: exp.Expr = parser.expression(exp.Extract(this=part, expression=parser._parse_bitwise()))
    return node


def _operator(symbol: str) -> _Written:
    return lambda generator, node: str(generator.binary(node, symbol))


def _call(name: str, *arguments: str) -> _Written:
    return lambda generator, node: str(
        generator.func(name, *(node.args.get(argument) for argument in arguments))
    )


def _position(generator: Any, node: exp.Expr) -> str:
    return f"POSITION({generator.sql(node, 'substr')} IN {generator.sql(node, 'this')})"


def _extracted(generator: Any, node: exp.Expr) -> str:
    return f"EXTRACT({generator.sql(node, 'this')} FROM {generator.sql(node, 'expression')})"


def _trim(generator: Any, node: exp.Expr) -> str:
    side = str(node.args.get("position") or "").upper()
    name = {"LEADING": "LTRIM", "TRAILING": "RTRIM"}.get(side, "TRIM")
    return str(generator.func(name, node.this, node.expression))


def _not(generator: Any, node: exp.Expr) -> str:
    inner = node.this
    if isinstance(inner, exp.Is) and not inner.args.get("negate"):
        return f"{generator.sql(inner, 'this')} IS NOT {generator.sql(inner, 'expression')}"
    return str(generator.not_sql(node))


def _within_group(generator: Any, node: exp.Expr) -> str:
    order = generator.sql(node, "expression").strip()
    return f"{generator.sql(node, 'this')} WITHIN GROUP ({order})"


def _heeding_nulls(words: str) -> _Written:
    return lambda generator, node: str(generator._embed_ignore_nulls(node, words))


class Faithful(DuckDB):
    """Reads and writes every name, operator and literal as it stands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"version": "1.5", **settings})

    class Parser(DuckDBParser):
        """No function has a class of its own."""

        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            **{name: DuckDBParser.FUNCTION_PARSERS[name] for name in _WITH_GRAMMAR},
            "EXTRACT": _extract,
        }
        JSON_OPERATORS: ClassVar[dict[Any, Any]] = {
            TokenType.ARROW: _arrow(exp.JSONExtract),
            TokenType.DARROW: _arrow(exp.JSONExtractScalar),
        }

        def _parse_primary(self) -> exp.Expr | None:
            # `.5` is narrower than `0.5`, as decimals go.
            if self._match_pair(TokenType.DOT, TokenType.NUMBER):
                return exp.Literal.number(f".{self._prev.text}")
            return super()._parse_primary()

        def _parse_interval_span(
            self, this: exp.Expr, parse_function_unit: bool = True
        ) -> exp.Interval:
            following = self._curr and self._curr.text.upper() in self.dialect.VALID_INTERVAL_UNITS
            unit = self._parse_var(any_token=True, upper=True) if following else None
            return self.expression(exp.Interval(this=this, unit=unit))

    class Generator(DuckDBGenerator):
        """No class is written in other words."""

        MULTI_ARG_DISTINCT = True
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **DuckDBGenerator.TRANSFORMS,
            exp.Abs: lambda generator, node: f"@({generator.sql(node, 'this')})",
            exp.Extract: _extracted,
            exp.IgnoreNulls: _heeding_nulls("IGNORE NULLS"),
            exp.JSONExtract: _operator("->"),
            exp.JSONExtractScalar: _operator("->>"),
            exp.Not: _not,
            exp.Pow: _operator("^"),
            exp.RespectNulls: _heeding_nulls("RESPECT NULLS"),
            exp.StartsWith: _operator("^@"),
            exp.StrPosition: _position,
            exp.Substring: _call("SUBSTRING", "this", "start", "length"),
            exp.Trim: _trim,
            exp.WithinGroup: _within_group,
        }
