"""Numbers of which nothing tells whether a mark parts thousands or decimals: 1.234 and 5.678."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.doubt import Doubt, Use
from services.executor.doubts.seen import Kind, SeenTable
from services.executor.facts.asking import Ask


def decimal_doubt(table: str, column: str, decimal: str, rows: int, example: str) -> Doubt:
    """The doubt about a column of `rows` numbers that are read with `decimal` before decimals,
    though the other mark is as likely."""
    other = "," if decimal == "." else "."
    return Doubt(
        code="decimal-mark",
        table=table,
        column=column,
        rows=rows,
        share=1.0,
        examples=(example,) if example else (),
        said=f'{column} has numbers such as {example}, read with "{decimal}" before decimals, and '
        f'nothing tells that "{other}" is not',
        changes=f"each would be a thousand times as much or as little; say --read decimal={other} "
        f"or --read decimal={decimal}",
        uses=(Use.COMPUTED, Use.FILTERED),
        weight=0.7,
    )


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    """Nothing: how numbers were written is seen while a file is read, and gone from its table."""
    yield from ()


DECIMAL_MARKS = Kind(
    "decimal-mark",
    "thousands or decimals",
    "1.234 is a thousand and more to some and one and a bit to others, as 1,234 is. All cells of a "
    "column decide, and other columns of the file where they do not; where nothing tells the two "
    "apart, either may be meant. With commas between cells a point is taken for a decimal point.",
    _find,
)
