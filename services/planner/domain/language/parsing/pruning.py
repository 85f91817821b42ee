"""Joins that add nothing: things that are only counted are counted where they are referred to."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import (
    Aggregate,
    Field,
    Intent,
    Measure,
    Membership,
    Relation,
)
from services.planner.domain.query.joining.joins import key_of
from services.planner.domain.query.tables import filter_tables

_COUNTS = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


def without_needless_base(intent: Intent, catalogue: Catalogue) -> Intent:
    """Counts references to things instead of joining the things, where nothing else of them counts.

    "How many students have each allergy" is answered by the rows that say who has which, also where
    a student's own row is missing.
    """
    first = _way_out(intent, catalogue)
    if first is None or not _only_counted(intent):
        return intent
    reference = first.right
    measures = tuple(_counted_by(m, reference) for m in intent.measures)
    having = tuple(
        h.model_copy(update={"measure": _counted_by(h.measure, reference)}) for h in intent.having
    )
    joins = tuple(relation for relation in intent.joins if relation is not first)
    update = {"base": reference.table, "measures": measures, "having": having, "joins": joins}
    return intent.model_copy(update=update)


def _way_out(intent: Intent, catalogue: Catalogue) -> Relation | None:
    """The only join that starts at the base: from its key to rows that refer to it."""
    table = catalogue.table(intent.base)
    leaving = [r for r in intent.joins if r.left.table == intent.base]
    if table is None or len(leaving) != 1 or not leaving[0].fans_out:
        return None
    return leaving[0] if key_of(table) == (leaving[0].left.column,) else None


def _only_counted(intent: Intent) -> bool:
    base = intent.base
    measures = [*intent.measures, *(h.measure for h in intent.having)]
    counted = bool(intent.measures) and all(
        m.aggregate in _COUNTS and m.expression is None and m.table == base
        and m.per is None and m.where is None
        for m in measures
    )  # fmt: skip
    shown = {table for d in intent.dimensions for table in _tables(d.expression, d.identity)}
    members = any(isinstance(f, Membership) for f in intent.filters)
    sorted_by = {o.field.table for o in intent.order if o.field is not None}
    return (
        counted and not members and base not in {*shown, *filter_tables(intent.filters), *sorted_by}
    )


def _tables(expression: object, identity: Field | None) -> list[str]:
    parts = [expression] if isinstance(expression, Field) else []
    parts += list(getattr(expression, "parts", ())) + list(getattr(expression, "factors", ()))
    return [part.table for part in [*parts, identity] if part is not None]


def _counted_by(measure: Measure, reference: Field) -> Measure:
    return measure.model_copy(update={"table": reference.table, "expression": reference})
