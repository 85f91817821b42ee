"""Plans over a large file of which only a part was read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mesh.clock import HeldClock
from services.planner.analysis.deciding import Deciding
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.analysis.unread import of_what_is_read, uses_unread
from services.planner.domain.catalogue import Catalogue, Column, ColumnRole, DataType, Table
from services.planner.domain.evidence import (
    USUAL_LIMITS,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.plan import PlanDraft, Subtask
from services.planner.domain.request import WorkRequest
from services.planner.jobs.collaborators import Collaborators
from services.planner.ports import Described
from tests.contract.jobs import NOW, new_job

_READ = "SELECT region, sum(quantity), count(*) FROM sales GROUP BY region"
_MORE = "SELECT region, avg(unit_price) FROM sales GROUP BY region"


def _catalogue(*, part: bool = True) -> Catalogue:
    def column(name: str, kind: DataType, *, unread: bool = False) -> Column:
        return Column(name=name, data_type=kind, role=ColumnRole.DIMENSION, unread=unread and part)

    columns = (
        column("region", DataType.STRING),
        column("quantity", DataType.INTEGER),
        column("unit_price", DataType.FLOAT, unread=True),
    )
    return Catalogue(tables=(Table(name="sales", source_name="s", rows=9, columns=columns),))


def _planning(sql: str, tool: str = "sql.run", **changes: Any) -> Planning:
    load = Subtask(task_id="load", description="", tool_name=tool, arguments={"query": sql})
    chart = Subtask(
        task_id="chart", description="", tool_name="plot.render", arguments={"title": "unit_price"}
    )
    draft = PlanDraft(subtasks=(load, chart), reasoning="", answer_task="load")
    return Planning(reason="r", draft=draft, **changes)


@pytest.mark.parametrize(
    ("planning", "uses"),
    [
        (_planning(_READ), False),
        (_planning(_MORE), True),
        (_planning("SELECT * FROM sales"), True),
        (_planning(_READ, confidence="medium"), False),
        (_planning(_READ, confidence="low"), True),
        (_planning(_READ, tool="metric.change"), True),
        (Planning(reason="no plan"), True),
    ],
)
def test_a_plan_that_uses_more_or_is_doubted_needs_the_whole_file(
    planning: Planning, uses: bool
) -> None:
    assert uses_unread(planning, _catalogue()) is uses
    assert not uses_unread(planning, _catalogue(part=False))


class _Data:
    """An executor that reads in part where it is told what for."""

    def __init__(self) -> None:
        self.described: list[str] = []
        self.probed: list[str] = []

    async def describe(self, request: WorkRequest, about: str = "") -> Described:
        self.described.append(about)
        seal = "a-part-b" if about else "a"
        return Described(catalogue=_catalogue(part=bool(about)), source_seals=(seal,))

    async def probe(
        self, request: WorkRequest, queries: Sequence[ProbedQuery], limits: ProbeLimits
    ) -> list[Outcome]:
        self.probed += [query.sql for query in queries]
        return [Outcome(state=ProbeState.OK) for _ in queries]


class _Fixed:
    """A reasoner with one plan, which tries another reading before."""

    def __init__(self, planning: Planning, name: str = "rules") -> None:
        self._planning, self.name = planning, name
        self.states: list[list[ProbeState]] = []

    async def plan(self, given: PlanningInput) -> Planning:
        assert given.evidence is not None
        tried = await given.evidence([ProbedQuery(sql=_MORE), ProbedQuery(sql=_READ)])
        self.states.append([outcome.state for outcome in tried])
        return self._planning

    async def again(self, planning: Planning, given: PlanningInput) -> Planning:
        return planning


class _Nothing:
    async def decisions(self, job_id: str) -> list[Any]:
        return []

    async def recall(self, fingerprint: str, intent: str) -> list[Any]:
        return []


async def _decided(reasoner: _Fixed) -> tuple[_Data, Any]:
    data, nothing = _Data(), _Nothing()
    together: Any = {"jobs": nothing, "memory": nothing, "audit": nothing}
    tools: Any = data
    fixed: Any = reasoner
    with_ = Collaborators(tools=tools, reasoner=fixed, **together)
    return data, await Deciding(with_, HeldClock(NOW)).decide(new_job())


@pytest.mark.asyncio
async def test_a_plan_that_uses_what_was_not_read_is_made_anew_over_all() -> None:
    reasoner = _Fixed(_planning(_MORE))
    data, decided = await _decided(reasoner)
    question = new_job().request.question
    assert data.described == [question, ""]
    assert reasoner.states == [
        [ProbeState.NOT_PROBED, ProbeState.OK],
        [ProbeState.OK, ProbeState.OK],
    ]
    assert decided.decision.given["source_seals"] == ["a"]


@pytest.mark.asyncio
async def test_one_that_is_sure_of_what_was_read_stays_with_the_seal_of_the_part() -> None:
    data, decided = await _decided(_Fixed(_planning(_READ)))
    assert data.described == [new_job().request.question]
    assert decided.decision.given["source_seals"] == ["a-part-b"]


@pytest.mark.asyncio
async def test_a_model_is_told_of_whole_files() -> None:
    reasoner = _Fixed(_planning(_READ), name="a-model")
    data, _ = await _decided(reasoner)
    assert data.described == [""]


@pytest.mark.asyncio
async def test_readings_that_need_more_are_not_tried_and_others_keep_their_places() -> None:
    asked: list[str] = []

    async def evidence(
        queries: Sequence[ProbedQuery], limits: ProbeLimits = USUAL_LIMITS
    ) -> list[Outcome]:
        asked.extend(query.sql for query in queries)
        return [Outcome(state=ProbeState.OK, reason=query.sql) for query in queries]

    both = [ProbedQuery(sql=_MORE), ProbedQuery(sql=_READ)]
    found = await of_what_is_read(evidence, _catalogue())(both)
    assert [(one.state, one.reason) for one in found] == [
        (ProbeState.NOT_PROBED, "unread"),
        (ProbeState.OK, _READ),
    ]
    assert asked == [_READ]
    assert of_what_is_read(evidence, _catalogue(part=False)) is evidence
