"""What is approved of the sources of a request, put into it as further semantic models.

Works on the contract's messages, in place, once nothing else changes them.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.common.v1 import data_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from gateway.definitions.app import Definitions
from gateway.definitions.places import places_of


async def apply_definitions(request: planner_pb.CreateJobRequest, definitions: Definitions) -> None:
    """Put them behind all other models: what a later one says goes before."""
    sources = getattr(request, str(request.WhichOneof("work"))).data_sources
    _without_former(sources)
    for one in await definitions.in_force(places_of(sources, request.files)):
        version = one.decision.version if one.decision is not None else 0
        sources[len(sources) - 1].semantic_models.add(
            name=f"definition {one.definition_id[:8]}, version {version}",
            text=one.model,
            definition_id=one.definition_id,
        )


def _without_former(sources: Iterable[data_pb2.DataSource]) -> None:
    """Sources of an earlier job, sent again, hold what was approved then."""
    for source in sources:
        kept = [one for one in source.semantic_models if not one.definition_id]
        if len(kept) < len(source.semantic_models):
            source.ClearField("semantic_models")
            source.semantic_models.extend(kept)
