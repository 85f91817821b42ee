"""Numbers that a file holds as texts: "12,50" of JSON, "1,200.00" of a database."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.repairs import number_texts as repair
from services.executor.repairs.units import stands_for_nothing
from services.executor.sources.delimited import numbers
from services.executor.sources.sql import literal, quoted

_FEWEST = 2
_MARKED = re.compile(r".*\d[.,]\d.*", re.DOTALL)
_NOUGHTS = r"[-+]?0\d.*"
_OF_TWO_PLACES = r".*\d,\d\d"
_PARTS = frozenset("version release build chapter section clause paragraph article ip".split())
"""What is numbered by parts: 1.10 comes after 1.9 there."""
_WORD = re.compile(r"[^\W\d_]+")


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        texts = column.data_type is DataType.STRING and column.distinct >= _FEWEST
        named = {word.lower() for word in _WORD.findall(column.name)}
        if texts and not named & _PARTS and any(map(_MARKED.fullmatch, column.samples)):
            yield from _seen(table, column, ask)


def _seen(table: SeenTable, column: SeenColumn, ask: Ask) -> Iterator[Doubt]:
    name = quoted(column.name)
    styles = [repair.fits("v", style) for style in (numbers.POINT, numbers.COMMA)]
    patterns = [numbers.AMBIGUOUS, _NOUGHTS, _OF_TWO_PLACES]
    tests = [*styles, *(f"regexp_full_match(v, {literal(one)})" for one in patterns)]
    counts = ", ".join(f"count(*) FILTER (WHERE {test})" for test in tests)
    every, point, comma, either, noughts, two_places = map(
        int,
        ask(
            f"SELECT count(*), {counts} FROM (SELECT trim({name}) AS v FROM {quoted(table.name)} "
            f"WHERE {name} IS NOT NULL AND NOT {stands_for_nothing(name)})",
            1,
        )[0],
    )
    values = [mark for mark, fit in (("point", point), ("comma", comma)) if fit == every]
    if not values or noughts or (len(values) > 1 and not either):
        return
    certain = values == ["comma"] and two_places == every and not either
    yield Doubt(
        code="number-text",
        table=table.name,
        column=column.name,
        rows=every,
        share=every / table.rows,
        examples=column.samples[:3],
        said=f"{column.name} has numbers as texts, such as {column.samples[0]}",
        changes="nothing can be computed with the texts"
        + (", and nothing tells thousands from decimals" if len(values) > 1 else ""),
        repairs=tuple(Repair(kind="number", column=column.name, value=one) for one in values),
        uses=(Use.COMPUTED, Use.GROUPED, Use.FILTERED),
        weight=0.3 if certain else 0.5,
        certain=certain,
    )


NUMBER_TEXTS = Kind(
    "number-text",
    "numbers as texts",
    "Of JSON, a workbook or a database, 12,50 comes as a text where a program wrote it as people "
    "read it, and texts have no sum. Where all have a comma before two decimals they are read as "
    "numbers; 1,5 may be a list of two, 12.50 a text on purpose, and 1.234 a thousand and more or "
    "one and a bit: there people say which.",
    _find,
)
