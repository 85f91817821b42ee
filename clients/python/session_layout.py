"""A session as the documents that seed 002 keeps of one, from what the gateway tells of it.

Times are UTC, written `YYYY-MM-DD HH:MM:SS` as seed 004 has them; job.json alone, which is in the
contract's own names, has them as the contract does. What refers to a file of the mesh's artifact
store names its place in the export instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from assay.common.v1.investigation_pb2 import InvestigationResult, ReportStatus
from assay.common.v1.job_pb2 import Job, JobState
from assay.gateway.v1 import conversation_service_pb2 as talk_pb
from assay.gateway.v1 import file_service_pb2 as files_pb
from assay.gateway.v1 import session_service_pb2 as sessions_pb

ANSWERED = frozenset({JobState.JOB_STATE_COMPLETED, JobState.JOB_STATE_PARTIAL_SUCCESS})
ENDED = ANSWERED | {JobState.JOB_STATE_FAILED, JobState.JOB_STATE_CANCELLED}
_PLACES = frozenset({"local_path", "locations", "file_path", "connection_string"})
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z")
_LIKELIHOODS = {1: "Most Likely", 2: "Likely", 3: "Possible", 4: "Less Likely"}
_OF_ENUMS = (
    "HYPOTHESIS_STATUS_",
    "ITERATION_DECISION_",
    "EXIT_REASON_",
    "COLUMN_DATA_TYPE_",
    "COLUMN_INFERRED_TYPE_",
    "JOB_STATE_",
    "MESSAGE_ROLE_",
    "JOB_LINK_",
    "TURN_KIND_",
    "SESSION_STATE_",
    "SESSION_STATUS_",
)


def session_object(session: sessions_pb.Session) -> dict[str, Any]:
    """Session: what stands in metadata.json."""
    return {
        "session_id": session.session_id,
        "status": status_of(session),
        "created_at": _time(session.created_at),
        "expires_at": _time(session.expires_at),
        "file_count": session.file_count,
        "report_ready": session.report_ready,
        "title": session.title,
        "updated_at": _time(session.updated_at),
    }


def status_of(session: sessions_pb.Session) -> str:
    """The status of seed 002; the state of the session itself where its jobs are not known."""
    if session.status == sessions_pb.SESSION_STATUS_UNSPECIFIED:
        return _word(sessions_pb.SessionState, session.state)
    return _word(sessions_pb.SessionStatus, session.status)


def file_object(
    file: files_pb.File, path: str, tables: Iterable[files_pb.FileTable]
) -> dict[str, Any]:
    """UploadedFile with its FileSchema: a file's _meta.json. `path` is where its bytes are."""
    columns = [
        {
            "table": table.name,
            "name": column.name,
            "inferred_type": _word(files_pb.ColumnInferredType, column.inferred_type),
            "data_type": _word(files_pb.ColumnDataType, column.data_type),
            "cardinality": column.cardinality,
            "sample_values": list(column.sample_values),
            "nullable": column.nullable,
        }
        for table in tables
        for column in table.columns
    ]
    return {
        "file_id": file.file_id,
        "session_id": file.session_id,
        "original_name": file.original_name,
        "description": file.description,
        "path": path,
        "row_count": file.row_count,
        "size_bytes": file.size_bytes,
        "schema": {"columns": columns} if columns else None,
        "uploaded_at": _time(file.uploaded_at),
        "content_hash": file.content_hash,
        "mime_type": file.mime_type,
        "duplicate": file.duplicate,
        "last_accessed": _time(file.last_accessed),
        "reference_count": file.reference_count,
    }


def job_object(job: Job) -> dict[str, Any]:
    """A job in the contract's own names: what was asked, its steps, its answer. No place of the
    machine that it was done on."""
    values: dict[str, Any] = _placeless(_named(job))
    return values


def message_object(
    message: talk_pb.Message, conversation_id: str, places: Mapping[str, str]
) -> dict[str, Any]:
    """ChatMessage: one entry of chat/history.json. `places` says where in the export files of the
    artifact store are."""
    return {
        "message_id": str(message.message_id),
        "conversation_id": conversation_id,
        "role": _word(talk_pb.MessageRole, message.role),
        "content": message.content,
        "timestamp": _time(message.timestamp),
        "artifacts_referenced": [places.get(one, one) for one in message.artifacts_referenced],
        "job_id": message.job_id or None,
        "position": message.position,
    }


