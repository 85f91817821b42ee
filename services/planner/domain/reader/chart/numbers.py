"""Conditions that numbers and days state: of a column's values, of a group's, of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from services.planner.domain.catalogue import DataType
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.query.kinds import Aggregate, Operator
from services.planner.domain.query.planning.fractions import holds_parts_of_one
from services.planner.domain.reader.chart.asked import asked_of
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.placing import placed
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar import aggregation, changing, comparison
from services.planner.domain.reader.grammar.rules import Cue
from services.planner.domain.reader.links.date_parts import find_month
from services.planner.domain.reader.links.naming import sole_measures
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.semantics.kinds import Kind
from services.planner.domain.semantics.units import Unit, converted, measured_by, unit_called

_MOST_COLUMNS, _MOST_OF_AGGREGATES, _MOST_WAYS, _MOST_UNNAMED = 5, 3, 2, 3
_REACH, _MOST_ROWS, _WHOLE_NAME = 3, 100_000, 0.8
_NAMED_OUTRIGHT, _BESIDE = 0.95, 3
_SPLITTING = frozenset(("per", "by", "each", "in", "of", "for"))
_IN_TIME = ("in", "during")
_CURRENCIES = frozenset("$€£¥")
_EXACTLY = "exactly"  # of which three are no bound


def of_numbers(scene: Scene) -> Iterator[Proposal]:
    """Each number and day, compared in the first ways that are said of it."""
    ranges: dict[int, Cue[Operator]] = {}
    compared: dict[int, list[Cue[Operator]]] = {}
    for cue in sorted(scene.words.find(comparison.RULES), key=lambda c: c.first - c.last):
        at = cue.slot("number")
        if at is None:
            continue
        if cue.means is Operator.BETWEEN:
            ranges.setdefault(at, cue)
        elif not any(_is_same_cue(cue, other) for other in compared.get(at, ())):
            compared.setdefault(at, []).append(cue)
    for against in scene.words.find(changing.SET_AGAINST):  # "in 2024 than in 2023" bounds nothing
        for slot in ("number", "number2"):
            compared.pop(against.slot(slot) or 0, None)
    parts = {at for one in asked_of(scene) for at in range(one.first, one.last + 1)}
    for token in scene.tokens:
        if token.index in parts:
            continue  # of a percentile, not of a condition
        if _tells_year(scene, token):
            continue
        if _day_of_month(scene, token) or _is_decade(scene, token):
            continue
        if token.day is not None or (token.number is not None and not token.ordinal):
            cues = compared.get(token.index, [])[:_MOST_WAYS]
            for cue in cues:
                yield from _number(scene, token, cue.means, ranges.get(token.index), cue.rule.name)
            if not cues:
                yield from _number(scene, token, Operator.EQUAL, ranges.get(token.index))


def _is_same_cue(cue: Cue[Operator], other: Cue[Operator]) -> bool:
    """Whether it means what another means, or is a part of it: the "more than" of "not more"."""
    return cue.means is other.means or (other.first <= cue.first and cue.last <= other.last)


def _day_of_month(scene: Scene, token: Token) -> bool:
    """Whether a number is the day beside a month, "4 July", where the data tells days."""
    if token.number is None or not 1 <= token.number <= 31:
        return False
    beside = [*scene.tokens[max(0, token.index - 1) : token.index + 2]]
    if scene.between(token.index + 1, token.index + 2) == "of":
        beside += scene.tokens[token.index + 2 : token.index + 3]
    if not any(find_month(other.lower) for other in beside):
        return False
    return any(p.time or (p.number and p.words[-1] == "day") for p in scene.schema.places)


def _tells_year(scene: Scene, token: Token) -> bool:
    """Whether a number is the year of "in 2020", as dates of the data tell years: nothing else in
    the data is so called, and no rows are counted."""
    if not any(p.time for p in scene.schema.places) or any(
        p.year or (p.number and _in_range(p, token.number or 0)) for p in scene.schema.places
    ):
        return False
    return any(
        one.last == token.index and one.span.years and scene.tokens[one.first].lower in _IN_TIME
        for one in scene.spans
    )


def _is_decade(scene: Scene, token: Token) -> bool:
    """Whether a number tells ten years: "the 1990s", "the 90s"."""
    following = scene.tokens[token.index + 1 : token.index + 2]
    glued = bool(following) and following[0].lower == "s" and following[0].start == token.end
    return (
        glued
        and token.text.isdigit()
        and token.text.endswith("0")
        and any(p.time or p.year for p in scene.schema.places)
    )


def _number(
    scene: Scene, token: Token, operator: Operator, between: Cue[Operator] | None, rule: str = ""
) -> Iterator[Proposal]:
    for one in _of_number(scene, token, operator, between):
        if one.operator is operator or rule != _EXACTLY or one.operator is Operator.BETWEEN:
            yield replace(one, rule=rule)


def _of_number(
    scene: Scene, token: Token, operator: Operator, between: Cue[Operator] | None
) -> Iterator[Proposal]:
    until = between.slot("number2") if between is not None else None
    for place in _columns_of_number(scene, token, operator):
        for one in _compared(scene, place, token, operator, until):
            yield placed(scene, one)
    yield from _of_groups(scene, token, operator, until)


def _of_groups(
    scene: Scene, token: Token, operator: Operator, until: int | None
) -> Iterator[Proposal]:
    """A number set against an aggregate of each group, or against how many rows it has."""
    at, value = token.index, token.number
    if value is None or value > _MOST_ROWS:
        return
    if operator is not Operator.EQUAL:
        for place in _columns_of_number(scene, token, operator)[:_MOST_OF_AGGREGATES]:
            for aggregate in _aggregates_before(scene, place, at):
                yield Proposal(
                    place, operator, (value,), at, at, "of groups", 0.6, aggregate=aggregate
                )
    if _measures(scene, token) or (_is_of_entities(scene, token) and not _is_said_of(scene, at)):
        return
    for place in _counted_after(scene, at) if operator is not Operator.EQUAL else ():
        yield Proposal(
            place,
            operator,
            (value,),
            at,
            at,
            "of groups",
            0.5,
            aggregate=Aggregate.COUNT_DISTINCT,
        )
    yield Proposal(None, operator, (value,), at, at, "of groups", 0.5)
    if operator is Operator.EQUAL:
        yield Proposal(None, Operator.AT_LEAST, (value,), at, at, "of groups", 0.3)
    if until is not None and scene.tokens[until].number is not None:
        both = (value, scene.tokens[until].number or 0)
        yield Proposal(None, Operator.BETWEEN, both, at, until, "of groups", 0.6)


def _measures(scene: Scene, token: Token) -> bool:
    """Whether a number is one of kilos or of dollars, or a part of one: none of those counts."""
    before = scene.tokens[max(0, token.index - 1) : token.index]
    money = bool(before) and before[0].text in _CURRENCIES
    unit = _unit_after(scene, token)
    weighs = unit is not None and any(
        p.measure is not None and p.measure.quantity == unit.quantity for p in scene.schema.places
    )
    return money or weighs or token.number != int(token.number or 0)


def _counted_after(scene: Scene, at: int) -> list[Place]:
    """The columns whose values are counted after a number: "more than one team"."""
    found = [
        m.place
        for m in scene.mentions
        if at < m.first <= at + 2
        and not m.place.number
        and scene.between(at + 1, m.first) not in _SPLITTING
    ]
    return [p for p in dict.fromkeys(found) if p.unique < 1 and not p.time][:_MOST_OF_AGGREGATES]


def _columns_of_number(scene: Scene, token: Token, operator: Operator) -> list[Place]:
    """The columns that a number may be compared with, the nearest and best named first."""
    found: list[tuple[float, int, Place]] = []
    value = token.number
    unit, measured = _unit_after(scene, token), _measured(scene, token)
    spans = unit is not None and unit.quantity == "time"
    of_entities = _is_of_entities(scene, token)
    for place in scene.schema.places:
        distance, coverage = scene.nearest(place, token.index)
        year = place.time or place.year
        fits_year = year and value is not None and 1500 < value < 2100
        fits = place.number or (place.time and (token.day is not None or fits_year))
        sample = operator is Operator.EQUAL and token.text in place.column.samples
        sample = sample and not of_entities
        no_day = place.time and value is not None and not fits_year
        loosely = coverage < _NAMED_OUTRIGHT or distance > _BESIDE
        ranks = of_entities or (operator is not Operator.EQUAL and loosely)
        ranks_ids = (place.kind is Kind.ID and ranks) or (of_entities and loosely)
        if place.flag and value not in (0, 1):
            continue
        if no_day or ranks_ids or not (fits or (sample and place.text)):
            continue
        own = place.measure
        same_unit = (own is not None and unit is not None and unit.quantity == own.quantity) or (
            place.number and not measured.isdisjoint(place.words)
        )
        if spans and own is None and not same_unit and coverage < _WHOLE_NAME:
            continue  # "within 60 days" bounds no price
        if coverage >= 0.3 or sample or fits_year or same_unit:
            found.append((distance - 6 * coverage - 8 * same_unit, place.index, place))
    if not found and value is not None and not spans and not of_entities:
        found = [(0, p.index, p) for p in _unnamed(scene, value)]
    return [place for _, _, place in sorted(found, key=lambda f: f[:2])[:_MOST_COLUMNS]]


def _is_of_entities(scene: Scene, token: Token) -> bool:
    """Whether a number says how many things: "5 products" are not the one whose id is 5."""
    at = token.index + 1
    plural = at < len(scene.tokens) and scene.tokens[at].lower.endswith("s")
    return plural and any(t.first == at and t.coverage >= _NAMED_OUTRIGHT for t in scene.tables)


def _is_said_of(scene: Scene, at: int) -> bool:
    """Whether something is named before a number that may have so many."""
    named = any(mention.last < at for mention in scene.mentions)
    return named or any(mention.last < at for mention in scene.tables)


def _unnamed(scene: Scene, value: float) -> list[Place]:
    """Where no column is named: the only number of a table, or those that reach so far."""
    sole = list(sole_measures(scene.schema))
    near = [
        p
        for p in scene.schema.places
        if p.table.name in scene.spoken_tables
        and p.number
        and p not in sole
        and p.kind not in (Kind.ID, Kind.DATE_PART, Kind.FLAG)
        and _in_range(p, value)
    ]
    return [*(p for p in sole if _in_range(p, value)), *near][:_MOST_UNNAMED]


def _in_range(place: Place, value: float) -> bool:
    low, high = place.column.minimum, place.column.maximum
    return low is not None and high is not None and float(low) <= value <= float(high)


def _unit_after(scene: Scene, token: Token) -> Unit | None:
    """The unit of the word that follows a number, or the range that it begins: "2 to 3 minutes";
    none follows an amount of money."""
    ends = (
        c.slot("number2")
        for c in scene.words.find(comparison.RULES)
        if c.means is Operator.BETWEEN and c.slot("number") == token.index
    )
    last = next((at for at in ends if at is not None), token.index)
    following = scene.tokens[last + 1 : last + 2]
    before = scene.tokens[max(0, token.index - 1) : token.index]
    if before and before[0].text == "$":
        return None
    return unit_called(following[0].lower) if following else None


def _measured(scene: Scene, token: Token) -> frozenset[str]:
    """The words of columns that the unit or the currency beside a number speaks of."""
    beside = (token.index - 1, token.index + 1)
    tokens = scene.tokens
    texts = [measured_by(tokens[at].lower) for at in beside if 0 <= at < len(tokens)]
    return frozenset().union(*texts)


def _compared(
    scene: Scene, place: Place, token: Token, operator: Operator, until: int | None
) -> Iterator[Proposal]:
    at = token.index
    if place.time:
        yield from _of_time(place, token, operator, scene.tokens[until] if until else None)
        return
    value = _in_unit(scene, place, token)
    if until is not None and scene.tokens[until].number is not None:
        top = _in_unit(scene, place, scene.tokens[until])
        yield Proposal(place, Operator.BETWEEN, (value, top), at, until, "number", 0.8)
    text: str | float = token.text if place.text else value
    yield Proposal(place, operator, (text,), at, at, "number", 0.8)
    # "More than 10 days" is never ten of them to the hour.
    if operator is not Operator.EQUAL and place.definition is None:
        yield Proposal(place, Operator.EQUAL, (text,), at, at, "number", 0.3)


def _in_unit(scene: Scene, place: Place, token: Token) -> float:
    value = token.number or 0  # whole and exact where it is an id that no double holds
    unit = _unit_after(scene, token)
    own = place.measure
    if unit is not None and unit.quantity == "share" and holds_parts_of_one(place.column):
        return value / 100
    if unit is not None and own is not None:
        turned = converted(value, unit, own)
        value = turned if turned is not None else value
    return int(value) if value == int(value) else value


def _of_time(
    place: Place, token: Token, operator: Operator, until: Token | None
) -> Iterator[Proposal]:
    """A year or a day set against a column of days; days as text are compared as text."""
    at = token.index
    as_text = place.column.data_type is DataType.STRING
    if token.day is not None:
        if until is not None and until.day is not None:
            both = (token.day.isoformat(), until.day.isoformat())
            yield Proposal(place, Operator.BETWEEN, both, at, until.index, "number", 0.8)
        text = token.text if as_text else token.day.isoformat()
        yield Proposal(place, operator, (text,), at, at, "number", 0.8)
        return
    year = int(token.number or 0)
    first, last = date(year, 1, 1).isoformat(), date(year, 12, 31).isoformat()
    if until is not None and until.number is not None and 1500 < until.number < 2100:
        end = date(int(until.number), 12, 31).isoformat()
        yield Proposal(place, Operator.BETWEEN, (first, end), at, until.index, "number", 0.8)
    if operator is Operator.EQUAL:
        yield Proposal(place, Operator.BETWEEN, (first, last), at, at, "number", 0.6)
    elif operator in (Operator.GREATER, Operator.AT_MOST):
        yield Proposal(place, operator, (last,), at, at, "number", 0.7)
        yield Proposal(place, operator, (first,), at, at, "number", 0.3)
    else:
        yield Proposal(place, operator, (first,), at, at, "number", 0.7)


def _aggregates_before(scene: Scene, place: Place, at: int) -> list[Aggregate]:
    """The aggregates said just before a mention of a column that stands before a token."""
    found: list[Aggregate] = []
    for cue in scene.words.find(aggregation.RULES):
        for mention in scene.by_place.get(place.index, ()):
            close = mention.first - _REACH <= cue.first <= mention.first
            if close and mention.last < at and cue.means not in (Aggregate.COUNT, *found):
                found.append(cue.means)
    return found
