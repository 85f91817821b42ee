"""What the planner needs from the outside, as protocols its use cases are written against."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from services.planner.domain.calls import Artifact, Frame, Observation, ToolCall
from services.planner.domain.catalogue import Catalogue, Frozen, ValueHit
from services.planner.domain.decision import Decision, Planning, PlanningInput, Repair, RepairInput
from services.planner.domain.job import Job, JobEvent, Step
from services.planner.domain.lease import Holder, Lease, Lookout
from services.planner.domain.lesson import Lesson
from services.planner.domain.reading import ReadDecision
from services.planner.domain.recipe import RecalledRecipe, Recipe
from services.planner.domain.request import AnalysisRequest


class Described(Frozen):
    """What the executor says of a request's sources, within its policy."""

    catalogue: Catalogue
    notes: tuple[str, ...] = ()
    source_digests: tuple[str, ...] = ()
    blocked_columns: tuple[str, ...] = ()
    decisions: tuple[ReadDecision, ...] = ()


class AuditEvent(Frozen):
    """An entry to append to a request's chain; `entry_id` makes the append idempotent."""

    entry_id: str
    event_type: str
    event_data: dict[str, Any]
    actor: str


class Reasoner(Protocol):
    """Makes the planner's decisions. Every decision is a typed value with a reason."""

    @property
    def name(self) -> str:
        """Who decides: "rules", or a model's name."""
        ...

    async def plan(self, given: PlanningInput) -> Planning:
        """What was understood and how to find out; or what to ask back; or that it cannot."""
        ...

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call with the reason for the change; None when no change could work."""
        ...


class Tools(Protocol):
    """The executor, as far as the planner is concerned."""

    async def names(self) -> frozenset[str]:
        """Registered tools."""
        ...

    async def describe(self, request: AnalysisRequest) -> Described:
        """Tables, columns, keys and statistics. Raises AssayError for sources it cannot read."""
        ...

    async def lookup(self, request: AnalysisRequest, phrases: Sequence[str]) -> list[ValueHit]:
        """Which text columns hold these phrases."""
        ...

    def execute(
        self, request: AnalysisRequest, call: ToolCall, inputs: Mapping[str, Frame]
    ) -> AsyncGenerator[str | Observation]:
        """Run a call: progress messages first, the observation last. A tool's failure is an
        observation; AssayError means the executor itself could not be asked."""
        ...

    async def cancel(self, call_id: str) -> None:
        """Stop a running call."""
        ...

    async def read(self, frame: Frame) -> pa.Table:
        """The rows of a small result frame. Raises AssayError."""
        ...

    async def read_artifact(self, artifact: Artifact) -> bytes:
        """The bytes of a file for people. Raises AssayError."""
        ...

    async def put_artifact(
        self,
        request_id: str,
        name: str,
        artifact_type: str,
        media_type: str,
        content: bytes,
        metadata: Mapping[str, Any],
    ) -> Artifact:
        """Store a file for people."""
        ...


class Memory(Protocol):
    """Recall that may be away: a job never depends on it."""

    async def recall(self, fingerprint: str, intent: str) -> list[RecalledRecipe]:
        """Up to three candidates. Raises AssayError when memory is away."""
        ...

    async def store(self, recipe: Recipe) -> None:
        """Remember a plan that worked."""
        ...

    async def record_outcome(self, recipe_id: str, job_id: str, failure: str = "") -> None:
        """How a reuse went, and why it failed if it did; counted once a job."""
        ...

    async def store_document(self, job_id: str, content: str) -> None:
        """Remember a report for later questions."""
        ...

    async def recipes(self, page_size: int, page_token: str) -> tuple[list[Recipe], str]:
        """A page of the caller's recipes and the token of the next."""
        ...

    async def delete_recipe(self, recipe_id: str) -> None:
        """Forget one."""
        ...


class Embedded(Frozen):
    """Texts as vectors of length 1, in order; none where the embedder knows spelling alone."""

    embedder: str
    vectors: tuple[tuple[float, ...], ...]


