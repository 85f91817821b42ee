"""Which columns name units whose rows belong together: students, firms, shops."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from services.executor.causal.profiling.columns import Codes, Column

FEWEST_UNITS = 10
_EVENLY = 30
_LEAST_ROWS = 1.2
_ID = re.compile(r"(^|[_ ])(id|uuid|guid|code|key)$|[a-z](Id|ID)$")
_OF_A_UNIT = re.compile(
    r"(^|[_ ])(student|pupil|patient|subject|participant|respondent|person|user|customer|client|"
    r"household|family|firm|company|employee|worker|school|classroom|teacher|hospital|clinic|"
    r"village|shop|store|unit|site|plant|machine|device|member|account|driver|player|farm|"
    r"plot|litter|twin|couple)([_ ](number|no|nr))?$",
    re.I,
)


@dataclass(frozen=True)
class Units:
    """Why a column seems to name units, how many, and whether each has one treatment alone."""

    reason: str
    count: int
    treated_as_a_whole: bool


def units_of(column: Column, treatment: Column | None, *, is_time: bool) -> Units | None:
    """What speaks for a column's naming units of several rows each; None where nothing does.

    Whole numbers and texts of ten values at least: named as an identifier or as a thing that is
    observed, or (whole numbers without gaps, 30 at least) with equally many rows each. What varies
    as a measure does not repeat so.
    """
    if is_time or column.is_date or column is treatment or column.kind in ("binary", "ordinal"):
        return None
    codes = _codes(column)
    if codes is None:
        return None
    rows = np.bincount(codes[codes >= 0])
    count = len(rows)
    if count < FEWEST_UNITS or rows.sum() < _LEAST_ROWS * count:
        return None
    named = bool(_ID.search(column.name) or _OF_A_UNIT.search(column.name))
    if not named and not _even(column, rows):
        return None
    why = "its name" if named else f"{rows[0]} rows of each value"
    return Units(
        f"names units by {why}: {count:,} of them, {rows.mean():.1f} rows each",
        count,
        treatment is not None and _as_a_whole(codes, treatment),
    )


def _codes(column: Column) -> Codes | None:
    """The number of each row's value, -1 where missing; None of numbers that are not whole."""
    if column.codes is not None:
        return column.codes
    assert column.numbers is not None
    missing = np.isnan(column.numbers)
    there = column.numbers[~missing]
    if not len(there) or not bool((there == np.round(there)).all()):
        return None
    codes = np.full(len(column.numbers), -1, dtype=np.int64)
    codes[~missing] = np.unique(there, return_inverse=True)[1]
    return codes


def _even(column: Column, rows: Codes) -> bool:
    if column.codes is not None or len(rows) < _EVENLY or rows.min() < 2:
        return False
    assert column.numbers is not None
    span = float(np.nanmax(column.numbers) - np.nanmin(column.numbers))
    return bool(rows.max() == rows.min()) and span == len(rows) - 1


def _as_a_whole(codes: Codes, treatment: Column) -> bool:
    values = treatment.numbers if treatment.codes is None else treatment.codes.astype(np.float64)
    assert values is not None
    there = (codes >= 0) & ~treatment.missing
    _, first, unit = np.unique(codes[there], return_index=True, return_inverse=True)
    held = values[there]
    return bool((held == held[first][unit]).all())
