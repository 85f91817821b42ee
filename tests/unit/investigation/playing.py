"""An investigation played over small data: its rules with the executor's own tools, in process."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import duckdb
import pyarrow as pa

from mesh.testing.tool_context import FakeToolContext
from mesh.tool import Tool
from services.executor.tools.metric_change import metric_change
from services.executor.tools.metric_contribution import metric_contribution
from services.executor.tools.metric_cube import metric_cube
from services.executor.tools.metric_leaf_quality import metric_leaf_quality
from services.executor.tools.metric_leaves import metric_leaves
from services.executor.tools.metric_margins import metric_margins
from services.executor.tools.metric_quality import metric_quality
from services.executor.tools.metric_search import metric_search
from services.planner.domain.decision import Decision
from services.planner.domain.investigation.data_model import AnalysisPlan, DataModel
from services.planner.domain.investigation.explained import describe_explanations
from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.ground import (
    DENOMINATOR,
    NUMERATOR,
    TIME,
    Ground,
)
from services.planner.domain.investigation.history import CUBE, HISTORY, MARGINS
from services.planner.domain.investigation.hypothesis import Hypothesis, Test
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.iteration import ExitReason, Move, NextStep
from services.planner.domain.investigation.judging import judged
from services.planner.domain.investigation.leaves.judging import JUDGES_OF_LEAVES
from services.planner.domain.investigation.next_step import next_step
from services.planner.domain.investigation.outcome import conclusion_of, found_of
from services.planner.domain.investigation.period import DateRange
from services.planner.domain.investigation.state import (
    FOUND,
    GROUNDED,
    NEXT,
    Grounded,
    Investigation,
    folded,
)
from services.planner.domain.investigation.step_calls import StepInput
from services.planner.domain.plan import Subtask
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.story import Speaker
from tests.unit.investigation.shop import NOW

_TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        metric_change,
        metric_contribution,
        metric_cube,
        metric_leaf_quality,
        metric_leaves,
        metric_margins,
        metric_quality,
        metric_search,
    )
}
_TABLES = (MARGINS, CUBE, HISTORY)


@dataclass
class Played:
    """A loop that came to its end: what is known, and all frames by the task that made them."""

    state: Investigation
    steps: list[NextStep] = field(default_factory=list)
    frames: dict[str, pa.Table] = field(default_factory=dict)

    @property
    def moves(self) -> list[tuple[Move, Test | None]]:
        """What each step did, and to which kind of hypothesis; None for the end."""
        of: dict[str, Hypothesis] = {h.hypothesis_id: h for h in self.state.hypotheses}
        return [(s.move, of[s.hypothesis].test if s.hypothesis else None) for s in self.steps]

    @property
    def ended(self) -> ExitReason | None:
        """Why it ended."""
        return self.state.concluded

    @property
    def grounds(self) -> str:
        """What the last step says of why it ended."""
        return self.steps[-1].reason


def ground_of_rows(
    dimensions: Sequence[str],
    baseline: tuple[date, date],
    comparison: tuple[date, date],
    *,
    suspected: Sequence[str] = (),
    first: date | None = None,
    ratio: bool = False,
) -> Ground:
    """What rows of a table `facts` stand on, which has a day, a numerator and dimensions."""
    below = f', denominator AS "{DENOMINATOR}"' if ratio else ""
    names = ", ".join(f'"{name}"' for name in dimensions)
    return Ground(
        metric="sum(numerator)",
        label="numerator",
        table="facts",
        source_name="facts",
        time="day",
        ratio=ratio,
        dimensions=tuple(dimensions),
        suspected=tuple(suspected),
        first=first,
        relation=f'SELECT day AS "{TIME}", numerator AS "{NUMERATOR}"{below}, {names} FROM facts',
        baseline=DateRange(start=baseline[0], end=baseline[1]),
        comparison=DateRange(start=comparison[0], end=comparison[1]),
    )


def played(
    ground: Ground, facts: pa.Table, failing: Callable[[Subtask], bool] | None = None
) -> Played:
    """The whole loop over one table; `failing` picks calls that give nothing."""
    with duckdb.connect() as database:
        database.execute("SET threads = 1")
        database.register("facts", facts)
        return _played(ground, database, failing or (lambda task: False))


def _played(
    ground: Ground, database: duckdb.DuckDBPyConnection, failing: Callable[[Subtask], bool]
) -> Played:
    grounded = Grounded(
        ground=ground,
        data_model=DataModel(tables=(), recommended_dimensions=ground.dimensions, inferred_at=NOW),
        analysis_plan=AnalysisPlan(steps=(), created_at=NOW),
        hypotheses=first_hypotheses(ground, NOW),
    )
    told = Played(folded([_decision(GROUNDED, grounded)]))
    judges = None if ground.leaf is None else JUDGES_OF_LEAVES
    while told.state.concluded is None:
        planned = frozenset(task.task_id for one in told.steps for task in one.subtasks)
        step = next_step(StepInput(state=told.state, planned=planned, now=NOW))
        told.steps.append(step)
        told.state = told.state.after(_decision(NEXT, step))
        if step.exit_reason is ExitReason.CONCLUDE:
            last = conclusion_of(told.state, step, "", "output", NOW)
            told.state = told.state.after(_decision(FOUND, last))
        if step.exit_reason is not None:
            break
        calls = [task for task in step.subtasks if not failing(task)]
        for task in calls:
            told.frames[task.task_id] = _run(task, told.frames, database)
        tables = {
            t.task_id: EvidenceTable(t.task_id, t.task_id, t.task_id, told.frames[t.task_id])
            for t in calls
            if t.task_id not in _TABLES
        }
        about = told.state.hypothesis(step.hypothesis)
        judgement = judged(about, told.state.hypotheses, tables, ground, "", judges)
        code = "\n".join(json.dumps({"tool": task.tool_name}) for task in calls)
        found = found_of(told.state, step, judgement, code, "output", NOW)
        told.state = told.state.after(_decision(FOUND, found))
    return told


def _run(
    task: Subtask, frames: dict[str, pa.Table], database: duckdb.DuckDBPyConnection
) -> pa.Table:
    def query(sql: str, parameters: list[Any], row_limit: int, _seconds: float) -> pa.Table:
        return database.execute(sql, parameters).to_arrow_table().slice(0, row_limit)

    tool = _TOOLS[task.tool_name]
    arguments = dict(task.arguments)
    if task.dependencies and "input" in tool.arguments.model_fields:
        arguments.setdefault("input", task.dependencies[0])
    inputs = {name: frames[name] for name in task.dependencies}
    context = FakeToolContext(inputs=inputs, answer_query=query, seconds_left=600)
    frame = tool.run(tool.arguments.model_validate(arguments), context).frame
    assert frame is not None
    return frame


def _decision(kind: Any, decided: Any) -> Decision:
    return Decision(
        decision_id=kind,
        job_id="1" * 32,
        kind=kind,
        reasoner="rules",
        reason="because",
        given={},
        decided=decided.model_dump(mode="json"),
        timestamp=NOW,
    )


def explanations_of(loop: Played) -> tuple[Explanation, ...]:
    """What a job would explain by the frames of this loop."""
    grounded = loop.state.grounded
    assert grounded is not None
    tables = {
        name: EvidenceTable(name, name, name, frame)
        for name, frame in loop.frames.items()
        if name not in _TABLES
    }
    told = describe_explanations(loop.state, grounded, tables, Speaker(ClaimBook()))
    return tuple(one.explanation for one in told)