class Embeddings(Protocol):
    """What makes vectors of short texts, and may be away."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """A vector for each text, in order. Raises AssayError when it is away."""
        ...


class Audit(Protocol):
    """The log that must be written before anything is reported as done."""

    async def append(self, request_id: str, events: Sequence[AuditEvent]) -> int:
        """Append in order; returns the chain's length. Raises AssayError(AUDIT_UNAVAILABLE)."""
        ...

    async def publish(self) -> None:
        """Have the log's present root signed and published. Raises AssayError."""
        ...

    async def length(self, request_id: str) -> int:
        """Entries in a chain."""
        ...


class JobStore(Protocol):
    """Jobs in tables. Every method is one transaction; nothing else holds the truth."""

    def under(self, lease: Lease) -> JobWriter:
        """What writes the job of that lease."""
        ...

    async def create(self, job: Job, holder: Holder) -> tuple[Job, Lease | None]:
        """Store a new job with its first event, claimed; an existing id returns the stored job."""
        ...

    async def get(self, tenant: str, job_id: str) -> Job:
        """A job by id or unambiguous prefix (4+ characters). Raises AssayError(NOT_FOUND)."""
        ...

    async def page(self, tenant: str, size: int, token: str) -> tuple[list[Job], str]:
        """Newest first, without answers, and the token of the next page."""
        ...

    async def observations(self, job_id: str) -> list[tuple[ToolCall, Observation | None]]:
        """Every call of a job in order, with what came back."""
        ...

    async def decisions(self, job_id: str) -> list[Decision]:
        """Every recorded decision, in order."""
        ...

    async def events(self, job_id: str, after: int) -> list[JobEvent]:
        """Events after a sequence number, in order."""
        ...

    async def unlogged_ends(self) -> list[tuple[str, str]]:
        """Tenants and ids of jobs that ended while the audit log could not be told."""
        ...

    async def end_logged(self, job_id: str) -> None:
        """Store that the audit log knows of a job's end."""
        ...

    async def keep_lesson(self, lesson: Lesson) -> None:
        """Keep what memory has to be told of a job; one a job, the last one kept."""
        ...

    async def kept_lessons(self) -> list[tuple[str, Lesson]]:
        """What memory still has to be told, each with its tenant, at most a hundred."""
        ...

    async def lesson_told(self, job_id: str) -> None:
        """Let go of what was kept of a job."""
        ...


class JobWriter(Protocol):
    """Writes one job under a lease. Every method is one transaction that checks the lease first.

    Raises LeaseLostError, having written nothing, once another planner has the job.
    """

    async def held(self) -> bool:
        """Whether the job can still be written."""
        ...

    async def save(
        self,
        job: Job,
        events: Sequence[tuple[str, dict[str, Any]]] = (),
        decisions: Sequence[Decision] = (),
    ) -> Job:
        """Store a job's new state, its steps, what watchers are told and what was decided.

        The lease ends with a job that has ended or waits for a person.
        """
        ...

    async def save_step(
        self,
        job: Job,
        step: Step,
        call: ToolCall | None = None,
        observation: Observation | None = None,
        decision: Decision | None = None,
    ) -> Job:
        """Store a step's new state with the call or observation that moved it."""
        ...

    async def keep_observation(self, job: Job, call: ToolCall, observation: Observation) -> None:
        """Store what came back from a call, before anybody is told of it."""
        ...


class Leases(Protocol):
    """One planner's claims on jobs, by the clock of the database they are kept in."""

    async def claim(self, job_id: str) -> Lease | None:
        """The job, if it has not ended and nobody holds it. Raises AssayError(NOT_FOUND)."""
        ...

    async def renew(self, job_ids: Collection[str]) -> frozenset[str]:
        """Hold these jobs for another while; returns those of them that this planner still has."""
        ...

    async def look(self) -> Lookout:
        """Jobs that want work and have nobody, and this planner's own that were asked to stop."""
        ...

    async def release(self, lease: Lease) -> None:
        """Let go of a job at once; nothing happens when another planner has it."""
        ...

    async def request_cancel(self, job_id: str) -> None:
        """Ask whoever works on a job, now or next, to stop."""
        ...
