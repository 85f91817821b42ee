"""ExecutorService: the contract's methods, each a call of one use case."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from grpc import aio

from assay.common.v1 import analysis_pb2, data_pb2
from assay.executor.v1 import executor_service_pb2 as pb
from mesh.clock import Clock
from mesh.context import current
from mesh.credentials import is_remote, with_reference
from mesh.errors import FILE_PATH_REFUSED, AssayError
from mesh.processes.failpoint import failpoint
from mesh.telemetry.metrics import looked_up
from services.executor import call_record, contract, contract_probing
from services.executor.app import Executor
from services.executor.attempts import Attempt, Attempts
from services.executor.call import Outcome
from services.executor.checking import damages
from services.executor.contract_description import description_to, hit_to, progress_to
from services.executor.contract_doubts import doubt_to
from services.executor.contract_facts import facts_to
from services.executor.contract_findings import findings_to
from services.executor.databases.address import is_database
from services.executor.domain.source import DataSource
from services.executor.domain.stored_item import Kept, StoredKind, job
from services.executor.ports import CallRecords, StorageFigures, UploadedFiles
from services.executor.rpc_domains import DomainMethods
from services.executor.rpc_files import FileMethods
from services.executor.rpc_storage import Keeping, StorageMethods
from services.executor.sources.together import together

Context = aio.ServicerContext[Any, Any]
MAX_SECONDS = 180.0
MAX_SECONDS_OF_JOBS = 3_600.0
"""For a call with a deadline of its own: that of a job which may take as long."""
_LOOKUP_LIMIT = 8


class ExecutorServicer(DomainMethods, FileMethods, StorageMethods):
    """Turns messages into use cases and back; errors are the interceptors' business."""

    def __init__(
        self,
        executor: Executor,
        records: CallRecords,
        files: UploadedFiles,
        clock: Clock,
        local_paths: bool,
        read_sources: Path,
        figures: StorageFigures,
        keeping: Keeping,
        headers_required: bool = True,
    ) -> None:
        self._figures = figures
        self._keeping = keeping
        self._read_sources = read_sources
        self._executor = executor
        self._frames = executor.frames
        self._domains = executor.domains
        self._leases = executor.leases
        self._records = records
        self._attempts = Attempts(records, executor.leases)
        self._files = files
        self._clock = clock
        self._local_paths = local_paths
        self._headers_required = headers_required
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def ListTools(
        self, request: pb.ListToolsRequest, context: Context
    ) -> pb.ListToolsResponse:
        """Sorted by name."""
        catalogue = self._executor.tools
        tools = await asyncio.to_thread(catalogue.all)
        if request.soon:
            catalogue.make_ready(request.soon)
        function = contract.tool_named if request.names_only else contract.tool_to
        return pb.ListToolsResponse(tools=[function(tool) for tool in tools])

    async def Execute(
        self, request: pb.ExecuteRequest, context: Context
    ) -> AsyncIterator[pb.ExecuteResponse]:
        """Progress, then the observation; a call that completed is answered from its record."""
        # Says that the call was taken: gRPC repeats by itself only what nobody took, and whoever
        # asks again knows how often a call ended with its executor.
        await context.send_initial_metadata(())
        call_id = request.call.call_id
        attempt = Attempt(
            request.request_id, request.call.task_id, request.call.attempt_number
        ).in_range()
        await asyncio.to_thread(self._leases.require_job, request.request_id)
        # Whoever asks again while the first caller is still served, or has just gone, waits.
        turn = self._turns.setdefault(call_id, asyncio.Lock())
        async with turn:
            await self._executor.settled(call_id)
            recorded = await asyncio.to_thread(self._recorded, call_id)
            looked_up("calls", hit=recorded is not None)
            if recorded is not None:
                yield pb.ExecuteResponse(observation=call_record.opened(recorded, request))
                return
            await asyncio.to_thread(self._attempts.check, attempt)
            async with aclosing(self._run(request, attempt)) as updates:
                async for update in updates:
                    last = update.WhichOneof("update") == "observation"
                    if last:
                        failpoint("executor: observation, unsent")
                    yield update
                    if last:
                        failpoint("executor: observation, sent")

    def _recorded(self, call_id: str) -> bytes | None:
        """The observation of a call that completed. Raises AssayError(NOT_FOUND) for another's."""
        self._leases.require_unused(StoredKind.CALL, call_id)
        return self._records.get(call_id)

    async def _run(
        self, request: pb.ExecuteRequest, attempt: Attempt
    ) -> AsyncGenerator[pb.ExecuteResponse]:
        """Run a call; once it has completed it is answered from its record."""
        call_id = request.call.call_id
        kept: list[analysis_pb2.Observation] = []

        def keep(outcome: Outcome) -> None:
            kept.append(contract.observation_to(call_id, outcome, self._clock.now()))
            if outcome.error is not None:
                self._attempts.failed(attempt, call_id)
                return
            admit = self._leases.admit(job(request.request_id), StoredKind.CALL)
            record = call_record.sealed(kept[0], request)
            self._records.put(call_id, record, admit)
            kept[0].record_seal = call_record.seal_of(record)

        longest = MAX_SECONDS if current().deadline is None else MAX_SECONDS_OF_JOBS
        seconds = current().seconds_left(longest)
        sources = await asyncio.to_thread(self._sources, request.sources, request.policy)
        call = contract.call_from(request, sources, seconds)
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
        """Tell it to stop; NOT_FOUND for another tenant's, which is as if it were not there."""
        return pb.CancelCallResponse(was_running=self._executor.cancel(request.call_id))

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

    async def DescribeSource(
        self, request: pb.DescribeSourceRequest, context: Context
    ) -> pb.DescribeSourceResponse:
        """Tables, columns, keys, statistics and samples, within the policy."""
        sources = await asyncio.to_thread(self._sources, request.sources, request.policy)
        policy = contract.policy_from(request.policy)
        about = "" if request.closely else request.about
        described = await self._executor.describe(sources, policy, about)
        value = description_to(described.description, described.sources, described.hidden)
        facts = described.facts
        if request.closely:
            seen, facts = await self._executor.inspect(sources, described.description, policy)
            value.findings.CopyFrom(findings_to(seen))
        if facts is not None:
            value.facts.CopyFrom(facts_to(facts))
            value.doubts.extend(map(doubt_to, facts.doubts))
        return value

    async def GetReadingProgress(
        self, request: pb.GetReadingProgressRequest, context: Context
    ) -> pb.GetReadingProgressResponse:
        """How far the reading of these sources is."""
        sources = await asyncio.to_thread(self._sources, request.sources)
        readings = self._executor.library.under_way.of(sources)
        return pb.GetReadingProgressResponse(readings=map(progress_to, readings))

    async def LookupValues(
        self, request: pb.LookupValuesRequest, context: Context
    ) -> pb.LookupValuesResponse:
        """Which text columns hold these words."""
        hits = await self._executor.lookup(
            await asyncio.to_thread(self._sources, request.sources, request.policy),
            list(request.phrases),
            contract.policy_from(request.policy),
            request.limit or _LOOKUP_LIMIT,
        )
        return pb.LookupValuesResponse(hits=[hit_to(hit) for hit in hits])

    async def ProbeQueries(
        self, request: pb.ProbeQueriesRequest, context: Context
    ) -> pb.ProbeQueriesResponse:
        """What the data says of many candidate queries."""
        outcomes = await self._executor.probe(
            await asyncio.to_thread(self._sources, request.sources, request.policy),
            contract_probing.candidates_from(request.queries),
            contract_probing.limits_from(request.limits, current().seconds_left(MAX_SECONDS)),
            contract.policy_from(request.policy),
        )
        return pb.ProbeQueriesResponse(outcomes=map(contract_probing.outcome_to, outcomes))

    async def ReleaseJob(
        self, request: pb.ReleaseJobRequest, context: Context
    ) -> pb.ReleaseJobResponse:
        """Let go what a job needs no more."""
        kept = Kept(request.keep_artifacts, frozenset(request.keep_frames))
        await asyncio.to_thread(self._leases.require_job, request.request_id)
        await asyncio.to_thread(self._leases.release, job(request.request_id), kept)
        return pb.ReleaseJobResponse()

    async def CheckRecords(
        self, request: pb.CheckRecordsRequest, context: Context
    ) -> pb.CheckRecordsResponse:
        """What of it is not as it was written."""

        def found() -> list[str]:
            for call_id in request.call_ids:
                self._leases.require_unused(StoredKind.CALL, call_id)
            named = (request.call_ids, request.source_digests, request.seals)
            return list(damages(self._records, self._read_sources, *named))

        return pb.CheckRecordsResponse(damages=await asyncio.to_thread(found))

    def _sources(
        self, messages: Iterable[pb.Source], policy: data_pb2.Policy | None = None
    ) -> list[DataSource]:
        """Sources as the domain knows them; uploaded files become their stored paths, and files
        that are told to be one table one source.

        Those that are too wide are read for the columns that the policy names, if it does.

        Raises AssayError(FILE_PATH_REFUSED) for a path of this machine unless it is allowed.
        """
        wanted = () if policy is None else tuple(sorted(set(policy.allowed_columns)))
        found = []
        for message in messages:
            stored = self._kept_path(message)
            remote = is_database(message.connection_string) or is_remote(message.connection_string)
            if not stored and not remote and not self._local_paths:
                raise AssayError(
                    FILE_PATH_REFUSED, "this server does not open files of its own machine"
                )
            source = contract.source_from(message, stored)
            found.append(source.model_copy(update={"wanted": wanted}))
        return together(found)

    def _kept_path(self, message: pb.Source) -> str:
        """Where an upload or a frame of the caller lies; empty for what is kept elsewhere. Raises
        AssayError(NOT_FOUND)."""
        if message.frame_digest:
            return str(self._frames.file(current().tenant, message.frame_digest))
        return self._stored_path(message.content_digest) if message.content_digest else ""
