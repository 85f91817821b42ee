"""What a database's SQL is, as far as databases differ in what a translation needs of them.

An engine derives from `Target` and says what is otherwise there. What a base method says is the
SQL standard's, which Snowflake and Trino keep to most closely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from services.executor.databases.live import LiveColumn, Relation
from services.executor.engines.declared import Declared
from services.executor.engines.expressible import NotExpressible
from services.executor.pushdown.words import own

_TYPES = exp.DataType.Type
Rule = Callable[[Any, exp.Expr], exp.Expr]
"""A node that means the same there, of a target and a node whose parts are already translated."""
UNITS = frozenset("year quarter month week day hour minute second".split())


class Target:
    """The SQL of one product. Its methods give sqlglot's nodes, or SQL where they say so.

    - `engine`: whose SQL it is; `dialect`: how sqlglot writes and reads it (`words.writing`).
    - `types`: its names for text, whole, double, truth, day and moment, as CAST takes them.
    - `functions`: plain functions, in lower case, that a translation may call there.
    - `rules`: by the name of sqlglot's class, what is said otherwise; None where it cannot be said.
    - `exact_products`: whether a product of decimals keeps all its digits or is an error.
    - `formats`: directives of strftime in its own words.
    - `re2`: whether `matches` reads regular expressions as RE2 does.
    - `translates`: whether statements are sent there at all; else its tables are copied.
    """

    engine: ClassVar[Declared]
    dialect: ClassVar[type[Dialect]]
    types: ClassVar[Mapping[str, str]] = {}
    functions: ClassVar[frozenset[str]] = frozenset()
    shapes: ClassVar[frozenset[str]] = frozenset()
    rules: ClassVar[Mapping[str, Rule | None]] = {}
    formats: ClassVar[Mapping[str, str]] = {}
    exact_products: ClassVar[bool] = False
    re2: ClassVar[bool] = False
    translates: ClassVar[bool] = True

    # Names, literals, columns: SQL.

    def quoted(self, name: str) -> str:
        """A name as the server reads it, whatever it holds."""
        return '"' + name.replace('"', '""') + '"'

    def literal(self, text: str) -> str:
        """A text as the server reads it."""
        return "'" + text.replace("'", "''") + "'"

    def place(self, relation: Relation) -> str:
        """A table by its whole name."""
        parts = filter(None, (relation.schema_name, relation.name))
        return ".".join(map(self.quoted, parts))

    def stored_type(self, native: str) -> str:
        """The stored type of one of its own; empty for what is left out."""
        raise NotImplementedError

    def stored(self, column: LiveColumn) -> str:
        """A column in its stored type; ends the statement where a value is none of it."""
        return self.quoted(column.name)

    def copied(self, column: LiveColumn) -> str:
        """As `stored`, also of values that a statement would end at and that DuckDB can hold."""
        return self.stored(column)

    def text_of(self, column: LiveColumn) -> str:
        """A column of whole numbers or texts as text. Raises NotExpressible for others."""
        value = self.stored(column)
        if column.stored == "VARCHAR":
            return value
        if column.stored == "BIGINT":
            return f"CAST({value} AS {self.types['text']})"
        raise NotExpressible("digits of numbers that are not whole by their type")

    def nothing(self) -> str:
        """A text that is not there."""
        return f"CAST(NULL AS {self.types['text']})"

    def limited(self, sql: str, most: int) -> str:
        """A query of at most so many rows."""
        return f"{sql} LIMIT {most}"

    def matches(self, value: str, expression: str) -> str:
        """Whether a text matches somewhere, in any case, where `re2`."""
        raise NotExpressible(f"the blocked pattern {expression!r}")

    # Values: nodes.

    def cast(self, value: exp.Expr, to: str) -> exp.Expr:
        """A value as another type, by the keys of `types`."""
        kinds = {
            "text": _TYPES.VARCHAR,
            "whole": _TYPES.BIGINT,
            "double": _TYPES.DOUBLE,
            "truth": _TYPES.BOOLEAN,
            "day": _TYPES.DATE,
            "moment": _TYPES.TIMESTAMP,
        }
        return own(f"CAST({{0}} AS {self.types[to]})", value, kind=kinds[to])

    def decimal(self, digits: str) -> exp.Expr:
        """A decimal number that is written out, exactly."""
        return own(digits, kind=_TYPES.DECIMAL)

    def day(self, text: str) -> exp.Expr:
        """The date YYYY-MM-DD."""
        return own(f"DATE '{text}'", kind=_TYPES.DATE)

    def moment(self, text: str) -> exp.Expr:
        """The moment YYYY-MM-DD HH:MM:SS.ffffff."""
        return own(f"TIMESTAMP '{text}'", kind=_TYPES.TIMESTAMP)

    def finite(self, value: exp.Expr) -> exp.Expr:
        """A floating-point number; one that is not finite ends the statement there."""
        return value

    def whole_arithmetic(self, node: exp.Expr) -> exp.Expr:
        """A sum, difference or product of whole numbers, an error beyond 64 bits."""
        return exp.paren(node)

    def whole_quotient(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """A quotient of whole numbers cut towards zero; `right` is not zero."""
        raise NotExpressible("whole quotients")

    def whole_sum(self, node: exp.Expr) -> exp.Expr:
        """A sum of whole numbers, exact or an error."""
        return node

    def part(self, unit: str, value: exp.Expr) -> exp.Expr:
        """year, quarter, month, day, hour, minute, second (a whole number), dow (Sunday is 0),
        isodow, doy or week (ISO) of a date or moment. Raises NotExpressible."""
        raise NotExpressible(f"the part {unit} of a date")

    def truncated(self, unit: str, value: exp.Expr) -> exp.Expr:
        """When a unit began, by the names of `UNITS`."""
        return own(f"DATE_TRUNC('{unit}', {{0}})", value)

    def later(self, value: exp.Expr, count: int, unit: str) -> exp.Expr:
        """A moment so many units later; of months that are shorter, their last day."""
        raise NotExpressible("intervals")

    def days_between(self, earlier: exp.Expr, later: exp.Expr) -> exp.Expr:
        """How many midnights lie between two dates."""
        raise NotExpressible("differences of dates")

    def formatted(self, value: exp.Expr, pattern: str) -> exp.Expr:
        """A moment as text; `pattern` is in words of `formats`."""
        raise NotExpressible("strftime")

    def cased(self, name: str, value: exp.Expr) -> exp.Expr:
        """A text in upper or lower case; ß stays one letter."""
        if name == "upper":
            return own("UPPER(REPLACE({0}, 'ß', 'ẞ'))", value, kind=_TYPES.VARCHAR)
        return own(f"{name.upper()}({{0}})", value, kind=_TYPES.VARCHAR)

    def length(self, value: exp.Expr) -> exp.Expr:
        """How many characters a text has."""
        return own("LENGTH({0})", value, kind=_TYPES.BIGINT)

    def sliced(self, value: exp.Expr, start: int, length: int | None) -> exp.Expr:
        """A part of a text, counted in characters from 1."""
        until = "" if length is None else f", {length}"
        return own(f"SUBSTR({{0}}, {start}{until})", value, kind=_TYPES.VARCHAR)

    def like(self, value: exp.Expr, pattern: str) -> exp.Expr:
        """Whether a text has a form of `%` and `_`, in which there is no backslash."""
        return own("({0} LIKE {1})", value, own(self.literal(pattern)), kind=_TYPES.BOOLEAN)

    def sent(self, value: exp.Expr) -> exp.Expr:
        """A value of the result in the form in which it arrives whole."""
        return value

    def spread(self, name: str, value: exp.Expr) -> exp.Expr:
        """stddev_samp, stddev_pop, var_samp or var_pop of floating-point numbers."""
        return own(f"{name.upper()}({{0}})", value, kind=_TYPES.DOUBLE)
