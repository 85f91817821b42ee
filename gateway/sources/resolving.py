"""Sources that a request names by name, or not at all: what stands for them.

Works on the contract's messages, in place, before anything else looks at them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from google.protobuf import json_format

from assay.common.v1 import data_pb2
from gateway.domain.known_source import KnownSource, source_name
from gateway.jobs.preparing import Submission, sources_of
from gateway.sources.app import KnownSources
from mesh.errors import NO_FILES_UPLOADED, AssayError


async def resolve_sources(request: Submission, known: KnownSources) -> None:
    """Put places for names, and the only source that is known where none is named.

    Raises AssayError: NOT_FOUND for a name that is not the caller's, INVALID_ARGUMENT for what can
    be none, NO_DATA_SOURCES where it is not said which of several.
    """
    sources = sources_of(request)
    if request.causal.HasField("origin"):
        return  # its data are those of the investigation that it comes from
    if not sources and (only := await known.only()) is not None:
        getattr(request, str(request.WhichOneof("work"))).data_sources.add().source_name = only.name
    for number, source in enumerate(sources_of(request)):
        if source.WhichOneof("place") == "source_name":
            field = f"{request.WhichOneof('work')}.data_sources[{number}].source_name"
            found = await known.get(source_name(source.source_name, field))
            _place(source, found)


async def use_session_files(
    request: Submission, session_id: str, held: Callable[[str], Awaitable[Iterable[str]]]
) -> None:
    """Put the files of its session for an investigation that names no source (seed 002).

    `held` gives their ids. Raises AssayError(NO_FILES_UPLOADED) where the session has none.
    """
    if request.WhichOneof("work") != "investigation" or sources_of(request):
        return
    for file_id in await held(session_id):
        request.investigation.data_sources.add(file_id=file_id)
    if not sources_of(request):
        raise AssayError(
            NO_FILES_UPLOADED,
            f"session {session_id[:8]} has no file to investigate",
            fields={"session_id": "no file was uploaded, and data_sources names nothing else"},
        )


def message_of(known: KnownSource) -> data_pb2.DataSource:
    """A known source as the contract has it."""
    return json_format.Parse(known.source, data_pb2.DataSource(), ignore_unknown_fields=True)


def text_of(source: data_pb2.DataSource) -> str:
    """A source as it is stored: equal ones are equal texts."""
    return json_format.MessageToJson(source, sort_keys=True, indent=None)


def _place(source: data_pb2.DataSource, known: KnownSource) -> None:
    """Fill in where it is; what the request says of it besides goes before what was stored."""
    stored = message_of(known)
    asked = data_pb2.DataSource()
    asked.CopyFrom(source)
    asked.ClearField("place")
    if asked.HasField("read_options"):
        stored.ClearField("read_options")
    if asked.semantic_models:
        stored.ClearField("semantic_models")
    stored.name = stored.name or known.name
    source.CopyFrom(stored)
    source.MergeFrom(asked)
