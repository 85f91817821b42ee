"""What a question leaves unsaid: the best by what, the average of what.

An analyst who is asked for the top five products goes by what they brought in and says so; where
nothing suggests itself, they ask. They never hand over the first five by the alphabet.
"""

from __future__ import annotations

from services.planner.domain.catalogue import DataType, Table
from services.planner.domain.language.dimensions.recency import LATEST_FIRST, date_to_rank_by
from services.planner.domain.language.linking.mention import Mention, averaged
from services.planner.domain.language.measures.revenues import revenue_measure
from services.planner.domain.language.normalising.cues import (
    ADJECTIVES,
    AGGREGATE_WORDS,
    SUPERLATIVES,
)
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import (
    name_words,
    readable,
    readable_table,
)
from services.planner.domain.query.columns import is_measure
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Condition,
    Field,
    Measure,
)
from services.planner.domain.query.joining.entities import naming
from services.planner.domain.query.labels import count_of_rows, measure_label

_NAMED = 4
# What says how things are the best when they go by money.
_EARNING = frozenset("selling performing earning grossing valued valuable of the our all".split())
_MERIT = frozenset("top bottom best worst biggest largest greatest highest smallest lowest".split())


def rank_by_unsaid_number(work: Work) -> None:
    """Adds what "the top 5 products" go by: money, or the only number; else `draft.problem`."""
    draft, top = work.draft, work.parts.top
    if (
        top is None
        or (draft.measures and top.word not in LATEST_FIRST)
        or top.word in ("", "first")
    ):
        return
    thing = work.scene.starting(top.position, within=1)
    if thing is None:
        return
    mention = work.scene.mentions[thing]
    name = mention.chosen.table
    if mention.chosen.kind == "column" and _is_kind(work, mention):
        _rank_kinds(work, top.word, mention)
    if mention.chosen.kind != "table":
        return
    if top.word in LATEST_FIRST and _by_own_number(work):
        return
    if top.word in LATEST_FIRST:
        _rank_by_date(work, top.word, work.catalogue.table(name))
        return
    measure = _shared_out(work) or _money_of(work, name) or _only_number(work.catalogue.table(name))
    how = [w for w in work.scene.words(top.position, mention.first) if w not in _EARNING]
    measure = measure if top.word in _MERIT and not how else None
    if measure is None:
        said = " ".join([top.word, *how, readable_table(name)])
        draft.problem = f'"{said}" by what?{numbers_of(work, name)}'
        return
    draft.base = measure.table
    draft.notes.append(f"goes by {measure.label}, as no other number was named")
    draft.add_measure(measure)


def _by_own_number(work: Work) -> bool:
    """Whether an adjective of age has found a number to go by: the oldest of a column of ages."""
    top = work.parts.top
    stems = ADJECTIVES.get(top.word, ()) if top is not None else ()
    return any(
        isinstance(m.expression, Field) and set(name_words(m.expression.column)) & set(stems)
        for m in work.draft.measures
    )


def _is_kind(work: Work, mention: Mention) -> bool:
    column = work.scene.column(mention)
    return column is not None and column.data_type is DataType.STRING


def _rank_kinds(work: Work, word: str, mention: Mention) -> None:
    """What "the top 5 countries" go by, where countries are only a column of what there is."""
    table = work.catalogue.table(mention.chosen.table)
    if table is None or word not in _MERIT or len(work.draft.dimensions) != 1:
        return
    measure = _shared_out(work) or _money_of(work, table.name)
    numbers = _numbers(table)
    if measure is None and len(numbers) == 1:
        measure = _together(table, numbers[0])
    if measure is None:
        said = readable(mention.chosen.column)
        named = numbers_of(work, table.name)
        work.draft.problem = f'"{word} {said}" by what?{named or " By the number of rows?"}'
        return
    work.draft.base = measure.table
    work.draft.notes.append(f"goes by {measure.label}, as no other number was named")
    work.draft.add_measure(measure)


def _together(table: Table, name: str) -> Measure:
    """A number of many rows as one: rates are averaged, amounts added up."""
    column = table.column(name)
    rate = column is not None and averaged(column)
    aggregate = Aggregate.AVERAGE if rate else Aggregate.SUM
    return Measure(
        aggregate=aggregate,
        table=table.name,
        expression=Field(table=table.name, column=name),
        label=measure_label(aggregate, name),
        additive=not rate,
    )


def _rank_by_date(work: Work, word: str, table: Table | None) -> None:
    """Goes by the date of the things themselves; those listed by name show it as well."""
    found = date_to_rank_by(table, word, work.date_stems()) if table is not None else None
    tree = work.graph.tree(work.draft.base, [table.name] if table is not None else [])
    if table is None or found is None or tree.missing or tree.fans_out:
        said = readable_table(table.name) if table is not None else "rows"
        none = "" if found is not None else " There is none."
        work.draft.problem = f'"{word} {said}" by which date?{none}'
        return
    work.draft.newest_by = found
    if naming(table) is not None and table.name == work.draft.base:
        work.draft.dated = work.draft.dated or found


def lost_aggregate(work: Work) -> str:
    """Why an average or the like that was asked for cannot be had; empty where none was lost."""
    draft = work.draft
    compared = any(isinstance(f, Condition) and f.than_average for f in draft.filters)
    worked_out = work.wishes.calculation is not None or draft.having
    if (draft.aggregated and not draft.implied) or compared or worked_out:
        return ""
    inside = {i for m in work.scene.mentions for i in range(m.first, m.last)}
    for place, token in enumerate(work.scene.tokens):
        wanted = AGGREGATE_WORDS.get(token.lower, "")
        sure = wanted in ("avg", "median", "max", "min") and token.lower not in SUPERLATIVES
        again = token.used == "order" and _is_shown(work, place)
        if sure and place not in inside and not token.quoted and not again:
            return f'"{token.text}" of what number?{numbers_of(work, draft.base)}'
    return ""


def _is_shown(work: Work, place: int) -> bool:
    """Whether a column that is shown already is called so: "sort by the average attendance"."""
    said = " ".join(work.scene.words(place, place + 2))
    return any(measure.label.startswith(said) for measure in work.draft.measures)


def _shared_out(work: Work) -> Measure | None:
    """The orders of "what share of orders come from the top 3 countries": they are counted."""
    wish, top = work.wishes.calculation, work.parts.top
    if wish is None or wish.calculation is not Calculation.SHARE or top is None:
        return None
    before = [work.mention(i) for i in work.parts.tables if work.mention(i).first < top.position]
    return count_of_rows(before[0].chosen.table) if before else None


def _money_of(work: Work, thing: str) -> Measure | None:
    measure = revenue_measure(work, Aggregate.SUM)
    if measure is None or work.graph.tree(measure.table, [thing, work.draft.base]).missing:
        return None
    return measure


def _only_number(table: Table | None) -> Measure | None:
    numbers = _numbers(table)
    if table is None or len(numbers) != 1:
        return None
    target = Field(table=table.name, column=numbers[0])
    return Measure(aggregate=None, table=table.name, expression=target, label=readable(numbers[0]))


def _numbers(table: Table | None) -> list[str]:
    columns = table.columns if table is not None else ()
    return [column.name for column in columns if is_measure(column.role, column.data_type)]


def numbers_of(work: Work, name: str) -> str:
    """The numbers that could have been meant, as a further sentence."""
    numbers = [readable(column) for column in _numbers(work.catalogue.table(name))[:_NAMED]]
    return f" There are, for instance: {', '.join(numbers)}." if numbers else ""
