"""Judges one statement by checks of analysis, without making a job of it."""

from __future__ import annotations

from mesh.errors import REASONS, STATEMENT_FAILED, AssayError
from services.planner.analysis.meaning import describe_sources
from services.planner.domain.analysis.own_statement import statement_refused
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.finding import Lint
from services.planner.domain.evidence import (
    PATIENT_LIMITS,
    Evidence,
    ProbedQuery,
    ProbeState,
)
from services.planner.domain.question import AnalysisRequest
from services.planner.jobs.asking_data import evidence_of
from services.planner.jobs.collaborators import Collaborators

_REASONS = {
    "SQL_REFUSED": "it may read tables of the given sources alone, no files and no settings",
    "TYPE_MISMATCH": "it puts values together whose types do not go together",
}
"""What is said of refusals that a statement and the names in it do not explain."""


async def linted(
    with_: Collaborators, request: AnalysisRequest, question: str, *, fix: bool = False
) -> Lint:
    """What there is to say of a request's statement; with `fix` also what would be right.

    Raises AssayError: STATEMENT_FAILED for what cannot be read or run, COLUMN_BLOCKED, and for
    sources that cannot be read.
    """
    # Here, because lists of jobs come by this module and judge no statement.
    from services.planner.domain.checks.judging import judge, mended

    described = await describe_sources(with_.tools, request)
    refused = statement_refused(request.statement, described.blocked_columns, described.catalogue)
    if refused is not None:
        raise refused

    evidence = evidence_of(with_, request)
    await _check_runs(request.statement, described.catalogue, evidence)
    judgement = await judge(request.statement, described.catalogue, evidence, question=question)
    if not judgement.readable:
        raise AssayError(
            STATEMENT_FAILED,
            "the statement is not one SELECT over the tables and columns that there are",
            hint="`assay look` lists them.",
        )
    fixed = ""
    if fix:
        fixed = await mended(request.statement, described.catalogue, evidence, question)
    return Lint(findings=judgement.findings, unanswered=judgement.unasked, fixed=fixed)


async def _check_runs(statement: str, catalogue: Catalogue, evidence: Evidence) -> None:
    """Refuse what the engine refuses, in words that say what is wrong with it."""
    from services.planner.domain.checks.unreadable import unreadable

    (outcome,) = await evidence([ProbedQuery(sql=statement)], PATIENT_LIMITS)
    if outcome.state is ProbeState.FAILED:
        found = unreadable(statement, catalogue)
        why = _REASONS.get(outcome.reason, outcome.reason.lower().replace("_", " "))
        raise AssayError(
            REASONS.get(outcome.reason, STATEMENT_FAILED),
            found.why if found else f"the statement cannot be run: {why}",
            hint=found.hint if found else "`assay sql` says where.",
        )
