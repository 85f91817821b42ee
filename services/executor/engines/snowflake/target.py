"""The SQL of Snowflake. NaN is equal to itself and largest there, as here; what is divided by zero
is an error, and DuckDB computes it instead."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.snowflake import Snowflake

from services.executor.databases.live import LiveColumn
from services.executor.engines.snowflake.about import ENGINE
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import is_day, is_moment, own, writing

_TYPES = exp.DataType.Type
_TIME = "YYYY-MM-DD HH24:MI:SS.FF6"
_PARTS = {
    "year": "YEAR({0})",
    "quarter": "QUARTER({0})",
    "month": "MONTH({0})",
    "day": "DAY({0})",
    "hour": "HOUR({0})",
    "minute": "MINUTE({0})",
    "second": "SECOND({0})",
    "dow": "MOD(DAYOFWEEKISO({0}), 7)",
    "isodow": "DAYOFWEEKISO({0})",
    "doy": "DAYOFYEAR({0})",
    "week": "WEEKISO({0})",
}


class SnowflakeTarget(Target):
    """Snowflake with the settings of `connect.SETTINGS`."""

    engine = ENGINE
    dialect = writing(Snowflake)
    types: ClassVar = {
        "text": "VARCHAR",
        "whole": "NUMBER(38, 0)",
        "double": "DOUBLE",
        "truth": "BOOLEAN",
        "day": "DATE",
        "moment": "TIMESTAMP_NTZ(6)",
    }
    functions = frozenset(("weekiso", "convert_timezone", "to_json", "to_varchar"))
    shapes = frozenset(
        ("ConvertTimezone", "JSONFormat", "ToChar", "TimestampNtz", "TsOrDsAdd", "DateDiff")
    )
    formats: ClassVar = {
        "%Y": "YYYY",
        "%m": "MM",
        "%d": "DD",
        "%H": "HH24",
        "%M": "MI",
        "%S": "SS",
        "%y": "YY",
    }

    def literal(self, text: str) -> str:
        """A text, in which a backslash escapes."""
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"

    def stored_type(self, native: str) -> str:
        """The stored type of one of Snowflake's; empty for what is left out."""
        if found := re.fullmatch(r"NUMBER\((\d+),(\d+)\)", native):
            return "BIGINT" if found[2] == "0" else f"DECIMAL({found[1]},{found[2]})"
        if native in ("BINARY", "GEOGRAPHY", "GEOMETRY", "VECTOR", "FILE"):
            return ""
        kinds = {"FLOAT": "DOUBLE", "BOOLEAN": "BOOLEAN", "DATE": "DATE"}
        return "TIMESTAMP" if native.startswith("TIMESTAMP") else kinds.get(native, "VARCHAR")

    def stored(self, column: LiveColumn) -> str:
        """A column in its stored type."""
        name = self.quoted(column.name)
        if column.native in ("VARIANT", "OBJECT", "ARRAY", "MAP"):
            return f"TO_JSON({name})"
        if column.native == "TIME":
            return f"CAST({name} AS VARCHAR)"
        if column.native == "TIMESTAMP_NTZ":
            return f"CAST({name} AS TIMESTAMP_NTZ(6))"
        if column.stored == "TIMESTAMP":
            return f"CAST(CONVERT_TIMEZONE('UTC', {name}) AS TIMESTAMP_NTZ(6))"
        return name

    def copied(self, column: LiveColumn) -> str:
        """Times as text."""
        value = self.stored(column)
        return f"TO_VARCHAR({value}, '{_TIME}')" if column.stored == "TIMESTAMP" else value

    def sent(self, value: exp.Expr) -> exp.Expr:
        """Times as text: the driver's own reach from 1677 to 2262, and none of them is nothing."""
        return own(f"TO_VARCHAR({{0}}, '{_TIME}')", value) if is_moment(value) else value

    def whole_sum(self, node: exp.Expr) -> exp.Expr:
        """Of 38 digits."""
        if isinstance(node.parent, exp.Window):
            return node
        return own("CAST({0} AS NUMBER(38, 0))", node, kind=_TYPES.INT128)

    def moment(self, text: str) -> exp.Expr:
        """A literal of a moment without a zone."""
        return own(f"CAST('{text}' AS TIMESTAMP_NTZ(6))", kind=_TYPES.TIMESTAMP)

    def whole_quotient(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """What is left over goes first: a quotient is rounded to six digits there."""
        words = "CAST(({0} - MOD({0}, {1})) / {1} AS NUMBER(38, 0))"
        return own(words, left, right, kind=_TYPES.BIGINT)

    def part(self, unit: str, value: exp.Expr) -> exp.Expr:
        """A part of a date or moment, whichever day a session's weeks begin on."""
        return own(_PARTS[unit], value)

    def truncated(self, unit: str, value: exp.Expr) -> exp.Expr:
        """When a unit began, in the type of the value."""
        to = self.types["day" if is_day(value) else "moment"]
        if unit == "week":
            monday = "DATEADD(DAY, 1 - DAYOFWEEKISO({0}), DATE_TRUNC('DAY', {0}))"
            return own(f"CAST({monday} AS {to})", value)
        return own(f"CAST(DATE_TRUNC('{unit.upper()}', {{0}}) AS {to})", value)

    def later(self, value: exp.Expr, count: int, unit: str) -> exp.Expr:
        """A moment so many units later."""
        return own(f"DATEADD({unit.upper()}, {count}, {{0}})", value)

    def days_between(self, earlier: exp.Expr, later: exp.Expr) -> exp.Expr:
        """How many midnights lie between two dates."""
        return own("DATEDIFF(DAY, {0}, {1})", earlier, later, kind=_TYPES.BIGINT)

    def formatted(self, value: exp.Expr, pattern: str) -> exp.Expr:
        """A moment as text."""
        return own(f"TO_VARCHAR({{0}}, '{pattern}')", value)


TARGET = SnowflakeTarget()
