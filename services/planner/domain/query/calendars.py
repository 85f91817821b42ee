"""Columns of texts that are months, weekdays or quarters, which have an order of their own."""

from __future__ import annotations

from functools import lru_cache

from mesh.text.calendar_names import calendar_of
from services.planner.domain.catalogue import Column, DataType


def calendar_ranks(column: Column) -> tuple[str, ...]:
    """All names of the calendar that a column's values are from, from the first to the last, as the
    column writes them; none for any other column."""
    if column.data_type is not DataType.STRING or column.distinct < 2:
        return ()
    known = (*column.samples, column.minimum or "", column.maximum or "")
    return _ranks(tuple(sorted({name for name in known if name.strip()})), column.distinct)


@lru_cache(maxsize=1_000)
def _ranks(names: tuple[str, ...], distinct: int) -> tuple[str, ...]:
    calendar = calendar_of(set(names))
    if not calendar or distinct > len(calendar):
        return ()
    styles = [
        style for style in (str.title, str.lower, str.upper) if any(n == style(n) for n in names)
    ]
    ends = sorted({"." if name.rstrip().endswith(".") else "" for name in names})
    words = sorted(calendar, key=lambda word: calendar[word])
    texts = (style(word) + end for word in words for style in styles or [str.title] for end in ends)
    return tuple(dict.fromkeys(texts))
