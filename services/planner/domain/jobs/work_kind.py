"""Which kind of work a request asks for by its words."""

from __future__ import annotations

from services.planner.domain.investigation.request import (
    INVESTIGATION_SECONDS,
    InvestigationRequest,
)
from services.planner.domain.investigation.why import why_moved
from services.planner.domain.jobs.kinds import Work
from services.planner.domain.question import AnalysisRequest


def find_work(request: Work) -> Work:
    """A request as the kind of work that its words ask for.

    A question why a metric moved is an investigation, whichever kind it came as; the metric of one
    that names none is that of its question. A statement, a choice among readings and corrections
    are of analyses alone.
    """
    today = request.timestamp.date()
    if isinstance(request, InvestigationRequest):
        if not request.asked or request.metric_sql or request.leaf:
            return request
        found = why_moved(request.asked, today)
        return request.model_copy(update={"metric_sql": found.metric}) if found else request
    if not isinstance(request, AnalysisRequest):
        return request
    if request.statement or request.choice or request.corrections or request.follows_job_id:
        return request
    found = why_moved(request.intent, today)
    if found is None:
        return request
    constraints = request.constraints
    if "timeout_seconds" not in constraints.model_fields_set:
        constraints = constraints.model_copy(update={"timeout_seconds": INVESTIGATION_SECONDS})
    return InvestigationRequest(
        request_id=request.request_id,
        data_sources=request.data_sources,
        constraints=constraints,
        policy=request.policy,
        timestamp=request.timestamp,
        metric_sql=found.metric,
        asked=request.intent,
    )
