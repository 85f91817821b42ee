"""Weekdays and months of columns of days, as columns worked out, where such a day is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.planner.domain.catalogue import DataType
from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.tokens import Token
from services.planner.domain.reader.links.schema import Place, Schema
from services.planner.domain.reader.links.worked_out import (
    WorkedOut,
    computed,
    reference,
    worked_out,
)
from services.planner.domain.semantics.kinds import Kind

WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december"
).split()
_WEEKENDS = frozenset(("weekend", "weekends"))
_WORKING, _ON = frozenset(("weekday", "weekdays")), frozenset(("on", "during"))
_MOST = 3
_DATED = (DataType.DATE, DataType.DATETIME)
_UNDATED = frozenset(("birth", "born", "dob", "birthday"))


def find_weekdays(word: str) -> tuple[str, ...]:
    """The days of the week that a word names: "Mondays", "weekend"."""
    if word in _WEEKENDS:
        return "Saturday", "Sunday"
    if word in _WORKING:
        return tuple(day.capitalize() for day in WEEKDAYS[:5])
    plain = word.removesuffix("s")
    return (plain.capitalize(),) if plain in WEEKDAYS else ()


def find_month(word: str) -> int:
    """The number of a month that a word names, in full or by three letters; 0 for none."""
    return next((n for n, m in enumerate(MONTHS, 1) if word in (m, m[:3]) and word != "may"), 0)


def date_parts(tokens: Sequence[Token], schema: Schema) -> Iterator[WorkedOut]:
    """The parts that are named, of the first few columns of days; no word names the part itself."""
    before = ("", *(t.lower for t in tokens))
    days = any(
        find_weekdays(t.lower) and (t.lower not in _WORKING or before[t.index] in _ON)
        for t in tokens
    )
    months = any(find_month(t.lower) or (t.lower == "may" and t.capital) for t in tokens)
    if any(token.day is not None for token in tokens):
        yield from _whole_days(schema)
    dated = [p for p in schema.places if p.column.data_type in _DATED]
    dated = [p for p in dated if not _UNDATED & set(p.words)][:_MOST]
    for place in dated:
        if days:
            yield WorkedOut(_part(place, "weekday", DataType.STRING), -1, -1, 0.0)
        if months:
            yield WorkedOut(_part(place, "month", DataType.FLOAT), -1, -1, 0.0)


def _whole_days(schema: Schema) -> Iterator[WorkedOut]:
    """The day of each table that tells it by year, month and day alone."""
    for table in schema.catalogue.tables:
        places = schema.of_table(table.name)
        if any(p.time for p in places):
            continue
        parts = [
            next((p for p in places if p.number and p.words[-1] == part), None)
            for part in ("year", "month", "day")
        ]
        known = [reference(part) for part in parts if part is not None]
        if len(known) == len(parts):
            place = worked_out(
                table,
                "date",
                computed("day of parts", *known),
                kind=Kind.TIME,
                data_type=DataType.DATE,
                text="the day of year, month and day",
            )
            yield WorkedOut(place, -1, -1, 0.0)


def _part(place: Place, part: str, data_type: DataType) -> Place:
    term = computed("weekday" if part == "weekday" else "month", reference(place))
    return worked_out(
        place.table,
        f"{readable(place.column.name)} {part}",
        term,
        kind=Kind.DATE_PART,
        data_type=data_type,
        bounds=(1, 12) if part == "month" else None,
        text=f"the {part} of {readable(place.column.name)}",
    )
