"""The plan of an analysis: its rows and numbers by the engine, its tests, and the figures told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.planner.domain.catalogue import Catalogue
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.query.planning.samples import COMPLETE, TOTAL, sampled
from services.planner.domain.query.planning.sql import Query
from services.planner.domain.reader.instructions.analysis import (
    Analysis,
    Difference,
    Each,
    Extreme,
    Figure,
    Number,
    Source,
    Test,
    Tested,
    Verdict,
)
from services.planner.domain.reader.instructions.statements import (
    counts,
    grouped,
    numbers,
    test_rows,
)

ANSWER = "figures"
_ROWS_A_SECOND, _START_UP_SECONDS, _TEST_SECONDS, _COLLECT_SECONDS = 5_000_000, 0.05, 0.3, 0.02
_LONGEST_SQL_SECONDS = 180


def planned(
    analysis: Analysis, catalogue: Catalogue, *, row_limit: int, timeout_seconds: float
) -> PlanDraft:
    """The steps that give the figures; a test of more rows than a query may give gets a sample."""
    return _Planner(analysis, catalogue, row_limit, timeout_seconds).draft()


class _Planner:
    def __init__(
        self, analysis: Analysis, catalogue: Catalogue, row_limit: int, timeout_seconds: float
    ) -> None:
        self._analysis = analysis
        table = catalogue.table(analysis.table)
        self._rows = table.rows if table is not None else 0
        self._row_limit = row_limit
        self._seconds = max(1, min(_LONGEST_SQL_SECONDS, int(timeout_seconds)))
        self._tasks: list[Subtask] = []
        self._made: dict[str, str] = {}
        self._numbers: dict[Number, tuple[str, str]] = {}

    def draft(self) -> PlanDraft:
        analysis = self._analysis
        self._count([n for figure in analysis.figures for n in _numbers_of(figure.source)])
        figures = [self._figure(figure) for figure in analysis.figures]
        inputs = tuple(dict.fromkeys(task for f in figures for task in _inputs(f)))
        self._tasks.append(
            Subtask(
                task_id=ANSWER,
                description=f"{len(figures)} figure{'' if len(figures) == 1 else 's'}",
                tool_name="figures.collect",
                arguments={"figures": figures},
                dependencies=inputs,
                invariants=("every figure is a cell of an earlier step",),
                estimated_cost_seconds=_COLLECT_SECONDS,
            )
        )
        steps = "; ".join(step.text for step in analysis.steps)
        text = ", ".join(figure.label for figure in analysis.figures)
        return PlanDraft(
            subtasks=tuple(self._tasks),
            reasoning=f"{steps}; then {text}" if steps else text,
            answer_task=ANSWER,
        )

    def _count(self, wanted: Sequence[Number]) -> None:
        """All numbers of one stage come from one query."""
        for stage in sorted({number.stage for number in wanted}):
            own = list(dict.fromkeys(n for n in wanted if n.stage == stage))
            task = self._query(numbers(self._analysis, own), "numbers", "numbers")
            for place, number in enumerate(own, start=1):
                self._numbers[number] = (task, f"n{place}")

    def _figure(self, figure: Figure) -> dict[str, Any]:
        made: dict[str, Any] = {"label": figure.label, **self._source(figure.source)}
        if figure.name:
            made["name"] = figure.name
        if figure.decimals is not None:
            made["decimals"] = figure.decimals
        if figure.percent:
            for part in ("cell", "minus"):
                if part in made:
                    made[part] = {**made[part], "times": 100}
        return made

    def _source(self, source: Source) -> dict[str, Any]:
        match source:
            case Number() | Tested():
                return self._one(source)
            case Extreme():
                query = grouped(self._analysis, source.by, source.number, source)
                task = self._query(query, "groups", f"{source.by} by {source.number.statistic}")
                return {"cell": {"input": task, "column": source.tells}}
            case Each():
                query = grouped(self._analysis, source.by, source.number, None)
                task = self._query(query, "groups", f"each {source.by}")
                return {"cell": {"input": task, "column": "value"}, "each": "name"}
            case Difference():
                first, second = self._one(source.first), self._one(source.second)
                return {
                    "cell": first["cell"],
                    "minus": second["cell"],
                    "absolute": source.absolute,
                }
            case Verdict():
                rule = {
                    "comparison": source.comparison,
                    "limit": source.limit,
                    "yes": source.yes,
                    "no": source.no,
                }
                of = self._source(source.of)
                return {**of, "rule": rule, "absolute": source.absolute or of.get("absolute", 0)}

    def _one(self, source: Number | Tested) -> dict[str, Any]:
        if isinstance(source, Number):
            task, column = self._numbers[source]
            return {"cell": {"input": task, "column": column}}
        where = {"statistic": source.statistic, **({"about": source.about} if source.about else {})}
        column = "about" if source.tells == "name" else "value"
        cell = {
            "input": self._test(source.test),
            "column": column,
            "where": where,
            "row": source.rank,
        }
        return {"cell": cell, **({"without": source.without} if source.without else {})}

    def _test(self, test: Test) -> str:
        key = test.model_dump_json()
        if key in self._made:
            return self._made[key]
        further: dict[str, Any] = {}
        if test.test == "missing":
            further = {"total": TOTAL, "complete": COMPLETE}
            query = counts(self._analysis, test.columns, test.stage, (TOTAL, COMPLETE))
        else:
            query = test_rows(self._analysis, test)
            if self._rows > self._row_limit:
                query, further = sampled(query, self._row_limit), {"total": TOTAL}
        rows = self._query(query, "rows", "the rows that are tested")
        given = test.model_dump(exclude={"where", "stage"}, exclude_defaults=True, mode="json")
        task = self._fresh("tested")
        self._tasks.append(
            Subtask(
                task_id=task,
                description=f"{test.test.replace('_', ' ')} over the rows",
                tool_name="stats.test",
                arguments={"input": rows, **given, "test": test.test, **further},
                dependencies=(rows,),
                invariants=("every row with a missing value is left out and counted",),
                estimated_cost_seconds=_TEST_SECONDS,
            )
        )
        self._made[key] = task
        return task

    def _query(self, query: Query, task_id: str, description: str) -> str:
        if query.text in self._made:
            return self._made[query.text]
        task = self._fresh(task_id)
        self._tasks.append(
            Subtask(
                task_id=task,
                description=description,
                tool_name="sql.run",
                arguments={
                    "query": query.text,
                    "params": list(query.params),
                    "timeout": self._seconds,
                    "row_limit": self._row_limit,
                },
                invariants=tuple(step.text for step in self._analysis.steps),
                estimated_cost_seconds=_START_UP_SECONDS + self._rows / _ROWS_A_SECOND,
            )
        )
        self._made[query.text] = task
        return task

    def _fresh(self, name: str) -> str:
        taken = {task.task_id for task in self._tasks}
        place = 2
        fresh = name
        while fresh in taken:
            fresh, place = f"{name}_{place}", place + 1
        return fresh


def _numbers_of(source: Source) -> list[Number]:
    match source:
        case Number():
            return [source]
        case Difference():
            return [*_numbers_of(source.first), *_numbers_of(source.second)]
        case Verdict():
            return _numbers_of(source.of)
        case _:
            return []


def _inputs(figure: Mapping[str, Any]) -> list[str]:
    return [str(figure[part]["input"]) for part in ("cell", "minus") if part in figure]
