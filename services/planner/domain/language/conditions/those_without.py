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
from services.planner.domain.query.tables import filter_tables

_FEW = (Operator.LESS, Operator.AT_MOST)
_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def with_those_without(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with joins that keep things without rows, where only their number is asked for."""
    having = intent.having[0] if len(intent.having) == 1 else None
    if having is None or having.operator not in _FEW or len(intent.measures) != 1:
        return intent
    counted = having.measure
    if counted.aggregate not in _COUNTS or counted.expression is not None:
        return intent
    per = intent.measures[0].per
    if per is not None:
        return _kept(intent) if _only_of(intent, per.table) else intent
    return _turned(intent, having, catalogue)


def _only_of(intent: Intent, thing: str) -> bool:
    """Whether nothing but the things themselves is shown or narrowed down."""
    shown = {d.identity.table for d in intent.dimensions if d.identity is not None}
    shown |= {d.expression.table for d in intent.dimensions if isinstance(d.expression, Field)}
    return intent.base == thing and {*shown, *filter_tables(intent.filters)} <= {thing}


def _kept(intent: Intent) -> Intent:
    joins = tuple(join.model_copy(update={"optional": True}) for join in intent.joins)
    return intent.model_copy(update={"joins": joins})


def _turned(intent: Intent, having: Having, catalogue: Catalogue) -> Intent:
    """A list of things with their number of rows, told from the things instead of the rows."""
    measure, joins = intent.measures[0], intent.joins
    table = catalogue.table(intent.base)
    key = key_of(table) if table is not None else ()
    identity = intent.dimensions[0].identity if len(intent.dimensions) == 1 else None
    if identity is None or len(joins) != 1 or len(key) != 1 or not _same(having, measure):
        return intent
    (join,) = joins
    turned = intent.model_copy(update={"base": identity.table})
    if join.fans_out or join.right.table != identity.table or measure.table != intent.base:
        return intent
    if not _only_of(turned, identity.table):
        return intent
    number = measure.model_copy(update={"expression": Field(table=measure.table, column=key[0])})
    further = tuple((there, here) for here, there in join.further)
    back = Relation(left=join.right, right=join.left, fans_out=True, optional=True, further=further)
    update = {
        "joins": (back,),
        "measures": (number,),
        "having": (having.model_copy(update={"measure": number}),),
    }
    return turned.model_copy(update=update)


def _same(having: Having, measure: Measure) -> bool:
    """Whether the condition is on the number that is shown."""
    return (having.measure.table, having.measure.expression) == (measure.table, measure.expression)
