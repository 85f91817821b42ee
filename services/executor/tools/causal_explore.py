"""causal.explore: distributions, correlations, outliers, collinearity, balance and quality."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool


class ExploreArguments(ToolArguments):
    """The frame of step `input`; with a treatment the groups' covariates are compared."""

    input: str = Field(min_length=1, description="the step whose frame is explored")
    treatment: str | None = None
    outcome: str | None = None
    plots: bool = Field(default=True, description="whether charts are drawn")


@tool("causal.explore", ExploreArguments)
def causal_explore(arguments: ExploreArguments, context: ToolContext) -> ToolResult:
    """Explore a frame: a row a statistic, in sections, and charts (PNG).

    summary: type, count, missing, mean, std, min, p25, p50, p75, max, distinct, top. distribution:
    skewness, kurtosis (excess), normality and its p. correlation: each pair once (name, other) by
    pearson, spearman, cramers_v or correlation_ratio; high_correlation those above 0.7. outliers:
    count, below, above, and indices (`_row` numbers as JSON in text) of a robust rule. vif:
    variance inflation, with a warning in text. balance: means, smd, variance_ratio and p_value by
    covariate between the groups of a two-valued treatment, and a summary in words. quality: score
    from 0 to 1, its parts, and issues. Of stacked imputations the first is read.
    """
    import numpy as np

    from services.executor.causal.exploring.charts import charts
    from services.executor.causal.exploring.explore import SCHEMA, explored
    from services.executor.causal.profiling.columns import ROW, check_names, input_frame, read
    from services.executor.causal.threads import one_thread
    from services.executor.metric.search_rows import table_of

    frame = input_frame(arguments.input, context)
    check_names(frame, arguments.treatment, arguments.outcome)
    columns = read(frame)
    rows = frame[ROW].to_numpy() if ROW in frame.column_names else np.arange(frame.num_rows)
    with one_thread():
        listed, pairs, notes = explored(
            frame, columns, rows, arguments.treatment, arguments.outcome
        )
    named = (arguments.treatment, arguments.outcome)
    files = charts(columns, pairs, *named) if arguments.plots else []
    return ToolResult(
        frame=table_of(listed, SCHEMA),
        files=tuple(files),
        summary=f"{len(columns)} columns explored",
        notes=tuple(notes),
    )
