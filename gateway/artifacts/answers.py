"""What of a job can be had: files and frames of its answer, and of steps that are shown before it.
Works on the contract's messages."""

from __future__ import annotations

from assay.common.v1 import analysis_pb2, data_pb2, job_pb2
from gateway.domain.session import absent


def artifacts_of(job: job_pb2.Job) -> list[analysis_pb2.Artifact]:
    """The files of a job's answer; of a job that ended without one, those that it had made."""
    return [*job.answer.artifacts, *job.partial_artifacts]


def frame_of(job: job_pb2.Job, digest: str) -> data_pb2.FrameRef:
    """A frame of a job and where it may be: with any executor that made one of those named.

    Raises AssayError(NOT_FOUND) for a frame that neither the answer nor a step names.
    """
    digest, answer = digest.strip().lower(), job.answer
    shown = [step.frame for step in job.steps if step.HasField("frame")]
    if digest not in frame_digests(answer) | {frame.digest for frame in shown}:
        raise absent("frame", digest)
    made = [answer.table, answer.display, *shown]
    own = [place for frame in made if frame.digest == digest for place in frame.locations]
    flight = data_pb2.FRAME_LOCATION_KIND_FLIGHT
    others = [place for frame in made for place in frame.locations if place.kind == flight]
    places = {(place.kind, place.uri): place for place in (*own, *others)}
    return data_pb2.FrameRef(digest=digest, locations=places.values())


def frame_digests(answer: analysis_pb2.Answer) -> frozenset[str]:
    """Digests of the frames that belong to an answer."""
    named = {answer.table.digest, answer.display.digest}
    named.update(claim.frame_digest for claim in answer.claims)
    named.update(
        digest for one in answer.assertions for digest in (one.frame_digest, one.of_digest)
    )
    return frozenset(named - {""})
