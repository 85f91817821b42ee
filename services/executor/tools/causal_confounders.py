"""causal.confounders: what candidate columns are to a treatment and an outcome."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import ErrorCategory, ToolArguments, ToolContext, ToolError, ToolResult, tool
from services.executor.causal.discovery.reading import input_frame


class ConfoundersArguments(ToolArguments):
    """Treatment, outcome, and the columns to weigh (all others where none are named).

    `tiers` say what came first (0 before 1); without them no column is called a confounder.
    """

    input: str | None = Field(default=None, min_length=1, description="the step of the data")
    treatment: str
    outcome: str
    candidates: tuple[str, ...] | None = None
    tiers: dict[str, int] = Field(default_factory=dict)
    seed: int = Field(default=0, ge=0, lt=2**31)


@tool("causal.confounders", ConfoundersArguments)
def causal_confounders(arguments: ConfoundersArguments, context: ToolContext) -> ToolResult:
    """Say of each candidate column whether it confounds a treatment and an outcome.

    A row for each: its verdict (confounder, precision, instrument_like, post_treatment,
    collider_risk, irrelevant, unclear), how strongly it goes with the treatment, and with the
    outcome given the treatment and the other candidates known to come before, by how much it
    changes the treatment's coefficient, and why.
    """
    import pyarrow as pa

    from services.executor.causal.discovery.confounding import SCHEMA, confounder_rows
    from services.executor.causal.discovery.matrix import IMPUTATION, ROW, read
    from services.executor.causal.threads import one_thread

    table = input_frame(arguments.input, context)
    asked = (arguments.treatment, arguments.outcome)
    others = [n for n in table.column_names if n not in (*asked, ROW, IMPUTATION)]
    candidates = others if arguments.candidates is None else list(arguments.candidates)
    with one_thread():
        matrix = read(table, [*asked, *candidates], first=asked, seed=arguments.seed, many=True)
        for role, name in (("treatment", asked[0]), ("outcome", asked[1])):
            if name in matrix.left_out:
                raise ToolError(
                    ErrorCategory.INVALID_ARGUMENTS,
                    f'The {role} "{name}" cannot be compared: {matrix.left_out[name]}.',
                    hint="Name a column that varies, and a treatment that is not the outcome.",
                    details={"column": name},
                )
        rows = confounder_rows(matrix, *asked, candidates, arguments.tiers)
    found = [row["column"] for row in rows if row["verdict"] == "confounder"]
    notes = list(matrix.notes)
    if not arguments.tiers:
        notes.append(
            "What came before the treatment is not said (tiers), so no column is called a "
            "confounder: data alone do not tell one from a consequence."
        )
    return ToolResult(
        frame=pa.Table.from_pylist(rows, schema=SCHEMA),
        summary=f"{len(found)} of {len(rows)} candidates are confounders",
        notes=tuple(notes),
    )
