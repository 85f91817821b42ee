"""causal.discovery_plan: which methods of discovery suit the data, and what fits into a time."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ToolArguments, ToolContext, ToolResult, tool
from services.executor.causal.discovery.reading import Pair, input_frame


class DiscoveryPlanArguments(ToolArguments):
    """The data, what is asked of them, and the seconds for all methods together.

    `hidden` says that hidden common causes are likely.
    """

    input: str | None = Field(default=None, min_length=1, description="the step of the data")
    columns: tuple[str, ...] | None = None
    treatment: str | None = None
    outcome: str | None = None
    tiers: dict[str, int] = Field(default_factory=dict)
    forbidden: tuple[Pair, ...] = ()
    required: tuple[Pair, ...] = ()
    hidden: bool = False
    seconds: float = Field(default=60.0, gt=0, le=3600)
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("causal.discovery_plan", DiscoveryPlanArguments)
def causal_discovery_plan(arguments: DiscoveryPlanArguments, context: ToolContext) -> ToolResult:
    """Say which methods of causal discovery suit the data, and predict what they cost.

    A row for each method: whether it suits, predicted seconds, how many resamplings and which
    columns (JSON) fit into its share of the seconds, and why: what is left out is named.
    """
    import pyarrow as pa

    from services.executor.causal.discovery.effort import Effort
    from services.executor.causal.discovery.knowledge import knowledge_of
    from services.executor.causal.discovery.matrix import read
    from services.executor.causal.discovery.planning import SCHEMA, plan_rows

    first = [name for name in (arguments.treatment, arguments.outcome) if name]
    table = input_frame(arguments.input, context)
    matrix = read(table, arguments.columns, first=first, seed=arguments.seed, many=True)
    knowledge, unknown = knowledge_of(
        matrix.names, arguments.tiers, arguments.forbidden, arguments.required
    )
    rows = plan_rows(
        matrix,
        knowledge,
        arguments.treatment,
        arguments.outcome,
        arguments.hidden,
        arguments.seconds,
        lambda most: Effort(context.seconds_left, context.cancelled, most),
    )
    suited = [row["method"] for row in rows if row["suits"]]
    return ToolResult(
        frame=pa.Table.from_pylist(rows, schema=SCHEMA),
        summary=f"{', '.join(suited) or 'no method'} for {len(matrix.names)} columns",
        notes=(*matrix.notes, *unknown),
    )
