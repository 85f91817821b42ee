"""What a form gives as the numbers of an intent, and as what these are split by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.planner.domain.catalogue import Catalogue, Column
from services.planner.domain.query.from_sql.filters import field_of, filters_of
from services.planner.domain.query.from_sql.nodes import (
    AGGREGATES,
    Node,
    NotExpressibleError,
    members,
)
from services.planner.domain.query.intent import (
    Aggregate,
    Bins,
    Dimension,
    Expression,
    Field,
    Filter,
    FullName,
    Grain,
    Group,
    Measure,
    Product,
)
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.semantics.kinds import Kind, kind_of

AGGREGATED = {
    "count": Aggregate.COUNT,
    "distinct": Aggregate.COUNT_DISTINCT,
    "sum": Aggregate.SUM,
    "avg": Aggregate.AVERAGE,
    "min": Aggregate.MINIMUM,
    "max": Aggregate.MAXIMUM,
    "median": Aggregate.MEDIAN,
    "stddev": Aggregate.DEVIATION,
    "variance": Aggregate.VARIANCE,
    "quantile": Aggregate.PERCENTILE,
    "corr": Aggregate.CORRELATION,
}


class Numbers:
    """Makes measures and dimensions; `real` are tables by their names, `counted` the one whose rows
    are."""

    def __init__(self, catalogue: Catalogue, real: dict[str, str], counted: str) -> None:
        self._catalogue, self._real, self._counted = catalogue, real, counted

    def measure(self, node: Node, label: str, *, shown: bool = True) -> Measure:
        """A number of each group. Raises NotExpressibleError for what is none."""
        if node.op not in AGGREGATES:
            raise NotExpressibleError(f"{node.op} is no number of groups")
        of, where, *more = node.parts
        values: dict[str, Any] = {
            "aggregate": AGGREGATED[node.op],
            "label": label,
            "shown": shown,
            "where": _tied(where),
            "additive": False,
            "table": self._counted,
        }
        if node.op == "corr":
            of, values["other"] = of[0], field_of(of[1])
        if node.op == "quantile":
            values["quantile"] = more[0]
        if of is not None and not (node.op == "distinct" and self._is_key(of)):
            values["expression"] = expression_of(of)
        if of is not None:
            values["table"] = table_of(of)
        values["additive"] = self._additive(node)
        return Measure(**values)

    def value(self, node: Node, label: str) -> Measure:
        """The number of each row as it stands."""
        expression = expression_of(node)
        return Measure(
            aggregate=None,
            table=table_of(node),
            expression=expression,
            label=label,
            additive=self._adds_up(node),
        )

    def dimension(self, node: Node, label: str, *, grouped: bool) -> Dimension:
        """What numbers are split by, or a column that is shown."""
        if node.op == "grain":
            grain = Grain(node.parts[0])
            return Dimension(expression=expression_of(node.parts[1]), label=label, grain=grain)
        if (ranges := _ranges(node)) is not None:
            of, bins = ranges
            return Dimension(expression=expression_of(of), label=label, bins=bins)
        expression = expression_of(node)
        day = grouped and isinstance(expression, Field) and self._is_day(expression)
        return Dimension(expression=expression, label=label, grain=Grain.DAY if day else None)

    def column(self, node: Node) -> Column | None:
        """What the data say of a column."""
        table = self._catalogue.table(self._real.get(node.parts[0], "")) if node.parts else None
        return table.column(node.parts[1]) if table is not None and node.op == "column" else None

    def _is_key(self, node: Node) -> bool:
        """Whether different values are the things of a table."""
        table = self._catalogue.table(self._real.get(node.parts[0], ""))
        return table is not None and key_of(table) == node.parts[1:]

    def _is_day(self, field: Field) -> bool:
        known = self.column(Node("column", (field.table, field.column)))
        return known is not None and known.data_type.value == "date"

    def _additive(self, node: Node) -> bool:
        if node.op == "count":
            return True
        return node.op == "sum" and self._adds_up(node.parts[0])

    def _adds_up(self, of: Node) -> bool:
        """Whether values of several rows may be added: no rates, ages or temperatures."""
        known = self.column(of)
        table = self._catalogue.table(self._real.get(of.parts[0], "")) if known else None
        if known is None or table is None:
            return True
        return kind_of(known, table) is not Kind.INTENSIVE


def expression_of(node: Node) -> Expression:
    """A column, a full name, or columns multiplied. Raises NotExpressibleError for others."""
    if node.op == "as number":
        return expression_of(node.parts[0])
    if node.op == "full name":
        return FullName(parts=tuple(map(field_of, node.parts)))
    if node.op != "product":
        return field_of(node)
    discounts = [one.parts[1] for one in node.parts if _is_rest(one)]
    factors = [one for one in node.parts if not _is_rest(one)]
    if not factors:
        raise NotExpressibleError("fractions of nothing")
    return Product(factors=tuple(map(field_of, factors)), discounts=tuple(map(field_of, discounts)))


def table_of(node: Node) -> str:
    """The table of the first column."""
    expression = expression_of(node)
    fields = {
        Field: lambda e: e,
        FullName: lambda e: e.parts[0],
        Product: lambda e: e.factors[0],
    }
    first: Callable[[Any], Field] = fields[type(expression)]
    return first(expression).table


def _is_rest(node: Node) -> bool:
    """Whether it is what a fraction leaves: 1 - discount."""
    return node.op == "minus" and node.parts[0] == Node("number", (1,))


def _tied(where: Node | None) -> Filter | None:
    if where is None:
        return None
    found = filters_of(members(where))
    return found[0] if len(found) == 1 else Group(connective="and", members=found)


def _ranges(node: Node) -> tuple[Node, Bins] | None:
    """A number in ranges of one width."""
    if node.op != "product" or len(node.parts) != 2:
        return None
    floor = next((one for one in node.parts if one.op == "floor"), None)
    width = next((one for one in node.parts if one.op == "number"), None)
    if floor is None or width is None or floor.parts[0].op != "over":
        return None
    of, by = floor.parts[0].parts
    return (of, Bins(width=width.parts[0])) if by == width and width.parts[0] > 0 else None
