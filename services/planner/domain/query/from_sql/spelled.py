"""Expressions of a statement in one form, whatever they were written like."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from sqlglot import exp

from services.planner.domain.catalogue import Catalogue, Column, DataType
from services.planner.domain.query.from_sql.moments import moment
from services.planner.domain.query.from_sql.nodes import (
    AGGREGATES,
    Node,
    NotExpressibleError,
    column,
    several,
)
from services.planner.domain.query.kinds import Grain

NUMBERS = (DataType.INTEGER, DataType.FLOAT)
TIMES = (DataType.DATE, DataType.DATETIME)
_PICKED: Mapping[type[exp.Expr], Grain] = {
    exp.Year: Grain.YEAR,
    exp.Month: Grain.MONTH_OF_YEAR,
    exp.Hour: Grain.HOUR,
    exp.Dayname: Grain.WEEKDAY,
}
_PARTS = {"year": Grain.YEAR, "month": Grain.MONTH_OF_YEAR, "hour": Grain.HOUR}
_CUT = frozenset(("quarter", "month", "week", "day"))
_FLOATS = ("DOUBLE", "FLOAT", "REAL")
_MOMENTS = ("DATE", "TIMESTAMP")
_NAMED = (Grain.YEAR, Grain.MONTH_OF_YEAR, Grain.WEEKDAY, Grain.HOUR)


class Spelled:
    """Expressions over tables, each known by the name `called` has for it."""

    def __init__(self, catalogue: Catalogue, called: Mapping[str, str], real: Mapping[str, str]):
        self._tables = {t.name: t for t in catalogue.tables}
        self._called, self._real = called, real
        self._columns = {
            name: {c.name.casefold(): c for c in self._tables[table].columns}
            for name, table in real.items()
        }

    def known(self, node: Node) -> Column | None:
        """What the data say of a column."""
        if node.op != "column":
            return None
        table = self._tables[self._real[node.parts[0]]]
        return table.column(node.parts[1])

    def kind(self, node: Node) -> DataType | None:
        """The type of a column; None of anything else."""
        known = self.known(node)
        return known.data_type if known is not None else None

    def node(self, tree: exp.Expr) -> Node:
        """The form of an expression. Raises NotExpressibleError for what has none."""
        tree = tree.unnest()
        if isinstance(tree, exp.Column):
            return self._column(tree)
        if (value := _value(tree)) is not None:
            return value
        if isinstance(tree, exp.Cast):
            return self._cast(tree)
        if (unit := self._unit(tree)) is not None:
            return unit
        if isinstance(tree, exp.Filter | exp.AggFunc | exp.Window):
            return self.aggregate(tree)
        return self._worked_out(tree)

    def condition(self, tree: exp.Expr) -> Node:
        """The form of a condition. What conditions are made of is known elsewhere."""
        raise NotExpressibleError(f"no condition: {type(tree).__name__}")

    def _column(self, tree: exp.Column) -> Node:
        name = self._called.get(tree.table, "")
        known = self._columns.get(name, {}).get(tree.name.casefold())
        if known is None or known.formula:
            raise NotExpressibleError(f"no column {tree.name}")
        return column(name, known.name)

    def _cast(self, tree: exp.Cast) -> Node:
        kind = str(tree.to.sql(dialect="duckdb")).upper()
        inner = tree.this.unnest()
        if isinstance(inner, exp.Literal) and inner.is_string and kind in _MOMENTS:
            return moment(inner.name, whole_day=kind == "DATE")
        of = self.node(tree.this)
        if kind in _MOMENTS:
            day = of.op == "grain" and of.parts[0] not in _NAMED
            if day or of.op == "moment" or self.kind(of) is DataType.DATE:
                return of
            if self.kind(of) is DataType.DATETIME:
                return of if kind != "DATE" else Node("grain", (Grain.DAY.value, of))
        if kind in _FLOATS:
            if self._is_number(of):
                return of
            if self.kind(of) is DataType.STRING:
                return Node("as number", (of,))
        if kind in ("TEXT", "VARCHAR") and of.op == "column":
            return of if self.kind(of) is DataType.STRING else Node("as text", (of,))
        raise NotExpressibleError(f"a cast to {kind}")

    def _is_number(self, node: Node) -> bool:
        if node.op == "column":
            return self.kind(node) in NUMBERS
        if node.op in ("min", "max"):
            return self._is_number(node.parts[0])
        worked_out = ("number", "window", "product", "over", "minus", "plus", "as number")
        return node.op in AGGREGATES or node.op in worked_out

    def _unit(self, tree: exp.Expr) -> Node | None:
        """The unit of time that a moment lies in."""
        grain: Grain | None = _PICKED.get(type(tree))
        of = tree.this if grain is not None else None
        if isinstance(tree, exp.Extract):
            grain, of = _PARTS.get(tree.this.name.casefold()), tree.expression
        elif isinstance(tree, exp.Anonymous) and tree.name.casefold() in ("date_part", "datepart"):
            part, of = tree.expressions
            grain = _PARTS.get(part.name.casefold())
        elif isinstance(tree, exp.DateTrunc | exp.TimestampTrunc):
            unit, of = tree.text("unit").casefold(), tree.this
            grain = Grain(unit) if unit in _CUT else None
        if of is None:
            return None
        while isinstance(of, exp.Cast | exp.TsOrDsToDate | exp.Paren):
            of = of.this  # a day of a moment lies in the same units, but for hours
            if grain is Grain.HOUR:
                raise NotExpressibleError("an hour of a cast")
        inner = self.node(of)
        if grain is None or self.kind(inner) not in TIMES:
            raise NotExpressibleError("a unit of time that no intent has")
        if grain is Grain.DAY and self.kind(inner) is DataType.DATE:
            return inner
        return Node("grain", (grain.value, inner))

    def aggregate(self, tree: exp.Expr) -> Node:
        """The form of a number of groups, or one over a window. How these are made is known
        elsewhere."""
        raise NotExpressibleError(f"no number: {type(tree).__name__}")

    def _worked_out(self, tree: exp.Expr) -> Node:
        if isinstance(tree, exp.Mul):
            factors = [self.node(one) for one in tree.flatten()]
            every = [f for one in factors for f in (one.parts if one.op == "product" else (one,))]
            kept = [one for one in every if one != Node("number", (1,))]
            return several("product", kept) if len(kept) > 1 else kept[0]
        if isinstance(tree, exp.Div):
            return Node("over", (self.node(tree.this), self.node(_divisor(tree.expression))))
        if isinstance(tree, exp.Sub):
            return Node("minus", (self.node(tree.this), self.node(tree.expression)))
        if isinstance(tree, exp.ConcatWs):
            return self._name(tree.expressions)
        if isinstance(tree, exp.DPipe):
            return self._name([exp.Literal.string(" "), *self._pieces(tree)])
        if isinstance(tree, exp.Nullif) and _is_nought(tree.expression):
            return self._place(tree.this.unnest())
        if isinstance(tree, exp.ArrayPosition) or (
            isinstance(tree, exp.Anonymous) and tree.name.casefold() == "list_position"
        ):
            return self._place(tree)  # which is missing, not nought, where there is none
        if isinstance(tree, exp.DayOfWeekIso):
            return Node("place of weekday", (self.node(tree.this),))
        if isinstance(tree, exp.Floor):
            return Node("floor", (self.node(tree.this),))
        raise NotExpressibleError(f"{type(tree).__name__} is nothing that an intent has")

    def _name(self, parts: list[exp.Expr]) -> Node:
        space, *columns = parts
        nodes = tuple(map(self.node, columns))
        if not space.is_string or space.name != " " or any(n.op != "column" for n in nodes):
            raise NotExpressibleError("texts put together otherwise than by a space")
        return Node("full name", nodes)

    def _pieces(self, tree: exp.DPipe) -> list[exp.Expr]:
        """The columns between which spaces stand, none of which may be missing."""
        parts = list(tree.flatten())
        names, spaces = parts[::2], parts[1::2]
        known = [self.known(self.node(name)) for name in names]
        full = all(one is not None and not one.nullable and not one.nulls for one in known)
        if not full or not spaces or any(not s.is_string or s.name != " " for s in spaces):
            raise NotExpressibleError("texts put together otherwise than by a space")
        return names

    def _place(self, tree: exp.Expr) -> Node:
        """The place of a text among some."""
        texts, of = None, None
        if isinstance(tree, exp.Anonymous) and tree.name.casefold() == "list_position":
            texts, of = tree.expressions
        elif isinstance(tree, exp.ArrayPosition):
            texts, of = tree.this, tree.expression
        if not isinstance(texts, exp.Array) or of is None:
            raise NotExpressibleError("a number that is missing where it is nought")
        names = tuple(one.name for one in texts.expressions if one.is_string)
        if len(names) != len(texts.expressions):
            raise NotExpressibleError("places among other things than texts")
        return Node("place", (self.node(of), names))


def _divisor(tree: exp.Expr) -> exp.Expr:
    """What is divided by: that there is no value over nought goes without saying."""
    inner = tree.unnest()
    return inner.this if isinstance(inner, exp.Nullif) and _is_nought(inner.expression) else inner


def _is_nought(tree: exp.Expr) -> bool:
    return isinstance(tree, exp.Literal) and not tree.is_string and float(tree.name) == 0


def _value(tree: exp.Expr) -> Node | None:
    """A number, a text, or whether something holds."""
    if isinstance(tree, exp.Neg):
        inner = _value(tree.this.unnest())
        return Node("number", (-inner.parts[0],)) if inner and inner.op == "number" else None
    if isinstance(tree, exp.Boolean):
        return Node("flag", (bool(tree.this),))
    if not isinstance(tree, exp.Literal):
        return None
    if tree.is_string:
        return Node("text", (tree.name,))
    number = Decimal(tree.name)
    whole = number == number.to_integral_value()
    return Node("number", (int(number) if whole else float(number),))
