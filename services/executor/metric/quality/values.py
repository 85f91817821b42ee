"""Values of dimensions that are new, gone, or spelt otherwise than before."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from services.executor.metric.arguments import MetricRows
from services.executor.metric.quality.found import Found

_SHARE, _FEW = 0.01, 20
"""A value is worth telling from this share of the rows of a period on, and from so many."""

_MOST = 10


def changed_values(margins: pa.Table, rows: MetricRows) -> list[Found]:
    """New and vanished values that weigh something; those that are one value in another spelling
    are a fault of the data."""
    total = margins.slice(0, 1).to_pylist()[0]
    found = []
    for dimension in rows.dimensions:
        values = [
            row
            for row in margins.to_pylist()
            if row["dimension"] == dimension and not row["folded"]
        ]
        new = _only(values, total, "comparison", "baseline")
        gone = _only(values, total, "baseline", "comparison")
        respelt = {_plain(row["value"]): row for row in gone if row["value"] is not None}
        for row in new:
            before = respelt.get(_plain(row["value"])) if row["value"] is not None else None
            if before is not None:
                found.append(_respelt(dimension, before, row))
            else:
                found.append(_one(dimension, row, "new_value", "is new"))
        matched = {_plain(row["value"]) for row in new if row["value"] is not None}
        found += [
            _one(dimension, row, "vanished_value", "has no rows any more")
            for row in gone
            if row["value"] is None or _plain(row["value"]) not in matched
        ]
    return found


def _only(
    values: Sequence[dict[str, Any]], total: dict[str, Any], here: str, there: str
) -> list[dict[str, Any]]:
    """Values with many rows in one period and none in the other, the largest first."""
    least = max(_FEW, _SHARE * total[f"{here}_rows"])
    chosen = [r for r in values if r[f"{here}_rows"] >= least and not r[f"{there}_rows"]]
    return sorted(chosen, key=lambda r: (-r[f"{here}_rows"], r["value"] or ""))[:_MOST]


def _plain(text: str) -> str:
    """A spelling without case, spaces and marks."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum()) or text


def _one(dimension: str, row: dict[str, Any], check: str, what: str) -> Found:
    value = row["value"]
    named = "(missing)" if value is None else value
    return Found(
        check,
        "note",
        f"{dimension} {named} {what}",
        float(row["baseline_rows"]),
        float(row["comparison_rows"]),
        column=dimension,
        segment=(dimension, value),
        weight=float(row["baseline_rows"] + row["comparison_rows"]),
    )


def _respelt(dimension: str, before: dict[str, Any], after: dict[str, Any]) -> Found:
    return Found(
        "respelt_value",
        "fault",
        f'{dimension} "{before["value"]}" is spelt "{after["value"]}" in the comparison',
        float(before["baseline_rows"]),
        float(after["comparison_rows"]),
        column=dimension,
        segment=(dimension, after["value"]),
        weight=float(after["comparison_rows"]),
    )
