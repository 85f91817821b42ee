"""causal.discover: the causal graph that a method finds in data, and how firmly its edges stand."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ErrorCategory, ToolArguments, ToolContext, ToolError, ToolResult, tool
from services.executor.causal.discovery.methods import MethodName
from services.executor.causal.discovery.reading import Pair, input_frame


class DiscoverArguments(ToolArguments):
    """What to search, by which method, and what is known before.

    `tiers` say what came first (0 before 1): nothing leads back in time. `seconds` bounds the
    search by predicted cost: bootstraps that do not fit are left out and counted in the notes.
    """

    input: str | None = Field(default=None, min_length=1, description="the step of the data")
    method: MethodName
    columns: tuple[str, ...] | None = None
    treatment: str | None = None
    outcome: str | None = None
    alpha: float = Field(default=0.05, gt=0, le=0.2)
    tiers: dict[str, int] = Field(default_factory=dict)
    forbidden: tuple[Pair, ...] = ()
    required: tuple[Pair, ...] = ()
    bootstraps: int = Field(default=30, ge=0, le=1000)
    seconds: float = Field(default=60.0, gt=0, le=3600)
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("causal.discover", DiscoverArguments)
def causal_discover(arguments: DiscoverArguments, context: ToolContext) -> ToolResult:
    """Search a causal graph in data by PC, FCI, GES, NOTEARS or LiNGAM.

    A row for each edge: source, target, its type (directed, undirected, bidirected, partial), and
    shares of runs with it: skeleton_stability (the two are joined), direction_stability (directed
    so, among these) and confidence (the edge as told) over resampled rows, each with another order
    of columns and alpha; in_order_stability and in_alpha_stability over these alone.
    direction_weight is what the direction counts beside other methods' (NOTEARS' 0, LiNGAM's 1
    where disturbances tell it). Columns that are constant, identifiers or determined by others are
    left out, which the notes say.
    """
    from services.executor.causal.discovery.effort import Effort, OutOfSteps
    from services.executor.causal.discovery.knowledge import knowledge_of
    from services.executor.causal.discovery.matrix import read
    from services.executor.causal.discovery.methods import METHODS, check_columns
    from services.executor.causal.discovery.rows import frame_of
    from services.executor.causal.discovery.stability import discover
    from services.executor.causal.discovery.trust import direction_trust

    first = [name for name in (arguments.treatment, arguments.outcome) if name]
    matrix = read(
        input_frame(arguments.input, context), arguments.columns, first=first, seed=arguments.seed
    )
    method = METHODS[arguments.method]
    knowledge, unknown = knowledge_of(
        matrix.names, arguments.tiers, arguments.forbidden, arguments.required
    )
    notes = [*matrix.notes, *unknown, *check_columns(arguments.method, matrix)]
    most = arguments.seconds / method.per_step(matrix)
    effort = Effort(context.seconds_left, context.cancelled, most)
    try:
        found = discover(
            matrix,
            method,
            knowledge,
            arguments.alpha,
            arguments.bootstraps,
            effort,
            arguments.seed,
            lambda done: context.progress(f"{arguments.method}: resampling", done),
        )
    except OutOfSteps:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"{arguments.method} over {len(matrix.names)} columns does not fit into "
            f"{arguments.seconds:g} seconds.",
            hint="Name fewer columns, as causal.discovery_plan proposes, or give more seconds.",
            details={"limit": arguments.seconds, "columns": len(matrix.names)},
        ) from None
    names = matrix.names
    if found.bootstraps < arguments.bootstraps:
        notes.append(
            f"{arguments.method}: {found.bootstraps} of {arguments.bootstraps} resamplings fitted "
            "into the time; shares are of these."
        )
    for i, j, share in sorted(found.often, key=lambda pair: -pair[2])[:5]:
        notes.append(
            f'"{names[i]}" and "{names[j]}" are not joined, but {share:.0%} of the runs join them.'
        )
    notes.append(f"{arguments.method} {method.description}.")
    edges = len(found.edges)
    return ToolResult(
        frame=frame_of(names, found, direction_trust(arguments.method, matrix, found.marks)),
        summary=f"{edges} edges among {len(names)} columns by {arguments.method}",
        notes=tuple(notes),
    )
