"""Conversations that go on from an answer that was asked for elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from assay.common.v1 import analysis_pb2, job_pb2
from assay.planner.v1 import planner_service_pb2 as planner_pb
from assay.planner.v1 import planner_service_pb2_grpc
from gateway.admission.strangers import Strangers
from gateway.domain.conversation import MAX_CONTENT_CHARACTERS, Continued
from gateway.forwarding import answered
from mesh.errors import NOTHING_TO_FOLLOW, AssayError
from mesh.ids import parse_id

_STATEMENT = "A statement"
_TERMS = ("data_sources", "constraints", "deliverables", "policy", "assume")
"""What of a request says how the next question is asked too."""


@dataclass(frozen=True, slots=True)
class Origin:
    """An answer to go on from, with the session and the terms that it was asked under."""

    continued: Continued
    session_id: str
    terms: analysis_pb2.AnalysisRequest


class Continuing:
    """Finds answers of the caller's to go on from."""

    def __init__(
        self, planner: planner_service_pb2_grpc.PlannerServiceStub, strangers: Strangers
    ) -> None:
        self._planner = planner
        self._strangers = strangers

    async def find(self, job_id: str) -> Origin:
        """The answer of a job. Raises AssayError: NOT_FOUND; NOTHING_TO_FOLLOW for a job without
        an answer, and for other work than an analysis."""
        job_id = parse_id(job_id, "continues_job_id")
        with self._strangers.noticing("job", job_id):
            wanted = planner_pb.GetJobRequest(job_id=job_id)
            job = (await answered(self._planner.GetJob(wanted), "planner")).job
        if job.WhichOneof("work") != "analysis" or not job.HasField("answer"):
            raise AssayError(
                NOTHING_TO_FOLLOW,
                f"job {job_id[:8]} has no answer to a question that could be changed",
                fields={"continues_job_id": "is no answered question"},
            )
        return Origin(Continued(_question(job), job_id), job.session_id, _terms(job.analysis))


def _question(job: job_pb2.Job) -> str:
    """What was asked; of a statement, how it was understood."""
    asked = job.analysis.intent.strip() or job.understood.strip() or _STATEMENT
    return asked[:MAX_CONTENT_CHARACTERS]


def _terms(asked: analysis_pb2.AnalysisRequest) -> analysis_pb2.AnalysisRequest:
    terms = analysis_pb2.AnalysisRequest()
    terms.CopyFrom(asked)
    for field, _ in asked.ListFields():
        if field.name not in _TERMS:
            terms.ClearField(field.name)  # type: ignore[arg-type]  # its names are of the message
    for source in terms.data_sources:
        source.ClearField("schema_fingerprint")  # whether it means the same is looked at anew
    return terms
