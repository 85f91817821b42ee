"""Frames that a text cites, of the caller's jobs: rows, doubts, and what a study concludes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.common.v1 import checks_pb2, findings_pb2, job_pb2
from mesh.prose.frames import Frame

if TYPE_CHECKING:
    import pyarrow as pa

_ERROR = checks_pb2.CHECK_SEVERITY_ERROR
_NOTE = checks_pb2.CHECK_SEVERITY_NOTE
_SPACE = re.compile(r"\s+")


def frame_cited(
    name: str, job: job_pb2.Job, rows: pa.Table | None, *, contested: bool = False
) -> Frame:
    """A job as a text may cite it: with its table, where it has one."""
    columns = [] if rows is None else list(rows.column_names)
    values = {} if rows is None else {one: rows.column(one).to_pylist() for one in columns}
    return Frame(
        name=name,
        columns=columns,
        values=values,
        doubts=_doubts(job),
        effect=_effect(job),
        statement=_SPACE.sub(" ", job.plan.proposal.statement),
        contested=contested,
        tested=bool(job.analysis.HasField("test") and job.analysis.test.kind),
    )


def is_contested(job: job_pb2.Job) -> bool:
    """Whether a check found an error in the statement of a job."""
    return any(one.severity == _ERROR for one in job.plan.proposal.findings)


def frames_read(job: job_pb2.Job) -> list[str]:
    """The jobs whose tables a job was computed from."""
    return [source.frame for source in job.analysis.data_sources if source.frame]


def _doubts(job: job_pb2.Job) -> Mapping[str, str]:
    return {
        one.code: one.said
        for one in job.plan.proposal.findings
        if one.severity not in (_NOTE, _ERROR)
    }


def _effect(job: job_pb2.Job) -> bool | None:
    """Whether a causal study concludes an effect; None for other jobs, also for investigations.

    An investigation names what moved with a metric, which is no cause of it.
    """
    if not job.HasField("causal"):
        return None
    result = job.causal_result
    effect = result.effect
    approved = result.verdict == findings_pb2.CRITIQUE_DECISION_APPROVE
    apart = result.HasField("effect") and (effect.ci_lower > 0 or effect.ci_upper < 0)
    return approved and apart
