"""Business data with a known truth: counts and amounts by day, made leaf by leaf."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from mesh.tool import DomainReply, PythonRun, Tool, ToolResult

START = date(2024, 1, 1)
Segment = Mapping[str, str]


@dataclass
class Inputs:
    """A tool's context over frames at hand; `answer` is what any query gives."""

    inputs: dict[str, pa.Table] = field(default_factory=dict)
    answer: pa.Table | None = None
    asked: list[str] = field(default_factory=list)
    row_limit: int = 200_000
    seconds_left: float = 60.0
    cancelled: threading.Event = field(default_factory=threading.Event)

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        self.asked.append(sql)
        assert self.answer is not None
        return self.answer

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        raise NotImplementedError

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        raise NotImplementedError

    def progress(self, message: str, fraction: float | None = None) -> None: ...


@dataclass(frozen=True)
class Sales:
    """Daily sales of shops by region, channel and product; `causes` multiply what is sold in a
    segment from the comparison's first day on."""

    seed: int = 0
    days: tuple[int, int] = (28, 28)
    sizes: tuple[int, ...] = (4, 5, 3)
    a_day: float = 800.0
    causes: Sequence[tuple[Segment, float]] = ()
    weekly: float = 0.4
    shared: float = 0.05
    amounts: bool = False
    history: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return ("region", "channel", "product", "size")[: len(self.sizes)]

    @property
    def periods(self) -> dict[str, dict[str, date]]:
        first = START + timedelta(self.history)
        middle = first + timedelta(self.days[0])
        end = middle + timedelta(self.days[1] - 1)
        return {
            "baseline": {"start": first, "end": middle - timedelta(1)},
            "comparison": {"start": middle, "end": end},
        }

    def cube(self) -> pa.Table:
        random = np.random.default_rng(self.seed)
        codes = np.stack(np.meshgrid(*map(np.arange, self.sizes), indexing="ij"), -1)
        codes = codes.reshape(-1, len(self.sizes))
        size = random.lognormal(0, 0.5, len(codes))
        count = self.history + sum(self.days)
        dates = [START + timedelta(n) for n in range(count)]
        week = np.array([1 - self.weekly * (day.weekday() >= 5) for day in dates])
        whole = self.a_day * week * np.exp(random.normal(0, self.shared, count))
        rate = np.outer(size / size.sum(), whole)
        after = np.arange(count) >= self.history + self.days[0]
        for segment, factor in self.causes:
            rate[np.ix_(self.inside(codes, segment), after)] *= factor
        rows = random.poisson(rate)
        value: Any = rows.astype(np.float64)
        if self.amounts:
            each = random.lognormal(3, 0.8, rows.sum())
            value = np.bincount(np.repeat(np.arange(rows.size), rows.ravel()), each, rows.size)
            value = value.reshape(rows.shape)
        return cube_frame(self.names, codes, dates, value, None, rows)

    def inside(self, codes: Any, segment: Segment) -> Any:
        out = np.ones(len(codes), dtype=bool)
        for name, value in segment.items():
            out &= codes[:, self.names.index(name)] == int(value[1:])
        return out


def cube_frame(
    names: Sequence[str], codes: Any, dates: Sequence[date], top: Any, base: Any, rows: Any
) -> pa.Table:
    leaf, day = np.nonzero(rows)
    columns: dict[str, Any] = {
        name: pa.array([f"{name[0]}{code}" for code in codes[leaf, at]])
        for at, name in enumerate(names)
    }
    columns["bucket"] = pa.array([dates[int(n)] for n in day], pa.date32())
    columns["numerator"] = pa.array(top[leaf, day].astype(np.float64))
    there = None if base is None else base[leaf, day].astype(np.float64)
    columns["denominator"] = pa.nulls(len(leaf), pa.float64()) if there is None else pa.array(there)
    columns["rows"] = pa.array(rows[leaf, day].astype(np.int64))
    columns["squares"] = pa.array(top[leaf, day].astype(np.float64) ** 2)
    return pa.table(columns)


def ran(tool: Tool, frame: pa.Table, **arguments: Any) -> ToolResult:
    return tool.run(tool.arguments(**arguments), Inputs({"cube": frame}))


def rows_of(found: ToolResult) -> list[dict[str, Any]]:
    assert found.frame is not None
    rows: list[dict[str, Any]] = found.frame.to_pylist()
    return rows


def told(
    found: ToolResult, alpha: float = 0.05
) -> dict[tuple[tuple[str, str], ...], dict[str, Any]]:
    """The segments that stand out, by their values; without what everything shares."""
    return {
        tuple(sorted(json.loads(row["segment"]).items())): row
        for row in rows_of(found)
        if row["kind"] not in ("alike", "total") and row["p_corrected"] <= alpha
    }


def key(**segment: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(segment.items()))
