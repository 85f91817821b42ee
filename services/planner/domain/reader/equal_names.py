"""Things that share a name are told apart: two members called Ana Ford are two rows, not one."""

from __future__ import annotations

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Dimension, Field, Intent
from services.planner.domain.query.joining.entities import entity_dimension
from services.planner.domain.query.joining.joins import JoinGraph


def separate_equal_names(intent: Intent, catalogue: Catalogue) -> Intent:
    """The intent with the key beside the name, where what is told for each thing goes by a name
    that a few of them share."""
    if not intent.measures and not intent.distinct:
        return intent
    graph = JoinGraph(catalogue)
    made = tuple(_apart(one, intent, catalogue, graph) for one in intent.dimensions)
    return intent if made == intent.dimensions else intent.model_copy(update={"dimensions": made})


def _apart(one: Dimension, intent: Intent, catalogue: Catalogue, graph: JoinGraph) -> Dimension:
    field = one.expression
    if one.identity is not None or not isinstance(field, Field):
        return one
    table = catalogue.table(field.table)
    column = table.column(field.column) if table is not None else None
    if table is None or column is None or column.distinct >= table.rows:
        return one
    entity = entity_dimension(table, intent.base, graph)
    if entity is None or entity.expression != field or entity.identity is None:
        return one
    if any(other.expression == entity.identity for other in intent.dimensions):
        return one
    return one.model_copy(update={"identity": entity.identity})
