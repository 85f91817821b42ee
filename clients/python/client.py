"""The client: every capability of the gateway, as async methods that raise AssayError."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from assay.common.v1.analysis_pb2 import Artifact
from assay.common.v1.catalogue_pb2 import Recipe, Tool
from assay.common.v1.checks_pb2 import Lint
from assay.common.v1.data_pb2 import DataSource, FrameRef
from assay.common.v1.job_pb2 import Job, JobEvent
from assay.common.v1.look_pb2 import Look
from assay.gateway.v1 import (
    audit_service_pb2_grpc,
    board_service_pb2_grpc,
    catalogue_service_pb2,
    catalogue_service_pb2_grpc,
    conversation_service_pb2_grpc,
    definition_service_pb2_grpc,
    domain_service_pb2_grpc,
    file_service_pb2_grpc,
    job_service_pb2,
    job_service_pb2_grpc,
    publication_service_pb2_grpc,
    session_service_pb2_grpc,
    source_service_pb2_grpc,
    text_service_pb2_grpc,
    token_service_pb2_grpc,
)
from assay.gateway.v1.audit_service_pb2 import RecomputeJobResponse, VerifyJobResponse
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from clients.python import listing, watching
from clients.python.boards import Boards
from clients.python.calls import Persistent, answered
from clients.python.conversations import Conversations
from clients.python.definitions import Definitions
from clients.python.domains import Domains
from clients.python.frame_wire import ArtifactStub
from clients.python.jobs import Jobs
from clients.python.known_sources import KnownSources
from clients.python.publications import Publications
from clients.python.question import Question
from clients.python.records import Records
from clients.python.request import (
    create_request,
    database_source,
    file_source,
    uploaded_source,
)
from clients.python.semantic_models import with_models
from clients.python.sessions import Sessions
from clients.python.texts import Texts
from clients.python.tokens import Tokens
from mesh.prose.front_matter import is_short_name
from mesh.transport.dial import open_channel

if TYPE_CHECKING:
    import pyarrow as pa
    from grpc import aio

    from assay.gateway.v1.artifact_service_pb2 import WriteFrameResponse
    from assay.gateway.v1.definition_service_pb2 import Definition

SECURE = "https://"


def _channel(
    target: str, user: str | None, token: str | None, authority: Path | None
) -> aio.Channel:
    credentials = None
    if target.startswith(SECURE):
        from mesh.transport.tls import to_server

        target, credentials = target.removeprefix(SECURE), to_server(authority)
    return open_channel(target, user, token=token, credentials=credentials)


class AssayClient(Jobs):
    """A connection to a mesh; an async context manager.

    `target` is a gRPC target of the gateway (host:port, or unix:/path), `user` who asks; with a
    `token`, that says who does. A target that begins with https:// is reached by TLS, and its
    certificate must be signed by the `authority` (a file in PEM), else by a public one. On the
    `same_machine`, artifacts are used where they lie, else they are downloaded. With `local_paths`
    the mesh opens files by their paths, as one in this process does; else they are uploaded.
    Every method raises AssayError; SERVICE_UNAVAILABLE when the mesh is away. Those for jobs are
    told in Jobs.
    """

    def __init__(
        self,
        target: str,
        user: str | None = None,
        *,
        token: str | None = None,
        authority: Path | None = None,
        same_machine: bool = False,
        local_paths: bool = False,
        resume_delays: Sequence[float] = watching.RESUME_DELAYS,
    ) -> None:
        self.same_machine = same_machine
        self._local_paths = local_paths
        self._channel = _channel(target, user, token, authority)
        repeated = Persistent(self._channel, resume_delays)
        jobs = job_service_pb2_grpc.JobServiceStub(self._channel)
        super().__init__(jobs, repeated, resume_delays)
        self._artifacts = ArtifactStub(self._channel)
        self.records: Records = Records(audit_service_pb2_grpc.AuditServiceStub(self._channel))
        """Checkpoints, proofs and calls made again."""
        self.sources: KnownSources = KnownSources(
            source_service_pb2_grpc.SourceServiceStub(self._channel)
        )
        """Sources under names."""
        self.domains: Domains = Domains(domain_service_pb2_grpc.DomainServiceStub(self._channel))
        """What questions of conversations are put to."""
        self.tokens: Tokens = Tokens(token_service_pb2_grpc.TokenServiceStub(self._channel))
        """API keys."""
        self.texts: Texts = Texts(text_service_pb2_grpc.TextServiceStub(self._channel))
        """Texts whose numbers are bound to cells of results."""
        self.publications: Publications = Publications(
            publication_service_pb2_grpc.PublicationServiceStub(self._channel)
        )
        """Pages of such texts that a tenant can find, until they are revoked."""
        self.boards: Boards = Boards(board_service_pb2_grpc.BoardServiceStub(self._channel))
        """Pinned answers that are asked again."""
        self.definitions: Definitions = Definitions(
            definition_service_pb2_grpc.DefinitionServiceStub(self._channel)
        )
        """What data means, proposed and decided."""
        talks = conversation_service_pb2_grpc.ConversationServiceStub(self._channel)
        self.conversations: Conversations = Conversations(talks, resume_delays)
        """Conversations, and what is said in them."""
        self._catalogue = catalogue_service_pb2_grpc.CatalogueServiceStub(self._channel)
        self.sessions: Sessions = Sessions(
            session_service_pb2_grpc.SessionServiceStub(self._channel),
            file_service_pb2_grpc.FileServiceStub(self._channel),
            jobs,
            talks,
            repeated,
            resume_delays,
        )
        """Sessions, their files, and what was done in them."""

    async def __aenter__(self) -> Self:
        """Connections are made by the first call."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection; calls still running on it are cancelled."""
        await self._channel.close()

    @property
    def opens_paths(self) -> bool:
        """Whether the mesh opens files where they lie, so that none is uploaded."""
        return self._local_paths

    # Asking

    async def request(self, question: Question) -> CreateJobRequest:
        """The question as the contract has it, with the session that holds its files.

        Uploads the files unless the mesh opens local paths.
        """
        question = question.located()
        question.check()
        session_id = question.session
        if self._local_paths and not session_id:
            sources = [file_source(place, question.read) for place in question.data]
        else:
            session_id, sources = await self._uploaded(question)
        sources += [
            database_source(url, self.same_machine, question.read) for url in question.databases
        ]
        sources += [
            DataSource(frame=name)
            if session_id and is_short_name(name)
            else DataSource(source_name=name)
            for name in question.on
        ]
        sources += [DataSource(frame=job) for job in question.frames]
        if session_id and not sources:
            sources = [
                uploaded_source(file.file_id, file.original_name, Path(file.original_name))
                for file in await self.sessions.files(session_id)
            ]
        with_models(question, sources)
        return create_request(question, sources, session_id)

    async def _uploaded(self, question: Question) -> tuple[str, list[DataSource]]:
        from clients.python import files

        paths = files.data_files(question.data)
        session_id = question.session
        if not paths:
            return session_id, []
        session_id = session_id or (await self.sessions.create()).session_id
        stored = [await self.sessions.upload(session_id, path) for path in paths]
        return session_id, [
            uploaded_source(file.file_id, file.original_name, path, question.read)
            for file, path in zip(stored, paths, strict=True)
        ]

    async def look(
        self, question: Question, *, propose: bool = False, values: Sequence[str] = ()
    ) -> Look:
        """What there is in the sources that a question names; what it asks does not matter.

        With `propose` a semantic model to begin with is in it, with `values` where values are that
        match these words.
        """
        request = await self.request(question)
        wanted = job_service_pb2.LookAtSourcesRequest(
            data_sources=request.analysis.data_sources,
            policy=request.analysis.policy,
            session_id=request.session_id,
            propose=propose,
            values=values,
        )
        return (await answered(self._jobs.LookAtSources(wanted))).look

    async def define(
        self, question: Question, model: str, evidence: str = "", session: str = ""
    ) -> Definition:
        """Propose a part of a semantic model of the sources that a question names; see
        `Definitions.propose`."""
        request = await self.request(question)
        asked = request.analysis
        return await self.definitions.propose(
            asked.data_sources, model, evidence, session, asked.policy
        )

    async def lint(self, question: Question, *, fix: bool = False) -> Lint:
        """What checks find in the statement of a question; its `text`, if any, is what it answers.

        With `fix` also what would be right. Raises AssayError: STATEMENT_FAILED, COLUMN_BLOCKED.
        """
        request = await self.request(replace(question, text=""))
        wanted = job_service_pb2.LintStatementRequest(
            statement=question.statement,
            data_sources=request.analysis.data_sources,
            policy=request.analysis.policy,
            session_id=request.session_id,
            question=question.text,
            fix=fix,
        )
        return (await answered(self._jobs.LintStatement(wanted))).lint

    async def ask(self, question: Question) -> AsyncGenerator[JobEvent]:
        """Submit a question and watch it until it is answered, fails or needs a decision."""
        job = await self.submit(await self.request(question))
        async with aclosing(self.watch(job.job_id)) as events:
            async for event in events:
                yield event

    # What jobs made

    async def read_frame(
        self, job_id: str, frame: FrameRef, at_least: int | None = None
    ) -> pa.Table:
        """A frame as a table; with `at_least`, possibly only its first so many rows."""
        from clients.python import frames

        return await frames.read_frame(self._artifacts, job_id, frame.digest, at_least)

    async def read_file_frame(self, file_id: str) -> pa.Table:
        """An Arrow file of a session as a table."""
        from clients.python import frames

        return await frames.read_file(self._artifacts, file_id)

    def frame_pieces(self, job_id: str, digest: str) -> AsyncGenerator[bytes]:
        """A frame as pieces that, joined, are an Arrow IPC stream."""
        from clients.python import frames

        return frames.frame_pieces(self._artifacts, job_id, digest)

    async def write_frame(self, session_id: str, table: pa.Table, name: str) -> WriteFrameResponse:
        """Store a table in a session, as a frame and as a file that questions may name."""
        from clients.python import frames

        return await frames.write_frame(self._artifacts, session_id, table, name)

    async def download(self, artifact: Artifact, folder: Path) -> Path:
        """Fetch an artifact into `folder`, checked against its hash."""
        from clients.python import files

        return await files.download(self._artifacts, artifact, folder)

    # The record

    async def verify(self, job_id: str, *, at_once: bool = False) -> VerifyJobResponse:
        """Check a job's chain, its place in the tree, its artifacts and its claims.

        With `at_once` a record that cannot be asked now is not waited for: SERVICE_UNAVAILABLE.
        """
        return await self.records.verify(job_id, at_once=at_once)

    def export_chain(self, job_id: str) -> AsyncGenerator[bytes]:
        """The audit chain as JSON Lines, in pieces of whole lines."""
        return self.records.chain(job_id)

    def recompute(
        self, job_id: str, databases: Sequence[str] = ()
    ) -> AsyncGenerator[RecomputeJobResponse]:
        """Have a job's calls made again on its sources; `databases` are given as when asking."""
        sources = [database_source(url, self.same_machine) for url in databases]
        return self.records.recompute(job_id, [source.connection_string for source in sources])

    async def export(self, job: Job, place: Path) -> Path:
        """Write everything that is needed to check a job without a mesh, as one bundle."""
        from clients.python import export

        return await export.export_job(self, job, place)

    # What the mesh can do and has learned

    async def list_tools(self) -> list[Tool]:
        """Every registered tool with its schema, by name."""
        request = catalogue_service_pb2.ListToolsRequest()
        return list((await answered(self._catalogue.ListTools(request))).tools)

    async def list_recipes(self) -> list[Recipe]:
        """The caller's recipes, newest use first."""
        return await listing.list_recipes(self._catalogue)

    async def delete_recipe(self, recipe_id: str) -> None:
        """Forget a recipe."""
        request = catalogue_service_pb2.DeleteRecipeRequest(recipe_id=recipe_id)
        await answered(self._catalogue.DeleteRecipe(request))
