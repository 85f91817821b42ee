"""Which date column a span or grain of time is about, and the conditions that spans become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from services.planner.domain.catalogue import Catalogue, Column, DataType, Table
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.lexicon.vocabulary import MAIN_DATE_WORDS, SIDE_DATE_WORDS
from services.planner.domain.query.calendar import last_range
from services.planner.domain.query.dimensions.coverage import outside
from services.planner.domain.query.intent import (
    Condition,
    Field,
    Filter,
    Group,
    Operator,
)
from services.planner.domain.query.joining.joins import JoinGraph, graph_of
from services.planner.domain.reader.times.calendar_spans import by_the_data
from services.planner.domain.reader.times.times import TimeSpan

_Merit = tuple[float, int, int]
_DATE_TYPES = (DataType.DATE, DataType.DATETIME)
_TOO_MANY_HOPS = 5.0
_ANY_DATE = ("date", "time", "at", "on")
_DECLARED = -10.0  # costs less than nothing: a semantic model says so
_MOST_DAYS = 62


@dataclass(slots=True)
class SpanConditions:
    """Filters for the spans of time, what was taken for granted, and why one is `lost`."""

    filters: list[Filter] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lost: str = ""


def main_date(
    catalogue: Catalogue,
    graph: JoinGraph,
    base: str,
    stems: Sequence[str],
    *,
    counted: bool = False,
) -> Field | None:
    """The date that belongs to a row of `base`: its own or a parent's; `stems` help.

    Of several dates the one that the question names is taken; else the one that is called after
    what its rows are (the order date of orders) or has no other name; never one that only plans
    or follows (required, shipped) where there is another. Of dates as good as each other the one
    that more rows have is taken, then the one that begins earlier: things are ordered before they
    are shipped. What a semantic model says goes before all but a date that is named. A parent's
    birth or delivery says nothing of the row unless it is spoken of. Where rows are only `counted`,
    the dates of what belongs to them will do: customers by the year they ordered.
    """
    known_field = (
        find_declared_date(catalogue.table(base))
        if not _is_named(catalogue.tables, stems)
        else None
    )
    own: list[tuple[_Merit, Field]] = []
    many: list[tuple[_Merit, Field]] = []
    for table in catalogue.tables:
        tree = graph.tree(base, [table.name])
        if tree.missing or tree.cost > _TOO_MANY_HOPS:
            continue
        for column in table.columns:
            if column.data_type not in _DATE_TYPES:
                continue
            field = Field(table=table.name, column=column.name)
            if table.name != base and _is_side_date(column, stems) and field != known_field:
                continue
            cost = _DECLARED if field == known_field else tree.cost
            found = many if tree.fans_out else own
            found.append((_merit(table, column, stems, cost), field))
    if not own and not counted:
        return None
    best = max(own or many, key=lambda pair: pair[0], default=None)
    return best[1] if best is not None else None


def times_of(catalogue: Catalogue) -> dict[str, str]:
    """The date that each table's rows are told by, where there is one: "table.column" where it is
    not its own."""
    graph = graph_of(catalogue)
    found: dict[str, str] = {}
    for table in catalogue.tables:
        dated = main_date(catalogue, graph, table.name, ())
        if dated is not None:
            own = dated.table == table.name
            found[table.name] = dated.column if own else f"{dated.table}.{dated.column}"
    return found


def find_declared_date(table: Table | None) -> Field | None:
    """The date that a semantic model says a table's rows are told by."""
    if table is None or not table.time_column:
        return None
    owner, _, column = table.time_column.rpartition(".")
    return Field(table=owner or table.name, column=column)


def _merit(table: Table, column: Column, stems: Sequence[str], cost: float) -> _Merit:
    """How well a date tells when a row happened; equals go by how many rows have it, and first."""
    began = day_of(column.minimum)
    score = round(_date_score(table, column, stems) - cost, 6)
    return score, -column.nulls, -began.toordinal() if began is not None else -date.max.toordinal()


def _is_named(tables: Sequence[Table], stems: Sequence[str]) -> bool:
    """Whether a date is spoken of by a word of its own, not of what its table holds: "shipped"."""
    return any(
        word in stems and word not in name_words(table.name) and word not in _ANY_DATE
        for table in tables
        for column in table.columns
        if column.data_type in _DATE_TYPES
        for word in name_words(column.name)
    )


def _is_side_date(column: Column, stems: Sequence[str]) -> bool:
    words = name_words(column.name)
    return bool(set(words) & SIDE_DATE_WORDS) and not any(word in stems for word in words)


def _date_score(table: Table, column: Column, stems: Sequence[str]) -> float:
    words = [w for w in name_words(column.name) if w not in _ANY_DATE]
    called = set(name_words(table.name))
    # That orders are spoken of hardly names the order date.
    score = sum(0.5 if word in called else 0.8 for word in words if word in stems)
    own = not words or bool(set(words) & called)
    score += 0.3 * (own or any(word in MAIN_DATE_WORDS for word in words))
    return score - 0.5 * any(word in SIDE_DATE_WORDS and word not in stems for word in words)


