"""Numbers that stand with a unit or a currency in one text: $5, 4 €, 12.5 kg."""

from __future__ import annotations

import re

from services.executor.domain.source import Repair
from services.executor.repairs.repair import Kind, Mended, free_name, refused, text_column_of
from services.executor.sources.delimited import numbers
from services.executor.sources.delimited.plain import MISSING
from services.executor.sources.delimited.units import UNIT
from services.executor.sources.manifest import StoredTable
from services.executor.sources.sql import literal, quoted

STYLES = {"point": numbers.POINT, "comma": numbers.COMMA}
UNSTATED = "unstated"
"""What stands as the unit of a number that has none beside others that have one."""
_DIGITS = r"\d(?:[\d.,'’\x{a0}\x{202f} ]*\d)?(?:[eE][-+]?\d+)?"
_WITH_UNIT = rf"(\(?[-+−]?)\s*({numbers.CURRENCY})?\s*([-+−]?{_DIGITS})\s*({UNIT})?\s*\)?"
"""A number with a currency before it or what it is in behind it: groups for a sign, the currency,
the number, the unit."""


_IN_PYTHON = re.compile(re.sub(r"\\x\{(\w+)\}", lambda code: chr(int(code[1], 16)), _WITH_UNIT))


def may_fit(text: str) -> bool:
    """Whether a text may be a number with one unit, or without any."""
    return _IN_PYTHON.fullmatch(text.strip()) is not None


def unit(sql: str) -> str:
    """SQL: the unit in a text, as it stands there; empty where there is none."""
    return f"concat({_group(sql, 2)}, {_group(sql, 4)})"


def fits(sql: str) -> str:
    """SQL: whether a text is a number with one unit, or without any."""
    both = f"({_group(sql, 2)} <> '' AND {_group(sql, 4)} <> '')"
    return f"(regexp_full_match(trim({sql}), {literal(_WITH_UNIT)}) AND NOT {both})"


def number(sql: str, style: numbers.Style) -> str:
    """SQL: the number in a text that fits; null where it is none in the style."""
    text = f"concat({_group(sql, 1)}, {_group(sql, 3)})"
    value = f"(CASE WHEN {numbers.matches(_text(text), style)} THEN {_value(text, style)} END)"
    return f"(CASE WHEN {fits(sql)} THEN {value} END)"


def stands_for_nothing(sql: str) -> str:
    """SQL: whether a text is no value but a mark for none."""
    return f"trim({sql}) IN ({', '.join(map(literal, ('', *sorted(MISSING))))})"


def _text(sql: str) -> str:
    return f"replace({sql}, '(', '-')"


def _value(sql: str, style: numbers.Style) -> str:
    return numbers.number(_text(sql), style)


def _group(sql: str, number: int) -> str:
    return f"regexp_extract(trim({sql}), {literal('^' + _WITH_UNIT + '$')}, {number})"


def _mend(repair: Repair, table: StoredTable) -> Mended:
    column = text_column_of(repair, table)
    mark, _, only = repair.value.partition(" ")
    if mark not in STYLES:
        raise refused(
            repair, f"it takes {' or '.join(STYLES)}, and the unit where there is but one"
        )
    name = quoted(column.name)
    amount = number(name, STYLES[mark])
    if only:
        cell = f"CASE WHEN {unit(name)} IN ({literal(only)}, '') THEN {amount} END"
        text = f"column {column.name} has numbers with {only} in {{}}, read as numbers"
        return Mended(text, {column.name: cell}, comments={column.name: f"unit: {only}"})
    beside = free_name(f"{column.name}_unit", table)
    return Mended(
        f"column {column.name} has numbers with units in {{}}, read as numbers, and their units "
        f"as {beside}",
        {column.name: amount},
        {
            beside: f"CASE WHEN {amount} IS NOT NULL THEN coalesce(nullif({unit(name)}, ''), "
            f"{literal(UNSTATED)}) END"
        },
        comments={beside: f"what {column.name} is in"},
    )


UNITS = Kind(
    "units",
    "Texts of a column such as $5, 4 € or 12.5 kg are read as numbers, and a column beside it says "
    "what they are in; what is no number is read as no value. With a unit, all are in that.",
    "what parts decimals, `point` or `comma`; where all are in one unit, a space and the unit",
    "units.price=point",
    of_column=True,
    mend=_mend,
)
