"""What a job that ended says to a board. Works on the contract's messages."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format

from assay.common.v1 import analysis_pb2, job_pb2
from assay.gateway.v1 import job_service_pb2 as jobs_pb
from gateway.boards.ports import Pinnable
from gateway.domain.board import Number, Result
from gateway.domain.board_meaning import in_sentences
from gateway.jobs.frames import read_by
from gateway.jobs.preparing import check_source
from mesh.errors import INVALID_ARGUMENT, JOB_NOT_COMPLETE, AssayError
from mesh.text.harmless import harmless_line

if TYPE_CHECKING:
    import pyarrow as pa

MOST_NUMBERS, LONGEST_TEXT, LONGEST_STATEMENT = 100, 5_000, 50_000
_ENDED = frozenset(
    {
        job_pb2.JOB_STATE_COMPLETED,
        job_pb2.JOB_STATE_PARTIAL_SUCCESS,
        job_pb2.JOB_STATE_FAILED,
        job_pb2.JOB_STATE_CANCELLED,
    }
)
# Of these a value is no point in time: every year has a March.
_TIMELESS = frozenset(
    {
        analysis_pb2.COLUMN_FORMAT_WEEKDAY,
        analysis_pb2.COLUMN_FORMAT_MONTH_OF_YEAR,
        analysis_pb2.COLUMN_FORMAT_HOUR,
    }
)


def pinnable(job: job_pb2.Job, local: bool, latest: tuple[str, str, int]) -> Pinnable:
    """A job that can be asked again.

    Raises AssayError: JOB_NOT_COMPLETE without an answer, INVALID_ARGUMENT for work that is no
    analysis, FILE_PATH_REFUSED for a file of this machine that the caller may not name.
    """
    if job.WhichOneof("work") != "analysis":
        raise AssayError(
            INVALID_ARGUMENT,
            "only answers to questions and statements can be pinned",
            fields={"job_id": "is not an analysis"},
        )
    if not job.HasField("answer"):
        raise AssayError(JOB_NOT_COMPLETE, f"job {job.job_id[:8]} has no answer to pin")
    asked = analysis_pb2.AnalysisRequest()
    asked.CopyFrom(job.analysis)
    for name in ("frame", "domains", "routing"):
        asked.ClearField(name)
    for number, source in enumerate(asked.data_sources):
        source.ClearField("schema_fingerprint")  # whether it means the same is looked at
        check_source(source, f"analysis.data_sources[{number}]", local)
    return Pinnable(
        job_id=job.job_id,
        question=harmless_line(asked.intent)[:2_000],
        request=json_format.MessageToJson(asked, indent=None),
        session_id=job.session_id if _needs_session(asked) else "",
        file_ids=tuple(dict.fromkeys(one.file_id for one in asked.data_sources if one.file_id)),
        result=answer_of(job, latest),
        ended_at=job.updated_at.ToDatetime(tzinfo=UTC),
    )


def request_of(text: str) -> jobs_pb.CreateJobRequest:
    """What is asked again."""
    asked = json_format.Parse(text, analysis_pb2.AnalysisRequest(), ignore_unknown_fields=True)
    return jobs_pb.CreateJobRequest(analysis=asked)


def check_asker(text: str, local: bool) -> None:
    """Raises AssayError(FILE_PATH_REFUSED) where a request, as JSON, names files of this machine,
    which is for `local` callers alone."""
    for number, source in enumerate(request_of(text).analysis.data_sources):
        check_source(source, f"analysis.data_sources[{number}]", local)


def has_ended(job: job_pb2.Job) -> bool:
    """Whether nothing more comes of a job."""
    return job.state in _ENDED


def answer_of(job: job_pb2.Job, latest: tuple[str, str, int]) -> Result:
    """What an answer says. `latest` is the latest time of its rows, its column and its format."""
    answer, statement = job.answer, _statement(job)
    data_at, column, format = latest
    return Result(
        headline=answer.text[:LONGEST_TEXT],
        numbers=_numbers(answer),
        confidence=int(answer.confidence),
        understood=job.understood[:LONGEST_TEXT],
        statement=statement.readable[:LONGEST_STATEMENT],
        statement_sha256=_digest(statement),
        data_at=data_at or job.created_at.ToDatetime(tzinfo=UTC).isoformat(timespec="seconds"),
        data_column=column,
        data_format=format,
    )


def failure_of(job: job_pb2.Job) -> Result:
    """Why there is no answer, in words."""
    failure = job.failure
    if job.state == job_pb2.JOB_STATE_CANCELLED:
        return failed("CANCELLED", "it was stopped")
    return failed(failure.reason or "INTERNAL", failure.message, failure.hint)


def asks_back(job: job_pb2.Job) -> Result:
    """A question back, which nobody is there to answer."""
    question = f"it needs a clarification: {job.clarification.question}"
    return failed("CLARIFICATION_NEEDED", question, "Ask more specifically, and pin that answer.")


def failed(reason: str, message: str, hint: str = "") -> Result:
    """That there is no answer, in sentences."""
    return Result(reason=reason, failure=in_sentences(message, hint)[:LONGEST_TEXT])


def latest_time(table: pa.Table, formats: Any) -> tuple[str, str, int]:
    """The latest time in a table's first column of times, that column, and its format. Blocks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for field, values in zip(table.schema, table.columns, strict=True):
        format = formats.get(field.name, analysis_pb2.COLUMN_FORMAT_UNSPECIFIED)
        timed = pa.types.is_date(field.type) or pa.types.is_timestamp(field.type)
        if not timed or format in _TIMELESS:
            continue
        found = pc.max(values)
        if pa.types.is_timestamp(field.type):  # Python's clock has no nanoseconds
            found = found.cast(pa.timestamp("us", field.type.tz), safe=False)
        value = found.as_py()
        if isinstance(value, date | datetime):
            return value.isoformat(), field.name, int(format)
    return "", "", 0


def _numbers(answer: analysis_pb2.Answer) -> tuple[Number, ...]:
    """The numbers of an answer's text in their order; without text, or where it has none, those of
    its claims."""
    claims = {one.claim_id: one for one in answer.claims}
    stands = sorted(
        (one for one in answer.assertions if one.kind == "number" and one.place == "text"),
        key=lambda one: one.start,
    )
    told = [claims[one.claim_id] for one in stands if one.claim_id in claims]
    return tuple(
        Number(one.value[:100], one.text[:100], one.unit[:100], one.column)
        for one in (told or list(answer.claims))[:MOST_NUMBERS]
    )


def _statement(job: job_pb2.Job) -> analysis_pb2.Statement:
    """The statement whose rows are the answer; else the last that ran."""
    ran = [step for step in job.steps if step.HasField("statement")]
    own = [step for step in ran if step.task_id == job.plan.answer_task]
    return (own or ran)[-1].statement if ran else analysis_pb2.Statement()


def _digest(statement: analysis_pb2.Statement) -> str:
    if not statement.query:
        return ""
    return hashlib.sha256(f"{statement.query}\n{statement.params_json}".encode()).hexdigest()


def _needs_session(asked: analysis_pb2.AnalysisRequest) -> bool:
    """Whether it reads tables of its session: then it can be asked in that alone."""
    framed = any(one.WhichOneof("place") == "frame" for one in asked.data_sources)
    return framed or bool(read_by(asked.statement))
