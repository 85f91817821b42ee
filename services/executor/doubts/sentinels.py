"""Numbers and days that stand for no value: -200, -999, 9999, 1900-01-01, 9999-12-31."""

from __future__ import annotations

from collections.abc import Iterator

from mesh.text import sentinels
from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.sql import literal, quoted

_MANY = 20
_FEWEST = 2
_YEARS_APART = 15
_NUMBERS = (DataType.INTEGER, DataType.FLOAT)
_TIMES = (DataType.DATE, DataType.DATETIME)


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        for end in ("minimum", "maximum"):
            written = getattr(column, end) or ""
            if column.data_type in _NUMBERS and end == "minimum" and sentinels.is_code(written):
                yield from _codes(table, column, ask)
            elif column.data_type in _NUMBERS and sentinels.may_be_number(written, end):
                yield from _number(table, column, written, end, ask)
            elif column.data_type in _TIMES and sentinels.may_be_day(written, end):
                yield from _day(table, column, written[:10], ask)


def _codes(table: SeenTable, column: SeenColumn, ask: Ask) -> Iterator[Doubt]:
    """Codes at the lower end of a column that holds nothing else below nought."""
    name, codes = quoted(column.name), f"({', '.join(map(str, sentinels.CODES))})"
    rest = f"FILTER (WHERE {name} NOT IN {codes})"
    row = ask(
        f"SELECT min({name}) {rest}, max({name}) {rest}, count({name}), count({name}) {rest}, "
        f"avg({name}), avg({name}) {rest} FROM {quoted(table.name)}",
        1,
    )[0]
    if any(cell is None for cell in row):
        return
    low, high, every, others, mean, without = map(float, row)
    if low < 0 or every - others < _FEWEST or every - others > sentinels.MOST_OF_ALL * every:
        return
    found = ask(
        f"SELECT {name}, count(*) FROM {quoted(table.name)} WHERE {name} IN {codes} "
        "GROUP BY 1 ORDER BY 1",
        len(sentinels.CODES),
    )
    for value, count in found:
        yield _doubt(table, column, float(value), int(count), every, (low, high), (mean, without))


def _number(
    table: SeenTable, column: SeenColumn, written: str, end: str, ask: Ask
) -> Iterator[Doubt]:
    name, value = quoted(column.name), float(written)
    rest = f"FILTER (WHERE {name} {'>' if end == 'minimum' else '<'} {written})"
    row = ask(
        f"SELECT count(*) FILTER (WHERE {name} = {written}), min({name}) {rest}, "
        f"max({name}) {rest}, count({name}), avg({name}), avg({name}) {rest} "
        f"FROM {quoted(table.name)}",
        1,
    )[0]
    if any(cell is None for cell in row):
        return
    count, low, high, every, mean, without = map(float, row)
    if not sentinels.stands_apart(written, count, every, low, high):
        return
    surely = sentinels.is_known(written) or count >= _MANY
    certain = sentinels.is_far(value, low, high) and end == "minimum" and surely
    doubt = _doubt(table, column, value, int(count), every, (low, high), (mean, without))
    yield doubt.model_copy(update={"certain": certain})


def _doubt(
    table: SeenTable,
    column: SeenColumn,
    value: float,
    count: int,
    every: float,
    others: tuple[float, float],
    means: tuple[float, float],
) -> Doubt:
    """Of one value; `others` are the ends of what all else holds, `means` with the value and
    without."""
    (low, high), (mean, without), share = others, means, count / table.rows
    return Doubt(
        code="stand-in",
        table=table.name,
        column=column.name,
        rows=count,
        share=share,
        examples=(f"{value:g}",),
        said=f"{count:,} of {every:,.0f} values of {column.name} are {value:g}, which may stand "
        f"for no value: all others are from {low:g} to {high:g}",
        changes=f"its mean is {mean:.4g} with them, {without:.4g} without",
        repairs=(Repair(kind="nothing", column=column.name, value=f"{value:g}"),),
        uses=(Use.COMPUTED,),
        weight=min(1.0, 0.5 + share),
    )


def _day(table: SeenTable, column: SeenColumn, day: str, ask: Ask) -> Iterator[Doubt]:
    name = quoted(column.name)
    is_it = f"{name}::DATE = DATE {literal(day)}"
    row = ask(
        f"SELECT count(*) FILTER (WHERE {is_it}), min({name}::DATE) FILTER (WHERE NOT {is_it}), "
        f"max({name}::DATE) FILTER (WHERE NOT {is_it}) FROM {quoted(table.name)}",
        1,
    )[0]
    count, low, high = row
    if low is None or count < _FEWEST:
        return
    nearest = low if day <= str(low) else high
    if abs(int(str(nearest)[:4]) - int(day[:4])) < _YEARS_APART:
        return
    share = count / table.rows
    yield Doubt(
        code="stand-in",
        table=table.name,
        column=column.name,
        rows=int(count),
        share=share,
        examples=(day,),
        said=f"{count:,} values of {column.name} are {day}, which may stand for no day: all others "
        f"are from {low} to {high}",
        changes="periods and durations that begin or end there",
        repairs=(Repair(kind="nothing", column=column.name, value=day),),
        uses=(Use.COMPUTED, Use.GROUPED),
        weight=min(1.0, 0.4 + share),
    )


SENTINELS = Kind(
    "stand-in",
    "values that stand for no value",
    "Instruments and old programs write -200, -999, 9999 or 1900-01-01 where nothing was measured. "
    "Surveys write -9 and -8, or -99 and -98, for an answer that was refused or not known. "
    "Inside a mean or a ranking such a value is worse than a gap. It is read as no value where it "
    "lies far below all others and comes again and again, or is one of the numbers that everybody "
    "uses for it; else it is for people to say.",
    _find,
)
