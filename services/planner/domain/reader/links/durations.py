"""Spans of time between two columns, and ages, as columns worked out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import permutations

from services.planner.domain.catalogue import DataType
from services.planner.domain.lexicon.names import likeness
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.tokens import Token, stem
from services.planner.domain.query.defining.terms import Term
from services.planner.domain.reader.grammar.lasting import HOW_MANY, RULES, SO_OLD, TIME_OF_ACTION
from services.planner.domain.reader.grammar.rules import Cue, Words
from services.planner.domain.reader.links.naming import is_person
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.links.worked_out import (
    WorkedOut,
    computed,
    reference,
    worked_out,
)
from services.planner.domain.semantics.units import Unit, unit_called

_MOST, _LIKE, _STATED = 2, 0.6, 0.9
_PEOPLE_REACH, _OLDEST = 3, 121
_DATED = (DataType.DATE, DataType.DATETIME)
_DAYS = 86_400.0  # seconds
_YEAR, _MONTH = 365.25, 30.4375  # days, on average
_BORN = frozenset(("birth", "born", "dob", "birthday"))
_STARTS = frozenset(
    stem(word)
    for word in (
        "open start begin create order hire join sign request admission admit depart departure "
        "found from checkin arrival issue scheduled placed submit received"
    ).split()
)
_PLANS = frozenset(
    stem(word)
    for word in "required due promised expected planned scheduled estimated target deadline".split()
)
_ANY_ACTION = frozenset(
    """average total mean median typical the waiting wait processing process lead turnaround cycle
    handling elapsed running run much more less of in stay service completion""".split()
)
_CALLED = {"min": "minutes", "h": "hours", "d": "days"}
_LEAVING = {"left": "leave", "leavers": "leave", "stay": "leave", "response": "reply"}


def durations(
    tokens: Sequence[Token], words: Words, schema: Schema, today: date
) -> Iterator[WorkedOut]:
    """What the rules of how long and how old find in the data."""
    cues = words.find(RULES)
    numbers = [place for place in schema.places if place.number]
    sentences = {
        stem(word) for place in numbers for word in place.words if unit_called(word) is not None
    }
    held = {stem(place.words[0]) for place in numbers if len(place.words) == 1}
    lengths = [cue for cue in cues if cue.means == "length"]
    lengths = [
        c
        for c in lengths
        if (c.rule.name != HOW_MANY or tokens[c.last].stem not in sentences)
        and not any(token.stem in held for token in tokens[c.first : c.last + 1])
    ]  # "average minutes" are those of the column that holds them, as is a duration
    if lengths:
        spans = [(c.first, c.last) for c in lengths]
        first, last = min(spans, key=lambda s: s[0] - s[1])
        texts = [_LEAVING.get(t.lower, t.lower) for t in tokens[first:last]]
        if any(c.rule.name == TIME_OF_ACTION and c.first == first for c in lengths):
            ties = any(is_spoken(texts, place) for place in schema.places if _is_dated(place))
            first = first if ties or texts[0] in _ANY_ACTION else last  # what is done stays unread
        for place in _lengths(tokens, schema):
            yield WorkedOut(place, first, last, _STATED)
    for cue in cues:
        if cue.means != "age" or (cue.rule.name == SO_OLD and not _is_old(tokens, cue)):
            continue
        at = cue.slot("number")
        first, last = (at - 1, at - 1) if at is not None else (cue.first, cue.last)
        for place in _ages(schema, today):
            yield WorkedOut(place, first, last, _STATED)


def _is_old(tokens: Sequence[Token], cue: Cue[str]) -> bool:
    """Whether people are said to be so old: "employees over 50", and not those "over 50 hours"."""
    at = cue.slot("number")
    number = tokens[at].number if at is not None else None
    after = tokens[cue.last + 1 : cue.last + 2]
    measured = bool(after) and (after[0].mark or unit_called(after[0].lower) is not None)
    before = tokens[max(0, cue.first - _PEOPLE_REACH) : cue.first]
    people = any(is_person(token.stem) for token in before)
    return people and not measured and number is not None and number in range(1, _OLDEST)


def _lengths(tokens: Sequence[Token], schema: Schema) -> list[Place]:
    """The likeliest pairs of a beginning and an end, the same for each table."""
    texts = [_LEAVING.get(token.lower, token.lower) for token in tokens if not token.mark]
    found: list[tuple[float, int, Place, Place]] = []
    for table in schema.catalogue.tables:
        dated = [p for p in schema.of_table(table.name) if p.column.data_type in _DATED]
        dated = [p for p in dated if not _BORN & set(p.words)]
        for start, end in permutations(dated, 2):
            if not _follows(start, end):
                continue
            value = 2.0 * is_spoken(texts, end) + is_spoken(texts, start)
            value += 0.5 * (start is dated[0]) + 0.5 * is_start(start)
            if is_planned(end) and not _PLANS & {stem(word) for word in texts}:
                continue  # how long something took ends with what was done, not with a plan
            found.append((-value, len(found), start, end))
    unit = _unit(tokens)
    best = sorted(found, key=lambda f: f[:2])[:_MOST]
    return [_between(start, end, unit) for _, _, start, end in best]


def _stems(place: Place) -> set[str]:
    return {stem(word) for word in place.words}


def _follows(start: Place, end: Place) -> bool:
    """Whether the range of the one begins no earlier than that of the other."""
    low, high = start.column.minimum, end.column.minimum
    return low is None or high is None or low <= high


def _is_dated(place: Place) -> bool:
    return place.column.data_type in _DATED


def is_planned(place: Place) -> bool:
    """Whether a date only plans what was done: required, due, promised."""
    return bool(_PLANS & _stems(place))


def is_start(place: Place) -> bool:
    """Whether a date tells when something began: ordered, opened, made."""
    return bool(_STARTS & _stems(place))


def holds_times(place: Place) -> bool:
    """Whether a date has parts of days, as far as its first and last value tell."""
    ends = (place.column.minimum or "", place.column.maximum or "")
    return any(len(text) > 10 and text[10:].strip("T :0.Z+-") for text in ends)


def is_spoken(texts: Sequence[str], place: Place) -> bool:
    """Whether one of the words is like one of a date's name: "delivered" of a delivery date."""
    return any(
        likeness(word, name) >= _LIKE for word in texts for name in place.words if name != "date"
    )


