"""Conditions that spans of time state: "in March 2013", "last year", "from May to July"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from services.planner.domain.query.defining.terms import references
from services.planner.domain.query.dimensions.coverage import outside
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.dated import spoken_of
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.grammar.splitting import Split, splits
from services.planner.domain.reader.links.date_parts import find_month, find_weekdays
from services.planner.domain.reader.links.mentions import Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.times.dates import day_of
from services.planner.domain.reader.times.placed_spans import as_the_data_ends
from services.planner.domain.reader.times.times import TimeSpan

_MOST_COLUMNS = 4
_ENDS = {"before": Operator.LESS, "after": Operator.GREATER, "since": Operator.AT_LEAST}


def of_times(scene: Scene) -> Iterator[Proposal]:
    """Each span of time, set against each column of days and, by its parts, of years and months."""
    for one in scene.spans:
        span, first, last = one.span, one.first, one.last
        if _apart(span):
            continue  # what lies between May 1996 and May 1997 is not meant
        alone = bool(span.years) and first == last
        if len(span.years) > 1 or not alone or ends_groups(scene, first):
            yield from _of_span(scene, span, first, last)
        if len(span.years) > 1:
            years = (span.years[0], span.years[-1])
            for place in (p for p in scene.schema.places if p.year):
                yield Proposal(place, Operator.BETWEEN, years, first, last, "time", 0.8)
    yield from _of_parts(scene)


def ends_groups(scene: Scene, at: int) -> bool:
    """Whether a year ends a question right after what numbers are told by: "by category 2022"."""
    last = max(token.index for token in scene.tokens if not token.mark)
    after = {cue.last + 1 for cue in splits(scene.words, Split.OF_EACH)}
    tables = any(t.first in after and t.last == at - 1 for t in scene.tables)
    columns = any(
        m.first in after and m.last == at - 1 and m.tie is Tie.NAME and not m.place.number
        for m in scene.mentions
    )
    return at == last and (tables or columns)


def _apart(span: TimeSpan) -> bool:
    """Whether other days lie between the months or years that are named."""
    days = sorted(span.alternatives)
    return any(one[1] < other[0] for one, other in pairwise(days))


def _of_span(scene: Scene, span: TimeSpan, first: int, last: int) -> Iterator[Proposal]:
    for place in _days(scene, first):
        latest = day_of(place.column.maximum)
        known, note = as_the_data_ends(span, latest, place.column.name)
        beyond = outside(known.start, known.end, place.column)
        note = note or (f"{span.text} {beyond}" if beyond else "")
        for one in _on_days(place, known, first, last):
            yield replace(one, note=note)


def _on_days(place: Place, span: TimeSpan, first: int, last: int) -> Iterator[Proposal]:
    if span.start is not None and span.end is not None:
        until = (span.end - timedelta(days=1)).isoformat()
        both = (span.start.isoformat(), until)
        yield Proposal(place, Operator.BETWEEN, both, first, last, "time", 0.8)
    elif span.start is not None:
        texts = (span.start.isoformat(),)
        yield Proposal(place, Operator.AT_LEAST, texts, first, last, "time", 0.8)
    elif span.end is not None:
        yield Proposal(place, Operator.LESS, (span.end.isoformat(),), first, last, "time", 0.8)


def _days(scene: Scene, at: int) -> list[Place]:
    """The dates that a span may be of: those that rows are told by, and those that are named."""
    found = [
        place
        for place in scene.schema.places
        if place.time
        and (
            place.definition is not None
            or scene.main_date(place.table.name) in (None, place.field)
            or spoken_of(place, scene)
        )
    ]
    spoken = scene.spoken_tables
    found.sort(
        key=lambda p: (
            scene.nearest(p, at)[0] - 6 * scene.nearest(p, at)[1],
            p.column.name != p.table.time_column,
            p.table.name not in spoken,
            p.index,
        )
    )
    return found[:_MOST_COLUMNS]


def _weekdays(scene: Scene) -> list[Place]:
    """The weekdays of all days, those first by which the rows are told that are spoken of."""
    tables = {m.place.table.name for m in scene.mentions if m.tie is Tie.NAME}
    intended = {scene.main_date(table) for table in (*scene.spoken_tables, *sorted(tables))}
    found = [p for p in scene.schema.places if p.words[-1] == "weekday" and p.definition]

    def told_by(place: Place) -> bool:
        term = place.definition.term if place.definition is not None else None
        named = references(term) if term is not None else ()
        return any(
            f is not None and (f.table, f.column) == (one.table, one.column)
            for f in intended
            for one in named
        )

    return sorted(found, key=lambda p: (not told_by(p), p.index))


def _of_parts(scene: Scene) -> Iterator[Proposal]:
    """Months and weekdays by name over columns that hold them, and the day beside a month."""
    months = [p for p in scene.schema.places if p.number and p.words[-1] == "month"]
    days = [p for p in scene.schema.places if p.number and p.words[-1] == "day"]
    weekdays = _weekdays(scene)
    for token in scene.tokens:
        at = token.index
        named = find_weekdays(token.lower)
        for place in weekdays if named else ():
            one = Operator.EQUAL if len(named) == 1 else Operator.IN
            yield Proposal(place, one, named, at, at, "month", 0.8)
        number = 5 if token.lower == "may" else find_month(token.lower)
        if not number:
            continue
        before = scene.tokens[at - 1].lower if at else ""
        operator = _ENDS.get(before, Operator.EQUAL)
        for place in months:
            yield Proposal(place, operator, (number,), at, at, "month", 0.8)
        if scene.between(at - 4, at) in ("before the first of", "before the 1st of"):
            for place in months:
                yield Proposal(place, Operator.LESS, (number,), at - 4, at, "month", 0.8)
        apart = 2 if scene.between(at - 1, at) == "of" else 1
        for beside in (token.index - apart, token.index + 1):
            near = scene.tokens[beside] if 0 <= beside < len(scene.tokens) else None
            if near is not None and near.number is not None and near.number <= 31:
                for place in days:
                    numbers = (int(near.number),)
                    yield Proposal(place, Operator.EQUAL, numbers, beside, beside, "month", 0.8)
