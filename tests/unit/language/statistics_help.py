"""Questions about one file, answered as a plan does it: its query, then the test over its rows."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from bench.support_catalogue import Sources
from bench.training.probing import LocalProbe
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import ToolResult
from services.executor.tools.stats_test import stats_test
from services.planner.domain.drafting.draft import draft_plan
from services.planner.domain.plan import PlanDraft
from services.planner.domain.query.intent import NotUnderstood, Understood
from services.planner.domain.reader.understand import understand

TODAY = date(2025, 1, 1)
ROW_LIMIT = 100_000


class Answer:
    """What a question was understood as, and the rows of its answer."""

    def __init__(
        self, understood: Understood, plan: PlanDraft, rows: list[dict[str, Any]], notes: list[str]
    ) -> None:
        self.plan = plan
        self.summary = understood.summary
        self.assumptions = understood.assumptions
        self.rows = rows
        self.notes = notes

    def number(self, statistic: str, about: str = "") -> float:
        """A statistic of a test."""
        found = [
            row["value"]
            for row in self.rows
            if row["statistic"] == statistic and row["about"] in (about, about or row["about"])
        ]
        assert found, f"no {statistic} of {about!r} in {self.rows}"
        return float(found[0])

    def text(self, statistic: str) -> str:
        """What a test says in words."""
        return str(next(row["text"] for row in self.rows if row["statistic"] == statistic))

    @property
    def charts(self) -> list[str]:
        """The kinds of chart that go with it."""
        tasks = self.plan.subtasks
        return [str(t.arguments["type"]) for t in tasks if t.tool_name == "plot.render"]

    @property
    def only(self) -> float:
        """The one number of an answer of one row."""
        [row] = self.rows
        [value] = row.values()
        return float(value)

    def by(self) -> dict[Any, float]:
        """Numbers by what they are split by."""
        return {row[next(iter(row))]: float(list(row.values())[-1]) for row in self.rows}


class Sheet:
    """One CSV file that can be asked."""

    def __init__(self, path: Path, home: Path) -> None:
        sources = Sources(home)
        self.catalogue, self.lookup, self.run = sources.open(path)
        self.evidence = LocalProbe(sources.open_together([path])[2])

    async def refused(self, question: str) -> str:
        """Why the question has no answer; an understood one is a failure."""
        found = await understand(
            question, self.catalogue, self.lookup, today=TODAY, evidence=self.evidence
        )
        assert isinstance(found, NotUnderstood), found
        return found.message

    async def ask(self, question: str, row_limit: int = ROW_LIMIT) -> Answer:
        """The answer; anything but an understood question is a failure."""
        found = await understand(
            question, self.catalogue, self.lookup, today=TODAY, evidence=self.evidence, assume=True
        )
        assert isinstance(found, Understood), found
        plan = draft_plan(
            found, self.catalogue, deliverables=("charts",), row_limit=row_limit, timeout_seconds=60
        )
        load = plan.subtasks[0].arguments
        names, rows = self.run(str(load["query"]), load["params"])
        frame = pd.DataFrame(rows, columns=names)
        if not any(task.task_id == "test" for task in plan.subtasks):
            return Answer(found, plan, [dict(zip(names, row, strict=True)) for row in rows], [])
        [test] = [task for task in plan.subtasks if task.task_id == "test"]
        arguments = stats_test.arguments.model_validate(test.arguments)
        table = pa.Table.from_pandas(frame, preserve_index=False)
        result = stats_test.run(arguments, FakeToolContext(inputs={"load": table}))
        assert isinstance(result, ToolResult)
        assert result.frame is not None
        return Answer(found, plan, result.frame.to_pylist(), list(result.notes))
