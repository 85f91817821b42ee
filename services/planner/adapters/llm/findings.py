"""What checks find in a model's statements, given back to it: once, for it may know better."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.adapters.llm.proposal import Proposal
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.checks.finding import Finding, Severity
from services.planner.domain.checks.judging import judge
from services.planner.domain.statement import QUERYING_TOOL

_MOST_TIMES = 1
_LONGEST = 600


class GivenBack:
    """Judges proposals of one decision. What is proposed again all the same stands, with the doubt
    that checks leave."""

    def __init__(self, given: PlanningInput) -> None:
        self._given = given
        self._times = 0

    async def __call__(self, proposal: Proposal) -> Sequence[str]:
        """What must be mended, in words; nothing once it was said."""
        if self._times >= _MOST_TIMES or proposal.kind != "plan":
            return ()
        problems: list[str] = []
        for step in proposal.steps:
            if step.tool_name == QUERYING_TOOL:
                told = await judge(
                    str(step.arguments.get("query", "")),
                    self._given.catalogue,
                    self._given.evidence,
                    params=list(step.arguments.get("params") or ()),
                    question=self._given.request.intent,
                )
                wrong = [one for one in told.findings if one.severity is Severity.ERROR]
                problems += [f"step {step.task_id}: {_said(one)}" for one in wrong]
        self._times += bool(problems)
        return problems


def _said(found: Finding) -> str:
    """A finding for whoever wrote the statement."""
    return f"{found.name}: {found.said}; {found.mend or found.fix}"[:_LONGEST]
