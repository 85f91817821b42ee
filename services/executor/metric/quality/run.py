"""All checks of a metric's rows, one statement after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError
from services.executor.metric.arguments import MOST_ROWS, QualityArguments
from services.executor.metric.engine_notes import notes_of
from services.executor.metric.margins import margins
from services.executor.metric.margins_statement import place_of
from services.executor.metric.quality.days import Days, days_of, missing_days
from services.executor.metric.quality.found import Found, frame_of
from services.executor.metric.quality.gaps import OFTEN, gaps_of_segments
from services.executor.metric.quality.nulls import null_floods
from services.executor.metric.quality.repeats import duplicate_loads
from services.executor.metric.quality.statements import (
    by_day,
    by_day_of_segments,
    by_stretch,
    repeats,
)
from services.executor.metric.quality.unit_segments import of_fewest, unit_change_of_few
from services.executor.metric.quality.units import Sizes, unit_change
from services.executor.metric.quality.values import changed_values
from services.executor.metric.relation import Relation, asked, check_column

_HISTORY = 56
"""Days before both periods that are looked at too: what is usual on a weekday takes some weeks."""

_STRETCHES = 4
"""Parts of a period whose sizes are compared by segment."""

_MOST_REPEATS = 2_000_000
"""Rows that are held against each other at most; of more, those of the most unusual days are."""

_LEAST_LOGS, _ENOUGH_LOGS = 20, 200
"""Numbers of which a mean size says something, and those that make it sure."""

_LEAST_OF_STRETCH = 2
"""Rows of a segment in a stretch from which on it is read: all of its stretches are put together
where they are small, so that what is left out is next to nothing."""

_SUMS = ("n", "logged", "log_sum", "log_squares")


def quality(
    arguments: QualityArguments, relation: Relation, context: ToolContext
) -> tuple[pa.Table, tuple[str, ...]]:
    """The frame of `metric.quality`, and notes. Raises ToolError, as for periods without rows."""
    columns = arguments.columns or list(relation.schema.names)
    for name in (*columns, *arguments.key):
        check_column(name, relation.schema)
    context.progress("adding up by every value", 0.1)
    by_value, notes = margins(relation, context, 1_000)
    sentences = [note for note in notes if "overlap" in note or "finite number" in note]
    first = arguments.first - timedelta(days=_HISTORY)
    context.progress("looking at every day", 0.3)
    counted = _by_day(relation, context, columns, first, arguments.last)
    days = days_of(counted, first, arguments.last)
    found = missing_days(days, arguments)
    gaps, texts = _gaps(relation, context, days, arguments)
    found += gaps
    sentences += texts
    found += null_floods(days, arguments, columns)
    context.progress("comparing sizes", 0.5)
    found += _unit_changes(relation, context, days, arguments)
    found += changed_values(by_value, arguments)
    context.progress("looking for rows that repeat", 0.7)
    repeated, texts = _repeats(relation, context, days, arguments, columns)
    found += repeated
    sentences += [*texts, *notes_of(counted)]
    return frame_of(found), tuple(dict.fromkeys(sentences))


def _by_day(
    relation: Relation, context: ToolContext, columns: Sequence[str], first: date, last: date
) -> pa.Table:
    statement = by_day(relation, columns, first, last)
    return asked(context, statement, relation.params, MOST_ROWS)


def _gaps(
    relation: Relation, context: ToolContext, days: Days, arguments: QualityArguments
) -> tuple[list[Found], list[str]]:
    """Days without rows of a segment, and a note where these were too many to look for."""
    least = int(np.ceil(OFTEN * np.count_nonzero(days.rows)))
    statement = by_day_of_segments(relation, days.days[0], days.days[-1], least)
    try:
        counted = asked(context, statement, relation.params, MOST_ROWS)
    except ToolError as error:
        if error.category is not ErrorCategory.RESOURCE_EXHAUSTED:
            raise
        return [], [f"gaps of single segments were not looked for: {error.message}"]
    return gaps_of_segments(counted, days, arguments), []


def _unit_changes(
    relation: Relation, context: ToolContext, days: Days, arguments: QualityArguments
) -> list[Found]:
    """Of the whole by day; where that is alike, of every segment by stretches of days."""
    whole = _whole(days)
    found = unit_change(whole, arguments, None, _LEAST_LOGS)
    if any(one.severity == "fault" for one in found):
        return found
    starts = _starts(arguments)
    rows = float(days.rows.sum())
    least = max(_LEAST_OF_STRETCH, int(rows * len(arguments.dimensions) / (MOST_ROWS / 2)))
    statement = by_stretch(relation, starts, arguments.last, least)
    table = asked(context, statement, relation.params, MOST_ROWS)
    ends = [start - timedelta(days=1) for start in starts[1:]] + [arguments.last]
    several = len(arguments.dimensions)
    segments: dict[tuple[str, str | None], list[Sizes]] = {}
    for row in table.to_pylist():
        at = place_of(int(row["part"]), several)
        stretch = int(row["stretch"])
        sizes = Sizes(
            starts[stretch],
            ends[stretch],
            *(float(row[name] or 0) for name in _SUMS),
        )
        segments.setdefault((arguments.dimensions[at], row["value"]), []).append(sizes)
    return found + _of_segments(segments, arguments, days, starts, ends)


def _of_segments(
    segments: Mapping[tuple[str, str | None], list[Sizes]],
    arguments: QualityArguments,
    days: Days,
    starts: Sequence[date],
    ends: Sequence[date],
) -> list[Found]:
    """Other units in segments: bucket by bucket where these have enough rows, else from some bucket
    on; or, where all segments together are so, of the whole."""
    whole = [_sizes(days, start, end) for start, end in zip(starts, ends, strict=True)]
    there = [one for one in whole if one.n]
    everything = unit_change_of_few(there, arguments, None, len(segments))
    if everything is not None:
        return [everything]
    found: list[Found] = []
    for segment, sizes_of in segments.items():
        sizes_of.sort(key=lambda one: one.start)
        own = unit_change(sizes_of, arguments, segment, _LEAST_LOGS)
        if not any(one.severity == "fault" for one in own):
            few = unit_change_of_few(sizes_of, arguments, segment, len(segments))
            own = own if few is None else [few]
        found += own
    # Where a segment is in another unit, others look doubtful because they have rows in it.
    return of_fewest([one for one in found if one.severity == "fault"]) or found


def _sizes(days: Days, start: date, end: date) -> Sizes:
    """The sizes of all rows of some days."""
    here = slice(max((start - days.first).days, 0), (end - days.first).days + 1)
    return Sizes(start, end, *(float(days.figures[name][here].sum()) for name in _SUMS))


def _whole(days: Days) -> list[Sizes]:
    """The sizes of all rows by day, or by so many days as have enough rows to tell a size."""
    usual = float(np.median(days.figures["logged"][days.rows > 0]))
    step = max(1, -(-_ENOUGH_LOGS // max(1, int(usual))))
    sizes = []
    for begun in range(0, len(days.rows), step):
        here = slice(begun, begun + step)
        if days.rows[here].any():
            last = min(begun + step, len(days.rows)) - 1
            sums = (float(days.figures[name][here].sum()) for name in _SUMS)
            sizes.append(Sizes(days.days[begun], days.days[last], *sums))
    return sizes


def _starts(arguments: QualityArguments) -> list[date]:
    """Where stretches begin: some in each period, none in both, and what lies between."""
    marks = set()
    for period in (arguments.baseline, arguments.comparison):
        length = max(1, -(-period.days // _STRETCHES))
        marks |= {period.start + timedelta(days=n) for n in range(0, period.days, length)}
        if period.after <= arguments.last:
            marks.add(period.after)
    return sorted(marks)


def _repeats(
    relation: Relation,
    context: ToolContext,
    days: Days,
    arguments: QualityArguments,
    columns: Sequence[str],
) -> tuple[list[Found], list[str]]:
    compared = list(arguments.key or columns)
    chosen, notes = _days_compared(days, arguments)
    if not chosen:
        return [], notes
    least = max(1, int(days.rows.sum() * len(arguments.dimensions) / (MOST_ROWS / 2)))
    statement = repeats(relation, compared, chosen, least)
    try:
        table = asked(context, statement, relation.params, MOST_ROWS)
    except ToolError as error:
        if error.category is not ErrorCategory.RESOURCE_EXHAUSTED:
            raise
        return [], [*notes, f"rows that repeat were not looked for: {error.message}"]
    fine = bool(arguments.key) or (not relation.has_days and arguments.time in compared)
    return duplicate_loads(table, arguments, compared, days, fine=fine), notes


def _days_compared(
    days: Days, arguments: QualityArguments
) -> tuple[list[tuple[date, date]], list[str]]:
    """The days whose rows are compared: all where that is little work, else those of both periods
    with the most rows beside what is usual, and as many of the most usual."""
    inside = np.flatnonzero(
        (days.within(arguments.baseline) | days.within(arguments.comparison)) & (days.rows > 0)
    )
    if days.rows[inside].sum() <= _MOST_REPEATS:
        return [
            (arguments.baseline.start, arguments.baseline.end),
            (arguments.comparison.start, arguments.comparison.end),
        ], []
    unusual = np.array([days.rows[p] / max(days.usual(int(p)), 1.0) for p in inside])
    ordered = inside[np.argsort(-unusual, kind="stable")]
    near = inside[np.argsort(np.abs(np.log(np.maximum(unusual, 1e-9))), kind="stable")]
    taken: list[int] = []
    for queue in (ordered, near):
        room = _MOST_REPEATS / 2
        for place in queue:
            if place not in taken and days.rows[place] <= room:
                taken.append(int(place))
                room -= float(days.rows[place])
    note = (
        f"rows that repeat were looked for on {len(taken)} of {len(inside)} days, those with "
        "unusually many rows among them"
    )
    return [(days.days[place], days.days[place]) for place in sorted(taken)], [note]
