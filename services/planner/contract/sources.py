"""Sources of data: as a request names them, and as the executor finds them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from google.protobuf import json_format

from assay.common.v1 import data_pb2, job_pb2
from assay.executor.v1 import executor_service_pb2 as executor_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb2
from services.planner.domain.data_source import DataSource, ModelText
from services.planner.domain.request import WorkRequest

_SOURCE_TYPES = {1: "sql", 2: "csv", 3: "json", 4: "parquet", 5: "arrow", 6: "excel"}
_SOURCE_NUMBERS = {name: number for number, name in _SOURCE_TYPES.items()}


def source_from(
    message: data_pb2.DataSource, files: Mapping[str, planner_pb2.FileContent]
) -> DataSource:
    """A source as the domain knows it; `files` says what the uploaded ones hold."""
    content = files.get(message.file_id or message.frame)
    digest = content.content_digest if content else ""
    return DataSource(
        type=_SOURCE_TYPES.get(message.type, ""),
        connection_string=message.connection_string,
        file_path=message.file_path,
        file_id=message.file_id,
        content_digest=digest if message.file_id else "",
        frame=message.frame,
        frame_digest=digest if message.frame else "",
        schema_fingerprint=message.schema_fingerprint,
        name=message.name or (content.name if content else ""),
        read_options=_options_from(message),
        semantic_models=tuple(
            ModelText(
                name=model.name or f"semantic model {number}",
                text=model.text,
                definition=model.definition_id,
            )
            for number, model in enumerate(message.semantic_models, 1)
        ),
    )


def sources_from(
    messages: Iterable[data_pb2.DataSource], files: Mapping[str, planner_pb2.FileContent]
) -> tuple[DataSource, ...]:
    """The sources of a request, to be read with the repairs that their semantic models ask for.

    Raises AssayError(SEMANTIC_MODEL_INVALID).
    """
    sources = tuple(source_from(message, files) for message in messages)
    if not any(source.semantic_models for source in sources):
        return sources
    # Here, because jobs are listed by this module and no model is read for that.
    from services.planner.domain.semantic_model.repairing import with_repairs

    return with_repairs(sources)


def _options_from(message: data_pb2.DataSource) -> str:
    if not message.HasField("read_options"):
        return ""
    fields = json_format.MessageToDict(message.read_options, preserving_proto_field_name=True)
    return json.dumps(fields, sort_keys=True)


def _options_to(source: DataSource) -> data_pb2.ReadOptions | None:
    if not source.read_options:
        return None
    return json_format.Parse(source.read_options, data_pb2.ReadOptions())


def sources_to(request: WorkRequest) -> list[executor_pb2.Source]:
    """All sources of a request, as the executor finds them."""
    return [
        executor_pb2.Source(
            type=data_pb2.DataSourceType.ValueType(_SOURCE_NUMBERS.get(source.type, 0)),
            name=source.name,
            read_options=_options_to(source),
            schema_fingerprint=source.schema_fingerprint,
            **_place(source, "content_digest", "frame_digest"),
        )
        for source in request.data_sources
    ]


def named_sources(request: WorkRequest) -> list[data_pb2.DataSource]:
    """All sources of a request, as its caller named them."""
    return [
        data_pb2.DataSource(
            type=data_pb2.DataSourceType.ValueType(_SOURCE_NUMBERS.get(source.type, 0)),
            schema_fingerprint=source.schema_fingerprint,
            name=source.name,
            read_options=_options_to(source),
            semantic_models=[
                data_pb2.SemanticModel(
                    name=model.name, text=model.text, definition_id=model.definition
                )
                for model in source.semantic_models
            ],
            **_place(source, "file_id", "frame"),
        )
        for source in request.data_sources
    ]


def files_of(request: WorkRequest) -> dict[str, planner_pb2.FileContent]:
    """What the uploaded files and frames are that a request names, by file_id and by job."""
    return {
        source.file_id or source.frame: planner_pb2.FileContent(
            content_digest=source.content_digest or source.frame_digest, name=source.name
        )
        for source in request.data_sources
        if source.file_id or source.frame
    }


def without_texts(job: job_pb2.Job) -> None:
    """Leave the names of semantic models, as lists do: their texts may be long."""
    kind = job.WhichOneof("work")
    for source in getattr(job, kind).data_sources if kind else ():
        for model in source.semantic_models:
            model.ClearField("text")


def _place(source: DataSource, *stored: str) -> dict[str, str]:
    """Where a source is, as the one field of the contract's oneof that is set."""
    places = {
        "connection_string": source.connection_string,
        "file_path": source.file_path,
        **{name: getattr(source, name) for name in stored},
    }
    return {name: value for name, value in places.items() if value}
