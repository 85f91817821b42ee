"""One tool call: what it may use while it runs, and how it ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mesh.frames.reference import FrameRef
from mesh.policy import Policy
from mesh.telemetry.tracing import span
from mesh.tool import DomainReply, ErrorCategory, PythonRun, ToolError
from services.executor.domain.artifact import Artifact
from services.executor.domain.source import DataSource
from services.executor.sandbox.runner import PythonSandbox
from services.executor.sources.partly import is_unread, may_touch
from services.executor.sources.prepared import PreparedSource

if TYPE_CHECKING:
    from services.executor.domains.asking import DomainTools
    from services.executor.engines.engines import Engines


@dataclass(frozen=True)
class Call:
    """A call as it arrives, with all it may use. `seconds` is the time it has; without an `engine`
    named, the executor chooses."""

    call_id: str
    task_id: str
    request_id: str
    tool_name: str
    arguments: Mapping[str, Any]
    sources: tuple[DataSource, ...]
    policy: Policy
    row_limit: int
    seconds: float
    inputs: Mapping[str, FrameRef]
    """Earlier steps' frames, by task id."""

    engine: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: a result, or a ToolError that says why there is none.

    Raises ValueError for one that is neither or both, or that took no time (seed 000, section 4).
    """

    seconds: float
    frame: FrameRef | None = None
    artifacts: tuple[Artifact, ...] = ()
    summary: str = ""
    notes: tuple[str, ...] = ()
    error: ToolError | None = None
    timed_out: bool = False

    def __post_init__(self) -> None:
        gave = self.frame is not None or bool(self.artifacts)
        if self.error is None and not gave:
            raise ValueError("a call that succeeded has a frame or a file")
        if self.error is not None and (gave or not self.error.message):
            raise ValueError("a call that failed says why, and has nothing else")
        if self.seconds <= 0:
            raise ValueError("a call takes time")


@dataclass
class RunningContext:
    """The ToolContext of one running call. Its sources are opened by the first statement: most
    tools work on frames alone."""

    inputs: Mapping[str, pa.Table]
    row_limit: int
    deadline: float
    cancelled: threading.Event
    engines: Callable[[], Engines]
    open_sources: Callable[[], Sequence[PreparedSource]]
    policy: Policy
    report: Callable[[str, float | None], None]
    sandbox: PythonSandbox
    wanted_engine: str = ""
    open_for: Callable[[str], Sequence[PreparedSource]] | None = None
    """As `open_sources`, as far as one statement needs them."""

    domains: DomainTools | None = None
    _opened: Sequence[PreparedSource] | None = None

    @property
    def seconds_left(self) -> float:
        """Seconds until the call's deadline."""
        return self.deadline - time.monotonic()

    @cached_property
    def sources(self) -> Sequence[PreparedSource]:
        """The sources of the request, ready. Raises AssayError for one that cannot be read."""
        return self.open_sources()

    def query(self, sql: str, parameters: list[Any], row_limit: int, seconds: float) -> pa.Table:
        """One read-only statement over the request's sources."""
        sources = self._needed(sql)
        try:
            return self._queried(sources, sql, parameters, row_limit, seconds)
        except ToolError as error:
            if not is_unread(error.message):
                raise
        return self._queried(self.sources, sql, parameters, row_limit, seconds)

    def _needed(self, sql: str) -> Sequence[PreparedSource]:
        """The sources, of large files perhaps what the statement uses alone."""
        if "sources" in self.__dict__ or self.open_for is None:
            return self.sources
        if self._opened is None:
            self._opened = self.open_for(sql)
        if any(may_touch(source.unread, sql) for source in self._opened if source.unread):
            return self.sources
        return self._opened

    def _queried(
        self,
        sources: Sequence[PreparedSource],
        sql: str,
        parameters: list[Any],
        row_limit: int,
        seconds: float,
    ) -> pa.Table:
        with span("query"):
            return self.engines().query(
                sources,
                sql,
                parameters,
                row_limit=row_limit,
                seconds=seconds,
                cancelled=self.cancelled,
                policy=self.policy,
                wanted=self.wanted_engine,
            )

    def run_python(self, code: str, frames: Mapping[str, pa.Table]) -> PythonRun:
        """Foreign code over frames, kept in."""
        with span("sandbox"):
            return self.sandbox.run(code, frames, self.seconds_left, self.cancelled)

    def call_domain(
        self, server: str, tool: str, arguments: Mapping[str, Any], digest: str, seconds: float
    ) -> DomainReply:
        """One call of an MCP server's tool, its answer within the policy."""
        if self.domains is None:
            raise ToolError(ErrorCategory.POLICY_DENIED, "this executor asks no MCP servers.")
        with span("domain call"):
            return self.domains.call(
                server,
                tool,
                arguments,
                digest,
                seconds=min(seconds, self.seconds_left),
                row_limit=self.row_limit,
                cancelled=self.cancelled,
                policy=self.policy,
            )

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Tell whoever watches."""
        self.report(message, fraction)
