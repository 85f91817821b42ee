"""A metric in words that no rule can read, as a language model proposes it: held to the checks that
everybody's is held to, recorded as a proposal, and never sure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mesh.errors import METRIC_NOT_UNDERSTOOD, AssayError
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.finding import Finding, Severity
from services.planner.domain.evidence import Evidence
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.metric_checked import OF_METRICS, metric_statement
from services.planner.domain.investigation.metric_text import of_sql
from services.planner.domain.investigation.request import InvestigationRequest

Problems = Callable[[str], Awaitable[Sequence[str]]]
_LONGEST_TEXT = 600
_PARTS = ("numerator", "denominator")


def metric_problems(
    request: InvestigationRequest, catalogue: Catalogue, evidence: Evidence
) -> Problems:
    """What is wrong with an SQL expression for the metric of a request. What checks find goes back
    once: proposed again all the same it stands, and that is told."""
    texts: set[str] = set()

    async def problems(sql: str) -> Sequence[str]:
        # Here, because lists of jobs come by this module and judge no statement.
        from services.planner.domain.checks.judging import judge

        try:
            ground = ground_of(request, catalogue, of_sql(sql, catalogue, request.metric_sql))
        except AssayError as error:
            if error.reason is not METRIC_NOT_UNDERSTOOD:
                return ()  # of periods and dimensions, which no metric mends
            return [f"the metric cannot be used: {error.message}"]
        text = metric_statement(ground) if ground is not None else ""
        if not text or texts:
            return ()
        judged = await judge(text, catalogue, evidence, codes=OF_METRICS)
        wrong = [one for one in judged.findings if one.severity is Severity.ERROR]
        # Of the data no more is told than where: numbers are facts of results.
        texts.update(f"{one.code} {one.name}, at {one.at}" for one in wrong)
        return sorted(texts)

    return problems


def metric_proposal(
    by: str,
    request: InvestigationRequest,
    ground: Ground,
    findings: Sequence[Finding],
    catalogue: Catalogue,
) -> dict[str, Any] | None:
    """The metric as a proposal, as a plan has it (`Planning.proposal_record`): the sum over all
    rows, to which the words of the request are bound. None where no single statement gives it."""
    # Here, because lists of jobs come by this module and take no statement apart.
    import sqlglot
    from sqlglot import exp

    from services.planner.domain.proposals.described import described
    from services.planner.domain.statements.proposal import MOST_STATEMENT, Binding, Proposal

    text = metric_statement(ground)
    if not text or len(text) > MOST_STATEMENT:
        return None
    select = sqlglot.parse_one(text, into=exp.Select, dialect="duckdb")
    named = zip(select.selects, _PARTS if ground.ratio else ("metric",), strict=False)
    select.set("expressions", [exp.alias_(one.copy(), name) for one, name in named])
    text = select.sql(dialect="duckdb")
    fragment = ", ".join(one.sql(dialect="duckdb") for one in select.selects)
    columns, grain = described(text, catalogue)
    proposal = Proposal(
        proposer=f"model:{by}",
        interpretation=f"{request.metric_sql} as {ground.metric}"[:_LONGEST_TEXT],
        statement=text,
        bindings=(
            Binding(
                words=request.metric_sql[:200],
                fragment=fragment[:_LONGEST_TEXT],
                kind="metric",
                because="no rule could read these words",
            ),
        ),
        columns=columns,
        grain=grain,
    )
    return {
        **proposal.model_dump(mode="json"),
        "findings": [found.model_dump(mode="json") for found in findings],
        "checked": sorted(OF_METRICS),
        "others": [],
    }
