"""Puts the questions to the planner's reasoner and carries its plans out, tool by tool."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from bench.instructions.asked import HELD_OUT, Asked, Value, tables
from bench.instructions.judging import judged
from bench.support_catalogue import LocalEvidence, Lookup, Sources, kept_sources
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ToolResult
from services.executor.engines.guard import guard
from services.executor.engines.known import KnownTable
from services.executor.engines.workspace import Workspace
from services.executor.tools.df_transform import df_transform
from services.executor.tools.figures_collect import figures_collect
from services.executor.tools.profiler_analyze import profiler_analyze
from services.executor.tools.sql_run import sql_run
from services.executor.tools.stats_test import stats_test
from services.planner.adapters.reasoner_rules import RulesReasoner
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.plan import PlanDraft
from services.planner.domain.question import AnalysisRequest

_TOOLS = {
    one.name: one for one in (sql_run, stats_test, figures_collect, df_transform, profiler_analyze)
}
_NOW = datetime(2025, 3, 3, tzinfo=UTC)


@dataclass(frozen=True)
class Outcome:
    """What came of a question: right, wrong, refused or crashed, and why."""

    table: str
    asked: Asked
    verdict: str
    truth: dict[str, Value]
    notes: tuple[str, ...]
    reply: str

    @property
    def held_out(self) -> bool:
        """Whether the table was kept apart while the reader was built."""
        return self.table in HELD_OUT


@dataclass(frozen=True)
class Opened:
    """A file opened as the executor opens it, with what the planner may ask of it."""

    catalogue: Catalogue
    lookup: Lookup
    workspace: Workspace
    evidence: LocalEvidence


async def ask_all(names: Sequence[str] = ()) -> list[Outcome]:
    """An outcome for every question about these tables, or all."""
    files = tables(Path(tempfile.gettempdir()) / "assay-bench-instructions")
    sources = kept_sources()
    found: list[Outcome] = []
    for name, path in files.items():
        if names and name not in names:
            continue
        frame = pd.read_csv(path)
        opened = opened_tables(sources, path)
        module = importlib.import_module(f"bench.instructions.questions.{name}")
        for asked in module.QUESTIONS:
            found.append(await _outcome(name, asked, asked.truth(frame), opened))
    return found


def opened_tables(sources: Sources, path: Path) -> Opened:
    """The tables of a file."""
    catalogue, lookup, workspace = sources.open_together([path])
    return Opened(catalogue, lookup, workspace, sources.evidence(path))


async def planned(question: str, opened: Opened) -> Planning:
    """What the reasoner by rules decides on a question."""
    request = AnalysisRequest(
        request_id="bench", timestamp=_NOW, intent=question, deliverables=(), assume=True
    )
    given = PlanningInput(
        request=request,
        catalogue=opened.catalogue,
        lookup=opened.lookup,
        today=_NOW.date(),
        evidence=opened.evidence,
    )
    return await RulesReasoner().plan(given)


async def _outcome(table: str, asked: Asked, truth: dict[str, Value], opened: Opened) -> Outcome:
    try:
        planning = await planned(asked.text, opened)
        if planning.draft is None:
            why = planning.failure.message if planning.failure is not None else "asked back"
            return Outcome(table, asked, "right" if not truth else "refused", truth, (), why)
        answer = carried_out(planning.draft, opened)
    except Exception as error:  # a reader that fails in any way is what is counted
        text = f"{type(error).__name__}: {error}"
        return Outcome(table, asked, "crashed", truth, (), text)
    texts = _list_notes(answer)
    right = judged(answer, truth, named=asked.named)
    return Outcome(table, asked, "right" if right else "wrong", truth, texts, _how(planning))


def _how(planning: Planning) -> str:
    return planning.understood


def _list_notes(answer: pa.Table) -> tuple[str, ...]:
    if "exact" in answer.column_names:
        return tuple(row["asked"] or row["text"] for row in answer.to_pylist())
    return tuple(str(row) for row in answer.slice(0, 4).to_pylist())


def carried_out(draft: PlanDraft, opened: Opened) -> pa.Table:
    """The answer's frame, from the plan's calls run one after the other, charts and files apart."""
    known = [
        KnownTable(table.name, tuple(column.name for column in table.columns))
        for table in opened.catalogue.tables
    ]

    def query(sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        with opened.workspace.cursor() as cursor:
            found = cursor.execute(guard(sql, known, row_limit), parameters)
            return found.to_arrow_table()

    frames: dict[str, pa.Table] = {}
    for task in draft.subtasks:
        if task.tool_name not in _TOOLS:
            continue
        tool = _TOOLS[task.tool_name]
        inputs = {name: frames[name] for name in task.dependencies}
        context = FakeToolContext(inputs, answer_query=query)
        result = tool.run(tool.arguments.model_validate(task.arguments), context)
        if isinstance(result, ToolResult) and result.frame is not None:
            frames[task.task_id] = result.frame
    return frames[draft.answer_task]
