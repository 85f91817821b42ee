"""Where the former reader is known to err: its reading is other than what is asked for."""

from __future__ import annotations

from itertools import pairwise

from services.planner.domain.query.filters import conditions_of
from services.planner.domain.query.intent import (
    Aggregate,
    Calculation,
    Condition,
    Field,
    Intent,
    Membership,
    Operator,
    Understood,
)
from services.planner.domain.reader.chart.counted_keys import counted_keys
from services.planner.domain.reader.chart.described import splits_described
from services.planner.domain.reader.chart.fitting import WRONG_END, ends_said
from services.planner.domain.reader.chart.ruled_out import kinds_said
from services.planner.domain.reader.chart.said import is_of_each
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.former_errs_of_days import (
    tells_age_by_another_day,
    tells_days_for_number,
)
from services.planner.domain.reader.grammar import (
    aggregation,
    comparison,
    counting,
    statistics,
    texts,
)
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.date_parts import month_said
from services.planner.domain.reader.links.semantics import Kind, adds_up
from services.planner.domain.reader.links.told_in import in_other_unit, units_asked
from services.planner.domain.reader.links.units import converted, unit_called
from services.planner.domain.reader.words.common import STOP_WORDS

_NAMED, _REPEATED = 0.8, 0.5

_LISTING = frozenset("list show all each every which display values distribution".split())
_OWN_ROW = 0.99
_BOUNDS = frozenset(("at least", "or more", "at most", "or less"))
_EACH = frozenset(("each", "every"))


def errs(found: Understood, scene: Scene) -> bool:
    """Whether its conditions are known to be others than are asked for."""
    return any(wrong(found, scene) for wrong in _WRONG) or any(
        isinstance(one, Membership) and one.absent and len(one.path) == 1
        and len(scene.graph.every_direct(one.table, one.related)) > 1
        for one in found.intent.filters
    )  # fmt: skip


def _misses_units(found: Understood, scene: Scene) -> bool:
    """Whether it takes a number as it stands that is said in another unit: 5 g for 5 kg."""
    compared = {
        (wanted.field, value)
        for wanted in found.intent.filters if isinstance(wanted, Condition)
        for value in wanted.values if isinstance(value, int | float)
    }  # fmt: skip
    for token, following in pairwise(scene.tokens):
        unit = unit_called(following.lower) if token.number is not None else None
        for place in scene.schema.places if unit is not None else ():
            own = place.measure if (place.field, token.number or 0) in compared else None
            turned = converted(token.number or 0.0, unit, own) if unit and own else None
            if turned is not None and turned != token.number:
                return True
    return False


def _adds_running(found: Understood, scene: Scene) -> bool:
    """Whether it adds up days' totals so far, each of which holds those before."""
    dated = any(
        isinstance(d.expression, Field) and scene.schema.of_field[key].time
        for d in found.intent.dimensions
        if isinstance(d.expression, Field)
        and (key := (d.expression.table, d.expression.column)) in scene.schema.of_field
    )
    return not dated and any(
        m.aggregate is Aggregate.SUM and place.running
        for m in found.intent.measures
        for place in scene.schema.places if m.expression == place.field
    )  # fmt: skip


def _takes_month_for_name(found: Understood, scene: Scene) -> bool:
    """Whether the July of "in July" is looked for among names that have none so called."""
    held = {(v.place.field, v.value) for v in scene.values}
    return any(
        month_said(value.lower()) and (one.field, value) not in held
        for one in conditions_of(found.intent.filters)
        if one.operator in (Operator.EQUAL, Operator.IN)
        for value in one.values if isinstance(value, str)
    )  # fmt: skip


def _tells_not_each(found: Understood, scene: Scene) -> bool:
    """Whether one number of all is told though that of each is asked for."""
    intent = found.intent
    named = {t.first for t in scene.tables} | {m.first for m in scene.mentions}
    named |= {value.first for value in scene.values}
    each = any(
        scene.tokens[cue.first].lower in _EACH and cue.last + 1 in named
        for cue in splits(scene.words, Split.OF_EACH)
    )
    shaped = intent.derived or intent.statistic is not None or intent.cohort is not None
    return each and not shaped and bool(intent.measures) and not intent.dimensions


