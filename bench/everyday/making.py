"""What a dataset is, and how its tables become files.

A dataset is made from a seed of its own. Its tables are written twice: as the files that a person
would hand over (CSV, or one SQLite database), and as Parquet with the types that are meant. The
truth is asked of the Parquet, so it does not depend on how well anybody guesses types from text.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

Tables = dict[str, pd.DataFrame]
Random = np.random.Generator


@dataclass(frozen=True)
class Dataset:
    """Tables of one kind. `keys` are the SQL constraints of the tables of a SQLite database.

    `missing` maps a table's column (`table.column`) to what its file says where nothing is known;
    columns not named are left empty there.
    """

    name: str
    make: Callable[[Random], Tables]
    form: Literal["csv", "sqlite"] = "csv"
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: Mapping[str, str] = field(default_factory=dict[str, str])

    def tables(self) -> Tables:
        """The tables, the same at every call."""
        return self.make(np.random.default_rng(zlib.crc32(self.name.encode())))


def write(dataset: Dataset, given: Path, truth: Path) -> None:
    """Write the files a person hands over into `given`, and the typed tables into `truth`."""
    given.mkdir(parents=True)
    truth.mkdir(parents=True)
    tables = dataset.tables()
    for name, table in tables.items():
        table.to_parquet(truth / f"{name}.parquet", index=False)
    if dataset.form == "sqlite":
        _write_sqlite(tables, dataset.keys, given / f"{dataset.name}.sqlite")
        return
    for name, table in tables.items():
        texts = table.copy()
        for column in table.columns:
            gap = dataset.missing.get(f"{name}.{column}")
            if gap is not None:
                known = table[column].notna()
                texts[column] = table[column].astype(object).where(known, gap)
        texts.to_csv(given / f"{name}.csv", index=False, lineterminator="\n")


def _write_sqlite(tables: Tables, keys: Mapping[str, str], path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, table in tables.items():
            columns = [f'"{column}" {_declared(table[column])}' for column in table.columns]
            parts = ", ".join([*columns, *([keys[name]] if name in keys else [])])
            connection.execute(f'CREATE TABLE "{name}" ({parts})')
            marks = ", ".join("?" for _ in table.columns)
            rows = zip(*(_cells(table[column]) for column in table.columns), strict=True)
            connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)


def _declared(column: pd.Series[Any]) -> str:
    if pd.api.types.is_datetime64_any_dtype(column):
        return "DATE" if _whole_days(column) else "TIMESTAMP"
    if pd.api.types.is_integer_dtype(column):
        return "INTEGER"
    return "REAL" if pd.api.types.is_float_dtype(column) else "TEXT"


def _cells(column: pd.Series[Any]) -> list[Any]:
    if pd.api.types.is_datetime64_any_dtype(column):
        shape = "%Y-%m-%d" if _whole_days(column) else "%Y-%m-%d %H:%M:%S"
        column = column.dt.strftime(shape)
    return [None if pd.isna(cell) else cell for cell in column.astype(object).tolist()]


def _whole_days(column: pd.Series[Any]) -> bool:
    known = column.dropna()
    return bool((known == known.dt.normalize()).all())


def days(first: str, count: int) -> pd.DatetimeIndex:
    """`count` days from `first` on."""
    return pd.date_range(first, periods=count, freq="D")


def holes(random: Random, values: Any, share: float) -> pd.Series[Any]:
    """The values with about `share` of them missing."""
    column = pd.Series(values)
    if pd.api.types.is_integer_dtype(column):
        column = column.astype("Int64")
    return column.mask(pd.Series(random.random(len(column)) < share))
