"""The SQL of ClickHouse.

Its numbers wrap where DuckDB's are an error, so whole numbers are counted in more bits and made
narrow again with a check; NaN is smaller than itself there and largest here, so a number that is
not finite ends the statement (`throwIf`), and DuckDB computes it instead.
"""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.clickhouse import ClickHouse

from services.executor.databases.live import LiveColumn
from services.executor.engines.clickhouse.about import ENGINE
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.target import Target
from services.executor.pushdown.words import is_day, is_float, is_whole, own, writing

_TYPES = exp.DataType.Type
_MOMENT = "Nullable(DateTime64(6, 'UTC'))"
_WRAPPED = re.compile(r"(?:LowCardinality|Nullable)\((.*)\)", re.DOTALL)
_KEPT = re.compile(r"SimpleAggregateFunction\(\w+, (.*)\)", re.DOTALL)
_WHOLE = frozenset("Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32".split())
_FIRST, _LAST = "1900-01-01", "2299-12-31"
_NESTED = (
    "Array",
    "Tuple",
    "Map",
    "Nested",
    "JSON",
    "Object",
    "Dynamic",
    "Variant",
    "Point",
    "Ring",
    "Polygon",
    "MultiPolygon",
    "LineString",
    "MultiLineString",
)
_PARTS = {
    "year": "toYear({0})",
    "quarter": "toQuarter({0})",
    "month": "toMonth({0})",
    "day": "toDayOfMonth({0})",
    "hour": "toHour({0})",
    "minute": "toMinute({0})",
    "second": "toSecond({0})",
    "dow": "(toDayOfWeek({0}) % 7)",
    "isodow": "toDayOfWeek({0})",
    "doy": "toDayOfYear({0})",
    "week": "toISOWeek({0})",
}
_BEGAN = {
    "year": "toStartOfYear({0})",
    "quarter": "toStartOfQuarter({0})",
    "month": "toStartOfMonth({0})",
    "week": "toStartOfWeek({0}, 1)",
    "day": "toStartOfDay({0})",
    "hour": "toStartOfHour({0})",
    "minute": "toStartOfMinute({0})",
    "second": "toStartOfSecond({0})",
}
_SPREAD = {
    "stddev_samp": "stddevSampStable",
    "stddev_pop": "stddevPopStable",
    "var_samp": "varSampStable",
    "var_pop": "varPopStable",
}


def _median(target: Target, node: exp.Expr) -> exp.Expr:
    """Between two numbers it lies in the middle; of decimals DuckDB rounds that."""
    value = node.this
    if not (is_float(value) or is_whole(value)) or isinstance(node.parent, exp.Window):
        raise NotExpressible("the median of this")
    real = value if is_float(value) else target.cast(value, "double")
    return own("quantileExactInclusive(0.5)({0})", real, kind=_TYPES.DOUBLE)


