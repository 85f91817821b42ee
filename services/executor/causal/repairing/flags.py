"""What is flagged and left as it is: rows that repeat, values far out, columns that never vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from services.executor.causal.profiling.columns import IMPUTATION, ROW, Column, Vector
from services.executor.causal.repairing.proposal import ROWS, Proposal

MODIFIED_Z = 3.5
_LISTED = 50
_MANY = 0.05


@dataclass(frozen=True)
class Far:
    """Rows whose value lies outside `low` to `high`, and by which rule that was found."""

    rows: npt.NDArray[np.int64]
    low: float
    high: float
    method: str


def outliers(numbers: Vector) -> Far | None:
    """Values with a modified z-score above 3.5 (Iglewicz & Hoaglin 1993): their distance from the
    median over 1.4826 times the median absolute deviation. Of skewed numbers above zero the
    logarithms are judged. None where half of the values are one and the same, or they are few.
    """
    present = np.flatnonzero(~np.isnan(numbers))
    values = numbers[present]
    if len(values) < 10:
        return None
    centred = values - values.mean()
    spread = float(values.std())
    skewed = spread > 0 and float((centred**3).mean()) / spread**3 > 1 and float(values.min()) > 0
    judged = np.log(values) if skewed else values
    middle = float(np.median(judged))
    width = 1.4826 * float(np.median(np.abs(judged - middle)))
    if width <= 0:
        return None
    low, high = middle - MODIFIED_Z * width, middle + MODIFIED_Z * width
    out = (judged < low) | (judged > high)
    if skewed:
        with np.errstate(over="ignore"):
            low, high = float(np.exp(low)), float(np.exp(high))
    method = "modified z-score above 3.5" + (" of logarithms" if skewed else "")
    return Far(present[out], low, high, method)


def outlier_proposals(column: Column, row_numbers: npt.NDArray[np.int64]) -> list[Proposal]:
    """Values far out, by their rows; never removed."""
    if column.kind != "numeric" or not column.usable or column.is_date or column.numbers is None:
        return []
    far = outliers(column.numbers)
    if far is None or not len(far.rows):
        return []
    values = column.numbers[far.rows]
    many = len(far.rows) > _MANY * int((~column.missing).sum())
    why = "so many that they are a group of their own" if many else "kept, since they may be true"
    return [
        Proposal(
            column.name,
            "outlier",
            "flag",
            len(far.rows),
            f"outside {far.low:.4g} to {far.high:.4g} ({far.method}); {why}",
            before={
                "smallest": float(values.min()),
                "largest": float(values.max()),
                "_row": row_numbers[far.rows[:_LISTED]].tolist(),
            },
            parameters={"low": far.low, "high": far.high},
            applied=False,
        )
    ]


def duplicate_rows(frame: pa.Table) -> npt.NDArray[np.bool_]:
    """Which rows repeat an earlier row in every column of the data."""
    names = [name for name in frame.column_names if name not in (ROW, IMPUTATION)]
    data: pd.DataFrame = frame.select(names).to_pandas()
    for name in names:  # a list or a struct cannot be hashed
        if data[name].map(type).isin((list, dict, np.ndarray)).any():
            data[name] = data[name].map(str)
    return np.asarray(data.duplicated().to_numpy(), dtype=bool)


def duplicate_proposals(frame: pa.Table, columns: Sequence[Column]) -> list[Proposal]:
    """Rows that repeat wholly: left out where a key repeats with them, else only flagged."""
    repeats = duplicate_rows(frame)
    count = int(repeats.sum())
    if not count:
        return []
    key = _key(columns, repeats)
    share = count / len(repeats)
    before = {"rows": len(repeats), "repeats": count}
    if key is None:
        why = (
            "no column tells rows apart, so equal rows may be different cases that are alike; they "
            "are kept"
        )
        return [
            Proposal(
                "",
                "duplicate",
                "flag",
                count,
                f"{share:.1%} of the rows repeat another; {why}",
                before=before,
                applied=False,
            )
        ]
    return [
        Proposal(
            key,
            "duplicate",
            "drop_repeats",
            count,
            f'{count:,} rows repeat another wholly, with the same "{key}", which else has a value '
            "of its own for each row",
            before=before,
            after={"rows": len(repeats) - count},
            parameters={"key": key},
            reversal=ROWS,
        )
    ]


def _key(columns: Sequence[Column], repeats: npt.NDArray[np.bool_]) -> str | None:
    """The column that differs in all rows that do not repeat wholly, and says so by its name."""
    from services.executor.causal.profiling.columns import named_as_identifier

    for column in sorted(columns, key=lambda column: column.name):
        if column.missing.any() or not named_as_identifier(column.name):
            continue
        values = column.codes if column.codes is not None else column.numbers
        assert values is not None
        firsts = values[~repeats]
        if len(np.unique(firsts)) == len(firsts) and len(firsts) > 1:
            return column.name
    return None


def constant_proposals(column: Column) -> list[Proposal]:
    """A column with one value, or none at all: it cannot tell anything."""
    if column.why_not not in ("constant", "all missing"):
        return []
    empty = column.why_not == "all missing"
    return [
        Proposal(
            column.name,
            "missing" if empty else "constant",
            "flag",
            len(column.missing),
            "no row has a value" if empty else "every row has the same value, which tells nothing",
            applied=False,
        )
    ]
