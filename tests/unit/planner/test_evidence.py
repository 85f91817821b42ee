"""Whoever decides on a plan can ask the data, for the request that the plan is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.support_catalogue import Sources
from mesh.clock import HeldClock
from mesh.errors import INVALID_ARGUMENT, AssayError
from services.planner.analysis.deciding import Deciding
from services.planner.domain.analysis.planning import Planning, PlanningInput
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import (
    Evidence,
    Outcome,
    ProbedQuery,
    ProbeLimits,
    ProbeState,
)
from services.planner.domain.request import WorkRequest
from services.planner.jobs.collaborators import Collaborators
from services.planner.ports import Described
from tests.contract.jobs import NOW, new_job
from tests.unit.executor.source_help import write_shop

QUERIES = (ProbedQuery(sql="SELECT 1 AS one"), ProbedQuery(sql="SELECT ? AS two", params=(2,)))
HASTY = ProbeLimits(rows=10, seconds=0.5, each=0.1)


class Data:
    """An executor that notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[WorkRequest, Sequence[ProbedQuery], ProbeLimits]] = []

    async def describe(self, request: WorkRequest) -> Described:
        return Described(catalogue=Catalogue(tables=()))

    async def probe(
        self, request: WorkRequest, queries: Sequence[ProbedQuery], limits: ProbeLimits
    ) -> list[Outcome]:
        self.asked.append((request, tuple(queries), limits))
        return [Outcome(state=ProbeState.OK, rows=number) for number, _ in enumerate(queries)]


class Curious:
    """A reasoner that asks the data before it decides."""

    name = "curious"

    def __init__(self) -> None:
        self.told: list[Sequence[Outcome]] = []

    async def plan(self, given: PlanningInput) -> Planning:
        assert given.evidence is not None
        self.told.append(await given.evidence(QUERIES))
        self.told.append(await given.evidence(QUERIES[:1], HASTY))
        return Planning(reason="asked")


class Nothing:
    """A store and a memory with nothing in them."""

    async def decisions(self, job_id: str) -> list[Any]:
        return []

    async def recall(self, fingerprint: str, intent: str) -> list[Any]:
        return []


@pytest.mark.asyncio
async def test_a_reasoner_can_ask_the_data_about_its_readings() -> None:
    data, reasoner, nothing, job = Data(), Curious(), Nothing(), new_job()
    together: Any = {"jobs": nothing, "memory": nothing, "audit": nothing}
    tools: Any = data
    curious: Any = reasoner

    decided = await Deciding(
        Collaborators(tools=tools, reasoner=curious, **together), HeldClock(NOW)
    ).decide(job)

    assert decided.planning.reason == "asked"
    assert data.asked == [
        (job.request, QUERIES, ProbeLimits()),
        (job.request, QUERIES[:1], HASTY),
    ]
    assert [[outcome.rows for outcome in told] for told in reasoner.told] == [[0, 1], [0]]


@pytest.mark.asyncio
async def test_a_bench_asks_the_data_without_a_mesh(tmp_path: Path) -> None:
    evidence: Evidence = Sources(tmp_path).evidence(write_shop(tmp_path))
    spent = ProbedQuery(
        sql='SELECT "customer_id", SUM("amount") AS "spent" FROM "orders" '
        'WHERE "ordered_at" >= ? GROUP BY "customer_id"',
        params=("2021-01-01",),
    )
    paid = ProbedQuery(sql="SELECT customer_id, sum(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC")

    one, other, wrong = await evidence([spent, paid, ProbedQuery(sql="SELECT x FROM orders")])

    assert one.multiset_digest == other.multiset_digest
    assert one.ordered_digest != other.ordered_digest
    assert other.glimpse == ((2, 60.0), (1, 30.75))
    assert (wrong.state, wrong.reason) == (ProbeState.FAILED, "MISSING_COLUMN")
    with pytest.raises(AssayError) as refused:
        await evidence([spent] * 201)
    assert refused.value.reason is INVALID_ARGUMENT
