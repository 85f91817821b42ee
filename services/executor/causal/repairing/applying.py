"""Repairs applied to a copy of the data, in a fixed order, whatever order they are named in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.profiling.columns import IMPUTATION, ROW, check_names, read
from services.executor.causal.repairing.cells import read_texts, without
from services.executor.causal.repairing.flags import duplicate_rows
from services.executor.causal.repairing.imputing import impute
from services.executor.profiling.columns import plain_values

METHODS = (
    "read_number",
    "read_yes_no",
    "read_date",
    "sentinel_to_missing",
    "drop_repeats",
    "drop_rows",
    "impute",
    "flag",
)
_MOST_CELLS = 60_000_000


@dataclass(frozen=True)
class Repair:
    """One repair that is to be done: `method` is one of METHODS."""

    repair_id: str
    column: str
    method: str
    parameters: dict[str, Any] = field(default_factory=dict)


def numbered(frame: pa.Table) -> pa.Table:
    """The frame with `_row`; a frame that lacks it is numbered from 0."""
    if ROW in frame.column_names:
        return frame
    return frame.append_column(ROW, pa.array(np.arange(frame.num_rows, dtype=np.int64)))


def apply(
    frame: pa.Table,
    repairs: Sequence[Repair],
    imputations: int,
    seed: int,
    stopped: Callable[[], None] = lambda: None,
) -> tuple[pa.Table, list[str]]:
    """The repaired rows, `_imputation` among the columns where gaps were filled, and what was done.

    Types come first, then signs for no value, rows that are left out, and gaps last. The frame
    itself stays as it is. Raises ToolError for methods and columns that are not there, and where
    nothing is left.
    """
    _check(frame, repairs)
    table, notes = numbered(frame), []
    for repair in _of(repairs, "read_number", "read_yes_no", "read_date"):
        found = read_texts(table[repair.column])
        if found is not None:
            table = _with(table, repair.column, found)
            notes.append(f'"{repair.column}" was read as {found.type} ({repair.repair_id}).')
    for repair in _of(repairs, "sentinel_to_missing"):
        before = table[repair.column].null_count
        table = _with(
            table, repair.column, without(table[repair.column], repair.parameters.get("values", []))
        )
        count = table[repair.column].null_count - before
        notes.append(f'{count:,} cells of "{repair.column}" became missing ({repair.repair_id}).')
    for repair in _of(repairs, "drop_repeats"):
        repeats = duplicate_rows(table)
        table = table.filter(pa.array(~repeats))
        notes.append(f"{int(repeats.sum()):,} repeated rows were left out ({repair.repair_id}).")
    for repair in _of(repairs, "drop_rows"):
        there = _present(table, repair.column)
        table = table.filter(pa.array(there))
        notes.append(
            f'{int((~there).sum()):,} rows without "{repair.column}" were left out '
            f"({repair.repair_id})."
        )
    if not table.num_rows:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "no row is left after the repairs.",
            hint="Treatment or outcome is missing in every row.",
            details={"reason": "NO_ROWS"},
        )
    wanted = [repair.column for repair in _of(repairs, "impute")]
    table, texts = _imputed(table, wanted, imputations, seed, stopped)
    return table, notes + texts


def _imputed(
    table: pa.Table, wanted: Sequence[str], imputations: int, seed: int, stopped: Callable[[], None]
) -> tuple[pa.Table, list[str]]:
    columns = read(table)
    fit = [
        c.name
        for c in columns
        if c.name in wanted and c.missing.any() and not c.missing.all() and _filled_here(c.why_not)
    ]
    if not fit or not imputations:
        return table, []
    if imputations * table.num_rows * table.num_columns > _MOST_CELLS:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"{imputations} imputations of {table.num_rows:,} rows and {table.num_columns:,} "
            f"columns are more than {_MOST_CELLS:,} cells.",
            hint="Ask for fewer imputations, or load fewer rows or columns.",
            details={"limit": _MOST_CELLS, "unit": "cells"},
        )
    found = impute(columns, fit, imputations, seed, stopped)
    gaps = {c.name: np.flatnonzero(c.missing) for c in columns if c.name in fit}
    stack = []
    for number in range(imputations):
        filled = table
        for name in fit:
            source = np.arange(table.num_rows)
            source[gaps[name]] = found.donors[name][number]
            filled = _with(filled, name, plain_values(table[name]).take(pa.array(source)))
        stack.append(
            filled.append_column(IMPUTATION, pa.array(np.full(table.num_rows, number, np.int64)))
        )
    cells = sum(len(rows) for rows in gaps.values())
    text = (
        f"{cells:,} missing cells of {len(fit)} columns were filled {imputations} times over; rows "
        f"of `_imputation` 0 to {imputations - 1} stand below one another, and results are pooled "
        "by Rubin's rules."
    )
    return pa.concat_tables(stack).combine_chunks(), [text, *found.notes]


def _filled_here(why_not: str) -> bool:
    """Whether gaps of a column of this kind are filled: not of identifiers and texts."""
    return not why_not or why_not.startswith("too many levels") or why_not == "constant"


def _present(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    (column,) = read(table.select([name]))
    return np.asarray(~column.missing)


def _of(repairs: Sequence[Repair], *methods: str) -> list[Repair]:
    chosen = [repair for repair in repairs if repair.method in methods]
    return sorted(chosen, key=lambda repair: (repair.column, repair.repair_id))


def _with(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


def _check(frame: pa.Table, repairs: Sequence[Repair]) -> None:
    if IMPUTATION in frame.column_names:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            "the data has been imputed already.",
            hint="Repair the frame that was loaded.",
        )
    for repair in repairs:
        if repair.method not in METHODS:
            raise ToolError(
                ErrorCategory.INVALID_ARGUMENTS,
                f"there is no way of repairing called {repair.method!r}.",
                hint=f"There are {', '.join(METHODS)}.",
                details={"field": "repairs", "repair_id": repair.repair_id},
            )
        if repair.column:
            check_names(frame, repair.column)
