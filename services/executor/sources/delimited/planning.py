"""What a sample tells of the columns: which a cast reads, which must be judged as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.executor.domain.source import ColumnKind, ReaderOptions
from services.executor.sources.building import Building
from services.executor.sources.delimited import months, numbers
from services.executor.sources.delimited.part_years import SEEN
from services.executor.sources.delimited.plain import (
    MISSING,
    MISSING_EVERYWHERE,
    Plain,
    epoch_kind,
    holds_codes,
    plain_kind,
    signed,
)
from services.executor.sources.naming import words_of
from services.executor.sources.offsets import some_end_with_offsets

_ENOUGH = 0.8
_MONTH = rf"{months.ANY}\.?"
_DATE = re.compile(
    r"(?:[^\W\d_]{2,10}\.?,?\s+)?(?:\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|\.)?[-/. ,]+{_MONTH}[-/. ,]+\d{{2,4}}"
    rf"|{_MONTH}[-/. ,]+\d{{1,2}}(?:st|nd|rd|th)?[-/. ,]+\d{{4}}|\d{{4}}-\d{{2}}"
    rf"|{_MONTH}[-/ ']+(?:\d{{4}}|\d{{2}})|\d{{4}}[-/ ]{_MONTH}(?:[-/ ]\d{{1,2}})?"
    rf"|{SEEN})(?:[ T,]+\d{{1,2}}:\d{{2}}.*)?",
    re.IGNORECASE,
)
_POINTED = re.compile(r"[-+]?\d{1,3}(\.\d{3})+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")
_FEWEST_POINTED = 3
_COMMA_DECIMAL = re.compile(r"[-+]?\d+,(\d{1,2}|\d{4,})|[-+]?\d{1,3}(\.\d{3})+,\d+")
_AS_PLAIN = {
    Plain.WHOLE: {ColumnKind.INTEGER, ColumnKind.NUMBER},
    Plain.WIDE: {ColumnKind.INTEGER, ColumnKind.NUMBER},
    Plain.DECIMAL: {ColumnKind.NUMBER},
    Plain.FLAG: {ColumnKind.BOOLEAN},
    Plain.DAY: {ColumnKind.DATE},
    Plain.MOMENT: {ColumnKind.DATETIME},
    Plain.SECONDS: {ColumnKind.DATETIME},
    Plain.MILLISECONDS: {ColumnKind.DATETIME},
    Plain.TEXT: {ColumnKind.TEXT},
}
_AS_JUDGED = {
    Plain.WHOLE: ColumnKind.NUMBER,
    Plain.WIDE: ColumnKind.NUMBER,
    Plain.DECIMAL: ColumnKind.NUMBER,
    Plain.FLAG: ColumnKind.BOOLEAN,
    Plain.DAY: ColumnKind.DATETIME,
    Plain.MOMENT: ColumnKind.DATETIME,
    Plain.SECONDS: ColumnKind.NUMBER,
    Plain.MILLISECONDS: ColumnKind.NUMBER,
}
_TIME_WORDS = frozenset({"timestamp", "ts", "epoch", "time", "datetime", "date", "at", "on"})


@dataclass
class Plan:
    """`plain` columns are read by a cast; `judged` ones are text first, and what they may be.

    `missing` are the texts that stand for no value anywhere in the file; `comma` says that some
    column writes decimal commas, `doubts` why columns are text that could be taken for more.
    `zoned` are columns with moments that have an offset from UTC.
    """

    plain: dict[str, Plain]
    judged: dict[str, ColumnKind]
    missing: tuple[str, ...]
    comma: bool
    doubts: dict[str, str] = field(default_factory=dict)
    zoned: frozenset[str] = frozenset()

    def demote(self, columns: Sequence[str]) -> None:
        """Judge these columns as a whole, because their casts failed."""
        for column in columns:
            self.judged[column] = _AS_JUDGED[self.plain[column]]
            self.plain[column] = Plain.TEXT


def plan_columns(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    options: ReaderOptions,
    building: Building,
    *,
    semicolons: bool = False,
) -> Plan:
    """The plan for columns of which `rows` are a sample, each as wide as the columns. Whoever
    parts cells with `semicolons` may write commas before decimals."""
    cells = {
        name: {cell for row in rows if (cell := row[position]).strip()}
        for position, name in enumerate(columns)
    }
    missing = _missing(cells, options)
    comma = any(
        sum(1 for v in values if _COMMA_DECIMAL.fullmatch(v.strip())) > len(values) / 2
        for values in cells.values()
    )
    zoned = frozenset(name for name, values in cells.items() if some_end_with_offsets(values))
    plan = Plan({}, {}, missing, comma, zoned=zoned)
    for name, values in cells.items():
        kept = values - set(missing)
        wanted = options.types.get(name)
        plain, judged = _kind(name, kept, comma, wanted)
        if semicolons and plain is Plain.DECIMAL and wanted is None and _may_be_thousands(kept):
            plain, judged = Plain.TEXT, ColumnKind.NUMBER
        if wanted is None and (codes := holds_codes(kept)):
            plan.doubts[name] = codes
            building.note(f"column {name} holds {codes}; kept as text", column=name)
        plan.plain[name] = plain
        if judged is not None:
            plan.judged[name] = judged
    return plan


def _kind(
    name: str, values: set[str], comma: bool, wanted: ColumnKind | None
) -> tuple[Plain, ColumnKind | None]:
    if wanted is ColumnKind.TEXT or (not values and wanted is None):
        return Plain.TEXT, None
    kind = plain_kind(values)
    if kind is Plain.WHOLE and (wanted is ColumnKind.DATETIME or (not wanted and _timed(name))):
        kind = epoch_kind(values) or kind
    if wanted is not None:
        fitting = kind is not None and wanted in _AS_PLAIN[kind]
        return (kind, None) if fitting and kind else (Plain.TEXT, wanted)
    if holds_codes(values):
        return Plain.TEXT, None
    if signed(values):
        return Plain.TEXT, ColumnKind.NUMBER
    if comma and values and all(_POINTED.fullmatch(value) for value in values):
        return Plain.TEXT, ColumnKind.NUMBER
    if kind is Plain.WHOLE and _compact_dates(name, values):
        return Plain.TEXT, ColumnKind.DATE
    if kind is not None:
        return kind, None
    stripped = {value.strip() for value in values} - MISSING
    if not stripped:
        return Plain.TEXT, None
    if sum(map(numbers.is_number, stripped)) >= _ENOUGH * len(stripped):
        return Plain.TEXT, ColumnKind.NUMBER
    if sum(1 for v in stripped if _DATE.fullmatch(v)) >= _ENOUGH * len(stripped):
        return Plain.TEXT, ColumnKind.DATETIME
    return Plain.TEXT, None


def _may_be_thousands(values: set[str]) -> bool:
    """Whether all have three digits behind a point and none a nought before it."""
    return len(values) >= _FEWEST_POINTED and all(map(_THOUSANDS.fullmatch, values))


def _missing(cells: Mapping[str, set[str]], options: ReaderOptions) -> tuple[str, ...]:
    """The marks that stand among values which are otherwise all numbers or all dates."""
    if options.missing is not None:
        return options.missing
    found: set[str] = set()
    for values in cells.values():
        marks = values & MISSING_EVERYWHERE
        rest = {value.strip() for value in values} - MISSING
        if marks and rest and _all_values(rest):
            found |= marks
    return tuple(sorted(found))


def _all_values(rest: set[str]) -> bool:
    return all(map(numbers.is_number, rest)) or all(_DATE.fullmatch(value) for value in rest)


def _timed(name: str) -> bool:
    """Whether a column's name ends like one of moments: created_at, timestamp."""
    words = words_of(name)
    return bool(words) and words[-1] in _TIME_WORDS


def _compact_dates(name: str, values: set[str]) -> bool:
    named = {"date", "day", "datum", "fecha"} & set(words_of(name))
    return bool(named) and all(
        re.fullmatch(r"(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", value) for value in values
    )
