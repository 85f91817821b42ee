"""What the executor does: run one checked call, describe sources, keep frames and files."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mesh.context import current
from mesh.policy import Policy
from mesh.telemetry.instruments import ERROR, TOOL_SECONDS
from mesh.telemetry.metrics import record
from mesh.telemetry.tracing import span
from mesh.tool import ErrorCategory, ToolError
from services.executor.app_frames import Frames
from services.executor.call import Call, Outcome
from services.executor.catalogue import ToolCatalogue
from services.executor.databases.library import DatabaseLibrary
from services.executor.databases.values import DatabaseValues
from services.executor.domain.description import Findings, SourceDescription, ValueHit
from services.executor.domain.facts import Facts
from services.executor.domain.source import DataSource
from services.executor.domain.stored_item import StoredKind
from services.executor.engines.workspace import WorkspacePool, flat_tables
from services.executor.facts.keeping import SECONDS, STATEMENT_SECONDS, FactsKeeper
from services.executor.frame_leases import Leases
from services.executor.inspecting import asked_by, inspected
from services.executor.places import Places
from services.executor.ports import ArtifactStore
from services.executor.remote.fetching import RemoteSources
from services.executor.running import ToolRunner
from services.executor.sandbox.runner import PythonSandbox
from services.executor.sources.library import SourceLibrary
from services.executor.sources.partly import asked_words, is_unread
from services.executor.sources.prepared import Described, PreparedSource
from services.executor.sources.turns import ReadingTurns
from services.executor.sources.uploads import examine

if TYPE_CHECKING:
    import pyarrow as pa

    from services.executor.domains.asking import DomainTools
    from services.executor.engines.engines import Engines
    from services.executor.probing.outcome import Candidate, Limits, QueryOutcome
    from services.executor.sources.describe import Describer
    from services.executor.sources.lookup import ValueLookup

log = logging.getLogger("assay.executor")

T = TypeVar("T")
_MET = 128


@dataclass
class Executor:
    """The use cases of the executor service. Tools run in worker threads."""

    tools: ToolCatalogue
    library: SourceLibrary
    frames: Frames
    artifacts: ArtifactStore
    leases: Leases
    threads: ThreadPoolExecutor
    engines: Callable[[], Engines]
    """The engines, made by the first call; it blocks."""

    pool: WorkspacePool = field(default_factory=WorkspacePool)
    sandbox: PythonSandbox = field(default_factory=PythonSandbox)
    domains: DomainTools | None = None
    turns: ReadingTurns = field(default_factory=ReadingTurns)
    databases: DatabaseLibrary = None  # type: ignore[assignment] # made of the library's folder
    remote: RemoteSources = None  # type: ignore[assignment] # so is this

    def __post_init__(self) -> None:
        self.databases = self.databases or DatabaseLibrary(self.library.home)
        self.remote = self.remote or RemoteSources(self.library.home, self.databases.vault)
        self._places = Places(self.library, self.databases, self.remote)
        self._runner = ToolRunner(
            tools=self.tools,
            frames=self.frames,
            artifacts=self.artifacts,
            leases=self.leases,
            engines=self.engines,
            open_sources=self._open,
            sandbox=self.sandbox,
            domains=self.domains,
        )
        self._running: dict[str, tuple[str, threading.Event]] = {}
        self._working: dict[str, asyncio.Future[Outcome]] = {}
        self._in_threads = 0
        self._met: dict[str, None] = {}
        self.facts = FactsKeeper(self.pool, lambda: bool(self._running or self._in_threads))

    def make_ready(self) -> None:
        """Import what describing and looking up take, so that no first caller waits for it."""
        _ = self._describer, self._lookup

    @cached_property
    def _describer(self) -> Describer:
        from services.executor.sources.describe import Describer

        return Describer(self.pool)

    @cached_property
    def _lookup(self) -> ValueLookup:
        from services.executor.sources.lookup import ValueLookup

        return ValueLookup(self.pool, DatabaseValues(self.databases.sessions))

    async def execute(
        self, call: Call, keep: Callable[[Outcome], None] = lambda _: None
    ) -> AsyncGenerator[tuple[str, float | None] | Outcome]:
        """Progress as (message, fraction), then the outcome. A tool's failure is an outcome.

        `keep` gets the outcome first, in the tool's own thread, also when the caller has gone by
        then. Raises AssayError(UNKNOWN_TOOL) and what opening the sources raises. When the caller
        goes away the tool is told to stop.
        """
        tool = self.tools.get(call.tool_name)
        loop = asyncio.get_running_loop()
        updates: asyncio.Queue[tuple[str, float | None] | None] = asyncio.Queue()
        mine = (current().tenant, threading.Event())
        _, cancelled = self._running.setdefault(call.call_id, mine)

        def report(message: str, fraction: float | None) -> None:
            loop.call_soon_threadsafe(updates.put_nowait, (message, fraction))

        def run() -> Outcome:
            outcome = self._runner.run(tool, call, cancelled, report)
            category = outcome.error.category.value if outcome.error else ""
            texts = {"assay.tool": tool.name, ERROR: category}
            record(TOOL_SECONDS, outcome.seconds, texts)
            keep(outcome)
            return outcome

        work = loop.run_in_executor(self.threads, copy_context().run, run)
        self._working[call.call_id] = work

        def ended(work: asyncio.Future[Outcome]) -> None:
            self._working.pop(call.call_id, None)
            updates.put_nowait(None)
            if not work.cancelled() and (error := work.exception()) is not None:
                log.warning("call %s left no record: %s", call.call_id, error)

        work.add_done_callback(ended)
        try:
            while (update := await updates.get()) is not None:
                yield update
            yield work.result()
        finally:
            cancelled.set()
            self._running.pop(call.call_id, None)

    async def settled(self, call_id: str) -> None:
        """Wait for a tool that still runs for a call whose caller has gone."""
        if work := self._working.get(call_id):
            await asyncio.wait([work])

    def cancel(self, call_id: str) -> bool:
        """Tell a running call to stop; whether it was running.

        Raises AssayError(NOT_FOUND) for a call of another tenant.
        """
        owner, event = self._running.get(call_id, ("", None))
        if event is None:
            return False
        self.leases.require_own(StoredKind.CALL, call_id, owner)
        event.set()
        return True

    async def describe(
        self, sources: Sequence[DataSource], policy: Policy, about: str = ""
    ) -> Described:
        """What the sources hold within the policy, as far as it is known at once; of a large file
        what a question or statement `about` it needs may be all that is read."""
        if about and len(sources) == 1 and not policy.blocked_patterns:
            asked = asked_words(about)
            sources = [source.model_copy(update={"asked": asked}) for source in sources]

        def work(cancelled: threading.Event) -> Described:
            self.engines()  # what is described is queried next, by a process that takes its time
            prepared = self._open(sources, cancelled)
            description = self._describer.describe(prepared, policy)
            hidden = [
                f"{table.name}.{column}"
                for table in flat_tables(prepared, policy)
                for column in table.hidden
            ]
            facts = self.facts.kept(prepared, policy)
            if any(source.part_of for source in prepared):
                self._read_whole_later(sources, prepared)
            elif facts is None:
                self.facts.measure_beside(prepared, description, policy)
            return Described(description, prepared, hidden, facts)

        await self._read(sources)
        return await self._in_thread(work)

    async def examine(self, path: Path, name: str, headers: bool) -> tuple[str, int]:
        """The MIME type and the rows of an uploaded file, which is read in its caller's turn.

        `headers` says that it needs a line of names. Raises as `uploads.examine`.
        """
        async with self.turns.turn(current().tenant):
            return await self._in_thread(
                lambda cancelled: examine(
                    self.library, path, name, headers=headers, cancelled=cancelled
                )
            )

    async def inspect(
        self, sources: Sequence[DataSource], description: SourceDescription, policy: Policy
    ) -> tuple[Findings, Facts]:
        """What the rows of described sources show, as far as ten seconds go for each."""
        deadline = time.monotonic() + SECONDS

        def work(cancelled: threading.Event) -> tuple[Findings, Facts]:
            nonlocal deadline
            prepared = self._open(sources, cancelled)

            def ask(sql: str, row_limit: int) -> pa.Table:
                if (left := deadline - time.monotonic()) <= 0:
                    raise ToolError(ErrorCategory.RESOURCE_EXHAUSTED, "no time is left.")
                return self.engines().query(
                    prepared,
                    sql,
                    row_limit=row_limit,
                    seconds=min(left, STATEMENT_SECONDS),
                    cancelled=cancelled,
                    policy=policy,
                )

            findings = inspected(description, ask)
            deadline = time.monotonic() + SECONDS
            return findings, self.facts.measure(prepared, description, policy, asked_by(ask))

        return await self._in_thread(work)

    async def lookup(
        self, sources: Sequence[DataSource], phrases: Sequence[str], policy: Policy, limit: int
    ) -> list[ValueHit]:
        """Which text columns hold these phrases."""
        return await self._in_thread(
            lambda cancelled: self._lookup.lookup(
                self._open(sources, cancelled, ()), phrases, policy, limit
            )
        )

    async def probe(
        self,
        sources: Sequence[DataSource],
        candidates: Sequence[Candidate],
        limits: Limits,
        policy: Policy,
    ) -> list[QueryOutcome]:
        """What the data says of each candidate query, in their order. It ends with its caller."""

        def work(cancelled: threading.Event) -> list[QueryOutcome]:
            statements = [candidate.sql for candidate in candidates]
            prepared = self._open(sources, cancelled, statements)
            with span("probe queries"):
                found = self.engines().probe(
                    prepared, candidates, limits, cancelled=cancelled, policy=policy
                )
                if not any(is_unread(outcome.reason) for outcome in found):
                    return found
                whole = self._open(sources, cancelled)
                return self.engines().probe(
                    whole, candidates, limits, cancelled=cancelled, policy=policy
                )

        return await self._in_thread(work)

    async def _read(self, sources: Sequence[DataSource]) -> None:
        """Read files that were not read before, each in its caller's turn."""
        unread = await self._in_thread(lambda _: [s for s in sources if self._places.unread(s)])
        for file in unread:
            async with self.turns.turn(current().tenant):
                await self._in_thread(partial(self._places.opened, file))

    def _read_whole_later(
        self, sources: Sequence[DataSource], prepared: Sequence[PreparedSource]
    ) -> None:
        """Read what was read in part, once it is asked a second time and nobody is served."""
        for source, part in zip(sources, prepared, strict=True):
            if part.digest not in self._met:
                self._met[part.digest] = None
            elif part.part_of:
                whole = source.model_copy(update={"asked": ()})
                self.facts.beside(
                    part.digest, partial(self._places.opened, whole, self.facts.closed)
                )
        while len(self._met) > _MET:
            self._met.pop(next(iter(self._met)))

    async def _in_thread(self, work: Callable[[threading.Event], T]) -> T:
        """What the work gives. It is told to stop when its caller goes away."""
        loop, cancelled = asyncio.get_running_loop(), threading.Event()
        self._in_threads += 1
        try:
            return await loop.run_in_executor(self.threads, copy_context().run, work, cancelled)
        finally:
            self._in_threads -= 1
            cancelled.set()

    def _open(
        self,
        sources: Sequence[DataSource],
        cancelled: threading.Event,
        used_by: Sequence[str] | None = None,
    ) -> list[PreparedSource]:
        with span("open sources"):
            return [self._places.opened(source, cancelled, used_by) for source in sources]
