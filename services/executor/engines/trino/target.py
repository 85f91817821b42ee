"""The SQL of Trino. Whole numbers beyond 64 bits are an error there; NaN is equal to nothing, so a
number that is not finite ends the statement (`1 / 0`), and DuckDB computes it instead."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.trino import Trino

from services.executor.databases.live import LiveColumn
from services.executor.engines.trino.about import ENGINE
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import is_day, own, writing

_TYPES = exp.DataType.Type
_PARTS = {
    "dow": "(day_of_week({0}) % 7)",
    "isodow": "day_of_week({0})",
    "doy": "day_of_year({0})",
    "week": "week({0})",
}
_NESTED = ("array", "map", "row", "json")


class TrinoTarget(Target):
    """Trino of 2023 and later."""

    engine = ENGINE
    dialect = writing(Trino)
    types: ClassVar = {
        "text": "varchar",
        "whole": "bigint",
        "double": "double",
        "truth": "boolean",
        "day": "date",
        "moment": "timestamp(6)",
    }
    functions = frozenset(
        "is_finite json_format date_format day_of_week day_of_year with_timezone".split()
    )
    shapes = frozenset(("JSONFormat", "Mod", "DateAdd", "TimeToStr", "AtTimeZone"))
    formats: ClassVar = {
        "%Y": "%Y",
        "%m": "%m",
        "%d": "%d",
        "%H": "%H",
        "%M": "%i",
        "%S": "%s",
        "%j": "%j",
        "%y": "%y",
    }
    exact_products = True

    def stored_type(self, native: str) -> str:
        """The stored type of one of Trino's; empty for what is left out."""
        if found := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", native):
            return f"DECIMAL({found[1]},{found[2]})"
        if native in ("tinyint", "smallint", "integer", "bigint"):
            return "BIGINT"
        if native.startswith(("varbinary", "hyperloglog", "qdigest", "tdigest", "p4", "geometry")):
            return ""
        kinds = {"real": "DOUBLE", "double": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE"}
        return "TIMESTAMP" if native.startswith("timestamp") else kinds.get(native, "VARCHAR")

    def stored(self, column: LiveColumn) -> str:
        """A column in its stored type."""
        value = self.copied(column)
        return _finite(value) if column.stored == "DOUBLE" else value

    def copied(self, column: LiveColumn) -> str:
        """As `stored`, with numbers that are not finite, which DuckDB can hold."""
        name, native = self.quoted(column.name), column.native
        if native.startswith("timestamp"):
            there = f"({name} AT TIME ZONE 'UTC')" if "with time zone" in native else name
            return f"CAST({there} AS timestamp(6))"
        if native.startswith(_NESTED):
            return f"json_format(CAST({name} AS json))"
        if column.stored == "DOUBLE":
            return f"CAST({name} AS double)"
        # char(n) is compared without the blanks at its end.
        plain = native.startswith("varchar") or column.stored != "VARCHAR"
        return name if plain else f"CAST({name} AS varchar)"

    def decimal(self, digits: str) -> exp.Expr:
        """A number with a point is a decimal there."""
        return own(f"DECIMAL '{digits}'", kind=_TYPES.DECIMAL)

    def finite(self, value: exp.Expr) -> exp.Expr:
        """One that is not finite ends the statement."""
        return own(_finite("{0}"), value, kind=_TYPES.DOUBLE)

    def whole_quotient(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """The quotient of whole numbers is one."""
        words = "(CAST({0} AS bigint) / CAST({1} AS bigint))"
        return own(words, left, right, kind=_TYPES.BIGINT)

    def whole_arithmetic(self, node: exp.Expr) -> exp.Expr:
        """In 64 bits, also of literals, which would be of 32."""
        for name in ("this", "expression"):
            node.set(name, self.cast(node.args[name], "whole"))
        return exp.paren(node)

    def part(self, unit: str, value: exp.Expr) -> exp.Expr:
        """A part of a date or moment."""
        return own(_PARTS.get(unit, f"EXTRACT({unit.upper()} FROM {{0}})"), value)

    def later(self, value: exp.Expr, count: int, unit: str) -> exp.Expr:
        """A moment so many units later."""
        return own(f"DATE_ADD('{unit}', {count}, {{0}})", value)

    def days_between(self, earlier: exp.Expr, later: exp.Expr) -> exp.Expr:
        """How many midnights lie between two dates."""
        return own("DATE_DIFF('day', {0}, {1})", earlier, later, kind=_TYPES.BIGINT)

    def truncated(self, unit: str, value: exp.Expr) -> exp.Expr:
        """When a unit began, in the type of the value; weeks begin on Monday."""
        to = self.types["day" if is_day(value) else "moment"]
        return own(f"CAST(DATE_TRUNC('{unit}', {{0}}) AS {to})", value)

    def formatted(self, value: exp.Expr, pattern: str) -> exp.Expr:
        """A moment as text."""
        return own(f"date_format({{0}}, '{pattern}')", value)


def _finite(value: str) -> str:
    # Of whole numbers, at the row: a constant would be an error before any row is read.
    ends = f"CAST(1 / (CASE WHEN is_finite({value}) THEN 1 ELSE 0 END) AS double)"
    known = f"WHEN is_finite({value}) THEN {value} WHEN {value} IS NULL THEN NULL"
    return f"(CASE {known} ELSE {ends} END)"


TARGET = TrinoTarget()
