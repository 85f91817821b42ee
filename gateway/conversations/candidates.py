"""The domains that a conversation's question may be put to, ready for the planner.

Each brings its sources as its owner may name them, or its tools as they were approved. One that
cannot be made ready is there all the same, with why it cannot be asked: a question may be about it.
"""

from __future__ import annotations

import asyncio

from grpc import aio

from assay.common.v1 import routing_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from assay.planner.v1 import planner_service_pb2 as planner_pb
from gateway.domain.data_domain import DataDomain, MadeOf
from gateway.domains.app import Domains
from gateway.domains.routing import QuestionRouting, routable
from gateway.jobs.submitting import SessionFiles, Submitting
from mesh.errors import DOMAIN_DISABLED, NO_FILES_UPLOADED, AssayError


class Candidates:
    """Finds the caller's domains and makes those that are enabled ready."""

    def __init__(
        self,
        domains: Domains,
        routing: QuestionRouting,
        files: SessionFiles,
        submitting: Submitting,
    ) -> None:
        self._domains = domains
        self._routing = routing
        self._files = files
        self._submitting = submitting

    async def all(self) -> list[DataDomain]:
        """The caller's domains, disabled ones too: a question that is about one is not another's.
        None where all are disabled."""
        domains = await self._domains.all()
        return domains if any(domain.enabled for domain in domains) else []

    async def ready(
        self,
        domains: list[DataDomain],
        request_id: str,
        context: aio.ServicerContext[object, object],
    ) -> list[planner_pb.CandidateDomain]:
        """Each of the domains with what it is made of; a disabled one with its words alone."""
        enabled = [domain for domain in domains if domain.enabled]
        pairs = await self._routing.describe_domains(enabled)
        made = await asyncio.gather(*(self._made(d, request_id, context) for d in enabled))
        for candidate, (value, _) in zip(made, pairs, strict=True):
            candidate.told.MergeFrom(value)
        return [*made, *(_disabled(domain) for domain in domains if not domain.enabled)]

    async def _made(
        self, domain: DataDomain, request_id: str, context: aio.ServicerContext[object, object]
    ) -> planner_pb.CandidateDomain:
        if domain.made_of is MadeOf.SERVER:
            return await self._tools(domain)
        made = planner_pb.CandidateDomain()
        try:
            wanted = jobs_pb.CreateJobRequest()
            wanted.analysis.SetInParent()
            session_id = domain.place if domain.made_of is MadeOf.SESSION else ""
            if session_id:
                for file_id in await self._files.held(session_id):
                    wanted.analysis.data_sources.add(file_id=file_id)
                if not wanted.analysis.data_sources:
                    raise AssayError(NO_FILES_UPLOADED, f"the session of {domain.name} has no file")
            else:
                wanted.analysis.data_sources.add(source_name=domain.place)
            ready = await self._submitting.ready(wanted, request_id, session_id, context)
        except AssayError as error:
            made.unasked.CopyFrom(_unasked(error))
            return made
        made.data_sources.MergeFrom(ready.analysis.data_sources)
        for file_id, content in ready.files.items():
            made.files[file_id].CopyFrom(content)
        return made

    async def _tools(self, domain: DataDomain) -> planner_pb.CandidateDomain:
        """Tools as they were approved; their server is asked when it is called."""
        made = planner_pb.CandidateDomain(mcp_server=domain.place)
        approved = await self._domains.approved(domain)
        for name in sorted(domain.mcp_tools):
            tool = approved.get(name)
            if tool is None or not tool.input_schema:
                made.tools.add(name=name)
                continue
            made.tools.add(
                name=name,
                description=tool.description,
                input_schema_json=tool.input_schema,
                digest=tool.digest,
            )
            made.told.tools.append(tool.description or name)
        return made


def _disabled(domain: DataDomain) -> planner_pb.CandidateDomain:
    why = AssayError(
        DOMAIN_DISABLED,
        f"that is about {domain.name}, which is disabled",
        hint=f"Enable it: assay domain enable {domain.name}.",
    )
    return planner_pb.CandidateDomain(told=routable(domain), unasked=_unasked(why))


def _unasked(error: AssayError) -> routing_pb2.Unasked:
    return routing_pb2.Unasked(reason=error.reason.code, message=error.message, hint=error.remedy)
