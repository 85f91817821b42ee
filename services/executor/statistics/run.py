"""Chooses the test that the arguments name."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pyarrow as pa

from mesh.tool import ErrorCategory, ToolContext, ToolError, ToolResult
from services.executor.statistics import (
    alike,
    association,
    correcting,
    describing,
    groups,
    missing,
    normality,
    outliers,
    sampling,
    variance,
)
from services.executor.statistics.arguments import TestArguments
from services.executor.statistics.outcome import Outcome
from services.executor.statistics.reading import chosen, of_groups


def run(arguments: TestArguments, context: ToolContext) -> ToolResult:
    """The test's tidy result; assumptions that do not hold are notes. Raises ToolError."""
    frame = _input(arguments.input, context)
    corrected = correcting.corrected(arguments)
    outcome = _outcome(corrected, frame)
    correcting.tell(outcome, arguments)
    if arguments.test in ("compare", "regression") and not arguments.cluster:
        alike.tell_alike(outcome, frame, arguments)
    if any(row[1].endswith(" low") for row in outcome.rows):
        outcome.add("confidence", corrected.confidence, text="of each interval from low to high")
    if arguments.total is not None and arguments.test != "missing":
        sampling.tell(outcome, frame, arguments.total)
    name = next((row[3] for row in outcome.rows if row[1] == "test"), arguments.test)
    return ToolResult(frame=outcome.frame(), summary=str(name), notes=tuple(outcome.caveats))


def _input(name: str | None, context: ToolContext) -> pa.Table:
    if name is None and len(context.inputs) == 1:
        return next(iter(context.inputs.values()))
    if name is None or name not in context.inputs:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no frame of a step {name}." if name else "which step's frame is not said.",
            details={"candidates": sorted(context.inputs)},
        )
    return context.inputs[name]


def _outcome(a: TestArguments, frame: pa.Table) -> Outcome:
    needed = [*a.columns, *a.predictors, *(c for c in (a.by, a.label, a.cluster, a.time) if c)]
    data = chosen(frame, needed or frame.column_names)
    sure = a.confidence
    first = a.columns[0] if a.columns else ""
    second = a.columns[1] if len(a.columns) > 1 else a.by or ""
    if a.test == "describe":
        return describing.describe(data, a.columns, a.ddof, a.by or "", a.first, sure)
    if a.test == "missing" and a.total is not None:
        return missing.counted(frame, a.columns, a.total, a.complete)
    if a.test == "missing":
        return missing.missing(data, a.columns or tuple(frame.column_names))
    if a.test == "normality":
        return normality.normality(data, first, 1 - sure, a.by or "", a.method)
    if a.test == "correlation" and (a.predictors or len(a.columns) > 2):
        pairs = [(first, p) for p in a.predictors] or list(combinations(a.columns, 2))
        matrix = "matrix" in a.first
        return association.correlations(data, pairs, a.method, sure, matrix=matrix)
    if a.test == "correlation" and a.by and len(a.columns) == 2:
        return association.correlation_within(data, first, second, a.by, a.method, sure)
    if a.test == "correlation":
        return association.correlation(data, first, second, a.method, sure)
    if a.test in ("chi_square", "independence"):
        chosen_for = a.test == "independence"
        return association.independence(data, first, second, sure, chosen=chosen_for)
    if a.test == "one_sample_t":
        return groups.one_sample(data, first, a.expected, sure)
    if a.test == "paired_t":
        return groups.paired(data, first, second, sure)
    if a.test in ("lift", "survival", "forecast"):
        return _over_time(a, data, first, second)
    if a.by and a.test in ("compare", "t_test", "mann_whitney", "anova", "kruskal", "levene"):
        return _between(a, data, first, a.by)
    if a.test == "outliers":
        method = "iqr" if a.method == "iqr" else "z-score"
        limit = a.threshold or (1.5 if method == "iqr" else 3.0)
        return outliers.outliers(data, first, method, limit, a.ddof, a.by or "", a.label or "")
    return _modelled(a, data, first)


def _over_time(a: TestArguments, data: pd.DataFrame, first: str, second: str) -> Outcome:
    """What is judged by what happened since; each loads libraries that take seconds."""
    if a.test == "lift":
        from services.executor.statistics.lift import backtested

        return backtested(data, first, a.by or "", a.time or "", a.confidence)
    if a.test == "survival":
        from services.executor.statistics.survival import survived

        return survived(data, first, second, a.by or "", a.span, a.confidence)
    from services.executor.statistics.forecasting import forecast

    return forecast(data, first, a.time or "", a.horizon, a.confidence)


def _between(a: TestArguments, data: pd.DataFrame, first: str, by: str) -> Outcome:
    """A test between the groups of a column."""
    if a.groups:
        data = of_groups(data, by, a.groups)
    if a.test == "compare":
        from services.executor.statistics.comparing import compare

        return compare(data, first, by, a.cluster or "", a.confidence)
    if a.test in ("t_test", "mann_whitney"):
        return groups.two_groups(
            data,
            first,
            by,
            equal_variances=a.equal_variances,
            ranks=a.test == "mann_whitney",
            confidence=a.confidence,
        )
    if a.test == "levene":
        return variance.spreads(data, first, by, a.confidence)
    return variance.many_groups(data, first, by, ranks=a.test == "kruskal", confidence=a.confidence)


def _modelled(a: TestArguments, data: pd.DataFrame, first: str) -> Outcome:
    """A regression; with rows held out, how well it predicts these."""
    from services.executor.statistics import regression  # statsmodels takes seconds to load

    if a.held_out is not None:
        from services.executor.statistics import prediction

        return prediction.predicted(data, first, a.predictors, a.held_out, a.seed, a.confidence)
    two = a.test == "regression" and data[first].dropna().nunique() == 2
    linear = a.test == "linear_regression" or (a.test == "regression" and not two)
    model = regression.linear if linear else regression.logistic
    return model(data, first, a.predictors, a.confidence, a.cluster or "")
