"""The table that shows a test of several things: a row for each, a column for each number."""

from __future__ import annotations

from typing import Any

from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Statistic
from services.planner.domain.query.statistics.asked import INTERVAL, MATRIX

_ENDS = (
    "correlation",
    "correlation low",
    "correlation high",
    "p-value",
    "adjusted p-value",
    "rows used",
)
_SPREAD = ("n", "mean", "median", "standard deviation")
_TERMS = (
    "coefficient",
    "coefficient low",
    "coefficient high",
    "standard error",
    "t",
    "z",
    "p-value",
    "odds ratio",
    "odds ratio low",
    "odds ratio high",
)
_DESCRIBED = (
    "n",
    "missing",
    "mean",
    "standard deviation",
    "minimum",
    "lower quartile",
    "median",
    "upper quartile",
    "maximum",
)
_SHOWN: dict[str, tuple[str, ...]] = {
    "describe": _DESCRIBED,
    "missing": ("missing", "share missing"),
    "correlation": _ENDS,
    "t_test": _SPREAD,
    "mann_whitney": _SPREAD,
    "anova": _SPREAD,
    "kruskal": _SPREAD,
    "levene": ("n", "variance"),
    "linear_regression": _TERMS,
    "logistic_regression": _TERMS,
    "outliers": ("n", "lower bound", "upper bound", "outliers"),
    "normality": ("n", "statistic", "p-value", "skewness", "kurtosis"),
}
_HEADINGS = {"linear_regression": "term", "logistic_regression": "term", "correlation": "pair"}


def tabled(statistic: Statistic) -> list[Subtask]:
    """The step that makes it; none where a test tells of one thing only."""
    if statistic.test in ("chi_square", "independence"):
        return [_shaped("value", _across("column", _where("text", "eq", "rows")))]
    if MATRIX in statistic.asked:
        return [_shaped("column", _across("column", _where("text", "eq", MATRIX)))]
    if statistic.label is not None:
        return [_shaped("outlier", _named())]
    shown = _SHOWN.get(statistic.test, ())
    if not shown or not _several(statistic):
        return [_shaped("statistic", _plain())]
    wanted = [*shown, *(name for name in statistic.asked if name not in shown)]
    wanted += ["mean low", "mean high"] if statistic.asked == INTERVAL else []
    heading = _heading(statistic)
    return [_shaped(heading, _across(heading, _where("statistic", "in", wanted)))]


def matrix_chart(source: str) -> list[Subtask]:
    """The steps that draw a matrix of correlations."""
    steps: list[dict[str, Any]] = [
        {"operation": "filter", "conditions": [_where("text", "eq", MATRIX)]},
        {
            "operation": "select",
            "columns": ["about", "statistic", "value"],
            "rename": {"about": "row", "statistic": "column", "value": "correlation"},
        },
    ]
    cells = _shaped("pair", steps).model_copy(update={"task_id": "cells"})
    chart = Subtask(
        task_id="chart",
        description="heatmap chart",
        tool_name="plot.render",
        arguments={
            "input": "cells",
            "type": "heatmap",
            "x_col": "column",
            "y_col": "correlation",
            "series_col": "row",
            "title": "Correlation matrix",
            "sort": "none",
            "additive": False,
            "source": source,
        },
        dependencies=("cells",),
        invariants=("draws the correlations as computed",),
        estimated_cost_seconds=0.4,
    )
    return [cells, chart]


def _where(column: str, operator: str, value: Any) -> dict[str, Any]:
    return {"column": column, "operator": operator, "value": value}


def _across(heading: str, which: dict[str, Any]) -> list[dict[str, Any]]:
    """Numbers of things: a row for each thing, a column for each number."""
    return [
        {"operation": "filter", "conditions": [_where("about", "ne", ""), which]},
        {
            "operation": "pivot",
            "index": ["about"],
            "columns": "statistic",
            "values": "value",
            "order": "appearance",
            "rows": "appearance",
        },
        {"operation": "select", "rename": {"about": heading}},
    ]


def _named() -> list[dict[str, Any]]:
    """Each outlier with its name."""
    return [
        {"operation": "filter", "conditions": [_where("statistic", "eq", "outlier")]},
        {"operation": "select", "columns": ["about", "value"], "rename": {"about": "row"}},
    ]


def _plain() -> list[dict[str, Any]]:
    """Numbers of the test itself; its words are told in sentences."""
    return [
        {"operation": "filter", "conditions": [{"column": "value", "operator": "not_null"}]},
        {"operation": "select", "columns": ["statistic", "value", "text"]},
    ]


def _shaped(heading: str, steps: list[dict[str, Any]]) -> Subtask:
    return Subtask(
        task_id="shape",
        description=f"one row for each {heading}",
        tool_name="df.transform",
        arguments={"input": "test", "steps": steps},
        dependencies=("test",),
        invariants=(f"one row for each {heading}",),
        estimated_cost_seconds=0.02,
    )


def _several(statistic: Statistic) -> bool:
    """Whether its numbers are of several columns, groups, pairs or terms."""
    if statistic.test in ("describe", "missing"):
        return len(statistic.columns) > 1 or statistic.by is not None
    if statistic.test == "correlation":
        several = len(statistic.columns) > 2 or bool(statistic.predictors)
        return several or statistic.by is not None
    return statistic.by is not None or bool(statistic.predictors)


def _heading(statistic: Statistic) -> str:
    if statistic.by is not None:
        return "group"
    return _HEADINGS.get(statistic.test, "column")
