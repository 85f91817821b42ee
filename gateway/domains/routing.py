"""Questions routed to the caller's domains: what these say and hold goes to the planner."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import domain_service_pb2 as pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.domain.data_domain import DataDomain, MadeOf
from gateway.domain.known_source import KnownSource
from gateway.domain.session import SessionFile
from gateway.jobs.preparing import for_the_executor
from gateway.sources.resolving import message_of
from mesh import context as calls
from mesh.errors import AssayError
from mesh.transport.patience import patient

_DESCRIBING_SECONDS = 10.0
"""How long a domain's data is described; a source that is read for the first time takes longer."""
_MOST_TABLES = 30
_MOST_VALUES = 200
_AT_ONCE = 4


class QuestionRouting:
    """Has the planner decide. A domain whose data cannot be described counts by its words alone."""

    def __init__(
        self,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
        source: Callable[[str], Awaitable[KnownSource]],
        files: Callable[[str], Awaitable[Iterable[SessionFile]]],
    ) -> None:
        """`source` gives a source of the caller by name, `files` those of a session of his."""
        self._planner = planner
        self._executor = executor
        self._source = source
        self._files = files

    async def route(self, question: str, domains: Sequence[DataDomain]) -> pb.RouteQuestionResponse:
        """Which of the enabled domains a question is about, and what was not looked at.

        Raises AssayError: QUESTION_EMPTY, QUESTION_TOO_LONG.
        """
        pairs = await self.describe_domains([domain for domain in domains if domain.enabled])
        request = planner_pb.RouteQuestionRequest(
            question=question, domains=[domain for domain, _ in pairs]
        )
        answer = await patient("planner", self._planner.RouteQuestion, request)
        notes = [
            f"The data of {domain.name} was not looked at: {error.message}"
            for domain, error in pairs
            if error
        ]
        return pb.RouteQuestionResponse(decision=answer.decision, notes=notes)

    async def describe_domains(
        self, domains: Sequence[DataDomain]
    ) -> list[tuple[planner_pb.RoutableDomain, AssayError | None]]:
        """What domains say of themselves and hold, and why some could not be looked at."""
        turns = asyncio.Semaphore(_AT_ONCE)
        held = await asyncio.gather(*(self._held(domain, turns) for domain in domains))
        return [
            (routable(domain, tables), error)
            for domain, (tables, error) in zip(domains, held, strict=True)
        ]

    async def _held(
        self, domain: DataDomain, turns: asyncio.Semaphore
    ) -> tuple[list[planner_pb.RoutableTable], AssayError | None]:
        """A domain's tables; or none, and why they could not be looked at."""
        if domain.made_of is MadeOf.SERVER:
            return [], None
        try:
            async with turns:
                with calls.changed(seconds=_DESCRIBING_SECONDS):
                    return await self._tables(domain), None
        except AssayError as error:
            return [], error

    async def _tables(self, domain: DataDomain) -> list[planner_pb.RoutableTable]:
        wanted = executor_pb.DescribeSourceRequest()
        if domain.made_of is MadeOf.SOURCE:
            wanted.sources.append(for_the_executor(message_of(await self._source(domain.place))))
        else:
            for file in await self._files(domain.place):
                wanted.sources.add(content_digest=file.content.digest, name=file.original_name)
        if not wanted.sources:
            return []
        described = await patient("executor", self._executor.DescribeSource, wanted)
        return [_table(table) for table in described.tables[:_MOST_TABLES]]


def routable(
    domain: DataDomain, tables: Sequence[planner_pb.RoutableTable] = ()
) -> planner_pb.RoutableDomain:
    """What a domain says of itself, with what it holds."""
    return planner_pb.RoutableDomain(
        name=domain.name,
        display_name=domain.display_name,
        description=domain.description,
        capabilities=domain.capabilities,
        tables=tables,
    )


def _table(table: executor_pb.TableDescription) -> planner_pb.RoutableTable:
    texts = [
        value
        for column in table.columns
        if column.data_type == executor_pb.DATA_TYPE_STRING
        for value in column.sample_values
    ]
    return planner_pb.RoutableTable(
        name=table.name,
        columns=[column.name for column in table.columns],
        values=list(dict.fromkeys(texts))[:_MOST_VALUES],
    )
