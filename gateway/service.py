"""The gateway put together: the only place that builds its concrete objects."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from grpc import aio

from assay.audit.v1 import audit_service_pb2_grpc as audit_grpc
from assay.gateway.v1 import (
    audit_service_pb2_grpc,
    board_service_pb2_grpc,
    catalogue_service_pb2_grpc,
    conversation_service_pb2_grpc,
    definition_service_pb2_grpc,
    domain_service_pb2_grpc,
    file_service_pb2_grpc,
    job_service_pb2_grpc,
    operator_service_pb2_grpc,
    publication_service_pb2_grpc,
    session_service_pb2_grpc,
    source_service_pb2_grpc,
    text_service_pb2_grpc,
    token_service_pb2_grpc,
)
from assay.memory.v1 import memory_service_pb2_grpc
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.adapters.access_log import AuditedAccess
from gateway.adapters.alert_log import AuditedAlerts
from gateway.adapters.alert_sending import Mail, OutgoingAlerts
from gateway.adapters.api_key_store import SqlApiKeyStore
from gateway.adapters.board_alert_store import SqlAlertStore
from gateway.adapters.board_run_store import SqlRunStore
from gateway.adapters.board_store import SqlBoardStore
from gateway.adapters.board_version_store import SqlVersionStore
from gateway.adapters.content_store import SqlContentStore
from gateway.adapters.conversation_store import SqlConversationStore
from gateway.adapters.credentials import ExecutorCredentials
from gateway.adapters.definition_store import SqlDefinitionStore
from gateway.adapters.domain_file import configured_domains
from gateway.adapters.domain_store import SqlDomainStore
from gateway.adapters.evidence import MeshEvidence
from gateway.adapters.file_store import SqlFileStore
from gateway.adapters.known_source_store import SqlKnownSourceStore
from gateway.adapters.owners import AuditedTrespasses, KnownOwners
from gateway.adapters.peers import (
    AuditedRefusals,
    ExecutorResults,
    ExecutorSources,
    MemoryDocuments,
    PlannerJobs,
)
from gateway.adapters.pin_file_store import SqlPinFileStore
from gateway.adapters.publication_log import AuditedPublications
from gateway.adapters.publication_store import SqlPublicationStore
from gateway.adapters.replay import MeshReplay
from gateway.adapters.session_store import SqlSessionStore
from gateway.adapters.sign_in_store import SqlSignInStore
from gateway.adapters.standing_store import SqlStandingStore
from gateway.adapters.storage_figures import SqlStorageFigures
from gateway.adapters.tool_servers import ExecutorToolServers
from gateway.adapters.turn_ends import PlannerEnds
from gateway.admission.allowances import Allowances
from gateway.admission.app import Admission
from gateway.admission.refusals import Refusals
from gateway.admission.roles import found_provider, needed_roles, signed_tokens
from gateway.admission.sightings import Sightings
from gateway.admission.strangers import Strangers
from gateway.artifacts.frames import ExecutorStub
from gateway.artifacts.rpc import ArtifactServicer, serve_artifacts
from gateway.audit.recompute import Recomputation
from gateway.audit.rpc import AuditServicer
from gateway.audit.verification import Verification
from gateway.boards.alerting import Alerting
from gateway.boards.app import Boards
from gateway.boards.jobs import PlannedRuns
from gateway.boards.owners import PinOwners
from gateway.boards.results import check_asker
from gateway.boards.rpc import BoardServicer
from gateway.boards.running import BoardRuns, repeat
from gateway.boards.versions import BoardVersions
from gateway.catalogue.rpc import CatalogueServicer
from gateway.conversations.app import Conversations
from gateway.conversations.candidates import Candidates
from gateway.conversations.continuing import Continuing
from gateway.conversations.rpc import ConversationServicer
from gateway.definitions.app import Definitions
from gateway.definitions.rpc import DefinitionServicer
from gateway.domains.app import Domains
from gateway.domains.routing import QuestionRouting
from gateway.domains.rpc import DomainServicer
from gateway.files.app import Files
from gateway.files.contents import Contents
from gateway.files.readers import Readers
from gateway.files.rpc import FileServicer
from gateway.jobs.rpc import JobServicer
from gateway.operation.rpc import OperatorServicer
from gateway.operation.storage import Keeping, Storage
from gateway.publications.app import Publications
from gateway.publications.rpc import PublicationServicer
from gateway.sessions.app import Sessions
from gateway.sessions.rpc import SessionServicer
from gateway.settings import GatewaySettings, listed
from gateway.sign_ins.app import SignIns
from gateway.sources.app import KnownSources
from gateway.sources.rpc import SourceServicer
from gateway.texts.checking import TextChecks
from gateway.texts.rpc import TextServicer
from gateway.tokens.app import ApiKeys
from gateway.tokens.rpc import TokenServicer
from gateway.web.running import WebRunning
from mesh.clock import Clock, SystemClock
from mesh.config import MeshSettings
from mesh.storage.database import Database, open_database
from mesh.transport.dial import Dial
from mesh.transport.interceptors.public import is_local

log = logging.getLogger("assay.gateway")

MIGRATIONS = Path(__file__).parent / "adapters" / "migrations"


def open_store(settings: MeshSettings) -> Database:
    """Its database, at the newest schema or as `open_database` raises. Blocks."""
    own = GatewaySettings.of(settings)
    return open_database(own.database_url(), MIGRATIONS, migrate=own.migrations == "run")


class GatewayService:
    """The public face of the mesh, as `mesh.transport.server` runs it."""

    name = "gateway"
    contracts = (
        "assay.gateway.v1.SessionService",
        "assay.gateway.v1.FileService",
        "assay.gateway.v1.JobService",
        "assay.gateway.v1.ArtifactService",
        "assay.gateway.v1.CatalogueService",
        "assay.gateway.v1.AuditService",
        "assay.gateway.v1.SourceService",
        "assay.gateway.v1.TokenService",
        "assay.gateway.v1.ConversationService",
        "assay.gateway.v1.DomainService",
        "assay.gateway.v1.TextService",
        "assay.gateway.v1.PublicationService",
        "assay.gateway.v1.DefinitionService",
        "assay.gateway.v1.BoardService",
        "assay.gateway.v1.OperatorService",
    )

    def __init__(self, settings: MeshSettings, dial: Dial, clock: Clock | None = None) -> None:
        self._settings = GatewaySettings.of(settings)
        self._planner = planner_service_pb2_grpc.PlannerServiceStub(dial.to("planner"))
        self._executor = ExecutorStub(dial.to("executor"))
        self._memory = memory_service_pb2_grpc.MemoryServiceStub(dial.to("memory"))
        self._audit = audit_grpc.AuditServiceStub(dial.to("audit"))
        self._dial = dial
        self._clock = clock or SystemClock()
        self._stack = AsyncExitStack()
        self._jobs: JobServicer | None = None
        self._talks: ConversationServicer | None = None
        self._loops: list[asyncio.Task[None]] = []
        self._boards_due = asyncio.Event()
        self._web = WebRunning(self._settings, self.contracts)

    @property
    def web(self) -> str:
        """Where browsers are answered, with the port it has; empty for nowhere."""
        return self._web.address

    async def __aenter__(self) -> GatewayService:
        """Read the operator's domains, and bring the database to the newest revision."""
        domains = await asyncio.to_thread(configured_domains, self._settings.gateway_domains)
        database = await asyncio.to_thread(open_store, self._settings)
        self._stack.push_async_callback(database.close)
        self._build(database)
        await self._build_admission(database)
        self._domains = Domains(
            SqlDomainStore(database),
            domains,
            ExecutorToolServers(self._executor),
            self._sessions.get,
            self._known.get,
            self._clock,
        )
        return self

    async def __aexit__(self, *exception: Any) -> bool | None:
        """Stop sweeping and close the database."""
        await self.drain()
        await self._strangers.settled()
        await self._refusals.settled()
        return await self._stack.__aexit__(*exception)

    def register(self, server: aio.Server) -> None:
        """Add the servicers."""
        self._web.register(server)
        settings, planner, executor = self._settings, self._planner, self._executor
        credentials, readers = ExecutorCredentials(executor), Readers(settings.gateway_readers)
        conversations = Conversations(
            SqlConversationStore(self._database), self._strangers, PlannerEnds(planner), self._clock
        )
        self._jobs = JobServicer(
            planner,
            self._sessions,
            self._strangers,
            AuditedRefusals(self._audit),
            credentials,
            self._known,
            self._definitions,
            conversations,
            self._clock,
            settings.folder("traces"),
            self._opens_paths,
        )
        routing = QuestionRouting(planner, executor, self._known.get, self._files.of_session)
        self._talks = ConversationServicer(
            planner,
            conversations,
            self._sessions,
            self._jobs.submitting,
            Candidates(self._domains, routing, self._sessions, self._jobs.submitting),
            Continuing(planner, self._strangers),
            self._clock,
            self._opens_paths,
        )
        conversation_service_pb2_grpc.add_ConversationServiceServicer_to_server(self._talks, server)
        session_service_pb2_grpc.add_SessionServiceServicer_to_server(
            SessionServicer(self._sessions), server
        )
        source_service_pb2_grpc.add_SourceServiceServicer_to_server(
            SourceServicer(self._known, executor, planner, credentials, self._opens_paths), server
        )
        domain_service_pb2_grpc.add_DomainServiceServicer_to_server(
            DomainServicer(self._domains, routing), server
        )
        file_service_pb2_grpc.add_FileServiceServicer_to_server(
            FileServicer(self._files, executor, readers), server
        )
        job_service_pb2_grpc.add_JobServiceServicer_to_server(self._jobs, server)
        token_service_pb2_grpc.add_TokenServiceServicer_to_server(
            TokenServicer(self._keys, self._strangers), server
        )
        operator_service_pb2_grpc.add_OperatorServiceServicer_to_server(
            OperatorServicer(
                planner,
                executor,
                self._dial,
                self._keys,
                self._known,
                MeshReplay(planner, executor),
                self._audit,
                self._stored(),
                needed_roles(self.contracts),
                self._strangers,
                self._clock,
                settings.gateway_platform_tenant,
            ),
            server,
        )
        definition_service_pb2_grpc.add_DefinitionServiceServicer_to_server(
            DefinitionServicer(
                self._definitions,
                self._strangers,
                self._jobs.submitting,
                planner,
                self._opens_paths,
            ),
            server,
        )
        artifacts = ArtifactServicer(
            planner, self._strangers, executor, self._files, readers, self._opens_paths
        )
        serve_artifacts(artifacts, server)
        catalogue_service_pb2_grpc.add_CatalogueServiceServicer_to_server(
            CatalogueServicer(planner, self._strangers, executor), server
        )
        evidence = MeshEvidence(self._audit, executor, settings.gateway_verified_frame_bytes)
        checks = TextChecks(planner, self._strangers, evidence, self._jobs.frames)
        text_service_pb2_grpc.add_TextServiceServicer_to_server(TextServicer(checks), server)
        publications = Publications(
            self._pages,
            checks.check,
            AuditedPublications(self._audit),
            self._strangers,
            self._clock,
        )
        publication_service_pb2_grpc.add_PublicationServiceServicer_to_server(
            PublicationServicer(publications, readers), server
        )
        self._add_boards(server, self._jobs, evidence)
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(
            AuditServicer(
                planner,
                self._strangers,
                self._audit,
                Verification(evidence),
                Recomputation(evidence, MeshReplay(planner, executor)),
                credentials,
                self._opens_paths,
            ),
            server,
        )

    def _stored(self) -> Storage:
        settings = self._settings
        keeping = Keeping(
            settings.retention,
            settings.session_lifetime,
            timedelta(days=settings.trace_days),
            settings.folder("traces"),
            settings.gateway_tenant_bytes,
        )
        figures = SqlStorageFigures(self._database)
        return Storage(self._planner, self._executor, self._memory, self._audit, figures, keeping)

    def _add_boards(self, server: aio.Server, jobs: JobServicer, evidence: MeshEvidence) -> None:
        settings = self._settings
        runs = SqlRunStore(self._database)
        mail = Mail(
            settings.gateway_smtp_host,
            settings.gateway_smtp_port,
            settings.gateway_smtp_from,
            settings.gateway_smtp_user,
            settings.gateway_smtp_password.get_secret_value(),
            settings.gateway_smtp_starttls,
            frozenset(one.casefold() for one in listed(settings.gateway_smtp_domains)),
        )
        sender = OutgoingAlerts(settings.alert_webhooks, mail, settings.gateway_web_url)
        planned = PlannedRuns(
            self._planner,
            jobs.submitting,
            self._sessions,
            SqlPinFileStore(self._database),
            evidence,
            self._strangers,
            settings.local_paths,
        )
        owners = PinOwners(runs, SqlStandingStore(self._database), settings.standing, self._clock)
        self.board_runs = BoardRuns(runs, planned, owners, self._clock)
        self.alerting = Alerting(
            SqlAlertStore(self._database), sender, AuditedAlerts(self._audit), self._clock
        )
        boards = Boards(
            SqlBoardStore(self._database),
            runs,
            planned.find,
            check_asker,
            owners,
            sender,
            self._strangers,
            self._clock,
        )
        self.board_versions = BoardVersions(
            SqlVersionStore(self._database), sender, self._strangers, self._clock
        )
        board_service_pb2_grpc.add_BoardServiceServicer_to_server(
            BoardServicer(boards, self.board_versions, self._opens_paths, self._boards_due), server
        )

    def _opens_paths(self, call: aio.ServicerContext[Any, Any]) -> bool:
        """Whether a caller may name files of this machine."""
        settings = self._settings
        alone = not settings.public and not settings.web
        return settings.local_paths and (alone or is_local(call))

    async def started(self) -> None:
        """Sweep what a former life left behind and expired sessions, now and again; take boards
        further."""
        seconds, alerts = self._settings.gateway_boards_seconds, asyncio.Event()
        swept = repeat(
            self._sweep,
            self._settings.gateway_sweep_seconds,
            asyncio.Event(),
            "expired sessions could not be swept",
        )
        runs = repeat(self.board_runs.step, seconds, self._boards_due, "boards wait")
        sent = repeat(self.alerting.step, seconds, alerts, "alerts wait")
        self._loops = [
            asyncio.create_task(swept, name="gateway-sweep"),
            asyncio.create_task(runs, name="gateway-boards"),
            asyncio.create_task(sent, name="gateway-alerts"),
        ]
        await self._web.start(self.end_users, self._sign_ins, self._provider)

    async def drain(self) -> None:
        """Stop sweeping and send watchers on; other calls under way go on."""
        if self._jobs is not None:
            self._jobs.stop_watching()
        if self._talks is not None:
            self._talks.stop_watching()
        await self._web.stop()
        for loop in self._loops:
            loop.cancel()
        if self._loops:
            await asyncio.wait(self._loops)

    def _build(self, database: Database) -> None:
        settings = self._settings
        self._database = database
        self._strangers = Strangers(
            KnownOwners(database, self._audit), AuditedTrespasses(self._audit)
        )
        sources = ExecutorSources(self._executor)
        contents = Contents(
            SqlContentStore(database, self._clock, settings.gateway_hold_seconds), sources
        )
        self._known = KnownSources(SqlKnownSourceStore(database), self._clock)
        self._definitions = Definitions(
            SqlDefinitionStore(database), AuditedAccess(self._audit), self._clock
        )
        sessions = SqlSessionStore(database)
        files = SqlFileStore(database, settings.gateway_tenant_bytes)
        self._pages = SqlPublicationStore(database, settings.gateway_tenant_bytes)
        self._sign_ins = SignIns(SqlSignInStore(database), self._clock, settings.sign_in_lifetime)
        self._sessions = Sessions(
            sessions,
            files,
            contents,
            self._pages,
            self._strangers,
            PlannerJobs(self._planner),
            ExecutorResults(self._executor),
            MemoryDocuments(self._memory),
            self._clock,
            settings.session_lifetime,
            settings.retention,
        )
        self._files = Files(
            sessions,
            files,
            contents,
            self._strangers,
            self._clock,
            settings.gateway_session_files,
            settings.gateway_file_bytes,
        )

    async def _build_admission(self, database: Database) -> None:
        record = AuditedAccess(self._audit)
        settings, self._provider = await found_provider(self._settings)
        signed = await asyncio.to_thread(signed_tokens, settings, self._clock)
        self._refusals = Refusals(record, self._clock)
        self._keys = ApiKeys(SqlApiKeyStore(database), record, self._clock)
        self.end_users = Admission(
            self._keys,
            Sightings(signed, SqlStandingStore(database), self._clock),
            needed_roles(self.contracts),
            self._refusals,
            self._clock,
            Allowances(settings.call_limits, self._clock),
            by_name=settings.gateway_auth == "local",
        )
        self._keys.revoked = self.end_users.forget

    async def _sweep(self) -> None:
        await self._sessions.sweep()
        await self._sign_ins.sweep()
        await self.board_versions.sweep()
