"""Frames as the tools of an investigation give them, in small."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa

from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.reporting.evidence import EvidenceTable

NOW = datetime(2024, 4, 2, 9, 30, tzinfo=UTC)
_SEARCH = {
    "rank": 0,
    "kind": "segment",
    "segment": "{}",
    "depth": 1,
    "baseline": None,
    "comparison": None,
    "expected": None,
    "effect": None,
    "low": None,
    "high": None,
    "share": None,
    "p_value": None,
    "p_corrected": None,
    "p_at_most": False,
    "gain": None,
    "onset": None,
    "reversal": False,
    "onset_first": None,
    "onset_last": None,
    "year_baseline": None,
    "year_comparison": None,
    "searched_depth": None,
    "searched_dimensions": None,
    "left_out": None,
}
NORTH = {
    "segment": '{"channel": "web", "region": "North"}',
    "depth": 2,
    "baseline": 18_224.0,
    "comparison": 10_057.25,
    "expected": 18_000.0,
    "effect": -7_942.75,
    "low": -9_100.0,
    "high": -6_500.0,
    "share": 0.79,
    "p_value": 0.005,
    "p_corrected": 0.01,
    "p_at_most": True,
    "onset": "2024-03-05",
}
TEAMS = {
    "kind": "mix",
    "segment": '{"customer_segment": null}',
    "baseline": 300.0,
    "comparison": 250.0,
    "effect": -1_200.0,
    "low": -2_000.0,
    "high": -400.0,
    "share": 0.12,
    "p_corrected": 0.03,
}
CHANCE = {
    "segment": '{"region": "South"}',
    "effect": 90.0,
    "p_corrected": 0.6,
    "baseline": 5.0,
    "comparison": 6.0,
}
TOTAL = {"kind": "total", "baseline": 111_000.0, "comparison": 101_000.0, "effect": -10_000.0}


def search(
    *rows: dict[str, Any], task: str = "i03_search", total: dict[str, Any] | None = None
) -> EvidenceTable:
    """A frame of metric.search with these explanations, and the total at its end."""
    last = {**TOTAL, **(total or {})}
    every = [{**_SEARCH, **row, "rank": n} for n, row in enumerate((*rows, last), 1)]
    return _table(task, every)


def change(
    *,
    p: float | None = 0.004,
    at_most: bool = False,
    unscaled: float | None = None,
    weekdays: float | None = None,
) -> EvidenceTable:
    """A frame of metric.change: the whole fell from 111,000 to 101,000; `unscaled` is what the
    baseline was before it was made comparable."""
    told: list[dict[str, Any]] = [
        {"statistic": "baseline", "value": 111_000.0},
        {"statistic": "comparison", "value": 101_000.0},
        {"statistic": "difference", "value": -10_000.0, "low": -14_000.0, "high": -6_000.0},
        {"statistic": "relative", "value": -10_000.0 / 111_000.0},
        {"statistic": "p_value", "value": p},
        {"statistic": "p_at_most", "value": float(at_most)},
    ]
    if unscaled is not None:
        told[0]["value"] = unscaled
        told.append({"statistic": "baseline_comparable", "value": 111_000.0})
    if weekdays is not None:
        told.append({"statistic": "same_weekdays_difference", "value": weekdays})
    empty = {"low": None, "high": None, "text": None}
    schema = pa.schema(
        [
            ("statistic", pa.string()),
            ("value", pa.float64()),
            ("low", pa.float64()),
            ("high", pa.float64()),
            ("text", pa.string()),
        ]
    )
    rows = pa.Table.from_pylist([{**empty, **row} for row in told], schema=schema)
    return EvidenceTable("i02_change", "call-change", "digest-change", rows)


def quality(severity: str = "fault") -> EvidenceTable:
    """A frame of metric.quality with one row."""
    row = {
        "check": "missing_days",
        "column": None,
        "segment_dimension": None,
        "segment_value": None,
        "bucket": "2024-03-09",
        "severity": severity,
        "detail": "no rows on 2 days from 2024-03-09 to 2024-03-10; days before and after have "
        "rows",
    }
    return _table("i01_quality", [row])


def ground(**changed: Any) -> Ground:
    """Why total amount of orders moved in March 2024 against February."""
    told: dict[str, Any] = {
        "metric": 'SUM("orders"."amount")',
        "label": "sum(amount)",
        "table": "orders",
        "source_name": "orders.csv",
        "time": "ordered_at",
        "relation": "SELECT 1",
        "dimensions": ("region", "channel", "customer_segment"),
        "baseline": DateRange(start=date(2024, 2, 1), end=date(2024, 2, 29)),
        "comparison": DateRange(start=date(2024, 3, 1), end=date(2024, 3, 31)),
    }
    return Ground(**{**told, **changed})


def _table(task: str, rows: list[dict[str, Any]]) -> EvidenceTable:
    return EvidenceTable(task, f"call-{task}", f"digest-{task}", pa.Table.from_pylist(rows))


def twice(*days: str) -> EvidenceTable:
    """A frame of metric.quality: a segment's rows came twice, in a row for each of these days."""
    rows = [
        {
            "check": "duplicate_load",
            "column": "",
            "segment_dimension": "region",
            "segment_value": "North",
            "bucket": day,
            "severity": "fault",
            "detail": f"all 40 rows of region North are there twice on {day}; usually 1.0%",
        }
        for day in days
    ]
    return _table("i01_quality", rows)
