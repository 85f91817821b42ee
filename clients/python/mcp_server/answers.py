"""A job's end as a tool tells it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.common.v1.analysis_pb2 import ArtifactType
from assay.common.v1.conversation_pb2 import AgentResponse
from assay.common.v1.job_pb2 import Job, JobState
from clients.python import words_of
from clients.python.cli.as_json import plain, state_name
from clients.python.cli.result import Result, gather
from clients.python.cli.words import count
from clients.python.client import AssayClient
from clients.python.mcp_server.shapes import Answer, Proof, Rows
from mesh.remarks import changes_reading

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_NOTES = 5
_LONGEST_CELL = 300
_DIGITS = 10
"""Of a number that is no whole one: the file of the table has it in full."""


async def build_answer(
    client: AssayClient,
    job: Job,
    folder: Path,
    *,
    rows: int = 20,
    first: int = 0,
    response: AgentResponse | None = None,
    conversation: str = "",
) -> Answer:
    """A job as it stands, for a model; files made elsewhere are fetched into `folder`. Of its table
    there are so many `rows`, after the `first` ones.

    `response` is what its conversation answered. Raises AssayError.
    """
    answer = Answer(
        state=state_name(job.state),
        reading=job.understood,
        conversation=conversation or job.conversation_id,
        frame=job.analysis.frame,
        job=job.job_id,
    )
    if response is not None:
        answer.edit = response.edit
        values = {response.edit, *job.answer.caveats}
        answer.because = [one for one in response.confidence_reasons if one not in values]
        answer.suggestions = list(response.suggestions)
    if job.HasField("clarification"):
        answer.answer = job.clarification.question
        answer.options = [
            f"{number}. {option.text}" + (f" ({option.glimpse})" if option.glimpse else "")
            for number, option in enumerate(job.clarification.options, 1)
        ]
    elif job.HasField("answer"):
        await _fill(answer, client, job, folder, rows, first)
    elif job.state in (JobState.JOB_STATE_PLANNING, JobState.JOB_STATE_EXECUTING):
        answer.progress = f"{job.progress.percent} %: {job.progress.reason}"
    return answer


async def _fill(
    answer: Answer, client: AssayClient, job: Job, folder: Path, rows: int, first: int
) -> None:
    result = await gather(client, job, whole_table=False, folder=folder)
    given = job.answer
    answer.answer = given.text
    answer.confidence = words_of.sureness(given)
    answer.doubts = [one for one in given.caveats if changes_reading(one) and one != answer.edit]
    notes = [one for one in given.caveats if not changes_reading(one) and one != answer.edit]
    answer.notes = notes[:_MOST_NOTES]
    if len(notes) > _MOST_NOTES:
        answer.notes.append(f"{count(len(notes) - _MOST_NOTES, 'note')} more in the report")
    answer.files = [
        str(path.absolute())
        for artifact, path in result.files
        if artifact.artifact_type != ArtifactType.ARTIFACT_TYPE_SUMMARY
    ]
    frame = given.display if given.HasField("display") else given.table
    if frame.digest and rows:
        table = result.table
        if table is None or first + rows > table.num_rows:
            table = await client.read_frame(job.job_id, frame, first + rows)
        answer.table = _rows(table.slice(first), rows, frame.rows)
    if result.unchecked:
        answer.doubts.insert(0, f"the proof is not checked: {result.unchecked}")
        return
    answer.proof = await _proof(client, result)
    if not answer.proof.ok:
        answer.doubts.insert(0, f"the record does not hold: {answer.proof.wrong}")


def _rows(table: pa.Table, most: int, total: int) -> Rows:
    columns = [[cell(value) for value in one.to_pylist()] for one in table.slice(0, most).columns]
    names = [str(name) for name in table.schema.names]
    return Rows(
        columns=names, rows=[list(row) for row in zip(*columns, strict=True)], total_rows=total
    )


def cell(value: Any) -> Any:
    """A cell as a model reads it: numbers to ten digits, no text longer than a sentence or two."""
    value = plain(value)
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, str) and len(value) > _LONGEST_CELL:
        return f"{value[: _LONGEST_CELL - 1]}…"
    return value


async def _proof(client: AssayClient, result: Result) -> Proof:
    chain = b"".join([piece async for piece in client.export_chain(result.job.job_id)])
    entries = chain.splitlines()
    proof = result.proof
    wrong = next((one for one in proof.checks if not one.ok), None) if proof else None
    return Proof(
        ok=result.proven,
        entries=len(entries),
        head=str(json.loads(entries[-1])["hash"]) if entries else "",
        table=result.job.answer.table.digest,
        wrong=f"{wrong.name}: {wrong.detail}" if wrong else "",
    )
