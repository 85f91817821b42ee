"""Rows below a table that hold means, deviations, smallest and largest of the rows above."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence

from services.executor.sources.delimited.dialect import Row
from services.executor.sources.delimited.numbers import COMMA, POINT, Style, number_in, rounded

_Measure = Callable[[Sequence[float]], float]
_MEASURES: tuple[tuple[re.Pattern[str], tuple[_Measure, ...]], ...] = tuple(
    (re.compile(rf"(?i)(?:{words})\W*"), measures)
    for words, measures in (
        (
            r"mean|average|avg\.?|mittelwert|mittel|durchschnitt|moyenne|media|promedio|média"
            r"|gemiddelde|ø",
            (statistics.fmean,),
        ),
        (r"median|mediane?|mediana|zentralwert", (statistics.median,)),
        (
            r"(?:std|st)\.?[ -]?dev(?:iation)?\.?|standard deviation|s\.?d\.?|std|sigma"
            r"|standardabweichung|stabw\.?|écart[- ]type|desviación(?: estándar)?",
            (statistics.stdev, statistics.pstdev),
        ),
        (r"min(?:imum)?|lowest|smallest|mínimo|kleinster wert", (min,)),
        (r"max(?:imum)?|highest|largest|máximo|größter wert", (max,)),
        (r"count|n|anzahl|nombre", (len,)),
    )
)
_MOST = 8
_FEWEST_ROWS = 3


def measures_below(rows: Sequence[Row]) -> list[Row]:
    """The last rows of a table where each is called a measure, and its numbers are that measure of
    the rows above, by their columns."""
    below: list[Row] = []
    for row in reversed(rows[-_MOST:]):
        if not _measures_of(row):
            break
        below.insert(0, row)
    above = rows[: len(rows) - len(below)]
    if not below or len(above) < _FEWEST_ROWS:
        return []
    sound = all(any(_holds(row, above, style) for style in (POINT, COMMA)) for row in below)
    return below if sound else []


def _measures_of(row: Row) -> tuple[_Measure, ...]:
    """What the first word of a row says that its numbers are."""
    label = next((cell.strip() for cell in row.cells if cell.strip()), "")
    return next((how for words, how in _MEASURES if words.fullmatch(label)), ())


def _holds(row: Row, above: Sequence[Row], style: Style) -> bool:
    found = list(_compared(row, above, style))
    return bool(found) and all(found)


def _compared(row: Row, above: Sequence[Row], style: Style) -> Iterator[bool]:
    for column, cell in enumerate(row.cells):
        value = number_in(cell, style)
        if value is None:
            continue
        numbers = [
            number
            for other in above
            if column < len(other.cells)
            and (number := number_in(other.cells[column], style)) is not None
        ]
        yield len(numbers) > 1 and any(
            math.isclose(how(numbers), value, rel_tol=1e-6, abs_tol=rounded(cell, style))
            for how in _measures_of(row)
        )
