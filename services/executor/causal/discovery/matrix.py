"""The data that a graph is searched in: columns as blocks of numbers, without what misleads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolError
from services.executor.causal.discovery.columns import Column, read_columns
from services.executor.causal.discovery.embedding import embed, integers_of

ROW, IMPUTATION = "_row", "_imputation"
MOST_ROWS = 100_000
MOST_DISCRETE_ROWS = 20_000
"""Tests on tables of counts go over all rows each time."""
FEWEST_ROWS = 30
ROWS_A_COLUMN = 10
"""What a graph should have for each number of a column's block."""
DETERMINED = 0.999
"""Share of a column's variance that others explain from which it says nothing new."""


@dataclass(frozen=True)
class Sample:
    """What one search sees, columns in the order in which it sees them.

    `correlation` is of all numbers, `blocks[i]` are the numbers of column i, `integers` the levels
    of each column where all are discrete (rows x columns).
    """

    blocks: tuple[np.ndarray, ...]
    correlation: np.ndarray
    rows: int
    integers: np.ndarray | None
    columns: tuple[Column, ...]
    chosen: np.ndarray | None

    @property
    def numbers(self) -> np.ndarray:
        """The columns as they are (rows x columns); NaN where one is no number."""
        parts = [column.values for column in self.columns]
        return np.column_stack(parts if self.chosen is None else [p[self.chosen] for p in parts])

    def ordered(self, order: np.ndarray) -> Sample:
        """The same with columns in another order: the i-th is what was `order[i]`."""
        integers = None if self.integers is None else self.integers[:, order]
        blocks = tuple(self.blocks[i] for i in order)
        columns = tuple(self.columns[i] for i in order)
        return Sample(blocks, self.correlation, self.rows, integers, columns, self.chosen)


@dataclass(frozen=True)
class Matrix:
    """Columns by name, sorted, so that their order in a file changes nothing.

    `values` (rows x width) are the standardised numbers of all blocks.
    """

    columns: tuple[Column, ...]
    blocks: tuple[np.ndarray, ...]
    values: np.ndarray
    integers: np.ndarray | None
    left_out: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> int:
        """Rows without a missing value."""
        return len(self.values)

    def only(self, names: Collection[str]) -> Matrix:
        """The same rows with these columns alone."""
        places = [i for i, name in enumerate(self.names) if name in names]
        wanted = np.concatenate([self.blocks[i] for i in places])
        ends = np.cumsum([len(self.blocks[i]) for i in places])
        blocks = tuple(np.split(np.arange(ends[-1]), ends[:-1]))
        integers = None if self.integers is None else self.integers[:, places]
        columns = tuple(self.columns[i] for i in places)
        return replace(
            self, columns=columns, blocks=blocks, values=self.values[:, wanted], integers=integers
        )

    def sample(self, chosen: np.ndarray | None = None) -> Sample:
        """These rows (all, where none are chosen), as a search sees them."""
        values = self.values if chosen is None else self.values[chosen]
        integers = self.integers
        if integers is not None and chosen is not None:
            integers = integers[chosen]
        moments = values.T @ values / len(values) - np.outer(
            values.mean(axis=0), values.mean(axis=0)
        )
        spread = np.sqrt(np.maximum(moments.diagonal(), 1e-12))
        correlation = moments / np.outer(spread, spread)
        np.fill_diagonal(correlation, 1.0)
        return Sample(self.blocks, correlation, len(values), integers, self.columns, chosen)


def read(
    table: pa.Table,
    columns: Sequence[str] | None,
    *,
    first: Sequence[str] = (),
    seed: int = 0,
    many: bool = False,
) -> Matrix:
    """The columns of a frame that a graph can be searched in; `first` stay when others repeat them.

    `many` allows more columns than the rows bear, for a choice among them.

    Left out, each with its reason: constants, identifiers, texts of too many values, columns half
    empty, and columns that others determine, since a relation without noise breaks faithfulness
    (Spirtes, Glymour & Scheines 2000, 3.8). Of imputed data the first imputation is taken.
    Raises ToolError where too little is left.
    """
    names = _named(table, columns)
    notes: list[str] = []
    table = _one_imputation(
        table.select([*names, *({IMPUTATION} & set(table.column_names))]), notes
    )
    table = _sampled(table, seed, notes)
    kept, left_out, complete = read_columns(table.select(names))
    if complete < table.num_rows:
        notes.append(
            f"{table.num_rows - complete:,} of {table.num_rows:,} rows with missing values are "
            "left out of the search for a graph."
        )
    _enough(complete, len(kept), left_out)
    kept.sort(key=lambda column: (column.name not in first, column.name))
    blocks, values = embed(kept)
    determined = _determined(kept, blocks, values)
    left_out.update(determined)
    kept = sorted((c for c in kept if c.name not in determined), key=lambda column: column.name)
    blocks, values = embed(kept)
    if len(kept) < 2:
        raise _too_little(left_out)
    if values.shape[1] * 2 > len(values) and not many:
        raise _too_wide(len(kept), len(values))
    integers = integers_of(kept)
    if integers is not None and len(values) > MOST_DISCRETE_ROWS:
        chosen = np.sort(np.random.default_rng(seed).choice(len(values), MOST_DISCRETE_ROWS, False))
        integers, values = integers[chosen], values[chosen]
        kept = [column.at(chosen) for column in kept]
        notes.append(f"The graph of categories is searched in {MOST_DISCRETE_ROWS:,} of the rows.")
    notes.extend(_describe_left_out(left_out))
    notes.extend(note for column in kept for note in column.notes)
    return Matrix(tuple(kept), blocks, values, integers, left_out, tuple(notes))


