"""The planner, put together."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from grpc import aio

from assay.planner.v1 import planner_service_pb2, planner_service_pb2_grpc
from mesh.clock import SystemClock
from mesh.config import MeshSettings, load
from mesh.ids import new_id
from mesh.storage.database import Database, open_database
from mesh.telemetry.instruments import BREAKER_STATE
from mesh.telemetry.metrics import observe
from mesh.transport.breaker import Breaker
from mesh.transport.dial import Dial
from services.planner.adapters.audit import RemoteAudit
from services.planner.adapters.executor import ExecutorTools
from services.planner.adapters.job_figures import watch_jobs
from services.planner.adapters.job_store import SqlJobStore
from services.planner.adapters.leases import SqlLeases
from services.planner.adapters.meanings import RemoteMeanings
from services.planner.adapters.memory import RemoteMemory
from services.planner.adapters.overviews import SqlOverviews
from services.planner.adapters.reasoner_late import LateRules
from services.planner.app import Planner
from services.planner.conversing.conversing import Conversing
from services.planner.conversing.to_domains import ToDomains, TurnLimits
from services.planner.domain.evidence import usual_limits
from services.planner.domain.jobs.lease import Holder
from services.planner.domain.jobs.queue import Limits
from services.planner.domain.readings import Readings
from services.planner.domain.thinking import Thinking
from services.planner.jobs.collaborators import Collaborators
from services.planner.jobs.keeper import Rhythm
from services.planner.ports import Reasoner
from services.planner.routing.deciding import Routing
from services.planner.routing.putting import Putting
from services.planner.rpc import PlannerServicer
from services.planner.settings import PlannerSettings

MIGRATIONS = Path(__file__).parent / "adapters" / "migrations"


def open_store(settings: MeshSettings) -> Database:
    """Its database, at the newest schema or as `open_database` raises. Blocks."""
    own = load(PlannerSettings, **settings.model_dump())
    return open_database(own.database_url(), MIGRATIONS, migrate=own.migrations == "run")


class PlannerService:
    """All judgement, behind planner.v1."""

    name = "planner"
    contracts = (planner_service_pb2.DESCRIPTOR.services_by_name["PlannerService"].full_name,)

    def __init__(self, settings: MeshSettings, dial: Dial) -> None:
        self._settings = load(PlannerSettings, **settings.model_dump())
        self._dial = dial
        self._clock = SystemClock()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> PlannerService:
        """Open the job store."""
        async with AsyncExitStack() as stack:
            database = await asyncio.to_thread(open_store, self._settings)
            stack.push_async_callback(database.close)
            readings = Readings()
            tools = ExecutorTools(self._dial.to("executor"), self._dial.seal, readings)
            stack.push_async_callback(tools.close)
            breaker = self._breaker()
            memory = RemoteMemory(self._dial.to("memory"), breaker)
            stack.callback(observe(BREAKER_STATE, self.name, lambda: breaker.list_states("memory")))
            stack.callback(watch_jobs(database, self._clock))
            meanings = RemoteMeanings(memory)
            self._routing = Routing(meanings, self._settings.planner_meaning_seconds)
            holder = Holder(new_id(), self._settings.planner_lease_seconds)
            thinking = Thinking(self._clock.monotonic)
            collaborators = Collaborators(
                jobs=SqlJobStore(database, self._clock),
                tools=tools,
                memory=memory,
                audit=RemoteAudit(self._dial.to("audit")),
                reasoner=await self._reasoner(stack, tools, database, thinking),
                thinking=thinking if self._settings.llm else None,
                readings=readings,
                parallel_steps=self._settings.planner_parallel_steps,
                recall_seconds=self._settings.planner_recall_seconds,
                meanings=meanings,
                meaning_seconds=self._settings.planner_meaning_seconds,
                probing=usual_limits(self._settings.planner_probe_seconds),
                usual_seconds=self._settings.answer_seconds,
            )
            self._overviews = SqlOverviews(database, self._clock)
            self._planner = Planner(
                collaborators,
                SqlLeases(database, self._clock, holder),
                holder,
                self._clock,
                Rhythm(self._settings.planner_renew_seconds, self._settings.planner_look_seconds),
                self._limits(),
            )
            limits = self._turn_limits()
            self._conversing = Conversing(
                self._planner,
                collaborators,
                self._clock,
                limits,
                ToDomains(Putting(self._routing, tools, limits.call_seconds), limits),
            )
            self._stack = stack.pop_all()
        return self

    async def _reasoner(
        self, stack: AsyncExitStack, tools: ExecutorTools, database: Database, thinking: Thinking
    ) -> Reasoner:
        """The rules, together with a language model where one is configured."""
        if not self._settings.llm:
            return LateRules()
        # Here, because its libraries are an extra and take a second to import.
        from services.planner.adapters.llm.building import language_model
        from services.planner.adapters.reasoner_rules import RulesReasoner
        from services.planner.adapters.reasoner_together import TogetherReasoner

        model = language_model(self._settings, tools.descriptions, database, self._clock, thinking)
        asked = await stack.enter_async_context(model)
        return TogetherReasoner(RulesReasoner(), asked, self._settings.llm_samples)

    def _limits(self) -> Limits:
        settings = self._settings
        return Limits(
            at_once=settings.planner_jobs_at_once,
            waiting=settings.planner_queue_jobs,
            tenant_share=settings.planner_queue_tenant_share,
            wait_seconds=settings.planner_wait_seconds,
        )

    def _turn_limits(self) -> TurnLimits:
        settings = self._settings
        return TurnLimits(
            call_seconds=settings.planner_call_seconds,
            turn_seconds=settings.planner_turn_seconds,
            suggest_seconds=settings.planner_suggest_seconds,
        )

    def _breaker(self) -> Breaker:
        settings = self._settings
        rest = settings.planner_recall_rest_seconds
        return Breaker(settings.planner_recall_failures, rest, self._clock)

    def register(self, server: aio.Server) -> None:
        """Serve planner.v1."""
        planner_service_pb2_grpc.add_PlannerServiceServicer_to_server(
            PlannerServicer(
                self._planner,
                self._conversing,
                self._routing,
                self._overviews,
                self._limits(),
                self._clock,
            ),
            server,
        )

    async def started(self) -> None:
        """Take up what other planners left unfinished."""
        await self._planner.start()

    async def drain(self) -> None:
        """Let go of running jobs; another planner goes on with them."""
        await self._planner.stop()

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Close the job store."""
        return await self._stack.__aexit__(*exception)
