"""A frame's first rows as texts that line up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from mesh.text.spelling import label_text, shortened, shown
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.query.intent import Grain, Intent
from services.planner.domain.reporting.blocks import Grid
from services.planner.domain.reporting.evidence import EvidenceTable
from services.planner.domain.reporting.formats import PER_CENT, amounts, formats_of
from services.planner.domain.reporting.units import headed
from services.planner.domain.statements.column import ResultColumn

MOST_COLUMNS_SHOWN = 12
# Beside the name of a statistic, each number is of its own kind: 330 degrees of freedom, r 0.0013.
MANY_KINDS = ("value",)


def grid_of(
    table: EvidenceTable,
    intent: Intent | None,
    most_rows: int,
    catalogue: Catalogue | None = None,
    roles: Sequence[ResultColumn] = (),
) -> Grid:
    """The first rows and columns; a number column has the same decimals throughout."""
    formats = formats_of(table, intent, catalogue, roles)
    measures = set(amounts(table, intent, roles))
    units = {one.name: one.unit for one in roles} if intent is None else {}
    grouped = {d.label for d in intent.dimensions} if intent else set()
    measured = {m.label for m in intent.measures} if intent else set()
    names = table.rows.column_names[:MOST_COLUMNS_SHOWN]
    columns = [table.rows.column(i).slice(0, most_rows) for i in range(len(names))]
    numeric = [name in measures and name not in grouped for name in names]
    # What a pivot spread over columns is one number, with one precision; of a test they are many.
    tested = intent is not None and intent.statistic is not None
    spread = [
        numeric[i] and not tested and name not in measured and name not in formats
        for i, name in enumerate(names)
    ]
    together = [v for i, column in enumerate(columns) if spread[i] for v in column.to_pylist()]
    texts: list[list[str]] = []
    for i, column in enumerate(columns):
        values = column.to_pylist()
        if numeric[i] and formats.get(names[i]) == PER_CENT:
            spell: Callable[[Any], str] = _per_cent
        elif numeric[i] and names[i] in MANY_KINDS and "statistic" in names:
            spell = shown
        elif numeric[i]:
            spell = _number_speller(column.type, together if spread[i] else values)
        else:
            spell = _label_speller(formats.get(names[i], ""))
        texts.append(["–" if value is None else spell(value) for value in values])
    return Grid(
        columns=tuple(shortened(headed(name, units.get(name, ""))) for name in names),
        numeric=tuple(numeric),
        rows=tuple(zip(*texts, strict=True)),
        hidden_columns=table.rows.num_columns - len(names),
    )


def _label_speller(grain: str) -> Callable[[Any], str]:
    """Times in the short form that sorts: 1997, 1997-Q3, 1997-12, 1997-12-31."""

    def spell(value: Any) -> str:
        if hasattr(value, "month"):
            if grain == Grain.YEAR:
                return f"{value.year}"
            if grain == Grain.QUARTER:
                return f"{value.year}-Q{(value.month + 2) // 3}"
            if grain == Grain.MONTH:
                return f"{value.year}-{value.month:02}"
            return shown(value)
        return label_text(value, grain) if value != "" else ""

    return spell


def _number_speller(kind: pa.DataType, values: Sequence[Any]) -> Callable[[Any], str]:
    if pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0):
        return shown
    sizes = [abs(float(value)) for value in values if value is not None]
    decimals = _decimals([size for size in sizes if math.isfinite(size)])

    def spell(value: Any) -> str:
        if not abs(float(value)) < 1e15 or 0 < abs(float(value)) < 0.5 / 10**decimals:
            return shown(value)
        return f"{float(value):,.{decimals}f}"

    return spell


def _per_cent(value: Any) -> str:
    return f"{round(float(value) * 100, 1) + 0.0:,.1f} %"  # no "-0.0 %"


def _decimals(sizes: Sequence[float]) -> int:
    """Few enough to read, enough to tell the smallest number from zero."""
    if all(size == int(size) for size in sizes):
        return 0
    most = 4 if min(size for size in sizes if size) < 0.1 else 0 if max(sizes) >= 10_000 else 2
    exact = (n for n in range(most) if all(math.isclose(round(s, n), s) for s in sizes))
    return next(exact, most)
