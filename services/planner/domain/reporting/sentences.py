"""Sentences about an answer of one row, or of one row for each thing. They never compute."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.reporting.cells import Cell, Ranked, ranked
from services.planner.domain.reporting.labels import singular
from services.planner.domain.reporting.prose import Origin, Prose, Quoted, joined
from services.planner.domain.reporting.shape import Number
from services.planner.domain.reporting.telling import Said, Telling, name_of, superlative

_NAMED_AFTER_FIRST = 2
_MOST_TIED = 3


def single_value(telling: Telling) -> Said:
    """One row of numbers: "Revenue in 1997 was 617,085"."""
    numbers = telling.shape.numbers
    if len(numbers) == 1 and numbers[0].counted:
        sentence = _there_are(telling, numbers[0])
    else:
        parts = [
            Prose.of(name_of(n), telling.scope if not i else "", telling.was,
                     telling.value(0, n.column))
            for i, n in enumerate(numbers[:4])
        ]  # fmt: skip
        sentence = joined(parts)
    return Said(sentence, (sentence,))


def _there_are(telling: Telling, number: Number) -> Prose:
    one = telling.table.value(0, number.column) == 1
    past = bool(telling.scope)
    verb = ("there was " if past else "there is ") if one else (
        "there were " if past else "there are "
    )  # fmt: skip
    noun = singular(number.counted) if one else number.counted
    if number.counted.endswith(" values"):
        things = number.counted.removesuffix(" values")
        noun = f"{things} value" if one else f"different {things} values"
    return Prose.of(
        verb, telling.value(0, number.column), " ", Quoted(noun, Origin.NAME), telling.scope
    )


def single_row(telling: Telling) -> Said:
    """One named row: "Germany has the highest revenue (230,285)"."""
    number, *others = telling.shape.numbers
    order = telling.intent.order if telling.intent else ()
    if order and order[0].target == "measure" and telling.intent and telling.intent.limit == 1:
        finding = Prose.of(
            telling.label(0), telling.had, superlative(number, order[0].descending), telling.scope
        )
        first = Prose.of(finding, telling.with_share(0, number))
        rest = [_named_value(telling, n) for n in others[:3]]
        return Said(finding, (first, joined(rest)) if rest else (first,))
    values = [_named_value(telling, n) for n in telling.shape.numbers[:4]]
    sentence = Prose.of(telling.label(0), telling.scope, ": ", joined(values))
    return Said(sentence, (sentence,))


def _named_value(telling: Telling, number: Number) -> Prose:
    return Prose.of(
        Quoted(number.column.replace("_", " "), Origin.NAME), " ", telling.value(0, number.column)
    )


def by_category(telling: Telling, total: Cell | None) -> Said:
    """Several named rows: who is first, who follows, who is last, and all together."""
    number = telling.shape.numbers[0]
    order = ranked(telling.table, number.column)
    if order.level:
        return _level(telling, number, order)
    ascending = _asked_for_lowest(telling)
    rows = tuple(reversed(order.rows)) if ascending else order.rows
    first = order.lowest if ascending else order.highest
    finding = Prose.of(
        _all(telling, first),
        _had_or_have(telling, first),
        superlative(number, not ascending),
        telling.scope,
    )
    sentences = [_whole(telling, number, total)] if total else []
    sentences.append(_order_sentence(telling, number, order, rows, first, ascending, bool(total)))
    sentences += [_other_number(telling, other) for other in telling.shape.numbers[1:2]]
    return Said(finding, tuple(sentence for sentence in sentences if sentence))


def _order_sentence(
    telling: Telling,
    number: Number,
    order: Ranked,
    rows: tuple[int, ...],
    first: tuple[int, ...],
    ascending: bool,
    after_total: bool,
) -> Prose:
    subject = Prose.of("it") if after_total else Prose.of(name_of(number), telling.scope)
    word = "lowest" if ascending else "highest"
    named = [Prose.of(telling.place(row), telling.with_share(row, number)) for row in
             first[:_MOST_TIED]]  # fmt: skip
    parts: list[Prose | str] = [subject, telling.was, word, " ", joined(named)]
    limited = telling.intent is not None and telling.intent.limit is not None
    if limited or len(rows) == 2:
        following = [row for row in rows if row not in first][:_NAMED_AFTER_FIRST]
        follow = [
            Prose.of(telling.label(row), telling.with_share(row, number)) for row in following
        ]
        parts += [", followed by ", joined(follow)] if follow else []
    else:
        last = order.highest if ascending else order.lowest
        if len(last) > 1 and len(last) > _MOST_TIED:
            parts += [", and ", "highest" if ascending else "lowest", " for several at ",
                      telling.value(last[0], number.column)]  # fmt: skip
        else:
            ends = [Prose.of(telling.place(row), telling.with_share(row, number)) for row in last]
            parts += [" and ", "highest" if ascending else "lowest", " ", joined(ends)]
    return Prose.of(*parts)


def _asked_for_lowest(telling: Telling) -> bool:
    intent = telling.intent
    if intent is None or not intent.order or intent.limit is None:
        return False
    return intent.order[0].target == "measure" and not intent.order[0].descending


def _level(telling: Telling, number: Number, order: Ranked) -> Said:
    if not order.rows:
        finding = Prose.of("there is no ", Quoted(number.column, Origin.NAME), telling.scope)
        return Said(finding, (finding,))
    finding = Prose.of(
        name_of(number), telling.scope, telling.was, "the same throughout: ",
        telling.value(order.rows[0], number.column),
    )  # fmt: skip
    return Said(finding, (finding,))


def _whole(telling: Telling, number: Number, total: Cell) -> Prose:
    tail = "" if telling.scope else " in total"
    return Prose.of(name_of(number), telling.scope, telling.was, telling.cell(total), tail)


def _other_number(telling: Telling, number: Number) -> Prose:
    order = ranked(telling.table, number.column)
    if order.level or len(order.highest) > 1:
        return Prose()
    row = order.highest[0]
    return Prose.of(
        name_of(number), telling.was, "highest ", telling.place(row),
        " (", telling.value(row, number.column), ")",
    )  # fmt: skip


def _all(telling: Telling, rows: Sequence[int]) -> Prose:
    if len(rows) > _MOST_TIED:
        return Prose.of("several")
    return joined(telling.label(row) for row in rows)


def _had_or_have(telling: Telling, rows: Sequence[int]) -> str:
    return telling.had if len(rows) == 1 or telling.had == " had " else " have "
