"""An investigation as it stands: what was decided and found so far, and nothing beside that.

It is no second truth: it is folded from the job's recorded decisions, so that whoever takes a job
up after a crash has the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from services.planner.domain.catalogue import Frozen
from services.planner.domain.decision import Decision, DecisionKind
from services.planner.domain.investigation.data_model import AnalysisPlan, DataModel
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus
from services.planner.domain.investigation.iteration import (
    MAX_ITERATIONS,
    STALLED_AFTER,
    ExitReason,
    Finding,
    FindingsLedger,
    IterationLog,
    NextStep,
)

GROUNDED: DecisionKind = "investigate"
NEXT: DecisionKind = "next_step"
FOUND: DecisionKind = "finding"
_FINAL = (HypothesisStatus.CONFIRMED, HypothesisStatus.RULED_OUT)


class Grounded(Frozen):
    """What stands before the first iteration; its decision is recorded as `investigate`."""

    ground: Ground
    data_model: DataModel
    analysis_plan: AnalysisPlan
    hypotheses: tuple[Hypothesis, ...]


class Found(Frozen):
    """What one iteration came to; its decision is recorded as `finding`. `told` is what the tools
    say of faults, sentence by sentence."""

    log: IterationLog
    finding: Finding | None = None
    told: tuple[str, ...] = ()
    further: tuple[Hypothesis, ...] = ()


class Investigation(Frozen):
    """Everything so far. `open_step` is an iteration that was decided and came to nothing yet."""

    grounded: Grounded | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    iterations: tuple[IterationLog, ...] = ()
    findings: tuple[Finding, ...] = ()
    open_step: NextStep | None = None

    @property
    def next_iteration(self) -> int:
        """The number of the iteration that is under way, or comes next."""
        return len(self.iterations) + 1

    @property
    def concluded(self) -> ExitReason | None:
        """Why the loop has ended; None while it goes on."""
        return self.open_step.exit_reason if self.open_step is not None else None

    @property
    def stalled(self) -> bool:
        """Whether the last iterations decided nothing about any hypothesis."""
        last = self.iterations[-STALLED_AFTER:]
        return len(last) == STALLED_AFTER and not any(
            change.after in _FINAL for log in last for change in log.hypothesis_status_changes
        )

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
        return self.model_copy(update={"hypotheses": moved, "open_step": step})

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
