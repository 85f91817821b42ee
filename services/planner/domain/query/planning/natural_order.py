"""Months, weekdays and quarters that are texts, in their order in place of the alphabet's."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.along import found_in
from services.planner.domain.query.calendars import calendar_ranks
from services.planner.domain.query.intent import Expression, Intent, Order


def in_natural_order(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with the order of the calendar wherever it is sorted by names of one."""
    order = tuple(_ranked(one, intent, catalogue) for one in intent.order)
    return intent.model_copy(update={"order": order}) if order != intent.order else intent


def _ranked(order: Order, intent: Intent, catalogue: Catalogue) -> Order:
    of: Expression | None = order.field
    if order.target == "dimension" and order.index < len(intent.dimensions):
        of = intent.dimensions[order.index].expression
    found = found_in(of, catalogue) if order.target != "measure" and not order.ranks else None
    ranks = calendar_ranks(found[0]) if found is not None else ()
    return order.model_copy(update={"ranks": ranks}) if ranks else order
