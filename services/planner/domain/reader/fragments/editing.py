"""A reading changed by a fragment: what is named takes the place of its like."""

from __future__ import annotations

from dataclasses import dataclass, replace

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.charts.choosing import charted
from services.planner.domain.query.defining.columns import with_columns
from services.planner.domain.query.intent import Field, Intent, Order
from services.planner.domain.query.joining.joins import JoinGraph, graph_of
from services.planner.domain.reader.chart.sketch import Number
from services.planner.domain.reader.fragments.conditions import changed_conditions
from services.planner.domain.reader.fragments.counting import counted, read_from
from services.planner.domain.reader.fragments.fragment import EditError, Fragment, Split
from services.planner.domain.reader.fragments.groups import limited, listed, over_all
from services.planner.domain.reader.fragments.numbers import changed_numbers
from services.planner.domain.reader.fragments.parts import fields_of, tables_of
from services.planner.domain.reader.fragments.splits import changed_splits, order_of
from services.planner.domain.reader.fragments.whole import made_whole
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import MEASURED, kind_of


@dataclass(frozen=True)
class Edited:
    """The changed reading.

    `changes` say in words what took the place of what, `notes` what is to be known of it.
    """

    intent: Intent
    changes: tuple[str, ...]
    notes: tuple[str, ...] = ()


def edited(intent: Intent, fragment: Fragment, catalogue: Catalogue) -> Edited:
    """The reading as the fragment has it. Raises EditError."""
    intent = _with_worked_out(intent, fragment)
    catalogue = with_columns(catalogue, intent.defined)
    graph = graph_of(catalogue)
    fragment = _settled(intent, fragment)
    _check(intent, fragment)
    changes: list[str] = []
    before = intent
    intent, texts = over_all(intent, fragment)
    changes += texts
    intent, texts = listed(intent, fragment, catalogue)
    changes += texts
    intent, texts = changed_splits(intent, fragment, catalogue, graph)
    changes += texts
    if fragment.counts:
        intent, text = counted(intent, fragment.counts, graph, adds=fragment.adds)
        before = intent  # which has its joins
        changes.append(text)
    else:
        intent, texts = changed_numbers(intent, fragment, catalogue)
        changes += texts
        if texts:
            intent = read_from(intent, graph)
            before = intent if intent.base != before.base else before
    intent, texts = limited(intent, fragment)
    changes += texts
    intent, texts, notes = changed_conditions(intent, fragment, catalogue, graph)
    changes += texts
    intent, texts = _form(intent, fragment, catalogue)
    changes += texts
    intent = made_whole(_joined(before, intent, graph), adds=fragment.adds)
    if not intent.chart_named or fragment.chart is None:
        intent = intent if intent.chart_named else intent.model_copy(update={"chart": None})
    return Edited(charted(intent, catalogue), tuple(changes), (*notes, *fragment.notes))


def _with_worked_out(intent: Intent, fragment: Fragment) -> Intent:
    """With the columns that no table holds and that the fragment names: an age, hours taken."""
    places: list[Place | None] = [split.place for split in fragment.splits]
    places += [place for number in fragment.numbers for place in number.places]
    places += [one.place for one in fragment.conditions]
    places += [*fragment.bare, *fragment.dates]
    worked_out = [p.definition for p in places if p is not None and p.definition is not None]
    defined = tuple(dict.fromkeys((*intent.defined, *worked_out)))
    return intent if defined == intent.defined else intent.model_copy(update={"defined": defined})


def _settled(intent: Intent, fragment: Fragment) -> Fragment:
    """The fragment with what is named by itself put where the reading has its like.

    "Ship country" is what to split by where something is split by, and else what to show.
    """
    found = replace(fragment, splits=[*fragment.splits], numbers=[*fragment.numbers], bare=[])
    for place in fragment.bare:
        measured = any(m.expression == place.field for m in intent.measures)
        shown = intent.dimensions or not intent.measures or fragment.adds
        if measured or (not shown and place.number):
            found.numbers.append(Number(None, place))
        else:
            found.splits.append(Split(place))
    if intent.measures or not intent.dimensions:
        return found
    for number in fragment.numbers:  # rows are listed: a number is one more column of them
        if number.aggregate is None and number.place is not None:
            found.numbers.remove(number)
            found.splits.append(Split(number.place))
    return found


