"""Lists that are written in one text: a|b, a, b and ["a", "b"]."""

from __future__ import annotations

from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.repairs.lists import BRACKETS, MARKS, items
from services.executor.sources.sql import literal, quoted

_OFTEN, _FEWEST = 0.1, 3
"""The least share of rows, and how many at least, that have several items."""
_AGAIN = 0.5
"""The most that different items may be of all, and the least share of items in second or later
places that stand first elsewhere: in "Last, First" and "City, Country" none does."""
_OF_NUMBERS = ("commas", "slashes")
"""What stands in numbers, fractions and dates too."""
_OF_LISTS, _FEW_AGAIN = ("bars", "semicolons"), 0.7
"""What stands in lists alone, of which fewer say enough."""
_LONGEST, _MOST_WORDS = 40, 4
_MOST_ROWS = 1_000_000


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        texts = column.data_type is DataType.STRING and column.distinct > 1
        if not texts or table.rows > _MOST_ROWS:
            continue
        if all(sample.startswith("[") and sample.endswith("]") for sample in column.samples):
            yield from _in_brackets(table, column, ask)
            continue
        marks = [name for name, mark in MARKS.items() if any(mark in s for s in column.samples)]
        for written in marks:
            found = list(_parted(table, column, written, ask))
            yield from found
            if found:
                break


def _in_brackets(table: SeenTable, column: SeenColumn, ask: Ask) -> Iterator[Doubt]:
    name = quoted(column.name)
    of = items(name, BRACKETS)
    row = ask(
        f"SELECT count(*), count({of}), count(*) FILTER (WHERE len({of}) > 1), "
        f"bool_or(contains({name}, '{{')) FROM {quoted(table.name)} WHERE trim({name}) <> ''",
        1,
    )[0]
    filled, lists, several, objects = row
    if filled and lists == filled and several and not objects:
        yield _doubt(table, column, BRACKETS, int(several), certain=True)


def _parted(table: SeenTable, column: SeenColumn, written: str, ask: Ask) -> Iterator[Doubt]:
    """The doubt, where items come again in other rows and in other places."""
    name = quoted(column.name)
    listed = (
        f"SELECT {items(f'lower({name})', written)} AS l FROM {quoted(table.name)} "
        f"WHERE trim({name}) <> ''"
    )
    each = (
        "SELECT unnest(l) AS item, generate_subscripts(l, 1) AS place, len(l) AS many "
        f"FROM ({listed})"
    )
    # A text with a comma in it is prose where an item is long.
    row = ask(
        f"SELECT (SELECT count(*) FROM ({listed})), "
        f"(SELECT count(*) FROM ({listed}) WHERE len(l) > 1), count(*), count(DISTINCT item), "
        "count(DISTINCT item) FILTER (WHERE place > 1), "
        "count(DISTINCT item) FILTER (WHERE place > 1 AND item IN "
        f"(SELECT l[1] FROM ({listed}))), "
        f"count(*) FILTER (WHERE length(item) > {_LONGEST} OR "
        f"len(string_split(item, ' ')) > {_MOST_WORDS}), "
        f"count(*) FILTER (WHERE regexp_full_match(item, {literal('[-+.0-9 ]+')})) FROM ({each})",
        1,
    )[0]
    filled, several, all_items, different, later, shared, long, numbers = map(int, row)
    mostly_numbers = written in _OF_NUMBERS and numbers > _AGAIN * all_items
    fewest, again = (2, _FEW_AGAIN) if written in _OF_LISTS else (_FEWEST, _AGAIN)
    if several < fewest or several < _OFTEN * filled or long or mostly_numbers:
        return
    if different <= again * all_items and later and shared >= _AGAIN * later:
        yield _doubt(table, column, written, several, certain=False)


def _doubt(
    table: SeenTable, column: SeenColumn, written: str, several: int, *, certain: bool
) -> Doubt:
    mark = MARKS.get(written, ",")
    examples = [sample for sample in column.samples if mark in sample]
    such = f", such as {examples[0]}" if examples else ""
    return Doubt(
        code="lists",
        table=table.name,
        column=column.name,
        rows=several,
        share=several / table.rows,
        examples=tuple(examples[:3]),
        said=f"{column.name} is a list in a text: {several:,} rows have several in one{such}",
        changes="groups by it, and comparisons with one of them, which pass over the lists",
        repairs=(Repair(kind="lists", column=column.name, value=written),),
        uses=(Use.GROUPED, Use.FILTERED, Use.COMPUTED),
        weight=0.3 if certain else 0.5,
        certain=certain,
    )


LISTS = Kind(
    "lists",
    "lists in one text",
    'A cell a|b or a, b is a group of its own, and no cell of those where somebody asks for "a". '
    "Where items come again in other rows and in other places, which the parts of names and "
    "addresses do not, a table with a row for each item is on offer; lists in brackets, as code "
    "writes them, become one at once.",
    _find,
)
