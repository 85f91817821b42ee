"""Patches: the only way in which agents change the state, each limited to what it declares.

Parallel agents see copies of one state and share nothing; their patches are merged field by field.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from datetime import datetime
from typing import Any

from pydantic import Field

from services.planner.domain.catalogue import Frozen
from services.planner.domain.causal.contracts import WRITES
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.causal.status import JobStatus
from services.planner.domain.causal.traces import AgentTrace

APPENDED = frozenset(
    {
        "treatment_effects",
        "analyzed_pairs",
        "sensitivity_results",
        "data_repairs",
        "debate_history",
        "critique_history",
    }
)
"""Lists that agents add to: a patch holds what is new, so that no agent can take anything away."""


class Patch(Frozen):
    """What one agent changes. `writes` are fields as JSON; `statuses` are moved through in order.

    `traces` are kept whole here, whatever the state shortens; the last is of the patch itself.
    """

    agent: str
    statuses: tuple[JobStatus, ...] = ()
    writes: dict[str, Any] = Field(default_factory=dict)
    traces: tuple[AgentTrace, ...] = ()
    made_at: datetime

    @property
    def reasoning(self) -> str:
        """Why it changes what it does; nothing where no trace says it."""
        return self.traces[-1].reasoning if self.traces else ""

    def check(self) -> None:
        """Raises PermissionError for a field that the agent does not declare."""
        undeclared = sorted(self.writes.keys() - WRITES[self.agent])
        if undeclared:
            raise PermissionError(
                f"{self.agent} may write {', '.join(sorted(WRITES[self.agent])) or 'nothing'}, "
                f"not {', '.join(undeclared)}"
            )


def applied(state: AnalysisState, patch: Patch) -> AnalysisState:
    """The state after a patch.

    Raises PermissionError for an undeclared field, ValueError for a move that is not drawn or a
    value that is none of the field's.
    """
    patch.check()
    for status in patch.statuses:
        state = state.moved(status, patch.made_at)
    values = {
        name: (*getattr(state, name), *value) if name in APPENDED else value
        for name, value in deepcopy(patch.writes).items()
    }
    if values:
        state = state.changed(patch.made_at, **values)
    for trace in patch.traces:
        state = state.add_trace(trace)
    return state


def merged(state: AnalysisState, patches: Iterable[Patch]) -> AnalysisState:
    """The state after patches of agents that ran side by side.

    Raises PermissionError where two of them write one field: neither would know of the other.
    """
    writers: dict[str, str] = {}
    for patch in patches:
        for name in patch.writes:
            if name in writers and name not in APPENDED:
                raise PermissionError(f"{writers[name]} and {patch.agent} both write {name}")
            writers[name] = patch.agent
        state = applied(state, patch)
    return state
