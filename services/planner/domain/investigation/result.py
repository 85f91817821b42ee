"""What an investigation hands over: its report, and everything that it stands on (seed 002)."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from services.planner.domain.answer import Answered
from services.planner.domain.investigation.data_model import AnalysisPlan, DataModel
from services.planner.domain.investigation.explanation import Explanation
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesis import Hypothesis
from services.planner.domain.investigation.iteration import FindingsLedger, IterationLog
from services.planner.domain.request import JobKind


class ReportStatus(StrEnum):
    """Whether a report explains anything."""

    COMPLETED = "completed"
    NO_FINDINGS = "no_findings"


class InvestigationResult(Answered):
    """The answer of an investigation, with its ledger and what every hypothesis came to."""

    kind: Literal[JobKind.INVESTIGATION] = JobKind.INVESTIGATION
    status: ReportStatus = ReportStatus.COMPLETED
    ground: Ground
    data_model: DataModel
    analysis_plan: AnalysisPlan
    hypotheses: tuple[Hypothesis, ...]
    iterations: tuple[IterationLog, ...]
    ledger: FindingsLedger
    explanations: tuple[Explanation, ...] = ()
