"""What callers are shown of jobs: to those who are not on this machine, no path of it.

Works on the contract's messages, in place, because everything else must reach the caller as the
planner said it.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from assay.common.v1 import analysis_pb2, causal_pb2, data_pb2, job_pb2

_FILE_SCHEMES = ("sqlite", "duckdb", "file")


def shown_job(job: job_pb2.Job, local: bool) -> job_pb2.Job:
    """A job as a caller may see it."""
    if not local:
        kind = job.WhichOneof("work")
        _hide_sources(getattr(job, kind).data_sources if kind else ())
        if job.HasField("answer"):
            _hide_answer(job.answer)
        for state in (job.causal_result.state, job.causal_state):
            if state.HasField("dataset_info"):
                _hide_dataset(state.dataset_info)
        for artifact in job.partial_artifacts:
            artifact.ClearField("local_path")
        for step in job.steps:
            _hide_step(step)
    return job


def shown_event(event: job_pb2.JobEvent, local: bool) -> job_pb2.JobEvent:
    """An event as a caller may see it."""
    if not local and event.WhichOneof("event") == "answer":
        _hide_answer(event.answer)
    if not local and event.WhichOneof("event") == "step":
        _hide_step(event.step)
    return event


def shown_artifact(artifact: analysis_pb2.Artifact, local: bool) -> analysis_pb2.Artifact:
    """An artifact as a caller may see it."""
    if not local:
        artifact.ClearField("local_path")
    return artifact


def shown_frame(frame: data_pb2.FrameRef, local: bool) -> data_pb2.FrameRef:
    """A frame's name as a caller may see it."""
    if not local:
        frame.ClearField("locations")
    return frame


def shown_source(source: data_pb2.DataSource, local: bool) -> data_pb2.DataSource:
    """A source as a caller may see it."""
    if not local:
        _hide_sources([source])
    return source


def without_texts(sources: Iterable[data_pb2.DataSource]) -> None:
    """Leave the names of semantic models, as lists do: their texts may be long."""
    for source in sources:
        for model in source.semantic_models:
            model.ClearField("text")


def _hide_step(step: job_pb2.Step) -> None:
    if step.HasField("frame"):
        shown_frame(step.frame, False)


def _hide_answer(answer: analysis_pb2.Answer) -> None:
    for artifact in answer.artifacts:
        artifact.ClearField("local_path")
    for name in ("table", "display"):
        if answer.HasField(name):
            shown_frame(getattr(answer, name), False)


def _hide_dataset(info: causal_pb2.DatasetInfo) -> None:
    """The place of a file of this machine; that of a database stays."""
    info.ClearField("local_path")
    scheme = urlsplit(info.url).scheme.partition("+")[0]
    if scheme in ("", *_FILE_SCHEMES):
        info.url = info.url.rpartition("/")[2]


def _hide_sources(sources: Iterable[data_pb2.DataSource]) -> None:
    """Places that only somebody on this machine can have named keep their name alone."""
    for source in sources:
        scheme = urlsplit(source.connection_string).scheme.partition("+")[0]
        if source.file_path or scheme in _FILE_SCHEMES:
            place = source.file_path or urlsplit(source.connection_string).path
            source.name = source.name or place.rpartition("/")[2]
            source.ClearField("place")
