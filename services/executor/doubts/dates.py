"""Dates that can be read in two ways: the day or the month first, this century or the last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import DateOrder, Repair
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask
from services.executor.sources.delimited.centuries import Century

_ORDER_TEXTS = {DateOrder.DAY_FIRST: "the day first", DateOrder.MONTH_FIRST: "the month first"}
_USES = (Use.GROUPED, Use.FILTERED, Use.COMPUTED)


def order_doubt(
    table: str, column: str, order: DateOrder, rows: int, examples: Sequence[str]
) -> Doubt:
    """The doubt about a column of which no cell tells the day from the month, read in `order`;
    `rows` would be other days in the other one."""
    other = next(one for one in _ORDER_TEXTS if one is not order)
    return Doubt(
        code="date-order",
        table=table,
        column=column,
        rows=rows,
        share=1.0,
        examples=tuple(examples),
        said=f"dates of {column} are read with {_ORDER_TEXTS[order]}, and could have "
        f"{_ORDER_TEXTS[other]}",
        changes=f"{rows:,} rows would be on another day, most of them in another month",
        repairs=tuple(
            Repair(kind="date-order", column=column, value=one) for one in (order, other)
        ),
        uses=_USES,
        weight=0.7,
    )


def century_doubt(
    table: str,
    column: str,
    century: Century,
    read: tuple[int, int],
    rows: int,
    examples: Sequence[str],
) -> Doubt:
    """The doubt about a column with two digits for the year, `read` as from the first to the last
    of these years though others are as likely."""
    first, last = read
    starts = (century.start, *century.others)
    return Doubt(
        code="century",
        table=table,
        column=column,
        rows=rows,
        share=1.0,
        examples=tuple(examples),
        said=f"years of {column} have two digits, and are read as {first} to {last}",
        changes="they may lie a hundred years from there, and ages and periods with them",
        repairs=tuple(Repair(kind="century", column=column, value=str(one)) for one in starts),
        uses=_USES,
        weight=0.7,
    )


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    """Nothing: how dates were written is seen while a file is read, and gone from its table."""
    yield from ()


DATE_ORDERS = Kind(
    "date-order",
    "day or month first",
    "03/04/2024 is 3 April to some and 4 March to others. All cells of a column decide, and other "
    "columns of the file where they do not; where nothing tells them apart, both are on offer.",
    _find,
)
CENTURIES = Kind(
    "century",
    "years of two digits",
    "52 is 1952 of a birth and 2052 of a contract's end. Years are read as of 1930 to 2029 where "
    "those of the column lie together there; where they run across that border, or are the last "
    "days of something, the other century is on offer.",
    _find,
)
