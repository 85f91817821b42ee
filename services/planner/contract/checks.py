"""What checks found, for the contract."""

from __future__ import annotations

from assay.common.v1 import checks_pb2
from services.planner.domain.checks.finding import Finding, Lint, Severity

_SEVERITIES = {
    Severity.ERROR: checks_pb2.CHECK_SEVERITY_ERROR,
    Severity.DOUBT: checks_pb2.CHECK_SEVERITY_DOUBT,
    Severity.NOTE: checks_pb2.CHECK_SEVERITY_NOTE,
}


def lint_to(lint: Lint) -> checks_pb2.Lint:
    """What is to be said of a statement."""
    return checks_pb2.Lint(
        findings=[finding_to(found) for found in lint.findings],
        unanswered=lint.unanswered,
        fixed=lint.fixed,
    )


def finding_to(found: Finding) -> checks_pb2.CheckFinding:
    """One finding."""
    return checks_pb2.CheckFinding(
        code=found.code,
        name=found.name,
        severity=_SEVERITIES[found.severity],
        at=found.at,
        said=found.said,
        mend=found.mend,
        sizes=found.sizes,
        fix=found.fix,
    )