def _year_column(catalogue: Catalogue, graph: JoinGraph, base: str) -> Field | None:
    best: tuple[float, Field] | None = None
    for table in catalogue.tables:
        tree = graph.tree(base, [table.name])
        if tree.missing:
            continue
        for column in table.columns:
            words = name_words(column.name)
            if "year" in words and column.data_type in (DataType.INTEGER, DataType.STRING):
                score = (1.0 if words == ("year",) else 0.5) - tree.cost
                if best is None or score > best[0]:
                    best = (score, Field(table=table.name, column=column.name))
    return best[1] if best else None


def time_conditions(
    spans: Sequence[TimeSpan],
    catalogue: Catalogue,
    graph: JoinGraph,
    base: str,
    stems: Sequence[str],
    dated: Field | None = None,
    *,
    counted: bool = False,
) -> SpanConditions:
    """Conditions for all spans, on the date `dated` where the question says which one.

    Relative spans end with the latest date in the data, and say so.
    """
    found = SpanConditions()
    for span in spans:
        target = span_column(span, catalogue, graph, base, stems, dated, counted=counted)
        if target is not None and _holds_years(catalogue, target):
            found.filters.append(_years(target, span))
        elif target is not None:
            _dated(span, target, catalogue, found)
        else:
            found.lost = f'The data has no date to hold "{span.text}" against.'
    return found


def span_column(
    span: TimeSpan,
    catalogue: Catalogue,
    graph: JoinGraph,
    base: str,
    stems: Sequence[str],
    dated: Field | None = None,
    *,
    counted: bool = False,
) -> Field | None:
    """The date, or for plain years the column of years, that a span is about."""
    by_year = _year_column(catalogue, graph, base) if _in_years(span) and not dated else None
    by_date = dated or main_date(catalogue, graph, base, stems, counted=counted)
    nearer = by_date is None or (by_year is not None and by_year.table == base != by_date.table)
    return by_year if by_year is not None and nearer else by_date


def _holds_years(catalogue: Catalogue, target: Field) -> bool:
    table = catalogue.table(target.table)
    column = table.column(target.column) if table is not None else None
    return column is not None and column.data_type not in _DATE_TYPES


def _in_years(span: TimeSpan) -> bool:
    """Whether years alone tell what lies inside: "1997", but also "after 2005"."""
    ends = [end for end in (span.start, span.end) if end is not None]
    open_ended = span.last is None and not span.alternatives and len(ends) == 1
    return bool(span.years) or (open_ended and (ends[0].month, ends[0].day) == (1, 1))


def _years(target: Field, span: TimeSpan) -> Condition:
    end = span.start or span.end
    if not span.years and end is not None:
        operator = Operator.AT_LEAST if span.start is not None else Operator.LESS
        return Condition(field=target, operator=operator, values=(end.year,), note=span.text)
    if len(span.years) == 1:
        return Condition(field=target, operator=Operator.EQUAL, values=span.years, note=span.text)
    if span.alternatives:
        return Condition(field=target, operator=Operator.IN, values=span.years, note=span.text)
    ends = (span.years[0], span.years[-1])
    return Condition(field=target, operator=Operator.BETWEEN, values=ends, note=span.text)


def _dated(span: TimeSpan, target: Field, catalogue: Catalogue, found: SpanConditions) -> None:
    if span.alternatives:
        members = tuple(_range(target, start, end, span.text) for start, end in span.alternatives)
        found.filters.append(Group(connective="or", members=members))
        return
    span, text = by_the_data(span, latest_of(catalogue, target), target.column)
    found.notes += [text] if text else []
    start, end = span.start, span.end
    if span.last is not None:
        latest = latest_of(catalogue, target)
        if latest is None:
            found.lost = f'The latest date, which "{span.text}" counts back from, is not known.'
            return
        start, end = last_range(*span.last, latest)
        found.notes.append(
            f"{span.text} counted back from {latest.isoformat()}, the latest {target.column}"
        )
    table = catalogue.table(target.table)
    found.filters.append(_range(target, start, end, span.text))
    beyond = outside(start, end, table.column(target.column) if table else None)
    found.notes += [f"{span.text} {beyond}"] if beyond else []


def _range(target: Field, start: date | None, end: date | None, note: str) -> Filter:
    members: list[Filter] = []
    if start is not None:
        members.append(
            Condition(field=target, operator=Operator.AT_LEAST, values=(start,), note=note)
        )
    if end is not None:
        members.append(Condition(field=target, operator=Operator.LESS, values=(end,), note=note))
    return members[0] if len(members) == 1 else Group(connective="and", members=tuple(members))


def latest_of(catalogue: Catalogue, dated: Field) -> date | None:
    """The last day that a date holds, where it is known."""
    table = catalogue.table(dated.table)
    found = table.column(dated.column) if table else None
    return day_of(found.maximum) if found is not None else None


def day_of(text: str | None) -> date | None:
    """The day that a bound of a column tells; None where it tells none."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None