class ClickHouseTarget(Target):
    """ClickHouse with the settings of `connect.SETTINGS`."""

    engine = ENGINE
    dialect = writing(ClickHouse)
    types: ClassVar = {
        "text": "Nullable(String)",
        "whole": "Nullable(Int64)",
        "double": "Nullable(Float64)",
        "truth": "Nullable(Bool)",
        "day": "Nullable(Date32)",
        "moment": _MOMENT,
    }
    functions = frozenset(
        """
        accuratecast throwif isfinite ifnull toint256 todecimal128 todate32 todatetime64 intdiv
        toyear toquarter tomonth todayofmonth tohour tominute tosecond todayofweek todayofyear
        toisoweek tostartofyear tostartofquarter tostartofmonth tostartofweek tostartofday
        tostartofhour tostartofminute tostartofsecond datediff formatdatetime lowerutf8 upperutf8
        lengthutf8 replaceall substringutf8 stddevsampstable stddevpopstable varsampstable
        varpopstable tovalidutf8 tojsonstring match addyears addquarters addmonths addweeks adddays
        addhours         addminutes addseconds quantileexactinclusive
        """.split()
    )
    shapes = frozenset(
        (
            "AnonymousAggFunc",
            "CombinedAggFunc",
            "ParameterizedAgg",
            "TimestampSub",
            "Not",
            "RegexpLike",
        )
    )
    formats: ClassVar = {
        "%Y": "%Y",
        "%m": "%m",
        "%d": "%d",
        "%H": "%H",
        "%M": "%i",
        "%S": "%S",
        "%j": "%j",
        "%y": "%y",
    }
    rules: ClassVar = {"Median": _median}
    exact_products = True
    re2 = True

    def quoted(self, name: str) -> str:
        """A name; those with signs that are escaped there are in no catalogue."""
        return f"`{name}`"

    def literal(self, text: str) -> str:
        """A text, in which a backslash escapes."""
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def stored_type(self, native: str) -> str:
        """The stored type of one of ClickHouse's; empty for what is left out."""
        bare = bare_type(native)
        if bare in _WHOLE:
            return "BIGINT"
        if bare in ("Bool", "Float32", "Float64", "BFloat16"):
            return "BOOLEAN" if bare == "Bool" else "DOUBLE"
        if bare == "UInt64":
            return "DECIMAL(38,0)"
        if found := re.fullmatch(r"Decimal\((\d+), (\d+)\)", bare):
            return f"DECIMAL({found[1]},{found[2]})" if int(found[1]) <= 38 else "DOUBLE"
        if bare in ("Date", "Date32"):
            return "DATE"
        if re.match(r"DateTime(64)?\b", bare):
            return "TIMESTAMP"
        return "" if bare.startswith(("AggregateFunction", "Nothing")) else "VARCHAR"

    def stored(self, column: LiveColumn) -> str:
        """A column in its stored type, which always takes NULL: functions give it then, too."""
        name, bare = self.quoted(column.name), bare_type(column.native)
        if column.stored == "VARCHAR":
            if bare.startswith(_NESTED):
                return f"CAST(toJSONString({name}) AS Nullable(String))"
            value = f"CAST({name} AS Nullable(String))"
            return f"toValidUTF8({value})" if bare.startswith(("String", "Fixed")) else value
        if column.stored == "DOUBLE":
            value = f"CAST({name} AS Nullable(Float64))"
            return value if bare.startswith("Decimal") else _finite(value)
        if column.stored.startswith("DECIMAL"):
            return f"CAST({name} AS Nullable({column.stored.replace('DECIMAL', 'Decimal')}))"
        kinds = {"BIGINT": "whole", "BOOLEAN": "truth", "DATE": "day", "TIMESTAMP": "moment"}
        return f"CAST({name} AS {self.types[kinds[column.stored]]})"

    def copied(self, column: LiveColumn) -> str:
        """As `stored`, with numbers that are not finite, which DuckDB can hold."""
        if column.stored == "DOUBLE":
            return f"CAST({self.quoted(column.name)} AS Nullable(Float64))"
        return self.stored(column)

    def matches(self, value: str, expression: str) -> str:
        """RE2, as DuckDB's."""
        return f"match({value}, {self.literal('(?i)' + expression)})"

    def decimal(self, digits: str) -> exp.Expr:
        """A number with a point is floating point there."""
        places = len(digits.partition(".")[2])
        return own(f"toDecimal128('{digits}', {places})", kind=_TYPES.DECIMAL)

    def day(self, text: str) -> exp.Expr:
        """A date that it can hold; another would silently be its first or last."""
        if not _FIRST <= text <= _LAST:
            raise NotExpressible("a date before 1900 or after 2299")
        return own(f"toDate32('{text}')", kind=_TYPES.DATE)

    def moment(self, text: str) -> exp.Expr:
        """A moment that it can hold."""
        if not _FIRST <= text[:10] <= _LAST:
            raise NotExpressible("a time before 1900 or after 2299")
        return own(f"toDateTime64('{text}', 6, 'UTC')", kind=_TYPES.TIMESTAMP)

    def finite(self, value: exp.Expr) -> exp.Expr:
        """One that is not finite ends the statement."""
        return own(_finite("{0}"), value, kind=_TYPES.DOUBLE)

    def whole_arithmetic(self, node: exp.Expr) -> exp.Expr:
        """In 256 bits, and back with a check."""
        sign = {"Add": "+", "Sub": "-", "Mul": "*"}[type(node).__name__]
        words = f"accurateCast(toInt256({{0}}) {sign} toInt256({{1}}), 'Nullable(Int64)')"
        return own(words, node.this, node.expression, kind=_TYPES.BIGINT)

    def whole_quotient(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """intDiv cuts towards zero."""
        words = "accurateCast(intDiv(toInt256({0}), toInt256({1})), 'Nullable(Int64)')"
        return own(words, left, right, kind=_TYPES.BIGINT)

    def whole_sum(self, node: exp.Expr) -> exp.Expr:
        """Of 38 digits; a sum in 64 bits would wrap."""
        value = node.this
        inner = value.expressions[0] if isinstance(value, exp.Distinct) else value
        wide = own("toDecimal128({0}, 0)", inner.copy(), kind=_TYPES.DECIMAL)
        inner.replace(wide)
        return node

    def part(self, unit: str, value: exp.Expr) -> exp.Expr:
        """A part of a date or moment."""
        return own(f"CAST({_PARTS[unit]} AS Nullable(Int64))", value)

    def truncated(self, unit: str, value: exp.Expr) -> exp.Expr:
        """When a unit began, in the type of the value."""
        to = "day" if is_day(value) else "moment"
        return own(f"CAST({_BEGAN[unit]} AS {self.types[to]})", value)

    def later(self, value: exp.Expr, count: int, unit: str) -> exp.Expr:
        """A moment so many units later."""
        return own(f"add{unit.capitalize()}s({{0}}, {count})", value)

    def days_between(self, earlier: exp.Expr, later: exp.Expr) -> exp.Expr:
        """How many midnights lie between two dates."""
        return own("dateDiff('day', {0}, {1})", earlier, later, kind=_TYPES.BIGINT)

    def formatted(self, value: exp.Expr, pattern: str) -> exp.Expr:
        """A moment as text."""
        return own(f"formatDateTime({{0}}, '{pattern}')", value)

    def cased(self, name: str, value: exp.Expr) -> exp.Expr:
        """Of all letters, not of ASCII's alone; ß stays one."""
        if name == "upper":
            return own("upperUTF8(replaceAll({0}, 'ß', 'ẞ'))", value, kind=_TYPES.VARCHAR)
        return own(f"{name}UTF8({{0}})", value, kind=_TYPES.VARCHAR)

    def length(self, value: exp.Expr) -> exp.Expr:
        """In characters, not bytes."""
        return own("CAST(lengthUTF8({0}) AS Nullable(Int64))", value, kind=_TYPES.BIGINT)

    def sliced(self, value: exp.Expr, start: int, length: int | None) -> exp.Expr:
        """Counted in characters."""
        until = "" if length is None else f", {length}"
        return own(f"substringUTF8({{0}}, {start}{until})", value, kind=_TYPES.VARCHAR)

    def spread(self, name: str, value: exp.Expr) -> exp.Expr:
        """By the numerically stable algorithm."""
        return own(f"{_SPREAD[name]}({{0}})", value, kind=_TYPES.DOUBLE)


def bare_type(native: str) -> str:
    """A type without what only says how it is kept, or that NULL may stand there."""
    while found := _WRAPPED.fullmatch(native) or _KEPT.fullmatch(native):
        native = found[1]
    return native


def _finite(value: str) -> str:
    test = f"throwIf(ifNull(NOT isFinite({value}), 0), 'ASSAY-ELSEWHERE')"
    return f"({value} + {test})"


TARGET = ClickHouseTarget()
