"""An investigation as it stands: what was decided and found so far, and nothing beside that.

It is no second truth: it is folded from the job's recorded decisions, so that whoever takes a job
up after a crash has the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from services.planner.domain.catalogue import Frozen
from services.planner.domain.decision import Decision, DecisionKind
from services.planner.domain.investigation.data_model import AnalysisPlan, DataModel
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import (
    Approach,
    Hypothesis,
    HypothesisStatus,
)
from services.planner.domain.investigation.iteration import (
    MAX_ITERATIONS,
    STALLED_AFTER,
    ExitReason,
    Finding,
    FindingsLedger,
    IterationLog,
    NextStep,
)
from services.planner.domain.model_use import ModelUse
from services.planner.domain.suggestions import Suggestions

GROUNDED: DecisionKind = "investigate"
NEXT: DecisionKind = "next_step"
FOUND: DecisionKind = "finding"


class Grounded(Frozen):
    """What stands before the first iteration; its decision is recorded as `investigate`.
    `suggestions` are what a model would look at, where one was asked, and `proposal` the metric as
    it read it, where nobody else could (`Plan.proposal`)."""

    ground: Ground
    data_model: DataModel
    analysis_plan: AnalysisPlan
    hypotheses: tuple[Hypothesis, ...]
    suggestions: Suggestions | None = None
    proposal: dict[str, Any] | None = None
    model_use: ModelUse | None = None


class Found(Frozen):
    """What one iteration came to; its decision is recorded as `finding`. `told` is what the tools
    say of faults, sentence by sentence."""

    log: IterationLog
    finding: Finding | None = None
    told: tuple[str, ...] = ()
    further: tuple[Hypothesis, ...] = ()


class Investigation(Frozen):
    """Everything so far. `open_step` is an iteration that was decided and came to nothing yet;
    `concluded` says why the loop was ended, once that was decided."""

    grounded: Grounded | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    iterations: tuple[IterationLog, ...] = ()
    findings: tuple[Finding, ...] = ()
    open_step: NextStep | None = None
    concluded: ExitReason | None = None

    @property
    def next_iteration(self) -> int:
        """The number of the iteration that is under way, or comes next."""
        return len(self.iterations) + 1

    def looks(self, approach: Approach) -> tuple[IterationLog, ...]:
        """The iterations that tried a hypothesis in this way, in order."""
        about = {finding.iteration: finding.hypothesis_affected for finding in self.findings}
        tried = {h.hypothesis_id for h in self.hypotheses if h.approach is approach}
        return tuple(log for log in self.iterations if about.get(log.iteration) in tried)

    def fruitless(self, approach: Approach) -> bool:
        """Whether this way of looking was taken and showed nothing at all."""
        looks = self.looks(approach)
        return bool(looks) and not any(log.showed for log in looks)

    def stalled(self, approach: Approach) -> bool:
        """Whether the last looks of this kind showed nothing new."""
        last = self.looks(approach)[-STALLED_AFTER:]
        return len(last) == STALLED_AFTER and not any(log.showed for log in last)

    @property
    def seen(self) -> frozenset[str]:
        """Hypotheses that an iteration was about, or settled on its way."""
        taken = {c.hypothesis for log in self.iterations for c in log.hypothesis_status_changes}
        return frozenset(taken | {finding.hypothesis_affected for finding in self.findings})

    @property
    def untried(self) -> tuple[Hypothesis, ...]:
        """Open hypotheses that nobody has looked at, the most plausible first."""
        seen, pending = self.seen, HypothesisStatus.PENDING
        left = [h for h in self.hypotheses if h.status is pending and h.hypothesis_id not in seen]
        return tuple(sorted(left, key=lambda h: (h.priority, h.hypothesis_id)))

    @property
    def used_up(self) -> bool:
        """Whether there may be no further iteration."""
        return len(self.iterations) >= MAX_ITERATIONS

    def hypothesis(self, identity: str) -> Hypothesis:
        """The hypothesis of that id. Raises KeyError."""
        found = next((h for h in self.hypotheses if h.hypothesis_id == identity), None)
        if found is None:
            raise KeyError(identity)
        return found

    def after(self, decision: Decision) -> Investigation:
        """The same once a further decision is known; one of another kind changes nothing."""
        if decision.kind == GROUNDED:
            grounded = Grounded.model_validate(decision.decided)
            return self.model_copy(update={"grounded": grounded, "hypotheses": grounded.hypotheses})
        if decision.kind == NEXT:
            return self._begun(NextStep.model_validate(decision.decided))
        if decision.kind == FOUND:
            return self._found(Found.model_validate(decision.decided))
        return self

    def _begun(self, step: NextStep) -> Investigation:
        known = tuple(
            h.moved(HypothesisStatus.PENDING)
            if h.hypothesis_id == step.put_back and h.status is HypothesisStatus.INVESTIGATING
            else h
            for h in (*self.hypotheses, *step.further)
        )
        moved = tuple(
            h.moved(HypothesisStatus.INVESTIGATING)
            if h.hypothesis_id == step.hypothesis and h.status is HypothesisStatus.PENDING
            else h
            for h in known
        )
        ended = {"concluded": step.exit_reason or self.concluded}
        return self.model_copy(update={"hypotheses": moved, "open_step": step, **ended})

    def _found(self, found: Found) -> Investigation:
        after = {change.hypothesis: change.after for change in found.log.hypothesis_status_changes}
        hypotheses = tuple(_settled(h, after.get(h.hypothesis_id)) for h in self.hypotheses)
        findings = self.findings if found.finding is None else (*self.findings, found.finding)
        return self.model_copy(
            update={
                "hypotheses": (*hypotheses, *found.further),
                "iterations": (*self.iterations, found.log),
                "findings": findings,
                "open_step": None,
            }
        )

    def ledger(self, now: datetime) -> FindingsLedger:
        """Everything that was found, once the loop has ended. Raises ValueError before."""
        if self.concluded is None:
            raise ValueError("the investigation goes on")
        return FindingsLedger(
            findings=self.findings,
            hypothesis_outcomes={h.hypothesis_id: h.status for h in self.hypotheses},
            total_iterations=len(self.iterations),
            exit_reason=self.concluded,
            created_at=now,
        )


def _settled(hypothesis: Hypothesis, status: HypothesisStatus | None) -> Hypothesis:
    if status is None or status is hypothesis.status:
        return hypothesis
    if hypothesis.status is HypothesisStatus.PENDING:  # what bears on one may decide another too
        hypothesis = hypothesis.moved(HypothesisStatus.INVESTIGATING)
    return hypothesis if status is hypothesis.status else hypothesis.moved(status)


def folded(decisions: Sequence[Decision]) -> Investigation:
    """The investigation that a job's decisions tell, in their order."""
    state = Investigation()
    for decision in decisions:
        state = state.after(decision)
    return state
