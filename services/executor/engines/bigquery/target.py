"""The SQL of BigQuery. What is divided by zero or beyond 64 bits is an error there; a number that
is not finite ends the statement (`ERROR`), and DuckDB computes it instead."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.bigquery import BigQuery

from services.executor.databases.live import LiveColumn
from services.executor.engines.bigquery.about import ENGINE
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import is_day, own, writing

_TYPES = exp.DataType.Type
_PARTS = {
    "dow": "(EXTRACT(DAYOFWEEK FROM {0}) - 1)",
    "isodow": "(MOD(EXTRACT(DAYOFWEEK FROM {0}) + 5, 7) + 1)",
    "doy": "EXTRACT(DAYOFYEAR FROM {0})",
    "week": "EXTRACT(ISOWEEK FROM {0})",
}
_ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\0": "\\0"}


class BigQueryTarget(Target):
    """GoogleSQL."""

    engine = ENGINE
    dialect = writing(BigQuery)
    types: ClassVar = {
        "text": "STRING",
        "whole": "INT64",
        "double": "FLOAT64",
        "truth": "BOOL",
        "day": "DATE",
        "moment": "DATETIME",
    }
    functions = frozenset(("error", "div", "to_json_string", "format_datetime", "is_inf"))
    shapes = frozenset(
        (
            "JSONFormat",
            "FormatDatetime",
            "WeekStart",
            "IsInf",
            "IsNan",
            "Mod",
            "Error",
            "IntDiv",
            "DPipe",
            "ToJSONString",
        )
    )
    formats: ClassVar = {
        name: name for name in ("%Y", "%m", "%d", "%H", "%M", "%S", "%y", "%j", "%b", "%B")
    }
    re2 = True

    def quoted(self, name: str) -> str:
        """A name; those with signs that are escaped there are in no catalogue."""
        return f"`{name}`"

    def literal(self, text: str) -> str:
        """A text, in which a backslash escapes and lines do not end."""
        return "'" + "".join(_ESCAPED.get(sign, sign) for sign in text) + "'"

    def stored_type(self, native: str) -> str:
        """The stored type of one of BigQuery's; empty for what is left out."""
        if found := re.fullmatch(r"NUMERIC\((\d+),(\d+)\)", native):
            return f"DECIMAL({found[1]},{found[2]})"
        kinds = {
            "INTEGER": "BIGINT",
            "FLOAT": "DOUBLE",
            "BOOLEAN": "BOOLEAN",
            "DATE": "DATE",
            "DATETIME": "TIMESTAMP",
            "TIMESTAMP": "TIMESTAMP",
            "NUMERIC": "DECIMAL(38,9)",
            "BIGNUMERIC": "DOUBLE",
            "BYTES": "",
            "GEOGRAPHY": "",
            "RANGE": "",
        }
        return kinds.get(native.partition("(")[0], "VARCHAR")

    def stored(self, column: LiveColumn) -> str:
        """A column in its stored type."""
        value = self.copied(column)
        return _finite(value) if column.native == "FLOAT" else value

    def copied(self, column: LiveColumn) -> str:
        """As `stored`, with numbers that are not finite, which DuckDB can hold."""
        name, native = self.quoted(column.name), column.native
        if native == "TIMESTAMP":
            return f"DATETIME({name}, 'UTC')"
        if native == "BIGNUMERIC":
            return f"CAST({name} AS FLOAT64)"
        if native == "JSON" or native.startswith(("RECORD", "REPEATED")):
            return f"TO_JSON_STRING({name})"
        return f"CAST({name} AS STRING)" if native in ("TIME", "INTERVAL") else name

    def matches(self, value: str, expression: str) -> str:
        """RE2, as DuckDB's."""
        return f"REGEXP_CONTAINS({value}, {self.literal('(?i)' + expression)})"

    def decimal(self, digits: str) -> exp.Expr:
        """A number with a point is floating point there."""
        return own(f"NUMERIC '{digits}'", kind=_TYPES.DECIMAL)

    def moment(self, text: str) -> exp.Expr:
        """A literal of a moment without a zone."""
        return own(f"DATETIME '{text}'", kind=_TYPES.TIMESTAMP)

    def finite(self, value: exp.Expr) -> exp.Expr:
        """One that is not finite ends the statement."""
        return own(_finite("{0}"), value, kind=_TYPES.DOUBLE)

    def whole_quotient(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """DIV cuts towards zero."""
        return own("DIV({0}, {1})", left, right, kind=_TYPES.BIGINT)

    def part(self, unit: str, value: exp.Expr) -> exp.Expr:
        """A part of a date or moment."""
        return own(_PARTS.get(unit, f"EXTRACT({unit.upper()} FROM {{0}})"), value)

    def truncated(self, unit: str, value: exp.Expr) -> exp.Expr:
        """When a unit began, in the type of the value; weeks begin on Monday."""
        name = "DATE_TRUNC" if is_day(value) else "DATETIME_TRUNC"
        return own(f"{name}({{0}}, {'ISOWEEK' if unit == 'week' else unit.upper()})", value)

    def later(self, value: exp.Expr, count: int, unit: str) -> exp.Expr:
        """A moment so many units later."""
        return own(f"DATETIME_ADD({{0}}, INTERVAL {count} {unit.upper()})", value)

    def days_between(self, earlier: exp.Expr, later: exp.Expr) -> exp.Expr:
        """How many midnights lie between two dates."""
        return own("DATE_DIFF({0}, {1}, DAY)", later, earlier, kind=_TYPES.BIGINT)

    def formatted(self, value: exp.Expr, pattern: str) -> exp.Expr:
        """A moment as text."""
        return own(f"FORMAT_DATETIME('{pattern}', {{0}})", value)


def _finite(value: str) -> str:
    test = f"(IS_NAN({value}) OR IS_INF({value}))"
    return f"(CASE WHEN {test} THEN CAST(ERROR('ASSAY-ELSEWHERE') AS FLOAT64) ELSE {value} END)"


TARGET = BigQueryTarget()
