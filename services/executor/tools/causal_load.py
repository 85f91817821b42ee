"""causal.load: the rows of an analysis, or a random sample of them."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool


class LoadArguments(ToolArguments):
    """One SELECT in DuckDB's dialect, and the most rows to take of it."""

    relation: str = Field(min_length=1, max_length=40_000, description="one SELECT (DuckDB)")
    rows: int = Field(default=100_000, ge=50, le=200_000, description="most rows")
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("causal.load", LoadArguments)
def causal_load(arguments: LoadArguments, context: ToolContext) -> ToolResult:
    """Read the rows of a relation for a causal analysis, with `_row`, the number of each from 0.

    Where there are more than `rows`, a random sample of them is taken, the same every time for one
    seed; a note tells how many there are and what sampling adds to standard errors. `_row` is then
    the row's place in the order of all values.
    """
    from services.executor.causal.loading.sample import load

    most = min(arguments.rows, context.row_limit)
    loaded = load(arguments.relation, most, arguments.seed, context)
    count, total = loaded.frame.num_rows, loaded.total
    if count == total:
        return ToolResult(frame=loaded.frame, summary=f"all {total:,} rows")
    note = (
        f"Found in a random sample of {count:,} of {total:,} rows (seed {arguments.seed}). Sampling"
        f" adds sqrt(1/n - 1/N) = {loaded.added_error:.2g} standard deviations to the standard"
        " error of a mean."
    )
    return ToolResult(
        frame=loaded.frame, summary=f"a sample of {count:,} of {total:,} rows", notes=(note,)
    )