def _averages_what_adds_up(found: Understood, scene: Scene) -> bool:
    """Whether "points by driver" is told by the average of a column whose name says it adds up."""
    averaged = any(cue.means is Aggregate.AVERAGE for cue in scene.words.find(aggregation.RULES))
    return not averaged and any(
        m.aggregate is Aggregate.AVERAGE and place.kind is Kind.AMOUNT and adds_up(place.column)
        for m in found.intent.measures
        for place in scene.schema.places if m.expression == place.field
    )  # fmt: skip


def _tells_other_unit(found: Understood, scene: Scene) -> bool:
    """Whether it tells in milliseconds what is asked for in minutes."""
    told = [
        place for place in scene.schema.places
        if any(m.expression == place.field for m in found.intent.measures)
    ]  # fmt: skip
    return any(in_other_unit(unit, place) for unit in units_asked(scene.tokens) for place in told)


def _splits_by_none(found: Understood, scene: Scene) -> bool:
    """Whether "price by number of rooms" is not told for each number of rooms."""
    shown = {d.expression for d in found.intent.dimensions}
    for cue in scene.words.find(counting.BY_NUMBER):
        meant = {
            m.place.field for m in scene.mentions
            if m.first == cue.slot("word") and m.place.number and m.coverage >= _NAMED
        }  # fmt: skip
        if meant and not any(field in shown for field in meant):
            return True
    return False


def _takes_ordinary(found: Understood, scene: Scene) -> bool:
    """Whether a unit, or a word of the grammar, is taken for a part of one of very many names."""
    rules = (*aggregation.RULES, *statistics.RULES)
    grammatical = {at for c in scene.words.find(rules) for at in range(c.first, c.last + 1)}
    for wanted in found.intent.filters:
        if not isinstance(wanted, Condition) or wanted.operator is not Operator.EQUAL:
            continue
        for value in wanted.values:
            words = str(value).casefold().split()
            said = [t for t in scene.tokens if t.lower in words and t.lower not in STOP_WORDS]
            plain = bool(said) and not any(t.quoted or t.capital for t in said)
            if (
                plain
                and len(words) > len(said)
                and all(t.index in grammatical or unit_called(t.lower) for t in said)
            ):
                return True
    return False


def _splits_described(found: Understood, scene: Scene) -> bool:
    """Whether "discount on dairy products" is told for each product."""
    fields = {d.expression for d in found.intent.dimensions}
    told = [place for place in scene.schema.places if place.field in fields]
    counts = any(m.aggregate is not None for m in found.intent.measures)
    return counts and splits_described(told, scene)


def _lists_amounts(found: Understood, scene: Scene) -> bool:
    """Whether "parcels from Hamburg to Milan" are listed row by row, and not how many."""
    intent = found.intent
    raw = [m.expression for m in intent.measures if m.aggregate is None]
    if intent.dimensions or intent.order or len(raw) != 1 or len(intent.measures) != 1:
        return False
    if {token.lower for token in scene.tokens} & _LISTING:
        return False
    return bool(intent.filters) and any(
        place.kind is Kind.AMOUNT and place.field == raw[0] and place.unique < _OWN_ROW
        for place in scene.schema.places
    )


def _drops_name(found: Understood, scene: Scene) -> bool:
    """Whether a little word in capitals that is a value, or a part of one, is no condition: IT."""
    wheres = [m.where for m in found.intent.measures if m.where is not None]
    told = conditions_of((*found.intent.filters, *wheres))
    values = " ".join(str(value) for one in told for value in one.values).casefold()
    split = {d.expression for d in found.intent.dimensions}
    return any(
        scene.valued[at] and scene.tokens[at].lower not in values
        and not any(v.place.field in split for v in scene.values if v.first <= at <= v.last)
        for at in scene.loud
    )  # fmt: skip


def _lists_what_is_counted(found: Understood, scene: Scene) -> bool:
    """Whether "customers per region" are listed, or told by the rows that name them."""
    keys = counted_keys(scene)
    tables = {key.table.name for key in keys}
    return bool(keys) and not any(
        m.aggregate is Aggregate.COUNT_DISTINCT or m.per is not None
        or (m.aggregate is Aggregate.COUNT and m.table not in tables)
        for m in found.intent.measures
    )  # fmt: skip


