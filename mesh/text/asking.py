"""What work that is no question was asked, in words: the same wherever it is told. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def movement_question(metric: str, before: tuple[str, str], after: tuple[str, str]) -> str:
    """Why a metric moved from one period to another; each period by its first and last day."""
    return f"why did {metric} move from {' to '.join(before)} to {' to '.join(after)}"


def forecast_question(metric: str) -> str:
    """Why leaves differ from their forecast."""
    if not metric:
        return "why do the leaves differ from their forecast"
    return f"why does {metric} differ from its forecast"


def effect_question(treatment: str, outcome: str) -> str:
    """What effect one column has on another; of either that is not said, any."""
    if treatment and outcome:
        return f"what effect does {treatment} have on {outcome}"
    if treatment:
        return f"what does {treatment} change"
    return f"what moves {outcome}" if outcome else "what causes what"


def question_of(request: Mapping[str, Any]) -> str:
    """What a request of any kind asks, as chains record requests. Raises KeyError for a period
    that lacks a day."""
    plain = request.get("statement") or request.get("intent") or request.get("asked")
    if not plain and "treatment" in request:
        return effect_question(str(request["treatment"]), str(request.get("outcome", "")))
    if plain or "metric_sql" not in request:
        return str(plain or "")
    metric = str(request["metric_sql"])
    if request.get("leaf"):
        return forecast_question(metric)
    periods = [request.get(name) or {} for name in ("baseline_period", "comparison_period")]
    before, after = ((str(p["start"]), str(p["end"])) for p in periods)
    return movement_question(metric, before, after)
