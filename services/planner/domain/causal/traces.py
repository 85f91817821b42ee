"""What agents did, for those who look after them (seed 001).

A state keeps the newest in full and older ones as one summary, once they are many or long. The
originals are never lost: each stands in the recorded decision of the agent that left it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from services.planner.domain.catalogue import Frozen

MAX_TRACES = 50
MAX_TRACE_OUTPUT_LEN = 500
MAX_TRACE_REASONING_LEN = 1000
MOST_CHARACTERS = MAX_TRACES * MAX_TRACE_REASONING_LEN
"""What MAX_TRACES have that reason at length: calls that name many columns come to that before they
are many."""
_KEPT_IN_FULL = 25
SUMMARY_ACTION = "earlier traces"


class AgentTrace(Frozen):
    """One action of one agent; `duration_ms` in milliseconds."""

    agent_name: str
    timestamp: datetime
    action: str
    reasoning: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(default_factory=dict)
    tools_called: tuple[str, ...] = ()
    duration_ms: int = 0
    token_usage: dict[str, int] = Field(default_factory=dict)

    @property
    def shortened(self) -> AgentTrace:
        """With inputs, outputs and reasoning as long as a state keeps them."""
        inputs = {name: _cut(value) for name, value in self.inputs.items()}
        outputs = {name: _cut(value) for name, value in self.outputs.items()}
        reasoning = self.reasoning[:MAX_TRACE_REASONING_LEN]
        return self.model_copy(
            update={"inputs": inputs, "outputs": outputs, "reasoning": reasoning}
        )

    @property
    def characters(self) -> int:
        """How much it tells, in characters of its reasoning, inputs and outputs."""
        values = (*self.inputs.values(), *self.outputs.values())
        return len(self.reasoning) + sum(len(str(value)) for value in values)


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else str(value)
    return text[:MAX_TRACE_OUTPUT_LEN] if len(text) > MAX_TRACE_OUTPUT_LEN else value


def added(traces: Sequence[AgentTrace], trace: AgentTrace) -> tuple[AgentTrace, ...]:
    """The traces with one more; where they are more than twice MAX_TRACES, or have more than
    MOST_CHARACTERS, all but the newest become one summary."""
    longer = (*traces, trace.shortened)
    many = len(longer) > 2 * MAX_TRACES
    long = sum(one.characters for one in longer) > MOST_CHARACTERS
    if not many and not (long and len(longer) > _KEPT_IN_FULL + 1):
        return longer
    older, newest = longer[:-_KEPT_IN_FULL], longer[-_KEPT_IN_FULL:]
    return (_summary(older), *newest)


def _summary(traces: Sequence[AgentTrace]) -> AgentTrace:
    counted: Counter[str] = Counter()
    actions = 0
    for trace in traces:
        if trace.action == SUMMARY_ACTION:  # of what was summed up before
            counted.update({name: int(count) for name, count in trace.outputs.items()})
            actions += int(trace.inputs.get("actions", 0))
        else:
            counted[trace.agent_name] += 1
            actions += 1
    return AgentTrace(
        agent_name="orchestrator",
        timestamp=traces[-1].timestamp,
        action=SUMMARY_ACTION,
        reasoning=f"{actions} earlier actions; each is kept whole in the job's decisions",
        inputs={"actions": actions},
        outputs=dict(sorted(counted.items())),
        duration_ms=sum(trace.duration_ms for trace in traces),
    )
