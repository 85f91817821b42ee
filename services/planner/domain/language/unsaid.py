"""What a question leaves unsaid: the best by what, the average of what.

An analyst who is asked for the top five products goes by what they brought in and says so; where
nothing suggests itself, they ask. They never hand over the first five by the alphabet.
"""

from __future__ import annotations

from services.planner.domain.catalogue import DataType, Table
from services.planner.domain.language.cues import AGGREGATE_WORDS, SUPERLATIVES
from services.planner.domain.language.entities import naming
from services.planner.domain.language.intent import Aggregate, Condition, Field, Measure
from services.planner.domain.language.mention import Mention, is_measure
from services.planner.domain.language.normalise import name_words, readable, readable_table
from services.planner.domain.language.revenues import revenue_measure
from services.planner.domain.language.superlatives import TIMELY
from services.planner.domain.language.vocabulary import RATE_WORDS
from services.planner.domain.language.work import Work, measure_label

_NAMED = 4
_MERIT = frozenset("top bottom best worst biggest largest greatest highest smallest lowest".split())


def rank_by_unsaid_number(work: Work) -> None:
    """Adds what "the top 5 products" go by: money, or the only number; else `draft.problem`."""
    draft, top = work.draft, work.parts.top
    if top is None or draft.measures or top.word in ("", "first"):
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
    if top.word in TIMELY:
        _rank_by_date(work, top.word, work.catalogue.table(name))
        return
    measure = _money_of(work, name) or _only_number(work.catalogue.table(name))
    measure = measure if top.word in _MERIT else None
    if measure is None:
        draft.problem = f'"{top.word} {readable_table(name)}" by what?{_numbers_of(work, name)}'
        return
    draft.base = measure.table
    draft.notes.append(f"goes by {measure.label}, as no other number was named")
    draft.add_measure(measure)


def _is_kind(work: Work, mention: Mention) -> bool:
    column = work.scene.column(mention)
    return column is not None and column.data_type is DataType.STRING


def _rank_kinds(work: Work, word: str, mention: Mention) -> None:
    """What "the top 5 countries" go by, where countries are only a column of what there is."""
    table = work.catalogue.table(mention.chosen.table)
    if table is None or word not in _MERIT or len(work.draft.dimensions) != 1:
        return
    measure = _money_of(work, table.name)
    numbers = _numbers(table)
    if measure is None and len(numbers) == 1:
        measure = _together(table.name, numbers[0])
    if measure is None:
        said = readable(mention.chosen.column)
        named = _numbers_of(work, table.name)
        work.draft.problem = f'"{word} {said}" by what?{named or " By the number of rows?"}'
        return
    work.draft.base = measure.table
    work.draft.notes.append(f"goes by {measure.label}, as no other number was named")
    work.draft.add_measure(measure)


def _together(table: str, column: str) -> Measure:
    """A number of many rows as one: rates are averaged, amounts added up."""
    rate = bool(set(name_words(column)) & RATE_WORDS)
    aggregate = Aggregate.AVERAGE if rate else Aggregate.SUM
    return Measure(
        aggregate=aggregate,
        table=table,
        expression=Field(table=table, column=column),
        label=measure_label(aggregate, column),
        additive=not rate,
    )


def _rank_by_date(work: Work, word: str, table: Table | None) -> None:
    """Shows the only date of things that are listed by name; whole rows show theirs anyway."""
    if table is None or naming(table) is None or table.name != work.draft.base:
        return
    dates = [c.name for c in table.columns if c.data_type in (DataType.DATE, DataType.DATETIME)]
    if len(dates) == 1:
        work.draft.dated = Field(table=table.name, column=dates[0])
        return
    found = f" There are: {', '.join(map(readable, dates))}." if dates else " There is none."
    work.draft.problem = f'"{word} {readable_table(table.name)}" by which date?{found}'


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
        if sure and place not in inside and not token.quoted:
            return f'"{token.text}" of what number?{_numbers_of(work, draft.base)}'
    return ""


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


def _numbers_of(work: Work, name: str) -> str:
    """The numbers that could have been meant, as a further sentence."""
    numbers = [readable(column) for column in _numbers(work.catalogue.table(name))[:_NAMED]]
    return f" There are, for instance: {', '.join(numbers)}." if numbers else ""
