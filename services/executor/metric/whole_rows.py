"""The rows of a search that are about the whole: everything alike, the total, reversals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from services.executor.metric.amounts import Amounts
from services.executor.metric.distributions import (
    normal_above,
    normal_quantile,
    student_above,
)
from services.executor.metric.effects import Effect
from services.executor.metric.field import Field
from services.executor.metric.finding import whole_moved
from services.executor.metric.onset import Onset, onset_of, within_periods
from services.executor.metric.spans import Frame

Row = dict[str, Any]
SPENT_ON_ALL = 0.2
"""Of the chance of a false cause that is allowed, what the whole moving alike takes."""


def share_of(amounts: Amounts, effect: float) -> float | None:
    """What part of the whole's change an effect is; None where the whole did not change."""
    before, after = amounts.totals
    change = after - before
    return effect / change if abs(change) > 1e-9 * max(abs(before), abs(after), 1e-300) else None


def total_row(amounts: Amounts, within: Mapping[str, str | None]) -> Row:
    """The whole in both periods."""
    before, after = amounts.totals
    return {
        "kind": "total",
        "depth": 0,
        "segment": json.dumps(dict(sorted(within.items())), ensure_ascii=False),
        "baseline": before,
        "comparison": after,
        "expected": None,
        "effect": after - before,
        "low": None,
        "high": None,
        "share": None,
        "p_value": None,
        "p_corrected": None,
        "p_at_most": False,
        "gain": None,
        "onset": None,
        "reversal": False,
    }


def alike_row(
    total: Row, amounts: Amounts, frame: Frame, field: Field, effect: Effect, times: int, seed: int
) -> Row:
    """What all leaves share, beside the segments that are told."""
    before, after = amounts.totals
    if field.in_time:
        p, at_most = whole_moved(field, effect.series, times, seed)
    else:
        error = (effect.high - effect.low) / 2 / normal_quantile(0.975)
        p, at_most = 2 * normal_above(abs(effect.value) / error) if error else 1.0, False
        p = max(p, _by_days(frame, field, effect))
    began = onset_of(effect.series, frame.times, frame.strata)
    return {
        **total,
        "kind": "alike",
        "expected": before,
        "effect": effect.value,
        "low": effect.low,
        "high": effect.high,
        "share": share_of(amounts, effect.value),
        "p_value": p,
        "p_corrected": min(1.0, p / SPENT_ON_ALL),
        "p_at_most": at_most,
        **began_of(within_periods(began, frame.spans)),
        "baseline": before,
        "comparison": after,
    }


def began_of(onset: Onset | None) -> Row:
    """When it began, and the first and last day that it may be."""
    if onset is None:
        return {"onset": None, "onset_first": None, "onset_last": None}
    days = onset.day, onset.low, onset.high
    names = "onset", "onset_first", "onset_last"
    return dict(zip(names, (day.isoformat() for day in days), strict=True))


def _by_days(frame: Frame, field: Field, effect: Effect) -> float:
    """The p-value of the whole by a t-test of its few days; 0 where there is no day to spare.
    Leaves do not tell how much a day moves all of them."""
    design = field.design
    if design.freedom < 1 or isinstance(frame.times[0], str):
        return 0.0
    rest = design.without_step(effect.series[None, :])[0]
    error = float(np.sqrt(rest @ rest / design.freedom * (design.contrast @ design.contrast)))
    step = abs(float(effect.series @ design.contrast))
    return 2 * student_above(step / error, design.freedom) if error > 0 else 0.0


def mark_reversals(amounts: Amounts, rows: list[Row]) -> None:
    """Marks changed shares that turn the sign: the rates moved one way, the whole the other."""
    before, after = amounts.totals
    rates = float(amounts.rate_effects.sum())
    if not amounts.ratio or not rates * (after - before) < 0:
        return
    for row in rows:
        row["reversal"] = row["kind"] == "mix" and row["effect"] * (after - before) > 0
