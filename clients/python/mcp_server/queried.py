"""What a model reads of its own statement: doubts before rows, and as little as will do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.common.v1.analysis_pb2 import ArtifactType
from assay.common.v1.checks_pb2 import CheckFinding, CheckSeverity
from assay.common.v1.job_pb2 import Job
from assay.common.v1.proposals_pb2 import Agreement
from clients.python import words_of
from clients.python.cli.declared import twin_of
from clients.python.client import AssayClient
from clients.python.mcp_server.answers import cell
from clients.python.mcp_server.shapes import Charted, Queried, Tested
from mesh.errors import STEP_FAILED, AssayError
from mesh.prose.front_matter import frame_name
from mesh.remarks import changes_reading, is_found

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 10
_COMPARED = {
    Agreement.AGREEMENT_SAME: "the same",
    Agreement.AGREEMENT_SUBSET: "the same, beside columns that are not declared",
    Agreement.AGREEMENT_SCALED: "the same, but for per cent",
    Agreement.AGREEMENT_DIFFERS: "differs: M01",
}


async def queried(client: AssayClient, job: Job) -> Queried:
    """A statement that ran, with the first of its rows. Raises AssayError."""
    frame, proposal = job.answer.table, job.plan.proposal
    rows = await client.read_frame(job.job_id, frame, _ROWS) if frame.digest else None
    return Queried(
        frame=job.analysis.frame or frame_name(job.job_id),
        doubts=_doubts(job),
        twin=_twin(job),
        columns=list(map(str, rows.schema.names)) if rows is not None else [],
        rows=first_rows(rows, _ROWS) if rows is not None else [],
        total_rows=frame.rows,
        not_checked=list(proposal.not_checked),
    )


async def tested(client: AssayClient, job: Job) -> Tested:
    """A test that ran, in the words of its answer. Raises AssayError."""
    return Tested(
        frame=job.analysis.frame or frame_name(job.job_id),
        confidence=words_of.sureness(job.answer),
        doubts=_doubts(job),
        answer=job.answer.text,
        notes=_notes(job),
    )


async def charted(client: AssayClient, job: Job, folder: Path) -> Charted:
    """A chart that was drawn, with its picture. Raises AssayError."""
    kind = ArtifactType.ARTIFACT_TYPE_CHART
    drawn = [one for one in job.answer.artifacts if one.artifact_type == kind]
    if not drawn:
        raise AssayError(STEP_FAILED, " ".join(_notes(job)) or "the chart is missing")
    path = await client.download(drawn[0], folder)
    return Charted(
        frame=job.analysis.frame or frame_name(job.job_id),
        doubts=_doubts(job),
        notes=_notes(job),
        file=str(path.absolute()),
        picture=await asyncio.to_thread(path.read_bytes),
    )


def first_rows(table: pa.Table, most: int, first: int = 0) -> list[list[Any]]:
    """Rows as a model reads them, from one on."""
    columns = [[cell(one) for one in c.to_pylist()] for c in table.slice(first, most).columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _doubts(job: Job) -> list[dict[str, Any]]:
    """What is to be passed on: what checks found, then what else changes how rows are read."""
    findings = job.plan.proposal.findings
    grave = [one for one in findings if one.severity != CheckSeverity.CHECK_SEVERITY_NOTE]
    others = [one for one in job.answer.caveats if changes_reading(one) and not is_found(one)]
    return [*map(_found, grave), *({"said": one} for one in others)]


def _notes(job: Job) -> list[str]:
    """What else is to be told of it."""
    return [one for one in job.answer.caveats if not changes_reading(one) and not is_found(one)]


def _found(one: CheckFinding) -> dict[str, Any]:
    """A finding; how to mend it in words only where no statement does."""
    values = {"code": one.code, "said": one.said}
    if one.fix:
        return {**values, "fix": one.fix}
    return {**values, "mend": one.mend} if one.mend else values


def _twin(job: Job) -> str:
    twin = twin_of(job)
    if twin is None:
        return ""
    text = _COMPARED.get(twin.compared) or f"not compared: {twin.told}"
    if twin.compared == Agreement.AGREEMENT_DIFFERS:
        return text
    return "; ".join(filter(None, (text, twin.told, twin.clause)))
