"""What a text may refer to: frames with their names, rows, doubts and what they conclude."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from mesh.text.spelling import spellings

_PERIOD = re.compile(r"(\d{4})-(?:Q([1-4])|(0[1-9]|1[0-2]))")
_NTH = ("first", "second", "third", "fourth")
_YEARS = range(1500, 2200)
_NUMBERING = re.compile(
    r"(?:^|_)(?:id|key|code|no|nr|number|year|quarter|month|week|day|hour|rank|place|zip|plz)$"
    r"|(?:Id|ID|Year|Month|Quarter|Week|Day|Code)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Frame:
    """A result that texts may cite.

    `columns` are its names in order, `values` each column's cells. `doubts` are sentences by the
    code of the check that found each. `effect` is what a causal study or an investigation says
    of a cause: True where one is borne out, False where none is, None for other frames.
    `statement` is the SQL that made it, whose literals a text may repeat. The rows of one that is
    `tested` are what a statistical test found: their names are words such as "value" or "missing",
    and no things that a text could take for one another. Decimals are held as
    numbers like any other.
    """

    name: str
    columns: Sequence[str]
    values: Mapping[str, Sequence[Any]]
    doubts: Mapping[str, str] = field(default_factory=dict)
    effect: bool | None = None
    statement: str = ""
    contested: bool = False
    tested: bool = False

    def __post_init__(self) -> None:
        values = {name: [_number(one) for one in cells] for name, cells in self.values.items()}
        object.__setattr__(self, "values", values)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.values[self.columns[0]]) if self.columns else 0

    @cached_property
    def labels(self) -> Mapping[str, Sequence[frozenset[str]]]:
        """By column that may name rows, for each row the spellings of its cell, in lower case."""
        return {
            name: [_spelt(value) for value in self.values[name]]
            for name in self.columns
            if _names_rows(name, self.values[name])
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that a text names, by its row from 0."""

    frame: Frame
    column: str
    row: int

    @property
    def value(self) -> Any:
        """What it holds."""
        return self.frame.values[self.column][self.row]


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _names_rows(name: str, values: Sequence[Any]) -> bool:
    """Texts and times do, numbers where they are years, or are called what numbers rows."""
    there = [value for value in values if value is not None]
    if any(isinstance(value, float) for value in there):
        return False
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in there):
        return True
    return _NUMBERING.search(name) is not None or all(value in _YEARS for value in there)


def _spelt(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    texts = spellings(value) | {str(value)} | set(_period_spelt(str(value)))
    return frozenset(text.casefold() for text in texts if text)


def _period_spelt(text: str) -> Iterator[str]:
    """How "2023-Q2" and "2023-07" are called."""
    found = _PERIOD.fullmatch(text)
    if found is None:
        return
    if found[3]:
        month = calendar.month_name[int(found[3])]
        yield from (month, f"{month} {found[1]}")
    else:
        nth = f"{_NTH[int(found[2]) - 1]} quarter"
        yield from (f"Q{found[2]}", f"Q{found[2]} {found[1]}", f"{found[1]} Q{found[2]}")
        yield from (nth, f"{nth} of {found[1]}", f"the {nth} of {found[1]}")
