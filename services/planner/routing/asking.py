"""Several domains asked at the same time, each within its own time, their answers made one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mesh import context as calls
from mesh.clock import Clock
from mesh.errors import TIMEOUT, TOOL_CALL_TIMED_OUT, AssayError
from mesh.ids import derived_id
from services.planner.domain.calls import Artifact, Frame, Observation, ObservationStatus, ToolCall
from services.planner.domain.routing.merging import Answer, JoinPlan, join_of, told_partial
from services.planner.domain.routing.tool_call import CallStatus, DomainToolCall
from services.planner.ports import Tools

if TYPE_CHECKING:
    from services.planner.domain.request import WorkRequest

CALL_SECONDS, RESPONSE_SECONDS = 50.0, 60.0
_MOST_JOINED_ROWS = 10_000
"""Rows of an answer that are read here to find keys; larger ones stand side by side."""
_CANCEL_SECONDS = 2.0
_SURFACE = "domain.call"


@dataclass(frozen=True, slots=True)
class DomainQuestion:
    """A tool of a domain with what it is given; `digest` is the one that was approved."""

    domain: str
    server: str
    tool: str
    digest: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DomainAnswer:
    """What the domains gave: frames by domain, one joined from them where keys allow.

    `partial_results` says that some gave nothing; `sources` name those that did.
    """

    tool_calls: tuple[DomainToolCall, ...]
    frames: Mapping[str, Frame]
    files: tuple[Artifact, ...] = ()
    joined: Frame | None = None
    notes: tuple[str, ...] = ()

    @property
    def partial_results(self) -> bool:
        """Whether some calls failed while others did not."""
        ends = {call.status is CallStatus.COMPLETED for call in self.tool_calls}
        return len(ends) > 1

    @property
    def sources(self) -> tuple[str, ...]:
        """Domains and tools that the answer rests on."""
        return tuple(
            f"{call.domain}.{call.tool_name}"
            for call in self.tool_calls
            if call.status is CallStatus.COMPLETED
        )


@dataclass(frozen=True, slots=True)
class DomainAsking:
    """Puts questions to domains through the executor. Judges by which keys answers are joined; the
    executor joins them."""

    tools: Tools
    clock: Clock
    call_seconds: float = CALL_SECONDS
    response_seconds: float = RESPONSE_SECONDS

    async def ask(
        self, request: WorkRequest, plan_id: str, questions: Sequence[DomainQuestion]
    ) -> DomainAnswer:
        """Ask all at once and make one answer of what came in time.

        A domain that fails, hangs or is refused is told of and keeps no other from answering.
        Raises nothing of theirs. Calls have ids that follow from `plan_id`: asked again with the
        same, what was answered is answered from its record.
        """
        ended = asyncio.get_running_loop().time() + self.response_seconds
        outcomes = await asyncio.gather(
            *(
                self._asked(request, plan_id, number, question)
                for number, question in enumerate(questions)
            )
        )
        told = tuple(call for call, _ in outcomes)
        frames: dict[str, Frame] = {}
        tables: dict[str, Frame] = {}
        files: list[Artifact] = []
        notes: list[str] = []
        for call, seen in outcomes:
            if seen is None:
                continue
            notes += seen.notes
            files += seen.artifacts
            if seen.frame is not None:
                several = call.domain in frames
                name = f"{call.domain}.{call.tool_name}" if several else call.domain
                frames[name] = seen.frame
                if not seen.artifacts:  # words come with a file to cite, and are joined to nothing
                    tables[name] = seen.frame
        notes += told_partial({call.domain: call.error for call in told if call.error})
        joined: Frame | None = None
        left = ended - asyncio.get_running_loop().time()
        if len(tables) > 1 and left > 0:
            joined, more = await self._joined(request, plan_id, tables, left)
            notes += more
        return DomainAnswer(told, frames, tuple(files), joined, tuple(dict.fromkeys(notes)))

    async def _asked(
        self, request: WorkRequest, plan_id: str, number: int, question: DomainQuestion
    ) -> tuple[DomainToolCall, Observation | None]:
        task = f"domain_{number + 1}"
        call = ToolCall(
            call_id=derived_id(plan_id, task),
            plan_id=plan_id,
            task_id=task,
            tool_name=_SURFACE,
            arguments={
                "domain": question.domain,
                "server": question.server,
                "tool": question.tool,
                "digest": question.digest,
                "arguments": dict(question.arguments),
                "seconds": self.call_seconds,
            },
            timestamp=self.clock.now(),
        )
        state = DomainToolCall(
            tool_id=call.call_id,
            tool_name=question.tool,
            domain=question.domain,
            input_params=dict(question.arguments),
        ).begun(self.clock.now())
        try:
            # Beyond the tool's own limit, for an executor that hangs itself.
            async with asyncio.timeout(self.call_seconds + _CANCEL_SECONDS):
                # The executor has a moment more, to say itself that the server was too slow.
                with calls.changed(seconds=self.call_seconds + _CANCEL_SECONDS):
                    seen = await self._observed(request, call, {})
        except TimeoutError:
            await self._stopped(call)
            return state.failed("it did not answer in time", self.clock.now(), True), None
        except AssayError as error:
            late = error.reason in (TIMEOUT, TOOL_CALL_TIMED_OUT)
            return state.failed(error.message, self.clock.now(), late), None
        now = self.clock.now()
        if not seen.succeeded:
            slow = seen.error_details.get("reason") == TOOL_CALL_TIMED_OUT.code
            late = slow or seen.status is ObservationStatus.TIMEOUT
            why = seen.error_message or "it does not say why"
            return state.failed(why, now, late), None
        result = {"summary": seen.summary, "rows": seen.row_count}
        if seen.frame is not None:
            result["frame_digest"] = seen.frame.digest
        return state.completed(result, now), seen

    async def _observed(
        self, request: WorkRequest, call: ToolCall, inputs: Mapping[str, Frame]
    ) -> Observation:
        async with aclosing(self.tools.execute(request, call, inputs)) as updates:
            async for update in updates:
                if isinstance(update, Observation):
                    return update
        raise AssayError(TOOL_CALL_TIMED_OUT, "the call ended without an answer")

    async def _stopped(self, call: ToolCall) -> None:
        try:
            async with asyncio.timeout(_CANCEL_SECONDS):
                await self.tools.cancel(call.call_id)
        except (TimeoutError, AssayError):
            pass  # its executor ends it with its own deadline

    async def _joined(
        self, request: WorkRequest, plan_id: str, frames: Mapping[str, Frame], seconds: float
    ) -> tuple[Frame | None, list[str]]:
        """The frames as one where keys allow it for all of them, and what to know of it."""
        if any(frame.rows > _MOST_JOINED_ROWS for frame in frames.values()):
            return None, ["The answers are too long to be joined, and stand side by side."]
        try:
            async with asyncio.timeout(seconds):
                with calls.changed(seconds=seconds):
                    return await self._join_all(request, plan_id, frames)
        except (AssayError, TimeoutError):
            return None, ["The answers could not be joined, and stand side by side."]

    async def _join_all(
        self, request: WorkRequest, plan_id: str, frames: Mapping[str, Frame]
    ) -> tuple[Frame | None, list[str]]:
        """Each answer joined to those before it; one that has no key stays beside them."""
        answers = {name: await self._answer(name, frame) for name, frame in frames.items()}
        first = next(iter(frames))
        whole, frame, notes, joined = answers[first], frames[first], list[str](), False
        for number, name in enumerate(list(frames)[1:], start=1):
            plan = join_of(whole, answers[name])
            if plan is None:
                notes.append(f"{name} has no key in common with {whole.domain}: it stands beside.")
                continue
            seen = await self._observed(
                request,
                _join_call(plan_id, number, plan, self.clock),
                {_task(whole.domain): frame, _task(name): frames[name]},
            )
            if seen.frame is None:
                notes.append(f"{name} could not be joined with {whole.domain}: it stands beside.")
                continue
            notes += plan.notes
            frame, joined = seen.frame, True
            whole = await self._answer(f"{whole.domain} with {name}", frame)
        return frame if joined else None, notes

    async def _answer(self, name: str, frame: Frame) -> Answer:
        table = await self.tools.read(frame)
        columns = {column: tuple(table[column].to_pylist()) for column in table.column_names}
        return Answer(domain=name, columns=columns)


def _join_call(plan_id: str, number: int, plan: JoinPlan, clock: Clock) -> ToolCall:
    task = f"joined_{number}"
    step = {
        "operation": "join",
        "right": _task(plan.right),
        "how": "full",
        "on": [{"left": left, "right": right} for left, right in plan.on],
        "suffix": f"_{_task(plan.right)}",
    }
    return ToolCall(
        call_id=derived_id(plan_id, task),
        plan_id=plan_id,
        task_id=task,
        tool_name="df.transform",
        arguments={"input": _task(plan.left), "steps": [step]},
        timestamp=clock.now(),
    )


def _task(domain: str) -> str:
    """A domain as the name of a step's frame."""
    return domain.replace(" ", "_").replace(".", "_")
