"""The rows of another table counted in place of a number: "and the number of orders?"."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.query.intent import Aggregate, Intent, Measure, Relation
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.labels import count_label, count_of_rows
from services.planner.domain.reader.fragments.fragment import EditError
from services.planner.domain.reader.fragments.parts import fields_of, tables_of


def counted(intent: Intent, table: str, graph: JoinGraph, *, adds: bool) -> tuple[Intent, str]:
    """The reading with the rows of a table counted, beside or in place of its number, and what
    was done in words. Raises EditError where they cannot be counted once each.

    Where every column that is used belongs to one row of the table, it becomes the table that is
    read. Else each of its rows counts once a group, however often the joins repeat it.
    """
    measures = list(intent.measures)
    instead = bool(measures) and not adds
    text = (
        f"{count_label(table)} instead of {measures[0].label}"
        if instead
        else (f"{count_label(table)} as well" if measures else count_label(table))
    )
    if instead and len(measures) == 1 and _plain(intent):
        read = intent.model_copy(update={"measures": (count_of_rows(table),), "base": table})
        joins = _joins(read, intent.joins, graph)
        if joins is not None:
            return read.model_copy(update={"joins": joins, "having": ()}), text
    joins = _reached(intent, table, graph)
    once = Measure(
        aggregate=Aggregate.COUNT, table=table, label=count_label(table), additive=False, once=True
    )
    measures = [once, *measures[1:]] if instead else [*measures, once]
    return intent.model_copy(update={"measures": tuple(measures), "joins": joins}), text


def read_from(intent: Intent, graph: JoinGraph) -> Intent:
    """The reading with its one number's table as the one that is read, where all other columns
    belong to one row of that: "total of invoices" where customers were counted."""
    table = intent.measures[0].table if len(intent.measures) == 1 else intent.base
    if table == intent.base or table in tables_of(intent) or not _plain(intent, copies=True):
        return intent
    if intent.copies:
        return _led_to(intent, table, graph)
    read = intent.model_copy(update={"base": table})
    joins = _joins(read, intent.joins, graph)
    return intent if joins is None else read.model_copy(update={"joins": joins, "having": ()})


def _led_to(intent: Intent, table: str, graph: JoinGraph) -> Intent:
    """The reading from a table each row of which belongs to one of the table that was read, whose
    joins stay: `invoices`, where customers are joined with the employees that support them."""
    tree = graph.tree(table, [intent.base])
    known = {relation.right.table for relation in intent.joins}
    repeated = any(relation.fans_out for relation in (*tree.relations, *intent.joins))
    if tree.missing or repeated or known & {relation.right.table for relation in tree.relations}:
        return intent
    update = {"base": table, "joins": (*tree.relations, *intent.joins), "having": ()}
    return intent.model_copy(update=update)


def _plain(intent: Intent, *, copies: bool = False) -> bool:
    """Whether nothing but its number is tied to the table that it reads."""
    return not (
        intent.derived
        or (intent.copies and not copies)
        or intent.defined
        or intent.cohort
        or intent.statistic
        or intent.top_of_each
        or intent.profile
        or any(r.optional for r in intent.joins)
    )


def _joins(
    intent: Intent, before: Sequence[Relation], graph: JoinGraph
) -> tuple[Relation, ...] | None:
    """The joins of all columns from the table that is read; None where rows would be repeated, or
    tables be joined by other columns than before."""
    needed = {field.table for field in fields_of(intent)}
    tree = graph.tree(intent.base, sorted(needed))
    if tree.missing or any(relation.fans_out for relation in tree.relations):
        return None
    for new in tree.relations:
        for old in before:
            ends, was = ({(f.table, f.column) for f in (r.left, r.right)} for r in (new, old))
            if {table for table, _ in ends} == {table for table, _ in was} and ends != was:
                return None
    return tree.relations


def _reached(intent: Intent, table: str, graph: JoinGraph) -> tuple[Relation, ...]:
    """The joins with those that lead to a table, each row of which then stands beside several."""
    if table in tables_of(intent):
        return intent.joins
    tree = graph.tree(intent.base, [*tables_of(intent), table])
    known = {relation.right.table for relation in intent.joins} | {intent.base}
    added = [r for r in tree.relations if r.right.table not in known]
    if tree.missing:
        raise EditError(f"nothing in the data ties {readable(table)} to {readable(intent.base)}")
    if any(relation.fans_out for relation in added):
        raise EditError(
            f"{readable(table)} has several rows for one of {readable(intent.base)}, so the other "
            "numbers would be counted several times; ask it anew in one question"
        )
    return (*intent.joins, *added)
