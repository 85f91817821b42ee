"""Everyday questions over public tables that lie beside the checkout; all of them held out.

The tables are not the project's to ship: without them there are no questions. `beside/NAME.json`
names the files of a dataset, in the folder with the data, and holds its questions as
`questions/NAME.json` does. A table without a name stands for all those of a SQLite file. They were
written before anything was tuned, to be measured only.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa

from bench.everyday.load import Item, item_of

_HERE = Path(__file__).resolve().parent / "beside"
_GAPS = "['', 'NA']"


def load(data: Path) -> Iterator[tuple[Item, tuple[Path, ...]]]:
    """Each question with the files that it is about, where they are in the folder `data`."""
    for path in sorted(_HERE.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        files = tuple(sorted(data / file for file in kept["tables"].values()))
        if all(file.is_file() for file in files):
            for raw in kept["questions"]:
                yield item_of(path.stem, raw), files


def truth(data: Path, dataset: str) -> duckdb.DuckDBPyConnection:
    """A database in memory with the tables of a dataset, as its SQL names them."""
    kept = json.loads((_HERE / f"{dataset}.json").read_text(encoding="utf-8"))
    connection = duckdb.connect()
    for table, file in kept["tables"].items():
        if not table:
            _copy(data / file, connection)
            continue
        text = os.fspath(data / file).replace("'", "''")
        rows = f"read_csv('{text}', nullstr = {_GAPS})"
        connection.execute(f'CREATE TABLE "{table}" AS FROM {rows}')
    return connection


def _copy(file: Path, connection: duckdb.DuckDBPyConnection) -> None:
    """Every table of a SQLite file. An empty text is no value: some files have them in columns of
    numbers."""
    run = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    names = run.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in names:
        found = run.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in found.description]
        cells = zip(*found.fetchall(), strict=True)
        held = {
            column: [value if value != "" else None for value in values]
            for column, values in zip(columns, cells, strict=False)
        }
        if held:
            connection.register("copied", pa.table(held))
            connection.execute(f'CREATE TABLE "{name}" AS FROM copied')
            connection.unregister("copied")
    run.close()