def _check(intent: Intent, fragment: Fragment) -> None:
    shaped = intent.statistic is not None or intent.profile or intent.cohort is not None
    reshapes = fragment.splits or fragment.numbers or fragment.aggregate
    if shaped and reshapes:
        raise EditError(
            "the answer is a statistical test or a study of groups: its conditions can be "
            "corrected, not what it is of; ask it anew in one question"
        )


def _form(intent: Intent, fragment: Fragment, catalogue: Catalogue) -> tuple[Intent, list[str]]:
    """Chart, limit and order."""
    texts: list[str] = []
    if fragment.chart is not None:
        texts.append(f"as a {fragment.chart.value.replace('_', ' ')} chart")
        intent = intent.model_copy(update={"chart": fragment.chart, "chart_named": True})
    if fragment.descending is not None and not fragment.limit:
        texts.append("the highest first" if fragment.descending else "the lowest first")
    if fragment.descending is not None and not intent.measures and intent.dimensions:
        order = _by_listed(intent, catalogue, descending=fragment.descending)
        intent = intent.model_copy(update={"order": order})
    elif fragment.descending is not None:
        first = intent.order[0] if intent.order else order_of(intent)
        if first is None:
            raise EditError("there is nothing that the answer could be sorted by")
        turned = first.model_copy(update={"descending": fragment.descending})
        intent = intent.model_copy(update={"order": (turned, *intent.order[1:])})
    if fragment.limit is not None:
        order = intent.order or tuple(one for one in (order_of(intent),) if one is not None)
        if not order:
            raise EditError("one number is in sight, of which there are no first few")
        order = _by_number(intent, order, descending=fragment.descending is not False)
        was = f" instead of {intent.limit}" if intent.limit else ""
        end = {True: "highest", False: "lowest", None: "first"}[fragment.descending]
        texts.append(f"the {fragment.limit} {end}{was}")
        intent = intent.model_copy(update={"limit": fragment.limit, "order": order})
    return intent, texts


def _by_listed(intent: Intent, catalogue: Catalogue, *, descending: bool) -> tuple[Order, ...]:
    """The order of listed rows by their one number. Raises EditError where there is not one."""
    numbers: list[int] = []
    for at, dimension in enumerate(intent.dimensions):
        field = dimension.expression
        table = catalogue.table(field.table) if isinstance(field, Field) else None
        column = table.column(field.column) if table and isinstance(field, Field) else None
        if table and column and kind_of(column, table) in MEASURED:
            numbers.append(at)
    if len(numbers) != 1:
        raise EditError("what is listed has not one number that it could be sorted by")
    return (Order(target="dimension", index=numbers[0], descending=descending),)


def _by_number(intent: Intent, order: tuple[Order, ...], *, descending: bool) -> tuple[Order, ...]:
    """The first few of groups are those at an end of the number, unless sorted by one already."""
    if not (intent.grouped and intent.dimensions) or (order and order[0].target == "measure"):
        return order
    return (Order(target="measure", descending=descending), *order)


def _joined(before: Intent, intent: Intent, graph: JoinGraph) -> Intent:
    """With the joins that its columns need. Raises EditError where there are none, or none that
    leave every row counted once."""
    needed = {field.table for field in fields_of(intent)}
    needed |= {m.table for m in intent.measures}
    missing = sorted(needed - tables_of(before) - {copy.name for copy in intent.copies})
    if not missing:
        return intent
    own = tables_of(before) - {copy.name for copy in intent.copies}
    tree = graph.tree(intent.base, [*own, *missing])
    known = {relation.right.table for relation in before.joins}
    joins = [*before.joins]
    joins += [r for r in tree.relations if r.right.table not in known | {intent.base}]
    if tree.missing:
        raise EditError(f"nothing in the data ties {' and '.join(missing)} to {intent.base}")
    if any(relation.fans_out for relation in joins[len(before.joins) :]):
        raise EditError(
            f"{' and '.join(missing)} has several rows for one of {intent.base}, which would be "
            "counted several times; ask it anew in one question"
        )
    return intent.model_copy(update={"joins": tuple(joins)})
