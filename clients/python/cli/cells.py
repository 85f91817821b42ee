"""Cells of an Arrow table as text: one format a column, so that figures line up."""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from mesh.text.harmless import harmless
from mesh.text.spelling import shown

if TYPE_CHECKING:
    import pyarrow as pa

MISSING = "–"
EACH = "each"
_IDENTIFIER_NAME = re.compile(r"(?i:(^|[_\W])(id|key|code|year|zip|number|no)$)|[a-z](Id|ID|Year)$")
_MONTHS = re.compile(r"(?i:\bmonth)")
_QUARTERS = re.compile(r"(?i:\bquarter)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column ready to be shown: its heading, its cells, and whether they are figures."""

    name: str
    cells: tuple[str, ...]
    numeric: bool

    @property
    def width(self) -> int:
        """Places it takes on a line: a wide letter takes two."""
        return max(cell_len(self.name), *map(cell_len, self.cells), 0)


def columns_of(table: pa.Table, formats: Mapping[str, str]) -> list[Column]:
    """Every column of a table, formatted; `formats` as in an Answer."""
    import pyarrow as pa

    columns = []
    for field, values in zip(table.schema, table.columns, strict=True):
        numeric = bool(
            pa.types.is_integer(field.type)
            or pa.types.is_floating(field.type)
            or pa.types.is_decimal(field.type)
        )
        form = formats.get(field.name, "")
        if numeric and field.name == "value" and "statistic" in table.column_names:
            form = EACH
        cells = tuple(map(harmless, formatted(field.name, values.to_pylist(), form)))
        named = form in ("month_of_year", "hour")
        columns.append(Column(harmless(field.name), cells, numeric and not named))
    return columns


def formatted(name: str, values: Sequence[Any], form: str = "") -> list[str]:
    """Values of one column as text, in a format that fits them all.

    `form` is "percent", where one means all of it, the grain of times, `EACH` where every figure is
    of its own kind, as beside names of statistics, or empty. Figures get
    thousands separators and the same number of decimals, at most two unless all are below one;
    years and identifiers stay as they are. Midnights are shown as dates, first days as months or
    quarters where the column says that it holds those.
    """
    present = [value for value in values if value is not None]
    if present and all(_is_number(value) for value in present):
        if form == EACH:
            return [MISSING if value is None else shown(value) for value in values]
        if form == "month_of_year" and all(value in range(1, 13) for value in present):
            months = calendar.month_name
            return [MISSING if value is None else months[int(value)] for value in values]
        if form == "hour" and all(value in range(24) for value in present):
            return [MISSING if value is None else f"{int(value):02}:00" for value in values]
        if form == "percent":
            return [MISSING if value is None else per_cent(value) for value in values]
        if form == "year" or _is_identifier(name, present):
            return [MISSING if value is None else str(value) for value in values]
        places = _decimals(present)
        return [MISSING if value is None else _readable(value, places) for value in values]
    only_dates = all(isinstance(value, datetime) and value.time() == time() for value in present)
    if all(_begins_a_month(value) for value in present):
        if form == "month" or _MONTHS.search(name):
            return [MISSING if value is None else f"{value:%Y-%m}" for value in values]
        if (form == "quarter" or _QUARTERS.search(name)) and all(
            value.month in (1, 4, 7, 10) for value in present
        ):
            return [
                MISSING if value is None else f"{value.year} Q{(value.month + 2) // 3}"
                for value in values
            ]
    return [_text(value, only_dates) for value in values]


def number(value: float | int | Decimal, places: int) -> str:
    """A figure with thousands separators and so many decimals."""
    if isinstance(value, float) and not math.isfinite(value):
        return MISSING if math.isnan(value) else ("∞" if value > 0 else "-∞")
    return f"{value:,.{places}f}"


def per_cent(value: float | int | Decimal) -> str:
    """A share, as people read it."""
    finite = math.isfinite(value)
    return f"{number(float(value) * 100, 1)} %" if finite else number(value, 1)


def _readable(value: float | int | Decimal, places: int) -> str:
    """The figure like the others of its column; one that would be shown as zero, in full."""
    if 0 < abs(float(value)) < 0.5 / 10**places:
        return f"{value:.3g}"
    return number(value, places)


def _begins_a_month(value: Any) -> bool:
    if isinstance(value, datetime) and value.time() != time():
        return False
    return isinstance(value, date) and value.day == 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_identifier(name: str, values: Sequence[Any]) -> bool:
    """Whether whole numbers tell things apart rather than count them: ids, years, codes."""
    whole = all(isinstance(v, int) or (isinstance(v, Decimal) and v == int(v)) for v in values)
    return whole and bool(_IDENTIFIER_NAME.search(name))


def _decimals(values: Sequence[Any]) -> int:
    finite = [value for value in values if math.isfinite(value)]
    if all(value == int(value) for value in finite):
        return 0
    largest = max(abs(value) for value in finite)
    most = 2 if largest >= 1 else 4
    if largest < 0.001:
        most = 3 - math.floor(math.log10(largest))
    for places in range(1, most):
        if all(math.isclose(round(value, places), value, abs_tol=1e-12) for value in finite):
            return places
    return most


def _text(value: Any, only_dates: bool) -> str:
    if value is None:
        return MISSING
    if isinstance(value, datetime):
        if only_dates:
            return value.date().isoformat()
        return value.isoformat(sep=" ", timespec="seconds" if value.second else "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    return " ".join(str(value).split())
