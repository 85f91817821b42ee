"""Numbers that stand with what they are in, in one text: $5 and 4 €, 12.5 kg."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.executor.domain.description import DataType
from services.executor.domain.doubt import Doubt, Use
from services.executor.domain.source import Repair
from services.executor.doubts.seen import Kind, SeenColumn, SeenTable
from services.executor.facts.asking import Ask
from services.executor.repairs import units
from services.executor.sources.delimited import numbers
from services.executor.sources.delimited.numbers import CURRENCY
from services.executor.sources.sql import literal, quoted

_FIT = 0.95
_MOST_UNITS, _SHOWN = 12, 4
_FEWEST = 2
_TIME = re.compile(
    r"(?i)d|hr?s?|m(?:in|ins|inutes?)|s|(?:milli|micro|nano)?sec(?:ond)?s?|hours?|days?|weeks?|ms"
    r"|Tage?|Stunden?"
)
"""Units of durations, which are read as such."""
_SCALE = re.compile(r"[kKM]|[mb]n|B|[Tt]housands?|[Mm]illions?|[Bb]illions?|Tsd\.?|Mio\.?|Mrd\.?")
"""Words for thousands and more: a part of the number, and no unit."""
_LETTER = re.compile(r"[A-Za-z]")


def _find(table: SeenTable, ask: Ask) -> Iterator[Doubt]:
    for column in table.columns:
        texts = column.data_type is DataType.STRING and column.distinct >= _FEWEST
        if texts and any(map(units.may_fit, column.samples)):
            yield from _seen(table, column, ask)


def _seen(table: SeenTable, column: SeenColumn, ask: Ask) -> Iterator[Doubt]:
    name = quoted(column.name)
    kept = f"{name} IS NOT NULL AND NOT {units.stands_for_nothing(name)}"
    point, comma = (units.number("v", one) for one in (numbers.POINT, numbers.COMMA))
    ambiguous = f"regexp_full_match(v, {literal(numbers.AMBIGUOUS)})"
    rows = ask(
        f"SELECT CASE WHEN {units.fits('v')} THEN {units.unit('v')} END AS unit, count(*) AS n, "
        f"count({point}), count({comma}), count(*) FILTER (WHERE {ambiguous}), min(v), "
        "bool_and(regexp_matches(v, '\\s')) "
        f"FROM (SELECT {name} AS v FROM {quoted(table.name)} WHERE {kept}) GROUP BY 1 "
        "ORDER BY n DESC, 1",
        _MOST_UNITS + 2,
    )
    of = [row for row in rows if row[0] is not None]
    every, fit = sum(int(row[1]) for row in rows), sum(int(row[1]) for row in of)
    named = [(str(row[0]), int(row[1])) for row in of if row[0]]
    if not named or len(of) > _MOST_UNITS or fit < _FIT * every or _may_be_codes(of):
        return
    as_point, as_comma = (sum(int(row[place]) for row in of) for place in (2, 3))
    marks = ["point", "comma"] if as_point >= as_comma else ["comma", "point"]
    if as_point != as_comma or not any(row[4] for row in of):
        marks = marks[:1]
    one = named[0][0] if len(of) == 1 else ""
    certain = bool(one) and fit == every and len(marks) == 1
    yield _doubt(table, column, named, fit, [f"{m} {one}".strip() for m in marks], certain=certain)


def _may_be_codes(of: list[tuple[object, ...]]) -> bool:
    """Whether what stands with the numbers is no unit for sure: the time, thousands and millions,
    letters as of house numbers."""
    texts = [str(row[0]) for row in of if row[0]]
    if all(_TIME.fullmatch(unit) for unit in texts) or any(map(_SCALE.fullmatch, texts)):
        return True
    letters = all(_LETTER.fullmatch(unit) for unit in texts)
    return letters and (len(texts) > 1 or not all(row[6] for row in of))


def _doubt(
    table: SeenTable,
    column: SeenColumn,
    named: list[tuple[str, int]],
    rows: int,
    values: list[str],
    *,
    certain: bool,
) -> Doubt:
    text = ", ".join(f"{unit} ({count:,})" for unit, count in named[:_SHOWN])
    bare = rows - sum(count for _, count in named)
    text += f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    text += f", and {bare:,} without one" if bare else ""
    money = all(re.fullmatch(CURRENCY, unit) for unit, _ in named)
    what = (
        "currency"
        if money and len(named) == 1
        else "currencies"
        if money
        else ("unit" if len(named) == 1 else "units")
    )
    return Doubt(
        code="units",
        table=table.name,
        column=column.name,
        rows=rows,
        share=rows / table.rows,
        examples=column.samples[:3],
        said=f"{column.name} has numbers with their {what} in one text: {text}",
        changes="nothing can be computed with the texts"
        + ("" if len(named) == 1 and not bare else ", and amounts are added within one alone"),
        repairs=tuple(Repair(kind="units", column=column.name, value=value) for value in values),
        uses=(Use.COMPUTED, Use.GROUPED, Use.FILTERED),
        weight=0.3 if certain else 0.5,
        certain=certain,
    )


UNITS = Kind(
    "units",
    "numbers with their units",
    "$5 and 4 €, or 12.5 kg, are texts, which have no sum. Where all are in one unit they are read "
    "as numbers in it. Where they are in several, the numbers and what they are in become "
    "columns of their own when somebody says so, and sums over several units stay doubted (A05).",
    _find,
)