def _named(table: pa.Table, columns: Sequence[str] | None) -> list[str]:
    have = [name for name in table.column_names if name not in (ROW, IMPUTATION)]
    for name in columns or ():
        if name not in have:
            raise ToolError(
                ErrorCategory.MISSING_COLUMN,
                f'There is no column "{name}" in the data.',
                details={"column": name, "candidates": have},
            )
    return sorted(set(columns or have))


def _one_imputation(table: pa.Table, notes: list[str]) -> pa.Table:
    import pyarrow.compute as pc

    if IMPUTATION not in table.column_names:
        return table
    which = table.column(IMPUTATION)
    first = pc.min(which)
    if pc.max(which).as_py() != first.as_py():
        notes.append("The graph is searched in the first of the imputed data sets.")
    return table.filter(pc.equal(which, first))


def _sampled(table: pa.Table, seed: int, notes: list[str]) -> pa.Table:
    if table.num_rows <= MOST_ROWS:
        return table
    chosen = np.random.default_rng(seed).choice(table.num_rows, MOST_ROWS, replace=False)
    notes.append(
        f"The graph is searched in {MOST_ROWS:,} of {table.num_rows:,} rows, taken by chance."
    )
    return table.take(pa.array(np.sort(chosen)))


def _enough(rows: int, columns: int, left_out: dict[str, str]) -> None:
    if columns < 2:
        raise _too_little(left_out)
    if rows < FEWEST_ROWS:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"Only {rows} rows are complete; a graph cannot be told from fewer than {FEWEST_ROWS}.",
            hint="Repair missing values first (causal.repair), or name fewer columns.",
            details={"limit": FEWEST_ROWS, "seen": rows},
        )


def _too_little(left_out: dict[str, str]) -> ToolError:
    reasons = "; ".join(f'"{name}": {why}' for name, why in sorted(left_out.items())[:6])
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        "A graph needs at least two columns that vary" + (f" ({reasons})." if reasons else "."),
        hint="Name more columns.",
    )


def _too_wide(columns: int, rows: int) -> ToolError:
    most = max(rows // ROWS_A_COLUMN, 2)
    return ToolError(
        ErrorCategory.INVALID_ARGUMENTS,
        f"{columns} columns are too many for {rows:,} complete rows: a graph needs at least two "
        "rows for each column and each level of a category.",
        hint=f"Name at most {most} columns; causal.discovery_plan proposes those most tied to "
        "treatment and outcome.",
        details={"limit": most, "seen": columns},
    )


def _describe_left_out(left_out: dict[str, str]) -> list[str]:
    return [f'"{name}" is left out of the graph: {why}.' for name, why in sorted(left_out.items())]


def _determined(
    columns: Sequence[Column], blocks: Sequence[np.ndarray], values: np.ndarray
) -> dict[str, str]:
    """Columns that earlier ones determine: each is regressed on those kept so far."""
    found: dict[str, str] = {}
    basis = np.empty((len(values), 0))
    kept: list[int] = []
    for place, column in enumerate(columns):
        block = values[:, blocks[place][: column.width]]
        rest = block - basis @ (basis.T @ block) if basis.shape[1] else block
        share = 1.0 - float((rest**2).sum() / (block**2).sum())
        if basis.shape[1] * 3 < len(values) and share > DETERMINED:
            found[column.name] = _why_determined(place, kept, columns, blocks, values)
            continue
        kept.append(place)
        left, size, _ = np.linalg.svd(rest, full_matrices=False)
        basis = np.hstack([basis, left[:, size > 1e-8 * np.sqrt(len(values))]])
    return found


def _why_determined(
    place: int, kept: Sequence[int], columns: Sequence[Column], blocks: Any, values: np.ndarray
) -> str:
    block = values[:, blocks[place][: columns[place].width]]
    for other in kept:
        fitted = values[:, blocks[other][: columns[other].width]]
        rest = block - fitted @ np.linalg.lstsq(fitted, block, rcond=None)[0]
        if (rest**2).sum() < (1 - DETERMINED) * (block**2).sum():
            return f'"{columns[other].name}" determines it'
    return "it is a sum of other columns"
