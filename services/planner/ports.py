"""What the planner needs from the outside, as protocols its use cases are written against."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from services.planner.domain.analysis.planning import Planning, PlanningInput, Repair, RepairInput
from services.planner.domain.analysis.recipe import RecalledRecipe, Recipe
from services.planner.domain.calls import Artifact, Frame, Observation, ToolCall
from services.planner.domain.catalogue import Catalogue, Frozen, ValueHit
from services.planner.domain.evidence import Outcome, ProbedQuery, ProbeLimits
from services.planner.domain.reading import ReadDecision
from services.planner.domain.request import WorkRequest

if TYPE_CHECKING:
    import pyarrow as pa

    from services.planner.domain.investigation.iteration import NextStep
    from services.planner.domain.investigation.metric_words import WordedMetric
    from services.planner.domain.investigation.request import InvestigationRequest
    from services.planner.domain.investigation.step_calls import StepInput
    from services.planner.domain.look.look import Findings
    from services.planner.domain.suggestions import Suggestions, SuggestionsInput


class Described(Frozen):
    """What the executor says of a request's sources, within its policy."""

    catalogue: Catalogue
    notes: tuple[str, ...] = ()
    source_digests: tuple[str, ...] = ()
    source_seals: tuple[str, ...] = ()
    source_fingerprints: tuple[str, ...] = ()
    blocked_columns: tuple[str, ...] = ()
    decisions: tuple[ReadDecision, ...] = ()


class AuditEvent(Frozen):
    """An entry to append to a request's chain; `entry_id` makes the append idempotent."""

    entry_id: str
    event_type: str
    event_data: dict[str, Any]
    actor: str


class RequestLookup(Protocol):
    """Which text columns of a request's sources hold these phrases."""

    async def __call__(self, request: WorkRequest, phrases: Sequence[str]) -> Sequence[ValueHit]:
        """Hits for all phrases, best first."""
        ...


class Reasoner(Protocol):
    """Makes the planner's decisions. Every decision is a typed value with a reason."""

    @property
    def name(self) -> str:
        """Who decides: "rules", or a model's name."""
        ...

    @property
    def rules(self) -> Reasoner:
        """Who decides where no model is to be asked."""
        ...

    async def plan(self, given: PlanningInput) -> Planning:
        """What was understood and how to find out; or what to ask back; or that it cannot."""
        ...

    async def again(self, planning: Planning, given: PlanningInput) -> Planning:
        """The decision with what another independent proposal says of it, where one can be had."""
        ...

    async def repair(self, given: RepairInput) -> Repair | None:
        """A changed call with the reason for the change; None when no change could work."""
        ...

    async def next_step(self, given: StepInput) -> NextStep:
        """The next move of an investigation, with its reason."""
        ...

    async def metric(
        self, request: InvestigationRequest, catalogue: Catalogue, lookup: RequestLookup
    ) -> WordedMetric | None:
        """The metric that words mean; None where they mean none."""
        ...

    async def suggest(self, given: SuggestionsInput) -> Suggestions | None:
        """What an investigation or a study might try or doubt; None where rules alone decide."""
        ...


class Tools(Protocol):
    """The executor, as far as the planner is concerned."""

    async def names(self, soon: Sequence[str] = ()) -> frozenset[str]:
        """Registered tools. Those that will be called `soon`, the executor makes ready."""
        ...

    async def describe(self, request: WorkRequest, about: str = "") -> Described:
        """Tables, columns, keys and statistics; of a large file, at first, only what a question or
        statement `about` it may need. Raises AssayError for sources it cannot read."""
        ...

    async def inspect(self, request: WorkRequest) -> tuple[Described, Findings]:
        """As `describe`, with what the rows show, as far as ten seconds go."""
        ...

    async def lookup(self, request: WorkRequest, phrases: Sequence[str]) -> list[ValueHit]:
        """Which text columns hold these phrases."""
        ...

    async def probe(
        self, request: WorkRequest, queries: Sequence[ProbedQuery], limits: ProbeLimits
    ) -> list[Outcome]:
        """What the data says of candidate queries, as `Evidence` promises. Raises AssayError."""
        ...

    def execute(
        self, request: WorkRequest, call: ToolCall, inputs: Mapping[str, Frame]
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

    async def store_document(self, job_id: str, content: str, session_id: str = "") -> None:
        """Remember what a job came to for later questions; it is forgotten with its session."""
        ...

    async def search_documents(self, question: str, session_id: str) -> list[str]:
        """Jobs of a session whose documents are nearest to a question, the nearest first.

        Raises AssayError when memory is away.
        """
        ...

    async def make_ready(self) -> None:
        """Load what remembering takes. Raises AssayError when memory is away."""
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

    async def length(self, request_id: str) -> int | None:
        """Entries in a chain; None where the log does not say within a fraction of a second.

        Raises AssayError(NOT_FOUND) for another tenant's chain.
        """
        ...