def investigation_documents(job: Job, session_id: str) -> dict[str, Any]:
    """The documents of an investigation by their path; those of its end once it has one."""
    asked, result = job.investigation, job.investigation_result
    baseline = result.baseline_period if job.HasField("investigation_result") else None
    compared = result.comparison_period if job.HasField("investigation_result") else None
    values: dict[str, Any] = {
        "context.json": {
            "session_id": session_id,
            "job_id": job.job_id,
            "business_context": asked.business_context or None,
            "metric_sql": asked.metric_sql or result.metric,
            "baseline_period": _object(baseline or asked.baseline_period),
            "comparison_period": _object(compared or asked.comparison_period),
            "investigation_prompt": asked.investigation_prompt or None,
            "question": asked.question or None,
            "submitted_at": _time(job.created_at),
        }
    }
    if job.HasField("investigation_result"):
        values |= _concluded(job, result, session_id)
    return values


def _concluded(job: Job, result: InvestigationResult, session_id: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        "analysis/schema.json": {"session_id": session_id, **_object(result.data_model)},
        "analysis/plan.json": {
            "session_id": session_id,
            "steps": [_object(step) for step in result.analysis_plan],
            "created_at": _time(job.created_at),
        },
        "analysis/findings_ledger.json": {"session_id": session_id, **_object(result.ledger)},
        "results/explanations.json": [
            {
                **_object(one),
                "likelihood": _LIKELIHOODS.get(one.likelihood, ""),
                "session_id": session_id,
            }
            for one in result.explanations
        ],
        "results/report.json": {
            "session_id": session_id,
            "generated_at": _time(job.updated_at),
            "status": ReportStatus.Name(result.status).removeprefix("REPORT_STATUS_").lower(),
        },
    }
    for hypothesis in result.hypotheses:
        place = f"analysis/hypotheses/{hypothesis.hypothesis_id}.json"
        values[place] = {"session_id": session_id, **_object(hypothesis)}
    for log in result.iterations:
        values[f"analysis/iterations/iter_{log.iteration:03d}.json"] = _object(log)
    return values


def raw_outputs(result: InvestigationResult) -> dict[str, str]:
    """Where the full output of each iteration goes, by the artifact that it is."""
    return {
        log.raw_output: f"analysis/full_outputs/output_{log.iteration:03d}.txt"
        for log in result.iterations
        if log.raw_output
    }


def placed(value: Any, places: Mapping[str, str]) -> Any:
    """A document in which what refers to the artifact store names its place in the export."""
    if isinstance(value, dict):
        return {name: placed(one, places) for name, one in value.items()}
    if isinstance(value, list):
        return [placed(one, places) for one in value]
    return places.get(value, value) if isinstance(value, str) else value


def _object(message: Message) -> dict[str, Any]:
    """A message in the contract's names, without the prefixes of its enums."""
    values: dict[str, Any] = _timed(_named(message))
    return values


def _named(message: Message) -> Any:
    return _plain(
        MessageToDict(
            message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
    )


def _time(moment: Timestamp) -> str:
    return moment.ToDatetime().strftime("%Y-%m-%d %H:%M:%S")


def _timed(value: Any, name: str = "") -> Any:
    """A document with its moments written as seed 004 writes them."""
    if isinstance(value, dict):
        return {key: _timed(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_timed(one, name) for one in value]
    moment = isinstance(value, str) and name.endswith(("_at", "timestamp"))
    found = _MOMENT.fullmatch(value) if moment else None
    return f"{found[1]} {found[2]}" if found else value


def _placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _placeless(one) for name, one in value.items() if name not in _PLACES}
    return [_placeless(one) for one in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, str):
        for prefix in _OF_ENUMS:
            if value.startswith(prefix) and value.isupper():
                return value.removeprefix(prefix)
    return value


def _word(enum: Any, number: int) -> str:
    """The word of an enum's value that seed 002 spells in small letters."""
    return str(_plain(enum.Name(number))).lower()
