"""In which order, and how many: what was asked for, else what reads best."""

from __future__ import annotations

from services.planner.domain.catalogue import DataType
from services.planner.domain.language.dimensions.recency import LATEST_FIRST
from services.planner.domain.language.linking.lexicon import Match, lexicon_of
from services.planner.domain.language.phrases.clauses import OrderWish
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import tokenise
from services.planner.domain.query.calendars import calendar_ranks
from services.planner.domain.query.intent import Dimension, Field, Order

_FILLERS = frozenset(["the", "their", "of", "its"])
_SURE = 0.7


def order_and_limit(work: Work) -> tuple[list[Order], int | None]:
    """The sort keys, most important first, and the number of rows to keep."""
    draft, top = work.draft, work.parts.top
    orders: list[Order] = []
    if top is not None and top.per_group:
        by_value = Order(target="measure", descending=top.descending)
        return [Order(target="dimension", index=1), by_value, Order(target="dimension")], None
    if top is not None and draft.newest_by is not None:
        orders = _by_date(work, LATEST_FIRST[top.word])
    elif top is not None and draft.measures:
        orders.append(Order(target="measure", descending=top.descending))
    elif work.wishes.order is not None and (draft.measures or draft.dimensions):
        orders.append(_wished(work, work.wishes.order))
    if not orders and top is not None and top.word in LATEST_FIRST:
        orders = _by_date(work, LATEST_FIRST[top.word])
    if not orders:
        orders = _natural(work)
    if top is not None:
        orders += [
            Order(target="dimension", index=index)
            for index in range(len(draft.dimensions))
            if not any(o.target == "dimension" and o.index == index for o in orders)
        ]
    if top is not None and top.skip:
        draft.notes.append("those with equal values take a place each, in order of what names them")
    return orders, top.count if top is not None else None


def _by_date(work: Work, latest_first: bool) -> list[Order]:
    """The newest or the oldest first, where a date is shown."""
    dates = (DataType.DATE, DataType.DATETIME)
    by = work.draft.newest_by
    for index, dimension in enumerate(work.draft.dimensions):
        if by is not None and dimension.expression == by:
            return [Order(target="dimension", index=index, descending=latest_first)]
    if by is not None:
        return [Order(target="field", field=by, descending=latest_first)]
    for index, dimension in enumerate(work.draft.dimensions):
        target = dimension.expression
        if isinstance(target, Field) and work.data_type(target) in dates:
            return [Order(target="dimension", index=index, descending=latest_first)]
    return []


def _natural(work: Work) -> list[Order]:
    """Time and ordered numbers by themselves, categories by their value."""
    draft = work.draft
    if not draft.dimensions:
        return []
    if draft.ranked_list:
        if draft.measures:
            return [Order(target="measure", descending=True), Order(target="dimension")]
        return [Order(target="dimension", index=1), Order(target="dimension")]
    ordered = draft.dimensions[0].grain is not None or _is_ordered(work, draft.dimensions[0])
    if draft.aggregated and not ordered and len(draft.dimensions) == 1:
        return [Order(target="measure", descending=True), Order(target="dimension")]
    if not draft.aggregated and not ordered and draft.measures:
        return []
    return [Order(target="dimension", index=index) for index in range(len(draft.dimensions))]


def _is_ordered(work: Work, dimension: Dimension) -> bool:
    if not isinstance(dimension.expression, Field):
        return False
    if work.data_type(dimension.expression) in (DataType.STRING, DataType.BOOLEAN, None):
        column = work.column(dimension.expression)
        return column is not None and bool(calendar_ranks(column))
    return True


def _wished(work: Work, wish: OrderWish) -> Order:
    draft = work.draft
    if wish.target == "x" and draft.dimensions:
        return Order(target="dimension", descending=wish.descending)
    if wish.target not in ("x", "y", ""):
        named = _named(work, wish)
        if named is not None:
            return named
    target = "measure" if draft.measures else "dimension"
    return Order.model_validate({"target": target, "descending": wish.descending})


def _named(work: Work, wish: OrderWish) -> Order | None:
    """The output, or else the column of the base, that the words of the wish name."""
    draft = work.draft
    stems = [t.stem for t in tokenise(wish.target) if t.stem and t.lower not in _FILLERS]
    matches = lexicon_of(work.catalogue).match(stems) if stems else []
    columns = [(match, target) for match in matches if (target := _field(match)) is not None]
    for _, target in columns:
        for index, dimension in enumerate(draft.dimensions):
            if dimension.expression == target:
                return Order(target="dimension", index=index, descending=wish.descending)
        for index, measure in enumerate(draft.measures):
            if measure.expression == target:
                return Order(target="measure", index=index, descending=wish.descending)
    for match, target in columns:
        if target.table == draft.base and match.score > _SURE:
            return Order(target="field", field=target, descending=wish.descending)
    return None


def _field(match: Match) -> Field | None:
    column = match.name.column
    return Field(table=match.name.table.name, column=column.name) if column else None
