"""Whether an answer's rows are the right ones."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from bench.reading.canonical import Cell, canonical, day_of, same
from bench.reading.protocol import Drawn, Rows

_WAYS_AT_MOST = 50
_GREEDY_AT_MOST = 200
_AXES = 3

Row = tuple[Cell, ...]


class Judgement(StrEnum):
    """How an answer's rows compare with the right ones, best first."""

    RIGHT = "right"
    EXTRA = "extra columns"
    SWAPPED = "axes swapped"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Truth:
    """The right rows in canonical cells. Of a chart: x, y and series ("" where there is none).

    `ranks` says, where order matters, which rows share a place: ties may come in any order.
    """

    rows: tuple[Row, ...]
    ranks: tuple[int, ...] | None = None
    drawn: bool = False


def judged(rows: Rows | None, truths: Sequence[Truth], chart: Drawn | None = None) -> Judgement:
    """The best that can be said of the rows, compared with each of the truths."""
    if rows is None or rows.cut:
        return Judgement.WRONG
    order = list(Judgement)
    if rows.statistics:
        found = [_of_statistics(rows, truth) for truth in truths if not truth.drawn]
    else:
        found = [_of_chart(rows, t, chart) if t.drawn else _of_rows(rows, t) for t in truths]
    return min(found, key=order.index, default=Judgement.WRONG)


def canonical_rows(rows: Sequence[Sequence[object]]) -> tuple[Row, ...]:
    """All cells in one form."""
    return tuple(tuple(canonical(cell) for cell in row) for row in rows)


def _in_days(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(tuple(day_of(cell) for cell in row) for row in rows)


def drawn_truth(rows: Sequence[Sequence[object]]) -> Truth:
    """The truth of a chart, which tells days where the data has moments.

    Zeros that only fill up a stack do not count.
    """
    cells = _in_days(canonical_rows(rows))
    return Truth(tuple(c for c in cells if not (c[2] != "" and c[1] == 0)), None, drawn=True)


def _of_chart(rows: Rows, truth: Truth, chart: Drawn | None) -> Judgement:
    chart = chart or rows.chart or _first_columns(rows)
    if chart is None:
        return Judgement.WRONG
    columns = list(rows.columns)
    names = (chart.x, chart.y, chart.series)
    places = [None if n is None or n not in columns else columns.index(n) for n in names]
    cells = tuple(
        tuple("" if p is None else day_of(canonical(row[p])) for p in places) for row in rows.rows
    )
    if places[2] is not None:
        cells = tuple(cell for cell in cells if cell[1] != 0)
    if equal(cells, truth.rows):
        return Judgement.RIGHT
    ways = list(itertools.permutations(range(_AXES)))[1:]
    if any(equal([tuple(cell[p] for p in way) for cell in cells], truth.rows) for way in ways):
        return Judgement.SWAPPED
    with_series = any(row[2] != "" for row in truth.rows)
    wanted = tuple(row if with_series else row[:2] for row in truth.rows)
    among = _compared(_in_days(canonical_rows(rows.rows)), wanted) is not Judgement.WRONG
    return Judgement.EXTRA if among else Judgement.WRONG


def _first_columns(rows: Rows) -> Drawn | None:
    names = list(rows.columns)
    if len(names) < 2:
        return None
    return Drawn("", names[0], names[1], names[2] if len(names) >= _AXES else None)


def _of_rows(rows: Rows, truth: Truth) -> Judgement:
    """As compared; an answer in days is right where the truth has moments, for a date was asked."""
    got = canonical_rows(rows.rows)
    found = _compared(got, truth.rows, truth.ranks)
    if found is Judgement.WRONG and any(type(cell) is date for row in rows.rows for cell in row):
        return _compared(_in_days(got), _in_days(truth.rows), truth.ranks)
    return found


def _compared(
    got: Sequence[Row], wanted: Sequence[Row], ranks: Sequence[int] | None = None
) -> Judgement:
    """Right in any order of columns; with more of them, right with harmless extra columns."""
    if len(got) != len(wanted):
        return Judgement.WRONG
    if not got:
        return Judgement.RIGHT
    wide, needed = len(got[0]), len(wanted[0])
    if wide < needed:
        return Judgement.WRONG
    ours = [[(row[i],) for row in got] for i in range(wide)]
    theirs = [[(row[j],) for row in wanted] for j in range(needed)]
    fitting = [[i for i in range(wide) if equal(ours[i], column)] for column in theirs]
    ways = (way for way in itertools.product(*fitting) if len(set(way)) == needed)
    for way in itertools.islice(ways, _WAYS_AT_MOST):
        if equal([tuple(row[i] for i in way) for row in got], wanted, ranks):
            return Judgement.RIGHT if wide == needed else Judgement.EXTRA
    return Judgement.WRONG


def _of_statistics(rows: Rows, truth: Truth) -> Judgement:
    """A test tells many statistics; those that were asked for are right among the others.

    Of several things, one statistic is right of each: (about, value) are the rows of the truth.
    """
    contents = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]
    if len(truth.rows) == 1:
        values = [canonical(one["value"]) for one in contents]
        among = all(any(same(value, cell) for value in values) for cell in truth.rows[0])
        return Judgement.EXTRA if among else Judgement.WRONG
    for name in dict.fromkeys(one["statistic"] for one in contents):
        pairs = [(one["about"], one["value"]) for one in contents if one["statistic"] == name]
        if _of_rows(Rows(("about", "value"), pairs), Truth(truth.rows)) is Judgement.RIGHT:
            return Judgement.EXTRA
    return Judgement.WRONG


def equal(got: Sequence[Row], wanted: Sequence[Row], ranks: Sequence[int] | None = None) -> bool:
    """The same rows, each as often; with `ranks` those of one rank stand at the same places."""
    if len(got) != len(wanted):
        return False
    if ranks is None:
        return _same_multiset(got, wanted)
    start = 0
    for _, tied in itertools.groupby(ranks):
        end = start + len(list(tied))
        if not _same_multiset(got[start:end], wanted[start:end]):
            return False
        start = end
    return True


def _same_multiset(got: Sequence[Row], wanted: Sequence[Row]) -> bool:
    ours, theirs = _by_texts(got), _by_texts(wanted)
    if ours.keys() != theirs.keys():
        return False
    return all(_same_numbers(ours[key], numbers) for key, numbers in theirs.items())


def _by_texts(rows: Sequence[Row]) -> dict[tuple[str | None, ...], list[list[float]]]:
    """The numbers of rows, by their texts."""
    found: dict[tuple[str | None, ...], list[list[float]]] = defaultdict(list)
    for row in rows:
        texts = tuple(None if isinstance(cell, float) else cell for cell in row)
        found[texts].append([cell for cell in row if isinstance(cell, float)])
    return found


def _same_numbers(got: list[list[float]], wanted: list[list[float]]) -> bool:
    """Whether rows of numbers can be paired; sorted first, which nearly always pairs them."""
    if len(got) != len(wanted):
        return False
    ours, theirs = sorted(got), sorted(wanted)
    if all(map(_alike, ours, theirs)):
        return True
    if len(ours) > _GREEDY_AT_MOST:
        return False
    for row in theirs:
        match = next((other for other in ours if _alike(other, row)), None)
        if match is None:
            return False
        ours.remove(match)
    return True


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(map(same, one, other))
