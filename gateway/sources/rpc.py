"""SourceService: translates between the contract and the use cases of known sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from grpc import aio

from assay.common.v1 import data_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb
from assay.executor.v1 import executor_service_pb2_grpc
from assay.gateway.v1 import source_service_pb2 as pb
from assay.gateway.v1 import source_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.domain.known_source import KnownSource, source_name
from gateway.jobs.preparing import check_source, for_the_executor
from gateway.jobs.showing import shown_source, without_texts
from gateway.sources.app import KnownSources
from gateway.sources.resolving import message_of, text_of
from mesh.errors import FILE_PATH_REFUSED, INVALID_ARGUMENT, AssayError
from mesh.paging import page_size
from mesh.transport.patience import patient

Context = aio.ServicerContext[Any, Any]

_OF_CALLERS = (
    "From elsewhere only databases with a user and password in their address are kept by name; "
    "name your own files with each question."
)


class Credentials(Protocol):
    """Where secrets of databases are kept."""

    async def deposit(self, sources: Iterable[data_pb2.DataSource], *, stranger: bool) -> None:
        """Replace addresses with secrets by addresses with references. Raises AssayError."""
        ...


class SourceServicer(source_service_pb2_grpc.SourceServiceServicer):
    """Serves assay.gateway.v1.SourceService."""

    def __init__(
        self,
        known: KnownSources,
        executor: executor_service_pb2_grpc.ExecutorServiceStub,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        credentials: Credentials,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._known = known
        self._executor = executor
        self._planner = planner
        self._credentials = credentials
        self._local_paths = local_paths

    async def AddSource(
        self, request: pb.AddSourceRequest, context: Context
    ) -> pb.AddSourceResponse:
        """Keep a source that can be read under a name."""
        name = source_name(request.name, "name")
        local = self._local_paths(context)
        source = request.source
        if source.WhichOneof("place") in ("file_id", "source_name"):
            raise AssayError(
                INVALID_ARGUMENT,
                "a source that is kept is a database, or a file of the server's own machine",
                hint="What was uploaded is kept by its session; name it by its file_id.",
                fields={"source": "connection_string or file_path"},
            )
        _check(source, local)
        await self._credentials.deposit([source], stranger=not local)
        tables = await self._tables(source)
        if source.semantic_models:
            await self._fits(source)
        place = _place(source)
        known = await self._known.add(
            name, text_of(source), lambda kept: _place(message_of(kept)) == place
        )
        return pb.AddSourceResponse(source=_message(known, local), tables=tables)

    async def GetSource(
        self, request: pb.GetSourceRequest, context: Context
    ) -> pb.GetSourceResponse:
        """One of the caller's sources."""
        known = await self._known.get(source_name(request.name, "name"))
        return pb.GetSourceResponse(source=_message(known, self._local_paths(context)))

    async def ListSources(
        self, request: pb.ListSourcesRequest, context: Context
    ) -> pb.ListSourcesResponse:
        """The caller's sources by name."""
        size = page_size(request.page_size, 100, 100)
        page, token = await self._known.page(size, request.page_token)
        local = self._local_paths(context)
        sources = [_message(known, local) for known in page]
        for shown in sources:
            without_texts([shown.source])
        return pb.ListSourcesResponse(sources=sources, next_page_token=token)

    async def RemoveSource(
        self, request: pb.RemoveSourceRequest, context: Context
    ) -> pb.RemoveSourceResponse:
        """Forget a name."""
        await self._known.remove(source_name(request.name, "name"))
        return pb.RemoveSourceResponse()

    async def _fits(self, source: data_pb2.DataSource) -> None:
        """Raises AssayError(SEMANTIC_MODEL_INVALID) for a model that does not fit its source."""
        wanted = planner_pb.LookAtSourcesRequest()
        wanted.analysis.data_sources.append(source)
        await patient("planner", self._planner.LookAtSources, wanted)

    async def _tables(self, source: data_pb2.DataSource) -> list[str]:
        wanted = executor_pb.DescribeSourceRequest(sources=[for_the_executor(source)])
        described = await patient("executor", self._executor.DescribeSource, wanted)
        return [table.name for table in described.tables]


def _place(source: data_pb2.DataSource) -> str:
    """A source without what it is said to mean: by that it is known as the same."""
    bare = data_pb2.DataSource()
    bare.CopyFrom(source)
    bare.ClearField("semantic_models")
    return text_of(bare)


def _check(source: data_pb2.DataSource, local: bool) -> None:
    """Raises AssayError as `check_source`, with what can be done here about a path."""
    try:
        check_source(source, "source", local)
    except AssayError as error:
        if error.reason is not FILE_PATH_REFUSED:
            raise
        raise AssayError(
            error.reason, error.message, hint=_OF_CALLERS, fields=error.fields
        ) from None


def _message(known: KnownSource, local: bool) -> pb.Source:
    message = pb.Source(name=known.name, source=message_of(known))
    message.created_at.FromDatetime(known.created_at)
    shown_source(message.source, local)
    return message
