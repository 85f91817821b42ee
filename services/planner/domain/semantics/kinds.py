"""What the values of a column mean: kind and unit, from name, type, values and grain.

The kinds are those of measurement theory as the field's semantic layers use them: what may be
added, what may be added but not over time (a level), what may not be added at all (intensive).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import StrEnum

from services.planner.domain.catalogue import Column, ColumnRole, DataType, Table
from services.planner.domain.lexicon.names import words_of
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.semantics.units import Unit, unit_called, unit_of_name


class Kind(StrEnum):
    """What a column's values are."""

    ID = "id"
    FLAG = "flag"
    CATEGORY = "category"
    NAME = "name"
    TEXT = "text"
    TIME = "time"
    DATE_PART = "date part"
    AMOUNT = "amount"
    LEVEL = "level"
    INTENSIVE = "intensive"


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


MEASURED = (Kind.AMOUNT, Kind.LEVEL, Kind.INTENSIVE)
"""Of these numbers tell how much there is of something."""

NAMING_KINDS = (Kind.DATE_PART, Kind.ID)
"""Of these numbers name days and things: nothing is divided by them."""

_NAMING = _stems("name title label model")
_IDS = _stems("id code number key uuid no nr ssn zip zipcode postcode phone isbn barcode fax")
_PARTS = _stems("year month day quarter week weekday hour minute season decade")
_DATED = _stems(
    """year built founded established opened launched commissioned released introduced born made
    created constructed completed published vintage since season"""
)
_INTENSIVE = _stems(
    """rate ratio price percentage percent share average mean median score rating grade gpa
    temperature speed velocity age expectancy density capita per height length width depth weight
    mass latitude longitude elevation index rank ranking position pressure humidity level
    margin discount interest duration delay probability mpg horsepower acceleration carat size
    radius diameter angle frequency star stars satisfaction likelihood altitude alt visibility
    wind reading measurement wait waiting latency turnaround dwell wartezeit lieferzeit
    bearbeitungszeit reaktionszeit durchlaufzeit"""
)
_TAKEN = _stems(
    """response reaction processing cycle handling delivery lead resolution repair recovery loading
    queue"""
)
_TAKEN |= set(map(stem, _TAKEN))  # names come with their words stemmed, too
"""With "time" how long each one took."""
_LEVELS = _stems(
    """population stock inventory balance employment employees headcount enrollment capacity
    members debt
    kontostand kontostände bestand bestände lagerbestand lagerbestände guthaben einwohner
    saldo saldos saldi solde encours existencias inventario giacenza giacenze"""
)  # and as headings of German, French, Spanish and Italian files have them
_ADDS = _stems(
    """amount total count revenue sales quantity cost profit income spending units hours miles wins
    losses goals points visits consumption rainfall precipitation snowfall"""
)
_FALLEN = _stems("rainfall precipitation snowfall")  # in millimetres that add up
_HEADS = _stems(
    """price rate ratio percentage percent pct share average avg mean median rank ranking index
    rating probability margin"""
)  # last in a name they say what its values are, whatever they are of: a price of units
FLAG_VALUES = frozenset(("t", "f", "y", "n", "1", "0", "yes", "no", "true", "false", "1.0", "0.0"))
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}/\d{2,4}")
_FEW, _FEW_WORDS = 60, 4


def unit_of(column: Column) -> Unit | None:
    """What a column is measured in, as a semantic model or its name says, where it is converted."""
    return unit_called(column.unit.lower()) if column.unit else unit_of_name(column.name)


def is_number(column: Column) -> bool:
    """Whether values are numbers by type."""
    return column.data_type in (DataType.INTEGER, DataType.FLOAT)


def is_time(column: Column) -> bool:
    """Whether values are days or moments, by type or as text that begins with one."""
    if column.data_type in (DataType.DATE, DataType.DATETIME):
        return True
    texts = [text for text in column.samples if text]
    return (
        column.data_type is DataType.STRING
        and bool(texts)
        and all(_DAY.match(text) for text in texts)
    )


_FEW_ROWS = 20
_TOTAL = "total"
_SO_FAR = frozenset(("total", "cumulative", "cum", "cumul", "running", "accumulated"))
_JUST_NOW = ("new", "daily", "weekly", "monthly")
_STEPS = frozenset(
    stem(word)
    for word in "rank place position day week minute second hour step time age round lap".split()
)


def is_flag(column: Column) -> bool:
    """Whether values say yes or no."""
    if column.kind:
        return column.kind == Kind.FLAG
    if column.data_type is DataType.BOOLEAN:
        return True
    values = {text.strip().lower() for text in column.samples} - {""}
    if is_number(column) and len(values) < 2:
        return False  # a quantity that is always 1 says neither yes nor no
    return 0 < column.distinct <= 2 and bool(values) and values <= FLAG_VALUES


