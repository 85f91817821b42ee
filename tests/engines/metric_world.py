"""Rows of a metric where engines read them, and the context that a tool asks them through."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mesh.policy import Policy
from mesh.tool import DomainReply, PythonRun
from services.executor.domain.source import DataSource
from services.executor.engines.duckdb.engine import DuckDBEngine
from services.executor.sources.library import SourceLibrary
from tests.engines.world import Place
from tests.reading import READERS


@dataclass
class MetricContext:
    """A tool's context over one place; remembers what it was asked."""

    place: Place
    inputs: Mapping[str, pa.Table] = field(default_factory=dict)
    row_limit: int = 200_000
    seconds_left: float = 300.0
    policy: Policy = field(default_factory=Policy)
    cancelled: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        self.asked.append(sql)
        return self.place.ask(
            sql, parameters, row_limit=row_limit, seconds=seconds, policy=self.policy
        )

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        raise AssertionError("a metric runs no code of others")

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        raise NotImplementedError

    def progress(self, message: str, fraction: float | None = None) -> None:
        assert message


def table_of(folder: Path, select: str, name: str = "sales") -> Place:
    """The rows of a SELECT as a file that the embedded engine reads."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{file}' (FORMAT parquet)")
    library = SourceLibrary(folder / "home", processes=READERS)
    source = library.open(DataSource(file_path=str(file)))
    return Place(DuckDBEngine(), [source])


def sales(folder: Path, columns: str, rows: int = 20_000, name: str = "sales") -> Place:
    """A table made of `i`, the number of a row."""
    return table_of(folder, f"SELECT {columns} FROM range({rows}) AS numbers(i)", name)