def _unit(tokens: Sequence[Token]) -> Unit | None:
    """The unit asked for: the first that stands with no number."""
    for at, token in enumerate(tokens):
        unit = unit_called(token.lower) if len(token.lower) > 2 else None
        counted = at > 0 and (tokens[at - 1].number is not None or tokens[at - 1].lower == "the")
        if unit is not None and unit.quantity == "time" and not counted:
            return unit
    return None


def _between(start: Place, end: Place, unit: Unit | None) -> Place:
    timed = DataType.DATETIME in (start.column.data_type, end.column.data_type)
    if unit is None:
        unit = unit_called("hours" if holds_times(start) or holds_times(end) else "days")
    assert unit is not None
    term: Term = computed("elapsed" if timed else "days", reference(start), reference(end))
    factor = _DAYS / unit.factor
    if factor != 1:
        term = computed("*" if factor > 1 else "/", term, factor if factor > 1 else 1 / factor)
    called = _CALLED.get(unit.name, f"{unit.name}s")
    names = [readable(p.column.name) for p in (start, end)]
    return worked_out(start.table, f"{called} from {names[0]} to {names[1]}", term, unit=unit)


def _ages(schema: Schema, today: date) -> Iterator[Place]:
    """Full years since birth."""
    if any("age" in place.words for place in schema.places):
        return
    year = unit_called("years")
    for place in schema.places:
        if not _BORN & set(place.words):
            continue
        if place.column.data_type in _DATED:
            term = computed("years", reference(place), today.isoformat())
        elif place.year:
            term = computed("-", float(today.year), reference(place))
        else:
            continue
        text = f"full years since {readable(place.column.name)}, on {today.isoformat()}"
        yield worked_out(place.table, "age", term, unit=year, text=text, bounds=(0, 120))