def _tells_row_for_total(found: Understood, scene: Scene) -> bool:
    """Whether a club that "scored the most" is told by its best row, where each has many."""
    intent = found.intent
    if intent.limit != 1 or not {t.lower for t in scene.tokens} & {"most", "fewest"}:
        return False
    shown = [scene.schema.of_field.get((d.expression.table, d.expression.column))
             for d in intent.dimensions if isinstance(d.expression, Field)]  # fmt: skip
    things = [p for p in shown if p is not None]
    repeated = bool(things) and all(p.text and p.unique < _REPEATED for p in things)
    amounts = [p for p in scene.schema.places if p.kind is Kind.AMOUNT and p.number]
    return repeated and any(
        m.aggregate in (None, Aggregate.MAXIMUM) and m.expression == place.field
        for m in intent.measures for place in amounts
    )  # fmt: skip


def _limits_by_bound(found: Understood, scene: Scene) -> bool:
    """Whether it tells three houses where one is asked for that has three bedrooms."""
    return found.intent.limit is not None and any(
        token.number == found.intent.limit and is_of_each(scene, token.index)
        for token in scene.tokens
    )


def _takes_bound_for_value(found: Understood, scene: Scene) -> bool:
    """Whether "five albums or more" is read as five of them."""
    bounds = {
        scene.tokens[at].number
        for cue in scene.words.find(comparison.RULES)
        if cue.rule.name in _BOUNDS and (at := cue.slot("number")) is not None
    }
    told = [c.values for c in conditions_of(found.intent.filters) if c.operator is Operator.EQUAL]
    told += [one.values for one in found.intent.having if one.operator is Operator.EQUAL]
    return any(value in bounds for values in told for value in values)


def _tells_other_end(found: Understood, scene: Scene) -> bool:
    """Whether it tells the last year of what is oldest."""
    dated = {p.field for p in scene.schema.places if p.time or p.kind is Kind.DATE_PART}
    wrong = {WRONG_END.get(end) for end in ends_said(scene)} - {None}
    return len(wrong) == 1 and any(
        m.aggregate in wrong and m.expression in dated for m in found.intent.measures
    )


def _splits_flags(found: Understood, scene: Scene) -> bool:
    """Whether it tells smokers beside the others where "the smokers" alone are asked for."""
    flags = {place.field for place in kinds_said(scene)}
    return any(d.expression in flags for d in found.intent.dimensions)


def shares_averages(intent: Intent) -> bool:
    """Whether it tells as a share what part one average is of another."""
    hidden = [intent.measures[d.of] for d in intent.derived if d.of is not None
              and d.calculation in (Calculation.RATIO, Calculation.SHARE)]  # fmt: skip
    return any(m.aggregate is Aggregate.AVERAGE and m.where is not None for m in hidden)


def _misquotes(found: Understood, scene: Scene) -> bool:
    """Whether it takes a quoted text for another value that is but near to it."""
    values = [
        str(value).casefold()
        for wanted in found.intent.filters if isinstance(wanted, Condition)
        and wanted.operator in (Operator.EQUAL, Operator.IN)
        for value in wanted.values
    ]  # fmt: skip
    quoted = [token.lower for token in scene.tokens if token.quoted]
    held = [cue.slot("word") for cue in scene.words.find(texts.RULES)]
    quoted += [scene.tokens[at].lower for at in held if at is not None]
    return bool(values) and any(
        text not in values and any(text in value for value in values) for text in quoted
    )


_WRONG = (
    _misquotes, _takes_month_for_name, _misses_units, _adds_running, _averages_what_adds_up,
    _tells_other_unit, _splits_by_none, _takes_ordinary, _tells_row_for_total,
    _lists_what_is_counted, _drops_name, _splits_described, _lists_amounts,
    _limits_by_bound, _tells_other_end, _splits_flags, _tells_not_each,
    _takes_bound_for_value, tells_age_by_another_day, tells_days_for_number,
    lambda found, scene: shares_averages(found.intent),
)  # fmt: skip
