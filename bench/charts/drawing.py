"""From a question to its chart as the mesh makes it: reader, plan, query, then the chart's tool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bench.everyday.load import TODAY, sources
from bench.support_catalogue import Sources
from bench.training.probing import LocalProbe
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import Tool, ToolError, ToolFile, ToolResult
from services.executor.tools.df_transform import df_transform
from services.executor.tools.plot_render import plot_render
from services.executor.tools.sql_run import sql_run
from services.executor.tools.stats_test import stats_test
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.plan import Subtask
from services.planner.domain.query.intent import Understood
from services.planner.domain.reader.understand import understand

_TOOLS: dict[str, Tool] = {
    "sql.run": sql_run,
    "df.transform": df_transform,
    "stats.test": stats_test,
    "plot.render": plot_render,
}
_ROW_LIMIT, _SECONDS = 200_000, 60.0


@dataclass(frozen=True)
class Picture:
    """One question's chart, or why there is none."""

    dataset: str
    question: str
    wording: str
    kind: str = ""
    png: bytes = b""
    notes: tuple[str, ...] = ()


class Drawer:
    """Draws charts over datasets of the everyday set, which lie built in a folder."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        self._sources = Sources(home)

    async def draw(self, dataset: str, question: str) -> Picture:
        """The chart of a question, through the same steps that the mesh would run."""
        opened = self._sources.open_together(sources(self._folder, dataset))
        catalogue, lookup, workspace = opened
        read = await understand(
            question, catalogue, lookup, today=TODAY, evidence=LocalProbe(workspace), assume=True
        )
        if not isinstance(read, Understood):
            return Picture(dataset, question, type(read).__name__)
        plan = draft_plan(
            read,
            catalogue,
            deliverables=("charts",),
            row_limit=_ROW_LIMIT,
            timeout_seconds=_SECONDS,
        )

        def query(sql: str, parameters: list[Any], row_limit: int, _seconds: float) -> pa.Table:
            with workspace.cursor() as cursor:
                return cursor.execute(sql, parameters).to_arrow_table().slice(0, row_limit)

        frames: dict[str, pa.Table] = {}
        picture = Picture(dataset, question, read.summary)
        for task in plan.subtasks:
            context = FakeToolContext(
                {name: frames[name] for name in task.dependencies}, answer_query=query
            )
            try:
                result = _run(task, context)
            except (ToolError, duckdb.Error) as error:
                return Picture(dataset, question, f"{read.summary} !! {task.tool_name}: {error}")
            if result.frame is not None:
                frames[task.task_id] = result.frame
            for file in result.files:
                if file.kind == "chart":
                    picture = _pictured(dataset, question, read.summary, file, result.notes)
        return picture


def _run(task: Subtask, context: FakeToolContext) -> ToolResult:
    tool = _TOOLS[task.tool_name]
    return tool.run(tool.arguments.model_validate(dict(task.arguments)), context)


def _pictured(
    dataset: str, question: str, text: str, file: ToolFile, notes: tuple[str, ...]
) -> Picture:
    kind = str(file.metadata["chart_type"])
    return Picture(dataset, question, text, kind, file.content, notes)
