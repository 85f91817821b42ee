"""The beginning of an investigation: describe the sources, find the metric in them, set out."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from mesh.errors import AssayError
from mesh.ids import derived_id
from services.planner.analysis.meaning import describe_sources
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.checks.finding import Finding
from services.planner.domain.decision import Decision
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.grounding import ground_of
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.leads import supposed_of
from services.planner.domain.investigation.metric import not_understood
from services.planner.domain.investigation.metric_checked import OF_METRICS, metric_statement
from services.planner.domain.investigation.metric_text import MetricOfTable, of_sql
from services.planner.domain.investigation.modelling import analysis_plan_of, data_model_of
from services.planner.domain.investigation.request import InvestigationRequest
from services.planner.domain.investigation.state import GROUNDED, Grounded
from services.planner.domain.jobs.job import Job
from services.planner.domain.permission import column_refused, question_refused
from services.planner.domain.suggestions import (
    OF_INVESTIGATIONS,
    Suggestions,
    SuggestionsInput,
)
from services.planner.investigation.metric_of_model import metric_problems, metric_proposal
from services.planner.jobs import records
from services.planner.jobs.asking_data import evidence_of
from services.planner.jobs.collaborators import Collaborators, JobContext
from services.planner.ports import Described

_LONGEST_ASKED = 300
_SHARE_OF_TIME = 0.25
"""Of the time of an investigation, what a model may take to say where it would look."""
_SOON = ("metric.quality", "metric.cube", "metric.change", "metric.search", "plot.render")
"""Tools of nearly every investigation, in the order of their first calls: what they work with is
imported while the sources are read."""


def investigation_of(job: Job) -> InvestigationRequest:
    """What an investigation was asked for. Raises ValueError for a job of another kind."""
    if not isinstance(job.request, InvestigationRequest):
        raise ValueError(f"job {job.job_id} is no investigation")
    return job.request


class Starting:
    """Grounds one job."""

    def __init__(self, with_: Collaborators, context: JobContext) -> None:
        self._with = with_
        self._context = context

    async def described(self, job: Job) -> Described:
        """The sources, once policy has let the words of the request pass. Raises AssayError."""
        described, _ = await asyncio.gather(
            describe_sources(self._with.tools, job.request), self._with.tools.names(_SOON)
        )
        request = investigation_of(job)
        columns = (request.time_column, request.real_column, request.predicted_column)
        words = " ".join((request.metric_sql, *columns, *request.dimensions))
        refused = question_refused(request) or column_refused(
            words, described.blocked_columns, described.catalogue
        )
        if refused:
            event = records.refused(job.job_id, refused.reason.code, refused.message)
            await self._with.audit.append(job.job_id, [event])
            raise refused
        return described

    async def grounded(self, job: Job, described: Described) -> Decision:
        """The decision on what is investigated, and what may be behind it.

        Raises AssayError: METRIC_NOT_UNDERSTOOD, NO_TIME_COLUMN, NO_DIMENSIONS, NO_ROWS_IN_PERIOD.
        """
        request, catalogue = investigation_of(job), described.catalogue
        ground, given = await self._ground(request, described)
        ground, found = await self._checked(request, ground, catalogue)
        proposal = None
        if given is not None and given.metric:
            proposal = metric_proposal(given.by, request, ground, found, catalogue)
        now = self._context.clock.now()
        decided = Grounded(
            ground=ground,
            data_model=data_model_of(catalogue, ground, request.data_sources, now),
            analysis_plan=analysis_plan_of(ground, now),
            hypotheses=first_hypotheses(
                ground, now, supposed_of(given), given.by if given is not None else ""
            ),
            suggestions=given,
            proposal=proposal,
            model_use=given.model_use if given is not None else None,
        )
        by = f", by {', '.join(ground.dimensions)}" if ground.dimensions else ""
        return Decision(
            decision_id=derived_id(job.job_id, "investigate"),
            job_id=job.job_id,
            kind=GROUNDED,
            reasoner="rules",
            reason=f"{ground.label} of {ground.source_name}{by}"[:500],
            given={
                "metric": request.metric_sql,
                "source_digests": list(described.source_digests),
                "source_seals": list(described.source_seals),
                "schema_fingerprint": catalogue.fingerprint,
                "hidden_columns": len(described.blocked_columns),
            },
            decided=decided.model_dump(mode="json"),
            timestamp=now,
        )

    async def _ground(
        self, request: InvestigationRequest, described: Described
    ) -> tuple[Ground, Suggestions | None]:
        """What the request stands on, with what a model would look at first, where there is one:
        it is asked once, also for the metric where the rules cannot read its words."""
        catalogue = described.catalogue
        ground = ground_of(request, catalogue)
        metric, unread = None, None
        if ground is None:
            try:
                metric = await self._in_words(request, catalogue)
            except AssayError as error:
                unread = error
        given = await self._suggested(request, described, wants_metric=unread is not None)
        if unread is not None:
            if given is None:
                raise unread
            if not given.metric:
                raise replace(unread, hint=f"{unread.remedy} {_asked_in_vain(given)}")
            found = of_sql(given.metric, catalogue, request.metric_sql)
            text = f"{request.metric_sql!r} was read by {given.by} as {found.metric.sql}"
            metric = MetricOfTable(found.metric, found.table, (*found.notes, text))
        proposed = given.columns if given is not None else frozenset()
        if ground is None or proposed:
            ground = ground_of(request, catalogue, metric, proposed)
        if ground is None:
            raise not_understood(f"the metric {request.metric_sql!r} is not understood")
        return ground, given.placed(ground.proposed) if given is not None else None

    async def _suggested(
        self, request: InvestigationRequest, described: Described, *, wants_metric: bool
    ) -> Suggestions | None:
        """What a model would look at; None where a person said which dimensions count."""
        if request.leaf or (request.dimensions and not wants_metric):
            return None
        evidence = evidence_of(self._with, request)
        texts = (request.question, request.investigation_prompt, request.business_context)
        question, *context = (t if request.policy.match(t) is None else "" for t in texts)
        asked = f"The metric {request.metric_sql[:_LONGEST_ASKED]!r} moved."
        asked += f" The question: {question.rstrip('.?')}?" if question else ""
        if wants_metric:
            asked += " You are asked for the metric, too: nobody could read its words."
        given = SuggestionsInput(
            job_id=request.request_id,
            purpose="leads",
            asked=asked,
            context=" ".join(filter(None, context)),
            catalogue=described.catalogue,
            policy=request.policy,
            hidden=described.blocked_columns,
            wants=(*OF_INVESTIGATIONS, "metric") if wants_metric else OF_INVESTIGATIONS,
            seconds=_SHARE_OF_TIME * request.constraints.timeout_seconds,
            metric_problems=metric_problems(request, described.catalogue, evidence),
        )
        return await self._with.reasoner.suggest(given)

    async def _checked(
        self, request: InvestigationRequest, ground: Ground, catalogue: Catalogue
    ) -> tuple[Ground, tuple[Finding, ...]]:
        """The ground with what checks find in its metric (a rate added up, amounts in several
        currencies, numbers that stand for no value), and what they found."""
        # Here, because lists of jobs come by this module and judge no statement.
        from services.planner.domain.checks.judging import judge

        statement = metric_statement(ground)
        if not statement:
            return ground, ()
        evidence = evidence_of(self._with, request)
        judged = await judge(statement, catalogue, evidence, codes=OF_METRICS)
        texts = (*judged.caveats, *ground.said)
        return ground.model_copy(update={"said": texts}), judged.findings

    async def _in_words(self, request: InvestigationRequest, catalogue: Catalogue) -> MetricOfTable:
        """The metric that words mean, as the reader of questions reads them."""
        worded = await self._with.reasoner.metric(request, catalogue, self._with.tools.lookup)
        if worded is None or not worded.sql:
            names = [column.name for table in catalogue.tables for column in table.columns]
            metric = f"the metric {request.metric_sql!r}"
            raise not_understood(
                f"of {metric}, {worded.refused}" if worded else f"{metric} is not understood",
                f"Write it as SQL over the columns there are: {', '.join(names[:20])}.",
            )
        if worded.unread:
            unread = ", ".join(repr(word) for word in worded.unread)
            raise not_understood(
                f"of the metric {request.metric_sql!r}, {unread} means nothing in the data; the "
                f"rest is {worded.sql}",
                "Leave out what does not matter, or write the metric as SQL over the columns.",
            )
        try:
            found = of_sql(worded.sql, catalogue, request.metric_sql, worded.table)
        except AssayError as error:
            raise not_understood(
                f"{request.metric_sql!r} was read as {worded.sql}, and {error.message}"
            ) from error
        texts = (*found.notes, f"{request.metric_sql!r} was read as {found.metric.sql}")
        return MetricOfTable(found.metric, found.table, texts)


def _asked_in_vain(given: Suggestions) -> str:
    """That a model was asked for a metric too, and gave none."""
    why = (given.failed or "it did not say what the metric means").rstrip(".")
    return f"{given.by} was asked for it, too: {why}."
