"""Things without any rows belong to those with few: "customers with fewer than 5 orders"."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import (
    Aggregate,
    Field,
    Having,
    Intent,
    Measure,
    Operator,
    Relation,
)
from services.planner.domain.query.joining.keys import key_of
from services.planner.domain.query.tables import filter_tables, table_of

FEW = (Operator.LESS, Operator.AT_MOST)


def with_those_without(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent told from the things, so that those without rows stay, where nothing but the
    number of their rows is asked of these."""
    having = intent.having[0] if len(intent.having) == 1 else None
    if having is None or having.operator not in FEW or not _counts_rows(having.measure, intent):
        return intent
    back = _back(intent, catalogue)
    if back is None or any(not _is_told(m, intent, back) for m in intent.measures):
        return intent
    entities, rows = back.left, _own_key(intent.base, catalogue)
    others = {*map(table_of, intent.dimensions), *filter_tables(intent.filters)}
    if rows is None or not others <= {entities.table}:
        return intent

    def turned(measure: Measure) -> Measure:
        if measure.per is not None:
            return measure.model_copy(update={"table": entities.table, "per": entities})
        return measure.model_copy(update={"expression": rows})

    condition = Having(
        measure=turned(having.measure), operator=having.operator, values=having.values
    )
    measures = tuple(turned(m) for m in intent.measures)
    update = {
        "base": entities.table,
        "joins": (back,),
        "measures": measures,
        "having": (condition,),
    }
    return intent.model_copy(update=update)


def _counts_rows(measure: Measure, intent: Intent) -> bool:
    """Whether it is the number of all rows of the base."""
    plain = measure.expression is None and measure.where is None and measure.per is None
    return plain and measure.aggregate is Aggregate.COUNT and measure.table == intent.base


def _is_told(measure: Measure, intent: Intent, back: Relation) -> bool:
    """Whether a number is that of rows, or of the things themselves."""
    if measure.per is None:
        return _counts_rows(measure, intent)
    return measure.aggregate is Aggregate.COUNT and measure.per == back.right


def _back(intent: Intent, catalogue: Catalogue) -> Relation | None:
    """The join from the things to the rows that refer to them; None where several are joined."""
    if len(intent.joins) == 1 and not intent.joins[0].fans_out:
        (join,) = intent.joins
        left, right, further = join.right, join.left, tuple((b, a) for a, b in join.further)
    else:
        keys = [m.per for m in intent.measures if m.per is not None]
        links = [
            link
            for link in catalogue.relationships
            if keys and (link.from_table, link.from_column) == (keys[0].table, keys[0].column)
        ]
        if intent.joins or len(keys) != 1 or len(links) != 1:
            return None
        left = Field(table=links[0].to_table, column=links[0].to_column)
        right, further = keys[0], ()
    if right.table != intent.base:
        return None
    return Relation(left=left, right=right, fans_out=True, optional=True, further=further)


def _own_key(table: str, catalogue: Catalogue) -> Field | None:
    known = catalogue.table(table)
    key = key_of(known) if known is not None else ()
    return Field(table=table, column=key[0]) if len(key) == 1 else None
