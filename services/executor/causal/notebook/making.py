"""From the arguments to the notebook, its page, its data, and what running it gave."""

from __future__ import annotations

import hashlib
import math
import tempfile
from pathlib import Path

import pyarrow as pa

from mesh.frames.canonical import table_digest
from mesh.tool import ToolContext, ToolFile, ToolResult
from services.executor.causal.notebook.arguments import CausalNotebookArguments, Expected
from services.executor.causal.notebook.cells import book_of
from services.executor.causal.notebook.data import data_of, is_labelled_by_values, parquet
from services.executor.causal.notebook.page import page
from services.executor.causal.notebook.running import Figures, run

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("expected", pa.float64()),
        ("seen", pa.float64()),
        ("same", pa.bool_()),
    ]
)
TOLERANCE = 1e-6
_PARTS = ("estimate", "lower end", "upper end")


def notebook(arguments: CausalNotebookArguments, context: ToolContext) -> ToolResult:
    """Write the notebook, run it once, and compare. Raises ToolError."""
    import nbformat

    data = data_of(arguments, context)
    content = parquet(data)
    digest = hashlib.sha256(content).hexdigest()
    table = context.inputs[arguments.input]
    if not is_labelled_by_values(table, arguments.modifiers):
        arguments = arguments.model_copy(update={"modifiers": ()})
    made = book_of(arguments, data, table_digest(table), digest)
    book = made.node()
    with tempfile.TemporaryDirectory(prefix="assay-nb-") as name:
        (Path(name) / "data.parquet").write_bytes(content)
        found, failed = run(book, Path(name), context)
    written = nbformat.writes(book) + "\n"  # type: ignore[no-untyped-call]
    frame = compared(made.recomputed, found)
    same = sum(frame.column("same").to_pylist())
    files = [
        ToolFile(
            "notebook.ipynb",
            "report",
            "application/x-ipynb+json",
            written.encode(),
            {"title": arguments.title},
        ),
        ToolFile(
            "notebook.html",
            "report",
            "text/html",
            page(book, arguments.title),
            {"title": arguments.title},
        ),
    ]
    if data.num_columns:
        files.append(
            ToolFile(
                "data.parquet",
                "table",
                "application/vnd.apache.parquet",
                content,
                {"sha256": digest, "rows": data.num_rows},
            )
        )
    return ToolResult(
        frame=frame,
        files=tuple(files),
        summary=f"run again, {same} of {frame.num_rows} figures came out the same",
        notes=_notes(arguments, made.recomputed, frame, failed),
    )


def compared(expected: tuple[Expected, ...], found: Figures) -> pa.Table:
    """A row a figure. It is the same where it is to six significant digits of itself or of its
    interval's width, whichever is more: an effect of nothing has no digits of its own."""
    rows = []
    for each in expected:
        width = each.ci_upper - each.ci_lower
        then = (each.estimate, each.ci_lower, each.ci_upper)
        now = [
            None if number != number else number  # what is no number was not found
            for number in found.get(each.name, (math.nan,) * 3)
        ]
        for part, one, other in zip(_PARTS, then, now, strict=True):
            near = other is not None and abs(other - one) <= TOLERANCE * max(abs(one), width)
            rows.append(
                {"name": f"{each.name}, {part}", "expected": one, "seen": other, "same": near}
            )
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _notes(
    arguments: CausalNotebookArguments,
    again: tuple[Expected, ...],
    frame: pa.Table,
    failed: list[str],
) -> tuple[str, ...]:
    notes = [
        f"A cell of the notebook failed: {line}." for line in failed[:1]
    ]  # others follow from it
    wrong = [row["name"] for row in frame.to_pylist() if not row["same"]]
    if wrong:
        shown = ", ".join(wrong[:6]) + (", …" if len(wrong) > 6 else "")
        notes.append(f"Run again, the notebook gives other figures for: {shown}.")
    texts = [each.name for each in arguments.estimates if each not in again]
    if texts:
        notes.append(
            f"The notebook tells these as recorded and does not compute them: {', '.join(texts)}."
        )
    return tuple(notes)
