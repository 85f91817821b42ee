"""DefinitionService: translates between the contract and the use cases of definitions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import Any

from google.protobuf import json_format
from grpc import aio

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from assay.gateway.v1 import definition_service_pb2 as pb
from assay.gateway.v1 import definition_service_pb2_grpc
from assay.gateway.v1 import job_service_pb2 as job_service_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.definitions.app import Definitions, check_model, check_words
from gateway.definitions.effects import MOST_JOBS, effects_on
from gateway.definitions.facts import facts_of
from gateway.definitions.places import places_of
from gateway.domain.definition import Definition, DefinitionState, Effect
from gateway.forwarding import answered
from gateway.jobs.showing import shown_source
from gateway.jobs.submitting import Submitting
from gateway.sources.resolving import text_of
from mesh import context as calls
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.ids import new_id, parse_id
from mesh.paging import page_size

Context = aio.ServicerContext[Any, Any]
_STATES = {state: getattr(pb, f"DEFINITION_STATE_{state.name}") for state in DefinitionState}
_OF_PROPOSAL = "definition"


class DefinitionServicer(definition_service_pb2_grpc.DefinitionServiceServicer):
    """Serves assay.gateway.v1.DefinitionService."""

    def __init__(
        self,
        definitions: Definitions,
        strangers: Strangers,
        submitting: Submitting,
        planner: planner_service_pb2_grpc.PlannerServiceStub,
        local_paths: Callable[[Context], bool],
    ) -> None:
        self._definitions = definitions
        self._strangers = strangers
        self._submitting = submitting
        self._planner = planner
        self._local_paths = local_paths

    async def ProposeDefinition(
        self, request: pb.ProposeDefinitionRequest, context: Context
    ) -> pb.ProposeDefinitionResponse:
        """Hold a definition against its sources, and keep it."""
        definition_id = parse_id(request.request_id, "request_id")
        session = parse_id(request.session_id, "session_id") if request.session_id else ""
        check_model(request.model)
        check_words(request.evidence, "evidence")
        asked = job_service_pb.PlanJobRequest(session_id=session)
        asked.analysis.data_sources.extend(request.sources)
        asked.analysis.policy.CopyFrom(request.policy)
        ready = await self._submitting.ready(asked, new_id(), session, context)
        sources = ready.analysis.data_sources
        places = places_of(sources, ready.files)
        if not places:
            raise _frames_alone()
        facts = await self._facts(ready, request.model)
        kept = Definition(
            tenant="",
            definition_id=definition_id,
            places=places,
            sources=tuple(map(_bare, sources)),
            model=request.model,
            evidence=request.evidence.strip(),
            proposed_by="",
            proposed_at=ready.submitted_at.ToDatetime(UTC),
            facts=tuple(facts),
            effects=tuple(await self._effects(session, request.model, context)),
        )
        made = await self._definitions.propose(kept)
        return pb.ProposeDefinitionResponse(definition=self._message(made, context))

    async def GetDefinition(
        self, request: pb.GetDefinitionRequest, context: Context
    ) -> pb.GetDefinitionResponse:
        """One of the tenant's definitions."""
        wanted = parse_id(request.definition_id, "definition_id")
        with self._strangers.noticing("definition", wanted):
            found = await self._definitions.get(wanted)
        return pb.GetDefinitionResponse(definition=self._message(found, context))

    async def ListDefinitions(
        self, request: pb.ListDefinitionsRequest, context: Context
    ) -> pb.ListDefinitionsResponse:
        """The tenant's definitions, newest first."""
        size = page_size(request.page_size, 100, 100)
        state = _state(request.state) if request.state else None
        page, token = await self._definitions.page(state, size, request.page_token)
        shown = [self._message(one, context) for one in page]
        return pb.ListDefinitionsResponse(definitions=shown, next_page_token=token)

    async def DecideDefinition(
        self, request: pb.DecideDefinitionRequest, context: Context
    ) -> pb.DecideDefinitionResponse:
        """Approve, reject or retire."""
        wanted, state = parse_id(request.definition_id, "definition_id"), _state(request.state)
        if state is DefinitionState.PENDING:
            raise _no_decision("nothing becomes pending again")
        with self._strangers.noticing("definition", wanted):
            decided, retired = await self._definitions.decide(wanted, state, request.reason)
        return pb.DecideDefinitionResponse(
            definition=self._message(decided, context),
            retired=[self._message(one, context) for one in retired],
        )

    async def _facts(self, ready: planner_pb.CreateJobRequest, model: str) -> list[str]:
        """What the data tells of it. Raises AssayError(SEMANTIC_MODEL_INVALID) where it does not
        fit."""
        wanted = planner_pb.LookAtSourcesRequest(
            analysis=ready.analysis, files=ready.files, submitted_at=ready.submitted_at
        )
        _add_model(wanted.analysis, model)
        seen = await answered(self._planner.LookAtSources(wanted), "planner")
        return facts_of(model, seen.look)

    async def _effects(self, session: str, model: str, context: Context) -> list[Effect]:
        """What it would change in the latest jobs of a session."""
        if not session:
            return []
        wanted = planner_pb.ListJobsRequest(session_id=session, page_size=MOST_JOBS)
        page = await answered(self._planner.ListJobs(wanted), "planner")
        ids = [one.job_id for one in page.jobs if one.HasField("analysis")]
        whole = [
            (
                await answered(
                    self._planner.GetJob(planner_pb.GetJobRequest(job_id=job)), "planner"
                )
            ).job
            for job in ids
        ]
        jobs = [one for one in whole if one.HasField("plan")]

        async def plan(job: job_pb2.Job) -> analysis_pb2.Plan | None:
            asked = job_service_pb.PlanJobRequest(analysis=job.analysis, session_id=session)
            ready = await self._submitting.ready(asked, new_id(), session, context)
            _add_model(ready.analysis, model)
            planning = planner_pb.PlanJobRequest(
                analysis=ready.analysis, files=ready.files, submitted_at=ready.submitted_at
            )
            with calls.changed(request_id=new_id()):
                planned = await answered(self._planner.PlanJob(planning), "planner")
            return planned.plan if planned.HasField("plan") else None

        return await effects_on(jobs, plan)

    def _message(self, one: Definition, context: Context) -> pb.Definition:
        sources = [json_format.Parse(text, data_pb2.DataSource()) for text in one.sources]
        for source in sources:
            shown_source(source, self._local_paths(context))
        message = pb.Definition(
            definition_id=one.definition_id,
            sources=sources,
            model=one.model,
            subjects=one.subjects,
            evidence=one.evidence,
            facts=one.facts,
            effects=[
                pb.DefinitionEffect(job_id=each.job_id, frame=each.frame, change=each.change)
                for each in one.effects
            ],
            state=_STATES[one.state],
            proposed_by=one.proposed_by,
        )
        message.proposed_at.FromDatetime(one.proposed_at)
        if (decision := one.decision) is not None:
            message.decided_by, message.reason = decision.by, decision.reason
            message.version = decision.version
            message.decided_at.FromDatetime(decision.at)
        return message


def _add_model(analysis: analysis_pb2.AnalysisRequest, model: str) -> None:
    """Behind all others, as it would stand once it is approved."""
    sources = analysis.data_sources
    sources[len(sources) - 1].semantic_models.add(name=_OF_PROPOSAL, text=model)


def _bare(source: data_pb2.DataSource) -> str:
    """A source as it is shown: where it is, and nothing of how it is read or what it means."""
    shown = data_pb2.DataSource()
    shown.CopyFrom(source)
    for field in ("semantic_models", "read_options", "schema_fingerprint"):
        shown.ClearField(field)
    return text_of(shown)


def _state(value: pb.DefinitionState.ValueType) -> DefinitionState:
    for state, number in _STATES.items():
        if number == value:
            return state
    raise _no_decision(f"there is no state number {value}")


def _no_decision(message: str) -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        message,
        hint="Approve, reject or retire a definition.",
        fields={"state": "APPROVED, REJECTED or RETIRED"},
    )


def _frames_alone() -> AssayError:
    return AssayError(
        INVALID_ARGUMENT,
        "a definition is about files or databases, and no frame is one",
        hint="Name the source that the frame was computed from.",
        fields={"sources": "at least one file or database"},
    )
