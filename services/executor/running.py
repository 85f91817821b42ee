"""How one checked call runs in its worker thread: the tool, within the policy, and what is kept."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ValidationError

from mesh.errors import (
    CANCELLED,
    RESOURCE_EXHAUSTED,
    TIMEOUT,
    TOOL_CALL_TIMED_OUT,
    TOOL_CHANGED,
    TOOL_RESULT_TOO_LARGE,
    TOOL_SERVER_REFUSED,
    AssayError,
)
from mesh.errors.kinds import Kind
from mesh.processes.failpoint import failpoint
from mesh.telemetry.tracing import span
from mesh.tool import ErrorCategory, Tool, ToolError, ToolResult
from services.executor.app_frames import Frames
from services.executor.call import Call, Outcome, RunningContext
from services.executor.catalogue import ToolCatalogue
from services.executor.domain.source import DataSource
from services.executor.domain.stored_item import StoredKind, job
from services.executor.engines.masking import (
    hidden,
    presentable_error,
    shown_result,
    spelled_all,
)
from services.executor.frame_leases import Leases
from services.executor.ports import ArtifactStore
from services.executor.sandbox.runner import PythonSandbox
from services.executor.sources.prepared import PreparedSource

if TYPE_CHECKING:
    from services.executor.domains.asking import DomainTools
    from services.executor.engines.engines import Engines

log = logging.getLogger("assay.executor")

_LEAST_SECONDS = 1e-9
_OF_THE_CALL = {Kind.WRONG_USE, Kind.NOT_FOUND, Kind.UNREADABLE, Kind.DATA}


class OpenSources(Protocol):
    """Opens the sources of a call, as far as statements use them where these are all there is."""

    def __call__(
        self,
        sources: Sequence[DataSource],
        cancelled: threading.Event,
        used_by: Sequence[str] | None = None,
    ) -> Sequence[PreparedSource]:
        """The sources, ready; without `used_by` all of them is."""
        ...


@dataclass
class ToolRunner:
    """Runs tools on calls, with all that a call may use."""

    tools: ToolCatalogue
    frames: Frames
    artifacts: ArtifactStore
    leases: Leases
    engines: Callable[[], Engines]
    open_sources: OpenSources
    sandbox: PythonSandbox
    domains: DomainTools | None

    def run(
        self,
        tool: Tool,
        call: Call,
        cancelled: threading.Event,
        report: Callable[[str, float | None], None],
    ) -> Outcome:
        """One call in a worker thread. A tool's failure is an outcome."""
        started = time.monotonic()
        try:
            if cancelled.is_set():
                raise ToolError(ErrorCategory.CANCELLED, "its caller went away before its turn.")
            context = RunningContext(
                inputs={name: self.frames.redeem(ref) for name, ref in call.inputs.items()},
                row_limit=call.row_limit,
                deadline=started + call.seconds,
                cancelled=cancelled,
                engines=self.engines,
                open_sources=partial(self.open_sources, call.sources, cancelled),
                open_for=lambda sql: self.open_sources(call.sources, cancelled, (sql,)),
                policy=call.policy,
                report=report,
                sandbox=self.sandbox,
                wanted_engine=call.engine,
                domains=self.domains,
            )
            self.tools.import_needs(tool)
            with span(f"tool {tool.name}"):
                failpoint("executor: tool, begun")
                result = within_policy(tool, call, context)
                failpoint("executor: tool, ended")
            return self._kept(call, result, started)
        except ToolError as failed:
            error = presentable_error(failed) if call.policy.blocked_patterns else failed
            late = time.monotonic() - started >= call.seconds
            return Outcome(
                seconds=_since(started),
                error=error,
                timed_out=late and error.category is ErrorCategory.RESOURCE_EXHAUSTED,
            )
        except AssayError as error:
            failure = ToolError(
                _category(error),
                error.message,
                hint=error.remedy,
                details={"reason": error.reason.code},
            )
            late = error.reason in (TIMEOUT, TOOL_CALL_TIMED_OUT)
            return Outcome(seconds=_since(started), error=failure, timed_out=late)
        except Exception:
            log.exception("tool %s failed on call %s", tool.name, call.call_id)
            failure = ToolError(
                ErrorCategory.INTERNAL, f"the tool {tool.name} failed (call {call.call_id[:8]})"
            )
            return Outcome(seconds=_since(started), error=failure)

    def _kept(self, call: Call, result: ToolResult, started: float) -> Outcome:
        holder, frame = job(call.request_id), None
        if result.frame is not None:
            admit = self.leases.admit(holder, StoredKind.FRAME)
            frame = self.frames.put(result.frame, call.task_id, admit)
        artifacts = tuple(
            self.artifacts.put(
                call.request_id,
                file.name,
                file.kind,
                file.media_type,
                file.content,
                file.metadata,
                self.leases.admit(holder, StoredKind.ARTIFACT),
            )
            for file in result.files
        )
        return Outcome(
            seconds=_since(started),
            frame=frame,
            artifacts=artifacts,
            summary=result.summary,
            notes=result.notes,
        )


def _category(error: AssayError) -> ErrorCategory:
    if error.reason is CANCELLED:
        return ErrorCategory.CANCELLED
    if error.reason in (RESOURCE_EXHAUSTED, TOOL_CALL_TIMED_OUT, TOOL_RESULT_TOO_LARGE):
        return ErrorCategory.RESOURCE_EXHAUSTED
    if error.reason in (TOOL_CHANGED, TOOL_SERVER_REFUSED):
        return ErrorCategory.POLICY_DENIED
    ours = error.reason.kind not in _OF_THE_CALL
    return ErrorCategory.INTERNAL if ours else ErrorCategory.INVALID_ARGUMENTS


def _since(started: float) -> float:
    """Seconds since a moment of the monotonic clock, which may not have ticked yet."""
    return max(time.monotonic() - started, _LEAST_SECONDS)


def within_policy(tool: Tool, call: Call, context: RunningContext) -> ToolResult:
    """What the tool gives. Where cells may be masked, df.transform works on pseudonyms in the
    spelling that shows what its functions took apart."""
    if tool.name != "df.transform" or not call.policy.blocked_patterns:
        return tool.run(_checked(tool, call.arguments), context)
    inputs = {name: hidden(table) for name, table in context.inputs.items()}
    arguments = _checked(tool, spelled_all(call.arguments))
    return shown_result(tool.run(arguments, replace(context, inputs=inputs)))


def _checked(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    """The arguments as the tool's model. Raises ToolError(INVALID_ARGUMENTS)."""
    try:
        return tool.arguments.model_validate(arguments)
    except ValidationError as error:
        faults = {".".join(map(str, item["loc"])): item["msg"] for item in error.errors()}
        text = "; ".join(f"{name or 'arguments'}: {why}" for name, why in faults.items())
        raise ToolError(
            ErrorCategory.INVALID_ARGUMENTS,
            f"the arguments do not fit {tool.name}: {text}",
            details={"fields": faults},
        ) from error
