"""A causal job so far: folded from its recorded decisions, and nothing beside them."""

from __future__ import annotations

from collections.abc import Iterable

from services.planner.domain.catalogue import Frozen
from services.planner.domain.causal.contracts import ORCHESTRATOR
from services.planner.domain.causal.patching import Patch, applied
from services.planner.domain.causal.state import AnalysisState
from services.planner.domain.decision import Decision, DecisionKind
from services.planner.domain.plan import Subtask

BEGUN: DecisionKind = "begin"
DISPATCHED: DecisionKind = "dispatch"
PATCHED: DecisionKind = "patch"
ADVISED: DecisionKind = "advise"


class Dispatch(Frozen):
    """The agents that run next, side by side where they are several, and why.

    `patch` is the orchestrator's, applied before they run. `subtasks` are its own calls; a
    dispatch without agents ends with a patch of the orchestrator. `calls_before` is how many calls
    the job had asked for until then.
    """

    agents: tuple[str, ...]
    reason: str
    patch: Patch
    subtasks: tuple[Subtask, ...] = ()
    calls_before: int = 0


class Run(Frozen):
    """The state, who has done their part (in order), and whose part is open."""

    state: AnalysisState
    done: tuple[str, ...] = ()
    open: Dispatch | None = None
    waiting_for: tuple[str, ...] = ()

    def dispatched(self, dispatch: Dispatch) -> Run:
        """With agents under way. Raises what a patch raises."""
        return self.model_copy(
            update={
                "state": applied(self.state, dispatch.patch),
                "open": dispatch,
                "waiting_for": dispatch.agents or (ORCHESTRATOR,),
            }
        )

    def patched(self, patch: Patch) -> Run:
        """With the part of one agent done. Raises what a patch raises."""
        left = tuple(name for name in self.waiting_for if name != patch.agent)
        return self.model_copy(
            update={
                "state": applied(self.state, patch),
                "done": (*self.done, patch.agent),
                "waiting_for": left,
                "open": self.open if left else None,
            }
        )

    def rounds_of(self, agent: str) -> int:
        """How often an agent has done its part."""
        return self.done.count(agent)


def folded(begun: AnalysisState, decisions: Iterable[Decision]) -> Run:
    """The job that its decisions tell, in their order."""
    run = Run(state=begun)
    for decision in decisions:
        if decision.kind == DISPATCHED:
            run = run.dispatched(Dispatch.model_validate(decision.decided))
        elif decision.kind == PATCHED:
            run = run.patched(Patch.model_validate(decision.decided))
    return run
