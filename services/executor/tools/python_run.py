"""Tool python.run: generated Python over frames, in a sandbox."""

from __future__ import annotations

from pydantic import Field

from mesh.tool import (
    ErrorCategory,
    PythonRun,
    ToolArguments,
    ToolContext,
    ToolError,
    ToolFile,
    ToolResult,
    tool,
)

_SHOWN_CHARACTERS = 2_000


class PythonArguments(ToolArguments):
    """The code, and the frames it gets: those of tasks `inputs`, or of all earlier ones."""

    code: str = Field(min_length=1, max_length=100_000)
    inputs: tuple[str, ...] = Field(default=(), max_length=50)
    title: str = Field(default="Figure", max_length=200)


@tool(
    "python.run",
    PythonArguments,
    deterministic=False,
    why_not="generated code may read the clock or depend on the order in which threads finish; "
    "a note says when it does",
)
def python_run(arguments: PythonArguments, context: ToolContext) -> ToolResult:
    """Run Python over the frames of earlier steps, where no other tool can compute the result.

    Each frame is a pandas DataFrame named like its task, also in the dict `frames`; `tables` holds
    the same as Arrow tables, and `df` is the frame where there is one. pd, np, pa, plt and scipy
    are imported; statsmodels may be. Assign a DataFrame, Series, number, text, or dict of them to
    `result`; figures of matplotlib that are open at the end become charts. There are no network,
    no files and no other processes. Random numbers are seeded, times are in UTC.
    """
    missing = [name for name in arguments.inputs if name not in context.inputs]
    if missing:
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"there is no input {missing[0]!r}",
            hint=f"Set `inputs` to some of: {', '.join(sorted(context.inputs)) or 'none there'}.",
            details={"field": "inputs", "candidates": sorted(context.inputs)},
        )
    names = arguments.inputs or tuple(sorted(context.inputs))
    given = context.run_python(arguments.code, {name: context.inputs[name] for name in names})
    rows = given.frame.num_rows if given.frame is not None else 0
    if rows > context.row_limit:
        raise ToolError(
            ErrorCategory.RESOURCE_EXHAUSTED,
            f"the result has {rows:,} rows, more than the limit of {context.row_limit:,}",
            hint="Aggregate, or keep fewer rows.",
            details={"limit": context.row_limit, "seen": rows, "unit": "rows"},
        )
    return ToolResult(
        frame=given.frame,
        files=_files(given, arguments.title),
        summary=f"Python gave {rows:,} rows and {len(given.figures)} figures",
        notes=_notes(given),
    )


def _files(given: PythonRun, title: str) -> tuple[ToolFile, ...]:
    several = len(given.figures) > 1
    return tuple(
        ToolFile(
            name=f"figure-{number}.png",
            kind="chart",
            media_type="image/png",
            content=content,
            metadata={"title": f"{title} {number}" if several else title},
        )
        for number, content in enumerate(given.figures, start=1)
    )


def _notes(given: PythonRun) -> tuple[str, ...]:
    printed = given.printed.strip()
    if not printed:
        return given.notes
    shown = printed[:_SHOWN_CHARACTERS]
    more = " …" if len(printed) > len(shown) else ""
    return (*given.notes, f"the code printed: {shown}{more}")
