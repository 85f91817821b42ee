"""A correction of an answer: the same question once more, to be read otherwise."""

from __future__ import annotations

from assay.common.v1.job_pb2 import Job, JobState
from assay.gateway.v1.job_service_pb2 import CreateJobRequest
from mesh.ids import new_id

_ANSWERED = {JobState.JOB_STATE_COMPLETED, JobState.JOB_STATE_PARTIAL_SUCCESS}


def is_correction(job: Job, words: str) -> bool:
    """Whether words are said against an answer: a number alone can only choose a reading."""
    asked_in_words = job.HasField("analysis") and bool(job.analysis.intent)
    text = words.strip()
    return job.state in _ANSWERED and asked_in_words and bool(text) and not text.isdigit()


def corrected_request(job: Job, words: str) -> CreateJobRequest:
    """The job's question as it was asked, under a new id, with one correction more."""
    request = CreateJobRequest(
        request_id=new_id(),
        session_id=job.session_id,
        analysis=job.analysis,
    )
    request.analysis.corrections.append(words.strip())
    return request