def kind_of(column: Column, table: Table) -> Kind:
    """The semantic kind of a column of that table; what a semantic model says goes before all."""
    if column.kind:
        return Kind(column.kind)
    words = [stem(word) for word in words_of(column.name)]
    if is_time(column):
        return Kind.TIME
    if is_flag(column) and not set(words) & (_PARTS | _IDS):
        return Kind.FLAG
    if not is_number(column):
        return _text_kind(column, table, words)
    if (words[-1] in _PARTS and _is_part(column, words[-1])) or (
        set(words) & _DATED and holds_years(column)
    ):
        return Kind.DATE_PART
    if column.role is ColumnRole.ID or words[-1] in _IDS or words[-1] == "id":
        return Kind.ID
    numbered = counts_rows(column, table) and not set(words) & (_LEVELS | _STEPS)
    if numbered or _is_called_after_rows(column, table):
        return Kind.ID
    return Kind.LEVEL if is_running_total(column, table) else _number_kind(column, words)


def counts_rows(column: Column, table: Table, fewest: int = _FEW_ROWS) -> bool:
    """Whether a table's first column numbers its rows one by one, as a respondent's number does;
    of fewer rows than `fewest` it is too likely chance to say so."""
    if column.data_type is not DataType.INTEGER or table.columns[0].name != column.name:
        return False
    if column.nulls or table.rows < fewest or column.distinct != table.rows:
        return False
    return int(column.maximum or 0) - int(column.minimum or 0) + 1 == table.rows


def _is_called_after_rows(column: Column, table: Table) -> bool:
    """Whether whole numbers name what the rows are: the `flight` of a table of flights, but not the
    `score` of one of scores."""
    whole = column.data_type is DataType.INTEGER and column.name.lower() != table.name.lower()
    own = [stem(word) for word in words_of(column.name)]
    quantity = unit_of(column) is not None or set(own) & (_INTENSIVE | _LEVELS | _ADDS)
    return whole and not quantity and own == [stem(word) for word in words_of(table.name)]


def adds_up(column: Column) -> bool:
    """Whether its name or unit tells that values may be added, as amounts and counts may."""
    if column.kind:
        return column.kind == Kind.AMOUNT
    unit = unit_of(column)
    named = {stem(word) for word in words_of(column.name)}
    return bool(named & _ADDS) or (unit is not None and not unit.intensive)


def is_running_total(column: Column, table: Table) -> bool:
    """Whether it tells how many there have been so far: total cases beside new cases, by day."""
    words = words_of(column.name)
    rest = tuple(word for word in words if word not in _SO_FAR)
    if not is_number(column) or not rest or len(rest) == len(words):
        return False
    dated = any(is_time(other) for other in table.columns)
    beside = {words_of(other.name) for other in table.columns if other is not column}
    return dated and any((new, *rest) in beside or (*rest, new) in beside for new in _JUST_NOW)


def said_to_add_up(words: Sequence[str]) -> bool:
    """Whether a column's name tells that its values are added up, as those of quantities."""
    return bool({stem(word) for word in words} & _ADDS) and not is_named_not_additive(words)


def is_named_not_additive(words: Sequence[str]) -> bool:
    """Whether a column's name tells that its values may not be added, as those of prices: a unit
    alone does not, for kilos weigh bodies and are harvested. Of a word of each kind the last one
    tells, as in `unit_price`, unless a total is named."""
    named = {stem(word) for word in words}
    took = stem("time") in named and named & _TAKEN
    if not took and not named & (_INTENSIVE | _HEADS):
        return False
    return "per" in named or is_headed(words) or not named & _ADDS


def is_headed(words: Sequence[str]) -> bool:
    """Whether the last word of a column's name tells what its values are, and those before only
    what they are of: a `unit price`, but no `total price`."""
    return stem(words[-1]) in _HEADS and _TOTAL not in words


def _number_kind(column: Column, words: list[str]) -> Kind:
    named = set(words)
    unit = unit_of(column)
    if named & _LEVELS:
        return Kind.LEVEL
    if is_named_not_additive(words):
        return Kind.INTENSIVE
    if unit is not None and unit.intensive and not named & _FALLEN:
        return Kind.INTENSIVE
    return Kind.AMOUNT


def _text_kind(column: Column, table: Table, words: list[str]) -> Kind:
    if words[-1] in _NAMING:
        return Kind.NAME
    unique = table.rows > 1 and column.distinct >= table.rows - column.nulls
    if words[-1] in _IDS or (column.role is ColumnRole.ID and unique):
        return Kind.ID
    if words[-1] in _PARTS:
        return Kind.DATE_PART
    wordy = [len(text.split()) for text in column.samples]
    if column.distinct > _FEW and wordy and sum(wordy) / len(wordy) > _FEW_WORDS:
        return Kind.TEXT
    return Kind.CATEGORY


_MOST_OF_A_PART = {
    stem(word): most
    for word, most in (
        ("month", 12),
        ("day", 366),
        ("quarter", 4),
        ("week", 53),
        ("weekday", 7),
        ("hour", 24),
        ("minute", 60),
    )
}


def _is_part(column: Column, part: str) -> bool:
    """Whether numbers can be such a part of a date: a term of 60 months is none."""
    try:
        return not float(column.maximum or "nan") > _MOST_OF_A_PART.get(part, math.inf)
    except ValueError:
        return True


def holds_years(column: Column) -> bool:
    """Whether all its numbers can be years."""
    try:
        low, high = float(column.minimum or "nan"), float(column.maximum or "nan")
    except ValueError:
        return False
    return 1000 <= low <= high <= 2200
