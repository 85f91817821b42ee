"""ExecutorService: the contract's methods, each a call of one use case."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from grpc import aio

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.clock import Clock
from mesh.context import current
from mesh.credentials import with_reference
from mesh.errors import CANCELLED, FILE_PATH_REFUSED, INVALID_ARGUMENT, AssayError
from mesh.failpoint import failpoint
from services.executor import contract
from services.executor.app import Executor
from services.executor.call import Outcome
from services.executor.databases.address import is_database
from services.executor.domain.source import DataSource
from services.executor.domain.thing import Kept, ThingKind, job, uploaded
from services.executor.ports import CallRecords, UploadedFiles
from services.executor.rpc_frames import FrameMethods
from services.executor.sources.kinds import Kind
from services.executor.sources.uploads import MIME_TYPES, examine

Context = aio.ServicerContext[Any, Any]
T = TypeVar("T")
PIECE_BYTES = 1 << 20
MAX_SECONDS = 180.0
_LOOKUP_LIMIT = 8


class ExecutorServicer(FrameMethods):
    """Turns messages into use cases and back; errors are the interceptors' business."""

    def __init__(
        self,
        executor: Executor,
        records: CallRecords,
        files: UploadedFiles,
        clock: Clock,
        local_paths: bool,
    ) -> None:
        self._executor = executor
        self._frames = executor.frames
        self._leases = executor.leases
        self._records = records
        self._files = files
        self._clock = clock
        self._local_paths = local_paths
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def ListTools(
        self, request: pb.ListToolsRequest, context: Context
    ) -> pb.ListToolsResponse:
        """Sorted by name."""
        tools = self._executor.tools.all()
        return pb.ListToolsResponse(tools=[contract.tool_to(tool) for tool in tools])

    async def Execute(
        self, request: pb.ExecuteRequest, context: Context
    ) -> AsyncIterator[pb.ExecuteResponse]:
        """Progress, then the observation; a call that completed is answered from its record."""
        # Says that the call was taken: gRPC repeats by itself only what nobody took, and whoever
        # asks again knows how often a call ended with its executor.
        await context.send_initial_metadata(())
        call_id = request.call.call_id
        # Whoever asks again while the first caller is still served, or has just gone, waits.
        turn = self._turns.setdefault(call_id, asyncio.Lock())
        async with turn:
            await self._executor.settled(call_id)
            recorded = await asyncio.to_thread(self._records.get, call_id)
            if recorded is not None:
                yield pb.ExecuteResponse(observation=job_pb2.Observation.FromString(recorded))
                return
            async with aclosing(self._run(request)) as updates:
                async for update in updates:
                    last = update.WhichOneof("update") == "observation"
                    if last:
                        failpoint("executor: observation, unsent")
                    yield update
                    if last:
                        failpoint("executor: observation, sent")

    async def _run(self, request: pb.ExecuteRequest) -> AsyncGenerator[pb.ExecuteResponse]:
        """Run a call; once it has completed it is answered from its record."""
        call_id = request.call.call_id
        kept: list[job_pb2.Observation] = []

        def keep(outcome: Outcome) -> None:
            kept.append(contract.observation_to(call_id, outcome, self._clock.now()))
            if outcome.error is None:
                admit = self._leases.admit(job(request.request_id), ThingKind.CALL)
                self._records.put(call_id, kept[0].SerializeToString(), admit)

        seconds = current().seconds_left(MAX_SECONDS)
        call = contract.call_from(request, self._sources(request.sources), seconds)
        async with aclosing(self._executor.execute(call, keep)) as updates:
            async for update in updates:
                if isinstance(update, Outcome):
                    yield pb.ExecuteResponse(observation=kept[0])
                else:
                    message, fraction = update
                    progress = pb.Progress(message=message, fraction=fraction)
                    yield pb.ExecuteResponse(progress=progress)

    async def CancelCall(
        self, request: pb.CancelCallRequest, context: Context
    ) -> pb.CancelCallResponse:
        """Tell it to stop."""
        return pb.CancelCallResponse(was_running=self._executor.cancel(request.call_id))

    async def PutSource(
        self, request_iterator: AsyncIterator[pb.PutSourceRequest], context: Context
    ) -> pb.PutSourceResponse:
        """Store a file and look at what it is.

        One that cannot be read stays too: somebody may just have stored the same content under
        another name. The gateway, which knows, deletes it.
        """
        first = await anext(request_iterator, None)
        if first is None or first.WhichOneof("part") != "head":
            raise AssayError(INVALID_ARGUMENT, "an upload begins with its head")
        digest, size, _ = await self._files.put(_whole(request_iterator), first.head.max_bytes)
        if first.head.frame:
            kept = await asyncio.to_thread(self._kept, digest, first.head.name)
            mime_type, rows = MIME_TYPES[Kind.ARROW], kept.rows
        else:
            mime_type, rows = await asyncio.to_thread(
                examine, self._executor.library, self._files.path(digest), first.head.name
            )
        return pb.PutSourceResponse(
            digest=digest, size_bytes=size, mime_type=mime_type, row_count=rows
        )

    async def PutCredential(
        self, request: pb.PutCredentialRequest, context: Context
    ) -> pb.PutCredentialResponse:
        """Keep secrets; the same ones have the same reference."""
        kept = await asyncio.to_thread(
            self._executor.databases.vault.put,
            current().tenant,
            request.address,
            request.secrets_json,
            stranger=request.stranger,
        )
        return pb.PutCredentialResponse(address=with_reference(request.address, kept))

    async def DeleteSource(
        self, request: pb.DeleteSourceRequest, context: Context
    ) -> pb.DeleteSourceResponse:
        """Remove an uploaded file; a frame that was made of it may go too."""
        await asyncio.to_thread(self._files.delete, request.digest)
        await asyncio.to_thread(self._leases.release, uploaded(request.digest))
        return pb.DeleteSourceResponse()

    async def DescribeSource(
        self, request: pb.DescribeSourceRequest, context: Context
    ) -> pb.DescribeSourceResponse:
        """Tables, columns, keys, statistics and samples, within the policy."""
        description, prepared, hidden = await self._executor.describe(
            self._sources(request.sources), contract.policy_from(request.policy)
        )
        digests = [source.digest for source in prepared]
        return contract.description_to(description, digests, hidden)

    async def LookupValues(
        self, request: pb.LookupValuesRequest, context: Context
    ) -> pb.LookupValuesResponse:
        """Which text columns hold these words."""
        hits = await self._executor.lookup(
            self._sources(request.sources),
            list(request.phrases),
            contract.policy_from(request.policy),
            request.limit or _LOOKUP_LIMIT,
        )
        return pb.LookupValuesResponse(hits=[contract.hit_to(hit) for hit in hits])

    async def PutArtifact(
        self, request: pb.PutArtifactRequest, context: Context
    ) -> pb.PutArtifactResponse:
        """Store a file for people."""
        artifact = await asyncio.to_thread(
            self._executor.artifacts.put,
            request.request_id,
            request.name,
            request.artifact_type,
            request.media_type,
            request.content,
            json.loads(request.metadata_json or "{}"),
            self._leases.admit(job(request.request_id), ThingKind.ARTIFACT),
        )
        return pb.PutArtifactResponse(artifact=contract.artifact_to(artifact))

    async def ReleaseJob(
        self, request: pb.ReleaseJobRequest, context: Context
    ) -> pb.ReleaseJobResponse:
        """Let go what a job needs no more."""
        kept = Kept(request.keep_artifacts, frozenset(request.keep_frames))
        await asyncio.to_thread(self._leases.release, job(request.request_id), kept)
        return pb.ReleaseJobResponse()

    async def GetArtifact(
        self, request: pb.GetArtifactRequest, context: Context
    ) -> AsyncIterator[pb.GetArtifactResponse]:
        """Its bytes in pieces."""
        pieces = self._executor.artifacts.read(request.content_ref, PIECE_BYTES)
        async for data in _in_thread(pieces):
            yield pb.GetArtifactResponse(chunk=data_pb2.FileChunk(data=data))

    def _sources(self, messages: Iterable[data_pb2.DataSource]) -> list[DataSource]:
        """Sources as the domain knows them; uploaded files become their stored paths.

        Raises AssayError(FILE_PATH_REFUSED) for a path of this machine unless it is allowed.
        """
        found = []
        for message in messages:
            stored = str(self._files.path(message.file_id)) if message.file_id else ""
            remote = is_database(message.connection_string)
            if not stored and not remote and not self._local_paths:
                raise AssayError(
                    FILE_PATH_REFUSED, "this server does not open files of its own machine"
                )
            found.append(contract.source_from(message, stored))
        return found


async def _in_thread(pieces: Iterator[T]) -> AsyncIterator[T]:
    """The items of a blocking iterator, each fetched off the event loop."""
    end = object()
    while (item := await asyncio.to_thread(next, pieces, end)) is not end:
        yield item  # type: ignore[misc]


async def _whole(parts: AsyncIterator[pb.PutSourceRequest]) -> AsyncGenerator[bytes]:
    """The pieces of an upload. Raises AssayError(CANCELLED) when its end does not follow them."""
    async for part in parts:
        if part.WhichOneof("part") == "end":
            return
        yield part.chunk.data
    raise AssayError(CANCELLED, "the upload broke off before its end")
