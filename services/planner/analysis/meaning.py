"""What the executor says of sources, with what their semantic models say it means."""

from __future__ import annotations

import asyncio
from datetime import date

from services.planner.domain.analysis.planning import Planning
from services.planner.domain.catalogue import Catalogue
from services.planner.domain.evidence import ProbeLimits
from services.planner.domain.question import AnalysisRequest
from services.planner.domain.request import WorkRequest
from services.planner.ports import Described, Tools

_LIMITS = ProbeLimits(rows=1, seconds=10.0, each=5.0)


async def describe_sources(tools: Tools, request: WorkRequest, about: str = "") -> Described:
    """The sources of a request as questions about them are read; large files as far as a question
    or statement `about` them needs, where it is given.

    Without sources nothing is asked: its domains are all elsewhere. Raises AssayError for sources
    that cannot be read, and SEMANTIC_MODEL_INVALID for a model that names what they do not have.
    """
    if not request.data_sources:
        return Described(catalogue=Catalogue(tables=()))
    described = await (tools.describe(request, about) if about else tools.describe(request))
    return await with_models(described, request)


async def with_models(described: Described, request: WorkRequest) -> Described:
    """The description with the models of its request."""
    if not request.semantic_models:
        return described
    # Here, because lists of jobs come by this module and no model is read for them.
    from services.planner.domain.semantic_model.applying import with_models

    intended = await asyncio.to_thread(
        with_models, described.catalogue, request.data_sources, request.policy
    )
    return described.model_copy(update={"catalogue": intended})


def in_business(
    described: Described, request: AnalysisRequest, before: Planning | None, today: date
) -> Described:
    """The description with what words of business mean over it, which the request says or what it
    goes on from (`before`) did."""
    if request.statement:
        return described
    # Here, for the same reason.
    from services.planner.domain.business.adding import with_business_words

    texts = (*(before.said if before is not None else ()), request.intent, *request.corrections)
    catalogue = with_business_words(described.catalogue, texts, today)
    return described.model_copy(update={"catalogue": catalogue})


async def check_against_rows(tools: Tools, request: WorkRequest, catalogue: Catalogue) -> None:
    """Run each metric once, under the rules of every query: one that cannot run is a mistake.

    Raises AssayError(SEMANTIC_MODEL_INVALID).
    """
    if not request.semantic_models:
        return
    from services.planner.domain.semantic_model.probing import probes_of, raise_failed

    probes = probes_of(catalogue)
    if probes:
        outcomes = await tools.probe(request, [probe.query for probe in probes], _LIMITS)
        raise_failed(probes, outcomes, catalogue, request.data_sources)
