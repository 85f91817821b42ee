"""What goes without saying: a count, a name for each row, the number ranked by."""

from __future__ import annotations

from services.planner.domain.language.conditions.conditions import Conditions
from services.planner.domain.language.dimensions.dimensions import (
    dimension_of,
)
from services.planner.domain.language.dimensions.merging import add_dimension
from services.planner.domain.language.measures.measures import (
    column_dimension,
)
from services.planner.domain.language.measures.unsaid import rank_by_unsaid_number
from services.planner.domain.language.normalising.cues import ADJECTIVES
from services.planner.domain.language.parsing.listing import (
    show_conditions,
    show_owners,
    tell_apart,
    told_of_each,
)
from services.planner.domain.language.phrases.compared_numbers import numeric_column_named
from services.planner.domain.language.resolving.things import rows_said
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.wording import worded
from services.planner.domain.query.intent import (
    ChartType,
    Field,
    Measure,
)
from services.planner.domain.query.joining.entities import entity_dimension, naming
from services.planner.domain.query.labels import count_of_rows

_MOST_COLUMNS = 12


def fill(work: Work, conditions: Conditions) -> None:
    """Adds what goes without saying: a count, a name for each row, the number ranked by."""
    draft, parts = work.draft, work.parts
    if parts.top is not None and not draft.measures:
        _rank_by_adjective(work)
    rank_by_unsaid_number(work)
    plain_list = not work.wishes.chart.wanted and (not work.grouped or told_of_each(work))
    if not draft.measures and draft.dimensions and not plain_list and not _two_axes(work):
        draft.add_measure(count_of_rows(draft.base, rows_said(work.scene.mentions, draft.base)))
        draft.implied = True
    base = work.catalogue.table(draft.base)
    nameless = not draft.dimensions and not draft.aggregated and len(draft.measures) < 2
    if nameless and base is not None and naming(base) is not None:
        add_dimension(work, entity_dimension(base, base.name, work.graph))
    elif nameless and base is not None and not draft.measures:
        draft.whole_rows = True
        draft.dimensions += [
            column_dimension(work, Field(table=base.name, column=column.name))
            for column in base.stored[:_MOST_COLUMNS]
        ]
    show_owners(work)
    show_conditions(work)
    tell_apart(work)
    _split_by_listed(work)
    _split_by_kind(work)
    _name_the_things(work)
    ranked = parts.top is not None or bool(conditions.grouped)
    wish = work.wishes.calculation
    ranked = ranked or work.wishes.chart.wanted or (wish is not None and not wish.between)
    others = [i for i in parts.tables if work.mention(i).chosen.table != draft.base]
    if ranked and _lacks_dimension(work) and (others or parts.tables):
        add_dimension(work, dimension_of(work, work.mention((others or parts.tables)[0])))


def _name_the_things(work: Work) -> None:
    """ "Which products were sold in 1997" wants the products, beside what they were sold for."""
    draft, tables = work.draft, work.parts.tables
    asked = work.scene.words(0, 1) == ["which"] and bool(tables)
    if asked and draft.aggregated and not draft.dimensions and work.mention(tables[0]).first == 1:
        add_dimension(work, dimension_of(work, work.mention(tables[0])))


def _lacks_dimension(work: Work) -> bool:
    draft = work.draft
    one_number = len(draft.measures) == 1 and not draft.dimensions
    if work.wishes.calculation is not None and draft.measures and draft.measures[0].where:
        return False
    told = draft.aggregated or work.parts.top is not None or not work.wishes.chart.wanted
    return one_number and told


def _two_axes(work: Work) -> bool:
    drawn = work.wishes.chart.chart in (ChartType.SCATTER, ChartType.LINE)
    return drawn and len(work.draft.dimensions) > 1 and not work.over_time


def _split_by_listed(work: Work) -> None:
    """ "Show all continents and the number of countries": the first is what is split by."""
    draft, parts = work.draft, work.parts
    if draft.dimensions or not parts.counts:
        return
    for index in parts.tables:
        mention = work.mention(index)
        gap = work.scene.words(mention.last, parts.counts[0].position)
        if mention.chosen.table != draft.base and set(gap) & {"and", ",", "with"} and len(gap) <= 5:
            add_dimension(work, dimension_of(work, mention))
            return


def _split_by_kind(work: Work) -> None:
    """A chart of one number of things shows the kinds of them, where they have a kind."""
    draft, base = work.draft, work.catalogue.table(work.draft.base)
    counted = len(draft.measures) == 1 and draft.measures[0].expression is None
    if draft.dimensions or not counted or not work.wishes.chart.wanted or base is None:
        return
    if any(work.mention(i).chosen.table != draft.base for i in work.parts.tables):
        return
    made = entity_dimension(base, base.name, work.graph)
    if made is not None and made.identity is None and isinstance(made.expression, Field):
        column = base.column(made.expression.column)
        if column is not None and 1 < column.distinct < base.rows:
            add_dimension(work, made)


def _rank_by_adjective(work: Work) -> None:
    top = work.parts.top
    if top is None:
        return
    for word in [top.word, *work.scene.words(top.position, top.position + 2)]:
        target = numeric_column_named(work.scene, ADJECTIVES.get(word, ()))
        if target is not None:
            label = worded(target.column)
            for token in work.scene.tokens[top.position : top.position + 2]:
                token.used = token.used or ("top" if token.lower in ADJECTIVES else "")
            work.draft.add_measure(
                Measure(aggregate=None, table=target.table, expression=target, label=label)
            )
            return
