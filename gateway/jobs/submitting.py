"""What callers ask for, made ready for the planner: names stand for sources, files for contents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from grpc import aio

from assay.common.v1 import data_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from gateway.definitions.app import Definitions
from gateway.definitions.applying import apply_definitions
from gateway.domain.session import SessionFile
from gateway.jobs.frames import Frames
from gateway.jobs.preparing import Submission, file_ids, named_by_content, prepared, sources_of
from gateway.sources.app import KnownSources
from gateway.sources.resolving import resolve_sources, use_session_files
from mesh.clock import Clock
from mesh.errors import AssayError, Kind

Context = aio.ServicerContext[Any, Any]


class SessionFiles(Protocol):
    """What jobs need of sessions."""

    async def resolve(self, session_id: str, ids: list[str]) -> dict[str, SessionFile]:
        """Files of an open session of the caller, by id. Raises AssayError."""
        ...

    async def exists(self, session_id: str) -> None:
        """Raises AssayError(NOT_FOUND) for a session that is not the caller's."""
        ...

    async def held(self, session_id: str) -> list[str]:
        """The ids of the files of an open session of the caller. Raises AssayError."""
        ...

    async def expect(self, session_id: str, job_id: str) -> None:
        """Note that a job is about to be asked for, in a session or in none. Raises NOT_FOUND."""
        ...

    async def number_frame(self, session_id: str, job_id: str) -> int:
        """The number of the table of a job that is noted in a session. Raises NOT_FOUND."""
        ...

    async def frames(self, session_id: str) -> dict[int, str]:
        """The jobs of a session whose tables have numbers, by these. Raises NOT_FOUND."""
        ...


class Refusals(Protocol):
    """Where refusals by a rule are recorded."""

    async def record(self, request_id: str, error: AssayError) -> None:
        """Append a refusal to the request's chain. Raises AssayError(AUDIT_UNAVAILABLE)."""
        ...


class Credentials(Protocol):
    """Where secrets of databases are kept."""

    async def deposit(self, sources: Iterable[data_pb2.DataSource], *, stranger: bool) -> None:
        """Replace addresses with secrets by addresses with references. Raises AssayError."""
        ...


class Submitting:
    """Makes requests ready; refusals by a rule are recorded."""

    def __init__(
        self,
        files: SessionFiles,
        refusals: Refusals,
        credentials: Credentials,
        known: KnownSources,
        definitions: Definitions,
        clock: Clock,
        local_paths: Callable[[Context], bool],
        frames: Frames,
    ) -> None:
        self._frames = frames
        self._files = files
        self._refusals = refusals
        self._credentials = credentials
        self._known = known
        self._definitions = definitions
        self._clock = clock
        self._local_paths = local_paths

    async def ready(
        self,
        request: Submission,
        request_id: str,
        session_id: str,
        context: Context,
        *,
        elsewhere: bool = False,
    ) -> planner_pb.CreateJobRequest:
        """The request for the planner; a refusal by a rule is recorded under its id.

        With `elsewhere`, nothing stands in for sources that it does not name.
        """
        local = self._local_paths(context)
        return await self.ready_for(
            request, request_id, session_id, local=local, elsewhere=elsewhere
        )

    async def ready_for(
        self,
        request: Submission,
        request_id: str,
        session_id: str,
        *,
        local: bool,
        elsewhere: bool = False,
        kept: Mapping[str, SessionFile] | None = None,
    ) -> planner_pb.CreateJobRequest:
        """As `ready`, for a caller who may name files of this machine or, not `local`, may not;
        files that are `kept`, by their ids, need no session."""
        try:
            if session_id:
                await use_session_files(request, session_id, self._files.held)
            if not elsewhere:
                await resolve_sources(request, self._known)
            frames = await self._frames.resolve_tables(request, session_id)
            files = dict(kept or {})
            of_session = [one for one in file_ids(request) if one not in files]
            files |= await self._files.resolve(session_id, of_session)
            ready = prepared(request, request_id, self._clock.now(), local)
            for file_id, content in named_by_content(sources_of(ready), files).items():
                ready.files[file_id].CopyFrom(content)
            for job_id, content in frames.items():
                ready.files[job_id].CopyFrom(content)
            await self._credentials.deposit(sources_of(ready), stranger=not local)
            await apply_definitions(ready, self._definitions)
            return ready
        except AssayError as error:
            if error.reason.kind is Kind.POLICY:
                await self._refusals.record(request_id, error)
            raise
