"""What one iteration comes to, as it is recorded: its log, its finding, and what to try next."""

from __future__ import annotations

from datetime import datetime

from services.planner.domain.investigation.hypothesising import within_hypotheses
from services.planner.domain.investigation.iteration import (
    Finding,
    IterationLog,
    NextStep,
    finding_id,
)
from services.planner.domain.investigation.judgement import Judgement
from services.planner.domain.investigation.state import Found, Investigation


def found_of(
    state: Investigation,
    step: NextStep,
    judgement: Judgement,
    code: str,
    output: str,
    now: datetime,
) -> Found:
    """An iteration that tried a hypothesis. `code` are its calls as JSON, one a line, `output` is
    where all that they gave lies. Segments that stood out are hypotheses from now on. Raises
    ValueError before the investigation is grounded."""
    if state.grounded is None:
        raise ValueError("the investigation is not grounded yet")
    ground, number = state.grounded.ground, state.next_iteration
    return Found(
        log=IterationLog(
            iteration=number,
            decision=step.move,
            reason=step.reason,
            code_executed=code,
            raw_output=output,
            compressed_summary=judgement.summary,
            hypothesis_status_changes=judgement.changes,
            showed=judgement.showed,
            timestamp=now,
        ),
        finding=Finding(
            finding_id=finding_id(len(state.findings) + 1),
            iteration=number,
            summary=judgement.summary,
            full_output_ref=output,
            hypothesis_affected=step.hypothesis,
            created_at=now,
        ),
        told=judgement.notes,
        further=within_hypotheses(state.hypotheses, judgement.standing_out, ground, now),
    )


def conclusion_of(
    state: Investigation, step: NextStep, code: str, output: str, now: datetime
) -> Found:
    """The iteration that concludes: its grounds are what is told of it, and it finds nothing."""
    log = IterationLog(
        iteration=state.next_iteration,
        decision=step.move,
        reason=step.reason,
        code_executed=code,
        raw_output=output,
        compressed_summary=step.reason,
        timestamp=now,
    )
    return Found(log=log)
